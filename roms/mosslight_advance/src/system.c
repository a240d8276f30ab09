/* Frames, buttons, chance, play time, modes and tasks, small memory helpers. */
#include "game.h"
#include "hardware.h"

#define REPEAT_FIRST 40 /* frames that a button is held until it counts as pressed again, as in Emerald */
#define REPEAT_NEXT 5
#define MAX_HOURS 999

/* The BIOS halts the processor until the next vertical blank has begun. */
static inline void wait_vblank(void)
{
    __asm__ volatile("swi 5" ::: "r0", "r1", "r2", "r3", "memory");
}

static void read_keys(void)
{
    u16 held = ~REG_KEYINPUT & 0x3FF;
    gMain.newKeysRaw = gMain.newKeys = gMain.newAndRepeatedKeys = held & ~gMain.heldKeysRaw;
    if (held && held == gMain.heldKeysRaw) {
        if (--gMain.keyRepeatCounter == 0) {
            gMain.newAndRepeatedKeys = held;
            gMain.keyRepeatCounter = REPEAT_NEXT;
        }
    } else {
        gMain.keyRepeatCounter = REPEAT_FIRST;
    }
    gMain.heldKeysRaw = gMain.heldKeys = held;
}

static bool is_playing(void)
{
    Callback mode = gMain.callback2;
    return SAVE2 && mode && mode != CB2_InitTitleScreen && mode != CB2_InitMainMenu && mode != CB2_MainMenu;
}

static void count_play_time(void)
{
    struct SaveBlock2 *save = SAVE2;
    if (!is_playing() || save->playTimeHours >= MAX_HOURS || ++save->playTimeVBlanks < 60) return;
    save->playTimeVBlanks = 0;
    if (++save->playTimeSeconds < 60) return;
    save->playTimeSeconds = 0;
    if (++save->playTimeMinutes < 60) return;
    save->playTimeMinutes = 0;
    save->playTimeHours++;
}

void wait_frame(void)
{
    wait_vblank();
    video_upload();
    if (gMain.vblankCallback) gMain.vblankCallback();
    read_keys();
    rnd();
    count_play_time();
    gMain.vblankCounter2++;
}

void wait_frames(u32 n)
{
    for (; n; n--) wait_frame();
}

void pause_frames(u32 n)
{
    for (; n; n--) {
        wait_frame();
        if (gMain.newKeys & (KEY_A | KEY_B)) return;
    }
}

u16 rnd(void)
{
    gRngValue = gRngValue * 0x41C64E6D + 0x6073;
    return gRngValue >> 16;
}

u16 rnd_below(u16 n)
{
    return (u32)rnd() * n >> 16;
}

void set_mode(Callback callback2)
{
    gMain.callback2 = callback2;
    gMain.callback1 = callback2 == CB2_Overworld ? CB1_Overworld : 0;
}

u8 task_begin(Callback function)
{
    u8 i = 0;
    while (i < COUNT(gTasks) - 1 && gTasks[i].active) i++;
    gTasks[i].function = function;
    gTasks[i].active = 1;
    for (u8 n = 0; n < COUNT(gTasks[i].data); n++) gTasks[i].data[n] = 0;
    return i;
}

void task_end(Callback function)
{
    for (u8 i = 0; i < COUNT(gTasks); i++)
        if (gTasks[i].active && gTasks[i].function == function) gTasks[i].active = 0;
}

void *memcpy(void *to, const void *from, size_t n)
{
    u8 *t = to;
    const u8 *f = from;
    if ((((uintptr_t)t | (uintptr_t)f) & 3) == 0) {
        u32 *wide_to = to;
        const u32 *wide_from = from;
        for (; n >= 16; n -= 16, wide_to += 4, wide_from += 4) {
            u32 a = wide_from[0], b = wide_from[1], c = wide_from[2], d = wide_from[3];
            wide_to[0] = a;
            wide_to[1] = b;
            wide_to[2] = c;
            wide_to[3] = d;
        }
        for (; n >= 4; n -= 4) *wide_to++ = *wide_from++;
        t = (u8 *)wide_to;
        f = (const u8 *)wide_from;
    }
    for (; n; n--) *t++ = *f++;
    return to;
}

void *memset(void *to, int value, size_t n)
{
    u8 *t = to;
    u32 wide = (u8)value * 0x01010101u;
    for (; n && ((uintptr_t)t & 3); n--) *t++ = (u8)value;
    for (; n >= 4; n -= 4, t += 4) *(u32 *)t = wide;
    for (; n; n--) *t++ = (u8)value;
    return to;
}

void *memmove(void *to, const void *from, size_t n)
{
    u8 *t = to;
    const u8 *f = from;
    if (t <= f || t >= f + n) return memcpy(to, from, n);
    while (n--) t[n] = f[n];
    return to;
}
