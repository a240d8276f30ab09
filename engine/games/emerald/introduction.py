"""Bring a game from power-on to the player's first control."""

from collections.abc import Callable

from engine.emulator.base import Emulator
from engine.errors import EnvironmentError
from engine.games.emerald.memory import SYMBOLS
from engine.types import Action, Control, GameState, Prompt

_FAST_TEXT, _NO_SCENES = 2, 1 << 10
_OPTIONS_AT, _TEXT_SPEED = 0x14, 7
"""In SaveBlock2, 16 bits: 0-2 text speed (2 fast), 10 no battle scenes, the others stay."""

USUAL_FRAMES = 4_900
"""Measured on a cartridge, from the power-on to the inside of the truck."""
_MAX_FRAMES = 40_000
_HOLD_FRAMES, _WAIT_FRAMES = 16, 8
_STABLE_FRAMES = 48
"""A map's own script may begin some 20 frames after the player seems to be in control."""
# Where no prompt is known, A passes pictures and START the title. With a saved game in the battery,
# A also chooses CONTINUE, which is then the first line of the menu.
_PRESSES = (Action.A, Action.A, Action.A, Action.START)


def play_introduction(
    emulator: Emulator,
    read: Callable[[], GameState],
    report: Callable[[int, int], None] = lambda done, most: None,
    usual_frames: int = USUAL_FRAMES,
) -> None:
    """Press through title, menus and introduction, then make text and battles fast.

    Args:
        emulator: Has just been switched on.
        read: Reads the game.
        report: Called after each press with the frames played and about how many there are; what
            it raises ends the introduction.
        usual_frames: About how many frames it takes.

    Raises:
        EnvironmentError: The player is not in control after some ten minutes of play.
    """
    frames = stable = presses = 0
    has_chosen_end = False
    while stable < _STABLE_FRAMES:
        if frames > _MAX_FRAMES:
            raise EnvironmentError(
                "The game's introduction did not finish.",
                "This build of the game is not supported.",
            )
        control = read().control
        if control.is_free:
            # A press might talk to somebody, or open the menu.
            emulator.tick(_WAIT_FRAMES)
            stable += _WAIT_FRAMES
            frames += _WAIT_FRAMES
        else:
            stable = 0
            is_naming = control.prompt is Prompt.NAMING
            if control.prompt is Prompt.NONE and not control.in_game:
                action = _PRESSES[presses % len(_PRESSES)]
                presses += 1
            else:
                action = _answer(control, has_chosen_end)
            has_chosen_end = is_naming and action is Action.START
            emulator.press(action)
            emulator.tick(_HOLD_FRAMES)
            emulator.release(action)
            emulator.tick(_WAIT_FRAMES)
            frames += _HOLD_FRAMES + _WAIT_FRAMES
        report(frames, max(usual_frames, frames))
    make_fast(emulator)
    emulator.tick(_WAIT_FRAMES)


def _answer(control: Control, has_chosen_end: bool) -> Action:
    """Return the button that answers what the screen waits for."""
    match control.prompt:
        case Prompt.NAMING:  # START goes to OK: nothing is typed
            return Action.A if has_chosen_end else Action.START
        case Prompt.YES_NO if control.cursor[0] > 1:
            return Action.UP  # NO asks again
        case _:
            return Action.A


def make_fast(emulator: Emulator) -> None:
    """Choose fast text and no battle scenes, as a player could."""
    pointer = int.from_bytes(emulator.read(0, SYMBOLS["gSaveBlock2Ptr"].address, 4), "little")
    if not pointer:
        return
    options = int.from_bytes(emulator.read(0, pointer + _OPTIONS_AT, 2), "little")
    options = options & ~_TEXT_SPEED | _FAST_TEXT | _NO_SCENES
    emulator.write(0, pointer + _OPTIONS_AT, options.to_bytes(2, "little"))
