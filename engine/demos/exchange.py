"""Bring demonstrations into other programs' formats and back: NPZ, Minari, a table of actions.

A foreign file holds what was pressed, never exactly when: it is played here, from the start that
the run's settings name, and becomes a demonstration of that.
"""

import csv
import io
import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from engine.config import RunConfig
from engine.demos.demonstration import Demonstration, read_limited
from engine.demos.layout import decode_demo, encode_demo
from engine.demos.npz import NpzReader, NpzWriter
from engine.demos.playback import END, Step, play
from engine.demos.recorder import record_actions
from engine.demos.writing import write_whole
from engine.errors import DemoError
from engine.types import FRAME_SHAPE, NUM_ACTIONS, Action

_MAX_CSV, _MAX_LINE = 1 << 25, 1 << 12
_MAX_TEXT = 1 << 24
_COLUMNS = ("step", "action", "reward", "done", "proposal", "intervention", "random")
_NAMES = {action.name: int(action) for action in Action}
_FEW = 1 << 20
_FAR_OFF = 24.0
"""Mean difference of two pictures' colours, of 255, from which they are not of the same moment."""


def to_npz(demo: Demonstration, path: Path, config: RunConfig) -> int:
    """Write the documented NPZ; return its steps, T.

    observations uint8 (T, 144, 160, 3) before each action, actions int32 (T,), rewards float32
    (T,), dones bool (T,), infos: JSON texts (T,), episode_return float64, episode_length int64;
    and demo uint8: the demonstration itself, by which `from_npz` brings back exactly what it was.
    Nothing in it is pickled.

    Raises:
        DemoError, ReplayError: It cannot be played or written.
    """
    count = sum(1 for _ in play(demo, config, renders=False))
    actions, rewards, dones, infos = [], [], [], []
    with NpzWriter(path) as file:
        with file.rows("observations", (count, *FRAME_SHAPE), np.dtype(np.uint8)) as write:
            for step in play(demo, config):
                assert step.frame is not None
                write(step.frame.tobytes())
                actions.append(step.action)
                rewards.append(step.reward)
                dones.append(step.done)
                infos.append(json.dumps(_info(step), separators=(",", ":")))
        file.put("actions", np.array(actions, np.int32))
        file.put("rewards", np.array(rewards, np.float32))
        file.put("dones", np.array(dones, np.bool_))
        file.put("infos", np.array(infos, np.str_))
        file.put("episode_return", np.array(sum(rewards), np.float64))
        file.put("episode_length", np.array(count, np.int64))
        file.put("demo", np.frombuffer(encode_demo(demo), np.uint8))
    return count


def from_npz(path: Path, config: RunConfig, folder: Path) -> tuple[Demonstration, Path | None]:
    """Read an NPZ: one of ours exactly, a foreign one by playing its actions into `folder`.

    Returns:
        The demonstration, and the file that playing made of it, if it was played.

    Raises:
        DemoError: It is damaged or of another game; nothing it holds is executed.
    """
    with NpzReader(path) as file:
        if "demo" in file.names:
            data = file.array("demo", np.dtype(np.uint8), _MAX_TEXT)
            return decode_demo(data.tobytes(), str(path)), None
        actions = file.whole_numbers("actions", _FEW)
        shape = file.shape("observations") if "observations" in file.names else None
        if shape is not None and (len(shape) != 4 or shape[1:] != FRAME_SHAPE):
            raise DemoError(
                f"{path} holds pictures of {' x '.join(map(str, shape[1:]))}, not 144 x 160 x 3.",
                "It is of another console or was resized; only actions of this game can be used.",
            )
        if shape is not None and shape[0] != len(actions):
            raise DemoError(f"{path} has another number of pictures than of actions.")
        demo, made = from_actions(actions, config, folder, origin=path)
        if shape is not None:
            try:
                _compare(demo, config, file.frames("observations"), path)
            except BaseException:  # what was played is of no use; it is raised again
                made.unlink(missing_ok=True)
                raise
        return demo, made


def to_csv(demo: Demonstration, path: Path) -> int:
    """Write a table of actions, with what was paid; return its rows.

    The first row's column "random" has the game's two random bytes at the start.

    Raises:
        DemoError: It was played in real time, which a table cannot hold, or cannot be written.
    """
    if demo.has_live:
        raise DemoError(
            "It was played in real time, which a table of actions cannot hold.",
            "Export it with --format npz, or copy the .demo file.",
        )
    text = io.StringIO()
    table = csv.writer(text, lineterminator="\n")
    table.writerow(_COLUMNS)
    for step, action in enumerate(demo.actions):
        proposal = int(demo.proposals[step])
        table.writerow(
            (
                step,
                Action(int(action)).name,
                repr(float(demo.rewards[step])),
                int(demo.dones[step]),
                Action(proposal).name if proposal < NUM_ACTIONS else "",
                int(demo.is_intervention[step]),
                "{} {}".format(*demo.recording.segments[-1].random) if step == 0 else "",
            )
        )
    write_whole(path, text.getvalue().encode())
    return demo.episode_length


def from_csv(path: Path, config: RunConfig, folder: Path) -> tuple[Demonstration, Path]:
    """Play the actions of a table, its column "action" by name or number; return what came of it.

    Raises:
        DemoError: It is no such table.
    """
    actions, random = csv_actions(path)
    return from_actions(actions, config, folder, origin=path, random=random)


def csv_actions(path: Path) -> tuple[NDArray[np.int64], tuple[int, int] | None]:
    """Read the actions of a table, and the game's random bytes where it tells them.

    Raises:
        DemoError: It is no such table.
    """
    data = read_limited(path, _MAX_CSV)
    actions: list[int] = []
    random = None
    try:
        table = csv.reader(_short_lines(io.StringIO(data.decode("utf-8-sig"), newline="")))
        columns = [name.strip().lower() for name in next(table, [])]
        place = columns.index("action")
        for row in table:
            if not row:
                continue
            if not actions and "random" in columns:
                random = _random(row[columns.index("random")])
            name = row[place].strip().upper()
            actions.append(_NAMES[name] if name in _NAMES else _number(name))
            if len(actions) > _FEW:
                raise DemoError(f"{path} holds too many actions.", "Name another file.")
    except (ValueError, IndexError, csv.Error):
        raise DemoError(
            f"{path} is no table of actions.",
            f"It needs a column 'action' with {', '.join(_NAMES)}, or 0 to {NUM_ACTIONS - 1}.",
        ) from None
    return np.array(actions, np.int64), random


def from_actions(
    actions: Sequence[int] | np.ndarray[Any, np.dtype[np.int64]],
    config: RunConfig,
    folder: Path,
    *,
    origin: Path,
    random: tuple[int, int] | None = None,
) -> tuple[Demonstration, Path]:
    """Play actions from the start of a game; return what came of it, and its file.

    Actions after the end of the episode are left out.

    Raises:
        DemoError: There are none, or one is no button.
    """
    given = np.asarray(actions)
    if not 0 < len(given) <= _FEW:
        raise DemoError(f"{origin} holds no actions, or too many.", "Name another file.")
    if given.min() < 0 or given.max() >= NUM_ACTIONS:
        raise DemoError(
            f"{origin} holds actions that this console has no button for.",
            f"Allowed are 0 to {NUM_ACTIONS - 1}: {', '.join(_NAMES)}.",
        )
    inputs = given.astype(np.uint8).tobytes()
    path, demo = record_actions(inputs, config, folder, random=random, by="import")
    return demo, path


def _short_lines(text: io.StringIO) -> Iterator[str]:
    """Yield lines; one without end would be millions of cells in memory."""
    while line := text.readline(_MAX_LINE + 1):
        if len(line) > _MAX_LINE:
            raise ValueError("a line is too long")
        yield line


def _number(text: str) -> int:
    if not (text.isascii() and text.isdecimal() and len(text) < 10):
        raise ValueError("it is no number")
    return int(text)


def _random(text: str) -> tuple[int, int] | None:
    """Return the game's random state of "12 34", None where it is not told."""
    if not text.strip():
        return None
    first, second = (_number(part) for part in text.split())
    if not (first < 256 and second < 256):
        raise ValueError("it is no pair of bytes")
    return first, second


def _info(step: Step) -> dict[str, Any]:
    place = step.state.place
    return {
        "step": step.number,
        "map": place.name,
        "x": place.x,
        "y": place.y,
        "facing": place.facing.name.lower(),
        "mask": step.mask.astype(int).tolist(),
        "proposal": step.proposal if step.proposal < NUM_ACTIONS else None,
        "is_intervention": step.is_intervention,
        "is_live": step.is_live,
    }


def _compare(demo: Demonstration, config: RunConfig, frames: Iterator[Any], origin: Path) -> None:
    """Refuse pictures of which more than half are far from what the actions lead to here."""
    far = played = 0
    for step, frame in zip(play(demo, config), frames, strict=False):
        if step.frame is not None and step.action != END:
            difference = np.abs(step.frame.astype(np.int16) - frame.astype(np.int16)).mean()
            far += bool(difference > _FAR_OFF)
            played += 1
    if far > played / 2:
        raise DemoError(
            f"The pictures in {origin} are not what its actions lead to: {far:,} of {played:,}.",
            "It is of another game or start; name those with --rom and --state.",
        )
