/* What the player does in a turn: FIGHT, TEAM, BAG, RUN and their menus. */
#include "battle.h"
#include "battle_menu.h"

enum { FIGHT, TEAM, BAG, RUN };

u8 chosen_slot;

static u8 main_menu(void)
{
    u8 choice;
    draw_box(0, 12, SCREEN_W, 6);
    print_at(1, 14, "Your");
    print_at(1, 16, "turn!");
    draw_box(7, 12, 13, 6);
    print_at(9, 14, "FIGHT TEAM");
    print_at(9, 16, "BAG   RUN");
    flush_rows(12, 6);
    ++wWindowStackSize;
    choice = menu_cursor(8, 14, 2, 2, 6, 2, wBattleMenuCursorPosition - 1, MENU_NO_B);
    --wWindowStackSize;
    wBattleMenuCursorPosition = choice + 1;
    return choice;
}

/* ---- FIGHT ---- */

static void show_move(u8 slot)
{
    u8 id = OWN->moves[slot];
    fill_rect(1, 13, 6, 4, TILE_SPACE, PAL_TEXT);
    print_at(1, 13, "PP");
    print_points(1, 14, OWN->pp[slot], id);
    print_type(1, 16, move_table[id][MV_TYPE]);
    flush_rect(1, 13, 6, 4);
    wMenuSelection = id;
}

static u8 move_menu(void)
{
    static const List how = {9, 13, 1, 4, 0, 0, show_move};
    u8 slot;
    draw_box(0, 12, 8, 6);
    draw_box(8, 12, 12, 6);
    for (slot = 0; slot < 4 && OWN->moves[slot]; ++slot)
        print_move(10, 13 + slot, OWN->moves[slot]);
    flush_rows(12, 6);
    ++wWindowStackSize;
    slot = list_menu(&how, slot, wCurMoveNum);
    --wWindowStackSize;
    return slot;
}

static u8 choose_fight(void)
{
    u8 slot;
    if (!has_points(OWN)) {
        tell(OWN, " has no points left!");
        chosen_slot = 4;
        return TURN_FIGHT;
    }
    for (;;) {
        slot = move_menu();
        if (slot == MENU_CANCEL) return TURN_NONE;
        wCurMoveNum = slot;
        if (OWN->pp[slot]) break;
        battle_text("No points left for that move!");
    }
    chosen_slot = slot;
    return TURN_FIGHT;
}

/* ---- TEAM ---- */

static u8 choose_team(void)
{
    u8 index = party_pick("Send out which?", PICK_ALIVE);
    battle_screen();
    if (index == NO_MON) return TURN_NONE;
    switch_own(index);
    return TURN_USED;
}

/* ---- BAG ---- */

static u8 choose_ball(u8 item)
{
    battle_screen();
    if (wBattleMode == TRAINER) {
        battle_text("That creature has a friend already!");
        return TURN_NONE;
    }
    if (wPartyCount == PARTY_MAX) {
        battle_text("Your team is full! No room for it.");
        return TURN_NONE;
    }
    if (!use_ball(item)) return TURN_USED;
    return TURN_CAUGHT;
}

static u8 choose_medicine(u8 item)
{
    u8 index = party_pick("Use it on which?", 0), used = TURN_NONE;
    if (index != NO_MON && item_use_on(item, index)) used = TURN_USED;
    if (index == wCurBattleMon) load_own(index);
    battle_screen();
    return used;
}

static u8 choose_bag(void)
{
    u8 item = bag_pick();
    if (item && item_pocket(item) == 1) return choose_ball(item);
    if (item && item_pocket(item) == 0) return choose_medicine(item);
    battle_screen();
    if (item) battle_text("Not in the middle of a battle!");
    return TURN_NONE;
}

/* ---- RUN ---- */

static u8 escapes(void)
{
    u16 own = battle_stat(OWN, SPEED, 1), foe = battle_stat(FOE, SPEED, 1), chance;
    if (own >= foe) return 1;
    foe = foe >> 2 & 255;
    if (!foe) return 1;
    chance = own * 32 / foe + 30 * wNumFleeAttempts;
    return chance > 255 || rnd() < chance;
}

static u8 choose_run(void)
{
    if (wBattleMode == TRAINER) {
        battle_text("You cannot run from a trainer!");
        return TURN_NONE;
    }
    ++wNumFleeAttempts;
    if (escapes()) {
        battle_text("You got away safely!");
        return TURN_RAN;
    }
    battle_text("You cannot get away!");
    return TURN_USED;
}

u8 player_turn(void)
{
    u8 turn;
    do {
        switch (main_menu()) {
        case FIGHT: turn = choose_fight(); break;
        case TEAM: turn = choose_team(); break;
        case BAG: turn = choose_bag(); break;
        default: turn = choose_run();
        }
    } while (turn == TURN_NONE);
    return turn;
}
