/* Maps: header and block map into RAM, neighbours' strips into the border, collisions, drawing. */
#include "game.h"
#include "system.h"

#define BORDER 3 /* blocks around the map, as in wOverworldMapBlocks */
#define MAP_GROUP 40
/* Warps and signs of the current map, copied from ROM. */
#define MAX_WARPS 8
#define MAX_SIGNS 8
#define warp_list ((Warp *)0xC700)
#define sign_list ((Sign *)0xC730)

const MapHeader *map;
static u8 stride;          /* blocks in a row of wOverworldMapBlocks */
static u8 collision_bank;
static const u8 *collisions, *block_tiles;

/* ---- loading ---- */

static u8 *block_at(s8 x, s8 y)
{
    return wOverworldMapBlocks + (u16)(u8)(y + BORDER) * stride + (u8)(x + BORDER);
}

/* Copy the part of a neighbour that lies in our border: rows y0..y0+h of it, columns x0..x0+w. */
static void copy_strip(const MapHeader *from, u8 x0, u8 y0, u8 w, u8 h, s8 to_x, s8 to_y)
{
    const u8 *src = from->blocks + (u16)y0 * from->width + x0;
    for (; h; h--, to_y++) {
        far_copy(from->bank, src, block_at(to_x, to_y), w);
        src += from->width;
    }
}

/* A neighbour to the north or south: shifted by offset blocks to the right, cut at our border. */
static void strip_beside(const MapHeader *n, s8 offset, u8 y0, s8 to_y)
{
    u8 x0 = 0, w = n->width;
    if (offset < -BORDER) {
        x0 = -offset - BORDER;
        w -= x0;
        offset = -BORDER;
    }
    if (w > map->width + BORDER - offset) w = map->width + BORDER - offset;
    copy_strip(n, x0, y0, w, BORDER, offset, to_y);
}

/* A neighbour to the west or east, shifted by offset blocks down. */
static void strip_above(const MapHeader *n, s8 offset, u8 x0, s8 to_x)
{
    u8 y0 = 0, h = n->height;
    if (offset < -BORDER) {
        y0 = -offset - BORDER;
        h -= y0;
        offset = -BORDER;
    }
    if (h > map->height + BORDER - offset) h = map->height + BORDER - offset;
    copy_strip(n, x0, y0, BORDER, h, to_x, offset);
}

static void load_blocks(void)
{
    const MapHeader *n;
    stride = map->width + 2 * BORDER;
    fill_bytes(wOverworldMapBlocks, map->border, (u16)stride * (map->height + 2 * BORDER));
    copy_strip(map, 0, 0, map->width, map->height, 0, 0);
    if (map->connections & 8) {
        n = map_headers + map->neighbour[NORTH].map - 1;
        strip_beside(n, map->neighbour[NORTH].offset, n->height - BORDER, -BORDER);
    }
    if (map->connections & 4)
        strip_beside(map_headers + map->neighbour[SOUTH].map - 1, map->neighbour[SOUTH].offset, 0,
                     map->height);
    if (map->connections & 2) {
        n = map_headers + map->neighbour[WEST].map - 1;
        strip_above(n, map->neighbour[WEST].offset, n->width - BORDER, -BORDER);
    }
    if (map->connections & 1)
        strip_above(map_headers + map->neighbour[EAST].map - 1, map->neighbour[EAST].offset, 0,
                    map->width);
}

static void load_tileset(u8 tileset)
{
    const Tileset *t = tilesets + tileset;
    collisions = t->collisions;
    block_tiles = t->tiles;
    collision_bank = t->bank;
    if (wMapTileset != tileset + 1) load_tileset_tiles(tileset);
    wMapTileset = tileset + 1;
    wTilesetCollisionBank = collision_bank;
    wTilesetCollisionAddress[0] = (u8)(u16)collisions;
    wTilesetCollisionAddress[1] = (u16)collisions >> 8;
}

void map_load(u8 number)
{
    map = map_headers + number - 1;
    wMapGroup = MAP_GROUP;
    wMapNumber = number;
    wMapWidth = map->width;
    wMapHeight = map->height;
    wMapConnections = map->connections;
    wEnvironment = map->environment;
    wPrevLandmark = wCurLandmark;
    wCurLandmark = map->landmark;
    map_palset = map->palset;
    wMapScriptsBank = map->bank;
    wCurMapWarpEventCount = map->warp_count;
    wCurMapWarpEventsPointer[0] = (u8)(u16)map->warps;
    wCurMapWarpEventsPointer[1] = (u16)map->warps >> 8;
    wCurMapBGEventCount = map->sign_count;
    wCurMapBGEventsPointer[0] = (u8)(u16)map->signs;
    wCurMapBGEventsPointer[1] = (u16)map->signs >> 8;
    far_copy(map->bank, map->warps, (u8 *)warp_list, map->warp_count * 5);
    far_copy(map->bank, map->signs, (u8 *)sign_list, map->sign_count * 5);
    load_tileset(map->tileset);
    load_blocks();
}

/* ---- asking ---- */

/* Walk cell (x, y) as an index into its block's four cells, and the block itself. x and y may be up
 * to six cells outside the map. */
static u8 block_of(u8 x, u8 y, u8 *corner)
{
    x += BORDER * 2;
    y += BORDER * 2;
    *corner = (x & 1) | (y & 1) << 1;
    return wOverworldMapBlocks[(u16)(y >> 1) * stride + (x >> 1)];
}

u8 collision_at(u8 x, u8 y)
{
    u8 corner, block = block_of(x, y, &corner);
    return far_read(collision_bank, collisions + ((u16)block << 2) + corner);
}

u8 is_wall(u8 collision)
{
    return wall_bits[collision >> 3] & (1 << (collision & 7));
}

const Warp *warp_at(u8 x, u8 y)
{
    u8 n;
    const Warp *w = warp_list;
    for (n = map->warp_count; n; n--, w++)
        if (w->x == x && w->y == y) return w;
    return 0;
}

const Sign *sign_at(u8 x, u8 y)
{
    u8 n;
    const Sign *s = sign_list;
    for (n = map->sign_count; n; n--, s++)
        if (s->x == x && s->y == y) return s;
    return 0;
}

/* ---- drawing ---- */

/* One walk cell: per block 4 cells of 4 tiles and 4 attributes, in reading order. */
static void draw_cell(u8 map_x, u8 map_y, u8 *tiles, u8 *attributes)
{
    u8 cell[8], corner, block = block_of(map_x, map_y, &corner);
    far_copy(collision_bank, block_tiles + ((u16)block << 5) + (corner << 3), cell, 8);
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
    u16 at;
    for (; h; h--, y++) {
        at = (u16)y * 40 + x * 2;
        for (column = 0; column < w; column++, at += 2)
            draw_cell(PLAYER->x - 8 + x + column, PLAYER->y - 8 + y, wTilemap + at, wAttrmap + at);
    }
}
