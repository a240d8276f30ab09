; Vectors, start-up, the vertical blank interrupt and everything that switches banks.
; This file is linked first: all of it lies in bank 0, as code that switches banks must.

	.module crt0
	.globl	_main

; Own bytes in HRAM, none of them a listed address.
hVblFlag	= 0xFFF0	; 1 after a vertical blank, until wait_vbl clears it
hOamDirty	= 0xFFF1	; 1: copy the sprites in the next vertical blank
hROMBank	= 0xFF9D
hVBlankCounter	= 0xFF9B
rSVBK		= 0xFF70
wShadowOAM	= 0xC400
wGameTimerPaused = 0xCFBC
wGameTimeHours	= 0xD4C4
wGameTimeMinutes = 0xD4C6
wGameTimeSeconds = 0xD4C7
wGameTimeFrames	= 0xD4C8

	.area	_HEADER (ABS)
	.org	0x40
	jp	vblank
	.org	0x48
	reti
	.org	0x50
	reti
	.org	0x58
	reti
	.org	0x60
	reti
	.org	0x100
	nop
	jp	start

	.area	_CODE


; All work RAM is cleared (banks 1 and 2), so that no run depends on what was there before.
start:
	di
	ld	sp, #0xC100
	xor	a
	ldh	(0xFF0F), a
	ldh	(0xFFFF), a
	ld	a, #2
	ldh	(rSVBK), a
	call	clear_wram
	ld	a, #1
	ldh	(rSVBK), a
	call	clear_wram
	ld	hl, #0xFF8A	; HRAM behind the OAM routine
	ld	c, #0x74
	xor	a
1$:	ld	(hl+), a
	dec	c
	jr	nz, 1$
	ld	hl, #oam_dma
	ld	de, #0xFF80
	ld	b, #10
2$:	ld	a, (hl+)
	ld	(de), a
	inc	de
	dec	b
	jr	nz, 2$
	ld	a, #1
	ldh	(hROMBank), a
	ld	(0x2000), a
	call	_main
3$:	halt
	nop
	jr	3$

; C100-DFFF; the stack below stays.
clear_wram:
	ld	hl, #0xC100
4$:	xor	a
	ld	(hl+), a
	ld	a, h
	cp	#0xE0
	jr	nz, 4$
	ret

oam_dma:
	ldh	(0xFF46), a
	ld	a, #40
5$:	dec	a
	jr	nz, 5$
	ret
	nop
	nop

; Sprites, the frame counter and the play time; all else is done after wait_vbl.
vblank:
	push	af
	push	hl
	ldh	a, (rSVBK)
	push	af
	ld	a, #1
	ldh	(rSVBK), a
	ldh	(hVblFlag), a
	ldh	a, (hOamDirty)
	or	a
	jr	z, 6$
	xor	a
	ldh	(hOamDirty), a
	ld	a, #>wShadowOAM
	call	0xFF80
6$:	ld	hl, #hVBlankCounter
	inc	(hl)
	ld	a, (wGameTimerPaused)
	rra
	jr	nc, 7$
	ld	hl, #wGameTimeFrames
	inc	(hl)
	ld	a, (hl)
	cp	#60
	jr	c, 7$
	ld	(hl), #0
	dec	hl		; seconds
	inc	(hl)
	ld	a, (hl)
	cp	#60
	jr	c, 7$
	ld	(hl), #0
	dec	hl		; minutes
	inc	(hl)
	ld	a, (hl)
	cp	#60
	jr	c, 7$
	ld	(hl), #0
	dec	hl		; hours, two bytes big-endian
	inc	(hl)
	jr	nz, 7$
	dec	hl
	inc	(hl)
7$:	pop	af
	ldh	(rSVBK), a
	pop	hl
	pop	af
	reti

; void wait_vbl(void): sleep until the next vertical blank.
_wait_vbl::
	xor	a
	ldh	(hVblFlag), a
1$:	halt
	nop
	ldh	a, (hVblFlag)
	or	a
	jr	z, 1$
	ret

; What the compiler calls for a __banked function: its bank in e, its address in hl, arguments above
; the four bytes that this puts on the stack. Results pass through in a, bc and de.
___sdcc_bcall_ehl::
	ldh	a, (hROMBank)
	push	af
	ld	a, e
	ldh	(hROMBank), a
	ld	(0x2000), a
	call	1$
	pop	hl		; h = the caller's bank
	ld	l, a
	ld	a, h
	ldh	(hROMBank), a
	ld	(0x2000), a
	ld	a, l
	ret
1$:	jp	(hl)

; void far_copy(u8 bank, const u8 *src, u8 *dst, u16 n) __sdcccall(0)
; stack: return, bank (1), src (2), dst (2), n (2). n may be 0.
_far_copy::
	push	bc
	ldhl	sp, #4
	ld	a, (hl+)
	ld	(0x2000), a
	ld	a, (hl+)
	ld	e, a
	ld	a, (hl+)
	ld	d, a		; de = src
	ld	a, (hl+)
	ld	c, a
	ld	a, (hl+)
	ld	b, a		; bc = dst
	ld	a, (hl+)
	ld	h, (hl)
	ld	l, a		; hl = n
	push	bc
	ld	b, h
	ld	c, l
	pop	hl		; hl = dst, bc = n
	call	copy_loop
	ldh	a, (hROMBank)
	ld	(0x2000), a
	pop	bc
	ret

; hl <- de, bc bytes
copy_loop:
	ld	a, b
	or	c
	ret	z
	inc	b		; two 8-bit counters: b rounds of up to 256
	inc	c
	jr	2$
1$:	ld	a, (de)
	inc	de
	ld	(hl+), a
2$:	dec	c
	jr	nz, 1$
	dec	b
	jr	nz, 1$
	ret

; void copy_bytes(u8 *dst, const u8 *src, u16 n) __sdcccall(0)
_copy_bytes::
	push	bc
	ldhl	sp, #4
	ld	a, (hl+)
	ld	c, a
	ld	a, (hl+)
	ld	b, a
	ld	a, (hl+)
	ld	e, a
	ld	a, (hl+)
	ld	d, a
	ld	a, (hl+)
	ld	h, (hl)
	ld	l, a
	push	bc
	ld	b, h
	ld	c, l
	pop	hl
	call	copy_loop
	pop	bc
	ret

; void move_up(u8 *dst, const u8 *src, u16 n) __sdcccall(0): for dst > src, from the end down
_move_up::
	push	bc
	ldhl	sp, #8
	ld	a, (hl+)
	ld	h, (hl)
	ld	l, a
	push	hl		; n
	ldhl	sp, #8
	ld	a, (hl+)
	ld	d, (hl)
	ld	e, a		; de = src
	ldhl	sp, #6
	ld	a, (hl+)
	ld	h, (hl)
	ld	l, a		; hl = dst
	pop	bc
	add	hl, bc
	push	hl
	ld	h, d
	ld	l, e
	add	hl, bc
	ld	d, h
	ld	e, l		; de = end of src
	pop	hl		; hl = end of dst
	inc	b
	inc	c
	jr	2$
1$:	dec	de
	dec	hl
	ld	a, (de)
	ld	(hl), a
2$:	dec	c
	jr	nz, 1$
	dec	b
	jr	nz, 1$
	pop	bc
	ret

; u8 far_read(u8 bank, const u8 *src) __sdcccall(0): result in e
_far_read::
	ldhl	sp, #2
	ld	a, (hl+)
	ld	(0x2000), a
	ld	a, (hl+)
	ld	h, (hl)
	ld	l, a
	ld	e, (hl)
	ldh	a, (hROMBank)
	ld	(0x2000), a
	ret

; void vram_dma(u8 bank, const u8 *src, u16 vram, u8 blocks) __sdcccall(0)
; General-purpose DMA of 16-byte blocks; call in the vertical blank (at most about 100 blocks) or
; with the display off. VRAM bank as rVBK says.
_vram_dma::
	ldhl	sp, #2
	ld	a, (hl+)
	ld	(0x2000), a
	ld	a, (hl+)
	ld	e, a
	ld	a, (hl+)
	ldh	(0xFF51), a
	ld	a, e
	ldh	(0xFF52), a
	ld	a, (hl+)
	ld	e, a
	ld	a, (hl+)
	ldh	(0xFF53), a
	ld	a, e
	ldh	(0xFF54), a
	ld	a, (hl)
	dec	a
	ldh	(0xFF55), a
	ldh	a, (hROMBank)
	ld	(0x2000), a
	ret

; void vram_row(const u8 *src, u16 vram_row, u8 column, u8 n) __sdcccall(0)
; n bytes into one row of the 32-wide background map, column wrapping at 32. VRAM does not take
; writes in mode 3 of a line: each write waits for a blank or for mode 2.
_vram_row::
	push	bc
	ldhl	sp, #4
	ld	a, (hl+)
	ld	e, a
	ld	a, (hl+)
	ld	d, a		; de = src
	ld	a, (hl+)
	ld	c, a		; c = low byte of the row (multiple of 32)
	ld	a, (hl+)
	ld	b, a
	ld	a, (hl+)
	push	af		; column
	ld	a, (hl)
	ld	h, b
	ld	b, a		; b = n
	pop	af
1$:	and	#31
	push	af
	or	c
	ld	l, a
2$:	ldh	a, (0xFF41)
	and	#2
	jr	nz, 2$
	ld	a, (de)
	ld	(hl), a
	inc	de
	pop	af
	inc	a
	dec	b
	jr	nz, 1$
	pop	bc
	ret

; void write_palettes(const u8 *src, u8 first_byte, u8 n, u8 reg) __sdcccall(0)
; reg: low byte of BCPS (68) or OCPS (6A). Call in the vertical blank.
_write_palettes::
	push	bc
	ldhl	sp, #4
	ld	a, (hl+)
	ld	e, a
	ld	a, (hl+)
	ld	d, a
	ld	a, (hl+)
	or	#0x80		; auto-increment
	push	af
	ld	a, (hl+)
	ld	b, a
	ld	c, (hl)
	pop	af
	ld	h, d
	ld	l, e
	ldh	(c), a
	inc	c
1$:	ld	a, (hl+)
	ldh	(c), a
	dec	b
	jr	nz, 1$
	pop	bc
	ret

; void stack_copy(u8 *dst, const u8 *src, u16 n) __sdcccall(0), between C000-CFFF and bank 2.
_stack_copy::
	ld	a, #2
	ldh	(rSVBK), a
	push	bc
	ldhl	sp, #4
	ld	a, (hl+)
	ld	c, a
	ld	a, (hl+)
	ld	b, a
	ld	a, (hl+)
	ld	e, a
	ld	a, (hl+)
	ld	d, a
	ld	a, (hl+)
	ld	h, (hl)
	ld	l, a
	push	bc
	ld	b, h
	ld	c, l
	pop	hl
	call	copy_loop
	pop	bc
	ld	a, #1
	ldh	(rSVBK), a
	ret

	.area	_HOME
	.area	_BASE
	.area	_CODE_0
	.area	_LIT
	.area	_INITIALIZER
	.area	_GSINIT
	.area	_GSFINAL
	.area	_DATA
	.area	_INITIALIZED
	.area	_BSS
	.area	_HEAP
