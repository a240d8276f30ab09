/* Windows and cursors. */
#include "game.h"
#include "system.h"

#define WINDOW_BYTES 720
#define LATE_FRAMES 28
#define YES_NO_MENU 0x1E25 /* by this number in wMenuDataPointer the question is known */
#define WINDOW_STACK 0xD000 /* in work RAM bank 2: five screens */

u8 menu_last;

void window_push(void)
{
    u8 *at = (u8 *)WINDOW_STACK + wWindowStackSize * WINDOW_BYTES;
    stack_copy(at, wTilemap, 360);
    stack_copy(at + 360, wAttrmap, 360);
    wWindowStackSize++;
}

void window_pop(void)
{
    const u8 *at;
    wWindowStackSize--;
    at = (const u8 *)WINDOW_STACK + wWindowStackSize * WINDOW_BYTES;
    stack_copy(wTilemap, at, 360);
    stack_copy(wAttrmap, at + 360, 360);
    if (wSpriteUpdatesEnabled) sprites_draw();
    flush_all();
}

void menu_border(u8 top, u8 left, u8 bottom, u8 right)
{
    wMenuBorderCoords[0] = top;
    wMenuBorderCoords[1] = left;
    wMenuBorderCoords[2] = bottom;
    wMenuBorderCoords[3] = right;
}

void menu_sign(u8 x, u8 y, u8 tile)
{
    u16 at = (u16)wTilemap + SCREEN_W * (u16)y + x;
    wCursorCurrentTile[0] = (u8)at;
    wCursorCurrentTile[1] = at >> 8;
    put_tile(x, y, tile, PAL_TEXT);
    flush_rect(x, y, 1, 1);
}

/* One cursor move along an axis: the new position, or MENU_* over the edge. */
static u8 moved(u8 at, u8 count, u8 forward, u8 edges, u8 wrap, u8 over_low, u8 over_high)
{
    if (forward) {
        if (at + 1 < count) return at + 1;
        if (edges) return over_high;
        return wrap ? 0 : at;
    }
    if (at) return at - 1;
    if (edges) return over_low;
    return wrap ? count - 1 : at;
}

/* What the pressed direction does to (row, column); returns MENU_* when it leaves the menu. */
static u8 steer(u8 *column, u8 *row, u8 cols, u8 rows, u8 flags)
{
    u8 to;
    if (hJoyPressed & (PAD_UP | PAD_DOWN)) {
        to = moved(*row, rows, hJoyPressed & PAD_DOWN, flags & MENU_EDGES_V, flags & MENU_WRAP,
                   MENU_OVER_TOP, MENU_OVER_BOTTOM);
        if (to >= MENU_OVER_RIGHT) return to;
        *row = to;
    } else if (hJoyPressed & (PAD_LEFT | PAD_RIGHT)) {
        to = moved(*column, cols, hJoyPressed & PAD_RIGHT, flags & MENU_EDGES_H, 0, MENU_OVER_LEFT,
                   MENU_OVER_RIGHT);
        if (to >= MENU_OVER_RIGHT) return to;
        *column = to;
    }
    return 0;
}

u8 menu_cursor(u8 x, u8 y, u8 cols, u8 rows, u8 dx, u8 dy, u8 start, u8 flags)
{
    u8 column = start % cols, row = start / cols, result;
    w2DMenuNumRows = rows;
    w2DMenuNumCols = cols;
    menu_border(y, x, y + (rows - 1) * dy, x + (cols - 1) * dx);
    for (;;) {
        wMenuCursorY = row + 1;
        wMenuCursorX = column + 1;
        menu_last = row * cols + column;
        wMenuSelection = menu_last + 1;
        menu_sign(x + column * dx, y + row * dy, TILE_CURSOR);
        do poll_frame(); while (!hJoyPressed);
        result = menu_last;
        if (hJoyPressed & PAD_A) break;
        if ((hJoyPressed & PAD_B) || ((hJoyPressed & PAD_START) && (flags & MENU_START_CLOSES))) {
            result = MENU_CANCEL;
            if (!(flags & MENU_NO_B)) break;
            continue;
        }
        menu_sign(x + column * dx, y + row * dy, TILE_SPACE);
        result = steer(&column, &row, cols, rows, flags);
        if (result) break;
    }
    wMenuCursorY = wMenuCursorX = wMenuDataPointer[1] = 0;
    menu_sign(x + column * dx, y + row * dy, TILE_CURSOR_HOLLOW);
    return result;
}

/* Entries separated by line ends, two rows apart. */
static void print_items(u8 x, u8 y, const char *items)
{
    char line[SCREEN_W];
    u8 n;
    while (*items) {
        for (n = 0; *items && *items != '\n'; items++) line[n++] = *items;
        line[n] = 0;
        print_at(x, y, line);
        y += 2;
        if (*items) items++;
    }
}

static u8 menu_entries(u8 x, u8 y, u8 w, const char *items, u8 count, u8 start, u8 flags)
{
    u8 result;
    window_push();
    draw_box(x, y, w, count * 2 + 2);
    print_items(x + 2, y + 2, items);
    flush_rect(x, y, w, count * 2 + 2);
    result = menu_cursor(x + 1, y + 2, 1, count, 0, 2, start, flags);
    window_pop();
    return result;
}

u8 menu_vertical(u8 x, u8 y, u8 w, const char *items, u8 count, u8 start)
{
    return menu_entries(x, y, w, items, count, start, MENU_WRAP);
}

u8 menu_forced(u8 x, u8 y, u8 w, const char *items, u8 count)
{
    return menu_entries(x, y, w, items, count, 0, MENU_NO_B);
}

u8 yes_no(void)
{
    wMenuDataPointer[0] = (u8)YES_NO_MENU;
    wMenuDataPointer[1] = YES_NO_MENU >> 8;
    return menu_vertical(14, 6, 6, "YES\nNO", 2, 0) == 0;
}

u8 yes_no_late(void)
{
    u8 frames, seen = 0;
    wTextDelayFrames = wCursorCurrentTile[1] = 0; /* nothing is asked yet, no cursor left over */
    for (frames = LATE_FRAMES; frames; frames--) {
        wait_frames(1);
        seen |= hJoyPressed;
    }
    if (seen & PAD_B) return 0;
    return seen & PAD_A ? 1 : yes_no();
}
