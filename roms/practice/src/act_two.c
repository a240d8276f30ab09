/* The scripts of the second act. */
#include "game.h"
#include "system.h"

#define NAME_LETTERS 7
#define PHONE_AND_GEAR 0x84   /* wPokegearFlags */

/* Whoever the event hides goes away in a dark moment. */
void leaves(u16 event)
{
    close_box();
    fade_out();
    flag_set(event);
    objects_refresh();
    sprites_draw();
    wait_frames(20);
    fade_in(map_palset);
}

void script_watchman(void)
{
    say(TEXT_WATCH_ASK);
    ask_hour();
    say(TEXT_WATCH_THANKS);
    say(TEXT_WATCH_PHONE);
    wPokegearFlags |= PHONE_AND_GEAR;
    flag_set(EVENT_GOT_PHONE);
    say(TEXT_GOT_PHONE);
    leaves(EVENT_CLOCK_SET);
}

/* ---- the rival, twice ---- */

void script_wren_named(void)
{
    say(TEXT_WREN_NAME);
    name_screen("RIVAL'S NAME?", wRivalName, NAME_LETTERS);
    flag_set(EVENT_RIVAL_NAMED);
    say(TEXT_WREN_NAMED);
    leaves(EVENT_BEAT_WREN_1);
}

void script_wren_gone(void)
{
    say(TEXT_WREN_GONE);
    leaves(EVENT_BEAT_WREN_2);
}

/* ---- the lamp ---- */

void script_lamp(void)
{
    if (!item_add(ITEM_LAMP, 1)) return;
    flag_set(EVENT_GOT_LAMP);
    say(TEXT_LAMP_FOUND);
}

void script_lamplighter(void)
{
    if (!item_remove(ITEM_LAMP, 1)) {
        say(TEXT_LIGHTER_WAIT);
        return;
    }
    say(TEXT_LIGHTER_THANKS);
    leaves(EVENT_LAMP_RETURNED);
}

void script_reed_badge(void)
{
    say(TEXT_OSSA_LOST);
    wJohtoBadges |= 2;
    flag_set(EVENT_REED_BADGE);
    say(TEXT_GOT_REED_BADGE);
    say(TEXT_OSSA_ADVICE);
}

/* ---- moves for the field ---- */

/* 1 if the first creature was taught. */
static u8 teaches(u8 ask, u8 move, u8 machine)
{
    copy_bytes(wStringBuffer1, wPartyMon1Nickname, NAME_SIZE);
    say(ask);
    if (!yes_no()) {
        say(TEXT_TEACH_NO);
        return 0;
    }
    teach_move(move);
    wTMsHMs[FIRST_MACHINE + machine] = 1;
    return 1;
}

void script_cutter(void)
{
    if (!(wJohtoBadges & 2)) {
        say(TEXT_CUTTER_WAIT);
    } else if (flag_get(EVENT_GOT_CUT)) {
        say(TEXT_CUTTER_AFTER);
    } else if (teaches(TEXT_CUTTER_ASK, MOVE_CUT, MACHINE_CUT)) {
        flag_set(EVENT_GOT_CUT);
        say(TEXT_CUTTER_DONE);
    }
}

/* The seal is the badge bit that allows to surf. */
void script_warden(void)
{
    if (flag_get(EVENT_GOT_SEAL)) {
        say(TEXT_WARDEN_AFTER);
    } else if (teaches(TEXT_WARDEN_ASK, MOVE_SURF, MACHINE_SURF)) {
        wJohtoBadges |= 8;
        flag_set(EVENT_GOT_SEAL);
        say(TEXT_GOT_SEAL);
        say(TEXT_WARDEN_AFTER);
    }
}

void script_shrine(void)
{
    if (flag_get(EVENT_MOSS_LIGHT)) {
        say(TEXT_SHRINE_AFTER);
        return;
    }
    say(TEXT_SHRINE_LIGHT);
    flag_set(EVENT_MOSS_LIGHT);
    blocks_refresh(); /* the stairs under the moss */
    say(TEXT_SHRINE_STAIRS);
}
