"""The keys of a recording, and what the screen says of it."""

import time
from collections.abc import Callable
from dataclasses import replace

import pytest
from textual.events import CursorPosition

from engine import commands, events
from engine.commands import Command
from engine.events import RECORD, RecordingChanged
from pokeTUI.app.cockpit import CockpitApp
from pokeTUI.dashboard.event_lines import demonstration_end
from pokeTUI.dashboard.state import DashboardState, fold
from pokeTUI.draw.layout import Arrangement, make_plan
from pokeTUI.draw.lines import Line
from pokeTUI.input.entry import PLAY
from pokeTUI.input.entry import RECORD as RECORD_GROUP
from pokeTUI.input.keymap import KeyTable, fitting
from pokeTUI.panes.game import fitting_title, game_title, recording_text
from pokeTUI.panes.kinds import pane_infos
from pokeTUI.screens.status_bar import StatusBar
from tests.pokeTUI.conftest import (
    comes_to_show,
    open_cockpit,
    post,
    press,
    screen_lines,
    screen_text,
    settle,
)
from tests.pokeTUI.fake_session import FakeSession, make_run, make_status
from tests.pokeTUI.pane_app import Size
from tests.pokeTUI.says import assert_has

NOW = RecordingChanged(
    True, steps=120, human_steps=84, elapsed_s=42.0, limit_s=300.0, rewindable=96, saved=1, wanted=5
)


def humans() -> DashboardState:
    return DashboardState(
        run=make_run(), status=make_status(is_human=True), is_human=True, recording=NOW
    )


def recording_session(**changes: object) -> DashboardState:
    run = replace(make_run(1), mode=RECORD, agent="you", run_id="gym")
    return replace(humans(), run=run, **changes)  # type: ignore[arg-type]


def test_no_key_of_a_recording_is_a_button_of_the_game_or_a_panes_key() -> None:
    table = KeyTable()
    own = {key for entry in table.entries if entry.group == RECORD_GROUP for key in entry.keys}
    taken = {
        key for entry in table.entries if entry.group == PLAY or entry.pane for key in entry.keys
    }
    assert len(own) == 10
    assert not own & taken


KEYS: list[tuple[str, Command]] = [
    ("d", commands.StopRecording()),
    ("u", commands.Rewind(10)),
    ("U 2 5 enter", commands.Rewind(25)),
    ("X enter", commands.DiscardRecording(again=True)),
    ("D enter", commands.DiscardRecording()),
    ("D down enter", commands.DiscardRecording(again=True)),
    ("asterisk", commands.MarkRecording()),
    ("ampersand w o n enter", commands.MarkRecording("won")),
    (
        "e t o space g y m space number_sign g y m enter",
        commands.DescribeRecording("to gym", ("gym",)),
    ),
]


async def test_a_key_works_while_a_person_plays() -> None:
    async with open_cockpit() as (pilot, session):
        await pilot.press("d", "t")
        assert session.sent == [commands.StartRecording(), commands.TakeOver()]
        await post(pilot, session, NOW)
        for keys, command in KEYS:
            session.sent.clear()
            await press(pilot, *keys.split())
            assert session.sent == [command], keys


async def test_saving_while_in_control_says_that_nothing_more_is_recorded() -> None:
    async with open_cockpit() as (pilot, session):
        session.post(events.ControlChanged(is_human=True))
        await post(pilot, session, NOW)
        await pilot.press("d")
        assert session.sent == [commands.StopRecording()]
        assert await comes_to_show(pilot, "Recording stops here: d records again")


async def test_in_a_review_the_keys_keep_watch_or_discard_and_nothing_plays() -> None:
    async with open_cockpit(80, 24) as (pilot, session):
        ended = replace(NOW, has_review=True, review="the goal was reached")
        session.post(replace(make_run(1), mode=RECORD, agent="you"))
        await post(pilot, session, make_status(is_human=True, phase="reviewing"), ended)
        assert "● review" in screen_lines(pilot)[0]
        assert await comes_to_show(pilot, "KEEP IT? the goal was reached")
        assert_has(screen_lines(pilot)[-1], "d keep", "V watch", "X retake", "D discard", "* mark")
        await pilot.press("l", "R", "z")
        assert await comes_to_show(pilot, "z (A): the demonstration has ended: d keeps it")
        assert session.sent == []
        await pilot.press("V", "d")
        assert session.sent == [commands.ReviewRecording(), commands.StopRecording()]


def test_with_a_review_the_key_that_saves_ends_first() -> None:
    hints = KeyTable().footer(recording_session(recording=replace(NOW, has_review=True)), "game")
    assert "d end" in {f"{hint.shown} {hint.label}" for hint in hints}


async def test_what_was_just_played_is_kept_by_a_key_where_nothing_is_recorded() -> None:
    async with open_cockpit(120, 40) as (pilot, session):
        await pilot.press("I")
        assert await comes_to_show(pilot, "I (keep 30 s): only while you play")
        session.post(make_status(is_human=True))
        assert await comes_to_show(pilot, "I keep 30 s")
        await pilot.press("I")
        assert session.sent == [commands.KeepRecent()]
        await post(pilot, session, NOW)
        await pilot.press("I")
        assert await comes_to_show(pilot, "it is being recorded")


async def test_slots_are_saved_loaded_and_listed_with_their_time() -> None:
    async with open_cockpit(80, 24) as (pilot, session):
        session.post(replace(make_run(1), mode=RECORD, agent="you"), make_status(is_human=True))
        await settle(pilot)
        await pilot.press("f3")
        assert await comes_to_show(pilot, "f3: slot 3 is empty: shift+F3 saves it")
        slot = events.KeptState(3, 0, 42, "FERNWICK", True, 1, time.time() - 70, 3)
        await post(pilot, session, events.StatesKept((slot,)))
        await pilot.press("f3", "shift+f3", "f15", "K", "B")
        assert await comes_to_show(pilot, "Waiting for the state that is being saved")
        session.post(events.StatesKept((slot,)))
        assert await comes_to_show(pilot, "F3  1 min ago")
        await pilot.press("enter")
        assert session.sent == [
            commands.LoadSlot(3),
            *[commands.SaveSlot(3)] * 2,
            commands.KeepState(),
            commands.Branch(3),
        ]


async def test_an_unasked_answer_of_the_terminal_is_shift_and_f3() -> None:
    async with open_cockpit(80, 24) as (pilot, session):
        app = pilot.app
        app.gate.is_deaf = True  # no answer is waited for
        app.gate.acknowledged()
        for position in ((1, 0), (5, 7)):
            app.post_message(CursorPosition(*position))
        await pilot.pause()  # to wait for a drawing would be to wait for an answer
        assert session.sent == [commands.SaveSlot(3)]


async def test_without_a_recording_its_keys_do_nothing() -> None:
    async with open_cockpit() as (pilot, session):
        await press(pilot, "u", "U", "X", "D", "asterisk", "ampersand", "e")
        assert session.sent == []
        assert len(pilot.app.screen_stack) == 1


async def test_leaving_the_discard_question_keeps_the_demonstration() -> None:
    async with open_cockpit() as (pilot, session):
        await post(pilot, session, NOW)
        await pilot.press("D")
        assert await comes_to_show(pilot, "Discard the demonstration of 120 steps?")
        await press(pilot, "escape")
        assert session.sent == []


async def test_rewind_beyond_the_start_is_refused() -> None:
    async with open_cockpit() as (pilot, session):
        await post(pilot, session, replace(NOW, rewindable=4))
        await pilot.press("U", "9", "enter")
        assert await comes_to_show(pilot, "A number from 1 to 4.")
        await pilot.press("escape", "u")
        assert session.sent == [commands.Rewind(4)]


async def test_words_that_are_there_can_be_changed() -> None:
    async with open_cockpit() as (pilot, session):
        await post(pilot, session, replace(NOW, task="to the gym", tags=("clean",)))
        await pilot.press("e")
        assert await comes_to_show(pilot, "to the gym #clean")
        await pilot.press("end", "backspace", "enter")
        assert session.sent == [commands.DescribeRecording("to the gym", ("clea",))]


def status_line(state: DashboardState, columns: int) -> Line:
    bar = StatusBar()
    bar._state = state
    return bar.draw(columns, 1)[0]


@pytest.mark.parametrize("columns", [80, 120, 200])
def test_the_badge_is_whole_at_every_width(columns: int) -> None:
    for state in (humans(), recording_session()):
        line = status_line(state, columns)
        assert_has(line.text, "● rec 2/5", "0:42/5:00", "120")
        assert line.used <= columns


def test_saved_demonstrations_stay_in_sight_between_two() -> None:
    line = status_line(recording_session(recording=replace(NOW, is_recording=False)), 80)
    assert "○ 1/5 saved" in line.text
    assert "rec " not in line.text


@pytest.mark.parametrize("columns", [80, 120, 200])
@pytest.mark.parametrize("make_state", [humans, recording_session])
def test_the_last_line_says_how_to_play_and_how_to_save(
    make_state: Callable[[], DashboardState], columns: int
) -> None:
    hints = fitting(KeyTable().footer(make_state(), "game"), columns)
    shown = {f"{hint.shown} {hint.label}" for hint in hints}
    assert shown >= {"↑↓←→ walk", "z A", "x B", "enter START", "d end", "u undo", "? help"}


def test_the_border_says_what_fits() -> None:
    marked = replace(NOW, is_marked=True, task="to the gym", tags=("intervention",))
    assert recording_text(marked, 100).startswith("● “to the gym” · intervention: 120 steps")
    assert "u undoes up to 96 · ✓ marked" in recording_text(marked, 100)
    assert recording_text(NOW, 34) == "● 120 steps · 84 by you"
    assert recording_text(NOW, 4) == ""
    for width in range(100):
        assert len(recording_text(marked, width)) <= width


def test_a_return_of_nearly_nothing_has_no_minus() -> None:
    ended = events.RecordingEnded("", 5, 5, -0.004, "you stopped it")
    assert demonstration_end(ended) == "demonstration discarded: 5 steps, +0.0, you stopped it"


def test_the_title_says_that_it_is_recorded_and_whether_there_is_a_way_back() -> None:
    assert game_title(humans()) == "▲ YOU PLAY ● recorded  t gives back  z A  x B"
    assert game_title(recording_session()) == "▲ YOU PLAY ● recorded  z A  x B"
    assert fitting_title(game_title(humans()), 36) == "▲ YOU PLAY ● recorded  t gives back"
    assert fitting_title("a long name", 4) == "a long name"


async def test_words_of_a_person_are_no_markup() -> None:
    async with open_cockpit(200, 60) as (pilot, session):
        await post(pilot, session, replace(NOW, task="[/] [red]x"))
        assert "“[/] [red]x”" in screen_text(pilot)


async def test_a_recording_can_be_paused_though_a_person_plays() -> None:
    async with open_cockpit() as (pilot, session):
        run = replace(make_run(1), mode=RECORD, agent="you")
        await post(pilot, session, run, make_status(is_human=True), NOW)
        await press(pilot, "p")
        assert "‖ paused" in screen_lines(pilot)[0]
        await press(pilot, "t", "s", "B", "M", "S", "G", "4", "5", "6", "O", "f3")
        assert session.sent == [commands.Pause()]
        assert len(pilot.app.screen_stack) == 1


@pytest.mark.parametrize("size", [(80, 24), (120, 40), (200, 60)])
def test_where_demonstrations_are_recorded_the_game_is_large(size: Size) -> None:
    plan = make_plan(pane_infos(), *size, Arrangement.for_recording(pane_infos()))
    assert not {"curriculum", "learning", "decisions"} & {*plan.shown, *plan.tabs}
    assert {"game", "party"} <= set(plan.shown)
    assert plan.regions["game"].width >= size[0] // 2


async def test_a_recordings_layout_is_not_remembered(config_dir: object) -> None:
    from engine.config import RunConfig

    session = FakeSession()
    app = CockpitApp(session, RunConfig(), arrangement=Arrangement.for_recording(pane_infos()))
    async with app.run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        await press(pilot, "L")
        assert not app.board.arrangement.is_presentation
        await press(pilot, "ctrl+r", "4", "tab")
        assert not {"curriculum", "learning", "decisions"} & {
            *app.board.plan.shown,
            *app.board.plan.tabs,
        }
        assert app.memory.preferences.arrangement() == Arrangement()
        assert session.sent == []


async def test_slot_that_is_being_saved_can_be_loaded_at_once() -> None:
    async with open_cockpit() as (pilot, session):
        await post(pilot, session, make_run(1), make_status())
        await pilot.press("shift+f1", "f1")
        assert session.sent == [commands.SaveSlot(1), commands.LoadSlot(1)]
        await post(pilot, session, events.CommandRefused("SaveSlot", "An evaluation is running."))
        await pilot.press("f1")
        assert await comes_to_show(pilot, "f1: slot 1 is empty: shift+F1 saves it")


async def test_the_end_of_a_demonstration_is_told() -> None:
    async with open_cockpit() as (pilot, session):
        session.post(events.RecordingEnded("demos/human-1.demo", 120, 84, 3.5, "you ended it"))
        assert await comes_to_show(pilot, "demonstration saved as human-1.demo: 120 steps")


def test_one_step_is_counted_in_the_singular() -> None:
    state = replace(DashboardState(), status=make_status(total_steps=1))
    assert "1 step " in status_line(state, 120).text


def test_the_shortest_line_leaves_out_whole_parts() -> None:
    state = fold(humans(), events.ViewersChanged(viewers=2, is_yours=False))
    lines = [status_line(state, columns) for columns in range(40, 121)]
    assert all(line.used <= line.width for line in lines)
    assert not any("…" in line.text for line in lines)
    assert all("by hand" in line.text and "another has control" in line.text for line in lines)
