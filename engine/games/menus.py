"""Tell which menu is open, from its size and the words on the screen."""

from enum import IntEnum

from engine.types import GameState


class MenuKind(IntEnum):
    """Kinds of menus that call for different answers."""

    NONE = 0
    BATTLE = 1
    """The battle's first menu: fight, party, bag, run."""
    MOVES = 2
    YES_NO = 3
    START = 4
    OTHER = 5


_FIRST_MENU_SIZE = (2, 2)


def menu_kind(state: GameState) -> MenuKind:
    """Return the kind of the menu that waits for input."""
    control = state.control
    if not control.in_menu:
        return MenuKind.NONE
    words = {line.lstrip("▶▷ ") for line in state.screen_text}
    if "NO" in words and "YES" in words:
        return MenuKind.YES_NO
    if state.battle is not None:
        if control.menu_size == _FIRST_MENU_SIZE:
            return MenuKind.BATTLE
        own = state.battle.own
        if own is not None and own.moves and own.moves[0].name in words:
            return MenuKind.MOVES
        return MenuKind.OTHER
    return MenuKind.START if "EXIT" in words else MenuKind.OTHER
