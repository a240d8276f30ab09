/* A battle from its first message to wBattleResult. */
#include "battle.h"
#include "battle_menu.h"

#define CLASS_RIVAL 9
#define TRAINER_DVS_HIGH 0x98 /* what every trainer's creature has */
#define TRAINER_DVS_LOW 0x88

static u8 trainer; /* row in trainer_table, in battles with one */

void msg_mon(const Battler *who)
{
    if (who == OWN) {
        msg_name(wBattleNick);
        return;
    }
    msg_str(wBattleMode == WILD ? "Wild " : "Foe ");
    msg_name(wEnemyNick);
}

void tell(const Battler *who, const char *what)
{
    msg();
    msg_mon(who);
    msg_str(what);
    msg_show(MSG_GO);
}

void announce(const u8 *name, const char *what)
{
    msg();
    msg_name(name);
    msg_str(what);
    msg_show(MSG_GO);
}

/* Ends a message begun before. */
void msg_end(const char *what, const u8 *name)
{
    msg_str(what);
    msg_name(name);
    msg_str("!");
    msg_show(MSG_GO);
}

/* ---- own side ---- */

void load_own(u8 index)
{
    const PartyMon *mon = party_mon(index);
    copy_bytes(&OWN->species, &mon->species, 6);
    copy_bytes(OWN->dvs, mon->dvs, 7);
    copy_bytes(&OWN->level, &mon->level, 17);
    OWN->types[0] = species_table[mon->species][SP_TYPE1];
    OWN->types[1] = species_table[mon->species][SP_TYPE2];
    copy_name(wBattleNick, party_nick(index));
}

void save_own(void)
{
    PartyMon *mon = party_mon(wCurBattleMon);
    copy_bytes(mon->pp, OWN->pp, 4);
    mon->status = OWN->status;
    copy16(mon->hp, OWN->hp);
}

static void send_own(u8 index)
{
    wCurBattleMon = index;
    wCurMoveNum = 0;
    fill_bytes(stages[0], 0, 5);
    fill_bytes(&wPlayerSubStatus1, 0, 5);
    load_own(index);
    msg();
    msg_end("Go! ", wBattleNick);
    draw_own_pic(OWN->species);
    draw_hud(OWN);
}

void switch_own(u8 index)
{
    save_own();
    announce(wBattleNick, ", come back!");
    hide_own_pic();
    send_own(index);
}

static u8 first_alive(void)
{
    u8 i = 0;
    while (!get16(party_mon(i)->hp)) ++i;
    return i;
}

/* ---- the other side ---- */

static void make_foe(u8 species, u8 level, u8 dvs_high, u8 dvs_low)
{
    fill_bytes(&FOE->species, 0, sizeof(Battler));
    FOE->species = species;
    FOE->level = level;
    FOE->happiness = 70;
    FOE->dvs[0] = dvs_high;
    FOE->dvs[1] = dvs_low;
    fill_moves(species, level, FOE->moves, FOE->pp);
    calc_stats(species, level, FOE->dvs, FOE->max_hp);
    copy16(FOE->hp, FOE->max_hp);
    FOE->types[0] = species_table[species][SP_TYPE1];
    FOE->types[1] = species_table[species][SP_TYPE2];
    fill_bytes(stages[1], 0, 5);
    fill_bytes(&wEnemySubStatus1, 0, 5);
    copy_name(wEnemyNick, species_names[species]);
    dex_set(wPokedexSeen, species);
}

/* The rival has the name that the player gave him. */
static const u8 *foe_name(void)
{
    return trainer_table[trainer][TR_CLASS] == CLASS_RIVAL ? wRivalName : trainer_names[trainer];
}

static void send_foe(u8 index)
{
    const u8 *entry = trainer_teams[trainer] + 2 * index;
    wCurOTMon = index;
    make_foe(wOTPartySpecies[index], entry[1], TRAINER_DVS_HIGH, TRAINER_DVS_LOW);
    msg();
    msg_name(foe_name());
    msg_end(" sent out ", wEnemyNick);
    draw_foe_pic(FOE->species);
    draw_hud(FOE);
}

/* The starter that beats the player's: 1 -> 2 -> 3 -> 1. */
static u8 rival_starter(void)
{
    u8 i;
    for (i = 0; i < wPartyCount; ++i)
        if (wPartySpecies[i] <= SPECIES_SPRIGOT) return wPartySpecies[i] % 3 + 1;
    return SPECIES_CINDLE;
}

static void list_team(void)
{
    const u8 *entry = trainer_teams[trainer];
    u8 count = 0;
    for (; entry[0]; entry += 2)
        wOTPartySpecies[count++] = entry[0] == RIVAL_STARTER ? rival_starter() : entry[0];
    wOTPartySpecies[count] = 0xFF;
    wOTPartyCount = count;
}

/* ---- rounds ---- */

static u8 own_acts_first(u8 own_slot, u8 foe_slot)
{
    u8 own_quick = move_table[move_in(OWN, own_slot)][MV_EFFECT] == EFFECT_FIRST;
    u8 foe_quick = move_table[move_in(FOE, foe_slot)][MV_EFFECT] == EFFECT_FIRST;
    u16 own = battle_stat(OWN, SPEED, 0), foe = battle_stat(FOE, SPEED, 0);
    if (own_quick != foe_quick) return own_quick;
    return own == foe ? rnd() & 1 : own > foe;
}

static u8 both_stand(void)
{
    return get16(OWN->hp) && get16(FOE->hp);
}

static void fight_round(u8 own_slot)
{
    u8 foe_slot = choose_foe_move();
    if (own_acts_first(own_slot, foe_slot)) {
        use_move(OWN, own_slot);
        if (both_stand()) use_move(FOE, foe_slot);
    } else {
        use_move(FOE, foe_slot);
        if (both_stand()) use_move(OWN, own_slot);
    }
}

static u8 foe_fainted(void)
{
    hide_foe_pic();
    tell(FOE, " fainted!");
    if (get16(OWN->hp)) gain_exp();
    if (!party_alive()) return RESULT_LOSE;
    if (wBattleMode == WILD || wCurOTMon + 1 >= wOTPartyCount) return RESULT_WIN;
    send_foe(wCurOTMon + 1);
    return BATTLE_GOES_ON;
}

static void replace_own(void)
{
    u8 index;
    do index = party_pick("Who fights now?", PICK_ALIVE | PICK_FORCED);
    while (index == NO_MON);
    battle_screen();
    send_own(index);
}

/* Everything that follows from HP after both sides acted. */
static u8 end_round(void)
{
    u8 result = BATTLE_GOES_ON;
    if (both_stand()) {
        status_damage(OWN);
        status_damage(FOE);
    }
    save_own();
    if (!get16(OWN->hp)) {
        hide_own_pic();
        tell(OWN, " fainted!");
        if (!party_alive()) return RESULT_LOSE;
    }
    if (!get16(FOE->hp)) result = foe_fainted();
    if (result == BATTLE_GOES_ON && !get16(OWN->hp)) replace_own();
    return result;
}

static u8 rounds(void)
{
    u8 turn, result;
    do {
        turn = player_turn();
        if (turn == TURN_CAUGHT) return RESULT_WIN;
        if (turn == TURN_RAN) return RESULT_DRAW;
        if (turn == TURN_FIGHT) fight_round(chosen_slot);
        else use_move(FOE, choose_foe_move());
        result = end_round();
    } while (result == BATTLE_GOES_ON);
    return result;
}

/* ---- begin and end ---- */

static void begin(u8 mode)
{
    wBattleMode = mode;
    wBattleType = 0;
    wBattleResult = RESULT_WIN;
    wBattleMenuCursorPosition = 1;
    wNumFleeAttempts = 0;
    wOtherTrainerClass = wOtherTrainerID = 0;
    wOTPartyCount = wCurOTMon = 0;
    set16(wCurDamage, 0);
    fill_bytes(&wBattleMonSpecies, 0, sizeof(Battler));
    fade_out();
    sprites_hide();
    clear_tilemap();
    draw_box(0, 12, SCREEN_W, 6);
    flush_all();
    fade_in(PALSET_BATTLE);
    draw_own_pic(PIC_HERO);
}

/* Defeat: rest, and half the money gone. */
static void give_way(void)
{
    battle_text("Nobody is left who can fight!");
    if (wBattleType != BATTLETYPE_CANLOSE) {
        battle_text("You hurry to safety...");
        battle_text("Half of your money is gone!");
        purse_set(purse() >> 1);
    }
    heal_party();
}

static u8 finish(u8 result)
{
    save_own();
    wBattleResult = result;
    wBattleMode = 0;
    if (result == RESULT_LOSE) give_way();
    fade_out();
    clear_tilemap();
    flush_all();
    return result;
}

static void win_prize(void)
{
    u16 prize = (u16)trainer_table[trainer][TR_REWARD] * FOE->level;
    msg();
    msg_end("You beat ", foe_name());
    msg();
    msg_str("You were given ");
    msg_num(prize);
    msg_str(" coins!");
    msg_show(MSG_GO);
    money_add(prize);
}

u8 battle_wild(u8 species, u8 level) __banked
{
    if (!party_alive()) return RESULT_DRAW;
    begin(WILD);
    make_foe(species, level, rnd(), rnd());
    draw_foe_pic(species);
    tell(FOE, " appeared!");
    draw_hud(FOE);
    send_own(first_alive());
    return finish(rounds());
}

u8 battle_pool(u8 pool) __banked
{
    const u8 *slot = wild_pools[pool];
    u8 roll;
    for (roll = rnd(); slot[3] && roll >= slot[3]; slot += 4) roll -= slot[3];
    return battle_wild(slot[0], slot[1] + rnd_below(slot[2] - slot[1] + 1));
}

u8 battle_trainer(u8 trainer_no) __banked
{
    const u8 *row = trainer_table[trainer_no];
    u8 result;
    if (!party_alive()) return RESULT_DRAW;
    trainer = trainer_no;
    begin(TRAINER);
    wBattleType = row[TR_CAN_LOSE];
    wOtherTrainerClass = row[TR_CLASS];
    wOtherTrainerID = row[TR_ID];
    list_team();
    draw_foe_pic(row[TR_PICTURE]);
    announce(foe_name(), " wants to battle!");
    send_foe(0);
    send_own(first_alive());
    result = rounds();
    if (result == RESULT_WIN) win_prize();
    return finish(result);
}
