/** What both sides had to decide in a battle that was played, and what they chose. */
'use strict';

const { follow, playAgain } = require('./lanes.js');
const { Tracker } = require('./tracker.js');
const { makeView, encode, legal, SELECTIONS, SIZE, SLOT_CODES, SWITCH, PASS, TARGETS } = require('./observe.js');

const LEGAL = 90, INFO = 8;
const CHOICE = /^move (\S+?)(?: ([+-]?[12]))?(?: (mega|megax|megay|terastallize))?(?: ([+-]?[12]))?$/;

/** Return the code of a choice in the simulator's words, legal by the masks; -1: it has none. */
function codeOf(view, text, mask) {
	if (view.request.teamPreview) return selectionOf(text);
	const parts = text.split(', ');
	if (parts.length === 1 && view.own.length > 1) parts.push('pass');
	const codes = parts.map((part, slot) => slotCode(view, slot, part.trim(), mask));
	return codes.length !== 2 || codes.includes(-1) ? -1 : codes[0] * SLOT_CODES + codes[1];
}

function selectionOf(text) {
	const places = (text.match(/\d/g) || []).map(digit => Number(digit) - 1).slice(0, 4);
	const order = (a, b) => a - b;
	const wanted = [...places.slice(0, 2).sort(order), ...places.slice(2).sort(order)].join();
	return SELECTIONS.findIndex(selection => selection.join() === wanted);
}

function slotCode(view, slot, text, mask) {
	const isLegal = code => mask[slot * SLOT_CODES + code] === 1;
	if (text === 'pass') return isLegal(PASS) ? PASS : -1;
	if (text.startsWith('switch ')) {
		const code = SWITCH + Number(text.slice(7)) - 1;
		return code >= SWITCH && code < PASS && isLegal(code) ? code : -1;
	}
	const found = CHOICE.exec(text), { active } = view.own[slot] || {};
	if (!found || !active) return -1;
	const [, name, before, gimmick, after] = found;
	const index = active.moves.findIndex((move, i) => move.id === name || String(i + 1) === name);
	if (index < 0 || index > 3) return -1;
	const aim = target => index * 10 + (gimmick ? 5 : 0) + TARGETS.indexOf(target);
	const code = aim(Number(before || after || 0));
	// A move that one is locked into keeps its target, which cannot be chosen.
	return isLegal(code) ? code : isLegal(aim(0)) ? aim(0) : -1;
}

/** Collect the decisions of an input log: rows of codes, figures, observations and masks. */
function decisions(inputLog, describeFormat) {
	const codes = [], sides = [], chunks = [];
	let tracker = null, format = null, read = 0;
	const battle = playAgain(inputLog, (current, sideId, text) => {
		if (!tracker) {
			format = describeFormat(current.format.id);
			tracker = new Tracker(current.dex, format);
		}
		read = follow(tracker, current.log, read);
		const request = current.sides.find(side => side.id === sideId).activeRequest;
		if (!request || request.wait) return;
		const view = makeView(tracker, sideId, request, format);
		const chunk = { observation: new Float32Array(SIZE), mask: new Uint8Array(LEGAL), info: new Float32Array(INFO) };
		encode(view, chunk.observation, 0, chunk.info, 0);
		legal(view, chunk.mask, 0);
		codes.push(codeOf(view, text, chunk.mask));
		sides.push(sideId);
		chunks.push(chunk);
	});
	const winner = battle.sides.find(side => side.name === battle.winner);
	const infos = new Float32Array(codes.length * INFO), masks = new Uint8Array(codes.length * LEGAL);
	const observations = new Float32Array(codes.length * SIZE);
	chunks.forEach(({ observation, mask, info }, row) => {
		info[INFO - 1] = winner ? (winner.id === sides[row] ? 1 : -1) : 0;
		infos.set(info, row * INFO);
		masks.set(mask, row * LEGAL);
		observations.set(observation, row * SIZE);
	});
	return { codes, infos, observations, masks };
}

module.exports = { decisions, codeOf, selectionOf };
