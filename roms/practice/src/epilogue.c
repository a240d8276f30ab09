/* The scripts of the epilogue, under the moss. */
#include "game.h"
#include "system.h"

#define BALLS 20
#define FEW_BALLS 3
#define BOAT_LANDING_X 6
#define BOAT_LANDING_Y 8
#define SHORE_X 6
#define SHORE_Y 4
#define DOOR_X 4
#define DOOR_Y 2

/* ---- the tablet and the boulders ---- */

void script_hermit(void)
{
    if (!wTMsHMs[FIRST_MACHINE + MACHINE_STRENGTH]) {
        say(TEXT_HERMIT_GIVE);
        wTMsHMs[FIRST_MACHINE + MACHINE_STRENGTH] = 1;
        say(TEXT_GOT_TABLET);
        item_add(ITEM_BALL, BALLS);
        say(TEXT_HERMIT_BALLS);
    } else if (item_count(ITEM_BALL) < FEW_BALLS) {
        item_add(ITEM_BALL, BALLS);
        say(TEXT_HERMIT_BALLS);
    }
    say(TEXT_HERMIT_ADVICE);
}

void script_boulder(void)
{
    if (strength_on) {
        say(TEXT_BOULDER_MOVES);
        return;
    }
    if (!is_known(MOVE_STRENGTH)) {
        say(TEXT_BOULDER_HEAVY);
        return;
    }
    say(TEXT_BOULDER_ASK);
    if (!yes_no_late()) return;
    strength_on = 1;
    say(TEXT_BOULDER_STRENGTH);
}

/* ---- the boat ---- */

static void sail(u8 map, u8 x, u8 y)
{
    say(TEXT_BOAT_GOES);
    close_box();
    fade_out();
    enter_map(map, x, y);
}

void script_boatman(void)
{
    say(TEXT_BOAT_ASK);
    switch (menu_vertical(8, 0, 12, "OLD MILL\nREED BAY\nTOWER\nNOWHERE", 4, 0)) {
    case 0: say(TEXT_BOAT_MILL); break;
    case 1: say(TEXT_BOAT_BAY); break;
    case 2: sail(MAP_SILENT_TOWER, BOAT_LANDING_X, BOAT_LANDING_Y); break;
    default: say(TEXT_BOAT_STAYS);
    }
}

void script_boat_back(void)
{
    say(TEXT_BOAT_ASK);
    if (menu_vertical(11, 4, 9, "SHORE\nSTAY", 2, 1)) say(TEXT_BOAT_STAYS);
    else sail(MAP_MOSS_SHORE, SHORE_X, SHORE_Y);
}

/* ---- the tower ---- */

/* A wrong entry repeats the question, and B does not close the menu. */
static void ask(u8 question, const char *entries, u8 right)
{
    for (;;) {
        say(question);
        if (menu_forced(8, 2, 12, entries, 3) == right) return;
        say(TEXT_QUIZ_WRONG);
    }
}

void script_sage(void)
{
    say(TEXT_QUIZ_BEGINS);
    ask(TEXT_QUIZ_DRINK, "MILK\nSTONE\nRAIN", 2);
    ask(TEXT_QUIZ_FEAR, "NOON\nNIGHT\nFOG", 0);
    ask(TEXT_QUIZ_HURRY, "WIND\nTIME\nRIVER", 1);
    say(TEXT_QUIZ_DONE);
    leaves(EVENT_QUIZ_DONE);
}

void script_bearer(void)
{
    if (flag_get(EVENT_GOT_DOOR_KEY)) {
        say(TEXT_BEARER_AFTER);
        return;
    }
    say(TEXT_BEARER_KEY);
    flag_set(EVENT_GOT_DOOR_KEY);
    say(TEXT_GOT_KEY);
}

void script_door(void)
{
    if (!flag_get(EVENT_GOT_DOOR_KEY)) {
        say(TEXT_DOOR_SHUT);
        return;
    }
    say(TEXT_DOOR_ASK);
    if (!yes_no_late()) return;
    flag_set(EVENT_DOOR_OPENED);
    blocks_refresh();
    take_warp(warp_at(DOOR_X, DOOR_Y));
}

/* ---- levers, echoes, and the end ---- */

static void lever(u16 event)
{
    if (flag_get(event)) {
        say(TEXT_LEVER_DOWN);
        return;
    }
    say(TEXT_LEVER_ASK);
    if (!yes_no_late()) return;
    flag_set(event);
    blocks_refresh();
    say(TEXT_LEVER_MOVED);
}

void script_lever_one(void)
{
    lever(EVENT_LEVER_ONE);
}

void script_lever_two(void)
{
    lever(EVENT_LEVER_TWO);
}

void script_echo_one(void)
{
    say(TEXT_ECHO_FADES);
    leaves(EVENT_BEAT_ECHO_1);
}

void script_echo_two(void)
{
    say(TEXT_ECHO_FADES);
    leaves(EVENT_BEAT_ECHO_2);
}

void script_heart(void)
{
    say(flag_get(EVENT_DEEP_LIGHT) ? TEXT_HEART_AFTER : TEXT_HEART_LIGHT);
    flag_set(EVENT_DEEP_LIGHT);
}
