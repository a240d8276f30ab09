'use strict';
/**
 * Load which moves a Pokémon can learn only when a team is validated: these tables are most of the
 * simulator's data, and battles never look at them.
 */
const {Dex} = require('pokemon-showdown/dist/sim/dex');

const ModdedDex = Dex.constructor;
const {loadDataFile} = ModdedDex.prototype;
const complete = new WeakSet();

/** From now on leave the tables out where a Dex is loaded. */
function defer() {
	ModdedDex.prototype.loadDataFile = function (folder, kind) {
		return kind === 'Learnsets' ? {} : loadDataFile.call(this, folder, kind);
	};
}

/** Load the tables of every Dex that was loaded without, and of those loaded later. */
function load() {
	if (ModdedDex.prototype.loadDataFile === loadDataFile) return;
	ModdedDex.prototype.loadDataFile = loadDataFile;
	for (const dex of Object.values(Dex.dexes)) if (dex.dataCache) fill(dex);
}

function fill(dex) {
	if (complete.has(dex)) return;
	complete.add(dex);
	const own = loadDataFile.call(dex, `${dex.dataDir}/`, 'Learnsets') || {};
	if (!dex.parentMod) {
		dex.dataCache.Learnsets = own;
		return;
	}
	const parent = Dex.dexes[dex.parentMod];
	fill(parent);
	const merged = {...parent.dataCache.Learnsets};
	for (const id in own) {
		if (own[id] === null) delete merged[id];
		else if (own[id].inherit) merged[id] = {...merged[id], ...own[id], inherit: undefined};
		else merged[id] = own[id];
	}
	dex.dataCache.Learnsets = merged;
}

module.exports = {defer, load};
