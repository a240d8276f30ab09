/* Walking about, with Emerald's timing: coordinates change on the first frame of a step, a step
 * takes 16 frames, pressing another direction only turns for the first eight. In each frame
 * CB1_Overworld looks at the keys and CB2_Overworld moves and draws; what a step or a key starts
 * (a script, a warp, a battle) runs to its end inside CB1_Overworld. */
#include "field.h"

#define WALK_FRAMES 16
#define RUN_FRAMES 8
#define TURN_FRAMES 8
#define BUMP_FRAMES 16
#define STAT_STEPS 5
#define RUNNING 0x80               /* gPlayerAvatar.flags */
#define ENCOUNTER_OF 2880          /* a map's rate counts 16 of so many */
#define PLACE_SIGN_FRAMES 90
#define PLACE_SIGN_H 22

enum { SETTLED, BETWEEN, CENTRED };        /* gPlayerAvatar.tileState */
enum { STILL, TURNS, MOVES };              /* gPlayerAvatar.runningState */

u8 quiet_steps;
static u8 sign_frames;             /* until the place's name goes */
static u8 sign_width;

/* ---- place name ---- */

void place_sign_hide(void)
{
    if (sign_frames) ui_clear_rect(4, 4, sign_width, PLACE_SIGN_H);
    sign_frames = 0;
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
    map_camera(person_pixel_x(PLAYER), person_pixel_y(PLAYER));
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

void player_rest(void)
{
    person_rest(PLAYER);
    gPlayerAvatar.tileState = SETTLED;
    gPlayerAvatar.runningState = STILL;
    gPlayerAvatar.flags &= ~RUNNING;
}

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
    story_arrival();
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
    if (own && there && there != 15 && there != own) return true;
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
    gPlayerAvatar.flags |= RUNNING;
    return RUN_FRAMES;
}

/* Turn, walk, hop down a ledge or bump. */
static void move_player(u8 direction)
{
    s16 x = SAVE1->x + step_dx[direction], y = SAVE1->y + step_dy[direction];
    bool turns = direction != (gObjectEvents[PLAYER].facing & 15) && gPlayerAvatar.runningState != MOVES;
    person_rest(PLAYER);
    gPlayerAvatar.flags &= ~RUNNING;
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

/* From the ledge itself down to the ground. */
static void hop_on(void)
{
    begin_step(gObjectEvents[PLAYER].facing & 15, WALK_FRAMES);
    persons[PLAYER].hop = 2;
}

/* ---- what happens on the way ---- */

static bool coord_event(void)
{
    const struct CoordEvent *event = map_coord_event(SAVE1->x, SAVE1->y);
    if (!event) return false;
    script_run(event->script);
    return true;
}

static bool stairs(void)
{
    const struct WarpEvent *warp = map_warp(SAVE1->x, SAVE1->y);
    if (!warp || metatile_behaviour(SAVE1->x, SAVE1->y) != STAIRS) return false;
    warp_take(warp);
    return true;
}

static bool wild_encounter(void)
{
    u8 i;
    if (metatile_behaviour(SAVE1->x, SAVE1->y) != GRASS_TALL || !party_alive()) return false;
    for (i = 0; i < map_pools_count; i++)
        if (map_pools[i].map == MAP(SAVE1->mapGroup, SAVE1->mapNum)) break;
    if (i == map_pools_count) return false;
    if (quiet_steps) {
        quiet_steps--;
        return false;
    }
    if (rnd_below(ENCOUNTER_OF) >= map_pools[i].rate * 16) return false;
    field_lock();
    battle_done(battle_pool(map_pools[i].pool));
    field_unlock();
    return true;
}

/* A mat under the player that leads out in the direction, or a door right before. */
static bool way_out(u8 direction)
{
    static const u8 mats[5] = {0, MAT_SOUTH, MAT_NORTH, MAT_WEST, MAT_EAST};
    const struct WarpEvent *warp = map_warp(SAVE1->x, SAVE1->y);
    if (warp && metatile_behaviour(SAVE1->x, SAVE1->y) == mats[direction]) {
        warp_take(warp);
        return true;
    }
    warp = map_warp(SAVE1->x, SAVE1->y - 1);
    if (direction != UP || !warp || metatile_behaviour(SAVE1->x, SAVE1->y - 1) != DOOR) return false;
    warp_through_door(warp);
    return true;
}

/* Whom or what the player faces; people may stand behind a counter. */
static bool interact(void)
{
    u8 direction = gObjectEvents[PLAYER].facing & 15, elevation = gObjectEvents[PLAYER].elevation & 15, who;
    s16 x = SAVE1->x + step_dx[direction], y = SAVE1->y + step_dy[direction];
    const struct BgEvent *sign = map_sign(x, y, direction);
    if (metatile_behaviour(x, y) == COUNTER) {
        x += step_dx[direction];
        y += step_dy[direction];
    }
    who = person_at(x, y, elevation);
    if (who != NOBODY) talk_to(who);
    else if (sign) script_run(sign->script);
    return who != NOBODY || sign;
}

static void open_start_menu(void)
{
    field_lock();
    start_menu();
    field_unlock();
}

/* At most one thing happens. A step that has just ended comes before the keys. */
static bool something_happens(bool has_stepped, u8 direction)
{
    if (trainers_look()) return true;
    if (has_stepped && (coord_event() || stairs() || wild_encounter())) return true;
    if (direction && direction == (gObjectEvents[PLAYER].facing & 15) && way_out(direction)) return true;
    if (gMain.newKeys & KEY_A && interact()) return true;
    if (!(gMain.newKeys & KEY_START)) return false;
    open_start_menu();
    return true;
}

/* ---- the loop ---- */

static u8 held_direction(void)
{
    u16 keys = gMain.heldKeys;
    if (keys & KEY_UP) return UP;
    if (keys & KEY_DOWN) return DOWN;
    if (keys & KEY_LEFT) return LEFT;
    return keys & KEY_RIGHT ? RIGHT : NOWHERE;
}

void CB1_Overworld(void)
{
    const struct Person *player = &persons[PLAYER];
    u8 direction = held_direction();
    bool has_stepped;
    if (player->action == BUMPING && direction && direction != (gObjectEvents[PLAYER].facing & 15)) player_rest();
    gPlayerAvatar.tileState = player->action == STANDING ? SETTLED : person_is_done(PLAYER) ? CENTRED : BETWEEN;
    if (gPlayerAvatar.tileState == BETWEEN) return;
    has_stepped = player->action == STEPPING;
    if (has_stepped) stat_add(STAT_STEPS, 1);
    if (player->hop == 1) hop_on();
    else if (!something_happens(has_stepped, direction)) move_player(direction);
}

void CB2_Overworld(void)
{
    people_think();
    people_animate();
    field_draw();
    if (sign_frames == 1) place_sign_hide();
    else if (sign_frames) sign_frames--;
}

static void animate_tiles(void)
{
    Callback animation = gMain.callback2 == CB2_Overworld ? gMapHeader.layout->primary->callback : 0;
    if (animation) animation();
}

void overworld(void)
{
    gMain.vblankCallback = animate_tiles;
    if (SAVE1->lastHeal.x) map_enter(MAP(SAVE1->mapGroup, SAVE1->mapNum), 0xFF);
    else new_game();
    for (;;) {
        wait_frame();
        CB1_Overworld();
        CB2_Overworld();
    }
}
