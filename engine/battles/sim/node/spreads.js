/** Which effort values and natures a Pokémon may have, of which an open team sheet shows the moves. */
'use strict';

/** Natures that players give, one for each stat that they raise and one that they lower. */
const NATURES = ['jolly', 'adamant', 'timid', 'modest', 'bold', 'impish', 'calm', 'careful'];
const STATS = ['hp', 'atk', 'def', 'spa', 'spd', 'spe'];

/**
 * Return the spreads that suit a set, {nature, evs, ivs}: all effort in two stats, of which the
 * nature raises one; the rest in bulk.
 *
 * Natures are public in the formats of Pokémon Champions.
 */
function spreadsOf(battle, set) {
	const isChampions = battle.format.mod.startsWith('champions');
	const offence = offenceOf(battle.dex, set);
	const natures = (isChampions ? [set.nature] : NATURES).map(name => battle.dex.natures.get(name));
	const fitting = natures.filter(({ minus, plus }) => isChampions || (minus !== offence && (offence || !['atk', 'spa'].includes(plus))));
	return fitting.flatMap(nature => pairs(nature.plus, offence).map(pair => spread(nature, pair, isChampions)));
}

/** Return the attacking stat that most of its moves use, null where it has none. */
function offenceOf(dex, set) {
	const count = category => set.moves.filter(id => dex.moves.get(id).category === category).length;
	const physical = count('Physical'), special = count('Special');
	return physical + special < 2 ? null : physical >= special ? 'atk' : 'spa';
}

/** Return the pairs of stats that get the effort. */
function pairs(raised, offence) {
	const attack = offence || 'def';
	if (!raised) return [['hp', attack], [attack, 'spe']];
	if (raised === 'spe') return [['hp', 'spe'], [attack, 'spe']];
	return raised === attack && offence ? [['hp', raised], [raised, 'spe']] : [['hp', raised]];
}

function spread(nature, pair, isChampions) {
	const [most, rest] = isChampions ? [32, 2] : [252, 4];
	const evs = Object.fromEntries(STATS.map(stat => [stat, pair.includes(stat) ? most : 0]));
	evs[STATS.find(stat => !pair.includes(stat) && !['atk', 'spa'].includes(stat))] = rest;
	const ivs = Object.fromEntries(STATS.map(stat => [stat, stat === 'spe' && nature.minus === 'spe' && !isChampions ? 0 : 31]));
	return { nature: nature.id, evs, ivs };
}

module.exports = { spreadsOf };
