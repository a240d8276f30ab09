"""Bring a game from power-on to the player's first control: the loop that all games share."""

from collections.abc import Callable

from engine.emulator.base import Emulator
from engine.errors import EnvironmentError
from engine.types import Action, Control, GameState, Prompt

_MAX_FRAMES = 40_000
# Where no prompt is known, A passes pictures and START the title. With a saved game in the battery,
# A also chooses CONTINUE, which is then the first line of the menu.
_BLIND_PRESSES = (Action.A, Action.A, Action.A, Action.START)


def play_introduction(
    emulator: Emulator,
    read: Callable[[], GameState],
    report: Callable[[int, int], None] = lambda done, most: None,
    *,
    usual_frames: int,
    make_fast: Callable[[Emulator], None],
    hold_frames: int,
    wait_frames: int,
    rest_frames: int,
    stable_frames: int,
    scene_action: Action,
    blind_start_counts: bool = False,
) -> None:
    """Press through title, menus and introduction, then make text and battles fast.

    Args:
        emulator: Has just been switched on.
        read: Reads the game.
        report: Called after each press with the frames played and about how many there are; what
            it raises ends the introduction.
        usual_frames: About how many frames it takes.
        make_fast: Chooses fast text and no battle scenes.
        hold_frames: How long a button is held.
        wait_frames: How long is waited after it.
        rest_frames: Frames between two looks while the player is in control and nothing is pressed.
        stable_frames: How long the player must have been in control in the end.
        scene_action: What to press while the running game asks for nothing.
        blind_start_counts: A START pressed just before a screen that asks for a name is known to be
            one has already gone to its END.

    Raises:
        EnvironmentError: The player is not in control after some ten minutes of play.
    """
    frames = stable = presses = 0
    has_chosen_end = False
    while stable < stable_frames:
        if frames > _MAX_FRAMES:
            raise EnvironmentError(
                "The game's introduction did not finish.",
                "This build of the game is not supported.",
            )
        control = read().control
        if control.is_free:  # a press might talk to somebody, or open the menu
            emulator.tick(rest_frames)
            stable += rest_frames
            frames += rest_frames
        else:
            stable = 0
            if control.prompt is Prompt.NONE and not control.in_game:
                action = _BLIND_PRESSES[presses % len(_BLIND_PRESSES)]
                presses += 1
                has_chosen_end = blind_start_counts and action is Action.START
            else:
                action = _answer(control, has_chosen_end, scene_action)
                has_chosen_end = action is Action.START
            emulator.press(action)
            emulator.tick(hold_frames)
            emulator.release(action)
            emulator.tick(wait_frames)
            frames += hold_frames + wait_frames
        report(frames, max(usual_frames, frames))
    make_fast(emulator)
    emulator.tick(wait_frames)


def _answer(control: Control, has_chosen_end: bool, scene_action: Action) -> Action:
    """Return the button that answers what the screen waits for."""
    match control.prompt:
        case Prompt.NONE:
            return scene_action
        case Prompt.NAMING:  # START goes to END or OK: nothing is typed
            return Action.A if has_chosen_end else Action.START
        case Prompt.YES_NO if control.cursor[0] > 1:
            return Action.UP  # a NO, to "is it o'clock?" for one, asks again for ever
        case _:
            return Action.A
