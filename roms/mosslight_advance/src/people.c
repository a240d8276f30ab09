/* People and things: gObjectEvents near the screen, their steps and their sprites. */
#include "field.h"

#define FRAME_TILES 8              /* 16x32 pixels */
#define FRAME_WORDS (FRAME_TILES * 8)
#define NO_FRAME 0xFF
#define FIRST_SPRITE 2             /* the exclamation mark lies before all */
#define EMOTE_ABOVE 40             /* pixels of its upper edge over the cell's */
#define EMOTE_SPRITE 0
#define EMOTE_TILE (COUNT(persons) * FRAME_TILES)
#define GRASS_TILE (EMOTE_TILE + FRAME_TILES) /* 16x16 pixels, the upper half empty */
#define GRASS_PALETTE 14
#define MOST_SPRITES (2 * COUNT(persons))
#define INVISIBLE 0x20
#define HOP_FRAMES 32              /* two steps */
#define HOP_PIXELS 12
/* Cells from the player within which people are there, as in Emerald. */
#define NEAR_LEFT 9
#define NEAR_RIGHT 10
#define NEAR_UP 7
#define NEAR_DOWN 9

const s8 step_dx[5] = {0, 0, 0, -1, 1};
const s8 step_dy[5] = {0, 1, -1, 0, 0};
struct Person persons[16];
u8 emote_over = NOBODY;
static u8 sprites_end;

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
    set_elevation(o, map_elevation(x, y) % 15);
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
    if (map_elevation(x, y) != 15) o->elevation = map_elevation(x, y) | (o->elevation & 15) << 4;
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
    if (elevation && elevation != 15 && elevation != (o->elevation & 15)) return false;
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

/* ---- sprites ---- */

/* Pixels of the present step still to go. */
static s16 to_go(u8 index)
{
    const struct Person *p = &persons[index];
    return p->action == STEPPING ? CELL - CELL * p->progress / p->frames : 0;
}

static u8 facing(u8 index)
{
    return gObjectEvents[index].facing & 15;
}

s16 person_pixel_x(u8 index)
{
    return (gObjectEvents[index].x - OFFSET) * CELL - step_dx[facing(index)] * to_go(index);
}

s16 person_pixel_y(u8 index)
{
    return (gObjectEvents[index].y - OFFSET) * CELL - step_dy[facing(index)] * to_go(index);
}

static s16 hop_height(const struct Person *p)
{
    s16 t = p->progress + (p->hop == 2 ? HOP_FRAMES / 2 : 0);
    return p->hop ? 4 * HOP_PIXELS * t * (HOP_FRAMES - t) / (HOP_FRAMES * HOP_FRAMES) : 0;
}

/* Of three pictures a direction: standing, one foot, the other. */
static u8 frame_of(u8 index)
{
    static const u8 first[5] = {0, 0, 3, 6, 6};
    const struct Person *p = &persons[index];
    if (object_graphics[gObjectEvents[index].graphicsId].frames == 1) return 0;
    if (p->action == STANDING || p->progress > p->frames / 2) return first[facing(index)];
    return first[facing(index)] + 1 + p->foot;
}

static void draw_person(u8 index, u8 sprite, s16 camera_x, s16 camera_y)
{
    const struct ObjectGraphics *look = &object_graphics[gObjectEvents[index].graphicsId];
    struct Person *p = &persons[index];
    u8 frame = frame_of(index), flip = look->frames > 1 && facing(index) == RIGHT ? SPRITE_FLIP_X : 0;
    s16 x = person_pixel_x(index) - camera_x, y = person_pixel_y(index) - camera_y - CELL - hop_height(p);
    if (frame != p->shown) {
        sprite_tiles(index * FRAME_TILES, look->tiles + frame * FRAME_WORDS, FRAME_TILES);
        p->shown = frame;
    }
    if (x <= -CELL || x >= SCREEN_W || y <= -2 * CELL || y >= SCREEN_H) sprite_hide(sprite);
    else sprite_put(sprite, x, y, SPRITE_16x32, index * FRAME_TILES, look->palette, flip);
}

static void draw_emote(s16 camera_x, s16 camera_y)
{
    if (emote_over == NOBODY) {
        sprite_hide(EMOTE_SPRITE);
        return;
    }
    sprite_put(EMOTE_SPRITE, person_pixel_x(emote_over) - camera_x, person_pixel_y(emote_over) - camera_y - EMOTE_ABOVE,
               SPRITE_16x32, EMOTE_TILE, object_graphics[GFX_EMOTE].palette, SPRITE_FRONT);
}

/* ---- tall grass ---- */

static bool has_grass;

/* What hides the feet is a sprite: blades in the layer above would cover the heads of those below. */
static void load_grass(void)
{
    static const u32 empty[2 * 8];
    const struct Tileset *set = gMapHeader.layout->primary;
    const u16 *entries = map_grass();
    has_grass = entries != 0;
    if (!has_grass) return;
    sprite_tiles(GRASS_TILE, empty, 2);
    sprite_tiles(GRASS_TILE + 2, set->tiles + (entries[0] & 0x3FF) * 8, 1);
    sprite_tiles(GRASS_TILE + 3, set->tiles + (entries[1] & 0x3FF) * 8, 1);
    pal_load(16 + GRASS_PALETTE, set->palettes + (entries[0] >> 12) * 16);
}

/* Coming from open ground, the feet are hidden from the middle of the step on. */
static bool is_in_grass(u8 index)
{
    const struct ObjectEvent *o = &gObjectEvents[index];
    const struct Person *p = &persons[index];
    if (!has_grass || o->metatileBehaviour != GRASS_TALL) return false;
    return p->action != STEPPING || p->progress > p->frames / 2 ||
           metatile_behaviour(o->previousX - OFFSET, o->previousY - OFFSET) == GRASS_TALL;
}

/* The blades shake as somebody walks. */
static void draw_grass(u8 index, u8 sprite, s16 camera_x, s16 camera_y)
{
    bool rustles = persons[index].action == STEPPING && persons[index].progress & 4;
    sprite_put(sprite, person_pixel_x(index) - camera_x, person_pixel_y(index) - camera_y - rustles, SPRITE_16x16,
               GRASS_TILE, GRASS_PALETTE, 0);
}

/* ---- all together ---- */

/* People further down cover those behind them. */
void people_draw(s16 camera_x, s16 camera_y)
{
    u8 order[COUNT(persons)], count = 0, sprite = FIRST_SPRITE, i, k;
    for (i = 0; i < COUNT(persons); i++) {
        if (!gObjectEvents[i].active || gObjectEvents[i].visibility & INVISIBLE) continue;
        for (k = count++; k && person_pixel_y(order[k - 1]) < person_pixel_y(i); k--) order[k] = order[k - 1];
        order[k] = i;
    }
    for (i = 0; i < count; i++) {
        if (is_in_grass(order[i]) && !persons[order[i]].hop) draw_grass(order[i], sprite++, camera_x, camera_y);
        draw_person(order[i], sprite++, camera_x, camera_y);
    }
    for (k = sprite; k < sprites_end; k++) sprite_hide(k);
    sprites_end = sprite;
    draw_emote(camera_x, camera_y);
}

void people_load(void)
{
    sprites_end = FIRST_SPRITE + MOST_SPRITES;
    for (u8 i = 0; i < COUNT(persons); i++) {
        const struct ObjectGraphics *look = &object_graphics[gObjectEvents[i].graphicsId];
        persons[i].shown = NO_FRAME;
        if (gObjectEvents[i].active) pal_load(16 + look->palette, object_palettes[look->palette]);
    }
    sprite_tiles(EMOTE_TILE, object_graphics[GFX_EMOTE].tiles, FRAME_TILES);
    pal_load(16 + object_graphics[GFX_EMOTE].palette, object_palettes[object_graphics[GFX_EMOTE].palette]);
    load_grass();
}
