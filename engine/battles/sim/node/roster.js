'use strict';
const {Dex, TeamValidator, toID} = require('pokemon-showdown/dist/sim');
const {FIELD_MOVES, SUPPORT, RECOVERY, AVOIDED, ALLIES_TOO, GOOD_ABILITIES} = require('./roles');

const STATS = ['hp', 'atk', 'def', 'spa', 'spd', 'spe'];

/** A format's Pokémon with what each can do; made once for each format. */
class Roster {
	constructor(formatId) {
		this.format = Dex.formats.get(formatId);
		this.dex = Dex.forFormat(this.format);
		this.rules = Dex.formats.getRuleTable(this.format);
		this.validator = TeamValidator.get(this.format);
		this.isMega = this.format.mod.startsWith('champions');
		this.restricted = this.rules.has('limittworestricted') ? 2 : this.rules.has('limitonerestricted') ? 1 : 0;
		this.types = this.dex.types.names().filter(type => type !== 'Stellar');
		this.mons = this.dex.species.all().map(species => this.mon(species)).filter(Boolean);
		this.defenders = this.mons.filter(mon => mon.strength > 0.5).map(mon => mon.species.types);
		for (const mon of this.mons) this.arm(mon);
		this.mons = this.mons.filter(mon => mon.attacks.length >= 2);
	}

	allows(item) {
		const found = this.dex.items.get(item);
		return found.exists && !found.isNonstandard && !this.rules.check(`item:${found.id}`, null);
	}

	mon(species) {
		if (!species.exists || species.isNonstandard || species.tier === 'Illegal' || species.battleOnly ||
			species.isMega || species.isCosmeticForme || species.requiredMove || species.requiredAbility && species.forme) return null;
		const required = species.requiredItems || (species.requiredItem ? [species.requiredItem] : []);
		const bulky = species.bst - species.baseStats.spe;
		if (species.nfe && (bulky < 400 || !this.allows('eviolite'))) return null;
		const moves = this.moves(species);
		const probe = {
			name: '', species: species.name, ability: species.abilities[0], moves: moves.slice(0, 1), nature: 'Serious',
			item: required[0] || '', evs: this.spread(['hp']), ivs: {}, level: 50,
		};
		if (!moves.length || this.validator.validateSet({...probe}, {})) return null;
		const stones = this.isMega ? this.stones(species) : [];
		return {
			species, moves: new Set(moves), required, stones, strength: this.strength(species, stones),
			isRestricted: species.tags.includes('Restricted Legendary'),
			abilities: [...new Set(Object.values(species.abilities))].map(toID),
		};
	}

	moves(species) {
		const pool = this.dex.species.getMovePool(species.id);
		return [...pool].sort().filter(id => {
			const move = this.dex.moves.get(id);
			return !move.isNonstandard && !this.validator.checkCanLearn(move, species);
		});
	}

	/** Return mega stones: [item, mega form]. */
	stones(species) {
		return this.dex.items.all().filter(item => !item.isNonstandard && item.megaStone).flatMap(item => {
			const form = typeof item.megaStone === 'string' ?
				toID(item.megaEvolves) === species.id && item.megaStone : item.megaStone[species.name];
			return form ? [[item.id, this.dex.species.get(form)]] : [];
		}).filter(([, form]) => form.exists && !form.isNonstandard);
	}

	/** Return how strong a Pokémon is, about 0 to 4: by its useful stats and its best ability. */
	strength(species, stones) {
		const of = each => {
			const s = each.baseStats;
			const offence = Math.max(s.atk, s.spa), bulk = Math.sqrt(s.hp * (s.def + s.spd) / 2);
			const speed = Math.max(s.spe, 110 - s.spe); // slow is good in Trick Room
			const ability = Math.max(...Object.values(each.abilities).map(name => GOOD_ABILITIES[toID(name)] || 0));
			return offence + bulk + 0.6 * speed + 5 * ability;
		};
		const best = Math.max(of(species), ...stones.map(([, form]) => of(form) - 12));
		return Math.exp((best - 285) / 22);
	}

	/** Rate a Pokémon's attacks, and choose what it is: physical or special. */
	arm(mon) {
		const found = [...mon.moves].map(id => this.attack(mon, this.dex.moves.get(id))).filter(Boolean);
		mon.attacks = found.sort((a, b) => b.worth - a.worth || (a.move.id < b.move.id ? -1 : 1));
		const best = category => found.filter(each => each.move.category === category)
			.slice(0, 3).reduce((sum, each) => sum + each.worth, 0);
		mon.offence = best('Physical') >= best('Special') ? 'atk' : 'spa';
		const foes = ['Physical', 'Special'][mon.offence === 'atk' ? 0 : 1];
		mon.attacks = mon.attacks.filter(each => each.move.category === foes);
		// Attackers support by what their better stat serves.
		const might = Math.max(mon.species.baseStats.atk, mon.species.baseStats.spa);
		const suits = move => move.category === 'Status' || move.id === 'fakeout' || move.category === foes || might < 90;
		mon.support = Object.keys(SUPPORT).filter(id => mon.moves.has(id) && SUPPORT[id] > 0 && suits(this.dex.moves.get(id)))
			.sort((a, b) => SUPPORT[b] - SUPPORT[a]);
		mon.talent = mon.support.slice(0, 3).reduce((sum, id) => sum + SUPPORT[id], 0);
		mon.skills = new Set([...mon.support, ...RECOVERY.filter(id => mon.moves.has(id))]);
	}

	attack(mon, move) {
		if (move.category === 'Status' || AVOIDED.has(move.id) || move.ohko || move.damage || move.damageCallback ||
			move.flags.recharge || move.flags.futuremove || move.priority < 0) return null;
		const power = (move.basePower || 0) * (Array.isArray(move.multihit) ? 3.1 : move.multihit || 1);
		const isPriority = move.priority > 0;
		const isBound = power < (isPriority ? 40 : 60) || move.flags.charge;
		if (isBound && !FIELD_MOVES.has(move.id)) return null;
		const {baseStats: stats, types} = mon.species;
		const stat = move.overrideOffensiveStat || (move.category === 'Physical' ? 'atk' : 'spa');
		const accuracy = move.accuracy === true ? 1 : (move.accuracy / 100) ** 1.5;
		let worth = Math.min(power, 130) * accuracy * (types.includes(move.type) ? 1.5 : 1) * (stats[stat] + 20) / 120;
		if (move.target === 'allAdjacentFoes') worth *= 1.25;
		if (move.target === 'allAdjacent') worth *= ALLIES_TOO;
		if (isPriority && move.id !== 'fakeout') worth *= 1.35;
		if (move.self?.boosts && Object.values(move.self.boosts).some(by => by < 0)) worth *= 0.88;
		if (move.recoil || move.mindBlownRecoil) worth *= 0.92;
		if (move.drain) worth *= 1.1;
		return {move, worth, isBound, isStab: types.includes(move.type)};
	}

	/** Return effort for these stats, the most important first; Champions counts 66 points, the others 510. */
	spread(stats) {
		const isPoints = this.rules.evLimit !== null && this.rules.evLimit < 200;
		const [most, rest] = isPoints ? [32, 2] : [252, 4];
		const evs = Object.fromEntries(STATS.map(stat => [stat, 0]));
		stats.slice(0, 2).forEach(stat => evs[stat] = most);
		if (stats[2]) evs[stats[2]] = rest;
		return evs;
	}
}

module.exports = {Roster};
