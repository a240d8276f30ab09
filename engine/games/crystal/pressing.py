"""Press one action's button, and let what it began come to its end.

Every action takes `hold_frames` + `wait_frames` frames (8 + 12), but for three rules:

- A direction that the player does not face yet is held `TURN_FRAMES` longer, and waited for so much
  less: 8 frames would turn or walk, by chance of the overworld's rhythm; 12 always turn and walk.
- What has begun is waited for, so that no state is read in mid-step: a step for up to
  `STEP_FRAMES` more, a door or a map's edge for up to `DOOR_FRAMES` (a door takes 51 in all).
- While a script, a battle or a window goes on and asks for nothing, up to `ask_frames`, or until a
  fighter falls: what no button can hasten is no step of its own.
- Then up to `POLL_FRAMES` until the game asks for buttons, so that the next press is not lost and
  the reader can tell a text that waits from one that is being written.
"""

from engine.config import EnvConfig
from engine.emulator.base import Emulator
from engine.games.crystal.control import (
    CONTROL_WINDOWS,
    HANDLING,
    POLLING,
    STANDING,
    ControlReader,
)
from engine.games.crystal.memory import SYMBOLS, Symbol, WorkRam, at
from engine.types import DIRECTIONS, Action, GameState

TURN_FRAMES = 4
STEP_FRAMES = 12
DOOR_FRAMES = 64
POLL_FRAMES = 4

_TICK = 2  # the overworld runs every second frame
_GLANCE = 4  # frames from one look for a question to the next
_TILEMAP = slice(at("wTilemap"), at("wTilemap") + SYMBOLS["wTilemap"].size)
_SCRIPT_WARPING, _SCRIPT_TURNING = 5, 9
_FIRST, _LAST = SYMBOLS["wBattleMode"], SYMBOLS["wPlayerStepDuration"]
_SIZE = _LAST.address + _LAST.size - _FIRST.address
_BATTLE, _MAP_STATUS, _EVENTS_OFF, _SCRIPT, _WALKING, _STEP_TICKS = (
    SYMBOLS[name].address - _FIRST.address
    for name in (
        "wBattleMode", "wMapStatus", "wMapEventStatus", "wScriptRunning", "wPlayerWalking",
        "wPlayerStepDuration",
    )
)  # fmt: skip
"""Places in what `_look` returns."""
_OWN_HEALTH, _ENEMY_HEALTH = SYMBOLS["wBattleMonHP"], SYMBOLS["wEnemyMonHP"]
_WINDOWS, _DELAY = SYMBOLS["wWindowStackSize"], SYMBOLS["wTextDelayFrames"]


def play(
    emulator: Emulator, action: int, state: GameState, config: EnvConfig, render: bool
) -> None:
    """Press `action` in the game that is in `state`; `render` draws the last frame."""
    is_turn = state.control.is_free and action in DIRECTIONS
    longer = TURN_FRAMES if is_turn and DIRECTIONS[Action(action)] is not state.place.facing else 0
    waited = config.wait_frames - longer
    emulator.press(action)
    emulator.tick(config.hold_frames + longer)
    emulator.release(action)
    if not state.control.in_game:
        emulator.tick(waited, render)
        return
    if render and waited > _TICK:
        emulator.tick(waited - _TICK)
        waited = _TICK
    emulator.tick(waited, render and not _walks_on(_look(emulator)))
    _settle(emulator, config.ask_frames, _standing(state), render)


def is_at_rest(emulator: Emulator) -> bool:
    """Return whether no step and no way through a door is under way."""
    return _is_at_rest(emulator, _look(emulator))


def is_between_maps(emulator: Emulator) -> bool:
    """Return whether the game is on its way from one map to another."""
    return _is_between_maps(_look(emulator))


def _settle(
    emulator: Emulator, ask_frames: int, standing: tuple[Symbol, ...], render: bool
) -> None:
    for waited in range(0, DOOR_FRAMES, _TICK):
        ram = _look(emulator)
        is_moving = waited < STEP_FRAMES and _is_moving(ram)
        if not is_moving and not _is_between_maps(ram):
            break
        most = DOOR_FRAMES if ram[_SCRIPT] == _SCRIPT_WARPING else STEP_FRAMES
        is_last = waited + _TICK >= most or not _walks_on(ram)
        emulator.tick(_TICK, render and is_last)
    if ask_frames and _is_busy(emulator, _look(emulator)):
        _await_question(emulator, ask_frames, standing, render)
    for _ in range(POLL_FRAMES):
        if _asks_for_buttons(emulator):
            return
        emulator.tick(1, render)


def _standing(state: GameState) -> tuple[Symbol, ...]:
    """Return where the health of those who still stand in a battle is kept."""
    battle = state.battle
    if battle is None:
        return ()
    sides = ((battle.own, _OWN_HEALTH), (battle.enemy, _ENEMY_HEALTH))
    return tuple(symbol for one, symbol in sides if one is not None and one.hp)


def _await_question(
    emulator: Emulator, most: int, standing: tuple[Symbol, ...], render: bool
) -> None:
    """Let what goes on go on until it asks for something; the last frame alone is drawn.

    It also ends when one of `standing` falls: a whole defeat must not pass within a step, unseen.
    """
    ram = WorkRam(CONTROL_WINDOWS)
    reader = ControlReader(emulator, ram)
    for waited in range(0, most, _GLANCE):
        ram.refresh(emulator)
        has_fallen = any(not any(_bytes(emulator, each)) for each in standing)
        if has_fallen or not reader.read(bytes(ram.data[_TILEMAP])).is_busy:
            if waited:
                emulator.tick(1, render)
            return
        emulator.tick(_GLANCE)
    emulator.tick(1, render)


def _asks_for_buttons(emulator: Emulator) -> bool:
    ram = _look(emulator)
    if _is_busy(emulator, ram):
        return _byte(emulator, _DELAY) in POLLING
    return _is_at_rest(emulator, ram)


def _is_at_rest(emulator: Emulator, ram: bytes) -> bool:
    if _is_moving(ram) or _is_between_maps(ram):
        return False
    return not ram[_EVENTS_OFF] or _is_busy(emulator, ram)


def _is_moving(ram: bytes) -> bool:
    """Return whether a step or a turn is under way."""
    return ram[_WALKING] != STANDING or ram[_SCRIPT] == _SCRIPT_TURNING


def _walks_on(ram: bytes) -> bool:
    """Return whether a step is under way and will be after the overworld's next tick.

    Then the next two frames are not the last ones, and need no drawing: that takes longer than
    running a frame. Should the step end all the same, the emulator says that nothing was drawn.
    """
    return ram[_WALKING] != STANDING and ram[_STEP_TICKS] > 1


def _is_busy(emulator: Emulator, ram: bytes) -> bool:
    """Return whether anything but the player's own steps is under way."""
    return bool(ram[_SCRIPT] or ram[_BATTLE] or _byte(emulator, _WINDOWS))


def _is_between_maps(ram: bytes) -> bool:
    if ram[_MAP_STATUS] == HANDLING and ram[_SCRIPT] != _SCRIPT_WARPING:
        return False
    return not ram[_BATTLE]


def _look(emulator: Emulator) -> bytes:
    """Return what shows how a press proceeds, but the two bytes that lie elsewhere."""
    return emulator.read(_FIRST.bank, _FIRST.address, _SIZE)


def _bytes(emulator: Emulator, symbol: Symbol) -> bytes:
    return emulator.read(symbol.bank, symbol.address, symbol.size)


def _byte(emulator: Emulator, symbol: Symbol) -> int:
    return emulator.read(symbol.bank, symbol.address, 1)[0]
