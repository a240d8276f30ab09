'use strict';
// Plays battles for Python: length-prefixed frames on standard input, answers on standard output.
const fs = require('node:fs');
const started = performance.now();
const [cacheFolder, mode] = process.argv.slice(2);
const speedup = mode === 'unpatched' ? {patched: false, warning: ''} :
	require('./selftest').install(cacheFolder);
const learnsets = require('./learnsets');
learnsets.defer();
const {Dex, Teams, TeamValidator} = require('pokemon-showdown/dist/sim');
const {version} = require('pokemon-showdown/package.json');
const {Tracker} = require('./tracker');
const {makeView, encode, legal, choiceText, SIZE: OBSERVATION} = require('./observe');
const {Lane, SIDES, describeFormat, playAgain, replay, spectatorLines, stats} = require('./lanes');

const LEGAL = 90, INFO = 8, KEPT_LOGS = 2048, UNDECIDED = 2;

let lanes = [];
let logs = [];
const outside = new Map();
let ahead = {seat: -1, search: null}; // of the latest fork
const rows = {count: 0, ended: [], ask, end, player};
reserve(1);

function reserve(count) {
	rows.seats = new Uint32Array(count);
	rows.info = new Float32Array(count * INFO);
	rows.observations = new Float32Array(count * OBSERVATION);
	rows.legal = new Uint8Array(count * LEGAL);
}

// ---- frames ----

function readExactly(size) {
	const buffer = Buffer.allocUnsafe(size);
	for (let got = 0; got < size;) {
		const count = fs.readSync(0, buffer, got, size - got, null);
		if (count === 0) process.exit(0); // whoever started this is gone
		got += count;
	}
	return buffer;
}

function send(op, ...parts) {
	const head = Buffer.allocUnsafe(5);
	head.writeUInt32LE(parts.reduce((sum, part) => sum + part.byteLength, 0) + 1, 0);
	head[4] = op;
	for (const part of [head, ...parts]) {
		for (let sent = 0; sent < part.byteLength;) {
			sent += fs.writeSync(1, part, sent, part.byteLength - sent);
		}
	}
}

/** Answer with decisions outside of the lanes: how each ended, figures, observations and masks. */
function sendRows(results, infos, observations, masks) {
	send(2, new Uint32Array([results.length]), Int32Array.from(results), infos, observations, masks);
}

const sendJson = value => send(0, Buffer.from(JSON.stringify(value)));

// ---- steps ----

function player(name) {
	const found = require('./bots').OPPONENTS[name];
	if (!found) throw new Error(`there is no player ${name}`);
	return found;
}

function ask(lane, side, view) {
	const row = rows.count++;
	rows.seats[row] = lane.index * 2 + side;
	encode(view, rows.observations, row * OBSERVATION, rows.info, row * INFO);
	legal(view, rows.legal, row * LEGAL);
	if (lane.plan.teacher) rows.info[row * INFO + 7] = player(lane.plan.teacher)(view, lane.random);
}

/** Return the sum of a side's four health fractions; of those that were never seen, 1 each. */
function healthOf(side) {
	let sum = 4;
	for (const mon of side.team) {
		if (mon.fainted) sum -= 1;
		else if (mon.seen) sum -= 1 - mon.hp;
	}
	return sum;
}

function end(lane) {
	const record = lane.record();
	logs.push(Buffer.from(JSON.stringify(record))); // outside of the heap that is searched for garbage
	if (logs.length >= 2 * KEPT_LOGS) logs = logs.slice(-KEPT_LOGS);
	const {sides} = lane.tracker.state;
	const isWatched = lane.players.includes('policy');
	for (let side = 0; side < 2; side++) {
		if (isWatched ? lane.players[side] !== 'policy' : side === 1) continue;
		const own = sides[SIDES[side]], foe = sides[SIDES[1 - side]];
		const row = Buffer.allocUnsafe(32);
		row.writeUInt32LE(lane.index * 2 + side, 0);
		row.writeInt32LE(record.winner ? (record.winner === SIDES[side] ? 1 : -1) : 0, 4);
		row.writeUInt32LE(record.turns, 8);
		row.writeUInt32LE(record.number, 12);
		[healthOf(own), healthOf(foe), own.fainted, foe.fainted].forEach(
			(value, index) => row.writeFloatLE(value, 16 + 4 * index));
		rows.ended.push(row);
	}
}

function step(payload) {
	rows.count = 0;
	rows.ended.length = 0;
	for (let at = 0; at < payload.length; at += 8) {
		const seat = payload.readUInt32LE(at), lane = lanes[seat >> 1];
		if (!lane) throw new Error(`there is no seat ${seat}`);
		lane.answer(seat & 1, payload.readUInt32LE(at + 4));
	}
	advance();
}

/** Play on, and answer the decisions that wait. */
function advance() {
	for (const lane of lanes) lane.advance(rows);
	const {count} = rows;
	send(1, new Uint32Array([count, rows.ended.length]), rows.seats.subarray(0, count),
		rows.info.subarray(0, count * INFO), rows.observations.subarray(0, count * OBSERVATION),
		rows.legal.subarray(0, count * LEGAL), Buffer.concat(rows.ended));
}

// ---- requests ----

const REQUESTS = {
	hello() {
		return {
			simulator: version, node: process.version, pid: process.pid, ...speedup,
			start_ms: Math.round(performance.now() - started), rss: process.memoryUsage.rss(),
		};
	},

	configure({lanes: plans}) {
		plans.forEach(check);
		lanes = plans.map((plan, index) => new Lane(index, plan));
		reserve(2 * lanes.length);
		return {lanes: lanes.length};
	},

	/** Give lanes new plans from their next battle on; battles are counted from 0 again. */
	set_lanes({lanes: plans}) {
		for (const [index, plan] of Object.entries(plans)) {
			if (!lanes[index]) throw new Error(`there is no lane ${index}`);
			check(plan);
		}
		for (const [index, plan] of Object.entries(plans)) lanes[index].replace(plan);
		return {};
	},

	validate({format, team}) {
		const {id} = describeFormat(format);
		const sets = Teams.unpack(team);
		if (!sets) return {errors: ['The team cannot be read.'], team: ''};
		learnsets.load();
		const errors = TeamValidator.get(id).validateTeam(sets) || [];
		return {errors, team: Teams.pack(sets)};
	},

	/** Return a packed team as players share it. */
	sheet({team}) {
		return {text: Teams.export(Teams.unpack(team))};
	},

	generate({format, count, seed, known}) {
		learnsets.load();
		return {teams: require('./generate').generate(describeFormat(format).id, count, seed, known)};
	},

	read_team({text}) {
		return require('./teams').readTeam(text);
	},

	logs() {
		send(0, Buffer.from(`{"battles":[${logs.slice(-KEPT_LOGS).join(',')}]}`));
		logs = [];
	},

	stats() {
		const {user, system} = process.cpuUsage();
		return {...stats, rss: process.memoryUsage.rss(), cpu_s: (user + system) / 1e6};
	},

	replay({input_log: lines}) {
		return replay(lines);
	},

	/** Play a battle again; answer each decision, its code instead of a result, who won in its figures. */
	decisions({input_log: lines}) {
		const {codes, infos, observations, masks} = require('./decisions').decisions(lines, describeFormat);
		sendRows(codes, infos, observations, masks);
	},

	/** Put a battle on the only lane as it stands after a part of its input log; answer as to a step. */
	resume({input_log: lines}) {
		const lane = new Lane(0, {limit: 1}), battle = playAgain(lines, () => {});
		if (!battle || battle.sides.some(side => !side)) throw new Error('its beginning is not in the input log');
		lane.take(battle, battle.sides.map(side => Teams.pack(side.team)), ['policy', 'policy']);
		lanes = [lane];
		reserve(2);
		rows.count = rows.ended.length = 0;
		advance();
	},

	/** Answer the same of spectators' lines; a code below 0 says why a decision is unknown. */
	replayed({lines, format}) {
		const {codes, infos, observations, masks} = require('./replays').replayed(lines, describeFormat(format));
		sendRows(codes, infos, observations, masks);
	},

	inspect({lane}) {
		if (!lanes[lane]) throw new Error(`there is no lane ${lane}`);
		const {battle, players, number} = lanes[lane];
		return {lines: battle ? spectatorLines(battle.log) : [], players, number};
	},

	spectate({lane}) {
		if (!lanes[lane]) throw new Error(`there is no lane ${lane}`);
		return require('./spectate').spectate(lanes[lane]);
	},

	/** Tell what was shown and asked in a battle, by its input log, or by spectators' lines of a format. */
	transcript({log, format}) {
		if (format) return require('./replays').transcript(log, describeFormat(format));
		return require('./spectate').transcript(log);
	},

	/** Follow a battle that is played elsewhere; `code`, or a player, asks for the words of a choice. */
	track({id, format, side, lines, request, code, player: name, is_over: isOver}) {
		let battle = outside.get(id);
		if (!battle) {
			const info = describeFormat(format);
			battle = {info, tracker: new Tracker(Dex.forFormat(Dex.formats.get(info.id)), info), view: null};
			outside.set(id, battle);
		}
		for (const line of lines || []) battle.tracker.line(line);
		const answer = {};
		if (request) {
			battle.view = makeView(battle.tracker, side, request, battle.info);
			const observation = new Float32Array(OBSERVATION), mask = new Uint8Array(LEGAL);
			const info = new Float32Array(INFO);
			encode(battle.view, observation, 0, info, 0);
			legal(battle.view, mask, 0);
			answer.observation = Buffer.from(observation.buffer).toString('base64');
			answer.legal = Buffer.from(mask.buffer).toString('base64');
			answer.info = [...info];
		}
		const chosen = name ? player(name)(battle.view, Math.random) : code ?? null;
		if (chosen !== null) answer.choice = choiceText(battle.view, chosen);
		if (isOver) outside.delete(id);
		return answer;
	},

	/** Copy a seat's battle to look ahead in, as often as there is time; answer how the foe sees each copy. */
	fork({seat, samples, seed, seconds}) {
		const {Search} = require('./search');
		const lane = lanes[seat >> 1], side = seat & 1;
		if (!lane || !lane.views[side]) throw new Error(`seat ${seat} has nothing to decide`);
		const search = new Search(lane.battle, lane.tracker, SIDES[side], lane.format, samples, seed, endOf(seconds));
		ahead = {seat, search};
		const count = search.samples.length;
		const observations = new Float32Array(count * OBSERVATION);
		const masks = new Uint8Array(count * LEGAL), infos = new Float32Array(count * INFO);
		const results = search.foes(observations, masks, infos, OBSERVATION);
		sendRows(results, infos, observations, masks);
	},

	/**
	 * Play (sample, own code, foe's code) in the latest copies; answer what the seat must decide next.
	 * Where time is over, it ends before another sample or another code of the foe's.
	 */
	roll({seat, plays, seconds}) {
		const {search} = ahead;
		if (ahead.seat !== seat) throw new Error(`seat ${seat} has no copies`);
		const observations = new Float32Array(plays.length * OBSERVATION);
		const masks = new Uint8Array(plays.length * LEGAL), infos = new Float32Array(plays.length * INFO);
		const results = [], end = endOf(seconds);
		for (const [index, [sample, own, foe]] of plays.entries()) {
			const [copyBefore, , foeBefore] = plays[Math.max(0, index - 1)];
			if ((sample !== copyBefore || foe !== foeBefore) && performance.now() > end) break;
			results.push(search.roll(sample, own, foe, observations, masks, infos, index, OBSERVATION) ?? UNDECIDED);
		}
		const count = results.length;
		sendRows(results, infos.subarray(0, count * INFO), observations.subarray(0, count * OBSERVATION),
			masks.subarray(0, count * LEGAL));
	},

	shutdown() {
		return {};
	},
};

/** Return when so many seconds will be over; 0: never. */
function endOf(seconds) {
	return seconds ? performance.now() + 1000 * seconds : Infinity;
}

/** Refuse a plan that could not be played. */
function check({format, teams, players}) {
	describeFormat(format);
	if (players.length !== 2 || teams.length !== 2) throw new Error('a lane has two players and two teams');
	for (const name of players) if (name !== 'policy') player(name);
	for (const team of teams) if (!Teams.unpack(team)) throw new Error('a team cannot be read');
}

function answer(op, payload) {
	if (op === 1) {
		step(payload);
		return;
	}
	const {method, ...parameters} = JSON.parse(payload.toString());
	if (!Object.hasOwn(REQUESTS, method)) throw new Error(`there is no request ${method}`);
	const found = REQUESTS[method](parameters);
	if (found) sendJson(found);
	if (method === 'shutdown') process.exit(0);
}

process.on('SIGINT', () => {}); // ctrl+c is for whoever started this, whose end it follows
for (;;) {
	const head = readExactly(5);
	const payload = readExactly(head.readUInt32LE(0) - 1);
	try {
		answer(head[4], payload);
	} catch (error) {
		sendJson({error: error.message, stack: String(error.stack)});
	}
}
