import numpy as np
import pytest

from engine.agents.arbitration import Takeovers
from engine.config import TakeoverConfig

N = 3
SURE, UNSURE = np.full(N, 0.9, np.float32), np.zeros(N, np.float32)
ADVISED = np.ones(N, np.bool_)
ALWAYS = TakeoverConfig(share=1.0)


def lead(takeovers: Takeovers, steps: int, share: float, c_planner=SURE, c_policy=UNSURE):
    """Return (steps, envs) how many decisions the planner had left."""
    return np.stack([takeovers.next(share, c_planner, c_policy, ADVISED) for _ in range(steps)])


def test_a_takeover_lasts_its_length():
    led = lead(Takeovers(ALWAYS, N), 8, share=1.0)
    assert led[:, 0].tolist() == [8, 7, 6, 5, 4, 3, 2, 1]


def test_the_planner_takes_over_only_where_it_is_surer_by_the_margin():
    """0.5 * 0.6 = 0.3 against 0.5 * c_policy + 0.1."""
    takeovers = Takeovers(TakeoverConfig(length=1, share=1.0), N)
    c_policy = np.array([0.0, 0.39, 0.41], np.float32)
    led = lead(takeovers, 100, 0.5, np.full(N, 0.6, np.float32), c_policy)
    assert (led > 0).sum(0).tolist() == [50, 50, 0]


def test_blocks_are_dealt_out_as_exactly_as_the_share_says():
    led = lead(Takeovers(ALWAYS, N), 8 * 100, share=0.8)
    assert (led > 0).sum(0).tolist() == [640] * N
    starts = led.reshape(100, 8, N)[:, 0] > 0
    due = 0.8 * np.arange(1, 101)
    assert (np.abs(starts.cumsum(0) - due[:, None]) < 1).all()


@pytest.mark.parametrize(
    ("config", "share", "steps", "led"),
    [
        (TakeoverConfig(share=0.25), 0.8, 8 * 100, 160),
        (ALWAYS, 0.1, 100, 0),  # 0.1 * 0.9 does not exceed the margin
        (TakeoverConfig(length=0, share=1.0), 1.0, 50, 0),
    ],
    ids=["the configured part of the share", "a low share", "length zero"],
)
def test_takeover_takes_no_more_than_its_settings_and_the_share_say(config, share, steps, led):
    assert (lead(Takeovers(config, N), steps, share) > 0).sum(0).tolist() == [led] * N


def test_takeover_goes_on_where_the_policy_becomes_sure_meanwhile():
    takeovers = Takeovers(ALWAYS, N)
    lead(takeovers, 3, 1.0)
    certain = np.ones(N, np.float32)
    assert lead(takeovers, 5, 0.5, c_policy=certain)[:, 0].tolist() == [5, 4, 3, 2, 1]
    assert not lead(takeovers, 3, 0.5, c_policy=certain).any()


def test_takeover_ends_without_advice_and_begins_again_with_it():
    takeovers = Takeovers(ALWAYS, N)
    lead(takeovers, 3, 1.0)
    is_advised = np.array([True, False, True])
    assert takeovers.next(1.0, SURE, UNSURE, is_advised).tolist() == [5, 0, 5]
    assert takeovers.next(1.0, SURE, UNSURE, ADVISED).tolist() == [4, 8, 4]


def test_takeover_ends_where_the_episode_does():
    takeovers = Takeovers(ALWAYS, N)
    lead(takeovers, 3, 1.0)
    takeovers.end(np.array([True, False, False]))
    takeovers.end(1)
    assert lead(takeovers, 1, 1.0)[0].tolist() == [8, 8, 5]


def test_saved_takeovers_go_on_alike():
    takeovers, other = Takeovers(ALWAYS, N), Takeovers(ALWAYS, N)
    lead(takeovers, 13, 0.7)
    takeovers.end(0)
    other.load(takeovers.save())
    np.testing.assert_array_equal(lead(takeovers, 60, 0.7), lead(other, 60, 0.7))
