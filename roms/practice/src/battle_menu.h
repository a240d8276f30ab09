/* Between battle.c and battle_menu.c. */
#ifndef BATTLE_MENU_H
#define BATTLE_MENU_H

#include "game.h"

enum { TURN_NONE, TURN_FIGHT, TURN_USED, TURN_CAUGHT, TURN_RAN };

u8 player_turn(void);        /* one of TURN_*, never TURN_NONE */
extern u8 chosen_slot;       /* after TURN_FIGHT; 4: the last resort */
void switch_own(u8 index);   /* recall, send out */

#endif
