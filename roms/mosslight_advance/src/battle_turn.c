/* One move of one side: may it act, does it hit, what happens. */
#include "battle.h"

#define STIFF_ONE_IN 4
#define SLEEP_LEAST 2
#define SLEEP_SPAN 3

static u8 user, target;
static const struct MoveInfo *move;

u16 move_in(u8 side, u8 slot)
{
    return slot < NO_SLOT ? gBattleMons[side].moves[slot] : MOVE_LAST_RESORT;
}

bool has_points(u8 side)
{
    const u8 *pp = gBattleMons[side].pp;
    return pp[0] || pp[1] || pp[2] || pp[3];
}

static void lose_hp(u8 side, u16 amount)
{
    u16 hp = gBattleMons[side].hp;
    battler_set_hp(side, hp > amount ? hp - amount : 0);
}

static void regain_hp(u8 side, u16 amount)
{
    const struct BattleMon *mon = &gBattleMons[side];
    battler_set_hp(side, MIN(mon->hp + amount, mon->maxHp));
}

static bool can_act(void)
{
    u32 status = gBattleMons[user].status1;
    if (status & STATUS_SLEEP) {
        --status; /* the turns left are the low bits */
        battler_set_status(user, status);
        if (status & STATUS_SLEEP) {
            tell(user, T(" sleeps on."));
            return false;
        }
        tell(user, T(" woke up!"));
    }
    if (status & STATUS_PARALYSIS && rnd_below(STIFF_ONE_IN) == 0) {
        tell(user, T(" is too stiff!"));
        return false;
    }
    return true;
}

static void change_stage(u8 side, u8 stat, s8 by)
{
    s8 *stage = &gBattleMons[side].stages[stat];
    if (*stage == STAGE_NORMAL + 6 * by) {
        battle_text(T("But nothing changed."));
        return;
    }
    *stage += by;
    glow(side, by < 0 ? GLOW_FALL : GLOW_RISE);
    msg();
    msg_side(side);
    msg_add(stat == STAT_ATTACK ? T("'s ATTACK") : T("'s DEFENSE"));
    msg_add(by < 0 ? T(" fell!") : T(" rose!"));
    msg_show(MSG_GO);
}

static void inflict(u32 status, u8 shine, const u8 *text)
{
    if (gBattleMons[target].status1) {
        if (!move->power) battle_text(T("Nothing comes of it!"));
        return;
    }
    glow(target, shine);
    battler_set_status(target, status);
    tell(target, text);
}

static void apply_effect(void)
{
    switch (move->effect) {
    case EFFECT_ATTACK_DOWN: change_stage(target, STAT_ATTACK, -1); break;
    case EFFECT_DEFENSE_DOWN: change_stage(target, STAT_DEFENSE, -1); break;
    case EFFECT_ATTACK_UP: change_stage(user, STAT_ATTACK, 1); break;
    case EFFECT_DEFENSE_UP: change_stage(user, STAT_DEFENSE, 1); break;
    case EFFECT_POISON: inflict(STATUS_POISON, GLOW_POISON, T(" was poisoned!")); break;
    case EFFECT_PARALYZE: inflict(STATUS_PARALYSIS, GLOW_PARALYSIS, T(" went stiff!")); break;
    case EFFECT_SLEEP: inflict(SLEEP_LEAST + rnd_below(SLEEP_SPAN), GLOW_SLEEP, T(" fell asleep!")); break;
    }
}

static void after_hit(u16 damage)
{
    if (move->effect == EFFECT_DRAIN) {
        glow(user, GLOW_HEAL);
        regain_hp(user, MAX(damage / 2, 1));
    } else if (move->effect == EFFECT_RECOIL) {
        lose_hp(user, MAX(damage / 4, 1));
        tell(user, T(" hurt itself."));
    } else if (gBattleMons[target].hp && rnd_below(100) < move->secondaryChance) {
        apply_effect();
    }
}

static void strike(u16 id)
{
    bool critical = roll_critical(id);
    u8 quarters = id == MOVE_LAST_RESORT ? 4 : quarters_on(&gBattleMons[target], move->type);
    u16 damage = roll_damage(user, target, id, critical);
    if (!damage) {
        tell(target, T(" is not affected..."));
        return;
    }
    damage = MIN(damage, gBattleMons[target].hp);
    lunge(user);
    hit(target, move->type);
    lose_hp(target, damage);
    if (critical) battle_text(T("A perfect hit!"));
    if (quarters > 4) battle_text(T("It hits a weak spot!"));
    else if (quarters < 4) battle_text(T("It does not do much..."));
    after_hit(damage);
}

void use_move(u8 side, u8 slot, u8 at)
{
    u16 id = move_in(side, slot);
    user = side;
    target = at;
    move = &gBattleMoves[id];
    gActiveBattler = side;
    if (!can_act()) return;
    if (slot < NO_SLOT) battler_spend(side, slot);
    msg();
    msg_side(user);
    tell_name(T(" used "), gMoveNames[id]);
    if (move->accuracy && rnd_below(100) >= move->accuracy) {
        tell(user, T(" missed!"));
    } else if (move->power) {
        strike(id);
    } else {
        lunge(user);
        apply_effect();
    }
}

void status_damage(u8 side)
{
    const struct BattleMon *mon = &gBattleMons[side];
    if (!(mon->status1 & STATUS_POISON) || !mon->hp) return;
    tell(side, T(" is hurt by poison!"));
    glow(side, GLOW_POISON);
    lose_hp(side, MAX(mon->maxHp / 8, 1));
}
