/**
 * What both sides decided in a battle that is known by its spectators' lines alone.
 *
 * What a player's own request would say is rebuilt from the open team sheets and from the whole
 * battle; its stats are estimated. A decision counts only where the lines leave no doubt about it:
 * the others are rows with a negative code that says why.
 */
'use strict';

const { Dex } = require('pokemon-showdown/dist/sim/dex');
const { Tracker, toId } = require('./tracker.js');
const { makeView, encode, legal, SELECTIONS, SIZE, SLOT_CODES, SWITCH, PASS, TARGETS } = require('./observe.js');
const { selectionOf } = require('./decisions.js');

const SIDES = ['p1', 'p2'];
const LEGAL = 90, INFO = 8;
const MAX_DECISIONS = 8192, MAX_TEAM = 6; // a battle ends after 1,000 turns
/** Why a decision is dropped; `importing.py` has the words. */
const NO_CODE = -1, NO_SHEET = -2, UNSEEN = -3, DID_NOT_MOVE = -4, TARGET = -5, CHANGED = -6;
const CHOSEN_TARGETS = new Set(['normal', 'any', 'adjacentFoe', 'adjacentAlly', 'adjacentAllyOrSelf']);
const REDIRECTING = { lightningrod: 'Electric', stormdrain: 'Water' };
const EJECTING = new Set(['ejectbutton', 'ejectpack', 'emergencyexit', 'wimpout']);

class ReplayReader {
	constructor(lines, formatInfo) {
		this.format = formatInfo;
		this.dex = Dex.forFormat(Dex.formats.get(formatInfo.id));
		this.tracker = new Tracker(this.dex, formatInfo);
		this.lines = lines.filter(line => line.startsWith('|'));
		this.rows = [];
		this.seen = 0;
		/** By side: what is being decided, until the lines say what it was. */
		this.open = { p1: null, p2: null };
		this.party = { p1: [], p2: [] };
		this.isResidual = false;
		this.brought = { p1: new Set(), p2: new Set() };
		this.isDisguised = { p1: false, p2: false };
		for (const line of this.lines) {
			const [, kind, ident] = line.split('|');
			const side = ident && ident.slice(0, 2);
			if (kind === 'switch' || kind === 'drag') this.brought[side].add(ident.slice(5));
			else if (kind === 'replace') this.isDisguised[side] = true;
		}
		for (const side of SIDES) if (this.brought[side].size > MAX_TEAM) throw new Error(`its log has ${this.brought[side].size} Pokémon of ${side}`);
	}

	read() {
		for (const line of this.lines) {
			const args = line.split('|');
			if (args[1] === 'start') this.preview();
			this.before(args);
			this.tracker.line(line);
			this.seen++;
			this.after(args);
		}
		this.close();
		this.rows.sort((a, b) => a.place - b.place);
		const { winner, names } = this.tracker.state;
		const won = SIDES.find(side => winner && names[side] === winner);
		for (const row of this.rows) row.info[INFO - 1] = won ? (won === row.side ? 1 : -1) : 0;
		return this.rows;
	}

	// ---- decisions ----

	/** Keep a decision as it looks now; `slots` are those that the lines must still tell about. */
	begin(side, forceSwitch) {
		if (this.rows.length > MAX_DECISIONS) throw new Error('its log has too many decisions');
		const row = { side, place: this.seen, request: null, code: 0, observation: new Float32Array(SIZE), mask: new Uint8Array(LEGAL), info: new Float32Array(INFO) };
		const reason = this.unknown(side);
		const decision = { row, reason, forceSwitch, chosen: [null, null], gimmick: [false, false], alive: null, moves: [null, null] };
		if (!reason) {
			row.request = this.request(side, forceSwitch);
			const view = makeView(this.tracker, side, row.request, this.format);
			encode(view, row.observation, 0, row.info, 0);
			legal(view, row.mask, 0);
			decision.alive = view.foes.slice(0, 2).map(foe => !!foe && !foe.mon.fainted);
			decision.moves = view.own.slice(0, 2).map(fighter => fighter && fighter.active && fighter.active.moves);
		}
		this.open[side] = decision;
	}

	unknown(side) {
		const { team, hasSheet, active } = this.tracker.state.sides[side];
		if (!hasSheet || team.some(mon => !mon.sheet)) return NO_SHEET;
		if (this.brought[side].size < 4 || this.isDisguised[side]) return UNSEEN;
		return active.some(mon => mon && mon.volatiles.has('transform')) ? CHANGED : 0;
	}

	finish(side) {
		const decision = this.open[side];
		if (!decision) return;
		this.open[side] = null;
		decision.row.code = decision.reason || this.code(decision);
		this.rows.push(decision.row);
	}

	close() {
		for (const side of SIDES) this.finish(side);
	}

	code({ row, chosen, gimmick }) {
		const codes = [0, 1].map(slot => {
			const legalCodes = [];
			for (let code = 0; code < SLOT_CODES; code++) if (row.mask[slot * SLOT_CODES + code]) legalCodes.push(code);
			if (legalCodes.length === 1) return legalCodes[0];
			const choice = chosen[slot];
			if (choice === null) return legalCodes.includes(PASS) ? PASS : DID_NOT_MOVE;
			if (choice.reason) return choice.reason;
			const fitting = legalCodes.filter(code => choice.switch !== undefined ? code === SWITCH + choice.switch :
				code < SWITCH && Math.floor(code / 10) === choice.index && (code % 10 >= 5) === gimmick[slot]);
			if (fitting.length === 1) return fitting[0];
			if (!fitting.length) return NO_CODE;
			return fitting.find(code => TARGETS[code % 5] === choice.target) ?? TARGET;
		});
		const reason = Math.min(...codes);
		return reason < 0 ? reason : codes[0] * SLOT_CODES + codes[1];
	}

	preview() {
		for (const side of SIDES) {
			this.begin(side, null);
			const { team } = this.tracker.state.sides[side];
			const names = [...this.brought[side]]; // a foreign log may have any number of them
			const places = names.length === 4 ? names.map(name => team.findIndex(mon => this.isCalled(side, mon, name))) : [];
			const { reason, row } = this.open[side];
			this.open[side] = null;
			const isWhole = places.length === 4 && !places.includes(-1);
			row.code = reason || (isWhole ? selectionOf(places.map(place => place + 1).join('')) : UNSEEN);
			this.rows.push(row);
			this.party[side] = isWhole ? places.map(place => team[place]) : [];
		}
	}

	/** Return whether a nickname is that of a member that was not yet seen. */
	isCalled(side, mon, name) {
		const line = this.lines.find(other => /^\|(switch|drag)\|/.test(other) && other.split('|')[2].startsWith(side) &&
			other.split('|')[2].slice(5) === name);
		const species = this.dex.species.get(line.split('|')[3].split(', ')[0]);
		return species.baseSpecies === mon.baseName;
	}

	// ---- lines ----

	/** Decisions that a line shows to have been made are kept before the line changes anything. */
	before(args) {
		const [, kind, ident] = args;
		if (kind === 'turn' || kind === 'win' || kind === 'tie') this.close();
		if (kind === 'upkeep') {
			this.close();
			this.isResidual = true;
		}
		if (kind !== 'switch' || this.tracker.state.turn === 0) return;
		const side = ident.slice(0, 2), slot = ident.charCodeAt(2) - 97;
		const decision = this.open[side];
		const isAsked = args.some(arg => arg.startsWith('[from]')) || (decision && decision.chosen[slot]) || this.isEjected(side, slot);
		if (this.isResidual) {
			if (!decision || decision.chosen[slot]) this.beginReplacing();
		} else if (isAsked) {
			this.pivot(side, slot, ident, args[3]);
		}
	}

	/** Both sides replace at once those that fainted. */
	beginReplacing() {
		for (const side of SIDES) {
			const { active } = this.tracker.state.sides[side];
			const fainted = active.map(mon => !!mon && mon.fainted);
			const bench = this.party[side].slice(2).filter(mon => !mon.fainted);
			if (fainted.includes(true) && (bench.length || this.unknown(side))) {
				this.finish(side);
				this.begin(side, fainted);
			}
		}
	}

	/** One leaves in the middle of a turn; what its side chose for the turn stays open. */
	pivot(side, slot, ident, details) {
		const turn = this.open[side];
		this.begin(side, [slot === 0, slot === 1]);
		this.choose(side, slot, { switch: this.place(side, ident.slice(5), details) });
		this.finish(side);
		this.open[side] = turn;
	}

	isEjected(side, slot) {
		return !!this.ejected && this.ejected.side === side && this.ejected.slot === slot;
	}

	after(args) {
		const [, kind, ident] = args;
		const side = ident && ident.slice(0, 2), slot = ident ? ident.charCodeAt(2) - 97 : -1;
		switch (kind) {
		case 'turn':
			this.isResidual = false;
			this.ejected = null;
			for (const id of SIDES) this.begin(id, null);
			break;
		case 'switch': case 'drag':
			this.arrived(args, side, slot);
			break;
		case 'move':
			this.moved(args, side, slot);
			break;
		case '-terastallize': case '-mega':
			if (this.open[side]) this.open[side].gimmick[slot] = true;
			break;
		case '-enditem': case '-activate':
			if (EJECTING.has(toId((args[3] || '').replace(/^(item|ability): /, '')))) this.ejected = { side, slot };
			break;
		case '-start':
			if (args[3] === 'Encore') this.choose(side, slot, { reason: CHANGED });
			break;
		case 'swap':
			for (const each of [0, 1]) this.choose(side, each, { reason: CHANGED });
			this.party[side].splice(0, 2, this.party[side][1], this.party[side][0]);
			break;
		}
	}

	arrived([, kind, ident, details], side, slot) {
		const { state } = this.tracker;
		const party = this.party[side];
		const mon = state.sides[side].active[slot];
		const place = party.indexOf(mon);
		const decision = this.open[side];
		const wasAsked = this.isEjected(side, slot);
		if (wasAsked) this.ejected = null;
		if (kind === 'switch' && decision && state.turn > 0 && !wasAsked && !decision.chosen[slot]) {
			decision.chosen[slot] = { switch: place };
		}
		if (place >= 0 && place !== slot) [party[place], party[slot]] = [party[slot], party[place]];
	}

	place(side, name, details) {
		const species = this.dex.species.get(details.split(', ')[0]);
		return this.party[side].findIndex(mon => mon.ident === name || (mon.ident === null && mon.baseName === species.baseSpecies));
	}

	choose(side, slot, choice) {
		const decision = this.open[side];
		if (decision && !decision.chosen[slot]) decision.chosen[slot] = choice;
	}

	moved(args, side, slot) {
		const decision = this.open[side];
		const called = args.slice(5).find(arg => arg.startsWith('[from]'));
		if (!decision || decision.chosen[slot] || (called && !called.includes('lockedmove'))) return;
		const index = decision.moves[slot] ? decision.moves[slot].findIndex(move => move.id === toId(args[3])) : -1;
		if (called || index < 0) {
			decision.chosen[slot] = { reason: decision.reason || CHANGED };
			return;
		}
		decision.chosen[slot] = { index, target: this.target(args, side, slot, decision) };
	}

	/** Return at whom a move was aimed, null where it may have been another. */
	target(args, side, slot, { alive }) {
		const move = this.dex.moves.get(args[3]);
		if (!CHOSEN_TARGETS.has(move.target)) return 0;
		const found = /^(p[12])([ab]): /.exec(args[4] || '');
		if (!found || args.includes('[notarget]')) return null;
		const place = found[2] === 'a' ? 1 : 2;
		if (found[1] === side) return -place;
		const foes = this.tracker.state.sides[found[1]].active;
		const hasLost = [0, 1].some(other => alive[other] && (!foes[other] || foes[other].fainted));
		const everyone = SIDES.flatMap(id => this.tracker.state.sides[id].active).filter(mon => mon && !mon.fainted);
		const isDrawn = foes.some(mon => mon && (mon.volatiles.has('followme') || mon.volatiles.has('ragepowder'))) ||
			everyone.some(mon => REDIRECTING[mon.ability] === move.type);
		return hasLost || isDrawn ? null : place;
	}

	// ---- requests ----

	/** Return the side's request, as far as the sheets and the lines tell. */
	request(side, forceSwitch) {
		const { team, gimmickUsed, active } = this.tracker.state.sides[side];
		const isPreview = this.tracker.state.turn === 0 && !forceSwitch;
		const party = isPreview ? team : this.party[side];
		const pokemon = party.map((mon, place) => this.entry(side, mon, !isPreview && place < 2));
		if (isPreview) return { teamPreview: true, side: { id: side, pokemon } };
		if (forceSwitch) return { forceSwitch, side: { id: side, pokemon } };
		const requests = active.map(mon => ({
			moves: this.moves(mon), ...(gimmickUsed || !mon ? {} : this.gimmick(mon)),
		}));
		return { active: requests, side: { id: side, pokemon } };
	}

	entry(side, mon, isActive) {
		const stats = this.estimate(mon);
		const hp = Math.max(1, Math.round(mon.hp * stats.hp));
		return {
			ident: `${side}: ${mon.ident || mon.baseName}`, details: `${mon.species.name}, L${mon.level}`,
			condition: mon.fainted ? '0 fnt' : `${hp}/${stats.hp}${mon.status ? ` ${mon.status}` : ''}`, active: isActive, stats,
			moves: mon.sheet.moves, baseAbility: mon.sheet.ability, ability: mon.ability || mon.sheet.ability,
			item: mon.item || '', teraType: mon.teraType, terastallized: mon.terastallized,
			commanding: mon.volatiles.has('commanding'),
		};
	}

	estimate(mon) {
		const { Damage } = require('./damage.js');
		this.damage = this.damage || new Damage(this.dex);
		return this.damage.estimate(mon.species, mon.level);
	}

	moves(mon) {
		if (!mon) return [];
		const isLocked = mon.lastMove && (mon.item || '').startsWith('choice') && mon.sheet.moves.includes(mon.lastMove);
		const refusesStatus = mon.item === 'assaultvest' || mon.volatiles.has('taunt');
		return mon.sheet.moves.map(id => {
			const move = this.dex.moves.get(id), maxpp = move.pp * 8 / 5;
			const isRefused = (refusesStatus && move.category === 'Status') || (mon.volatiles.has('encore') && id !== mon.lastMove);
			return {
				move: move.name, id, pp: Math.max(0, maxpp - (mon.moves.get(id) || 0)), maxpp,
				target: id === 'terastarstorm' && mon.terastallized ? 'allAdjacentFoes' : move.target,
				disabled: !!(isLocked && id !== mon.lastMove) || isRefused,
			};
		});
	}

	gimmick(mon) {
		if (this.format.gimmick === 'tera') return mon.teraType ? { canTerastallize: mon.teraType } : {};
		const item = this.dex.items.get(mon.item || '');
		return item.megaStone && (item.megaEvolves === mon.species.name || mon.species.name in Object(item.megaStone)) ? { canMegaEvo: true } : {};
	}
}

/** Collect the decisions of spectators' lines as `decisions` does of an input log. */
function replayed(lines, formatInfo) {
	const rows = new ReplayReader(lines, formatInfo).read();
	const infos = new Float32Array(rows.length * INFO), masks = new Uint8Array(rows.length * LEGAL);
	const observations = new Float32Array(rows.length * SIZE);
	rows.forEach(({ observation, mask, info }, row) => {
		infos.set(info, row * INFO);
		masks.set(mask, row * LEGAL);
		observations.set(observation, row * SIZE);
	});
	return { codes: rows.map(row => row.code), infos, observations, masks };
}

/** Tell of spectators' lines what `transcript` tells of an input log; a request is null where it is unknown. */
function transcript(lines, formatInfo) {
	const reader = new ReplayReader(lines, formatInfo);
	const decisions = reader.read().map(({ place, side, request }) => ({ place, side: SIDES.indexOf(side), request }));
	return { lines: reader.lines, types: {}, decisions };
}

module.exports = { replayed, transcript };
