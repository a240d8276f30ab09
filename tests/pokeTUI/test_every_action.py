"""Drive every action of the table: its first key sends its command or changes what is shown."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from textual.command import CommandList, Hit
from textual.events import MouseMove
from textual.pilot import Pilot

from engine import commands, events
from engine.commands import Command
from pokeTUI.app.actions import ActionsProvider
from pokeTUI.app.cockpit import CockpitApp
from pokeTUI.draw.layout import Arrangement
from pokeTUI.draw.theme import THEME_NAMES
from pokeTUI.input.keymap import KeyTable
from tests.pokeTUI.conftest import comes_to_show, open_cockpit, press, screen_text, settle
from tests.pokeTUI.fake_session import FakeSession, make_status, one_of_everything
from tests.pokeTUI.test_start import until

pytestmark = pytest.mark.slow

ACTIONS = [entry for entry in KeyTable().entries if not entry.pane]
SENT: dict[str, tuple[str, Command]] = {
    "restart": ("", commands.Restart()),
    "save_state": ("", commands.KeepState()),
    "branch": ("+ enter", commands.Branch(2)),
    **{f"load_slot_{slot}": ("", commands.LoadSlot(slot)) for slot in range(1, 11)},
    **{f"save_slot_{slot}": ("", commands.SaveSlot(slot)) for slot in range(1, 11)},
    "mode": ("+ down enter", commands.SetMode("rl_only")),
    "strategy": ("+ down enter", commands.SetStrategy("llm_heavy")),
    "goal": ("+ down enter", commands.SetGoal("reached_town")),
    "instruct": ("+ g o enter", commands.Instruct("go")),
    "game_number": ("+ 1 7 enter backspace 2 enter", commands.Watch(11)),
    "control": ("", commands.ReleaseControl()),
    "rewind_more": ("+ 9 9 enter backspace backspace 2 5 enter", commands.Rewind(25)),
    "describe": ("+ a space number_sign b enter", commands.DescribeRecording("a", ("b",))),
}
"""By action: keys before it, "+" for its own key and those after it, and what must be sent."""


def _board(app: CockpitApp) -> Any:
    return (app.board.arrangement, app.board.focused)


CHANGED: dict[str, Callable[[CockpitApp], object]] = {
    **dict.fromkeys(
        [entry.id for entry in ACTIONS if entry.id.startswith("pane_")]
        + ["next_pane", "previous_pane", "zoom", "presentation"]
        + ["wider", "narrower", "taller", "lower"],
        _board,
    ),
    "palette": lambda app: type(app.screen).__name__,
}
ELSEWHERE = {"reset_layout", "picture", "theme"}
"""Have their own tests below."""
ELSEWHERE |= {"pause", "step", "faster", "slower", "take_over", "save", "next_game"}
ELSEWHERE |= {"previous_game", "stop", "quit", "leave", "view", "help"}
ELSEWHERE |= {entry.id for entry in ACTIONS if entry.id.startswith("button_")}
"""In test_keys.py and test_ends.py."""
ELSEWHERE |= {"record", "rewind", "record_again", "discard", "mark", "mark_in_words"}
ELSEWHERE |= {"review", "keep_recent"}
"""In test_record_keys.py."""
ELSEWHERE |= {"runs", "skip_evaluation", "seek_back", "seek_on", "seek_start", "seek_end"}
"""In test_replay_keys.py."""
ELSEWHERE |= {"settings", "inputs", "all_games"}
"""In test_settings.py, test_inputs.py and test_mosaic.py."""
"""Have their own tests below."""
ELSEWHERE |= {"review", "keep_recent"}
"""In test_record_keys.py."""
ELSEWHERE |= {"runs", "skip_evaluation", "seek_back", "seek_on", "seek_start", "seek_end"}
"""And in test_replay_keys.py."""


def fill(session: FakeSession) -> None:
    """Post what every action needs; that the game is observed answers the button before it."""
    kept = tuple(
        events.KeptState(number, 0, 40 * number, "FERNWICK", slot=slot)
        for number, slot in ((1, 0), *((slot + 2, slot) for slot in range(1, 11)), (2, 0))
    )
    session.status = make_status()
    session.post(
        events.StatesKept(kept),
        events.SteeringChanged("adaptive", "adaptive", "", "", ()),
        events.PlannerStatusChanged("smollm2", "ready"),
        events.ViewersChanged(2, is_yours=True),
        events.RecordingChanged(True, steps=42, human_steps=42, rewindable=42),
        next(event for event in one_of_everything() if isinstance(event, events.GameObserved)),
        session.status,
    )


async def press_script(pilot: Pilot[None], key: str, script: str) -> None:
    own = script if "+" in script else f"{script} +"
    for one in own.split():
        await press(pilot, key if one == "+" else one)


async def put_back(pilot: Pilot[None]) -> CockpitApp:
    """Show the panes as at first, with nothing in front of them."""
    app = pilot.app
    while len(app.screen_stack) > 1:
        await app.pop_screen()
    app.clear_notifications()
    app.board.arrange_as(Arrangement())
    app.board.activate("game")
    await settle(pilot)
    return app


KNOWN = {entry.id: entry for entry in ACTIONS if entry.id in {*SENT, *CHANGED}}


def test_every_action_is_driven() -> None:
    here = set(SENT) | set(CHANGED) | ELSEWHERE
    # Tested where they are built: they need held keys, or a shell.
    assert {entry.id for entry in ACTIONS} - here <= {"live", "hold_rewind", "suspend"}


async def test_an_action_sends_its_command() -> None:
    async with open_cockpit() as (pilot, session):
        for name, (script, command) in SENT.items():
            fill(session)
            await put_back(pilot)
            session.sent.clear()
            await press_script(pilot, KNOWN[name].keys[0], script)
            assert session.sent[-1:] == [command], name


async def test_an_action_changes_what_is_shown() -> None:
    async with open_cockpit() as (pilot, session):
        for name, seen in CHANGED.items():
            app = await put_back(pilot)
            before = seen(app)
            await press(pilot, KNOWN[name].keys[0])
            assert seen(app) != before, name
        assert session.sent == []


async def test_a_panes_key_acts_while_the_keyboard_is_on_it() -> None:
    async with open_cockpit() as (pilot, _):
        for entry in (entry for entry in KeyTable().entries if entry.pane):
            app = await put_back(pilot)
            acted: list[str] = []
            app.board.pane(entry.pane).act = acted.append  # type: ignore[method-assign]
            name = entry.id.partition(".")[2]
            for key in entry.keys:
                app.board.activate(entry.pane)
                await pilot.press(key)
            assert acted == [name] * len(entry.keys), entry.id
            app.board.activate("game")
            await pilot.press(*(key for key in entry.keys if not key.startswith("ctrl")))
            assert acted == [name] * len(entry.keys), entry.id


async def test_the_layout_can_be_reset() -> None:
    async with open_cockpit() as (pilot, _):
        app = pilot.app
        await pilot.press("1", "greater_than_sign", "Z", "ctrl+r")
        assert app.board.arrangement == type(app.board.arrangement)()


async def test_a_screenshot_is_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    async with open_cockpit() as (pilot, _):
        await pilot.press("P")
        assert await comes_to_show(pilot, "Screenshot saved")
    [path] = (tmp_path / "screenshots").iterdir()
    assert path.read_text().startswith("<svg")


async def test_the_palette_finds_an_action_and_does_it() -> None:
    async with open_cockpit() as (pilot, _):
        await pilot.press("ctrl+p", *"next theme")
        found = pilot.app.screen.query_one(CommandList)
        await until(pilot, lambda: found.option_count == 2 and found.highlighted == 0)
        assert "Use the next theme" in screen_text(pilot)
        await press(pilot, "enter")
        await press(pilot, "enter")
        assert pilot.app.theme == THEME_NAMES[1]


SYNONYMS = [
    ("exit", "Save and quit"),
    ("fullscreen", "Zoom"),
    ("screenshot", "Screenshot"),
    ("take control", "Take the game over"),
    ("bookmark", "Save the watched game's state"),
    ("compare", "Saved runs"),
    ("undo", "Undo the last 10 actions"),
    ("log", "Show or hide: Log"),
]


async def test_the_palette_finds_synonyms_and_puts_the_impossible_last() -> None:
    async with open_cockpit() as (pilot, _):
        provider = ActionsProvider(pilot.app.screen)
        for word, title in SYNONYMS:
            hits = [hit async for hit in provider.search(word) if isinstance(hit, Hit)]
            hits.sort(key=lambda hit: hit.score, reverse=True)
            is_refused = ["not now" in str(hit.help) for hit in hits]
            assert is_refused == sorted(is_refused), word
            wanted = word in ("undo", "compare")
            same = [hit for hit, refused in zip(hits, is_refused, strict=True) if refused is wanted]
            assert any(title in str(hit.text) for hit in same[:2]), word
            assert all(len(line) <= 66 for hit in hits for line in (str(hit.text), str(hit.help)))


async def test_the_palette_says_why_an_action_makes_no_sense() -> None:
    async with open_cockpit() as (pilot, session):
        await pilot.press("ctrl+p", *"branch")
        assert await comes_to_show(pilot, "no saved state yet")
        assert session.sent == []


async def test_a_border_is_dragged_and_a_double_click_zooms() -> None:
    async with open_cockpit() as (pilot, _):
        app = pilot.app
        assert app.board.plan.regions["game"].width == 62
        await pilot.mouse_down("#board", offset=(61, 10))
        await pilot._post_mouse_events([MouseMove], "#board", offset=(70, 10), button=1)
        await pilot.mouse_up("#board", offset=(70, 10))
        assert app.board.plan.regions["game"].width == 71
        await pilot.click("#board", offset=(90, 2))
        assert app.board.focused == "party"
        app.CLICK_CHAIN_TIME_THRESHOLD = 600.0  # two clicks are one double click, however slow
        await pilot.click("#board", offset=(90, 2), times=2)
        assert app.board.plan.shown == ("party",)
