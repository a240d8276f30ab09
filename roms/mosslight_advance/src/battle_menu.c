/* What the player does in a turn: FIGHT, BAG, TEAM, RUN and the two menus of a battle. */
#include "battle.h"

enum { FIGHT, BAG, TEAM, RUN };

#define BOX_Y 112
#define ACTIONS_X 124
#define MOVES_W 164
#define MOVE_X 8
#define MOVE_DX 78
#define ROW_Y (BOX_Y + 9)
#define ROW_DY 17
#define RUN_PER_TRY 30

static u8 run_tries;
static u8 who;    /* is asked */
static u8 chosen; /* what a menu ended with */

void run_tries_reset(void)
{
    run_tries = 0;
}

/* The controller's function is what a reader knows the two menus by. */
static u8 controlled(Callback menu)
{
    gActiveBattler = who;
    breathing(true);
    gBattlerControllerFuncs[who] = menu;
    menu();
    gBattlerControllerFuncs[who] = NULL;
    breathing(false);
    return chosen;
}

void HandleInputChooseAction(void)
{
    chosen = menu_cursor(ACTIONS_X + 8, ROW_Y, 2, 2, 54, ROW_DY, gActionSelectionCursor[who],
                         MENU_NO_B, &gActionSelectionCursor[who]);
}

static u8 action_menu(void)
{
    msg();
    msg_add(T("What next for\n"));
    msg_add(gBattleMons[who].nickname);
    msg_add(T("?"));
    msg_show(MSG_STAY);
    ui_box(ACTIONS_X, BOX_Y, SCREEN_W - ACTIONS_X, SCREEN_H - BOX_Y);
    ui_print(ACTIONS_X + 18, ROW_Y, T("FIGHT"), INK_TEXT);
    ui_print(ACTIONS_X + 72, ROW_Y, T("BAG"), INK_TEXT);
    ui_print(ACTIONS_X + 18, ROW_Y + ROW_DY, T("TEAM"), INK_TEXT);
    ui_print(ACTIONS_X + 72, ROW_Y + ROW_DY, T("RUN"), INK_TEXT);
    return controlled(HandleInputChooseAction);
}

/* ---- FIGHT ---- */

static u8 move_count(void)
{
    u8 count = 0;
    while (count < NO_SLOT && gBattleMons[who].moves[count]) ++count;
    return count;
}

static s16 move_x(u8 slot)
{
    return MOVE_X + (slot & 1) * MOVE_DX;
}

static s16 move_y(u8 slot)
{
    return ROW_Y + (slot >> 1) * ROW_DY;
}

static void show_move(u8 slot)
{
    u16 id = gBattleMons[who].moves[slot];
    const struct MoveInfo *move = &gBattleMoves[id];
    u8 pp = gBattleMons[who].pp[slot];
    ui_fill(MOVES_W + 6, ROW_Y, SCREEN_W - MOVES_W - 12, ROW_DY + 12, INK_PAPER);
    ui_print(MOVES_W + 8, ROW_Y, T("PP"), INK_TEXT);
    print_pair(SCREEN_W - 9, ROW_Y, pp, move->pp, pp * 4 > move->pp ? INK_TEXT : INK_RED);
    ui_print(MOVES_W + 8, ROW_Y + ROW_DY, gTypeNames[move->type], INK_BLUE);
    cursor_draw(move_x(slot), move_y(slot), INK_CURSOR);
}

static u8 move_steered(u8 slot, u16 pressed)
{
    u8 to = slot;
    if (pressed & KEY_LEFT) to &= ~1;
    else if (pressed & KEY_RIGHT) to |= 1;
    else if (pressed & KEY_UP) to &= ~2;
    else if (pressed & KEY_DOWN) to |= 2;
    return to < move_count() ? to : slot;
}

void HandleInputChooseMove(void)
{
    u8 slot = gMoveSelectionCursor[who], next;
    show_move(slot);
    for (;;) {
        wait_frame();
        chosen = gMain.newKeys & KEY_A ? slot : MENU_CANCEL;
        if (gMain.newKeys & (KEY_A | KEY_B)) return;
        next = move_steered(slot, gMain.newKeys);
        if (next == slot) continue;
        cursor_draw(move_x(slot), move_y(slot), INK_PAPER);
        gMoveSelectionCursor[who] = slot = next;
        show_move(slot);
    }
}

static u8 move_menu(void)
{
    u8 slot;
    ui_box(0, BOX_Y, MOVES_W, SCREEN_H - BOX_Y);
    ui_box(MOVES_W, BOX_Y, SCREEN_W - MOVES_W, SCREEN_H - BOX_Y);
    for (slot = 0; slot < move_count(); ++slot)
        ui_print(move_x(slot) + 10, move_y(slot), gMoveNames[gBattleMons[who].moves[slot]], INK_TEXT);
    return controlled(HandleInputChooseMove);
}

/* The next one that stands, to the right or to the left. */
static u8 next_target(u8 target, bool forward)
{
    static const u8 round[BATTLERS] = {OWN, OWN_RIGHT, FOE, FOE_RIGHT};
    u8 at = 0;
    while (round[at] != target) ++at;
    do at = (at + (forward ? 1 : BATTLERS - 1)) % BATTLERS;
    while (round[at] == who || !gBattleMons[round[at]].hp);
    return round[at];
}

static void show_target(u8 target)
{
    ui_fill(MOVES_W + 6, ROW_Y, SCREEN_W - MOVES_W - 12, ROW_DY + 12, INK_PAPER);
    ui_print(MOVES_W + 8, ROW_Y, T("AT"), INK_TEXT);
    ui_print(MOVES_W + 8, ROW_Y + ROW_DY, gBattleMons[target].nickname, INK_BLUE);
}

/* chosen: a battler. */
void HandleInputChooseTarget(void)
{
    u8 target = gBattleMons[FOE].hp ? FOE : FOE_RIGHT;
    u16 keys;
    do {
        gMultiUsePlayerCursor = target;
        show_target(target);
        wait_frame();
        keys = gMain.newKeys;
        if (keys & (KEY_RIGHT | KEY_UP | KEY_LEFT | KEY_DOWN))
            target = next_target(target, keys & (KEY_RIGHT | KEY_UP));
    } while (!(keys & (KEY_A | KEY_B)));
    chosen = keys & KEY_A ? target : MENU_CANCEL;
}

/* Only where four fight there is a question. */
static u8 choose_target(u8 slot)
{
    if (!IS_DOUBLE || gBattleMoves[move_in(who, slot)].target) return FOE;
    return controlled(HandleInputChooseTarget);
}

static u8 choose_fight(u8 *slot, u8 *target)
{
    *slot = NO_SLOT;
    *target = FOE;
    if (!has_points(who)) {
        tell(who, T(" has no points left!"));
        return TURN_FIGHT;
    }
    for (;;) {
        *slot = move_menu();
        if (*slot == MENU_CANCEL) return TURN_NONE;
        if (!gBattleMons[who].pp[*slot]) {
            battle_text(T("No points left for that move!"));
            continue;
        }
        *target = choose_target(*slot);
        if (*target != MENU_CANCEL) return TURN_FIGHT;
    }
}

/* ---- TEAM ---- */

static u8 choose_team(void)
{
    u8 index = party_pick(T("Send out which?"), T("SEND OUT"), PICK_ALIVE);
    battle_return();
    if (index == NO_MON) return TURN_NONE;
    switch_own(who, index);
    return TURN_USED;
}

/* ---- BAG ---- */

static u8 choose_ball(u16 ball)
{
    battle_return();
    if (is_trainer_battle()) {
        battle_text(T("That creature has a friend already!"));
        return TURN_NONE;
    }
    if (gPlayerPartyCount == PARTY_MAX) {
        battle_text(T("Your team is full! No room for it."));
        return TURN_NONE;
    }
    if (!throw_ball_at_foe(ball)) return TURN_USED;
    gBattleOutcome = CAUGHT;
    return TURN_OVER;
}

static u8 choose_medicine(u16 item)
{
    u8 index = party_pick(T("Use it on which?"), T("USE"), 0), turn = TURN_NONE;
    if (index != NO_MON && item_use_on(item, index)) turn = TURN_USED;
    if (index == gBattlerPartyIndexes[OWN]) battler_refresh(OWN);
    if (IS_DOUBLE && index == gBattlerPartyIndexes[OWN_RIGHT]) battler_refresh(OWN_RIGHT);
    battle_return();
    return turn;
}

static u8 choose_bag(void)
{
    u16 item = bag_pick();
    if (item && gItems[item].pocket == POCKET_BALLS) return choose_ball(item);
    if (item && gItems[item].pocket == POCKET_ITEMS) return choose_medicine(item);
    battle_return();
    if (item) battle_text(T("Not in the middle of a battle!"));
    return TURN_NONE;
}

/* ---- RUN ---- */

static bool escapes(void)
{
    u16 own = gBattleMons[who].speed, foe = MAX(gBattleMons[FOE].speed, 1);
    if (own >= foe) return true;
    return (u8)(own * 128 / foe + RUN_PER_TRY * run_tries++) > rnd_below(256);
}

static u8 choose_run(void)
{
    if (is_trainer_battle()) {
        battle_text(T("You cannot run from a trainer!"));
        return TURN_NONE;
    }
    if (!escapes()) {
        battle_text(T("There is no way out!"));
        return TURN_USED;
    }
    battle_text(T("You slipped away!"));
    gBattleOutcome = RAN;
    return TURN_OVER;
}

u8 player_turn(u8 battler, u8 *slot, u8 *target)
{
    u8 turn;
    who = battler;
    do {
        switch (action_menu()) {
        case FIGHT: turn = choose_fight(slot, target); break;
        case BAG: turn = choose_bag(); break;
        case TEAM: turn = choose_team(); break;
        default: turn = choose_run();
        }
    } while (turn == TURN_NONE);
    return turn;
}
