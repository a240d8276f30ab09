"""The comparisons and their hyperparameters.

CartPole's are those of RL Baselines3 Zoo, tuned for Stable-Baselines3, but for fewer steps: DQN
explores over the first 16 % of them as there. Theirs is neither double nor duelling, and scales no
rewards, so ours does not either. Its DQN copies the target
network every 10 steps and learns every 256, so its target is as old as one round of learning.
"""

from engine.config import DQNConfig, PPOConfig
from tests.benchmarks.against_sb3.runs import Case

CASES = (
    Case(
        "PPO, CartPole-v1",
        "CartPole-v1",
        steps=50_000,
        num_envs=8,
        config=PPOConfig(
            rollout_steps=32,
            epochs=20,
            minibatch_size=256,
            learning_rate=1e-3,
            gamma=0.98,
            gae_lambda=0.8,
            entropy=0.0,
            hidden_size=64,
        ),
        has_schedule=True,
    ),
    Case(
        "DQN, CartPole-v1",
        "CartPole-v1",
        steps=20_000,
        num_envs=1,
        config=DQNConfig(
            capacity=100_000,
            warmup_steps=1_000,
            batch_size=64,
            replay_ratio=32,
            gradient_steps=128,
            learning_rate=2.3e-3,
            gamma=0.99,
            double=False,
            duelling=False,
            scale_rewards=False,
            n_steps=1,
            alpha=0.0,
            epsilon_end=0.04,
            epsilon_steps=3_200,
            target_interval=128,
            hidden_size=256,
        ),
    ),
    Case(
        "PPO, NutFall",
        "NutFall",
        steps=100_000,
        num_envs=8,
        config=PPOConfig(
            rollout_steps=64,
            epochs=6,
            minibatch_size=256,
            learning_rate=4e-4,
            gamma=0.95,
            gae_lambda=0.9,
            entropy=0.005,
            hidden_size=128,
        ),
    ),
    Case(
        "DQN, NutFall",
        "NutFall",
        steps=50_000,
        num_envs=8,
        config=DQNConfig(
            capacity=50_000,
            warmup_steps=2_000,
            batch_size=64,
            replay_ratio=16,
            gradient_steps=16,
            learning_rate=5e-4,
            gamma=0.97,
            double=False,
            duelling=False,
            scale_rewards=False,
            n_steps=1,
            alpha=0.0,
            epsilon_end=0.05,
            epsilon_steps=15_000,
            target_interval=256,
            hidden_size=128,
        ),
    ),
)
