/* The tile map, what goes from it to VRAM, palettes and pictures. */
#include "game.h"
#include "system.h"

#define ANIMATION_FRAMES 16 /* per phase of water and flowers; four phases */
#define BG_REG 0x68
#define OBJ_REG 0x6A

u8 view_column, view_row;
s8 scroll_x, scroll_y;
u8 animation_on, map_palset;
static u8 phase, phase_frames;
static u8 bg_colours[64], object_colours[64];

/* ---- the tile map ---- */

static u16 cell(u8 x, u8 y)
{
    return (u16)y * SCREEN_W + x;
}

void put_tile(u8 x, u8 y, u8 tile, u8 attr)
{
    u16 at = cell(x, y);
    wTilemap[at] = tile;
    wAttrmap[at] = attr;
}

void fill_rect(u8 x, u8 y, u8 w, u8 h, u8 tile, u8 attr)
{
    u16 at = cell(x, y);
    for (; h; h--) {
        fill_bytes(wTilemap + at, tile, w);
        fill_bytes(wAttrmap + at, attr, w);
        at += SCREEN_W;
    }
}

void clear_tilemap(void)
{
    fill_rect(0, 0, SCREEN_W, SCREEN_H, TILE_SPACE, PAL_TEXT);
}

void draw_box(u8 x, u8 y, u8 w, u8 h)
{
    u8 right = x + w - 1, bottom = y + h - 1;
    fill_rect(x, y, w, h, TILE_SPACE, PAL_TEXT);
    fill_rect(x, y, w, 1, 0x7A, PAL_TEXT);
    fill_rect(x, bottom, w, 1, 0x7A, PAL_TEXT);
    fill_rect(x, y, 1, h, 0x7C, PAL_TEXT);
    fill_rect(right, y, 1, h, 0x7C, PAL_TEXT);
    put_tile(x, y, 0x79, PAL_TEXT);
    put_tile(right, y, 0x7B, PAL_TEXT);
    put_tile(x, bottom, 0x7D, PAL_TEXT);
    put_tile(right, bottom, 0x7E, PAL_TEXT);
    if (wSpriteUpdatesEnabled) sprites_draw(); /* none may stand in front of the box */
}

void print_at(u8 x, u8 y, const char *ascii)
{
    u16 at = cell(x, y);
    for (; *ascii; ascii++, at++) {
        wTilemap[at] = ascii_tiles[*ascii - 0x20];
        wAttrmap[at] = PAL_TEXT;
    }
}

void print_name(u8 x, u8 y, const u8 *name)
{
    u16 at = cell(x, y);
    for (; *name != 0x50; name++, at++) {
        wTilemap[at] = *name;
        wAttrmap[at] = PAL_TEXT;
    }
}

void print_num(u8 x, u8 y, u16 value, u8 width)
{
    u16 at = cell(x, y);
    fill_bytes(wTilemap + at, TILE_SPACE, width);
    fill_bytes(wAttrmap + at, PAL_TEXT, width);
    at += width;
    do {
        wTilemap[--at] = 0xF6 + value % 10;
        value /= 10;
    } while (value && --width);
}

void print_num_left(u8 x, u8 y, u16 value)
{
    u8 width = 1;
    u16 rest;
    for (rest = value; rest >= 10; rest /= 10) width++;
    print_num(x, y, value, width);
}

/* ---- to VRAM ---- */

static void flush_row_part(u8 x, u8 y, u8 w)
{
    u16 row = 0x9800 + ((u16)((view_row + y) & 31) << 5);
    u16 at = cell(x, y);
    u8 column = view_column + x;
    vram_row(wTilemap + at, row, column, w);
    rVBK = 1;
    vram_row(wAttrmap + at, row, column, w);
    rVBK = 0;
}

void flush_rect(u8 x, u8 y, u8 w, u8 h)
{
    for (; h; h--, y++) flush_row_part(x, y, w);
}

void flush_rows(u8 y, u8 n)
{
    flush_rect(0, y, SCREEN_W, n);
}

void flush_all(void)
{
    flush_rect(0, 0, SCREEN_W, SCREEN_H);
}

/* Background tile numbers 0-127 lie at 9000, 128-255 at 8800. */
static u16 tile_address(u8 tile)
{
    return tile < 128 ? 0x9000 + ((u16)tile << 4) : 0x8000 + ((u16)tile << 4);
}

static void load_picture(u8 bank, const u8 *src, u8 first, u8 count)
{
    wait_vbl();
    rVBK = 1;
    vram_dma(bank, src, tile_address(first), count);
    rVBK = 0;
}

void load_front(u8 pic, u8 first)
{
    load_picture(FAR_FRONTS_BANK, (const u8 *)(FAR_FRONTS_ADDR + (u16)(pic - 1) * 784), first, 49);
}

void load_back(u8 pic, u8 first)
{
    u8 row = pic == PIC_HERO ? 12 + (wPlayerGender & 1) : pic - 1; /* behind the 12 species */
    load_picture(FAR_BACKS_BANK, (const u8 *)(FAR_BACKS_ADDR + (u16)row * 576), first, 36);
}

void draw_pic(u8 x, u8 y, u8 w, u8 h, u8 first, u8 pal)
{
    u8 i;
    for (; h; h--, y++)
        for (i = 0; i < w; i++) put_tile(x + i, y, first++, pal | ATTR_BANK1);
}

void load_tileset_tiles(void)
{
    phase = phase_frames = 0;
    wait_vbl();
    vram_dma(TILESET->graphics_bank, TILESET->graphics, 0x9000, TILESET->count);
}

/* Water and flowers: the tileset's first tiles come in four phases, stored behind the tileset. */
static void next_phase(void)
{
    const u8 *src = TILESET->graphics;
    phase = (phase + 1) & 3;
    phase_frames = 0;
    if (!TILESET->animated) return;
    if (phase) src += (u16)(TILESET->count + (phase - 1) * TILESET->animated) << 4;
    vram_dma(TILESET->graphics_bank, src, 0x9000, TILESET->animated);
}

/* Scroll registers change together with the sprites, which the interrupt has just copied. */
void video_frame(void)
{
    rSCX = (view_column << 3) + scroll_x;
    rSCY = (view_row << 3) + scroll_y;
    if (animation_on && ++phase_frames >= ANIMATION_FRAMES) next_phase();
}

/* ---- palettes ---- */

static void show_palettes(void)
{
    wait_vbl();
    write_palettes(bg_colours, 0, 64, BG_REG);
}

void load_palettes(u8 palset)
{
    far_copy(FAR_PALETTES_BANK, (const u8 *)(FAR_PALETTES_ADDR + ((u16)palset << 6)), bg_colours, 64);
    show_palettes();
}

void load_bg_palette(u8 slot, const u8 *pal8)
{
    copy_bytes(bg_colours + slot * 8, pal8, 8);
    wait_vbl();
    write_palettes(bg_colours + slot * 8, slot * 8, 8, BG_REG);
}

void load_pic_palette(u8 slot, u8 pic)
{
    u8 colours[8];
    if (pic == PIC_HERO) pic += wPlayerGender & 1;
    far_copy(FAR_PIC_PALETTES_BANK, (const u8 *)(FAR_PIC_PALETTES_ADDR + ((u16)(pic - 1) << 3)),
             colours, 8);
    load_bg_palette(slot, colours);
}

void load_object_palettes(void)
{
    far_copy(FAR(OBJECT_PALETTES), object_colours, 64);
    wait_vbl();
    write_palettes(object_colours, 0, 64, OBJ_REG);
}

/* Halfway to white: (c + 0x7FFF) / 2 in each channel. */
static void lighten(u8 *colours)
{
    u8 i;
    u16 colour;
    for (i = 0; i < 64; i += 2) {
        colour = (colours[i] | (u16)colours[i + 1] << 8) >> 1;
        colour = (colour & 0x3DEF) + 0x3DEF + 0x0421;
        colours[i] = (u8)colour;
        colours[i + 1] = colour >> 8;
    }
}

static void lighten_and_show(void)
{
    lighten(bg_colours);
    lighten(object_colours);
    show_palettes();
    write_palettes(object_colours, 0, 64, OBJ_REG);
}

void fade_out(void)
{
    u8 i;
    for (i = 0; i < 3; i++) {
        lighten_and_show();
        wait_frames(2);
    }
    fill_bytes(bg_colours, 0xFF, 64);
    fill_bytes(object_colours, 0xFF, 64);
    show_palettes();
    write_palettes(object_colours, 0, 64, OBJ_REG);
}

void fade_in(u8 palset)
{
    u8 level, i;
    for (level = 3; level; level--) {
        far_copy(FAR_PALETTES_BANK, (const u8 *)(FAR_PALETTES_ADDR + ((u16)palset << 6)), bg_colours,
                 64);
        far_copy(FAR(OBJECT_PALETTES), object_colours, 64);
        for (i = 1; i < level; i++) {
            lighten(bg_colours);
            lighten(object_colours);
        }
        show_palettes();
        write_palettes(object_colours, 0, 64, OBJ_REG);
        wait_frames(2);
    }
}

void sprites_hide(void)
{
    fill_bytes(shadow_oam, 0, 160);
    hOamDirty = 1;
    wSpriteUpdatesEnabled = 0;
    place_sign_hide();
}

void video_init(void)
{
    wait_vbl(); /* the display may only be switched off in the vertical blank */
    rLCDC = 0;
    fill_bytes((u8 *)0x9800, TILE_SPACE, 0x800);
    rVBK = 1;
    fill_bytes((u8 *)0x9800, PAL_TEXT, 0x800);
    vram_dma(FAR(BATTLE_TILES), 0x9550, 11);
    rVBK = 0;
    vram_dma(FAR(FONT_LOW), 0x9600, 32);
    vram_dma(FAR(FONT_HIGH), 0x8800, 128);
    clear_tilemap();
    sprites_hide();
    rLCDC = LCDC_ON;
    load_object_palettes();
}
