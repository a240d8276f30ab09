/* What the battle, party, bag and shop sources share among themselves; others use game.h. */
#ifndef BATTLE_H
#define BATTLE_H

#include "game.h"

/* SDCC 4.2 miscompiles calls like f(a ? "x" : "y", pointer): the conditional spoils the second
 * pointer. Write an if, or give the conditional to a function with that one argument. */

/* ---- records in RAM: the layouts behind symbols.csv -------------------------------------------- */

/* wPartyMon1.. : 48 bytes, numbers of two and three bytes big-endian. */
typedef struct {
    u8 species, item, moves[4], id[2], exp[3], stat_exp[10], dvs[2], pp[4], happiness;
    u8 pokerus, caught[2], level, status, unused, hp[2], max_hp[2], stats[10];
} PartyMon;

/* wBattleMon and wEnemyMon: 32 bytes; from `level` to `stats` the same as in PartyMon. */
typedef struct {
    u8 species, item, moves[4], dvs[2], pp[4], happiness;
    u8 level, status, unused, hp[2], max_hp[2], stats[10], types[2];
} Battler;

#define PARTY ((PartyMon *)wPartyMon1)
#define PARTY_MAX 6
#define NO_MON 0xFF
#define OWN ((Battler *)&wBattleMonSpecies)
#define FOE ((Battler *)&wEnemyMonSpecies)

/* Statistics in the order of `stats`; SPEED is the third. */
enum { ATTACK, DEFENSE, SPEED, SPECIAL_ATTACK, SPECIAL_DEFENSE };

#define STATUS_SLEEP 0x07 /* turns left */
#define STATUS_POISON 0x08
#define STATUS_PARALYSIS 0x40

#define WILD 1
#define TRAINER 2
#define BATTLETYPE_CANLOSE 1

#define RESULT_WIN 0
#define RESULT_LOSE 1
#define RESULT_DRAW 2 /* ran away */
#define BATTLE_GOES_ON 0xFF

#define LEVEL_MAX 40 /* 40^3 experience points still fit 16 bits */

/* ---- party.c ----------------------------------------------------------------------------------- */
/* Functions, not macros: every multiplication written out costs 20 bytes. */
PartyMon *party_mon(u8 index);
/* A party creature's copy to work on: fixed addresses make the code a third shorter. */
extern PartyMon mon;
void mon_load(u8 index);
void mon_store(u8 index);
u8 *party_nick(u8 index);
void copy16(u8 *dst, const u8 *src);
void calc_stats(u8 species, u8 level, const u8 *dvs, u8 *max_hp); /* writes 12 bytes: HP + stats */
void fill_moves(u8 species, u8 level, u8 *moves, u8 *pp);          /* the newest four of that level */
u16 exp_for_level(u8 level);
/* Add a creature to a party that has room; it stays in `mon`. */
void party_append(u8 species, u8 level, const u8 *dvs);
void party_swap(u8 a, u8 b);
void dex_set(u8 *dex, u8 species);
void copy_name(u8 *dst, const u8 *src);
u16 scale(u16 x, u8 numerator, u8 denominator);                    /* floor(x * n / d) */

/* ---- party_screen.c ---------------------------------------------------------------------------- */
#define PICK_ALIVE 1 /* refuse a fainted one and the one in battle */
#define PICK_FORCED 2 /* B does nothing */
u8 party_pick(const char *prompt, u8 flags); /* full screen; index or NO_MON */
void party_row(u8 index);                    /* draw and show one line of that screen */

/* ---- list_menu.c ------------------------------------------------------------------------------- */
/* A vertical list with a scrolling window. The callbacks may be 0. */
typedef struct {
    u8 x, y;                             /* cell of the cursor on the first visible row */
    u8 step;                             /* cells from row to row */
    u8 rows;                             /* visible rows */
    u8 flags;                            /* MENU_NO_B, MENU_EDGES_H */
    void (*draw)(u8 index, u8 y);        /* draw one entry; wanted if there are more than rows */
    void (*moved)(u8 index);             /* the cursor stands on another entry */
} List;
u8 list_menu(const List *how, u8 count, u8 start); /* index, MENU_CANCEL, MENU_OVER_LEFT/RIGHT */

/* ---- bag.c, bag_screen.c ----------------------------------------------------------------------- */
u8 item_row(u8 item);                     /* row in item_table */
u16 item_price(u8 item);
u8 item_pocket(u8 item);
u8 bag_pick(void);                        /* full screen; item id or 0 */
u8 *pocket_entry(u8 pocket, u8 index);     /* id, quantity; key items only the id */
u8 pocket_length(u8 pocket);
u16 purse(void);                          /* the money, at most 65535 */
void purse_set(u16 amount);
u8 item_use_on(u8 item, u8 index);        /* tells what it does; 0 if it has no effect */
void print_price(u8 x, u8 y, u16 amount); /* six cells */

/* ---- battle.c ---------------------------------------------------------------------------------- */
void load_own(u8 index);                  /* party creature -> wBattleMon */
void save_own(void);                      /* wBattleMon -> its party creature */
void announce(const u8 *name, const char *what); /* a whole message that goes on by itself */
void tell(const Battler *who, const char *what); /* the same, beginning "Wild WHISKIT" */
void msg_end(const char *what, const u8 *name); /* what, name and "!" after a begun message */
void msg_mon(const Battler *who);
u8 use_ball(u8 item);                     /* 1 caught */
void gain_exp(void);                      /* for the fainted FOE, to OWN */

/* ---- battle_math.c ----------------------------------------------------------------------------- */
extern s8 stages[2][5];                   /* [0 own, 1 foe][statistic] -6..6 */
u16 battle_stat(const Battler *who, u8 stat, u8 ignore_stages);
extern u8 move_now;                       /* the id of the move that is weighed or used ... */
extern u8 move[MV_SIZE];                  /* ... and its row of move_table */
void take_move(u8 id);
u8 has_type(const Battler *who);          /* of the move: same-type bonus */
u8 quarters_on(const Battler *target);    /* of the move's damage that pass: 4 = normal damage */
u16 roll_damage(const Battler *user, const Battler *target, u8 critical);
u8 choose_foe_move(void);                 /* slot, or 4 for the last resort */

/* ---- battle_turn.c ----------------------------------------------------------------------------- */
void use_move(Battler *user, u8 slot);
void status_damage(Battler *who);
u8 move_in(const Battler *who, u8 slot);  /* its id; slot 4: the last resort */
u8 has_points(const Battler *who);

/* ---- battle_screen.c --------------------------------------------------------------------------- */
#define SCENES (!(wOptions & 0x80))
#define FRONT_TILE 0
#define BACK_TILE 49
#define SUMMARY_TILE 128 /* a picture must not cross tile 127, behind which the tile map lies */
#define TILE_LEVEL 0x6E
#define TILE_BALL 0x5E
#define TILE_FALLEN 0x5F
void battle_screen(void);                 /* everything again, after a full-screen menu */
void draw_foe_pic(u8 pic);                /* load and show */
void draw_own_pic(u8 pic);
void hide_foe_pic(void);
void hide_own_pic(void);
void blink(const Battler *who);
void draw_hud(const Battler *who);
void slide_hp(const Battler *who, u16 before);
void throw_ball(u8 shakes, u8 caught);
void draw_hp_bar(u8 x, u8 y, u16 hp, u16 max);
void draw_exp_bar(u8 x, u8 y);            /* of `mon` */
void draw_stats(u8 x, u8 y);              /* of `mon`, five lines of eight cells */
void print_pair(u8 x, u8 y, u16 value, u16 max); /* "12/ 34", seven cells */
void print_points(u8 x, u8 y, u8 value, u8 id);  /* "PP 12/34" of a move */
void print_move(u8 x, u8 y, u8 id);
void draw_level_status(u8 x, u8 y, u8 level, u8 status);
void print_type(u8 x, u8 y, u8 type);

#endif
