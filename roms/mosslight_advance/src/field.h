/* The field's own header: what map.c, people.c, people_draw.c, arrival.c, walking.c,
 * warp.c, script.c, story.c and overworld.c share. Each uses only those before it. */
#ifndef FIELD_H
#define FIELD_H

#include "game.h"

/* Directions as ObjectEvent.facing has them. */
enum { NOWHERE, DOWN, UP, LEFT, RIGHT };
extern const s8 step_dx[5], step_dy[5];
#define OPPOSITE(direction) ((u8)((((direction) - 1) ^ 1) + 1))

#define OFFSET 7                   /* of object coordinates, and of the map in sBackupMapData */
#define CELL 16                    /* pixels */
#define NO_MAP 0xFFFF
#define BRIDGE 15                  /* elevation of a cell with two levels: one stays on that from which one came */

/* Behaviours of metatiles. */
enum {
    GRASS_TALL = 0x02,
    LEDGE_EAST = 0x38, LEDGE_WEST, LEDGE_NORTH, LEDGE_SOUTH,
    STAIRS = 0x60,
    MAT_EAST = 0x62, MAT_WEST, MAT_NORTH, MAT_SOUTH,
    DOOR = 0x69,
    COUNTER = 0x80,
};

/* ---- map.c ---- */
const struct MapHeader *map_header(u16 map);
void map_load(u16 map);            /* header, cells, templates; not the picture */
void map_load_tiles(void);         /* into video memory, unless they are there */
void map_forget_tiles(void);       /* a full screen has taken their place */
u16 map_cell(s16 x, s16 y);        /* up to 7 cells outside, too; the border's where there is nothing */
bool map_is_inside(s16 x, s16 y);
bool map_is_closed(s16 x, s16 y);  /* collision, void */
u8 map_elevation(s16 x, s16 y);
u16 map_neighbour(s16 *x, s16 *y); /* the map of a cell outside, its coordinates become those there; NO_MAP */
void map_change(s16 x, s16 y, u16 metatile); /* only what one sees, until the map is loaded anew */
void map_draw(void);               /* all around the player */
void map_draw_edge(u8 direction);  /* the row or column that a step of the player brings into view */
void map_shift(s16 dx, s16 dy);    /* all coordinates have changed by this; the picture stays */
const u16 *map_grass(void);        /* the two entries of the blades before one's feet; 0: no grass here */
void map_camera(s16 left, s16 top); /* pixels of the map in the screen's corner */
const struct WarpEvent *map_warp(s16 x, s16 y);
const struct CoordEvent *map_coord_event(s16 x, s16 y);
const struct BgEvent *map_sign(s16 x, s16 y, u8 facing);

/* ---- people.c ---- */
#define PLAYER 0                   /* index in gObjectEvents */
#define PLAYER_RUNS 0x80           /* gPlayerAvatar.flags */
#define INVISIBLE 0x20             /* ObjectEvent.visibility */
#define NO_FRAME 0xFF              /* Person.shown: its tiles are to be loaded */
#define NOBODY 0xFF
enum { STANDING, STEPPING, TURNING, BUMPING };
enum { SETTLED, BETWEEN, CENTRED };        /* gPlayerAvatar.tileState */
enum { STILL, TURNS, MOVES };              /* gPlayerAvatar.runningState */
struct Person {
    const struct ObjectTemplate *template; /* 0: the player */
    u8 action, progress, frames;   /* frames done, frames in all */
    u8 foot;                       /* the foot of the present step */
    u8 hop;                        /* the first or second step of a hop */
    u8 timer;                      /* until one who wanders or spins does something */
    u8 shown;                      /* the frame whose tiles are loaded */
};
extern struct Person persons[16];
extern u8 emote_over;              /* who has the exclamation mark; NOBODY */
void people_clear(void);           /* all but the player */
void people_place_player(s16 x, s16 y, u8 facing);
void people_spawn(void);           /* those near the screen; far ones go */
void people_refresh(void);         /* flags have changed */
void people_shift(s16 dx, s16 dy);
void people_think(void);           /* wander, spin */
void people_animate(void);         /* a frame of every step, turn and bump */
u8 person_at(s16 x, s16 y, u8 elevation);
bool person_is_done(u8 index);     /* stands, or has just finished what it did */
void person_rest(u8 index);
void player_rest(void);
void person_face(u8 index, u8 direction);
u8 person_level(u8 index);         /* where one stands, or came from where all levels meet (0) */
void person_do(u8 index, u8 action, u8 frames);
void person_step(u8 index, u8 direction, u8 frames);
void person_hide(u8 index, bool hidden);

/* ---- people_draw.c ---- */
void people_load(void);            /* palettes and tiles, after a full screen */
void people_draw(s16 camera_x, s16 camera_y);
s16 person_pixel_x(u8 index);
s16 person_pixel_y(u8 index);

/* ---- arrival.c ---- */
void note_arrival(void);           /* a map has been entered */

/* ---- walking.c ---- */
void field_draw(void);
void field_frames(u8 n);           /* wait, while steps that have begun go on */
void person_walk(u8 index, u8 direction); /* one step to its end */
void player_walk(u8 direction);
void player_move(u8 direction);    /* turn, walk, hop down a ledge or bump; NOWHERE: stand */
void player_hop_on(void);          /* from the ledge itself down to the ground */
void place_sign_show(void);        /* the place's name, for a while */
void place_sign_hide(void);
void place_sign_age(void);         /* by a frame */

/* ---- warp.c ---- */
void warp_take(const struct WarpEvent *warp); /* dark at once: mats, stairs */
void warp_through_door(const struct WarpEvent *warp);
void whiteout(void);
void new_game(void);
void field_lock(void);
void field_unlock(void);

/* ---- script.c ---- */
extern u8 quiet_steps;             /* without an encounter */
void script_begin(const u8 *script);
void script_end(void);
bool trainers_look(void);          /* one sees the player: the battle and all */
void talk_to(u8 index);
bool battle_done(u8 outcome);      /* back in the field; false: it was lost, the player is elsewhere */

extern const u8 *const section_names[]; /* generated, by MapHeader.section */

#endif
