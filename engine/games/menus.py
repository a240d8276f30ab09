"""Tell which menu is open, from the prompt, its size and the words on the screen."""

from enum import IntEnum

from engine.types import GameState, Prompt


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
    if control.prompt is Prompt.QUANTITY:
        return MenuKind.OTHER
    words = {line.lstrip("▶▷ ") for line in state.screen_text}
    # Words count only for games whose reader does not tell questions from menus.
    is_worded = control.prompt is Prompt.NONE and {"YES", "NO"} <= words
    if control.prompt is Prompt.YES_NO or is_worded:
        return MenuKind.YES_NO
    if state.battle is not None:
        own = state.battle.own
        # In some games both menus have two rows of two, and are told apart by their words.
        if own is not None and own.moves and own.moves[0].name in words:
            return MenuKind.MOVES
        return MenuKind.BATTLE if control.menu_size == _FIRST_MENU_SIZE else MenuKind.OTHER
    return MenuKind.START if "EXIT" in words else MenuKind.OTHER
