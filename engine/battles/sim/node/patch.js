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
const MAX_DEPTH = 8, MAX_LINES = 1000, MAX_NAMES = 4096;
const SLOT_CONDITION = 3, SIDE_CONDITION = 4, FIELD_CONDITION = 5;

const ModdedDex = Dex.constructor;
const TABLE = Symbol('event table'), FOUND = Symbol('handlers found'), HAD = Symbol('effects it had');
const NAMES = Symbol('found by name');
const tables = new Map();
const original = {};

/** What is known of the callbacks of one Dex. */
class EventTable {
	constructor(dex) {
		this.dex = dex;
		this.names = new Map();
		this.events = new Map();
		this.effects = new WeakMap();
		for (const kind of ['Abilities', 'Items', 'Moves', 'Conditions', 'Pokedex', 'Rulesets']) {
			const entries = dex.data[kind];
			for (const id in entries) {
				this.learn(entries[id]);
				if (entries[id].condition) this.learn(entries[id].condition);
			}
		}
		this.words = Math.ceil(this.names.size / 32);
	}

	/** Number the callbacks of an effect: each is a bit of a word. */
	learn(effect) {
		for (const key in effect) {
			if (!key.startsWith('on') || this.names.has(key)) continue;
			const number = this.names.size;
			this.names.set(key, {
				key, word: number >> 5, bit: 1 << (number & 31),
				isSwitchIn: key.endsWith('SwitchIn'), hasEffectOrder: /(SwitchIn|RedirectTarget)$/.test(key),
			});
		}
	}

	/** Return the callbacks that an event asks for, null for each that no effect has. */
	event(name) {
		let found = this.events.get(name);
		if (found) return found;
		const known = key => this.names.get(key) || null;
		const prefixed = key => UNPREFIXED.has(name) ? null : known(key);
		found = {
			own: known(`on${name}`), ally: prefixed(`onAlly${name}`), foe: prefixed(`onFoe${name}`),
			any: prefixed(`onAny${name}`), source: prefixed(`onSource${name}`),
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
			if (key.startsWith('on') && effect[key] !== undefined) found.set(key, entry(effect, key, effect[key]));
		}
		const isInnate = effect.effectType === 'Ability' || effect.effectType === 'Item';
		if (isInnate && effect.onStart && !effect.onSwitchIn && !effect.onAnySwitchIn) {
			found.set('onSwitchIn', entry(effect, 'onSwitchIn', effect.onStart));
		}
		this.effects.set(effect, found);
		return found;
	}
}

function entry(effect, key, callback) {
	const explicit = effect[`${key}SubOrder`] || 0;
	const byAbility = effect.effectType === 'Ability' ? SUB_ORDERS_BY_ABILITY[effect.name] : 0;
	return {
		callback,
		order: effect[`${key}Order`] || false,
		priority: effect[`${key}Priority`] || 0,
		subOrder: explicit || byAbility || SUB_ORDERS[effect.effectType] || 0,
		isPlaced: !explicit && effect.effectType === 'Condition',
	};
}

/** Return the table of a battle's Dex; null where its mod has an event system of its own. */
function tableOf(battle) {
	let table = battle[TABLE];
	if (table !== undefined) return table;
	const isUsual = battle.gen >= 5 && battle.sides.length === 2 && !battle.events && !battle.debugMode;
	if (!isUsual || REPLACED.some(name => Object.hasOwn(battle, name))) {
		table = null;
	} else {
		table = tables.get(battle.dex);
		if (!table) tables.set(battle.dex, table = new EventTable(battle.dex));
		const known = table.names.size;
		table.learn(battle.format);
		if (table.names.size > known) table.events.clear();
	}
	battle[TABLE] = table;
	return table;
}

/** Append an effect's handler of a callback, if it has one, or if its time is to be counted. */
function add(handlers, table, effect, name, state, end, holder, endCallArgs, getKey) {
	let found = table.callbacks(effect).get(name.key);
	if (found === undefined) {
		if (!getKey || !state[getKey]) return;
		found = entry(effect, name.key, undefined);
	}
	let {subOrder} = found;
	if (found.isPlaced && state) {
		if (state.target instanceof Side) subOrder = state.isSlotCondition ? SLOT_CONDITION : SIDE_CONDITION;
		else if (state.target instanceof Field) subOrder = FIELD_CONDITION;
	}
	handlers.push({
		effect, callback: found.callback, state, end, effectHolder: holder, endCallArgs,
		order: found.order, priority: found.priority, subOrder,
		effectOrder: name.hasEffectOrder && state ? state.effectOrder : undefined,
		speed: holder instanceof Pokemon ? speedOf(holder, effect, name) : undefined,
		target: undefined, index: undefined,
	});
}

function speedOf(pokemon, effect, name) {
	if (name.isSwitchIn) {
		const {speedOrder, activePerHalf} = pokemon.battle;
		return pokemon.speed - speedOrder.indexOf(pokemon.getFieldPositionValue()) / (activePerHalf * 2);
	}
	return effect.name === 'Magic Bounce' && name.key === 'onAllyTryHitSide' && effect.effectType === 'Ability' ?
		pokemon.getStat('spe', true, true) : pokemon.speed;
}

/** Return the callbacks that the effects of a Pokémon have, as bits: those of the last time while it has the same. */
function bitsOf(table, pokemon) {
	const had = pokemon[HAD];
	if (had && had.status === pokemon.status && had.ability === pokemon.ability && had.item === pokemon.item &&
		had.species === pokemon.baseSpecies && isSame(had.conditions, pokemon)) return had.bits;
	const {status, ability, item, baseSpecies: species} = pokemon;
	const conditions = Object.keys({...pokemon.volatiles, ...pokemon.side.slotConditions[pokemon.position]});
	const effects = [pokemon.getStatus(), pokemon.getAbility(), pokemon.getItem(), species];
	const bits = new Int32Array(table.words);
	for (const effect of [...effects, ...conditions.map(id => table.dex.conditions.getByID(id))]) {
		for (const key of table.callbacks(effect).keys()) {
			const name = table.names.get(key);
			if (name) bits[name.word] |= name.bit;
		}
	}
	pokemon[HAD] = {status, ability, item, species, conditions, bits};
	return bits;
}

function isSame(conditions, pokemon) {
	let at = 0;
	for (const id in pokemon.volatiles) if (conditions[at++] !== id) return false;
	for (const id in pokemon.side.slotConditions[pokemon.position]) if (conditions[at++] !== id) return false;
	return at === conditions.length;
}

function noEnd() {}

function addPokemon(handlers, table, pokemon, name, getKey) {
	const {conditions} = table.dex;
	if (pokemon.status) {
		add(handlers, table, pokemon.getStatus(), name, pokemon.statusState, pokemon.clearStatus, pokemon, undefined, getKey);
	}
	const {volatiles} = pokemon;
	for (const id in volatiles) {
		add(handlers, table, conditions.getByID(id), name, volatiles[id], pokemon.removeVolatile, pokemon, undefined, getKey);
	}
	add(handlers, table, pokemon.getAbility(), name, pokemon.abilityState, pokemon.clearAbility, pokemon, undefined, getKey);
	add(handlers, table, pokemon.getItem(), name, pokemon.itemState, pokemon.clearItem, pokemon, undefined, getKey);
	add(handlers, table, pokemon.baseSpecies, name, pokemon.speciesState, noEnd, pokemon);
	const {side} = pokemon;
	const slot = side.slotConditions[pokemon.position];
	for (const id in slot) {
		const condition = conditions.getByID(id);
		add(handlers, table, condition, name, slot[id], side.removeSlotCondition, pokemon,
			[side, pokemon, condition.id], getKey);
	}
}

/** Add a Pokémon's handlers of two callbacks, null: none; most have neither, which costs little to see. */
function ask(handlers, table, pokemon, first, second) {
	const bits = bitsOf(table, pokemon);
	if (first && bits[first.word] & first.bit) addPokemon(handlers, table, pokemon, first);
	if (second && bits[second.word] & second.bit) addPokemon(handlers, table, pokemon, second);
}

function addSide(handlers, table, side, name, getKey, holder) {
	for (const id in side.sideConditions) {
		add(handlers, table, table.dex.conditions.getByID(id), name, side.sideConditions[id],
			holder ? null : side.removeSideCondition, holder || side, undefined, getKey);
	}
}

function addField(handlers, table, field, name, getKey, holder) {
	const put = (effect, state, end) =>
		add(handlers, table, effect, name, state, holder ? null : end, holder || field, undefined, getKey);
	for (const id in field.pseudoWeather) {
		put(table.dex.conditions.getByID(id), field.pseudoWeather[id], field.removePseudoWeather);
	}
	if (field.weather) put(field.getWeather(), field.weatherState, field.clearWeather);
	if (field.terrain) put(field.getTerrain(), field.terrainState, field.clearTerrain);
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
	if (table === null) return original.findEventHandlers.call(this, target, eventName, source);
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
	const {own, ally, foe, any, source: from} = table.event(eventName);
	let side = target instanceof Side ? target : null;
	const isSideTarget = side !== null;
	if (target instanceof Pokemon && (target.isActive || source?.isActive)) {
		({side} = target);
		if (own) ask(handlers, table, target, own, null);
		if (ally || any) for (const mon of side.active) if (mon && mon.hp) ask(handlers, table, mon, ally, any);
		if (foe || any) for (const mon of side.foe.active) if (mon && mon.hp) ask(handlers, table, mon, foe, any);
	}
	if (source && from) ask(handlers, table, source, from, null);
	if (side && (own || foe || any)) {
		for (const other of this.sides) {
			const name = other === side ? own : foe;
			if (isSideTarget) for (const mon of other.active) ask(handlers, table, mon, name, any);
			if (name) addSide(handlers, table, other, name);
			if (any) addSide(handlers, table, other, any);
		}
	}
	if (own) {
		addField(handlers, table, this.field, own);
		add(handlers, table, this.format, own, this.formatData, null, this);
	}
	return handlers;
}

/** Return a method that finds the handlers of a Pokémon, side or field by `find`. */
function finder(method, find) {
	return function (holder, callbackName, getKey, customHolder) {
		const table = tableOf(this), name = table && table.names.get(callbackName);
		if (!name) return original[method].call(this, holder, callbackName, getKey, customHolder);
		const handlers = [];
		find(handlers, table, holder, name, getKey, customHolder);
		return handlers;
	};
}

/** Tell an effect of an event; one without a callback has nothing to say, whatever suppresses it. */
function singleEvent(eventid, effect, state, target, source, sourceEffect, relayVar, customCallback) {
	const table = tableOf(this), name = table && table.event(eventid).own;
	const isQuiet = name && customCallback === undefined && effect[name.key] === undefined;
	if (isQuiet && this.eventDepth < MAX_DEPTH && this.log.length - this.sentLogPos <= MAX_LINES) {
		return relayVar === undefined ? true : relayVar;
	}
	return original.singleEvent.call(this, eventid, effect, state, target, source, sourceEffect, relayVar, customCallback);
}

let ending = null;

/** End a turn; each move that could be disabled is only looked at: a copy of it is not needed. */
function endTurn() {
	ending = this;
	try {
		original.endTurn.call(this);
	} finally {
		ending = null;
	}
}

/** Return a Dex's method `get` that remembers what it found by each name. */
function remembering(get) {
	return function (name, ...others) {
		if (typeof name !== 'string') return get.call(this, name, ...others);
		const names = this[NAMES] || (this[NAMES] = new Map());
		let found = names.get(name);
		if (found) return found;
		found = get.call(this, name, ...others);
		if (found.exists && names.size < MAX_NAMES && !name.includes('@@@')) names.set(name, found);
		return found;
	};
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
	if (ending && ending.eventDepth === 0 && found.exists && !found.onDisableMove) return found;
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

const FASTER = [
	[Battle.prototype, {
		runEvent, singleEvent, endTurn, findEventHandlers,
		findPokemonEventHandlers: finder('findPokemonEventHandlers', addPokemon),
		findSideEventHandlers: finder('findSideEventHandlers', addSide),
		findFieldEventHandlers: finder('findFieldEventHandlers', addField),
	}],
	[ModdedDex.prototype, {getActiveMove}],
	...['abilities', 'conditions', 'formats', 'items', 'moves', 'species', 'types'].map(kind => {
		const prototype = Object.getPrototypeOf(Dex[kind]);
		return [prototype, {get: remembering(prototype.get)}];
	}),
];
const PLAIN = FASTER.map(([prototype, methods]) => [prototype, pick(prototype, Object.keys(methods))]);
Object.assign(original, ...PLAIN.slice(0, 2).map(([, methods]) => methods));

function pick(object, names) {
	return Object.fromEntries(names.map(name => [name, object[name]]));
}

function enable() {
	for (const [prototype, methods] of FASTER) Object.assign(prototype, methods);
}

function disable() {
	for (const [prototype, methods] of PLAIN) Object.assign(prototype, methods);
}

module.exports = {enable, disable, original};
