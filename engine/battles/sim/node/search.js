/**
 * Look ahead from a decision: copies of the battle in which what the side cannot know is sampled.
 *
 * A copy keeps everything public. The foe's effort and individual values, natures that no sheet
 * shows, exact HP, which of its unseen members it took along and in which order, who hides behind
 * a disguise, what it has chosen for the rest of an interrupted turn, and how long sleep,
 * confusion and the like last are drawn anew, and so are all later random numbers. Moves, items and
 * abilities come from the open team sheets.
 */
'use strict';

const { State } = require('pokemon-showdown/dist/sim/state');
const { Pokemon } = require('pokemon-showdown/dist/sim/pokemon');
const { PRNG } = require('pokemon-showdown/dist/sim/prng');
const { OPPONENTS } = require('./bots.js');
const { follow } = require('./lanes.js');
const { makeView, encode, legal, choiceText } = require('./observe.js');
const { Evidence, spreadsOf } = require('./spreads.js');

/** What a Pokémon keeps where it turns out to be another one. */
const CARRIED = [
	'boosts', 'volatiles', 'status', 'statusState', 'isActive', 'isStarted', 'activeTurns', 'activeMoveActions',
	'newlySwitched', 'previouslySwitchedIn', 'lastMove', 'lastMoveUsed', 'lastMoveTargetLoc', 'moveThisTurn',
	'moveThisTurnResult', 'moveLastTurnResult', 'attackedBy', 'timesAttacked', 'switchFlag', 'position',
];

class Search {
	/**
	 * @param battle the real Battle, which is not changed
	 * @param tracker what its public lines have told so far
	 * @param sideId whose decision it is
	 * @param samples how many copies
	 * @param seed a whole number below 2 ** 31
	 * @param end time (`performance.now`) from which no further copy is made; the first always is
	 */
	constructor(battle, tracker, sideId, formatInfo, samples, seed, end = Infinity) {
		this.sideId = sideId;
		this.foeId = sideId === 'p1' ? 'p2' : 'p1';
		this.format = formatInfo;
		this.prng = new PRNG([1, seed >>> 16, seed & 65535, 2].join(','));
		this.tracker = tracker.copy();
		/** The foe's team as everybody knows it, and its sets, both in the order of team preview. */
		this.known = this.tracker.state.sides[this.foeId].team;
		this.sets = sideOf(battle, this.foeId).team.map((set, place) => publicSet(set, this.known[place]));
		const suitable = this.sets.map(set => spreadsOf(battle, set));
		this.spreads = new Evidence(battle, sideId, formatInfo, this.sets, suitable).left();
		const original = JSON.parse(JSON.stringify(unlogged(State.serializeBattle(battle))));
		this.samples = [];
		while (this.samples.length < samples && (!this.samples.length || performance.now() < end)) {
			this.samples.push(this.sample(original));
		}
	}

	/** Return a copy of the battle with the hidden parts drawn anew, and both sides' views of it. */
	sample(original) {
		const battle = restored(original, this.seed());
		const foe = sideOf(battle, this.foeId);
		if (battle.requestState !== 'teampreview') this.drawParty(foe);
		for (const pokemon of foe.pokemon) this.drawStats(battle, pokemon);
		const active = battle.getAllActive(true);
		battle.speedSort(active);
		battle.speedOrder = active.map(pokemon => pokemon.getFieldPositionValue());
		foe.team = foe.pokemon.map(pokemon => pokemon.set); // by which a copy is written
		for (const side of battle.sides) for (const pokemon of side.pokemon) this.drawDurations(pokemon);
		this.drawMoves(battle);
		battle.makeRequest(battle.requestState);
		const views = {};
		for (const { id, activeRequest } of battle.sides) {
			if (activeRequest && !activeRequest.wait) views[id] = makeView(this.tracker, id, activeRequest, this.format);
		}
		return { state: unlogged(State.serializeBattle(battle)), views, seed: this.seed() };
	}

	seed() {
		return [0, 1, 2, 3].map(() => this.prng.random(65536)).join(',');
	}

	/** Return the place of a foe's Pokémon at team preview. */
	place(pokemon) {
		return this.known.findIndex(mon => mon.baseName === pokemon.baseSpecies.baseSpecies);
	}

	/** Bring those that were seen, as they seemed to be, and some of the others: which ones is unknown. */
	drawParty(foe) {
		const { active } = this.tracker.state.sides[this.foeId];
		const real = new Map(foe.pokemon.map(pokemon => [this.place(pokemon), pokemon]));
		const party = foe.pokemon.slice(0, 2).map((pokemon, slot) => {
			const place = this.known.indexOf(active[slot]);
			return place < 0 || place === this.place(pokemon) ? pokemon : this.disguised(foe, pokemon, place);
		});
		const isThere = new Set(party.map(pokemon => this.place(pokemon)));
		const others = this.known.map((_, place) => place).filter(place => !isThere.has(place));
		const seen = others.filter(place => this.known[place].seen);
		const unseen = others.filter(place => !this.known[place].seen);
		this.prng.shuffle(unseen);
		for (const place of seen) party.push(real.get(place) || new Pokemon({ ...this.sets[place] }, foe));
		for (const place of unseen) party.push(new Pokemon({ ...this.sets[place] }, foe));
		foe.pokemon = party.slice(0, foe.pokemon.length);
		foe.pokemon.forEach((pokemon, position) => { pokemon.position = position; });
	}

	/** Return the Pokémon that another one seems to be. */
	disguised(foe, pokemon, place) {
		const shown = new Pokemon({ ...this.sets[place] }, foe);
		for (const key of CARRIED) shown[key] = pokemon[key];
		shown.abilityState.effectOrder = pokemon.abilityState.effectOrder;
		for (const slot of shown.moveSlots) slot.pp -= this.known[place].moves.get(slot.id) || 0;
		foe.active[pokemon.position] = shown;
		return shown;
	}

	drawStats(battle, pokemon) {
		const place = this.place(pokemon);
		pokemon.set = { ...this.sets[place], name: pokemon.set.name, ...this.prng.sample(this.spreads[place]) };
		const species = pokemon.transformed ? pokemon.baseSpecies : pokemon.species;
		const stats = battle.spreadModify(species.baseStats, pokemon.set);
		pokemon.hpType = pokemon.baseHpType = battle.dex.getHiddenPower(pokemon.set.ivs).type;
		pokemon.baseStoredStats = stats;
		for (const stat in pokemon.storedStats) if (!pokemon.transformed) pokemon.storedStats[stat] = stats[stat];
		pokemon.maxhp = pokemon.baseMaxhp = species.maxHP || stats.hp;
		if (!pokemon.fainted) pokemon.hp = Math.max(1, Math.round(this.known[place].hp * pokemon.maxhp));
		pokemon.speed = pokemon.storedStats.spe;
	}

	drawDurations(pokemon) {
		const { confusion, lockedmove, partiallytrapped } = pokemon.volatiles;
		if (pokemon.status === 'slp' && pokemon.statusState.time) pokemon.statusState.time = 1 + this.prng.random(2);
		if (confusion && confusion.time) confusion.time = 1 + this.prng.random(4);
		if (lockedmove) lockedmove.trueDuration = 1 + this.prng.random(2);
		if (partiallytrapped) partiallytrapped.duration = 1 + this.prng.random(4);
	}

	/** Where a turn is interrupted, what the foe's others will still do is unknown. */
	drawMoves(battle) {
		for (const action of battle.queue.list) {
			if (action.choice !== 'move' || action.pokemon.side.id !== this.foeId || action.pokemon.getLockedMove()) continue;
			const usable = action.pokemon.moveSlots.filter(slot => !slot.disabled && slot.pp > 0);
			if (!usable.length) continue;
			const { id } = this.prng.sample(usable);
			Object.assign(action, { moveid: id, move: battle.dex.getActiveMove(id), targetLoc: 0 });
			battle.queue.resolveAction(action, true);
		}
	}

	/** Write how the foe sees each sample; return 1 for each in which it has something to decide, else 0. */
	foes(observations, masks, infos, size) {
		return this.samples.map(({ views }, i) => {
			const view = views[this.foeId];
			if (!view) return 0;
			encode(view, observations, i * size, infos, i * 8);
			legal(view, masks, i * 90);
			return 1;
		});
	}

	/**
	 * Play both choices in one sample, and on until the side has something to decide.
	 *
	 * All choices meet the same random numbers, as far as they need the same ones.
	 *
	 * @param foeCode -1 where the foe has nothing to decide
	 * @returns 1, 0 or -1 where the battle ended so, else null: then the view is written at `index`
	 */
	roll(sample, ownCode, foeCode, observations, masks, infos, index, size) {
		const { state, views, seed } = this.samples[sample];
		const battle = restored(state, seed);
		const tracker = this.tracker.copy();
		let read = 0;
		const choices = [[this.sideId, ownCode], [this.foeId, foeCode]].filter(([id]) => views[id]);
		for (const [id, code] of choices) choose(battle, id, choiceText(views[id], code));
		while (!battle.ended) {
			const own = sideOf(battle, this.sideId).activeRequest;
			read = follow(tracker, battle.log, read);
			if (own && !own.wait) {
				const view = makeView(tracker, this.sideId, own, this.format);
				encode(view, observations, index * size, infos, index * 8);
				legal(view, masks, index * 90);
				return null;
			}
			const view = makeView(tracker, this.foeId, sideOf(battle, this.foeId).activeRequest, this.format);
			choose(battle, this.foeId, choiceText(view, OPPONENTS.heuristics(view, () => this.prng.random())));
		}
		return battle.winner === '' ? 0 : battle.winner === sideOf(battle, this.sideId).name ? 1 : -1;
	}
}

function sideOf(battle, id) {
	return battle.sides.find(side => side.id === id);
}

function choose(battle, id, text) {
	if (!battle.choose(id, text)) battle.choose(id, 'default');
}

/** Return what a team sheet shows of a set. */
function publicSet({ species, name, item, ability, moves, level, teraType, nature }, { gender }) {
	return { name: species || name, species: species || name, item, ability, moves, gender, level, teraType, nature };
}

/** Return a written battle without its lines, which nothing needs, and which hold the foe's HP. */
function unlogged(state) {
	return Object.assign(state, { log: [], inputLog: [], lastMoveLine: -1, sentLogPos: 0 });
}

function restored(state, seed) {
	const battle = State.deserializeBattle(state);
	battle.log = [];
	battle.prng = new PRNG(seed);
	return battle;
}

module.exports = { Search };
