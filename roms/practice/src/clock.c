/* The question for the hour: a spinner with the tiles and the value where Crystal has them. */
#include "game.h"
#include "system.h"

#define hour REG(0xC61C)
#define HOURS 24
#define ARROW_UP 0x01         /* tiles of VRAM bank 1; battles overwrite them later */
#define ARROW_DOWN 0x02
#define ARROW_X 11
#define BOX_X 3
#define BOX_Y 7
#define MORNING 4
#define NOON 10
#define EVENING 18

static u8 time_of_day(void)
{
    if (hour < MORNING || hour >= EVENING) return 2;
    return hour >= NOON;
}

static const char *part_of_day(void)
{
    u8 part = time_of_day();
    if (part == 2) return "NIGHT  ";
    return part ? "DAY    " : "MORNING";
}

static void show_hour(void)
{
    print_at(BOX_X + 1, BOX_Y + 1, part_of_day());
    print_num(ARROW_X - 1, BOX_Y + 2, hour, 2);
    print_at(ARROW_X + 1, BOX_Y + 2, ":00");
    flush_rows(BOX_Y, 4);
}

static void load_arrows(void)
{
    wait_vbl();
    rVBK = 1;
    vram_dma(FAR(CLOCK_ARROWS), 0x9000 + ARROW_UP * 16, 2);
    rVBK = 0;
}

static void spin(void)
{
    window_push();
    draw_box(BOX_X, BOX_Y, 16, 4);
    put_tile(ARROW_X, BOX_Y, ARROW_UP, PAL_TEXT | ATTR_BANK1);
    put_tile(ARROW_X, BOX_Y + 3, ARROW_DOWN, PAL_TEXT | ATTR_BANK1);
    show_hour();
    do {
        wait_frames(1);
        if (hJoyPressed & PAD_UP) hour = hour + 1 == HOURS ? 0 : hour + 1;
        if (hJoyPressed & PAD_DOWN) hour = (hour ? hour : HOURS) - 1;
        if (hJoyPressed & (PAD_UP | PAD_DOWN)) show_hour();
    } while (!(hJoyPressed & PAD_A));
    window_pop();
}

void ask_hour(void)
{
    load_arrows();
    hour = hHours;
    do {
        msg();
        msg_str("What time is it?");
        msg_show(MSG_STAY);
        spin();
        msg();
        msg_num(hour);
        msg_str(" o'clock. Is that OK?");
        msg_show(MSG_STAY);
    } while (!yes_no());
    hHours = hour;
    wTimeOfDay = time_of_day();
}
