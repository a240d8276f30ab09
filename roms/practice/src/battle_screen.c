/* What a battle looks like: pictures, panels, bars, the small animations.
 * Opponent: panel top left, picture top right. Own: picture left, panel right, above the text. */
#include "battle.h"

#define FOE_X 12
#define FOE_Y 0
#define HUD_Y 1             /* of the opponent's panel */
#define OWN_X 2
#define OWN_Y 6
#define BAR_TILES 6
#define BAR_PIXELS 48
#define TILE_GAUGE 0x62     /* with 0..8 filled columns */
#define TILE_GAUGE_SLIM 0x55
#define TILE_LINE 0x76
#define TILE_TAPER 0x6F
#define TILE_CORNER_LEFT 0x77
#define TILE_CORNER_RIGHT 0x70
#define TILE_SIDE 0x78
#define PAL_BALL 6

static u8 foe_pic, own_pic; /* 0 while hidden */

/* ---- pictures ---- */

/* The upper `rows` rows of a picture, standing on its usual ground: 0 hides it. */
static void show_foe(u8 rows)
{
    fill_rect(FOE_X, FOE_Y, FRONT_W, FRONT_W, TILE_SPACE, PAL_TEXT);
    draw_pic(FOE_X, FOE_Y + FRONT_W - rows, FRONT_W, rows, FRONT_TILE, PAL_ENEMY);
    flush_rect(FOE_X, FOE_Y, FRONT_W, FRONT_W);
}

static void show_own(u8 rows)
{
    fill_rect(OWN_X, OWN_Y, BACK_W, BACK_W, TILE_SPACE, PAL_TEXT);
    draw_pic(OWN_X, OWN_Y + BACK_W - rows, BACK_W, rows, BACK_TILE, PAL_OWN);
    flush_rect(OWN_X, OWN_Y, BACK_W, BACK_W);
}

static void rise(void (*show)(u8), u8 rows)
{
    u8 row;
    if (SCENES)
        for (row = 1; row < rows; ++row) {
            show(row);
            wait_frames(2);
        }
    show(rows);
}

static void sink(void (*show)(u8), u8 rows)
{
    if (SCENES)
        while (--rows) {
            show(rows);
            wait_frames(2);
        }
    show(0);
}

void draw_foe_pic(u8 pic)
{
    show_foe(0);
    foe_pic = pic;
    load_front(pic, FRONT_TILE);
    load_pic_palette(PAL_ENEMY, pic);
    rise(show_foe, FRONT_W);
}

void draw_own_pic(u8 pic)
{
    show_own(0);
    own_pic = pic;
    load_back(pic, BACK_TILE);
    load_pic_palette(PAL_OWN, pic);
    rise(show_own, BACK_W);
}

void hide_foe_pic(void)
{
    sink(show_foe, FRONT_W);
    foe_pic = 0;
    fill_rect(1, HUD_Y, 11, 4, TILE_SPACE, PAL_TEXT);
    flush_rows(HUD_Y, 4);
}

void hide_own_pic(void)
{
    sink(show_own, BACK_W);
    own_pic = 0;
    fill_rect(8, 7, 12, 5, TILE_SPACE, PAL_TEXT);
    flush_rows(7, 5);
}

void blink(const Battler *who)
{
    u8 times;
    if (!SCENES) return;
    for (times = 3; times; --times) {
        if (who == FOE) show_foe(0);
        else show_own(0);
        wait_frames(3);
        if (who == FOE) show_foe(FRONT_W);
        else show_own(BACK_W);
        wait_frames(3);
    }
}

/* ---- panels ---- */

static u8 bar_pixels(u16 value, u16 max)
{
    u8 pixels;
    while (max > 1000) { /* keeps the product within 16 bits */
        max >>= 1;
        value >>= 1;
    }
    pixels = value >= max ? BAR_PIXELS : value * BAR_PIXELS / max;
    return pixels || !value ? pixels : 1;
}

static void draw_gauge(u8 x, u8 y, u8 pixels, u8 tile, u8 attr)
{
    u8 i, filled;
    for (i = 0; i < BAR_TILES; ++i) {
        filled = pixels > 8 ? 8 : pixels;
        pixels -= filled;
        put_tile(x + i, y, tile + filled, attr);
    }
}

static void draw_hp_pixels(u8 x, u8 y, u8 pixels)
{
    u8 pal = pixels >= BAR_PIXELS / 2 ? PAL_HP_GREEN : pixels >= 10 ? PAL_HP_YELLOW : PAL_HP_RED;
    put_tile(x, y, 0x60, pal);
    put_tile(x + 1, y, 0x61, pal);
    draw_gauge(x + 2, y, pixels, TILE_GAUGE, pal);
    put_tile(x + 8, y, 0x6B, pal);
}

void draw_hp_bar(u8 x, u8 y, u16 hp, u16 max)
{
    draw_hp_pixels(x, y, bar_pixels(hp, max));
}

void draw_exp_bar(u8 x, u8 y)
{
    u16 floor = exp_for_level(mon.level);
    u16 need = exp_for_level(mon.level + 1) - floor; /* right modulo 2^16 at the last level too */
    u16 have = get16(mon.exp + 1) - floor;
    put_tile(x, y, 0x6C, PAL_EXP);
    put_tile(x + 1, y, 0x6D, PAL_EXP);
    draw_gauge(x + 2, y, bar_pixels(have, need), TILE_GAUGE_SLIM, PAL_EXP | ATTR_BANK1);
}

void draw_level_status(u8 x, u8 y, u8 level, u8 status)
{
    put_tile(x, y, TILE_LEVEL, PAL_TEXT);
    print_at(x + 1, y, "      ");
    print_num_left(x + 1, y, level);
    if (status & STATUS_SLEEP) print_at(x + 4, y, "SLP");
    else if (status & STATUS_POISON) print_at(x + 4, y, "PSN");
    else if (status & STATUS_PARALYSIS) print_at(x + 4, y, "PAR");
}

void print_pair(u8 x, u8 y, u16 value, u16 max)
{
    print_num(x, y, value, 3);
    print_at(x + 3, y, "/");
    print_num(x + 4, y, max, 3);
}

void print_points(u8 x, u8 y, u8 value, u8 id)
{
    print_num(x, y, value, 2);
    print_at(x + 2, y, "/");
    print_num(x + 3, y, move_table[id][MV_POINTS], 2);
}

void print_move(u8 x, u8 y, u8 id)
{
    print_name(x, y, move_names[id]);
}

void draw_stats(u8 x, u8 y)
{
    const u8 *stat = mon.stats;
    print_at(x, y, "ATK");
    print_at(x, y + 1, "DEF");
    print_at(x, y + 2, "SPD");
    print_at(x, y + 3, "S.ATK");
    print_at(x, y + 4, "S.DEF");
    for (; stat < mon.stats + 10; stat += 2, ++y) print_num(x + 5, y, get16(stat), 3);
}

void print_type(u8 x, u8 y, u8 type)
{
    u8 i;
    for (i = 0; i < TYPE_COUNT; ++i)
        if (type_ids[i] == type) print_name(x, y, type_names[i]);
}

static void draw_foe_hud(void)
{
    u8 species = FOE->species - 1;
    fill_rect(1, HUD_Y, 11, 4, TILE_SPACE, PAL_TEXT);
    print_name(1, HUD_Y, wEnemyNick);
    draw_level_status(3, HUD_Y + 1, FOE->level, FOE->status);
    if (wBattleMode == WILD && wPokedexCaught[species >> 3] & 1 << (species & 7))
        put_tile(1, HUD_Y + 1, TILE_BALL, PAL_BALL | ATTR_BANK1);
    draw_hp_bar(2, HUD_Y + 2, get16(FOE->hp), get16(FOE->max_hp));
    put_tile(1, HUD_Y + 2, TILE_SIDE, PAL_TEXT);
    put_tile(1, HUD_Y + 3, TILE_CORNER_LEFT, PAL_TEXT);
    fill_rect(2, HUD_Y + 3, 8, 1, TILE_LINE, PAL_TEXT);
    put_tile(10, HUD_Y + 3, TILE_TAPER, PAL_TEXT | ATTR_FLIP_X);
    flush_rows(HUD_Y, 4);
}

static void draw_own_hud(void)
{
    u16 hp = get16(OWN->hp);
    fill_rect(8, 7, 12, 5, TILE_SPACE, PAL_TEXT);
    print_name(10, 7, wBattleNick);
    draw_level_status(12, 8, OWN->level, OWN->status);
    draw_hp_bar(9, 9, hp, get16(OWN->max_hp));
    print_pair(11, 10, hp, get16(OWN->max_hp));
    put_tile(8, 11, TILE_TAPER, PAL_TEXT);
    mon_load(wCurBattleMon);
    draw_exp_bar(9, 11);
    put_tile(17, 11, TILE_LINE, PAL_TEXT);
    fill_rect(18, 9, 1, 2, TILE_SIDE, PAL_TEXT);
    put_tile(18, 11, TILE_CORNER_RIGHT, PAL_TEXT);
    flush_rows(7, 5);
}

void draw_hud(const Battler *who)
{
    if (who == FOE) draw_foe_hud();
    else draw_own_hud();
}

static void show_hp(const Battler *who, u8 pixels, u16 hp)
{
    if (who == FOE) {
        draw_hp_pixels(2, HUD_Y + 2, pixels);
        flush_rect(2, HUD_Y + 2, 9, 1);
    } else {
        draw_hp_pixels(9, 9, pixels);
        print_pair(11, 10, hp, get16(OWN->max_hp));
        flush_rect(9, 9, 9, 2);
    }
}

void slide_hp(const Battler *who, u16 before)
{
    u16 hp = get16(who->hp), max = get16(who->max_hp);
    u8 from = bar_pixels(before, max), to = bar_pixels(hp, max);
    if (SCENES)
        while (from != to) {
            if (from < to) ++from;
            else --from;
            show_hp(who, from, scale(max, from, BAR_PIXELS));
            wait_frames(1);
        }
    show_hp(who, to, hp);
    wait_frames(SCENES ? 12 : 4);
}

void battle_screen(void)
{
    clear_tilemap();
    load_palettes(PALSET_BATTLE);
    if (foe_pic) load_pic_palette(PAL_ENEMY, foe_pic);
    if (own_pic) load_pic_palette(PAL_OWN, own_pic);
    if (foe_pic) draw_pic(FOE_X, FOE_Y, FRONT_W, FRONT_W, FRONT_TILE, PAL_ENEMY);
    if (own_pic) draw_pic(OWN_X, OWN_Y, BACK_W, BACK_W, BACK_TILE, PAL_OWN);
    if (foe_pic) draw_foe_hud();
    if (own_pic) draw_own_hud();
    draw_box(0, 12, SCREEN_W, 6);
    flush_all();
}

/* ---- the ball ---- */

static void ball_at(u8 x)
{
    fill_rect(FOE_X, FOE_Y, FRONT_W, FRONT_W, TILE_SPACE, PAL_TEXT);
    put_tile(x, 5, TILE_BALL, PAL_BALL | ATTR_BANK1);
    flush_rect(FOE_X, FOE_Y, FRONT_W, FRONT_W);
    wait_frames(SCENES ? 10 : 4);
}

void throw_ball(u8 shakes, u8 caught)
{
    sink(show_foe, FRONT_W);
    ball_at(15);
    for (; shakes; --shakes) {
        ball_at(14);
        ball_at(16);
        ball_at(15);
        if (SCENES) wait_frames(20);
    }
    if (!caught) rise(show_foe, FRONT_W);
}
