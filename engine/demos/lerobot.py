"""Write demonstrations as a LeRobotDataset v3.0: needs the extra `lerobot`, and ffmpeg.

A frame of the dataset is the observation before an action. The folder is laid out as by LeRobot's
own writer, with all episodes in one data file and one video.
"""

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from engine.config import RunConfig
from engine.demos.demonstration import Demonstration
from engine.demos.exact_replay import Step, play, rom_for
from engine.demos.layout import exporting, refuse_existing, write_whole
from engine.demos.video import mp4_writer
from engine.errors import DemoError
from engine.games.base import Game
from engine.games.bundled import IMAGES
from engine.games.catalog import load_game
from engine.ground.files import EXPORT_MODE
from engine.ground.text import counted
from engine.types import Facing, GameState

Columns = Mapping[str, NDArray[Any]]
"""By feature: (T,) or, for a vector, (T, N)."""
PICTURES = "observation.images.game"
STATE_NAMES = (
    "map_group",
    "map_number",
    "x",
    "y",
    *(f"facing_{way.name.lower()}" for way in Facing),
    "is_free",
    "in_text",
    "in_menu",
    "in_battle",
    "badges",
    "party_size",
    "party_level",
    "party_hp",
    "enemy_level",
    "enemy_hp",
)
"""Of `observation.state`; levels are the sum of the party's, hit points a share of 0 to 1."""
_QUANTILES = (0.01, 0.1, 0.5, 0.9, 0.99)
_COLORS = 256


def frames_per_s(demo: Demonstration) -> int:
    """Return the dataset's frame rate: the power of two nearest to the actions a second.

    LeRobot compares times as 32-bit floats, to a tenth of a millisecond. With a power of two they
    are exact however long the video is.
    """
    pace = demo.frames_per_s / demo.recording.frames.usual
    return int(2 ** max(0, round(math.log2(pace))))


@dataclass(slots=True, eq=False)
class Episode:
    """The data of a demonstration, collected while it is replayed. T is the number of its steps.

    Attributes:
        states: T vectors as `STATE_NAMES` names them.
        colors: (3, 256) int64, histograms of red, green and blue over all pixels.
    """

    task: str
    is_success: bool
    states: list[list[float]] = field(default_factory=list)
    actions: list[int] = field(default_factory=list)
    rewards: list[float] = field(default_factory=list)
    colors: NDArray[np.int64] = field(default_factory=lambda: np.zeros((3, _COLORS), np.int64))

    def add(self, step: Step) -> None:
        """Take in a step."""
        assert step.frame is not None
        self.states.append(_state(step.state))
        self.actions.append(step.action)
        self.rewards.append(step.reward)
        for channel, counts in enumerate(self.colors):
            counts += np.bincount(step.frame[..., channel].ravel(), minlength=_COLORS)

    def columns(self, number: int, begin: int, task: int, fps: int) -> Columns:
        """Return its rows; `number`, `begin` and `task` are indices of episode, first row and task.

        As in LeRobot's own datasets the last row of an episode is done, whatever ended it.
        """
        frames = np.arange(len(self.actions), dtype=np.int64)
        is_last = frames == len(frames) - 1
        return {
            "observation.state": np.array(self.states, np.float32),
            "action": np.array(self.actions, np.int64),
            "next.reward": np.array(self.rewards, np.float32),
            "next.done": is_last,
            "next.success": is_last & self.is_success,
            "timestamp": (frames / fps).astype(np.float32),
            "frame_index": frames,
            "episode_index": np.full_like(frames, number),
            "index": frames + begin,
            "task_index": np.full_like(frames, task),
        }


def features(
    columns: Columns,
    frame_shape: Sequence[int],
    action_names: Sequence[str],
    video: Mapping[str, Any],
) -> dict[str, Any]:
    """Return the entries of `info.json` for all features; `video` is the video's."""
    names = {"observation.state": [*STATE_NAMES], "action": ["button"]}
    found: dict[str, Any] = {
        PICTURES: {
            "dtype": "video",
            "shape": [*frame_shape],
            "names": ["height", "width", "channels"],
            "info": dict(video),
        }
    }
    for name, values in columns.items():
        shape = [*values.shape[1:]] or [1]
        found[name] = {"dtype": str(values.dtype), "shape": shape, "names": names.get(name)}
    found["action"]["info"] = {"buttons": [*action_names]}
    return found


def statistics(columns: Columns, colors: NDArray[np.int64]) -> dict[str, dict[str, Any]]:
    """Return the statistics of all features, by which LeRobot normalises."""
    found = {name: _of_numbers(values) for name, values in columns.items()}
    return {PICTURES: _of_pictures(colors, len(columns["index"]))} | found


def _of_numbers(values: NDArray[Any]) -> dict[str, Any]:
    rows = values.reshape(len(values), -1).astype(np.float64)
    parts = {"min": rows.min(0), "max": rows.max(0), "mean": rows.mean(0), "std": rows.std(0)}
    quantiles = np.quantile(rows, _QUANTILES, axis=0)
    return _named(parts, quantiles, len(rows))


def _of_pictures(colors: NDArray[np.int64], count: int) -> dict[str, Any]:
    """Return the statistics of each colour, 0 to 1, as LeRobot shapes them: (3, 1, 1)."""
    values = np.arange(_COLORS) / (_COLORS - 1)
    shares = colors / colors.sum(1, keepdims=True)
    mean = shares @ values
    parts = {
        "min": values[(colors > 0).argmax(1)],
        "max": values[::-1][(colors[:, ::-1] > 0).argmax(1)],
        "mean": mean,
        "std": np.sqrt(np.maximum(0.0, shares @ values**2 - mean**2)),
    }
    up_to = shares.cumsum(1)
    quantiles = np.array([values[(up_to >= share).argmax(1)] for share in _QUANTILES])
    shaped = {name: part.reshape(3, 1, 1) for name, part in parts.items()}
    return _named(shaped, quantiles.reshape(-1, 3, 1, 1), count)


def _named(
    parts: Mapping[str, NDArray[Any]], quantiles: NDArray[Any], count: int
) -> dict[str, Any]:
    by_name = zip(_QUANTILES, quantiles, strict=True)
    return {
        **{name: part.tolist() for name, part in parts.items()},
        "count": [count],
        **{f"q{round(share * 100):02}": value.tolist() for share, value in by_name},
    }


def _state(state: GameState) -> list[float]:
    place, control, battle = state.place, state.control, state.battle
    enemy = battle.enemy if battle is not None else None
    return [
        place.map.group,
        place.map.number,
        place.x,
        place.y,
        *(float(place.facing is way) for way in Facing),
        control.is_free,
        control.in_text,
        control.in_menu,
        battle is not None,
        sum(region.bit_count() for region in state.badges),
        len(state.party),
        sum(one.level for one in state.party),
        sum(one.hp for one in state.party) / max(1, sum(one.max_hp for one in state.party)),
        enemy.level if enemy is not None else 0,
        enemy.hp / max(1, enemy.max_hp) if enemy is not None else 0.0,
    ]


_FILE = "chunk-000/file-000"
_DATA, _EPISODES = f"data/{_FILE}.parquet", f"meta/episodes/{_FILE}.parquet"
_VIDEO = f"videos/{PICTURES}/{_FILE}.mp4"
_PIXELS, _KEYFRAME_EVERY = "yuv444p", 8
"""Pixel art suffers from colours at half the resolution. Training draws single frames, each of
which is decoded from the last key frame on."""
_INSTALL = "Install it: pip install 'poketui[lerobot]'"
_CARD = """\
---
license: other
tags:
- LeRobot
- PokeTUI
task_categories:
- robotics
configs:
- config_name: default
  data_files: data/*/*.parquet
---

# Demonstrations of {game}

{episodes}, {frames}: a LeRobotDataset v3.0, written by PokeTUI {poketui}.

- Game: {game}, ROM with SHA-1 `{rom}`, emulator {emulator}.
- Played by: {players}.
- A frame is what was seen before an action; `action` is the number of its button: {buttons}.
- `fps` is nominal: each action is one frame, however long the game took for it. A button is held
  for {hold} frames of the game and waited for {wait} more, and a step or a door that has begun is
  completed; a scene or a battle may go on for {ask} more, until it asks for something.
- The rewards are those of PokeTUI's settings; the last frame of an episode is done.

The pictures may be the property of the game's publisher. Before you pass this on, also by LeRobot's
`push_to_hub`, make sure that you may.
"""


def to_lerobot(demos: Sequence[Demonstration], folder: Path, config: RunConfig) -> int:
    """Write a dataset; return its frames.

    Demonstrations without a step are left out: LeRobot allows no empty episode.

    Args:
        demos: All of one game.
        folder: Made here.
        config: Names the ROM.

    Raises:
        DemoError: PyArrow is not installed, the folder exists already or cannot be written, or the
            demonstrations are of several games.
        VideoError: The video cannot be written.
        ReplayError: One cannot be replayed.
    """
    arrow, parquet = _arrow()
    demos = [demo for demo in demos if demo.shown]
    _check(demos, folder, config)
    game = load_game(rom_for(demos[0], config), config.allow_unknown_rom)
    fps = frames_per_s(demos[0])
    with exporting(folder) as beside:
        for part in (_DATA, _EPISODES, _VIDEO):
            (beside / part).parent.mkdir(parents=True)
        episodes = _play(demos, beside / _VIDEO, game, config, fps)
        tasks = [*dict.fromkeys(episode.task for episode in episodes)]
        tables = _number(episodes, tasks, fps)
        with parquet.ParquetWriter(beside / _DATA, _table(arrow, tables[0]).schema) as writer:
            for table in tables:
                writer.write_table(_table(arrow, table))
        rows = [_row(*each, fps) for each in zip(episodes, tables, strict=True)]
        parquet.write_table(arrow.Table.from_pylist(rows), beside / _EPISODES)
        parquet.write_table(_tasks(arrow, tasks), beside / "meta/tasks.parquet")
        whole = {name: np.concatenate([table[name] for table in tables]) for name in tables[0]}
        colors = np.sum([episode.colors for episode in episodes], axis=0)
        _write(beside / "meta/stats.json", _json(statistics(whole, colors)))
        _write(beside / "meta/info.json", _json(_info(whole, len(tables), len(tasks), game, fps)))
        _write(beside / "README.md", _card(demos, len(whole["index"]), game))
    return len(whole["index"])


def _check(demos: Sequence[Demonstration], folder: Path, config: RunConfig) -> None:
    """Refuse what cannot become a dataset, before anything is replayed."""
    if not demos:
        raise DemoError("None of the demonstrations has a step.", "Name others.")
    first = demos[0]
    for demo in demos:
        if (demo.recording.rom, demo.frame_shape) != (first.recording.rom, first.frame_shape):
            raise DemoError("The demonstrations are of several games.", "Export each game's alone.")
    refuse_existing(folder)
    is_own = config.rom_path and config.rom_path not in IMAGES
    if is_own and Path(config.rom_path).absolute().parent == folder.absolute().parent:
        raise DemoError(f"{folder} would lie beside the ROM.", "Choose another with --out.")


def _play(
    demos: Sequence[Demonstration], video: Path, game: Game, config: RunConfig, fps: int
) -> list[Episode]:
    """Replay all of them into the video."""
    episodes = []
    with mp4_writer(video, fps, pixels=_PIXELS, keyframe_every=_KEYFRAME_EVERY) as add:
        for demo in demos:
            episode = Episode(demo.task or f"Play {game.name}.", demo.is_success)
            for step in play(demo, config):
                assert step.frame is not None
                add(step.frame)
                episode.add(step)
            episodes.append(episode)
    return episodes


def _number(episodes: Sequence[Episode], tasks: Sequence[str], fps: int) -> list[Columns]:
    """Return the rows of each episode, numbered throughout the dataset."""
    tables, begin = [], 0
    for number, episode in enumerate(episodes):
        tables.append(episode.columns(number, begin, tasks.index(episode.task), fps))
        begin += len(episode.actions)
    return tables


def _table(arrow: Any, columns: Columns) -> Any:
    return arrow.table(
        {
            name: arrow.array(values)
            if values.ndim == 1
            else arrow.FixedSizeListArray.from_arrays(values.ravel(), values.shape[1])
            for name, values in columns.items()
        }
    )


def _row(episode: Episode, columns: Columns, fps: int) -> dict[str, Any]:
    """Return an episode's row in the table of episodes: where it lies, and its statistics."""
    number, begin = int(columns["episode_index"][0]), int(columns["index"][0])
    end = begin + len(episode.actions)
    stats = statistics(columns, episode.colors)
    return {
        "episode_index": number,
        "tasks": [episode.task],
        "length": end - begin,
        "data/chunk_index": 0,
        "data/file_index": 0,
        "dataset_from_index": begin,
        "dataset_to_index": end,
        f"videos/{PICTURES}/chunk_index": 0,
        f"videos/{PICTURES}/file_index": 0,
        f"videos/{PICTURES}/from_timestamp": begin / fps,
        f"videos/{PICTURES}/to_timestamp": end / fps,
        **{f"stats/{key}/{name}": one for key, of in stats.items() for name, one in of.items()},
        "meta/episodes/chunk_index": 0,
        "meta/episodes/file_index": 0,
    }


def _tasks(arrow: Any, tasks: Sequence[str]) -> Any:
    """Return the table of tasks, which LeRobot reads as a pandas frame with an index."""
    columns = [
        {"name": name, "field_name": name, "pandas_type": kind, "numpy_type": of, "metadata": None}
        for name, kind, of in (("task_index", "int64", "int64"), ("task", "unicode", "object"))
    ]
    pandas = {"index_columns": ["task"], "column_indexes": [], "columns": columns}
    table = arrow.table({"task_index": range(len(tasks)), "task": tasks})
    return table.replace_schema_metadata({"pandas": json.dumps(pandas)})


def _info(whole: Columns, episodes: int, tasks: int, game: Game, fps: int) -> dict[str, Any]:
    height, width, _ = game.frame_shape
    video = {
        "video.height": height,
        "video.width": width,
        "video.codec": "h264",
        "video.pix_fmt": _PIXELS,
        "video.is_depth_map": False,
        "video.fps": fps,
        "video.channels": 3,
        "has_audio": False,
    }
    return {
        "codebase_version": "v3.0",
        "robot_type": game.name,
        "total_episodes": episodes,
        "total_frames": len(whole["index"]),
        "total_tasks": tasks,
        "chunks_size": 1000,
        "data_files_size_in_mb": 100,
        "video_files_size_in_mb": 200,
        "fps": fps,
        "splits": {"train": f"0:{episodes}"},
        "data_path": "data/chunk-{chunk_index:03d}/file-{file_index:03d}.parquet",
        "video_path": "videos/{video_key}/chunk-{chunk_index:03d}/file-{file_index:03d}.mp4",
        "features": features(whole, game.frame_shape, game.actions.names, video),
    }


def _card(demos: Sequence[Demonstration], frames: int, game: Game) -> str:
    """Return the dataset's README."""
    recording = demos[0].recording
    hold, wait, ask = recording.frames
    return _CARD.format(
        game=game.name,
        episodes=counted(len(demos), "episode"),
        frames=counted(frames, "frame"),
        poketui=version("poketui"),
        rom=recording.rom,
        emulator=recording.emulator,
        players=", ".join(sorted({demo.by for demo in demos})),
        buttons=", ".join(f"{number} {name}" for number, name in enumerate(game.actions.names)),
        hold=hold,
        wait=wait,
        ask=ask,
    )


def _json(values: Any) -> str:
    return json.dumps(values, indent=4, ensure_ascii=False)


def _write(path: Path, text: str) -> None:
    write_whole(path, text.encode(), EXPORT_MODE)


def _arrow() -> tuple[Any, Any]:
    try:
        import pyarrow
        from pyarrow import parquet
    except ImportError:
        raise DemoError("PyArrow is not installed.", _INSTALL) from None
    return pyarrow, parquet
