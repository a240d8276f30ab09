/* Start-up: the screen, the title with a new or loaded game, and from there the world, which never ends. */
#include "hardware.h"

int main(void)
{
    video_init();
    title_screen();
    overworld();
    return 0;
}
