/* What a victory brings: experience, levels, new moves. */
#include "battle.h"

static void msg_nick(void)
{
    msg();
    msg_name(party_nick(wCurBattleMon));
}

/* A panel with the new statistics; it goes by itself. */
static void show_stats(void)
{
    window_push();
    draw_box(10, 0, 10, 7);
    draw_stats(11, 1);
    flush_rows(0, 7);
    pause_frames(SCENES ? 90 : 24);
    window_pop();
}

static void set_move(u8 slot, u8 id)
{
    mon.moves[slot] = id;
    mon.pp[slot] = move_table[id][MV_POINTS];
}

/* Which of four moves gives way: its slot, or 4 to keep them. */
static u8 ask_forget(void)
{
    static const List how = {9, 1, 1, 5, 0, 0, 0};
    u8 i;
    msg();
    msg_str("Which move should be forgotten?");
    msg_show(MSG_STAY);
    window_push();
    draw_box(8, 0, 12, 7);
    for (i = 0; i < 4; ++i) print_move(10, 1 + i, mon.moves[i]);
    print_at(10, 5, "KEEP ALL");
    flush_rows(0, 7);
    i = list_menu(&how, 5, 0);
    window_pop();
    return i > 4 ? 4 : i;
}

u8 move_choose(u8 index) __banked
{
    static const List how = {9, 1, 1, 4, 0, 0, 0};
    u8 i;
    mon_load(index);
    window_push();
    draw_box(8, 0, 12, 6);
    for (i = 0; i < 4; ++i) print_move(10, 1 + i, mon.moves[i]);
    flush_rows(0, 6);
    i = list_menu(&how, 4, 0);
    window_pop();
    if (i < 4) copy_bytes(wStringBuffer1, move_names[mon.moves[i]], MOVE_NAME_SIZE);
    return i;
}

static void learn(u8 id)
{
    u8 slot, old = 0;
    for (slot = 0; slot < 4; ++slot)
        if (mon.moves[slot] == id) return;
    for (slot = 0; slot < 4 && mon.moves[slot]; ++slot)
        ;
    if (slot == 4) {
        msg_nick();
        msg_end(" could learn ", move_names[id]);
        slot = ask_forget();
        if (slot < 4) old = mon.moves[slot];
    }
    if (old) {
        msg_nick();
        msg_end(" forgot ", move_names[old]);
    }
    msg_nick();
    if (slot < 4) {
        set_move(slot, id);
        msg_end(" learned ", move_names[id]);
    } else {
        msg_end(" did not learn ", move_names[id]);
    }
}

static void learn_for_level(void)
{
    const u8 *line = learnsets[mon.species];
    for (; line[0]; line += 2)
        if (line[0] == mon.level) learn(line[1]);
}

/* Make the party's and the battle's creature what `mon` has become. */
static void show_own(void)
{
    mon_store(wCurBattleMon);
    load_own(wCurBattleMon);
    draw_hud(OWN);
}

static void level_up(void)
{
    u16 max = get16(mon.max_hp);
    ++mon.level;
    calc_stats(mon.species, mon.level, mon.dvs, mon.max_hp);
    set16(mon.hp, get16(mon.hp) + get16(mon.max_hp) - max);
    show_own();
    msg_nick();
    msg_str(" grew to level ");
    msg_num(mon.level);
    msg_str("!");
    msg_show(MSG_GO);
    show_stats();
    learn_for_level();
    show_own();
}

static void add_exp(u16 amount)
{
    u16 before = get16(mon.exp + 1), room = exp_for_level(LEVEL_MAX) - before;
    set16(mon.exp + 1, before + (amount < room ? amount : room));
}

void gain_exp(void)
{
    u16 amount = (u16)species_table[FOE->species][SP_BASE_EXP] * FOE->level / 7;
    mon_load(wCurBattleMon);
    if (mon.level >= LEVEL_MAX) return;
    if (wBattleMode == TRAINER) amount += amount >> 1;
    msg_nick();
    msg_str(" gained ");
    msg_num(amount);
    msg_str(" EXP. Points!");
    msg_show(MSG_GO);
    add_exp(amount);
    while (mon.level < LEVEL_MAX && get16(mon.exp + 1) >= exp_for_level(mon.level + 1))
        level_up();
    show_own();
}
