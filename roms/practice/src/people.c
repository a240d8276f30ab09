/* The object structs: who stands where, who wanders, and their sprites on the screen. */
#include "game.h"
#include "system.h"

#define RECORD_SIZE 13        /* a person in the map data */
#define SPRITE_TILES 24       /* three facings, standing and stepping, four tiles each */
#define SLOTS_A_BANK 5        /* sprite kinds that fit into 120 tiles of one VRAM bank */
#define SLOTS 10
#define EMOTE_TILE 120
#define STEP_TICKS 8
#define PLACE_SIGN_Y 120

Object *emote_over;
static u8 slots[SLOTS];       /* sprite whose tiles lie in the slot */

/* ---- loading ---- */

static void slot_load(u8 slot, u8 sprite)
{
    const u8 *src = (const u8 *)(FAR_SPRITES_ADDR + (u16)(sprite - 1) * (SPRITE_TILES * 16));
    u8 in_bank1 = slot >= SLOTS_A_BANK;
    u8 place = in_bank1 ? slot - SLOTS_A_BANK : slot;
    slots[slot] = sprite;
    wait_vbl();
    rVBK = in_bank1;
    vram_dma(FAR_SPRITES_BANK, src, 0x8000 + (u16)place * (SPRITE_TILES * 16), SPRITE_TILES);
    rVBK = 0;
}

void hero_load(void)
{
    PLAYER->sprite = wPlayerGender & 1 ? SPRITE_HERO_GIRL : SPRITE_HERO_BOY;
    if (wPlayerState == SURFING)
        slot_load(0, wPlayerGender & 1 ? SPRITE_SURFER_GIRL : SPRITE_SURFER_BOY);
    else
        slot_load(0, PLAYER->sprite);
    wait_vbl();
    vram_dma(FAR(EMOTE), 0x8000 + EMOTE_TILE * 16, 4);
}

/* The slot of a sprite, loaded if it is new; slots from *used on are free for this map. */
static u8 slot_of(u8 sprite, u8 *used)
{
    u8 slot;
    for (slot = 1; slot < *used; slot++)
        if (slots[slot] == sprite) return slot;
    if (*used == SLOTS) return 0;
    if (slots[slot] != sprite) slot_load(slot, sprite);
    (*used)++;
    return slot;
}

void objects_refresh(void)
{
    Object *o = OBJECTS;
    MapObject *row = MAP_OBJECTS + 1;
    u8 n;
    for (n = 1; n <= MAP_EVENTS[PEOPLE].count; n++, row++, o++) {
        if (row->flag != NO_FLAG && flag_get(row->flag)) {
            o->sprite = 0;
            row->struct_id = OBJECT_MASKS[n] = 0xFF;
        } else {
            o->sprite = row->sprite;
            row->struct_id = n;
            OBJECT_MASKS[n] = 0;
        }
    }
    if (wMapNumber >= FIRST_HOLLOW_MAP) objects_cull();
}

static void object_load(Object *o, u8 index, u8 *used)
{
    MapObject *row = MAP_OBJECTS + index;
    far_copy(MAP->bank, MAP_EVENTS[PEOPLE].rows + (index - 1) * RECORD_SIZE, &row->sprite, RECORD_SIZE);
    o->index = index;
    o->x = o->last_x = o->home_x = row->x;
    o->y = o->last_y = o->home_y = row->y;
    o->movement = row->movement;
    if (o->movement >= MOVE_STAND) o->facing = (o->movement - MOVE_STAND) << 2;
    o->radius = row->radius;
    o->walking = 255;
    o->step_type = 1;
    o->action = 1;
    o->timer = 16 + (rnd() & 63);
    o->tile = slot_of(row->sprite, used);
    o->attr = row->kind >> 4;
    o->collision = collision_at(row->x - 4, row->y - 4);
}

void people_load(void)
{
    u8 index, used = 1;
    fill_bytes((u8 *)OBJECTS, 0, OBJECT_COUNT * 40);
    fill_bytes((u8 *)MAP_OBJECTS, 0, MAP_OBJECT_ROWS * 16);
    fill_bytes(OBJECT_MASKS, 0xFF, MAP_OBJECT_ROWS);
    for (index = 1; index <= MAP_EVENTS[PEOPLE].count; index++) object_load(OBJECTS + index - 1, index, &used);
    emote_over = 0;
    strength_on = 0;
    objects_refresh();
}

/* ---- steps ---- */

Object *object_at(u8 x, u8 y)
{
    Object *o = OBJECTS;
    u8 n;
    for (n = OBJECT_COUNT; n; n--, o++) {
        if (!o->sprite) continue;
        if (o->x == x && o->y == y) return o;
        if (o->step_duration && o->last_x == x && o->last_y == y) return o;
    }
    return 0;
}

void object_start_step(Object *o, u8 facing)
{
    u8 direction = facing >> 2;
    o->facing = facing;
    o->last_x = o->x;
    o->last_y = o->y;
    o->x += step_dx[direction];
    o->y += step_dy[direction];
    o->walking = 4 + direction;
    o->step_type = 6;
    o->action = 2;
    o->step_duration = STEP_TICKS;
    o->step_frame ^= 1; /* the other foot */
}

u8 object_advance(Object *o)
{
    if (--o->step_duration) return 0;
    o->last_x = o->x;
    o->last_y = o->y;
    o->walking = 255;
    o->step_type = 1;
    o->action = 1;
    o->collision = collision_at(o->x - 4, o->y - 4);
    return 1;
}

static u8 distance(u8 a, u8 b)
{
    return a > b ? a - b : b - a;
}

/* People stay near home, on free ground, off warps and out of the player's way. */
u8 may_wander(const Object *o, u8 x, u8 y)
{
    u8 collision;
    if (distance(x, o->home_x) > (o->radius & 15) || distance(y, o->home_y) > o->radius >> 4) return 0;
    if ((x == PLAYER->x && y == PLAYER->y) || (x == PLAYER->last_x && y == PLAYER->last_y)) return 0;
    if (object_at(x, y)) return 0;
    collision = collision_at(x - 4, y - 4);
    return permission(collision) == LAND && collision < 0x60;
}

static void wander(Object *o)
{
    u8 facing;
    if (--o->timer) return;
    o->timer = 24 + (rnd() & 63);
    facing = rnd() & 12;
    o->facing = facing;
    if (o->movement != MOVE_WANDER) return;
    if (may_wander(o, o->x + step_dx[facing >> 2], o->y + step_dy[facing >> 2]))
        object_start_step(o, facing);
}

u8 people_tick(void)
{
    Object *o = OBJECTS;
    u8 n, changed = 0, before;
    for (n = MAP_EVENTS[PEOPLE].count; n; n--, o++) {
        if (!o->sprite) continue;
        if (o->step_duration) {
            object_advance(o);
            changed = 1;
        } else if (o->movement == MOVE_WANDER || o->movement == MOVE_SPIN) {
            before = o->facing;
            wander(o);
            if (o->facing != before || o->step_duration) changed = 1;
        }
    }
    return changed;
}

/* ---- sprites ---- */

static u8 *oam;
static u8 camera_x, camera_y; /* pixels */

/* Letters and borders are the tiles from 60 on, pictures lie in VRAM bank 1. */
static u8 is_window(u16 at)
{
    return wTilemap[at] >= 0x60 || (wAttrmap[at] & ATTR_BANK1);
}

/* Whether a text box, window or picture covers the 8x8 sprite at these pixels. */
static u8 is_covered(u8 x, u8 y)
{
    u16 at;
    if (x >= 160) return 0;
    if (y >= 144) return y > 248 && is_window(x >> 3); /* its last lines reach into the first row */
    at = (u16)(y >> 3) * SCREEN_W + (x >> 3);
    return is_window(at) || (y < 136 && is_window(at + SCREEN_W));
}

/* One figure: four 8x8 sprites. Coordinates are pixels modulo 256: 240-255 is left of the screen or
 * above it. */
static void put_figure(u8 x, u8 y, u8 tile, u8 attr)
{
    u8 *to = oam;
    u8 part, flip = attr & ATTR_FLIP_X ? 1 : 0;
    for (part = 0; part < 4; part++) {
        u8 px = part & 1 ? x + 8 : x, py = part & 2 ? y + 8 : y;
        if (to == shadow_oam + 160) break;
        if (wScriptRunning && is_covered(px, py)) continue;
        if (place_sign_ticks && (u8)(py + 8) > PLACE_SIGN_Y && py < 144) continue;
        to[0] = py + 16;
        to[1] = px + 8;
        to[2] = tile + (part ^ flip);
        to[3] = attr;
        to += 4;
    }
    oam = to;
}

/* First tile within the sprite's 24 and the flip bit, from facing and the step's phase. Right is
 * left mirrored; up and down take the second foot from the mirrored step. */
static u8 pose(const Object *o, u8 *flip)
{
    u8 direction = o->facing >> 2;
    u8 stepping = o->action == 2 && (o->step_duration & 7) > 3;
    *flip = 0;
    if (direction == 3) {
        direction = 2;
        *flip = 0x20;
    } else if (stepping && direction < 2 && o->step_frame) {
        *flip = 0x20;
    }
    return direction * 8 + (stepping ? 4 : 0);
}

/* Height of a hop over a ledge, by its two steps' 16 ticks. */
static u8 hop_height(const Object *o)
{
    u8 left = o->step_duration;
    if (!(wPlayerStepFlags & 0x10)) return 0;
    if (o->timer) return (STEP_TICKS - left) + 1; /* rising, in the first step */
    return left;
}

static void draw_object(Object *o)
{
    u8 x = 64, y = 60, flip, tile, attr, direction, slot;
    if (o == PLAYER) {
        y -= hop_height(o);
    } else {
        if ((u8)(o->x - 4 - wXCoord + 6) > 12 || (u8)(o->y - 4 - wYCoord + 6) > 12) return;
        x += ((o->x - 4 - wXCoord) << 4) - camera_x;
        y += ((o->y - 4 - wYCoord) << 4) - camera_y;
        if (o->step_duration) {
            direction = o->facing >> 2;
            x -= step_dx[direction] * (s8)(o->step_duration * 2);
            y -= step_dy[direction] * (s8)(o->step_duration * 2);
        }
        if ((x >= 160 && x <= 240) || (y >= 144 && y <= 240)) return;
    }
    tile = pose(o, &flip);
    slot = o->tile;
    attr = o->attr | flip;
    if (slot >= SLOTS_A_BANK) {
        slot -= SLOTS_A_BANK;
        attr |= ATTR_BANK1;
    }
    put_figure(x, y, slot * SPRITE_TILES + tile, attr);
    if (o == emote_over) put_figure(x, y - 16, EMOTE_TILE, 1);
}

/* How far the world has moved under the player in the step under way. */
static void set_camera(void)
{
    u8 direction = wPlayerDirection >> 2, moved = 0;
    if (PLAYER->walking != 255 && PLAYER->step_duration) moved = 16 - PLAYER->step_duration * 2;
    camera_x = step_dx[direction] * (s8)moved;
    camera_y = step_dy[direction] * (s8)moved;
}

/* Earlier sprites cover later ones: those below the player come first. */
void sprites_draw(void)
{
    Object *o;
    u8 n;
    oam = shadow_oam;
    hOamDirty = 0; /* nothing half done is shown */
    set_camera();
    for (o = OBJECTS, n = MAP_EVENTS[PEOPLE].count; n; n--, o++)
        if (o->sprite && o->y > PLAYER->y) draw_object(o);
    if (PLAYER->sprite) draw_object(PLAYER);
    for (o = OBJECTS, n = MAP_EVENTS[PEOPLE].count; n; n--, o++)
        if (o->sprite && o->y <= PLAYER->y) draw_object(o);
    while (oam < shadow_oam + 160) {
        *oam = 0;
        oam += 4;
    }
    hOamDirty = 1;
}
