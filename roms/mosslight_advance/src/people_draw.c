/* The sprites of people and things, of the grass before their feet and of an exclamation mark. */
#include "field.h"

#define HIGH 4                     /* from this level on one stands over the upper layer of the map */
#define FRAME_TILES 8              /* 16x32 pixels */
#define FRAME_WORDS (FRAME_TILES * 8)
#define FIRST_SPRITE 2             /* the exclamation mark lies before all */
#define EMOTE_ABOVE 40             /* pixels of its upper edge over the cell's */
#define EMOTE_SPRITE 0
#define EMOTE_TILE (COUNT(persons) * FRAME_TILES)
#define GRASS_TILE (EMOTE_TILE + FRAME_TILES) /* 16x16 pixels, the upper half empty */
#define GRASS_PALETTE 14
#define MOST_SPRITES (2 * COUNT(persons))
#define HOP_FRAMES 32              /* two steps */
#define HOP_PIXELS 12

static u8 sprites_end;

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
    u8 frame = frame_of(index), flags = look->frames > 1 && facing(index) == RIGHT ? SPRITE_FLIP_X : 0;
    s16 x = person_pixel_x(index) - camera_x, y = person_pixel_y(index) - camera_y - CELL - hop_height(p);
    if (frame != p->shown) {
        sprite_tiles(index * FRAME_TILES, look->tiles + frame * FRAME_WORDS, FRAME_TILES);
        p->shown = frame;
    }
    if (person_level(index) >= HIGH) flags |= SPRITE_FRONT;
    if (x <= -CELL || x >= SCREEN_W || y <= -2 * CELL || y >= SCREEN_H) sprite_hide(sprite);
    else sprite_put(sprite, x, y, SPRITE_16x32, index * FRAME_TILES, look->palette, flags);
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
