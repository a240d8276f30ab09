import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.agents.arbitration import ExactShares

ONE = np.ones(1, np.bool_)
PORTIONS = st.lists(st.integers(0, 20), min_size=1, max_size=6).filter(any)


def counts_after(shares: list[float], num_choices: int) -> np.ndarray:
    """Return (choices, sources) how often each source had been chosen."""
    deal = ExactShares(1, len(shares))
    chosen = [int(deal.choose(shares, ONE)[0]) for _ in range(num_choices)]
    return np.eye(len(shares), dtype=np.int64)[chosen].cumsum(0)


@pytest.mark.parametrize("shares", [(0.8, 0.2), (0.5, 0.5), (0.2, 0.8), (0.6, 0.3, 0.1)])
def test_shares_that_divide_are_exact_after_every_ten(shares):
    counts = counts_after(list(shares), 1000)
    np.testing.assert_array_equal(
        counts[9::10], np.outer(np.arange(10, 1001, 10), shares).round().astype(np.int64)
    )


@given(PORTIONS)
def test_exact_shares_are_never_off_by_a_whole_choice(portions):
    shares = (np.array(portions) / sum(portions)).tolist()
    counts = counts_after(shares, 120)
    due = np.outer(np.arange(1, 121), shares)
    assert np.abs(counts - due).max() < 1


@given(st.lists(PORTIONS.filter(lambda portions: len(portions) == 3), min_size=1, max_size=60))
def test_source_without_a_share_is_never_chosen(turns):
    deal = ExactShares(1, 3)
    for portions in turns:
        shares = (np.array(portions) / sum(portions)).tolist()
        assert shares[int(deal.choose(shares, ONE)[0])] > 0


def test_a_single_source_is_always_chosen():
    deal = ExactShares(2, 1)
    assert all(deal.choose((1.0,), np.array([True, True])).tolist() == [0, 0] for _ in range(9))


def test_rows_are_dealt_apart_and_others_stand_still():
    deal, alone = ExactShares(2, 2), ExactShares(1, 2)
    first = []
    for turn in range(60):
        rows = np.array([True, turn % 3 == 0])
        chosen = deal.choose((0.3, 0.7), rows)
        first.append(chosen[0])
        assert (chosen[1] == -1) == (turn % 3 != 0)
    assert first == [alone.choose((0.3, 0.7), ONE)[0] for _ in range(60)]


def test_credit_is_kept_over_a_change_of_shares():
    deal = ExactShares(1, 2)
    chosen = [deal.choose((0.9 - turn / 100, 0.1 + turn / 100), ONE)[0] == 1 for turn in range(80)]
    assert abs(sum(chosen) - sum(0.1 + turn / 100 for turn in range(80))) < 1


def test_saved_shares_go_on_alike():
    deal, other = ExactShares(3, 3), ExactShares(3, 3)
    everywhere = np.ones(3, np.bool_)
    for _ in range(7):
        deal.choose((0.5, 0.3, 0.2), everywhere)
    other.load(deal.save())
    for _ in range(20):
        first, second = (one.choose((0.5, 0.3, 0.2), everywhere) for one in (deal, other))
        assert first.tolist() == second.tolist()
