"""Bring a game from power-on to the player's first control."""

from collections.abc import Callable

from engine.emulator.base import Emulator
from engine.errors import EnvironmentError
from engine.games.crystal.memory import SYMBOLS
from engine.types import Action, Control, GameState, Prompt

FAST_OPTIONS = 0x91
"""WOptions CFCC: shortest text delay, no text delay, battle scenes off."""
_OTHER_OPTIONS = 0x60
"""Battle style and stereo sound, which stay as they are."""

_USUAL_FRAMES = 4_620
"""Measured on a cartridge, from the power-on to the bedroom."""
_MAX_FRAMES = 40_000
_HOLD_FRAMES, _WAIT_FRAMES = 4, 12
_SETTLED_READS = 8
# Where no prompt is known, A passes pictures and START the title. With a saved game in the battery,
# A also chooses CONTINUE, which is then the first line of the menu.
_PRESSES = (Action.A, Action.A, Action.A, Action.START)


def play_introduction(
    emulator: Emulator,
    read: Callable[[], GameState],
    report: Callable[[int, int], None] = lambda done, most: None,
) -> None:
    """Press through title, menus and introduction, then make text and battles fast.

    Args:
        emulator: Has just been switched on.
        read: Reads the game.
        report: Called after each press with the frames played and about how many there are; what
            it raises ends the introduction.

    Raises:
        EnvironmentError: The player is not in control after some ten minutes of play.
    """
    frames = settled = presses = 0
    action = Action.NOOP
    while settled < _SETTLED_READS:
        if frames > _MAX_FRAMES:
            raise EnvironmentError(
                "The game's introduction did not finish.",
                "This build of the game is not supported.",
            )
        control = read().control
        settled = settled + 1 if control.is_free else 0
        if control.prompt is Prompt.NONE and not control.in_game:
            action = _PRESSES[presses % len(_PRESSES)]
            presses += 1
        else:
            action = _answer(control, action)
        emulator.press(action)
        emulator.tick(_HOLD_FRAMES)
        emulator.release(action)
        emulator.tick(_WAIT_FRAMES)
        frames += _HOLD_FRAMES + _WAIT_FRAMES
        report(frames, max(_USUAL_FRAMES, frames))
    make_fast(emulator)
    emulator.tick(_WAIT_FRAMES)


def _answer(control: Control, last: Action) -> Action:
    """Return the button that answers what the screen waits for; `last` was pressed before."""
    match control.prompt:
        case Prompt.NONE:
            return Action.NOOP  # a START now would only open the menu
        case Prompt.NAMING:
            return Action.A if last is Action.START else Action.START  # START goes to END
        case Prompt.YES_NO if control.cursor[0] != 1:
            return Action.UP  # a NO to "is it o'clock?" asks again, for ever
        case _:
            return Action.A


def make_fast(emulator: Emulator) -> None:
    """Choose fast text and no battle scenes, as a player could."""
    bank, address = SYMBOLS["wOptions"].bank, SYMBOLS["wOptions"].address
    kept = emulator.read(bank, address, 1)[0] & _OTHER_OPTIONS
    emulator.write(bank, address, bytes((kept | FAST_OPTIONS,)))
