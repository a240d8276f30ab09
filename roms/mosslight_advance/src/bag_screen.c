/* The bag: its pockets side by side, the description of what the cursor is on below. */
#include "battle.h"

#define FADE 6
#define POCKETS 5
#define LIST_X 96
#define LIST_W 142
#define LIST_H 108
#define ROWS 6
#define ROW_STEP 16
#define TEXT_Y 114
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

/* A text of several lines. */
void print_lines(s16 x, s16 y, const u8 *text)
{
    u8 line[40], n;
    for (; *text != 0xFF; y += LINE_H) {
        for (n = 0; *text != 0xFE && *text != 0xFF && n < sizeof(line) - 1; ++text) line[n++] = *text;
        line[n] = 0xFF;
        ui_print(x, y, line, INK_TEXT);
        if (*text == 0xFE) ++text;
    }
}

static void point_at(u8 top, u8 row)
{
    u16 item = item_at(top + row);
    gBagPosition.cursor[gBagPosition.pocket] = row;
    gBagPosition.scroll[gBagPosition.pocket] = top;
    ui_box(2, TEXT_Y, SCREEN_W - 4, SCREEN_H - TEXT_Y);
    print_lines(14, TEXT_Y + 8, item ? gItems[item].description : close_text);
}

static void draw_satchel(s16 x, s16 y)
{
    ui_fill(x + 12, y, 24, 3, INK_DARK);
    ui_fill(x + 9, y + 3, 4, 8, INK_DARK);
    ui_fill(x + 35, y + 3, 4, 8, INK_DARK);
    ui_fill(x + 3, y + 10, 42, 34, INK_DARK);
    ui_fill(x + 1, y + 14, 46, 28, INK_DARK);
    ui_fill(x + 5, y + 12, 38, 30, INK_RED);
    ui_fill(x + 3, y + 16, 42, 24, INK_RED);
    ui_fill(x + 5, y + 12, 38, 12, INK_YELLOW);
    ui_fill(x + 3, y + 24, 42, 2, INK_DARK);
    ui_fill(x + 20, y + 20, 8, 10, INK_DARK);
    ui_fill(x + 22, y + 22, 4, 6, INK_PAPER);
}

static void draw_bag(void)
{
    const u8 *const names[POCKETS] = {T("ITEMS"), T("BALLS"), T("MACHINES"), T("BERRIES"), T("KEY ITEMS")};
    const u8 *name = names[gBagPosition.pocket];
    u8 i;
    ui_clear();
    draw_satchel(22, 12);
    ui_box(2, 68, 90, 42);
    ui_print(2 + (90 - ui_width(name)) / 2, 76, name, INK_TEXT);
    for (i = 0; i < POCKETS; ++i) ui_fill(20 + i * 12, 95, 7, 5, i == gBagPosition.pocket ? INK_RED : INK_GREY);
    ui_box(LIST_X, 2, LIST_W, LIST_H);
}

void Task_BagMenu_HandleInput(void)
{
    u8 at = gBagPosition.pocket;
    const struct List how = {LIST_X + 8, 9, LIST_W - 16, ROW_STEP, ROWS, pocket_length(pocket()) + 1, LIST_SIDES, draw_entry, point_at};
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
