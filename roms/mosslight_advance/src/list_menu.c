/* A vertical list whose entries may be more than its rows: bag, shop, forgetting a move. A callback
 * follows the cursor, so that prices and descriptions are those of the entry pointed at. */
#include "battle.h"

#define ROW_HEIGHT 12
#define TEXT_X 10
#define CURSOR_ROWS 9
#define FADE 6
#define LIST_STAYS 0xFC

static bool is_dark; /* the screen has been opened and not been lit yet */

void enter(Callback mode)
{
    set_mode(mode);
    mode();
}

void screen_open(const struct Backdrop *backdrop)
{
    sprites_hide();
    ui_clear();
    sFieldMessageBoxMode = 0; /* its box went with the canvas */
    backdrop_show(backdrop);
    pal_load(15, ui_palette);
    video_show(SHOW_WINDOWS | SHOW_BACKDROP | SHOW_SPRITES);
    is_dark = true;
    gPaletteFade[7] |= PALETTE_FADING; /* drawing takes frames, too: no key counts before the screen is lit */
}

void screen_light(void)
{
    if (is_dark) fade_in(FADE);
    is_dark = false;
}

void cursor_draw(s16 x, s16 y, u8 ink)
{
    u8 row, width;
    for (row = 0; row < CURSOR_ROWS; ++row) {
        width = row <= CURSOR_ROWS / 2 ? row + 1 : CURSOR_ROWS - row;
        ui_fill(x, y + row, width, 1, ink);
    }
}

static const u8 *const *choices;
static u8 choice_count, choice;

void Task_HandleSelectionMenuInput(void)
{
    choice = menu_list(-1, -1, choices, choice_count, 0, MENU_WRAP);
}

u8 choice_menu(const u8 *const *entries, u8 count)
{
    choices = entries;
    choice_count = count;
    task_begin(Task_HandleSelectionMenuInput);
    Task_HandleSelectionMenuInput();
    task_end(Task_HandleSelectionMenuInput);
    return choice;
}

static const struct List *list;
static u8 at;  /* where the cursor stands */
static u8 top; /* first visible entry */

static s16 row_y(u8 row)
{
    return list->y + row * list->step;
}

static void show_rows(void)
{
    u8 row;
    for (row = 0; row < list->rows; ++row) {
        ui_fill(list->x, row_y(row), list->width, ROW_HEIGHT, INK_PAPER);
        if (top + row < list->count) list->draw(top + row, list->x + TEXT_X, row_y(row));
    }
}

static void stand(void)
{
    if (at < top || at >= top + list->rows) {
        top = at < top ? at : at - list->rows + 1;
        show_rows();
    }
    cursor_draw(list->x, row_y(at - top), INK_CURSOR);
    if (list->moved) list->moved(top, at - top);
}

/* LIST_STAYS while it goes on. */
static u8 leaving(u16 pressed)
{
    if (pressed & KEY_A) return at;
    if (pressed & KEY_B && !(list->flags & LIST_NO_B)) return MENU_CANCEL;
    if (list->flags & LIST_SIDES) {
        if (pressed & KEY_LEFT) return LIST_LEFT;
        if (pressed & KEY_RIGHT) return LIST_RIGHT;
    }
    return LIST_STAYS;
}

static void step_cursor(u16 pressed)
{
    u8 next = at;
    if (pressed & KEY_DOWN && next + 1 < list->count) ++next;
    if (pressed & KEY_UP && next) --next;
    if (next == at) return;
    cursor_draw(list->x, row_y(at - top), INK_PAPER);
    at = next;
    stand();
}

u8 list_menu(const struct List *how, u8 start)
{
    u8 result;
    list = how;
    at = start < list->count ? start : list->count - 1;
    top = at < list->rows ? 0 : at - list->rows + 1;
    show_rows();
    stand();
    screen_light();
    do {
        wait_frame();
        result = leaving(gMain.newKeys);
        if (result == LIST_STAYS) step_cursor(gMain.newAndRepeatedKeys);
    } while (result == LIST_STAYS);
    return result;
}
