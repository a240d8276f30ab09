/* What the battle, party, bag and shop sources share among themselves; others use game.h. */
#ifndef BATTLE_H
#define BATTLE_H

#include "game.h"

/* Who fights: index in gBattleMons, and position; the right ones only where two fight beside each
 * other. OWN and FOE are the sides, too. */
enum { OWN, FOE, OWN_RIGHT, FOE_RIGHT, BATTLERS };
#define SIDE(battler) ((battler) & 1)
#define IS_DOUBLE (gBattlersCount > 2)

/* The order of base values, IVs, EVs, stages and, after HP, of a BattleMon's and a Mon's numbers. */
enum { STAT_HP, STAT_ATTACK, STAT_DEFENSE, STAT_SPEED, STAT_SP_ATTACK, STAT_SP_DEFENSE, STATS };

#define STATUS_SLEEP 0x07 /* turns left */
#define STATUS_POISON 0x08
#define STATUS_PARALYSIS 0x40
#define STAGE_NORMAL 6 /* of 0..12 */

/* In gBattleTypeFlags. */
#define BATTLE_DOUBLE 0x01
#define BATTLE_TRAINER 0x08
#define BATTLE_TWO_TRAINERS 0x8000

enum { POCKET_ITEMS = 1, POCKET_BALLS, POCKET_MACHINES, POCKET_BERRIES, POCKET_KEY };

#define PARTY_MAX 6
#define NO_MON 0xFF
#define NO_SLOT 4 /* of four moves: none, or the last resort */
#define LEVEL_MAX 100

/* Where a reader of memory finds the cursors of the bag and of the party. */
struct BagPosition { Callback exit; u8 location, pocket /* from 0 */; u16 arrow, cursor[5], scroll[5]; };
_Static_assert(sizeof(struct BagPosition) == 28, "BagPosition");
extern volatile struct BagPosition gBagPosition;
struct PartyMenu { Callback exit, task; u8 type; s8 slot /* PARTY_CANCEL: the last entry */, slot2; u8 action; u16 bagItem; s16 data[2]; };
_Static_assert(sizeof(struct PartyMenu) == 20, "PartyMenu");
extern volatile struct PartyMenu gPartyMenu;
#define PARTY_CANCEL 7

/* ---- mons.c ------------------------------------------------------------------------------------ */
void mon_create(struct Mon *mon, u16 species, u8 level, u32 personality, u32 owner, u32 ivs);
const u8 *mon_name(const struct Mon *mon);  /* the nickname with its end; kept until the next call */
u16 mon_species(const struct Mon *mon);
u16 mon_stat(const struct Mon *mon, u8 stat);
u32 exp_for_level(u8 level);
void mon_set_move(struct MonData *data, u8 slot, u16 move);
void party_append(const struct Mon *mon);   /* to a party that has room */
void party_swap(u8 a, u8 b);
struct Mon *battle_mon(u8 side);            /* in its party */
bool scenes(void);                          /* the options' battle scenes are on */
void dex_see(u16 species);
void dex_own(u16 species);

/* ---- list_menu.c ------------------------------------------------------------------------------- */
enum { LIST_LEFT = 0xFE, LIST_RIGHT = 0xFD }; /* beside MENU_CANCEL */
enum { LIST_NO_B = 1, LIST_SIDES = 2 /* left and right end it with LIST_LEFT, LIST_RIGHT */ };
struct List {
    s16 x, y, width, step;                  /* of the first row, in pixels; text begins at x + 10 */
    u8 rows, count, flags;
    void (*draw)(u8 index, s16 x, s16 y);   /* an entry's text */
    void (*moved)(u8 top, u8 row);          /* the cursor stands on another entry; or NULL */
};
u8 list_menu(const struct List *list, u8 start);
u8 choice_menu(const u8 *const *entries, u8 count); /* at the right, over the box; Task_HandleSelectionMenuInput */
void cursor_draw(s16 x, s16 y, u8 ink);     /* the right-pointing triangle, 5 x 9 pixels */
void enter(Callback mode);                  /* set_mode(), then run it */
void screen_open(const struct Backdrop *backdrop); /* while it is dark: sprites and canvas empty */
void screen_light(void);                    /* fade in, unless that has been done; list_menu() does it too */

/* ---- party_screen.c, summary.c ------------------------------------------------------------------ */
enum { PICK_ALIVE = 1 /* refuse a fainted one and the one in battle */, PICK_FORCED = 2 /* no B */ };
u8 party_pick(const u8 *prompt, const u8 *action, u8 flags); /* full screen, stays; index or NO_MON */
void party_drain(u8 index, u16 before);     /* move the bar from `before` to what it has */
void party_redraw(u8 index);
void summary(u8 index);

/* ---- bag.c, bag_screen.c, shop.c ------------------------------------------------------------------ */
struct ItemSlot *pocket_slots(u8 pocket, u8 *capacity);
u8 pocket_length(u8 pocket);
u16 bag_pick(void);                         /* full screen; item or 0 */
bool item_use_on(u16 item, u8 index);       /* on the party screen; tells what it does */
/* Where the bag and the shop list items: the list at the right, six rows high, and a text below. */
enum { LIST_X = 96, LIST_W = 142, LIST_H = 108, LIST_ROWS = 6, LIST_STEP = 16, LIST_TEXT_Y = 114 };
void print_lines(s16 x, s16 y, const u8 *text); /* of several lines */
void print_price(s16 right, s16 y, u32 amount);

/* ---- battle_sides.c ---------------------------------------------------------------------------------- */
void switch_own(u8 battler, u8 index);
extern u16 trainer, partner;                /* in battles with one, and with two; else 0 */
void msg_trainer(void);                     /* adds the name, of two both */
void send_own(u8 battler, u8 index);
void send_foe(u8 battler, u8 index);
void replace_own(u8 battler);
void faint(u8 battler);
void battle_return(void);                   /* after a full screen */

/* ---- battle_double.c --------------------------------------------------------------------------- */
void double_begin(void);                    /* all four come out */
void double_rounds(void);                   /* until gBattleOutcome says how it ended */

/* ---- battlers.c -------------------------------------------------------------------------------- */
bool is_trainer_battle(void);
void battler_load(u8 side, u8 index);       /* party -> gBattleMons */
void battler_refresh(u8 side);              /* the same, stages kept */
void battler_set_hp(u8 side, u16 hp);       /* in gBattleMons and in the party, then on the screen */
void battler_set_status(u8 side, u32 status);
void battler_spend(u8 side, u8 slot);       /* a move's point */

/* Messages that go on by themselves. */
void battle_text(const u8 *text);
void tell(u8 side, const u8 *what);         /* "Wild WHISKIT" + what */
void announce(const u8 *name, const u8 *what);
void tell_name(const u8 *what, const u8 *name); /* ends a message begun with msg(): what, name, "!" */
void msg_side(u8 side);

/* ---- battle_menu.c ------------------------------------------------------------------------------ */
enum { TURN_NONE, TURN_FIGHT, TURN_USED, TURN_OVER /* gBattleOutcome says how */ };
u8 player_turn(u8 battler, u8 *slot, u8 *target); /* never TURN_NONE; slot: of TURN_FIGHT, or NO_SLOT */
void run_tries_reset(void);

/* ---- battle_math.c ------------------------------------------------------------------------------ */
u16 battle_stat(const struct BattleMon *mon, u8 stat);
u8 quarters_on(const struct BattleMon *target, u8 type); /* that pass of a type's damage: 4 = all */
bool has_type(const struct BattleMon *mon, u8 type);
u16 roll_damage(u8 user, u8 target, u16 move, bool critical);
bool roll_critical(u16 move);
u8 choose_foe_move(u8 battler, u8 target);                   /* slot, or NO_SLOT for the last resort */

/* ---- battle_turn.c ------------------------------------------------------------------------------ */
void use_move(u8 battler, u8 slot, u8 target);
void status_damage(u8 side);
u16 move_in(u8 side, u8 slot);              /* its id; NO_SLOT: the last resort */
bool has_points(u8 side);

/* ---- experience.c, evolution.c, catching.c ------------------------------------------------------------------- */
void gain_exp(u8 battler, u8 foe, u8 share); /* for a fainted foe, to an own creature: one of `share` */
void learn_moves(struct MonData *data, u8 level, const u8 *name); /* those of exactly that level */
extern u8 grown;                            /* bits: the party's creatures that gained a level in this battle */
void evolve_party(u8 grown);                /* those of them that are old enough */
bool throw_ball_at_foe(u16 ball);           /* true: caught */

/* ---- battle_screen.c ---------------------------------------------------------------------------- */
void battle_screen_reset(void);             /* nobody is there */
void battle_screen(void);                   /* everything again, dark */
void slide_in(const struct Picture *foe, const struct Picture *own);
void slide_out(u8 side);                    /* a person leaves */
void slide_back(const struct Picture *picture);
enum { GLOW_RISE, GLOW_FALL, GLOW_HEAL, GLOW_POISON, GLOW_PARALYSIS, GLOW_SLEEP };
void glow(u8 side, u8 what);
void breathing(bool on);
void appear(u8 side);                       /* out of its ball, with its panel */
void reveal_hud(u8 side);
void withdraw(u8 side);
void sink(u8 side);                         /* it fainted */
void lunge(u8 side);
void hit(u8 side, u8 type);
void ball_scene(u8 shakes, bool caught);
void battle_box(void);                      /* the empty box at the bottom */

/* ---- battle_panels.c ---------------------------------------------------------------------------- */
void draw_hud(u8 side);
void clear_hud(u8 side);
void slide_hp(u8 side, u16 before);
void slide_exp(u8 battler, u32 before);                 /* within a level */
void print_status(s16 x, s16 y, const struct Mon *mon); /* "PSN" on its colour */
void draw_exp_bar(s16 x, s16 y, s16 w, u8 level, u32 experience);
void print_pair(s16 right, s16 y, u16 value, u16 most, u8 ink); /* "12/34" */
void print_level(s16 x, s16 y, u8 level, u8 ink);

#endif
