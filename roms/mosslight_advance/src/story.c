/* The scripts of the first act: functions script_<name> after SCRIPTS in roms/practice/world/act_one.py. */
#include "field.h"

#define STARTER_LEVEL 5
#define STARTER_BALLS 5
#define FLAG_GYM_1_BEATEN 0x4F0
#define PICTURE_SPRITE 1           /* before all people */
#define PICTURE_SIZE 64
#define PICTURE_FRAME 8
#define PICTURE_TILE 512
#define PICTURE_PALETTE 15
#define PICTURE_X 88
#define PICTURE_Y 24
#define REST_FRAMES 20
#define FADE_FRAMES 8

static struct { u16 species, text; bool taken; } starter;

/* ---- places ---- */

static void set_heal(u16 map, s16 x, s16 y)
{
    SAVE1->lastHeal.mapGroup = map >> 8;
    SAVE1->lastHeal.mapNum = map & 0xFF;
    SAVE1->lastHeal.warpId = -1;
    SAVE1->lastHeal.x = x;
    SAVE1->lastHeal.y = y;
}

/* Whoever has been in the rest house wakes up before its door after a defeat. */
void story_arrival(void)
{
    u16 map = MAP(SAVE1->mapGroup, SAVE1->mapNum);
    if (map == MAP_MILLBROOK_PATH) flag_set(FLAG_ROUTE_ENTERED);
    if (map == MAP_STONEHOLLOW) flag_set(FLAG_STONEHOLLOW_REACHED);
    if (map == MAP_GYM) flag_set(FLAG_GYM_ENTERED);
    if (map != MAP_CENTER) return;
    flag_set(FLAG_CENTER_VISITED);
    set_heal(MAP_STONEHOLLOW, SPAWN_STONEHOLLOW_X, SPAWN_STONEHOLLOW_Y);
}

/* A town's edge without a creature: the watchman calls, and the player goes a step back. */
void script_town_exit(void)
{
    u8 direction = OPPOSITE(gObjectEvents[PLAYER].facing & 15);
    say(TEXT_TOWN_EXIT);
    msg_close();
    player_walk(direction);
}

/* ---- rest ---- */

static void rest_party(void)
{
    msg_close();
    fade_out(FADE_FRAMES);
    wait_frames(REST_FRAMES);
    heal_party();
    fade_in(FADE_FRAMES);
}

static void give_shoes(void)
{
    if (flag_get(FLAG_RUNNING_SHOES)) return;
    flag_set(FLAG_RUNNING_SHOES);
    say_text(T("And here are your QUICK BOOTS. With B you run!"));
}

void script_mother(void)
{
    if (!gPlayerPartyCount) {
        say(flag_get(FLAG_MET_MOTHER) ? TEXT_MOTHER_LAB : TEXT_MOTHER_FIRST);
        flag_set(FLAG_MET_MOTHER);
        return;
    }
    say(TEXT_MOTHER_REST);
    rest_party();
    say(flag_get(FLAG_BEAT_GRETA) ? TEXT_MOTHER_PROUD : TEXT_MOTHER_HEALED);
    give_shoes();
}

void script_bed(void)
{
    if (gPlayerPartyCount) {
        say(TEXT_BED_NAP);
        rest_party();
    } else {
        say(TEXT_BED);
    }
}

void script_nurse(void)
{
    msg();
    msg_add(text_table[TEXT_NURSE_ASK]);
    msg_show(MSG_STAY);
    if (!yes_no()) {
        say(TEXT_NURSE_BYE);
        return;
    }
    rest_party();
    flag_set(FLAG_NURSE_HEALED);
    say(TEXT_NURSE_DONE);
}

void script_clerk(void)
{
    say(TEXT_CLERK_HELLO);
    msg_close();
    shop(SHOP_STONEHOLLOW);
    field_return();
    say(TEXT_CLERK_BYE);
}

/* ---- the laboratory ---- */

static void professor_gives_balls(void)
{
    say(TEXT_ALDER_BALLS);
    item_add(ITEM_BALL, STARTER_BALLS);
    flag_set(FLAG_GOT_BALLS);
    say(TEXT_GOT_BALLS);
}

void script_alder(void)
{
    if (!gPlayerPartyCount) say(TEXT_ALDER_CHOOSE);
    else if (!flag_get(FLAG_GOT_BALLS)) professor_gives_balls();
    else say(flag_get(FLAG_BEAT_GRETA) ? TEXT_ALDER_BADGE : TEXT_ALDER_GO);
}

/* YES or NO under a text, which goes again. */
static bool ask(u16 text)
{
    bool yes;
    msg();
    msg_add(text_table[text]);
    msg_show(MSG_STAY);
    yes = yes_no();
    msg_close();
    return yes;
}

/* The creature's picture over the laboratory, with the question whether to take it. */
void CB2_StarterChoose(void)
{
    const struct Picture *picture = &species_fronts[starter.species];
    s16 x = PICTURE_X - PICTURE_FRAME, y = PICTURE_Y - PICTURE_FRAME, size = PICTURE_SIZE + 2 * PICTURE_FRAME;
    ui_box(x, y, size, size);
    sprite_tiles(PICTURE_TILE, picture->tiles, 64);
    pal_load(16 + PICTURE_PALETTE, picture->palette);
    sprite_put(PICTURE_SPRITE, PICTURE_X, PICTURE_Y, SPRITE_64x64, PICTURE_TILE, PICTURE_PALETTE, SPRITE_TOP);
    starter.taken = ask(starter.text);
    sprite_hide(PICTURE_SPRITE);
    ui_clear_rect(x, y, size, size);
}

static void take_starter(void)
{
    give_mon(starter.species, STARTER_LEVEL);
    flag_set(FLAG_GOT_STARTER);
    flag_set(FLAG_HAS_PARTY);
    var_set(VAR_SCENE_FERNWICK, 1); /* nobody is called back from now on */
    var_set(VAR_STARTER, starter.species - SPECIES_CINDLE);
    flag_set(FLAG_STARTER_1 + starter.species - SPECIES_CINDLE);
    people_refresh();
    field_draw();
    say(TEXT_GOT_STARTER);
    professor_gives_balls();
}

static void starter_ball(u16 species, u16 text)
{
    if (gPlayerPartyCount) {
        say(TEXT_BALL_LEFT);
        return;
    }
    starter.species = species;
    starter.text = text;
    set_mode(CB2_StarterChoose);
    CB2_StarterChoose();
    set_mode(CB2_Overworld);
    if (starter.taken) take_starter();
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

/* ---- people ---- */

/* WREN wants to compare starters once; losing to a friend costs nothing. */
void script_wren(void)
{
    u8 outcome;
    if (!gPlayerPartyCount) {
        say(TEXT_WREN_WAIT);
        return;
    }
    if (flag_get(FLAG_WREN_FOUGHT)) {
        say(flag_get(FLAG_BEAT_GRETA) ? TEXT_WREN_BADGE : TEXT_WREN_AFTER);
        return;
    }
    if (!ask(TEXT_WREN_ASK) || !party_alive()) return;
    outcome = battle_trainer_mild(TRAINER_RIVAL_1 + var_get(VAR_STARTER));
    flag_set(FLAG_WREN_FOUGHT);
    field_return();
    heal_party();
    say(outcome == LOST ? TEXT_WREN_WON : TEXT_WREN_LOST);
}

void script_gift_potion(void)
{
    if (flag_get(FLAG_GOT_POTION)) {
        say(TEXT_GIFT_AFTER);
        return;
    }
    say(TEXT_GIFT);
    if (!item_add(ITEM_POTION, 2)) return;
    flag_set(FLAG_GOT_POTION);
    say(TEXT_GIFT_GOT);
}

void script_badge(void)
{
    say(TEXT_GRETA_LOST);
    flag_set(FLAG_GYM_1_BEATEN);
    flag_set(FLAG_COBBLE_BADGE);
    say(TEXT_GOT_BADGE);
    say(TEXT_GRETA_ADVICE);
}
