/**
 * Estimate damage from public information: the formula of the games (main series, generation 9).
 *
 * Stats of the own side are exact, those of the foe are of its species at its level with middling
 * effort values. An estimate is the mean roll, without chance effects, as a fraction of the
 * target's maximum HP.
 */
'use strict';

const EFFORT = 21;
/** Of 510 effort values over six stats, a quarter counts: what a stat has on average. */
const MEAN_ROLL = 0.925;

/** Items that strengthen a type's moves; the first of a type is the usual one. */
const TYPE_ITEMS = {
	charcoal: 'Fire', mysticwater: 'Water', miracleseed: 'Grass', magnet: 'Electric', nevermeltice: 'Ice',
	blackbelt: 'Fighting', poisonbarb: 'Poison', softsand: 'Ground', sharpbeak: 'Flying', twistedspoon: 'Psychic',
	silverpowder: 'Bug', hardstone: 'Rock', spelltag: 'Ghost', dragonfang: 'Dragon', blackglasses: 'Dark',
	metalcoat: 'Steel', silkscarf: 'Normal', fairyfeather: 'Fairy', seaincense: 'Water',
	flameplate: 'Fire', splashplate: 'Water', meadowplate: 'Grass', zapplate: 'Electric', icicleplate: 'Ice',
	fistplate: 'Fighting', toxicplate: 'Poison', earthplate: 'Ground', skyplate: 'Flying', mindplate: 'Psychic',
	insectplate: 'Bug', stoneplate: 'Rock', spookyplate: 'Ghost', dracoplate: 'Dragon', dreadplate: 'Dark',
	ironplate: 'Steel', pixieplate: 'Fairy',
};
const RESIST_BERRIES = {
	occaberry: 'Fire', passhoberry: 'Water', rindoberry: 'Grass', wacanberry: 'Electric', yacheberry: 'Ice',
	chopleberry: 'Fighting', kebiaberry: 'Poison', shucaberry: 'Ground', cobaberry: 'Flying', payapaberry: 'Psychic',
	tangaberry: 'Bug', chartiberry: 'Rock', kasibberry: 'Ghost', habanberry: 'Dragon', colburberry: 'Dark',
	babiriberry: 'Steel', chilanberry: 'Normal', roseliberry: 'Fairy',
};
const IMMUNE_ABILITIES = {
	levitate: 'Ground', eartheater: 'Ground', flashfire: 'Fire', wellbakedbody: 'Fire', waterabsorb: 'Water',
	stormdrain: 'Water', dryskin: 'Water', voltabsorb: 'Electric', lightningrod: 'Electric', motordrive: 'Electric',
	sapsipper: 'Grass',
};
const FLAG_ABILITIES = {
	ironfist: ['punch', 1.2], strongjaw: ['bite', 1.5], sharpness: ['slicing', 1.5], megalauncher: ['pulse', 1.5],
	toughclaws: ['contact', 1.3], punkrock: ['sound', 1.3],
};
const TYPE_ABILITIES = {
	transistor: ['Electric', 1.3], dragonsmaw: ['Dragon', 1.5], steelworker: ['Steel', 1.5], waterbubble: ['Water', 2],
	rockypayload: ['Rock', 1.5], steelyspirit: ['Steel', 1.5],
};
const TYPE_CHANGERS = { pixilate: 'Fairy', aerilate: 'Flying', refrigerate: 'Ice', galvanize: 'Electric', dragonize: 'Dragon' };
const SPREAD = new Set(['allAdjacent', 'allAdjacentFoes']);
const MOLD_BREAKERS = new Set(['moldbreaker', 'teravolt', 'turboblaze']);
/** What a move does of which no table knows anything, as "recharge": nothing. */
const UNKNOWN_MOVE = Object.freeze({
	id: '', basePower: 0, accuracy: true, priority: 0, category: 'Status', type: '???', target: 'self', flags: Object.freeze({}),
});
const BOOSTS = [2 / 8, 2 / 7, 2 / 6, 2 / 5, 2 / 4, 2 / 3, 1, 1.5, 2, 2.5, 3, 3.5, 4];

/** Base powers that depend on the battle. */
const POWERS = {
	eruption: byHealth, waterspout: byHealth, dragonenergy: byHealth,
	facade: attacker => attacker.mon.status ? 140 : 70,
	hex: ifHurt, infernalparade: ifHurt,
	acrobatics: attacker => attacker.item ? 55 : 110,
	knockoff: (_, target) => target.item ? 97.5 : 65,
	weatherball: (_, target, state) => state.weather ? 100 : 50,
	terrainpulse: (_, target, state) => state.terrain ? 100 : 50,
	expandingforce: (_, target, state) => state.terrain === 'psychicterrain' ? 120 : 80,
	risingvoltage: (_, target, state) => state.terrain === 'electricterrain' ? 140 : 70,
	lastrespects: attacker => 50 * (1 + Math.min(attacker.faintedAllies, 5)),
	ragefist: () => 50,
	storedpower: byBoosts, powertrip: byBoosts,
	lowkick: byWeight, grassknot: byWeight,
	heavyslam: byHeaviness, heatcrash: byHeaviness,
	gyroball: (attacker, target) => Math.min(150, 25 * target.stats.spe / Math.max(1, attacker.stats.spe) + 1),
	electroball: (attacker, target) => {
		const ratio = attacker.stats.spe / Math.max(1, target.stats.spe);
		return ratio >= 4 ? 150 : ratio >= 3 ? 120 : ratio >= 2 ? 80 : ratio >= 1 ? 60 : 40;
	},
	terablast: attacker => attacker.mon.terastallized === 'Stellar' ? 100 : 80,
	tripleaxel: () => 40,
	populationbomb: () => 20,
};

function byHealth(attacker) {
	return 150 * attacker.mon.hp;
}

function ifHurt(_, target, state, power) {
	return power * (target.mon.status ? 2 : 1);
}

function byBoosts({ mon }) {
	let count = 0;
	for (const stat in mon.boosts) count += Math.max(0, mon.boosts[stat]);
	return 20 + 20 * count;
}

function byWeight(_, target) {
	const kg = target.mon.species.weightkg;
	return kg >= 200 ? 120 : kg >= 100 ? 100 : kg >= 50 ? 80 : kg >= 25 ? 60 : kg >= 10 ? 40 : 20;
}

function byHeaviness(attacker, target) {
	const ratio = attacker.mon.species.weightkg / Math.max(0.1, target.mon.species.weightkg);
	return ratio >= 5 ? 120 : ratio >= 4 ? 100 : ratio >= 3 ? 80 : ratio >= 2 ? 60 : 40;
}

const MOVE_FIELDS = [
	'id', 'name', 'basePower', 'accuracy', 'priority', 'category', 'type', 'target', 'flags', 'multihit', 'damage', 'ohko',
	'willCrit', 'ignoreAbility', 'ignoreDefensive', 'overrideOffensiveStat', 'overrideDefensiveStat',
	'overrideOffensivePokemon', 'secondaries', 'recoil', 'stallingMove', 'heal', 'drain', 'boosts', 'self',
];
const moves = new WeakMap();

/** Return what is asked of the move of an id: all have the same fields in the same order, which are read faster. */
function moveOf(dex, id) {
	const move = dex.moves.get(id);
	let found = moves.get(move);
	if (found) return found;
	if (!move.exists) return UNKNOWN_MOVE; // the simulator itself returns one without numbers
	found = { power: POWERS[move.id] };
	for (const field of MOVE_FIELDS) found[field] = unique(move[field]);
	moves.set(move, found);
	return found;
}

/** Return a text as the one that the engine keeps of all its equals: two of them are quickly compared. */
function unique(value) {
	return typeof value === 'string' ? Object.keys({ [value]: 0 })[0] : value;
}

function boosted(value, stage) {
	return value * BOOSTS[stage + 6];
}

class Damage {
	constructor(dex) {
		this.dex = dex;
		this.chart = new Map();
		const types = dex.types.names().filter(name => name !== 'Stellar');
		for (const attack of types) {
			const row = new Map();
			for (const defence of types) {
				const factor = dex.getImmunity(attack, [defence]) ? 2 ** dex.getEffectiveness(attack, [defence]) : 0;
				row.set(defence, factor);
			}
			this.chart.set(attack, row);
		}
		this.estimates = new Map();
	}

	/** Stats before boosts, with 'hp', as the species has them at that level with middling effort. */
	estimate(species, level) {
		const key = species.id + level;
		let stats = this.estimates.get(key);
		if (!stats) {
			stats = {};
			for (const stat of ['hp', 'atk', 'def', 'spa', 'spd', 'spe']) {
				const core = Math.floor((2 * species.baseStats[stat] + 31 + EFFORT) * level / 100);
				stats[stat] = stat === 'hp' ? core + level + 10 : core + 5;
			}
			this.estimates.set(key, stats);
		}
		return stats;
	}

	effectiveness(type, types, moveId) {
		const row = this.chart.get(type);
		if (!row) return 1;
		let factor = 1;
		for (const other of types) {
			if (moveId === 'freezedry' && other === 'Water') factor *= 2;
			else factor *= row.get(other) ?? 1;
		}
		if (moveId === 'flyingpress') {
			for (const other of types) factor *= this.chart.get('Flying').get(other) ?? 1;
		}
		return factor;
	}

	/** Speed with everything that is known to change it. */
	speed(fighter, state, side) {
		const { mon } = fighter;
		let speed = boosted(fighter.stats.spe, mon.boosts.spe);
		const ability = fighter.ability, weather = state.weather;
		if (fighter.item === 'choicescarf') speed *= 1.5;
		else if (fighter.item === 'ironball') speed /= 2;
		if ((ability === 'swiftswim' && (weather === 'raindance' || weather === 'primordialsea')) ||
			(ability === 'chlorophyll' && (weather === 'sunnyday' || weather === 'desolateland')) ||
			(ability === 'sandrush' && weather === 'sandstorm') ||
			(ability === 'slushrush' && (weather === 'snow' || weather === 'snowscape' || weather === 'hail')) ||
			(ability === 'surgesurfer' && state.terrain === 'electricterrain') ||
			(ability === 'unburden' && mon.item === '' && mon.sheet && mon.sheet.item)) speed *= 2;
		if (mon.volatiles.has('protosynthesisspe') || mon.volatiles.has('quarkdrivespe')) speed *= 1.5;
		if (side.conditions.has('tailwind')) speed *= 2;
		if (mon.status === 'par' && ability !== 'quickfeet') speed /= 2;
		return speed;
	}

	/** The type that a move would have. */
	moveType(move, attacker, state, isTera) {
		const { mon } = attacker;
		const tera = isTera ? mon.teraType : mon.terastallized;
		if (move.id === 'terablast' && tera) return tera;
		if (move.id === 'weatherball') {
			if (state.weather === 'sunnyday' || state.weather === 'desolateland') return 'Fire';
			if (state.weather === 'raindance' || state.weather === 'primordialsea') return 'Water';
			if (state.weather === 'sandstorm') return 'Rock';
			if (state.weather === 'snow' || state.weather === 'snowscape' || state.weather === 'hail') return 'Ice';
		}
		if (move.id === 'ivycudgel' || move.id === 'ragingbull') {
			const forme = mon.species.types[mon.species.types.length - 1];
			return forme;
		}
		if (move.id === 'revelationdance') return mon.types[0];
		if (move.type === 'Normal' && TYPE_CHANGERS[attacker.ability]) return TYPE_CHANGERS[attacker.ability];
		return move.type;
	}

	/**
	 * Mean damage as a fraction of the target's maximum HP.
	 *
	 * @param attacker, target {mon, stats, maxhp, ability, item, faintedAllies}
	 * @param isSpread whether the move hits more than one at once
	 * @param isTera whether the attacker terastallizes first
	 */
	fraction(move, attacker, target, state, targetSide, isSpread, isTera, ruins) {
		if (move.category === 'Status') return 0;
		const defender = target.mon;
		const type = this.moveType(move, attacker, state, isTera);
		const breaks = MOLD_BREAKERS.has(attacker.ability) || move.ignoreAbility;
		const targetAbility = breaks || (defender.volatiles.size && defender.volatiles.has('gastroacid')) ? '' : target.ability;
		let effect = this.effectiveness(type, defender.addedType ? [...defender.types, defender.addedType] : defender.types, move.id);
		if (effect === 0 && (attacker.ability === 'scrappy' || attacker.ability === 'mindseye') &&
			(type === 'Normal' || type === 'Fighting')) effect = 1;
		if (effect === 0 && move.id === 'thousandarrows') effect = 1;
		if (effect === 0) return 0;
		if (IMMUNE_ABILITIES[targetAbility] === type && move.id !== 'thousandarrows') return 0;
		if (target.item === 'airballoon' && type === 'Ground') return 0;
		if ((targetAbility === 'bulletproof' && move.flags.bullet) || (targetAbility === 'soundproof' && move.flags.sound)) return 0;
		if (targetAbility === 'wonderguard' && effect <= 1) return 0;
		if (move.priority > 0 && state.terrain === 'psychicterrain' && this.isGrounded(target)) return 0;
		if (move.id === 'fakeout' || move.id === 'firstimpression') {
			if (attacker.mon.lastMove !== null) return 0;
		}
		if (move.damage === 'level') return attacker.mon.level / target.maxhp;
		if (typeof move.damage === 'number') return move.damage / target.maxhp;
		if (move.id === 'superfang' || move.id === 'ruination' || move.id === 'naturesmadness') return defender.hp / 2;
		if (move.id === 'endeavor') return Math.max(0, defender.hp - attacker.mon.hp * attacker.maxhp / target.maxhp);
		if (move.ohko) return 0.3;
		let power = move.power ? move.power(attacker, target, state, move.basePower) : move.basePower;
		if (!power) return 0;
		if (attacker.ability === 'technician' && power <= 60) power *= 1.5;

		const physical = move.category === 'Physical' || (move.id === 'terablast' &&
			boosted(attacker.stats.atk, attacker.mon.boosts.atk) > boosted(attacker.stats.spa, attacker.mon.boosts.spa));
		const offence = move.overrideOffensiveStat || (physical ? 'atk' : 'spa');
		const defence = move.overrideDefensiveStat || (physical ? 'def' : 'spd');
		const source = move.overrideOffensivePokemon === 'target' ? target : attacker;
		const isCritical = move.willCrit;
		let attackStage = targetAbility === 'unaware' ? 0 : source.mon.boosts[offence];
		let defenceStage = attacker.ability === 'unaware' || move.ignoreDefensive ? 0 : defender.boosts[defence];
		if (isCritical) {
			attackStage = Math.max(0, attackStage);
			defenceStage = Math.min(0, defenceStage);
		}
		let attack = boosted(source.stats[offence], attackStage);
		let guard = boosted(target.stats[defence], defenceStage);

		const own = attacker.mon, item = attacker.item;
		if (attacker.ability === 'hugepower' || attacker.ability === 'purepower') { if (physical) attack *= 2; }
		else if (attacker.ability === 'hustle' && physical) attack *= 1.5;
		else if (attacker.ability === 'guts' && own.status && physical) attack *= 1.5;
		else if (attacker.ability === 'solarpower' && state.weather === 'sunnyday' && !physical) attack *= 1.5;
		else if (attacker.ability === 'orichalcumpulse' && state.weather === 'sunnyday' && physical) attack *= 4 / 3;
		else if (attacker.ability === 'hadronengine' && state.terrain === 'electricterrain' && !physical) attack *= 4 / 3;
		// Most have none: do not even put the names together.
		if (own.volatiles.size && (own.volatiles.has('protosynthesis' + offence) || own.volatiles.has('quarkdrive' + offence))) attack *= 1.3;
		if (defender.volatiles.size && (defender.volatiles.has('protosynthesis' + defence) ||
			defender.volatiles.has('quarkdrive' + defence))) guard *= 1.3;
		if (item === 'choiceband' && physical) attack *= 1.5;
		else if (item === 'choicespecs' && !physical) attack *= 1.5;
		if (target.item === 'assaultvest' && defence === 'spd') guard *= 1.5;
		else if (target.item === 'eviolite' && defender.species.nfe) guard *= 1.5;
		if (targetAbility === 'furcoat' && defence === 'def') guard *= 2;
		if (state.weather === 'sandstorm' && defence === 'spd' && defender.types.includes('Rock')) guard *= 1.5;
		if ((state.weather === 'snow' || state.weather === 'snowscape') && defence === 'def' && defender.types.includes('Ice')) guard *= 1.5;
		if (ruins) {
			if (ruins.sword && defence === 'def' && target.ability !== 'swordofruin') guard *= 0.75;
			if (ruins.beads && defence === 'spd' && target.ability !== 'beadsofruin') guard *= 0.75;
			if (ruins.tablets && offence === 'atk' && attacker.ability !== 'tabletsofruin') attack *= 0.75;
			if (ruins.vessel && offence === 'spa' && attacker.ability !== 'vesselofruin') attack *= 0.75;
		}

		let factor = effect * MEAN_ROLL;
		if (isSpread) factor *= 0.75;
		if (isCritical) factor *= 1.5;
		const weather = state.weather;
		if (weather === 'sunnyday' || weather === 'desolateland') {
			if (type === 'Fire') factor *= 1.5;
			else if (type === 'Water') factor *= move.id === 'hydrosteam' ? 1.5 : weather === 'desolateland' ? 0 : 0.5;
		} else if (weather === 'raindance' || weather === 'primordialsea') {
			if (type === 'Water') factor *= 1.5;
			else if (type === 'Fire') factor *= weather === 'primordialsea' ? 0 : 0.5;
		}
		if (state.terrain && this.isGrounded(attacker)) {
			if ((state.terrain === 'electricterrain' && type === 'Electric') ||
				(state.terrain === 'grassyterrain' && type === 'Grass') ||
				(state.terrain === 'psychicterrain' && type === 'Psychic')) factor *= 1.3;
		}
		if (state.terrain === 'mistyterrain' && type === 'Dragon' && this.isGrounded(target)) factor *= 0.5;
		if (state.terrain === 'grassyterrain' && (move.id === 'earthquake' || move.id === 'bulldoze')) factor *= 0.5;

		const tera = isTera ? own.teraType : own.terastallized;
		const isOriginal = own.species.types.includes(type);
		if (tera === 'Stellar') factor *= isOriginal ? 2 : 1.2;
		else if (tera === type) factor *= isOriginal ? 2 : 1.5;
		else if (isOriginal || (!tera && own.types.includes(type))) factor *= 1.5;
		if (attacker.ability === 'adaptability' && isOriginal) factor *= 4 / 3;
		if (tera === type && power < 60 && !move.multihit && move.priority <= 0) power = 60;

		const flags = FLAG_ABILITIES[attacker.ability];
		if (flags && move.flags[flags[0]]) factor *= flags[1];
		const typed = TYPE_ABILITIES[attacker.ability];
		if (typed && typed[0] === type) factor *= typed[1];
		if (attacker.ability === 'sheerforce' && move.secondaries) factor *= 1.3;
		else if (attacker.ability === 'reckless' && move.recoil) factor *= 1.2;
		else if (attacker.ability === 'sandforce' && weather === 'sandstorm' &&
			(type === 'Rock' || type === 'Ground' || type === 'Steel')) factor *= 1.3;
		else if (TYPE_CHANGERS[attacker.ability] && move.type === 'Normal') factor *= 1.2;
		else if (attacker.ability === 'tintedlens' && effect < 1) factor *= 2;
		else if (attacker.ability === 'neuroforce' && effect > 1) factor *= 1.25;
		else if (own.hp <= 1 / 3 && ((attacker.ability === 'blaze' && type === 'Fire') ||
			(attacker.ability === 'torrent' && type === 'Water') ||
			(attacker.ability === 'overgrow' && type === 'Grass') ||
			(attacker.ability === 'swarm' && type === 'Bug'))) factor *= 1.5;
		if (own.volatiles.size) {
			if (own.volatiles.has('flashfire') && type === 'Fire') factor *= 1.5;
			if (own.volatiles.has('helpinghand')) factor *= 1.5;
			if (own.volatiles.has('charge') && type === 'Electric') factor *= 2;
		}
		if (own.status === 'brn' && physical && attacker.ability !== 'guts' && move.id !== 'facade') factor *= 0.5;

		if (item === 'lifeorb') factor *= 1.3;
		else if (item === 'expertbelt' && effect > 1) factor *= 1.2;
		else if (item === 'muscleband' && physical) factor *= 1.1;
		else if (item === 'wiseglasses' && !physical) factor *= 1.1;
		else if (item === 'punchingglove' && move.flags.punch) factor *= 1.1;
		else if (item && TYPE_ITEMS[item] === type) factor *= 1.2;
		else if (own.species.baseSpecies === 'Ogerpon' && item && item.endsWith('mask')) factor *= 1.2;
		if (target.item && RESIST_BERRIES[target.item] === type && (effect > 1 || type === 'Normal')) factor *= 0.5;

		switch (targetAbility) {
		case 'thickfat': if (type === 'Fire' || type === 'Ice') factor *= 0.5; break;
		case 'heatproof': case 'waterbubble': if (type === 'Fire') factor *= 0.5; break;
		case 'purifyingsalt': if (type === 'Ghost') factor *= 0.5; break;
		case 'fluffy': if (type === 'Fire') factor *= 2; if (move.flags.contact) factor *= 0.5; break;
		case 'dryskin': if (type === 'Fire') factor *= 1.25; break;
		case 'icescales': if (!physical) factor *= 0.5; break;
		case 'multiscale': case 'shadowshield': if (defender.hp >= 1) factor *= 0.5; break;
		case 'filter': case 'solidrock': case 'prismarmor': if (effect > 1) factor *= 0.75; break;
		case 'punkrock': if (move.flags.sound) factor *= 0.5; break;
		case 'terashell': if (defender.hp >= 1 && effect > 0.5) factor *= 0.5 / effect; break;
		}
		if (!isCritical && targetSide && attacker.ability !== 'infiltrator' && move.id !== 'brickbreak' && move.id !== 'psychicfangs') {
			const conditions = targetSide.conditions;
			if (conditions.size && (conditions.has('auroraveil') || conditions.has(physical ? 'reflect' : 'lightscreen'))) factor *= 2 / 3;
		}
		if (target.hasFriendGuard) factor *= 0.75;

		let hits = 1;
		if (move.multihit) {
			hits = typeof move.multihit === 'number' ? move.multihit :
				attacker.ability === 'skilllink' ? move.multihit[1] : item === 'loadeddice' ? 4.5 : 3.1;
			if (move.id === 'populationbomb') hits = 6;
		}
		const base = (2 * own.level / 5 + 2) * power * attack / guard / 50 + 2;
		return base * factor * hits / target.maxhp;
	}

	isGrounded(fighter) {
		const { mon } = fighter;
		return !(mon.types.includes('Flying') || fighter.ability === 'levitate' || fighter.item === 'airballoon');
	}
}

module.exports = { Damage, SPREAD, TYPE_ITEMS, boosted, moveOf };
