"""The keys that a footer names work now, on every screen and in every mode."""

import re
from dataclasses import replace
from itertools import product
from pathlib import Path
from types import MappingProxyType

import pytest
from textual.app import App

from engine import events
from engine.events import RECORD, REPLAY, Event
from pokeTUI.dashboard.state import BattleMoment, DashboardState
from pokeTUI.draw.menu import Menu
from pokeTUI.input.entry import BATTLES, KeyAction
from pokeTUI.input.keymap import KeyTable, fitting
from pokeTUI.panes.kinds import pane_keys
from tests.pokeTUI.battles.recorded import TERA, recorded
from tests.pokeTUI.battles.test_app import opened
from tests.pokeTUI.conftest import open_cockpit, press, settle
from tests.pokeTUI.fake_session import make_run, make_status
from tests.pokeTUI.pane_app import fold_all
from tests.pokeTUI.test_start import shows, started
from tests.saved_runs import save_run

RUN = make_run()
REPLAYED = replace(make_run(1), mode=REPLAY)
RECORDED = replace(make_run(1), mode=RECORD, agent="you")
BY_HAND = make_status(is_human=True)
DEMO = events.RecordingChanged(True, steps=42, human_steps=42, rewindable=42)
REVIEW = replace(DEMO, has_review=True, review="d keeps it")
OTHER = events.ViewersChanged(viewers=2, is_yours=False, is_held=True)
MODES: dict[str, tuple[Event, ...]] = {
    "starting": (),
    "training": (RUN, make_status()),
    "paused": (RUN, make_status(is_paused=True)),
    "evaluating": (RUN, make_status(phase="evaluating")),
    "by turns": (RUN, BY_HAND),
    "live": (RUN, make_status(is_human=True, is_live=True)),
    "frame by frame": (RUN, make_status(is_human=True, is_live=True, is_paused=True)),
    "recorded": (RUN, make_status(), DEMO),
    "by turns, recorded": (RUN, BY_HAND, DEMO),
    "with a model": (RUN, make_status(), events.PlannerStatusChanged("smollm2", "ready")),
    "another steers": (RUN, make_status(), OTHER),
    "another plays": (RUN, BY_HAND, OTHER),
    "read-only": (RUN, make_status(), replace(OTHER, is_read_only=True)),
    "ended": (RUN, make_status(), events.RunStopped("quit", 9, "")),
    "replay": (REPLAYED, make_status()),
    "replay, paused": (REPLAYED, make_status(is_paused=True)),
    "replay at its goal": (REPLAYED, make_status(is_goal_reached=True)),
    "record": (RECORDED, BY_HAND, DEMO),
    "record, between": (RECORDED, make_status(is_human=True, phase="resetting")),
    "record, review": (RECORDED, BY_HAND, REVIEW),
    "record, by rules": (replace(RECORDED, agent="rules"), make_status(), DEMO),
}
SHOWN = MappingProxyType({"↑": "up", "↓": "down", "←": "left", "→": "right"})


def state_of(mode: str) -> DashboardState:
    return fold_all(MODES[mode])


def pressed(table: KeyTable, key: str, state: DashboardState, focused: str) -> str:
    """Return the action that a key runs: the first binding that is enabled."""
    by_action = {entry.action: entry for entry in table.entries}
    bound = [by_action[one.action] for one in table.bindings() if key in one.key.split(",")]
    enabled = [
        entry.action
        for entry in bound
        if entry.pane in ("", focused) and not table.refusal(entry, state)
    ]
    return enabled[0] if enabled else ""


def wrong(table: KeyTable, hint: KeyAction, state: DashboardState, focused: str) -> bool:
    """Return whether the key that a footer names first does something else, or nothing."""
    return pressed(table, hint.keys[0], state, focused) != hint.action


@pytest.mark.parametrize("mode", MODES)
def test_each_key_in_the_cockpits_footer_does_what_it_says(mode: str) -> None:
    table, state = KeyTable(), state_of(mode)
    for focused in pane_keys():
        hints = table.footer(state, focused)
        assert [one.shown for one in hints if wrong(table, one, state, focused)] == [], focused
        assert {"?", "q"} <= {one.shown for one in hints}


def test_each_key_in_the_battle_screens_footer_does_what_it_says() -> None:
    table = KeyTable(screen=BATTLES)
    yes_or_no = (False, True)
    words = (("", "choose target"), ("", "Mega"))
    for facts in product(*(yes_or_no,) * 3, *words, yes_or_no):
        state = replace(DashboardState(), battle=BattleMoment(*facts))
        hints = table.footer(state, "game")
        assert [one.shown for one in hints if wrong(table, one, state, "game")] == []
        taken = {one.shown for one in hints if set(one.keys) <= Menu.KEYS}
        assert not state.battle.menu or taken == {"↑↓ enter"}


@pytest.mark.parametrize(
    ("moment", "begins"),
    [
        (BattleMoment(has_turns=True, has_next=True), "← → turn  space play  tab view  n N battle"),
        (BattleMoment(has_turns=True, is_playing=True), "← → turn  space stop  tab view"),
        (BattleMoment(menu="choose lead"), "↑↓ enter choose lead  tab view"),
        (
            BattleMoment(has_turns=True, has_picked=True, menu="choose move", gimmick="Mega"),
            "↑↓ enter choose move  g Mega  bksp undo  tab view",
        ),
    ],
)
def test_battle_footer_begins_with_the_keys_of_the_moment(
    moment: BattleMoment, begins: str
) -> None:
    hints = KeyTable(screen=BATTLES).footer(replace(DashboardState(), battle=moment), "game")
    shown = "  ".join(f"{one.shown} {one.label}" for one in fitting(hints, 80))
    assert shown.startswith(begins)
    assert shown.endswith("? help  q quit")


async def test_team_preview_offers_its_own_keys_and_keeps_the_keyboard() -> None:
    battle = recorded(TERA)
    preview = battle.shown(lines=battle.asked[0]["place"])
    async with opened(preview, battle.wanted(0)) as (app, pilot, _):
        line = app.board._keys.draw(80, 1)[0].text
        assert "↑↓ enter choose lead" in line
        assert not re.search(r"turn|play|battle|undo", line)
        await pilot.press("1")
        await pilot.press("tab")
        assert not app.board.chooser.menu.has_focus
        assert "play" not in app.board._keys.draw(80, 1)[0].text  # nothing has happened yet
        await pilot.press("shift+tab")
        assert app.board.chooser.menu.has_focus
        assert "bksp undo" in app.board._keys.draw(80, 1)[0].text


def named(footer: str) -> set[str]:
    """Return Textual's names of the keys that a screen's lower border names."""
    found = set()
    for part in re.split(r" {2,}", footer.strip()):
        keys = part.split(" ")[0] if " or " not in part else part.rpartition(" ")[0]
        for key in keys.replace(" or ", " ").split():
            found |= set(key) if set(key) <= set(SHOWN) else {key}
    names = {"esc": "escape", "?": "question_mark", "/": "slash", "pgdn": "pagedown", **SHOWN}
    return {names.get(key, key) for key in found}


def borders(app: App[None]) -> list[str]:
    """Return the lower borders of the screen in front that say something."""
    return [str(one.border_subtitle) for one in app.screen.query("*") if one.border_subtitle]


SCREENS = {
    "help": "question_mark",
    "settings": "comma",
    "strategy": "S",
    "branch": "B",
    "game number": "number_sign",
    "all games": "A",
    "wish": "W",
}


async def test_each_key_in_a_screens_lower_border_works() -> None:
    async with open_cockpit() as (pilot, session):
        kept = events.KeptState(1, 0, 40, "FERNWICK")
        session.post(events.StatesKept((kept,)), events.PlannerStatusChanged("smollm2", "ready"))
        await settle(pilot)
        app = pilot.app
        for screen, key in SCREENS.items():
            await press(pilot, key)
            assert app.screen is not app.board.screen, screen
            (footer,) = borders(app)
            assert named(footer) <= set(app.screen.active_bindings), (screen, footer)
            await press(pilot, "escape")
            assert app.screen is app.board.screen, screen


@pytest.mark.parametrize("letters", ["u", "e", "n", "o", "d", "s", "u space down space enter"])
async def test_each_key_in_a_lower_border_works_from_the_start_screen(
    letters: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("POKETUI_RUNTIME_DIR", str(tmp_path / "sockets"))
    monkeypatch.setenv("POKETUI_CACHE_DIR", str(tmp_path / "cache"))
    for number in (1, 2):
        save_run(tmp_path, [1.0, 2.0], run_id=f"2026110{number}-120000", changed_s=1e9)
    async with started(tmp_path) as (pilot, app):
        for key in letters.split():
            await pilot.press(key)
            await shows(pilot, "esc")
        (footer,) = borders(app)
        bound = set(app.screen.active_bindings)
        bound |= Menu.KEYS if isinstance(app.focused, Menu) else set()
        assert named(footer) <= bound, footer
