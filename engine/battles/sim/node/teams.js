'use strict';
// Reads teams in each form that players share them in. The simulator's importer drops what it does not know:
// here every line is first put as that importer takes it, or named as not understood.
const {Dex, Teams, toID} = require('pokemon-showdown/dist/sim');
const {Utils} = require('pokemon-showdown/dist/lib');

const LEVEL = 50, MOST = 6, MOST_ERRORS = 20; // every format here plays at this level, whatever a sheet says
const KEYS = {
	ability: 'Ability', trait: 'Ability', level: 'Level', shiny: 'Shiny', happiness: 'Happiness',
	pokeball: 'Pokeball', 'hidden power': 'Hidden Power', 'tera type': 'Tera Type', nature: 'Nature',
	gigantamax: 'Gigantamax', evs: 'EVs', ivs: 'IVs', item: 'Item',
};
const MOST_OF = {EVs: 255, IVs: 31};
const EXAMPLE_OF = {EVs: '252 HP / 4 Atk', IVs: '0 Atk / 31 Spe'};
const STATS = ['hp', 'atk', 'def', 'spa', 'spd', 'spe'];
const STAT_NAMES = ['hp', 'atk', 'attack', 'def', 'defense', 'spa', 'spatk', 'spd', 'spdef', 'spe', 'speed'];
const FIELDS = { // of a Pokémon in JSON, with what each must be
	name: 'string', species: 'string', item: 'string', ability: 'string', moves: 'list', nature: 'string',
	evs: 'stats', ivs: 'stats', gender: 'gender', level: 'number', shiny: 'boolean', happiness: 'number',
	pokeball: 'string', hpType: 'string', dynamaxLevel: 'number', gigantamax: 'boolean', teraType: 'string',
};
const KINDS = {
	string: 'a text', number: 'a whole number', boolean: 'true or false', list: 'a list of names', gender: '"M", "F" or "N"',
	stats: 'an object of whole numbers, with keys from hp, atk, def, spa, spd and spe',
};
const PACKED = [ // what its twelve fields may hold; undefined: a name, which is looked up
	undefined, undefined, undefined, undefined, undefined, undefined, /^(\d*,){0,5}\d*$/, /^[MFN]?$/,
	/^(\d*,){0,5}\d*$/, /^S?$/, /^\d*$/, /^\d*(,[^,]*){0,2}(,G?(,\d*(,[^,]*)?)?)?$/,
];

class Refusal extends Error {}

/** Throw what is wrong; `near`: what was probably meant. */
function refuse(what, near) {
	throw new Refusal(near ? `${what} Did you mean ${near}?` : what);
}

/** Return what `act` does; undefined where it refuses, which `errors` gets. */
function attempt(errors, where, act) {
	try {
		return act();
	} catch (error) {
		if (!(error instanceof Refusal)) throw error;
		errors.push(where ? `${where}: ${error.message}` : error.message);
		return undefined;
	}
}

function quoted(text) {
	const plain = text.replace(/[^\p{L}\p{N}\p{P}\p{S} ]/gu, '?');
	return `"${plain.length > 60 ? `${plain.slice(0, 60)}...` : plain}"`;
}

function nearest(word, names, most = 3) {
	const distance = name => Utils.levenshtein(word, name) + (name[0] === word[0] ? 0 : 0.5);
	const [best] = word.length > 40 ? [] : names.map(name => [distance(name), name]).sort((a, b) => a[0] - b[0]);
	return best && best[0] <= most ? best[1] : undefined;
}

/** Return how the simulator spells a name. */
function named(table, searched, what, text) {
	const found = toID(text) ? Dex[table].get(text) : {exists: false};
	if (found.exists) return found.name;
	const near = text.length > 40 ? null : Dex.dataSearch(text, [searched]);
	return refuse(`No ${what} is called ${quoted(text)}.`, near?.[0].name);
}

// ---- forms ----

/** Return a team's lines, each with where it stands. */
function sheet(text) {
	const plain = unquote(text.replace(/\r\n?|[\u2028\u2029\x85]/g, '\n').replace(/\u200b|\ufeff/g, '')
		.replace(/[^\S\n]+/g, ' '));
	if (/^\s*[[{]/.test(plain)) return exported(ofJson(plain));
	const every = plain.split('\n').map((line, index) => ({text: line.trim(), where: `line ${index + 1}`}));
	const lines = every.filter(line => !line.text.startsWith('==='));
	const heads = every.length - lines.length;
	if (heads > 1) refuse(`It has ${heads} teams. Keep one in a file.`);
	const filled = lines.map(line => line.text).filter(Boolean);
	const isPacked = filled.some(line => line.includes('|')) && filled.every(line => /[|\]]/.test(line));
	return isPacked ? exported(ofPacked(filled)) : lines;
}

/** Return the text of a string literal, as it is pasted from a program; another text as it is. */
function unquote(text) {
	const found = /^(?:\w+ = )?[rRuUbBfF]?("""|'''|"|')/.exec(text.trimStart());
	const inner = text.trim().slice(found?.[0].length).replace(/[,;]$/, '');
	const isLiteral = found && inner.endsWith(found[1]);
	const body = isLiteral ? inner.slice(0, -found[1].length) : text;
	return body.trim().includes('\n') ? body : body.replaceAll('\\r', '').replaceAll('\\n', '\n').replaceAll("\\'", "'");
}

function ofJson(text) {
	let sets;
	try {
		sets = JSON.parse(text);
	} catch (error) {
		refuse(`It begins as JSON, but is none: ${error.message}.`);
	}
	if (!Array.isArray(sets) || !sets.every(set => set && typeof set === 'object')) {
		refuse('As JSON, a team is a list of Pokémon.');
	}
	sets.forEach((set, index) => checkFields(set, `Pokémon ${index + 1}`));
	return sets.map(set => ({...set, species: set.species || set.name || '', moves: set.moves || []}));
}

function checkFields(set, where) {
	for (const [key, value] of Object.entries(set)) {
		if (!Object.hasOwn(FIELDS, key)) {
			refuse(`${where}: ${quoted(key)} is not understood.`, nearest(key, Object.keys(FIELDS)));
		}
		if (value === null || value === undefined) continue;
		if (!isOfKind(FIELDS[key], value)) refuse(`${where}: ${quoted(key)} is not ${KINDS[FIELDS[key]]}.`);
	}
}

function isOfKind(kind, value) {
	if (kind === 'list') return Array.isArray(value) && value.every(each => typeof each === 'string');
	if (kind === 'gender') return ['', 'M', 'F', 'N'].includes(value);
	if (kind === 'number') return Number.isInteger(value);
	if (kind !== 'stats') return typeof value === kind;
	return typeof value === 'object' && Object.entries(value).every(
		([stat, number]) => STATS.includes(stat) && Number.isInteger(number));
}

function ofPacked(lines) {
	const teams = lines.filter((line, index) => index === 0 || !(lines[index - 1].endsWith(']') || line.startsWith(']')));
	if (teams.length > 1) refuse(`It has ${teams.length} packed teams. Keep one in a file.`);
	// A team builder's backup has the format and the team's name before it.
	const packed = lines.join('').replace(/^[a-z0-9-]+\][^|\]]*\|/, '');
	packed.split(']').forEach((set, index) => checkPacked(set.split('|'), `Pokémon ${index + 1}`));
	return Teams.unpack(packed) || refuse('It is not a packed team.');
}

function checkPacked(fields, where) {
	if (fields.length !== PACKED.length) refuse(`${where} has ${fields.length} packed fields, not ${PACKED.length}.`);
	fields.forEach((field, index) => {
		if (PACKED[index] && !PACKED[index].test(field)) refuse(`${where}: ${quoted(field)} is not understood.`);
	});
}

/** Return sets as lines, so that one reader serves all forms. */
function exported(sets) {
	return sets.flatMap((set, index) => {
		const where = `Pokémon ${index + 1}`;
		const lines = Teams.exportSet({...set, name: cosmetic(set.name || '')}).split('\n');
		return [{text: '', where}, ...lines.map(text => ({text: text.trim(), where}))];
	});
}

// ---- lines ----

/** Return a nickname that no form takes apart. */
const cosmetic = name => name.replace(/[|\],[()@]/g, '').trim();

function head(front) {
	const sex = /^(.*) \(([MFN])\)$/i.exec(front);
	const nick = /^(.*)\(([^()]*)\)$/.exec(sex ? sex[1] : front);
	const species = named('species', 'Pokedex', 'Pokémon', nick ? nick[2] : sex ? sex[1] : front);
	const gender = sex ? genderOf(Dex.species.get(species), sex[2].toUpperCase()) : '';
	const nickname = cosmetic(nick ? nick[1] : '');
	return `${nickname ? `${nickname} (${species})` : species}${gender}`;
}

function genderOf(species, gender) {
	if ((species.gender || gender) !== gender || (gender === 'N' && !species.gender)) {
		const forme = (species.otherFormes || []).find(name => Dex.species.get(name).gender === gender);
		refuse(`${species.name} cannot be (${gender}).`, forme);
	}
	return gender === 'N' ? '' : ` (${gender})`;
}

/** Return a line as older sheets have it. Showdown's newer ones put two things in one: "[Levitate] @ Leftovers",
 * "EVs: 252+ SpA / - Atk (Modest)"; what is not chosen stands there as "(select ability)", "(no item)" and "-". */
function older(text) {
	const held = /^\[([^[\]]*)\](?: ?@(.*))?$/.exec(text);
	if (held) {
		return [['Ability', held[1], 'selectability'], ['Item', held[2] || '', 'noitem']]
			.filter(([, value, none]) => !['', none].includes(toID(value))).map(([key, value]) => `${key}: ${value}`);
	}
	const natured = /^(EVs ?:.*)\(([^()]*)\)$/i.exec(text);
	if (natured) return [natured[1].trim(), `${natured[2]} Nature`];
	if (/^(shiny|gigantamax)$/i.test(text)) return [`${text}: Yes`];
	return text === '-' ? [] : [text];
}

/** Return what a line below a Pokémon's name says, as pairs of a key and a value; undefined if it is none. */
function attributes(text) {
	const found = older(text).map(attribute);
	return found.every(Boolean) ? found : undefined;
}

function attribute(text) {
	const move = /^[-~•–*] ?(.*)$/.exec(text);
	if (move) return ['move', move[1]];
	if (/ nature$/i.test(text)) return ['nature', text.slice(0, -' nature'.length)];
	const colon = text.indexOf(':'), key = text.slice(0, Math.max(colon, 0)).trim().toLowerCase();
	return Object.hasOwn(KEYS, key) ? [key, text.slice(colon + 1).trim()] : undefined;
}

function whole(key, value, least, most) {
	if (!/^\d{1,3}$/.test(value) || +value < least || +value > most) {
		refuse(`${quoted(`${key}: ${value}`)} is not a number from ${least} to ${most}.`);
	}
	return `${key}: ${+value}`;
}

function yes(key, value) {
	if (!/^(yes|no)$/i.test(value)) refuse(`${quoted(`${key}: ${value}`)} is neither Yes nor No.`);
	return /^yes$/i.test(value) ? `${key}: Yes` : '';
}

/** Return "252 SpA / 4 SpD" as the importer takes it; `marks` gets the stats with a + or a -. */
function spread(key, value, marks) {
	const seen = new Set(), errors = [];
	const parts = value.split('/').filter(part => part.trim()).map(part => attempt(errors, '', () => {
		const [, number, mark, name] = /^ ?(\d{0,3}) ?([+-]?) ?([A-Za-z. ]+)$/.exec(part) || [];
		if (!number && !(mark && key === 'EVs')) {
			refuse(`${quoted(part.trim())} in ${key} is not understood: write ${key}: ${EXAMPLE_OF[key]}.`);
		}
		const stat = Dex.stats.getID(name.trim()) || refuse(
			`No stat is called ${quoted(name.trim())}.`, statNear(toID(name)));
		if (seen.size === seen.add(stat).size) refuse(`${key} has ${Dex.stats.shortNames[stat]} twice.`);
		if (+number > MOST_OF[key]) refuse(`${quoted(part.trim())} in ${key} is more than ${MOST_OF[key]}.`);
		if (mark && marks.has(mark)) refuse(`${key} has "${mark}" twice.`);
		if (mark) marks.set(mark, stat);
		return `${+number} ${Dex.stats.shortNames[stat]}`;
	}));
	if (errors.length) refuse(errors.join(' '));
	if (!parts.length) refuse(`${key} has no numbers.`);
	return `${key}: ${parts.join(' / ')}`;
}

function statNear(word) {
	const near = nearest(word, STAT_NAMES);
	return near && Dex.stats.shortNames[Dex.stats.getID(near)];
}

/** Return what was probably meant by a line without a key: one with a key that is like it, or what lacks its key. */
function lineNear(text) {
	const plain = text.toLowerCase(), [word, ...rest] = plain.split(':');
	if (rest.length) {
		const key = KEYS[nearest(word, Object.keys(KEYS))];
		return key ? `${key}:` : word === 'gender' ? 'NAME (F)' : undefined;
	}
	const natures = Dex.natures.all().map(({name}) => name.toLowerCase());
	const nature = nearest(plain.replace(/ natur.?$/, ''), natures, 1);
	if (nature) return `${Dex.natures.get(nature).name} Nature`;
	const move = Dex.moves.get(text), ability = Dex.abilities.get(text);
	return move.exists ? `- ${move.name}` : ability.exists ? `Ability: ${ability.name}` : undefined;
}

/** Return a line as the importer takes it. */
function canonical([id, value], marks) {
	const key = KEYS[id];
	switch (key) {
	case undefined: return `- ${named('moves', 'Moves', 'move', value)}`;
	case 'Item': return named('items', 'Items', 'item', value);
	case 'Ability': return `Ability: ${named('abilities', 'Abilities', 'ability', value)}`;
	case 'Nature': return named('natures', 'Natures', 'nature', value);
	case 'Pokeball': return `Pokeball: ${named('items', 'Items', 'ball', value)}`;
	case 'Tera Type': case 'Hidden Power': return `${key}: ${named('types', 'TypeChart', 'type', value)}`;
	case 'Shiny': case 'Gigantamax': return yes(key, value);
	case 'Level': return whole(key, value, 1, 100);
	case 'Happiness': return whole(key, value, 0, 255);
	default: return spread(key, value, marks);
	}
}

/** Return the nature: "252+ SpA / 4- Atk" says Modest without its name; marks that contradict it are refused. */
function natureOf(marks, given) {
	const meant = Dex.natures.all().find(one => one.plus && one.plus === marks.get('+') && one.minus === marks.get('-'));
	const nature = given || meant?.name || '';
	for (const [mark, stat] of marks) {
		if (Dex.natures.get(nature)[mark === '+' ? 'plus' : 'minus'] === stat) continue;
		const name = Dex.stats.shortNames[stat];
		refuse(nature ? `"${mark}" at ${name} contradicts the ${nature} nature.` :
			`"${mark}" at ${name} needs a line with the nature, such as "Timid Nature".`);
	}
	return nature;
}

/** One Pokémon: takes its lines, and keeps them as the importer takes them. */
class Sheet {
	constructor(line) {
		const [front, item, ...more] = line.text.split(' @ ');
		if (more.length) refuse(`${quoted(line.text)} has more than one item.`);
		this.fields = new Map();
		this.moves = [];
		this.marks = new Map();
		this.where = line.where; // then of the line that marks the nature
		this.head = head(front);
		if (item && toID(item) !== 'noitem') this.put(['item', item], line.text);
	}

	take(line) {
		const found = attributes(line.text) || refuse(`${quoted(line.text)} is not understood.`, lineNear(line.text));
		for (const pair of found) this.put(pair, line.text);
		if (found.some(([id]) => KEYS[id] === 'EVs')) this.where = line.where;
	}

	put(pair, text) {
		const key = KEYS[pair[0]];
		const plain = canonical(pair, this.marks);
		if (!key) this.moves.push(plain);
		else if ((this.fields.get(key) ?? plain) !== plain) refuse(`${quoted(text)}: ${key} is given twice.`);
		else this.fields.set(key, plain);
	}

	text() {
		const {Item: item, Nature: given, ...fields} = Object.fromEntries(this.fields);
		const nature = natureOf(this.marks, given);
		const lines = [item ? `${this.head} @ ${item}` : this.head, ...Object.values(fields),
			nature && `${nature} Nature`, ...this.moves];
		return lines.filter(Boolean).join('\n');
	}
}

/** Read a team in any form; answer it packed, with what was not understood. */
function readTeam(text) {
	const errors = [], sheets = [];
	let isAfterBlank = true;
	for (const line of attempt(errors, '', () => sheet(text)) || []) {
		const isBlank = !line.text || line.text === '---';
		// Some programs put an empty line between all lines, or none at all: one before "Ability:"
		// ends nothing, and the next Pokémon begins after moves.
		const isHead = (isAfterBlank || sheets.at(-1)?.moves.length) && !attributes(line.text);
		isAfterBlank = isBlank;
		if (errors.length >= MOST_ERRORS) break;
		if (isBlank) continue;
		if (isHead) sheets.push(attempt(errors, line.where, () => new Sheet(line)));
		else if (sheets.length === 0) errors.push(`${line.where}: ${quoted(line.text)} belongs to no Pokémon.`);
		else attempt(errors, line.where, () => sheets.at(-1)?.take(line));
	}
	if (sheets.length > MOST) errors.push(`It has ${sheets.length} Pokémon, more than ${MOST}.`);
	if (sheets.length === 0 && errors.length === 0) errors.push('There is no team in it.');
	const texts = sheets.map(one => one && attempt(errors, one.where, () => one.text()));
	if (errors.length) return {errors, team: ''};
	return {errors, team: Teams.pack(Teams.import(texts.join('\n\n')).map(set => ({...set, level: LEVEL})))};
}

module.exports = {readTeam};
