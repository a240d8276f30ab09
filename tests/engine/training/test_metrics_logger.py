import math
import struct
import sys
from pathlib import Path

import pytest

from engine.config import RunConfig
from engine.errors import ConfigurationError
from engine.events import (
    CheckpointSaved,
    CurriculumChanged,
    EpisodeEnded,
    EvaluationEnded,
    PolicyUpdated,
    ProgressReported,
    StatusChanged,
)
from engine.training.metrics_logger import MetricsLogger, metrics_of
from engine.training.tensorboard import TensorBoardFile, crc32c
from engine.training.weights_biases import WandbRun, require_wandb
from engine.types import EpisodeSummary, Evaluation
from tests.engine.training.helpers import Clock, FakeWandb


def ended(step: int = 400, **facts) -> EpisodeEnded:
    summary = EpisodeSummary(0, 1.5, 20, (("goal", 2.0), ("step", -0.5)), {"badge": 7}, **facts)
    return EpisodeEnded(3, step, summary)


class Kept:
    """A writer that keeps what it is given, and may fail."""

    name = "kept"

    def __init__(self, *, is_full: bool = False) -> None:
        self.written: list[tuple[int, dict[str, float]]] = []
        self.is_full = is_full
        self.is_closed = False

    def write(self, step, figures) -> None:
        if self.is_full:
            raise OSError(28, "No space left on device")
        self.written.append((step, dict(figures)))

    def close(self) -> None:
        self.is_closed = True


def test_an_episode_is_figures_by_component_and_milestone():
    found = metrics_of(ended(is_success=True, planner_share=0.25))
    assert found == {
        "episode/return": 1.5,
        "episode/length": 20,
        "episode/success": 1.0,
        "episode/planner_share": 0.25,
        "reward/goal": 2.0,
        "reward/step": -0.5,
        "milestone/badge": 7,
    }


def test_how_many_milestones_were_reached_is_a_share_of_all():
    assert metrics_of(ended(), 10)["episode/milestones"] == 0.1
    evaluation = Evaluation(4, 1.0, 0.0, 20.0, 0.0, 0.5, {"one": 1.0, "badge": 0.5})
    assert metrics_of(EvaluationEnded(9, 90, evaluation), 3)["evaluation/milestones"] == 0.5


def test_episodes_that_began_elsewhere_have_figures_of_their_own():
    found = metrics_of(ended(start="badge"))
    assert set(found) == {f"from_snapshot/{what}" for what in ("return", "length", "success")}


def test_numbers_that_no_curve_can_show_are_left_out():
    assert metrics_of(PolicyUpdated(1, 10, {"kl": math.nan, "entropy": 1.0})) == {
        "update/entropy": 1.0
    }


def test_evaluations_and_the_curriculum_have_figures():
    evaluation = Evaluation(5, 2.0, 0.5, 30.0, 0.0, 0.8, {"badge": 0.6})
    found = metrics_of(EvaluationEnded(50, 900, evaluation))
    assert found["evaluation/return"] == 2.0
    assert found["evaluation/milestone/badge"] == 0.6
    moved = CurriculumChanged(2, 5, "x", 0.7, 0.4, 3, 10, math.nan, math.nan, "")
    assert metrics_of(moved) == {"curriculum/stage": 2.0, "curriculum/planner_share": 0.4}


def test_the_sink_knows_the_step_of_events_without_one_and_the_speed_at_updates():
    kept = Kept()
    sink = MetricsLogger([kept], pytest.fail)
    sink.take(StatusChanged(0, 123.0, 0, 0.0, False, False, 0.0, 0, 0, "acting"))
    sink.take(ended(400))
    sink.take(CurriculumChanged(2, 5, "x", 0.7, 0.4, 3, 10, math.nan, math.nan, ""))
    sink.take(PolicyUpdated(1, 512, {"entropy": 1.0}))
    sink.take(ProgressReported("no figure"))
    sink.take(CheckpointSaved("no figure", 512))
    assert [step for step, _ in kept.written] == [400, 400, 512]
    assert kept.written[-1][1] == {"update/entropy": 1.0, "run/steps_per_s": 123.0}


def test_a_writer_that_fails_is_told_once_and_the_others_go_on():
    full, kept, warnings = Kept(is_full=True), Kept(), []
    sink = MetricsLogger([full, kept], warnings.append)
    sink.take(ended(400))
    sink.take(ended(500))
    assert [step for step, _ in kept.written] == [400, 500]
    assert warnings == ["kept gets no more metrics: No space left on device. The run continues."]
    assert full.is_closed
    assert not kept.is_closed
    sink.close()
    assert kept.is_closed


def records(folder: Path) -> list[bytes]:
    """Read event files by the published form: length, checksum, data, checksum."""
    found = []
    for path in sorted(folder.iterdir()):
        content = path.read_bytes()
        while content:
            size, length_sum = struct.unpack_from("<QI", content)
            data = content[12 : 12 + size]
            (data_sum,) = struct.unpack_from("<I", content, 12 + size)
            assert unmasked(length_sum) == crc32c(content[:8])
            assert unmasked(data_sum) == crc32c(data)
            found.append(data)
            content = content[16 + size :]
    return found


def unmasked(value: int) -> int:
    value = (value - 0xA282EAD8) & 0xFFFFFFFF
    return (value >> 17 | value << 15) & 0xFFFFFFFF


def test_the_checksum_is_the_published_one():
    # RFC 3720, B.4
    assert crc32c(bytes(32)) == 0x8A9136AA
    assert crc32c(b"\xff" * 32) == 0x62A8AB43
    assert crc32c(bytes(range(32))) == 0x46DD794E


def test_an_event_file_is_what_tensorboard_itself_would_write(tmp_path):
    """The bytes were made by the protocol buffers of tensorboard 2.21."""
    clock = Clock()
    clock.now_s = 1.6e9
    file = TensorBoardFile(tmp_path / "tensorboard", 500, clock)
    clock.now_s += 1
    file.write(600, {"episode/return": 2.5, "a": -1.0})
    file.close()
    version, start, values = records(tmp_path / "tensorboard")
    assert version.hex() == "090000000084d7d7411a0d627261696e2e4576656e743a32"
    assert start.hex() == "090000000084d7d74110f4033a020801"
    assert values.hex() == (
        "090000400084d7d74110d8042a210a150a0e657069736f64652f72657475726e"
        "15000020400a080a016115000080bf"
    )


def test_figures_reach_the_disk_within_seconds(tmp_path):
    clock = Clock()
    file = TensorBoardFile(tmp_path / "tensorboard", 0, clock)
    file.write(1, {"a": 1.0})
    assert not list(tmp_path.iterdir())
    clock.now_s += 2
    file.write(2, {"a": 2.0})
    assert len(records(tmp_path / "tensorboard")) == 4
    file.close()


@pytest.mark.parametrize("what", ["file", "folder", "run"])
def test_an_event_file_that_is_deleted_is_written_again(tmp_path, what):
    clock = Clock()
    run = tmp_path / "run"
    run.mkdir()
    file = TensorBoardFile(run / "tensorboard", 0, clock)
    for step in range(4):
        clock.now_s += 10
        file.write(step, {"loss": 0.5})
        if step == 1:
            (path,) = (run / "tensorboard").iterdir()
            path.unlink()
            for folder in {"file": [], "folder": [path.parent], "run": [path.parent, run]}[what]:
                folder.rmdir()
        if step == 2 and what == "run":
            assert not run.exists()  # whoever makes it first does so with the run's lock
            run.mkdir()
    file.close()
    assert path.read_bytes().count(b"loss") == 4


def test_a_folder_that_cannot_be_written_fails_the_writer_and_not_the_run(tmp_path):
    (tmp_path / "tensorboard").write_text("in the way")
    clock = Clock(tick_s=3.0)
    warnings: list[str] = []
    sink = MetricsLogger([TensorBoardFile(tmp_path / "tensorboard", 0, clock)], warnings.append)
    sink.take(ended())
    sink.close()
    assert warnings[0].startswith("TensorBoard gets no more metrics")


@pytest.fixture
def wandb(monkeypatch) -> FakeWandb:
    module = FakeWandb()
    monkeypatch.setitem(sys.modules, "wandb", module)
    return module


def test_wandb_gets_the_figures_by_environment_step(wandb, tmp_path):
    run = WandbRun(RunConfig(wandb="offline", seed=7), tmp_path, "20260101-1")
    run.write(400, {"a": 1.0})
    run.close()
    (_, options), metric, log, finish = wandb.calls
    assert (options["id"], options["mode"], options["resume"]) == ("20260101-1", "offline", "allow")
    assert (options["dir"], options["config"]["seed"]) == (str(tmp_path), 7)
    assert options["settings"] == {"silent": True, "console": "off"}
    assert metric == ("define_metric", "*", "total_steps")
    assert log == ("log", {"total_steps": 400, "a": 1.0})
    assert finish == ("finish",)


def test_wandb_online_without_a_login_is_one_clear_line(wandb, tmp_path):
    with pytest.raises(ConfigurationError, match="wandb=offline"):
        WandbRun(RunConfig(wandb="online"), tmp_path, "x")
    wandb.is_logged_in = True
    assert WandbRun(RunConfig(wandb="online"), tmp_path, "x").name == "W&B"


def test_wandb_that_cannot_begin_is_one_clear_line(wandb, tmp_path):
    wandb.failure = FakeWandb.Error("the service is gone")
    with pytest.raises(ConfigurationError, match="the service is gone"):
        WandbRun(RunConfig(wandb="offline"), tmp_path, "x")


def test_wandb_that_fails_later_is_a_warning(wandb, tmp_path):
    warnings: list[str] = []
    sink = MetricsLogger([WandbRun(RunConfig(wandb="offline"), tmp_path, "x")], warnings.append)
    wandb.failure = FakeWandb.Error("the service is gone")
    sink.take(ended())
    assert warnings == ["W&B gets no more metrics: the service is gone. The run continues."]


def test_wandb_without_its_package_is_one_clear_line(monkeypatch):
    monkeypatch.setattr("engine.training.weights_biases.find_spec", lambda name: None)
    require_wandb(RunConfig())
    with pytest.raises(ConfigurationError, match=r"pip install 'poketui\[wandb\]'"):
        require_wandb(RunConfig(wandb="offline"))
