/* MOSSLIGHT ADVANCE: everything that one source file may use of another. Read this first.
 *
 * The game is written in a blocking style: a screen, a battle or a script is an ordinary function
 * that waits with wait_frame(). Two kinds of names come from outside of C:
 *  - RAM that a reader of memory looks at (gMain, gPlayerParty, ...): `extern` here, put at its
 *    address by the generated symbols.ld from engine/games/emerald/facts/symbols.csv;
 *  - markers: functions whose address in gMain.callback2, gTasks, gBattlerControllerFuncs or the
 *    script context tells a reader what the game is doing (set_mode(), task_begin() and so on). The
 *    build writes their addresses to engine/games/mosslight_advance/facts/symbols.csv.
 * Private variables are plain statics (the linker keeps them off all listed addresses);
 * EWRAM_DATA puts big ones into the slow, large RAM.
 */
#ifndef GAME_H
#define GAME_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef uint8_t u8;
typedef int8_t s8;
typedef uint16_t u16;
typedef int16_t s16;
typedef uint32_t u32;
typedef int32_t s32;

#define EWRAM_DATA __attribute__((section(".ewram")))
#define MIN(a, b) ((a) < (b) ? (a) : (b))
#define MAX(a, b) ((a) > (b) ? (a) : (b))
#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

#include "world_ids.h" /* generated: MAP_*, FLAG_*, VAR_*, TEXT_*, GFX_*, SCRIPT_*, TRAINER_*, POOL_*, SHOP_* */
#include "creatures.h" /* generated: SPECIES_*, MOVE_*, ITEM_*, TYPE_*, EFFECT_* */

/* ---- buttons: bits of gMain.heldKeys and newKeys, as the hardware has them -------------------- */
#define KEY_A 0x0001
#define KEY_B 0x0002
#define KEY_SELECT 0x0004
#define KEY_START 0x0008
#define KEY_RIGHT 0x0010
#define KEY_LEFT 0x0020
#define KEY_UP 0x0040
#define KEY_DOWN 0x0080
#define KEY_R 0x0100
#define KEY_L 0x0200

/* ---- what lies at Emerald's addresses ---------------------------------------------------------- */
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
    u16 options;                   /* +14: bits 0-2 text speed 0..2, bit 9 SET style, bit 10 battle scene off */
    u8 pad16[0x28 - 0x16];
    u8 dexOwned[52];               /* +28 */
    u8 dexSeen[52];                /* +5C */
    u8 pad90[0xAC - 0x90];
    u32 encryptionKey;             /* +AC */
    u8 padB0[0xF2C - 0xB0];
};

struct ItemSlot { u16 itemId, quantity; };   /* quantity ^ (u16)encryptionKey */

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
    u8 pad9BC[0xC70 - 0x9BC];
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

struct ObjectEvent {               /* 0x24 bytes */
    u8 active;                     /* +0 bit 0 */
    u8 visibility;                 /* +1 bit 5: invisible */
    u8 isPlayer;                   /* +2 bit 0 */
    u8 pad3[2];
    u8 graphicsId, movementType, trainerType, localId, mapNum, mapGroup; /* +5 */
    u8 elevation;                  /* +B: low nibble now, high nibble before */
    s16 initialX, initialY;        /* +C, all coordinates + 7 */
    s16 x, y;                      /* +10 */
    s16 previousX, previousY;      /* +14 */
    u8 facing;                     /* +18 low nibble: 1 down 2 up 3 left 4 right */
    u8 pad19[5];
    u8 metatileBehaviour;          /* +1E */
    u8 pad1F[5];
};
_Static_assert(sizeof(struct ObjectEvent) == 0x24, "ObjectEvent");
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
extern volatile u8 gPaletteFade[12];              /* +7 bit 7: fading */
struct Task { Callback function; u8 active, pad[35]; };
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
struct MapHeader { const struct MapLayout *layout; const struct MapEvents *events; const void *scripts; const struct MapConnections *connections; u16 music, layoutId; u8 section, cave, weather, type /* 1 town 2 city 3 route 4 cave 8 indoor */; u8 pad[4]; };
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
extern volatile u32 gBattleTypeFlags;             /* bit 3 trainer, bit 4 first battle */
extern volatile u8 gBattleOutcome;                /* 1 won 2 lost 4 ran 7 caught; 0 in battle */
extern volatile u8 gBattlersCount, gActiveBattler, gBattlerPositions[4];
extern volatile u16 gBattlerPartyIndexes[4];
extern volatile u8 gActionSelectionCursor[4], gMoveSelectionCursor[4]; /* 0 fight 1 bag 2 party 3 run; 2 x 2 */
extern volatile Callback gBattlerControllerFuncs[4];
extern volatile u16 gTrainerBattleOpponent_A;
extern volatile struct Menu { u8 left, top; s8 cursor, least, most; u8 window, font, optionWidth, optionHeight, columns, rows, muted; } sMenu; /* filled by menu_cursor() */
extern volatile u8 sStartMenuCursorPos, sNumStartMenuActions, sCurrentStartMenuActions[9];
extern volatile u32 gRngValue;                    /* LCG: * 0x41C64E6D + 0x6073, once a frame and for every rnd() */

/* ---- markers: what the game is doing, for a reader of memory ----------------------------------- */
/* Real functions, each with code of its own (none may be merged with another). Who owns one, is the
 * file that the function belongs to. */
void CB1_Overworld(void), CB2_Overworld(void), CB2_LoadMap(void), CB2_LoadMap2(void); /* overworld.c */
void CB2_DoChangeMap(void), CB2_ReturnToField(void), CB2_ReturnToFieldLocal(void), CB2_WhiteOut(void), CB2_NewGame(void);
void CB2_InitTitleScreen(void), CB2_InitMainMenu(void), CB2_MainMenu(void), CB2_NamingScreen(void); /* title.c, naming.c */
void CB2_InitBattle(void), CB2_HandleStartBattle(void), BattleMainCB2(void);          /* battle.c */
void CB2_StarterChoose(void);                                                         /* story.c */
void CB2_UpdatePartyMenu(void), CB2_BagMenuRun(void), CB2_BuyMenu(void);              /* screens */
void WaitForAorBPress(void), IsFieldMessageBoxHidden(void);                           /* text.c: script natives */
void Task_ShowStartMenu(void), Task_HandleYesNoInput(void), Task_HandleMultichoiceInput(void); /* menus */
void OptionMenuMainCB2(void), CB2_TrainerCard(void);                                  /* options.c, start_menu.c */
void Task_HandleChooseMonInput(void), Task_HandleSelectionMenuInput(void);            /* party_screen.c: the list; a monster's own menu */
void Task_BagMenu_HandleInput(void), ListMenuDummyTask(void);                         /* bag_screen.c: its list; any list with more rows than the window */
void CB2_EvolutionSceneUpdate(void), SummaryScreenMainCB2(void);                      /* evolution; a monster's page, if there is one */
void HandleInputChooseAction(void), HandleInputChooseMove(void);                      /* battle_menu.c */

/* ---- system.c (crt0.s, memory) ------------------------------------------------------------------ */
void wait_frame(void);             /* halts the processor until the vertical blank; then keys, RNG, play time, uploads */
void wait_frames(u32 n);
void pause_frames(u32 n);          /* or until A or B is pressed: for pauses that an impatient player may cut short */
u16 rnd(void);                     /* 16 bits */
u16 rnd_below(u16 n);
void set_mode(Callback callback2); /* gMain.callback2; callback1 is CB1_Overworld in the field, else 0: set by whoever owns the mode */
u8 task_begin(Callback function);  /* gTasks slot */
void task_end(Callback function);
void *memcpy(void *to, const void *from, size_t n);
void *memset(void *to, int value, size_t n);
void *memmove(void *to, const void *from, size_t n);
bool flag_get(u16 flag);           /* FLAG_*, bit of SAVE1->flags */
void flag_set(u16 flag);
void flag_clear(u16 flag);
u16 var_get(u16 var);              /* VAR_*, from 0x4000 */
void var_set(u16 var, u16 value);
void save_blocks_new(void);        /* new game: both cleared, placed, with a first key */
void save_blocks_move(void);       /* to another offset and key, everything keyed re-encrypted: at every map load and return to the field */
u32 money_get(void); void money_set(u32 amount);       /* at most 999,999 */
void stat_add(u8 stat, u32 n);     /* gameStats */
bool save_game(void);              /* to the flash memory, as Emerald marks it; save.c */
bool load_game(void);              /* false: nothing saved */

/* ---- video.c ------------------------------------------------------------------------------------ */
/* BG0: windows and text, a canvas of 240x160 pixels in 16 colours (palette 15). BG1: the map over
 * people. BG2: the map under people. BG3: a battle's or a screen's backdrop. Sprites lie between BG1 and BG2. */
#define SCREEN_W 240
#define SCREEN_H 160
enum { SHOW_WINDOWS = 1, SHOW_TOP = 2, SHOW_BOTTOM = 4, SHOW_BACKDROP = 8, SHOW_SPRITES = 16 };
void video_show(u32 layers);
void pal_load(u8 slot, const u16 *colours);            /* 16 colours; 0-15 BG, 16-31 sprites; shown with the present fade */
void pal_set(u8 slot, u8 index, u16 colour);
void fade_out(u8 frames);                              /* to black; gPaletteFade says so meanwhile */
void fade_in(u8 frames);
void flash_screen(u8 times);                           /* before a battle */
void bg_tiles(u32 tile, const u32 *data, u32 count);   /* BG1/BG2/BG3 share 512 + 512 tiles of 32 bytes */
void bg_cell(u8 bg, u8 x, u8 y, u16 entry);            /* 32x32 map entries: tile | flips | palette << 12 */
u16 *bg_map(u8 bg);
void bg_scroll(u8 bg, s16 x, s16 y);
struct Backdrop;
void backdrop_show(const struct Backdrop *backdrop);   /* on BG3: tiles from 0, palette 0 */
/* Sprites: a copy of the OAM, uploaded in the vertical blank. Tiles in units of 32 bytes, 0-1023, one-dimensional. */
enum { SPRITE_16x16, SPRITE_16x32, SPRITE_32x32, SPRITE_64x64, SPRITE_8x8, SPRITE_32x16, SPRITE_64x32, SPRITE_8x16 };
enum { SPRITE_FLIP_X = 1, SPRITE_FRONT = 2 /* over BG1 */, SPRITE_BEHIND = 4 /* under BG2 too */, SPRITE_TOP = 8 /* over the windows */ };
void sprite_tiles(u16 tile, const u32 *data, u16 count);
void sprite_put(u8 index, s16 x, s16 y, u8 size, u16 tile, u8 palette, u8 flags); /* index 0 is the front-most */
void sprite_hide(u8 index);
void sprites_hide(void);
/* The canvas. Colours of palette 15: 0 see-through, the others: */
enum { INK_NONE, INK_PAPER, INK_TEXT, INK_SHADOW, INK_FRAME, INK_FRAME_LIGHT, INK_CURSOR, INK_RED, INK_BLUE, INK_GREEN, INK_YELLOW, INK_DARK, INK_GREY, INK_PANEL, INK_PANEL_LIGHT, INK_WHITE };
void ui_clear(void);
void ui_clear_rect(s16 x, s16 y, s16 w, s16 h);        /* see-through */
void ui_fill(s16 x, s16 y, s16 w, s16 h, u8 ink);
void ui_box(s16 x, s16 y, s16 w, s16 h);               /* framed window; its paper begins 5 px inside */
u16 ui_print(s16 x, s16 y, const u8 *text, u8 ink);    /* one line of game text up to 0xFF; returns its width; letters are 12 px high */
u16 ui_width(const u8 *text);
void ui_number(s16 x, s16 y, u32 value, u8 ink);       /* left aligned */
void ui_number_right(s16 right, s16 y, u32 value, u8 ink);
u16 ui_number_width(u32 value);
void ui_bar(s16 x, s16 y, s16 w, u16 part, u16 whole); /* HP: green, yellow, red */
void ui_keep(void); void ui_restore(void);             /* a stack of kept canvases, at most 4 deep */

/* ---- text.c ------------------------------------------------------------------------------------- */
/* Game text is Emerald's character set and ends with 0xFF; \n is 0xFE, \f (a new page) 0xFB. In C it is
 * written T("HELLO"), which the build replaces by the bytes before it compiles. */
void msg(void);                                        /* begin to compose */
void msg_add(const u8 *text);
void msg_number(u32 value);
enum { MSG_GO /* short pause, text left */, MSG_WAIT /* for A or B */, MSG_STAY /* returns at once, a menu follows */ };
void msg_show(u8 how);             /* wrapped into the message box, letter by letter as the options say */
void msg_place(bool in_battle);    /* battle texts: gDisplayedStringBattle and the battle's box, else gStringVar4 and the field's */
void msg_close(void);              /* takes the field's box away */
void say(u16 text_id);             /* TEXT_*: msg, msg_add, MSG_WAIT; leaves the box */
void say_text(const u8 *text);
extern const u8 *const text_table[];                   /* generated */
u8 *text_copy(u8 *to, const u8 *text);                 /* without 0xFF; returns the end, where it writes 0xFF */

/* ---- menu.c ------------------------------------------------------------------------------------- */
#define MENU_CANCEL 0xFF
enum { MENU_NO_B = 1, MENU_WRAP = 2, MENU_START_CLOSES = 4 };
/* Cursor beside `cols` x `rows` entries already drawn, cursor at (x + col*dx, y + row*dy) in pixels. */
u8 menu_cursor(s16 x, s16 y, u8 cols, u8 rows, s16 dx, s16 dy, u8 start, u8 flags, volatile u8 *shadow /* kept equal to the cursor, or NULL */);
u8 menu_list(s16 x, s16 y, const u8 *const *entries, u8 count, u8 start, u8 flags); /* own window, as wide as needed; x -1: at the right, y -1: above the text box */
u8 multichoice(const u8 *const *entries, u8 count);    /* Task_HandleMultichoiceInput meanwhile */
bool yes_no(void);                 /* Task_HandleYesNoInput meanwhile; B is no */

/* ---- title.c, naming.c, options.c, start_menu.c ---------------------------------------------------- */
void title_screen(void);           /* returns with a game in the save blocks, new or loaded */
void naming_screen(u8 *name, u8 most, const u8 *proposal);
void start_menu(void);             /* opened from the field */
void options_screen(void);         /* these two begin and end dark */
void player_card(void);

/* ---- overworld.c, map.c, people.c, script.c, story.c ------------------------------------------------ */
void overworld(void);              /* the main loop; never returns */
void map_enter(u16 map, u8 warp);  /* MAP_*: group << 8 | number; warp 0xFF: SAVE1's x and y as they are */
void field_redraw(void);           /* after any full screen: tiles, people, palettes; screen still dark */
void field_return(void);           /* CB2_ReturnToField: save_blocks_move, field_redraw, fade in, CB2_Overworld */
void script_run(const u8 *script);
u8 metatile_behaviour(s16 x, s16 y);
#define MAP(group, number) ((u16)((group) << 8 | (number)))
/* Generated world: */
extern const struct MapHeader *const *const gMapGroups[];
struct SightTrainer { u16 trainer; u16 flag; u16 before, lost, after; u16 script; u8 restsParty; };
extern const struct SightTrainer sight_trainers[];     /* by the number in the script, see script.c */
struct MapChange { u16 map, flag; s16 x, y; u16 cell; };
extern const struct MapChange map_changes[]; extern const u16 map_change_count; /* in force while the flag is set */
typedef void (*StoryFunction)(void);
extern const StoryFunction story_functions[];          /* by SCRIPT_*; generated from the names: script_<name>() in story.c */
struct ObjectGraphics { const u32 *tiles; u8 palette, frames; }; /* 16x32 px each: down 0-2, up 3-5, left 6-8 (stand, step, step); frames 1: a thing */
extern const struct ObjectGraphics object_graphics[];  /* by GFX_* */
extern const u16 object_palettes[][16];
struct PoolEntry { u8 share, least, most; u16 species; }; /* share of 100 */
extern const struct PoolEntry *const pools[];          /* by POOL_*; ends with share 0 */
extern const u8 map_pools_count; extern const struct { u16 map; u8 pool; u8 rate; } map_pools[];
extern const u16 *const shops[];                       /* by SHOP_*; item ids, ends with 0 */

/* Script bytes (generated; a person's, sign's or trigger's `script`):
 *   5C 00 trainer.lo trainer.hi 00 00 n   a trainer on sight: sight_trainers[n]
 *   F0 text.lo text.hi                    say TEXT_*
 *   F1 function.lo function.hi            story_functions[]
 *   F2 n, n x {flag.lo flag.hi text.lo text.hi}   the first whose flag is set, or is 0
 * and then 02 (the end). */

/* ---- mons.c, party_screen.c, bag.c, bag_screen.c, shop.c, battle*.c ------------------------------------- */
struct MonData {                   /* a Mon's 48 secure bytes, plain */
    u16 species, heldItem; u32 experience; u8 ppBonuses, friendship; u16 pad0A;   /* growth */
    u16 moves[4]; u8 pp[4];                                                      /* attacks */
    u8 evs[6] /* hp atk def spe spa spd */, contest[6];                          /* evs */
    u8 pokerus, metLocation; u16 metInfo; u32 ivs /* 5 bits each, hp atk def spe spa spd */, ribbons; /* misc */
};
_Static_assert(sizeof(struct MonData) == 48, "MonData");
void mon_read(const struct Mon *mon, struct MonData *data);
void mon_write(struct Mon *mon, const struct MonData *data);   /* shuffles, encrypts, checksum */
void mon_make(struct Mon *mon, u16 species, u8 level);         /* random personality and IVs; stats */
void mon_stats(struct Mon *mon);                               /* level and stats from experience */
bool give_mon(u16 species, u8 level);      /* appended to the party; its name goes to gStringVar1; dex */
void heal_party(void);
u8 party_alive(void);
u8 battle_wild(u16 species, u8 level);     /* whole battles, transition and all; return gBattleOutcome; */
u8 battle_pool(u8 pool);                   /* the caller calls field_return() or handles the whiteout */
u8 battle_trainer(u16 trainer);            /* TRAINER_*; not lost_ok: see next */
u8 battle_trainer_mild(u16 trainer);       /* may be lost without a whiteout */
void party_screen(void);
void bag_screen(void);
void shop(u8 list);
bool item_add(u16 item, u16 n); bool item_remove(u16 item, u16 n); u16 item_count(u16 item);

/* Tables in Emerald's layout (generated): */
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
extern const struct WildMonHeader gWildMonHeaders[];   /* 12 land slots of 20 20 10 10 10 10 5 5 4 4 1 1 percent */
struct LevelMove { u8 level; u16 move; };
extern const struct LevelMove *const learnsets[];      /* by species; ends with level 0 */
struct Evolution { u16 into; u8 level; };              /* level 0: none */
extern const struct Evolution evolutions[];
extern const u16 trainer_rewards[];                    /* money by TRAINER_* */
struct Picture { const u32 *tiles; const u16 *palette; };      /* 64x64 px, 4 bits: 2048 bytes */
extern const struct Picture species_fronts[], species_backs[], trainer_pictures[];
extern const struct Picture hero_front[2], hero_back[2], professor_picture;
struct Backdrop { const u32 *tiles; u16 count; const u16 *map; const u16 *palette; }; /* map 30x20 entries, one palette */
extern const struct Backdrop backdrop_title, backdrop_field, backdrop_indoor, backdrop_screen, backdrop_intro;
extern const u16 ui_palette[16];
struct Glyph { u8 width; u16 rows[12]; };  /* two bits a pixel, the leftmost in bits 0-1: 0 none 1 ink 2 shadow; at most 8 px wide */
extern const struct Glyph font[256];       /* by character code */

#endif
