import numpy as np
import pytest

from engine.agents.rollout import Rollout
from engine.types import Spaces

TAIL = 3 + 0.9 * 4


def rollout_of(rewards, values, boundaries=(), boundary_values=None) -> Rollout:
    rollout = Rollout(len(rewards), 1, Spaces(2, 9))
    rollout.rewards[:, 0] = rewards
    rollout.values[:, 0] = values
    for step in boundaries:
        rollout.boundaries[step, 0] = True
        rollout.boundary_values[step, 0] = (boundary_values or {}).get(step, 0.0)
    rollout.length = len(rewards)
    return rollout


def advantages(rollout: Rollout, last_value: float, gamma: float, lam: float) -> np.ndarray:
    return rollout.advantages(np.array([last_value], np.float32), gamma, lam)[:, 0]


@pytest.mark.parametrize(
    ("lam", "expected"),
    [
        (0.0, [1 + 0.9 * 0.25 - 0.5, 2 + 0.9 * 0.125 - 0.25, TAIL - 0.125]),
        (1.0, [1 + 0.9 * (2 + 0.9 * TAIL) - 0.5, 2 + 0.9 * TAIL - 0.25, TAIL - 0.125]),
    ],
    ids=["the one-step error", "the discounted return less the value"],
)
def test_gae_at_the_ends_of_lambda(lam, expected):
    rollout = rollout_of([1.0, 2.0, 3.0], [0.5, 0.25, 0.125])
    np.testing.assert_allclose(advantages(rollout, 4.0, 0.9, lam), expected, rtol=1e-6)


def test_gae_matches_the_closed_form_sum_of_errors():
    gamma, lam = 0.9, 0.8
    rollout = rollout_of([1.0, 0.0, -1.0, 2.0], [0.3, 0.1, 0.2, 0.4])
    values = [0.3, 0.1, 0.2, 0.4, 0.7]
    rewards = [1.0, 0.0, -1.0, 2.0]
    errors = [rewards[t] + gamma * values[t + 1] - values[t] for t in range(4)]
    expected = [sum((gamma * lam) ** (k - t) * errors[k] for k in range(t, 4)) for t in range(4)]
    np.testing.assert_allclose(advantages(rollout, 0.7, gamma, lam), expected, rtol=1e-5)


@pytest.mark.parametrize("last", [0.0, 2.0], ids=["terminated", "truncated"])
def test_advantages_do_not_flow_back_over_an_ended_episode(last):
    """A truncated one is worth its last state's value, and a cut leaves either as it is."""
    rollout = rollout_of([1.0, 100.0], [0.5, 0.0], boundaries=[0], boundary_values={0: last})
    rollout.length = 1
    rollout.truncate_trajectory(0, 3.0)
    rollout.length = 2
    assert advantages(rollout, 50.0, 0.9, 0.95)[0] == pytest.approx(1 + 0.9 * last - 0.5)


def test_a_cut_makes_the_last_step_a_bootstrapped_boundary():
    rollout = rollout_of([1.0, 1.0], [0.5, 0.5])
    rollout.length = 1
    rollout.truncate_trajectory(0, 3.0)
    rollout.length = 2
    assert advantages(rollout, 50.0, 0.9, 0.95)[0] == pytest.approx(1 + 0.9 * 3 - 0.5)


def test_a_cut_before_the_first_step_does_nothing():
    rollout = Rollout(4, 1, Spaces(2, 9))
    rollout.truncate_trajectory(0, 3.0)
    assert not rollout.boundaries.any()


def test_gae_by_hand_over_a_truncation_a_termination_and_the_rollouts_end():
    """gamma 0.5, lambda 0.5: what follows counts a quarter, but over a boundary nothing does.

    Step 1 is cut off where the state is worth 8; step 3 ends the game; the state after step 5 is
    worth 2.
    """
    rollout = rollout_of(
        rewards=[1.0, 2.0, 3.0, 4.0, 5.0, 6.0],
        values=[2.0, 4.0, 6.0, 8.0, 10.0, 12.0],
        boundaries=[1, 3],
        boundary_values={1: 8.0},
    )
    errors = [1 + 2 - 2, 2 + 4 - 4, 3 + 4 - 6, 4 + 0 - 8, 5 + 6 - 10, 6 + 1 - 12]
    assert errors == [1, 2, 1, -4, 1, -5]
    expected = [1 + 2 / 4, 2, 1 - 4 / 4, -4, 1 - 5 / 4, -5]
    np.testing.assert_allclose(advantages(rollout, 2.0, 0.5, 0.5), expected, rtol=1e-6)


def test_environments_do_not_mix():
    rollout = Rollout(2, 2, Spaces(1, 9))
    rollout.rewards[:] = [[1.0, 0.0], [0.0, 7.0]]
    rollout.boundaries[0, 0] = True
    rollout.length = 2
    result = rollout.advantages(np.zeros(2, np.float32), 1.0, 1.0)
    assert result.tolist() == [[1.0, 7.0], [0.0, 7.0]]


def test_a_step_after_a_boundary_is_a_start():
    rollout = rollout_of([0.0] * 4, [0.0] * 4, boundaries=[1, 3])
    assert rollout.starts[:, 0].tolist() == [False, False, True, False]


def test_without_pixels_and_memory_none_is_allocated():
    rollout = Rollout(128, 32, Spaces(903, 9))
    assert rollout.pixels.nbytes == rollout.memories.nbytes == 0
    seeing = Rollout(128, 32, Spaces(903, 9, (3, 72, 80)))
    assert seeing.pixels.nbytes == 128 * 32 * 3 * 72 * 80


def test_a_loaded_rollout_is_the_saved_one():
    rng, spaces = np.random.default_rng(0), Spaces(4, 9, (3, 72, 80))
    rollout = Rollout(3, 2, spaces, memory_size=5)
    rollout.length = 2
    for array in rollout.save().values():
        array[...] = rng.integers(0, 2, array.shape)
    other = Rollout(3, 2, spaces, memory_size=5)
    other.load(rollout.save())
    assert other.length == 2
    for name, array in rollout.save().items():
        np.testing.assert_array_equal(array, other.save()[name], name)
