/* The bag: its pockets side by side, the description of what the cursor is on below. */
#include "battle.h"

#define FADE 6
#define POCKETS 5
#define LINE_H 15

static const u8 close_text[] = T("Return to what you were\ndoing.");
static u8 choice; /* what CB2_BagMenuRun ended with */

static u8 pocket(void)
{
    return gBagPosition.pocket + POCKET_ITEMS;
}

/* 0 for the last line, which closes the bag. */
static u16 item_at(u8 index)
{
    u8 capacity;
    const struct ItemSlot *slots = pocket_slots(pocket(), &capacity);
    return index < pocket_length(pocket()) ? slots[index].itemId : 0;
}

static void draw_entry(u8 index, s16 x, s16 y)
{
    u16 item = item_at(index);
    if (!item) {
        ui_print(x, y, T("CLOSE BAG"), INK_TEXT);
        return;
    }
    ui_print(x, y, gItems[item].name, INK_TEXT);
    if (pocket() == POCKET_KEY) return;
    ui_print(LIST_X + LIST_W - 32, y, T("×"), INK_TEXT);
    ui_number_right(LIST_X + LIST_W - 12, y, item_count(item), INK_TEXT);
}

void print_lines(s16 x, s16 y, const u8 *text)
{
    u8 line[40], n;
    for (; *text != TEXT_END; y += LINE_H) {
        for (n = 0; *text != 0xFE && *text != TEXT_END && n < sizeof(line) - 1; ++text) line[n++] = *text;
        line[n] = TEXT_END;
        ui_print(x, y, line, INK_TEXT);
        if (*text == 0xFE) ++text;
    }
}

static void point_at(u8 top, u8 row)
{
    u16 item = item_at(top + row);
    gBagPosition.cursor[gBagPosition.pocket] = row;
    gBagPosition.scroll[gBagPosition.pocket] = top;
    ui_box(2, LIST_TEXT_Y, SCREEN_W - 4, SCREEN_H - LIST_TEXT_Y);
    print_lines(14, LIST_TEXT_Y + 8, item ? gItems[item].description : close_text);
}

/* A rectangle whose corners miss `cut` pixels, in steps. */
static void rounded(s16 x, s16 y, s16 w, s16 h, s16 cut, u8 ink)
{
    s16 i;
    for (i = 0; i < cut; ++i) {
        ui_fill(x + cut - i, y + i, w - 2 * (cut - i), 1, ink);
        ui_fill(x + cut - i, y + h - 1 - i, w - 2 * (cut - i), 1, ink);
    }
    ui_fill(x, y + cut, w, h - 2 * cut, ink);
}

/* A satchel of 52 x 52 pixels: strap, side pockets, body, flap with a buckle. */
static void draw_satchel(s16 x, s16 y)
{
    s16 row;
    rounded(x + 12, y, 28, 20, 6, INK_DARK);
    rounded(x + 14, y + 2, 24, 18, 5, INK_YELLOW);
    rounded(x + 17, y + 5, 18, 15, 4, INK_DARK);
    ui_clear_rect(x + 19, y + 7, 14, 8);
    rounded(x, y + 24, 12, 24, 3, INK_DARK);
    rounded(x + 40, y + 24, 12, 24, 3, INK_DARK);
    rounded(x + 2, y + 26, 10, 20, 2, INK_YELLOW);
    rounded(x + 40, y + 26, 10, 20, 2, INK_YELLOW);
    rounded(x + 4, y + 12, 44, 40, 5, INK_DARK);
    rounded(x + 6, y + 14, 40, 36, 4, INK_RED);
    for (row = 0; row < 14; ++row) { /* the flap runs to a point */
        ui_fill(x + 4 + row * row / 12, y + 18 + row, 44 - row * row / 6, 3, INK_DARK);
        ui_fill(x + 6 + row * row / 12, y + 18 + row, 40 - row * row / 6, 1, INK_YELLOW);
    }
    rounded(x + 6, y + 14, 40, 8, 3, INK_YELLOW);
    ui_fill(x + 10, y + 15, 30, 1, INK_WHITE);
    rounded(x + 21, y + 27, 10, 11, 2, INK_DARK);
    rounded(x + 23, y + 29, 6, 7, 1, INK_WHITE);
    ui_fill(x + 10, y + 46, 32, 2, INK_CURSOR);
}

static void draw_bag(void)
{
    const u8 *const names[POCKETS] = {T("ITEMS"), T("BALLS"), T("MACHINES"), T("BERRIES"), T("KEY ITEMS")};
    const u8 *name = names[gBagPosition.pocket];
    u8 i;
    ui_clear();
    draw_satchel(21, 9);
    ui_box(2, 68, 90, 42);
    ui_print(2 + (90 - ui_width(name)) / 2, 76, name, INK_TEXT);
    for (i = 0; i < POCKETS; ++i) ui_fill(20 + i * 12, 95, 7, 5, i == gBagPosition.pocket ? INK_RED : INK_GREY);
    ui_box(LIST_X, 2, LIST_W, LIST_H);
}

void Task_BagMenu_HandleInput(void)
{
    u8 at = gBagPosition.pocket;
    const struct List how = {LIST_X + 8, 9, LIST_W - 16, LIST_STEP, LIST_ROWS, pocket_length(pocket()) + 1, LIST_SIDES, draw_entry, point_at};
    choice = list_menu(&how, gBagPosition.cursor[at] + gBagPosition.scroll[at]);
}

void CB2_BagMenuRun(void)
{
    for (;;) {
        draw_bag();
        task_begin(Task_BagMenu_HandleInput);
        Task_BagMenu_HandleInput();
        task_end(Task_BagMenu_HandleInput);
        if (choice == LIST_RIGHT) gBagPosition.pocket = (gBagPosition.pocket + 1) % POCKETS;
        else if (choice == LIST_LEFT) gBagPosition.pocket = (gBagPosition.pocket + POCKETS - 1) % POCKETS;
        else return;
    }
}

static void open(void)
{
    fade_out(FADE);
    set_mode(CB2_BagMenuRun);
    screen_open(&backdrop_screen);
}

static bool is_used(void)
{
    const u8 *const entries[] = {T("USE"), T("CANCEL")};
    return choice_menu(entries, COUNT(entries)) == 0;
}

/* The item that is to be used, or 0; the bag stays on the screen. */
static u16 pick(void)
{
    u16 item;
    do {
        enter(CB2_BagMenuRun);
        item = choice == MENU_CANCEL ? 0 : item_at(choice);
    } while (item && !is_used());
    return item;
}

u16 bag_pick(void)
{
    open();
    return pick();
}

void bag_screen(void)
{
    u16 item;
    u8 index;
    open();
    while ((item = pick())) {
        if (gItems[item].pocket != POCKET_ITEMS || !gPlayerPartyCount) {
            battle_text(T("There is no use for it here."));
            continue;
        }
        index = party_pick(T("Use it on which?"), NULL, 0);
        if (index != NO_MON) item_use_on(item, index);
        open();
    }
    fade_out(FADE);
}
