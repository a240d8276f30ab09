/** One side's view of a battle: what it knows, as figures for a network, and what it may choose. */
'use strict';

const layout = require('./layout.json');
const { Damage, SPREAD, moveOf } = require('./damage.js');
const { toId, share, STATS } = require('./tracker.js');
const { Dex } = require('pokemon-showdown/dist/sim/dex');

const SLOT_CODES = 45, SWITCH = 40, PASS = 44, INFO = 8, LIMIT = layout.max_id;
const TARGETS = [-2, -1, 0, 1, 2];
const SELECTIONS = selections();
const MON_SIZE = layout.mon.length, MOVE_SIZE = layout.move.length, THREAT_SIZE = layout.threat.length;
const MONS_AT = layout.global.length;
const MOVES_AT = MONS_AT + 12 * MON_SIZE;
const THREATS_AT = MOVES_AT + 8 * MOVE_SIZE;
const SIZE = THREATS_AT + 8 * THREAT_SIZE;
const G = places(layout.global), M = places(layout.mon), A = places(layout.move), T = places(layout.threat);
const TYPE_AT = new Map(layout.types.map((type, i) => [type[0].toUpperCase() + type.slice(1), i]));
const IDS = {};
const WEATHERS = {
	sunnyday: 'weather_sun', desolateland: 'weather_sun', raindance: 'weather_rain', primordialsea: 'weather_rain',
	sandstorm: 'weather_sand', snow: 'weather_snow', snowscape: 'weather_snow', hail: 'weather_snow',
};
const SIDE_CONDITIONS = [
	['tailwind', 'tailwind', 4], ['reflect', 'reflect', 5], ['lightscreen', 'light_screen', 5],
	['auroraveil', 'aurora_veil', 5], ['safeguard', 'safeguard', 5], ['mist', 'mist', 5], ['spikes', 'spikes', 0],
	['toxicspikes', 'toxic_spikes', 0], ['stealthrock', 'stealth_rock', 0], ['stickyweb', 'sticky_web', 0],
	['wideguard', 'wide_guard', 1], ['quickguard', 'quick_guard', 1],
];
const VOLATILES = [
	['substitute', 'substitute'], ['confusion', 'confusion'], ['taunt', 'taunt'], ['encore', 'encore'],
	['leechseed', 'leech_seed'], ['yawn', 'yawn'], ['disable', 'disable'], ['healblock', 'heal_block'],
	['followme', 'follow_me'], ['ragepowder', 'follow_me'], ['helpinghand', 'helping_hand'], ['flashfire', 'flash_fire'],
	['commanding', 'commanding'],
];
const SPEED_CONTROL = new Set(['tailwind', 'trickroom', 'icywind', 'electroweb', 'thunderwave', 'stringshot', 'bulldoze', 'rocktomb']);
const damages = new Map();
/** How many figures were outside of their space, and where in an observation the first one was. */
const repairs = { count: 0, first: -1 };

function places(names) {
	return Object.fromEntries(names.map((name, i) => [name, i]));
}

function selections() {
	const pairs = list => list.flatMap((first, i) => list.slice(i + 1).map(second => [first, second]));
	const all = [0, 1, 2, 3, 4, 5];
	return pairs(all).flatMap(leads => pairs(all.filter(i => !leads.includes(i))).map(back => [...leads, ...back]));
}

/** Number of an id in the sorted table of its kind; 0: none or unknown. */
function idNumber(kind, id) {
	let table = IDS[kind];
	if (!table) {
		const ids = Object.keys(Dex.data[kind]).sort();
		table = IDS[kind] = new Map(ids.map((name, i) => [name, i + 1]));
	}
	return table.get(id) || 0;
}

function damageOf(dex) {
	let damage = damages.get(dex.currentMod);
	if (!damage) damages.set(dex.currentMod, damage = new Damage(dex));
	return damage;
}

/**
 * What a side knows: the public state, and its own team exactly, from its request.
 *
 * @param tracker a Tracker
 * @param sideId 'p1' or 'p2'
 * @param request the side's present request
 */
function makeView(tracker, sideId, request, formatInfo) {
	const { state, dex } = tracker;
	const foeId = sideId === 'p1' ? 'p2' : 'p1';
	const ownSide = state.sides[sideId], foeSide = state.sides[foeId];
	const own = request.side.pokemon.map((entry, i) => ownFighter(ownSide, entry, i, request, dex));
	const damage = damageOf(dex);
	const foes = [];
	for (let slot = 0; slot < 2; slot++) {
		const mon = foeSide.active[slot];
		foes.push(mon ? foeFighter(mon, damage, foeSide) : null);
	}
	for (const mon of foeSide.team) {
		if (!foeSide.active.includes(mon) && foes.length < 6) foes.push(foeFighter(mon, damage, foeSide));
	}
	const faintedOwn = own.reduce((sum, fighter) => sum + fighter.mon.fainted, 0);
	for (const fighter of own) fighter.faintedAllies = faintedOwn;
	const kind = request.teamPreview ? 2 : request.forceSwitch ? 1 : 0;
	return { state, dex, damage, sideId, foeId, ownSide, foeSide, own, foes, request, kind, format: formatInfo, ruins: ruins(own, foes, kind) };
}

function ruins(own, foes, kind) {
	if (kind === 2) return null;
	let found = null;
	const look = fighter => {
		if (!fighter || fighter.mon.fainted || fighter.mon.slot < 0) return;
		const ability = fighter.ability;
		if (ability && ability.endsWith('ofruin')) {
			found = found || {};
			found[ability.slice(0, -6)] = true;
		}
	};
	own.forEach(look);
	foes.forEach(look);
	return found;
}

/** A member of the own team as its player knows it; the public one, which the foe sees, stays as it is. */
class OwnMon {
	constructor(mon, entry, species) {
		this.species = species;
		this.types = species === mon.species ? mon.types : species.types;
		this.baseName = mon.baseName;
		this.level = mon.level;
		this.status = mon.status;
		this.statusTurn = mon.statusTurn;
		this.moves = mon.moves;
		this.sheet = mon.sheet;
		this.teraType = entry.teraType || mon.teraType;
		this.terastallized = mon.terastallized;
		this.isMega = mon.isMega;
		this.slot = mon.slot;
		this.seen = mon.seen;
		this.boosts = mon.boosts;
		this.volatiles = mon.volatiles;
		this.since = mon.since;
		this.lastMove = mon.lastMove;
		this.protectCount = mon.protectCount;
		this.addedType = mon.addedType;
		this.item = idOf(entry.item);
		const [hp, status] = entry.condition.split(' ');
		this.maxhp = Number(hp.split('/')[1]) || 100;
		this.hp = share(hp);
		this.fainted = status === 'fnt';
		this.status = this.fainted ? '' : status || '';
	}
}

/** Return an id of a request as the tracker has it; what is no text stays what it is. */
function idOf(value) {
	return typeof value === 'string' ? toId(value) : value;
}

function ownFighter(side, entry, position, request, dex) {
	const name = entry.ident.slice(entry.ident.indexOf(': ') + 2);
	let known = side.team.find(other => other.ident === name), species;
	if (known) {
		species = known.species;
	} else {
		const comma = entry.details.indexOf(', ');
		species = dex.species.get(comma < 0 ? entry.details : entry.details.slice(0, comma));
		known = side.team.find(other => other.ident === null && other.baseName === species.baseSpecies);
	}
	const mon = new OwnMon(known, entry, species);
	const active = request.active && position < 2 && !mon.fainted ? request.active[position] : null;
	return {
		mon, entry, isOwn: true, position, stats: entry.stats, maxhp: mon.maxhp, item: mon.item,
		ability: idOf(entry.ability || entry.baseAbility), moveIds: entry.moves, active, faintedAllies: 0, hasFriendGuard: false,
	};
}

function foeFighter(mon, damage, side) {
	const stats = damage.estimate(mon.species, mon.level);
	let moveIds = mon.sheet && !mon.volatiles.has('transform') ? mon.sheet.moves : [...mon.moves.keys()];
	if (moveIds.length > 4) moveIds = moveIds.slice(0, 4);
	let ability = mon.ability;
	if (ability === null) {
		const { abilities } = mon.species;
		if (abilities && !abilities['1'] && !abilities.H) ability = toId(abilities['0']);
	}
	return {
		mon, entry: null, isOwn: false, position: mon.slot, stats, maxhp: stats.hp, item: mon.item || '', ability: ability || '',
		moveIds, active: null, faintedAllies: side.fainted, hasFriendGuard: false,
	};
}

/** Write the slot masks (45 + 45), or 90 ones at team preview. */
function legal(view, out, offset) {
	out.fill(0, offset, offset + 90);
	const { request, own } = view;
	if (request.teamPreview) {
		out.fill(1, offset, offset + 90);
		return;
	}
	const bench = [];
	for (let i = 2; i < own.length && i < 4; i++) if (!own[i].mon.fainted) bench.push(i);
	if (request.forceSwitch) {
		let asked = 0;
		for (const must of request.forceSwitch) if (must) asked++;
		for (let slot = 0; slot < 2; slot++) {
			const base = offset + slot * SLOT_CODES;
			if (!request.forceSwitch[slot]) {
				out[base + PASS] = 1;
				continue;
			}
			let count = 0;
			if (own[slot] && own[slot].entry.reviving) {
				for (let i = 0; i < own.length && i < 4; i++) {
					if (own[i].mon.fainted) {
						out[base + SWITCH + i] = 1;
						count++;
					}
				}
			} else {
				for (const i of bench) out[base + SWITCH + i] = 1;
				count = bench.length;
			}
			if (count < asked) out[base + PASS] = 1;
		}
		return;
	}
	const foeAlive = [0, 1].map(slot => !!view.foes[slot] && !view.foes[slot].mon.fainted);
	const anyFoe = foeAlive[0] || foeAlive[1];
	for (let slot = 0; slot < 2; slot++) {
		const base = offset + slot * SLOT_CODES;
		const fighter = own[slot];
		const active = fighter && fighter.active;
		if (!active || fighter.entry.commanding) {
			out[base + PASS] = 1;
			continue;
		}
		const canGimmick = gimmickOf(active, view.format) !== '';
		const ally = own[1 - slot] && !own[1 - slot].mon.fainted && !own[1 - slot].entry.commanding;
		let count = 0;
		active.moves.forEach((move, m) => {
			if (m > 3 || move.disabled || move.pp === 0) return;
			const add = target => {
				out[base + m * 10 + target + 2] = 1;
				if (canGimmick) out[base + m * 10 + 5 + target + 2] = 1;
				count++;
			};
			switch (move.target) {
			case 'normal': case 'any': case 'adjacentFoe':
				if (foeAlive[0] || !anyFoe) add(1);
				if (foeAlive[1] || !anyFoe) add(2);
				if (move.target !== 'adjacentFoe' && ally) add(slot === 0 ? -2 : -1);
				break;
			case 'adjacentAlly':
				add(slot === 0 ? -2 : -1);
				break;
			case 'adjacentAllyOrSelf':
				add(slot === 0 ? -1 : -2);
				if (ally) add(slot === 0 ? -2 : -1);
				break;
			default:
				add(0);
			}
		});
		if (!active.trapped) {
			for (const i of bench) {
				out[base + SWITCH + i] = 1;
				count++;
			}
		}
		if (!count) out[base + PASS] = 1;
	}
}

/** The word that asks for the gimmick, '' where it cannot be used. */
function gimmickOf(active, format) {
	if (format.gimmick === 'mega') {
		return active.canMegaEvo ? 'mega' : active.canMegaEvoX ? 'megax' : active.canMegaEvoY ? 'megay' : '';
	}
	return active.canTerastallize ? 'terastallize' : '';
}

/** Return a choice as the simulator reads it. */
function choiceText(view, code) {
	if (view.request.teamPreview) return `team ${SELECTIONS[code].map(i => i + 1).join('')}`;
	const codes = [Math.floor(code / SLOT_CODES), code % SLOT_CODES];
	return codes.map((one, slot) => slotText(view, slot, one)).join(', ');
}

function slotText(view, slot, code) {
	if (code === PASS) return 'pass';
	if (code >= SWITCH) return `switch ${code - SWITCH + 1}`;
	const target = TARGETS[code % 5];
	let text = `move ${Math.floor(code / 10) + 1}`;
	if (target) text += ` ${target > 0 ? '+' : ''}${target}`;
	if (code % 10 >= 5) text += ` ${gimmickOf(view.own[slot].active, view.format)}`;
	return text;
}

/** Turns that something has left, of how many it usually lasts, in 0..1. */
function left(state, since, lasts) {
	return Math.max(0, lasts - (state.turn - since)) / lasts;
}

/** Write the observation (SIZE floats) and the figures beside it (8). */
function encode(view, out, offset, info, infoOffset) {
	out.fill(0, offset, offset + SIZE);
	const { state, own, foes, ownSide, foeSide, request, kind } = view;
	const g = offset;
	out[g + G.is_preview] = kind === 2 ? 1 : 0;
	out[g + G.is_forced] = kind === 1 ? 1 : 0;
	if (request.forceSwitch) {
		out[g + G.must_switch_0] = request.forceSwitch[0] ? 1 : 0;
		out[g + G.must_switch_1] = request.forceSwitch[1] ? 1 : 0;
	}
	out[g + G.turn] = Math.min(state.turn, 30) / 15;
	const selected = Math.min(kind === 2 ? 6 : 4, own.length);
	let ownHp = 0, foeHp = 0, faintedOwn = 0;
	for (let i = 0; i < selected; i++) {
		ownHp += own[i].mon.hp;
		faintedOwn += own[i].mon.fainted ? 1 : 0;
	}
	let seen = 0;
	for (const mon of foeSide.team) {
		if (mon.seen) {
			seen++;
			foeHp += mon.hp;
		}
	}
	if (kind === 2) ownHp = 4;
	foeHp += Math.max(0, 4 - seen);
	out[g + G.gimmick_left_own] = ownSide.gimmickUsed ? 0 : 1;
	out[g + G.gimmick_left_foe] = foeSide.gimmickUsed ? 0 : 1;
	out[g + G.left_own] = (4 - faintedOwn) / 4;
	out[g + G.left_foe] = (4 - foeSide.fainted) / 4;
	out[g + G.hp_own] = ownHp / 4;
	out[g + G.hp_foe] = foeHp / 4;
	out[g + G.sheets] = foeSide.hasSheet ? 1 : 0;
	if (state.weather && WEATHERS[state.weather]) {
		out[g + G[WEATHERS[state.weather]]] = 1;
		out[g + G.weather_turns] = left(state, state.weatherTurn, 5);
	}
	if (state.terrain) {
		out[g + G['terrain_' + state.terrain.slice(0, -7)]] = 1;
		out[g + G.terrain_turns] = left(state, state.terrainTurn, 5);
	}
	if (state.pseudo.size) {
		if (state.pseudo.has('trickroom')) out[g + G.trick_room_turns] = left(state, state.pseudo.get('trickroom'), 5);
		if (state.pseudo.has('gravity')) out[g + G.gravity_turns] = left(state, state.pseudo.get('gravity'), 5);
	}
	sideConditions(out, g, state, ownSide, '_own');
	sideConditions(out, g, state, foeSide, '_foe');

	const active = kind === 2 ? [] : [own[0], own[1]].map(usable);
	const facing = kind === 2 ? [] : [foes[0], foes[1]].map(usable);
	markFriendGuard(active);
	markFriendGuard(facing);
	if (kind !== 2) {
		const ownSpeeds = active.map(f => f ? view.damage.speed(f, state, ownSide) : 0);
		const foeSpeeds = facing.map(f => f ? view.damage.speed(f, state, foeSide) : 0);
		for (let i = 0; i < 2; i++) {
			for (let j = 0; j < 2; j++) {
				if (!active[i] || !facing[j]) continue;
				const ratio = ownSpeeds[i] / Math.max(1, foeSpeeds[j]);
				out[g + G.faster_0_0 + i * 2 + j] = Math.max(-1, Math.min(1, 2 * Math.log2(ratio)));
			}
		}
	}
	const best = writeMoves(view, out, offset + MOVES_AT, active, facing);
	writeThreats(view, out, offset + THREATS_AT, active, facing);
	for (let i = 0; i < own.length && i < 6; i++) writeMon(view, out, offset + MONS_AT + i * MON_SIZE, own[i], i, facing, false);
	for (let i = 0; i < foes.length && i < 6; i++) {
		if (foes[i]) writeMon(view, out, offset + MONS_AT + (6 + i) * MON_SIZE, foes[i], i, active, true);
	}
	info[infoOffset] = kind;
	info[infoOffset + 1] = state.turn;
	info[infoOffset + 2] = ownHp;
	info[infoOffset + 3] = foeHp;
	info[infoOffset + 4] = faintedOwn;
	info[infoOffset + 5] = foeSide.fainted;
	info[infoOffset + 6] = best;
	info[infoOffset + 7] = 0;
	keepInside(out, offset, SIZE);
	keepInside(info, infoOffset, INFO);
}

/** Keep numbers inside their space, whatever another server's lines or request had in them. */
function keepInside(out, start, size) {
	for (let at = start; at < start + size; at++) {
		const value = out[at];
		if (value <= LIMIT && value >= -LIMIT) continue; // false of what is no number
		if (!repairs.count++) repairs.first = at - start;
		out[at] = Math.sign(value) * LIMIT || 0;
	}
}

function usable(fighter) {
	return fighter && !fighter.mon.fainted && fighter.mon.slot >= 0 ? fighter : null;
}

function markFriendGuard(pair) {
	for (let i = 0; i < pair.length; i++) {
		if (pair[i]) pair[i].hasFriendGuard = !!pair[1 - i] && pair[1 - i].ability === 'friendguard';
	}
}

function sideConditions(out, g, state, side, suffix) {
	if (!side.conditions.size) return;
	for (const [id, name, lasts] of SIDE_CONDITIONS) {
		const found = side.conditions.get(id);
		if (found) out[g + G[name + suffix]] = lasts ? left(state, found.turn, lasts) || 0.1 : found.layers / 3;
	}
}

function writeMoves(view, out, base, active, facing) {
	let best = 0;
	const { dex, damage, state, foeSide, ownSide, format } = view;
	for (let slot = 0; slot < 2; slot++) {
		const fighter = active[slot];
		if (!fighter) continue;
		const request = fighter.active;
		const list = request ? request.moves : fighter.moveIds;
		const canTera = request && format.gimmick === 'tera' && !!request.canTerastallize;
		for (let m = 0; m < 4 && m < list.length; m++) {
			const at = base + (slot * 4 + m) * MOVE_SIZE;
			const listed = list[m];
			const id = request ? listed.id : listed;
			const move = moveOf(dex, id);
			out[at + A.move] = idNumber('Moves', move.id);
			out[at + A.is_known] = 1;
			out[at + A.is_legal] = request && !listed.disabled && listed.pp !== 0 ? 1 : 0;
			out[at + A.pp] = request && listed.maxpp ? listed.pp / listed.maxpp : 1;
			describeMove(out, at, move);
			const isMulti = SPREAD.has(move.target) || (move.id === 'expandingforce' && state.terrain === 'psychicterrain');
			const isSpread = isMulti && (facing[0] ? 1 : 0) + (facing[1] ? 1 : 0) + (move.target === 'allAdjacent' && active[1 - slot] ? 1 : 0) > 1;
			for (let t = 0; t < 3; t++) {
				const target = t < 2 ? facing[t] : active[1 - slot];
				if (!target || (t === 2 && (move.target === 'allAdjacentFoes' || move.target === 'adjacentFoe'))) continue;
				const side = t < 2 ? foeSide : ownSide;
				const field = at + A.effectiveness_foe_0 + t * 4;
				if (move.category === 'Status') {
					out[field] = 0.5;
					continue;
				}
				const type = damage.moveType(move, fighter, state, false);
				out[field] = damage.effectiveness(type, target.mon.types, move.id) / 2;
				const plain = damage.fraction(move, fighter, target, state, side, isSpread, false, view.ruins);
				out[field + 1] = Math.min(plain, 2);
				out[field + 2] = plain >= target.mon.hp ? 1 : Math.max(0, plain * 1.08 - target.mon.hp) > 0 ? 0.5 : 0;
				out[field + 3] = canTera ?
					Math.min(damage.fraction(move, fighter, target, state, side, isSpread, true, view.ruins), 2) : out[field + 1];
				if (t < 2 && plain > best) best = plain;
			}
		}
	}
	return best;
}

function describeMove(out, at, move) {
	out[at + A.base_power] = move.basePower / 100;
	out[at + A.accuracy] = move.accuracy === true ? 1 : move.accuracy / 100;
	out[at + A.priority] = move.priority / 3;
	out[at + (move.category === 'Physical' ? A.is_physical : move.category === 'Special' ? A.is_special : A.is_status)] = 1;
	out[at + A.is_spread] = SPREAD.has(move.target) ? 1 : 0;
	out[at + A.is_protect] = move.stallingMove ? 1 : 0;
	out[at + A.is_fake_out] = move.id === 'fakeout' ? 1 : 0;
	out[at + A.heals] = move.heal || move.drain || move.flags.heal ? 1 : 0;
	out[at + A.boosts_self] = (move.boosts && move.target === 'self') || (move.self && move.self.boosts) ? 1 : 0;
	out[at + A.is_redirection] = move.id === 'followme' || move.id === 'ragepowder' ? 1 : 0;
	out[at + A.is_speed_control] = SPEED_CONTROL.has(move.id) ? 1 : 0;
}

function writeThreats(view, out, base, active, facing) {
	const { dex, damage, state, ownSide } = view;
	for (let slot = 0; slot < 2; slot++) {
		const fighter = facing[slot];
		if (!fighter) continue;
		for (let m = 0; m < fighter.moveIds.length; m++) {
			const at = base + (slot * 4 + m) * THREAT_SIZE;
			const move = moveOf(dex, fighter.moveIds[m]);
			out[at + T.move] = idNumber('Moves', move.id);
			out[at + T.is_known] = 1;
			out[at + T.base_power] = move.basePower / 100;
			out[at + T.accuracy] = move.accuracy === true ? 1 : move.accuracy / 100;
			out[at + T.priority] = move.priority / 3;
			out[at + T.is_spread] = SPREAD.has(move.target) ? 1 : 0;
			out[at + T.is_status] = move.category === 'Status' ? 1 : 0;
			out[at + T.is_protect] = move.stallingMove ? 1 : 0;
			if (move.category === 'Status') continue;
			const isSpread = SPREAD.has(move.target) && !!active[0] && !!active[1];
			for (let t = 0; t < 2; t++) {
				const target = active[t];
				if (!target) continue;
				const field = at + T.effectiveness_own_0 + t * 3;
				out[field] = damage.effectiveness(damage.moveType(move, fighter, state, false), target.mon.types, move.id) / 2;
				const value = damage.fraction(move, fighter, target, state, ownSide, isSpread, false, view.ruins);
				out[field + 1] = Math.min(value, 2);
				out[field + 2] = value >= target.mon.hp ? 1 : 0;
			}
		}
	}
}

/** Best estimate of damage that one could do to the other. */
function bestDamage(view, attacker, target, side) {
	let best = 0;
	const ids = attacker.moveIds;
	for (let m = 0; m < ids.length; m++) {
		const move = moveOf(view.dex, ids[m]);
		if (move.category === 'Status') continue;
		const value = view.damage.fraction(move, attacker, target, view.state, side, SPREAD.has(move.target), false, view.ruins);
		if (value > best) best = value;
	}
	return Math.min(best, 2);
}

function writeMon(view, out, at, fighter, place, opponents, isFoe) {
	const { mon } = fighter;
	const { state } = view;
	out[at + M.species] = idNumber('Pokedex', mon.species.id) || idNumber('Pokedex', toId(mon.species.baseSpecies));
	out[at + M.item] = fighter.item ? idNumber('Items', fighter.item) : 0;
	out[at + M.ability] = fighter.ability ? idNumber('Abilities', fighter.ability) : 0;
	for (let m = 0; m < 4 && m < fighter.moveIds.length; m++) out[at + M.move_0 + m] = idNumber('Moves', fighter.moveIds[m]);
	out[at + M.is_present] = 1;
	const isActive = !mon.fainted && (isFoe ? place < 2 : place < 2 && view.kind !== 2);
	out[at + M.is_active] = isActive ? 1 : 0;
	out[at + M.is_seen] = mon.seen ? 1 : 0;
	out[at + M.hp] = mon.hp;
	out[at + M.level] = mon.level / 100;
	if (mon.fainted) {
		out[at + M.is_fainted] = 1;
		return;
	}
	if (mon.status) {
		const place = M['status_' + mon.status];
		if (place !== undefined) out[at + place] = 1;
		out[at + M.status_turns] = Math.min(5, state.turn - mon.statusTurn) / 5;
	}
	if (isActive) {
		for (let i = 0; i < 7; i++) out[at + M.boost_atk + i] = mon.boosts[STATS[i]] / 3;
	}
	for (const type of mon.types) {
		const i = TYPE_AT.get(type);
		if (i !== undefined) out[at + M.type_bug + i] = 1;
	}
	if (mon.addedType && TYPE_AT.has(mon.addedType)) out[at + M.type_bug + TYPE_AT.get(mon.addedType)] = 1;
	if (TYPE_AT.has(mon.teraType) && view.format.gimmick === 'tera') out[at + M.tera_bug + TYPE_AT.get(mon.teraType)] = 1;
	out[at + M.is_gimmicked] = mon.terastallized || mon.isMega ? 1 : 0;
	if (fighter.active) out[at + M.can_gimmick] = gimmickOf(fighter.active, view.format) ? 1 : 0;
	const stats = fighter.stats;
	out[at + M.stat_hp] = fighter.maxhp / 200;
	out[at + M.stat_atk] = stats.atk / 200;
	out[at + M.stat_def] = stats.def / 200;
	out[at + M.stat_spa] = stats.spa / 200;
	out[at + M.stat_spd] = stats.spd / 200;
	out[at + M.stat_spe] = stats.spe / 200;
	out[at + M.item_gone] = mon.item === '' ? 1 : 0;
	if (isActive) {
		out[at + M.is_choice_locked] = mon.lastMove && fighter.item && fighter.item.startsWith('choice') ? 1 : 0;
		out[at + M.first_turn] = mon.lastMove === null && state.turn - mon.since <= 1 ? 1 : 0;
		out[at + M.turns_active] = Math.min(5, state.turn - mon.since) / 5;
		out[at + M.protect_count] = Math.min(3, mon.protectCount) / 3;
		const { volatiles } = mon;
		if (volatiles.size) {
			for (const [id, name] of VOLATILES) if (volatiles.has(id)) out[at + M[name]] = 1;
			for (const key of volatiles.keys()) {
				if (key.startsWith('perish')) out[at + M.perish] = (4 - (Number(key.slice(6)) || 0)) / 3;
				else if (key.startsWith('protosynthesis') || key.startsWith('quarkdrive')) out[at + M.booster] = 1;
			}
		}
		if (fighter.entry && fighter.entry.commanding) out[at + M.commanding] = 1;
		if (fighter.active && (fighter.active.trapped || fighter.active.maybeTrapped)) out[at + M.trapped] = 1;
	}
	for (let i = 0; i < opponents.length; i++) {
		const other = opponents[i];
		if (!other) continue;
		if (isFoe && isActive && usable(fighter)) { // seen from the other, it is there already
			const from = at + (i - 6 - place) * MON_SIZE;
			out[at + M.damage_to_0 + i] = out[from + M.damage_from_0 + place];
			out[at + M.damage_from_0 + i] = out[from + M.damage_to_0 + place];
			continue;
		}
		out[at + M.damage_to_0 + i] = bestDamage(view, fighter, other, isFoe ? view.ownSide : view.foeSide);
		out[at + M.damage_from_0 + i] = bestDamage(view, other, fighter, isFoe ? view.foeSide : view.ownSide);
	}
}

module.exports = { makeView, damageOf, encode, legal, repairs, choiceText, gimmickOf, layout, SIZE, SELECTIONS, SLOT_CODES, SWITCH, PASS, TARGETS };
