"""Episodes that begin elsewhere than at power-on, in whole runs of the practice game."""

import dataclasses
from pathlib import Path

import pytest

from engine.config import RunConfig, load_config
from engine.curriculum.swarm import EXPLORED
from engine.demos.demonstration import Demonstration, read_demo, write_demo
from engine.demos.exact_replay import play
from engine.demos.recorder import record_policy, rules_policy
from engine.errors import ConfigurationError, PokeTUIError
from engine.events import EpisodeEnded, Event, PolicyUpdated, ReasoningLogged, RunFailed, RunStopped
from engine.runs.checkpoint import Checkpoint, read_checkpoint
from engine.sessions.train import EngineSession
from engine.training.starts import make_backward_starts, with_demo_hash
from tests.engine.training.helpers import events_of

GAMES = {"headless": True, "num_envs": 4, "workers": 1, "tensorboard": False, "seed": 3}
EXPLORES = GAMES | {"agent": "explore", "explore.steps": 60}
SWARM = GAMES | {
    "mode": "rl_only",
    "env.goal": "entered_lab",
    "curriculum.swarm_share": 0.5,
    "explore.steps": 30,
    "seed": 2,
}


def run(folder: Path, steps: int, settings, resume: str | None = None) -> list[Event]:
    """Run to the end, and return what was told."""
    config = load_config(None, settings | {"save_dir": str(folder), "total_steps": steps})
    found = events_of(EngineSession(config, resume=resume))
    assert isinstance(found[-1], RunStopped), found[-1]
    return found


def last_checkpoint(found: list[Event]) -> Checkpoint:
    return read_checkpoint(Path(found[-1].checkpoint))


def assert_resumes_exactly(folder: Path, settings, steps: int, whole: list[Event]) -> None:
    """Compare a run that was interrupted in its middle with a whole one."""
    run(folder, steps // 2, settings)
    resumed = last_checkpoint(run(folder, steps, settings, resume="latest"))
    expected = last_checkpoint(whole)
    for key in ("archive", "agent", "metrics", "curriculum"):
        assert resumed.facts[key] == expected.facts[key]
    assert resumed.blobs == expected.blobs


@pytest.fixture(scope="module")
def demo(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a demonstration of the rules that gets the starter."""
    folder = tmp_path_factory.mktemp("demo")
    config = load_config(None, {"save_dir": str(folder), "env.goal": "got_starter"})
    ((path, shown),) = record_policy(rules_policy(0), config, 1, folder, by="rules")
    assert shown.is_success
    return path


@pytest.mark.slow
def test_games_search_until_one_has_won_then_imitate_its_way_and_walk_back_along_it(tmp_path):
    whole = run(tmp_path / "whole", 8_000, SWARM)
    summaries = [event.summary for event in whole if isinstance(event, EpisodeEnded)]
    starts = [summary.start for summary in summaries]
    assert {"", EXPLORED} < set(starts)
    assert any(start.startswith("demo ") for start in starts)
    assert all(summary.is_success and not summary.start for summary in summaries[-4:])
    metrics = last_checkpoint(whole).facts["metrics"]
    assert metrics["episodes"] == len(summaries)
    assert metrics["episodes_from_start"] == sum(summary.is_usual for summary in summaries)
    losses = [event.figures for event in whole if isinstance(event, PolicyUpdated)]
    imitated = [figures["own_way_loss"] for figures in losses if "own_way_loss" in figures]
    assert 0 < len(imitated) < len(losses)
    assert_resumes_exactly(tmp_path / "halves", SWARM, 8_000, whole)


@pytest.mark.slow
def test_run_with_a_demonstration_walks_back_to_power_on(tmp_path, demo):
    settings = GAMES | {
        "mode": "llm_only",
        "env.goal": "got_starter",
        "backward.demo": str(demo),
        "backward.step": 0.25,
        "backward.episodes": 3,
    }
    whole = run(tmp_path / "whole", 1_200, settings)
    told = [event.text for event in whole if isinstance(event, ReasoningLogged)]
    assert [text for text in told if "start at" in text] == [
        f"episodes now start at {where}" for where in ("demo 50 %", "power-on")
    ]
    starts = [event.summary.start for event in whole if isinstance(event, EpisodeEnded)]
    assert list(dict.fromkeys(starts)) == ["demo 75 %", "demo 50 %", ""]
    assert_resumes_exactly(tmp_path / "halves", settings, 1_200, whole)


@pytest.mark.slow
def test_exploring_finds_the_way_out_of_the_house_and_writes_it_down(tmp_path):
    whole = run(tmp_path / "whole", 6_000, EXPLORES)
    found = {
        shown.milestones[-1][0]: shown
        for path in (tmp_path / "whole" / "demos" / "explored").glob("*.demo")
        if (shown := read_demo(path)).milestones
    }
    way = found["left_house"]
    assert way.by == "explore"
    *_, last = play(way, RunConfig(save_dir=str(tmp_path)), renders=False, with_end=True)
    assert last.number == way.episode_length
    assert_resumes_exactly(tmp_path / "halves", EXPLORES, 6_000, whole)


def checked(demo: Path, **settings) -> RunConfig:
    overrides = {"backward.demo": str(demo), "env.goal": "got_starter"} | settings
    return with_demo_hash(load_config(None, overrides))


def test_demonstration_that_is_missing_or_changed_is_refused(demo, tmp_path):
    with pytest.raises(PokeTUIError, match="does not exist"):
        checked(tmp_path / "none.demo")
    with pytest.raises(ConfigurationError, match="has changed since the run started"):
        checked(demo, **{"backward.sha256": "0" * 64})
    kept = checked(demo).backward
    assert with_demo_hash(checked(demo)).backward == kept
    assert Path(kept.demo).is_absolute()


def test_demonstration_of_another_rom_or_with_other_frames_a_press_is_refused(demo, tmp_path):
    with pytest.raises(ConfigurationError, match=r"8 \+ 12 \+ 240 frames.*env.hold_frames=8"):
        checked(demo, **{"env.hold_frames": 9})
    shown = read_demo(demo)
    recording = dataclasses.replace(shown.recording, rom="0" * 40)
    write_demo(tmp_path / "other.demo", dataclasses.replace(shown, recording=recording))
    with pytest.raises(ConfigurationError, match="a different ROM"):
        checked(tmp_path / "other.demo")


def altered(demo: Demonstration) -> Demonstration:
    """Return it with the last memory hash of another game."""
    return dataclasses.replace(
        demo,
        recording=dataclasses.replace(demo.recording, memory="0" * 40),
        memory_hashes=tuple((step, "0" * 40) for step, _ in demo.memory_hashes),
    )


def test_demonstration_that_does_not_reach_the_goal_is_refused(demo, tmp_path):
    config = checked(demo, **{"save_dir": str(tmp_path), "env.goal": ""})
    with pytest.raises(ConfigurationError, match="does not reach the run's goal"):
        make_backward_starts(config, lambda event: None)


def test_run_with_a_demonstration_that_does_not_replay_is_refused(demo, tmp_path):
    write_demo(tmp_path / "altered.demo", altered(read_demo(demo)))
    few = GAMES | {"num_envs": 1, "save_dir": str(tmp_path / "saves"), "env.goal": ""}
    *_, end = events_of(EngineSession(checked(tmp_path / "altered.demo", **few)))
    assert isinstance(end, RunFailed)
    assert "diverges" in end.message
    assert end.is_refused


@pytest.mark.parametrize(
    "others",
    [{"agent": "explore"}, {"curriculum.swarm_share": 0.5}, {"curriculum.archive_share": 0.5}],
)
def test_two_ways_to_begin_elsewhere_are_refused(others, demo):
    with pytest.raises(ConfigurationError, match="cannot both set"):
        load_config(None, {"backward.demo": str(demo)} | others)


@pytest.mark.parametrize("others", [{"agent": "dqn"}, {"ppo.recurrent": True}])
def test_search_with_an_agent_that_imitates_nothing_is_refused(others):
    with pytest.raises(ConfigurationError, match="swarm_share needs agent = ppo"):
        load_config(None, {"curriculum.swarm_share": 0.5} | others)
