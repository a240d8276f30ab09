/* What people, signs and places start. Texts, flags, triggers and trainers come from world/;
 * scripts with more to them than words are in act_one.c and act_two.c. */
#include "game.h"
#include "system.h"

#define EMOTE_TICKS 15
#define NO_TEXT 255

/* ---- frame of a script ---- */

void script_start(void)
{
    wScriptRunning = 255;
    wScriptMode = 1;
    wScriptFlags = 4;
    wStateFlags = 0x41;
    player_rest();
    place_sign_hide();
}

void script_end(void)
{
    objects_refresh();
    overworld_redraw();
    wScriptMode = 0;
    wScriptFlags = 0;
    wStateFlags = 1;
    wScriptRunning = 0;
}

u8 opposite(u8 facing)
{
    return facing ^ 4;
}

void close_box(void)
{
    map_tiles_to_tilemap(0, 6, 10, 3);
    flush_rows(12, 6);
    sprites_draw();
}

void walk_mode(u8 on)
{
    wScriptMode = on ? 2 : 1;
    wStateFlags = on ? 0x81 : 0x41;
}

void run_script_at(const u8 *script)
{
    struct { u16 flag; u8 text; } line;
    u8 kind = far_read(MAP->bank, script++);
    if (kind == SCRIPT_CALL) {
        run_script(far_read(MAP->bank, script));
        return;
    }
    do {
        far_copy(MAP->bank, script, (u8 *)&line, sizeof line);
        script += sizeof line;
    } while (line.flag != NO_FLAG && !flag_get(line.flag));
    say(line.text);
}

void read_sign(const Sign *s)
{
    script_start();
    sprites_draw();
    run_script_at(s->script);
    script_end();
}

/* ---- trainers ---- */

static SightTrainer met;      /* the trainer that was last looked at */

static void look_at(const Object *o)
{
    far_copy(MAP->bank, ROW_OF(o)->script, (u8 *)&met, sizeof met);
}

static u8 is_trainer(const Object *o)
{
    return (ROW_OF(o)->kind & 15) == KIND_TRAINER;
}

static void meet_trainer(const Object *o)
{
    u8 result;
    look_at(o);
    say(met.before);
    if (met.rests_party) heal_party();
    sprites_hide();
    animation_on = 0;
    result = battle_trainer(met.trainer);
    if (result == 0) flag_set(met.flag);
    battle_over(result);
    if (result) script_end();
    if (result) return;
    if (met.script != NO_TEXT) run_script(met.script);
    else say(met.lost);
    script_end();
}

static u8 is_beaten(const Object *o)
{
    look_at(o);
    return flag_get(met.flag) != 0;
}

/* Steps from o to the player along its view, 0 if it does not see the player. */
static u8 steps_in_view(const Object *o)
{
    u8 direction = o->facing >> 2, x = o->x, y = o->y, n;
    for (n = 1; n <= ROW_OF(o)->sight; n++) {
        x += step_dx[direction];
        y += step_dy[direction];
        if (x == PLAYER->x && y == PLAYER->y) return n;
        if (permission(collision_at(x - 4, y - 4)) != LAND || object_at(x, y)) return 0;
    }
    return 0;
}

static void walk_up_and_fight(Object *o, u8 steps)
{
    u8 ticks;
    script_start();
    walk_mode(1);
    emote_over = o;
    for (ticks = 0; ticks < EMOTE_TICKS; ticks++) script_tick();
    emote_over = 0;
    while (--steps) object_walk(o, o->facing);
    PLAYER->facing = opposite(o->facing);
    sprites_draw();
    walk_mode(0);
    meet_trainer(o);
}

u8 trainer_sees(void)
{
    Object *o = OBJECTS;
    u8 n, steps;
    if (!party_alive()) return 0;
    for (n = MAP_EVENTS[PEOPLE].count; n; n--, o++) {
        if (!o->sprite || !is_trainer(o) || is_beaten(o)) continue;
        steps = steps_in_view(o);
        if (!steps) continue;
        walk_up_and_fight(o, steps);
        return 1;
    }
    return 0;
}

void talk_to(Object *o)
{
    if (o->movement != MOVE_STILL) o->facing = opposite(wPlayerDirection);
    script_start();
    sprites_draw();
    if (!is_trainer(o)) {
        run_script_at(ROW_OF(o)->script);
    } else if (is_beaten(o) || !party_alive()) {
        say(met.after);
    } else {
        meet_trainer(o);
        return;
    }
    script_end();
}

/* ---- places ---- */

u8 step_trigger(void)
{
    const Trigger *t = trigger_at(wXCoord, wYCoord);
    if (!t) return 0;
    script_start();
    run_script_at(t->script);
    script_end();
    return 1;
}

void arrival(void)
{
    if (wMapNumber == MAP_MILLBROOK_PATH) flag_set(EVENT_ROUTE_ENTERED);
    if (wMapNumber == MAP_STONEHOLLOW) flag_set(EVENT_STONEHOLLOW_REACHED);
    if (wMapNumber == MAP_GYM) flag_set(EVENT_GYM_ENTERED);
    if (wMapNumber == MAP_CENTER) {
        flag_set(EVENT_CENTER_VISITED);
        wLastSpawnMapGroup = wMapGroup; /* who faints from now on wakes up before its door */
        wLastSpawnMapNumber = MAP_STONEHOLLOW;
    }
    if (wMapNumber == MAP_REED_CENTER) {
        wLastSpawnMapGroup = wMapGroup;
        wLastSpawnMapNumber = MAP_REEDMERE;
    }
    /* What is done from the levers on counts until one is in the heart, or must begin anew. */
    if (wMapNumber >= FIRST_HOLLOW_MAP && (wMapNumber < MAP_LEVER_ROOM || wMapNumber == MAP_MOSS_HEART)) {
        flag_clear(EVENT_LEVER_ONE);
        flag_clear(EVENT_LEVER_TWO);
        flag_clear(EVENT_BEAT_ECHO_1);
        flag_clear(EVENT_BEAT_ECHO_2);
    }
}
