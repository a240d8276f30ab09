"""Write demonstrations as a Minari dataset, and read one: needs the extra `minari`.

The dataset's observations are frames, uint8 (T + 1, H, W, 3), without loss. The demonstrations
themselves lie beside them in the folder `demos`, so that they can be imported exactly.
"""

import math
from collections.abc import Iterator, Sequence
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np
from gymnasium import spaces
from numpy.typing import NDArray

from engine.config import RunConfig
from engine.demos.demonstration import GOAL, Demonstration, write_demo
from engine.demos.exact_replay import END, play, rom_for
from engine.demos.layout import exporting, refuse_existing
from engine.demos.minari_env import env_spec
from engine.errors import DemoError
from engine.games.catalog import load_game
from engine.ground.files import EXPORT_MODE, inflate

DEMOS = "demos"
_DATA, _FILE = "data", "main_data.hdf5"
_MAX_EPISODES, _MAX_ACTIONS = 10_000, 1 << 20
_MAX_CHUNK, _MAX_CHUNKS = 1 << 24, 1 << 16
_SHUFFLE, _DEFLATE, _CHECKSUM = _FILTERS = (2, 1, 3)
"""HDF5 filters that Minari and h5py write, in this order; others would unpack without a limit."""
_CHECKSUM_SIZE = 4
_CHUNK_ROOM = 1 << 16
"""Bytes by which deflating may make a chunk larger."""
_INSTALL = "Install it: pip install 'poketui[minari]'"


def to_minari(demos: Sequence[tuple[str, Demonstration]], folder: Path, config: RunConfig) -> int:
    """Write a dataset; return its steps.

    The new folder's name ends with a version, as "crystal/human-v0" does: with its parent folder as
    MINARI_DATASETS_PATH, Minari loads the dataset by this name. `demos` are (name of the file,
    demonstration); `config` names the ROM.

    Raises:
        DemoError: Minari is not installed, or the folder exists already or cannot be written.
    """
    buffers, storage = _minari()
    rom_path = rom_for(demos[0][1], config) if demos else config.rom_path
    game = load_game(rom_path, config.allow_unknown_rom)
    refuse_existing(folder)
    steps = 0
    with exporting(folder) as beside:
        for part in (_DATA, DEMOS):
            (beside / part).mkdir(parents=True)
        store = storage.new(
            beside / _DATA,
            observation_space=spaces.Box(0, 255, game.frame_shape, np.uint8),
            action_space=spaces.Discrete(len(game.actions)),
            env_spec=env_spec(demos[0][1].settings if demos else "", rom_path),
            data_format="hdf5",
            jpeg_encoding=False,
        )
        for number, (name, demo) in enumerate(demos):
            episode = _episode(buffers, number, demo, config)
            steps += len(episode.rewards)
            store.update_episodes([episode])
            write_demo(beside / DEMOS / name, demo, EXPORT_MODE)
        facts = {
            "dataset_id": folder.name,
            "description": "PokeTUI demonstrations; the originals are in `demos`, beside the data.",
            "minari_version": version("minari"),
        }
        store.update_metadata(facts)
    return steps


def read_minari_actions(folder: Path) -> Iterator[NDArray[np.int64]]:
    """Yield the actions of a dataset's episodes; its environment is never made.

    Raises:
        DemoError: It is no dataset, damaged, or Minari is not installed.
    """
    _minari()
    import h5py

    path = folder / _DATA / _FILE
    if not path.is_file():
        raise DemoError(f"{folder} is not a Minari dataset in HDF5.", f"It has no {_DATA}/{_FILE}.")
    try:
        with h5py.File(path, "r") as file:
            names = sorted(name for name in file if name.startswith("episode_"))
            if len(names) > _MAX_EPISODES:
                raise DemoError(f"{folder} has too many episodes.")
            for name in names:
                yield _actions(file, name, folder)
    except DemoError:
        raise
    except (OSError, KeyError, ValueError, TypeError, RuntimeError, AttributeError) as error:
        raise DemoError(
            f"The Minari dataset {folder} is damaged: {type(error).__name__}.", "Use another."
        ) from None


def _actions(file: Any, name: str, folder: Path) -> NDArray[np.int64]:
    """Read the actions of an episode, after checking how they are stored.

    An HDF5 file may refer to other files, and may name plugins that unpack it.
    """
    import h5py

    episode = _own(file, name)
    stored = _own(episode, "actions") if isinstance(episode, h5py.Group) else None
    if not isinstance(stored, h5py.Dataset):
        raise DemoError(f"{folder} has an episode without actions.", "Use another.")
    is_whole = stored.dtype.kind in "iu" and len(stored.shape or ()) == 1
    if not is_whole or stored.shape[0] > _MAX_ACTIONS or stored.external or stored.is_virtual:
        raise DemoError(f"The actions in {folder} are not rows of integers.", "Use another.")
    chunk = math.prod(stored.chunks or (0,)) * stored.dtype.itemsize
    ways = stored.id.get_create_plist()
    filters = [ways.get_filter(number)[0] for number in range(ways.get_nfilters())]
    if chunk > _MAX_CHUNK or filters != [each for each in _FILTERS if each in filters]:
        raise DemoError(f"The actions in {folder} use an unsupported HDF5 layout.", "Use another.")
    if _DEFLATE in filters:
        # HDF5 unpacks a chunk however large its content is.
        if stored.id.get_num_chunks() > _MAX_CHUNKS:
            raise ValueError("too many chunks")
        for number in range(stored.id.get_num_chunks()):
            place = stored.id.get_chunk_info(number)
            if place.size > chunk + _CHUNK_ROOM:
                raise ValueError("chunk too large")
            skipped, packed = stored.id.read_direct_chunk(place.chunk_offset)
            if not skipped & 1 << filters.index(_DEFLATE):
                inflate(packed[: len(packed) - _CHECKSUM_SIZE * (_CHECKSUM in filters)], chunk)
    return np.asarray(stored[()]).astype(np.int64)


def _own(group: Any, name: str) -> Any:
    """Return what a group holds itself; None if it is a link to another file."""
    import h5py

    is_own = isinstance(group.get(name, getlink=True), h5py.HardLink)
    return group[name] if is_own else None


def _episode(buffers: Any, number: int, demo: Demonstration, config: RunConfig) -> Any:
    steps = list(play(demo, config, with_end=True))
    taken = [step for step in steps if step.action != END]
    ends = np.array([step.done for step in taken], np.bool_)
    has_goal = any(event.kind == GOAL for event in demo.events)
    is_terminated = ends & has_goal
    is_truncated = ends & ~is_terminated
    # Every episode of Minari ends: one that was left before its end is truncated there.
    is_truncated[-1:] |= not ends[-1:].any()
    return buffers(
        id=number,
        observations=np.array([step.frame for step in steps], np.uint8),
        actions=np.array([step.action for step in taken], np.int64),
        rewards=np.array([step.reward for step in taken], np.float32),
        terminations=is_terminated,
        truncations=is_truncated,
    )


def _minari() -> tuple[Any, Any]:
    try:
        import h5py  # noqa: F401 (Minari asks for it late)
        from minari.data_collector import EpisodeBuffer
        from minari.dataset.minari_storage import MinariStorage
    except ImportError:
        raise DemoError("Minari is not installed.", _INSTALL) from None
    return EpisodeBuffer, MinariStorage
