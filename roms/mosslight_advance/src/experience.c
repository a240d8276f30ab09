/* What a victory brings: experience, effort, levels, new moves. */
#include "battle.h"

#define EV_MOST 255
#define EVS_MOST 510

u8 grown;

/* ---- moves ---- */

static const u8 keep_all[] = T("KEEP ALL");
static const u16 *known;

static void draw_known(u8 index, s16 x, s16 y)
{
    ui_print(x, y, index < NO_SLOT ? gMoveNames[known[index]] : keep_all, INK_TEXT);
}

static void point_at(u8 top, u8 row)
{
    sMenu.least = 0;
    sMenu.most = NO_SLOT;
    sMenu.columns = 1;
    sMenu.rows = NO_SLOT + 1;
    sMenu.cursor = top + row;
}

/* Which of four moves gives way: its slot, or NO_SLOT to keep them. */
static u8 ask_forget(const struct MonData *data)
{
    static const struct List how = {142, 20, 90, 16, NO_SLOT + 1, NO_SLOT + 1, 0, draw_known, point_at};
    u8 slot;
    msg();
    msg_add(T("Which move should be forgotten?"));
    msg_show(MSG_STAY);
    known = data->moves;
    ui_keep();
    ui_box(134, 12, 106, 96);
    task_begin(Task_HandleSelectionMenuInput);
    slot = list_menu(&how, 0);
    task_end(Task_HandleSelectionMenuInput);
    ui_restore();
    return MIN(slot, NO_SLOT);
}

static void learn(struct MonData *data, u16 move, const u8 *name)
{
    u8 slot;
    for (slot = 0; slot < NO_SLOT; ++slot)
        if (data->moves[slot] == move) return;
    for (slot = 0; slot < NO_SLOT && data->moves[slot];) ++slot;
    if (slot == NO_SLOT) {
        msg();
        msg_add(name);
        tell_name(T(" could learn "), gMoveNames[move]);
        slot = ask_forget(data);
        if (slot == NO_SLOT) {
            msg();
            msg_add(name);
            tell_name(T(" did not learn "), gMoveNames[move]);
            return;
        }
        msg();
        msg_add(name);
        tell_name(T(" forgot "), gMoveNames[data->moves[slot]]);
    }
    mon_set_move(data, slot, move);
    msg();
    msg_add(name);
    tell_name(T(" learned "), gMoveNames[move]);
}

void learn_moves(struct MonData *data, u8 level, const u8 *name)
{
    const struct LevelMove *line = learnsets[data->species];
    for (; line->level; ++line)
        if (line->level == level) learn(data, line->move, name);
}

/* ---- levels ---- */

/* A panel with the new statistics and what they rose by; it goes by itself. */
static void show_stats(const struct Mon *mon, const u16 *before)
{
    static const u8 *const names[STATS] = {T("HP"), T("ATTACK"), T("DEFENSE"), T("SPEED"), T("SP. ATK"), T("SP. DEF")};
    u8 stat;
    s16 y = 11;
    ui_keep();
    ui_box(128, 4, 112, 104);
    for (stat = 0; stat < STATS; ++stat, y += 15) {
        ui_print(138, y, names[stat], INK_TEXT);
        ui_print(186, y, T("+"), INK_BLUE);
        ui_number(194, y, mon_stat(mon, stat) - before[stat], INK_BLUE);
        ui_number_right(230, y, mon_stat(mon, stat), INK_TEXT);
    }
    pause_frames(scenes() ? 90 : 24);
    ui_restore();
}

static void grow(u8 battler, struct Mon *mon, struct MonData *data)
{
    u16 before[STATS];
    u8 stat;
    for (stat = 0; stat < STATS; ++stat) before[stat] = mon_stat(mon, stat);
    wait_frame(); /* see battlers.c */
    mon_stats(mon);
    grown |= 1 << gBattlerPartyIndexes[battler];
    battler_refresh(battler);
    draw_hud(battler);
    msg();
    msg_add(mon_name(mon));
    msg_add(T(" is now at level "));
    msg_number(mon->level);
    msg_add(T("!"));
    msg_show(MSG_GO);
    show_stats(mon, before);
    mon_read(mon, data);
    learn_moves(data, mon->level, gBattleMons[battler].nickname);
    wait_frame();
    mon_write(mon, data);
    battler_refresh(battler);
}

static void gain_effort(struct MonData *data, u8 foe)
{
    u16 yield = gSpeciesInfo[gBattleMons[foe].species].evYield, sum = 0;
    u8 stat, more;
    for (stat = 0; stat < STATS; ++stat) sum += data->evs[stat];
    for (stat = 0; stat < STATS; ++stat) {
        more = yield >> 2 * stat & 3;
        more = MIN(more, EV_MOST - data->evs[stat]);
        more = MIN(more, EVS_MOST - sum);
        data->evs[stat] += more;
        sum += more;
    }
}

void gain_exp(u8 battler, u8 foe, u8 share)
{
    struct Mon *mon = battle_mon(battler);
    struct MonData data;
    u32 amount = gSpeciesInfo[gBattleMons[foe].species].expYield * gBattleMons[foe].level / 7 / share, before, step;
    if (mon->level >= LEVEL_MAX) return;
    if (is_trainer_battle()) amount = amount * 15 / 10;
    msg();
    msg_add(mon_name(mon));
    msg_add(T(" earns "));
    msg_number(amount);
    msg_add(T(" experience!"));
    msg_show(MSG_GO);
    mon_read(mon, &data);
    gain_effort(&data, foe);
    /* Level by level, so that every level is shown and asks for its moves. */
    while (amount && mon->level < LEVEL_MAX) {
        before = data.experience;
        step = MIN(amount, exp_for_level(mon->level + 1) - before);
        amount -= step;
        data.experience += step;
        wait_frame();
        mon_write(mon, &data);
        gBattleMons[battler].experience = data.experience;
        slide_exp(battler, before);
        if (data.experience >= exp_for_level(mon->level + 1)) grow(battler, mon, &data);
    }
}
