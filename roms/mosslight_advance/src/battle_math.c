/* Numbers of a battle: effectiveness, stages, damage, and what the opponent chooses.
 * Formulas as published for generation III. */
#include "battle.h"

#define CRITICAL_ONE_IN 16
#define CRITICAL_HIGH_ONE_IN 8
#define SCORE_FAILS 0
#define SCORE_STAGE 15
#define SCORE_STAGE_AGAIN 5
#define SCORE_STATUS 22
#define SCORE_CHANCE 12

static u8 against(u8 type, u8 target_type, u8 quarters)
{
    const u8 *row = gTypeEffectiveness;
    for (; *row != 0xFF; row += 3)
        if (row[0] == type && row[1] == target_type) return quarters * row[2] / 10;
    return quarters;
}

u8 quarters_on(const struct BattleMon *target, u8 type)
{
    u8 quarters = against(type, target->types[0], 4);
    if (target->types[1] == target->types[0]) return quarters;
    return against(type, target->types[1], quarters);
}

bool has_type(const struct BattleMon *mon, u8 type)
{
    return mon->types[0] == type || mon->types[1] == type;
}

static u16 raw_stat(const struct BattleMon *mon, u8 stat)
{
    return ((const u16 *)mon)[stat]; /* they follow the species */
}

static u16 staged(u16 value, s8 stage)
{
    stage -= STAGE_NORMAL;
    return stage < 0 ? value * 2 / (2 - stage) : value * (2 + stage) / 2;
}

u16 battle_stat(const struct BattleMon *mon, u8 stat)
{
    u16 value = staged(raw_stat(mon, stat), mon->stages[stat]);
    if (stat == STAT_SPEED && mon->status1 & STATUS_PARALYSIS) value /= 4;
    return MAX(value, 1);
}

/* A critical hit overlooks what speaks against it: the user's drops, the target's rises. */
static u16 attack_stat(const struct BattleMon *user, u8 stat, bool critical)
{
    if (critical && user->stages[stat] < STAGE_NORMAL) return raw_stat(user, stat);
    return battle_stat(user, stat);
}

static u16 defense_stat(const struct BattleMon *target, u8 stat, bool critical)
{
    if (critical && target->stages[stat] > STAGE_NORMAL) return raw_stat(target, stat);
    return battle_stat(target, stat);
}

bool roll_critical(u16 move)
{
    bool high = gBattleMoves[move].effect == EFFECT_HIGH_CRIT;
    return rnd_below(high ? CRITICAL_HIGH_ONE_IN : CRITICAL_ONE_IN) == 0;
}

u16 roll_damage(u8 battler, u8 at, u16 move, bool critical)
{
    const struct BattleMon *user = &gBattleMons[battler], *target = &gBattleMons[at];
    const struct MoveInfo *info = &gBattleMoves[move];
    u8 special = info->type >= TYPE_FIRE ? STAT_SP_ATTACK - STAT_ATTACK : 0;
    u32 damage = attack_stat(user, STAT_ATTACK + special, critical) * info->power;
    damage *= 2 * user->level / 5 + 2;
    damage /= defense_stat(target, STAT_DEFENSE + special, critical);
    damage = damage / 50 + 2;
    if (critical) damage *= 2;
    if (move != MOVE_LAST_RESORT) { /* which has no type */
        if (has_type(user, info->type)) damage = damage * 15 / 10;
        damage = damage * quarters_on(target, info->type) / 4;
        if (!quarters_on(target, info->type)) return 0;
    }
    damage = damage * (100 - rnd_below(16)) / 100;
    return MAX(damage, 1);
}

/* A trainer's opinion of a move; compared after adding a little chance. */
static u16 move_score(const struct MoveInfo *info, const struct BattleMon *foe, const struct BattleMon *own)
{
    u16 score;
    s8 stage;
    if (info->power) {
        score = info->power / 2 * quarters_on(own, info->type) / 4;
        return has_type(foe, info->type) ? score * 15 / 10 : score;
    }
    switch (info->effect) {
    case EFFECT_ATTACK_DOWN: stage = STAGE_NORMAL - own->stages[STAT_ATTACK]; break;
    case EFFECT_DEFENSE_DOWN: stage = STAGE_NORMAL - own->stages[STAT_DEFENSE]; break;
    case EFFECT_ATTACK_UP: stage = foe->stages[STAT_ATTACK] - STAGE_NORMAL; break;
    case EFFECT_DEFENSE_UP: stage = foe->stages[STAT_DEFENSE] - STAGE_NORMAL; break;
    default: return own->status1 ? SCORE_FAILS : SCORE_STATUS;
    }
    return stage > 0 ? SCORE_STAGE_AGAIN : SCORE_STAGE;
}

u8 choose_foe_move(u8 battler, u8 target)
{
    const struct BattleMon *foe = &gBattleMons[battler];
    u8 slot, best = NO_SLOT;
    u16 score, best_score = 0;
    for (slot = 0; slot < NO_SLOT; ++slot) {
        if (!foe->moves[slot] || !foe->pp[slot]) continue;
        /* Wild creatures choose blindly. */
        if (is_trainer_battle())
            score = move_score(&gBattleMoves[foe->moves[slot]], foe, &gBattleMons[target]) + rnd_below(SCORE_CHANCE);
        else
            score = rnd();
        if (best == NO_SLOT || score > best_score) {
            best = slot;
            best_score = score;
        }
    }
    return best;
}
