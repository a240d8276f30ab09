import numpy as np

from engine.agents.rollout import RewardScaler


def play(scaler: RewardScaler, factor: float, steps: int = 400) -> np.ndarray:
    rng = np.random.default_rng(0)
    ended = np.zeros(2, np.bool_)
    rewards = rng.normal(size=(steps, 2)).astype(np.float32) * factor
    return np.stack([scaler.scale(row, ended) for row in rewards])


def test_the_unit_of_the_rewards_does_not_matter():
    small, large = play(RewardScaler(2, 0.99), 0.1), play(RewardScaler(2, 0.99), 100.0)
    np.testing.assert_allclose(small[50:], large[50:], rtol=1e-3)


def test_a_loaded_scaler_goes_on_as_the_saved_one():
    scaler = RewardScaler(2, 0.99)
    play(scaler, 3.0)
    other = RewardScaler(2, 0.99)
    other.load(scaler.save())
    np.testing.assert_array_equal(play(scaler, 1.0), play(other, 1.0))
