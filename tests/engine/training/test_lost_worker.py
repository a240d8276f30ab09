"""A real trainer on the practice game loses worker processes."""

import os
import signal
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from engine.agents.rules import RandomAgent
from engine.commands import Press, TakeOver
from engine.config import EnvConfig, RunConfig
from engine.env.vector.world import VectorEnv
from engine.events import (
    CheckpointSaved,
    CurriculumChanged,
    EpisodeEnded,
    FrameRendered,
    PolicyUpdated,
    RunFailed,
    WarningRaised,
)
from engine.sessions.train import EngineSession
from engine.training.trainer import Trainer
from engine.types import Action
from tests.engine.training.helpers import PPO, Run, events_of

pytestmark = pytest.mark.slow

FACTORY = "engine.planning.goals.planned:make_env"
SETTINGS = {"num_envs": 3, "workers": 2, "env": EnvConfig(max_steps=60, progress_steps=0)}
HANG_S = 3.0
"""Who says nothing for so long is replaced, in a step in which somebody hangs."""
LOST = "Process 0 was replaced, and its 2 episodes restarted."
"""Two processes have three games: 0 and 1, and 2."""

StartRun = Callable[..., Run]


@pytest.fixture
def start_run(tmp_path: Path) -> Iterator[StartRun]:
    runs: list[Run] = []

    def start(**settings) -> Run:
        given = {"save_dir": str(tmp_path / "saves"), "make_vector": make_vector}
        runs.append(Run(tmp_path, **SETTINGS, **given, **settings))
        return runs[-1]

    yield start
    for run in runs:
        run.vector.close()


def make_vector(config: RunConfig) -> VectorEnv:
    return VectorEnv(FACTORY, config, 3, 2)


def worth(trainer: Trainer, features: NDArray[np.float32]) -> NDArray[np.float32]:
    """Return what the critic thinks of states."""
    ppo = trainer.learning.agent.ppo
    return ppo.evaluate(features, None, ppo.memory[: len(features)]).values


def kill(run: Run, how: signal.Signals = signal.SIGKILL) -> None:
    os.kill(run.vector.pids[0], how)


def kill_after_first_update(run: Run) -> None:
    """Kill a worker where a real run spends half its time: while the policy learns."""
    update = run.trainer.learning.agent.update

    def dying_update(batch):
        run.trainer.learning.agent.update = update
        kill(run)
        return update(batch)

    run.trainer.learning.agent.update = dying_update


def warnings(run: Run) -> list[str]:
    return [event.message for event in run.of(WarningRaised)]


def test_training_goes_on_without_the_lost_episodes(start_run):
    run = start_run(total_steps=3 * 16 * 8)
    kill_after_first_update(run)
    assert run.play().total_steps == 3 * 16 * 8
    (warning,) = warnings(run)
    assert "killed by SIGKILL" in warning
    assert warning.endswith(LOST)
    assert len(run.of(PolicyUpdated)) == 8
    summaries = [event.summary for event in run.of(EpisodeEnded)]
    assert {(summary.length, summary.is_aborted) for summary in summaries} == {(60, False)}
    # 128 steps hold two episodes of 60; what began anew after 16 steps ends once at 76.
    assert sorted(summary.env_index for summary in summaries) == [0, 1, 2, 2]
    assert run.trainer.state.metrics.episodes == 4
    assert run.trainer.state.tally.steps.tolist() == [51, 51, 8]


@pytest.mark.parametrize("how", [signal.SIGKILL, signal.SIGSTOP])
def test_trajectory_of_a_lost_worker_ends_at_its_last_known_state(start_run, how):
    run = start_run()
    trainer = run.trainer
    for _ in range(5):
        trainer.step()
    known = trainer.state.batch.features
    patience_s = run.vector._pool.answer_timeout_s
    kill(run, how)
    if how is signal.SIGSTOP:  # the other process has this time twice
        run.vector._pool.answer_timeout_s = HANG_S
    trainer.step()
    run.vector._pool.answer_timeout_s = patience_s
    rollout = trainer.learning.agent.ppo.rollout
    assert rollout.length == 6
    assert rollout.boundaries[5].tolist() == [True, True, False]
    assert rollout.boundary_values[5, :2] == pytest.approx(worth(trainer, known)[:2], abs=1e-6)
    assert not rollout.rewards[5, :2].any()
    assert trainer.state.tally.steps.tolist() == [0, 0, 6]
    assert not run.of(EpisodeEnded)
    assert len(run.of(CurriculumChanged)) == 0
    trainer.step()
    assert not rollout.boundaries[6].any()


def test_a_death_before_saving_costs_no_checkpoint(start_run):
    run = start_run()
    trainer = run.trainer
    run.steps(5)
    known = trainer.state.batch.features
    kill(run)
    trainer.save()
    assert len(run.of(CheckpointSaved)) == 1
    assert warnings(run)[0].endswith(LOST)
    rollout = trainer.learning.agent.ppo.rollout
    assert rollout.boundaries[4].tolist() == [True, True, False]
    assert rollout.boundary_values[4, :2] == pytest.approx(worth(trainer, known)[:2], abs=1e-6)
    assert trainer.state.tally.steps.tolist() == [0, 0, 5]


def test_a_run_that_lost_a_worker_is_resumed_bit_for_bit(start_run):
    first = start_run(total_steps=3 * 40)
    kill_after_first_update(first)
    first.play()
    assert warnings(first)
    ends = []
    for _ in range(2):
        second = start_run(total_steps=3 * 80).resume()
        # So that the next resumes here as well.
        second.trainer.save = lambda: None
        assert second.play().total_steps == 3 * 80
        ends.append((second.vector.save(), second.trainer.state.batch.features.tobytes()))
    assert ends[0] == ends[1]


def test_a_watched_game_is_seen_again(start_run):
    run = start_run(headless=False)
    run.trainer.reporter.watch(1)
    kill(run)
    run.steps(3)
    run.trainer.reporter.watch(1)
    before = len(run.of(FrameRendered))
    run.steps(1)
    assert len(run.of(FrameRendered)) == before + 1


def test_a_person_plays_on_in_a_new_episode(start_run):
    run = start_run(headless=False)
    trainer = run.trainer
    trainer.reporter.watch(2)
    run.steps(4)
    known = trainer.state.batch.features
    run.obey(TakeOver())
    kill(run)
    trainer.reporter.watch(2)
    run.obey(Press(Action.LEFT))
    assert warnings(run)[0].endswith(LOST)
    rollout = trainer.learning.agent.ppo.rollout
    assert rollout.boundaries[3].all()
    assert rollout.boundary_values[3] == pytest.approx(worth(trainer, known), abs=1e-6)
    assert trainer.state.tally.is_touched.tolist() == [False, False, True]
    os.kill(run.vector.pids[1], signal.SIGKILL)
    run.obey(Press(Action.LEFT))
    assert trainer.state.tally.is_touched.tolist() == [False, False, False]
    assert trainer.handler.controls.is_human
    run.obey(Press(Action.LEFT))
    assert trainer.state.tally.is_touched.tolist() == [False, False, True]


def test_agents_that_do_not_learn_go_on_too(start_run):
    run = start_run(agent=RandomAgent(0))
    run.trainer.step()
    kill(run)
    run.trainer.step()
    assert warnings(run)


def test_worker_that_keeps_dying_fails_the_run_with_one_error(tmp_path):
    def doomed(config: RunConfig) -> VectorEnv:
        return VectorEnv("tests.engine.env.factories:doomed", config, 1)

    config = RunConfig(save_dir=str(tmp_path), headless=True, ppo=PPO, num_envs=1)
    session = EngineSession(config, make_vector=doomed)
    events = events_of(session)
    assert sum(isinstance(event, WarningRaised) for event in events) == 5
    failure = events[-1]
    assert isinstance(failure, RunFailed)
    assert "replaced 5 times" in failure.message
    assert "log" in failure.hint
    assert failure.has_checkpoint
    assert "ZeroDivisionError: doomed" in Path(session.run_dir, "engine.log").read_text()
