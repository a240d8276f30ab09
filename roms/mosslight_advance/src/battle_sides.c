/* Who comes out, goes back and faints, on both sides. */
#include "battle.h"

#define FADE 8

u16 trainer, partner;

void battle_return(void)
{
    fade_out(FADE);
    set_mode(BattleMainCB2);
    battle_screen();
    screen_light();
}

void send_own(u8 battler, u8 index)
{
    gMoveSelectionCursor[battler] = 0;
    battler_load(battler, index);
    msg();
    tell_name(T("Out you go, "), gBattleMons[battler].nickname);
    appear(battler);
}

void switch_own(u8 battler, u8 index)
{
    announce(gBattleMons[battler].nickname, T(", come back!"));
    withdraw(battler);
    send_own(battler, index);
}

void replace_own(u8 battler)
{
    u8 index = party_pick(T("Who fights now?"), T("SEND OUT"), PICK_ALIVE | PICK_FORCED);
    battle_return();
    send_own(battler, index);
}

static void msg_one(u16 number)
{
    const struct TrainerInfo *info = &gTrainers[number];
    const u8 *kind = gTrainerClassNames[info->trainerClass];
    if (*kind != TEXT_END) {
        msg_add(kind);
        msg_add(T(" "));
    }
    msg_add(info->name);
}

/* Both of two. */
void msg_trainer(void)
{
    msg_one(trainer);
    if (!partner) return;
    msg_add(T(" and "));
    msg_one(partner);
}

void send_foe(u8 battler, u8 index)
{
    battler_load(battler, index);
    dex_see(gBattleMons[battler].species);
    msg();
    msg_one(partner && index >= gTrainers[trainer].partySize ? partner : trainer);
    tell_name(T(" brings "), gBattleMons[battler].nickname);
    appear(battler);
}

void faint(u8 side)
{
    sink(side);
    tell(side, T(" can fight no more!"));
}
