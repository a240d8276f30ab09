/* The player's steps, in ticks of two frames: a step is eight ticks, a turn or a bump four. */
#include "game.h"
#include "system.h"

#define TURN_TICKS 4
#define STEP_FLAGS_START 0xA0
#define STEP_FLAGS_GO 0x20
#define STEP_FLAGS_STOP 0x60
#define PLACE_SIGN_TICKS 50
#define TURNING 10
#define TURN_SCRIPT 9         /* wScriptRunning while the player turns */
#define BUMPING 1

const s8 step_dx[4] = {0, 0, -1, 1};
const s8 step_dy[4] = {1, -1, 0, 0};
u8 place_sign_ticks;
u8 tick_mark;
u8 pressed;
u8 step_type;

/* ---- place name ---- */

void place_sign_hide(void)
{
    place_sign_ticks = 0;
    rLCDC = LCDC_ON;
}

/* The window layer covers rows 15-17, so that scrolling and wTilemap stay as they are. */
void place_sign_show(u8 landmark)
{
    const char *name = landmark_names[landmark];
    u8 row[SCREEN_W], i, y;
    for (y = 0; y < 3; y++) {
        fill_bytes(row, y == 1 ? TILE_SPACE : 0x7A, SCREEN_W);
        row[0] = y == 0 ? 0x79 : y == 1 ? 0x7C : 0x7D;
        row[19] = y == 0 ? 0x7B : y == 1 ? 0x7C : 0x7E;
        for (i = 0; y == 1 && name[i]; i++) row[2 + i] = ascii_tiles[name[i] - 0x20];
        vram_row(row, 0x9C00 + y * 32, 0, SCREEN_W);
    }
    rWX = 7;
    rWY = 120;
    rLCDC = LCDC_ON | LCDC_WINDOW;
    place_sign_ticks = PLACE_SIGN_TICKS;
}

/* ---- ticks ---- */

void tick_wait(void)
{
    pressed = 0;
    do {
        wait_frames(1);
        pressed |= hJoyPressed;
    } while ((u8)(hVBlankCounter - tick_mark) < 2);
    tick_mark = hVBlankCounter;
    if (place_sign_ticks && --place_sign_ticks == 0) {
        place_sign_hide();
        sprites_draw();
    }
}

void update_tiles(void)
{
    u8 x = wXCoord, y = wYCoord;
    wPlayerTileCollision = collision_at(x, y);
    wTileDown = collision_at(x, y + 1);
    wTileUp = collision_at(x, y - 1);
    wTileLeft = collision_at(x - 1, y);
    wTileRight = collision_at(x + 1, y);
    wTilePermissions = 0; /* this game has no tiles with single walled sides */
}

/* ---- the player's steps ---- */

/* Shift the tile map by a cell and draw the row or column of cells that comes into view. */
static void scroll_tilemap(u8 direction)
{
    view_column = (view_column + step_dx[direction] * 2) & 31;
    view_row = (view_row + step_dy[direction] * 2) & 31;
    if (direction == 0) {
        copy_bytes(wTilemap, wTilemap + 40, 320);
        copy_bytes(wAttrmap, wAttrmap + 40, 320);
        map_tiles_to_tilemap(0, 8, 10, 1);
        flush_rows(16, 2);
    } else if (direction == 1) {
        move_up(wTilemap + 40, wTilemap, 320);
        move_up(wAttrmap + 40, wAttrmap, 320);
        map_tiles_to_tilemap(0, 0, 10, 1);
        flush_rows(0, 2);
    } else if (direction == 2) {
        move_up(wTilemap + 2, wTilemap, 358);
        move_up(wAttrmap + 2, wAttrmap, 358);
        map_tiles_to_tilemap(0, 0, 1, 9);
        flush_rect(0, 0, 2, 18);
    } else {
        copy_bytes(wTilemap, wTilemap + 2, 358);
        copy_bytes(wAttrmap, wAttrmap + 2, 358);
        map_tiles_to_tilemap(9, 0, 1, 9);
        flush_rect(18, 0, 2, 18);
    }
}

static void set_scroll(void)
{
    u8 direction = wPlayerDirection >> 2;
    scroll_x = -step_dx[direction] * (s8)(PLAYER->step_duration * 2);
    scroll_y = -step_dy[direction] * (s8)(PLAYER->step_duration * 2);
}

void start_step(u8 facing)
{
    u8 midair = wPlayerStepFlags & STEP_FLAGS_MIDAIR;
    object_start_step(PLAYER, facing);
    step_type = STEPPING;
    wPlayerStepFlags = STEP_FLAGS_START | midair;
    set_scroll();
    scroll_tilemap(facing >> 2);
}

void start_turn(u8 facing)
{
    PLAYER->facing = facing;
    PLAYER->step_type = step_type = TURNING;
    PLAYER->step_duration = TURN_TICKS;
    wScriptRunning = TURN_SCRIPT;
}

void start_bump(void)
{
    step_type = BUMPING;
    PLAYER->step_duration = TURN_TICKS;
    PLAYER->step_frame ^= 1;
    PLAYER->action = 2;
}

/* A step ends. Who reads RAM takes the player for free from the next tick on, which clears
 * wMapEventStatus, or at once after a script: what a step starts (a script, a warp, a battle) must
 * have set its own flag before. */
void player_rest(void)
{
    PLAYER->walking = 255;
    PLAYER->step_type = 1;
    PLAYER->action = 1;
    wPlayerStepFlags = 0;
}

u8 player_advance(void)
{
    u8 midair = wPlayerStepFlags & STEP_FLAGS_MIDAIR;
    if (step_type != STEPPING) {
        if (--PLAYER->step_duration == 0) {
            PLAYER->step_type = 1;
            PLAYER->action = 1;
            if (wScriptRunning == TURN_SCRIPT) wScriptRunning = 0;
        }
        return 0;
    }
    if (--PLAYER->step_duration) {
        set_scroll();
        if (PLAYER->step_duration < 7)
            wPlayerStepFlags = (PLAYER->step_duration == 1 ? STEP_FLAGS_STOP : STEP_FLAGS_GO) | midair;
        return 0;
    }
    if ((u8)(PLAYER->x - 4) >= MAP->width * 2 || (u8)(PLAYER->y - 4) >= MAP->height * 2)
        wMapStatus = 1; /* the coordinates are those of no map until cross_border has done its work */
    wXCoord = PLAYER->x - 4;
    wYCoord = PLAYER->y - 4;
    PLAYER->last_x = PLAYER->x;
    PLAYER->last_y = PLAYER->y;
    scroll_x = scroll_y = 0;
    wStepCount++;
    update_tiles();
    return 1;
}

void script_tick(void)
{
    Object *o = OBJECTS;
    u8 n;
    tick_wait();
    if (PLAYER->step_duration && player_advance()) player_rest();
    for (n = MAP_EVENTS[PEOPLE].count; n; n--, o++)
        if (o->step_duration) object_advance(o);
    sprites_draw();
}

void player_walk(u8 facing)
{
    PLAYER->facing = facing;
    start_step(facing);
    while (PLAYER->step_duration) script_tick();
}

void object_walk(Object *o, u8 facing)
{
    object_start_step(o, facing);
    while (o->step_duration) script_tick();
}
