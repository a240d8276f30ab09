/* What only the system's own files share (battles and bag need game.h alone). */
#ifndef SYSTEM_H
#define SYSTEM_H

#include "game.h"

/* crt0.s */
void wait_vbl(void);
void vram_dma(u8 bank, const u8 *src, u16 vram, u8 blocks) __sdcccall(0);
void vram_row(const u8 *src, u16 vram_row, u8 column, u8 n) __sdcccall(0);
void move_up(u8 *dst, const u8 *src, u16 n) __sdcccall(0);
void write_palettes(const u8 *src, u8 first_byte, u8 n, u8 reg) __sdcccall(0);
void stack_copy(u8 *dst, const u8 *src, u16 n) __sdcccall(0);

#define rSCY REG(0xFF42)
#define rSCX REG(0xFF43)
#define rLCDC REG(0xFF40)
#define rWY REG(0xFF4A)
#define rWX REG(0xFF4B)
#define hOamDirty REG(0xFFF1)
#define LCDC_ON 0xC3        /* display, window map 9C00, tiles at 8800, sprites, background */
#define LCDC_WINDOW 0x20
#define shadow_oam ((u8 *)0xC400)

/* ---- video.c ---- */
/* Where the screen's top left tile lies in the 32x32 background map. */
extern u8 view_column, view_row;
extern s8 scroll_x, scroll_y; /* pixels, while a step is under way */
extern u8 animation_on;       /* water and flowers move */
extern u8 map_palset;         /* palette set of the current map */
void video_init(void);
void video_frame(void);       /* what must happen in every vertical blank */
void load_tileset_tiles(void);
void load_object_palettes(void);

/* ---- map.c ---- */
/* The world lies in WORLD_BANK in Crystal's layout, written by layout.py.
 * The header of the present map and the row of its tileset are copied to where Crystal has them. */
typedef struct {
    u8 group, number;
    const u8 *source;         /* the strip of the neighbour's blocks that is seen from here */
    u8 *place;                /* where it lies in wOverworldMapBlocks */
    u8 length, width, y, x;   /* of the strip; of the neighbour; see cross_border() */
    u16 window;               /* unused here */
} Connection;
typedef struct {
    u8 attributes_bank, tileset, environment;
    const u8 *attributes;
    u8 border, height, width, blocks_bank; /* sizes in blocks */
    const u8 *blocks;
    u8 bank;                  /* of scripts and events */
    const u8 *changes;        /* rows of BlockChange; Crystal's map scripts */
    const u8 *events;
    u8 connections;           /* bits 3 N, 2 S, 1 W, 0 E */
    Connection neighbour[4];  /* N, S, W, E; FF none */
} MapHeader;
#define MAP ((MapHeader *)0xD198)
typedef struct {
    u8 graphics_bank;
    const u8 *graphics;
    u8 tiles_bank;
    const u8 *tiles;          /* 32 bytes a block: per cell four tiles, four attributes */
    u8 collision_bank;
    const u8 *collisions;     /* 4 bytes a block */
    u8 animated, count;       /* tiles of graphics */
    u16 zero;
    u8 palset, unused;
} Tileset;
#define TILESET ((Tileset *)0xD1D9)
#define wBackupWarpNumber REG(0xDCAC)     /* with wBackupMapGroup and -Number: where one came from */
typedef struct { u8 count; const u8 *rows; } MapEvents;
#define MAP_EVENTS ((MapEvents *)0xDBFB) /* of the present map: */
enum { WARPS, TRIGGERS, SIGNS, PEOPLE };

#define NORTH 0
#define SOUTH 1
#define WEST 2
#define EAST 3

typedef struct { u8 y, x, warp, group, number; } Warp;
typedef struct { u8 y, x, kind; const u8 *script; } Sign;
typedef struct { u8 scene, y, x, unused; const u8 *script; u16 zero; } Trigger;
typedef struct { u16 flag; u8 x, y, block; } BlockChange; /* of a block, while the flag is set */
typedef struct { u8 group, number, x, y; } Spawn;         /* its row is its bit in wVisitedSpawns */

void map_load(u8 number);                 /* header, blocks with border, warps, signs, triggers */
u8 collision_at(u8 x, u8 y);              /* COLL_*; x and y may lie in the border */
#define LAND 0
#define WATER 1
u8 permission(u8 collision);              /* LAND, WATER or other: nobody gets there */
void map_tiles_to_tilemap(u8 x, u8 y, u8 w, u8 h); /* screen cells; from map to wTilemap */
const Warp *warp_at(u8 x, u8 y);
const Warp *warp_number(u8 number);       /* from 1 */
const Sign *sign_at(u8 x, u8 y);
const Trigger *trigger_at(u8 x, u8 y);    /* one whose scene it is */
u8 spawn_row(u8 number, Spawn *row);      /* of a map, its home row for 0; returns the bit */

/* ---- people.c ---- */
/* The layout of wPlayerStruct and wObject1Struct; only the fields the game uses have names. */
typedef struct {
    u8 sprite, index, tile, movement;
    u8 attr, f5, f6, walking;
    u8 facing, step_type, step_duration, action;
    u8 step_frame, f13, collision, f15;
    u8 x, y, last_x, last_y;
    u8 home_x, home_y, radius, timer;
    u8 rest[16];
} Object;
#define PLAYER ((Object *)0xD4D6)
#define OBJECTS ((Object *)0xD4FE)
#define OBJECT_COUNT 12
/* wMapObjects: who belongs to the map, as the ROM says it; row 0 is the player. */
typedef struct {
    u8 struct_id;          /* of the Object; FF: hidden */
    u8 sprite, y, x, movement, radius, hour1, hour2;
    u8 kind;               /* colour << 4 | KIND_* */
    u8 sight;
    const u8 *script;
    u16 flag;              /* EVENT_* that hides it, NO_FLAG none */
    u8 unused[2];
} MapObject;
#define MAP_OBJECT_ROWS 16
#define MAP_OBJECTS ((MapObject *)0xD71E)
#define OBJECT_MASKS ((u8 *)0xD81E)       /* by row; FF: hidden */
#define ROW_OF(object) (MAP_OBJECTS + (object)->index)

#define DOWN 0
#define UP 4
#define LEFT 8
#define RIGHT 12

#define NO_FLAG 0xFFFF

#define MOVE_STILL 1          /* a thing: it does not turn to who talks to it */
#define MOVE_WANDER 2
#define MOVE_SPIN 3
#define MOVE_RING 4
#define MOVE_STAND 6          /* and the next three: facing down, up, left, right */
#define MOVE_BOULDER 0x19
#define FIRST_HOLLOW_MAP MAP_MOSS_HALL /* from here on the maps are under the moss */

#define KIND_SCRIPT 0
#define KIND_TRAINER 2        /* its script is a SightTrainer */

void people_load(void);       /* structs and sprite tiles of the current map's people */
void hero_load(void);         /* the player's own sprite tiles */
void objects_refresh(void);   /* show or hide by event flags */
u8 people_tick(void);         /* wandering, every overworld tick; 1 if anybody moves */
void object_start_step(Object *o, u8 facing);
u8 object_advance(Object *o); /* one tick of a running step; 1 when it ends */
Object *object_at(u8 x, u8 y);/* +4 coordinates, as in the structs; 0 nobody */
void sprites_draw(void);
u8 may_wander(const Object *o, u8 x, u8 y);

/* ---- hollow.c ---- */
#define COLL_HOLE 0x60
extern u8 strength_on;        /* boulders may be pushed, until the map is left */
void objects_cull(void);      /* takes their structs from who is far away */
void boulder_push(u8 x, u8 y, u8 direction); /* who walks against (x, y) pushes what is there */
u8 hollow_tick(void);         /* in place of people_tick() */

extern Object *emote_over;    /* who has the exclamation bubble, 0 nobody */

/* ---- steps.c ---- */
extern const s8 step_dx[4], step_dy[4];   /* by facing >> 2 */
extern u8 tick_mark;          /* hVBlankCounter at the last tick */
extern u8 pressed;            /* newly pressed since the last tick */
extern u8 step_type;          /* what PLAYER->step_duration counts: STEPPING, a turn or a bump */
#define STEPPING 6
#define STEP_FLAGS_MIDAIR 0x10 /* of wPlayerStepFlags: in a hop */
void tick_wait(void);         /* until two frames after the last tick */
void script_tick(void);       /* one tick in which only scripted things move */
void update_tiles(void);      /* the collisions around the player */
void start_step(u8 facing);
void start_turn(u8 facing);
void start_bump(void);
/* One tick of whatever the player does; 1 when a whole step has ended, player_rest() to follow. */
u8 player_advance(void);
void player_rest(void);       /* after a step */
void player_walk(u8 facing);  /* one whole step in a script */
void object_walk(Object *o, u8 facing);
void place_sign_show(u8 landmark);
void place_sign_hide(void);
extern u8 place_sign_ticks;   /* while not 0, the place's name covers the lowest rows */

/* ---- travel.c ---- */
#define COLL_STAIRCASE 0x7A
void enter_map(u8 number, u8 x, u8 y);
void take_warp(const Warp *w);
u8 border_crossed(void);      /* to the next map, if the step led over the edge; 1 if so */
void land(void);              /* from the water */
void wild_encounter(void);    /* after a step in tall grass or a cave: perhaps a battle */
void battle_over(u8 result);  /* the map again, or the last healing place */

/* ---- overworld.c ---- */
void overworld_run(void);     /* the game; never returns */

/* ---- script.c ---- */
extern const char *const landmark_names[];
extern const u8 ascii_tiles[];            /* character code of ASCII signs from 20 on */
extern const u8 map_pools[];              /* POOL_* by map number - 1, 255 none */
/* A script in the map's bank begins with its kind. */
#define SCRIPT_LINES 0        /* rows of event flag and TEXT_*; the first that is set is said, or NO_FLAG's */
#define SCRIPT_CALL 1         /* number of a script for run_script() */
typedef struct { /* what happens when it is beaten: script, or 255 and the text lost */
    u16 flag;
    u8 trainer_class, id, trainer, before, lost, after, script, rests_party;
} SightTrainer;
void script_start(void);
void script_end(void);        /* closes the text box */
void close_box(void);         /* the same in the middle of a script */
void walk_mode(u8 on);        /* somebody is moved by the script */
u8 opposite(u8 facing);
void talk_to(Object *o);
void run_script(u8 number) __banked;      /* generated: SCRIPT_* -> a function of the story */
void run_script_at(const u8 *script);
void read_sign(const Sign *s);
u8 trainer_sees(void);        /* runs the meeting; 1 if there was one */
u8 step_trigger(void);        /* places that do something when stepped on; 1 if one did */
void arrival(void);           /* flags set by being on a map */

/* ---- act_one.c, act_two.c, epilogue.c, naming.c, clock.c, phone.c, field.c ---- */
void leaves(u16 event);       /* whoever the event hides goes away in a dark moment */
u8 is_known(u8 move);         /* by one of the party, whose name goes to wStringBuffer1 */
void rest_party(void);        /* a dark moment, then all creatures are well */
void name_screen(const char *question, u8 *name, u8 max); /* name: charmap, kept if none is typed */
void ask_hour(void);          /* sets the clock */
u8 phone_rings(void) __banked; /* after a step: a call that was due; 1 if there was one */
#define COLL_CUT_TREE 0x12
#define SURFING 4             /* wPlayerState */
/* A was pressed before a tree to cut or before water, at (x, y). */
void field_use(u8 collision, u8 x, u8 y) __banked;

/* ---- intro.c, start_menu.c ---- */
void title_screen(void) __banked;
void new_game(void) __banked;
void start_menu(void) __banked;

#endif
