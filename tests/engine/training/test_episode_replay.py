import json
from dataclasses import replace
from pathlib import Path

import pytest

from engine.config import EnvConfig, RunConfig
from engine.env.choices import NO_CHOICES
from engine.env.input_recording import Recording
from engine.errors import CheckpointError, ReplayError
from engine.events import EpisodeEnded, RunStopped
from engine.runs.journal import read_journal
from engine.sessions.replay_player import replay_episode
from engine.sessions.replay_sources import RecordedEpisode, split_source
from engine.sessions.train import EngineSession
from engine.types import GAME_BOY_ACTIONS, Source
from tests.engine.training.helpers import events_of


@pytest.fixture(scope="module")
def saves(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A short run of two games on the practice ROM."""
    folder = tmp_path_factory.mktemp("saves")
    few = {"num_envs": 2, "workers": 1, "agent": "random", "total_episodes": 4}
    env = EnvConfig(max_steps=60, progress_steps=0)
    config = RunConfig(save_dir=str(folder), headless=True, env=env, **few)
    assert isinstance(events_of(EngineSession(config))[-1], RunStopped)
    return folder


@pytest.fixture
def ended(saves: Path) -> list[EpisodeEnded]:
    return [e for e in read_journal(journal_path(saves)) if isinstance(e, EpisodeEnded)]


@pytest.fixture
def recorded(saves: Path) -> RecordedEpisode:
    return RecordedEpisode.find(str(saves), "latest", None)


def journal_path(saves: Path) -> Path:
    (path,) = saves.glob("runs/*/journal.jsonl")
    return path


@pytest.mark.slow
def test_every_episode_of_a_run_is_replayed_exactly(saves, ended):
    assert len(ended) >= 4
    for event in ended:
        recorded, total_reward = replay_episode(str(saves), "latest", event.episode)
        assert recorded.ended.summary == event.summary
        assert total_reward == pytest.approx(event.summary.total_reward)


def test_last_episode_is_replayed_where_none_is_named(saves, ended):
    assert replay_episode(str(saves), "latest")[0].ended.episode == ended[-1].episode


def test_missing_episode_and_run_are_one_clear_line(saves):
    with pytest.raises(ReplayError, match="no recorded episode 99"):
        replay_episode(str(saves), "latest", 99)
    with pytest.raises(CheckpointError, match="no saved run"):
        replay_episode(str(saves), "other")


def test_forged_episode_is_refused(saves, tmp_path):
    run = tmp_path / "runs" / "forged"
    run.mkdir(parents=True)
    source = journal_path(saves).parent
    (run / "config.json").write_text((source / "config.json").read_text())
    lines = journal_path(saves).read_text().splitlines()
    values = json.loads(next(line for line in lines if "EpisodeEnded" in line))
    recording = json.loads(values["summary"]["recording"])
    recording[-1] = "0" * 40
    values["summary"]["recording"] = json.dumps(recording)
    (run / "journal.jsonl").write_text(json.dumps(values) + "\n")
    with pytest.raises(ReplayError, match="diverged"):
        replay_episode(str(tmp_path), "forged")


@pytest.mark.parametrize("number", ["", "x", "-1", "1_0", "٣", "1.0", "9" * 5000])
def test_an_episode_is_named_by_plain_digits(number):
    assert split_source("run:07") == ("run", 7)
    with pytest.raises(ReplayError, match="not an episode number"):
        split_source(f"run:{number}")


def test_a_replay_says_who_chose_each_action(recorded):
    actions = GAME_BOY_ACTIONS
    taken = [recorded.decision(n, a, actions) for n, a in enumerate(recorded.recording.actions)]
    assert {each.source for each in taken} == {Source.RANDOM}
    assert taken[0].reason == f"{actions.name(taken[0].action)}, sampled"


def test_an_episode_of_an_older_version_says_that_no_source_is_recorded(recorded):
    (own,) = recorded.recording.segments
    old = replace(recorded.recording, segments=(replace(own, choices=NO_CHOICES),))
    older = replace(recorded, recording=Recording.decode(old.encode()))
    decision = older.decision(0, own.actions[0], GAME_BOY_ACTIONS)
    assert decision.source is Source.RECORDED
    assert decision.reason.endswith("source not recorded")
