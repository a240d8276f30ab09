/* A creature's page: picture, statistics, moves. */
#include "battle.h"

#define FADE 6
#define PICTURE_TILES 64
#define PAGE_X 88

static u8 page;

static void draw_type(s16 x, s16 y, u8 type)
{
    ui_fill(x, y, 40, 12, INK_BLUE);
    ui_print(x + (40 - ui_width(gTypeNames[type])) / 2, y, gTypeNames[type], INK_WHITE);
}

static void draw_left(const struct Mon *mon, const struct MonData *data)
{
    const struct SpeciesInfo *info = &gSpeciesInfo[data->species];
    const struct Picture *picture = &species_fronts[data->species];
    ui_box(2, 2, PAGE_X - 4, 156);
    sprite_tiles(0, picture->tiles, PICTURE_TILES);
    pal_load(16, picture->palette);
    sprite_put(0, 12, 26, SPRITE_64x64, 0, 0, SPRITE_TOP);
    ui_print(12, 10, mon_name(mon), INK_TEXT);
    print_level(12, 92, mon->level, INK_TEXT);
    print_status(52, 92, mon);
    draw_type(12, 107, info->types[0]);
    if (info->types[1] != info->types[0]) draw_type(12, 120, info->types[1]);
    ui_print(12, 136, T("No."), INK_TEXT);
    ui_number(32, 136, data->species, INK_TEXT);
}

static void draw_stats(const struct Mon *mon, const struct MonData *data)
{
    static const u8 *const names[STATS] = {NULL, T("ATTACK"), T("DEFENSE"), T("SPEED"), T("SP. ATK"), T("SP. DEF")};
    s16 x = PAGE_X + 10, y = 9;
    u8 stat;
    ui_box(PAGE_X, 2, SCREEN_W - PAGE_X - 2, 82);
    ui_print(x, y, T("HP"), INK_TEXT);
    ui_bar(x + 20, y + 4, 66, mon->hp, mon->maxHp);
    print_pair(SCREEN_W - 12, y, mon->hp, mon->maxHp, INK_TEXT);
    for (stat = STAT_ATTACK; stat < STATS; ++stat) {
        s16 column = stat < STAT_SP_ATTACK ? 0 : 70, row = y + 14 + (stat - 1) % 3 * 14;
        ui_print(x + column, row, names[stat], INK_TEXT);
        ui_number_right(x + column + 62, row, mon_stat(mon, stat), INK_TEXT);
    }
    ui_print(x, y + 56, T("NEXT LV"), INK_TEXT);
    ui_number_right(SCREEN_W - 12, y + 56, mon->level < LEVEL_MAX ? exp_for_level(mon->level + 1) - data->experience : 0,
                    INK_TEXT);
    draw_exp_bar(x, y + 69, SCREEN_W - 12 - x, mon->level, data->experience);
}

static void draw_moves(const struct MonData *data)
{
    s16 x = PAGE_X + 10, y = 92;
    u8 slot;
    ui_box(PAGE_X, 86, SCREEN_W - PAGE_X - 2, 72);
    for (slot = 0; slot < NO_SLOT && data->moves[slot]; ++slot, y += 15) {
        const struct MoveInfo *move = &gBattleMoves[data->moves[slot]];
        ui_print(x, y, gMoveNames[data->moves[slot]], INK_TEXT);
        ui_print(x + 62, y, gTypeNames[move->type], INK_BLUE);
        print_pair(SCREEN_W - 12, y, data->pp[slot], move->pp, INK_TEXT);
    }
}

static void draw(void)
{
    const struct Mon *mon = &gPlayerParty[page];
    struct MonData data;
    mon_read(mon, &data);
    ui_clear();
    draw_left(mon, &data);
    draw_stats(mon, &data);
    draw_moves(&data);
}

void SummaryScreenMainCB2(void)
{
    u8 shown = page;
    screen_open(&backdrop_screen);
    draw();
    screen_light();
    do {
        wait_frame();
        if (gMain.newKeys & KEY_DOWN && page + 1 < gPlayerPartyCount) ++page;
        if (gMain.newKeys & KEY_UP && page) --page;
        if (page != shown) draw();
        shown = page;
    } while (!(gMain.newKeys & (KEY_A | KEY_B)));
    fade_out(FADE);
}

void summary(u8 index)
{
    page = index;
    enter(SummaryScreenMainCB2);
}
