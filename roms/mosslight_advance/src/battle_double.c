/* Battles of two own creatures against two others: everyone chooses, then all act by their speed. */
#include "battle.h"

static struct { u8 slot, target; bool acts; } plans[BATTLERS];
static bool stands[BATTLERS]; /* has come out and has not been told to faint */
static u8 next_foe;

static bool is_standing(u8 battler)
{
    return stands[battler] && gBattleMons[battler].hp;
}

/* One of a side that stands; BATTLERS: none. */
static u8 standing_of(u8 side)
{
    u8 first = side + 2 * (rnd() & 1);
    if (is_standing(first)) return first;
    return is_standing(first ^ 2) ? first ^ 2 : BATTLERS;
}

/* The first in the party that could come out; PARTY_MAX: nobody. */
static u8 next_own(void)
{
    u8 index;
    for (index = 0; index < gPlayerPartyCount; ++index) {
        bool is_out = (stands[OWN] && index == gBattlerPartyIndexes[OWN]) ||
                      (stands[OWN_RIGHT] && index == gBattlerPartyIndexes[OWN_RIGHT]);
        if (gPlayerParty[index].hp && !is_out) return index;
    }
    return PARTY_MAX;
}

static void come_out(u8 battler)
{
    if (SIDE(battler) == FOE) send_foe(battler, next_foe++);
    else send_own(battler, next_own());
    stands[battler] = true;
}

void double_begin(void)
{
    static const u8 order[BATTLERS] = {FOE, FOE_RIGHT, OWN, OWN_RIGHT};
    u8 i;
    memset(stands, 0, sizeof(stands));
    next_foe = 0;
    gBattlerPartyIndexes[OWN] = gBattlerPartyIndexes[OWN_RIGHT] = PARTY_MAX;
    for (i = 0; i < BATTLERS; ++i) come_out(order[i]);
}

/* ---- choosing ---- */

static void plan_own(u8 battler)
{
    u8 turn = player_turn(battler, &plans[battler].slot, &plans[battler].target);
    plans[battler].acts = turn == TURN_FIGHT;
}

static void plan_foe(u8 battler)
{
    u8 target = standing_of(OWN);
    plans[battler].target = target;
    plans[battler].slot = choose_foe_move(battler, target);
    plans[battler].acts = true;
}

static void plan_all(void)
{
    u8 battler;
    for (battler = 0; battler < BATTLERS; ++battler) plans[battler].acts = false;
    for (battler = OWN; battler < BATTLERS; battler += 2)
        if (is_standing(battler)) plan_own(battler);
    for (battler = FOE; battler < BATTLERS; battler += 2)
        if (is_standing(battler)) plan_foe(battler);
}

/* ---- acting ---- */

static u32 haste(u8 battler)
{
    s8 priority = gBattleMoves[move_in(battler, plans[battler].slot)].priority;
    return (u32)(priority + 8) << 16 | battle_stat(&gBattleMons[battler], STAT_SPEED);
}

/* BATTLERS: all have acted. */
static u8 fastest(void)
{
    u8 battler, best = BATTLERS;
    for (battler = 0; battler < BATTLERS; ++battler)
        if (plans[battler].acts && is_standing(battler) && (best == BATTLERS || haste(battler) > haste(best)))
            best = battler;
    return best;
}

static void share_exp(u8 foe)
{
    u8 left = is_standing(OWN), right = is_standing(OWN_RIGHT);
    if (left) gain_exp(OWN, foe, left + right);
    if (right) gain_exp(OWN_RIGHT, foe, left + right);
}

static void see_who_faints(void)
{
    u8 battler;
    for (battler = 0; battler < BATTLERS; ++battler) {
        if (!stands[battler] || gBattleMons[battler].hp) continue;
        faint(battler);
        stands[battler] = false;
        if (SIDE(battler) == FOE) share_exp(battler);
    }
}

/* Whom a move was meant for may have gone; then it goes to the other one. */
static void act(u8 battler)
{
    u8 target = plans[battler].target;
    plans[battler].acts = false;
    if (!is_standing(target)) target = standing_of(SIDE(target));
    if (target == BATTLERS || target == battler) return;
    use_move(battler, plans[battler].slot, target);
    see_who_faints();
}

/* ---- rounds ---- */

static u8 outcome(void)
{
    if (!party_alive()) return LOST;
    if (next_foe >= gEnemyPartyCount && !is_standing(FOE) && !is_standing(FOE_RIGHT)) return WON;
    return GOES_ON;
}

static void fill_places(void)
{
    u8 battler;
    for (battler = FOE; battler < BATTLERS; battler += 2)
        if (!stands[battler] && next_foe < gEnemyPartyCount) come_out(battler);
    for (battler = OWN; battler < BATTLERS; battler += 2) {
        if (stands[battler] || next_own() == PARTY_MAX) continue;
        replace_own(battler);
        stands[battler] = true;
    }
}

static void double_round(void)
{
    u8 battler;
    plan_all();
    while ((battler = fastest()) != BATTLERS && outcome() == GOES_ON) act(battler);
    for (battler = 0; battler < BATTLERS && outcome() == GOES_ON; ++battler)
        if (stands[battler]) status_damage(battler);
    see_who_faints();
    gBattleOutcome = outcome();
    if (gBattleOutcome == GOES_ON) fill_places();
}

void double_rounds(void)
{
    do double_round();
    while (gBattleOutcome == GOES_ON);
}
