import string

import pytest

from engine import commands
from engine.events import GameObserved
from engine.types import Action
from pokeTUI.draw.encoders import GameMode
from pokeTUI.input.keymap import KeyTable, _parse
from pokeTUI.panes.kinds import pane_keys
from pokeTUI.terminal.key_names import shown_key
from tests.pokeTUI.conftest import (
    comes_to_show,
    open_cockpit,
    post,
    press,
    screen_lines,
    screen_text,
    settle,
)
from tests.pokeTUI.fake_session import make_game, make_status

KEYS: list[tuple[str, list[commands.Command]]] = [
    ("p", [commands.Pause()]),
    ("space", [commands.Pause()]),
    ("p . p", [commands.Pause(), commands.StepOnce(), commands.Resume()]),
    (".", []),
    ("-", [commands.SetSpeed(60.0)]),
    ("- - +", [commands.SetSpeed(60.0), commands.SetSpeed(30.0), commands.SetSpeed(60.0)]),
    ("n", [commands.Watch(1)]),
    ("N", [commands.Watch(15)]),
    ("s", [commands.Save()]),
    ("t t", [commands.TakeOver(), commands.GiveBack()]),
]


async def test_a_key_sends_its_command() -> None:
    async with open_cockpit() as (pilot, session):
        for keys, wanted in KEYS:
            session.sent.clear()
            for key in keys.split():
                await press(pilot, {".": "full_stop", "+": "plus", "-": "minus"}.get(key, key))
            assert session.sent == wanted, keys
            session.status = make_status()
            await post(pilot, session, session.status)


@pytest.mark.parametrize("key", ["q", "ctrl+c", "ctrl+q"])
async def test_a_key_stops_the_run(key: str) -> None:
    async with open_cockpit() as (pilot, session):
        await pilot.press(key)
        assert session.sent == [commands.Stop("quit")]


BUTTONS = {
    "up": Action.UP,
    "down": Action.DOWN,
    "left": Action.LEFT,
    "right": Action.RIGHT,
    "z": Action.A,
    "x": Action.B,
    "a": Action.A,
    "b": Action.B,
    "enter": Action.START,
    "backspace": Action.SELECT,
}
"""No button comes twice in a row: a second press so soon counts as held."""


async def test_buttons_are_pressed_while_a_person_plays() -> None:
    async with open_cockpit() as (pilot, session):
        await pilot.press(*BUTTONS)
        assert session.sent == []
        await press(pilot, "t")
        for key, button in BUTTONS.items():
            session.sent.clear()
            await pilot.press(key)
            assert session.sent == [commands.Press(button)], key
            session.post(GameObserved(make_game(), None, frozenset()))  # the engine's answer
            await settle(pilot)


async def test_the_screen_says_that_a_person_plays() -> None:
    async with open_cockpit(80, 24) as (pilot, _):
        await pilot.press("t")
        assert await comes_to_show(pilot, "You play now")
        await settle(pilot)
        text = screen_text(pilot)
        assert "▲ YOU PLAY" in text
        assert "you play" in screen_lines(pilot)[0]
        assert "z A  x B  enter START  bksp SELECT" in screen_lines(pilot)[-1]


async def test_v_cycles_through_the_ways_to_draw_the_game() -> None:
    async with open_cockpit() as (pilot, _):
        board = pilot.app.board  # type: ignore[attr-defined]
        seen = [board.game.mode]
        for _ in board.game.modes:
            await press(pilot, "v")
            seen.append(board.game.mode)
        assert seen == [*board.game.modes, GameMode.AUTO]


async def test_numbers_and_tab_choose_the_pane_where_panes_are_tabs() -> None:
    async with open_cockpit(80, 24) as (pilot, _):
        board = pilot.app.board  # type: ignore[attr-defined]
        seen = []
        for key in (*"12345678", "tab", "tab", "shift+tab"):
            await pilot.press(key)
            seen.append((board.focused, board.plan.shown[-1]))
        keys = [(key, key) for key in pane_keys()[1:]]
        assert seen == [*keys, ("game", "system"), ("party", "party"), ("game", "party")]


async def test_numbers_hide_and_show_panes() -> None:
    async with open_cockpit(120, 40) as (pilot, _):
        board = pilot.app.board  # type: ignore[attr-defined]
        await pilot.press("2")
        assert "rewards" not in board.plan.regions
        await pilot.press("2")
        assert "rewards" in board.plan.regions
        assert board.focused == "rewards"
        await pilot.press("7")
        assert "log" in board.plan.regions
        assert "reasoning" not in board.plan.regions
        await pilot.press("0")
        assert "game" not in board.plan.regions
        await pilot.press("ctrl+r")
        assert "game" in board.plan.regions


async def test_the_last_pane_stays() -> None:
    async with open_cockpit(120, 40) as (pilot, _):
        board = pilot.app.board  # type: ignore[attr-defined]
        while len(board.plan.shown) > 1:
            key = board.plan.shown[-1]
            await pilot.press(str(pane_keys().index(key)))
        await pilot.press("0")
        assert board.plan.shown == ("game",)
        assert await comes_to_show(pilot, "The last pane stays open.")


def test_a_key_that_a_pane_takes_from_the_others_stands_in_its_help() -> None:
    entries = KeyTable().entries
    everywhere = {key for entry in entries if not entry.pane for key in entry.keys}
    told = [
        (key, entry.shown.split("/"))
        for entry in entries
        if entry.pane and entry.shown
        for key in entry.keys
        if key in everywhere
    ]
    assert len(told) > 10
    assert [key for key, shown in told if shown_key(key) not in shown] == []


@pytest.mark.parametrize("pane", ["reasoning", "log"])
async def test_a_goal_is_chosen_while_a_log_has_the_keyboard(pane: str) -> None:
    async with open_cockpit() as (pilot, session):
        pilot.app.board.activate(pane)  # type: ignore[attr-defined]
        await pilot.press("g", "G")
        assert await comes_to_show(pilot, "Goal of the rule planner")
        await press(pilot, "enter")
        assert session.sent == [commands.SetGoal("")]


async def test_help_lists_the_keys_and_goes_away() -> None:
    async with open_cockpit(120, 60) as (pilot, session):
        for leave in ("question_mark", "escape", "q"):
            await press(pilot, "question_mark")
            assert "Pause or resume" in screen_text(pilot)
            await press(pilot, "G")
            assert "while it has the focus" in screen_text(pilot)
            await press(pilot, leave)
            assert "Pause or resume" not in screen_text(pilot)
        assert session.sent == []


async def test_the_help_can_be_searched() -> None:
    async with open_cockpit() as (pilot, session):
        await press(pilot, "question_mark", "slash", *"twice")
        text = screen_text(pilot)
        assert "twice: quit" in text
        assert "Pause or resume" not in text
        await press(pilot, "escape")
        assert "Pause or resume" in screen_text(pilot)
        assert session.sent == []


async def test_a_click_in_the_footer_does_what_the_key_does() -> None:
    async with open_cockpit(80, 24) as (pilot, session):
        await pilot.click("#keys", offset=(screen_lines(pilot)[-1].index("pause"), 0))
        await settle(pilot)
        assert session.sent == [commands.Pause()]


async def test_a_click_on_a_tab_shows_its_pane() -> None:
    async with open_cockpit(80, 24) as (pilot, _):
        tabs = pilot.app.screen.query_one("#tabs").region
        await pilot.click("#tabs", offset=(screen_lines(pilot)[1].index("5Lea") - tabs.x, 0))
        await settle(pilot)
        assert "Learning curve" in screen_text(pilot)


async def test_a_save_that_was_asked_for_is_confirmed() -> None:
    from engine.events import CheckpointSaved

    async with open_cockpit() as (pilot, session):
        await post(pilot, session, CheckpointSaved("a.zip", 1000))
        assert "Saved at step" not in screen_text(pilot)
        await pilot.press("s")
        assert await comes_to_show(pilot, "Saved at step 123,456")


@pytest.mark.parametrize("character", [one for one in string.punctuation if one != ","])
def test_a_key_is_shown_as_the_character_it_types(character: str) -> None:
    assert shown_key(_parse("pause", character)) == character


def test_no_key_of_the_table_is_shown_by_its_name_in_the_code() -> None:
    shown = [shown_key(key) for entry in KeyTable().entries for key in entry.keys]
    assert {"+", "_", "?", "ctrl+p"} <= set(shown)
    assert not [one for one in shown if one in ("plus", "underscore") or "_" in one[1:]]


def test_former_name_of_an_action_still_sets_its_keys() -> None:
    table = KeyTable({"rewards.later": "f5", "wish": "f6", "keep_state": "f7"})
    keys = {entry.id: entry.keys for entry in table.entries}
    assert keys["rewards.older"] == ("f5",)
    assert (keys["instruct"], keys["save_state"]) == (("f6",), ("f7",))
    assert keys["rewards.newer"] == ("pageup",)
