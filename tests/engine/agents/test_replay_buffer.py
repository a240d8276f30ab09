import numpy as np
import pytest
from pydantic import ValidationError

from engine.agents.replay_buffer import PrioritizedReplayBuffer, SumTree
from engine.config import DQNConfig, RunConfig
from engine.env.observation.layout import layout_of
from engine.games.catalog import load_game
from engine.types import Action, Spaces

GAMMA = 0.5
SPACES = Spaces(2, len(Action))


def make_replay(
    rows: int = 16, num_envs: int = 1, num_steps: int = 3, **settings
) -> PrioritizedReplayBuffer:
    settings = {"gamma": GAMMA, "alpha": 1.0} | settings
    return PrioritizedReplayBuffer(
        rows * num_envs, num_envs, SPACES, DQNConfig(n_steps=num_steps, **settings)
    )


def live(
    replay: PrioritizedReplayBuffer, rewards, *, terminated=(), truncated=(), first: int = 0
) -> None:
    """Let every environment step through these rewards; its step t sees (t, environment)."""
    num_envs = replay._num_envs
    for step, reward in enumerate(rewards, first):
        mask = np.zeros((num_envs, len(Action)), np.bool_)
        mask[:, step % len(Action)] = True
        replay.append(
            features=np.array([[step, index] for index in range(num_envs)], np.float32),
            pixels=None,
            mask=mask,
            actions=np.full(num_envs, step % len(Action)),
            rewards=np.full(num_envs, reward, np.float32),
            terminated=np.full(num_envs, step in terminated),
            truncated=np.full(num_envs, step in truncated),
        )


def learnt(replay: PrioritizedReplayBuffer) -> dict[int, tuple[float, float, int]]:
    """Return of each step that can be drawn its return, discount and next step."""
    sample = replay.sample(400, 1.0, np.random.default_rng(0))
    assert len(set(sample.indices.tolist())) == replay.count
    columns = sample.features, sample.returns, sample.discounts, sample.next_features
    return {
        int(features[0]): (float(value), float(discount), int(following[0]))
        for features, value, discount, following in zip(*columns, strict=True)
    }


@pytest.fixture
def replay() -> PrioritizedReplayBuffer:
    return make_replay()


def test_the_tree_holds_sums_of_its_leaves():
    tree = SumTree(5)
    tree.set(np.arange(5), np.array([1.0, 2.0, 0.0, 4.0, 0.5]))
    assert tree.total == 7.5
    assert tree._nodes[1:8].tolist() == [7.5, 7.0, 0.5, 3.0, 4.0, 0.5, 0.0]
    tree.set(np.array([3, 0]), np.array([1.0, 0.0]))
    assert tree.total == 3.5
    assert tree.leaves.tolist() == [0.0, 2.0, 0.0, 1.0, 0.5]


def test_a_sum_falls_on_the_leaf_that_covers_it():
    tree = SumTree(5)
    tree.set(np.arange(5), np.array([1.0, 2.0, 0.0, 4.0, 0.5]))
    sums = np.array([0.0, 0.999, 1.0, 2.999, 3.0, 6.999, 7.0, 7.499])
    assert tree.find(sums).tolist() == [0, 0, 1, 1, 3, 3, 4, 4]
    single = SumTree(1)
    single.set(np.array([0]), 2.0)
    assert single.find(np.array([1.5])).tolist() == [0]


def test_no_leaf_of_priority_zero_is_found_whatever_is_rounded():
    rng = np.random.default_rng(1)
    tree = SumTree(1000)
    priorities = np.where(rng.random(1000) < 0.5, rng.random(1000) ** 9, 0.0)
    tree.set(np.arange(1000), priorities)
    sums = np.append(rng.random(20_000) * tree.total, np.nextafter(tree.total, 0))
    assert (priorities[tree.find(sums)] > 0).all()


def test_returns_sum_n_rewards_and_look_n_steps_ahead(replay):
    live(replay, [1, 2, 4, 8, 16])
    assert learnt(replay) == {
        0: (1 + 0.5 * 2 + 0.25 * 4, 0.125, 3),
        1: (2 + 0.5 * 4 + 0.25 * 8, 0.125, 4),
    }


def test_the_next_mask_is_that_of_the_state_looked_ahead_to(replay):
    live(replay, [1, 2, 4, 8, 16])
    sample = replay.sample(50, 1.0, np.random.default_rng(0))
    np.testing.assert_array_equal(sample.next_masks.argmax(1), sample.next_features[:, 0])
    assert (sample.next_masks.sum(1) == 1).all()


def test_no_return_is_bootstrapped_after_an_episode_end(replay):
    live(replay, [1, 2, 4, 8, 16, 32], terminated={3})
    found = learnt(replay)
    assert set(found) == {0, 1, 2, 3}
    assert found[0] == (3.0, 0.125, 3)
    assert found[1][:2] == (2 + 0.5 * 4 + 0.25 * 8, 0.0)
    assert found[2][:2] == (4 + 0.5 * 8, 0.0)
    assert found[3][:2] == (8.0, 0.0)


def test_a_window_ends_at_the_last_known_state_before_a_truncation(replay):
    live(replay, [1, 2, 4, 8, 16, 32], truncated={3})
    assert learnt(replay) == {
        0: (3.0, 0.125, 3),
        1: (2 + 0.5 * 4, 0.25, 3),
        2: (4.0, 0.5, 3),
    }


def test_an_episode_of_one_truncated_step_teaches_nothing(replay):
    live(replay, [1, 2, 4, 8], truncated={0, 1, 2, 3})
    assert replay.count == 0


def test_a_step_both_terminated_and_truncated_is_an_end(replay):
    live(replay, [1, 2], terminated={1}, truncated={1})
    assert {step: values[:2] for step, values in learnt(replay).items()} == {
        0: (2.0, 0.0),
        1: (2.0, 0.0),
    }


def test_no_window_crosses_a_cut(replay):
    live(replay, [1, 2, 4, 8])
    replay.truncate_trajectory(0)
    replay.truncate_trajectory(0)
    live(replay, [100, 200, 400, 800], first=4)
    assert learnt(replay) == {
        0: (3.0, 0.125, 3),
        1: (2 + 0.5 * 4, 0.25, 3),
        2: (4.0, 0.5, 3),
        4: (100 + 0.5 * 200 + 0.25 * 400, 0.125, 7),
    }


def test_a_cut_after_an_end_or_before_the_first_step_changes_nothing(replay):
    replay.truncate_trajectory(0)
    live(replay, [1, 2], terminated={1})
    replay.truncate_trajectory(0)
    assert learnt(replay)[1][:2] == (2.0, 0.0)


def test_a_cut_concerns_its_environment_only():
    replay = make_replay(num_envs=2)
    live(replay, [1, 2, 4])
    replay.truncate_trajectory(1)
    live(replay, [8], first=3)
    sample = replay.sample(100, 1.0, np.random.default_rng(0))
    drawn = {(int(s), int(e)) for s, e in sample.features}
    assert drawn == {(0, 0), (0, 1), (1, 1)}


def test_the_ring_forgets_the_oldest_and_never_mixes_them_with_the_newest():
    replay = make_replay(rows=6)
    live(replay, [0.0] * 20)
    assert {step: next_step for step, (_, _, next_step) in learnt(replay).items()} == {
        14: 17,
        15: 18,
        16: 19,
    }


def test_steps_are_drawn_in_proportion_to_their_priorities():
    replay = make_replay(num_steps=1)
    live(replay, [0.0] * 5)
    replay.prioritise(np.arange(4), np.array([1.0, 2.0, -3.0, 4.0], np.float32) - 1e-3)
    sample = replay.sample(10_000, 0.0, np.random.default_rng(0))
    counts = np.bincount(sample.indices, minlength=4) / 10_000
    priorities = np.abs(np.array([0.999, 1.999, -3.001, 3.999])) + 1e-3
    np.testing.assert_allclose(counts, priorities / priorities.sum(), atol=2e-4)


@pytest.mark.parametrize(
    ("alpha", "leaves"), [(0.5, [2.0, 4.0, 4.0, 0.0]), (0.0, [1.0, 1.0, 1.0, 0.0])]
)
def test_alpha_flattens_the_priorities(alpha, leaves):
    replay = make_replay(num_steps=1, alpha=alpha)
    live(replay, [0.0] * 3)
    replay.prioritise(np.arange(2), np.array([4.0, 16.0], np.float32) - 1e-3)
    live(replay, [0.0], first=3)
    np.testing.assert_allclose(replay._tree.leaves[:4], leaves, rtol=1e-6)


def test_the_count_is_that_of_the_steps_that_can_be_drawn():
    rng = np.random.default_rng(0)
    replay = make_replay(rows=6, num_envs=3)
    for step in range(60):
        ends = {"terminated": {step}} if rng.random() < 0.2 else {}
        live(replay, [0.0], first=step, **ends)
        if rng.random() < 0.3:
            replay.truncate_trajectory(int(rng.integers(3)))
        assert replay.count == np.count_nonzero(replay._tree.leaves)
    other = make_replay(rows=6, num_envs=3)
    other.load(replay.save())
    assert other.count == replay.count


@pytest.mark.parametrize("beta", [0.0, 0.4, 1.0])
def test_weights_undo_the_bias_of_the_drawing(beta):
    replay = make_replay(num_steps=1)
    live(replay, [0.0] * 4)
    replay.prioritise(np.arange(3), np.array([1.0, 1.0, 2.0], np.float32) - 1e-3)
    sample = replay.sample(64, beta, np.random.default_rng(0))
    chances = np.array([0.25, 0.25, 0.5])[sample.indices]
    expected = (3 * chances) ** -beta
    np.testing.assert_allclose(sample.weights, expected / expected.max(), rtol=1e-5)
    if beta == 1.0:
        assert set(np.round(sample.weights, 5)) == {1.0, 0.5}


def test_new_steps_have_the_highest_priority_so_far():
    replay = make_replay(num_steps=1)
    live(replay, [0.0] * 3)
    replay.prioritise(np.arange(2), np.array([7.0, 0.5], np.float32))
    live(replay, [0.0], first=3)
    assert replay._tree.leaves[2] == pytest.approx(7.001)


def test_features_are_kept_to_one_part_in_two_thousand():
    rng = np.random.default_rng(0)
    _, high = layout_of(load_game("")).bounds()
    features = rng.random((500, len(high)), np.float32) * high
    kept = features.astype(np.float16).astype(np.float32)
    assert (np.abs(kept - features) <= features / 2048 + 1e-7).all()
    exact = np.array([0.0, 1.0, 0.5, -1.0, 3.0], np.float32)
    np.testing.assert_array_equal(exact.astype(np.float16), exact)


def test_a_saved_replay_goes_on_alike_whether_full_or_not():
    for steps in (5, 40):
        replay, other = make_replay(num_envs=3), make_replay(num_envs=3)
        live(replay, np.arange(steps), terminated={3, 17}, truncated={25})
        replay.prioritise(np.array([1, 2]), np.array([5.0, 0.1], np.float32))
        other.load({name: array.copy() for name, array in replay.save().items()})
        for subject in (replay, other):
            live(subject, [1, 2, 3, 4, 5], first=steps)
        first = replay.sample(64, 0.7, np.random.default_rng(3))
        second = other.sample(64, 0.7, np.random.default_rng(3))
        for name in first.__slots__:
            np.testing.assert_array_equal(getattr(first, name), getattr(second, name))


def test_the_smallest_ring_holds_one_window_of_each_environment():
    replay = PrioritizedReplayBuffer(5 * 8, 8, SPACES, DQNConfig(n_steps=3, gamma=GAMMA, alpha=1.0))
    live(replay, [1.0] * 30)
    assert learnt(replay)[26] == (1.75, 0.125, 29)
    with pytest.raises(ValidationError, match=r"dqn\.capacity must be at least 40"):
        RunConfig(num_envs=8, dqn=DQNConfig(capacity=39, n_steps=3))
    with pytest.raises(ValidationError, match=r"dqn\.pixel_capacity must be at least 40"):
        RunConfig(num_envs=8, encoder="both", dqn=DQNConfig(pixel_capacity=39, n_steps=3))


def test_without_alpha_each_step_is_as_likely_as_any_other_and_what_waits_is_not_drawn():
    replay = make_replay(rows=8, num_envs=2, num_steps=3, alpha=0.0)
    live(replay, [1.0] * 11)
    drawable = set(np.flatnonzero(replay._tree.leaves).tolist())
    sample = replay.sample(20_000, 0.4, np.random.default_rng(0))
    indices, counts = np.unique(sample.indices, return_counts=True)
    assert set(indices.tolist()) == drawable
    assert 0 < len(drawable) < 16
    np.testing.assert_allclose(counts / 20_000, 1 / len(drawable), rtol=0.15)
    np.testing.assert_array_equal(sample.weights, 1.0)


def test_of_an_older_checkpoint_only_the_priors_may_be_missing():
    replay = PrioritizedReplayBuffer(12, 2, Spaces(1, 2), DQNConfig(n_steps=2))
    arrays = replay.save()
    arrays.pop("priors")
    replay.load(arrays)
    arrays.pop("actions")
    with pytest.raises(KeyError, match="actions"):
        replay.load(arrays)
