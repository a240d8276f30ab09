/* The scripts of the story: functions script_<name> after SCRIPTS in data/maps.py. */
#include "field.h"

#define STARTER_LEVEL 5
#define STARTER_BALLS 5
#define GIFT_LEVEL 6 /* a level below that of its change */
enum { GIFT_POTION, GIFT_CREATURE };
#define FLAG_GYM_1_BEATEN 0x4F0
#define REST_FRAMES 20
#define FADE_FRAMES 8

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

/* One gift of two; whoever takes NOTHING, or presses B, may ask again. */
static void professor_offers_gift(void)
{
    u8 gift;
    msg();
    msg_add(T("One more gift is yours. What shall it be?"));
    msg_show(MSG_STAY);
    gift = multichoice(MULTICHOICE_GIFT);
    if (gift == GIFT_POTION && !item_add(ITEM_POTION, 1)) return;
    if (gift == GIFT_CREATURE && !give_mon(SPECIES_GRUBBUD, GIFT_LEVEL)) return;
    if (gift > GIFT_CREATURE) {
        say_text(T("Come back when you know."));
        return;
    }
    flag_set(FLAG_GOT_GIFT);
    say_text(T("A good choice! Take care of it."));
}

void script_alder(void)
{
    if (!gPlayerPartyCount) say(TEXT_ALDER_CHOOSE);
    else if (!flag_get(FLAG_GOT_BALLS)) professor_gives_balls();
    else if (!flag_get(FLAG_GOT_GIFT)) professor_offers_gift();
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

static void take_starter(u16 species)
{
    give_mon(species, STARTER_LEVEL);
    flag_set(FLAG_GOT_STARTER);
    flag_set(FLAG_HAS_PARTY);
    var_set(VAR_SCENE_FERNWICK, 1); /* nobody is called back from now on */
    var_set(VAR_STARTER, species - SPECIES_CINDLE);
    flag_set(FLAG_STARTER_1 + species - SPECIES_CINDLE);
    people_refresh();
    field_draw();
    professor_gives_balls();
}

/* Whichever ball one takes up, the choice is among all three. */
static void choose_starter(void)
{
    u16 species;
    if (gPlayerPartyCount) {
        say(TEXT_BALL_LEFT);
        return;
    }
    species = starter_screen();
    field_return();
    take_starter(species);
}

void script_ball_1(void)
{
    choose_starter();
}

void script_ball_2(void)
{
    choose_starter();
}

void script_ball_3(void)
{
    choose_starter();
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

void script_keeper(void)
{
    say_text(T("You came up to my gallery! The road beyond is not built yet."));
    flag_set(FLAG_MET_KEEPER);
}

void script_badge(void)
{
    say(TEXT_GRETA_LOST);
    flag_set(FLAG_GYM_1_BEATEN);
    flag_set(FLAG_COBBLE_BADGE);
    say(TEXT_GOT_BADGE);
    say(TEXT_GRETA_ADVICE);
}
