"""Bring a game from power-on to the player's first control, once per ROM."""

import logging
import os
import zlib
from collections.abc import Callable
from importlib.metadata import version
from pathlib import Path

from engine.emulator.base import Emulator
from engine.errors import EnvironmentError
from engine.games.crystal.symbols import SYMBOLS
from engine.types import Action, GameState

_log = logging.getLogger(__name__)

FAST_OPTIONS = 0x91
"""WOptions CFCC: shortest text delay, no text delay, battle scenes off."""

_MAX_FRAMES = 40_000
_HOLD_FRAMES, _WAIT_FRAMES = 4, 12
_SETTLED_READS = 8
# A passes text, menus and a full naming screen; START passes the title and a name's end.
_PRESSES = (Action.A, Action.A, Action.A, Action.START)


def start_state(
    emulator: Emulator, read: Callable[[], GameState], sha1: str, folder: Path | None
) -> bytes:
    """Return the state at the first control, from the cache in `folder` if it is there.

    The emulator is left in that state. A cache that cannot be read or written is done without.

    Raises:
        EnvironmentError: The introduction does not come to an end.
    """
    path = folder / f"{sha1}-pyboy-{version('pyboy')}.state" if folder else None
    if path is not None and path.is_file():
        try:
            state = zlib.decompress(path.read_bytes())
            emulator.load_state(state)
        except (OSError, zlib.error, EnvironmentError) as error:
            _log.warning("cannot use the cached start state %s: %s", path, error)
        else:
            return state
    play_introduction(emulator, read)
    state = emulator.save_state()
    if path is not None:
        _store(path, zlib.compress(state, 6))
    return state


def play_introduction(emulator: Emulator, read: Callable[[], GameState]) -> None:
    """Press through title, menus and introduction, then make text and battles fast.

    Raises:
        EnvironmentError: The player is not in control after some ten minutes of play.
    """
    frames = settled = presses = 0
    while settled < _SETTLED_READS:
        if frames > _MAX_FRAMES:
            raise EnvironmentError(
                "The game's introduction did not come to its end.",
                "This build of the game is not supported.",
            )
        control = read().control
        settled = settled + 1 if control.is_free else 0
        if control.in_game and not (control.in_text or control.in_menu):
            action = Action.NOOP  # a START now would only open the menu
        elif control.in_game:
            action = Action.A
        else:
            action = _PRESSES[presses % len(_PRESSES)]
            presses += 1
        emulator.press(action)
        emulator.tick(_HOLD_FRAMES)
        emulator.release(action)
        emulator.tick(_WAIT_FRAMES)
        frames += _HOLD_FRAMES + _WAIT_FRAMES
    options = SYMBOLS["wOptions"]
    emulator.write(options.bank, options.address, bytes((FAST_OPTIONS,)))
    emulator.tick(_WAIT_FRAMES)


def _store(path: Path, data: bytes) -> None:
    """Write a file whole or not at all; several workers may do so at once."""
    temporary = path.with_name(f"{path.name}.{os.getpid()}.tmp")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        temporary.write_bytes(data)
        temporary.replace(path)
    except OSError as error:
        _log.warning("cannot keep the start state %s: %s", path, error)
