'use strict';
// Plays battles of teams drawn from all that is legal in a format, and looks at every decision.
// Argument: the folder of our scripts. Standard input: {format, battles, seed}; the answer is JSON.
const fs = require('node:fs');
const path = require('node:path');
const { Dex, Teams, TeamValidator } = require('pokemon-showdown/dist/sim');
const ours = name => require(path.join(process.argv[2], name));
const { Lane, describeFormat, generator, spectatorLines, stats } = ours('lanes.js');
const { encode, repairs, layout, SIZE, SLOT_CODES, SWITCH } = ours('observe.js');
const { OPPONENTS } = ours('bots.js');
const { Search } = ours('search.js');
const { decisions } = ours('decisions.js');
const { replayed } = ours('replays.js');

const PLAYERS = ['random', 'random', 'random', 'max_power', 'greedy', 'heuristics'];
const LEVELS = [1, 5, 50, 50, 50, 50];
const SIDES = ['p1', 'p2'];
const TRIES = 30, LOOK_AHEAD_EVERY = 50, READ_AGAIN_EVERY = 5;
/** Greatest size of a figure that is no id; none is above 4. */
const MOST = 8;

/** Deals its cards in random order, again and again: each comes up as often as the others. */
class Deck {
	constructor(cards, random) {
		Object.assign(this, { cards, random, at: 0 });
	}

	draw() {
		const { cards, random } = this, at = this.at++ % cards.length;
		const other = at + Math.floor(random() * (cards.length - at));
		[cards[at], cards[other]] = [cards[other], cards[at]];
		return cards[at];
	}
}

/** Draws teams that the simulator's own validator accepts. */
class TeamMaker {
	constructor(format, random) {
		const dex = this.dex = Dex.forFormat(format);
		const validator = this.validator = TeamValidator.get(format);
		const deck = list => new Deck(list.map(one => one.name), random);
		this.random = random;
		const nobody = { name: '', species: '', item: '' };
		this.species = deck(dex.species.all().filter(one => !one.battleOnly && !validator.checkSpecies(nobody, one, one, {})));
		this.items = deck(dex.items.all().filter(item => !validator.checkItem(nobody, item, {})));
		this.natures = deck(dex.natures.all());
		this.types = new Deck(dex.types.names(), random);
		this.used = { species: new Set(), moves: new Set(), items: new Set(), abilities: new Set() };
	}

	pick(list) {
		return list[Math.floor(this.random() * list.length)];
	}

	/** Return a legal set, with moves that were not yet used where that is possible; null if none was found. */
	set() {
		const base = this.dex.species.get(this.species.draw());
		const species = this.dex.species.get(this.pick([base.name, ...(base.cosmeticFormes || [])]));
		const pool = [...this.dex.species.getMovePool(species.id)];
		const fresh = pool.filter(move => !this.used.moves.has(move));
		for (let tries = 0; tries < TRIES; tries++) {
			const moves = tries < TRIES / 2 ? [this.pick(fresh.length ? fresh : pool)] : [];
			while (moves.length < 4) moves.push(this.pick(pool));
			const set = {
				name: '', species: species.name, item: species.requiredItem || this.items.draw(), gender: '',
				ability: this.pick(Object.values(species.abilities)), moves, nature: this.natures.draw(),
				level: this.pick(LEVELS), teraType: this.types.draw(),
				evs: { hp: 4, atk: 0, def: 0, spa: 0, spd: 0, spe: 0 },
				ivs: { hp: 31, atk: 31, def: 31, spa: 31, spd: 31, spe: 31 },
			};
			if (!this.validator.validateSet(set, {})) return set;
		}
		return null;
	}

	/** Return a legal team, packed. */
	team() {
		for (;;) {
			const sets = [], number = set => this.dex.species.get(set.species).num;
			while (sets.length < 6) {
				const set = this.set();
				if (set && sets.every(other => other.item !== set.item && number(other) !== number(set))) sets.push(set);
			}
			if (this.validator.validateTeam(sets)) continue;
			for (const { species, item, ability, moves } of sets) {
				this.used.species.add(species);
				this.used.items.add(item);
				this.used.abilities.add(ability);
				for (const move of moves) this.used.moves.add(this.dex.moves.get(move).id);
			}
			return Teams.pack(sets);
		}
	}
}

/** By place in an observation: its name, and whether it is an id. */
const FIELDS = [['global', 1, 0], ['mon', 12, 7], ['move', 8, 1], ['threat', 8, 1]].flatMap(([part, count, ids]) =>
	Array.from({ length: count }, (_, i) => layout[part].map((field, k) => ({ name: `${part} ${i} ${field}`, isId: k < ids }))).flat());

class Fuzz {
	constructor({ format, seed }) {
		this.format = describeFormat(format);
		this.seed = seed;
		this.random = generator(seed, 77);
		this.maker = new TeamMaker(format, this.random);
		this.found = { battles: 0, decisions: 0, unlisted: 0, most: 0, faults: [] };
	}

	fault(text) {
		if (this.found.faults.length < 20) this.found.faults.push(text.slice(0, 1000));
	}

	/** Look at observations, one after the other, and at the figures beside them. */
	check(observations, infos, where) {
		if (repairs.count) this.fault(`${FIELDS[repairs.first]?.name} was no number ${where}`);
		repairs.count = 0;
		observations.forEach((value, at) => {
			const { name, isId } = FIELDS[at % SIZE];
			if (!isId) this.found.most = Math.max(this.found.most, Math.abs(value));
			const isFine = isId ? Number.isInteger(value) && value >= 0 && value < layout.max_id : Math.abs(value) <= MOST;
			if (!isFine) this.fault(`${name} is ${value} ${where}`);
		});
		infos.forEach((value, at) => {
			if (!Number.isFinite(value)) this.fault(`figure ${at} is ${value} ${where}`);
		});
	}

	battle(number) {
		const teams = [this.maker.team(), this.maker.team()];
		const plan = { format: this.format.id, teams, players: ['policy', 'policy'], seed: this.seed + number, limit: 1 };
		const lane = new Lane(0, plan);
		let asked = [];
		const worker = {
			count: 0, ask: (_, side, view) => asked.push([side, view]), end: ended => this.readAgain(ended, number),
		};
		for (lane.advance(worker); asked.length; lane.advance(worker)) {
			const now = asked;
			asked = [];
			for (const [side, view] of now) this.decide(lane, side, view);
		}
		this.found.battles++;
	}

	decide(lane, side, view) {
		const observation = new Float32Array(SIZE), info = new Float32Array(8);
		encode(view, observation, 0, info, 0);
		const where = `for ${JSON.stringify(view.request)}`;
		this.check(observation, info, where);
		const moves = (view.request.active || []).flatMap(active => (active ? active.moves : []));
		if (moves.some(move => !view.dex.moves.get(move.id).exists)) this.found.unlisted++;
		const code = OPPONENTS[this.maker.pick(PLAYERS)](view, this.random);
		if (++this.found.decisions % LOOK_AHEAD_EVERY === 0) this.lookAhead(lane, side, code);
		const { rejected } = stats;
		lane.answer(side, code);
		if (stats.rejected > rejected) this.fault(`the mask allows ${stats.last_rejection} ${where}`);
	}

	lookAhead(lane, side, code) {
		const search = new Search(lane.battle, lane.tracker, SIDES[side], this.format, 1, Math.floor(this.random() * 2 ** 31));
		const observations = new Float32Array(2 * SIZE), masks = new Uint8Array(2 * 90), infos = new Float32Array(2 * 8);
		const [isAsked] = search.foes(observations, masks, infos, SIZE);
		const foe = !isAsked ? -1 : infos[0] === 2 ? 0 : this.codeOf(masks);
		search.roll(0, code, foe, observations, masks, infos, 1, SIZE);
		this.check(observations, infos, 'in a copy');
	}

	/** Return a joint code of slot masks. */
	codeOf(masks) {
		for (let first = 0; first < SLOT_CODES; first++) {
			for (let second = 0; masks[first] && second < SLOT_CODES; second++) {
				if (masks[SLOT_CODES + second] && (first !== second || first < SWITCH)) return first * SLOT_CODES + second;
			}
		}
		return SLOT_CODES * SLOT_CODES - 1;
	}

	/** What is made of a battle's log, and of its spectators' lines, is looked at too. */
	readAgain({ battle }, number) {
		if (number % READ_AGAIN_EVERY) return;
		for (const { observations, infos } of [
			decisions(battle.inputLog, describeFormat), replayed(spectatorLines(battle.log), this.format),
		]) this.check(observations, infos, `in the replay of battle ${number}`);
	}

	result() {
		const used = Object.fromEntries(Object.entries(this.maker.used).map(([kind, names]) => [kind, names.size]));
		const { failed, last_failure: failure } = stats;
		if (failed) this.fault(failure);
		return { ...this.found, ...used };
	}
}

const { battles, ...given } = JSON.parse(fs.readFileSync(0, 'utf8'));
const fuzz = new Fuzz(given);
for (let number = 0; number < battles; number++) fuzz.battle(number);
process.stdout.write(JSON.stringify(fuzz.result()));
