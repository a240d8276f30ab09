/* The naming screen: letters, DEL and END in row 16, START jumps to END, SELECT changes the case. */
#include "game.h"
#include "system.h"

#define name_length REG(0xC6D2)
#define name_max REG(0xC6D3)
#define name_kind REG(0xC6D4)
#define typed wStringBuffer1
#define KIND_RIVAL 2
#define NAME_END 0x50
#define COLUMNS 9
#define LETTER_ROWS 4
#define KEYS_X 2
#define KEYS_Y 8
#define NAME_X 7
#define NAME_Y 5
#define DEL_COLUMN 3
#define END_COLUMN 6

static const char upper[LETTER_ROWS][COLUMNS + 1] = {
    "ABCDEFGHI", "JKLMNOPQR", "STUVWXYZ ", "-?!.,1234"
};
static const char lower[LETTER_ROWS][COLUMNS + 1] = {
    "abcdefghi", "jklmnopqr", "stuvwxyz ", "-?!.,5678"
};
static u8 row, column, is_lower;

static char key(u8 y, u8 x)
{
    return is_lower ? lower[y][x] : upper[y][x];
}

static void draw_keys(void)
{
    u8 x, y;
    for (y = 0; y < LETTER_ROWS; y++)
        for (x = 0; x < COLUMNS; x++)
            put_tile(KEYS_X + x * 2, KEYS_Y + y * 2, ascii_tiles[key(y, x) - 0x20], PAL_TEXT);
    print_at(KEYS_X, 16, is_lower ? "UPPER  DEL   END" : "lower  DEL   END");
    flush_rows(KEYS_Y, 10);
}

static void draw_name(void)
{
    u8 i;
    for (i = 0; i < name_max; i++) {
        put_tile(NAME_X + i, NAME_Y, i < name_length ? typed[i] : TILE_SPACE, PAL_TEXT);
        put_tile(NAME_X + i, NAME_Y + 1, i == name_length ? TILE_CURSOR_HOLLOW : 0x7A, PAL_TEXT);
    }
    flush_rows(NAME_Y, 2);
}

/* The lowest row has three wide keys. */
static u8 key_column(void)
{
    if (row < LETTER_ROWS) return column;
    if (column >= END_COLUMN) return END_COLUMN + 0;
    return column >= DEL_COLUMN ? DEL_COLUMN : 0;
}

static void cursor(u8 tile)
{
    u8 x = KEYS_X - 1 + key_column() * 2, y = KEYS_Y + row * 2;
    if (row == LETTER_ROWS && key_column()) x++; /* DEL and END */
    put_tile(x, y, tile, PAL_TEXT);
    flush_rect(x, y, 1, 1);
}

static void steer(void)
{
    u8 step = row < LETTER_ROWS ? 1 : 3;
    if (hJoyPressed & PAD_UP) row = row ? row - 1 : LETTER_ROWS;
    if (hJoyPressed & PAD_DOWN) row = row == LETTER_ROWS ? 0 : row + 1;
    if (hJoyPressed & (PAD_LEFT | PAD_RIGHT)) column = key_column();
    if (hJoyPressed & PAD_LEFT) column = column ? column - step : COLUMNS - step;
    if (hJoyPressed & PAD_RIGHT) column = column + step >= COLUMNS ? 0 : column + step;
}

static void to_end(void)
{
    row = LETTER_ROWS;
    column = END_COLUMN;
}

static void type(void)
{
    if (name_length < name_max) typed[name_length++] = ascii_tiles[key(row, column) - 0x20];
    if (name_length == name_max) to_end();
}

static void change_case(void)
{
    is_lower ^= 1;
    draw_keys();
}

/* 1 at the end. */
static u8 take_key(void)
{
    if (row < LETTER_ROWS) type();
    else if (key_column() == END_COLUMN) return 1;
    else if (!key_column()) change_case();
    else if (name_length) name_length--;
    return 0;
}

static u8 press(void)
{
    if (hJoyPressed & PAD_A) return take_key();
    if (hJoyPressed & PAD_START) to_end();
    else if (hJoyPressed & PAD_SELECT) change_case();
    else if (hJoyPressed & PAD_B) name_length -= name_length != 0;
    else steer();
    return 0;
}

void name_screen(const char *question, u8 *name, u8 max)
{
    u8 done;
    window_push();
    sprites_hide();
    animation_on = 0;
    name_length = row = column = is_lower = 0;
    name_max = max;
    name_kind = KIND_RIVAL;
    draw_box(0, 0, SCREEN_W, SCREEN_H);
    print_at(4, 2, question);
    flush_all();
    draw_keys();
    do {
        draw_name();
        cursor(TILE_CURSOR);
        do wait_frames(1); while (!hJoyPressed);
        cursor(TILE_SPACE);
        done = press();
    } while (!done);
    if (name_length) {
        typed[name_length] = NAME_END;
        copy_bytes(name, typed, name_length + 1);
    }
    window_pop();
    overworld_redraw();
}
