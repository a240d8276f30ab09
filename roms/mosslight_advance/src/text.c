/* The text boxes: composing, wrapping at words, printing letter by letter, the waiting arrow. */
#include "hardware.h"

#define CODE_SPACE 0x00
#define CODE_PAGE 0xFB
#define CODE_PLACEHOLDER 0xFD
#define CODE_LINE 0xFE
enum { PLACEHOLDER_PLAYER = 1, PLACEHOLDER_BUFFER = 2, PLACEHOLDER_RIVAL = 6 };

#define MESSAGE_MOST 900
#define LINES 2
#define LINE_H 16
#define TEXT_X 15
#define TEXT_WIDTH 204
#define BOX_Y 114
#define BOX_H 46
#define FIELD_TEXT_Y (BOX_Y + 9)
#define PANEL_Y 112
#define BATTLE_TEXT_Y 120
#define ARROW_X 220
#define ARROW_H 7
#define BOB_FRAMES 8
#define HURRIED_LETTERS 3 /* a frame */
#define SPEED_MOST 2

enum { PRINTER_LETTERS, PRINTER_WAITS, PRINTER_WAITS_TO_CLEAR };

static const u8 rival_name[] = T("WREN");
static const u8 letter_frames[SPEED_MOST + 1] = {8, 4, 1};
static const u8 pause_after[SPEED_MOST + 1] = {40, 30, 16};

static EWRAM_DATA u8 message[MESSAGE_MOST + 1];
static u16 length;
static bool in_battle, hurried, at_once;

/* The arrow's rows, leftmost pixel in the low bits; 0 see-through. */
static const u32 arrow_rows[ARROW_H] = {
    0x0BBBBBBB, 0x0B77777B, 0x0B77777B, 0x00B777B0, 0x00B777B0, 0x000B7B00, 0x0000B000,
};

/* ---- composing ---- */

void msg(void)
{
    length = 0;
    message[0] = TEXT_END;
}

static void add(u8 code)
{
    if (length == MESSAGE_MOST) return;
    message[length++] = code;
    message[length] = TEXT_END;
}

static const u8 *placeholder(u8 which)
{
    if (which == PLACEHOLDER_PLAYER) return SAVE2->playerName;
    return which == PLACEHOLDER_RIVAL ? rival_name : gStringVar1;
}

void msg_add(const u8 *text)
{
    for (; *text != TEXT_END; text++) {
        if (*text == CODE_PLACEHOLDER) msg_add(placeholder(*++text));
        else add(*text);
    }
}

void msg_number(u32 value)
{
    u8 digits[10], n = 0;
    do {
        digits[n++] = 0xA1 + value % 10;
        value /= 10;
    } while (value);
    while (n) add(digits[--n]);
}

u8 *text_copy(u8 *to, const u8 *text)
{
    while (*text != TEXT_END) *to++ = *text++;
    *to = TEXT_END;
    return to;
}

/* ---- wrapping: the message with line and page ends goes where a reader looks for it ---- */

static u16 word_width(const u8 *p)
{
    u16 width = 0;
    for (; *p != CODE_SPACE && *p != CODE_LINE && *p != CODE_PAGE && *p != TEXT_END; p++)
        width += font[*p].width;
    return width;
}

static const u8 *wrap(void)
{
    u8 *start = in_battle ? gDisplayedStringBattle : gStringVar4, *to = start;
    u16 most = in_battle ? sizeof gDisplayedStringBattle - 1 : MESSAGE_MOST;
    u16 x = 0;
    u8 line = 0;
    for (const u8 *p = message; *p != TEXT_END && to < start + most; p++) {
        bool overflows = *p == CODE_SPACE && x + font[CODE_SPACE].width + word_width(p + 1) > TEXT_WIDTH;
        if (*p == CODE_PAGE || *p == CODE_LINE || overflows) {
            line = *p == CODE_PAGE || line + 1 == LINES ? 0 : line + 1;
            *to++ = line ? CODE_LINE : CODE_PAGE;
            x = 0;
        } else {
            *to++ = *p;
            x += font[*p].width;
        }
    }
    *to = TEXT_END;
    return start;
}

/* ---- the boxes ---- */

static s16 text_y(void)
{
    return in_battle ? BATTLE_TEXT_Y : FIELD_TEXT_Y;
}

static void clear_lines(void)
{
    ui_fill(TEXT_X, text_y(), SCREEN_W - TEXT_X - 10, LINES * LINE_H - 2, in_battle ? INK_PANEL : INK_PAPER);
}

static void draw_box(void)
{
    if (!in_battle) {
        ui_box(2, BOX_Y, SCREEN_W - 4, BOX_H);
        return;
    }
    ui_fill(0, PANEL_Y, SCREEN_W, SCREEN_H - PANEL_Y, INK_DARK);
    ui_fill(0, PANEL_Y + 1, SCREEN_W, SCREEN_H - PANEL_Y - 2, INK_FRAME);
    ui_fill(4, PANEL_Y + 3, SCREEN_W - 8, SCREEN_H - PANEL_Y - 6, INK_PANEL_LIGHT);
    ui_fill(5, PANEL_Y + 4, SCREEN_W - 10, SCREEN_H - PANEL_Y - 8, INK_PANEL);
}

void msg_place(bool battle)
{
    in_battle = battle;
}

void msg_close(void)
{
    if (in_battle) return;
    ui_clear_rect(0, BOX_Y, SCREEN_W, SCREEN_H - BOX_Y);
    sFieldMessageBoxMode = 0;
    wait_frame();
}

/* ---- printing ---- */

static u8 speed(void)
{
    return SAVE2 ? MIN(SAVE2->options & OPTION_TEXT_SPEED, SPEED_MOST) : SPEED_MOST;
}

static void printer(const u8 *text, u8 state)
{
    sTextPrinters[0].text = text;
    sTextPrinters[0].state = state;
    sTextPrinters[0].active = 1;
}

/* The arrow bobs until A or B. */
static void wait_button(void)
{
    static const u8 heights[] = {0, 1, 2, 1};
    const s16 y = text_y() + LINE_H + 3;
    u32 under[ARROW_H + 2];
    u8 frames = 0;
    canvas_read(ARROW_X, y, COUNT(under), under);
    do {
        if (frames % BOB_FRAMES == 0) {
            u8 height = heights[frames / BOB_FRAMES];
            canvas_write(ARROW_X, y, COUNT(under), under);
            canvas_overlay(ARROW_X, y + height, ARROW_H, under + height, arrow_rows);
        }
        if (++frames == COUNT(heights) * BOB_FRAMES) frames = 0;
        wait_frame();
    } while (!(gMain.newKeys & (KEY_A | KEY_B)));
    canvas_write(ARROW_X, y, COUNT(under), under);
}

/* A or B makes the rest of the page appear at once, or nearly. */
static void letter_pause(u8 letters)
{
    if (at_once) return;
    if (hurried) {
        if (letters % HURRIED_LETTERS == 0) wait_frame();
        return;
    }
    for (u8 i = letter_frames[speed()]; i && !hurried; i--) {
        wait_frame();
        hurried = gMain.newKeys & (KEY_A | KEY_B);
    }
}

static void print(const u8 *text)
{
    s16 x = TEXT_X, y = text_y();
    u8 letters = 0;
    hurried = false;
    for (; *text != TEXT_END; text++) {
        printer(text, PRINTER_LETTERS);
        if (*text == CODE_PAGE) {
            printer(text, PRINTER_WAITS_TO_CLEAR);
            wait_button();
            clear_lines();
            hurried = false;
        }
        if (*text == CODE_PAGE || *text == CODE_LINE) {
            x = TEXT_X;
            y = *text == CODE_PAGE ? text_y() : y + LINE_H;
            continue;
        }
        x += ui_print(x, y, (const u8[]){*text, TEXT_END}, in_battle ? INK_WHITE : INK_TEXT);
        if (*text != CODE_SPACE) letter_pause(++letters);
    }
    printer(text, PRINTER_LETTERS);
}

/* ---- showing: what waits is told as Emerald tells it, by the script's native function in the
 * field, by the printer's state elsewhere ---- */

void WaitForAorBPress(void)
{
    wait_button();
}

void IsFieldMessageBoxHidden(void)
{
    print(wrap());
}

static bool is_script_waiting(void)
{
    return !in_battle && sGlobalScriptContextStatus != 2 && (gMain.callback2 == CB2_Overworld || !gMain.inBattle);
}

/* The script context while `native` runs; Emerald leaves the function's address behind, too. */
static void run_native(Callback native)
{
    u8 mode = sGlobalScriptContext.mode;
    sGlobalScriptContext.native = native;
    sGlobalScriptContext.mode = 2;
    native();
    sGlobalScriptContext.mode = mode;
}

void msg_show(u8 how)
{
    draw_box();
    at_once = in_battle && how == MSG_STAY; /* what the battle's menus ask stands there every turn */
    if (!in_battle) sFieldMessageBoxMode = 2;
    if (is_script_waiting()) run_native(IsFieldMessageBoxHidden);
    else print(wrap());
    sTextPrinters[0].active = 0;
    if (how == MSG_GO) pause_frames(pause_after[speed()]);
    if (how != MSG_WAIT) return;
    if (is_script_waiting()) {
        run_native(WaitForAorBPress);
    } else {
        printer(sTextPrinters[0].text, PRINTER_WAITS);
        wait_button();
        sTextPrinters[0].active = 0;
    }
}

void say_text(const u8 *text)
{
    msg();
    msg_add(text);
    msg_show(MSG_WAIT);
}

void say(u16 text_id)
{
    say_text(text_table[text_id]);
}
