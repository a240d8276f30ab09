/* The START menu, saving, and the player's card. */
#include "hardware.h"
#include "battle.h"
#include "status_window.h"

#define FADE_FRAMES 8
#define MENU_W 88
#define ROW_H 16
#define MENU_X (SCREEN_W - MENU_W - 2)
#define MENU_Y 2
#define BADGE_H 9

/* Emerald's numbers of the entries. */
enum { ENTRY_PARTY = 1, ENTRY_BAG = 2, ENTRY_PLAYER = 4, ENTRY_SAVE = 5, ENTRY_OPTIONS = 6, ENTRY_EXIT = 7 };

/* The marker never runs: its address in gTasks says that the menu waits. */
void Task_ShowStartMenu(void) {}

static const u8 *entry_text(u8 entry)
{
    static const u8 party[] = T("TEAM"), bag[] = T("BAG"), save[] = T("SAVE"), options[] = T("OPTIONS"),
                    leave[] = T("EXIT");
    switch (entry) {
    case ENTRY_PARTY: return party;
    case ENTRY_BAG: return bag;
    case ENTRY_PLAYER: return SAVE2->playerName;
    case ENTRY_SAVE: return save;
    case ENTRY_OPTIONS: return options;
    default: return leave;
    }
}

static void list_entries(void)
{
    u8 count = 0;
    if (gPlayerPartyCount) sCurrentStartMenuActions[count++] = ENTRY_PARTY;
    sCurrentStartMenuActions[count++] = ENTRY_BAG;
    sCurrentStartMenuActions[count++] = ENTRY_PLAYER;
    sCurrentStartMenuActions[count++] = ENTRY_SAVE;
    sCurrentStartMenuActions[count++] = ENTRY_OPTIONS;
    sCurrentStartMenuActions[count++] = ENTRY_EXIT;
    sNumStartMenuActions = count;
    if (sStartMenuCursorPos >= count) sStartMenuCursorPos = 0;
}

/* Returns the chosen entry; ENTRY_EXIT when it was left. */
static u8 choose(void)
{
    u8 count = sNumStartMenuActions, chosen;
    s16 h = count * ROW_H + 14;
    ui_box(MENU_X, MENU_Y, MENU_W, h);
    for (u8 i = 0; i < count; i++)
        ui_print(MENU_X + 20, MENU_Y + 8 + i * ROW_H, entry_text(sCurrentStartMenuActions[i]), INK_TEXT);
    task_begin(Task_ShowStartMenu);
    chosen = menu_cursor(MENU_X + 9, MENU_Y + 8, 1, count, 0, ROW_H, sStartMenuCursorPos,
                         MENU_WRAP | MENU_START_CLOSES, &sStartMenuCursorPos);
    task_end(Task_ShowStartMenu);
    ui_clear_rect(MENU_X, MENU_Y, MENU_W, h);
    return chosen == MENU_CANCEL ? ENTRY_EXIT : sCurrentStartMenuActions[chosen];
}

/* ---- saving ---- */

static void ask(const u8 *text)
{
    msg();
    msg_add(text);
    msg_show(MSG_STAY);
}

static bool wants_to_save(void)
{
    static const u8 question[] = T("Write down your adventure here?"),
                    again[] = T("An earlier adventure is written down. Replace it?");
    ask(question);
    if (!yes_no()) return false;
    if (!gSaveFileStatus) return true;
    ask(again);
    return yes_no();
}

/* True when it was saved: the menu closes then. */
static bool save(void)
{
    static const u8 saving[] = T("Writing…\nPlease leave the power on."), saved[] = T("{PLAYER}'s adventure is safe."),
                    failed[] = T("It could not be written down.");
    bool wanted, done = false;
    status_window(2, 2, 116);
    wanted = wants_to_save();
    if (wanted) {
        ask(saving);
        done = save_game();
        say_text(done ? saved : failed);
    }
    msg_close();
    ui_clear_rect(2, 2, 116, STATUS_H);
    return done;
}

/* ---- the player's card ---- */

/* The marker never runs: its address in gMain says which screen this is. */
void CB2_TrainerCard(void) {}

static void card_row(s16 y, const u8 *text)
{
    ui_print(22, y, text, INK_BLUE);
    ui_fill(22, y + 14, 116, 1, INK_SHADOW);
}

/* A cobble with a glint of moss, leftmost pixel in the low bits; 0 see-through. */
static const u32 badge_rows[BADGE_H] = {
    0x00BBBB00, 0x0BCCCCB0, 0xBCCCFFCB, 0xBCCCCFCB, 0xBC9CCCCB, 0xBC99CCCB, 0xBCCCCCCB, 0x0BCCCCB0, 0x00BBBB00,
};

static void draw_badges(s16 y)
{
    static const u8 badges[] = T("BADGES");
    ui_box(8, y, SCREEN_W - 16, 36);
    ui_print(22, y + 12, badges, INK_BLUE);
    for (u8 i = 0; i < BADGES; i++) {
        s16 x = 80 + i * 18;
        u32 under[BADGE_H];
        ui_fill(x + 1, y + 11, 12, 14, INK_SHADOW);
        ui_fill(x, y + 12, 14, 12, INK_SHADOW);
        ui_fill(x + 2, y + 13, 10, 10, INK_PAPER);
        if (!flag_get(FLAG_BADGE_1 + i)) continue;
        canvas_read(x + 3, y + 13, BADGE_H, under);
        canvas_overlay(x + 3, y + 13, BADGE_H, under, badge_rows);
    }
}

static void draw_card(void)
{
    static const u8 heading[] = T("PLAYER CARD"), name[] = T("NAME"), id[] = T("NUMBER"), money[] = T("MONEY"),
                    time[] = T("TIME");
    ui_clear();
    backdrop_show(&backdrop_screen);
    ui_box(8, 6, SCREEN_W - 16, 108);
    ui_print(22, 15, heading, INK_RED);
    card_row(36, name);
    ui_print(138 - ui_width(SAVE2->playerName), 36, SAVE2->playerName, INK_TEXT);
    card_row(54, id);
    ui_number_right(138, 54, SAVE2->trainerId[0], INK_TEXT);
    card_row(72, money);
    print_price(138, 72, money_get());
    card_row(90, time);
    print_play_time(138, 90, INK_TEXT);
    draw_badges(118);
    sprite_tiles(0, hero_front[SAVE2->playerGender].tiles, 64);
    pal_load(16, hero_front[SAVE2->playerGender].palette);
    sprite_put(0, 152, 30, SPRITE_64x64, 0, 0, SPRITE_TOP);
}

void player_card(void)
{
    set_mode(CB2_TrainerCard);
    sprites_hide();
    draw_card();
    video_show(SHOW_WINDOWS | SHOW_BACKDROP | SHOW_SPRITES);
    fade_in(FADE_FRAMES);
    do wait_frame(); while (!(gMain.newKeys & (KEY_A | KEY_B)));
    fade_out(FADE_FRAMES);
    sprites_hide();
}

/* ---- the menu ---- */

static void full_screen(u8 entry)
{
    if (entry == ENTRY_PARTY) {
        party_screen();
    } else if (entry == ENTRY_BAG) {
        bag_screen();
    } else {
        fade_out(FADE_FRAMES);
        if (entry == ENTRY_PLAYER) player_card();
        else options_screen();
    }
    field_return();
}

void start_menu(void)
{
    for (;;) {
        u8 entry;
        list_entries();
        entry = choose();
        if (entry == ENTRY_EXIT) break;
        if (entry != ENTRY_SAVE) full_screen(entry);
        else if (save()) break;
    }
    wait_frame();
}
