/* Numbers of a battle: effectiveness, stages, damage, and what the opponent chooses.
 * Formulas as published for generation II; chances are of 256. */
#include "battle.h"

#define DAMAGE_LOW 217    /* the random factor is 217..255 of 255, 85-100 % */

s8 stages[2][5];

u8 move_now, move[MV_SIZE];

void take_move(u8 id)
{
    move_now = id;
    copy_bytes(move, move_table[id], MV_SIZE);
}

static u8 against(u8 target_type, u8 quarters)
{
    const u8 *entry = type_chart;
    for (; *entry != 0xFF; entry += 3)
        if (entry[0] == move[MV_TYPE] && entry[1] == target_type) return quarters * entry[2] / 10;
    return quarters;
}

u8 quarters_on(const Battler *target)
{
    u8 quarters = against(target->types[0], 4);
    if (target->types[1] == target->types[0]) return quarters;
    return against(target->types[1], quarters);
}

u8 has_type(const Battler *who)
{
    return who->types[0] == move[MV_TYPE] || who->types[1] == move[MV_TYPE];
}

static u16 staged(u16 value, s8 stage)
{
    return stage < 0 ? value * 2 / (u8)(2 - stage) : value * (u8)(2 + stage) / 2;
}

u16 battle_stat(const Battler *who, u8 stat, u8 ignore_stages)
{
    u16 value = get16(who->stats + 2 * stat);
    if (!ignore_stages) value = staged(value, stages[who == FOE][stat]);
    if (stat == SPEED && who->status & STATUS_PARALYSIS) value >>= 2;
    return value ? value : 1;
}

/* Level, power and statistics only. */
static u16 base_damage(const Battler *user, const Battler *target, u8 critical)
{
    u8 special = move[MV_TYPE] >= TYPE_FIRE ? SPECIAL_ATTACK - ATTACK : 0;
    u16 attack = battle_stat(user, ATTACK + special, critical);
    u16 defense = battle_stat(target, DEFENSE + special, critical);
    u16 damage;
    while (attack > 255 || defense > 255) {
        attack >>= 1;
        defense >>= 1;
    }
    damage = (u16)(2 * user->level / 5 + 2) * move[MV_POWER];
    damage = scale(damage, attack, defense ? defense : 1) / 50;
    return (critical ? damage * 2 : damage) + 2;
}

u16 roll_damage(const Battler *user, const Battler *target, u8 critical)
{
    u16 damage = base_damage(user, target, critical);
    if (move_now != MOVE_LAST_RESORT) { /* which has no type */
        if (has_type(user)) damage += damage >> 1;
        damage = scale(damage, quarters_on(target), 4);
        if (!damage) return 0;
    }
    damage = scale(damage, DAMAGE_LOW + rnd_below(256 - DAMAGE_LOW), 255);
    return damage ? damage : 1;
}

/* A trainer's opinion of the move, at most 180; compared after adding a little chance. */
static u8 move_score(void)
{
    u8 effect = move[MV_EFFECT], score;
    s8 stage;
    if (move[MV_POWER]) {
        score = scale(move[MV_POWER] / 2, quarters_on(OWN), 4);
        return has_type(FOE) ? score + (score >> 1) : score;
    }
    if (effect >= EFFECT_POISON) return OWN->status ? 0 : 22;
    if (effect >= EFFECT_ATTACK_UP) stage = stages[1][effect - EFFECT_ATTACK_UP];
    else stage = -stages[0][effect - EFFECT_ATTACK_DOWN];
    return stage > 0 ? 5 : 15;
}

u8 choose_foe_move(void)
{
    u8 slot, best = 4, best_score = 0, score;
    for (slot = 0; slot < 4; ++slot) {
        if (!FOE->moves[slot] || !FOE->pp[slot]) continue;
        /* Wild creatures choose blindly. */
        take_move(FOE->moves[slot]);
        score = wBattleMode == WILD ? rnd() : move_score() + rnd_below(12);
        if (best == 4 || score > best_score) {
            best = slot;
            best_score = score;
        }
    }
    return best;
}
