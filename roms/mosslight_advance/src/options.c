/* The options: text speed, battle scenes, battle style. */
#include "hardware.h"

#define FADE_FRAMES 8
#define ROW_X 26
#define ROW_Y 50
#define ROW_H 20
#define VALUES_X 122
#define VALUES_MOST 3

enum { ROW_SPEED, ROW_SCENE, ROW_STYLE, ROW_CANCEL, ROWS };

static const u8 slow[] = T("SLOW"), middle[] = T("MID"), fast[] = T("FAST"), on[] = T("ON"), off[] = T("OFF"),
                shift[] = T("SHIFT"), set[] = T("SET"), speed_name[] = T("TEXT SPEED"), scene_name[] = T("BATTLE SCENE"),
                style_name[] = T("BATTLE STYLE"), cancel[] = T("CANCEL"), heading[] = T("OPTIONS");

static const u8 *const names[ROWS] = {speed_name, scene_name, style_name, cancel};
static const u8 *const values[ROWS][VALUES_MOST] = {{slow, middle, fast}, {on, off}, {shift, set}};
static const u8 value_counts[ROWS] = {3, 2, 2, 0};

/* The marker never runs: its address in gMain says which screen this is. */
void OptionMenuMainCB2(void) {}

static u8 value_of(u8 row)
{
    u16 options = SAVE2->options;
    if (row == ROW_SPEED) return MIN(options & OPTION_TEXT_SPEED, VALUES_MOST - 1);
    return options >> (row == ROW_SCENE ? OPTION_NO_SCENES_BIT : OPTION_SET_STYLE_BIT) & 1;
}

static void set_value(u8 row, u8 value)
{
    u8 bit = row == ROW_SPEED ? 0 : row == ROW_SCENE ? OPTION_NO_SCENES_BIT : OPTION_SET_STYLE_BIT;
    u16 mask = row == ROW_SPEED ? OPTION_TEXT_SPEED : 1 << bit;
    SAVE2->options = (SAVE2->options & ~mask) | value << bit;
}

static void draw_row(u8 row, bool is_chosen)
{
    s16 x = VALUES_X, y = ROW_Y + row * ROW_H;
    ui_fill(ROW_X - 6, y - 3, SCREEN_W - 2 * ROW_X + 12, 17, is_chosen ? INK_PANEL_LIGHT : INK_PAPER);
    ui_print(ROW_X, y, names[row], is_chosen ? INK_WHITE : INK_TEXT);
    for (u8 i = 0; i < value_counts[row]; i++) {
        u8 ink = is_chosen ? INK_WHITE : INK_GREY;
        if (i == value_of(row)) ink = is_chosen ? INK_YELLOW : INK_RED;
        x += ui_print(x, y, values[row][i], ink) + 10;
    }
}

static void draw_screen(void)
{
    ui_clear();
    backdrop_show(&backdrop_screen);
    ui_box(8, 6, SCREEN_W - 16, 28);
    ui_print(ROW_X, 14, heading, INK_BLUE);
    ui_box(8, 38, SCREEN_W - 16, ROWS * ROW_H + 20);
    for (u8 row = 0; row < ROWS; row++) draw_row(row, row == 0);
}

static void change(u8 row, bool forward)
{
    u8 count = value_counts[row], value = value_of(row);
    if (!count) return;
    set_value(row, forward ? (value + 1) % count : (value + count - 1) % count);
    draw_row(row, true);
}

void options_screen(void)
{
    u8 row = 0;
    u16 keys;
    set_mode(OptionMenuMainCB2);
    sprites_hide();
    draw_screen();
    video_show(SHOW_WINDOWS | SHOW_BACKDROP);
    fade_in(FADE_FRAMES);
    do {
        wait_frame();
        keys = gMain.newKeys;
        if (keys & (KEY_UP | KEY_DOWN)) {
            draw_row(row, false);
            row = keys & KEY_DOWN ? (row + 1) % ROWS : (row + ROWS - 1) % ROWS;
            draw_row(row, true);
        }
        if (keys & (KEY_LEFT | KEY_RIGHT)) change(row, keys & KEY_RIGHT);
        if (keys & KEY_A) change(row, true);
    } while (!(keys & (KEY_B | KEY_START)) && !((keys & KEY_A) && row == ROW_CANCEL));
    fade_out(FADE_FRAMES);
}
