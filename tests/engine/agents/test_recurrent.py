"""A policy that remembers: its memory begins anew with an episode, and learning sees it alike."""

import dataclasses

import numpy as np
import pytest
import torch

from engine.agents.base import Guidance
from engine.agents.guided import GuidedPPO
from engine.agents.networks import masked_log_probs
from engine.agents.ppo import Samples, sequences_of
from engine.config import PPOConfig, RunConfig
from engine.types import Action
from tests.engine import recall
from tests.engine.recall import RecallVector
from tests.engine.toy import FEATURE_SIZE, SPACES, ToyVector

ALONE = Guidance(planner_share=0.0, needed_confidence=0.9)
GUIDED = Guidance(planner_share=0.8, needed_confidence=0.9)
PPO = PPOConfig(
    rollout_steps=32, minibatch_size=32, hidden_size=16, recurrent=True, sequence_length=8
)
CUT_STEP, CUT_ENV = 13, 2


def filled_agent(guidance: Guidance = GUIDED):
    """Return an agent with a full rollout; ends of episodes and a cut lie within sequences."""
    vector = ToyVector(RunConfig(num_envs=4))
    batch = vector.reset([1, 2, 3, 4])
    agent = GuidedPPO(PPO, 4, SPACES, seed=0)
    for step in range(PPO.rollout_steps):
        batch = vector.step(agent.decide(batch, guidance).actions)
        agent.observe(batch)
        if step == CUT_STEP:
            agent.truncate_trajectory(CUT_ENV, batch)
            batch = vector.step_one(CUT_ENV, Action.A)
    return agent, vector, batch


def samples_of(agent: GuidedPPO) -> tuple[Samples, np.ndarray]:
    rollout = agent.ppo.rollout
    samples = Samples.from_rollout(rollout, rollout.rewards, rollout.values)
    return samples, sequences_of(*rollout.rewards.shape, PPO.sequence_length)


def judged(agent: GuidedPPO, batch: Samples, starts=None) -> tuple[torch.Tensor, torch.Tensor]:
    """Return the logits and values that the network has for samples."""
    starts = batch.starts if starts is None else starts
    with torch.no_grad():
        return agent.ppo.network(batch.features, batch.pixels, batch.memories, starts)[:2]


@pytest.mark.parametrize("guidance", [ALONE, GUIDED])
def test_the_ratio_is_one_before_the_first_update(guidance):
    """What sequences recompute is what was stored step by step, over ends, a cut and the bias."""
    agent, _, _ = filled_agent(guidance)
    boundaries = agent.ppo.rollout.boundaries
    assert boundaries[CUT_STEP, CUT_ENV]
    assert boundaries[:-1][np.arange(31) % 8 != 7].sum() > 1
    assert (agent.ppo.rollout.biases > 0).any() == (guidance is GUIDED)
    samples, sequences = samples_of(agent)
    order = np.random.default_rng(0).permutation(len(sequences))
    for rows in np.array_split(order, 3):
        batch = samples.take(sequences[rows])
        logits, values = judged(agent, batch)
        log_probs = masked_log_probs(logits, batch.masks, batch.biases)
        chosen = log_probs.gather(1, batch.actions[:, None]).squeeze(1)
        np.testing.assert_allclose((chosen - batch.log_probs).exp(), 1.0, rtol=1e-5)
        np.testing.assert_allclose(values, batch.returns, atol=1e-5)  # the stored values


def test_without_the_starts_the_ratio_would_be_wrong():
    agent, _, _ = filled_agent()
    samples, sequences = samples_of(agent)
    batch = samples.take(sequences)
    _, values = judged(agent, batch, torch.zeros_like(batch.starts))
    assert (values - batch.returns).abs().max() > 1e-3


def test_sequences_are_steps_of_one_environment_in_order():
    sequences = sequences_of(6, 2, 3)
    assert sequences.tolist() == [[0, 2, 4], [1, 3, 5], [6, 8, 10], [7, 9, 11]]
    assert sequences_of(2, 2, 1).tolist() == [[0], [1], [2], [3]]


def test_memory_is_blank_after_an_episode_end_or_truncation():
    agent, _, _ = filled_agent()
    rollout = agent.ppo.rollout
    assert not rollout.memories[0].any()
    after = rollout.boundaries[:-1]
    assert not rollout.memories[1:][after].any()
    assert rollout.memories[1:][~after].any(-1).all()


def test_the_gradient_ends_where_a_sequence_or_an_episode_begins():
    """Truncated: what came before a sequence, or before an episode in it, is data."""
    agent, _, _ = filled_agent()
    network = agent.ppo.network
    features = torch.rand((4, FEATURE_SIZE), requires_grad=True)
    starts = torch.tensor([False, False, True, False])
    _, values, _ = network(features, None, torch.zeros((1, network.memory_size)), starts)
    values[3].backward()
    assert features.grad.abs().sum(1).gt(0).tolist() == [False, False, True, True]
    samples, sequences = samples_of(agent)
    assert not samples.take(sequences).memories.requires_grad


def test_a_truncated_episode_is_judged_with_what_was_remembered_in_it():
    agent, vector, batch = filled_agent()
    agent.update(batch)
    action_batch = agent.decide(batch, ALONE)
    memory = agent._acted.evaluation.memory
    after = vector.step(action_batch.actions)
    truncated = np.array([True, False, False, False])
    final = np.ones((4, FEATURE_SIZE), np.float32)
    after = dataclasses.replace(
        after, truncated=truncated, terminated=np.zeros(4, np.bool_), final_features=final
    )
    agent.observe(after)
    expected = agent.ppo.evaluate(final[:1], None, memory[:1]).values[0]
    forgetful = agent.ppo.evaluate(final[:1], None, 0 * memory[:1]).values[0]
    assert agent.ppo.rollout.boundary_values[0, 0] == pytest.approx(expected, abs=1e-6)
    assert abs(expected - forgetful) > 1e-3
    assert not agent.ppo.memory[0].any()
    assert agent.ppo.memory[1].any()


def test_a_player_forgets_at_the_end_of_an_episode_and_leaves_training_alone():
    agent, _, batch = filled_agent(ALONE)
    before = agent.ppo.memory.copy()
    played = []
    for _ in range(2):
        player = agent.player(seed=5)
        first = player(batch, ALONE)
        player(batch, ALONE)
        ended = dataclasses.replace(batch, truncated=np.ones(4, np.bool_))
        played.append((first.confidences, player(ended, ALONE).confidences))
    np.testing.assert_array_equal(played[0], played[1])
    np.testing.assert_array_equal(*played[0])
    np.testing.assert_array_equal(agent.ppo.memory, before)


def test_sequences_must_fill_the_rollout():
    with pytest.raises(ValueError, match="sequence_length must divide rollout_steps"):
        PPOConfig(rollout_steps=20, recurrent=True, sequence_length=8)
    assert PPOConfig(rollout_steps=20, sequence_length=8).rollout_steps == 20


def success(*, recurrent: bool, seed: int) -> float:
    """Return the share of the last quarter's episodes that were won."""
    config = PPOConfig(
        rollout_steps=64,
        minibatch_size=256,
        hidden_size=32,
        learning_rate=3e-3,
        gamma=0.95,
        recurrent=recurrent,
        sequence_length=8,
    )
    vector = RecallVector(16, seed)
    batch = vector.reset()
    agent = GuidedPPO(config, 16, recall.SPACES, seed)
    won = []
    for _ in range(45 * config.rollout_steps):
        batch = vector.step(agent.decide(batch, ALONE).actions)
        agent.observe(batch)
        won += [summary.is_success for summary in batch.summaries.values()]
        if agent.is_update_due:
            agent.update(batch)
    return float(np.mean(won[-len(won) // 4 :]))


@pytest.mark.slow
@pytest.mark.parametrize("seed", [0, 1])
def test_only_a_policy_that_remembers_wins_where_memory_is_needed(seed):
    assert success(recurrent=True, seed=seed) > 0.9
    assert success(recurrent=False, seed=seed) < 0.6
