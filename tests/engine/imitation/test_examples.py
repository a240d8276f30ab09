from dataclasses import replace

import numpy as np
import pytest

from engine.errors import ConfigurationError
from engine.imitation.examples import Examples, draw_weights, join, split
from engine.types import Action
from tests.engine.imitation.arrays import make_examples


def test_whole_episodes_are_kept_to_validate_the_same_for_a_seed():
    examples = make_examples(np.arange(300) % 4)
    learnt, kept = split(examples, 0.2, seed=0)
    assert set(learnt.episodes).isdisjoint(kept.episodes)
    assert len(set(kept.episodes)) == 6
    assert len(learnt) + len(kept) == 300
    kept = [set(split(examples, 0.3, seed)[1].episodes) for seed in (1, 1, 2)]
    assert kept[0] == kept[1] != kept[2]


@pytest.mark.parametrize(("actions", "share"), [([1] * 10, 0.5), ([1] * 100, 0.0)])
def test_split_of_a_single_episode_or_without_a_share_keeps_none(actions, share):
    learnt, kept = split(make_examples(actions), share, seed=0)
    assert (len(learnt), len(kept)) == (len(actions), 0)


def test_split_keeps_chosen_episodes_whatever_the_share():
    chosen = replace(make_examples(np.arange(100) % 4), validating=frozenset({3, 8}))
    other = make_examples(np.arange(20) % 4)
    for share in (0.01, 0.9):
        learnt, kept = split(join([other, chosen]), share, seed=0)
        assert set(kept.episodes) == {5, 10}
        assert len(learnt) + len(kept) == 120
    assert len(split(chosen, 0.0, seed=0)[1]) == 0
    assert Examples.load(chosen.save()).validating == {3, 8}
    assert chosen.digest() != replace(chosen, validating=frozenset()).digest()


def test_rare_actions_of_a_map_are_drawn_as_often_as_usual_ones_as_far_as_balance_says():
    actions = [Action.LEFT] * 90 + [Action.UP] * 10 + [Action.UP] * 50
    examples = make_examples(actions, maps=[0] * 100 + [1] * 50)
    weights = draw_weights(examples, balance=1.0)
    shares = [weights[:90].sum(), weights[90:100].sum(), weights[100:].sum()]
    assert np.allclose(shares, 50.0)  # of 150: three pairs of map and action
    assert np.allclose(draw_weights(examples, balance=0.0), 1.0)


def test_joined_examples_keep_their_episodes_apart_and_their_maps_by_name():
    one = make_examples([1, 2], maps=[0, 1], episodes=[0, 0], names=("TOWN", "ROUTE"))
    other = make_examples([3, 4], maps=[0, 1], episodes=[0, 7], names=("ROUTE", "GYM"))
    both = join([one, other])
    assert [both.map_names[place] for place in both.maps] == ["TOWN", "ROUTE", "ROUTE", "GYM"]
    assert list(both.episodes) == [0, 0, 1, 2]
    assert list(both.actions) == [1, 2, 3, 4]
    with pytest.raises(ConfigurationError, match=r"no demonstrations.* poketui record"):
        join([])


def test_examples_come_back_from_arrays_of_plain_numbers_and_other_steps_have_another_digest():
    examples = make_examples([1, 2, 3], maps=[0, 1, 1])
    saved = examples.save()
    assert all(array.dtype != object for array in saved.values())
    back = Examples.load(saved)
    assert (back.digest(), back.map_names) == (examples.digest(), examples.map_names)
    for other in (
        make_examples([1, 2, 4], maps=[0, 1, 1]),
        make_examples([1, 2, 3], maps=[0, 1, 1], names=("TOWN", "GYM")),
    ):
        assert other.digest() != examples.digest()
