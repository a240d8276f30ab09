/* The choice of the first creature: three side by side, the middle one to begin with; B does nothing. */
#include "battle.h"

#define PICTURE_TILES 64
#define PICTURE_Y 6
#define COLUMN_W 80
#define NAME_Y 74
#define FADE 8

const u16 sStarterMon[3] = {SPECIES_SPRIGOT, SPECIES_CINDLE, SPECIES_RILLET};
static const u16 questions[3] = {TEXT_BALL_3, TEXT_BALL_1, TEXT_BALL_2};
static u8 chosen, task;

static s16 middle(u8 column)
{
    return column * COLUMN_W + COLUMN_W / 2;
}

static void show_names(void)
{
    u8 column;
    ui_fill(0, NAME_Y - 2, SCREEN_W, 16, INK_PAPER);
    for (column = 0; column < COUNT(sStarterMon); ++column) {
        const u8 *name = gSpeciesNames[sStarterMon[column]];
        s16 x = middle(column) - ui_width(name) / 2;
        ui_print(x, NAME_Y, name, INK_TEXT);
        if (column == chosen) cursor_draw(x - 10, NAME_Y + 1, INK_CURSOR);
    }
}

static void show_pictures(void)
{
    u8 column;
    for (column = 0; column < COUNT(sStarterMon); ++column) {
        const struct Picture *picture = &species_fronts[sStarterMon[column]];
        sprite_tiles(column * PICTURE_TILES, picture->tiles, PICTURE_TILES);
        pal_load(16 + column, picture->palette);
        sprite_put(column, middle(column) - 32, PICTURE_Y, SPRITE_64x64, column * PICTURE_TILES, column, 0);
    }
}

/* Until A. */
void Task_HandleStarterChooseInput(void)
{
    u16 keys;
    do {
        gTasks[task].data[0] = chosen;
        show_names();
        wait_frame();
        keys = gMain.newKeys;
        if (keys & KEY_LEFT && chosen) --chosen;
        if (keys & KEY_RIGHT && chosen + 1u < COUNT(sStarterMon)) ++chosen;
    } while (!(keys & KEY_A));
}

/* True: it is the one. */
void Task_HandleConfirmStarterInput(void) {}

static bool is_confirmed(void)
{
    msg();
    msg_add(text_table[questions[chosen]]);
    msg_show(MSG_STAY);
    return yes_no_of(Task_HandleConfirmStarterInput);
}

static void ask_which(void)
{
    msg();
    msg_add(T("Which one comes with you?"));
    msg_show(MSG_STAY);
    task = task_begin(Task_HandleStarterChooseInput);
    Task_HandleStarterChooseInput();
    task_end(Task_HandleStarterChooseInput);
}

void CB2_StarterChoose(void)
{
    chosen = 1;
    screen_open(&backdrop_screen);
    show_pictures();
    show_names();
    screen_light();
    do ask_which();
    while (!is_confirmed());
}

u16 starter_screen(void)
{
    fade_out(FADE);
    enter(CB2_StarterChoose);
    fade_out(FADE);
    sprites_hide();
    ui_clear();
    return sStarterMon[chosen];
}
