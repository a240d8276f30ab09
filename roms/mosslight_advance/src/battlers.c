/* The creatures in battle, kept equal to their records in the parties, and messages about them. */
#include "battle.h"

bool is_trainer_battle(void)
{
    return gBattleTypeFlags & BATTLE_TRAINER;
}

/* ---- messages ---- */

void msg_side(u8 side)
{
    if (SIDE(side) == FOE) msg_add(is_trainer_battle() ? T("Foe ") : T("Wild "));
    msg_add(gBattleMons[side].nickname);
}

void battle_text(const u8 *text)
{
    msg();
    msg_add(text);
    msg_show(MSG_GO);
}

void tell(u8 side, const u8 *what)
{
    msg();
    msg_side(side);
    msg_add(what);
    msg_show(MSG_GO);
}

void announce(const u8 *name, const u8 *what)
{
    msg();
    msg_add(name);
    msg_add(what);
    msg_show(MSG_GO);
}

void tell_name(const u8 *what, const u8 *name)
{
    msg_add(what);
    msg_add(name);
    msg_add(T("!"));
    msg_show(MSG_GO);
}

/* ---- the creatures in battle, and their records in the parties ---- */

/* What changes in both at once changes right after a vertical blank, so that a reader of the memory
 * between two frames sees either all of it or nothing. */

void battler_refresh(u8 side)
{
    const struct Mon *mon = battle_mon(side);
    struct BattleMon *to = &gBattleMons[side];
    struct MonData data;
    const struct SpeciesInfo *info;
    mon_read(mon, &data);
    info = &gSpeciesInfo[data.species];
    to->species = data.species;
    to->attack = mon->attack;
    to->defense = mon->defense;
    to->speed = mon->speed;
    to->spAttack = mon->spAttack;
    to->spDefense = mon->spDefense;
    memcpy(to->moves, data.moves, sizeof(to->moves));
    memcpy(to->pp, data.pp, sizeof(to->pp));
    to->ivs = data.ivs;
    to->ability = info->abilities[0];
    memcpy(to->types, info->types, sizeof(to->types));
    to->hp = mon->hp;
    to->maxHp = mon->maxHp;
    to->level = mon->level;
    to->friendship = data.friendship;
    to->item = data.heldItem;
    memcpy(to->nickname, mon_name(mon), sizeof(to->nickname));
    to->ppBonuses = data.ppBonuses;
    memcpy(to->otName, mon->otName, sizeof(mon->otName));
    to->otName[COUNT(mon->otName)] = TEXT_END;
    to->experience = data.experience;
    to->personality = mon->personality;
    to->status1 = mon->status;
    to->status2 = 0;
    to->otId = mon->otId;
}

void battler_load(u8 side, u8 index)
{
    wait_frame();
    gBattlerPartyIndexes[side] = index;
    memset(gBattleMons[side].stages, STAGE_NORMAL, sizeof(gBattleMons[side].stages));
    battler_refresh(side);
}

void battler_set_hp(u8 side, u16 hp)
{
    u16 before = gBattleMons[side].hp;
    gBattleMons[side].hp = battle_mon(side)->hp = hp;
    slide_hp(side, before);
}

void battler_set_status(u8 side, u32 status)
{
    gBattleMons[side].status1 = battle_mon(side)->status = status;
    draw_hud(side);
}

void battler_spend(u8 side, u8 slot)
{
    struct MonData data;
    wait_frame();
    mon_read(battle_mon(side), &data);
    data.pp[slot] = --gBattleMons[side].pp[slot];
    mon_write(battle_mon(side), &data);
}
