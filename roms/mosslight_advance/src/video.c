/* Layers, palettes, fades, tiles and sprites. What the screen shows changes in the vertical blank:
 * registers, palettes and sprites are copies that video_upload() hands on when they have changed. */
#include "hardware.h"

#define BLEND_BRIGHTER 0x00BF /* all layers and the backdrop */
#define BLEND_DARKER 0x00FF
#define DARKEST 16
#define SPRITES 128
#define HIDDEN 0x0200
#define ONE_DIMENSIONAL 0x0040

static u16 palettes[512];
static u16 sprites[SPRITES * 4];
static u16 control, blend, blend_level;
static struct { s16 x, y; } scrolls[4];
static bool palettes_changed, sprites_changed;

static const u16 sprite_shapes[] = { /* shape << 14 in the low byte's place of attribute 0, size in attribute 1 */
    [SPRITE_16x16] = 0x0001, [SPRITE_16x32] = 0x8002, [SPRITE_32x32] = 0x0002, [SPRITE_64x64] = 0x0003,
    [SPRITE_8x8] = 0x0000, [SPRITE_32x16] = 0x4002, [SPRITE_64x32] = 0x4003, [SPRITE_8x16] = 0x8000,
};

void video_init(void)
{
    REG_DISPCNT = 0x0080; /* forced blank: the memory is free */
    for (u8 bg = 0; bg < 4; bg++) {
        u16 tiles = bg ? 2 << 2 : 0;
        REG_BGCNT(bg) = (MAP_BLOCK + bg) << 8 | tiles | bg;
    }
    sprites_hide();
    blend = BLEND_DARKER;
    blend_level = DARKEST;
    canvas_init();
    video_upload();
    REG_DISPSTAT = 0x0008;
    REG_IE = 1;
    REG_IME = 1;
}

void video_upload(void)
{
    REG_DISPCNT = control | ONE_DIMENSIONAL;
    REG_BLDCNT = blend;
    REG_BLDY = blend_level;
    for (u8 bg = 1; bg < 4; bg++) {
        REG_BGX(bg) = scrolls[bg].x;
        REG_BGY(bg) = scrolls[bg].y;
    }
    if (sprites_changed) dma_copy((void *)OAM, sprites, sizeof sprites / 4);
    if (palettes_changed) dma_copy((void *)PALETTE, palettes, sizeof palettes / 4);
    sprites_changed = palettes_changed = false;
    canvas_upload();
}

void video_show(u32 layers)
{
    control = layers << 8;
}

/* ---- palettes ---- */

void pal_load(u8 slot, const u16 *colours)
{
    memcpy(palettes + slot * 16, colours, 32);
    palettes_changed = true;
}

void pal_set(u8 slot, u8 index, u16 colour)
{
    palettes[slot * 16 + index] = colour;
    palettes_changed = true;
}

/* The hardware darkens; the palettes stay what they are. */
static void fade(u8 frames, u8 from, u8 to)
{
    blend = BLEND_DARKER;
    gPaletteFade[7] |= PALETTE_FADING;
    for (u8 i = 1; i <= frames; i++) {
        blend_level = from + ((s16)to - from) * i / frames;
        wait_frame();
    }
    blend_level = to;
    gPaletteFade[7] &= ~PALETTE_FADING;
}

void fade_out(u8 frames)
{
    fade(frames, blend_level, DARKEST);
    wait_frame();
}

void fade_in(u8 frames)
{
    fade(frames, DARKEST, 0);
}

void flash_screen(u8 times)
{
    blend = BLEND_BRIGHTER;
    for (; times; times--)
        for (u8 i = 0; i < 12; i++) {
            blend_level = i < 6 ? i * 2 : (11 - i) * 2;
            wait_frame();
        }
    blend_level = 0;
}

/* ---- backgrounds ---- */

void bg_tiles(u32 tile, const u32 *data, u32 count)
{
    dma_copy((void *)(BG_TILES + tile * 32), data, count * 8);
}

u16 *bg_map(u8 bg)
{
    return (u16 *)MAP_ADDRESS(bg);
}

void bg_cell(u8 bg, u8 x, u8 y, u16 entry)
{
    bg_map(bg)[(y & 31) * 32 + (x & 31)] = entry;
}

void bg_scroll(u8 bg, s16 x, s16 y)
{
    scrolls[bg].x = x;
    scrolls[bg].y = y;
}

void backdrop_show(const struct Backdrop *backdrop)
{
    u16 *map = bg_map(3);
    bg_tiles(0, backdrop->tiles, backdrop->count);
    pal_load(0, backdrop->palette);
    for (u8 y = 0; y < CANVAS_ROWS; y++)
        for (u8 x = 0; x < CANVAS_COLUMNS; x++) map[y * 32 + x] = backdrop->map[y * CANVAS_COLUMNS + x];
    bg_scroll(3, 0, 0);
}

/* ---- sprites ---- */

void sprite_tiles(u16 tile, const u32 *data, u16 count)
{
    dma_copy((void *)(SPRITE_TILES + tile * 32), data, count * 8);
}

static void sprite_attributes(u8 index, u16 a, u16 b, u16 c)
{
    u16 *at = sprites + index * 4;
    if (at[0] == a && at[1] == b && at[2] == c) return;
    at[0] = a;
    at[1] = b;
    at[2] = c;
    sprites_changed = true;
}

static u16 sprite_priority(u8 flags)
{
    if (flags & SPRITE_TOP) return 0;
    if (flags & SPRITE_FRONT) return 1;
    return flags & SPRITE_BEHIND ? 3 : 2;
}

void sprite_put(u8 index, s16 x, s16 y, u8 size, u16 tile, u8 palette, u8 flags)
{
    u16 shape = sprite_shapes[size];
    if (x <= -64 || x >= SCREEN_W || y <= -64 || y >= SCREEN_H) {
        sprite_hide(index);
        return;
    }
    sprite_attributes(index, (y & 0xFF) | (shape & 0xC000),
                      (x & 0x1FF) | (flags & SPRITE_FLIP_X ? 0x1000 : 0) | (shape & 3) << 14,
                      tile | sprite_priority(flags) << 10 | palette << 12);
}

void sprite_hide(u8 index)
{
    sprite_attributes(index, HIDDEN, 0, 0);
}

void sprites_hide(void)
{
    for (u8 i = 0; i < SPRITES; i++) sprite_hide(i);
}
