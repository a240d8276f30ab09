/* The bag: three pockets side by side, the description of what the cursor is on below. */
#include "battle.h"

#define POCKETS 3
#define POCKET_MACHINES 3        /* shown once there is use for it */
#define POCKET_ITEM 0
#define TILE_LEFT 0x71
#define TILE_TIMES 0xF1

static const char *describe(u8 item)
{
    switch (item) {
    case ITEM_BALL: return "Catches creatures.";
    case ITEM_TRAIL_MAP: return "Shows the trails.";
    case ITEM_ANTIDOTE: return "Cures poison.";
    case ITEM_WAKE_BELL: return "Wakes a sleeper.";
    case ITEM_LOOSENER: return "Cures stiffness.";
    case ITEM_POTION: return "Restores 20 HP.";
    }
    return "Close the bag.";
}

/* 0 for the last line, which closes the bag. */
static u8 item_at(u8 index)
{
    return index < pocket_length(wCurPocket) ? *pocket_entry(wCurPocket, index) : 0;
}

static void draw_entry(u8 index, u8 y)
{
    u8 item = item_at(index);
    fill_rect(1, y, 18, 1, TILE_SPACE, PAL_TEXT);
    if (!item) {
        print_at(2, y, "CLOSE");
        return;
    }
    print_name(2, y, item_names[item_row(item)]);
    if (wCurPocket == 2) return;
    put_tile(16, y, TILE_TIMES, PAL_TEXT);
    print_num(17, y, item_count(item), 2);
}

static void point_at(u8 index)
{
    u8 item = item_at(index);
    wMenuSelection = item ? item : 0xFF;
    fill_rect(1, 14, 18, 1, TILE_SPACE, PAL_TEXT);
    print_at(1, 14, describe(item));
    flush_rect(1, 14, 18, 1);
}

static void draw_bag(void)
{
    static const char *const names[] = {"ITEMS", "BALLS", "KEY ITEMS"};
    clear_tilemap();
    draw_box(0, 0, SCREEN_W, 3);
    put_tile(1, 1, TILE_LEFT, PAL_TEXT);
    print_at(6, 1, names[wCurPocket]);
    put_tile(18, 1, TILE_CURSOR, PAL_TEXT);
    draw_box(0, 3, SCREEN_W, 9);
    draw_box(0, 12, SCREEN_W, 6);
    flush_all();
}

u8 bag_pick(void)
{
    static const List how = {1, 4, 2, 4, MENU_EDGES_H, draw_entry, point_at};
    u8 choice, pockets = wTMsHMs[FIRST_MACHINE + MACHINE_STRENGTH] ? POCKETS + 1 : POCKETS;
    sprites_hide();
    if (wCurPocket >= pockets) wCurPocket = 0;
    ++wWindowStackSize;
    for (;;) {
        if (wCurPocket == POCKET_MACHINES) {
            choice = machine_pocket();
        } else {
            draw_bag();
            choice = list_menu(&how, pocket_length(wCurPocket) + 1, 0);
        }
        if (choice == MENU_OVER_RIGHT) wCurPocket = (wCurPocket + 1) % pockets;
        else if (choice == MENU_OVER_LEFT) wCurPocket = (wCurPocket + pockets - 1) % pockets;
        else break;
    }
    --wWindowStackSize;
    return choice == MENU_CANCEL ? 0 : item_at(choice);
}

void bag_screen(void) __banked
{
    u8 item, index;
    while ((item = bag_pick())) {
        if (item_pocket(item) != POCKET_ITEM) {
            say_str("There is no use for it here.");
            continue;
        }
        index = party_pick("Use it on which?", 0);
        if (index != NO_MON) item_use_on(item, index);
    }
}
