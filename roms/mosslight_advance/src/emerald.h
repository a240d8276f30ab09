/* What a reader of memory knows: the variables at the addresses where Pokémon Emerald has them, tables
 * of the cartridge in the layout of Emerald's, and the functions that tell what the game is doing.
 * Offsets are hexadecimal. The generated symbols.ld places the variables, from
 * engine/games/emerald/facts/symbols.csv.
 */
#ifndef EMERALD_H
#define EMERALD_H

#include "types.h"

/* ---- RAM ---------------------------------------------------------------------------------------- */
typedef void (*Callback)(void);

struct Main {
    Callback callback1, callback2, savedCallback, vblankCallback; /* +0 */
    Callback unused10, unused14, unused18;
    u16 intrCheck, pad1E;          /* +1C */
    u32 vblankCounter1;            /* +20 */
    u32 vblankCounter2;            /* +24 */
    u16 heldKeysRaw, newKeysRaw;   /* +28 */
    u16 heldKeys, newKeys;         /* +2C, +2E */
    u16 newAndRepeatedKeys, keyRepeatCounter; /* +30 */
    u8 unused34[0x438 - 0x34];
    u8 state;                      /* +438 */
    u8 inBattle;                   /* +439: bit 1 */
    u8 pad43A[2];
};
extern volatile struct Main gMain;

struct SaveBlock2 {                /* 0xF2C bytes used */
    u8 playerName[8];              /* +00, ends with 0xFF */
    u8 playerGender;               /* +08: 0 boy, 1 girl */
    u8 specialSaveWarp;
    u16 trainerId[2];              /* +0A: public, secret */
    u16 playTimeHours;             /* +0E */
    u8 playTimeMinutes, playTimeSeconds, playTimeVBlanks;
    u8 optionsButtonMode;          /* +13 */
    u16 options;                   /* +14: OPTION_* */
    u8 pad16[0x28 - 0x16];
    u8 dexOwned[52];               /* +28 */
    u8 dexSeen[52];                /* +5C */
    u8 pad90[0xAC - 0x90];
    u32 encryptionKey;             /* +AC */
    u8 padB0[0xF2C - 0xB0];
};

#define OPTION_TEXT_SPEED 7        /* 0 slow, 1 middling, 2 fast */
#define OPTION_SET_STYLE_BIT 9
#define OPTION_NO_SCENES_BIT 10

struct ItemSlot { u16 itemId, quantity; };   /* quantity ^ (u16)encryptionKey */

struct ObjectEvent {               /* 0x24 bytes */
    u8 active;                     /* +0 bit 0 */
    u8 visibility;                 /* +1 bit 5: invisible */
    u8 isPlayer;                   /* +2 bit 0 */
    u8 pad3[2];
    u8 graphicsId, movementType, trainerType, localId, mapNum, mapGroup; /* +5 */
    u8 elevation;                  /* +B: low nibble the cell's, high nibble the last that was not 0; a bridge changes neither */
    s16 initialX, initialY;        /* +C, all coordinates + 7 */
    s16 x, y;                      /* +10 */
    s16 previousX, previousY;      /* +14 */
    u8 facing;                     /* +18 low nibble: 1 down 2 up 3 left 4 right */
    u8 pad19[5];
    u8 metatileBehaviour;          /* +1E */
    u8 pad1F[5];
};
_Static_assert(sizeof(struct ObjectEvent) == 0x24, "ObjectEvent");

struct ObjectTemplate {            /* 24 bytes, as in ROM */
    u8 localId, graphicsId, kind, pad3;
    s16 x, y;
    u8 elevation, movementType;
    u16 movementRange;             /* bits 0-3 x, 4-7 y */
    u16 trainerType, trainerRange; /* 1: challenges on sight; cells */
    const u8 *script;
    u16 flagId, pad16;             /* the object is gone while the flag is set; 0: none */
};

struct SaveBlock1 {                /* 0x3D88 bytes used */
    s16 x, y;                      /* +00: walk tile of the present map */
    s8 mapGroup, mapNum;           /* +04 */
    s8 warpId; u8 pad7; s16 warpX, warpY; /* +06 */
    u8 pad0C[0x1C - 0x0C];
    struct { s8 mapGroup, mapNum, warpId; u8 pad; s16 x, y; } lastHeal; /* +1C */
    u8 pad24[0x32 - 0x24];
    u16 mapLayoutId;               /* +32 */
    u8 pad34[0x234 - 0x34];
    u8 savedPartyCount, pad235[3]; /* +234 */
    u8 savedParty[600];            /* +238 */
    u32 money;                     /* +490: ^ encryptionKey */
    u16 coins, registeredItem;     /* +494: coins ^ (u16)key */
    struct ItemSlot pcItems[50];   /* +498: not encrypted */
    struct ItemSlot items[30];     /* +560 */
    struct ItemSlot keyItems[30];  /* +5D8 */
    struct ItemSlot balls[16];     /* +650 */
    struct ItemSlot machines[64];  /* +690 */
    struct ItemSlot berries[46];   /* +790 */
    u8 pad848[0x988 - 0x848];
    u8 dexSeen1[52];               /* +988: copy of SaveBlock2.dexSeen */
    u8 pad9BC[0xA30 - 0x9BC];
    struct ObjectEvent objectEvents[16]; /* +A30: gObjectEvents when the game was saved */
    struct ObjectTemplate objectTemplates[64]; /* +C70: of the present map */
    u8 flags[300];                 /* +1270 */
    u16 vars[256];                 /* +139C: var id - 0x4000 */
    u32 gameStats[64];             /* +159C: ^ key; 5 = steps */
    u8 pad169C[0x3B24 - 0x169C];
    u8 dexSeen2[52];               /* +3B24 */
    u8 pad3B58[0x3D88 - 0x3B58];
};
_Static_assert(offsetof(struct SaveBlock1, money) == 0x490, "money");
_Static_assert(offsetof(struct SaveBlock1, dexSeen1) == 0x988, "dexSeen1");
_Static_assert(offsetof(struct SaveBlock1, objectTemplates) == 0xC70, "objectTemplates");
_Static_assert(offsetof(struct SaveBlock1, flags) == 0x1270, "flags");
_Static_assert(offsetof(struct SaveBlock1, gameStats) == 0x159C, "gameStats");
_Static_assert(offsetof(struct SaveBlock1, dexSeen2) == 0x3B24, "dexSeen2");
_Static_assert(offsetof(struct SaveBlock2, encryptionKey) == 0xAC, "encryptionKey");
_Static_assert(offsetof(struct Main, inBattle) == 0x439, "inBattle");

extern struct SaveBlock1 *volatile gSaveBlock1Ptr; /* always go through these two: they move */
extern struct SaveBlock2 *volatile gSaveBlock2Ptr;
#define SAVE1 gSaveBlock1Ptr
#define SAVE2 gSaveBlock2Ptr

struct Mon {                       /* 100 bytes; +32..+79 encrypted, shuffled by personality % 24 */
    u32 personality, otId;
    u8 nickname[10], language, flags /* bit 1: present */, otName[7], markings;
    u16 checksum, pad1E;
    u32 secure[12];
    u32 status;                    /* +50: bits 0-2 sleep turns, 3 poison, 4 burn, 5 freeze, 6 paralysis */
    u8 level, mail;                /* +54 */
    u16 hp, maxHp, attack, defense, speed, spAttack, spDefense; /* +56 */
};
_Static_assert(sizeof(struct Mon) == 100, "Mon");
extern volatile u8 gPlayerPartyCount, gEnemyPartyCount;
extern struct Mon gPlayerParty[6], gEnemyParty[6];

extern struct ObjectEvent gObjectEvents[16];

struct PlayerAvatar {
    u8 flags;                      /* 1 on foot, 0x20 controllable, 0x80 dash */
    u8 pad1, runningState;         /* +2: 0 still 1 turning 2 moving */
    u8 tileState;                  /* +3: 0 settled 1 between tiles 2 centred, moving on */
    u8 pad4, objectId;             /* +5 */
    u8 preventStep;                /* +6 */
    u8 gender, pad8[28];
};
extern volatile struct PlayerAvatar gPlayerAvatar;

extern volatile u8 sLockFieldControls;            /* 1: a script or menu has the player */
extern volatile u8 sGlobalScriptContextStatus;    /* 0 running 1 waiting 2 none */
struct ScriptContext { u8 stackDepth, mode /* 0 stop 1 script 2 native */, pad[2]; Callback native; const u8 *script; u8 rest[104]; };
extern volatile struct ScriptContext sGlobalScriptContext;
extern volatile u8 gPaletteFade[12];              /* +7: PALETTE_FADING */
#define PALETTE_FADING 0x80
struct Task { Callback function; u8 active, pad5[3]; s16 data[16]; };
_Static_assert(sizeof(struct Task) == 40, "Task");
extern volatile struct Task gTasks[16];
struct TextPrinter { const u8 *text; u8 window, pad5[22], active /* +1B */, state /* +1C: 0 letters 1 WAIT 2 CLEAR 3 SCROLL_START 4 SCROLL */, rest[7]; };
_Static_assert(sizeof(struct TextPrinter) == 0x24, "TextPrinter");
extern volatile struct TextPrinter sTextPrinters[32];
extern volatile u8 sFieldMessageBoxMode;          /* 0 hidden 2 shown */
extern u8 gStringVar1[256], gStringVar4[1000];    /* name pieces; the text in the field's box, ends with 0xFF */
extern u8 gDisplayedStringBattle[300];

struct Tileset { u8 isCompressed, isSecondary, pad[2]; const u32 *tiles; const u16 *palettes; const u16 *metatiles; const u16 *attributes; Callback callback; };
struct MapLayout { s32 width, height; const u16 *border, *cells; const struct Tileset *primary, *secondary; };
struct WarpEvent { s16 x, y; u8 elevation, warpId, mapNum, mapGroup; };
struct CoordEvent { s16 x, y; u8 elevation, pad5; u16 var, value, pad; const u8 *script; };
struct BgEvent { u16 x, y; u8 elevation, kind; u16 pad; const u8 *script; };
struct MapEvents { u8 objectCount, warpCount, coordCount, bgCount; const struct ObjectTemplate *objects; const struct WarpEvent *warps; const struct CoordEvent *coords; const struct BgEvent *bgs; };
struct MapConnection { u8 direction /* 1 S 2 N 3 W 4 E */, pad[3]; s32 offset; u8 mapGroup, mapNum, pad10[2]; };
struct MapConnections { s32 count; const struct MapConnection *connections; };
enum { MAP_TYPE_TOWN = 1, MAP_TYPE_ROUTE = 3, MAP_TYPE_CAVE, MAP_TYPE_INDOOR = 8 };
struct MapHeader { const struct MapLayout *layout; const struct MapEvents *events; const void *scripts; const struct MapConnections *connections; u16 music, layoutId; u8 section, cave, weather, type /* MAP_TYPE_* */; u8 pad[4]; };
_Static_assert(sizeof(struct MapHeader) == 28, "MapHeader");
extern struct MapHeader gMapHeader;               /* copy of the present map's */
struct BackupMapLayout { s32 width /* + 15 */, height /* + 14 */; u16 *cells; };
extern volatile struct BackupMapLayout gBackupMapLayout;
extern u16 sBackupMapData[10240];  /* cells: 0-9 metatile (0x3FF void), 10-11 collision, 12-15 elevation; (x,y) at [y+7][x+7] */

struct BattleMon {                 /* 0x58 bytes */
    u16 species, attack, defense, speed, spAttack, spDefense;
    u16 moves[4];                  /* +C */
    u32 ivs;                       /* +14 */
    s8 stages[8];                  /* +18: hp atk def spe spa spd acc eva; 6 = unchanged */
    u8 ability, types[2], pad23;   /* +20 */
    u8 pp[4];                      /* +24 */
    u16 hp;                        /* +28 */
    u8 level, friendship;          /* +2A */
    u16 maxHp, item;               /* +2C */
    u8 nickname[11], ppBonuses, otName[8]; /* +30 */
    u32 experience, personality;   /* +44 */
    u32 status1, status2, otId;    /* +4C, +50 */
};
_Static_assert(sizeof(struct BattleMon) == 0x58, "BattleMon");
extern struct BattleMon gBattleMons[4];
extern volatile u32 gBattleTypeFlags;             /* bit 0 double, bit 3 trainer, bit 4 first battle, bit 15 two trainers */
extern volatile u8 gBattleOutcome;
enum { GOES_ON = 0, WON = 1, LOST = 2, RAN = 4, CAUGHT = 7 }; /* gBattleOutcome */
extern volatile u8 gBattlersCount, gActiveBattler, gBattlerPositions[4];
extern volatile u16 gBattlerPartyIndexes[4];
extern volatile u8 gActionSelectionCursor[4], gMoveSelectionCursor[4]; /* 0 fight 1 bag 2 party 3 run; 2 x 2 */
extern volatile Callback gBattlerControllerFuncs[4];
extern volatile u8 gMultiUsePlayerCursor;         /* the battler that the target's cursor stands at */
extern volatile u16 gTrainerBattleOpponent_A;
extern volatile struct Menu { u8 left, top; s8 cursor, least, most; u8 window, font, optionWidth, optionHeight, columns, rows, muted; } sMenu; /* filled by menu_cursor() */
extern volatile u8 sStartMenuCursorPos, sNumStartMenuActions, sCurrentStartMenuActions[9];
extern volatile u32 gRngValue;                    /* LCG: * 0x41C64E6D + 0x6073, once a frame and for every rnd() */

/* ---- tables of the cartridge (generated) --------------------------------------------------------- */
struct SpeciesInfo { u8 baseHp, baseAttack, baseDefense, baseSpeed, baseSpAttack, baseSpDefense, types[2], catchRate, expYield; u16 evYield, itemCommon, itemRare; u8 gender, eggCycles, friendship, growthRate, eggGroups[2], abilities[2], safari, colour, pad[2]; };
_Static_assert(sizeof(struct SpeciesInfo) == 28, "SpeciesInfo");
struct MoveInfo { u8 effect, power, type, accuracy, pp, secondaryChance, target; s8 priority; u8 flags, pad[3]; };
_Static_assert(sizeof(struct MoveInfo) == 12, "MoveInfo");
struct ItemInfo { u8 name[14]; u16 itemId, price; u8 holdEffect, holdParam; const u8 *description; u8 importance, registrability, pocket /* 1 items 2 balls 3 machines 4 berries 5 key */, type; Callback fieldUse; u8 battleUsage, pad[3]; Callback battleUse; u8 secondaryId, pad2[3]; };
_Static_assert(sizeof(struct ItemInfo) == 44, "ItemInfo");
struct TrainerMon { u16 iv; u8 level, pad; u16 species, pad6; };
struct TrainerInfo { u8 partyFlags, trainerClass, music, picture; u8 name[12]; u16 items[4]; u8 isDouble, pad[3]; u32 aiFlags; u8 partySize, pad2[3]; const struct TrainerMon *party; };
_Static_assert(sizeof(struct TrainerInfo) == 40, "TrainerInfo");
extern const u8 gSpeciesNames[][11], gMoveNames[][13];
extern const struct SpeciesInfo gSpeciesInfo[];
extern const struct MoveInfo gBattleMoves[];
extern const struct ItemInfo gItems[];
extern const struct TrainerInfo gTrainers[];
extern const u8 gTypeEffectiveness[];      /* attacking, defending, tenths; ends FF FF 00 */
extern const u8 gTypeNames[][7], gTrainerClassNames[][13];
struct WildMon { u8 least, most; u16 species; };
struct WildMonInfo { u8 rate, pad[3]; const struct WildMon *mons; };
struct WildMonHeader { u8 mapGroup, mapNum; u16 pad; const struct WildMonInfo *land, *water, *rock, *fishing; }; /* ends with FF FF */
extern const u16 sStarterMon[3];           /* species by what the starter's task says: left, middle, right */
struct MultichoiceEntry { const u8 *text; u32 unused; };
struct MultichoiceList { const struct MultichoiceEntry *entries; u32 count; };
extern const struct MultichoiceList sMultichoiceLists[]; /* by MULTICHOICE_* */
extern const struct WildMonHeader gWildMonHeaders[];   /* 12 land slots of 20 20 10 10 10 10 5 5 4 4 1 1 percent */

/* ---- markers: what the game is doing ------------------------------------------------------------- */
/* Real functions, each with code of its own: the compiler must not merge two of them (build.py). Each
 * is defined in the file named beside it; many are empty, for the address is all that counts. */
void CB1_Overworld(void), CB2_Overworld(void);                            /* overworld.c */
void CB2_LoadMap(void), CB2_LoadMap2(void), CB2_DoChangeMap(void);        /* warp.c */
void CB2_ReturnToField(void), CB2_ReturnToFieldLocal(void), CB2_WhiteOut(void), CB2_NewGame(void);
void CB2_InitTitleScreen(void), CB2_InitMainMenu(void), CB2_MainMenu(void); /* title.c */
void CB2_NamingScreen(void);                                              /* naming.c */
void OptionMenuMainCB2(void);                                             /* options.c */
void Task_ShowStartMenu(void), CB2_TrainerCard(void);                     /* start_menu.c */
void WaitForAorBPress(void), IsFieldMessageBoxHidden(void);               /* text.c: natives of the script context */
void Task_HandleYesNoInput(void), Task_HandleMultichoiceInput(void);      /* menu.c */
void CB2_StarterChoose(void), Task_HandleStarterChooseInput(void), Task_HandleConfirmStarterInput(void); /* starter.c */
void CB2_InitBattle(void), CB2_HandleStartBattle(void), BattleMainCB2(void); /* battle.c */
void HandleInputChooseAction(void), HandleInputChooseMove(void), HandleInputChooseTarget(void); /* battle_menu.c */
void CB2_EvolutionSceneUpdate(void);                                      /* evolution.c */
void CB2_UpdatePartyMenu(void), Task_HandleChooseMonInput(void);          /* party_screen.c: the list */
void Task_HandleSelectionMenuInput(void);                                 /* list_menu.c: a small menu over a screen */
void SummaryScreenMainCB2(void);                                          /* summary.c */
void CB2_BagMenuRun(void), Task_BagMenu_HandleInput(void);                /* bag_screen.c */
void CB2_BuyMenu(void), ListMenuDummyTask(void), Task_BuyHowManyDialogueHandleInput(void); /* shop.c */

#endif
