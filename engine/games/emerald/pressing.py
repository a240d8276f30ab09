"""Press one action's button, and let what it began come to its end.

Every action takes `hold_frames` + `wait_frames` frames (8 + 12), but for these rules:

- A direction that the player does not face yet is held `TURN_FRAMES` longer, and waited for so much
  less: a press of up to 8 frames only turns, one of 9 to 24 always turns and walks a tile.
- A direction is held for at most `MOST_HELD` frames where the player walks: longer goes two tiles.
- What has begun is waited for, so that no state is read in mid-step: a step, a hop or a door for up
  to `DOOR_FRAMES`; after a map was loaded until the player has been in control for `STABLE_FRAMES`,
  for only then do the map's own scripts begin; a text that is being printed for up to
  `TEXT_FRAMES`; a battle's animations for up to `BATTLE_FRAMES`; a scene for `SCENE_FRAMES`; for
  each of the three up to `ask_frames`, if that is more, or until a fighter falls.
- One more frame ends it: the one that is drawn.
"""

from engine.config import EnvConfig
from engine.emulator.base import Emulator
from engine.emulator.core_hooks import delayed_signals
from engine.games.emerald.control import ControlReader
from engine.games.emerald.memory import Mode
from engine.types import DIRECTIONS, Action, GameState, Prompt

TURN_FRAMES = 4
MOST_HELD = 16
DOOR_FRAMES = 200
STABLE_FRAMES = 20
TEXT_FRAMES = 64
BATTLE_FRAMES = 64
SCENE_FRAMES = 12

_STEP_REST, _STEP_GLANCE, _GLANCE = 6, 2, 4
"""Frames from one look at the game to the next: where a step has just begun (with the usual 20
frames of an action it then ends, after 25), where one may end, and elsewhere."""


def play(
    emulator: Emulator,
    control: ControlReader,
    action: int,
    state: GameState,
    config: EnvConfig,
    render: bool,
) -> None:
    """Press `action` in the game that is in `state`; `render` draws the last frame.

    Ctrl-C waits for its end: looking for it once rather than at every tick takes a third less time.

    Args:
        emulator: The machine.
        control: Reads it.
        action: Index in the game's actions.
        state: The game now.
        config: How long a button is held and waited for.
        render: Draw the last frame.
    """
    held, waited = config.hold_frames, config.wait_frames
    if state.control.is_free and action in DIRECTIONS:
        longer = 0 if DIRECTIONS[Action(action)] is state.place.facing else TURN_FRAMES
        held = min(held + longer, MOST_HELD)
        waited = max(config.hold_frames + waited - held, 1)
    fallen = control.fallen()
    with delayed_signals():
        emulator.press(action)
        emulator.tick(held)
        emulator.release(action)
        emulator.tick(waited - 1)
        if state.control.in_game:
            _settle(emulator, control, config.ask_frames, fallen)
        emulator.tick(1, render)


def _settle(emulator: Emulator, control: ControlReader, ask_frames: int, fallen: int) -> None:
    """Wait for what was begun: until the player is asked for something, or for long enough.

    It also ends when another than those who had `fallen` falls: a whole defeat must not pass within
    a step, unseen.
    """
    waited = stable = 0
    has_loaded = False
    while waited < max(DOOR_FRAMES, ask_frames):
        mode = control.mode()
        has_loaded = has_loaded or mode is Mode.LOADING
        if control.is_in_control():
            if not has_loaded or stable >= STABLE_FRAMES:
                return
        else:
            stable = 0
            has_fallen = ask_frames and mode is Mode.BATTLE and control.fallen() & ~fallen
            if has_fallen or waited >= _patience(control, mode, ask_frames):
                return
        if mode is not Mode.FIELD:
            frames = _GLANCE
        else:
            frames = _STEP_GLANCE if waited or control.is_settled() else _STEP_REST
        emulator.tick(frames)
        waited += frames
        stable += frames


def _patience(control: ControlReader, mode: Mode, ask_frames: int) -> int:
    """Return for how many frames to wait for what is under way; 0: for a button."""
    is_moving = mode is Mode.FIELD and not control.is_settled()
    if is_moving or mode is Mode.LOADING or control.is_fading():
        return DOOR_FRAMES
    now = control.read(mode, control.menu(mode))
    if now.prompt is Prompt.PRINTING:
        return max(TEXT_FRAMES, ask_frames)
    if now.prompt is not Prompt.NONE:
        return 0
    if mode is Mode.BATTLE:
        return max(BATTLE_FRAMES, ask_frames)
    return max(SCENE_FRAMES, ask_frames) if now.is_scripted else DOOR_FRAMES


def is_at_rest(control: ControlReader) -> bool:
    """Return whether no step and no way through a door is under way."""
    return control.is_settled() and not control.is_between_maps()
