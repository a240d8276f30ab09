'use strict';
/** What is played in doubles: moves, items and abilities by what they are good for, and how much. */
const {TYPE_ITEMS} = require('./damage');

/** What a weather or a terrain is set by, and who and what profits. */
const FIELDS = {
	sun: {
		setters: ['drought', 'orichalcumpulse'], abilities: ['chlorophyll', 'protosynthesis', 'solarpower'],
		types: ['Fire'], moves: {solarbeam: 1, solarblade: 1, weatherball: 2}, spoiled: ['Water'],
	},
	rain: {
		setters: ['drizzle'], abilities: ['swiftswim', 'hydration', 'raindish', 'dryskin'], types: ['Water'],
		moves: {hurricane: 1.43, thunder: 1.43, weatherball: 2, electroshot: 1}, spoiled: ['Fire'],
	},
	sand: {
		setters: ['sandstream'], abilities: ['sandrush', 'sandforce', 'sandveil'], types: ['Rock', 'Ground', 'Steel'],
		moves: {weatherball: 2}, spoiled: [],
	},
	snow: {
		setters: ['snowwarning'], abilities: ['slushrush', 'icebody', 'snowcloak', 'iceface'], types: ['Ice'],
		moves: {blizzard: 1.43, weatherball: 2, auroraveil: 1}, spoiled: [],
	},
	electric: {
		setters: ['electricsurge', 'hadronengine'], abilities: ['quarkdrive', 'surgesurfer'], types: ['Electric'],
		moves: {risingvoltage: 2}, spoiled: [],
	},
	grassy: {
		setters: ['grassysurge', 'seedsower'], abilities: ['grasspelt'], types: ['Grass'],
		moves: {grassyglide: 1.8}, spoiled: ['Ground'],
	},
	psychic: {
		setters: ['psychicsurge'], abilities: [], types: ['Psychic'], moves: {expandingforce: 1.7}, spoiled: [],
	},
	misty: {setters: ['mistysurge'], abilities: [], types: ['Fairy'], moves: {}, spoiled: ['Dragon']},
};
/** Attacks that are good only there. */
const FIELD_MOVES = new Set(Object.values(FIELDS).flatMap(field => Object.keys(field.moves)));
const SETTERS = new Set(Object.values(FIELDS).flatMap(field => field.setters));
const PLANS = [...Object.keys(FIELDS), 'tailwind', 'trick-room', 'balance', 'bulky', 'offense'];

const SPEED_CONTROL = ['tailwind', 'icywind', 'electroweb', 'thunderwave', 'bulldoze', 'scaryface'];
const REDIRECTION = ['followme', 'ragepowder'];
/** Moves of supporters, with how much they are worth. */
const SUPPORT = {
	fakeout: 10, tailwind: 10, trickroom: 8, followme: 10, ragepowder: 10, spore: 10, auroraveil: 10, partingshot: 8,
	icywind: 6, electroweb: 5, willowisp: 6, thunderwave: 5, taunt: 6, encore: 5, helpinghand: 2, sleeppowder: 6,
	snarl: 5, knockoff: 4, haze: 2, wideguard: 4, coaching: 3, pollenpuff: 5, lifedew: 3, reflect: 4, lightscreen: 4,
	uturn: 3, voltswitch: 3, flipturn: 3, nuzzle: 4, yawn: 3, quickguard: 1, feint: 1, beatup: 0, faketears: 2,
	disable: 2, imprison: 1, allyswitch: 2, decorate: 3, gravity: 0, safeguard: 1, eerieimpulse: 2, spiritbreak: 3,
	strugglebug: 2, breakingswipe: 3, chillingwater: 2, lunge: 2, bulldoze: 2,
};
const RECOVERY = ['recover', 'roost', 'slackoff', 'softboiled', 'synthesis', 'moonlight', 'shoreup', 'strengthsap', 'milkdrink', 'wish'];
const SETUP = {
	atk: ['dragondance', 'swordsdance', 'bulkup', 'shiftgear', 'victorydance', 'tidyup', 'clangoroussoul', 'coil', 'bellydrum'],
	spa: ['quiverdance', 'nastyplot', 'calmmind', 'tailglow', 'torchsong', 'takeheart', 'geomancy'],
};
/** Attacks that need circumstances which a team cannot count on. */
const AVOIDED = new Set([
	'dreameater', 'focuspunch', 'steelroller', 'belch', 'lastresort', 'synchronoise', 'fling', 'naturalgift', 'spitup',
	'burnup', 'doubleshock', 'futuresight', 'doomdesire', 'snore', 'uproar', 'thrash', 'outrage',
	'petaldance', 'ragingfury', 'skydrop', 'explosion', 'selfdestruct', 'mistyexplosion', 'mindblown', 'steelbeam',
	'chloroblast', 'bide', 'counter', 'mirrorcoat', 'metalburst', 'comeuppance', 'finalgambit', 'endeavor', 'falseswipe',
	'holdback', 'beatup', 'magnitude', 'present', 'trumpcard', 'shelltrap', 'beakblast', 'hyperspacefury',
	'upperhand', 'pursuit', 'round', 'echoedvoice', 'iceball', 'rollout', 'furycutter', 'storedpower',
	'powertrip', 'electroball', 'gyroball', 'assurance', 'payback', 'avalanche', 'revenge', 'hex',
	'venoshock', 'acrobatics', 'facade', 'brine', 'reversal', 'flail', 'crushgrip', 'wringout',
	'retaliate', 'lashout', 'psyblade', 'terrainpulse', 'hiddenpower', 'terablast',
	'boomburst', 'barbbarrage', 'rage',
	'headcharge', 'submission', 'takedown', 'struggle', 'lightthatburnsthesky', 'zippyzap', 'naturepower', 'supercellslam', 'highjumpkick', 'jumpkick', 'axekick', 'skullbash',
]);
/** Attacks that hit the partner: good beside one whom they do not reach, else a risk. */
const ALLIES_TOO = 0.8;
/** The usual item of each type. */
const USUAL_ITEMS = {};
for (const [item, type] of Object.entries(TYPE_ITEMS)) USUAL_ITEMS[type] ??= item;
const GOOD_ABILITIES = {
	intimidate: 6, prankster: 5, protosynthesis: 4, quarkdrive: 4, drought: 5, drizzle: 5, sandstream: 4, snowwarning: 4,
	orichalcumpulse: 6, hadronengine: 6, electricsurge: 4, grassysurge: 5, psychicsurge: 5, mistysurge: 3, seedsower: 2,
	hugepower: 6, purepower: 6, speedboost: 5, goodasgold: 5, armortail: 4, friendguard: 4, regenerator: 3,
	unseenfist: 4, defiant: 4, competitive: 4, swordofruin: 5, beadsofruin: 5, tabletsofruin: 4, vesselofruin: 4,
	adaptability: 4, technician: 3, toughclaws: 3, sheerforce: 4, hospitality: 3, commander: 2, galewings: 3,
	libero: 4, protean: 4, magicbounce: 3, multiscale: 4, purifyingsalt: 4, stamina: 3, supremeoverlord: 3,
	toxicdebris: 2, unburden: 3, telepathy: 1, levitate: 2, flashfire: 2, stormdrain: 3, lightningrod: 3, waterabsorb: 2,
	voltabsorb: 2, moldbreaker: 2, clearbody: 2, innerfocus: 2, sharpness: 4, ironfist: 2, stakeout: 2, scrappy: 2,
	moxie: 2, beastboost: 3, asoneglastrier: 5, asonespectrier: 5, mirrorarmor: 2, unnerve: 1, roughskin: 2,
	flamebody: 1, static: 1, filter: 2, solidrock: 2, steelworker: 3, transistor: 3, dragonsmaw: 3, rockypayload: 3,
	windrider: 1, guts: 2, galvanize: 2, pixilate: 4, aerilate: 4, refrigerate: 3, liquidvoice: 3, megalauncher: 3,
	defeatist: -20, truant: -20, slowstart: -20, klutz: -6, stall: -6, normalize: -6, zenmode: -3,
	chlorophyll: 1, swiftswim: 1, sandrush: 1, slushrush: 1, surgesurfer: 1, emergencyexit: -2, wimpout: -2,
};
const WEATHER_ABILITIES = new Set(['chlorophyll', 'swiftswim', 'sandrush', 'slushrush', 'surgesurfer', 'solarpower',
	'sandforce', 'sandveil', 'snowcloak', 'icebody', 'raindish', 'hydration', 'grasspelt']);

module.exports = {
	FIELDS, FIELD_MOVES, SETTERS, PLANS, SPEED_CONTROL, REDIRECTION, SUPPORT, RECOVERY, SETUP, AVOIDED, ALLIES_TOO,
	USUAL_ITEMS, GOOD_ABILITIES, WEATHER_ABILITIES,
};
