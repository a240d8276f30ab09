/* One move of one side: may it act, does it hit, what happens. */
#include "battle.h"

#define CRITICAL 16 /* of 256 */
#define CRITICAL_HIGH 64

static Battler *user, *target;

u8 move_in(const Battler *who, u8 slot)
{
    return slot < 4 ? who->moves[slot] : MOVE_LAST_RESORT;
}

u8 has_points(const Battler *who)
{
    return who->pp[0] || who->pp[1] || who->pp[2] || who->pp[3];
}

static void set_hp(Battler *who, u16 hp)
{
    u16 before = get16(who->hp);
    set16(who->hp, hp);
    slide_hp(who, before);
}

static void lose_hp(Battler *who, u16 amount)
{
    u16 hp = get16(who->hp);
    set_hp(who, hp > amount ? hp - amount : 0);
}

static void regain_hp(Battler *who, u16 amount)
{
    u16 hp = get16(who->hp) + amount, max = get16(who->max_hp);
    set_hp(who, hp < max ? hp : max);
}

static u8 can_act(void)
{
    if (user->status & STATUS_SLEEP) {
        --user->status; /* the turns left are the low bits */
        if (user->status & STATUS_SLEEP) {
            tell(user, " is fast asleep.");
            return 0;
        }
        draw_hud(user);
        tell(user, " woke up!");
    }
    if (user->status & STATUS_PARALYSIS && rnd() < 64) {
        tell(user, " is too stiff!");
        return 0;
    }
    return 1;
}

static void change_stage(Battler *who, u8 stat, s8 by)
{
    s8 *stage = &stages[who == FOE][stat];
    if (*stage == by * 6) {
        battle_text("But nothing changed.");
        return;
    }
    *stage += by;
    msg();
    msg_mon(who);
    msg_str(stat == ATTACK ? "'s ATTACK" : "'s DEFENSE");
    msg_str(by < 0 ? " fell!" : " rose!");
    msg_show(MSG_GO);
}

static void inflict(u8 status, const char *text)
{
    if (target->status) {
        if (!move[MV_POWER]) battle_text("But it failed!");
        return;
    }
    target->status = status;
    draw_hud(target);
    tell(target, text);
}

static void apply_effect(void)
{
    switch (move[MV_EFFECT]) {
    case EFFECT_ATTACK_DOWN: change_stage(target, ATTACK, -1); break;
    case EFFECT_DEFENSE_DOWN: change_stage(target, DEFENSE, -1); break;
    case EFFECT_ATTACK_UP: change_stage(user, ATTACK, 1); break;
    case EFFECT_DEFENSE_UP: change_stage(user, DEFENSE, 1); break;
    case EFFECT_POISON: inflict(STATUS_POISON, " was poisoned!"); break;
    case EFFECT_PARALYZE: inflict(STATUS_PARALYSIS, " went stiff!"); break;
    case EFFECT_SLEEP: inflict(2 + rnd_below(3), " fell asleep!"); break;
    }
}

static void after_hit(u16 damage)
{
    u8 effect = move[MV_EFFECT];
    damage >>= effect == EFFECT_DRAIN ? 1 : 2;
    if (!damage) damage = 1;
    if (effect == EFFECT_DRAIN) {
        regain_hp(user, damage);
    } else if (effect == EFFECT_RECOIL) {
        lose_hp(user, damage);
        tell(user, " hurt itself.");
    } else if (get16(target->hp) && rnd() < move[MV_CHANCE]) {
        apply_effect();
    }
}

static void comment(u8 critical)
{
    u8 quarters = quarters_on(target);
    if (critical) battle_text("A critical hit!");
    if (move_now == MOVE_LAST_RESORT) return;
    if (quarters > 4) battle_text("It hits a weak spot!");
    else if (quarters < 4) battle_text("It does not do much...");
}

static void strike(void)
{
    u8 critical = rnd() < (move[MV_EFFECT] == EFFECT_HIGH_CRIT ? CRITICAL_HIGH : CRITICAL);
    u16 hp = get16(target->hp), damage = roll_damage(user, target, critical);
    set16(wCurDamage, damage);
    if (!damage) {
        tell(target, " is not affected...");
        return;
    }
    if (damage > hp) damage = hp;
    blink(target);
    lose_hp(target, damage);
    comment(critical);
    after_hit(damage);
}

void use_move(Battler *who, u8 slot)
{
    u8 id = move_in(who, slot);
    user = who;
    target = who == FOE ? OWN : FOE;
    take_move(id);
    set16(wCurDamage, 0);
    if (!can_act()) return;
    if (slot < 4) --who->pp[slot];
    msg();
    msg_mon(user);
    msg_end(" used ", move_names[id]);
    /* 255 never misses, though rnd() can be 255. */
    if (move[MV_ACCURACY] != 255 && rnd() >= move[MV_ACCURACY]) tell(user, " missed!");
    else if (move[MV_POWER]) strike();
    else apply_effect();
}

void status_damage(Battler *who)
{
    u16 amount = get16(who->max_hp) >> 3;
    if (!(who->status & STATUS_POISON) || !get16(who->hp)) return;
    tell(who, " is hurt by poison!");
    lose_hp(who, amount ? amount : 1);
}
