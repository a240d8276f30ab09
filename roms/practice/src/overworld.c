/* What the player does by pressing, where steps lead, and the loops that let it. */
#include "game.h"
#include "system.h"

#define COLL_ICE 0x23
#define COLL_LEDGES 0xA0
#define COLL_COUNTER 0x90

static u8 hop_again;          /* the second step of a hop is still to come */
static u8 in_hollow;          /* hollow_run() runs */
static void hollow_run(void);

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
