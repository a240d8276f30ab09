/**
 * Look ahead from a decision: copies of the battle in which what the side cannot know is sampled.
 *
 * A copy keeps everything public. The foe's effort values and natures, which of its unseen members
 * it took along, and how long sleep and confusion last are drawn anew, and so are all later random
 * numbers. Moves, items and abilities come from the open team sheets.
 */
'use strict';

const { State } = require('pokemon-showdown/dist/sim/state');
const { Pokemon } = require('pokemon-showdown/dist/sim/pokemon');
const { PRNG } = require('pokemon-showdown/dist/sim/prng');
const { OPPONENTS } = require('./bots.js');
const { follow } = require('./lanes.js');
const { Tracker } = require('./tracker.js');
const { makeView, encode, legal, choiceText } = require('./observe.js');

/** Where players put their effort: the two most, and the rest where it is useful. */
const SPREADS = [
	{ evs: ['atk', 'spe'], nature: 'jolly' }, { evs: ['atk', 'spe'], nature: 'adamant' },
	{ evs: ['spa', 'spe'], nature: 'timid' }, { evs: ['spa', 'spe'], nature: 'modest' },
	{ evs: ['hp', 'atk'], nature: 'adamant' }, { evs: ['hp', 'spa'], nature: 'modest' },
	{ evs: ['hp', 'def'], nature: 'bold' }, { evs: ['hp', 'spd'], nature: 'calm' },
	{ evs: ['hp', 'def'], nature: 'impish' }, { evs: ['hp', 'spd'], nature: 'careful' },
];

class Search {
	/**
	 * @param battle the real Battle, which is not changed
	 * @param sideId whose decision it is
	 * @param samples how many copies
	 * @param seed a whole number below 2 ** 31
	 */
	constructor(battle, sideId, formatInfo, samples, seed) {
		this.sideId = sideId;
		this.foeId = sideId === 'p1' ? 'p2' : 'p1';
		this.format = formatInfo;
		this.prng = new PRNG([1, seed >>> 16, seed & 65535, 2].join(','));
		// A copy knows only those that came along.
		this.foeTeam = battle.sides.find(side => side.id === this.foeId).team;
		const original = JSON.stringify(State.serializeBattle(battle));
		this.samples = [];
		for (let i = 0; i < samples; i++) this.samples.push(JSON.stringify(State.serializeBattle(this.sample(original))));
	}

	/** Return a copy of the battle with the hidden parts drawn anew. */
	sample(original) {
		const battle = State.deserializeBattle(original);
		battle.prng = new PRNG(this.seed());
		const foe = battle.sides.find(side => side.id === this.foeId);
		const tracker = track(battle, this.format);
		if (battle.requestState !== 'teampreview') this.drawBench(battle, foe, tracker.state.sides[this.foeId]);
		for (const pokemon of foe.pokemon) this.drawStats(battle, pokemon);
		for (const side of battle.sides) for (const pokemon of side.pokemon) this.drawDurations(pokemon);
		battle.makeRequest(battle.requestState);
		return battle;
	}

	seed() {
		return [0, 1, 2, 3].map(() => this.prng.random(65536)).join(',');
	}

	/** Which of the members that were never seen came along is unknown. */
	drawBench(battle, foe, known) {
		const seen = new Set(known.team.filter(mon => mon.seen).map(mon => mon.baseName));
		const isKept = pokemon => pokemon.isActive || seen.has(pokemon.baseSpecies.baseSpecies);
		// One that is disguised is there, though nobody has seen it.
		for (const pokemon of foe.pokemon.filter(isKept)) seen.add(pokemon.baseSpecies.baseSpecies);
		const unseen = this.foeTeam.filter(set => !seen.has(battle.dex.species.get(set.species || set.name).baseSpecies));
		this.prng.shuffle(unseen);
		for (let i = 0; i < foe.pokemon.length; i++) {
			if (isKept(foe.pokemon[i]) || !unseen.length) continue;
			const drawn = new Pokemon(unseen.pop(), foe);
			drawn.position = i;
			foe.pokemon[i] = drawn;
		}
		foe.team = foe.pokemon.map(pokemon => pokemon.set); // by which a copy is written
	}

	drawStats(battle, pokemon) {
		if (battle.format.mod.startsWith('champions') || pokemon.transformed) return;
		const share = pokemon.hp / pokemon.maxhp;
		const offence = this.offence(battle, pokemon);
		const fitting = SPREADS.filter(spread => offence === null ? !spread.evs.includes('atk') && !spread.evs.includes('spa') :
			!spread.evs.includes(offence === 'atk' ? 'spa' : 'atk'));
		const spread = this.prng.sample(fitting);
		const evs = { hp: 4, atk: 0, def: 0, spa: 0, spd: 0, spe: 0 };
		for (const stat of spread.evs) evs[stat] = 252;
		const set = { ...pokemon.set, evs, nature: spread.nature };
		const stats = battle.spreadModify(pokemon.species.baseStats, set);
		const maxhp = pokemon.species.maxHP || stats.hp;
		for (const stat of Object.keys(pokemon.baseStoredStats)) {
			pokemon.baseStoredStats[stat] = stats[stat];
			pokemon.storedStats[stat] = stats[stat];
		}
		pokemon.maxhp = pokemon.baseMaxhp = maxhp;
		if (!pokemon.fainted) pokemon.hp = Math.max(1, Math.round(share * maxhp));
		pokemon.speed = pokemon.storedStats.spe;
	}

	/** The attacking stat that most of its moves use, null where it has none. */
	offence(battle, pokemon) {
		let physical = 0, special = 0;
		for (const id of pokemon.set.moves) {
			const { category } = battle.dex.moves.get(id);
			if (category === 'Physical') physical++;
			else if (category === 'Special') special++;
		}
		return physical + special < 2 ? null : physical >= special ? 'atk' : 'spa';
	}

	drawDurations(pokemon) {
		if (pokemon.status === 'slp' && pokemon.statusState.time) pokemon.statusState.time = 1 + this.prng.random(2);
		const { confusion } = pokemon.volatiles;
		if (confusion && confusion.time) confusion.time = 1 + this.prng.random(4);
	}

	/** Write how the foe sees each sample; return 1 for each in which it has something to decide, else 0. */
	foes(observations, masks, infos, size) {
		return this.samples.map((json, i) => {
			const battle = State.deserializeBattle(json);
			const request = battle.sides.find(side => side.id === this.foeId).activeRequest;
			if (!request || request.wait) return 0;
			const view = makeView(track(battle, this.format), this.foeId, request, this.format);
			encode(view, observations, i * size, infos, i * 8);
			legal(view, masks, i * 90);
			return 1;
		});
	}

	/**
	 * Play both choices in one sample, and on until the side has something to decide.
	 *
	 * @param foeCode -1 where the foe has nothing to decide
	 * @returns 1, 0 or -1 where the battle ended so, else null: then the view is written at `index`
	 */
	roll(sample, ownCode, foeCode, observations, masks, infos, index, size) {
		const battle = State.deserializeBattle(this.samples[sample]);
		battle.prng = new PRNG(this.seed());
		let tracker = track(battle, this.format);
		const side = id => battle.sides.find(other => other.id === id);
		const text = (id, code) => choiceText(makeView(tracker, id, side(id).activeRequest, this.format), code);
		const choices = [[this.sideId, text(this.sideId, ownCode)]];
		if (foeCode >= 0) choices.push([this.foeId, text(this.foeId, foeCode)]);
		for (const [id, choice] of choices) if (!battle.choose(id, choice)) battle.choose(id, 'default');
		while (!battle.ended) {
			const own = side(this.sideId).activeRequest;
			tracker = track(battle, this.format);
			if (own && !own.wait) {
				const view = makeView(tracker, this.sideId, own, this.format);
				encode(view, observations, index * size, infos, index * 8);
				legal(view, masks, index * 90);
				return null;
			}
			const view = makeView(tracker, this.foeId, side(this.foeId).activeRequest, this.format);
			if (!battle.choose(this.foeId, choiceText(view, OPPONENTS.random(view, () => this.prng.random())))) battle.choose(this.foeId, 'default');
		}
		return battle.winner === '' ? 0 : battle.winner === side(this.sideId).name ? 1 : -1;
	}
}

/** Follow a battle's public lines from its beginning. */
function track(battle, formatInfo) {
	const tracker = new Tracker(battle.dex, formatInfo);
	follow(tracker, battle.log, 0);
	return tracker;
}

module.exports = { Search };
