'use strict';
// Battles that run at once: each lane plays one after the other and says which side must decide.
const {createHash} = require('node:crypto');
const {Battle, Dex} = require('pokemon-showdown/dist/sim');
const {Tracker} = require('./tracker');
const {makeView, choiceText} = require('./observe');

const SIDES = ['p1', 'p2'];
const TURN_LIMIT = 200;
const MAX_REJECTIONS = 5, MAX_FAILURES = 3;
const REGULATION = /^gen9vgc20\d\dreg([a-z])(?:bo3)?$/;

const formats = new Map();
const stats = {
	battles: 0, decisions: 0, rejected: 0, trapped: 0, defaulted: 0, turn_limit: 0, failed: 0,
	last_rejection: '', last_failure: '',
};

/** Return four 16-bit words for the battle's own generator and a generator for the players. */
function seedsOf(laneSeed, number) {
	const digest = createHash('sha256').update(`${laneSeed}/${number}`).digest();
	const words = [0, 1, 2, 3].map(index => digest.readUInt16LE(2 * index));
	return {battle: words.join(','), random: generator(digest.readUInt32LE(8), digest.readUInt32LE(12))};
}

/** Return a small generator of numbers in [0, 1) (two xorshift32 words, added). */
function generator(first, second) {
	let a = first | 1, b = second | 1;
	return () => {
		a ^= a << 13; a ^= a >>> 17; a ^= a << 5;
		b ^= b << 5; b ^= b >>> 9; b ^= b << 7;
		return ((a + b) >>> 0) / 4294967296;
	};
}

/** Feed a tracker with what spectators see of the lines from `start`; return where the log ends. */
function follow(tracker, log, start) {
	let at = start;
	while (at < log.length) {
		// After "|split|p1" come the line for that side and the line for all others.
		if (log[at].startsWith('|split|')) at += 2;
		if (at < log.length && log[at]) tracker.line(log[at]);
		at++;
	}
	return at;
}

/** Return the lines that spectators see, without the clock's. */
function spectatorLines(log) {
	const lines = [];
	follow({line: text => { if (!text.startsWith('|t:|')) lines.push(text); }}, log, 0);
	return lines;
}

/** Return a choice in the simulator's words; of a code that makes no sense, words it refuses. */
function wordsOf(view, code) {
	try {
		return choiceText(view, code);
	} catch (error) {
		if (!(error instanceof TypeError)) throw error;
		return `code ${code}`;
	}
}

/** Begin a battle with open team sheets that both sides accepted. */
function startBattle(format, seed, teams) {
	const battle = new Battle({formatid: format, seed});
	SIDES.forEach((side, index) => battle.setPlayer(side, {name: side, team: teams[index]}));
	if (battle.ruleTable.has('openteamsheets')) battle.showOpenTeamSheets();
	return battle;
}

/** Return what observations and choices need to know of a format. */
function describeFormat(name) {
	let found = formats.get(name);
	if (!found) formats.set(name, found = readFormat(name));
	return found;
}

/**
 * Return the format by whose rules a battle is played again: of a game of a set, that of the single
 * game; of a regulation that is gone, the last one up to it. Regulations differ in who may take
 * part, which does not matter to a battle that was played.
 */
function standIn(name) {
	const id = [name, name.replace(/bo3$/, '')].find(known => Dex.formats.get(known).exists);
	const letter = REGULATION.exec(name)?.[1];
	if (id || !letter) return id || name;
	const known = Dex.formats.all().map(format => format.id).filter(other => REGULATION.test(other))
		.sort((a, b) => a.localeCompare(b));
	return known.filter(other => REGULATION.exec(other)[1] <= letter).pop() || known[0] || name;
}

function readFormat(name) {
	const format = Dex.formats.get(standIn(name));
	if (!format.exists || format.effectType !== 'Format') throw new Error(`there is no format ${name}`);
	return {id: format.id, mod: format.mod, gimmick: format.mod.startsWith('champions') ? 'mega' : 'tera'};
}

class Lane {
	/** plan: {format, teams, players, seed, limit?: battles, turn_limit?, teacher?}. */
	constructor(index, plan) {
		this.index = index;
		this.plan = plan;
		this.next = null;
		this.number = 0;
		this.failures = 0;
		this.battle = null;
		this.views = [null, null];
	}

	/** Take another plan from the next battle on; its battles count from 0. */
	replace(plan) {
		this.next = plan;
	}

	get isIdle() {
		return !this.battle && !this.next && this.plan.limit > 0 && this.number >= this.plan.limit;
	}

	begin() {
		if (this.next) {
			this.plan = this.next;
			this.next = null;
			this.number = 0;
		}
		const {format, teams, players, seed} = this.plan;
		const seeds = seedsOf(seed, this.number);
		this.random = seeds.random;
		this.take(startBattle(describeFormat(format).id, seeds.battle, teams), teams, players);
	}

	/** Play on with a battle, from its beginning or from where it stands. */
	take(battle, teams, players) {
		this.format = describeFormat(battle.format.id);
		this.seed = battle.prngSeed;
		this.teams = teams;
		this.players = players;
		this.rejections = [0, 0];
		this.error = null;
		this.hasFailed = false;
		this.read = 0;
		this.battle = battle;
		this.tracker = new Tracker(battle.dex, this.format);
	}

	/**
	 * Play on until a policy must decide: calls worker.ask(lane, side, view) for each such side, and
	 * worker.end(lane) after each battle. Without a policy it plays one battle.
	 */
	advance(worker) {
		while (!this.isIdle) {
			if (!this.battle) this.begin();
			const asked = worker.count;
			try {
				if (!this.playOn(worker)) return;
				this.failures = 0;
			} catch (error) {
				worker.count = asked;
				stats.failed++;
				stats.last_failure = String(error.stack).slice(0, 2000);
				this.hasFailed = true;
				if (++this.failures >= MAX_FAILURES) throw error;
			}
			const isWatched = this.players.includes('policy');
			worker.end(this);
			stats.battles++;
			this.number++;
			this.battle.destroy();
			this.battle = this.tracker = null;
			this.views = [null, null];
			if (!isWatched) return;
		}
	}

	/** Return whether the battle ended; else a policy is asked. */
	playOn(worker) {
		const {battle} = this;
		if (this.error) throw this.error;
		for (;;) {
			this.readLog();
			if (!battle.ended && battle.turn > (this.plan.turn_limit || TURN_LIMIT)) {
				stats.turn_limit++;
				battle.forceWin(null);
				this.readLog();
			}
			if (battle.ended) return true;
			if (this.decide(worker)) return false;
		}
	}

	readLog() {
		this.read = follow(this.tracker, this.battle.log, this.read);
		this.battle.sentLogPos = this.read; // else the simulator takes a long battle for an endless loop
	}

	/** Let the built-in players choose; return whether a policy must before it can go on. */
	decide(worker) {
		const {battle} = this;
		let isWaiting = false;
		for (let side = 0; side < 2; side++) {
			if (this.views[side]) {
				isWaiting = true;
				continue;
			}
			const player = battle.sides[side];
			if (player.isChoiceDone()) continue;
			const view = makeView(this.tracker, SIDES[side], player.activeRequest, this.format);
			if (this.players[side] === 'policy') {
				this.views[side] = view;
				worker.ask(this, side, view);
				isWaiting = true;
				continue;
			}
			if (!this.choose(side, view, worker.player(this.players[side])(view, this.random))) side--;
			if (battle.ended || battle.log.length > this.read) return false;
		}
		return isWaiting;
	}

	/** Answer for a policy's side; `advance` asks again for a choice that was rejected. */
	answer(side, code) {
		const view = this.views[side];
		if (!view) throw new Error(`lane ${this.index} did not ask ${SIDES[side]}`);
		this.views[side] = null;
		try {
			this.choose(side, view, code);
		} catch (error) {
			this.error = error;
		}
	}

	/** Return whether a choice was accepted; what hides behind a rejection is in the new request. */
	choose(side, view, code) {
		const player = this.battle.sides[side];
		const text = wordsOf(view, code);
		player.activeRequest.update = undefined;
		stats.decisions++;
		if (this.battle.choose(SIDES[side], text)) {
			this.rejections[side] = 0;
			return true;
		}
		const {error} = player.choice;
		if (player.activeRequest.update) {
			stats.trapped++;
		} else {
			stats.rejected++;
			stats.last_rejection = `${text}: ${error}`;
		}
		player.clearChoice();
		if (++this.rejections[side] < MAX_REJECTIONS) return false;
		stats.defaulted++;
		this.rejections[side] = 0;
		player.autoChoose();
		if (this.battle.allChoicesDone()) this.battle.commitChoices();
		return true;
	}

	/** Return what is kept of a battle that ended. */
	record() {
		return {
			lane: this.index, number: this.number, format: this.format.id, seed: this.seed,
			teams: this.teams, players: this.players, input_log: this.battle.inputLog,
			winner: this.hasFailed ? '' : this.battle.winner, turns: this.battle.turn,
			hash: hashOf(spectatorLines(this.battle.log)),
		};
	}
}

/** Play an input log again; before each choice take(battle, side, text, its place in the log) is called. */
function playAgain(inputLog, take) {
	let battle;
	for (const [place, line] of inputLog.entries()) {
		const [, type, rest] = /^>(\S+) ?(.*)$/s.exec(line);
		if (type === 'start') {
			const options = JSON.parse(rest);
			battle = new Battle({...options, formatid: standIn(options.formatid)});
		} else if (type === 'player') {
			const space = rest.indexOf(' ');
			battle.setPlayer(rest.slice(0, space), JSON.parse(rest.slice(space)));
			if (battle.started && battle.turn === 0 && battle.ruleTable.has('openteamsheets')) {
				battle.showOpenTeamSheets();
			}
		} else if (type === 'p1' || type === 'p2') {
			take(battle, type, rest, place);
			battle.choose(type, rest);
		} else if (type === 'forcetie' || type === 'forcewin') {
			battle.forceWin(rest || null);
		} else if (!type.startsWith('version')) {
			throw new Error(`an input log has no line "${type}"`);
		}
		battle.sentLogPos = battle.log.length;
	}
	return battle;
}

/** Play an input log again; return what spectators saw and its hash. */
function replay(inputLog) {
	const battle = playAgain(inputLog, () => {});
	const lines = spectatorLines(battle.log);
	return {lines, hash: hashOf(lines), winner: battle.winner, turns: battle.turn};
}

function hashOf(lines) {
	return createHash('sha256').update(lines.join('\n')).digest('hex');
}

module.exports = {Lane, SIDES, describeFormat, follow, generator, hashOf, playAgain, replay, spectatorLines, stats};
