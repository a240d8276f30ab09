"""Train our agents on plain Gymnasium environments, through nothing but the `Agent` protocol."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import gymnasium
import numpy as np
import torch
from numpy.typing import NDArray

from engine.agents.base import Agent, Guidance
from engine.agents.dqn import DQN
from engine.agents.guided import GuidedPPO
from engine.config import DQNConfig, PPOConfig
from engine.env.batch import Batch
from engine.types import Action, Spaces
from tests.benchmarks.against_sb3.games import GAMES, Noted, Observations, Policy
from tests.benchmarks.against_sb3.runs import Case, Clock, Run

ALONE = Guidance(planner_share=0.0, needed_confidence=0.0)


def batch_of(
    features: Observations,
    num_actions: int,
    *,
    rewards: NDArray[np.float32] | None = None,
    terminated: NDArray[np.bool_] | None = None,
    truncated: NDArray[np.bool_] | None = None,
    final_features: Observations | None = None,
) -> Batch:
    """Put observations the way agents get them: no advice, and no action that the game lacks."""
    count = len(features)
    mask = np.zeros((count, len(Action)), np.bool_)
    mask[:, :num_actions] = True
    nobody = np.zeros(count, np.bool_)
    return Batch(
        features=features,
        mask=mask,
        prior=np.zeros((count, len(Action)), np.float32),
        advice_confidence=np.zeros(count, np.float32),
        rewards=np.zeros(count, np.float32) if rewards is None else rewards,
        terminated=nobody if terminated is None else terminated,
        truncated=nobody if truncated is None else truncated,
        final_features=np.zeros_like(features) if final_features is None else final_features,
    )


class Plain:
    """Step Gymnasium environments one after the other, in this process.

    Args:
        envs: The same game, with a flat observation and discrete actions.
    """

    def __init__(self, envs: Sequence[gymnasium.Env[Any, Any]]) -> None:
        self._envs = envs
        self.num_actions = int(envs[0].action_space.n)  # type: ignore[attr-defined]
        self.feature_size = int(envs[0].observation_space.shape[0])  # type: ignore[index]
        self._shape = (len(envs), self.feature_size)

    def reset(self, seed: int) -> Batch:
        """Begin anew; environment i with `seed` + i."""
        features = np.zeros(self._shape, np.float32)
        for index, env in enumerate(self._envs):
            features[index] = env.reset(seed=seed + index)[0]
        return batch_of(features, self.num_actions)

    def step(self, actions: NDArray[np.int64], *, shows: bool = True) -> Batch:
        """Act in each; where an episode ended, the observation is that of the next one."""
        count = len(self._envs)
        features, final = np.zeros((2, *self._shape), np.float32)
        rewards = np.zeros(count, np.float32)
        terminated, truncated = np.zeros((2, count), np.bool_)
        for index, (env, action) in enumerate(zip(self._envs, actions.tolist(), strict=True)):
            features[index], rewards[index], is_over, is_cut, _ = env.step(action)
            if is_over or is_cut:
                terminated[index], truncated[index] = is_over, is_cut
                final[index] = features[index]
                features[index] = env.reset()[0]
        return batch_of(
            features,
            self.num_actions,
            rewards=rewards,
            terminated=terminated,
            truncated=truncated,
            final_features=final,
        )


def train(case: Case, seed: int, config: PPOConfig | DQNConfig | None = None) -> Run:
    """Train for the case's steps, by default with the case's hyperparameters."""
    returns: list[float] = []
    games = Plain([Noted(GAMES[case.game](), returns) for _ in range(case.num_envs)])
    agent = make_agent(
        config or case.config, case.num_envs, Spaces(games.feature_size, len(Action)), seed
    )
    batch = games.reset(seed)
    clock = Clock()
    with clock.running():
        taken = 0
        while taken < case.steps:
            batch = games.step(agent.decide(batch, ALONE).actions)
            agent.observe(batch)
            taken += case.num_envs
            if agent.is_update_due:
                agent.update(batch)
    return Run(taken, clock, returns, acting(agent, games, seed), greedy(agent, games))


def make_agent(
    config: PPOConfig | DQNConfig, num_envs: int, spaces: Spaces, seed: int
) -> GuidedPPO | DQN:
    if isinstance(config, DQNConfig):
        return DQN(config, num_envs, spaces, seed)
    return GuidedPPO(config, num_envs, spaces, seed)


def acting(agent: Agent, games: Plain, seed: int) -> Policy:
    player = agent.player(seed)

    def choose(features: Observations) -> NDArray[np.int64]:
        return player(batch_of(features, games.num_actions), ALONE).actions

    return choose


def greedy(agent: GuidedPPO | DQN, games: Plain) -> Policy:
    def choose(features: Observations) -> NDArray[np.int64]:
        if isinstance(agent, DQN):
            values = agent.evaluate(batch_of(features, games.num_actions))
        else:
            memory = agent.ppo.blank_memory(len(features))
            values = agent.ppo.evaluate(features, None, memory).logits
        return torch.argmax(values[:, : games.num_actions], 1).numpy()

    return choose
