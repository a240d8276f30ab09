/* Maps: the header, the cells with the neighbours' strips around them, and their picture. */
#include "field.h"

#define VOID_CELL 0x3FF
#define CLOSED 0xC00
#define METATILE(cell) ((cell) & 0x3FF)
#define PRIMARY_METATILES 512
#define PRIMARY_PALETTES 6
#define PALETTES 13
#define RIGHT_BORDER 8             /* one more than at the other sides, as in Emerald */
#define RING 16                    /* the picture repeats after so many cells */
#define VIEW_X 7                   /* cells left of the player; one more right */
#define VIEW_Y 6

static s16 ring_x, ring_y;         /* added to a cell for its place in the picture */
static const struct Tileset *loaded_primary, *loaded_secondary;

const struct MapHeader *map_header(u16 map)
{
    return gMapGroups[map >> 8][map & 0xFF];
}

/* ---- loading ---- */

/* Where a neighbour's corner lies, in cells of the present map. */
static void neighbour_corner(const struct MapConnection *c, s16 *left, s16 *top)
{
    const struct MapLayout *here = gMapHeader.layout;
    const struct MapLayout *there = map_header(MAP(c->mapGroup, c->mapNum))->layout;
    *left = *top = c->offset;
    if (c->direction == DOWN) *top = here->height;
    else if (c->direction == UP) *top = -there->height;
    else if (c->direction == LEFT) *left = -there->width;
    else *left = here->width;
}

static u16 *backup_cell(s16 x, s16 y)
{
    return &sBackupMapData[(y + OFFSET) * gBackupMapLayout.width + x + OFFSET];
}

/* Copy as much as fits of a layout with its corner at a cell of the present map. */
static void copy_layout(const struct MapLayout *from, s16 left, s16 top)
{
    s16 first = MAX(left, -OFFSET);
    s16 end = MIN(left + from->width, gMapHeader.layout->width + RIGHT_BORDER);
    s16 end_y = MIN(top + from->height, gMapHeader.layout->height + OFFSET), y;
    if (end <= first) return;
    for (y = MAX(top, -OFFSET); y < end_y; y++)
        memcpy(backup_cell(first, y), from->cells + (y - top) * from->width + first - left, (end - first) * 2);
}

static void load_cells(void)
{
    const struct MapLayout *layout = gMapHeader.layout;
    const struct MapConnections *list = gMapHeader.connections;
    s32 i;
    gBackupMapLayout.width = layout->width + OFFSET + RIGHT_BORDER;
    gBackupMapLayout.height = layout->height + 2 * OFFSET;
    gBackupMapLayout.cells = sBackupMapData;
    for (i = 0; i < gBackupMapLayout.width * gBackupMapLayout.height; i++) sBackupMapData[i] = VOID_CELL;
    for (i = 0; list && i < list->count; i++) {
        s16 left, top;
        neighbour_corner(&list->connections[i], &left, &top);
        copy_layout(map_header(MAP(list->connections[i].mapGroup, list->connections[i].mapNum))->layout, left, top);
    }
    copy_layout(layout, 0, 0);
}

void map_load(u16 map)
{
    u16 i;
    memcpy(&gMapHeader, map_header(map), sizeof gMapHeader);
    SAVE1->mapGroup = map >> 8;
    SAVE1->mapNum = map & 0xFF;
    SAVE1->mapLayoutId = gMapHeader.layoutId;
    memset(SAVE1->objectTemplates, 0, sizeof SAVE1->objectTemplates);
    memcpy(SAVE1->objectTemplates, gMapHeader.events->objects,
           gMapHeader.events->objectCount * sizeof(struct ObjectTemplate));
    load_cells();
    for (i = 0; i < map_change_count; i++) {
        const struct MapChange *change = &map_changes[i];
        if (change->map == map && flag_get(change->flag)) *backup_cell(change->x, change->y) = change->cell;
    }
}

static void load_palettes(const struct Tileset *set, u8 first, u8 end)
{
    for (; first < end; first++) pal_load(first, set->palettes + first * 16);
}

void map_load_tiles(void)
{
    const struct MapLayout *layout = gMapHeader.layout;
    if (layout->primary != loaded_primary) {
        loaded_primary = layout->primary;
        bg_tiles(0, loaded_primary->tiles, PRIMARY_METATILES);
        load_palettes(loaded_primary, 0, PRIMARY_PALETTES);
    }
    if (layout->secondary != loaded_secondary) {
        loaded_secondary = layout->secondary;
        bg_tiles(PRIMARY_METATILES, loaded_secondary->tiles, PRIMARY_METATILES);
        load_palettes(loaded_secondary, PRIMARY_PALETTES, PALETTES);
    }
}

void map_forget_tiles(void)
{
    loaded_primary = loaded_secondary = 0;
}

/* ---- asking ---- */

bool map_is_inside(s16 x, s16 y)
{
    return x >= 0 && y >= 0 && x < gMapHeader.layout->width && y < gMapHeader.layout->height;
}

u16 map_cell(s16 x, s16 y)
{
    u16 cell = VOID_CELL;
    if (x >= -OFFSET && y >= -OFFSET && x < gMapHeader.layout->width + RIGHT_BORDER &&
        y < gMapHeader.layout->height + OFFSET)
        cell = *backup_cell(x, y);
    if (cell == VOID_CELL) cell = gMapHeader.layout->border[(x & 1) + (y & 1) * 2] | CLOSED;
    return cell;
}

bool map_is_closed(s16 x, s16 y)
{
    return (map_cell(x, y) & CLOSED) != 0;
}

u8 map_elevation(s16 x, s16 y)
{
    return map_cell(x, y) >> 12;
}

static const struct Tileset *tileset_of(u16 metatile)
{
    return metatile < PRIMARY_METATILES ? gMapHeader.layout->primary : gMapHeader.layout->secondary;
}

static u8 behaviour_of(u16 metatile)
{
    return tileset_of(metatile)->attributes[metatile % PRIMARY_METATILES] & 0xFF;
}

u8 metatile_behaviour(s16 x, s16 y)
{
    return behaviour_of(METATILE(map_cell(x, y)));
}

u16 map_neighbour(s16 *x, s16 *y)
{
    const struct MapConnections *list = gMapHeader.connections;
    s32 i;
    for (i = 0; list && i < list->count; i++) {
        const struct MapConnection *c = &list->connections[i];
        const struct MapLayout *there = map_header(MAP(c->mapGroup, c->mapNum))->layout;
        s16 left, top;
        neighbour_corner(c, &left, &top);
        if (*x < left || *y < top || *x >= left + there->width || *y >= top + there->height) continue;
        *x -= left;
        *y -= top;
        return MAP(c->mapGroup, c->mapNum);
    }
    return NO_MAP;
}

const struct WarpEvent *map_warp(s16 x, s16 y)
{
    const struct WarpEvent *warp = gMapHeader.events->warps;
    u8 n;
    for (n = gMapHeader.events->warpCount; n; n--, warp++)
        if (warp->x == x && warp->y == y) return warp;
    return 0;
}

const struct CoordEvent *map_coord_event(s16 x, s16 y)
{
    const struct CoordEvent *event = gMapHeader.events->coords;
    u8 n;
    for (n = gMapHeader.events->coordCount; n; n--, event++)
        if (event->x == x && event->y == y && var_get(event->var) == event->value) return event;
    return 0;
}

/* Kinds 1-4 can be read from one side only: facing north, south, east, west. */
const struct BgEvent *map_sign(s16 x, s16 y, u8 facing)
{
    static const u8 sides[5] = {NOWHERE, UP, DOWN, RIGHT, LEFT};
    const struct BgEvent *sign = gMapHeader.events->bgs;
    u8 n;
    for (n = gMapHeader.events->bgCount; n; n--, sign++)
        if (sign->x == x && sign->y == y && sign->kind < 5 && (!sign->kind || sides[sign->kind] == facing))
            return sign;
    return 0;
}

/* ---- drawing ---- */

static const u16 *entries_of(u16 metatile)
{
    return tileset_of(metatile)->metatiles + metatile % PRIMARY_METATILES * 8;
}

const u16 *map_grass(void)
{
    u16 metatile;
    for (metatile = 0; metatile < PRIMARY_METATILES; metatile++)
        if (behaviour_of(metatile) == GRASS_TALL && entries_of(metatile)[6]) return entries_of(metatile) + 6;
    return 0;
}

static void draw_metatile(s16 x, s16 y, u16 metatile)
{
    const u16 *entries = entries_of(metatile);
    bool is_flat = behaviour_of(metatile) == GRASS_TALL; /* sprites hide feet, not the heads of others: people.c */
    u32 at = ((y + ring_y) & (RING - 1)) * 64 + ((x + ring_x) & (RING - 1)) * 2;
    u16 *under = bg_map(2) + at, *over = bg_map(1) + at;
    under[0] = entries[0];
    under[1] = entries[1];
    under[32] = entries[2];
    under[33] = entries[3];
    over[0] = is_flat ? 0 : entries[4];
    over[1] = is_flat ? 0 : entries[5];
    over[32] = is_flat ? 0 : entries[6];
    over[33] = is_flat ? 0 : entries[7];
}

static void draw_area(s16 x, s16 y, u8 w, u8 h)
{
    s16 column;
    for (; h; h--, y++)
        for (column = x; column < x + w; column++) draw_metatile(column, y, METATILE(map_cell(column, y)));
}

void map_draw(void)
{
    draw_area(SAVE1->x - VIEW_X, SAVE1->y - VIEW_Y, RING, 2 * VIEW_Y + 1);
}

void map_draw_edge(u8 direction)
{
    s16 x = SAVE1->x, y = SAVE1->y;
    if (direction == LEFT || direction == RIGHT)
        draw_area(x + (direction == LEFT ? -VIEW_X : VIEW_X), y - VIEW_Y, 1, 2 * VIEW_Y + 1);
    else
        draw_area(x - VIEW_X, y + (direction == UP ? -VIEW_Y : VIEW_Y), RING, 1);
}

void map_change(s16 x, s16 y, u16 metatile)
{
    draw_metatile(x, y, metatile);
}

void map_shift(s16 dx, s16 dy)
{
    ring_x -= dx;
    ring_y -= dy;
}

void map_camera(s16 left, s16 top)
{
    left += ring_x * CELL;
    top += ring_y * CELL;
    bg_scroll(1, left, top);
    bg_scroll(2, left, top);
}
