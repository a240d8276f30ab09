/**
 * Which effort values and natures the foe's Pokémon may have: those that suit their open team sheets,
 * and that contradict least what everybody saw: who was first, and how much damage was done.
 */
'use strict';

const { follow } = require('./lanes.js');
const { damageOf } = require('./observe.js');
const { share, toId, Tracker } = require('./tracker.js');

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

/** What makes a Pokémon faster or slower than its speed. */
const UNSTEADY = new Set([
	'prankster', 'galewings', 'triage', 'myceliummight', 'quickdraw', 'stall', 'quickclaw', 'custapberry', 'laggingtail', 'fullincense',
]);
/** Rolls of damage as shares of their mean, with what rounding does, and the percent that HP are shown in. */
const LEAST = 0.85 / 0.925 * 0.97, MOST = 1 / 0.925 * 1.03, PERCENT = 0.012;

/** Counts, for each of the foe's spreads, how often it contradicts a battle's public lines. */
class Evidence {
	constructor(battle, sideId, formatInfo, sets, spreads) {
		this.tracker = new Tracker(battle.dex, formatInfo);
		this.damage = damageOf(battle.dex);
		this.battle = battle;
		this.sideId = sideId;
		this.sets = sets;
		this.spreads = spreads;
		this.against = spreads.map(list => list.map(() => 0));
		/** By who has not moved in this turn: what it says if it moves now. */
		this.slower = new Map();
		/** By who is hit: the shares of its HP that the move may take, of each spread. */
		this.hits = new Map();
	}

	/** Return the spreads that contradict least. */
	left() {
		follow(this, this.battle.log, 0);
		return this.spreads.map((list, place) => {
			const least = Math.min(...this.against[place]);
			return list.filter((_, i) => this.against[place][i] === least);
		});
	}

	line(text) {
		const [, kind, ident, what, third, ...rest] = text.split('|');
		if (kind === 'move') this.moved(ident, this.battle.dex.moves.get(toId(what)), third, rest);
		else if (kind === '-crit' || kind === '-hitcount') this.hits.delete(ident);
		else if (kind === '-damage' && !third) this.damaged(ident, what);
		else if (kind === 'turn') this.slower.clear();
		this.tracker.line(text);
	}

	moved(ident, move, target, rest) {
		const mon = this.tracker.mon(ident);
		this.hits.clear();
		if (!mon || rest.some(part => part.startsWith('[from]'))) return;
		for (const { priority, place, fits } of this.slower.get(mon) || []) if (priority === move.priority) this.count(place, fits);
		this.slower.delete(mon);
		this.expectOrder(mon, move);
		const spread = rest.find(part => part.startsWith('[spread]'));
		const targets = spread ? spread.slice(9).split(',') : [target.slice(0, 3)];
		if (!move.multihit) for (const slot of targets) this.expectDamage(mon, move, this.active(slot), targets.length > 1);
	}

	active(slot) {
		const side = this.tracker.state.sides[slot.slice(0, 2)];
		return side && side.active[slot.charCodeAt(2) - 97];
	}

	/** Note what it will say if those that have not moved do so with a move of the same priority. */
	expectOrder(first, move) {
		const { state } = this.tracker;
		if (!this.isSteady(first) || move.id === 'grassyglide') return;
		for (const second of Object.values(state.sides).flatMap(side => side.active)) {
			if (!second || second === first || second.fainted || !this.isSteady(second)) continue;
			this.compare(first, second, (one, other) => {
				const lead = (this.speed(one) - this.speed(other)) * (state.pseudo.has('trickroom') ? -1 : 1);
				return lead > -1;
			}, (place, fits) => {
				if (!this.slower.has(second)) this.slower.set(second, []);
				this.slower.get(second).push({ priority: move.priority, place, fits });
			});
		}
	}

	isSteady(mon) {
		return !UNSTEADY.has(mon.ability) && !UNSTEADY.has(mon.item);
	}

	speed(fighter) {
		return this.damage.speed(fighter, this.tracker.state, this.sideOf(fighter.mon));
	}

	expectDamage(attacker, move, target, isSpread) {
		if (!target || move.category === 'Status') return;
		const { state } = this.tracker;
		const shares = [];
		this.compare(attacker, target, (one, other) => {
			shares.push(this.damage.fraction(move, one, other, state, this.sideOf(target), isSpread, false, null));
		}, place => this.hits.set(`${target.ident}`, { place, shares, before: target.hp }));
	}

	damaged(ident, condition) {
		const mon = this.tracker.mon(ident), hit = mon && this.hits.get(mon.ident);
		const after = share(condition.split(' ')[0]);
		if (!hit || after < 0.02) return; // of one that faints or just survives, not all of the damage is seen
		const taken = hit.before - after;
		this.count(hit.place, hit.shares.map(mean => taken > mean * LEAST - PERCENT && taken < mean * MOST + PERCENT));
	}

	/** Judge two opponents for each spread of the foe's one; `take` gets its place and the judgements. */
	compare(first, second, judge, take) {
		const isOwn = mon => this.sideOf(mon) === this.tracker.state.sides[this.sideId];
		if (isOwn(first) === isOwn(second)) return;
		const foe = isOwn(first) ? second : first, own = this.ownFighter(isOwn(first) ? first : second);
		const place = this.tracker.state.sides[this.sideId === 'p1' ? 'p2' : 'p1'].team.indexOf(foe);
		if (!own || !this.spreads[place] || foe.volatiles.has('transform')) return;
		const fits = this.spreads[place].map(each => {
			const fighter = this.foeFighter(foe, { ...this.sets[place], ...each });
			return isOwn(first) ? judge(own, fighter) : judge(fighter, own);
		});
		take(place, fits);
	}

	/** What nothing fits is due to something else. */
	count(place, fits) {
		if (fits.includes(true)) fits.forEach((isFitting, i) => { this.against[place][i] += isFitting ? 0 : 1; });
	}

	sideOf(mon) {
		return Object.values(this.tracker.state.sides).find(side => side.team.includes(mon));
	}

	/** Return an own Pokémon with its stats; null where it had others at that time. */
	ownFighter(mon) {
		const side = this.battle.sides.find(({ id }) => id === this.sideId);
		const real = side.pokemon.find(each => each.name === mon.ident && each.species.id === mon.species.id && !each.transformed);
		return real ? fighterOf(mon, real.baseStoredStats, real.maxhp, this.sideOf(mon)) : null;
	}

	foeFighter(mon, set) {
		const stats = this.battle.spreadModify(mon.species.baseStats, set);
		return fighterOf(mon, stats, stats.hp, this.sideOf(mon));
	}
}

function fighterOf(mon, stats, maxhp, side) {
	return { mon, stats, maxhp, ability: mon.ability || '', item: mon.item || '', faintedAllies: side.fainted, hasFriendGuard: false };
}

module.exports = { spreadsOf, Evidence };
