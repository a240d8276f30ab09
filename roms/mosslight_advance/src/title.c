/* Title screen, main menu, and the beginning of a new game. */
#include "hardware.h"
#include "status_window.h"

#define FADE_FRAMES 12
#define BLINK_FRAMES 24
#define MOTES 9
#define MOTE_CYCLE 360
#define PROMPT_Y 134
#define MENU_X 8
#define MENU_W 98
#define STATUS_X 110
#define STATUS_W 122
#define ROW_H 20
#define MENU_Y 10
#define NAME_MOST 7
#define OPTIONS_NEW 1 /* middling text speed, battle scenes, SHIFT */
#define PICTURE_PALETTE 16
#define PICTURE_X 88
#define PICTURE_Y 34
#define PICTURE_TILES 64

enum { CONTINUE, NEW_GAME, OPTIONS, ENTRIES };

/* The markers never run: their addresses in gMain say which screen this is. */
void CB2_InitTitleScreen(void) {}

void CB2_InitMainMenu(void) {}

void CB2_MainMenu(void) {}

/* ---- the title ---- */

/* Motes of light drift over the moss; each goes out for a while. */
static const u32 mote_rows[8] = {0x00000000, 0x00033000, 0x00322300, 0x03211230, 0x03211230, 0x00322300, 0x00033000, 0x00000000};
static const u16 mote_colours[16] = {0, 0x7FFF, 0x4FFB, 0x1F0F};

static void load_motes(void)
{
    sprite_tiles(0, mote_rows, 1);
    pal_load(PICTURE_PALETTE, mote_colours);
}

static void draw_motes(u16 frame)
{
    for (u8 i = 0; i < MOTES; i++) {
        u16 time = frame + i * MOTE_CYCLE / MOTES, sway = (time + i * 11) & 63;
        s16 x = (i * 43 + time / (2 + i % 3)) % (SCREEN_W + 8) - 8;
        s16 y = 148 - time % MOTE_CYCLE / 5 + (sway < 32 ? sway : 63 - sway) / 4;
        if ((time >> 4) % 5 == i % 5) sprite_hide(i);
        else sprite_put(i, x, y, SPRITE_8x8, 0, 0, 0);
    }
}

static void title_picture(void)
{
    static const u8 press_start[] = T("PRESS START");
    u8 frames = 0;
    u16 frame = 0;
    set_mode(CB2_InitTitleScreen);
    ui_clear();
    sprites_hide();
    backdrop_show(&backdrop_title);
    load_motes();
    draw_motes(0);
    video_show(SHOW_WINDOWS | SHOW_BACKDROP | SHOW_SPRITES);
    fade_in(FADE_FRAMES);
    do {
        if (frames == 0) ui_print((SCREEN_W - ui_width(press_start)) / 2, PROMPT_Y, press_start, INK_WHITE);
        if (frames == 2 * BLINK_FRAMES) ui_clear_rect(0, PROMPT_Y, SCREEN_W, 12);
        if (++frames == 3 * BLINK_FRAMES) frames = 0;
        draw_motes(++frame);
        wait_frame();
    } while (!(gMain.newKeys & (KEY_A | KEY_START)));
    fade_out(FADE_FRAMES);
    sprites_hide();
}

/* ---- the main menu ---- */

static u8 choose_entry(bool is_saved, u8 start)
{
    static const u8 continue_text[] = T("CONTINUE"), new_text[] = T("NEW GAME"), options_text[] = T("OPTIONS");
    const u8 *const entries[ENTRIES] = {continue_text, new_text, options_text};
    u8 first = is_saved ? CONTINUE : NEW_GAME, count = ENTRIES - first, chosen;
    set_mode(CB2_InitMainMenu);
    ui_clear();
    backdrop_show(&backdrop_screen);
    ui_box(MENU_X, MENU_Y, MENU_W, count * ROW_H + 12);
    for (u8 i = 0; i < count; i++)
        ui_print(MENU_X + 22, MENU_Y + 10 + i * ROW_H, entries[first + i], INK_TEXT);
    if (is_saved) status_window(STATUS_X, MENU_Y, STATUS_W);
    fade_in(FADE_FRAMES);
    set_mode(CB2_MainMenu);
    chosen = menu_cursor(MENU_X + 10, MENU_Y + 10, 1, count, 0, ROW_H, start - first, MENU_WRAP, NULL);
    fade_out(FADE_FRAMES);
    return chosen == MENU_CANCEL ? MENU_CANCEL : chosen + first;
}

/* Options changed before a new game are the new game's. */
static u8 main_menu(bool is_saved)
{
    u8 chosen = is_saved ? CONTINUE : NEW_GAME;
    do {
        chosen = choose_entry(is_saved, chosen);
        if (chosen == OPTIONS) options_screen();
    } while (chosen == OPTIONS);
    return chosen;
}

/* ---- a new game ---- */

static void picture(const struct Picture *shown)
{
    sprite_tiles(0, shown->tiles, PICTURE_TILES);
    pal_load(PICTURE_PALETTE, shown->palette);
    sprite_put(0, PICTURE_X, PICTURE_Y, SPRITE_64x64, 0, 0, 0);
}

static void stage(const struct Picture *shown)
{
    set_mode(CB2_MainMenu);
    ui_clear();
    backdrop_show(&backdrop_intro);
    picture(shown);
    video_show(SHOW_WINDOWS | SHOW_BACKDROP | SHOW_SPRITES);
    fade_in(FADE_FRAMES);
}

static void ask_gender(void)
{
    static const u8 boy[] = T("BOY"), girl[] = T("GIRL"), question[] = T("Which of you sets out?");
    const u8 *const answers[] = {boy, girl};
    msg();
    msg_add(question);
    msg_show(MSG_STAY);
    SAVE2->playerGender = menu_list(-1, -1, answers, COUNT(answers), 0, MENU_NO_B);
}

static void ask_name(void)
{
    static const u8 robin[] = T("ROBIN"), hazel[] = T("HAZEL"), question[] = T("And what shall we call you?");
    say_text(question);
    msg_close();
    fade_out(FADE_FRAMES);
    naming_screen(SAVE2->playerName, NAME_MOST, SAVE2->playerGender ? hazel : robin);
}

static void new_game_begins(void)
{
    stage(&professor_picture);
    msg_place(false);
    say(TEXT_INTRO_HELLO);
    ask_gender();
    ask_name();
    stage(&hero_front[SAVE2->playerGender]);
    say(TEXT_INTRO_GO);
    msg_close();
    fade_out(FADE_FRAMES);
    sprites_hide();
}

static void fresh_blocks(u16 options)
{
    save_blocks_new();
    memset(SAVE2->playerName, TEXT_END, sizeof SAVE2->playerName);
    SAVE2->options = options;
    SAVE2->trainerId[0] = rnd();
    SAVE2->trainerId[1] = rnd();
    gPlayerPartyCount = 0;
    memset(gPlayerParty, 0, sizeof gPlayerParty);
}

void title_screen(void)
{
    bool is_saved = load_game();
    u8 chosen;
    sGlobalScriptContextStatus = 2;
    if (!is_saved) fresh_blocks(OPTIONS_NEW);
    do {
        title_picture();
        chosen = main_menu(is_saved);
    } while (chosen == MENU_CANCEL);
    if (chosen == CONTINUE) return;
    fresh_blocks(SAVE2->options);
    new_game_begins();
}
