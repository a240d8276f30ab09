/* What a battle looks like: the pictures and how they move. Opponent: panel top left, picture top
 * right. Own: picture left, panel right, above the text. The panels are battle_panels.c's. */
#include "battle.h"

#define PICTURE 64
#define PICTURE_TILES 64
#define LINES 8 /* of a tile */
#define RGB(r, g, b) ((r) | (g) << 5 | (b) << 10)
#define WHITE 0x7FFF
#define TINT_MOST 16
#define SPRITE_BALL 0
#define SPRITE_SPARKS 1
#define SPARKS 4
#define SPRITE_FIRST_SIDE 6
#define TILES_BALL 256
#define TILES_SPARK 260
#define PALETTE_BALL 4
#define PALETTE_SPARK 5
#define SLIDE_FRAMES 32
#define THROW_FRAMES 20
#define GLOW_FRAMES 10
#define BREATH_FRAMES 24
#define THROW_HEIGHT 36

/* Where things are, by battler, where two fight and where four do. */
static const struct { s16 x, y; } homes[2][BATTLERS] = {
    {{28, 48}, {152, 8}},
    {{0, 48}, {176, 2}, {60, 50}, {118, 12}},
};
#define HOME(battler) homes[IS_DOUBLE][battler]

static EWRAM_DATA u32 pixels[BATTLERS][PICTURE_TILES * LINES]; /* of the pictures shown */
static const u16 *colours[BATTLERS];
static bool shown[BATTLERS], has_panel[BATTLERS];
static s16 at_x[BATTLERS], at_y[BATTLERS];

/* ---- the small pictures: a ball of 16 x 16 and a spark of 8 x 8 pixels ---- */

static const u16 ball_palette[16] = {
    0, RGB(4, 4, 7), RGB(31, 25, 8), RGB(31, 30, 20), RGB(24, 15, 3), RGB(29, 29, 31), RGB(19, 20, 25), WHITE,
};
static const char ball_rows[][17] = {
    "................", "......1111......", ".....155661.....", "....15566661....", "....11111111....",
    "...1223322241...", "..122373322241..", "..123777332241..", "..123773322241..", "..122333222241..",
    "..122232222441..", "...1222222441...", "....12224441....", ".....111111.....", "......1661......",
    ".......11.......",
};
static const char spark_rows[][9] = {
    "...11...", "...11...", "..1221..", "11277211", "11277211", "..1221..", "...11...", "...11...",
};
static const u16 type_colours[TYPE_COUNT] = {
    [TYPE_NORMAL] = RGB(26, 25, 22), [TYPE_FLYING] = RGB(18, 22, 31), [TYPE_GROUND] = RGB(25, 19, 10),
    [TYPE_ROCK] = RGB(20, 17, 12), [TYPE_BUG] = RGB(20, 26, 6), [TYPE_GHOST] = RGB(18, 11, 25),
    [TYPE_FIRE] = RGB(31, 15, 4), [TYPE_WATER] = RGB(7, 16, 31), [TYPE_GRASS] = RGB(9, 25, 8),
    [TYPE_ELECTRIC] = RGB(31, 28, 5),
};

static const u16 glow_colours[] = {
    [GLOW_RISE] = RGB(31, 20, 6), [GLOW_FALL] = RGB(8, 12, 31), [GLOW_HEAL] = RGB(14, 31, 14),
    [GLOW_POISON] = RGB(22, 6, 26), [GLOW_PARALYSIS] = RGB(31, 30, 6), [GLOW_SLEEP] = RGB(16, 16, 20),
};

/* Digits are colours; `width` is a multiple of 8, each row's string has an end. */
static void load_drawn(u16 tile, const char *rows, u8 width, u8 height)
{
    u32 words[2 * 2 * LINES];
    u8 x, y;
    memset(words, 0, sizeof(words));
    for (y = 0; y < height; ++y, ++rows)
        for (x = 0; x < width; ++x, ++rows)
            if (*rows != '.') words[(y / LINES * (width / 8) + x / 8) * LINES + y % LINES] |= (*rows - '0') << x % 8 * 4;
    sprite_tiles(tile, words, width / 8 * height / LINES);
}

static void load_small_pictures(void)
{
    load_drawn(TILES_BALL, ball_rows[0], 16, 16);
    load_drawn(TILES_SPARK, spark_rows[0], 8, 8);
    pal_load(16 + PALETTE_BALL, ball_palette);
    pal_load(16 + PALETTE_SPARK, ball_palette);
}

/* ---- pictures ---- */

static void place(u8 side)
{
    if (shown[side])
        sprite_put(SPRITE_FIRST_SIDE + side, at_x[side], at_y[side], SPRITE_64x64, side * PICTURE_TILES, side, 0);
    else
        sprite_hide(SPRITE_FIRST_SIDE + side);
}

static void upload(u8 side)
{
    sprite_tiles(side * PICTURE_TILES, pixels[side], PICTURE_TILES);
}

static void load(u8 side, const struct Picture *picture)
{
    memcpy(pixels[side], picture->tiles, sizeof(pixels[side]));
    colours[side] = picture->palette;
    upload(side);
    pal_load(16 + side, picture->palette);
    at_x[side] = HOME(side).x;
    at_y[side] = HOME(side).y;
}

static const struct Picture *creature(u8 side)
{
    return (SIDE(side) == OWN ? species_backs : species_fronts) + gBattleMons[side].species;
}

static u16 mixed(u16 from, u16 to, u8 part)
{
    u16 result = 0;
    u8 shift, a, b;
    for (shift = 0; shift < 15; shift += 5) {
        a = from >> shift & 31;
        b = to >> shift & 31;
        result |= (a + (b - a) * part / TINT_MOST) << shift;
    }
    return result;
}

/* 0 the picture's own colours, TINT_MOST all of it in the other colour. */
static void tint(u8 side, u16 colour, u8 part)
{
    u8 i;
    for (i = 1; i < 16; ++i) pal_set(16 + side, i, mixed(colours[side][i], colour, part));
}

/* Clear a line of the picture, counted from the top. */
static void clear_line(u8 side, u8 line)
{
    u32 *word = pixels[side] + line / LINES * PICTURE + line % LINES;
    u8 tile;
    for (tile = 0; tile < PICTURE / 8; ++tile) word[tile * LINES] = 0;
}

/* ---- coming and going ---- */

void slide_in(const struct Picture *foe, const struct Picture *own)
{
    u8 frame, left;
    load(FOE, foe);
    load(OWN, own);
    shown[OWN] = shown[FOE] = true;
    for (frame = 0; frame <= SLIDE_FRAMES; ++frame) {
        left = SLIDE_FRAMES - frame;
        at_x[FOE] = HOME(FOE).x - left * 7;
        at_x[OWN] = HOME(OWN).x + left * 7;
        place(FOE);
        place(OWN);
        if (frame == 0) screen_light();
        wait_frame();
    }
}

/* The beaten trainer comes back. */
void slide_back(const struct Picture *picture)
{
    s16 left;
    load(FOE, picture);
    shown[FOE] = true;
    for (left = 90; left >= 0; left -= 5) {
        at_x[FOE] = HOME(FOE).x + left;
        place(FOE);
        wait_frame();
    }
}

void slide_out(u8 side)
{
    u8 frame;
    for (frame = 0; frame < 18; ++frame) {
        at_x[side] += SIDE(side) == FOE ? 6 : -6;
        place(side);
        wait_frame();
    }
    shown[side] = false;
    place(side);
}

/* In an arc. */
static void throw_ball(s16 from_x, s16 from_y, s16 to_x, s16 to_y)
{
    s16 frame, frames = THROW_FRAMES, height;
    for (frame = 0; frame <= frames; ++frame) {
        height = frame * (frames - frame) * 4 * THROW_HEIGHT / (frames * frames);
        sprite_put(SPRITE_BALL, from_x + (to_x - from_x) * frame / frames,
                   from_y + (to_y - from_y) * frame / frames - height, SPRITE_16x16, TILES_BALL, PALETTE_BALL, 0);
        wait_frame();
    }
}

static void grow_from_white(u8 side)
{
    u8 part;
    for (part = TINT_MOST; part; part -= 2) {
        tint(side, WHITE, part);
        shown[side] = part > TINT_MOST / 2 ? part & 2 : true;
        place(side);
        wait_frames(2);
    }
    tint(side, WHITE, 0);
}

void reveal_hud(u8 side)
{
    has_panel[side] = true;
    draw_hud(side);
}

void appear(u8 side)
{
    s16 x = HOME(side).x + PICTURE / 2 - 8, y = HOME(side).y + PICTURE - 18;
    if (scenes()) {
        throw_ball(SIDE(side) == OWN ? -16 : SCREEN_W, y - 8, x, y);
        sprite_hide(SPRITE_BALL);
    }
    load(side, creature(side));
    if (scenes()) grow_from_white(side);
    shown[side] = true;
    place(side);
    reveal_hud(side);
}

static void hide(u8 side)
{
    shown[side] = has_panel[side] = false;
    place(side);
    clear_hud(side);
}

static void withdraw_picture(u8 side)
{
    u8 part;
    for (part = 0; part <= TINT_MOST && scenes(); part += 2) {
        tint(side, WHITE, part);
        wait_frame();
    }
    shown[side] = false;
    place(side);
}

void withdraw(u8 side)
{
    withdraw_picture(side);
    hide(side);
}

void sink(u8 side)
{
    u8 gone;
    for (gone = 0; gone < PICTURE && scenes(); gone += 2) {
        clear_line(side, PICTURE - 1 - gone);
        clear_line(side, PICTURE - 2 - gone);
        at_y[side] += 2;
        upload(side);
        place(side);
        wait_frame();
    }
    hide(side);
}

/* ---- blows ---- */

void lunge(u8 side)
{
    static const s8 steps[] = {4, 4, 2, -2, -4, -4};
    u8 i;
    for (i = 0; i < COUNT(steps) && scenes(); ++i) {
        at_x[side] += SIDE(side) == OWN ? steps[i] : -steps[i];
        at_y[side] += SIDE(side) == OWN ? -steps[i] / 2 : steps[i] / 2;
        place(side);
        wait_frame();
    }
    at_x[side] = HOME(side).x;
    at_y[side] = HOME(side).y;
    place(side);
}

/* Sparks fly in the colour of the move's type; the picture flashes and shakes. */
void hit(u8 side, u8 type)
{
    static const s8 shakes[] = {3, -3, 3, -3, 2, -2, 1, 0};
    static const s8 fly_x[SPARKS] = {-3, 3, -3, 3}, fly_y[SPARKS] = {-2, -2, 2, 2};
    s16 x = HOME(side).x + PICTURE / 2 - 4, y = HOME(side).y + PICTURE / 2;
    u8 i, spark;
    if (!scenes()) return;
    pal_set(16 + PALETTE_SPARK, 1, type_colours[type]);
    for (i = 0; i < COUNT(shakes); ++i) {
        tint(side, WHITE, i & 1 ? 0 : 12);
        at_x[side] = HOME(side).x + shakes[i];
        place(side);
        for (spark = 0; spark < SPARKS; ++spark)
            sprite_put(SPRITE_SPARKS + spark, x + fly_x[spark] * (i + 1), y + fly_y[spark] * (i + 1), SPRITE_8x8,
                       TILES_SPARK, PALETTE_SPARK, 0);
        wait_frames(2);
    }
    for (spark = 0; spark < SPARKS; ++spark) sprite_hide(SPRITE_SPARKS + spark);
}

/* The picture shines in a colour: a statistic changes, HP come back, a status sets in. */
void glow(u8 side, u8 what)
{
    u8 i, part;
    for (i = 0; i < 2 * GLOW_FRAMES && scenes(); ++i) {
        part = i < GLOW_FRAMES ? i : 2 * GLOW_FRAMES - i;
        tint(side, glow_colours[what], part * 12 / GLOW_FRAMES);
        wait_frame();
    }
    tint(side, WHITE, 0);
}

/* While the player chooses, the own creature breathes; called in every vertical blank. */
static void breathe(void)
{
    u8 frame = gMain.vblankCounter2 % (2 * BREATH_FRAMES);
    at_y[gActiveBattler] = HOME(gActiveBattler).y + (frame < BREATH_FRAMES);
    place(gActiveBattler);
}

void breathing(bool on)
{
    static Callback kept;
    if (on) {
        kept = gMain.vblankCallback;
        gMain.vblankCallback = breathe;
    } else {
        gMain.vblankCallback = kept;
        at_y[gActiveBattler] = HOME(gActiveBattler).y;
        place(gActiveBattler);
    }
}

/* ---- the ball ---- */

void ball_scene(u8 shakes, bool caught)
{
    static const s8 sway[] = {-1, -2, -3, -3, -2, 0, 2, 3, 3, 2, 1, 0};
    s16 x = HOME(FOE).x + PICTURE / 2 - 8, y = HOME(FOE).y + 26;
    u8 i;
    throw_ball(-16, 96, x, y);
    withdraw_picture(FOE);
    for (i = 0; i < 20; i += 2) { /* it falls to the ground */
        sprite_put(SPRITE_BALL, x, y + i, SPRITE_16x16, TILES_BALL, PALETTE_BALL, 0);
        wait_frame();
    }
    for (; shakes; --shakes) {
        wait_frames(scenes() ? 20 : 4);
        for (i = 0; i < COUNT(sway); ++i) {
            sprite_put(SPRITE_BALL, x + sway[i], y + 20, SPRITE_16x16, TILES_BALL, PALETTE_BALL, 0);
            wait_frames(2);
        }
    }
    if (caught) return;
    sprite_hide(SPRITE_BALL);
    grow_from_white(FOE);
}

/* ---- the whole screen ---- */

void battle_box(void)
{
    msg();
    msg_show(MSG_STAY);
}

void battle_screen(void)
{
    bool is_inside = gMapHeader.type == MAP_TYPE_CAVE || gMapHeader.type == MAP_TYPE_INDOOR;
    u8 side;
    screen_open(is_inside ? &backdrop_indoor : &backdrop_field);
    load_small_pictures();
    for (side = OWN; side < BATTLERS; ++side) {
        if (shown[side]) {
            upload(side);
            pal_load(16 + side, colours[side]);
            place(side);
        }
        if (has_panel[side]) draw_hud(side);
    }
    battle_box();
}

void battle_screen_reset(void)
{
    memset(shown, 0, sizeof(shown));
    memset(has_panel, 0, sizeof(has_panel));
}
