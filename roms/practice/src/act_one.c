/* The scripts of the first act: functions script_<name> after SCRIPTS in world/act_one.py. */
#include "game.h"
#include "system.h"

#define PIC_BOX_X 6
#define PIC_BOX_Y 1
#define STARTER_LEVEL 5
#define PAL_PICTURE 6         /* BG palette lent to a picture inside a map */

/* A town's edge without a creature: the watchman calls, and the player goes a step back. */
void script_town_exit(void)
{
    sprites_draw();
    say(TEXT_TOWN_EXIT);
    close_box();
    walk_mode(1);
    player_walk(opposite(wPlayerDirection));
}

void rest_party(void)
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
    shop(SHOP_STONEHOLLOW);
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
    scene_set(MAP_FERNWICK, 1); /* nobody is called back any more */
    flag_set(EVENT_STARTER_1 + species - SPECIES_CINDLE);
    objects_refresh();
    sprites_draw();
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
