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
void load_tileset_tiles(u8 tileset);
void load_object_palettes(void);

/* ---- map.c ---- */
typedef struct {              /* generated in world_data.c, one per map, number 1 first */
    u8 tileset, palset, environment, landmark;
    u8 width, height, border; /* blocks */
    u8 bank;                  /* of everything below */
    const u8 *blocks, *warps, *signs, *people;
    u8 warp_count, sign_count, people_count;
    u8 wild_pool;             /* 255 none */
    u8 connections;           /* as wMapConnections */
    struct { u8 map; s8 offset; } neighbour[4]; /* N, S, W, E; offset in blocks */
} MapHeader;
extern const MapHeader map_headers[];

typedef struct { const u8 *tiles; const u8 *collisions; u8 bank; u8 animated; const u8 *graphics; u8 count; u8 graphics_bank; } Tileset;
extern const Tileset tilesets[];

#define NORTH 0
#define SOUTH 1
#define WEST 2
#define EAST 3

typedef struct { u8 y, x, warp, group, number; } Warp;
typedef struct { u8 y, x, kind, param, unused; } Sign;

extern const MapHeader *map;
void map_load(u8 number);                 /* header, blocks with border, warps and signs */
u8 collision_at(u8 x, u8 y);              /* COLL_*; x and y may lie in the border */
u8 is_wall(u8 collision);
void map_tiles_to_tilemap(u8 x, u8 y, u8 w, u8 h); /* screen cells; from map to wTilemap */
const Warp *warp_at(u8 x, u8 y);
const Sign *sign_at(u8 x, u8 y);

/* ---- people.c ---- */
/* The layout of wPlayerStruct and wObject1Struct; only the fields the game uses have names. */
typedef struct {
    u8 sprite, index, tile, movement;
    u8 attr, f5, f6, walking;
    u8 facing, step_type, step_duration, action;
    u8 step_frame, f13, collision, f15;
    u8 x, y, last_x, last_y;
    u8 home_x, home_y, radius, timer;
    u8 kind, param;
    u16 flag;              /* EVENT_* that hides it (with SHOWN_BY: that shows it) */
    u8 own_sprite;         /* kept while sprite is 0 */
    u8 rest[11];
} Object;
#define PLAYER ((Object *)0xD4D6)
#define OBJECTS ((Object *)0xD4FE)
#define OBJECT_COUNT 12

#define DOWN 0
#define UP 4
#define LEFT 8
#define RIGHT 12

#define NO_FLAG 0xFFFF
#define SHOWN_BY 0x8000

#define MOVE_STAND 0
#define MOVE_WANDER 1
#define MOVE_SPIN 2

#define KIND_TALK 0           /* param: first line in talk_lines */
#define KIND_SCRIPT 1         /* param: SCRIPT_* */
#define KIND_TRAINER 2        /* param: row of sight_trainers */

void people_load(void);       /* structs and sprite tiles of the current map's people */
void hero_load(void);         /* the player's own sprite tiles */
void objects_refresh(void);   /* show or hide by event flags */
u8 people_tick(void);         /* wandering, every overworld tick; 1 if anybody moves */
void object_start_step(Object *o, u8 facing);
u8 object_advance(Object *o); /* one tick of a running step; 1 when it ends */
Object *object_at(u8 x, u8 y);/* +4 coordinates, as in the structs; 0 nobody */
void sprites_draw(void);
extern Object *emote_over;    /* who has the exclamation bubble, 0 nobody */

/* ---- overworld.c ---- */
extern const s8 step_dx[4], step_dy[4];   /* by facing >> 2 */
void overworld_run(void);     /* the game; never returns */
void tick_wait(void);         /* until two frames after the last tick */
void script_tick(void);       /* one tick in which only scripted things move */
void enter_map(u8 number, u8 x, u8 y);
void player_rest(void);       /* after a step */
void player_walk(u8 facing);  /* one whole step in a script */
void object_walk(Object *o, u8 facing);
void battle_over(u8 result);  /* the map again, or the last healing place */
void place_sign_show(u8 landmark);
void place_sign_hide(void);
extern u8 place_sign_ticks;   /* while not 0, the place's name covers the lowest rows */

/* ---- script.c ---- */
typedef struct { u8 map, x0, y0, x1, y1, script; } Trigger;
extern const Trigger triggers[];          /* map 0 ends */
typedef struct { u8 map, x, y, bit; } Spawn;
extern const Spawn spawns[];              /* map 0 ends */
extern void (*const scripts[])(void);     /* by SCRIPT_* */
extern const char *const landmark_names[];
extern const u8 ascii_tiles[];            /* character code of ASCII signs from 20 on */
extern const u8 sprite_palettes[];        /* by sprite - 1 */
extern const u8 wall_bits[];              /* bit set: nobody walks on this COLL_* id */
typedef struct { u16 flag; u8 text; } TalkLine;
extern const TalkLine talk_lines[];
typedef struct { /* what happens when it is beaten: script, or 255 and the text lost */
    u16 flag;
    u8 trainer, sight, before, lost, after, script, rests_party;
} SightTrainer;
extern const SightTrainer sight_trainers[];
void script_start(void);
void script_end(void);        /* closes the text box */
void talk_to(Object *o);
void read_sign(const Sign *s);
u8 trainer_sees(void);        /* runs the meeting; 1 if there was one */
u8 step_trigger(void);        /* places that do something when stepped on; 1 if one did */
void arrival(void);           /* flags set by being on a map */

/* ---- intro.c, start_menu.c ---- */
void title_screen(void);
void new_game(void);
void start_menu(void);

#endif
