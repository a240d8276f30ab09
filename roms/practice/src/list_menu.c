/* A vertical list whose entries may be more than its rows: moves, bag, shop, forgetting a move.
 * menu.c's cursor only reports at the end; here a callback follows it, so that points, prices and
 * descriptions, and wMenuSelection for whoever reads RAM, are those of the entry pointed at. */
#include "battle.h"

static List list;
static u8 count;
static u8 at; /* where the cursor stands */
static u8 top;       /* first visible entry */

static u8 row_y(u8 row)
{
    return list.y + row * list.step;
}

static void show_rows(void)
{
    u8 row;
    if (!list.draw) return;
    for (row = 0; row < list.rows && top + row < count; ++row)
        list.draw(top + row, row_y(row));
    flush_rows(list.y - 1, row_y(list.rows - 1) - list.y + 2);
}

static void cursor(u8 tile)
{
    menu_sign(list.x, row_y(at - top), tile);
}

static void stand(void)
{
    if (at < top || at >= top + list.rows) {
        top = at < top ? at : at - list.rows + 1;
        show_rows();
    }
    wScrollingMenuCursorPosition = at - top + 1;
    wMenuScrollPosition[0] = top;
    wMenuCursorX = 1;
    wMenuCursorY = at - top + 1;
    cursor(TILE_CURSOR);
    if (list.moved) list.moved(at);
}

static u8 leaving(u8 pressed)
{
    if (pressed & PAD_A) return at;
    if (pressed & PAD_B && !(list.flags & MENU_NO_B)) return MENU_CANCEL;
    if (list.flags & MENU_EDGES_H) {
        if (pressed & PAD_LEFT) return MENU_OVER_LEFT;
        if (pressed & PAD_RIGHT) return MENU_OVER_RIGHT;
    }
    return MENU_OVER_TOP; /* stay */
}

static void step_cursor(u8 pressed)
{
    u8 next = at;
    if (pressed & PAD_DOWN && next + 1 < count) ++next;
    if (pressed & PAD_UP && next) --next;
    if (next == at) return;
    cursor(TILE_SPACE);
    at = next;
    stand();
}

u8 list_menu(const List *how, u8 entries, u8 start)
{
    u8 result;
    copy_bytes((u8 *)&list, (const u8 *)how, sizeof(List));
    count = entries;
    at = start < count ? start : count - 1;
    top = at < list.rows ? 0 : at - list.rows + 1;
    w2DMenuNumRows = count < list.rows ? count : list.rows;
    w2DMenuNumCols = 1;
    hInMenu = 1;
    menu_border(list.y, list.x, row_y(list.rows - 1), list.x);
    show_rows();
    stand();
    do {
        poll_frame();
        result = leaving(hJoyPressed);
        if (result == MENU_OVER_TOP) step_cursor(hJoyPressed);
    } while (result == MENU_OVER_TOP);
    wMenuCursorY = 0;
    hInMenu = 0;
    if (result == at) cursor(TILE_CURSOR_HOLLOW);
    return result;
}
