/* Moves used outside battles: CUT on a young tree, SURF on water. */
#include "game.h"
#include "system.h"

#define CUT_BADGE 0x02        /* bits of wJohtoBadges */
#define SURF_BADGE 0x08
#define MON_SIZE 48

/* Whether a creature of the party knows the move; its name goes to wStringBuffer1. */
u8 is_known(u8 move)
{
    u8 index, slot;
    for (index = 0; index < wPartyCount; index++) {
        for (slot = 0; slot < 4; slot++) {
            if (wPartyMon1Moves[index * MON_SIZE + slot] != move) continue;
            copy_bytes(wStringBuffer1, wPartyMon1Nickname + index * NAME_SIZE, NAME_SIZE);
            return 1;
        }
    }
    return 0;
}

static void cut(u8 x, u8 y)
{
    if (!(wJohtoBadges & CUT_BADGE) || !is_known(MOVE_CUT)) {
        say(TEXT_CUT_CANNOT);
        return;
    }
    say(TEXT_CUT_ASK);
    if (!yes_no()) return;
    say(TEXT_CUT_DONE);
    tree_cut(x, y); /* until the map is entered anew */
}

static void surf(void)
{
    say(TEXT_SURF_ASK);
    if (!yes_no()) return;
    say(TEXT_SURF_DONE);
    close_box();
    wPlayerState = SURFING;
    hero_load();
    walk_mode(1);
    player_walk(wPlayerDirection & 12);
}

void field_use(u8 collision, u8 x, u8 y) __banked
{
    if (collision != COLL_CUT_TREE) {
        if (wPlayerState || !(wJohtoBadges & SURF_BADGE) || !is_known(MOVE_SURF)) return;
    }
    script_start();
    sprites_draw();
    if (collision == COLL_CUT_TREE) cut(x, y);
    else surf();
    script_end();
}
