"""Agents take the number of actions and the size of pictures from what they are made for."""

import dataclasses

import numpy as np
import pytest

from engine.agents.base import Guidance, spaces_of
from engine.agents.dqn import DQN
from engine.agents.guided import GuidedPPO
from engine.agents.replay_buffer import PrioritizedReplayBuffer
from engine.agents.rules import RandomAgent, RulesAgent
from engine.config import DQNConfig, PPOConfig
from engine.env.batch import Batch
from engine.env.observation.pixels import FrameStack, pixels_shape
from engine.errors import CheckpointError, EnvironmentError
from engine.runs.checkpoint import Checkpoint
from engine.training.snapshot import package_version, refuse_other_versions
from engine.types import Spaces
from tests.engine.toy import blank_batch

ENVS = 2
PPO = PPOConfig(hidden_size=8, rollout_steps=8, minibatch_size=8, epochs=1)
DQN_ = DQNConfig(hidden_size=8, batch_size=8, warmup_steps=8, gradient_steps=1, capacity=64)
GUIDED = Guidance(planner_share=0.5, needed_confidence=1.0)


def random_batch(spaces: Spaces, rng: np.random.Generator) -> Batch:
    """Return states of which the last action is always possible, and any other at random."""
    features = rng.random((ENVS, spaces.feature_size), np.float32)
    mask = rng.random((ENVS, spaces.num_actions)) < 0.5
    mask[:, -1] = True
    sees = spaces.pixels_shape != (0,)
    pixels = rng.integers(0, 256, (ENVS, *spaces.pixels_shape), np.uint8) if sees else None
    return blank_batch(
        ENVS,
        features=features,
        mask=mask,
        prior=np.eye(spaces.num_actions, dtype=np.float32)[[0, -1]],
        advice_confidence=np.full(ENVS, 0.5, np.float32),
        rewards=rng.random(ENVS, np.float32),
        truncated=rng.random(ENVS) < 0.2,
        final_features=features,
        pixels=pixels,
        final_pixels=pixels,
    )


def live(agent, spaces: Spaces, steps: int) -> list[dict[str, float]]:
    """Let an agent act and learn; every action must be possible."""
    rng = np.random.default_rng(0)
    batch, figures = random_batch(spaces, rng), []
    for _ in range(steps):
        actions = agent.decide(batch, GUIDED).actions
        assert batch.mask[np.arange(ENVS), actions].all()
        batch = random_batch(spaces, rng)
        agent.observe(batch)
        if agent.is_update_due:
            figures.append(agent.update(batch))
    return figures


def make(kind: str, spaces: Spaces, encoder: str = "features"):
    if kind == "ppo":
        return GuidedPPO(PPO, ENVS, spaces, 0, encoder)
    config = DQN_.model_copy(update={"pixel_capacity": 64})
    return DQN(config, ENVS, spaces, 0, encoder)


@pytest.mark.parametrize("kind", ["ppo", "dqn"])
@pytest.mark.parametrize("num_actions", [4, 11])
def test_an_agent_learns_with_any_number_of_actions(kind, num_actions):
    spaces = Spaces(3, num_actions)
    agent = make(kind, spaces)
    figures = live(agent, spaces, 10)
    assert figures
    assert all(np.isfinite(value) for one in figures for value in one.values())
    again = make(kind, spaces)
    again.load(*agent.save())
    batch = random_batch(spaces, np.random.default_rng(5))
    assert (again.decide(batch, GUIDED).actions == agent.decide(batch, GUIDED).actions).all()


@pytest.mark.parametrize("kind", ["ppo", "dqn"])
def test_an_agent_sees_pictures_of_another_size(kind):
    spaces = Spaces(3, 5, pixels_shape((32, 48, 3)))
    agent = make(kind, spaces, "both")
    assert live(agent, spaces, 9)


@pytest.mark.parametrize("agent", [RandomAgent(0), RulesAgent(0)])
def test_agents_without_a_network_take_any_number_of_actions(agent):
    for num_actions in (4, 11):
        live(agent, Spaces(3, num_actions), 4)


@pytest.mark.parametrize("kind", ["ppo", "dqn"])
def test_a_checkpoint_of_another_number_of_actions_is_refused_in_one_line(kind):
    facts, arrays = make(kind, Spaces(3, 9)).save()
    other = make(kind, Spaces(3, 4))
    for version, said in (
        ("1", r"written by version 1 \(.*is 9 x 8, here 4 x 8"),
        (package_version(), r"does not fit the game and the settings here \(.*is 9 x 8, here 4"),
    ):
        with (
            pytest.raises(CheckpointError, match=said) as refused,
            refuse_other_versions(Checkpoint({"version": version}, arrays)),
        ):
            other.load(facts, arrays)
        assert "\n" not in refused.value.message


def test_an_emulators_refusal_of_a_checkpoint_keeps_its_remedy():
    with (
        pytest.raises(CheckpointError, match="from the core X") as refused,
        refuse_other_versions(Checkpoint({"version": "1"}, {})),
    ):
        raise EnvironmentError("It is from the core X.", "Name it with --core.")
    assert refused.value.hint == "Name it with --core."


def test_a_replay_keeps_actions_that_fill_no_byte():
    replay = PrioritizedReplayBuffer(
        16, 1, Spaces(1, 2025), DQNConfig(n_steps=1, gamma=0.5, alpha=0)
    )
    for action in (2024, 300, 7):
        replay.append(
            features=np.zeros((1, 1), np.float32),
            pixels=None,
            mask=np.ones((1, 2025), np.bool_),
            actions=np.array([action]),
            rewards=np.zeros(1, np.float32),
            terminated=np.zeros(1, np.bool_),
            truncated=np.zeros(1, np.bool_),
        )
    drawn = replay.sample(32, 1.0, np.random.default_rng(0))
    assert {*drawn.actions.tolist()} == {2024, 300}


def test_a_batch_tells_the_sizes():
    spaces = Spaces(3, 11, (3, 16, 24))
    batch = random_batch(spaces, np.random.default_rng(0))
    assert spaces_of(batch) == spaces
    assert spaces_of(dataclasses.replace(batch, pixels=None)) == Spaces(3, 11)


@pytest.mark.parametrize("shape", [(160, 240, 3), (33, 47, 3)])
def test_a_stack_of_frames_is_half_as_high_and_wide(shape):
    stack = FrameStack(shape)
    stack.begin(np.full(shape, 200, np.uint8))
    assert stack.pixels.shape == stack.shape == (3, shape[0] // 2, shape[1] // 2)
    assert (stack.pixels == 200).all()
