'use strict';
/**
 * Make the simulator faster, with the same battles as without.
 *
 * For each event of a battle the simulator asks every effect in play (status, volatiles, ability,
 * item, species, conditions) for up to five callbacks by name, most of which no effect has. Here an
 * effect's callbacks are listed once, with their priorities, and names that no effect of the format's
 * Dex has are not looked for: the handlers are the same in the same order. Moves are copied for use
 * at once instead of field by field. selftest.js plays the same battles both ways.
 */
const {Battle} = require('pokemon-showdown/dist/sim/battle');
const {Dex} = require('pokemon-showdown/dist/sim/dex');
const {Pokemon} = require('pokemon-showdown/dist/sim/pokemon');
const {Side} = require('pokemon-showdown/dist/sim/side');
const {Field} = require('pokemon-showdown/dist/sim/field');

const REPLACED = [
	'runEvent', 'getCallback', 'findEventHandlers', 'findPokemonEventHandlers', 'findSideEventHandlers',
	'findFieldEventHandlers', 'findBattleEventHandlers', 'resolvePriority',
];
const UNPREFIXED = new Set(['BeforeTurn', 'Update', 'Weather', 'WeatherChange', 'TerrainChange']);
const SUB_ORDERS = {
	Condition: 2, Weather: 5, Format: 5, Rule: 5, Ruleset: 5, Ability: 7, Item: 8,
};
const SUB_ORDERS_BY_ABILITY = {'Poison Touch': 6, 'Perish Body': 6, Stall: 9};
const MAX_DEPTH = 8;
const SLOT_CONDITION = 3, SIDE_CONDITION = 4, FIELD_CONDITION = 5;

const ModdedDex = Dex.constructor;
const original = {
	runEvent: Battle.prototype.runEvent,
	findEventHandlers: Battle.prototype.findEventHandlers,
	getActiveMove: ModdedDex.prototype.getActiveMove,
};
const TABLE = Symbol('event table'), FOUND = Symbol('handlers found');
const tables = new Map();

/** What is known of the callbacks of one Dex. */
class EventTable {
	constructor(dex) {
		this.dex = dex;
		this.names = new Set();
		this.events = new Map();
		this.effects = new WeakMap();
		for (const kind of ['Abilities', 'Items', 'Moves', 'Conditions', 'Pokedex', 'Rulesets']) {
			const entries = dex.data[kind];
			for (const id in entries) {
				this.learn(entries[id]);
				if (entries[id].condition) this.learn(entries[id].condition);
			}
		}
	}

	learn(effect) {
		for (const key in effect) {
			if (key.startsWith('on')) this.names.add(key);
		}
	}

	/** Return the callbacks that an event asks for, null for each that no effect has. */
	event(name) {
		let found = this.events.get(name);
		if (found) return found;
		const known = key => this.names.has(key) ? key : null;
		const prefixed = key => UNPREFIXED.has(name) ? null : known(key);
		found = {
			own: known(`on${name}`), ally: prefixed(`onAlly${name}`), foe: prefixed(`onFoe${name}`),
			any: prefixed(`onAny${name}`), source: prefixed(`onSource${name}`),
			hasEffectOrder: name.endsWith('RedirectTarget'),
		};
		this.events.set(name, found);
		return found;
	}

	/** Return an effect's callbacks by name. Effects are frozen, or formats, which nobody changes. */
	callbacks(effect) {
		let found = this.effects.get(effect);
		if (found) return found;
		found = new Map();
		for (const key in effect) {
			if (!key.startsWith('on') || effect[key] === undefined) continue;
			const explicit = effect[`${key}SubOrder`] || 0;
			const byAbility = effect.effectType === 'Ability' ? SUB_ORDERS_BY_ABILITY[effect.name] : 0;
			found.set(key, {
				callback: effect[key],
				order: effect[`${key}Order`] || false,
				priority: effect[`${key}Priority`] || 0,
				subOrder: explicit || byAbility || SUB_ORDERS[effect.effectType] || 0,
				isPlaced: !explicit && effect.effectType === 'Condition',
			});
		}
		this.effects.set(effect, found);
		return found;
	}
}

/** Return the table of a battle's Dex; null where its mod has an event system of its own. */
function tableOf(battle) {
	let table = battle[TABLE];
	if (table !== undefined) return table;
	if (REPLACED.some(name => Object.hasOwn(battle, name))) {
		table = null;
	} else {
		table = tables.get(battle.dex);
		if (!table) tables.set(battle.dex, table = new EventTable(battle.dex));
		const {format} = battle;
		for (const key in format) {
			if (!key.startsWith('on') || table.names.has(key)) continue;
			table.names.add(key);
			table.events.clear();
		}
	}
	battle[TABLE] = table;
	return table;
}

/** Append an effect's handler of a callback, if it has one. */
function add(handlers, table, effect, name, state, end, holder, event, endCallArgs) {
	const found = table.callbacks(effect).get(name);
	if (found === undefined) return;
	let {subOrder} = found;
	if (found.isPlaced && state) {
		if (state.target instanceof Side) subOrder = state.isSlotCondition ? SLOT_CONDITION : SIDE_CONDITION;
		else if (state.target instanceof Field) subOrder = FIELD_CONDITION;
	}
	const isPokemon = holder instanceof Pokemon;
	let speed;
	if (isPokemon) {
		speed = effect.name === 'Magic Bounce' && name === 'onAllyTryHitSide' && effect.effectType === 'Ability' ?
			holder.getStat('spe', true, true) : holder.speed;
	}
	handlers.push({
		effect, callback: found.callback, state, end, effectHolder: holder, endCallArgs,
		order: found.order, priority: found.priority, subOrder,
		effectOrder: event.hasEffectOrder && state ? state.effectOrder : undefined, speed,
		target: undefined, index: undefined,
	});
}

function noEnd() {}

function addPokemon(handlers, table, pokemon, name, event) {
	const {conditions} = table.dex;
	if (pokemon.status) {
		add(handlers, table, pokemon.getStatus(), name, pokemon.statusState, pokemon.clearStatus, pokemon, event);
	}
	const {volatiles} = pokemon;
	for (const id in volatiles) {
		add(handlers, table, conditions.getByID(id), name, volatiles[id], pokemon.removeVolatile, pokemon, event);
	}
	add(handlers, table, pokemon.getAbility(), name, pokemon.abilityState, pokemon.clearAbility, pokemon, event);
	if (pokemon.item) {
		add(handlers, table, pokemon.getItem(), name, pokemon.itemState, pokemon.clearItem, pokemon, event);
	}
	add(handlers, table, pokemon.baseSpecies, name, pokemon.speciesState, noEnd, pokemon, event);
	const {side} = pokemon;
	const slot = side.slotConditions[pokemon.position];
	for (const id in slot) {
		const condition = conditions.getByID(id);
		add(handlers, table, condition, name, slot[id], side.removeSlotCondition, pokemon, event,
			[side, pokemon, condition.id]);
	}
}

function addSide(handlers, table, side, name, event) {
	for (const id in side.sideConditions) {
		add(handlers, table, table.dex.conditions.getByID(id), name, side.sideConditions[id],
			side.removeSideCondition, side, event);
	}
}

function addField(handlers, table, field, name, event) {
	for (const id in field.pseudoWeather) {
		add(handlers, table, table.dex.conditions.getByID(id), name, field.pseudoWeather[id],
			field.removePseudoWeather, field, event);
	}
	if (field.weather) add(handlers, table, field.getWeather(), name, field.weatherState, field.clearWeather, field, event);
	if (field.terrain) add(handlers, table, field.getTerrain(), name, field.terrainState, field.clearTerrain, field, event);
}


/** Run an event; without handlers there is nothing to prepare. */
function runEvent(eventid, target, source, sourceEffect, relayVar, onEffect, fastExit) {
	if (onEffect || this.eventDepth >= MAX_DEPTH || Array.isArray(target)) {
		return original.runEvent.call(this, eventid, target, source, sourceEffect, relayVar, onEffect, fastExit);
	}
	const handlers = this.findEventHandlers(target || this, eventid, source instanceof Pokemon ? source : null);
	if (handlers.length) {
		this[FOUND] = handlers;
		return original.runEvent.call(this, eventid, target, source, sourceEffect, relayVar, onEffect, fastExit);
	}
	const value = relayVar ?? true;
	return typeof value === 'number' && value === Math.abs(Math.floor(value)) ? this.modify(value, 1) : value;
}

function findEventHandlers(target, eventName, source) {
	const found = this[FOUND];
	if (found) {
		this[FOUND] = null;
		return found;
	}
	const table = tableOf(this);
	// Innate abilities and items answer to SwitchIn by other rules.
	if (table === null || this.events || eventName.endsWith('SwitchIn')) {
		return original.findEventHandlers.call(this, target, eventName, source);
	}
	const handlers = [];
	if (Array.isArray(target)) {
		for (let i = 0; i < target.length; i++) {
			for (const handler of this.findEventHandlers(target[i], eventName, source)) {
				handler.target = target[i];
				handler.index = i;
				handlers.push(handler);
			}
		}
		return handlers;
	}
	const event = table.event(eventName);
	const {own, ally, foe, any} = event;
	let side = target instanceof Side ? target : null;
	const isSideTarget = side !== null;
	if (target instanceof Pokemon && (target.isActive || source?.isActive)) {
		if (own) addPokemon(handlers, table, target, own, event);
		if (ally || any) {
			for (const mon of target.alliesAndSelf()) {
				if (ally) addPokemon(handlers, table, mon, ally, event);
				if (any) addPokemon(handlers, table, mon, any, event);
			}
		}
		if (foe || any) {
			for (const mon of target.foes()) {
				if (foe) addPokemon(handlers, table, mon, foe, event);
				if (any) addPokemon(handlers, table, mon, any, event);
			}
		}
		side = target.side;
	}
	if (source && event.source) addPokemon(handlers, table, source, event.source, event);
	if (side && (own || foe || any)) {
		for (const other of this.sides) {
			const name = other === side || other === side.allySide ? own : foe;
			if (isSideTarget) {
				for (const mon of other.active) {
					if (name) addPokemon(handlers, table, mon, name, event);
					if (any) addPokemon(handlers, table, mon, any, event);
				}
			}
			if (other.n < 2 || !other.allySide) {
				if (name) addSide(handlers, table, other, name, event);
				if (any) addSide(handlers, table, other, any, event);
			}
		}
	}
	if (own) {
		addField(handlers, table, this.field, own, event);
		add(handlers, table, this.format, own, this.formatData, null, this, event);
	}
	return handlers;
}

function copy(value) {
	if (value === null || typeof value !== 'object') return value;
	if (Array.isArray(value)) return value.map(copy);
	const made = {__proto__: Object.getPrototypeOf(value), ...value};
	for (const key in made) if (typeof made[key] === 'object') made[key] = copy(made[key]);
	return made;
}

const nested = new WeakMap();

function getActiveMove(move) {
	if (move && typeof move.hit === 'number') return move;
	const found = this.moves.get(move);
	let keys = nested.get(found);
	if (!keys) {
		keys = Object.keys(found).filter(key => found[key] !== null && typeof found[key] === 'object');
		if (Object.isFrozen(found)) nested.set(found, keys);
	}
	const made = {__proto__: Object.getPrototypeOf(found), ...found};
	for (const key of keys) made[key] = copy(found[key]);
	made.hit = 0;
	return made;
}

function enable() {
	Battle.prototype.runEvent = runEvent;
	Battle.prototype.findEventHandlers = findEventHandlers;
	ModdedDex.prototype.getActiveMove = getActiveMove;
}

function disable() {
	Battle.prototype.runEvent = original.runEvent;
	Battle.prototype.findEventHandlers = original.findEventHandlers;
	ModdedDex.prototype.getActiveMove = original.getActiveMove;
}

module.exports = {enable, disable, original};
