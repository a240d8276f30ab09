"""The input display: which buttons are pressed, by whom, and where it stands."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from engine.events import ButtonsHeld, DecisionMade
from engine.types import GAME_BOY_ACTIONS, Action, ActionSet, Decision, GameAction, Source
from pokeTUI.dashboard.state import DashboardState
from pokeTUI.panes.game import GamePane
from pokeTUI.panes.inputs import PAD_ROWS, InputDisplay
from pokeTUI.preferences import PreferenceFile
from tests.pokeTUI.conftest import open_cockpit, post, press, screen_text, settle
from tests.pokeTUI.fake_session import make_run, make_status
from tests.pokeTUI.pane_app import Size, fold_all
from tests.pokeTUI.test_other_games import ADVANCE, COMPASS


def decided(action: int, source: Source) -> DecisionMade:
    return DecisionMade(1, Decision(action, source, 1.0, ""))


def drawn(state: DashboardState, width: int, height: int) -> list[str]:
    """Return the rows of the display; each has its place in it."""
    display = InputDisplay(id="inputs")
    display.show(state)
    lines = display.draw(width, height)
    assert len(lines) <= height
    assert all(line.width == width for line in lines)
    return [line.text.rstrip() for line in lines]


def playing(actions: ActionSet, *events: Any) -> DashboardState:
    return fold_all([replace(make_run(), actions=actions), *events])


def test_a_pressed_button_has_the_mark_of_who_presses_it() -> None:
    (agent,) = drawn(playing(GAME_BOY_ACTIONS, decided(Action.B, Source.PLANNER)), 60, 1)
    (person,) = drawn(playing(GAME_BOY_ACTIONS, decided(Action.B, Source.HUMAN)), 60, 1)
    assert agent.split() == ["◆", "planner", "↑", "↓", "←", "→", "A", "◆B", "START", "SELECT"]
    assert person.split() == ["▲", "human", "↑", "↓", "←", "→", "A", "▲B", "START", "SELECT"]
    assert agent.index("B") == person.index("B")  # nothing moves


def test_in_real_time_all_held_buttons_are_lit_and_none_after() -> None:
    live = make_status(is_human=True, is_live=True)
    held = ButtonsHeld(frozenset({Action.UP, Action.A}))
    before = decided(Action.DOWN, Source.POLICY)
    state = playing(GAME_BOY_ACTIONS, before, live, held)
    assert drawn(state, 40, 1)[0].split() == ["▲↑", "↓", "←", "→", "▲A", "B", "START", "SELECT"]
    state = fold_all([ButtonsHeld(frozenset())], state)
    assert "▲" not in drawn(state, 40, 1)[0]


def test_waiting_lights_no_button() -> None:
    state = playing(GAME_BOY_ACTIONS, decided(Action.NOOP, Source.POLICY))
    assert "●" not in drawn(state, 40, 1)[0]


def test_three_rows_have_a_cross_of_directions() -> None:
    state = playing(GAME_BOY_ACTIONS, decided(Action.LEFT, Source.RULES))
    top, middle, bottom = drawn(state, 40, PAD_ROWS)
    assert (top.split(), bottom.split()) == (["↑", "■", "rules"], ["↓"])
    assert middle.split() == ["■←", "→", "A", "B", "START", "SELECT"]
    assert top.index("↑") == bottom.index("↓") == (middle.index("←") + middle.index("→")) // 2


def test_upright_no_button_is_wider_than_the_display_asks_for() -> None:
    display = InputDisplay(id="inputs")
    assert display.upright_size == (len("▲SELECT"), 8)
    lines = drawn(playing(GAME_BOY_ACTIONS, decided(Action.SELECT, Source.HUMAN)), 7, 20)
    assert [line.strip() for line in lines if line][-4:] == ["A", "B", "START", "▲SELECT"]


def test_other_games_show_their_own_buttons() -> None:
    (row,) = drawn(playing(ADVANCE, decided(10, Source.POLICY)), 60, 1)
    assert row.split()[-2:] == ["L", "●R"]
    (row,) = drawn(playing(COMPASS, decided(3, Source.POLICY)), 60, 1)
    assert row.split() == ["●", "policy", "↑", "↓", "●←", "→"]


@pytest.mark.parametrize("size", [(40, 1), (40, PAD_ROWS), (7, 20)])
def test_a_game_of_directions_alone_or_of_nothing_is_drawn(size: Size) -> None:
    assert "●←" in "".join(drawn(playing(COMPASS, decided(3, Source.POLICY)), *size))
    nothing = ActionSet((GameAction("WAIT", button=Action.NOOP),))
    assert "←" not in "".join(drawn(playing(nothing, decided(0, Source.POLICY)), *size))


def test_where_not_all_buttons_fit_those_pressed_are_named() -> None:
    (row,) = drawn(playing(ADVANCE, decided(Action.SELECT, Source.POLICY)), 24, 1)
    assert row.split() == ["●", "policy", "●SELECT"]


@pytest.mark.parametrize("size", [(80, 24), (120, 40), (200, 60), (240, 78)])
async def test_by_itself_the_display_takes_nothing_from_the_picture(size: Size) -> None:
    async with open_cockpit(*size) as (pilot, _):
        game = pilot.app.query_one(GamePane)
        view = pilot.app.query_one("#game_view")
        shown = pilot.app.query_one(InputDisplay)
        assert shown.display is (size != (80, 24))
        with_it = view.size
        game.show_inputs("off")
        await settle(pilot)
        assert not shown.display
        assert view.size == with_it


async def test_the_display_stands_where_another_games_buttons_fit() -> None:
    async with open_cockpit(120, 40) as (pilot, session):
        display = pilot.app.query_one(InputDisplay)
        assert (display.display, display.size.width) == (True, display.upright_size[0])
        long = ActionSet((GameAction("A LONG NAME"), *GAME_BOY_ACTIONS.actions))
        await post(pilot, session, replace(make_run(), actions=long))
        assert not display.display


async def test_the_key_shows_the_display_anywhere_and_is_remembered(config_dir: Path) -> None:
    async with open_cockpit(80, 24) as (pilot, _):
        view = pilot.app.query_one("#game_view")
        before = view.size.height
        assert "SELECT" not in screen_text(pilot)
        await press(pilot, "i")
        assert "SELECT" in screen_text(pilot)
        assert view.size.height == before - 1
        await pilot.app.memory.flush()
        assert PreferenceFile().load().input_display == "on"
        await press(pilot, "i")
        assert "SELECT" not in screen_text(pilot)
        assert view.size.height == before
        await pilot.app.memory.flush()
        assert PreferenceFile().load().input_display == "off"


async def test_shown_again_where_there_is_room_it_takes_none_elsewhere() -> None:
    async with open_cockpit(120, 40) as (pilot, _):
        app = pilot.app
        choices = []
        for _ in range(2):
            await press(pilot, "i")
            choices.append(app.memory.preferences.input_display)
        assert choices == ["off", "auto"]
        await pilot.resize_terminal(80, 24)
        await settle(pilot)
        assert not app.query_one(InputDisplay).display
