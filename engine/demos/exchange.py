"""Export demonstrations as NPZ, and import them and foreign files.

A foreign file holds actions without their exact timing: they are played here, from the start that
the run's settings name, which makes a demonstration of them.
"""

import json
from collections.abc import Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from engine.config import RunConfig
from engine.demos.demonstration import NO_PROPOSAL, Demonstration, decode_demo, encode_demo
from engine.demos.exact_replay import Step, play
from engine.demos.npz import NpzReader, write_array, writing_npz, writing_rows
from engine.demos.recorder import record_actions
from engine.errors import DemoError
from engine.games.bundled import ADVANCE, name_of
from engine.games.catalog import load_game
from engine.ground.text import counted
from engine.types import GAME_BOY_ADVANCE_FRAME_SHAPE

_MAX_TEXT = 1 << 24
_FEW = 1 << 20
_FAR_OFF, _FEW_OFF = 8.0, 0.1
"""Mean difference of two frames' colours, of 255, from which they are not of the same moment; and
the share of frames that may differ so, as animations may be out of step."""
_CLOSE = 1e-3
_ANOTHER = "Use another file."


def to_npz(demo: Demonstration, path: Path, config: RunConfig) -> int:
    """Write the documented NPZ; return its steps, T.

    observations uint8 (T, H, W, 3) before each action, actions int32 (T,), rewards float32
    (T,), dones bool (T,), infos: JSON texts (T,), episode_return float64, episode_length int64;
    and demo uint8: the demonstration itself, by which `from_npz` brings back exactly what it was.
    Nothing in it is pickled.

    Raises:
        DemoError, ReplayError: It cannot be played or written.
    """
    count = len(demo.shown)
    actions, rewards, dones, infos = [], [], [], []
    with writing_npz(path) as file:
        shape = (count, *demo.frame_shape)
        with writing_rows(file, "observations", shape, np.dtype(np.uint8)) as write:
            for step in play(demo, config):
                assert step.frame is not None
                write(step.frame.tobytes())
                actions.append(step.action)
                rewards.append(step.reward)
                dones.append(step.done)
                infos.append(json.dumps(_info(step), separators=(",", ":")))
        arrays = {
            "actions": np.array(actions, np.int32),
            "rewards": np.array(rewards, np.float32),
            "dones": np.array(dones, np.bool_),
            "infos": np.array(infos, np.str_),
            "episode_return": np.array(sum(rewards), np.float64),
            "episode_length": np.array(count, np.int64),
            "demo": np.frombuffer(encode_demo(demo), np.uint8),
        }
        for name, array in arrays.items():
            write_array(file, name, array)
    return count


def from_npz(path: Path, config: RunConfig, folder: Path) -> tuple[Demonstration, Path | None]:
    """Read an NPZ: our own exactly, a foreign one by playing its actions into `folder`.

    Returns:
        The demonstration, and its file if it was played.

    Raises:
        DemoError: It is damaged or of another game; nothing it holds is executed.
    """
    with NpzReader(path) as file:
        file.check_headers()
        if "demo" in file.names:
            data = file.array("demo", _MAX_TEXT, np.uint8)
            demo = decode_demo(data.tobytes(), str(path))
            pressed = [each.action for each in demo.shown]
            if "actions" in file.names and file.whole_numbers("actions", _FEW).tolist() != pressed:
                raise DemoError(
                    f"The actions in {path} do not match its demonstration.",
                    "The file was modified; remove the array 'demo' to import its actions.",
                )
            _check_beside(file, len(pressed), path)
            return demo, None
        actions = file.whole_numbers("actions", _FEW)
        _check_beside(file, len(actions), path)
        shape = file.shape("observations") if "observations" in file.names else None
        if not config.rom_path:
            config = config.model_copy(update={"rom_path": _game_with_frames(shape)})
        game = load_game(config.rom_path, config.allow_unknown_rom)
        if shape is not None and (len(shape) != 4 or shape[1:] != game.frame_shape):
            found, own = (" x ".join(map(str, one)) for one in (shape[1:], game.frame_shape))
            raise DemoError(
                f"{path} contains {found} frames, expected {own}.",
                "It is from a different game (--game, --rom), or was resized.",
            )
        if shape is not None and shape[0] != len(actions):
            raise DemoError(f"{path} has a different number of frames than actions.")
        demo, made = from_actions(actions, config, folder, origin=path)
        if shape is not None:
            try:
                _compare(demo, config, file.frames("observations"), path)
            except BaseException:  # leave no useless file behind; it is raised again
                made.unlink(missing_ok=True)
                raise
        return demo, made


def game_of_npz(path: Path) -> str:
    """Return the name of the practice game of an NPZ, "" where that is not known.

    It follows from the demonstration in it, else from the size of its frames.

    Raises:
        DemoError: It is damaged.
    """
    with NpzReader(path) as file:
        if "demo" in file.names:
            data = file.array("demo", _MAX_TEXT, np.uint8)
            return name_of(decode_demo(data.tobytes(), str(path)).recording.rom)
        has_frames = "observations" in file.names
        return _game_with_frames(file.shape("observations") if has_frames else None)


def _game_with_frames(shape: tuple[int, ...] | None) -> str:
    return ADVANCE if shape is not None and shape[1:] == GAME_BOY_ADVANCE_FRAME_SHAPE else ""


def _check_beside(file: NpzReader, length: int, path: Path) -> None:
    """Refuse arrays that cannot be of the same episode as the actions."""
    rewards = file.row("rewards", "iuf", length) if "rewards" in file.names else None
    dones = file.row("dones", "bu", length) if "dones" in file.names else None
    if "infos" in file.names and file.shape("infos")[:1] != (length,):
        raise DemoError(f"{path} has a different number of infos than actions.", _ANOTHER)
    if dones is not None and dones[:-1].any():
        raise DemoError(f"{path} contains more than one episode.", "Use one file per episode.")
    if "episode_length" in file.names:
        said = int(file.row("episode_length", "iu", 0)[0])
        if said != length:
            raise DemoError(
                f"{path} has {counted(length, 'action')}, but episode_length is {said:,}.", _ANOTHER
            )
    if "episode_return" in file.names and rewards is not None:
        said_return = float(file.row("episode_return", "iuf", 0)[0])
        paid = float(rewards.sum(dtype=np.float64))
        if abs(said_return - paid) > _CLOSE * (1 + abs(paid) + length):
            raise DemoError(
                f"The rewards in {path} sum to {paid:.2f}; episode_return is {said_return:.2f}.",
                _ANOTHER,
            )


def from_actions(
    actions: Sequence[int] | np.ndarray[Any, np.dtype[np.int64]],
    config: RunConfig,
    folder: Path,
    *,
    origin: Path,
    random: tuple[int, int] | None = None,
) -> tuple[Demonstration, Path]:
    """Play actions from the start of a game; return the demonstration and its file.

    Actions after the goal are left out. Where a limit of steps would end the episode before, it is
    lifted, as for a person.

    Raises:
        DemoError: There are none, or one is invalid.
    """
    given = np.asarray(actions)
    if not 0 < len(given) <= _FEW:
        raise DemoError(f"{origin} contains no actions, or too many.", "Use another file.")
    names = load_game(config.rom_path, config.allow_unknown_rom).actions.names
    if given.min() < 0 or given.max() >= len(names):
        raise DemoError(
            f"{origin} contains actions that this game does not have.",
            f"Allowed values: 0 to {len(names) - 1} ({', '.join(names)}).",
        )
    inputs = given.astype(np.uint8).tobytes()
    record = partial(record_actions, inputs, config, folder, random=random, by="import")
    path, demo = record()
    if demo.episode_length < len(inputs) and not demo.is_success:
        path.unlink()
        path, demo = record(has_limits=False)
    return demo, path


def _info(step: Step) -> dict[str, Any]:
    place = step.state.place
    return {
        "step": step.number,
        "map": place.name,
        "x": place.x,
        "y": place.y,
        "facing": place.facing.name.lower(),
        "mask": step.mask.astype(int).tolist(),
        "proposal": None if step.proposal == NO_PROPOSAL else step.proposal,
        "is_intervention": step.is_intervention,
        "is_live": step.is_live,
    }


def _compare(demo: Demonstration, config: RunConfig, frames: Iterator[Any], origin: Path) -> None:
    """Refuse frames if too many differ from those that the actions lead to here."""
    is_far: list[bool] = []
    for step, frame in zip(play(demo, config), frames, strict=False):
        assert step.frame is not None
        difference = np.abs(step.frame.astype(np.int16) - frame.astype(np.int16)).mean()
        is_far.append(difference > _FAR_OFF)
    if sum(is_far) > len(is_far) * _FEW_OFF:
        raise DemoError(
            f"The frames in {origin} do not match its actions: {sum(is_far):,} of "
            f"{len(is_far):,} differ, the first at step {is_far.index(True) + 1:,}.",
            "Specify its game and start state with --rom and --state.",
        )
