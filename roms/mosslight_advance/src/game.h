/* MOSSLIGHT ADVANCE: everything that one source file may use of another. Read this first, then
 * emerald.h.
 *
 * The game is written in a blocking style: a screen, a battle or a script is an ordinary function
 * that waits with wait_frame(). Two kinds of names are there for readers of memory (emerald.h):
 *  - variables at Emerald's addresses (gMain, gPlayerParty, ...);
 *  - markers: functions whose address in gMain.callback2, gTasks, gBattlerControllerFuncs or the
 *    script context tells what the game is doing (set_mode(), task_begin() and so on). The build
 *    writes their addresses to engine/games/mosslight_advance/facts/rom_symbols.csv.
 * Private variables are plain statics (the linker keeps them off all listed addresses);
 * EWRAM_DATA puts big ones into the slow, large RAM.
 */
#ifndef GAME_H
#define GAME_H

#include "emerald.h"
#include "types.h"
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
#define TEXT_END 0xFF
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
bool yes_no(void);                 /* Task_HandleYesNoInput meanwhile; B is no */
bool yes_no_of(Callback task);     /* another task meanwhile */
enum { MULTICHOICE_GIFT };
u8 multichoice(u8 list);           /* MULTICHOICE_*; Task_HandleMultichoiceInput and its data meanwhile; MENU_CANCEL: B */

/* ---- title.c, naming.c, options.c, starter.c, start_menu.c ---------------------------------------------------- */
void title_screen(void);           /* returns with a game in the save blocks, new or loaded */
void naming_screen(u8 *name, u8 most, const u8 *proposal);
void start_menu(void);             /* opened from the field */
u16 starter_screen(void);           /* a species; begins in the field, ends dark */
void options_screen(void);         /* these two begin and end dark */
void player_card(void);

/* ---- the field: field.h ------------------------------------------------ */
void overworld(void);              /* the main loop; never returns */
void map_enter(u16 map, u8 warp);  /* MAP_*: group << 8 | number; warp 0xFF: SAVE1's x and y as they are */
void field_redraw(void);           /* after any full screen: tiles, people, palettes; screen still dark */
void field_return(void);           /* CB2_ReturnToField: save_blocks_move, field_redraw, fade in, CB2_Overworld */
void script_run(const u8 *script);
u8 metatile_behaviour(s16 x, s16 y);
#define MAP(group, number) ((u16)((group) << 8 | (number)))
/* Generated world: */
extern const struct MapHeader *const *const gMapGroups[];
struct SightTrainer { u16 trainer; u16 flag; u16 before, lost, after; u16 script; u8 restsParty, partner /* number + 1 of who joins in; 0: nobody */; };
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
u8 battle_trainers(u16 left, u16 right);   /* two at once, against two own creatures */
void party_screen(void);
void bag_screen(void);
void shop(u8 list);
bool item_add(u16 item, u16 n); bool item_remove(u16 item, u16 n); u16 item_count(u16 item);

/* Generated tables of the game's own: */
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
