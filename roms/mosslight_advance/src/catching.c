/* Throwing a ball at a wild creature: the published rule of generation III. */
#include "battle.h"

#define SURE 255
#define SHAKES 4      /* all four hold: caught */
#define SHAKES_SEEN 3

static u32 root(u32 value)
{
    u32 result = 0, bit = 1u << 30;
    for (; bit; bit >>= 2) {
        if (value >= result + bit) {
            value -= result + bit;
            result = (result >> 1) + bit;
        } else {
            result >>= 1;
        }
    }
    return result;
}

static u16 catch_value(void)
{
    const struct BattleMon *foe = &gBattleMons[FOE];
    u32 value = gSpeciesInfo[foe->species].catchRate * (3 * foe->maxHp - 2 * foe->hp) / (3 * foe->maxHp);
    if (foe->status1 & STATUS_SLEEP) value *= 2;
    else if (foe->status1) value = value * 15 / 10;
    return MIN(MAX(value, 1), SURE);
}

/* How many of the four chances to break free pass. */
static u8 roll_shakes(void)
{
    u16 value = catch_value();
    u32 holds = 1048560 / root(root(16711680 / value));
    u8 shakes = 0;
    while (shakes < SHAKES && (value == SURE || rnd() < holds)) ++shakes;
    return shakes;
}

bool throw_ball_at_foe(u16 ball)
{
    u8 shakes = roll_shakes();
    item_remove(ball, 1);
    msg();
    msg_add(T("You threw a "));
    msg_add(gItems[ball].name);
    msg_add(T("!"));
    msg_show(MSG_GO);
    ball_scene(MIN(shakes, SHAKES_SEEN), shakes == SHAKES);
    if (shakes < SHAKES) {
        tell(FOE, T(" wriggled out!"));
        return false;
    }
    announce(gBattleMons[FOE].nickname, T(" was caught! Well done!"));
    party_append(battle_mon(FOE));
    return true;
}
