"""Write demonstrations as a LeRobotDataset v3.0: needs the extra `lerobot`, and ffmpeg.

A frame of the dataset is what was seen before an action. The folder is laid out as LeRobot's own
writer does it, with all episodes in one data file and one video.
"""

import json
import shutil
from collections.abc import Sequence
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np

from engine.config import RunConfig
from engine.demos.demonstration import Demonstration
from engine.demos.exact_replay import play, rom_for
from engine.demos.files import cannot_write, write_whole
from engine.demos.lerobot_tables import (
    PICTURES,
    Columns,
    Episode,
    features,
    frames_per_s,
    statistics,
)
from engine.errors import DemoError
from engine.files import EXPORT_MODE, temporary_path
from engine.games.base import Game
from engine.games.bundled import IMAGES
from engine.games.catalog import load_game
from engine.plurals import counted
from engine.video import mp4_writer

_FILE = "chunk-000/file-000"
_DATA, _EPISODES = f"data/{_FILE}.parquet", f"meta/episodes/{_FILE}.parquet"
_VIDEO = f"videos/{PICTURES}/{_FILE}.mp4"
_PIXELS, _KEYFRAME_EVERY = "yuv444p", 8
"""Sharp-edged pictures lose much with colours at half the resolution. Training draws single frames,
and each is decoded from the last key frame on.
"""
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
  completed.
- The rewards are those of PokeTUI's settings; the last frame of an episode is done.

The pictures may be the property of the game's publisher. Before you pass this on, also by LeRobot's
`push_to_hub`, make sure that you may.
"""


def to_lerobot(demos: Sequence[Demonstration], folder: Path, config: RunConfig) -> int:
    """Write a dataset; return its frames.

    Demonstrations without a step are left out, for LeRobot knows no such episode.

    Args:
        demos: All of one game.
        folder: Made here.
        config: Names the ROM.

    Raises:
        DemoError: PyArrow is not installed, the folder is there already or cannot be written, or
            the demonstrations do not belong together.
        VideoError: The video cannot be written.
        ReplayError: One cannot be played.
    """
    arrow, parquet = _arrow()
    demos = [demo for demo in demos if demo.shown]
    _check(demos, folder, config)
    game = load_game(rom_for(demos[0], config), config.allow_unknown_rom)
    fps = frames_per_s(demos[0])
    beside = temporary_path(folder.absolute())
    try:
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
        beside.replace(folder)
    except OSError as error:
        raise cannot_write(folder, error) from None
    finally:
        shutil.rmtree(beside, ignore_errors=True)
    return len(whole["index"])


def _check(demos: Sequence[Demonstration], folder: Path, config: RunConfig) -> None:
    """Refuse what makes no dataset, before anything is played."""
    if not demos:
        raise DemoError("None of the demonstrations has a step.", "Name others.")
    first = demos[0]
    for demo in demos:
        if (demo.recording.rom, demo.frame_shape) != (first.recording.rom, first.frame_shape):
            raise DemoError("The demonstrations are of several games.", "Export each game's alone.")
    if folder.exists():
        raise DemoError(f"{folder} already exists.", "Choose another with --out.")
    is_own = config.rom_path and config.rom_path not in IMAGES
    if is_own and Path(config.rom_path).absolute().parent == folder.absolute().parent:
        raise DemoError(f"{folder} would lie beside the ROM.", "Choose another with --out.")


def _play(
    demos: Sequence[Demonstration], video: Path, game: Game, config: RunConfig, fps: int
) -> list[Episode]:
    """Play all of them into the video."""
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
    """Return the rows of each episode, which are numbered through."""
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
    """Return what the table of episodes says of one: where it lies, and its statistics."""
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
    """Return the table of tasks: LeRobot reads it with pandas, as a frame that has an index."""
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
    """Return the README: what the data are, and where from."""
    recording = demos[0].recording
    hold, wait = recording.frames
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
