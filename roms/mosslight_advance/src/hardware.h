/* Registers and memory of the hardware, and what the files that own them share. */
#ifndef HARDWARE_H
#define HARDWARE_H

#include "game.h"

#define REG16(offset) (*(volatile u16 *)(0x04000000 + (offset)))
#define REG32(offset) (*(volatile u32 *)(0x04000000 + (offset)))
#define REG_DISPCNT REG16(0x000)
#define REG_DISPSTAT REG16(0x004)
#define REG_BGCNT(bg) REG16(0x008 + 2 * (bg))
#define REG_BGX(bg) REG16(0x010 + 4 * (bg))
#define REG_BGY(bg) REG16(0x012 + 4 * (bg))
#define REG_BLDCNT REG16(0x050)
#define REG_BLDY REG16(0x054)
#define REG_DMA3_FROM REG32(0x0D4)
#define REG_DMA3_TO REG32(0x0D8)
#define REG_DMA3_CONTROL REG32(0x0DC)
#define REG_KEYINPUT REG16(0x130)
#define REG_IE REG16(0x200)
#define REG_IME REG16(0x208)

#define DMA_WORDS 0x84000000u /* on, at once, 32 bits */
#define DMA_DESCENDING 0x00A00000u

#define PALETTE ((volatile u16 *)0x05000000)
#define VRAM 0x06000000u
#define OAM ((volatile u16 *)0x07000000)
#define FLASH ((volatile u8 *)0x0E000000)

extern volatile u16 gSaveFileStatus; /* 1: a game is saved */

/* Video RAM: the canvas's 600 tiles, four maps of 2 KB, the tiles of the maps, the sprites' tiles. */
#define CANVAS_TILES VRAM
#define MAP_BLOCK 10u /* of BG0, in units of 2 KB */
#define MAP_ADDRESS(bg) (VRAM + (MAP_BLOCK + (bg)) * 0x800)
#define BG_TILES (VRAM + 0x8000)
#define SPRITE_TILES (VRAM + 0x10000)

#define CANVAS_COLUMNS 30
#define CANVAS_ROWS 20
#define CANVAS_ROW_WORDS (CANVAS_COLUMNS * 8)

void video_init(void);
void video_upload(void);  /* once a frame, in the vertical blank */
void canvas_init(void);
void canvas_upload(void); /* the tile rows that have changed */
/* 8 pixels wide, a row a word, the leftmost pixel in bits 0-3. */
void canvas_read(s16 x, s16 y, u8 rows, u32 *to);
void canvas_write(s16 x, s16 y, u8 rows, const u32 *from);
void canvas_overlay(s16 x, s16 y, u8 rows, const u32 *under, const u32 *drawn); /* 0 in `drawn` is see-through */

void save_blocks_place(void); /* somewhere, with what lies there */

static inline void dma_copy(void *to, const void *from, u32 words)
{
    REG_DMA3_FROM = (u32)from;
    REG_DMA3_TO = (u32)to;
    REG_DMA3_CONTROL = DMA_WORDS | words;
}

#endif
