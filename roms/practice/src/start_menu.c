/* The START menu and the options. */
#include "game.h"
#include "system.h"

#define MENU_X 10
#define PARTY_ENTRY 0
#define BAG_ENTRY 1
#define OPTIONS_ENTRY 2
#define EXIT_ENTRY 3

#define SPEED_SLOW 5
#define SPEED_MIDDLE 3
#define SPEED_FAST 1
#define NO_DELAY 0x10
#define SCENES_OFF 0x80
#define OPTION_ROWS 4

/* ---- options ---- */

static const char *text_speed_name(void)
{
    if (wOptions & NO_DELAY) return "INSTANT";
    if ((wOptions & 7) == SPEED_FAST) return "FAST   ";
    return (wOptions & 7) == SPEED_MIDDLE ? "MIDDLE " : "SLOW   ";
}

static void draw_options(void)
{
    print_at(4, 4, text_speed_name());
    print_at(4, 8, wOptions & SCENES_OFF ? "OFF" : "ON ");
    flush_rows(3, 6);
}

/* Slow, middle, fast, instant, and round again. */
static void next_text_speed(void)
{
    u8 rest = wOptions & ~(7 | NO_DELAY);
    if (wOptions & NO_DELAY) wOptions = rest | SPEED_SLOW;
    else if ((wOptions & 7) == SPEED_SLOW) wOptions = rest | SPEED_MIDDLE;
    else if ((wOptions & 7) == SPEED_MIDDLE) wOptions = rest | SPEED_FAST;
    else wOptions = rest | SPEED_FAST | NO_DELAY;
}

static void options_screen(void)
{
    u8 choice = 0;
    window_push();
    draw_box(0, 0, SCREEN_W, SCREEN_H);
    print_at(2, 2, "TEXT SPEED");
    print_at(2, 6, "BATTLE SCENE");
    print_at(2, 10, "DONE");
    print_at(2, 16, "A: change");
    flush_all();
    do {
        draw_options();
        choice = menu_cursor(1, 2, 1, 3, 0, 4, choice, MENU_WRAP);
        if (choice == 0) next_text_speed();
        else if (choice == 1) wOptions ^= SCENES_OFF;
    } while (choice < 2);
    window_pop();
}

/* ---- START ---- */

static void full_screen(u8 entry)
{
    sprites_hide();
    animation_on = 0;
    wStateFlags = 0x40;
    if (entry == PARTY_ENTRY) party_screen();
    else bag_screen();
    wWindowStackSize = 1; /* whatever the screen did */
    wStateFlags = 0x41;
    load_palettes(map_palset);
    overworld_redraw();
}

static void draw_menu(u8 first)
{
    u8 y = 2;
    draw_box(MENU_X, 0, SCREEN_W - MENU_X, (4 - first) * 2 + 2);
    if (first == PARTY_ENTRY) {
        print_at(MENU_X + 2, y, "PARTY");
        y += 2;
    }
    print_at(MENU_X + 2, y, "BAG");
    print_at(MENU_X + 2, y + 2, "OPTIONS");
    print_at(MENU_X + 2, y + 4, "EXIT");
    flush_rect(MENU_X, 0, SCREEN_W - MENU_X, (4 - first) * 2 + 2);
}

void start_menu(void) __banked
{
    u8 first = wPartyCount ? PARTY_ENTRY : BAG_ENTRY, choice = 0, entry;
    script_start();
    window_push();
    for (;;) {
        draw_menu(first);
        choice = menu_cursor(MENU_X + 1, 2, 1, 4 - first, 0, 2, choice, MENU_WRAP | MENU_START_CLOSES);
        entry = choice + first;
        if (choice == MENU_CANCEL || entry == EXIT_ENTRY) break;
        if (entry == OPTIONS_ENTRY) options_screen();
        else full_screen(entry);
    }
    window_pop();
    script_end();
}
