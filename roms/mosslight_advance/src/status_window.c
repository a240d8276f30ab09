/* What the main menu, the saving question and the player's card say of a game. */
#include "status_window.h"
#include "field.h"

#define ROW_H 16
#define MARGIN 10

const u8 *place_name(void)
{
    return section_names[gMapGroups[SAVE1->mapGroup][SAVE1->mapNum]->section];
}

u8 badge_count(void)
{
    u8 count = 0;
    for (u8 i = 0; i < BADGES; i++) count += flag_get(FLAG_BADGE_1 + i);
    return count;
}

void print_play_time(s16 right, s16 y, u8 ink)
{
    static const u8 colon[] = T(":"), zero[] = T("0");
    u8 minutes = SAVE2->playTimeMinutes;
    s16 x = right - 2 * ui_width(zero);
    if (minutes < 10) ui_print(x, y, zero, ink);
    ui_number_right(right, y, minutes, ink);
    x -= ui_width(colon);
    ui_print(x, y, colon, ink);
    ui_number_right(x, y, SAVE2->playTimeHours, ink);
}

static void label(s16 x, s16 y, const u8 *text)
{
    ui_print(x, y, text, INK_BLUE);
}

void status_window(s16 x, s16 y, s16 w)
{
    static const u8 player[] = T("PLAYER"), badges[] = T("BADGES"), time[] = T("TIME");
    s16 left = x + MARGIN, right = x + w - MARGIN, row = y + 8;
    ui_box(x, y, w, STATUS_H);
    ui_print(left, row, place_name(), INK_RED);
    row += ROW_H;
    label(left, row, player);
    ui_print(right - ui_width(SAVE2->playerName), row, SAVE2->playerName, INK_TEXT);
    row += ROW_H;
    label(left, row, badges);
    ui_number_right(right, row, badge_count(), INK_TEXT);
    row += ROW_H;
    label(left, row, time);
    print_play_time(right, row, INK_TEXT);
}
