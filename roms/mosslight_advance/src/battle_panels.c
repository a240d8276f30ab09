/* The panels of a battle, their bars, and the pieces of text that other screens show as well. */
#include "battle.h"

#define NAME_H 12 /* of the strip with the name */
#define PANEL_W 104
#define SHADOW 2
#define BAR_W 50
#define STATUS_W 24

#define LOW 27 /* height of a panel without numbers and experience */

/* By battler, where two fight and where four do. */
static const struct { s16 x, y, h; } places[2][BATTLERS] = {
    {{128, 70, 40}, {10, 12, 29}},
    {{132, 52, LOW}, {4, 2, LOW}, {132, 82, LOW}, {4, 32, LOW}},
};
#define PLACE(battler) places[IS_DOUBLE][battler]
static const u8 lv[] = T("Lv");

/* ---- pieces ---- */

void print_level(s16 x, s16 y, u8 level, u8 ink)
{
    ui_number(x + ui_print(x, y, lv, ink), y, level, ink);
}

void print_pair(s16 right, s16 y, u16 value, u16 most, u8 ink)
{
    const u8 *slash = T("/");
    right -= ui_number_width(most);
    ui_number(right, y, most, ink);
    right -= ui_width(slash);
    ui_print(right, y, slash, ink);
    ui_number_right(right, y, value, ink);
}

void print_status(s16 x, s16 y, const struct Mon *mon)
{
    const u8 *name = NULL;
    u8 ink = INK_RED;
    if (!mon->hp) {
        name = T("OUT");
    } else if (mon->status & STATUS_SLEEP) {
        name = T("SLP");
        ink = INK_GREY;
    } else if (mon->status & STATUS_POISON) {
        name = T("PSN");
        ink = INK_BLUE;
    } else if (mon->status & STATUS_PARALYSIS) {
        name = T("PAR");
        ink = INK_YELLOW;
    }
    if (!name) return;
    ui_fill(x, y + 1, STATUS_W, 10, ink);
    ui_print(x + (STATUS_W - ui_width(name)) / 2, y, name, INK_WHITE);
}

void draw_exp_bar(s16 x, s16 y, s16 w, u8 level, u32 experience)
{
    u32 floor = exp_for_level(level), need = exp_for_level(level + 1) - floor;
    u32 have = level < LEVEL_MAX ? MIN(experience - floor, need) : 0;
    ui_fill(x, y, w, 4, INK_FRAME);
    ui_fill(x + 1, y + 1, w - 2, 2, INK_GREY);
    ui_fill(x + 1, y + 1, (w - 2) * have / need, 2, INK_BLUE);
}

/* ---- panels ---- */

static void draw_panel(s16 x, s16 y, s16 w, s16 h)
{
    ui_fill(x + 3, y + h, w - 3, SHADOW, INK_DARK);
    ui_fill(x + w, y + 4, SHADOW, h - 4, INK_DARK);
    ui_fill(x + 2, y, w - 4, h, INK_FRAME);
    ui_fill(x + 1, y + 1, w - 2, h - 2, INK_FRAME);
    ui_fill(x, y + 2, w, h - 4, INK_FRAME);
    ui_fill(x + 2, y + 2, w - 4, NAME_H, INK_PANEL);
    ui_fill(x + 2, y + 2 + NAME_H, w - 4, h - 4 - NAME_H, INK_PAPER);
}

static void print_level_right(s16 right, s16 y, u8 level)
{
    print_level(right - ui_width(lv) - ui_number_width(level), y, level, INK_WHITE);
}

void clear_hud(u8 side)
{
    ui_clear_rect(PLACE(side).x, PLACE(side).y, PANEL_W + SHADOW, PLACE(side).h + SHADOW);
}

static void draw_hp(u8 side, u16 hp)
{
    s16 x = PLACE(side).x, y = PLACE(side).y;
    ui_bar(x + PANEL_W - 6 - BAR_W, y + 18, BAR_W, hp, gBattleMons[side].maxHp);
    if (side != OWN || IS_DOUBLE) return;
    ui_fill(x + 40, y + 23, PANEL_W - 44, 11, INK_PAPER);
    print_pair(x + PANEL_W - 6, y + 23, hp, gBattleMons[OWN].maxHp, INK_TEXT);
}

static void draw_own_exp(u32 experience)
{
    draw_exp_bar(PLACE(OWN).x + 6, PLACE(OWN).y + PLACE(OWN).h - 5, PANEL_W - 12, gBattleMons[OWN].level, experience);
}

void draw_hud(u8 side)
{
    const struct BattleMon *mon = &gBattleMons[side];
    s16 x = PLACE(side).x, y = PLACE(side).y;
    draw_panel(x, y, PANEL_W, PLACE(side).h);
    ui_print(x + 6, y + 2, mon->nickname, INK_WHITE);
    print_level_right(x + PANEL_W - 6, y + 2, mon->level);
    print_status(x + 6, y + 15, battle_mon(side));
    ui_print(x + PANEL_W - 20 - BAR_W, y + 14, T("HP"), INK_FRAME);
    draw_hp(side, mon->hp);
    if (side == OWN && !IS_DOUBLE) draw_own_exp(mon->experience);
}

/* One pixel of the bar a frame. */
void slide_hp(u8 side, u16 before)
{
    u16 hp = gBattleMons[side].hp, most = gBattleMons[side].maxHp, now;
    s16 from = before * (BAR_W - 2) / most, to = hp * (BAR_W - 2) / most;
    while (from != to && scenes()) {
        from += from < to ? 1 : -1;
        now = (from * most + BAR_W - 3) / (BAR_W - 2);
        draw_hp(side, now);
        wait_frame();
    }
    draw_hp(side, hp);
    wait_frames(scenes() ? 10 : 4);
}

void slide_exp(u8 battler, u32 before)
{
    u32 to = gBattleMons[battler].experience, step = MAX((to - before) / 24, 1), now;
    if (IS_DOUBLE) return;
    for (now = before; now + step < to && scenes(); now += step) {
        draw_own_exp(now);
        wait_frame();
    }
    draw_own_exp(to);
    wait_frames(4);
}
