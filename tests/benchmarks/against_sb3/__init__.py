"""Compare PPO and DQN with Stable-Baselines3's on small games, side by side in one run."""
