/**
 * Opponents that follow rules: (view, random) -> joint code, or selection at team preview.
 *
 * `random`, `max_power` and `heuristics` decide as RandomPlayer, MaxBasePowerPlayer and
 * SimpleHeuristicsPlayer of poke-env 0.16.1 do in doubles, what is odd about them included: all
 * choose a team at random, know moves by their printed power and type, and replace those that
 * fainted at random.
 */
'use strict';

const { Dex } = require('pokemon-showdown/dist/sim/dex');
const { SPREAD, moveOf } = require('./damage.js');
const { legal, SELECTIONS, SLOT_CODES, SWITCH, PASS, TARGETS } = require('./observe.js');

const HAZARDS = new Set(['spikes', 'stealthrock', 'stickyweb', 'toxicspikes']);
const HAZARD_REMOVAL = new Set(['rapidspin', 'defog']);
const UNAFFECTED = new Set(['Stellar', '???']);
const SWITCH_OUT_BELOW = -2;

const gen9 = Dex.forGen(9);
const mask = new Uint8Array(2 * SLOT_CODES);

const isGimmick = code => code < SWITCH && code % 10 >= 5;
const isSwitch = code => code >= SWITCH && code < PASS;
const moveCode = (index, gimmick, target) => index * 10 + (gimmick ? 5 : 0) + TARGETS.indexOf(target);
const pick = (list, random) => list[Math.floor(random() * list.length)];

/** Return the first of the items with the greatest value. */
function best(items, value) {
	let found = items[0], most = value(found);
	for (let i = 1; i < items.length; i++) {
		const worth = value(items[i]);
		if (worth > most) [found, most] = [items[i], worth];
	}
	return found;
}

/** Return the legal codes of both slots. */
function legalCodes(view) {
	legal(view, mask, 0);
	const codes = [[], []];
	mask.forEach((isLegal, i) => {
		if (isLegal) codes[i < SLOT_CODES ? 0 : 1].push(i % SLOT_CODES);
	});
	return codes;
}

/** Return the legal pairs of codes; passing twice only where nothing else is legal. */
function legalPairs([first, second]) {
	const pairs = [];
	for (const a of first) {
		for (const b of second) {
			if ((a === b && a >= SWITCH) || (isGimmick(a) && isGimmick(b))) continue;
			pairs.push([a, b]);
		}
	}
	return pairs.length ? pairs : [[PASS, PASS]];
}

const joint = ([first, second]) => first * SLOT_CODES + second;
const isForced = view => !!view.request.forceSwitch;
const alive = fighter => !!fighter && !fighter.mon.fainted;

function randomCode(view, random) {
	return joint(pick(legalPairs(legalCodes(view)), random));
}

/** Return what a mon's slot may use: {index, move} of each enabled move, in the request's order. */
function enabledMoves(fighter) {
	const moves = [];
	if (!fighter || !fighter.active || fighter.entry.commanding) return moves;
	fighter.active.moves.forEach((listed, index) => {
		if (!listed.disabled && index < 4) moves.push({ index, move: moveOf(gen9, listed.id) });
	});
	return moves;
}

/** Return the code nearest to what was wanted: another target of the move where that one is gone. */
function aimed(codes, index, gimmick, target, random) {
	const wanted = [moveCode(index, gimmick, target)];
	if (target > 0) wanted.push(moveCode(index, gimmick, 3 - target));
	const found = wanted.find(code => codes.includes(code));
	if (found !== undefined) return found;
	const others = codes.filter(code => code < SWITCH && Math.floor(code / 10) === index);
	const same = others.filter(code => isGimmick(code) === gimmick);
	return pick(same.length ? same : others.length ? others : codes, random);
}

/** Return a legal pair with these codes; `second` gives way as the simulator's default would. */
function paired(view, codes, first, second, random) {
	const pairs = legalPairs(codes);
	const isWanted = pairs.some(([a, b]) => a === first && b === second);
	if (isWanted) return joint([first, second]);
	const left = pairs.filter(([a]) => a === first);
	const [move] = enabledMoves(view.own[1]);
	const usual = move && !isForced(view) ?
		left.filter(([, b]) => b < SWITCH && Math.floor(b / 10) === move.index && !isGimmick(b)) : left;
	const foes = usual.filter(([, b]) => b % 5 > 2);
	return joint(pick([foes, usual, left, pairs].find(some => some.length), random));
}

// ---- max_power ----

function maxPower(view, random) {
	if (isForced(view)) return randomCode(view, random);
	const codes = legalCodes(view);
	const isDouble = view.foes.slice(0, 2).every(alive);
	const power = ({ move }) =>
		move.basePower * (isDouble && move.target !== 'normal' && move.target !== 'any' ? 1.5 : 1);
	const chosen = codes.map((own, slot) => {
		const moves = enabledMoves(view.own[slot]);
		if (!moves.length) return own.includes(PASS) ? PASS : pick(own, random);
		return aimed(own, best(moves, power).index, false, random() < 0.5 ? 1 : 2, random);
	});
	return paired(view, codes, chosen[0], chosen[1], random);
}

// ---- heuristics ----

function typesOf(mon) {
	return mon.terastallized ? [mon.terastallized] : mon.types.slice(0, 2);
}

/** Return the factor of an attack on types, which a type without a chart leaves alone. */
function factor(type, types) {
	if (UNAFFECTED.has(type) || UNAFFECTED.has(types[0])) return 1;
	let product = 1;
	for (const other of types) {
		const taken = gen9.types.get(other).damageTaken[type];
		product *= taken === 1 ? 2 : taken === 2 ? 0.5 : taken === 3 ? 0 : 1;
	}
	return product;
}

function matchup(mon, foe) {
	const own = typesOf(mon), other = typesOf(foe);
	let score = Math.max(...own.map(type => factor(type, other))) - Math.max(...other.map(type => factor(type, own)));
	score += 0.1 * Math.sign(mon.species.baseStats.spe - foe.species.baseStats.spe);
	return score + 0.4 * (mon.hp - foe.hp);
}

/** Estimate a stat; a boost of one stage counts double, as there. */
function estimate(mon, stat) {
	const stage = mon.boosts[stat];
	const boost = stage > 1 ? (2 + stage) / 2 : 2 / (2 - stage);
	return (2 * mon.species.baseStats[stat] + 36) * boost;
}

function hits(move) {
	if (move.id === 'triplekick' || move.id === 'tripleaxel') return 1 + 2 * 0.9 + 3 * 0.81;
	return Array.isArray(move.multihit) ? 5 / 3 + 9 / 6 : move.multihit || 1;
}

function shouldSwitchOut({ mon, stats }, foe, bench) {
	if (!bench.some(other => matchup(other.mon, foe) > 0)) return false;
	const { boosts } = mon;
	return boosts.def <= -3 || boosts.spd <= -3 || (boosts.atk <= -3 && stats.atk >= stats.spa) ||
		(boosts.spa <= -3 && stats.atk <= stats.spa) || matchup(mon, foe) < SWITCH_OUT_BELOW;
}

/** Its own tera types it knows by the open team sheets alone. */
function shouldTerastallize(view, { mon, active }, foe, move) {
	if (!active.canTerastallize || !view.ownSide.hasSheet || !mon.teraType) return false;
	const weakness = types => Math.min(...typesOf(foe).map(type => 1 / (factor(type, types) || 1 / 8)));
	return factor(move.type, typesOf(foe)) * (weakness([mon.teraType]) / weakness(typesOf(mon))) > 1;
}

/**
 * Choose for one slot as if only one foe were there: {index, gimmick} of a move, {switch} to a
 * place in the party, or null for the simulator's default; with a score.
 */
function chooseSingle(view, slot, foe, bench, random) {
	const fighter = view.own[slot];
	const moves = isForced(view) ? [] : enabledMoves(fighter);
	if (!alive(fighter) || !alive(foe)) {
		const orders = bench.map(other => ({ switch: other.position, score: 0 }));
		if (alive(fighter)) {
			for (const gimmick of [false, true]) {
				if (gimmick && !(fighter.active && hasGimmick(fighter.active))) continue;
				for (const { index, move } of moves) orders.push({ index, move, gimmick, score: 0 });
			}
		}
		return orders.length ? pick(orders, random) : { score: 0 };
	}
	const { mon } = fighter, other = foe.mon;
	if (moves.length && !shouldSwitchOut(fighter, other, bench)) {
		const hazard = moves.find(({ move }) => (HAZARDS.has(move.id) && view.foeSide.fainted <= 3 &&
			!view.foeSide.conditions.has(move.id)) || (HAZARD_REMOVAL.has(move.id) &&
			view.ownSide.conditions.size && view.own.filter(alive).length >= 2));
		if (hazard) return { ...hazard, gimmick: false, score: 0 };
		const physical = estimate(mon, 'atk') / estimate(other, 'def');
		const special = estimate(mon, 'spa') / estimate(other, 'spd');
		const types = typesOf(mon), foeTypes = typesOf(other);
		const score = ({ move }) => move.basePower * (types.includes(move.type) ? 1.5 : 1) *
			(move.category === 'Physical' ? physical : special) *
			(move.accuracy === true ? 1 : move.accuracy / 100) * hits(move) * factor(move.type, foeTypes);
		const found = best(moves, score);
		const gimmick = shouldTerastallize(view, fighter, other, found.move);
		return { ...found, gimmick, score: score(found) };
	}
	if (bench.length) return { switch: best(bench, member => matchup(member.mon, other)).position, score: 0 };
	return { score: 0 };
}

function hasGimmick(active) {
	return !!(active.canTerastallize || active.canMegaEvo || active.canMegaEvoX || active.canMegaEvoY);
}

/** Return who may come in for a slot. */
function benchOf(view, slot) {
	const { own, request } = view;
	if (request.active && request.active[slot] && request.active[slot].trapped) return [];
	if (own.some(other => other.entry.reviving)) return own.filter(other => other.mon.fainted);
	return own.filter(other => other.position > 1 && !other.mon.fainted);
}

function heuristics(view, random) {
	const codes = legalCodes(view);
	const forced = view.request.forceSwitch;
	const chosen = codes.map((own, slot) => {
		const bench = benchOf(view, slot);
		if (own.length === 1) return own[0];
		const results = [0, 1].map(place => ({ ...chooseSingle(view, slot, view.foes[place], bench, random), place }));
		if (forced && (!forced[slot] || (slot === 1 && forced[0] && bench.length === 1))) return PASS;
		const found = best(results, result => result.score);
		if (found.switch !== undefined) return SWITCH + found.switch;
		if (found.index === undefined) return pick(own, random);
		return aimed(own, found.index, found.gimmick, found.place + 1, random);
	});
	return paired(view, codes, chosen[0], chosen[1], random);
}

// ---- greedy ----

/** Return the estimated damage of a move's code: fractions of the health of both foes and the ally. */
function damageOf(view, slot, code) {
	const damage = [0, 0, 0];
	if (code >= SWITCH) return damage;
	const fighter = view.own[slot], targets = [view.foes[0], view.foes[1], view.own[1 - slot]];
	const move = moveOf(view.dex, fighter.active.moves[Math.floor(code / 10)].id);
	if (move.category === 'Status') return damage;
	const target = TARGETS[code % 5];
	const isSpread = SPREAD.has(move.target);
	const reached = target > 0 ? [target - 1] : target < 0 ? [2] : move.target === 'allAdjacent' ? [0, 1, 2] : [0, 1];
	const hit = reached.filter(place => alive(targets[place]));
	for (const place of hit) {
		const side = place < 2 ? view.foeSide : view.ownSide;
		const value = view.damage.fraction(
			move, fighter, targets[place], view.state, side, isSpread && hit.length > 1, isGimmick(code), view.ruins);
		damage[place] = value * (move.accuracy === true ? 1 : move.accuracy / 100) / (isSpread ? 1 : hit.length);
	}
	return damage;
}

/** Do the greatest damage that both can do together; never switch unless forced to. */
function greedy(view, random) {
	const codes = legalCodes(view);
	if (isForced(view)) return joint(pick(legalPairs(codes), random));
	const damage = codes.map((own, slot) => new Map(own.map(code => [code, damageOf(view, slot, code)])));
	const health = [0, 1].map(place => alive(view.foes[place]) ? view.foes[place].mon.hp : 0);
	const worth = ([first, second]) => {
		const one = damage[0].get(first), two = damage[1].get(second);
		let sum = 0;
		for (let place = 0; place < 2; place++) sum += Math.min(one[place] + two[place], health[place]);
		for (const [code, slot, own] of [[first, 0, one], [second, 1, two]]) {
			if (isGimmick(code)) sum -= 0.05;
			if (isSwitch(code)) sum -= 0.1;
			const ally = view.own[1 - slot];
			if (own[2]) sum -= Math.min(own[2], ally.mon.hp);
		}
		return sum;
	};
	const pairs = legalPairs(codes);
	const offset = Math.floor(random() * pairs.length); // equals are not always the first
	return joint(best([...pairs.slice(offset), ...pairs.slice(0, offset)], worth));
}

/** Let a player choose its team at random. */
function withRandomTeam(decide) {
	return (view, random) =>
		view.request.teamPreview ? Math.floor(random() * SELECTIONS.length) : decide(view, random);
}

const OPPONENTS = {
	random: withRandomTeam(randomCode),
	max_power: withRandomTeam(maxPower),
	greedy: withRandomTeam(greedy),
	heuristics: withRandomTeam(heuristics),
};

module.exports = { OPPONENTS };
