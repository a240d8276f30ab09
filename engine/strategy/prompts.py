"""Say what the screen waits for and what its lines are, for whoever answers."""

from engine.games.menus import MenuKind, menu_kind
from engine.types import Action, GameState, Prompt

CURSOR = "▶"
_MARKS = "▶▷◀◁ "


def prompt_of(state: GameState) -> Prompt:
    """Return what the screen waits for; a menu of YES and NO is a question."""
    control = state.control
    if control.in_menu and control.prompt in {Prompt.NONE, Prompt.MENU}:
        return Prompt.YES_NO if menu_kind(state) is MenuKind.YES_NO else Prompt.MENU
    if control.prompt is Prompt.NONE and control.in_text:
        return Prompt.TEXT
    return control.prompt


def words(state: GameState) -> frozenset[str]:
    """Return the lines of the screen without cursors."""
    return frozenset(line.strip(_MARKS) for line in state.screen_text)


def says(state: GameState, *parts: str) -> bool:
    """Return whether the text on the screen holds any of the parts, in lower case.

    A sentence may go over lines, so they are read as one.
    """
    text = " ".join(state.screen_text).lower()
    return any(part in text for part in parts)


def to_cell(state: GameState, cell: tuple[int, int]) -> Action:
    """Return the button that moves the cursor to (row, column), or A there."""
    row, column = state.control.cursor
    if row != cell[0]:
        return Action.DOWN if row < cell[0] else Action.UP
    if column != cell[1]:
        return Action.RIGHT if column < cell[1] else Action.LEFT
    return Action.A


def to_row(state: GameState, row: int) -> Action:
    """Return the button that moves the cursor to a row, or A there."""
    return to_cell(state, (row, state.control.cursor[1]))


def to_place(state: GameState, place: int) -> Action:
    """Return the button that moves the cursor to an entry by its place from 0, or A there.

    The entries fill the menu row by row.
    """
    columns = max(state.control.menu_size[1], 1)
    if columns == 1:
        return to_row(state, place + 1)
    return to_cell(state, (place // columns + 1, place % columns + 1))


def to_entry(state: GameState, *names: str) -> Action:
    """Return the button that moves the cursor to the entry of one of these names, or A there.

    B where no such entry is shown.
    """
    lines = state.screen_text
    at = next((i for i, line in enumerate(lines) if line.startswith(CURSOR)), None)
    wanted = next((i for i, line in enumerate(lines) if line.strip(_MARKS) in names), None)
    if at is None or wanted is None:
        return Action.B
    return Action.A if at == wanted else Action.DOWN if at < wanted else Action.UP
