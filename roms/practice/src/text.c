/* The text box: composing, wrapping at words, printing letter by letter, the waiting arrow. */
#include "game.h"
#include "system.h"

/* Codes inside a composed message, in the places charmap.csv keeps for control codes. */
#define CODE_END 0x50
#define CODE_LINE 0x4F
#define CODE_PAGE 0x51
#define CODE_PLAYER 0x52
#define CODE_RIVAL 0x53
#define CODE_BUFFER 0x59 /* wStringBuffer1 */

#define BOX_Y 12
#define LINE_WIDTH 18
#define BLINK_FRAMES 16
#define message ((u8 *)0xC110) /* 254 signs and the end */
#define MESSAGE_SIZE 254
#define TEXT_AT_WORK 2 /* in wTextboxFlags */

static u8 length;

void msg(void)
{
    length = 0;
    message[0] = CODE_END;
}

static void add(u8 code)
{
    if (length == MESSAGE_SIZE) return;
    message[length++] = code;
    message[length] = CODE_END;
}

void msg_str(const char *ascii)
{
    for (; *ascii; ascii++) {
        if (*ascii == '\n') add(CODE_LINE);
        else if (*ascii == '\f') add(CODE_PAGE);
        else add(ascii_tiles[*ascii - 0x20]);
    }
}

void msg_name(const u8 *name)
{
    for (; *name != CODE_END; name++) add(*name);
}

void msg_num(u16 value)
{
    u8 digits[5], n = 0;
    do {
        digits[n++] = 0xF6 + value % 10;
        value /= 10;
    } while (value);
    while (n) add(digits[--n]);
}

void msg_far(u8 bank, const u8 *text)
{
    u8 code;
    while ((code = far_read(bank, text++)) != CODE_END) {
        if (code == CODE_PLAYER) msg_name(wPlayerName);
        else if (code == CODE_RIVAL) msg_name(wRivalName);
        else if (code == CODE_BUFFER) msg_name(wStringBuffer1);
        else add(code);
    }
}

/* ---- printing ---- */

void text_box(void)
{
    menu_border(BOX_Y, 0, SCREEN_H - 1, SCREEN_W - 1);
    draw_box(0, BOX_Y, SCREEN_W, 6);
    flush_rows(BOX_Y, 6);
}

static void arrow(u8 tile)
{
    put_tile(18, 17, tile, PAL_TEXT);
    flush_rect(18, 17, 1, 1);
}

void wait_button(void)
{
    u8 frames = 0;
    do {
        if (frames == 0) arrow(TILE_ARROW);
        if (frames == BLINK_FRAMES) arrow(0x7A);
        if (++frames == BLINK_FRAMES * 2) frames = 0;
        poll_frame();
    } while (!(hJoyPressed & (PAD_A | PAD_B)));
    arrow(0x7A);
}

static void clear_lines(void)
{
    fill_rect(1, 13, LINE_WIDTH, 4, TILE_SPACE, PAL_TEXT);
    flush_rect(1, 13, LINE_WIDTH, 4);
}

/* Bit 4 of wOptions: no delay at all. A held button hurries, as in any game of this kind. */
static void letter_delay(void)
{
    if (wOptions & 0x10) return;
    wTextDelayFrames = wOptions & 7;
    do wait_frames(1); while (wTextDelayFrames && !(hJoypadDown & (PAD_A | PAD_B)));
}

/* Signs up to the end of the word that starts at p. */
static u8 word_length(const u8 *p)
{
    u8 n = 0;
    while (p[n] != CODE_END && p[n] != CODE_LINE && p[n] != CODE_PAGE && p[n] != TILE_SPACE) n++;
    return n;
}

static void print_letter(u8 x, u8 line, u8 tile)
{
    u8 y = 14 + line * 2;
    put_tile(1 + x, y, tile, PAL_TEXT);
    if (tile == TILE_SPACE) return; /* no time for what is not seen */
    flush_rect(1 + x, y, 1, 1);
    letter_delay();
}

/* A second full line is followed by the arrow and an empty box. */
static u8 next_line(u8 line)
{
    if (line == 0) return 1;
    wait_button();
    clear_lines();
    return 0;
}

/* Whether the line ends at p, column x: a line end, or a space before a word that does not fit. */
static u8 line_ends(const u8 *p, u8 x)
{
    if (*p == CODE_LINE || x == LINE_WIDTH) return 1;
    return *p == TILE_SPACE && x + 1 + word_length(p + 1) > LINE_WIDTH;
}

static void print_message(void)
{
    const u8 *p = message;
    u8 x = 0, line = 0;
    for (; *p != CODE_END; p++) {
        if (*p == CODE_PAGE) {
            line = next_line(1);
            x = 0;
        } else if (line_ends(p, x)) {
            line = next_line(line);
            x = 0;
            if (*p != CODE_LINE && *p != TILE_SPACE) p--; /* a word as long as the line: no sign lost */
        } else {
            print_letter(x++, line, *p);
        }
    }
}

void msg_show(u8 how)
{
    text_box();
    wTextboxFlags |= TEXT_AT_WORK;
    hOAMUpdate = !wBattleMode;
    print_message();
    if (how == MSG_WAIT) wait_button();
    wTextboxFlags &= ~TEXT_AT_WORK;
    hOAMUpdate = 0;
    if (how == MSG_GO) pause_frames(wOptions & 0x10 ? 12 : 30);
}

void say(u8 text_id)
{
    const u8 *entry = (const u8 *)FAR_TEXTS_ADDR + (u16)text_id * 2;
    u16 text = far_read(FAR_TEXTS_BANK, entry) | (u16)far_read(FAR_TEXTS_BANK, entry + 1) << 8;
    msg();
    msg_far(FAR_TEXTS_BANK, (const u8 *)text);
    msg_show(MSG_WAIT);
}

void say_str(const char *ascii)
{
    msg();
    msg_str(ascii);
    msg_show(MSG_WAIT);
}

void battle_text(const char *ascii)
{
    msg();
    msg_str(ascii);
    msg_show(MSG_GO);
}
