/* People and things: gObjectEvents near the screen, and their steps. */
#include "field.h"

/* Cells from the player within which people are there, as in Emerald. */
#define NEAR_LEFT 9
#define NEAR_RIGHT 10
#define NEAR_UP 7
#define NEAR_DOWN 9

const s8 step_dx[5] = {0, 0, 0, -1, 1};
const s8 step_dy[5] = {0, 1, -1, 0, 0};
struct Person persons[16];
u8 emote_over = NOBODY;

/* ---- who is there ---- */

static u8 first_facing(u8 movement)
{
    switch (movement) {
    case MOVEMENT_FACE_UP: return UP;
    case MOVEMENT_FACE_LEFT: return LEFT;
    case MOVEMENT_FACE_RIGHT: return RIGHT;
    default: return DOWN;
    }
}

void person_face(u8 index, u8 direction)
{
    gObjectEvents[index].facing = direction | direction << 4;
}

static u8 pause_to_think(void)
{
    return 32 + (rnd() & 0x7F);
}

static void place(u8 index, s16 x, s16 y)
{
    struct ObjectEvent *o = &gObjectEvents[index];
    o->initialX = o->x = o->previousX = x + OFFSET;
    o->initialY = o->y = o->previousY = y + OFFSET;
    o->metatileBehaviour = metatile_behaviour(x, y);
}

static void set_elevation(struct ObjectEvent *o, u8 elevation)
{
    o->elevation = elevation | elevation << 4;
}

void people_clear(void)
{
    for (u8 i = 1; i < COUNT(persons); i++) gObjectEvents[i].active = 0;
    emote_over = NOBODY;
}

void people_place_player(s16 x, s16 y, u8 facing)
{
    struct ObjectEvent *o = &gObjectEvents[PLAYER];
    u8 level;
    memset(o, 0, sizeof *o);
    memset(&persons[PLAYER], 0, sizeof persons[PLAYER]);
    persons[PLAYER].shown = NO_FRAME;
    o->active = 1;
    o->isPlayer = 1;
    o->graphicsId = SAVE2->playerGender ? GFX_HERO_GIRL : GFX_HERO_BOY;
    o->localId = 0xFF;
    o->mapNum = SAVE1->mapNum;
    o->mapGroup = SAVE1->mapGroup;
    place(PLAYER, x, y);
    level = map_elevation(x, y);
    set_elevation(o, level == BRIDGE ? SAVE1->objectEvents[PLAYER].elevation & 15 : level);
    person_face(PLAYER, facing);
    gPlayerAvatar.objectId = PLAYER;
    gPlayerAvatar.flags = 0x21;
    gPlayerAvatar.gender = SAVE2->playerGender;
    player_rest();
}

static bool is_near(s16 x, s16 y)
{
    x -= SAVE1->x + OFFSET;
    y -= SAVE1->y + OFFSET;
    return x >= -NEAR_LEFT && x <= NEAR_RIGHT && y >= -NEAR_UP && y <= NEAR_DOWN;
}

static void appear(const struct ObjectTemplate *t)
{
    struct ObjectEvent *o;
    u8 i;
    for (i = 1; i < COUNT(persons); i++)
        if (gObjectEvents[i].active && persons[i].template == t) return;
    for (i = 1; i < COUNT(persons) && gObjectEvents[i].active; i++) {}
    if (i == COUNT(persons)) return;
    o = &gObjectEvents[i];
    memset(o, 0, sizeof *o);
    memset(&persons[i], 0, sizeof persons[i]);
    persons[i].template = t;
    persons[i].shown = NO_FRAME;
    persons[i].timer = pause_to_think();
    o->active = 1;
    o->graphicsId = t->graphicsId;
    o->movementType = t->movementType;
    o->trainerType = t->trainerType;
    o->localId = t->localId;
    o->mapNum = SAVE1->mapNum;
    o->mapGroup = SAVE1->mapGroup;
    place(i, t->x, t->y);
    set_elevation(o, t->elevation);
    person_face(i, first_facing(t->movementType));
    pal_load(16 + object_graphics[t->graphicsId].palette, object_palettes[object_graphics[t->graphicsId].palette]);
}

static bool is_gone(const struct ObjectTemplate *t)
{
    return t->flagId && flag_get(t->flagId);
}

void people_spawn(void)
{
    const struct ObjectTemplate *t = gMapHeader.events->objects;
    u8 n;
    for (n = 1; n < COUNT(persons); n++) {
        struct ObjectEvent *o = &gObjectEvents[n];
        if (o->active && !is_near(o->x, o->y) && !is_near(o->initialX, o->initialY)) o->active = 0;
    }
    for (n = gMapHeader.events->objectCount; n; n--, t++)
        if (!is_gone(t) && is_near(t->x + OFFSET, t->y + OFFSET)) appear(t);
}

void people_refresh(void)
{
    for (u8 i = 1; i < COUNT(persons); i++)
        if (gObjectEvents[i].active && is_gone(persons[i].template)) gObjectEvents[i].active = 0;
    people_spawn();
}

void people_shift(s16 dx, s16 dy)
{
    for (u8 i = 0; i < COUNT(persons); i++) {
        struct ObjectEvent *o = &gObjectEvents[i];
        o->initialX += dx;
        o->x += dx;
        o->previousX += dx;
        o->initialY += dy;
        o->y += dy;
        o->previousY += dy;
    }
}

u8 person_at(s16 x, s16 y, u8 elevation)
{
    for (u8 i = 0; i < COUNT(persons); i++) {
        const struct ObjectEvent *o = &gObjectEvents[i];
        u8 own = o->elevation & 15;
        if (!o->active || (own && elevation && own != elevation)) continue;
        if (o->x == x + OFFSET && o->y == y + OFFSET) return i;
        if (o->previousX == x + OFFSET && o->previousY == y + OFFSET) return i;
    }
    return NOBODY;
}

/* ---- what they do ---- */

u8 person_level(u8 index)
{
    return gObjectEvents[index].elevation >> 4;
}

/* On a bridge, and with the step that leads off it, one stays on the level from which one came. */
static void update_elevation(struct ObjectEvent *o)
{
    u8 now = map_elevation(o->x - OFFSET, o->y - OFFSET);
    if (now == BRIDGE || map_elevation(o->previousX - OFFSET, o->previousY - OFFSET) == BRIDGE) return;
    o->elevation = now | (now ? now : o->elevation >> 4) << 4;
}

bool person_is_done(u8 index)
{
    return persons[index].progress == persons[index].frames;
}

void person_rest(u8 index)
{
    struct ObjectEvent *o = &gObjectEvents[index];
    persons[index].action = STANDING;
    persons[index].progress = persons[index].frames = 0;
    persons[index].hop = 0;
    o->previousX = o->x;
    o->previousY = o->y;
    update_elevation(o);
}

void player_rest(void)
{
    person_rest(PLAYER);
    gPlayerAvatar.tileState = SETTLED;
    gPlayerAvatar.runningState = STILL;
    gPlayerAvatar.flags &= ~PLAYER_RUNS;
}

void person_do(u8 index, u8 action, u8 frames)
{
    persons[index].action = action;
    persons[index].progress = 0;
    persons[index].frames = frames;
    persons[index].foot ^= 1;
}

void person_step(u8 index, u8 direction, u8 frames)
{
    struct ObjectEvent *o = &gObjectEvents[index];
    s16 x, y;
    person_face(index, direction);
    o->previousX = o->x;
    o->previousY = o->y;
    o->x += step_dx[direction];
    o->y += step_dy[direction];
    x = o->x - OFFSET;
    y = o->y - OFFSET;
    o->metatileBehaviour = metatile_behaviour(x, y);
    update_elevation(o);
    person_do(index, STEPPING, frames);
}

void person_hide(u8 index, bool hidden)
{
    gObjectEvents[index].visibility = hidden ? INVISIBLE : 0;
}

/* Near home, on free ground, and neither on grass, mats nor stairs. */
static bool may_wander(u8 index, u8 direction)
{
    const struct ObjectEvent *o = &gObjectEvents[index];
    u16 range = persons[index].template->movementRange;
    s16 x = o->x + step_dx[direction], y = o->y + step_dy[direction];
    u8 elevation;
    if (x < o->initialX - (range & 15) || x > o->initialX + (range & 15)) return false;
    if (y < o->initialY - (range >> 4 & 15) || y > o->initialY + (range >> 4 & 15)) return false;
    x -= OFFSET;
    y -= OFFSET;
    elevation = map_elevation(x, y);
    if (elevation && elevation != BRIDGE && elevation != (o->elevation & 15)) return false;
    return !map_is_closed(x, y) && map_is_inside(x, y) && !metatile_behaviour(x, y) && !map_warp(x, y) &&
           person_at(x, y, o->elevation & 15) == NOBODY;
}

static bool belongs_here(const struct ObjectEvent *o)
{
    return o->mapNum == (u8)SAVE1->mapNum && o->mapGroup == (u8)SAVE1->mapGroup;
}

void people_think(void)
{
    u8 i, direction;
    for (i = 1; i < COUNT(persons); i++) {
        const struct ObjectEvent *o = &gObjectEvents[i];
        if (!o->active || persons[i].action != STANDING || !belongs_here(o)) continue;
        if (o->movementType != MOVEMENT_LOOK_AROUND && o->movementType != MOVEMENT_WANDER) continue;
        if (--persons[i].timer) continue;
        persons[i].timer = pause_to_think();
        direction = DOWN + (rnd() & 3);
        person_face(i, direction);
        if (o->movementType == MOVEMENT_WANDER && may_wander(i, direction)) person_step(i, direction, 16);
    }
}

/* The player rests only when what a step leads to has been seen to: overworld.c. */
void people_animate(void)
{
    for (u8 i = 0; i < COUNT(persons); i++) {
        if (!gObjectEvents[i].active || persons[i].action == STANDING) continue;
        if (!person_is_done(i)) persons[i].progress++;
        else if (i != PLAYER) person_rest(i);
    }
}
