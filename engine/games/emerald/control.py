"""Tell who is in control, and what the screen waits for.

The game says it by the functions that it runs: gMain's callbacks name the mode (field, battle, a
screen), gTasks what waits for buttons, gBattlerControllerFuncs what a battler is asked. Where they
lie is the image's `Profile`.
"""

import struct

from engine.games.base import FREE, MENU_PROMPTS, TEXT_PROMPTS
from engine.games.emerald.memory import Memory, Mode, Profile, ewram_at, functions_of, iwram_at
from engine.games.emerald.menus import Menu, MenuReader
from engine.types import Control, Prompt

_CALLBACKS = struct.Struct("<II")
_OBJECT_SIZE = 0x24
_OBJECT_ACTIVE = 1
_IS_PLAYER = 1  # of +2

_MAIN = iwram_at("gMain")
IN_BATTLE, BATTLE_BIT = _MAIN + 0x439, 2
_LOCK, _SCRIPT = iwram_at("sLockFieldControls"), iwram_at("sGlobalScriptContextStatus")
_NO_SCRIPT = 2
_FADING, _FADE_BIT = ewram_at("gPaletteFade") + 7, 0x80
_AVATAR = ewram_at("gPlayerAvatar")
_RUNNING_STATE, _TILE_STATE, _OBJECT, _PREVENT_STEP = (_AVATAR + at for at in (2, 3, 5, 6))
_BETWEEN_TILES, _MOVING = 1, 2
_OBJECTS = ewram_at("gObjectEvents")
_FIGHTERS, _HEALTH = ewram_at("gBattleMons"), tuple(0x58 * i + 0x28 for i in range(4))


class ControlReader:
    """Look at a machine at any frame: who is in control, and what is waited for.

    Args:
        memory: Of the machine.
        profile: Of the image that it runs.

    Attributes:
        menus: Knows what is waited for.
    """

    def __init__(self, memory: Memory, profile: Profile) -> None:
        self._ewram, self._iwram = memory.ewram, memory.iwram
        self._functions = functions_of(profile)
        self.menus = MenuReader(memory, self._functions)

    def mode(self) -> Mode:
        """Return what the game is in the middle of."""
        callbacks = _CALLBACKS.unpack_from(self._iwram, _MAIN)
        if callbacks == self._functions.field:
            return Mode.FIELD
        found = self._functions.modes.get(callbacks[1])
        if found is not None:
            return found
        return Mode.SCREEN if self._has_player() else Mode.BEFORE

    def is_in_control(self) -> bool:
        """Return whether the player can walk at this moment.

        After a map was loaded it holds for some frames before the map's own script begins: whoever
        relies on it then waits until it has held for 20 frames.
        """
        ewram, iwram = self._ewram, self._iwram
        return (
            _CALLBACKS.unpack_from(iwram, _MAIN) == self._functions.field
            and not iwram[_LOCK]
            and iwram[_SCRIPT] == _NO_SCRIPT
            and not ewram[_FADING] & _FADE_BIT
            and not ewram[_PREVENT_STEP]
            and ewram[_TILE_STATE] != _BETWEEN_TILES
            and ewram[_RUNNING_STATE] != _MOVING
            and not iwram[IN_BATTLE] & BATTLE_BIT
        )

    def is_settled(self) -> bool:
        """Return whether no step is under way."""
        return not self._ewram[_TILE_STATE] and self._ewram[_RUNNING_STATE] != _MOVING

    def is_between_maps(self) -> bool:
        """Return whether a map is being left, loaded or come back to."""
        return self.mode() is Mode.LOADING

    def is_fading(self) -> bool:
        """Return whether the screen's colours fade, when no button counts."""
        return bool(self._ewram[_FADING] & _FADE_BIT)

    def fallen(self) -> int:
        """Return bits of the fighters in memory who have no health left, of old battles too."""
        health = (self._ewram[_FIGHTERS + at : _FIGHTERS + at + 2] for at in _HEALTH)
        return sum(1 << i for i, each in enumerate(health) if not any(each))

    def menu(self, mode: Mode) -> Menu:
        """Return what is waited for now."""
        return self.menus.read(mode)

    def read(self, mode: Mode, menu: Menu) -> Control:
        """Return who is in control, given what `mode` and `menu` say."""
        if mode is Mode.FIELD and self.is_in_control():
            return FREE
        prompt = menu.prompt
        is_scripted = mode is Mode.FIELD and self._iwram[_SCRIPT] != _NO_SCRIPT
        is_away = mode in (Mode.LOADING, Mode.BEFORE)
        # Doors, and whatever else moves the player without a script.
        is_moved = mode is Mode.FIELD and bool(self._iwram[_LOCK])
        return Control(
            in_game=mode is not Mode.BEFORE,
            is_free=False,
            in_text=prompt in TEXT_PROMPTS,
            in_menu=prompt in MENU_PROMPTS,
            is_scripted=is_scripted,
            in_transition=is_away or (is_moved and prompt is Prompt.NONE and not is_scripted),
            cursor=menu.cursor,
            menu_size=menu.size,
            prompt=prompt,
            selection=menu.selection,
            pocket=menu.pocket,
        )

    def _has_player(self) -> bool:
        """Return whether the player's figure is there: from the first map on."""
        place = _OBJECTS + _OBJECT_SIZE * (self._ewram[_OBJECT] & 0xF)
        return bool(self._ewram[place] & _OBJECT_ACTIVE and self._ewram[place + 2] & _IS_PLAYER)
