/* Start-up: hardware, title, new game, and from there the overworld for ever. */
#include "game.h"
#include "system.h"

#define RANDOM_SEED 0x5A13    /* the two documented bytes; an environment writes its own */
#define OPTIONS_DEFAULT 0x03  /* middling text, battle scenes on */

void main(void)
{
    set16((u8 *)&hRandomAdd, RANDOM_SEED);
    wOptions = OPTIONS_DEFAULT;
    REG(0xFF0F) = 0;
    REG(0xFFFF) = 1; /* the vertical blank is the only interrupt */
    __asm__("ei");
    video_init();
    title_screen();
    new_game();
    overworld_run();
}
