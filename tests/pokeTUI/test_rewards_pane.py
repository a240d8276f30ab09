from dataclasses import replace

import pytest
from textual.widgets import Input

from engine.commands import SetWeight
from engine.events import PayoutMade
from pokeTUI.dashboard.state import DashboardState, fold
from pokeTUI.panes.rewards import RewardsPane
from tests.pokeTUI.fake_session import COMPONENTS
from tests.pokeTUI.long_run import long_run, weights
from tests.pokeTUI.pane_app import Size, open_pane, texts
from tests.pokeTUI.says import assert_has

SIZES = ((22, 5), (38, 20), (54, 12), (74, 16), (118, 30), (198, 56))
STATE = long_run()


def shown(state: DashboardState, size: Size, *actions: str) -> list[str]:
    pane = RewardsPane()
    pane.show(state)
    for name in actions:
        pane.act(name)
    return texts(pane, state, size)


def row_of(lines: list[str], name: str) -> str:
    return next(line for line in lines if line.lstrip(" ▸").split(" ")[0].rstrip("*") == name)


def recent(lines: list[str]) -> list[str]:
    """Return the heading of the last payouts and what is below it."""
    (at,) = [index for index, line in enumerate(lines) if "recent rewards" in line]
    return lines[at:]


@pytest.mark.parametrize("size", SIZES)
def test_every_size_is_filled_without_overflow(size: Size) -> None:
    lines = shown(STATE, size)
    assert len(lines) > min(size[1], 12) - 1
    assert any("▸" in line for line in lines)


def test_rewards_pane_says_that_nothing_is_paid_yet() -> None:
    assert "No rewards yet." in " ".join(shown(DashboardState(), (38, 20)))


@pytest.mark.parametrize("size", SIZES[1:])
def test_a_row_has_step_episode_and_mean(size: Size) -> None:
    assert_has(row_of(shown(STATE, size), "exploration"), "+0.02", "+6.42", "+7.90")


def test_the_sum_is_that_of_all_components_even_if_some_are_out_of_sight() -> None:
    (line,) = [line for line in shown(STATE, (54, 6)) if "sum" in line]
    assert_has(line, "+26.42", "6 more")


def test_the_choice_scrolls_a_table_that_is_too_long() -> None:
    lines = shown(STATE, (54, 6), *["down"] * (len(COMPONENTS) - 1))
    assert lines[-2].startswith("▸step")


def test_order_by_size_puts_the_largest_first_whatever_its_sign() -> None:
    lines = shown(STATE, (54, 12), "order")
    names = [line[1:].split()[0] for line in lines[1:11]]
    assert names[:3] == ["milestone", "exploration", "battle"]
    assert names[-1] in ("badge", "heal")


def test_a_changed_weight_is_marked_and_one_of_zero_is_off() -> None:
    state = fold(STATE, weights(map=2.0, stuck=0.0))
    lines = shown(state, (74, 16))
    assert "2*" in row_of(lines, "map")
    assert "off*" in row_of(lines, "stuck")
    assert "*" not in row_of(lines, "level")
    assert any("changed by you" in line for line in lines)
    assert "map*" in "".join(shown(state, (38, 20)))


def test_weights_that_nobody_told_have_no_column() -> None:
    state = replace(STATE, steering=None)
    assert "×" not in shown(state, (74, 16))[0]


def test_sparklines_show_the_episodes_and_dots_where_there_are_none_yet() -> None:
    assert any(mark in row_of(shown(STATE, (74, 16)), "milestone") for mark in "▃▄▅▆")
    fresh = replace(STATE, history=DashboardState().history)
    assert "·····" in row_of(shown(fresh, (74, 16)), "milestone")


def test_the_last_payouts_come_with_step_and_cause_newest_first() -> None:
    _, last, before, *_ = recent(shown(STATE, (38, 24)))
    assert_has(last, "575", "first visit to map 575")
    assert "550" in before


@pytest.mark.parametrize("width", [38, 74])
def test_where_no_cause_is_known_the_component_is_said_once(width: int) -> None:
    lines = shown(fold(STATE, PayoutMade(580, "battle", 1.5, "")), (width, 28))
    assert recent(lines)[1].split() == ["580", "+1.50", "battle"]


def test_older_payouts_are_scrolled_to() -> None:
    heading, last, *_ = recent(shown(STATE, (38, 24), "older"))
    assert "from number 6" in heading
    assert "450" in last


async def test_a_weight_is_asked_for_and_sent() -> None:
    async with open_pane(RewardsPane(), STATE, (74, 20)) as (pilot, app):
        app.pane.act("down")
        app.pane.act("weight")
        await pilot.pause()
        field = app.screen.query_one(Input)
        assert field.value == "1"
        for wrong in ("much", "nan", "inf"):
            field.value = wrong
            await pilot.press("enter")
            assert app.wanted == []
        field.value = "2.5"
        await pilot.press("enter")
        await pilot.pause()
        assert app.wanted == [SetWeight("badge", 2.5)]


@pytest.mark.parametrize(
    ("before", "sent"),
    [(3.0, [0.0, 3.0]), (0.0, [1.0])],
    ids=["back to what it was", "muted by another: to its first weight"],
)
async def test_mute_is_weight_zero_and_back(before: float, sent: list[float]) -> None:
    state = fold(STATE, weights(milestone=before))
    async with open_pane(RewardsPane(), state, (74, 20)) as (pilot, app):
        if before:
            app.pane.act("mute")
            app.pane.show(fold(state, weights(milestone=0.0)))
        app.pane.act("mute")
        await pilot.pause()
        assert app.wanted == [SetWeight("milestone", weight) for weight in sent]


async def test_the_mouse_chooses_a_row_and_a_click_on_the_heading_orders() -> None:
    async with open_pane(RewardsPane(), STATE, (74, 16)) as (pilot, app):
        await pilot.click(app.pane, offset=(5, 5))
        await pilot.pause()
        assert app.pane._lines[4].text.startswith("▸map")
        await pilot.click(app.pane, offset=(5, 1))
        await pilot.pause()
        assert "by size" in app.pane._lines[0].text
