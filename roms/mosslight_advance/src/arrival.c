/* What entering a map changes. */
#include "field.h"

static void set_heal(u16 map, s16 x, s16 y)
{
    SAVE1->lastHeal.mapGroup = map >> 8;
    SAVE1->lastHeal.mapNum = map & 0xFF;
    SAVE1->lastHeal.warpId = -1;
    SAVE1->lastHeal.x = x;
    SAVE1->lastHeal.y = y;
}

/* Whoever has been in the rest house wakes up before its door after a defeat. */
void note_arrival(void)
{
    u16 map = MAP(SAVE1->mapGroup, SAVE1->mapNum);
    if (map == MAP_MILLBROOK_PATH) flag_set(FLAG_ROUTE_ENTERED);
    if (map == MAP_STONEHOLLOW) flag_set(FLAG_STONEHOLLOW_REACHED);
    if (map == MAP_GYM) flag_set(FLAG_GYM_ENTERED);
    if (map != MAP_CENTER) return;
    flag_set(FLAG_CENTER_VISITED);
    set_heal(MAP_STONEHOLLOW, SPAWN_STONEHOLLOW_X, SPAWN_STONEHOLLOW_Y);
}
