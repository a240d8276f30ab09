/* The player's steps, with Emerald's timing: coordinates change on the first frame of a step, a step
 * takes 16 frames, pressing another direction only turns for the first eight. */
#include "field.h"

#define WALK_FRAMES 16
#define RUN_FRAMES 8
#define TURN_FRAMES 8
#define BUMP_FRAMES 16
#define PLACE_SIGN_FRAMES 90
#define PLACE_SIGN_H 22
#define PLAYER_SCREEN_X 112
#define PLAYER_SCREEN_Y 72

static u8 sign_frames;             /* until the place's name goes */
static u8 sign_width;

/* ---- place name ---- */

void place_sign_hide(void)
{
    if (sign_frames) ui_clear_rect(4, 4, sign_width, PLACE_SIGN_H);
    sign_frames = 0;
}

void place_sign_age(void)
{
    if (sign_frames == 1) place_sign_hide();
    else if (sign_frames) sign_frames--;
}

void place_sign_show(void)
{
    const u8 *name = section_names[gMapHeader.section];
    place_sign_hide();
    sign_width = ui_width(name) + 20;
    sign_frames = PLACE_SIGN_FRAMES;
    ui_box(4, 4, sign_width, PLACE_SIGN_H);
    ui_print(14, 9, name, INK_TEXT);
}

/* ---- frames ---- */

void field_draw(void)
{
    s16 left = person_pixel_x(PLAYER) - PLAYER_SCREEN_X, top = person_pixel_y(PLAYER) - PLAYER_SCREEN_Y;
    map_camera(left, top);
    people_draw(left, top);
}

void field_frames(u8 n)
{
    for (; n; n--) {
        people_animate();
        field_draw();
        wait_frame();
    }
}

void person_walk(u8 index, u8 direction)
{
    person_step(index, direction, WALK_FRAMES);
    while (!person_is_done(index)) field_frames(1);
    person_rest(index);
    field_draw();
}

/* ---- the player's steps ---- */

/* The step that has begun leads over the edge: the neighbour is the present map at once. */
static void cross_border(void)
{
    s16 x = SAVE1->x, y = SAVE1->y, dx, dy;
    u8 section = gMapHeader.section;
    u16 map = map_neighbour(&x, &y);
    dx = x - SAVE1->x;
    dy = y - SAVE1->y;
    map_load(map);
    SAVE1->x = x;
    SAVE1->y = y;
    people_shift(dx, dy);
    map_shift(dx, dy);
    map_load_tiles();
    gObjectEvents[PLAYER].mapNum = SAVE1->mapNum;
    gObjectEvents[PLAYER].mapGroup = SAVE1->mapGroup;
    note_arrival();
    if (gMapHeader.section != section) place_sign_show();
}

static void begin_step(u8 direction, u8 frames)
{
    person_step(PLAYER, direction, frames);
    SAVE1->x += step_dx[direction];
    SAVE1->y += step_dy[direction];
    if (!map_is_inside(SAVE1->x, SAVE1->y)) cross_border();
    map_draw_edge(direction);
    people_spawn();
    gPlayerAvatar.runningState = MOVES;
}

void player_walk(u8 direction)
{
    begin_step(direction, WALK_FRAMES);
    while (!person_is_done(PLAYER)) {
        field_frames(1);
        gPlayerAvatar.tileState = BETWEEN;
    }
    player_rest();
    field_draw();
}

static bool is_blocked(s16 x, s16 y)
{
    u8 own = gObjectEvents[PLAYER].elevation & 15, there = map_elevation(x, y);
    s16 beyond_x = x, beyond_y = y;
    if (map_is_closed(x, y) || person_at(x, y, own) != NOBODY) return true;
    if (own && there && there != BRIDGE && there != own) return true;
    return !map_is_inside(x, y) && map_neighbour(&beyond_x, &beyond_y) == NO_MAP;
}

static bool is_ledge(s16 x, s16 y, u8 direction)
{
    static const u8 ledges[5] = {0, LEDGE_SOUTH, LEDGE_NORTH, LEDGE_WEST, LEDGE_EAST};
    return metatile_behaviour(x, y) == ledges[direction] &&
           !is_blocked(x + step_dx[direction], y + step_dy[direction]);
}

static u8 step_frames(void)
{
    if (!(gMain.heldKeys & KEY_B) || !flag_get(FLAG_RUNNING_SHOES) || gMapHeader.type == MAP_TYPE_INDOOR) return WALK_FRAMES;
    gPlayerAvatar.flags |= PLAYER_RUNS;
    return RUN_FRAMES;
}

void player_move(u8 direction)
{
    s16 x = SAVE1->x + step_dx[direction], y = SAVE1->y + step_dy[direction];
    bool turns = direction != (gObjectEvents[PLAYER].facing & 15) && gPlayerAvatar.runningState != MOVES;
    person_rest(PLAYER);
    gPlayerAvatar.flags &= ~PLAYER_RUNS;
    gPlayerAvatar.runningState = direction == NOWHERE ? STILL : turns ? TURNS : MOVES;
    if (direction == NOWHERE) return;
    person_face(PLAYER, direction);
    if (turns) {
        person_do(PLAYER, TURNING, TURN_FRAMES);
    } else if (!is_blocked(x, y)) {
        begin_step(direction, step_frames());
    } else if (is_ledge(x, y, direction)) {
        begin_step(direction, WALK_FRAMES);
        persons[PLAYER].hop = 1;
    } else {
        person_do(PLAYER, BUMPING, BUMP_FRAMES);
    }
}

void player_hop_on(void)
{
    begin_step(gObjectEvents[PLAYER].facing & 15, WALK_FRAMES);
    persons[PLAYER].hop = 2;
}
