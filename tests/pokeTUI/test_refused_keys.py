"""A key that does nothing says why, and says it once."""

from dataclasses import replace

import pytest

from engine.events import REPLAY
from pokeTUI.dashboard.state import DashboardState
from pokeTUI.draw.splits import GAME
from pokeTUI.input.keymap import QUIET_S, KeyTable, RefusedKeys
from tests.pokeTUI.conftest import comes_to_show, open_cockpit, press, screen_text
from tests.pokeTUI.fake_session import make_run, make_status

RUNNING = DashboardState(run=make_run(num_envs=1), status=make_status())


class Clock:
    now_s = 100.0

    def __call__(self) -> float:
        return self.now_s


@pytest.mark.parametrize(
    ("key", "words"),
    [
        ("B", "B: no saved state yet"),
        ("full_stop", ". (step): only while paused"),
        ("z", "z (A): only while you play"),
        ("left", "only while you play"),
        ("n", "n (game): there is only one game"),
        ("W", "no language model"),
        ("p", ""),
        ("question_mark", ""),
        ("f12", ""),
    ],
)
def test_the_reason_is_that_of_the_palette(key: str, words: str) -> None:
    why = RefusedKeys(KeyTable()).why(key, RUNNING, GAME)
    assert words in why
    assert bool(words) is bool(why)


def test_the_keys_of_another_pane_are_not_meant() -> None:
    keys = RefusedKeys(KeyTable())
    assert not keys.why("w", RUNNING, GAME)
    assert not keys.why("w", RUNNING, "rewards")


def test_the_same_is_not_said_again_at_once() -> None:
    clock = Clock()
    keys = RefusedKeys(KeyTable(), clock)
    assert keys.why("B", RUNNING, GAME)
    assert not keys.why("B", RUNNING, GAME)
    assert keys.why("z", RUNNING, GAME)
    assert keys.why("B", RUNNING, GAME)
    clock.now_s += QUIET_S
    assert keys.why("B", RUNNING, GAME)
    in_replay = replace(RUNNING, run=replace(make_run(), mode=REPLAY))
    assert "not available in a replay" in keys.why("B", in_replay, GAME)


async def test_refused_keys_is_shown_for_a_moment() -> None:
    async with open_cockpit(120, 40) as (pilot, session):
        sent = len(session.sent)
        await pilot.press("E")
        assert await comes_to_show(pilot, "no evaluation is running")
        assert len(session.sent) == sent


async def test_refused_keys_are_silent_beneath_another_screen() -> None:
    async with open_cockpit(120, 40) as (pilot, _):
        await press(pilot, "question_mark")
        await press(pilot, "E")
        assert "no evaluation is running" not in screen_text(pilot)
