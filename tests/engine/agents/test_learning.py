"""The policy must beat a random one on the toy by a stated margin."""

import numpy as np
import pytest

from engine.agents.base import Guidance
from engine.agents.guided import GuidedPPO
from engine.agents.rules import RandomAgent, RulesAgent
from engine.config import PPOConfig, RunConfig
from tests.engine.toy import SPACES, ToyVector

ALONE = Guidance(planner_share=0.0, needed_confidence=0.9)
GUIDED = Guidance(planner_share=0.8, needed_confidence=0.9)
PPO = PPOConfig(rollout_steps=64, minibatch_size=128, learning_rate=1e-3, hidden_size=64)
CONFIG = RunConfig(num_envs=8, ppo=PPO)


def train(
    agent, steps: int, guidance: Guidance = ALONE, seed: int = 0, config: RunConfig = CONFIG
) -> list:
    """Return the summaries of the episodes, in order."""
    vector = ToyVector(config)
    batch = vector.reset([seed * 100 + index for index in range(8)])
    summaries = []
    for _ in range(steps):
        batch_before = batch
        batch = vector.step(agent.decide(batch_before, guidance).actions)
        agent.observe(batch)
        summaries += batch.summaries.values()
        if agent.is_update_due:
            agent.update(batch)
    return summaries


def mean_reward(summaries) -> float:
    return float(np.mean([summary.total_reward for summary in summaries]))


def test_ppo_halves_the_distance_from_random_to_perfect_and_more():
    random_reward = mean_reward(train(RandomAgent(0), 250))
    learnt = train(GuidedPPO(PPO, 8, SPACES, 0), 1100)[-100:]
    assert random_reward < 0.5
    assert mean_reward(learnt) > 0.9
    assert np.mean([summary.is_success for summary in learnt]) >= 0.98


@pytest.mark.slow
def test_ppo_learns_from_pixels_alone():
    config = CONFIG.model_copy(update={"encoder": "pixels"})
    impatient = PPO.model_copy(update={"gamma": 0.95})  # learns in few updates: they take seconds
    agent = GuidedPPO(impatient, 8, SPACES, 0, "pixels")
    learnt = train(agent, 320, config=config)[-40:]
    assert mean_reward(train(RandomAgent(0), 256)) < 0.5
    assert mean_reward(learnt) > 0.8


def test_the_planner_makes_the_untrained_policy_good_at_once():
    guided = train(GuidedPPO(PPO, 8, SPACES, 0), 60, GUIDED)
    alone = train(GuidedPPO(PPO, 8, SPACES, 0), 60, ALONE)
    assert mean_reward(guided) > 0.85 > mean_reward(alone)


def test_the_rules_agent_follows_the_advice_to_the_goal():
    summaries = train(RulesAgent(0), 100)
    assert all(summary.is_success and summary.length <= 10 for summary in summaries)
