/* The team: the first creature in a panel of its own, the others in rows beside it, as the order of
 * gPartyMenu.slot has it; what can be done with one. */
#include "battle.h"

#define FADE 6
#define FIRST_X 4
#define FIRST_Y 18
#define FIRST_W 88
#define FIRST_H 62
#define ROW_X 98
#define ROW_Y 3
#define ROW_STEP 22
#define ROW_W 139
#define ROW_H 21
#define PROMPT_Y 114
#define CANCEL_X 178
#define CANCEL_Y 122
#define PICTURE 64
#define ICON 32     /* the first creature's */
#define ROW_ICON 24
#define ICON_TILES 16
#define LINES 8
#define FRAMES_UP 12 /* the icon of the one pointed at hops */

static const u8 *prompt;
static u8 flags;
static u8 chosen;   /* what CB2_UpdatePartyMenu ended with: an index or NO_MON */
static u8 swapping; /* the one to swap, or NO_MON */

/* ---- icons: the front pictures, smaller ---- */

static u8 pixel_of(const u32 *tiles, u8 x, u8 y)
{
    return tiles[(y / 8 * 8 + x / 8) * LINES + y % 8] >> x % 8 * 4 & 15;
}

/* Of the pixels that become one, the first that is not see-through; an outline stays closed. */
static u8 shrunk(const u32 *tiles, u8 x, u8 y, u8 size)
{
    u8 px, py, pixel = 0;
    for (py = y * PICTURE / size; py < (y + 1) * PICTURE / size && !pixel; ++py)
        for (px = x * PICTURE / size; px < (x + 1) * PICTURE / size && !pixel; ++px) pixel = pixel_of(tiles, px, py);
    return pixel;
}

static void load_icon(u8 index)
{
    const struct Picture *picture = &species_fronts[mon_species(&gPlayerParty[index])];
    u32 words[ICON_TILES * LINES];
    u8 x, y, size = index ? ROW_ICON : ICON;
    memset(words, 0, sizeof(words));
    for (y = 0; y < size; ++y)
        for (x = 0; x < size; ++x)
            words[(y / 8 * 4 + x / 8) * LINES + y % 8] |= (u32)shrunk(picture->tiles, x, y, size) << x % 8 * 4;
    sprite_tiles(index * ICON_TILES, words, ICON_TILES);
    pal_load(16 + index, picture->palette);
}

static s16 row_y(u8 index)
{
    return index ? ROW_Y + (index - 1) * ROW_STEP : FIRST_Y;
}

static void place_icon(u8 index, s16 up)
{
    s16 x = index ? ROW_X + 3 : FIRST_X + 3, y = index ? row_y(index) - 4 : FIRST_Y + 2;
    sprite_put(index, x, y - up, SPRITE_32x32, index * ICON_TILES, index, SPRITE_TOP);
}

/* ---- panels ---- */

static void draw_panel(s16 x, s16 y, s16 w, s16 h, bool is_pointed_at, bool is_out)
{
    u8 frame = is_pointed_at ? INK_YELLOW : INK_DARK, fill = is_out ? INK_GREY : INK_PANEL;
    ui_fill(x + 2, y, w - 4, h, frame);
    ui_fill(x, y + 2, w, h - 4, frame);
    ui_fill(x + 1, y + 1, w - 2, h - 2, frame);
    ui_fill(x + 3, y + 3, w - 6, h - 6, fill);
    ui_fill(x + 3, y + 2, w - 6, 1, is_out ? fill : INK_PANEL_LIGHT);
    ui_fill(x + 2, y + 3, 1, h - 6, is_out ? fill : INK_PANEL_LIGHT);
    ui_fill(x + 3, y + h - 3, w - 6, 1, fill);
    ui_fill(x + w - 3, y + 3, 1, h - 6, fill);
}

static void draw_first(const struct Mon *mon, u16 hp)
{
    ui_print(FIRST_X + 36, FIRST_Y + 8, mon_name(mon), INK_WHITE);
    print_level(FIRST_X + 36, FIRST_Y + 21, mon->level, INK_WHITE);
    print_status(FIRST_X + 6, FIRST_Y + 44, mon);
    ui_bar(FIRST_X + 20, FIRST_Y + 37, FIRST_W - 28, hp, mon->maxHp);
    print_pair(FIRST_X + FIRST_W - 8, FIRST_Y + 44, hp, mon->maxHp, INK_WHITE);
}

static void draw_row(s16 y, const struct Mon *mon, u16 hp)
{
    ui_print(ROW_X + 31, y + 5, mon_name(mon), INK_WHITE);
    if (mon->status || !hp) print_status(ROW_X + 80, y + 5, mon);
    else print_level(ROW_X + 82, y + 5, mon->level, INK_WHITE);
    ui_bar(ROW_X + 108, y + 3, ROW_W - 112, hp, mon->maxHp);
    print_pair(ROW_X + ROW_W - 4, y + 9, hp, mon->maxHp, INK_WHITE);
}

static void draw_mon(u8 index, u16 hp)
{
    const struct Mon *mon = &gPlayerParty[index];
    bool is_pointed_at = gPartyMenu.slot == index || swapping == index;
    s16 y = row_y(index);
    if (index) {
        draw_panel(ROW_X, y, ROW_W, ROW_H, is_pointed_at, !hp);
        draw_row(y, mon, hp);
    } else {
        draw_panel(FIRST_X, y, FIRST_W, FIRST_H, is_pointed_at, !hp);
        draw_first(mon, hp);
    }
    place_icon(index, 0);
}

void party_redraw(u8 index)
{
    draw_mon(index, gPlayerParty[index].hp);
}

void party_drain(u8 index, u16 before)
{
    u16 hp = gPlayerParty[index].hp;
    while (before != hp) {
        before += before < hp ? 1 : -1;
        draw_mon(index, before);
        wait_frame();
    }
}

static void draw_prompt(void)
{
    bool is_here = gPartyMenu.slot == PARTY_CANCEL;
    ui_box(2, PROMPT_Y, SCREEN_W - 4, SCREEN_H - PROMPT_Y);
    ui_print(14, PROMPT_Y + 17, prompt, INK_TEXT);
    text_copy(gStringVar4, prompt);
    if (flags & PICK_FORCED) return;
    draw_panel(CANCEL_X, CANCEL_Y, 52, 28, is_here, false);
    ui_print(CANCEL_X + 8, CANCEL_Y + 8, T("CANCEL"), INK_WHITE);
}

static void draw_all(void)
{
    u8 i;
    ui_clear();
    for (i = 0; i < gPlayerPartyCount; ++i) {
        load_icon(i);
        party_redraw(i);
    }
    draw_prompt();
}

static void show(void)
{
    screen_open(&backdrop_screen);
    draw_all();
    screen_light();
}

static void open(const u8 *text, u8 how, u8 start)
{
    prompt = text;
    flags = how;
    swapping = NO_MON;
    gPartyMenu.slot = start;
    fade_out(FADE);
    set_mode(CB2_UpdatePartyMenu);
    show();
}

/* ---- the cursor ---- */

void Task_HandleChooseMonInput(void)
{
    static u8 frames; /* the icon of the one pointed at hops */
    u8 slot = gPartyMenu.slot;
    if (slot == PARTY_CANCEL) return;
    frames = (frames + 1) % (2 * FRAMES_UP);
    place_icon(slot, frames < FRAMES_UP ? 0 : 2);
}

static u8 steered(u8 slot, u16 pressed)
{
    u8 last = gPlayerPartyCount - 1, end = flags & PICK_FORCED ? 0 : PARTY_CANCEL;
    if (pressed & KEY_DOWN) {
        if (slot == PARTY_CANCEL) return 0;
        return slot < last ? slot + 1 : end;
    }
    if (pressed & KEY_UP) {
        if (slot == PARTY_CANCEL || (!slot && !end)) return last;
        return slot ? slot - 1 : end;
    }
    if (pressed & KEY_LEFT && slot != PARTY_CANCEL) return 0;
    if (pressed & KEY_RIGHT && slot == 0 && last) return 1;
    return slot;
}

static void point_at(u8 slot)
{
    u8 before = gPartyMenu.slot;
    if (slot == before) return;
    gPartyMenu.slot = slot;
    if (before == PARTY_CANCEL) draw_prompt();
    else party_redraw(before);
    if (slot == PARTY_CANCEL) draw_prompt();
    else party_redraw(slot);
}

void CB2_UpdatePartyMenu(void)
{
    task_begin(Task_HandleChooseMonInput);
    for (;;) {
        wait_frame();
        Task_HandleChooseMonInput();
        chosen = gMain.newKeys & KEY_A && gPartyMenu.slot != PARTY_CANCEL ? gPartyMenu.slot : NO_MON;
        if (gMain.newKeys & KEY_A) break;
        if (gMain.newKeys & KEY_B && !(flags & PICK_FORCED)) break;
        point_at(steered(gPartyMenu.slot, gMain.newAndRepeatedKeys));
    }
    task_end(Task_HandleChooseMonInput);
}

static u8 pick(const u8 *text)
{
    prompt = text;
    draw_prompt();
    enter(CB2_UpdatePartyMenu);
    return chosen;
}

static void see_summary(u8 index)
{
    fade_out(FADE);
    summary(index);
    set_mode(CB2_UpdatePartyMenu);
    show();
}

/* ---- choosing one for a purpose ---- */

static bool is_out(u8 index)
{
    return index == gBattlerPartyIndexes[OWN] || (IS_DOUBLE && index == gBattlerPartyIndexes[OWN_RIGHT]);
}

static bool may_fight(u8 index)
{
    const u8 *refusal = T(" cannot fight!");
    if (gPlayerParty[index].hp) {
        if (!is_out(index)) return true;
        refusal = T(" is fighting already!");
    }
    announce(mon_name(&gPlayerParty[index]), refusal);
    return false;
}

/* The cursor begins on one that can be sent out, so that pressing A alone always leads on. */
static u8 first_ready(void)
{
    u8 index = 0;
    while (index < gPlayerPartyCount && (is_out(index) || !gPlayerParty[index].hp)) ++index;
    return index < gPlayerPartyCount ? index : 0;
}

/* Its own menu; true: the action is wanted. */
static bool is_wanted(u8 index, const u8 *action)
{
    const u8 *const entries[] = {action, T("SUMMARY"), T("CANCEL")};
    u8 choice = choice_menu(entries, COUNT(entries));
    if (choice == 1) see_summary(index);
    return choice == 0;
}

u8 party_pick(const u8 *text, const u8 *action, u8 how)
{
    u8 index;
    open(text, how, how & PICK_ALIVE ? first_ready() : 0);
    for (;;) {
        index = pick(text);
        if (index == NO_MON) return NO_MON;
        if (action && !is_wanted(index, action)) continue;
        if (!(how & PICK_ALIVE) || may_fight(index)) return index;
    }
}

/* ---- the START menu's team ---- */

static void move_mon(u8 index)
{
    u8 other;
    swapping = gPartyMenu.slot2 = index;
    other = pick(T("Swap with which?"));
    swapping = gPartyMenu.slot2 = NO_MON;
    wait_frame(); /* the swap is over within the frame */
    if (other != NO_MON && other != index) party_swap(index, other);
    draw_all();
}

void party_screen(void)
{
    const u8 *const entries[] = {T("SUMMARY"), T("SWITCH"), T("CANCEL")}, *text = T("Choose a creature.");
    u8 index;
    if (!gPlayerPartyCount) {
        fade_out(FADE);
        return;
    }
    open(text, 0, 0);
    while ((index = pick(text)) != NO_MON) {
        switch (choice_menu(entries, COUNT(entries))) {
        case 0: see_summary(index); break;
        case 1: move_mon(index); break;
        }
    }
    fade_out(FADE);
}
