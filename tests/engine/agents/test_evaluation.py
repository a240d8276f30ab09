import dataclasses
import math

import numpy as np
import pytest
import torch

from engine.agents.base import Guidance, spaces_of
from engine.agents.dqn import DQN
from engine.agents.evaluation import (
    ALONE,
    EpisodeDraws,
    evaluate,
    evaluation_config,
    play_episodes,
    summarise,
)
from engine.agents.guided import GuidedPPO
from engine.agents.rules import RandomAgent, RulesAgent
from engine.commands import Pause, Resume, Save, SkipEvaluation, Stop
from engine.config import DQNConfig, PPOConfig, RunConfig
from engine.demos.recorded_env import make_env
from engine.env.vector.worker import LocalHost
from engine.env.vector.world import ArrayWorld
from engine.errors import WorkerError
from engine.events import CheckpointSaved, EvaluationEnded, StatusChanged, WarningRaised
from engine.runs.checkpoint import BEST, read_checkpoint
from engine.runs.journal import read_journal
from engine.types import EpisodeSummary
from tests.engine.toy import MAX_STEPS, ToyVector
from tests.engine.training.helpers import Run, played

STEPS = 640
EVALUATED = {"eval_interval": 20, "eval_episodes": 6, "exam_share": 0.0}


def episode(reward: float, length: int = 10, **facts) -> EpisodeSummary:
    return EpisodeSummary(0, reward, length, (), **facts)


def board(num_envs: int) -> ToyVector:
    return ToyVector(RunConfig(num_envs=num_envs, workers=1))


@pytest.fixture(scope="module")
def evaluated(tmp_path_factory) -> Run:
    """A run with some evaluations, that drew nothing from others' generators."""
    python_rng, torch_rng = np.random.get_state()[1].tobytes(), torch.get_rng_state()
    run = played(tmp_path_factory.mktemp("runs") / "evaluated", total_steps=STEPS, **EVALUATED)
    assert np.random.get_state()[1].tobytes() == python_rng
    assert torch.equal(torch.get_rng_state(), torch_rng)
    return run


def test_the_policy_is_evaluated_every_so_many_episodes(evaluated):
    evaluations = evaluated.of(EvaluationEnded)
    assert len(evaluations) == evaluated.trainer.state.metrics.episodes // 20 >= 3
    for number, event in enumerate(evaluations, 1):
        assert 20 * number <= event.episode < 20 * number + 4
        assert event.evaluation.episodes == 6
        assert event.evaluation.avg_llm_usage == 0


def test_evaluations_leave_the_training_as_it_would_be_without_them(evaluated, tmp_path):
    """Without an interval nothing is evaluated."""
    plain = played(tmp_path / "plain", total_steps=STEPS, exam_share=0.0)
    assert not plain.of(EvaluationEnded)
    assert (evaluated.curve, evaluated.weights) == (plain.curve, plain.weights)


@pytest.mark.slow
def test_a_resumed_run_evaluates_as_the_uninterrupted_one(tmp_path):
    whole = played(tmp_path / "whole", total_steps=2000, **EVALUATED)
    played(tmp_path / "parts", total_steps=900, **EVALUATED)
    second = Run(tmp_path / "parts", total_steps=2000, **EVALUATED).resume()
    second.play()
    assert second.journal_text == whole.journal_text


class Interrupting(ToyVector):
    """Asks the run for something in the third step of its first evaluation."""

    run: Run
    commands: tuple = ()

    def step(self, actions, **how):
        if self.num_envs == 3 and self.num_steps == 2:
            for command in type(self).commands:
                self.run.commands.put(command)
            type(self).commands = ()
        return super().step(actions, **how)


def interrupted(folder, *commands) -> Run:
    vector = type("Vector", (Interrupting,), {"commands": commands})
    run = Run(folder, make_vector=vector, total_steps=STEPS, eval_interval=20, eval_episodes=3)
    vector.run = run
    return run


@pytest.mark.slow
def test_a_stop_ends_an_evaluation_at_once_and_the_resumed_run_makes_up_for_it(tmp_path):
    whole = interrupted(tmp_path / "whole")
    whole.play()
    stopped = interrupted(tmp_path / "parts", Stop("lunch"))
    assert stopped.play().reason == "lunch"
    assert not stopped.of(EvaluationEnded)
    second = interrupted(tmp_path / "parts").resume()
    second.play()
    assert second.journal_text == whole.journal_text


@pytest.mark.parametrize(
    ("commands", "skipped"),
    [([Pause(), Save(), Resume()], 0), ([Save(), SkipEvaluation()], 1)],
    ids=["paused", "skipped"],
)
def test_an_evaluation_can_be_paused_saved_in_and_skipped(tmp_path, commands, skipped):
    run = interrupted(tmp_path, *commands)
    assert run.play().total_steps == STEPS
    assert len(run.of(EvaluationEnded)) == run.trainer.state.metrics.episodes // 20 - skipped > 0
    assert not run.refusals


def test_skip_evaluation_without_one_is_refused(tmp_path):
    run = played(tmp_path, SkipEvaluation(), total_steps=100)
    assert run.refusals == ["No evaluation is running."]


def test_the_status_tells_how_far_an_evaluation_is(evaluated):
    told = [event for event in evaluated.of(StatusChanged) if event.phase == "evaluating"]
    assert {event.total for event in told} == {6}
    assert sorted({event.done for event in told}) == [0, 1, 2, 3, 4, 5, 6]
    after = evaluated.of(StatusChanged)[-1]
    assert (after.phase, after.done, after.total) == ("acting", 0, 0)


def test_evaluation_is_saved_and_journalled_and_the_best_checkpoint_kept(evaluated):
    saved = {event.total_steps for event in evaluated.of(CheckpointSaved)}
    ended = evaluated.of(EvaluationEnded)
    assert {event.total_steps for event in ended} <= saved
    best = read_checkpoint(evaluated.folder / "checkpoints" / BEST)
    assert best.facts["score"] == [True, 0, max(event.evaluation.avg_reward for event in ended)]
    journal = read_journal(evaluated.folder / "journal.jsonl")
    assert [event for event in journal if isinstance(event, EvaluationEnded)] == ended


def test_an_evaluation_that_fails_is_a_warning_and_the_run_goes_on(tmp_path):
    def make(config: RunConfig) -> ToyVector:
        if config.num_envs == 3:
            raise WorkerError("No more processes.", "Close some.")
        return ToyVector(config)

    run = Run(tmp_path, make_vector=make, total_steps=400, eval_interval=20, eval_episodes=3)
    assert run.play().total_steps == 400
    warnings = [event.message for event in run.of(WarningRaised)]
    assert warnings == ["The policy could not be evaluated. No more processes. Close some."] * (
        run.trainer.state.metrics.episodes // 20
    )


def test_the_evaluation_closes_its_environments(tmp_path):
    made = []

    def make(config: RunConfig) -> ToyVector:
        made.append(ToyVector(config))
        return made[-1]

    played(tmp_path, make_vector=make, total_steps=300, **EVALUATED)
    assert [vector.is_closed for vector in made] == [False] + [True] * (len(made) - 1)
    assert len(made) > 1


def test_all_episodes_that_begin_are_counted():
    """Short episodes must not count more often than long ones."""
    vector, reported = board(4), []
    played = play_episodes(RandomAgent(0).player(3), vector, 10, seed=5, report=reported.append)
    assert len(played) == 10
    assert reported == list(range(1, 11))
    assert vector.num_steps < sum(summary.length for summary in played) / 2


@pytest.fixture(scope="module")
def practice():
    """Environments of the practice game, whose episodes are short."""
    config = RunConfig(env={"max_steps": 40, "progress_steps": 5})
    envs = [make_env(config, index) for index in range(4)]
    yield envs
    for env in envs:
        env.close()


def played_by_policy(envs, episodes: int) -> list[EpisodeSummary]:
    """Let an untrained policy play; return the episodes but for where they were played."""
    vector = ArrayWorld(LocalHost(envs), len(envs))
    spaces = spaces_of(vector.reset(range(len(envs))))
    draws = EpisodeDraws(5, len(envs))
    player = GuidedPPO(PPOConfig(hidden_size=16), len(envs), spaces, 0).player(draws)
    played = play_episodes(player, vector, episodes, seed=5, draws=draws)
    return [dataclasses.replace(summary, env_index=0) for summary in played]


def test_an_episode_depends_on_its_number_alone(practice):
    eight = played_by_policy(practice, 8)
    assert len({summary.recording for summary in eight}) == 8
    assert played_by_policy(practice[:3], 5) == eight[:5]


def test_environments_without_an_episode_stand_still(practice):
    vector = ArrayWorld(LocalHost(practice), 4)
    play_episodes(RandomAgent(0).player(3), vector, 2, seed=5)
    before = [stepped.snapshot() for stepped in practice[2:]]
    play_episodes(RandomAgent(0).player(3), vector, 2, seed=5)
    assert [stepped.snapshot() for stepped in practice[2:]] == before


@pytest.mark.parametrize("num_envs", [3, 8])
def test_draws_are_those_of_the_episodes_whatever_their_shape(num_envs):
    draws = EpisodeDraws(7, num_envs)
    for row in range(num_envs):
        draws.begin(row, 20 + row)
    alone = [np.random.default_rng([7, 20 + row]).random(3 + 2 + 1) for row in range(num_envs)]
    found = [draws.random((num_envs, 3)).T, draws.random((2, num_envs)), [draws.random(num_envs)]]
    assert np.concatenate(found).T.tolist() == np.array(alone).tolist()


def test_the_same_seed_gives_the_same_episodes():
    one, other = (play_episodes(RandomAgent(0).player(3), board(3), 6, seed=5) for _ in range(2))
    assert one == other


def test_an_aborted_episode_is_played_again(tmp_path):
    class Aborting(ToyVector):
        def step(self, actions, **how):
            batch = super().step(actions, **how)
            if self.num_steps == 2:
                summaries = {1: episode(0.0, 0, is_aborted=True)}
                return dataclasses.replace(batch, summaries=summaries)
            return batch

    vector = Aborting(RunConfig(num_envs=2, workers=1))
    played = play_episodes(RandomAgent(0).player(3), vector, 4, seed=5)
    assert len(played) == 4
    assert not any(summary.is_aborted for summary in played)


def test_the_planner_counts_where_it_is_followed():
    played = play_episodes(RulesAgent(0).player(3), board(2), 4, 5, Guidance(1.0, 1.0))
    evaluation = summarise(played)
    assert (evaluation.avg_llm_usage, evaluation.avg_rules_usage) == (0.0, 1.0)
    assert evaluation.success_rate == 1.0
    assert evaluation.avg_length < MAX_STEPS


def test_the_summary_is_that_of_the_documents():
    reached = {"a": 3, "b": 9}
    shares = {"planner_share": 0.5, "llm_share": 0.4}
    played = [
        episode(1.0, 10, is_success=True, steps_to_milestone=reached, **shares),
        episode(3.0, 30, planner_share=0.1, steps_to_milestone={"a": 7}),
    ]
    found = summarise(played)
    assert (found.episodes, found.avg_reward, found.std_reward) == (2, 2.0, 1.0)
    assert (found.avg_length, found.success_rate) == (20.0, 0.5)
    assert found.avg_llm_usage == pytest.approx(4 / 40)
    assert found.avg_rules_usage == pytest.approx(4 / 40)
    assert found.milestones == {"a": 1.0, "b": 0.5}
    assert (found.milestone_rate, found.avg_q_value, found.std_q_value) == (None, None, None)


def test_milestones_that_nobody_reached_count_as_missed():
    played = [episode(1.0, 10, steps_to_milestone={"b": 9}), episode(3.0, 30)]
    found = summarise(played, ["a", "b", "c", "d"], [np.float32([1, 3]), np.float32([5, 7])])
    assert found.milestones == {"a": 0.0, "b": 0.5, "c": 0.0, "d": 0.0}
    assert found.milestone_rate == 0.125
    assert (found.avg_q_value, found.std_q_value) == (4.0, pytest.approx(5**0.5))


def test_evaluations_of_a_value_network_have_the_values_of_what_it_did():
    vector = board(2)
    batch = vector.reset([1, 2])
    agent = DQN(DQNConfig(hidden_size=16, epsilon_end=0.0), 2, spaces_of(batch), seed=0)
    values = agent.evaluate(batch).numpy()
    action_batch = agent.player(0)(batch, ALONE)
    assert action_batch.q_values.tolist() == np.where(batch.mask, values, -np.inf).max(1).tolist()
    found = evaluate(agent.player, vector, RunConfig(), 2, milestones=["goal", "other"])
    assert math.isfinite(found.avg_q_value)
    assert found.std_q_value >= 0
    assert found.milestones["other"] == 0.0


def test_an_evaluation_takes_an_environment_an_episode():
    config = RunConfig(num_envs=4, workers=2)
    assert evaluation_config(config, 10).num_envs == 10
    assert evaluation_config(config, 1).workers == 1
    assert evaluation_config(config, 1000).num_envs == 64
