import json
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from pyarrow import parquet

from engine.config import PressFrames, RunConfig
from engine.demos.demonstration import SUCCESS, DemoEvent, Demonstration
from engine.demos.exact_replay import play
from engine.demos.lerobot import PICTURES, STATE_NAMES, frames_per_s, statistics, to_lerobot
from engine.demos.recorder import import_actions
from engine.errors import DemoError

needs_ffmpeg = pytest.mark.tool("ffmpeg")
ACTIONS = ([7, 7, 5, 0], [4, 6, 6])


@pytest.fixture(scope="module")
def demos(
    demo_config: RunConfig, tmp_path_factory: pytest.TempPathFactory
) -> tuple[Demonstration, ...]:
    folder = tmp_path_factory.mktemp("short")
    walk, other = (import_actions(each, demo_config, folder, origin=folder)[0] for each in ACTIONS)
    return (
        replace(walk, task="walk to the right", events=(*walk.events, DemoEvent(4, SUCCESS))),
        replace(other, task="walk up"),
        replace(walk, task="walk to the right", begins_at=3),
    )


@pytest.fixture(scope="module")
def exported(
    demos: tuple[Demonstration, ...],
    demo_config: RunConfig,
    tmp_path_factory: pytest.TempPathFactory,
) -> Path:
    folder = tmp_path_factory.mktemp("lerobot") / "lab"
    assert to_lerobot(demos, folder, demo_config) == 8
    return folder


def rows(path: Path) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = parquet.read_table(path).to_pylist()
    return found


@needs_ffmpeg
def test_a_lerobot_dataset_is_laid_out_as_version_3_says(exported: Path) -> None:
    files = sorted(str(path.relative_to(exported)) for path in exported.rglob("*.*"))
    assert files == [
        "README.md", "data/chunk-000/file-000.parquet",
        "meta/episodes/chunk-000/file-000.parquet", "meta/info.json", "meta/stats.json",
        "meta/tasks.parquet", f"videos/{PICTURES}", f"videos/{PICTURES}/chunk-000/file-000.mp4",
    ]  # fmt: skip
    assert [path.name for path in exported.parent.iterdir()] == ["lab"]
    info = json.loads((exported / "meta/info.json").read_text())
    assert (info["codebase_version"], info["fps"]) == ("v3.0", 4)
    assert (info["total_episodes"], info["total_frames"], info["total_tasks"]) == (3, 8, 2)
    assert info["splits"] == {"train": "0:3"}
    kinds = {name: (of["dtype"], of["shape"]) for name, of in info["features"].items()}
    integers = ("action", "frame_index", "episode_index", "index", "task_index")
    assert kinds == {
        PICTURES: ("video", [144, 160, 3]),
        "observation.state": ("float32", [len(STATE_NAMES)]),
        **dict.fromkeys(integers, ("int64", [1])),
        **dict.fromkeys(("next.reward", "timestamp"), ("float32", [1])),
        **dict.fromkeys(("next.done", "next.success"), ("bool", [1])),
    }
    assert info["features"]["action"]["info"]["buttons"][7] == "RIGHT"
    assert "`push_to_hub`" in (exported / "README.md").read_text()


@needs_ffmpeg
def test_frames_of_a_lerobot_dataset_are_the_demonstrations_steps(
    exported: Path, demos: tuple[Demonstration, ...], demo_config: RunConfig
) -> None:
    steps = [step for demo in demos for step in play(demo, demo_config)]
    found = rows(exported / "data/chunk-000/file-000.parquet")
    assert [row["action"] for row in found] == [7, 7, 5, 0, 4, 6, 6, 0]
    assert [row["next.reward"] for row in found] == [np.float32(step.reward) for step in steps]
    assert [row["episode_index"] for row in found] == [0, 0, 0, 0, 1, 1, 1, 2]
    assert [row["frame_index"] for row in found] == [0, 1, 2, 3, 0, 1, 2, 0]
    assert [row["timestamp"] for row in found] == [0, 0.25, 0.5, 0.75, 0, 0.25, 0.5, 0]
    assert [row["index"] for row in found] == [*range(8)]
    assert [row["task_index"] for row in found] == [0, 0, 0, 0, 1, 1, 1, 0]
    assert [at for at, row in enumerate(found) if row["next.done"]] == [3, 6, 7]
    assert [at for at, row in enumerate(found) if row["next.success"]] == [3]
    states = [dict(zip(STATE_NAMES, row["observation.state"], strict=True)) for row in found]
    assert [(state["x"], state["y"]) for state in states] == [
        (step.state.place.x, step.state.place.y) for step in steps
    ]


@needs_ffmpeg
def test_episodes_of_a_lerobot_dataset_say_where_they_lie(exported: Path) -> None:
    found = rows(exported / "meta/episodes/chunk-000/file-000.parquet")
    ends = [(row["dataset_from_index"], row["dataset_to_index"], row["length"]) for row in found]
    assert ends == [(0, 4, 4), (4, 7, 3), (7, 8, 1)]
    times = [
        (row[f"videos/{PICTURES}/from_timestamp"], row[f"videos/{PICTURES}/to_timestamp"])
        for row in found
    ]
    assert times == [(0, 1), (1, 1.75), (1.75, 2)]
    assert [row["tasks"] for row in found] == [
        ["walk to the right"],
        ["walk up"],
        ["walk to the right"],
    ]
    tasks = parquet.read_table(exported / "meta/tasks.parquet")
    assert tasks.to_pydict() == {"task_index": [0, 1], "task": ["walk to the right", "walk up"]}
    assert json.loads(tasks.schema.metadata[b"pandas"])["index_columns"] == ["task"]


@needs_ffmpeg
def test_the_video_of_a_lerobot_dataset_shows_every_step(
    exported: Path, demos: tuple[Demonstration, ...], demo_config: RunConfig
) -> None:
    video = exported / f"videos/{PICTURES}/chunk-000/file-000.mp4"
    raw = subprocess.run(
        ["ffmpeg", "-loglevel", "error", "-i", video, "-f", "rawvideo", "-pix_fmt", "rgb24", "-"],
        capture_output=True,
        check=True,
    ).stdout
    seen = np.frombuffer(raw, np.uint8).reshape(-1, 144, 160, 3)
    shown = np.array([step.frame for demo in demos for step in play(demo, demo_config)])
    assert seen.shape == shown.shape
    assert np.abs(seen.astype(int) - shown).mean() < 2


def test_statistics_are_those_of_the_numbers_and_colours() -> None:
    values = np.arange(101, dtype=np.float32)
    pictures = np.arange(3 * 256).reshape(1, 16, 16, 3) % 256
    colors = np.array([np.bincount(pictures[..., at].ravel(), minlength=256) for at in range(3)])
    found = statistics({"index": values, "pair": np.stack([values, -values], 1)}, colors)
    assert (found["index"]["mean"], found["index"]["count"]) == ([50], [101])
    assert found["pair"]["q10"] == [10, -90]
    for at in range(3):
        channel = pictures[..., at] / 255
        for name, value in (("mean", channel.mean()), ("std", channel.std())):
            assert found[PICTURES][name][at][0][0] == pytest.approx(value)
        assert found[PICTURES]["max"][at] == [[channel.max()]]


def test_lerobots_frame_rate_is_the_power_of_two_nearest_to_the_pace(
    demos: tuple[Demonstration, ...],
) -> None:
    def with_frames(hold: int, wait: int) -> Demonstration:
        pressed = replace(demos[0].recording, frames=PressFrames(hold, wait))
        return replace(demos[0], recording=pressed)

    assert [frames_per_s(with_frames(8, wait)) for wait in (4, 12, 60, 240)] == [4, 4, 1, 1]


@pytest.mark.parametrize(
    ("what", "words"),
    [
        ("there", "already exists"),
        ("rom", "would lie beside the ROM"),
        ("nothing", "None of the demonstrations has a step"),
        ("games", "of several games"),
        ("arrow", r"PyArrow is not installed.*pip install 'poketui\[lerobot\]'"),
    ],
)
def test_what_makes_no_lerobot_dataset_is_refused_in_a_line(
    what: str,
    words: str,
    demos: tuple[Demonstration, ...],
    demo_config: RunConfig,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    demo = demos[0]
    if what == "there":
        (tmp_path / "out").mkdir()
    elif what == "rom":
        demo_config = demo_config.model_copy(update={"rom_path": str(tmp_path / "x.gbc")})
    elif what == "nothing":
        demo = replace(demo, begins_at=demo.episode_length)
    elif what == "arrow":
        monkeypatch.setitem(sys.modules, "pyarrow", None)
    other = replace(demo, recording=replace(demo.recording, rom="0" * 40))
    given = (demo, other) if what == "games" else (demo,)
    with pytest.raises(DemoError, match=words) as refused:
        to_lerobot(given, tmp_path / "out", demo_config)
    assert "\n" not in str(refused.value)
    assert not list(tmp_path.rglob("*.*"))
