/* Walking about: one tick every two frames; a step is eight ticks, a turn or a bump four. */
#include "game.h"
#include "system.h"

#define TURN_TICKS 4
#define COLL_TALL_GRASS 0x18
#define COLL_HOP_DOWN 0xA3
#define COLL_CARPET_DOWN 0x70
#define COLL_DOOR 0x71
#define COLL_STAIRCASE 0x7A
#define COLL_COUNTER 0x90
#define STEP_FLAGS_START 0xA0
#define STEP_FLAGS_GO 0x20
#define STEP_FLAGS_STOP 0x60
#define STEP_FLAGS_MIDAIR 0x10
#define MAPSETUP_DOOR 0xF5
#define ENCOUNTER_OF_256 21   /* one in twelve steps in tall grass */
#define QUIET_STEPS 3         /* without an encounter after a battle */
#define PLACE_SIGN_TICKS 50
#define SPAWN_GROUP 40


const s8 step_dx[4] = {0, 0, -1, 1};
const s8 step_dy[4] = {1, -1, 0, 0};
u8 place_sign_ticks;

static u8 tick_mark;          /* hVBlankCounter at the last tick */
static u8 pressed;            /* newly pressed since the last tick */
static u8 step_type;          /* what PLAYER->step_duration counts: STEPPING, TURNING, BUMPING */
static u8 quiet_steps;
static u8 hop_again;          /* the second step of a hop is still to come */
#define STEPPING 6
#define TURNING 10
#define BUMPING 1

/* ---- place name ---- */

void place_sign_hide(void)
{
    place_sign_ticks = 0;
    rLCDC = LCDC_ON;
}

/* The window layer covers rows 15-17, so that scrolling and wTilemap stay as they are. */
void place_sign_show(u8 landmark)
{
    const char *name = landmark_names[landmark];
    u8 row[SCREEN_W], i, y;
    for (y = 0; y < 3; y++) {
        fill_bytes(row, y == 1 ? TILE_SPACE : 0x7A, SCREEN_W);
        row[0] = y == 0 ? 0x79 : y == 1 ? 0x7C : 0x7D;
        row[19] = y == 0 ? 0x7B : y == 1 ? 0x7C : 0x7E;
        for (i = 0; y == 1 && name[i]; i++) row[2 + i] = ascii_tiles[name[i] - 0x20];
        vram_row(row, 0x9C00 + y * 32, 0, SCREEN_W);
    }
    rWX = 7;
    rWY = 120;
    rLCDC = LCDC_ON | LCDC_WINDOW;
    place_sign_ticks = PLACE_SIGN_TICKS;
}

/* ---- ticks ---- */

void tick_wait(void)
{
    pressed = 0;
    do {
        wait_frames(1);
        pressed |= hJoyPressed;
    } while ((u8)(hVBlankCounter - tick_mark) < 2);
    tick_mark = hVBlankCounter;
    if (place_sign_ticks && --place_sign_ticks == 0) {
        place_sign_hide();
        sprites_draw();
    }
}

static void update_tiles(void)
{
    u8 x = wXCoord, y = wYCoord;
    wPlayerTileCollision = collision_at(x, y);
    wTileDown = collision_at(x, y + 1);
    wTileUp = collision_at(x, y - 1);
    wTileLeft = collision_at(x - 1, y);
    wTileRight = collision_at(x + 1, y);
    wTilePermissions = 0; /* this game has no tiles with single walled sides */
}

/* ---- the player's steps ---- */

/* Shift the tile map by a cell and draw the row or column of cells that comes into view. */
static void scroll_tilemap(u8 direction)
{
    view_column = (view_column + step_dx[direction] * 2) & 31;
    view_row = (view_row + step_dy[direction] * 2) & 31;
    if (direction == 0) {
        copy_bytes(wTilemap, wTilemap + 40, 320);
        copy_bytes(wAttrmap, wAttrmap + 40, 320);
        map_tiles_to_tilemap(0, 8, 10, 1);
        flush_rows(16, 2);
    } else if (direction == 1) {
        move_up(wTilemap + 40, wTilemap, 320);
        move_up(wAttrmap + 40, wAttrmap, 320);
        map_tiles_to_tilemap(0, 0, 10, 1);
        flush_rows(0, 2);
    } else if (direction == 2) {
        move_up(wTilemap + 2, wTilemap, 358);
        move_up(wAttrmap + 2, wAttrmap, 358);
        map_tiles_to_tilemap(0, 0, 1, 9);
        flush_rect(0, 0, 2, 18);
    } else {
        copy_bytes(wTilemap, wTilemap + 2, 358);
        copy_bytes(wAttrmap, wAttrmap + 2, 358);
        map_tiles_to_tilemap(9, 0, 1, 9);
        flush_rect(18, 0, 2, 18);
    }
}

static void set_scroll(void)
{
    u8 direction = wPlayerDirection >> 2;
    scroll_x = -step_dx[direction] * (s8)(PLAYER->step_duration * 2);
    scroll_y = -step_dy[direction] * (s8)(PLAYER->step_duration * 2);
}

static void start_step(u8 facing)
{
    u8 midair = wPlayerStepFlags & STEP_FLAGS_MIDAIR;
    object_start_step(PLAYER, facing);
    step_type = STEPPING;
    wPlayerStepFlags = STEP_FLAGS_START | midair;
    set_scroll();
    scroll_tilemap(facing >> 2);
}

static void start_turn(u8 facing)
{
    PLAYER->facing = facing;
    PLAYER->step_type = step_type = TURNING;
    PLAYER->step_duration = TURN_TICKS;
}

static void start_bump(void)
{
    step_type = BUMPING;
    PLAYER->step_duration = TURN_TICKS;
    PLAYER->step_frame ^= 1;
    PLAYER->action = 2;
}

/* A step ends for good: who reads RAM takes the player for free from here on, so what a step starts
 * (a script, a warp, a battle) must have set its own flag before. */
void player_rest(void)
{
    PLAYER->walking = 255;
    PLAYER->step_type = 1;
    PLAYER->action = 1;
    wPlayerStepFlags = 0;
}

/* One tick of whatever the player does; 1 when a whole step has ended, player_rest() to follow. */
static u8 player_advance(void)
{
    u8 midair = wPlayerStepFlags & STEP_FLAGS_MIDAIR;
    if (step_type != STEPPING) {
        if (--PLAYER->step_duration == 0) {
            PLAYER->step_type = 1;
            PLAYER->action = 1;
        }
        return 0;
    }
    if (--PLAYER->step_duration) {
        set_scroll();
        if (PLAYER->step_duration < 7)
            wPlayerStepFlags = (PLAYER->step_duration == 1 ? STEP_FLAGS_STOP : STEP_FLAGS_GO) | midair;
        return 0;
    }
    if ((u8)(PLAYER->x - 4) >= map->width * 2 || (u8)(PLAYER->y - 4) >= map->height * 2)
        wMapStatus = 1; /* the coordinates are those of no map until cross_border has done its work */
    wXCoord = PLAYER->x - 4;
    wYCoord = PLAYER->y - 4;
    PLAYER->last_x = PLAYER->x;
    PLAYER->last_y = PLAYER->y;
    scroll_x = scroll_y = 0;
    wStepCount++;
    update_tiles();
    return 1;
}

void script_tick(void)
{
    Object *o = OBJECTS;
    u8 n;
    tick_wait();
    if (PLAYER->step_duration && player_advance()) player_rest();
    for (n = map->people_count; n; n--, o++)
        if (o->step_duration) object_advance(o);
    sprites_draw();
}

void player_walk(u8 facing)
{
    PLAYER->facing = facing;
    start_step(facing);
    while (PLAYER->step_duration) script_tick();
}

void object_walk(Object *o, u8 facing)
{
    object_start_step(o, facing);
    while (o->step_duration) script_tick();
}

/* ---- maps ---- */

void overworld_redraw(void)
{
    wSpriteUpdatesEnabled = 1;
    map_tiles_to_tilemap(0, 0, 10, 9);
    flush_all();
    animation_on = 1;
    sprites_draw();
    tick_mark = hVBlankCounter;
}

static void stand_at(u8 x, u8 y)
{
    wXCoord = x;
    wYCoord = y;
    PLAYER->x = PLAYER->last_x = x + 4;
    PLAYER->y = PLAYER->last_y = y + 4;
    PLAYER->step_duration = 0;
    update_tiles();
    player_rest();
}

static void note_visit(void)
{
    u8 i;
    for (i = 0; spawns[i].map; i++)
        if (spawns[i].map == wMapNumber) wVisitedSpawns[spawns[i].bit >> 3] |= 1 << (spawns[i].bit & 7);
}

/* With the screen faded out or white; fades in. */
void enter_map(u8 number, u8 x, u8 y)
{
    wMapStatus = 1;
    hMapEntryMethod = MAPSETUP_DOOR;
    animation_on = 0;
    sprites_hide();
    map_load(number);
    view_column = view_row = 0;
    scroll_x = scroll_y = 0;
    stand_at(x, y);
    people_load();
    overworld_redraw();
    note_visit();
    arrival();
    fade_in(map_palset);
    if (wCurLandmark != wPrevLandmark && wEnvironment <= 2) place_sign_show(wCurLandmark);
    sprites_draw();
    hMapEntryMethod = 0;
    wMapStatus = 2;
    tick_mark = hVBlankCounter;
}

/* Out of a door one step down, as the player cannot stay in the doorway. */
static void step_out_of_door(void)
{
    wMapEventStatus = 1;
    wScriptRunning = 5;
    player_walk(DOWN);
    wScriptRunning = 0;
    wMapEventStatus = 0;
}

static void take_warp(const Warp *w)
{
    u8 target = w->number, entry[2];
    const MapHeader *to = map_headers + target - 1;
    far_copy(to->bank, to->warps + (w->warp - 1) * 5, entry, 2);
    wMapStatus = 1;
    player_rest();
    place_sign_hide();
    fade_out();
    enter_map(target, entry[1], entry[0]);
    if (wPlayerTileCollision == COLL_DOOR) step_out_of_door();
}

/* Over the edge: wXCoord or wYCoord has just become 255 or the map's size. The neighbour's strip is
 * on the screen already, so nothing is drawn anew. */
static void cross_border(u8 side)
{
    u8 x = wXCoord, y = wYCoord;
    s8 offset = map->neighbour[side].offset * 2;
    wMapStatus = 1;
    sprites_draw();
    tick_wait();
    map_load(map->neighbour[side].map);
    if (side == NORTH) y = map->height * 2 - 1;
    else if (side == SOUTH) y = 0;
    else if (side == WEST) x = map->width * 2 - 1;
    else x = 0;
    if (side <= SOUTH) x -= offset;
    else y -= offset;
    stand_at(x, y);
    people_load();
    sprites_draw();
    note_visit();
    arrival();
    if (wCurLandmark != wPrevLandmark) place_sign_show(wCurLandmark);
    wMapStatus = 2;
}

static u8 border_crossed(void)
{
    if (wYCoord == 255) cross_border(NORTH);
    else if (wYCoord == map->height * 2) cross_border(SOUTH);
    else if (wXCoord == 255) cross_border(WEST);
    else if (wXCoord == map->width * 2) cross_border(EAST);
    else return 0;
    return 1;
}

/* ---- battles ---- */

static void whiteout(void)
{
    u8 i;
    clear_tilemap();
    flush_all();
    if (wLastSpawnMapGroup != SPAWN_GROUP) {
        enter_map(MAP_HOME_2F, HOME_SPAWN_X, HOME_SPAWN_Y);
        return;
    }
    for (i = 0; spawns[i].map != wLastSpawnMapNumber; i++);
    PLAYER->facing = DOWN;
    enter_map(spawns[i].map, spawns[i].x, spawns[i].y);
}

void battle_over(u8 result)
{
    quiet_steps = QUIET_STEPS;
    if (result == 1 && wBattleType != 1) {
        whiteout();
        return;
    }
    sprites_hide();
    overworld_redraw();
    load_object_palettes();
    fade_in(map_palset);
    wMapStatus = 2;
}

static void wild_encounter(void)
{
    const u8 *slot;
    u8 roll;
    if (map->wild_pool == 255 || wPlayerTileCollision != COLL_TALL_GRASS || !party_alive()) return;
    if (quiet_steps) {
        quiet_steps--;
        return;
    }
    if (rnd() >= ENCOUNTER_OF_256) return;
    slot = wild_pools[map->wild_pool];
    for (roll = rnd(); slot[3] && roll >= slot[3]; slot += 4) roll -= slot[3];
    wScriptRunning = 255;
    player_rest();
    place_sign_hide();
    animation_on = 0;
    battle_over(battle_wild(slot[0], slot[1] + rnd_below(slot[2] - slot[1] + 1)));
    wScriptRunning = 0;
}

/* ---- control ---- */

/* Everything that can happen where a step has ended, at most one of it. */
static void arrived(void)
{
    const Warp *w;
    if (border_crossed()) return;
    w = warp_at(wXCoord, wYCoord);
    if (w && (wPlayerTileCollision == COLL_DOOR || wPlayerTileCollision == COLL_STAIRCASE)) {
        take_warp(w);
        return;
    }
    if (step_trigger() || trainer_sees()) return;
    wild_encounter();
    player_rest();
}

static u8 pressed_facing(void)
{
    if (hJoypadDown & PAD_DOWN) return DOWN;
    if (hJoypadDown & PAD_UP) return UP;
    if (hJoypadDown & PAD_LEFT) return LEFT;
    if (hJoypadDown & PAD_RIGHT) return RIGHT;
    return 255;
}

static u8 over_edge(u8 x, u8 y)
{
    if (y == 255) return !(map->connections & 8);
    if (y == map->height * 2) return !(map->connections & 4);
    if (x == 255) return !(map->connections & 2);
    if (x == map->width * 2) return !(map->connections & 1);
    return 0;
}

static u8 ahead(u8 direction)
{
    if (direction == 0) return wTileDown;
    if (direction == 1) return wTileUp;
    return direction == 2 ? wTileLeft : wTileRight;
}

static u8 is_free(u8 x, u8 y)
{
    return !over_edge(x, y) && !object_at(x + 4, y + 4);
}

/* Walk, hop or bump, facing already there. */
static void try_step(u8 facing)
{
    u8 direction = facing >> 2, collision = ahead(direction);
    u8 x = wXCoord + step_dx[direction], y = wYCoord + step_dy[direction];
    const Warp *w;
    if (facing == DOWN && wPlayerTileCollision == COLL_CARPET_DOWN) {
        w = warp_at(wXCoord, wYCoord);
        if (w) {
            take_warp(w);
            return;
        }
    }
    if (wPlayerTileCollision == COLL_HOP_DOWN && facing == DOWN && is_free(x, y + 1)) {
        wPlayerStepFlags = STEP_FLAGS_MIDAIR;
        PLAYER->timer = hop_again = 1;
        start_step(facing);
    } else if (is_wall(collision) || !is_free(x, y)) {
        start_bump();
    } else {
        start_step(facing);
    }
}

static void interact(void)
{
    u8 direction = wPlayerDirection >> 2;
    u8 x = wXCoord + step_dx[direction], y = wYCoord + step_dy[direction];
    Object *o;
    const Sign *s = sign_at(x, y);
    if (ahead(direction) == COLL_COUNTER && !s) { /* people behind a counter */
        x += step_dx[direction];
        y += step_dy[direction];
    }
    o = object_at(x + 4, y + 4);
    if (o && !o->step_duration) talk_to(o);
    else if (s) read_sign(s);
}

static void control(void)
{
    u8 facing;
    wPlayerStepFlags = 0;
    if (pressed & PAD_A) {
        interact();
        return;
    }
    if (pressed & PAD_START) {
        start_menu();
        return;
    }
    facing = pressed_facing();
    if (facing == 255) return;
    if (facing != wPlayerDirection) start_turn(facing);
    else try_step(facing);
}

/* The second half of a hop needs no button. */
static void continue_hop(void)
{
    hop_again = 0;
    PLAYER->timer = 0;
    start_step(DOWN);
}

void overworld_run(void)
{
    u8 changed;
    for (;;) {
        tick_wait();
        if (!PLAYER->step_duration) control();
        changed = PLAYER->step_duration;
        if (changed && player_advance()) {
            if (hop_again) continue_hop();
            else arrived();
        }
        if (people_tick() || changed) sprites_draw();
    }
}
