import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.agents.base import ActionBatch
from engine.loop.metrics import DecisionShares
from engine.types import Source


def action_batch(planned: list[bool], source: Source = Source.POLICY) -> ActionBatch:
    size = len(planned)
    return ActionBatch(
        np.zeros(size, np.int64), np.zeros(size, np.float32), np.array(planned), source
    )


def test_decision_shares_are_empty_before_the_first_decision():
    assert DecisionShares().shares() == ()


def test_each_source_has_its_share():
    shares = DecisionShares()
    shares.add(action_batch([True, True, False, False]), np.array([True, False, True, False]))
    shares.add(action_batch([False, False], Source.RANDOM), np.array([True, True]))
    shares.add_human()
    shares.add_human()
    assert shares.shares() == (
        ("policy", 0.25),
        ("planner", 0.125),
        ("rules", 0.125),
        ("random", 0.25),
        ("human", 0.25),
    )


@given(st.lists(st.lists(st.sampled_from(["policy", "planner", "rules"]), min_size=1, max_size=9)))
def test_decision_shares_count_the_last_however_many_come_at_once(batches):
    shares = DecisionShares(most=7)
    for batch in batches:
        is_walking = np.array([source == "planner" for source in batch])
        shares.add(action_batch([source != "policy" for source in batch]), is_walking)
    last = [source for batch in batches for source in batch][-7:]
    told = dict(shares.shares())
    assert told == pytest.approx({source: last.count(source) / len(last) for source in set(last)})
