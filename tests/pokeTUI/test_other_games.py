"""The cockpit with games that have other actions than the Game Boy."""

from dataclasses import replace
from pathlib import Path

from engine.commands import GiveBack, Hold, Press, TakeOver
from engine.events import DecisionMade
from engine.types import GAME_BOY_ACTIONS, Action, ActionSet, Decision, GameAction, Source
from pokeTUI.input.keymap import KeyTable
from tests.pokeTUI.conftest import (
    comes_to_show,
    open_cockpit,
    post,
    press,
    screen_lines,
    screen_text,
    settle,
)
from tests.pokeTUI.fake_session import make_reward, make_run

COMPASS = ActionSet(
    (
        GameAction("NORTH", ("i",), Action.UP),
        GameAction("EAST", ("l",), Action.RIGHT),
        GameAction("SOUTH", ("k",), Action.DOWN),
        GameAction("WEST", ("j",), Action.LEFT),
        GameAction("WAIT", ("space",), Action.NOOP, is_button=False, help="Wait for a turn."),
    )
)
ADVANCE = ActionSet(
    (
        *GAME_BOY_ACTIONS.actions,
        GameAction("L", ("d", "t"), help="The left shoulder button."),
        GameAction("R", ("q",), help="The right shoulder button."),
    )
)


async def play(actions: ActionSet, *keys: str) -> list[object]:
    """Take a game over, type, and return what the cockpit asked for."""
    async with open_cockpit() as (pilot, session):
        await post(pilot, session, replace(make_run(), actions=actions, has_game_state=False))
        for key in ("t", *keys):
            await pilot.press(key)
            session.post(make_reward())  # the engine's answer
            await settle(pilot)
        return list(session.sent)


async def test_a_game_is_played_by_its_own_keys() -> None:
    sent = await play(COMPASS, "i", "l", "k", "j", "space", "up", "t")
    assert sent == [TakeOver(), *map(Press, range(5)), GiveBack()]


async def test_keys_that_lead_out_are_never_the_games() -> None:
    sent = await play(ADVANCE, "up", "z", "d", "t")
    assert sent == [TakeOver(), Press(4), Press(0), Press(9), GiveBack()]


def test_the_keys_of_a_game_win_but_over_those_that_lead_out() -> None:
    table = KeyTable()
    table.use(ADVANCE)
    entries = {entry.id: entry for entry in table.entries}
    assert entries["button_l"].keys == ("d",)
    assert entries["button_r"].keys == ()
    assert entries["button_r"].shown == "-"
    assert entries["take_over"].keys == ("t",)
    bound = [binding.id for binding in table.bindings() if "d" in binding.key.split(",")]
    assert bound == ["button_l", "record"]
    table.use(COMPASS)
    bound = [binding.id for binding in table.bindings() if "l" in binding.key.split(",")]
    assert bound[:2] == ["button_east", "live"]


async def test_help_and_footer_name_the_games_actions() -> None:
    async with open_cockpit(120, 40) as (pilot, session):
        await post(pilot, session, replace(make_run(), actions=COMPASS))
        await press(pilot, "t")
        assert "ikjl walk" in screen_lines(pilot)[-1]
        assert "WAIT" in screen_text(pilot)
        assert "START" not in screen_text(pilot)
        await press(pilot, "question_mark")
        await press(pilot, "slash", *"wait for")
        assert "Wait for a turn." in screen_text(pilot)


async def test_opposite_directions_of_a_game_cannot_be_held_together() -> None:
    async with open_cockpit() as (pilot, session):
        await post(pilot, session, replace(make_run(), actions=COMPASS))
        app = pilot.app
        app.playing.report_releases()
        app.playing.toggle_live()
        session.sent.clear()
        for action in (0, 2, 1, 4):
            app.playing.press(action)
        assert session.sent == [Hold(frozenset({0})), Hold(frozenset()), Hold(frozenset({1}))]
        app.playing.release("k")
        assert session.sent[-1] == Hold(frozenset({0, 1}))


def test_keys_of_another_games_buttons_wait_for_it() -> None:
    table = KeyTable({"button_north": "w", "button_a": "h"})
    assert table.buttons["h"] == Action.A
    assert "w" not in table.buttons
    table.use(COMPASS)
    assert table.buttons == {"w": 0, "l": 1, "k": 2, "j": 3, "space": 4}


async def test_a_decision_is_told_by_the_games_name_of_its_action() -> None:
    async with open_cockpit(200, 60) as (pilot, session):
        session.post(
            replace(make_run(), actions=COMPASS),
            DecisionMade(1, Decision(2, Source.POLICY, 0.8, "it is warmer there")),
        )
        assert await comes_to_show(pilot, "policy  SOUTH")


async def test_an_action_without_a_key_breaks_nothing(config_dir: Path) -> None:
    with (config_dir / "preferences.toml").open("a") as file:
        file.write('[keys]\nstop = ""\n')
    async with open_cockpit() as (pilot, session):
        await pilot.press("Q")
        assert session.sent == []
