/* From map to map, by doors, over edges and after defeats; to wild creatures and back. */
#include "game.h"
#include "system.h"

#define COLL_TALL_GRASS 0x18
#define COLL_DOOR 0x71
#define COLL_DOOR_79 0x79
#define COLL_CAVE 0x7B
#define MAPSETUP_DOOR 0xF5
#define ENCOUNTER_OF_256 21   /* one in twelve steps in tall grass */
#define QUIET_STEPS 3         /* without an encounter after a battle */
#define TOWN_OR_ROUTE(environment) ((environment) <= 2)
#define CAVE 4
#define BACK 255               /* as a warp's number: where one came from */

static u8 quiet_steps;

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

void land(void)
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

u8 border_crossed(void)
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

void wild_encounter(void)
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
