/**
 * What everybody may know of a battle, from the lines of the simulator's protocol.
 *
 * Lines are those of the spectators' channel, or of a player's own: nothing else gets in, so
 * nothing hidden does. Source of the lines: PROTOCOL.md and SIM-PROTOCOL.md of Pokémon Showdown.
 */
'use strict';

const { Teams } = require('pokemon-showdown/dist/sim/teams');

const STATS = ['atk', 'def', 'spa', 'spd', 'spe', 'accuracy', 'evasion'];
const MAX_IDS = 4096;
const NOT_ALPHANUMERIC = /[^a-z0-9]+/g;
const TERRAINS = new Set(['electricterrain', 'grassyterrain', 'mistyterrain', 'psychicterrain']);

const ids = new Map();

/** Return the id of a name; the same one each time, so that two are quickly compared. */
function toId(text) {
	let id = ids.get(text);
	if (id !== undefined) return id;
	[id] = Object.keys({ [text.toLowerCase().replace(NOT_ALPHANUMERIC, '')]: 0 });
	if (ids.size < MAX_IDS) ids.set(text, id);
	return id;
}

/** Return an effect's id: "move: Light Screen" and "Light Screen" are one. */
function effectId(text) {
	const colon = text.indexOf(': ');
	return toId(colon < 0 ? text : text.slice(colon + 2));
}

/** Return the share of health that "50/100" or "0" says, 0 to 1; 0 where it is none. */
function share(text) {
	const [hp, most = '100'] = text.split('/'); // "50/100g": a letter tells the colour of the bar at its borders
	return Math.max(0, Math.min(1, Number(hp) / parseInt(most, 10))) || 0;
}

function noBoosts() {
	return { atk: 0, def: 0, spa: 0, spd: 0, spe: 0, accuracy: 0, evasion: 0 };
}

class Mon {
	constructor(species, level, gender) {
		this.species = species;
		this.types = species.types;
		this.baseName = species.baseSpecies;
		this.level = level;
		this.gender = gender;
		/** Nickname; null: it has not been seen in battle. */
		this.ident = null;
		this.hp = 1;
		this.status = '';
		this.statusTurn = 0;
		this.fainted = false;
		this.moves = new Map();
		/** {moves, item, ability, teraType, nature} of an open team sheet. */
		this.sheet = null;
		/** Id; '': it has none any more; null: unknown. */
		this.item = null;
		this.ability = null;
		this.teraType = null;
		this.terastallized = '';
		this.isMega = false;
		this.slot = -1;
		this.seen = false;
		this.reset(0);
	}

	/** Forget what ends when it leaves the field. */
	reset(turn) {
		this.boosts = noBoosts();
		this.volatiles = new Map();
		this.single = [];
		this.since = turn;
		this.lastMove = null;
		this.protectCount = 0;
		this.addedType = '';
	}

	setSpecies(species) {
		this.species = species;
		this.types = this.terastallized && this.terastallized !== 'Stellar' ?
			[this.terastallized] : species.types;
	}
}

class Tracker {
	/**
	 * @param dex the format's Dex
	 * @param formatInfo {id, gimmick: 'tera' | 'mega', mod}
	 */
	constructor(dex, formatInfo) {
		this.dex = dex;
		this.format = formatInfo;
		const side = () => ({
			conditions: new Map(), team: [], active: [null, null],
			hasSheet: false, gimmickUsed: false, fainted: 0, size: 0,
		});
		this.state = {
			turn: 0, weather: '', weatherTurn: 0, terrain: '', terrainTurn: 0, pseudo: new Map(),
			sides: { p1: side(), p2: side() }, winner: null, isOver: false, names: { p1: '', p2: '' },
		};
	}

	/** Return one that may follow another continuation; what the Dex has is shared. */
	copy() {
		const made = Object.assign(Object.create(Tracker.prototype), this);
		made.state = copied(this.state, new Map());
		return made;
	}

	/** Take one line of the protocol. */
	line(text) {
		if (text.charCodeAt(0) !== 124) return;
		const args = text.split('|');
		const handler = HANDLERS[args[1]];
		if (handler) handler.call(this, args);
	}

	/** Return the mon of "p1a: Nick", or null. */
	mon(ident) {
		if (!ident || ident.charCodeAt(0) !== 112) return null;
		const side = this.state.sides[ident.slice(0, 2)];
		if (!side) return null;
		const colon = ident.indexOf(': ');
		const name = ident.slice(colon + 2);
		if (colon === 3) {
			const active = side.active[ident.charCodeAt(2) - 97];
			if (active && active.ident === name) return active;
		}
		for (const mon of side.team) if (mon.ident === name) return mon;
		return null;
	}

	/** Return the team's member of this nickname and details, which may be seen for the first time. */
	member(side, name, details) {
		for (const mon of side.team) if (mon.ident === name) return mon;
		const [speciesName, level, gender] = parseDetails(details);
		const species = this.dex.species.get(speciesName);
		let mon = side.team.find(other => other.ident === null && other.baseName === species.baseSpecies);
		if (!mon) {
			mon = new Mon(species, level, gender);
			side.team.push(mon);
		}
		mon.ident = name;
		return mon;
	}

	switchIn(args) {
		const [, kind, ident, details, condition] = args;
		const side = this.state.sides[ident.slice(0, 2)];
		const slot = ident.charCodeAt(2) - 97;
		const leaving = side.active[slot];
		const mon = this.member(side, ident.slice(5), details);
		if (leaving && leaving !== mon) {
			leaving.slot = -1;
			const kept = kind === 'replace' ? leaving : null;
			if (kept) {
				mon.boosts = kept.boosts;
				mon.volatiles = kept.volatiles;
			} else {
				this.leave(leaving);
			}
		}
		if (kind !== 'replace') {
			mon.reset(this.state.turn);
		}
		const [speciesName, level, gender] = parseDetails(details);
		mon.level = level;
		mon.gender = gender;
		mon.setSpecies(this.dex.species.get(speciesName));
		mon.slot = slot;
		mon.seen = true;
		side.active[slot] = mon;
		if (condition) this.condition(mon, condition);
	}

	leave(mon) {
		const base = mon.sheet || mon.isMega ? null : mon;
		mon.reset(this.state.turn);
		if (base && !mon.terastallized) mon.types = mon.species.types;
		if (mon.ability !== null && mon.sheet && !mon.isMega) mon.ability = toId(mon.sheet.ability);
	}

	condition(mon, text) {
		const [hp, status] = text.split(' ');
		if (status === 'fnt' || hp === '0') {
			this.faint(mon);
			return;
		}
		if (mon.fainted) this.revive(mon);
		mon.hp = share(hp);
		if ((status || '') !== mon.status) {
			mon.status = status || '';
			mon.statusTurn = this.state.turn;
		}
	}

	faint(mon) {
		if (!mon.fainted) {
			for (const side of [this.state.sides.p1, this.state.sides.p2]) {
				if (side.team.includes(mon)) side.fainted++;
			}
		}
		mon.fainted = true;
		mon.hp = 0;
		mon.status = '';
		mon.volatiles.clear();
		mon.boosts = noBoosts();
	}

	revive(mon) {
		for (const side of [this.state.sides.p1, this.state.sides.p2]) if (side.team.includes(mon)) side.fainted--;
		mon.fainted = false;
	}

	/** Learn an ability or item that "[from] ability: X" and "[of] Y" name. */
	revealed(args) {
		let from = null, of = null;
		for (let i = 4; i < args.length; i++) {
			if (args[i].startsWith('[from] ')) from = args[i].slice(7);
			else if (args[i].startsWith('[of] ')) of = args[i].slice(5);
		}
		if (!from) return;
		const owner = this.mon(of || args[2]);
		if (!owner) return;
		if (from.startsWith('ability: ')) owner.ability = toId(from.slice(9));
		else if (from.startsWith('item: ') && owner.item === null && args[1] !== '-enditem') {
			owner.item = toId(from.slice(6));
		}
	}
}

function copied(value, made) {
	if (value === null || typeof value !== 'object') return value;
	if (made.has(value)) return made.get(value);
	if (Array.isArray(value)) return value.map(each => copied(each, made));
	if (value instanceof Map) return new Map([...value].map(([key, each]) => [key, copied(each, made)]));
	if (!(value instanceof Mon || Object.getPrototypeOf(value) === Object.prototype)) return value;
	const copy = Object.create(Object.getPrototypeOf(value));
	made.set(value, copy);
	for (const key in value) copy[key] = copied(value[key], made);
	return copy;
}

function parseDetails(details) {
	const parts = details.split(', ');
	let level = 100, gender = '';
	for (let i = 1; i < parts.length; i++) {
		const part = parts[i];
		if (part === 'M' || part === 'F') gender = part;
		else if (part.charCodeAt(0) === 76) level = Number(part.slice(1));
	}
	return [parts[0].replace('-*', ''), level, gender];
}

function setBoost(mon, stat, value) {
	if (STATS.includes(stat)) mon.boosts[stat] = Math.max(-6, Math.min(6, value)) || 0;
}

function boost(sign) {
	return function (args) {
		const mon = this.mon(args[2]);
		if (mon) setBoost(mon, args[3], mon.boosts[args[3]] + sign * Number(args[4]));
	};
}

function keepBoosts(keep) {
	return function (args) {
		const mon = this.mon(args[2]);
		if (!mon) return;
		for (const stat of STATS) if (!keep(mon.boosts[stat])) mon.boosts[stat] = 0;
	};
}

function switched(args) {
	this.switchIn(args);
}

function damaged(args) {
	const mon = this.mon(args[2]);
	if (mon) this.condition(mon, args[3]);
	this.revealed(args);
}

function changed(args) {
	const mon = this.mon(args[2]);
	if (!mon) return;
	const [speciesName] = parseDetails(args[3]);
	mon.setSpecies(this.dex.species.get(speciesName));
	if (mon.species.isMega) mon.isMega = true;
	if (args[1] === 'detailschange' && mon.species.abilities && !mon.species.abilities['1'] && !mon.species.abilities.H) {
		mon.ability = toId(mon.species.abilities['0']);
	}
	this.revealed(args);
}

const HANDLERS = {
	player(args) {
		if (args[3]) this.state.names[args[2]] = args[3];
	},
	teamsize(args) {
		this.state.sides[args[2]].size = Number(args[3]);
	},
	poke(args) {
		const [name, level, gender] = parseDetails(args[3]);
		this.state.sides[args[2]].team.push(new Mon(this.dex.species.get(name), level, gender));
	},
	showteam(args) {
		const side = this.state.sides[args[2]];
		const sets = Teams.unpack(args.slice(3).join('|')) || [];
		side.hasSheet = true;
		sets.forEach((set, i) => {
			const mon = side.team[i];
			if (!mon) return;
			mon.setSpecies(this.dex.species.get(set.species || set.name));
			mon.baseName = mon.species.baseSpecies;
			mon.sheet = {
				moves: set.moves.map(toId), item: toId(set.item || ''), ability: toId(set.ability || ''),
				teraType: set.teraType || null, nature: toId(set.nature || ''),
			};
			mon.item = mon.sheet.item;
			mon.ability = mon.sheet.ability;
			mon.teraType = mon.sheet.teraType;
		});
	},
	turn(args) {
		this.state.turn = Number(args[2]);
		for (const id of ['p1', 'p2']) {
			const side = this.state.sides[id];
			side.conditions.delete('wideguard');
			side.conditions.delete('quickguard');
			for (const mon of side.active) {
				if (!mon) continue;
				for (const effect of mon.single) mon.volatiles.delete(effect);
				mon.single.length = 0;
			}
		}
	},
	win(args) {
		this.state.winner = args[2];
		this.state.isOver = true;
	},
	tie() {
		this.state.isOver = true;
	},
	switch: switched,
	drag: switched,
	replace: switched,
	detailschange: changed,
	'-formechange': changed,
	'-mega'(args) {
		const mon = this.mon(args[2]);
		this.state.sides[args[2].slice(0, 2)].gimmickUsed = true;
		if (mon) mon.isMega = true;
	},
	'-terastallize'(args) {
		const mon = this.mon(args[2]);
		this.state.sides[args[2].slice(0, 2)].gimmickUsed = true;
		if (!mon) return;
		mon.terastallized = mon.teraType = args[3];
		mon.setSpecies(mon.species);
	},
	'-transform'(args) {
		const mon = this.mon(args[2]), model = this.mon(args[3]);
		if (!mon || !model) return;
		mon.setSpecies(model.species);
		mon.boosts = { ...model.boosts };
		mon.volatiles.set('transform', this.state.turn);
	},
	faint(args) {
		const mon = this.mon(args[2]);
		if (mon) this.faint(mon);
	},
	swap(args) {
		const mon = this.mon(args[2]);
		if (!mon) return;
		const side = this.state.sides[args[2].slice(0, 2)];
		const to = Number(args[3]), from = mon.slot;
		if (!(to >= 0 && to < 2) || from < 0 || from === to) return;
		side.active[from] = side.active[to];
		if (side.active[from]) side.active[from].slot = from;
		side.active[to] = mon;
		mon.slot = to;
	},
	move(args) {
		const mon = this.mon(args[2]);
		if (!mon) return;
		const id = toId(args[3]);
		const isCalled = args.some((arg, i) => i > 4 && (arg.startsWith('[from]') && !arg.includes('lockedmove')));
		for (const effect of ['glaiverush', 'destinybond']) mon.volatiles.delete(effect);
		mon.lastMove = id;
		const move = this.dex.moves.get(id);
		mon.protectCount = move.stallingMove ? mon.protectCount + 1 : 0;
		if (!isCalled && !mon.volatiles.has('transform')) mon.moves.set(id, (mon.moves.get(id) || 0) + 1);
	},
	'-fail'(args) {
		const mon = this.mon(args[2]);
		if (mon) mon.protectCount = 0;
	},
	cant(args) {
		const mon = this.mon(args[2]);
		if (!mon) return;
		mon.protectCount = 0;
		if (args[3].startsWith('ability: ')) this.revealed([0, args[1], args[2], '', `[from] ${args[3]}`]);
	},
	'-damage': damaged,
	'-heal': damaged,
	'-sethp': damaged,
	'-status'(args) {
		const mon = this.mon(args[2]);
		if (mon) {
			mon.status = args[3];
			mon.statusTurn = this.state.turn;
		}
		this.revealed(args);
	},
	'-curestatus'(args) {
		const mon = this.mon(args[2]);
		if (mon) mon.status = '';
	},
	'-cureteam'(args) {
		for (const mon of this.state.sides[args[2].slice(0, 2)].team) if (!mon.fainted) mon.status = '';
	},
	'-boost': boost(1),
	'-unboost': boost(-1),
	'-setboost'(args) {
		const mon = this.mon(args[2]);
		if (mon) setBoost(mon, args[3], Number(args[4]));
	},
	'-swapboost'(args) {
		const first = this.mon(args[2]), second = this.mon(args[3]);
		if (!first || !second) return;
		const stats = args[4] && !args[4].startsWith('[') ? args[4].split(', ') : STATS;
		for (const stat of stats.filter(name => STATS.includes(name))) {
			[first.boosts[stat], second.boosts[stat]] = [second.boosts[stat], first.boosts[stat]];
		}
	},
	'-invertboost'(args) {
		const mon = this.mon(args[2]);
		if (mon) for (const stat of STATS) mon.boosts[stat] = -mon.boosts[stat];
	},
	'-copyboost'(args) {
		const mon = this.mon(args[2]), model = this.mon(args[3]);
		if (mon && model) mon.boosts = { ...model.boosts };
	},
	'-clearboost': keepBoosts(() => false),
	'-clearpositiveboost': keepBoosts(value => value < 0),
	'-clearnegativeboost': keepBoosts(value => value > 0),
	'-clearallboost'() {
		for (const id of ['p1', 'p2']) {
			for (const mon of this.state.sides[id].active) if (mon) mon.boosts = noBoosts();
		}
	},
	'-weather'(args) {
		if (args[3] === '[upkeep]') return;
		this.state.weather = args[2] === 'none' ? '' : toId(args[2]);
		this.state.weatherTurn = this.state.turn;
		if (args[4]) this.revealed(['', args[1], args[4].slice(5), '', ...args.slice(3)]);
	},
	'-fieldstart'(args) {
		const id = effectId(args[2]);
		if (TERRAINS.has(id)) {
			this.state.terrain = id;
			this.state.terrainTurn = this.state.turn;
		} else {
			this.state.pseudo.set(id, this.state.turn);
		}
	},
	'-fieldend'(args) {
		const id = effectId(args[2]);
		if (this.state.terrain === id) this.state.terrain = '';
		this.state.pseudo.delete(id);
	},
	'-sidestart'(args) {
		const conditions = this.state.sides[args[2].slice(0, 2)].conditions;
		const id = effectId(args[3]);
		const present = conditions.get(id);
		conditions.set(id, { turn: this.state.turn, layers: present ? present.layers + 1 : 1 });
	},
	'-sideend'(args) {
		this.state.sides[args[2].slice(0, 2)].conditions.delete(effectId(args[3]));
	},
	'-swapsideconditions'() {
		const { p1, p2 } = this.state.sides;
		[p1.conditions, p2.conditions] = [p2.conditions, p1.conditions];
	},
	'-start'(args) {
		const mon = this.mon(args[2]);
		if (!mon) return;
		const id = effectId(args[3]);
		if (id === 'typechange') {
			if (args[4] && !args[4].startsWith('[')) mon.types = args[4].split('/');
		} else if (id === 'typeadd') {
			mon.addedType = args[4];
		} else {
			mon.volatiles.set(id, this.state.turn);
		}
		this.revealed(args);
	},
	'-end'(args) {
		const mon = this.mon(args[2]);
		if (!mon) return;
		const id = effectId(args[3]);
		mon.volatiles.delete(id);
		if (id === 'protosynthesis' || id === 'quarkdrive') {
			for (const key of [...mon.volatiles.keys()]) if (key.startsWith(id)) mon.volatiles.delete(key);
		}
	},
	'-singleturn'(args) {
		const mon = this.mon(args[2]);
		if (!mon) return;
		const id = effectId(args[3]);
		const side = this.state.sides[args[2].slice(0, 2)];
		if (id === 'wideguard' || id === 'quickguard') side.conditions.set(id, { turn: this.state.turn, layers: 1 });
		mon.volatiles.set(id, this.state.turn);
		mon.single.push(id);
	},
	'-singlemove'(args) {
		const mon = this.mon(args[2]);
		if (mon) mon.volatiles.set(effectId(args[3]), this.state.turn);
	},
	'-activate'(args) {
		const mon = this.mon(args[2]);
		if (!mon || !args[3]) return;
		if (args[3].startsWith('ability: ')) mon.ability = toId(args[3].slice(9));
		if (args[3] === 'ability: Commander') mon.volatiles.set('commanding', this.state.turn);
	},
	'-item'(args) {
		const mon = this.mon(args[2]);
		if (mon) mon.item = toId(args[3]);
		this.revealed(args);
	},
	'-enditem'(args) {
		const mon = this.mon(args[2]);
		if (mon) mon.item = '';
		this.revealed(args);
	},
	'-ability'(args) {
		const mon = this.mon(args[2]);
		if (mon) mon.ability = toId(args[3]);
	},
	'-endability'(args) {
		const mon = this.mon(args[2]);
		if (mon) mon.volatiles.set('gastroacid', this.state.turn);
	},
};

module.exports = { Tracker, toId, share, STATS };
