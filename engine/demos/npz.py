"""Export demonstrations as NPZ, and import them and foreign files.

They are read and written row by row, without pickles and without trusting their headers. A foreign
file holds actions without their exact timing: they are played here, from the start that the run's
settings name, which makes a demonstration of them.
"""

import contextlib
import json
import math
import zipfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import IO, Any, Self

import numpy as np
from numpy.lib import format as npy
from numpy.typing import NDArray

from engine.config import RunConfig
from engine.demos.demonstration import NO_PROPOSAL, Demonstration, decode_demo, encode_demo
from engine.demos.exact_replay import Step, play
from engine.demos.layout import exporting
from engine.demos.recorder import MAX_ACTIONS, import_actions
from engine.errors import DemoError
from engine.games.bundled import ADVANCE, name_of
from engine.games.catalog import load_game
from engine.ground.archives import BROKEN, Archive, Header, Limits, read_header, write_array
from engine.ground.text import counted, printable
from engine.types import GAME_BOY_ADVANCE_FRAME_SHAPE

LIMITS = Limits(size=1 << 34, unpacked=1 << 40, members=64)
"""Frames are read one at a time, so their total size does not matter."""
_MAX_NUMBER_SIZE = 16
_MAX_DEMO = 1 << 24
_FAR_OFF, _FEW_OFF = 8.0, 0.1
"""Mean difference of two frames' colours, of 255, from which they are not of the same moment; and
the share of frames that may differ so, as animations may be out of step."""
_CLOSE = 1e-3
_ANOTHER = "Use another file."


class NpzReader:
    """Read arrays of an NPZ file, whose sizes, types and shapes are checked first.

    An array that is missing, of another type or damaged raises a DemoError.

    Attributes:
        names: Of the arrays.

    Raises:
        DemoError: It is no NPZ file.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        try:
            self._archive = Archive(path, LIMITS)
        except OSError as error:
            reason = error.strerror or error
            raise DemoError(f"Cannot read {path}: {reason}.", _ANOTHER) from None
        except BROKEN as error:
            raise DemoError(f"{path} is damaged or not an NPZ file: {error}.", _ANOTHER) from None
        self._members = {name.removesuffix(".npy"): name for name in self._archive.members}
        self.names = frozenset(self._members)
        if len(self._members) != len(self._archive.members):
            self._archive.close()
            raise DemoError(f"{path} is not an NPZ file of an episode.", _ANOTHER)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exc_info: object) -> None:
        self._archive.close()

    def check_headers(self) -> None:
        """Read the header of every array; one of Python objects is refused."""
        for name in self._members:
            with self._opened(name):
                pass

    def row(self, name: str, kinds: str, length: int) -> NDArray[Any]:
        """Return an array of `length` numbers in one dimension, or of one number for a length of 0.

        `kinds` are the allowed letters of `numpy.dtype.kind`, e.g. "iuf".
        """
        with self._opened(name) as (file, header):
            shape, found = header.shape, header.dtype
            if found.kind not in kinds or math.prod(shape) != (length or 1) or len(shape) > 1:
                how_many = f"{length:,} numbers" if length else "one number"
                raise self._refusal(name, f"is not {how_many} of the right type")
            values = self._read(file, name, header, length or 1)
            if not np.isfinite(values).all():
                raise self._refusal(name, "contains NaN or infinity")
            return values.reshape(-1)

    def shape(self, name: str) -> tuple[int, ...]:
        """Return an array's shape as its header says."""
        with self._opened(name) as (_, header):
            return header.shape

    def array(self, name: str, most: int, *dtypes: type[np.generic]) -> NDArray[Any]:
        """Return a whole array of one of these types, of at most `most` elements."""
        with self._opened(name) as (file, header):
            if header.dtype not in dtypes:
                raise self._refusal(name, f"is {header.dtype}, expected {np.dtype(dtypes[-1])}")
            return self._read(file, name, header, most)

    def whole_numbers(self, name: str, most: int) -> NDArray[np.int64]:
        """Return a one-dimensional array of at most `most` integers of whatever size."""
        with self._opened(name) as (file, header):
            if header.dtype.kind not in "iu" or len(header.shape) != 1:
                raise self._refusal(name, "is not a row of integers")
            values = self._read(file, name, header, most)
            if len(values) and (values.min() < -1 or values.max() > 1 << 30):
                raise self._refusal(name, "is out of range")
            return values.astype(np.int64)

    def frames(self, name: str) -> Iterator[NDArray[np.uint8]]:
        """Yield the rows of an array of uint8, one in memory at a time."""
        with self._opened(name) as (file, header):
            shape, size = header.shape, math.prod(header.shape[1:])
            if header.dtype != np.uint8 or len(shape) < 2 or size > 1 << 24:
                raise self._refusal(name, "are not frames")
            for _ in range(shape[0]):
                data = file.read(size)
                if len(data) != size:
                    raise ValueError("truncated")
                yield np.frombuffer(data, np.uint8).reshape(shape[1:])

    @contextlib.contextmanager
    def _opened(self, name: str) -> Iterator[tuple[IO[bytes], Header]]:
        """Open an array, and read its header."""
        if name not in self._members:
            raise DemoError(f"{self._path} has no '{name}'.", _ANOTHER)
        try:
            with self._archive.open(self._members[name]) as file:
                header = read_header(file)
                if header.dtype.hasobject:
                    raise DemoError(
                        f"'{name}' in {self._path} contains Python objects, which could run code.",
                        "Save it with numbers only.",
                    )
                if header.is_fortran and len(header.shape) > 1:
                    raise ValueError("Fortran order is not supported")
                yield file, header
        except DemoError:
            raise
        except BROKEN as error:
            raise self._refusal(name, f"is damaged: {type(error).__name__}") from None

    def _read(self, file: IO[bytes], name: str, header: Header, most: int) -> NDArray[Any]:
        if math.prod(header.shape) > most or header.dtype.itemsize > _MAX_NUMBER_SIZE:
            raise self._refusal(name, "is too large")
        data = file.read(header.size + 1)  # reading to the end checks the sum, too
        if len(data) != header.size:
            raise ValueError("wrong size")
        return np.frombuffer(data, header.dtype).reshape(header.shape)

    def _refusal(self, name: str, what: str) -> DemoError:
        return DemoError(f"'{printable(name)}' in {self._path} {what}.", _ANOTHER)


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
    with exporting(path) as beside, zipfile.ZipFile(beside, "x", zipfile.ZIP_DEFLATED) as file:
        shape = (count, *demo.frame_shape)
        with _writing_rows(file, "observations", shape, np.dtype(np.uint8)) as write:
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


@contextlib.contextmanager
def _writing_rows(
    file: zipfile.ZipFile, name: str, shape: tuple[int, ...], dtype: np.dtype[Any]
) -> Iterator[Callable[[bytes], Any]]:
    """Yield a function that writes the next bytes of an array."""
    header = {"descr": npy.dtype_to_descr(dtype), "fortran_order": False, "shape": shape}
    with file.open(f"{name}.npy", "w", force_zip64=True) as member:
        npy.write_array_header_1_0(member, header)
        yield member.write


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
            data = file.array("demo", _MAX_DEMO, np.uint8)
            demo = decode_demo(data.tobytes(), str(path))
            pressed = [each.action for each in demo.shown]
            if (
                "actions" in file.names
                and file.whole_numbers("actions", MAX_ACTIONS).tolist() != pressed
            ):
                raise DemoError(
                    f"The actions in {path} do not match its demonstration.",
                    "The file was modified; remove the array 'demo' to import its actions.",
                )
            _check_beside(file, len(pressed), path)
            return demo, None
        actions = file.whole_numbers("actions", MAX_ACTIONS)
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
        demo, made = import_actions(actions, config, folder, origin=path)
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
            data = file.array("demo", _MAX_DEMO, np.uint8)
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
