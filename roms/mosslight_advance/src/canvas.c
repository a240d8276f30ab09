/* The canvas: BG0 as a picture of 240x160 pixels. Windows, letters and bars are drawn into a copy in
 * the large RAM; the tile rows that have changed go to the video RAM in the vertical blank. */
#include "hardware.h"

#define WORDS (CANVAS_ROWS * CANVAS_ROW_WORDS)
#define KEPT_MOST 4
#define LETTER_H 12
#define ALL_ROWS ((1u << CANVAS_ROWS) - 1)
#define UI_PALETTE 15

static EWRAM_DATA u32 canvas[WORDS];
static EWRAM_DATA u32 kept[KEPT_MOST][WORDS];
static u8 kept_count;
static u32 changed; /* bit n: tile row n */

void canvas_init(void)
{
    u16 *map = bg_map(0);
    for (u8 y = 0; y < 32; y++)
        for (u8 x = 0; x < 32; x++) {
            bool seen = x < CANVAS_COLUMNS && y < CANVAS_ROWS;
            map[y * 32 + x] = seen ? UI_PALETTE << 12 | (y * CANVAS_COLUMNS + x) : 0;
        }
    pal_load(UI_PALETTE, ui_palette);
    changed = ALL_ROWS;
}

void canvas_upload(void)
{
    for (u8 row = 0; changed; row++) {
        u8 first = row;
        while (changed & 1u << row) changed &= ~(1u << row++);
        if (row > first)
            dma_copy((void *)(CANVAS_TILES + first * CANVAS_ROW_WORDS * 4), canvas + first * CANVAS_ROW_WORDS,
                     (row - first) * CANVAS_ROW_WORDS);
    }
}

static void touch(s16 y, s16 h)
{
    for (s16 row = y >> 3; row <= (y + h - 1) >> 3; row++)
        if (row >= 0 && row < CANVAS_ROWS) changed |= 1u << row;
}

static u32 *word_at(s16 x, s16 y)
{
    return canvas + (y >> 3) * CANVAS_ROW_WORDS + (x >> 3) * 8 + (y & 7);
}

void ui_clear(void)
{
    memset(canvas, 0, sizeof canvas);
    changed = ALL_ROWS;
}

void ui_fill(s16 x, s16 y, s16 w, s16 h, u8 ink)
{
    s16 right = MIN(x + w, SCREEN_W), bottom = MIN(y + h, SCREEN_H);
    u32 colour = ink * 0x11111111u;
    x = MAX(x, 0);
    y = MAX(y, 0);
    if (x >= right || y >= bottom) return;
    for (s16 column = x & ~7; column < right; column += 8) {
        u32 mask = ~0u;
        if (column < x) mask <<= (x - column) * 4;
        if (column + 8 > right) mask &= ~0u >> (column + 8 - right) * 4;
        for (s16 row = y; row < bottom; row++) {
            u32 *word = word_at(column, row);
            *word = (*word & ~mask) | (colour & mask);
        }
    }
    touch(y, bottom - y);
}

void ui_clear_rect(s16 x, s16 y, s16 w, s16 h)
{
    ui_fill(x, y, w, h, INK_NONE);
}

/* A rectangle whose corners miss 2, 1 pixels. */
static void rounded(s16 x, s16 y, s16 w, s16 h, u8 ink)
{
    ui_fill(x + 2, y, w - 4, 1, ink);
    ui_fill(x + 1, y + 1, w - 2, 1, ink);
    ui_fill(x, y + 2, w, h - 4, ink);
    ui_fill(x + 1, y + h - 2, w - 2, 1, ink);
    ui_fill(x + 2, y + h - 1, w - 4, 1, ink);
}

void ui_box(s16 x, s16 y, s16 w, s16 h)
{
    rounded(x, y, w, h, INK_DARK);
    rounded(x + 1, y + 1, w - 2, h - 2, INK_FRAME);
    rounded(x + 2, y + 2, w - 4, h - 4, INK_FRAME_LIGHT);
    rounded(x + 3, y + 3, w - 6, h - 6, INK_FRAME);
    rounded(x + 4, y + 4, w - 8, h - 8, INK_PAPER);
}

/* ---- letters ---- */

static u8 shadow_of(u8 ink)
{
    return ink == INK_WHITE || ink == INK_YELLOW || ink == INK_PANEL_LIGHT ? INK_DARK : INK_SHADOW;
}

/* Two bits a pixel become four. */
static u32 spread(u32 bits)
{
    bits = (bits | bits << 8) & 0x00FF00FF;
    bits = (bits | bits << 4) & 0x0F0F0F0F;
    return (bits | bits << 2) & 0x33333333;
}

static void put_row(s16 x, s16 y, u32 colours, u32 mask)
{
    u8 shift = (x & 7) * 4;
    u32 *word = word_at(x, y);
    *word = (*word & ~(mask << shift)) | colours << shift;
    if (!shift || (x >> 3) + 1 >= CANVAS_COLUMNS) return;
    word += 8;
    shift = 32 - shift;
    *word = (*word & ~(mask >> shift)) | colours >> shift;
}

static void put_letter(s16 x, s16 y, const struct Glyph *glyph, u8 ink)
{
    u8 shadow = shadow_of(ink);
    if (x < 0 || x >= SCREEN_W || y < 0) return;
    for (u8 row = 0; row < LETTER_H && y + row < SCREEN_H; row++) {
        u32 pixels = spread(glyph->rows[row]);
        u32 inked = pixels & 0x11111111, shaded = pixels >> 1 & 0x11111111;
        put_row(x, y + row, inked * ink | shaded * shadow, (inked | shaded) * 15);
    }
    touch(y, LETTER_H);
}

u16 ui_print(s16 x, s16 y, const u8 *text, u8 ink)
{
    s16 at = x;
    for (; *text != TEXT_END; text++) {
        const struct Glyph *glyph = &font[*text];
        put_letter(at, y, glyph, ink);
        at += glyph->width;
    }
    return at - x;
}

u16 ui_width(const u8 *text)
{
    u16 width = 0;
    for (; *text != TEXT_END; text++) width += font[*text].width;
    return width;
}

static const u8 *digits_of(u32 value)
{
    static u8 digits[11];
    u8 at = COUNT(digits) - 1;
    digits[at] = TEXT_END;
    do {
        digits[--at] = 0xA1 + value % 10;
        value /= 10;
    } while (value);
    return digits + at;
}

u16 ui_number_width(u32 value)
{
    return ui_width(digits_of(value));
}

void ui_number(s16 x, s16 y, u32 value, u8 ink)
{
    ui_print(x, y, digits_of(value), ink);
}

void ui_number_right(s16 right, s16 y, u32 value, u8 ink)
{
    const u8 *digits = digits_of(value);
    ui_print(right - ui_width(digits), y, digits, ink);
}

void ui_bar(s16 x, s16 y, s16 w, u16 part, u16 whole)
{
    s16 inner = w - 2, filled = whole ? (u32)part * inner / whole : 0;
    u8 ink = part * 2u > whole ? INK_GREEN : part * 5u > whole ? INK_YELLOW : INK_RED;
    if (part && !filled) filled = 1;
    ui_fill(x, y, w, 5, INK_DARK);
    ui_fill(x + 1, y + 1, inner, 3, INK_GREY);
    ui_fill(x + 1, y + 1, filled, 3, ink);
    ui_fill(x + 1, y + 1, filled, 1, INK_PAPER);
}

/* ---- a stack of canvases ---- */

void ui_keep(void)
{
    if (kept_count < KEPT_MOST) memcpy(kept[kept_count], canvas, sizeof canvas);
    kept_count++;
}

void ui_restore(void)
{
    if (!kept_count) return;
    kept_count--;
    if (kept_count < KEPT_MOST) memcpy(canvas, kept[kept_count], sizeof canvas);
    changed = ALL_ROWS;
}

/* ---- small pictures: the cursor of menus and the arrow under a text ---- */

void canvas_read(s16 x, s16 y, u8 rows, u32 *to)
{
    u8 shift = (x & 7) * 4;
    for (u8 row = 0; row < rows; row++) {
        const u32 *word = word_at(x, y + row);
        to[row] = word[0] >> shift;
        if (shift) to[row] |= word[8] << (32 - shift);
    }
}

void canvas_write(s16 x, s16 y, u8 rows, const u32 *from)
{
    for (u8 row = 0; row < rows; row++) put_row(x, y + row, from[row], ~0u);
    touch(y, rows);
}

void canvas_overlay(s16 x, s16 y, u8 rows, const u32 *under, const u32 *drawn)
{
    for (u8 row = 0; row < rows; row++) {
        u32 mask = drawn[row] | drawn[row] >> 1;
        mask = ((mask | mask >> 2) & 0x11111111) * 15;
        put_row(x, y + row, (under[row] & ~mask) | drawn[row], ~0u);
    }
    touch(y, rows);
}
