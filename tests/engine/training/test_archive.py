"""Episodes from the archive, on the practice game."""

import contextlib
from collections.abc import Iterator
from pathlib import Path

import pytest

from engine.agents.rules import RulesAgent
from engine.config import CurriculumConfig, EnvConfig
from engine.env.input_recording import Recording
from engine.env.input_replay import replay
from engine.env.stepping import make_game_env
from engine.env.vector.world import ENV_FACTORY, VectorEnv
from engine.events import CurriculumChanged, EpisodeEnded
from tests.engine.training.helpers import Run

pytestmark = pytest.mark.slow

SETTINGS = {
    "num_envs": 3,
    "workers": 1,
    "mode": "llm_only",
    "curriculum": CurriculumConfig(archive_share=0.9),
    "env": EnvConfig(goal="got_starter", max_steps=60, progress_steps=0),
}
MILESTONES = ("left_bedroom", "left_house", "entered_lab", "got_starter")


@contextlib.contextmanager
def made(folder: Path, **settings) -> Iterator[Run]:
    """Make a run whose processes end with the block."""
    run = Run(
        folder,
        agent=RulesAgent(0),
        make_vector=lambda config: VectorEnv(ENV_FACTORY, config, config.num_envs, 1),
        save_dir=str(folder.parent),
        **SETTINGS,
        **settings,
    )
    with run.vector:
        yield run


def play(folder: Path, **settings) -> Run:
    with made(folder, **settings) as run:
        run.play()
    return run


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Run:
    return play(tmp_path_factory.mktemp("archive") / "run", total_episodes=16)


def summaries(run: Run) -> list:
    return [event.summary for event in run.of(EpisodeEnded)]


def test_a_share_of_episodes_begins_where_milestones_were_reached(run):
    starts = [summary.start for summary in summaries(run)]
    assert set(starts) - {""} <= set(MILESTONES[:-1])
    assert 2 <= sum(map(bool, starts)) <= 12  # fewer as they are passed
    assert set(run.trainer.state.starts.save()[1]) == set(MILESTONES[:-1])


def test_archived_episodes_begin_with_their_milestones_reached_and_unpaid(run):
    for summary in summaries(run):
        before = MILESTONES[: MILESTONES.index(summary.start) + 1] if summary.start else ()
        assert {key for key, step in summary.steps_to_milestone.items() if step == 0} == set(before)
        reached = sum(step > 0 for step in summary.steps_to_milestone.values())
        assert dict(summary.components)["milestone"] == pytest.approx(5.0 * reached)
        assert summary.is_success


def test_only_episodes_from_the_true_start_move_the_curriculum(run):
    from_start = [summary for summary in summaries(run) if not summary.start]
    assert len(run.of(CurriculumChanged)) == 1 + len(from_start)
    assert run.trainer.state.metrics.episodes_from_start == len(from_start)
    assert run.trainer.state.metrics.episodes == len(summaries(run))


def test_archived_episodes_are_replayed_exactly(run):
    archived = [summary for summary in summaries(run) if summary.start]
    env = make_game_env(run.config, 0)
    for summary in archived[-3:]:
        recording = Recording.decode(summary.recording)
        assert len(recording.segments) >= 2
        total = sum(reward for reward, *_ in replay(env, recording))
        assert total == pytest.approx(summary.total_reward)
        assert env.summary().steps_to_milestone == summary.steps_to_milestone
    env.close()


def test_a_resumed_run_with_an_archive_goes_on_bit_for_bit(run, tmp_path):
    first = play(tmp_path / "run", total_steps=3 * 130)
    assert len(first.trainer.state.starts.save()[1]) > 1
    with made(tmp_path / "run", total_episodes=16) as second:
        second.resume()
        second.play()
    assert second.journal_text == run.journal_text
    assert second.trainer.state.starts.save() == run.trainer.state.starts.save()
    assert second.trainer.learning.calibration.save() == run.trainer.learning.calibration.save()
