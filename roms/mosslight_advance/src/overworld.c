/* The field's loop. In each frame CB1_Overworld looks at the keys and CB2_Overworld moves and draws; what
 * a step or a key starts (a script, a warp, a battle) runs to its end inside CB1_Overworld. */
#include "field.h"

#define STAT_STEPS 5
#define ENCOUNTER_OF 2880          /* a map's rate counts 16 of so many */

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
    u8 direction = gObjectEvents[PLAYER].facing & 15, level, who;
    s16 x = SAVE1->x + step_dx[direction], y = SAVE1->y + step_dy[direction];
    const struct BgEvent *sign = map_sign(x, y, direction);
    level = map_elevation(x, y) ? person_level(PLAYER) : 0;
    if (metatile_behaviour(x, y) == COUNTER) {
        x += step_dx[direction];
        y += step_dy[direction];
    }
    who = person_at(x, y, level);
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
    if (player->hop == 1) player_hop_on();
    else if (!something_happens(has_stepped, direction)) player_move(direction);
}

void CB2_Overworld(void)
{
    people_think();
    people_animate();
    field_draw();
    place_sign_age();
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
