/** What a viewer needs of a battle beside the spectators' lines: the sides' requests, and types. */
'use strict';

const { Teams } = require('pokemon-showdown/dist/sim/teams');
const { SIDES, playAgain, spectatorLines } = require('./lanes.js');

/**
 * Return the types of all on both teams, and of what they may change into: of those left at home
 * too, or their absence would tell who was brought.
 */
function typesOf(battle) {
	const types = {};
	for (const { team } of battle.sides) {
		for (const set of team) {
			const base = battle.dex.species.get(battle.dex.species.get(set.species).baseSpecies);
			for (const name of [base.name, ...(base.otherFormes || [])]) types[name] = battle.dex.species.get(name).types;
		}
	}
	return types;
}

/** Return what spectators saw, with team sheets in full names instead of packed ones. */
function shownLines(battle) {
	return spectatorLines(battle.log).map(line => {
		if (!line.startsWith('|showteam|')) return line;
		const [, , side, ...rest] = line.split('|');
		const sheets = Teams.unpack(rest.join('|')).map(set => [
			set.name, set.species, set.item, set.ability, set.moves.join(','), '', '', '', '', '', '',
			`,,,,,${set.teraType || ''}`,
		].join('|'));
		return `|showteam|${side}|${sheets.join(']')}`;
	});
}

/** Return what there is to see of a lane's battle, and what its sides are to decide. */
function spectate({ battle, number }) {
	if (!battle) return { lines: [], types: {}, requests: [null, null], number };
	const requests = battle.sides.map(side => side.isChoiceDone() ? null : side.activeRequest);
	return { lines: shownLines(battle), types: typesOf(battle), requests, number };
}

/** Play an input log again; return its lines, and for each decision where, whose and what it was. */
function transcript(inputLog) {
	let types = {};
	const decisions = [];
	const battle = playAgain(inputLog, (current, sideId, text, inputs) => {
		if (!decisions.length) types = typesOf(current);
		const side = SIDES.indexOf(sideId), request = current.sides[side].activeRequest;
		if (!request || request.wait) return;
		decisions.push({ place: spectatorLines(current.log).length, side, request, inputs });
	});
	return { lines: shownLines(battle), types, decisions };
}

module.exports = { spectate, transcript };
