/* Boulders: with STRENGTH a push moves them one cell, and in its hole one is gone for good. */
#include "game.h"
#include "system.h"

u8 strength_on; /* until the map is left */

/* Somebody walks against (x, y): a boulder there moves on, if nothing is in its way. */
void boulder_push(u8 x, u8 y, u8 direction)
{
    Object *o = object_at(x + 4, y + 4);
    u8 collision;
    if (!strength_on || !o || o->movement != MOVE_BOULDER || o->step_duration) return;
    x += step_dx[direction];
    y += step_dy[direction];
    collision = collision_at(x, y);
    if (permission(collision) != LAND || object_at(x + 4, y + 4)) return;
    if (collision == COLL_HOLE || !warp_at(x, y)) object_start_step(o, direction << 2);
}

/* It has come to rest: on a hole it falls, if it has an event that hides it. */
void boulder_rests(Object *o)
{
    o->facing = DOWN;
    if (o->collision != COLL_HOLE || ROW_OF(o)->flag == NO_FLAG) return;
    flag_set(ROW_OF(o)->flag);
    objects_refresh();
    blocks_refresh();
    overworld_redraw();
}
