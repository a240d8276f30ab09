'use strict';
// Plays battles for tests of what an observation depends on. Arguments: the folder of our scripts.
// Standard input: a JSON object with `method` and its parameters; the answer is JSON, too.
const path = require('node:path');
const { Battle } = require('pokemon-showdown/dist/sim');
const scripts = process.argv[2];
const { Tracker } = require(path.join(scripts, 'tracker.js'));
const { makeView, encode, legal, SIZE } = require(path.join(scripts, 'observe.js'));
const { describeFormat, spectatorLines } = require(path.join(scripts, 'lanes.js'));
const { OPPONENTS } = require(path.join(scripts, 'bots.js'));
const { choiceText } = require(path.join(scripts, 'observe.js'));

const METHODS = {
	/** Play the same choices against each of the foe's teams: what p1 sees at each of its decisions. */
	variants({ format, own, foes, sheets, seed, choices }) {
		return foes.map(foe => {
			const battle = begin(format, [own, foe], seed, sheets);
			const seen = [observed(battle, 'p1', format)];
			for (const [first, second] of choices) {
				if (first) must(battle.choose('p1', first), battle.sides[0]);
				if (second) must(battle.choose('p2', second), battle.sides[1]);
				seen.push(observed(battle, 'p1', format));
			}
			return seen;
		});
	},

	/** Play at random; compare what the running battle's view says with one made of copies of the text. */
	copies({ format, teams, seeds }) {
		let decisions = 0, differing = 0;
		for (const seed of seeds) {
			const battle = begin(format, teams, seed, true);
			const info = describeFormat(format);
			const tracker = new Tracker(battle.dex, info);
			const random = generator(seed);
			let read = 0;
			while (!battle.ended) {
				for (const side of battle.sides) {
					if (battle.ended || side.isChoiceDone()) continue;
					const lines = spectatorLines(battle.log);
					for (; read < lines.length; read++) tracker.line(lines[read]);
					battle.sentLogPos = battle.log.length;
					const view = makeView(tracker, side.id, side.activeRequest, info);
					decisions++;
					if (figures(view) !== observed(battle, side.id, format)) differing++;
					must(battle.choose(side.id, choiceText(view, OPPONENTS.random(view, random))), side);
				}
			}
		}
		return { decisions, differing };
	},
};

function begin(format, teams, seed, sheets) {
	const battle = new Battle({ formatid: format, seed });
	teams.forEach((team, index) => battle.setPlayer(`p${index + 1}`, { name: `p${index + 1}`, team }));
	if (sheets) battle.showOpenTeamSheets();
	return battle;
}

function must(isAccepted, side) {
	if (!isAccepted) throw new Error(side.choice.error);
}

/** Return the figures of a side that knows the lines of the spectators and its request, as text. */
function observed(battle, side, format) {
	const info = describeFormat(format);
	const tracker = new Tracker(battle.dex, info);
	for (const line of JSON.parse(JSON.stringify(spectatorLines(battle.log)))) tracker.line(line);
	const request = battle.sides[Number(side[1]) - 1].activeRequest;
	return figures(makeView(tracker, side, JSON.parse(JSON.stringify(request)), info));
}

function figures(view) {
	const out = new Float32Array(SIZE), info = new Float32Array(8), mask = new Uint8Array(90);
	encode(view, out, 0, info, 0);
	legal(view, mask, 0);
	return Buffer.concat([out, info, mask].map(each => Buffer.from(each.buffer))).toString('base64');
}

function generator(seed) {
	let state = Number(seed.split(',')[0]) + 1;
	return () => {
		state = (state * 48271) % 2147483647;
		return state / 2147483647;
	};
}

const { method, ...parameters } = JSON.parse(require('node:fs').readFileSync(0, 'utf8'));
process.stdout.write(JSON.stringify(METHODS[method](parameters)));
