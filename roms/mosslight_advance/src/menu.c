/* Cursors and lists. */
#include "hardware.h"

#define CURSOR_H 11
#define ROW_H 16
#define MARGIN 8
#define CURSOR_W 9
#define CHOICES_MOST 8
#define DATA_LIST 7 /* of a multichoice's task */
#define LIST_NONE 255
#define CHOICE_LEFT 17 /* in tiles */
#define CHOICE_TOP 1
#define CHOICE_RIGHT 28
#define BOX_TOP 114 /* the field's text box begins here: lists stand above it */

/* A triangle with a shaded edge, leftmost pixel in the low bits; 0 see-through. */
static const u32 cursor_rows[CURSOR_H] = {
    0x00000000, 0x00000066, 0x00000666, 0x00006666, 0x00066666, 0x00666666, 0x00366666, 0x00036666,
    0x00003666, 0x00000366, 0x00000033,
};

static void draw_cursor(s16 x, s16 y, u32 *under)
{
    canvas_read(x, y, CURSOR_H, under);
    canvas_overlay(x, y, CURSOR_H, under, cursor_rows);
}

/* What the engine reads: which of how many entries the cursor stands at. */
static void publish(u8 cols, u8 rows, u8 at, volatile u8 *shadow)
{
    sMenu.least = 0;
    sMenu.most = cols * rows - 1;
    sMenu.columns = cols;
    sMenu.rows = rows;
    sMenu.cursor = at;
    if (shadow) *shadow = at;
}

/* One move along an axis. */
static u8 moved(u8 at, u8 count, bool forward, bool wraps)
{
    if (forward) return at + 1 < count ? at + 1 : wraps ? 0 : at;
    return at ? at - 1 : wraps ? count - 1 : at;
}

static u8 steer(u8 at, u8 cols, u8 rows, u16 keys, bool wraps)
{
    u8 column = at % cols, row = at / cols;
    if (keys & (KEY_UP | KEY_DOWN)) row = moved(row, rows, keys & KEY_DOWN, wraps);
    else if (keys & (KEY_LEFT | KEY_RIGHT)) column = moved(column, cols, keys & KEY_RIGHT, wraps && cols > 1);
    return row * cols + column;
}

u8 menu_cursor(s16 x, s16 y, u8 cols, u8 rows, s16 dx, s16 dy, u8 start, u8 flags, volatile u8 *shadow)
{
    u8 at = start;
    for (;;) {
        s16 cursor_x = x + at % cols * dx, cursor_y = y + at / cols * dy;
        u32 under[CURSOR_H];
        u16 keys;
        publish(cols, rows, at, shadow);
        draw_cursor(cursor_x, cursor_y, under);
        do {
            wait_frame();
            keys = gMain.newKeys | (gMain.newAndRepeatedKeys & (KEY_UP | KEY_DOWN | KEY_LEFT | KEY_RIGHT));
            if (flags & MENU_NO_B) keys &= ~KEY_B;
            if (!(flags & MENU_START_CLOSES)) keys &= ~KEY_START;
            keys &= ~(KEY_L | KEY_R | KEY_SELECT);
        } while (!keys);
        if (keys & KEY_A) return at;
        canvas_write(cursor_x, cursor_y, CURSOR_H, under);
        if (keys & (KEY_B | KEY_START)) return MENU_CANCEL;
        at = steer(at, cols, rows, keys, flags & MENU_WRAP);
    }
}

/* The markers never run: their addresses in gTasks say that a list waits. */
void Task_HandleMultichoiceInput(void) {}

void Task_HandleYesNoInput(void) {}

static u8 list(s16 x, s16 y, const u8 *const *entries, u8 count, u8 start, u8 flags)
{
    u16 width = 0;
    s16 w, h = count * ROW_H + 2 * MARGIN - 2;
    u8 chosen;
    for (u8 i = 0; i < count; i++) width = MAX(width, ui_width(entries[i]));
    w = width + 2 * MARGIN + CURSOR_W + 3;
    if (x < 0) x = SCREEN_W - 2 - w;
    if (y < 0) y = BOX_TOP - h - 1;
    ui_keep();
    ui_box(x, y, w, h);
    for (u8 i = 0; i < count; i++) ui_print(x + MARGIN + CURSOR_W, y + MARGIN + i * ROW_H, entries[i], INK_TEXT);
    chosen = menu_cursor(x + MARGIN, y + MARGIN, 1, count, 0, ROW_H, start, flags, NULL);
    ui_restore();
    return chosen;
}

u8 menu_list(s16 x, s16 y, const u8 *const *entries, u8 count, u8 start, u8 flags)
{
    u8 chosen, task;
    bool in_field = gMain.callback2 == CB2_Overworld || gMain.callback2 == CB2_MainMenu;
    if (!in_field) return list(x, y, entries, count, start, flags);
    task = task_begin(Task_HandleMultichoiceInput);
    gTasks[task].data[DATA_LIST] = LIST_NONE;
    chosen = list(x, y, entries, count, start, flags);
    task_end(Task_HandleMultichoiceInput);
    return chosen;
}

/* ---- choices of a script, whose entries a reader finds in the image by the task's data ---- */

static const struct MultichoiceEntry gift_entries[] = {{T("POTION"), 0}, {T("GRUBBUD"), 0}, {T("NOTHING"), 0}};

const struct MultichoiceList sMultichoiceLists[] = {[MULTICHOICE_GIFT] = {gift_entries, COUNT(gift_entries)}};

u8 multichoice(u8 number)
{
    const u8 *entries[CHOICES_MOST];
    const struct MultichoiceList *choice = &sMultichoiceLists[number];
    u8 task = task_begin(Task_HandleMultichoiceInput), chosen;
    s16 data[] = {CHOICE_LEFT, CHOICE_TOP, CHOICE_RIGHT, CHOICE_TOP + 2 * choice->count + 1, 0, 0, 0, number};
    for (u8 i = 0; i < COUNT(data); i++) gTasks[task].data[i] = data[i];
    for (u8 i = 0; i < choice->count; i++) entries[i] = choice->entries[i].text;
    chosen = list(CHOICE_LEFT * 8, CHOICE_TOP * 8, entries, choice->count, 0, 0);
    task_end(Task_HandleMultichoiceInput);
    return chosen;
}

bool yes_no_of(Callback task)
{
    static const u8 yes[] = T("YES"), no[] = T("NO");
    const u8 *const answers[] = {yes, no};
    u8 chosen;
    task_begin(task);
    chosen = list(-1, -1, answers, COUNT(answers), 0, 0);
    task_end(task);
    return chosen == 0;
}

bool yes_no(void)
{
    return yes_no_of(Task_HandleYesNoInput);
}
