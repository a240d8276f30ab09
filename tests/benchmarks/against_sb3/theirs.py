"""Train Stable-Baselines3 with the same hyperparameters; the only module that imports it."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import gymnasium
import numpy as np
import stable_baselines3
from numpy.typing import NDArray
from stable_baselines3.common.base_class import BaseAlgorithm
from stable_baselines3.common.vec_env import DummyVecEnv

from engine.config import DQNConfig, PPOConfig
from tests.benchmarks.against_sb3.games import GAMES, Noted, Observations
from tests.benchmarks.against_sb3.runs import Case, Clock, Run

VERSION: str = stable_baselines3.__version__


def train(case: Case, seed: int) -> Run:
    """Train for the case's steps with the case's hyperparameters."""
    returns: list[float] = []

    def make() -> gymnasium.Env[Any, Any]:
        return Noted(GAMES[case.game](), returns)

    games = DummyVecEnv([make] * case.num_envs)
    model = _model(case, games, seed)
    clock = Clock()
    with clock.running():
        model.learn(case.steps)
    return Run(
        model.num_timesteps,
        clock,
        returns,
        partial(_choose, model, is_greedy=False),
        partial(_choose, model, is_greedy=True),
    )


def _choose(
    model: BaseAlgorithm, observations: Observations, *, is_greedy: bool
) -> NDArray[np.int64]:
    if is_greedy or isinstance(model, stable_baselines3.PPO):
        return model.predict(observations, deterministic=is_greedy)[0]
    # Theirs is random for all states at once or for none.
    rows = [model.predict(row, deterministic=False)[0] for row in observations]
    return np.array(rows, np.int64)


def _model(case: Case, games: DummyVecEnv, seed: int) -> BaseAlgorithm:
    config = case.config
    shared: dict[str, Any] = {
        "env": games,
        "gamma": config.gamma,
        "max_grad_norm": config.max_grad_norm,
        "seed": seed,
        "device": "cpu",
    }
    width = [config.hidden_size] * 2
    if isinstance(config, PPOConfig):
        falls = case.has_schedule
        return stable_baselines3.PPO(
            "MlpPolicy",
            learning_rate=_falling(config.learning_rate) if falls else config.learning_rate,
            clip_range=_falling(config.clip) if falls else config.clip,
            n_steps=config.rollout_steps,
            batch_size=config.minibatch_size,
            n_epochs=config.epochs,
            gae_lambda=config.gae_lambda,
            ent_coef=config.entropy,
            vf_coef=config.value_coefficient,
            policy_kwargs={"net_arch": {"pi": width, "vf": width}},
            **shared,
        )
    return stable_baselines3.DQN(
        "MlpPolicy",
        learning_rate=config.learning_rate,
        buffer_size=config.capacity,
        learning_starts=config.warmup_steps,
        batch_size=config.batch_size,
        train_freq=round(steps_between(config, config.gradient_steps) / case.num_envs),
        gradient_steps=config.gradient_steps,
        target_update_interval=round(steps_between(config, config.target_interval)),
        tau=config.target_share,
        exploration_fraction=config.epsilon_steps / case.steps,
        exploration_initial_eps=config.epsilon_start,
        exploration_final_eps=config.epsilon_end,
        policy_kwargs={"net_arch": width},
        **shared,
    )


def steps_between(config: DQNConfig, gradient_steps: int) -> float:
    """Return environment steps between as many gradient steps; theirs are counted in those."""
    return gradient_steps * config.batch_size / config.replay_ratio


def _falling(value: float) -> Callable[[float], float]:
    """Return a linear schedule down to 0, of the share of training that remains."""
    return lambda remaining: remaining * value
