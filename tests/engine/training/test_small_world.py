"""A world that is no emulator, with nothing but the small protocol, is trained in like a game."""

import numpy as np
import pytest

from engine.commands import (
    Branch,
    KeepState,
    PlayLive,
    Press,
    Restart,
    SetGoal,
    SetMode,
    SetWeight,
    StartRecording,
    TakeOver,
    Watch,
)
from engine.config import PPOConfig, RunConfig
from engine.env.batch import Batch
from engine.env.vector.arrays import SPECS, Role
from engine.env.world import FullWorld, Inspection, Saving
from engine.events import CheckpointSaved, CommandRefused, EpisodeEnded, EvaluationEnded
from engine.training.state import with_powers
from engine.types import Action, EpisodeSummary
from tests.engine.toy import blank_batch
from tests.engine.training.helpers import Run

LEVERS = 4
LENGTH = 8
PPO = PPOConfig(rollout_steps=32, minibatch_size=96, hidden_size=32, learning_rate=1e-2)


class Levers:
    """Four levers under a lamp of one of four colours; the lever of its colour pays 1."""

    feature_size = LEVERS + 1
    num_actions = LEVERS
    reward_weights = (("pay", 1.0),)

    def __init__(self, config: RunConfig) -> None:
        self.num_envs = config.num_envs
        self._rngs = [np.random.default_rng(0)] * self.num_envs
        self._colours = np.zeros(self.num_envs, np.int64)
        self._paid = np.zeros(self.num_envs)
        self._steps = 0

    def reset(self, seeds) -> Batch:
        self._rngs = [np.random.default_rng(seed) for seed in seeds]
        self._begin()
        return self._batch(np.zeros(self.num_envs, np.float32), {})

    def step(self, actions) -> Batch:
        rewards = (actions == self._colours).astype(np.float32)
        self._paid += rewards
        self._steps += 1
        self._colours = np.array([rng.integers(LEVERS) for rng in self._rngs])
        summaries = {}
        if self._steps == LENGTH:
            for index, paid in enumerate(self._paid.tolist()):
                summaries[index] = EpisodeSummary(index, paid, LENGTH, (("pay", paid),))
            self._begin()
        return self._batch(rewards, summaries)

    def close(self) -> None:
        self._rngs = []

    def _begin(self) -> None:
        self._steps = 0
        self._paid[:] = 0.0
        self._colours = np.array([rng.integers(LEVERS) for rng in self._rngs])

    def _batch(self, rewards, summaries) -> Batch:
        count = self.num_envs
        features = np.zeros((count, self.feature_size), np.float32)
        features[np.arange(count), self._colours] = 1.0
        features[:, LEVERS] = self._steps / LENGTH
        mask = np.zeros((count, self.num_actions), np.bool_)
        mask[:, :LEVERS] = True
        return blank_batch(
            count,
            features=features,
            mask=mask,
            prior=np.zeros((count, self.num_actions), np.float32),
            rewards=rewards,
            terminated=np.full(count, bool(summaries)),
            final_features=np.zeros((count, self.feature_size), np.float32),
            summaries=summaries,
        )


def levers(folder, **settings) -> Run:
    settings = {"num_envs": 3, "mode": "rl_only", "ppo": PPO, "total_steps": 1152} | settings
    return Run(folder, make_vector=Levers, **settings)


def test_a_policy_learns_in_a_world_with_the_small_protocol_alone(tmp_path):
    run = levers(tmp_path / "run", eval_interval=48, eval_episodes=3, headless=False)
    run.play()
    paid = [event.summary.total_reward for event in run.of(EpisodeEnded)]
    by_chance = LENGTH / LEVERS
    assert np.mean(paid[:12]) < 1.5 * by_chance
    assert np.mean(paid[-12:]) > 2 * by_chance
    assert run.of(EvaluationEnded)
    assert run.of(CheckpointSaved)


def test_a_run_resumes_with_new_episodes_where_the_world_cannot_be_saved(tmp_path):
    levers(tmp_path / "run", total_steps=300).play()
    resumed = levers(tmp_path / "run", total_steps=600).resume()
    assert resumed.trainer.state.metrics.total_steps == 300
    assert not resumed.trainer.state.tally.steps.any()
    resumed.play()
    assert resumed.trainer.state.metrics.total_steps == 600
    assert all(event.summary.length == LENGTH for event in resumed.of(EpisodeEnded))


@pytest.mark.parametrize(
    ("command", "why"),
    [
        (Watch(1), "be watched"),
        (TakeOver(), "be played by hand"),
        (Press(Action.A), "be played by hand"),
        (PlayLive(True), "run in real time"),
        (Restart(), "restart episodes"),
        (KeepState(), "save states"),
        (Branch(1), "save states"),
        (SetGoal("goal"), "change its goal while running"),
        (SetMode("adaptive"), "change its mode while running"),
        (SetWeight("pay", 2.0), "change its rewards while running"),
        (StartRecording(), "be recorded"),
    ],
)
def test_a_command_is_refused_that_needs_a_power_that_the_world_lacks(tmp_path, command, why):
    run = levers(tmp_path / "run", total_steps=3)
    run.trainer.loop.obey(command)
    (refused,) = run.of(CommandRefused)
    assert refused.reason == f"This world cannot {why}."


def test_with_powers_uses_what_a_world_has_and_stands_in_for_the_rest():
    class Saved(Levers):
        def save(self):
            return [b"colours"] * self.num_envs

        def load(self, states):
            return self.reset(range(self.num_envs))

    world = Saved(RunConfig(num_envs=3, workers=1))
    full: FullWorld = with_powers(world, world.reset([1, 2, 3]))
    assert isinstance(world, Saving)
    assert not isinstance(world, Inspection)
    assert full.save() == [b"colours"] * 3
    assert full.inspect() is None
    full.step(np.zeros(3, np.int64), shows=False)
    assert not full.mend().rewards.any()


def test_every_array_of_the_table_but_the_actions_is_a_field_of_a_batch():
    fields = {name for name in Batch.__dataclass_fields__ if name != "shaping"}
    others = {"summaries", "warnings", "reached", "goal_outcomes", "demos", "cells"}
    assert {spec.name for spec in SPECS if spec.role is not Role.ACTION} == fields - others
