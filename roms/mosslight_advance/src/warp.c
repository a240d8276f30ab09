/* From map to map, and back into the field from other screens: the modes that Emerald passes through. */
#include "field.h"

#define FADE_FRAMES 8
#define DOOR_FRAMES 4              /* a stage: shut, half open, open */
#define WHITEOUT_FRAMES 30
#define FIRST_MONEY 3000
#define NO_WARP 0xFF
#define SHOWN (SHOW_WINDOWS | SHOW_TOP | SHOW_BOTTOM | SHOW_SPRITES)

static u16 target_map;
static u8 target_warp;

void field_lock(void)
{
    sLockFieldControls = 1;
    player_rest();
    place_sign_hide();
}

void field_unlock(void)
{
    sLockFieldControls = 0;
}

/* ---- the field on the screen ---- */

void field_redraw(void)
{
    ui_clear();
    sprites_hide();
    map_forget_tiles();
    map_load_tiles();
    map_draw();
    people_load();
    field_draw();
    video_show(SHOWN);
}

static void show_field(void)
{
    gMain.callback1 = CB1_Overworld;
    set_mode(CB2_Overworld);
    fade_in(FADE_FRAMES);
}

void CB2_ReturnToField(void)
{
    gMain.callback1 = 0;
    save_blocks_move();
}

void CB2_ReturnToFieldLocal(void)
{
    people_refresh();
    field_redraw();
}

static void pass_through(Callback mode)
{
    set_mode(mode);
    mode();
    wait_frame();
}

void field_return(void)
{
    pass_through(CB2_ReturnToField);
    pass_through(CB2_ReturnToFieldLocal);
    show_field();
}

/* ---- loading ---- */

void CB2_LoadMap(void)
{
    gMain.callback1 = 0;
    sGlobalScriptContext.mode = 0;
    sGlobalScriptContextStatus = 2;
    sLockFieldControls = 0;
}

void CB2_DoChangeMap(void)
{
    const struct WarpEvent *warp = map_header(target_map)->events->warps + target_warp;
    SAVE1->mapGroup = target_map >> 8;
    SAVE1->mapNum = target_map & 0xFF;
    SAVE1->warpId = target_warp;
    if (target_warp == NO_WARP) return;
    SAVE1->x = warp->x;
    SAVE1->y = warp->y;
}

/* Out of a door and off stairs one goes down, from a mat into the room. */
static u8 facing_on_arrival(u8 behaviour)
{
    if (behaviour == MAT_SOUTH) return UP;
    if (behaviour == MAT_EAST) return LEFT;
    return behaviour == MAT_WEST ? RIGHT : DOWN;
}

void CB2_LoadMap2(void)
{
    save_blocks_move();
    map_load(target_map);
    people_clear();
    people_place_player(SAVE1->x, SAVE1->y, facing_on_arrival(metatile_behaviour(SAVE1->x, SAVE1->y)));
    people_spawn();
    note_arrival();
    field_redraw();
}

static void swing_door(s16 x, s16 y, bool opens)
{
    u16 shut = map_cell(x, y) & 0x3FF;
    u8 stage;
    for (stage = 1; stage <= 2; stage++) {
        map_change(x, y, opens ? shut + stage : shut + 2 - stage);
        field_frames(DOOR_FRAMES);
    }
}

/* Nobody stays in a doorway or on stairs. */
static void step_off(void)
{
    s16 x = SAVE1->x, y = SAVE1->y;
    bool is_door = metatile_behaviour(x, y) == DOOR;
    if (is_door) swing_door(x, y, true);
    person_hide(PLAYER, false);
    player_walk(DOWN);
    if (is_door) swing_door(x, y, false);
}

/* The screen is dark. */
static void arrive(u16 map, u8 warp)
{
    u8 section = gMapHeader.section, behaviour;
    target_map = map;
    target_warp = warp;
    pass_through(CB2_LoadMap);
    pass_through(CB2_DoChangeMap);
    pass_through(CB2_LoadMap2);
    sLockFieldControls = 1;
    behaviour = metatile_behaviour(SAVE1->x, SAVE1->y);
    if (behaviour == DOOR) person_hide(PLAYER, true);
    field_draw();
    show_field();
    if (behaviour == DOOR || behaviour == STAIRS) step_off();
    if (gMapHeader.section != section && gMapHeader.type != MAP_TYPE_INDOOR) place_sign_show();
    gPlayerAvatar.preventStep = 0;
    sLockFieldControls = 0;
}

void map_enter(u16 map, u8 warp)
{
    fade_out(FADE_FRAMES);
    arrive(map, warp);
}

void warp_take(const struct WarpEvent *warp)
{
    field_lock();
    gPlayerAvatar.preventStep = 1;
    map_enter(MAP(warp->mapGroup, warp->mapNum), warp->warpId);
}

void warp_through_door(const struct WarpEvent *warp)
{
    field_lock();
    gPlayerAvatar.preventStep = 1;
    swing_door(warp->x, warp->y, true);
    player_walk(UP);
    person_hide(PLAYER, true);
    swing_door(warp->x, warp->y, false);
    map_enter(MAP(warp->mapGroup, warp->mapNum), warp->warpId);
}

/* ---- beginnings ---- */

void CB2_WhiteOut(void)
{
    SAVE1->x = SAVE1->lastHeal.x;
    SAVE1->y = SAVE1->lastHeal.y;
    wait_frames(WHITEOUT_FRAMES);
}

void whiteout(void)
{
    gMain.callback1 = 0;
    pass_through(CB2_WhiteOut);
    arrive(MAP(SAVE1->lastHeal.mapGroup, SAVE1->lastHeal.mapNum), NO_WARP);
}

void CB2_NewGame(void)
{
    SAVE1->x = SAVE1->lastHeal.x = SPAWN_HOME_2F_X;
    SAVE1->y = SAVE1->lastHeal.y = SPAWN_HOME_2F_Y;
    SAVE1->lastHeal.mapGroup = MAP_HOME_2F >> 8;
    SAVE1->lastHeal.mapNum = MAP_HOME_2F & 0xFF;
    SAVE1->lastHeal.warpId = -1;
    money_set(FIRST_MONEY);
}

void new_game(void)
{
    pass_through(CB2_NewGame);
    arrive(MAP_HOME_2F, NO_WARP);
}
