/* Throwing a ball at a wild creature. */
#include "battle.h"

/* The published rule: ((3 max - 2 hp) * rate) / (3 max), more if it sleeps or is hampered. */
static u8 catch_chance(void)
{
    u16 max = get16(FOE->max_hp) * 3, hp = get16(FOE->hp) * 2, chance;
    while (max > 255) {
        max >>= 1;
        hp >>= 1;
    }
    chance = scale(species_table[FOE->species][SP_CATCH_RATE], max - hp, max);
    if (FOE->status & STATUS_SLEEP) chance += 10;
    else if (FOE->status) chance += 5;
    return chance > 255 ? 255 : chance ? chance : 1;
}

static void keep(void)
{
    u8 index = wPartyCount;
    party_append(FOE->species, FOE->level, FOE->dvs);
    copy_bytes(mon.moves, FOE->moves, 4);
    copy_bytes(mon.pp, FOE->pp, 4);
    copy16(mon.hp, FOE->hp);
    mon.status = FOE->status;
    mon_store(index);
}

u8 use_ball(u8 item)
{
    u8 chance = catch_chance(), caught = rnd() <= chance;
    u8 shakes = caught ? 3 : chance < 64 ? rnd_below(2) : 1 + rnd_below(2);
    item_remove(item, 1);
    battle_text("You threw a GLOW BALL!");
    throw_ball(shakes, caught);
    if (!caught) {
        tell(FOE, " broke free!");
        return 0;
    }
    announce(wEnemyNick, " was caught! Well done!");
    keep();
    return 1;
}
