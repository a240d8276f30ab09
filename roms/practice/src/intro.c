/* Title screen and the beginning of a new game. */
#include "game.h"
#include "system.h"

#define BLINK_FRAMES 24
#define START_MONEY 3000
#define DAY 1

/* ---- title ---- */

/* Tiles 0-199 of VRAM bank 1 and a full tile map; battles overwrite the tiles later. */
static void draw_title(void)
{
    wait_vbl();
    rVBK = 1;
    vram_dma(FAR_TITLE_TILES_BANK, (const u8 *)FAR_TITLE_TILES_ADDR, 0x9000, 80);
    wait_vbl();
    vram_dma(FAR_TITLE_TILES_BANK, (const u8 *)(FAR_TITLE_TILES_ADDR + 80 * 16), 0x9500, 48);
    wait_vbl();
    vram_dma(FAR_TITLE_TILES_BANK, (const u8 *)(FAR_TITLE_TILES_ADDR + 128 * 16), 0x8800, 72);
    rVBK = 0;
    far_copy(FAR_TITLE_MAP_BANK, (const u8 *)FAR_TITLE_MAP_ADDR, wTilemap, 360);
    far_copy(FAR_TITLE_MAP_BANK, (const u8 *)(FAR_TITLE_MAP_ADDR + 360), wAttrmap, 360);
    flush_all();
}

/* "PRESS START" is part of the picture, in a palette of its own that blinks. */
static void prompt(u8 dim)
{
    u8 colours[8];
    far_copy(FAR_TITLE_PROMPT_BANK, (const u8 *)(FAR_TITLE_PROMPT_ADDR + dim * 8), colours, 8);
    load_bg_palette(PAL_TEXT, colours);
}

void title_screen(void) __banked
{
    u8 frames = 0;
    draw_title();
    fade_in(PALSET_TITLE);
    do {
        if (frames == 0) prompt(0);
        if (frames == BLINK_FRAMES * 2) prompt(1);
        if (++frames == BLINK_FRAMES * 3) frames = 0;
        wait_frames(1);
    } while (!(hJoyPressed & (PAD_A | PAD_START)));
    fade_out();
    rVBK = 1; /* what battles expect there, overwritten by the title */
    wait_vbl();
    vram_dma(FAR(BATTLE_TILES), 0x9550, 11);
    rVBK = 0;
}

/* ---- new game ---- */

static void set_name(u8 *dst, const char *name)
{
    while (*name) *dst++ = ascii_tiles[*name++ - 0x20];
    *dst = 0x50;
}

static void fresh_game(void)
{
    set_name(wPlayerName, "ROBIN");
    set_name(wRivalName, "WREN");
    set16(wPlayerID, 0x3A00 | rnd());
    wMoney[0] = 0;
    set16(wMoney + 1, START_MONEY);
    wItems[0] = wKeyItems[0] = wBalls[0] = 0xFF;
    wPartySpecies[0] = 0xFF;
    wTimeOfDay = DAY;
    hHours = 10;
    wStateFlags = 1;
}

static void professor_picture(void)
{
    clear_tilemap();
    load_front(PIC_PROFESSOR, FIRST_FRONT);
    draw_pic(6, 4, FRONT_W, FRONT_W, FIRST_FRONT, PAL_ENEMY);
    flush_all();
    fade_in(PALSET_BATTLE);
    load_pic_palette(PAL_ENEMY, PIC_PROFESSOR);
}

void new_game(void) __banked
{
    fresh_game();
    professor_picture();
    wScriptRunning = 255;
    say(TEXT_INTRO_HELLO);
    msg();
    msg_str("Are you a boy or a girl?");
    msg_show(MSG_STAY);
    wPlayerGender = menu_vertical(12, 6, 8, "BOY\nGIRL", 2, 0) == 1;
    say(TEXT_INTRO_GO);
    wScriptRunning = 0;
    fade_out();
    clear_tilemap();
    flush_all();
    hero_load();
    PLAYER->facing = DOWN;
    wGameTimerPaused = 1;
    enter_map(MAP_HOME_2F, HOME_SPAWN_X, HOME_SPAWN_Y);
}
