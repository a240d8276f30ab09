"""Press one action's button, and let what it began come to its end.

Every action takes `hold_frames` + `wait_frames` frames (8 + 12), but for two rules:

- A direction that the player does not face yet is held `TURN_FRAMES` longer, and waited for so much
  less: 8 frames would turn or walk, by chance of the overworld's rhythm; 12 always turn and walk.
- What has begun is waited for, so that no state is read in mid-step: a step for up to
  `STEP_FRAMES` more, a door or a map's edge for up to `DOOR_FRAMES` (a door takes 51 in all).
"""

from engine.config import EnvConfig
from engine.emulator.base import Emulator
from engine.games.crystal.symbols import SYMBOLS, Symbol
from engine.types import DIRECTIONS, Action, GameState

TURN_FRAMES = 4
STEP_FRAMES = 12
DOOR_FRAMES = 64

_TICK = 2  # the overworld runs every second frame
_WALKING, _STANDING = SYMBOLS["wPlayerWalking"], 255
_MAP_STATUS, _HANDLING = SYMBOLS["wMapStatus"], 2
_SCRIPT, _WARPING = SYMBOLS["wScriptRunning"], 5
_BATTLE = SYMBOLS["wBattleMode"]


def play(
    emulator: Emulator, action: Action, state: GameState, config: EnvConfig, render: bool
) -> None:
    """Press `action` in the game that is in `state`; `render` draws the last frame."""
    is_turn = state.control.is_free and action in DIRECTIONS
    longer = TURN_FRAMES if is_turn and DIRECTIONS[action] is not state.place.facing else 0
    emulator.press(action)
    emulator.tick(config.hold_frames + longer)
    emulator.release(action)
    emulator.tick(config.wait_frames - longer, render)
    if state.control.in_game:
        _settle(emulator, render)


def is_at_rest(emulator: Emulator) -> bool:
    """Return whether no step and no way through a door is under way."""
    return _byte(emulator, _WALKING) == _STANDING and not is_between_maps(emulator)


def _settle(emulator: Emulator, render: bool) -> None:
    for waited in range(0, DOOR_FRAMES, _TICK):
        is_walking = waited < STEP_FRAMES and _byte(emulator, _WALKING) != _STANDING
        if not is_walking and not is_between_maps(emulator):
            return
        emulator.tick(_TICK, render)


def is_between_maps(emulator: Emulator) -> bool:
    """Return whether the game is on its way from one map to another."""
    if _byte(emulator, _MAP_STATUS) == _HANDLING and _byte(emulator, _SCRIPT) != _WARPING:
        return False
    return not _byte(emulator, _BATTLE)


def _byte(emulator: Emulator, symbol: Symbol) -> int:
    return emulator.read(symbol.bank, symbol.address, 1)[0]
