/* A battle from the flash in the field to the dark screen after it. */
#include "battle.h"

#define IN_BATTLE 2                 /* bit of gMain.inBattle */
#define TRAINER_PERSONALITY (25 * 7) /* natures come every 25: theirs is the first, which changes nothing */
#define FADE 8

static bool is_mild;

/* ---- own side ---- */

static u8 first_alive(void)
{
    u8 index = 0;
    while (!gPlayerParty[index].hp) ++index;
    return index;
}

/* ---- the other side ---- */

/* Behind those that are there. */
static void add_team(u16 number)
{
    const struct TrainerInfo *info = &gTrainers[number];
    const struct TrainerMon *entry = info->party;
    u8 i;
    u32 ivs;
    for (i = 0; i < info->partySize; ++i, ++entry) {
        ivs = entry->iv * 31 / 255; /* all six alike */
        ivs |= ivs << 5;
        ivs |= ivs << 10 | ivs << 20;
        mon_create(&gEnemyParty[gEnemyPartyCount++], entry->species, entry->level, TRAINER_PERSONALITY * (i + 1), number, ivs);
    }
}

/* The options' battle style: whoever sees the next one coming may change before it comes. */
static void offer_change(u8 next)
{
    u8 index;
    bool is_set = SAVE2->options & 1 << OPTION_SET_STYLE_BIT;
    if (is_set || !gBattleMons[OWN].hp || party_alive() < 2) return;
    msg();
    msg_trainer();
    msg_add(T(" will bring "));
    msg_add(mon_name(&gEnemyParty[next]));
    msg_add(T(". Will you change, too?"));
    msg_show(MSG_STAY);
    if (!yes_no()) return;
    index = party_pick(T("Send out which?"), T("SEND OUT"), PICK_ALIVE);
    battle_return();
    if (index != NO_MON) switch_own(OWN, index);
}

/* ---- rounds ---- */

static bool own_acts_first(u8 own_slot, u8 foe_slot)
{
    s8 own_priority = gBattleMoves[move_in(OWN, own_slot)].priority;
    s8 foe_priority = gBattleMoves[move_in(FOE, foe_slot)].priority;
    u16 own = battle_stat(&gBattleMons[OWN], STAT_SPEED);
    u16 foe = battle_stat(&gBattleMons[FOE], STAT_SPEED);
    if (own_priority != foe_priority) return own_priority > foe_priority;
    return own == foe ? rnd() & 1 : own > foe;
}

static bool both_stand(void)
{
    return gBattleMons[OWN].hp && gBattleMons[FOE].hp;
}

static void fight_round(u8 own_slot)
{
    u8 foe_slot = choose_foe_move(FOE, OWN);
    u8 first = own_acts_first(own_slot, foe_slot) ? OWN : FOE;
    use_move(first, first == OWN ? own_slot : foe_slot, first ^ 1);
    if (both_stand()) use_move(first ^ 1, first == OWN ? foe_slot : own_slot, first);
}

static u8 foe_fainted(void)
{
    u8 next = gBattlerPartyIndexes[FOE] + 1;
    faint(FOE);
    if (gBattleMons[OWN].hp) gain_exp(OWN, FOE, 1);
    if (!party_alive()) return LOST;
    if (next >= gEnemyPartyCount) return WON;
    offer_change(next);
    send_foe(FOE, next);
    return GOES_ON;
}

/* Everything that follows from HP after both sides acted. */
static u8 end_round(void)
{
    u8 outcome = GOES_ON;
    if (both_stand()) {
        status_damage(OWN);
        status_damage(FOE);
    }
    if (!gBattleMons[OWN].hp) {
        faint(OWN);
        if (!party_alive()) return LOST;
    }
    if (!gBattleMons[FOE].hp) outcome = foe_fainted();
    if (outcome == GOES_ON && !gBattleMons[OWN].hp) replace_own(OWN);
    return outcome;
}

static void rounds(void)
{
    u8 turn, slot, target;
    do {
        turn = player_turn(OWN, &slot, &target);
        if (turn == TURN_OVER) return;
        if (turn == TURN_FIGHT) fight_round(slot);
        else use_move(FOE, choose_foe_move(FOE, OWN), OWN);
        gBattleOutcome = end_round();
    } while (gBattleOutcome == GOES_ON);
}

/* ---- begin and end ---- */

void CB2_InitBattle(void)
{
    u8 battler;
    gBattlersCount = gBattleTypeFlags & BATTLE_DOUBLE ? BATTLERS : 2;
    for (battler = OWN; battler < BATTLERS; ++battler) gBattlerPositions[battler] = battler;
    gActionSelectionCursor[OWN] = gActionSelectionCursor[OWN_RIGHT] = 0;
    gBattleOutcome = GOES_ON;
    memset(gBattleMons, 0, sizeof(gBattleMons));
    grown = 0;
    run_tries_reset();
    msg_place(true);
    battle_screen_reset();
    battle_screen();
}

void CB2_HandleStartBattle(void)
{
    const struct Picture *hero = &hero_back[SAVE2->playerGender & 1];
    gMain.inBattle |= IN_BATTLE;
    if (is_trainer_battle()) {
        slide_in(&trainer_pictures[gTrainers[trainer].picture], hero);
        msg();
        msg_trainer();
        msg_add(partner ? T(" want to battle!") : T(" wants to battle!"));
        msg_show(MSG_GO);
        slide_out(FOE);
        if (!IS_DOUBLE) send_foe(FOE, 0);
    } else {
        battler_load(FOE, 0);
        dex_see(gBattleMons[FOE].species);
        slide_in(&species_fronts[gBattleMons[FOE].species], hero);
        reveal_hud(FOE);
        tell(FOE, T(" comes out of hiding!"));
    }
    slide_out(OWN);
    if (IS_DOUBLE) double_begin();
    else send_own(OWN, first_alive());
}

static void win_prize(void)
{
    u32 prize = trainer_rewards[trainer] + trainer_rewards[partner];
    slide_back(&trainer_pictures[gTrainers[trainer].picture]);
    msg();
    msg_add(T("You beat "));
    msg_trainer();
    msg_add(T("!"));
    msg_show(MSG_GO);
    money_set(money_get() + prize);
    msg();
    msg_add(T("You were given "));
    msg_number(prize);
    msg_add(T(" coins!"));
    msg_show(MSG_GO);
}

/* Defeat: rest, and half the money gone. */
static void give_way(void)
{
    battle_text(T("Nobody is left who can fight!"));
    if (!is_mild) {
        battle_text(T("You hurry to safety..."));
        battle_text(T("Half of your money is gone!"));
        money_set(money_get() / 2);
    }
    heal_party();
}

void BattleMainCB2(void)
{
    if (IS_DOUBLE) double_rounds();
    else rounds();
    if (gBattleOutcome == WON && is_trainer_battle()) win_prize();
    if (gBattleOutcome == LOST) give_way();
}

static u8 battle(u32 flags)
{
    gBattleTypeFlags = flags;
    set_mode(CB2_InitBattle); /* nobody walks from now on */
    flash_screen(2);
    fade_out(FADE);
    CB2_InitBattle();
    enter(CB2_HandleStartBattle);
    enter(BattleMainCB2);
    fade_out(FADE);
    if (gBattleOutcome == WON) evolve_party(grown);
    sprites_hide();
    ui_clear();
    msg_place(false);
    gMain.inBattle &= ~IN_BATTLE;
    return gBattleOutcome;
}

u8 battle_wild(u16 species, u8 level)
{
    if (!party_alive()) return RAN;
    is_mild = false;
    mon_make(&gEnemyParty[0], species, level);
    trainer = partner = 0;
    gEnemyPartyCount = 0; /* as the reader knows it: only a trainer has a party */
    gTrainerBattleOpponent_A = 0;
    return battle(0);
}

u8 battle_pool(u8 pool)
{
    const struct PoolEntry *entry = pools[pool];
    u8 roll = rnd_below(100);
    for (; entry[1].share && roll >= entry->share; ++entry) roll -= entry->share;
    return battle_wild(entry->species, entry->least + rnd_below(entry->most - entry->least + 1));
}

static u8 against(u16 number, u16 other, bool mild)
{
    if (!party_alive()) return RAN;
    trainer = number;
    partner = other;
    is_mild = mild;
    gEnemyPartyCount = 0;
    add_team(number);
    if (other) add_team(other);
    gTrainerBattleOpponent_A = number;
    return battle(BATTLE_TRAINER | (other ? BATTLE_DOUBLE | BATTLE_TWO_TRAINERS : 0));
}

u8 battle_trainer(u16 number)
{
    return against(number, 0, false);
}

u8 battle_trainer_mild(u16 number)
{
    return against(number, 0, true);
}

u8 battle_trainers(u16 left, u16 right)
{
    return against(left, right, false);
}
