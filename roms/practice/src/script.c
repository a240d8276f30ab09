/* What people say and do. Texts, flags, triggers and trainers come from world.py; scripts with more
 * to them than words are functions here, named script_<name> after world.py's SCRIPTS. */
#include "game.h"
#include "system.h"

#define EMOTE_TICKS 15
#define NO_TEXT 255
#define PIC_BOX_X 6
#define PIC_BOX_Y 1
#define STARTER_LEVEL 5
#define PAL_PICTURE 6         /* BG palette lent to a picture inside a map */


static Object *speaker;

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

static u8 opposite(u8 facing)
{
    return facing ^ 4;
}

/* The text box off the screen, in the middle of a script. */
static void close_box(void)
{
    map_tiles_to_tilemap(0, 6, 10, 3);
    flush_rows(12, 6);
    sprites_draw();
}

static void walk_mode(u8 on)
{
    wScriptMode = on ? 2 : 1;
    wStateFlags = on ? 0x81 : 0x41;
}

static void say_lines(u8 first)
{
    const TalkLine *line = talk_lines + first;
    while (line->flag != NO_FLAG && !flag_get(line->flag)) line++;
    say(line->text);
}

void read_sign(const Sign *s)
{
    script_start();
    sprites_draw();
    if (s->kind == KIND_SCRIPT) scripts[s->param]();
    else say_lines(s->param);
    script_end();
}

/* ---- trainers ---- */

static void meet_trainer(Object *o)
{
    const SightTrainer *t = sight_trainers + o->param;
    u8 result;
    say(t->before);
    if (t->rests_party) heal_party();
    sprites_hide();
    animation_on = 0;
    result = battle_trainer(t->trainer);
    if (result == 0) flag_set(t->flag);
    battle_over(result);
    if (result) script_end();
    if (result) return;
    if (t->script != NO_TEXT) scripts[t->script]();
    else say(t->lost);
    script_end();
}

static u8 is_beaten(const Object *o)
{
    return flag_get(sight_trainers[o->param].flag) != 0;
}

/* Steps from o to the player along its view, 0 if it does not see the player. */
static u8 steps_in_view(const Object *o)
{
    u8 direction = o->facing >> 2, x = o->x, y = o->y, n;
    for (n = 1; n <= sight_trainers[o->param].sight; n++) {
        x += step_dx[direction];
        y += step_dy[direction];
        if (x == PLAYER->x && y == PLAYER->y) return n;
        if (is_wall(collision_at(x - 4, y - 4)) || object_at(x, y)) return 0;
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
    for (n = map->people_count; n; n--, o++) {
        if (!o->sprite || o->kind != KIND_TRAINER || is_beaten(o)) continue;
        steps = steps_in_view(o);
        if (!steps) continue;
        walk_up_and_fight(o, steps);
        return 1;
    }
    return 0;
}

void talk_to(Object *o)
{
    speaker = o;
    if (o->own_sprite != SPRITE_BALL_CLOSED) o->facing = opposite(wPlayerDirection);
    script_start();
    sprites_draw();
    if (o->kind == KIND_TRAINER && !is_beaten(o) && party_alive()) {
        meet_trainer(o);
        return;
    }
    if (o->kind == KIND_TRAINER) say(sight_trainers[o->param].after);
    else if (o->kind == KIND_SCRIPT) scripts[o->param]();
    else say_lines(o->param);
    script_end();
}

/* ---- places ---- */

u8 step_trigger(void)
{
    u8 i;
    for (i = 0; triggers[i].map; i++) {
        if (triggers[i].map != wMapNumber) continue;
        if (wXCoord < triggers[i].x0 || wXCoord > triggers[i].x1) continue;
        if (wYCoord < triggers[i].y0 || wYCoord > triggers[i].y1) continue;
        if (triggers[i].script == SCRIPT_TOWN_EXIT && wPartyCount) continue;
        script_start();
        scripts[triggers[i].script]();
        script_end();
        return 1;
    }
    return 0;
}

/* A town's edge without a creature: the watchman calls, and the player goes a step back. */
void script_town_exit(void)
{
    sprites_draw();
    say(TEXT_TOWN_EXIT);
    close_box();
    walk_mode(1);
    player_walk(opposite(wPlayerDirection));
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
}

/* ---- the scripts ---- */

static void rest_party(void)
{
    close_box();
    fade_out();
    wait_frames(20);
    heal_party();
    fade_in(map_palset);
}

void script_mother(void)
{
    if (!wPartyCount) {
        say(flag_get(EVENT_MET_MOTHER) ? TEXT_MOTHER_LAB : TEXT_MOTHER_FIRST);
        flag_set(EVENT_MET_MOTHER);
        return;
    }
    say(TEXT_MOTHER_REST);
    rest_party();
    say(flag_get(EVENT_BEAT_GRETA) ? TEXT_MOTHER_PROUD : TEXT_MOTHER_HEALED);
}

void script_bed(void)
{
    if (wPartyCount) {
        say(TEXT_BED_NAP);
        rest_party();
    } else {
        say(TEXT_BED);
    }
}

void script_nurse(void)
{
    say(TEXT_NURSE_ASK);
    if (!yes_no()) {
        say(TEXT_NURSE_BYE);
        return;
    }
    rest_party();
    flag_set(EVENT_NURSE_HEALED);
    say(TEXT_NURSE_DONE);
}

void script_clerk(void)
{
    say(TEXT_CLERK_HELLO);
    shop(shop_lists[SHOP_STONEHOLLOW]);
    close_box();
    say(TEXT_CLERK_BYE);
}

static void professor_gives_balls(void)
{
    say(TEXT_ALDER_BALLS);
    item_add(ITEM_BALL, 5);
    flag_set(EVENT_GOT_BALLS);
    say(TEXT_GOT_BALLS);
}

void script_alder(void)
{
    if (!wPartyCount) say(TEXT_ALDER_CHOOSE);
    else if (!flag_get(EVENT_GOT_BALLS)) professor_gives_balls();
    else say(flag_get(EVENT_BEAT_GRETA) ? TEXT_ALDER_BADGE : TEXT_ALDER_GO);
}

/* The creature's picture in a box of its own; the map's palette of the same number waits. */
static void show_picture(u8 species)
{
    window_push();
    draw_box(PIC_BOX_X - 1, PIC_BOX_Y - 1, 9, 9);
    load_front(species, FIRST_FRONT);
    load_pic_palette(PAL_PICTURE, species);
    draw_pic(PIC_BOX_X, PIC_BOX_Y, FRONT_W, FRONT_W, FIRST_FRONT, PAL_PICTURE);
    flush_rows(0, 9);
    sprites_draw();
}

static void hide_picture(void)
{
    window_pop();
    load_palettes(map_palset);
}

static void take_starter(u8 species)
{
    give_mon(species, STARTER_LEVEL);
    flag_set(EVENT_GOT_STARTER);
    flag_set(EVENT_STARTER_1 + species - SPECIES_CINDLE);
    objects_refresh();
    sprites_draw();
    copy_bytes(wStringBuffer1, species_names[species], NAME_SIZE);
    say(TEXT_GOT_STARTER);
    professor_gives_balls();
}

static void starter_ball(u8 species, u8 text)
{
    u8 yes;
    if (wPartyCount) {
        say(TEXT_BALL_LEFT);
        return;
    }
    show_picture(species);
    say(text);
    yes = yes_no();
    hide_picture();
    close_box();
    if (yes) take_starter(species);
}

void script_ball_1(void)
{
    starter_ball(SPECIES_CINDLE, TEXT_BALL_1);
}

void script_ball_2(void)
{
    starter_ball(SPECIES_RILLET, TEXT_BALL_2);
}

void script_ball_3(void)
{
    starter_ball(SPECIES_SPRIGOT, TEXT_BALL_3);
}

/* WREN wants to compare starters once; losing to a friend costs nothing. */
void script_wren(void)
{
    u8 result;
    if (!wPartyCount) {
        say(TEXT_WREN_WAIT);
        return;
    }
    if (flag_get(EVENT_WREN_FOUGHT)) {
        say(flag_get(EVENT_BEAT_GRETA) ? TEXT_WREN_BADGE : TEXT_WREN_AFTER);
        return;
    }
    say(TEXT_WREN_ASK);
    if (!yes_no() || !party_alive()) return;
    sprites_hide();
    animation_on = 0;
    result = battle_trainer(TRAINER_RIVAL);
    flag_set(EVENT_WREN_FOUGHT);
    battle_over(result);
    heal_party();
    say(result ? TEXT_WREN_WON : TEXT_WREN_LOST);
}

void script_gift_potion(void)
{
    if (flag_get(EVENT_GOT_POTION)) {
        say(TEXT_GIFT_AFTER);
        return;
    }
    say(TEXT_GIFT);
    if (!item_add(ITEM_POTION, 2)) return;
    flag_set(EVENT_GOT_POTION);
    say(TEXT_GIFT_GOT);
}

void script_badge(void)
{
    say(TEXT_GRETA_LOST);
    wJohtoBadges |= 1;
    flag_set(EVENT_COBBLE_BADGE);
    say(TEXT_GOT_BADGE);
    say(TEXT_GRETA_ADVICE);
}
