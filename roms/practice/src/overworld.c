/* Walking about: one tick every two frames; a step is eight ticks, a turn or a bump four. */
#include "game.h"
#include "system.h"

#define TURN_TICKS 4
#define COLL_TALL_GRASS 0x18
#define COLL_ICE 0x23
#define COLL_DOOR 0x71
#define COLL_DOOR_79 0x79
#define COLL_STAIRCASE 0x7A
#define COLL_CAVE 0x7B
#define COLL_LEDGES 0xA0
#define COLL_COUNTER 0x90
#define STEP_FLAGS_START 0xA0
#define STEP_FLAGS_GO 0x20
#define STEP_FLAGS_STOP 0x60
#define STEP_FLAGS_MIDAIR 0x10
#define MAPSETUP_DOOR 0xF5
#define ENCOUNTER_OF_256 21   /* one in twelve steps in tall grass */
#define QUIET_STEPS 3         /* without an encounter after a battle */
#define PLACE_SIGN_TICKS 50
#define TOWN_OR_ROUTE(environment) ((environment) <= 2)
#define CAVE 4
#define BACK 255               /* as a warp's number: where one came from */

const s8 step_dx[4] = {0, 0, -1, 1};
const s8 step_dy[4] = {1, -1, 0, 0};
u8 place_sign_ticks;

static u8 tick_mark;          /* hVBlankCounter at the last tick */
static u8 pressed;            /* newly pressed since the last tick */
static u8 step_type;          /* what PLAYER->step_duration counts: STEPPING, TURNING, BUMPING */
static u8 quiet_steps;
static u8 hop_again;          /* the second step of a hop is still to come */
static u8 in_hollow;          /* hollow_run() runs */
static void hollow_run(void);
#define STEPPING 6
#define TURNING 10
#define TURN_SCRIPT 9         /* wScriptRunning while the player turns */
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

void update_tiles(void)
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
    wScriptRunning = TURN_SCRIPT;
}

static void start_bump(void)
{
    step_type = BUMPING;
    PLAYER->step_duration = TURN_TICKS;
    PLAYER->step_frame ^= 1;
    PLAYER->action = 2;
}

/* A step ends. Who reads RAM takes the player for free from the next tick on, which clears
 * wMapEventStatus, or at once after a script: what a step starts (a script, a warp, a battle) must
 * have set its own flag before. */
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
            if (wScriptRunning == TURN_SCRIPT) wScriptRunning = 0;
        }
        return 0;
    }
    if (--PLAYER->step_duration) {
        set_scroll();
        if (PLAYER->step_duration < 7)
            wPlayerStepFlags = (PLAYER->step_duration == 1 ? STEP_FLAGS_STOP : STEP_FLAGS_GO) | midair;
        return 0;
    }
    if ((u8)(PLAYER->x - 4) >= MAP->width * 2 || (u8)(PLAYER->y - 4) >= MAP->height * 2)
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
    for (n = MAP_EVENTS[PEOPLE].count; n; n--, o++)
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
    wMapEventStatus = 0;
    update_tiles();
    player_rest();
}

static void note_visit(void)
{
    Spawn spawn;
    u8 bit = spawn_row(wMapNumber, &spawn);
    if (bit != 255) wVisitedSpawns[bit >> 3] |= 1 << (bit & 7);
}

static void land(void)
{
    wPlayerState = 0;
    hero_load();
}

/* With the screen faded out or white; fades in. To a warp's number, or to (x, y) for warp 0. */
static void enter_at(u8 number, u8 warp, u8 x, u8 y)
{
    wMapStatus = 1;
    hMapEntryMethod = MAPSETUP_DOOR;
    animation_on = 0;
    sprites_hide();
    map_load(number);
    if (wPlayerState) land();
    if (warp) {
        x = warp_number(warp)->x;
        y = warp_number(warp)->y;
    }
    view_column = view_row = 0;
    scroll_x = scroll_y = 0;
    stand_at(x, y);
    people_load();
    overworld_redraw();
    note_visit();
    arrival();
    fade_in(map_palset);
    if (wCurLandmark != wPrevLandmark && TOWN_OR_ROUTE(wEnvironment)) place_sign_show(wCurLandmark);
    sprites_draw();
    hMapEntryMethod = 0;
    wMapStatus = 2;
    tick_mark = hVBlankCounter;
}

void enter_map(u8 number, u8 x, u8 y)
{
    enter_at(number, 0, x, y);
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

/* Tiles on which one only stands while going through: on arrival one is pushed down. */
static u8 pushes_down(u8 collision)
{
    return collision == COLL_DOOR || collision == COLL_DOOR_79 || collision == COLL_STAIRCASE ||
           collision == COLL_CAVE;
}

void take_warp(const Warp *w)
{
    u8 target = w->number, warp = w->warp;
    if (warp == BACK) {
        warp = wBackupWarpNumber;
        target = wBackupMapNumber;
    } else {
        wBackupWarpNumber = w - warp_number(1) + 1;
        wBackupMapGroup = wMapGroup;
        wBackupMapNumber = wMapNumber;
    }
    wMapStatus = 1;
    player_rest();
    place_sign_hide();
    fade_out();
    enter_at(target, warp, 0, 0);
    if (pushes_down(wPlayerTileCollision)) step_out_of_door();
}

/* Over the edge: wXCoord or wYCoord has just become 255 or the map's size. The connection says the
 * one anew and what to add to the other. The neighbour's strip is on the screen already, so nothing
 * is drawn. */
static void cross_border(u8 side)
{
    const Connection *c = MAP->neighbour + side;
    u8 x = c->x, y = c->y;
    if (side <= SOUTH) x += wXCoord;
    else y += wYCoord;
    wMapStatus = 1;
    sprites_draw();
    tick_wait();
    map_load(c->number);
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
    else if (wYCoord == MAP->height * 2) cross_border(SOUTH);
    else if (wXCoord == 255) cross_border(WEST);
    else if (wXCoord == MAP->width * 2) cross_border(EAST);
    else return 0;
    return 1;
}

/* ---- battles ---- */

static void whiteout(void)
{
    Spawn spawn;
    clear_tilemap();
    flush_all();
    spawn_row(wLastSpawnMapNumber, &spawn); /* 0, at first, is home */
    PLAYER->facing = DOWN;
    enter_map(spawn.number, spawn.x, spawn.y);
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
    u8 pool = map_pools[wMapNumber - 1];
    if (pool == 255 || !party_alive()) return;
    if (wPlayerTileCollision != COLL_TALL_GRASS && wEnvironment != CAVE) return;
    if (quiet_steps) {
        quiet_steps--;
        return;
    }
    if (rnd() >= ENCOUNTER_OF_256) return;
    wScriptRunning = 255;
    player_rest();
    place_sign_hide();
    animation_on = 0;
    battle_over(battle_pool(pool));
    wScriptRunning = 0;
}

/* ---- control ---- */

/* Doors, stairs, ladders, caves and holes, but no carpets: these are 70, 76, 78 and 7E. */
static u8 is_door(u8 collision)
{
    if (collision == COLL_HOLE) return 1;
    return (collision & 0xF0) == 0x70 && (collision & 1 || collision == 0x72 || collision == 0x74 ||
                                          collision == COLL_STAIRCASE || collision == 0x7C);
}

/* Everything that can happen where a step has ended, at most one of it. */
static void arrived(void)
{
    const Warp *w;
    if (wPlayerState == SURFING && permission(wPlayerTileCollision) == LAND) land();
    if (border_crossed()) return;
    w = warp_at(wXCoord, wYCoord);
    if (w && is_door(wPlayerTileCollision)) {
        take_warp(w);
        if (wMapNumber >= FIRST_HOLLOW_MAP && !in_hollow) hollow_run();
        return;
    }
    if (step_trigger() || trainer_sees()) return;
    if (wJohtoBadges && phone_rings()) return;
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
    if (y == 255) return !(MAP->connections & 8);
    if (y == MAP->height * 2) return !(MAP->connections & 4);
    if (x == 255) return !(MAP->connections & 2);
    if (x == MAP->width * 2) return !(MAP->connections & 1);
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

static u8 is_passable(u8 collision)
{
    u8 kind = permission(collision);
    return kind == LAND || (kind == WATER && wPlayerState == SURFING);
}

/* By direction: the carpet that leads out there, and a bit of ledge_ways. */
static const u8 carpets[4] = {0x70, 0x78, 0x76, 0x7E};
static const u8 ways[4] = {1, 2, 4, 8};
/* Which ways one hops from the collisions A0-A7. */
static const u8 ledge_ways[8] = {8, 4, 2, 1, 9, 5, 10, 6};

static u8 is_ledge(u8 collision, u8 direction)
{
    return (collision & 0xF8) == COLL_LEDGES && ledge_ways[collision & 7] & ways[direction];
}

/* Walk, else hop, else leave by a carpet, else bump; facing already there. */
static void try_step(u8 facing)
{
    u8 direction = facing >> 2;
    u8 x = wXCoord + step_dx[direction], y = wYCoord + step_dy[direction];
    if (is_passable(ahead(direction)) && is_free(x, y)) {
        start_step(facing);
    } else if (is_ledge(wPlayerTileCollision, direction) &&
               is_free(x + step_dx[direction], y + step_dy[direction])) {
        wPlayerStepFlags = STEP_FLAGS_MIDAIR;
        PLAYER->timer = hop_again = 1;
        start_step(facing);
    } else if (wPlayerTileCollision == carpets[direction] && warp_at(wXCoord, wYCoord)) {
        take_warp(warp_at(wXCoord, wYCoord));
    } else {
        if (strength_on) boulder_push(x, y, direction);
        start_bump();
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
    else if (ahead(direction) == COLL_CUT_TREE || permission(ahead(direction)) == WATER)
        field_use(ahead(direction), x, y);
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
    start_step(wPlayerDirection);
}

void overworld_run(void)
{
    u8 changed;
    for (;;) {
        tick_wait();
        wMapEventStatus = PLAYER->step_duration && step_type == STEPPING;
        if (!PLAYER->step_duration) control();
        changed = PLAYER->step_duration;
        if (changed && player_advance()) {
            if (hop_again) continue_hop();
            else arrived();
        }
        if (people_tick() || changed) sprites_draw();
    }
}

/* On ice one slides on until somebody or something is in the way. */
static u8 slides(void)
{
    u8 direction = wPlayerDirection >> 2;
    return wPlayerTileCollision == COLL_ICE && is_passable(ahead(direction)) &&
           is_free(wXCoord + step_dx[direction], wYCoord + step_dy[direction]);
}

/* The same loop for the maps under the moss, with what only they have; a loop of its own, so that
 * the others take not a cycle longer than before. */
static void hollow_run(void)
{
    u8 changed;
    in_hollow = 1;
    while (wMapNumber >= FIRST_HOLLOW_MAP) {
        tick_wait();
        wMapEventStatus = PLAYER->step_duration && step_type == STEPPING;
        if (!PLAYER->step_duration) control();
        changed = PLAYER->step_duration;
        if (changed && player_advance()) {
            objects_refresh();
            if (slides()) start_step(wPlayerDirection);
            else arrived();
        }
        if (hollow_tick() || changed) sprites_draw();
    }
    in_hollow = 0;
}
