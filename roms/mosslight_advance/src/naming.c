/* The naming screen: letters on three pages, SELECT turns them, B takes one back, START jumps to OK. */
#include "hardware.h"

#define COLUMNS 10
#define ROWS 4
#define PAGES 3
#define NAME_LIMIT 10
#define BOX_Y 54
#define BOX_H 100
#define KEYS_X 18
#define KEYS_Y 65
#define KEY_W 15
#define KEY_H 21
#define CELL_H 16
#define SIDE_X 181
#define SIDE_W 50
#define SIDE_Y 66
#define SIDE_STEP 28
#define NAME_BOX_X 48
#define NAME_BOX_W (SCREEN_W - NAME_BOX_X - 8)
#define NAME_Y 28
#define HERO_X 20
#define HERO_Y 14
#define HERO_TILES 24
#define HERO_PALETTE 16
#define STEP_FRAMES 8
#define NAME_STEP 12
#define FADE_FRAMES 12
#define BLINK_FRAMES 16

enum { SIDE_PAGE, SIDE_BACK, SIDE_OK, SIDE_KEYS };

static const u8 letters[PAGES][ROWS][COLUMNS + 1] = {
    {T("ABCDEF ., "), T("GHIJKL -' "), T("MNOPQRS   "), T("TUVWXYZ   ")},
    {T("abcdef ., "), T("ghijkl -' "), T("mnopqrs   "), T("tuvwxyz   ")},
    {T("01234     "), T("56789     "), T("!?/&()    "), T("…·♂♀      ")},
};
static const u8 page_names[PAGES][7] = {T("UPPER"), T("lower"), T("0-9")};

static struct {
    u8 name[NAME_LIMIT + 1];
    u8 length, most, page, row, column; /* column COLUMNS: the keys beside; row is one of SIDE_* then */
} screen;

/* The marker never runs: its address in gMain says which screen this is. */
void CB2_NamingScreen(void) {}

/* ---- drawing ---- */

static const u8 *side_text(u8 key)
{
    static const u8 back[] = T("BACK"), ok[] = T("OK");
    if (key == SIDE_PAGE) return page_names[(screen.page + 1) % PAGES];
    return key == SIDE_BACK ? back : ok;
}

static void draw_cell(s16 x, s16 y, s16 w, const u8 *text, bool is_chosen)
{
    ui_fill(x, y, w, CELL_H, is_chosen ? INK_PANEL : INK_PAPER);
    if (is_chosen) ui_fill(x, y + CELL_H - 1, w, 1, INK_DARK);
    ui_print(x + (w - ui_width(text)) / 2, y + 2, text, is_chosen ? INK_WHITE : INK_TEXT);
}

static void draw_key(u8 column, u8 row, bool is_chosen)
{
    const u8 letter[] = {letters[screen.page][row][column], TEXT_END};
    draw_cell(KEYS_X + column * KEY_W, KEYS_Y + row * KEY_H, KEY_W - 2, letter, is_chosen);
}

static void draw_side(u8 key, bool is_chosen)
{
    draw_cell(SIDE_X + 7, SIDE_Y + key * SIDE_STEP, SIDE_W - 14, side_text(key), is_chosen);
}

static void draw_chosen(bool is_chosen)
{
    if (screen.column == COLUMNS) draw_side(screen.row, is_chosen);
    else draw_key(screen.column, screen.row, is_chosen);
}

static void draw_keys(void)
{
    for (u8 row = 0; row < ROWS; row++)
        for (u8 column = 0; column < COLUMNS; column++) draw_key(column, row, false);
    for (u8 key = 0; key < SIDE_KEYS; key++) draw_side(key, false);
}

static s16 name_x(u8 letter)
{
    return NAME_BOX_X + (NAME_BOX_W - screen.most * NAME_STEP) / 2 + letter * NAME_STEP;
}

/* The typed letters over lines; where the next one goes, the line bobs. */
static void draw_name(bool is_low)
{
    ui_fill(name_x(0), NAME_Y, screen.most * NAME_STEP, 18, INK_PAPER);
    for (u8 i = 0; i < screen.most; i++) {
        const u8 letter[] = {screen.name[i], TEXT_END};
        bool is_next = i == screen.length;
        if (i < screen.length) ui_print(name_x(i) + (NAME_STEP - 2 - ui_width(letter)) / 2 + 1, NAME_Y, letter, INK_TEXT);
        ui_fill(name_x(i) + 1, NAME_Y + 14 + (is_next && is_low), NAME_STEP - 3, 2, is_next ? INK_RED : INK_GREY);
    }
}

/* The hero walks on the spot. */
static void draw_hero(u8 frames)
{
    static const u8 steps[] = {0, 1, 0, 2};
    sprite_put(0, HERO_X, HERO_Y, SPRITE_16x32, steps[frames / STEP_FRAMES % COUNT(steps)] * 8, 0, SPRITE_TOP);
}

static void load_hero(void)
{
    const struct ObjectGraphics *hero = &object_graphics[SAVE2->playerGender ? GFX_HERO_GIRL : GFX_HERO_BOY];
    sprite_tiles(0, hero->tiles, HERO_TILES);
    pal_load(HERO_PALETTE, object_palettes[hero->palette]);
    draw_hero(0);
}

static void draw_screen(void)
{
    static const u8 question[] = T("YOUR NAME?");
    ui_clear();
    backdrop_show(&backdrop_screen);
    ui_box(NAME_BOX_X, 4, NAME_BOX_W, 46);
    ui_box(8, 4, 38, 46);
    ui_print(NAME_BOX_X + (NAME_BOX_W - ui_width(question)) / 2, 11, question, INK_BLUE);
    ui_box(8, BOX_Y, SIDE_X - 12, BOX_H);
    ui_box(SIDE_X, BOX_Y, SIDE_W, BOX_H);
    draw_keys();
    draw_chosen(true);
    draw_name(false);
}

/* ---- keys ---- */

static u8 wrapped(u8 at, u8 count, bool forward)
{
    if (forward) return at + 1 < count ? at + 1 : 0;
    return at ? at - 1 : count - 1;
}

/* Between letters and the keys beside them, the row is the nearest one. */
static void steer(u16 keys)
{
    static const u8 beside[ROWS] = {SIDE_PAGE, SIDE_BACK, SIDE_BACK, SIDE_OK}, across[SIDE_KEYS] = {0, 1, 3};
    u8 column = screen.column;
    draw_chosen(false);
    if (keys & (KEY_UP | KEY_DOWN))
        screen.row = wrapped(screen.row, column == COLUMNS ? SIDE_KEYS : ROWS, keys & KEY_DOWN);
    if (keys & (KEY_LEFT | KEY_RIGHT)) screen.column = wrapped(column, COLUMNS + 1, keys & KEY_RIGHT);
    if (screen.column == COLUMNS && column != COLUMNS) screen.row = beside[screen.row];
    if (screen.column != COLUMNS && column == COLUMNS) screen.row = across[screen.row];
    draw_chosen(true);
}

static void go_to_ok(void)
{
    draw_chosen(false);
    screen.column = COLUMNS;
    screen.row = SIDE_OK;
    draw_chosen(true);
}

static void turn_page(void)
{
    screen.page = (screen.page + 1) % PAGES;
    draw_keys();
    draw_chosen(true);
}

static void type(void)
{
    if (screen.length < screen.most) screen.name[screen.length++] = letters[screen.page][screen.row][screen.column];
    if (screen.length == screen.most) go_to_ok();
}

static void take_back(void)
{
    if (screen.length) screen.length--;
}

/* True when the name is complete. */
static bool press(u16 keys)
{
    bool is_side = screen.column == COLUMNS;
    if (keys & KEY_START) go_to_ok();
    else if (keys & KEY_SELECT) turn_page();
    else if (keys & KEY_B) take_back();
    else if (!(keys & KEY_A)) steer(keys);
    else if (!is_side) type();
    else if (screen.row == SIDE_PAGE) turn_page();
    else if (screen.row == SIDE_BACK) take_back();
    else return true;
    return false;
}

static u16 next_keys(void)
{
    const u16 directions = KEY_UP | KEY_DOWN | KEY_LEFT | KEY_RIGHT;
    u16 keys;
    u8 frames = 0;
    do {
        if (frames % BLINK_FRAMES == 0) draw_name(frames);
        draw_hero(frames);
        if (++frames == 2 * BLINK_FRAMES) frames = 0;
        wait_frame();
        keys = (gMain.newKeys & ~(KEY_L | KEY_R)) | (gMain.newAndRepeatedKeys & directions);
    } while (!keys);
    return keys;
}

static bool is_blank(void)
{
    for (u8 i = 0; i < screen.length; i++)
        if (screen.name[i]) return false;
    return true;
}

/* Without a letter, OK takes the proposal. Begins and ends dark. */
void naming_screen(u8 *name, u8 most, const u8 *proposal)
{
    memset(&screen, 0, sizeof screen);
    screen.most = MIN(most, NAME_LIMIT);
    set_mode(CB2_NamingScreen);
    sprites_hide();
    load_hero();
    draw_screen();
    video_show(SHOW_WINDOWS | SHOW_BACKDROP | SHOW_SPRITES);
    fade_in(FADE_FRAMES);
    while (!press(next_keys())) {}
    screen.name[screen.length] = TEXT_END;
    text_copy(name, is_blank() ? proposal : screen.name);
    fade_out(FADE_FRAMES);
    sprites_hide();
}
