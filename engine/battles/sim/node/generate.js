'use strict';
/**
 * Build legal teams that make sense, from what the simulator knows of a format: a plan (weather, terrain, Trick
 * Room ...) names the roles that must be filled, Pokémon are drawn by strength and by what the team lacks, and each
 * gets moves, an item, a spread and a Tera type that suit its role. The same seed builds the same teams.
 */
const crypto = require('node:crypto');
const {Dex, Teams, toID} = require('pokemon-showdown/dist/sim');
const {PRNG} = require('pokemon-showdown/dist/sim/prng');
const {FIELDS, SETTERS, PLANS, SPEED_CONTROL, REDIRECTION, SUPPORT, RECOVERY, SETUP, USUAL_ITEMS, GOOD_ABILITIES, WEATHER_ABILITIES} = require('./roles');
const {Roster} = require('./roster');

const SIZE = 6, MOST_SHARED = 4, MOST_TRIES = 400;

/** Somebody without any use, of whom a need is asked whether one move or ability fills it. */
const NOBODY = {
	abilities: [], skills: new Set(), moves: new Set(), isRestricted: false, species: {types: [], baseStats: {spe: 255}},
};

/** One team while it is built. */
class Builder {
	constructor(roster, plan, prng) {
		Object.assign(this, {roster, plan, prng, field: FIELDS[plan], members: [], items: new Set(), megas: 0});
	}

	/** Return a whole team, null if the plan cannot be carried out. */
	build() {
		for (const need of this.needs()) {
			if (this.members.length < SIZE && !this.members.some(member => need(member.mon, member)) && !this.add(need)) return null;
		}
		while (this.members.length < SIZE) if (!this.add(null)) return null;
		return this.members.map(member => member.set);
	}

	needs() {
		const has = (...moves) => mon => moves.some(id => mon.skills.has(id));
		const isAble = (...names) => mon => mon.abilities.some(name => names.includes(name));
		const slow = mon => mon.species.baseStats.spe <= 62;
		const {field} = this;
		const hasRestricted = mon => mon.isRestricted;
		const first = Array.from({length: this.roster.restricted}, (_, index) => (mon, member) =>
			member ? this.members.filter(each => each.mon.isRestricted).length > index : hasRestricted(mon));
		const special = field ? [isAble(...field.setters), (mon, member) => member ? false : this.profits(mon),
			(mon, member) => member ? false : this.profits(mon)] : {
			tailwind: [has('tailwind')], 'trick-room': [has('trickroom'), mon => slow(mon), mon => slow(mon)],
			balance: [isAble('intimidate'), has('fakeout')], bulky: [has(...REDIRECTION), has(...RECOVERY)], offense: [],
		}[this.plan];
		const usual = [[isAble('intimidate'), has('fakeout')], [has('fakeout'), has(...SPEED_CONTROL)],
			[has(...REDIRECTION), has('tailwind')], [has('tailwind'), isAble('intimidate')], [has(...SPEED_CONTROL)]];
		return [...special, ...first, ...(this.plan === 'trick-room' ? [has('trickroom')] : this.prng.sample(usual))];
	}

	profits(mon) {
		const {abilities, types, moves} = this.field;
		return mon.abilities.some(name => abilities.includes(name)) || mon.species.types.some(type => types.includes(type)) ||
			Object.keys(moves).some(id => mon.moves.has(id) && this.roster.dex.moves.get(id).category !== 'Status' &&
				mon.species.types.includes(this.roster.dex.moves.get(id).type));
	}

	/** Add one of those that a need accepts (null: anybody), by strength and by what the team lacks. */
	add(need) {
		const fitting = this.roster.mons.filter(mon => (!need || need(mon)) && this.mayJoin(mon));
		const weights = fitting.map(mon => mon.strength * this.fit(mon));
		for (let tries = 0; tries < 8 && fitting.length; tries++) {
			const mon = fitting[this.draw(weights)];
			const set = this.set(mon, need);
			if (!set) continue;
			this.members.push({mon, set});
			this.items.add(toID(set.item));
			return true;
		}
		return false;
	}

	mayJoin(mon) {
		const restricted = this.members.filter(member => member.mon.isRestricted).length;
		return !this.members.some(member => member.mon.species.num === mon.species.num) &&
			!(mon.isRestricted && restricted >= this.roster.restricted) &&
			!(this.field === undefined && this.plan !== 'offense' && mon.abilities.length === 1 && WEATHER_ABILITIES.has(mon.abilities[0]));
	}

	/** Return a factor for how well one fits in: shared weaknesses and types count against it. */
	fit(mon) {
		const {dex} = this.roster;
		let factor = 1;
		for (const type of this.roster.types) {
			const weakness = each => dex.getImmunity(type, each.types) ? dex.getEffectiveness(type, each.types) : -2;
			const own = weakness(mon.species);
			if (!own) continue;
			const others = this.members.map(member => weakness(member.mon.species));
			const weak = others.filter(each => each > 0).length, safe = others.filter(each => each < 0).length;
			if (own > 0) factor *= [1, 0.85, 0.45, 0.15, 0.05, 0.05][Math.max(0, weak - Math.floor(safe / 2))];
			else if (weak >= 2) factor *= 1.25;
		}
		for (const type of mon.species.types) {
			const same = this.members.filter(member => member.mon.species.types.includes(type)).length;
			const isWanted = this.field?.types.includes(type);
			factor *= [1, isWanted ? 0.8 : 0.55, isWanted ? 0.4 : 0.15, 0.03, 0.01, 0.01][same];
		}
		const {spe} = mon.species.baseStats;
		if (this.plan === 'trick-room') factor *= spe <= 45 ? 2 : spe <= 65 ? 1.2 : spe <= 90 ? 0.4 : 0.1;
		if (['tailwind', 'offense'].includes(this.plan)) factor *= spe >= 80 ? 1.4 : 0.7;
		if (this.field) factor *= this.profits(mon) ? 1.8 : mon.species.types.some(type => this.field.spoiled.includes(type)) ? 0.35 : 1;
		return this.spoils(this.ability(mon, null)) ? factor * 0.02 : factor;
	}

	/** Return whether an ability sets another weather or terrain than the team is built on. */
	spoils(ability) {
		const set = this.field?.setters || this.members.map(member => toID(member.set.ability)).filter(name => SETTERS.has(name));
		return SETTERS.has(ability) && set.length > 0 && !set.includes(ability);
	}

	draw(weights) {
		let left = this.prng.random() * weights.reduce((sum, each) => sum + each, 0);
		const index = weights.findIndex(each => (left -= each) < 0);
		return index < 0 ? weights.length - 1 : index;
	}

	chance(share) {
		return this.prng.random() < share;
	}

	// ---- one Pokémon ----

	set(mon, need) {
		const {species} = mon, stats = species.baseStats;
		const ability = this.ability(mon, need);
		const mega = this.mega(mon);
		const body = mega ? mega[1] : species;
		const wanted = need ? mon.support.filter(id => need({...NOBODY, skills: new Set([id])})) : [];
		const bulk = Math.sqrt(stats.hp * (stats.def + stats.spd) / 2), might = Math.max(stats.atk, stats.spa);
		const leaning = Math.min(0.9, mon.talent / 28) * (might < 90 ? 1 : might < 105 ? 0.6 : might < 120 ? 0.3 : 0.1);
		const isSupporter = !mega && this.chance(wanted.length && might < 115 ? Math.max(leaning, 0.6) : leaning);
		const role = {isSupporter, bulk, ability, mega, isSlow: this.plan === 'trick-room' && stats.spe <= 70,
			isFast: stats.spe >= 85 && this.plan !== 'trick-room' || ability === 'speedboost'};
		const item = mega ? mega[0] : mon.required[0] ? toID(mon.required[0]) : this.item(mon, role);
		if (item === null) return null;
		const moves = this.moves(mon, role, item, wanted);
		if (moves.length < 4) return null;
		const kinds = moves.map(id => this.roster.dex.moves.get(id).category);
		const isPhysical = kinds.includes('Physical'), isSpecial = kinds.includes('Special');
		const {nature, evs, ivs} = this.body(mon, role, isPhysical, isSpecial, moves);
		const set = {
			name: '', species: species.name, item: this.roster.dex.items.get(item).name,
			ability: this.roster.dex.abilities.get(ability).name, moves: moves.map(id => this.roster.dex.moves.get(id).name),
			nature, evs, ivs, level: 50,
		};
		if (!this.roster.isMega) set.teraType = species.forceTeraType || this.tera(mon, moves, body);
		if (this.roster.validator.validateSet({...set, evs: {...evs}, ivs: {...ivs}}, {})) return null;
		if (mega) this.megas++;
		return set;
	}

	mega(mon) {
		if (!mon.stones.length || this.megas >= 2 || !this.chance(this.megas ? 0.35 : 0.9)) return null;
		const fitting = mon.stones.filter(([, form]) => !this.spoils(toID(form.abilities[0])));
		const [own, other] = mon.offence === 'atk' ? ['atk', 'spa'] : ['spa', 'atk'];
		const suiting = fitting.filter(([, {baseStats}]) => baseStats[own] >= baseStats[other]);
		const stones = suiting.length ? suiting : fitting;
		return stones.length ? this.prng.sample(stones) : null;
	}

	ability(mon, need) {
		const worth = name => {
			const isNeeded = need?.({...NOBODY, abilities: [name]});
			const profits = this.field?.abilities.includes(name) || this.field?.setters.includes(name);
			const isIdle = WEATHER_ABILITIES.has(name) && !profits;
			return (isNeeded ? 100 : 0) + (profits ? 30 : 0) - (isIdle ? 3 : 0) + (GOOD_ABILITIES[name] || 0);
		};
		return mon.abilities.map(name => [worth(name), name]).sort((a, b) => b[0] - a[0])[0][1];
	}

	moves(mon, role, item, wanted) {
		const chosen = wanted.slice(0, role.isSupporter ? 2 : 1); // the best first
		if (this.plan === 'trick-room' && mon.moves.has('trickroom') && !chosen.includes('trickroom') && role.isSupporter) chosen.unshift('trickroom');
		const isChoice = item.startsWith('choice'), isVest = item === 'assaultvest';
		const isStatus = id => this.roster.dex.moves.get(id).category === 'Status';
		if (isChoice || isVest) chosen.splice(0, chosen.length, ...chosen.filter(id => !isStatus(id)));
		const takes = id => !chosen.includes(id) && mon.moves.has(id) && !((isChoice || isVest) && isStatus(id));
		const hasProtect = !isChoice && !isVest && mon.moves.has('protect') && (!role.isSupporter || this.chance(0.55));
		const attacks = isChoice || isVest ? 4 : role.isSupporter ? 1 : hasProtect ? 3 : 4;
		const room = () => 4 - chosen.length - (hasProtect ? 1 : 0);
		this.addAttacks(mon, chosen, Math.max(1, Math.min(role.isSupporter ? 1 : 2, room())));
		if (role.isSupporter) {
			const useful = mon.support.filter(id => takes(id) && (id !== 'tailwind' || this.plan !== 'trick-room') &&
				(id !== 'trickroom' || this.plan === 'trick-room') && (id !== 'auroraveil' || this.plan === 'snow'));
			while (room() > 0 && useful.length) {
				const [id] = useful.splice(this.draw(useful.map(each => SUPPORT[each] ** 1.5)), 1);
				if (!this.clashes(chosen, id)) chosen.push(id);
			}
			const heals = RECOVERY.filter(takes);
			if (room() > 0 && heals.length) chosen.push(heals[0]);
		} else if (!isChoice && !isVest && role.ability !== 'moxie' && this.chance(0.3)) {
			const setup = SETUP[mon.offence].filter(id => takes(id) && (id !== 'bellydrum' || this.plan === 'trick-room'));
			if (setup.length && room() > 0) chosen.push(setup[0]);
		} else if (takes('fakeout') && room() > 0 && mon.species.baseStats.spe < 115) {
			chosen.push('fakeout');
		}
		if (chosen.filter(id => !isStatus(id)).length < attacks) this.addAttacks(mon, chosen, room());
		for (const id of ['helpinghand', 'substitute', 'taunt', 'willowisp']) if (room() > 0 && takes(id)) chosen.push(id);
		if (hasProtect) chosen.push('protect');
		return [...new Set(chosen)];
	}

	/** Return whether two support moves want the same thing. */
	clashes(chosen, id) {
		const groups = [['icywind', 'electroweb', 'bulldoze'], ['followme', 'ragepowder'], ['spore', 'sleeppowder', 'yawn'],
			['willowisp', 'thunderwave', 'nuzzle'], ['tailwind', 'trickroom'], ['uturn', 'voltswitch', 'flipturn', 'partingshot']];
		return groups.some(group => group.includes(id) && group.some(other => chosen.includes(other)));
	}

	/** Add the attacks that together do most to the format's strongest. */
	addAttacks(mon, chosen, count) {
		const {dex, defenders} = this.roster;
		const worth = attack => attack.worth * (this.field?.moves[attack.move.id] ?
			this.field.moves[attack.move.id] : 1) *
			(this.field?.types.includes(attack.move.type) ? 1.3 : this.field?.spoiled.includes(attack.move.type) ? 0.6 : 1);
		const damage = (attack, types) => dex.getImmunity(attack.move.type, types) ?
			worth(attack) * 2 ** dex.getEffectiveness(attack.move.type, types) : 0;
		const known = chosen.map(id => mon.attacks.find(attack => attack.move.id === id)).filter(Boolean);
		for (let i = 0; i < count; i++) {
			const open = mon.attacks.filter(attack => !chosen.includes(attack.move.id) && !(attack.isBound && !this.field?.moves[attack.move.id]) &&
				!known.some(other => other.move.type === attack.move.type && attack.move.priority <= 0)).slice(0, 24);
			if (!open.length) return;
			const total = attack => defenders.reduce((sum, types) =>
				sum + Math.max(damage(attack, types), ...known.map(other => damage(other, types))), 0) *
				(attack.isStab && !known.some(other => other.isStab) ? 1.5 : 1) * (0.97 + 0.06 * this.prng.random());
			const best = open.map(attack => [total(attack), attack]).sort((a, b) => b[0] - a[0])[0][1];
			known.push(best);
			chosen.push(best.move.id);
		}
	}

	item(mon, {isSupporter, bulk, ability, isFast}) {
		const {species} = mon;
		const isFree = id => !this.items.has(id) && this.roster.allows(id);
		const weighted = {};
		const offer = (id, weight) => isFree(id) && (weighted[id] = weight);
		if (species.nfe) return isFree('eviolite') ? 'eviolite' : null;
		if (['protosynthesis', 'quarkdrive'].includes(ability) && this.plan !== 'sun' && this.plan !== 'electric') offer('boosterenergy', 30);
		const first = mon.attacks[0].move.type;
		offer('sitrusberry', isSupporter ? 8 : 3);
		offer('leftovers', bulk > 90 ? 5 : 2);
		offer('covertcloak', 2);
		offer('safetygoggles', 2);
		offer('lumberry', 2);
		if (isSupporter) {
			offer('mentalherb', mon.moves.has('trickroom') || mon.moves.has('tailwind') ? 6 : 1);
			offer('rockyhelmet', bulk > 85 ? 4 : 0.5);
			if (bulk < 80) offer('focussash', 6);
		} else {
			offer('lifeorb', 6);
			offer('focussash', bulk < 85 ? 7 : 1);
			offer(USUAL_ITEMS[first], 4);
			offer('clearamulet', mon.offence === 'atk' ? 4 : 0.2);
			offer('expertbelt', 1);
			if (mon.attacks.length >= 4) {
				offer(mon.offence === 'atk' ? 'choiceband' : 'choicespecs', 3);
				offer('choicescarf', this.plan === 'trick-room' ? 0 : isFast ? 1.5 : 2.5);
				offer('assaultvest', bulk > 88 ? 6 : 0);
			}
			offer('whiteherb', mon.attacks.slice(0, 3).some(each => each.worth && each.move.self?.boosts) ? 2 : 0);
		}
		const names = Object.keys(weighted).filter(id => weighted[id] > 0);
		return names.length ? names[this.draw(names.map(id => weighted[id]))] : null;
	}

	body(mon, {isSupporter, bulk, isSlow, isFast}, isPhysical, isSpecial, moves) {
		const stats = mon.species.baseStats;
		const weaker = stats.def <= stats.spd ? 'def' : 'spd';
		const attack = isPhysical && !isSpecial ? 'atk' : isSpecial && !isPhysical ? 'spa' : mon.offence;
		const least = attack === 'atk' ? 'spa' : 'atk';
		const ivs = {};
		if (!this.roster.isMega && !isPhysical) ivs.atk = 0;
		if (!this.roster.isMega && isSlow) ivs.spe = 0;
		const natureOf = (plus, minus) => this.roster.dex.natures.all().find(each => each.plus === plus && each.minus === minus).name;
		if (isSlow) {
			const plus = isSupporter ? weaker : attack;
			return {nature: natureOf(plus, 'spe'), evs: this.roster.spread(['hp', plus, isSupporter ? attack : weaker]), ivs};
		}
		if (isSupporter) {
			const isHasty = stats.spe >= 100 && moves.includes('tailwind') && bulk < 90;
			return isHasty ? {nature: natureOf('spe', least), evs: this.roster.spread(['hp', 'spe', weaker]), ivs} :
				{nature: natureOf(weaker, least), evs: this.roster.spread(['hp', weaker, attack]), ivs};
		}
		if (isFast || bulk < 75) return {nature: natureOf(this.chance(0.6) ? 'spe' : attack, least), evs: this.roster.spread([attack, 'spe', 'hp']), ivs};
		return {nature: natureOf(attack, least), evs: this.roster.spread(['hp', attack, weaker]), ivs};
	}

	/** Return a type to change to: of an attack, or one that takes the Pokémon's weaknesses. */
	tera(mon, moves) {
		const {dex, types} = this.roster;
		const attack = moves.map(id => dex.moves.get(id)).find(move => move.category !== 'Status' && mon.species.types.includes(move.type));
		if (attack && this.chance(0.4)) return attack.type;
		const factor = (type, own) => dex.getImmunity(type, own) ? 2 ** dex.getEffectiveness(type, own) : 0;
		const weak = types.filter(type => factor(type, mon.species.types) > 1);
		const worth = type => weak.reduce((sum, foe) => sum + 1 - factor(foe, [type]), 0) -
			0.3 * types.filter(foe => factor(foe, [type]) > 1).length + 0.8 * this.prng.random();
		return types.filter(type => !mon.species.types.includes(type)).map(type => [worth(type), type]).sort((a, b) => b[0] - a[0])[0][1];
	}
}

const rosters = new Map();

/**
 * Return `count` teams as [name, packed], the plans in turn.
 *
 * @param known packed teams, of which no new one shares more than four species with any
 */
function generate(formatId, count, seed, known) {
	if (!rosters.has(formatId)) rosters.set(formatId, new Roster(formatId));
	const found = rosters.get(formatId);
	const prng = new PRNG(`sodium,${crypto.createHash('sha256').update(`${formatId} ${seed}`).digest('hex').slice(0, 32)}`);
	const taken = known.map(speciesOf);
	const teams = [];
	let plan = 0;
	for (let tries = 0; teams.length < count; tries++) {
		if (tries > MOST_TRIES * count) throw new Error(`only ${teams.length} teams could be built in ${formatId}`);
		const name = PLANS[plan % PLANS.length];
		const sets = new Builder(found, name, prng).build();
		if (!sets && tries % MOST_TRIES === MOST_TRIES - 1) plan++; // nobody of this format can carry it out
		if (!sets || found.validator.validateTeam(sets.map(set => ({...set, evs: {...set.evs}, ivs: {...set.ivs}})))) continue;
		const packed = Teams.pack(sets), species = speciesOf(packed);
		if (taken.some(other => [...species].filter(each => other.has(each)).length > MOST_SHARED)) continue;
		taken.push(species);
		plan++;
		teams.push([`${name}-${crypto.createHash('sha256').update(packed).digest('hex').slice(0, 6)}`, packed]);
	}
	return teams;
}

function speciesOf(packed) {
	return new Set(Teams.unpack(packed).map(set => Dex.species.get(set.species || set.name).baseSpecies));
}

module.exports = {generate};
