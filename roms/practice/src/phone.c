/* Calls on the bell phone. */
#include "game.h"
#include "system.h"

#define STEPS_MASK 7          /* the call comes within eight steps */
#define RING_FRAMES 40

u8 phone_rings(void) __banked
{
    u8 ring;
    if (wMapNumber != MAP_GLIMMER_ROAD || !flag_get(EVENT_RIVAL_NAMED)) return 0;
    if (flag_get(EVENT_PHONE_CALLED) || (wStepCount & STEPS_MASK)) return 0;
    script_start();
    draw_box(0, 0, SCREEN_W, 3);
    print_at(1, 1, "BELL PHONE");
    flush_rows(0, 3);
    for (ring = 0; ring < 2; ring++) {
        msg();
        msg_str("Ring! Ring!");
        msg_show(MSG_STAY);
        wait_frames(RING_FRAMES);
    }
    say(TEXT_CALL_ALDER);
    flag_set(EVENT_PHONE_CALLED);
    script_end();
    return 1;
}
