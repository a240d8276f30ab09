/* Frames, buttons, random numbers, event flags, small memory helpers. */
#include "game.h"
#include "system.h"

#define POLL_FRAMES 5
#define POLL_FRAMES_PRESSED 15

static u8 previous_buttons;

/* The two halves of the joypad matrix; reads are repeated while the lines settle. */
void joy_read(void)
{
    u8 directions, buttons, down;
    REG(0xFF00) = 0x20;
    directions = REG(0xFF00);
    directions = REG(0xFF00);
    REG(0xFF00) = 0x10;
    buttons = REG(0xFF00);
    buttons = REG(0xFF00);
    buttons = REG(0xFF00);
    REG(0xFF00) = 0x30;
    down = (u8)(~directions & 15) << 4 | (~buttons & 15);
    hJoyPressed = down & ~previous_buttons;
    hJoypadDown = down;
    hJoyDown = down;
    previous_buttons = down;
    if (hJoyPressed) { /* when a button goes down is the game's source of chance */
        hRandomAdd += hVBlankCounter;
        hRandomSub ^= hJoyPressed;
    }
}

void wait_frames(u8 n)
{
    for (; n; n--) {
        if (wTextDelayFrames) --wTextDelayFrames;
        wait_vbl();
        video_frame();
        joy_read();
    }
}

void poll_frame(void)
{
    if (!wTextDelayFrames) wTextDelayFrames = POLL_FRAMES;
    wait_frames(1);
    if (hJoyPressed) wTextDelayFrames = POLL_FRAMES_PRESSED;
}

void pause_frames(u8 n)
{
    for (; n; n--) {
        wait_frames(1);
        if (hJoyPressed & (PAD_A | PAD_B)) return;
    }
}

/* 16-bit xorshift in the two documented bytes; the frame counter is mixed into the result only. */
u8 rnd(void)
{
    u16 state = (u16)hRandomSub << 8 | hRandomAdd;
    if (!state) state = 0xACE1;
    state ^= state << 7;
    state ^= state >> 9;
    state ^= state << 8;
    hRandomAdd = (u8)state;
    hRandomSub = state >> 8;
    return (u8)state ^ (u8)(state >> 8);
}

u8 rnd_below(u8 n)
{
    return (u16)rnd() * n >> 8;
}

void fill_bytes(u8 *dst, u8 value, u16 n)
{
    for (; n; n--) *dst++ = value;
}

u16 get16(const u8 *p)
{
    return (u16)p[0] << 8 | p[1];
}

void set16(u8 *p, u16 value)
{
    p[0] = value >> 8;
    p[1] = (u8)value;
}

u8 flag_get(u16 event)
{
    return wEventFlags[event >> 3] & (1 << (event & 7));
}

void flag_set(u16 event)
{
    wEventFlags[event >> 3] |= 1 << (event & 7);
}

void flag_clear(u16 event)
{
    wEventFlags[event >> 3] &= ~(1 << (event & 7));
}
