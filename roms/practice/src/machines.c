/* The pocket of machines, and teaching a move by one. The prompts come as in Crystal: a question
 * opens some frames after its text, and a button pressed in these frames answers it. */
#include "battle.h"

#define SHOWN_ROWS 5
#define TILE_LEFT 0x71
#define MON_SIZE 48
#define KEEPS_ALL 4
#define NO_MACHINE 0xFF

typedef struct {
    u8 move;
    u16 learners;             /* a bit for each species */
    const char *name;
} Machine;

/* In the order of wTMsHMs. */
static const Machine machines[] = {
    {MOVE_CUT, LEARNERS_CUT, "CUT"},
    {0, 0, 0},
    {MOVE_SURF, LEARNERS_SURF, "SURF"},
    {MOVE_STRENGTH, LEARNERS_STRENGTH, "STRENGTH"},
};
#define COUNT (sizeof machines / sizeof machines[0])

static const Machine *taught;

/* ---- the pocket ---- */

static u8 machine_at(u8 index)
{
    u8 place;
    for (place = 0; place < COUNT; place++)
        if (wTMsHMs[FIRST_MACHINE + place] && !index--) return place;
    return NO_MACHINE;
}

static u8 owned(void)
{
    u8 n = 0;
    while (machine_at(n) != NO_MACHINE) n++;
    return n;
}

static void draw_entry(u8 index, u8 y)
{
    u8 place = machine_at(index);
    fill_rect(1, y, 18, 1, TILE_SPACE, PAL_TEXT);
    if (place == NO_MACHINE) print_at(2, y, "CLOSE");
    else print_at(2, y, machines[place].name);
}

/* wMenuSelection keeps what it was, the number of rows is the pocket's: both as in Crystal. */
static void point_at(u8 index)
{
    index;
    wTMHMPocketScrollPosition = wMenuScrollPosition[0];
    w2DMenuNumRows = SHOWN_ROWS;
}

static void draw_pocket(void)
{
    clear_tilemap();
    draw_box(0, 0, SCREEN_W, 3);
    put_tile(1, 1, TILE_LEFT, PAL_TEXT);
    print_at(6, 1, "TABLETS");
    put_tile(18, 1, TILE_CURSOR, PAL_TEXT);
    draw_box(0, 3, SCREEN_W, 9);
    draw_box(0, 12, SCREEN_W, 6);
    print_at(1, 14, "Teaches a move.");
    flush_all();
}

/* ---- teaching ---- */

static void msg_buffer(const char *what)
{
    msg();
    msg_name(wStringBuffer1);
    msg_str(what);
}

static void show_taught(const char *end)
{
    msg_str(taught->name);
    msg_str(end);
    msg_show(MSG_WAIT);
}

static void ask_room(void)
{
    msg_buffer(" is trying to learn ");
    msg_str(taught->name);
    msg_str(".\fBut ");
    msg_name(wStringBuffer1);
    msg_str(" can't learn more than four moves.\fDelete an older move to make room for ");
    show_taught("?");
}

static u8 stops(void)
{
    msg();
    msg_str("Stop learning ");
    show_taught("?");
    return yes_no_late();
}

static u8 is_field_move(u8 move)
{
    return move == MOVE_CUT || move == MOVE_SURF || move == MOVE_STRENGTH;
}

/* Which of four moves gives way, or KEEPS_ALL. */
static u8 place_for(u8 index)
{
    u8 slot;
    for (;;) {
        copy_bytes(wStringBuffer1, wPartyMon1Nickname + index * NAME_SIZE, NAME_SIZE);
        ask_room();
        if (yes_no_late()) {
            slot = move_choose(index);
            if (slot < 4 && !is_field_move(wPartyMon1Moves[index * MON_SIZE + slot])) return slot;
            if (slot < 4) {
                say_str("Moves of tablets can't be forgotten now.");
                continue;
            }
        }
        if (stops()) return KEEPS_ALL;
    }
}

static void forget(void)
{
    msg();
    msg_str("1, 2 and... Poof!\f");
    msg_name(wStringBuffer1);
    msg_str(" was forgotten.\fAnd...");
    msg_show(MSG_WAIT);
}

/* 0 if the creature cannot learn it, and another may be chosen. */
static u8 learns(u8 index)
{
    u8 *moves = wPartyMon1Moves + index * MON_SIZE, slot, room = 4;
    copy_bytes(wStringBuffer1, wPartyMon1Nickname + index * NAME_SIZE, NAME_SIZE);
    for (slot = 4; slot--;) {
        if (moves[slot] == taught->move) room = KEEPS_ALL + 1;
        else if (!moves[slot] && room <= KEEPS_ALL) room = slot;
    }
    if (room > KEEPS_ALL || !(taught->learners >> wPartySpecies[index] & 1)) {
        if (room > KEEPS_ALL) msg_buffer(" knows ");
        else msg_buffer(" cannot learn ");
        show_taught("!");
        return 0;
    }
    if (room == 4) {
        room = place_for(index);
        if (room < 4) forget();
    }
    copy_bytes(wStringBuffer1, wPartyMon1Nickname + index * NAME_SIZE, NAME_SIZE);
    if (room < 4) {
        move_put(index, room, taught->move);
        msg_buffer(" learned ");
    } else {
        msg_buffer(" did not learn ");
    }
    show_taught("!");
    return 1;
}

static void teach(void)
{
    u8 index;
    if (menu_vertical(13, 6, 7, "USE\nQUIT", 2, 0)) return;
    say_str("The tablet begins to glow!");
    msg();
    msg_str("It contained ");
    show_taught(".");
    msg();
    msg_str("Teach ");
    msg_str(taught->name);
    msg_str(" to a creature?");
    msg_show(MSG_STAY);
    if (!yes_no()) return;
    do index = party_choose();
    while (index != NO_MON && !learns(index));
}

u8 machine_pocket(void) __banked
{
    static const List how = {1, 4, 2, 4, MENU_EDGES_H, draw_entry, point_at};
    u8 choice, place;
    for (;;) {
        draw_pocket();
        choice = list_menu(&how, owned() + 1, 0);
        if (choice == MENU_OVER_LEFT || choice == MENU_OVER_RIGHT) return choice;
        place = choice == MENU_CANCEL ? NO_MACHINE : machine_at(choice);
        if (place == NO_MACHINE) return MENU_CANCEL;
        taught = machines + place;
        if (wBattleMode) say_str("Not in a battle!");
        else teach();
    }
}
