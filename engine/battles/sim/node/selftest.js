'use strict';
/**
 * Play the same battles with and without the patch: the handlers of each event, the logs, the
 * observations and the masks must be equal, or it is not used. Every figure of the observations must
 * be inside its space, too.
 *
 * Each format plays with teams of its own, and one of each gimmick with teams that are drawn from all
 * species, moves, items and abilities, legal or not. In one battle all know a move after which one must
 * recharge, a choice that no table has. It runs in a process of its own, and once: its success is
 * remembered in the cache folder.
 */
const {spawnSync} = require('node:child_process');
const {createHash} = require('node:crypto');
const fs = require('node:fs');
const path = require('node:path');
const {version} = require('pokemon-showdown/package.json');

const DRAWN_FORMATS = ['gen9vgc2023regd', 'gen9championsvgc2026regma'];
const TEAMS = path.join(__dirname, '..', 'teams');
const LOOKUPS = [
	'findEventHandlers', 'findPokemonEventHandlers', 'findSideEventHandlers', 'findFieldEventHandlers',
];
const FIELDS = [
	'effect', 'callback', 'state', 'effectHolder', 'order', 'priority', 'subOrder', 'effectOrder', 'speed',
	'target', 'index',
];
const TESTED = [
	'patch.js', 'selftest.js', 'lanes.js', 'learnsets.js', 'observe.js', 'damage.js', 'tracker.js', 'layout.json',
];
const BATTLES = 4, OWN_BATTLES = 1, RECHARGING = 3;
const TIMEOUT_MS = 100_000; // less than Python waits for an answer

/** Enable the patch if it passed its test here before, or passes now; return what `hello` says. */
function install(cacheFolder) {
	const mark = cacheFolder && path.join(cacheFolder, `battle-patch-${fingerprint()}`);
	if (!mark || !fs.existsSync(mark)) {
		const test = spawnSync(process.execPath, [__filename], {timeout: TIMEOUT_MS, encoding: 'utf8'});
		if (test.status !== 0) {
			const reason = (test.stderr || String(test.error || '')).trim().split('\n')[0];
			return {patched: false, warning: `The event look-up patch is off, battles are slower: ${reason}`};
		}
		if (mark) remember(mark);
	}
	require('./patch').enable();
	return {patched: true, warning: ''};
}

function remember(mark) {
	try {
		fs.mkdirSync(path.dirname(mark), {recursive: true, mode: 0o700});
		fs.writeFileSync(mark, '', {mode: 0o600});
	} catch {
		// A cache that cannot be written: the next worker tests again.
	}
}

/** Name the simulator, the Node and the scripts that a passed test is about. */
function fingerprint() {
	const hash = createHash('sha256').update(`${version} ${process.version}`);
	for (const name of TESTED) hash.update(fs.readFileSync(path.join(__dirname, name)));
	return hash.digest('hex').slice(0, 16);
}

/** Return the hash of each of some battles of random choices: log, observations and masks. */
function play(format, seed, count, drawTeam = teamDrawer(format)) {
	const {Lane, generator} = require('./lanes');
	const hashes = [];
	for (let number = 0; number < count; number++) {
		const random = generator(seed + number, 77), hash = createHash('sha256');
		const teams = [drawTeam(random, number), drawTeam(random, number)];
		const lane = new Lane(0, {format, teams, players: ['policy', 'policy'], seed: seed + number, limit: 1});
		let asked = [];
		const worker = {
			count: 0,
			ask: (_, side, view) => asked.push([side, view]),
			end: ({battle}) => hash.update(battle.log.filter(line => !line.startsWith('|t:|')).join('\n')),
		};
		for (lane.advance(worker); asked.length; lane.advance(worker)) {
			const now = asked;
			asked = [];
			for (const [side, view] of now) lane.answer(side, choose(view, random, hash));
		}
		hashes.push(hash.digest('hex'));
	}
	return hashes;
}

/** Return what draws packed teams from all that a format's Dex has. */
function teamDrawer(format) {
	const {Dex, Teams} = require('pokemon-showdown/dist/sim');
	const dex = Dex.forFormat(format);
	const isUsual = entry => entry.exists && entry.num > 0 && !entry.isNonstandard && !entry.battleOnly && !entry.isMega;
	const ids = Object.fromEntries(['Pokedex', 'Moves', 'Items', 'Abilities'].map(
		kind => [kind, Object.keys(dex.data[kind])]));
	const types = dex.types.names();
	return (random, number) => {
		const pick = list => list[Math.floor(random() * list.length)];
		const draw = (kind, table) => {
			for (;;) {
				const entry = table.get(pick(ids[kind]));
				if (isUsual(entry)) return entry.name;
			}
		};
		return Teams.pack(Array.from({length: 6}, () => ({
			name: '', species: draw('Pokedex', dex.species), item: draw('Items', dex.items),
			ability: draw('Abilities', dex.abilities),
			moves: [0, 1, 2, 3].map(place => (place === 0 && number === RECHARGING ? 'Hyper Beam' : draw('Moves', dex.moves))),
			nature: 'Hardy', level: 50, teraType: pick(types),
			evs: {hp: 4, atk: 0, def: 0, spa: 0, spd: 0, spe: 0},
		})));
	};
}

/** Return what draws from a file of shipped teams: lines of format, name and team. */
function ownTeams(file) {
	const lines = fs.readFileSync(path.join(TEAMS, file), 'utf8').split('\n').filter(Boolean);
	return random => lines[Math.floor(random() * lines.length)].split('|').slice(1).join('|');
}

/** Return a random choice; one that the simulator refuses it asks for again. Add what is known to a hash. */
function choose(view, random, hash) {
	const {encode, legal, SIZE} = require('./observe');
	const observation = new Float32Array(SIZE), info = new Float32Array(8), mask = new Uint8Array(90);
	encode(view, observation, 0, info, 0);
	legal(view, mask, 0);
	hash.update(observation).update(info).update(mask);
	if (view.request.teamPreview) return Math.floor(random() * 90);
	const isGimmick = code => code < 40 && code % 10 >= 5;
	const pairs = [];
	for (let first = 0; first < 45; first++) {
		if (!mask[first]) continue;
		for (let second = 0; second < 45; second++) {
			if (!mask[45 + second] || (first === second && first >= 40)) continue;
			if (!(isGimmick(first) && isGimmick(second))) pairs.push(first * 45 + second);
		}
	}
	return pairs.length ? pairs[Math.floor(random() * pairs.length)] : 44 * 46;
}

/** Let each look-up of the patch be compared with the simulator's own; return what counts differences. */
function compareLookups() {
	const {Battle} = require('pokemon-showdown/dist/sim/battle');
	const {original} = require('./patch');
	const methods = of => Object.fromEntries(LOOKUPS.map(name => [name, of[name]]));
	const fast = methods(Battle.prototype), slow = methods(original);
	const differences = {count: 0, first: ''}, compared = {};
	for (const name of LOOKUPS) {
		compared[name] = function (...given) {
			const got = fast[name].apply(this, given);
			Object.assign(Battle.prototype, slow);
			const wanted = slow[name].apply(this, given);
			Object.assign(Battle.prototype, compared);
			const isEqual = got.length === wanted.length && got.every(
				(handler, index) => FIELDS.every(field => handler[field] === wanted[index][field]));
			if (!isEqual && !differences.count++) differences.first = `${given[1]} (${name})`;
			return got;
		};
	}
	Object.assign(Battle.prototype, compared);
	return differences;
}

function main() {
	require('./learnsets').defer();
	for (const format of DRAWN_FORMATS) test(format, BATTLES, teamDrawer(format));
	for (const file of fs.readdirSync(TEAMS).filter(name => name.endsWith('.txt'))) {
		test(path.basename(file, '.txt'), OWN_BATTLES, ownTeams(file));
	}
	const {repairs} = require('./observe');
	if (repairs.count) fail(`${repairs.count} figures of observations were no numbers, the first at ${repairs.first}`);
}

function test(format, count, drawTeam) {
	const patch = require('./patch');
	patch.disable();
	const plain = play(format, 1, count, drawTeam);
	patch.enable();
	const differences = compareLookups();
	const patched = play(format, 1, count, drawTeam);
	if (differences.count) fail(`handlers of ${differences.first} differ in ${format}`);
	for (let number = 0; number < count; number++) {
		if (plain[number] !== patched[number]) fail(`battle ${number} of ${format} differs`);
	}
}

function fail(reason) {
	process.stderr.write(`${reason}\n`);
	process.exit(1);
}

if (require.main === module) main();

module.exports = {install};
