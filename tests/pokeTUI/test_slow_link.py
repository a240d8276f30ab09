"""The cockpit over 100 KB/s, in a real pseudo-terminal; `slow_link` itself measures times."""

import pytest

from tests.benchmarks.cockpit.keys import drive

pytestmark = pytest.mark.slow

FULL_QUEUE = 30
"""At so many waiting texts Textual's event loop stands still."""
SEEN_WITHIN = 40_000
"""Bytes that 400 ms carry."""


def test_keys_are_seen_before_much_else_arrives_and_nothing_piles_up() -> None:
    found = drive(100_000, (120, 40), presses=4)
    assert sorted(found.key_bytes)[1] < SEEN_WITHIN
    assert found.inside.longest_queue < FULL_QUEUE / 2
    assert found.inside.rtt_s is not None


def test_a_terminal_that_never_answers_is_drawn_on_all_the_same() -> None:
    found = drive(3_000_000, (80, 24), presses=2, is_gated=False)
    assert len(found.key_s) == 2
    assert found.inside.rtt_s is None
