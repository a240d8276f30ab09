/* What moves only under the moss: boulders and who walks in a ring; and who is far away. */
#include "game.h"
#include "system.h"

#define RING_REST 8           /* ticks between the steps of who walks in a ring */

u8 strength_on;

static u8 is_near(const Object *o)
{
    return (u8)(o->x - PLAYER->x + 5) <= 11 && (u8)(o->y - PLAYER->y + 5) <= 10;
}

/* As in Crystal, only who is near has a struct; the others stand where the map's row says. */
void objects_cull(void)
{
    Object *o = OBJECTS;
    MapObject *row = MAP_OBJECTS + 1;
    u8 n;
    for (n = MAP_EVENTS[PEOPLE].count; n; n--, row++, o++) {
        if (o->movement == MOVE_BOULDER) o->facing = DOWN;
        if (o->movement == MOVE_BOULDER || is_near(o)) continue;
        o->sprite = o->step_duration = 0;
        o->x = o->last_x = row->x;
        o->y = o->last_y = row->y;
        row->struct_id = 0xFF;
    }
}

/* ---- boulders ---- */

void boulder_push(u8 x, u8 y, u8 direction)
{
    Object *o = object_at(x + 4, y + 4);
    u8 collision;
    if (!o || o->movement != MOVE_BOULDER || o->step_duration) return;
    x += step_dx[direction];
    y += step_dy[direction];
    collision = collision_at(x, y);
    if (permission(collision) != LAND || object_at(x + 4, y + 4)) return;
    if (collision == COLL_HOLE || !warp_at(x, y)) object_start_step(o, direction << 2);
}

/* It has come to rest: on a hole it falls, if it has an event that hides it. */
static void boulder_rests(const Object *o)
{
    if (o->collision != COLL_HOLE || ROW_OF(o)->flag == NO_FLAG) return;
    flag_set(ROW_OF(o)->flag);
    objects_refresh();
    blocks_refresh();
    overworld_redraw();
}

/* ---- rings ---- */

/* Clockwise round the square whose top left corner is home. */
static u8 ring_facing(const Object *o)
{
    u8 side = o->radius & 15, right = o->home_x + side, bottom = o->home_y + side;
    if (o->y == o->home_y && o->x < right) return RIGHT;
    if (o->x == right && o->y < bottom) return DOWN;
    return o->y == bottom && o->x > o->home_x ? LEFT : UP;
}

static void walk_ring(Object *o)
{
    if (--o->timer) return;
    o->timer = RING_REST;
    o->facing = ring_facing(o);
    if (may_wander(o, o->x + step_dx[o->facing >> 2], o->y + step_dy[o->facing >> 2]))
        object_start_step(o, o->facing);
}

u8 hollow_tick(void)
{
    Object *o = OBJECTS;
    u8 n, changed = 0;
    for (n = MAP_EVENTS[PEOPLE].count; n; n--, o++) {
        if (!o->sprite) continue;
        if (o->step_duration) {
            if (object_advance(o) && o->movement == MOVE_BOULDER) boulder_rests(o);
            changed = 1;
        } else if (o->movement == MOVE_RING) {
            walk_ring(o);
            changed |= o->step_duration;
        }
    }
    return changed;
}
