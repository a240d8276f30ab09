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
from engine.types import Action
from pokeTUI.app.actions import ActionsProvider
from pokeTUI.app.cockpit import CockpitApp
from pokeTUI.draw.layout import Arrangement
from pokeTUI.draw.theme import THEME_NAMES
from pokeTUI.input.entry import KeyAction
from pokeTUI.input.keymap import KeyTable
from pokeTUI.screens.help import HelpScreen
from pokeTUI.screens.settings import SettingsScreen
from tests.pokeTUI.conftest import OpenCockpit, comes_to_show, screen_text, settle
from tests.pokeTUI.fake_session import FakeSession, make_status, one_of_everything
from tests.pokeTUI.test_start import until

pytestmark = pytest.mark.slow

ACTIONS = [entry for entry in KeyTable().entries if not entry.pane]
SENT: dict[str, tuple[str, Command]] = {
    "pause": ("", commands.Pause()),
    "step": ("p", commands.StepOnce()),
    "faster": ("minus", commands.SetSpeed(0.0)),
    "slower": ("", commands.SetSpeed(60.0)),
    "take_over": ("", commands.TakeOver()),
    "save": ("", commands.Save()),
    "restart": ("", commands.Restart()),
    "save_state": ("", commands.KeepState()),
    "branch": ("+ enter", commands.Branch(2)),
    **{f"load_slot_{slot}": ("", commands.LoadSlot(slot)) for slot in range(1, 11)},
    **{f"save_slot_{slot}": ("", commands.SaveSlot(slot)) for slot in range(1, 11)},
    "stop": ("", commands.Stop("quit")),
    "mode": ("+ down enter", commands.SetMode("rl_only")),
    "strategy": ("+ down enter", commands.SetStrategy("llm_heavy")),
    "goal": ("+ down enter", commands.SetGoal("reached_town")),
    "instruct": ("+ g o enter", commands.Instruct("go")),
    "next_game": ("", commands.Watch(1)),
    "previous_game": ("", commands.Watch(15)),
    "game_number": ("+ 1 7 enter backspace 2 enter", commands.Watch(11)),
    "all_games": ("+ escape", commands.ShowGames(frozenset())),
    "control": ("", commands.ReleaseControl()),
    "record": ("", commands.StopRecording()),
    "rewind": ("", commands.Rewind(10)),
    "rewind_more": ("+ 9 9 enter backspace backspace 2 5 enter", commands.Rewind(25)),
    "record_again": ("+ enter", commands.DiscardRecording(again=True)),
    "discard": ("+ enter", commands.DiscardRecording()),
    "mark": ("", commands.MarkRecording()),
    "mark_in_words": ("+ g y m enter", commands.MarkRecording("gym")),
    "describe": ("+ a space number_sign b enter", commands.DescribeRecording("a", ("b",))),
    "quit": ("", commands.Stop("quit")),
    "leave": ("", commands.Stop("quit")),
    **{
        f"button_{button.name.lower()}": ("t", commands.Press(button))
        for button in Action
        if f"button_{button.name.lower()}" in {entry.id for entry in ACTIONS}
    },
}
"""By action: keys before it, "+" for its own key and those after it, and what must be sent."""


def _board(app: CockpitApp) -> Any:
    return (app.board.arrangement, app.board.focused)


CHANGED: dict[str, Callable[[CockpitApp], object]] = {
    "view": lambda app: app.board.game.mode,
    **dict.fromkeys(
        [
            "pane_game",
            "pane_party",
            "pane_rewards",
            "pane_reasoning",
            "pane_curriculum",
            "pane_learning",
            "pane_decisions",
            "pane_log",
            "pane_system",
            "next_pane",
            "previous_pane",
            "zoom",
            "presentation",
            "wider",
            "narrower",
            "taller",
            "lower",
        ],
        _board,
    ),
    "inputs": lambda app: app.board.game.query_one("#inputs").display,
    "theme": lambda app: app.theme,
    "palette": lambda app: type(app.screen).__name__,
    "settings": lambda app: isinstance(app.screen, SettingsScreen),
    "help": lambda app: isinstance(app.screen, HelpScreen),
}
ELSEWHERE = {"reset_layout", "picture"}
"""Have their own tests below."""
ELSEWHERE |= {"review", "keep_recent"}
"""In test_record_keys.py."""
ELSEWHERE |= {"runs", "skip_evaluation", "seek_back", "seek_on", "seek_start", "seek_end"}
"""And in test_replay_keys.py."""


ENDS_THE_RUN = {"stop", "quit", "leave"}


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


async def press(pilot: Pilot[None], key: str, script: str) -> None:
    own = script if "+" in script else f"{script} +"
    for one in own.split():
        await pilot.press(key if one == "+" else one)
        await settle(pilot)


async def put_back(pilot: Pilot[None]) -> CockpitApp:
    """Show the panes as at first, with nothing in front of them."""
    app = pilot.app
    assert isinstance(app, CockpitApp)
    while len(app.screen_stack) > 1:
        await app.pop_screen()
    app.clear_notifications()
    app.board.arrange_as(Arrangement())
    app.board.activate("game")
    await settle(pilot)
    return app


KNOWN = {entry.id: entry for entry in ACTIONS if entry.id in SENT}
SHOWN = [entry for entry in ACTIONS if entry.id in CHANGED]


def test_every_action_is_driven() -> None:
    here = set(SENT) | set(CHANGED) | ELSEWHERE
    others = {entry.id for entry in ACTIONS} - here
    # Tested where they are built: they need held keys, or a shell.
    assert others <= {"live", "hold_rewind", "suspend"}, others


async def test_an_action_sends_its_command(open_cockpit: OpenCockpit) -> None:
    async with open_cockpit() as (pilot, session):
        for name in (name for name in KNOWN if name not in ENDS_THE_RUN):
            fill(session)
            await put_back(pilot)
            session.sent.clear()
            script, command = SENT[name]
            await press(pilot, KNOWN[name].keys[0], script)
            assert session.sent[-1:] == [command], name


@pytest.mark.parametrize("name", sorted(ENDS_THE_RUN))
async def test_an_action_ends_the_run(open_cockpit: OpenCockpit, name: str) -> None:
    script, command = SENT[name]
    async with open_cockpit() as (pilot, session):
        fill(session)
        await settle(pilot)
        await press(pilot, KNOWN[name].keys[0], script)
        assert session.sent[-1] == command


async def test_an_action_changes_what_is_shown(open_cockpit: OpenCockpit) -> None:
    async with open_cockpit() as (pilot, session):
        for entry in SHOWN:
            app = await put_back(pilot)
            before = CHANGED[entry.id](app)
            await pilot.press(entry.keys[0])
            await settle(pilot)
            assert CHANGED[entry.id](app) != before, entry.id
        assert session.sent == []


def keys_of_panes() -> tuple[list[KeyAction], list[KeyAction]]:
    """Return the first key of every pane, and all others."""
    first: dict[str, KeyAction] = {}
    others: list[KeyAction] = []
    for entry in KeyTable().entries:
        if entry.pane and first.setdefault(entry.pane, entry) is not entry:
            others.append(entry)
    return list(first.values()), others


@pytest.mark.parametrize(
    "entries",
    [
        pytest.param(keys_of_panes()[0], id="first"),
        pytest.param(keys_of_panes()[1], id="others", marks=pytest.mark.slow),
    ],
)
async def test_a_panes_key_acts_while_the_keyboard_is_on_it(
    open_cockpit: OpenCockpit, entries: list[KeyAction]
) -> None:
    async with open_cockpit() as (pilot, _):
        for entry in entries:
            app = await put_back(pilot)
            acted: list[str] = []
            pane = app.board.pane(entry.pane)
            pane.act = acted.append  # type: ignore[method-assign]
            name = entry.id.partition(".")[2]
            for key in entry.keys:
                app.board.activate(entry.pane)
                await pilot.press(key)
            assert acted == [name] * len(entry.keys), entry.id
            app.board.activate("game")
            await pilot.press(*(key for key in entry.keys if not key.startswith("ctrl")))
            assert acted == [name] * len(entry.keys), entry.id


async def test_the_layout_can_be_reset(open_cockpit: OpenCockpit) -> None:
    async with open_cockpit() as (pilot, _):
        app = pilot.app
        assert isinstance(app, CockpitApp)
        await pilot.press("1", "greater_than_sign", "Z", "ctrl+r")
        assert app.board.arrangement == type(app.board.arrangement)()


async def test_a_picture_of_the_screen_is_written(
    open_cockpit: OpenCockpit, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    async with open_cockpit() as (pilot, _):
        await pilot.press("P")
        assert await comes_to_show(pilot, "Screenshot saved")
    [path] = (tmp_path / "screenshots").iterdir()
    assert path.read_text().startswith("<svg")


async def test_the_palette_finds_an_action_and_does_it(open_cockpit: OpenCockpit) -> None:
    async with open_cockpit() as (pilot, _):
        await pilot.press("ctrl+p", *"next theme")
        found = pilot.app.screen.query_one(CommandList)
        await until(pilot, lambda: found.option_count == 2 and found.highlighted == 0)
        assert "Use the next theme" in screen_text(pilot)
        await pilot.press("enter")
        await settle(pilot)
        await pilot.press("enter")
        await settle(pilot)
        assert pilot.app.theme == THEME_NAMES[1]


@pytest.mark.parametrize(
    ("word", "title"),
    [
        ("exit", "Save and quit"),
        ("fullscreen", "Zoom"),
        ("screenshot", "Screenshot"),
        ("take control", "Take the game over"),
        ("bookmark", "Save the watched game's state"),
        ("compare", "Saved runs"),
        ("undo", "Undo the last 10 actions"),
        ("log", "Show or hide: Log"),
    ],
)
async def test_the_palette_finds_synonyms_and_puts_the_impossible_last(
    open_cockpit: OpenCockpit, word: str, title: str
) -> None:
    async with open_cockpit() as (pilot, _):
        app = pilot.app
        assert isinstance(app, CockpitApp)
        provider = ActionsProvider(app.screen)
        hits = [hit async for hit in provider.search(word) if isinstance(hit, Hit)]
        hits.sort(key=lambda hit: hit.score, reverse=True)
        texts = [str(hit.help) for hit in hits]
        is_refused = ["not now" in text for text in texts]
        assert is_refused == sorted(is_refused)
        same = [
            hit for hit in hits if ("not now" in str(hit.help)) is (word in ("undo", "compare"))
        ]
        assert any(title in str(hit.text) for hit in same[:2])
        assert all(len(line) <= 66 for hit in hits for line in (str(hit.text), str(hit.help)))


async def test_the_palette_says_why_an_action_makes_no_sense(open_cockpit: OpenCockpit) -> None:
    async with open_cockpit() as (pilot, session):
        await pilot.press("ctrl+p", *"branch")
        assert await comes_to_show(pilot, "no saved state yet")
        assert session.sent == []


async def test_a_border_is_dragged_and_a_double_click_zooms(open_cockpit: OpenCockpit) -> None:
    async with open_cockpit() as (pilot, _):
        app = pilot.app
        assert isinstance(app, CockpitApp)
        assert app.board.plan.regions["game"].width == 62
        await pilot.mouse_down("#board", offset=(61, 10))
        await pilot._post_mouse_events(
            [MouseMove],
            "#board",
            offset=(70, 10),
            button=1,
        )
        await pilot.mouse_up("#board", offset=(70, 10))
        assert app.board.plan.regions["game"].width == 71
        await pilot.click("#board", offset=(90, 2))
        assert app.board.focused == "party"
        app.CLICK_CHAIN_TIME_THRESHOLD = 600.0  # two clicks are one double click, however slow
        await pilot.click("#board", offset=(90, 2), times=2)
        assert app.board.plan.shown == ("party",)
