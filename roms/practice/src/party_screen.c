/* The team: a line for each creature, its summary, changing the order. */
#include "battle.h"

#define LINE_STEP 2
#define LINE_Y 1

static void draw_line(u8 index)
{
    u8 y = LINE_Y + index * LINE_STEP;
    u16 hp, max;
    mon_load(index);
    hp = get16(mon.hp);
    max = get16(mon.max_hp);
    print_name(1, y, party_nick(index));
    print_pair(12, y, hp, max);
    draw_level_status(2, y + 1, mon.level, mon.status);
    if (!hp) print_at(6, y + 1, "OUT");
    draw_hp_bar(10, y + 1, hp, max);
}

void party_row(u8 index)
{
    draw_line(index);
    flush_rows(LINE_Y + index * LINE_STEP, LINE_STEP);
}

static void draw_party(const char *prompt)
{
    u8 i;
    clear_tilemap();
    for (i = 0; i < wPartyCount; ++i) draw_line(i);
    draw_box(0, 13, SCREEN_W, 5);
    print_at(1, 15, prompt);
    load_palettes(PALSET_BATTLE);
    flush_all();
}

static u8 pick_line(const char *prompt, u8 start, u8 flags)
{
    u8 choice;
    sprites_hide();
    draw_party(prompt);
    if (!wPartyCount) {
        say_str("There is nobody in your team.");
        return NO_MON;
    }
    ++wWindowStackSize;
    choice = menu_cursor(0, LINE_Y, 1, wPartyCount, 0, LINE_STEP, start, flags | MENU_WRAP);
    --wWindowStackSize;
    return choice;
}

static u8 may_fight(u8 index)
{
    const char *refusal = " cannot fight!";
    if (get16(party_mon(index)->hp)) {
        if (index != wCurBattleMon) return 1;
        refusal = " is fighting already!";
    }
    announce(party_nick(index), refusal);
    return 0;
}

/* The cursor begins on one that can be sent out, so that pressing A alone always leads on. */
static u8 first_ready(void)
{
    u8 index = 0;
    while (index < wPartyCount && (index == wCurBattleMon || !get16(party_mon(index)->hp))) ++index;
    return index < wPartyCount ? index : 0;
}

u8 party_pick(const char *prompt, u8 flags)
{
    u8 index = flags & PICK_ALIVE ? first_ready() : 0;
    do {
        index = pick_line(prompt, index, flags & PICK_FORCED ? MENU_NO_B : 0);
        if (index == MENU_CANCEL) return NO_MON;
    } while (flags & PICK_ALIVE && !may_fight(index));
    return index;
}

u8 party_choose(void) __banked
{
    u8 choice;
    draw_party("Teach which one?");
    print_at(1, LINE_Y + wPartyCount * LINE_STEP, "CANCEL");
    flush_rows(LINE_Y + wPartyCount * LINE_STEP, 1);
    ++wWindowStackSize;
    choice = menu_cursor(0, LINE_Y, 1, wPartyCount + 1, 0, LINE_STEP, 0, MENU_WRAP);
    --wWindowStackSize;
    return choice < wPartyCount ? choice : NO_MON;
}

/* ---- summary ---- */

static void draw_moves(void)
{
    u8 i, y = 9;
    draw_box(9, 8, 11, 10);
    for (i = 0; i < 4 && mon.moves[i]; ++i) {
        print_move(10, y++, mon.moves[i]);
        print_at(11, y, "PP");
        print_points(14, y++, mon.pp[i], mon.moves[i]);
    }
}

static void draw_summary(u8 index)
{
    const u8 *kind;
    u16 hp, max;
    mon_load(index);
    kind = species_table[mon.species];
    hp = get16(mon.hp);
    max = get16(mon.max_hp);
    clear_tilemap();
    flush_all();
    load_front(mon.species, SUMMARY_TILE);
    load_pic_palette(PAL_ENEMY, mon.species);
    draw_pic(0, 0, FRONT_W, FRONT_W, SUMMARY_TILE, PAL_ENEMY);
    print_name(8, 1, party_nick(index));
    draw_level_status(8, 2, mon.level, mon.status);
    print_type(8, 3, kind[SP_TYPE1]);
    if (kind[SP_TYPE2] != kind[SP_TYPE1]) print_type(8, 4, kind[SP_TYPE2]);
    draw_hp_bar(8, 5, hp, max);
    print_pair(10, 6, hp, max);
    draw_exp_bar(8, 7);
    draw_box(0, 8, 10, 10);
    draw_stats(1, 9);
    print_at(1, 15, "NEXT LV");
    print_num(3, 16, exp_for_level(mon.level + 1) - get16(mon.exp + 1), 5);
    draw_moves();
    flush_all();
}

static void summary(u8 index)
{
    ++wWindowStackSize;
    draw_summary(index);
    do poll_frame(); while (!(hJoyPressed & (PAD_A | PAD_B)));
    --wWindowStackSize;
}

/* ---- the START menu's TEAM ---- */

static void move_mon(u8 index)
{
    u8 other = pick_line("Swap with which?", index, 0);
    if (other != MENU_CANCEL && other != index) party_swap(index, other);
}

void party_screen(void) __banked
{
    u8 index = 0;
    for (;;) {
        index = pick_line("Your team", index, 0);
        if (index == MENU_CANCEL || index == NO_MON) return;
        switch (menu_vertical(9, 9, 11, "SUMMARY\nMOVE\nBACK", 3, 0)) {
        case 0: summary(index); break;
        case 1: move_mon(index); break;
        }
    }
}
