"""Videos of what was recorded, written and read back."""

from collections.abc import Iterator
from itertools import chain
from pathlib import Path

import numpy as np
import pytest
from PIL import Image, ImageSequence

from engine.config import RunConfig
from engine.demos.recorder import random_policy, record_policy
from engine.errors import ConfigurationError, ReplayError
from engine.sessions.replay_player import Playback
from engine.sessions.replay_sources import Recorded, RecordedDemo
from engine.types import Frame
from pokeTUI.app.video import CELL_WIDTH, Video, write_video

STEPS = 12


@pytest.fixture(scope="module")
def recorded(tmp_path_factory: pytest.TempPathFactory) -> Recorded:
    folder = tmp_path_factory.mktemp("saves")
    config = RunConfig(save_dir=str(folder))
    ((path, demo),) = record_policy(
        random_policy(3), config, 1, folder / "demos", by="random", max_steps=STEPS
    )
    return RecordedDemo.of(path, demo, config)


@pytest.fixture(scope="module")
def filmed(recorded: Recorded) -> list[list[Frame]]:
    """Every frame of the game, by move."""
    playback = Playback(recorded)
    frames = list(playback.film(STEPS, 1))
    assert playback.is_at_end
    assert not playback.divergence
    playback.close()
    return frames


def pictures(path: Path) -> Iterator[Frame]:
    with Image.open(path) as file:
        for each in ImageSequence.Iterator(file):
            yield np.array(each.convert("RGB"))


def different(frames: list[Frame]) -> list[Frame]:
    return [
        frame
        for at, frame in enumerate(frames)
        if not at or not np.array_equal(frame, frames[at - 1])
    ]


def test_gif_of_the_game_has_every_second_frame_between_the_steps(
    recorded: Recorded, filmed: list[list[Frame]], tmp_path: Path
) -> None:
    text = write_video(recorded, Video(tmp_path / "a.gif", "gif", scale=1))
    assert "29.9 frames a second" in text
    frames = different(list(chain.from_iterable(filmed))[1::2])
    for picture, frame in zip(pictures(tmp_path / "a.gif"), frames, strict=True):
        np.testing.assert_array_equal(picture, frame)


def test_gif_of_some_steps_at_another_speed(
    recorded: Recorded, filmed: list[list[Frame]], tmp_path: Path
) -> None:
    video = Video(tmp_path / "a.gif", "gif", speed=4, scale=1, first=4, last=8)
    told: list[tuple[int, int]] = []
    write_video(recorded, video, lambda done, total: told.append((done, total)))
    frames = different(list(chain.from_iterable(filmed[4:8]))[7::8])
    for picture, frame in zip(pictures(video.path), frames, strict=True):
        np.testing.assert_array_equal(picture, frame)
    assert told == [(place, 8) for place in range(1, 9)]


@pytest.mark.parametrize(("first", "last"), [(4, 13), (12, None), (8, 4)])
def test_steps_that_an_episode_does_not_have_are_refused_not_cut(
    recorded: Recorded, first: int, last: int | None, tmp_path: Path
) -> None:
    with pytest.raises(ConfigurationError, match="choose --first-step and --last-step within"):
        write_video(recorded, Video(tmp_path / "a.gif", "gif", first=first, last=last))
    assert not (tmp_path / "a.gif").exists()


def test_gif_of_the_cockpit_holds_the_game_and_the_panes(
    recorded: Recorded, filmed: list[list[Frame]], tmp_path: Path
) -> None:
    video = Video(tmp_path / "a.gif", "gif", last=2, size=(80, 24))
    write_video(recorded, video)
    *_, last = pictures(video.path)
    assert last.shape == (24 * 2 * CELL_WIDTH, 80 * CELL_WIDTH, 3)
    colors = {tuple(color) for color in filmed[1][-1].reshape(-1, 3)}
    left = {tuple(color) for color in last[:, : 40 * CELL_WIDTH].reshape(-1, 3)}
    assert colors <= left
    right = last[:, 60 * CELL_WIDTH :].reshape(-1, 3)
    assert len(np.unique(right, axis=0)) > 10


def test_video_of_what_diverges_is_not_written(
    recorded: Recorded, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(RecordedDemo, "checker", lambda self, env: lambda taken: "step 1: other")
    with pytest.raises(ReplayError, match="diverges from its recording: step 1"):
        write_video(recorded, Video(tmp_path / "a.gif", "gif"))
    assert not list(tmp_path.iterdir())
