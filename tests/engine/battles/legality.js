'use strict';
// Asks the simulator about every joint code at some decisions of some battles, a few of each kind.
// Argument: the folder of our scripts. Standard input: {format, teams, seeds}; the answer is a list.
const path = require('node:path');
const { Battle } = require('pokemon-showdown/dist/sim');
const scripts = process.argv[2];
const { Tracker } = require(path.join(scripts, 'tracker.js'));
const { makeView, legal, choiceText } = require(path.join(scripts, 'observe.js'));
const { describeFormat, spectatorLines } = require(path.join(scripts, 'lanes.js'));
const { OPPONENTS } = require(path.join(scripts, 'bots.js'));

const TARGETS = [-2, -1, 0, 1, 2];
const FEW = 2;

/** Return a slot's code in words, whether it makes sense or not. */
function words(code, gimmick) {
	if (code === 44) return 'pass';
	if (code >= 40) return `switch ${code - 39}`;
	const target = TARGETS[code % 5];
	const aim = target ? ` ${target > 0 ? '+' : ''}${target}` : '';
	return `move ${Math.floor(code / 10) + 1}${aim}${code % 10 >= 5 ? ` ${gimmick}` : ''}`;
}

function decisions({ format, teams, seeds }) {
	const info = describeFormat(format);
	const gimmick = info.gimmick === 'mega' ? 'mega' : 'terastallize';
	const found = [], counts = {};
	for (const seed of seeds) {
		const battle = new Battle({ formatid: format, seed });
		teams.forEach((team, index) => battle.setPlayer(`p${index + 1}`, { name: `p${index + 1}`, team }));
		battle.showOpenTeamSheets();
		const tracker = new Tracker(battle.dex, info);
		let read = 0, state = Number(seed.split(',')[0]) + 1;
		const random = () => (state = (state * 48271) % 2147483647) / 2147483647;
		while (!battle.ended) {
			for (const side of battle.sides) {
				if (battle.ended || side.isChoiceDone()) continue;
				const lines = spectatorLines(battle.log);
				for (; read < lines.length; read++) tracker.line(lines[read]);
				battle.sentLogPos = battle.log.length;
				const view = makeView(tracker, side.id, side.activeRequest, info);
				if (view.kind !== 2) {
					const mask = new Uint8Array(90);
					legal(view, mask, 0);
					const kind = kindOf(view, mask);
					counts[kind] = (counts[kind] || 0) + 1;
					if (counts[kind] <= FEW) found.push(describe(side, view, mask, gimmick));
				}
				if (!battle.choose(side.id, choiceText(view, OPPONENTS.random(view, random)))) {
					throw new Error(side.choice.error);
				}
			}
		}
	}
	return found;
}

/** Return what is particular about a decision. */
function kindOf(view, mask) {
	const count = (from, to) => mask.subarray(from, to).reduce((sum, one) => sum + one, 0);
	return JSON.stringify([
		view.kind, view.own.some(each => each.entry.commanding), view.own.map(each => each.mon.fainted),
		mask[44], mask[89], count(40, 44), count(85, 89),
	]);
}

function describe(side, view, mask, gimmick) {
	const accepted = [];
	for (let code = 0; code < 2025; code++) {
		side.clearChoice();
		const text = `${words(Math.floor(code / 45), gimmick)}, ${words(code % 45, gimmick)}`;
		if (side.choose(text) && side.isChoiceDone()) accepted.push(code);
	}
	side.clearChoice();
	return {
		accepted, legal: [...mask], kind: view.kind,
		// In the order of targets: own slots -2 and -1, none, the foe's slots 1 and 2.
		alive: [view.own[1], view.own[0], null, view.foes[0], view.foes[1]].map(
			each => !!each && !each.mon.fainted && !(each.entry && each.entry.commanding)),
		locked: [0, 1].map(slot => !!view.own[slot] && view.own[slot].active?.moves.length === 1),
		commanding: view.own.some(each => each.entry.commanding),
	};
}

const parameters = JSON.parse(require('node:fs').readFileSync(0, 'utf8'));
process.stdout.write(JSON.stringify(decisions(parameters)));
