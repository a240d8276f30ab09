/* Maps: header and block map into RAM, neighbours' strips into the border, collisions, drawing. */
#include "game.h"
#include "system.h"

#define BORDER 3 /* blocks around the map, as in wOverworldMapBlocks */
#define HEADER_SIZE 9
#define HEADER_COPIED 5 /* what of it lies in RAM */
#define HEADER_LANDMARK 5
#define ATTRIBUTES_SIZE 12
#define TILESET_SIZE 15
#define ANY_SCENE 0xFF
#define END 0xFF
/* Warps, signs and triggers of the present map, copied from ROM; pack.py knows how many fit. */
#define warp_list ((Warp *)0xC700)
#define sign_list ((Sign *)0xC750)
#define trigger_list ((Trigger *)0xC7A0)

static u8 stride;          /* blocks in a row of wOverworldMapBlocks */
static u8 *scene;          /* of the present map; 0: it has none */
static const u8 row_sizes[] = {5, 8, 5, 13};

/* ---- loading ---- */

static const u8 *header_of(u8 number)
{
    const u8 *group;
    far_copy(WORLD_BANK, WORLD_GROUPS + (MAP_GROUP - 1) * 2, (u8 *)&group, 2);
    return group + (number - 1) * HEADER_SIZE;
}

static void load_attributes(void)
{
    const u8 *src = MAP->attributes;
    Connection *c = MAP->neighbour;
    u8 bit;
    far_copy(MAP->attributes_bank, src, &MAP->border, ATTRIBUTES_SIZE);
    src += ATTRIBUTES_SIZE;
    for (bit = 8; bit; bit >>= 1, c++) {
        fill_bytes((u8 *)c, 0xFF, sizeof(Connection));
        if (!(MAP->connections & bit)) continue;
        far_copy(MAP->attributes_bank, src, (u8 *)c, sizeof(Connection));
        src += sizeof(Connection);
    }
}

static void load_events(void)
{
    const u8 *src = MAP->events + 2;
    MapEvents *e = MAP_EVENTS;
    u8 kind;
    for (kind = 0; kind < 4; kind++, e++) {
        e->count = far_read(MAP->bank, src);
        e->rows = src + 1;
        src += e->count * row_sizes[kind] + 1;
    }
    far_copy(MAP->bank, MAP_EVENTS[WARPS].rows, (u8 *)warp_list, MAP_EVENTS[WARPS].count * 5);
    far_copy(MAP->bank, MAP_EVENTS[SIGNS].rows, (u8 *)sign_list, MAP_EVENTS[SIGNS].count * 5);
    far_copy(MAP->bank, MAP_EVENTS[TRIGGERS].rows, (u8 *)trigger_list,
             MAP_EVENTS[TRIGGERS].count * 8);
}

/* h rows of w blocks from a map that is src_width blocks wide. */
static void copy_blocks(const u8 *src, u8 src_width, u8 *dst, u8 w, u8 h)
{
    for (; h; h--, src += src_width, dst += stride) far_copy(MAP->blocks_bank, src, dst, w);
}

static void load_blocks(void)
{
    const Connection *c = MAP->neighbour;
    u8 side;
    stride = MAP->width + 2 * BORDER;
    fill_bytes(wOverworldMapBlocks, MAP->border, (u16)stride * (MAP->height + 2 * BORDER));
    copy_blocks(MAP->blocks, MAP->width, wOverworldMapBlocks + BORDER * stride + BORDER, MAP->width,
                MAP->height);
    for (side = NORTH; side <= EAST; side++, c++) {
        if (c->group == 0xFF) continue;
        if (side <= SOUTH) copy_blocks(c->source, c->width, c->place, c->length, BORDER);
        else copy_blocks(c->source, c->width, c->place, BORDER, c->length);
    }
}

static u8 *scene_of(u8 number)
{
    const u8 *src = WORLD_SCENES;
    struct { u8 group, number; u8 *place; } row;
    for (;; src += 4) {
        far_copy(WORLD_BANK, src, (u8 *)&row, 4);
        if (row.group == END) return 0;
        if (row.number == number) return row.place;
    }
}

void map_load(u8 number)
{
    const u8 *header = header_of(number);
    u8 tileset = MAP->tileset;
    wMapGroup = MAP_GROUP;
    wMapNumber = number;
    far_copy(WORLD_BANK, header, (u8 *)MAP, HEADER_COPIED);
    wPrevLandmark = wCurLandmark;
    wCurLandmark = far_read(WORLD_BANK, header + HEADER_LANDMARK);
    load_attributes();
    load_events();
    scene = scene_of(number);
    if (MAP->tileset != tileset) {
        far_copy(WORLD_BANK, WORLD_TILESETS + MAP->tileset * TILESET_SIZE, (u8 *)TILESET,
                 TILESET_SIZE);
        load_tileset_tiles();
    }
    map_palset = TILESET->palset;
    load_blocks();
    blocks_refresh();
}

/* ---- changing ---- */

/* Where the block of walk cell (x, y) lies, which may be up to six cells outside the map. */
static u8 *block_at(u8 x, u8 y)
{
    return wOverworldMapBlocks + (u16)((u8)(y + BORDER * 2) >> 1) * stride +
           ((u8)(x + BORDER * 2) >> 1);
}

void block_change(u8 x, u8 y, u8 block)
{
    *block_at(x, y) = block;
    update_tiles();
}

void blocks_refresh(void)
{
    BlockChange row;
    const u8 *src = MAP->changes;
    for (;; src += sizeof row) {
        far_copy(MAP->bank, src, (u8 *)&row, sizeof row);
        if (row.flag == NO_FLAG) return;
        if (flag_get(row.flag)) block_change(row.x, row.y, row.block);
    }
}

u8 tree_cut(u8 x, u8 y)
{
    struct { u8 tileset, block, becomes; } row;
    const u8 *src = WORLD_TREES;
    for (;; src += sizeof row) {
        far_copy(WORLD_BANK, src, (u8 *)&row, sizeof row);
        if (row.tileset == END) return 0;
        if (row.tileset != MAP->tileset || row.block != *block_at(x, y)) continue;
        block_change(x, y, row.becomes);
        return 1;
    }
}

void scene_set(u8 number, u8 value)
{
    *scene_of(number) = value;
}

/* ---- asking ---- */

u8 collision_at(u8 x, u8 y)
{
    return far_read(TILESET->collision_bank,
                    TILESET->collisions + ((u16)*block_at(x, y) << 2) + (x & 1) + ((y & 1) << 1));
}

u8 permission(u8 collision)
{
    return far_read(WORLD_BANK, WORLD_PERMISSIONS + collision) & 15;
}

const Warp *warp_at(u8 x, u8 y)
{
    u8 n;
    const Warp *w = warp_list;
    for (n = MAP_EVENTS[WARPS].count; n; n--, w++)
        if (w->x == x && w->y == y) return w;
    return 0;
}

const Warp *warp_number(u8 number)
{
    return warp_list + number - 1;
}

const Sign *sign_at(u8 x, u8 y)
{
    u8 n;
    const Sign *s = sign_list;
    for (n = MAP_EVENTS[SIGNS].count; n; n--, s++)
        if (s->x == x && s->y == y) return s;
    return 0;
}

const Trigger *trigger_at(u8 x, u8 y)
{
    u8 n;
    const Trigger *t = trigger_list;
    for (n = MAP_EVENTS[TRIGGERS].count; n; n--, t++)
        if (t->x == x && t->y == y && (t->scene == ANY_SCENE || (scene && *scene == t->scene)))
            return t;
    return 0;
}

u8 spawn_row(u8 number, Spawn *row)
{
    const u8 *src = WORLD_SPAWNS;
    u8 bit;
    for (bit = 0;; bit++, src += sizeof(Spawn)) {
        far_copy(WORLD_BANK, src, (u8 *)row, sizeof(Spawn));
        if (row->group == END) return END;
        if (!number || row->number == number) return bit;
    }
}

/* ---- drawing ---- */

/* One walk cell: per block 4 cells of 4 tiles and 4 attributes, in reading order. */
static void draw_cell(u8 map_x, u8 map_y, u8 *tiles)
{
    u8 *attributes = tiles + (wAttrmap - wTilemap);
    u8 cell[8], corner = (map_x & 1) | (map_y & 1) << 1;
    far_copy(TILESET->tiles_bank,
             TILESET->tiles + ((u16)*block_at(map_x, map_y) << 5) + (corner << 3), cell, 8);
    tiles[0] = cell[0];
    tiles[1] = cell[1];
    tiles[20] = cell[2];
    tiles[21] = cell[3];
    attributes[0] = cell[4];
    attributes[1] = cell[5];
    attributes[20] = cell[6];
    attributes[21] = cell[7];
}

/* Screen cells (10 x 9 of them); the player stands in cell (4, 4), or is on the way there. */
void map_tiles_to_tilemap(u8 x, u8 y, u8 w, u8 h)
{
    u8 column;
    u8 *to;
    for (; h; h--, y++) {
        to = wTilemap + (u16)y * 40 + x * 2;
        for (column = 0; column < w; column++, to += 2)
            draw_cell(PLAYER->x - 8 + x + column, PLAYER->y - 8 + y, to);
    }
}
