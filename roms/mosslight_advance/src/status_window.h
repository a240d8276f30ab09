/* What the main menu, the saving question and the player's card say of a game. */
#ifndef STATUS_WINDOW_H
#define STATUS_WINDOW_H

#include "game.h"

#define BADGES 8
#define STATUS_H 78

const u8 *place_name(void);
u8 badge_count(void);
void print_play_time(s16 right, s16 y, u8 ink); /* hours:minutes */
void status_window(s16 x, s16 y, s16 w);        /* place, player, badges, time */

#endif
