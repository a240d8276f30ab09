/** What a viewer needs of a battle beside the spectators' lines: the sides' requests, and types. */
'use strict';

const { spectatorLines } = require('./lanes.js');

/** Return the types of all that take part, and of what they may change into. */
function typesOf(battle) {
	const types = {};
	for (const { pokemon } of battle.sides) {
		for (const { set } of pokemon) {
			const base = battle.dex.species.get(battle.dex.species.get(set.species).baseSpecies);
			for (const name of [base.name, ...(base.otherFormes || [])]) types[name] = battle.dex.species.get(name).types;
		}
	}
	return types;
}

/** Return what there is to see of a lane's battle, and what its sides are to decide. */
function spectate({ battle, number }) {
	if (!battle) return { lines: [], types: {}, requests: [null, null], number };
	const requests = battle.sides.map(side => side.isChoiceDone() ? null : side.activeRequest);
	return { lines: spectatorLines(battle.log), types: typesOf(battle), requests, number };
}

module.exports = { spectate, typesOf };
