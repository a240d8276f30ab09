"""The battle screen, driven by keys and the mouse."""

import itertools
import re
from collections import Counter
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace

import pytest
from textual.pilot import Pilot

from engine.commands import ChooseInBattle, Pause, Save, Stop, Watch
from engine.events import Event, LookAheadBegan, RunFailed, RunStarted, RunStopped
from engine.types import ActionSet
from pokeTUI.battles.app import BattleApp
from pokeTUI.battles.layout import POLICY, SHEETS
from pokeTUI.battles.playback import Cursor
from pokeTUI.input.entry import BATTLES
from pokeTUI.input.keymap import KeyTable
from pokeTUI.screens.endings import ClosingScreen, FailureScreen
from pokeTUI.screens.help import HelpScreen
from tests.pokeTUI.battles.fake_session import FakeBattles
from tests.pokeTUI.battles.recorded import MEGA, TERA, recorded
from tests.pokeTUI.in_process import loaded_of
from tests.pokeTUI.pane_app import Size
from tests.pokeTUI.says import assert_has

BATTLE = recorded(TERA)
WHOLE = BATTLE.playback()
Opened = tuple[BattleApp, Pilot[None], FakeBattles]


@asynccontextmanager
async def opened(*events: Event, size: Size = (80, 24), **options: str) -> AsyncIterator[Opened]:
    session = FakeBattles(*events)
    app = BattleApp(session, **options)
    async with app.run_test(size=size) as pilot:
        app.animation_level = "none"
        await polled(pilot)
        yield app, pilot, session


async def polled(pilot: Pilot[None]) -> None:
    """Let the application take what was posted."""
    pilot.app.poll()
    await pilot.pause()


def screen_text(app: BattleApp) -> str:
    return "\n".join(strip.text for strip in app.screen._compositor.render_strips())


def said(app: BattleApp) -> list[str]:
    return [notice.message for notice in app._notifications]


async def test_finished_battle_opens_at_the_team_preview() -> None:
    async with opened(BATTLE.shown()) as (app, _, _):
        assert app.cursor.place == WHOLE.stops[0]
        assert "team preview" in screen_text(app)
        assert SHEETS in app.board.plan.regions


async def test_arrows_turn_and_home_and_end_reach_the_ends() -> None:
    async with opened(BATTLE.shown()) as (app, pilot, _):
        await pilot.press("right", "right")
        assert app.cursor.place == WHOLE.stops[2]
        await pilot.press("left")
        assert app.cursor.place == WHOLE.stops[1]
        await pilot.press("end")
        assert app.cursor.place == WHOLE.end
        assert "policy won" in screen_text(app)
        await pilot.press("home")
        assert app.cursor.place == WHOLE.stops[0]
        await polled(pilot)
        assert "turn 0" not in screen_text(app)


async def test_play_goes_on_line_by_line_until_the_end() -> None:
    async with opened(BATTLE.shown()) as (app, pilot, _):
        app.cursor = Cursor(clock=itertools.count().__next__)
        await pilot.press("space")
        places = []
        while app.cursor.is_playing:
            app.poll()
            places.append(app.cursor.place)
        assert places == sorted(places)
        assert places[-1] == WHOLE.end


async def test_click_on_the_turns_seeks() -> None:
    async with opened(BATTLE.shown()) as (app, pilot, _):
        await pilot.click("#turns", offset=(40, 0))
        assert WHOLE.stops[0] < app.cursor.place < WHOLE.end


async def test_battle_in_progress_is_followed_until_one_looks_back() -> None:
    async with opened(BATTLE.shown(lines=60)) as (app, pilot, session):
        assert app.cursor.place == 60
        session.post(BATTLE.shown(lines=80))
        await polled(pilot)
        assert app.cursor.place == 80
        await pilot.press("left")
        place = app.cursor.place
        session.post(BATTLE.shown(lines=100))
        await polled(pilot)
        assert app.cursor.place == place


async def test_next_battle_waits_while_one_looks_back() -> None:
    async with opened(BATTLE.shown(lines=60)) as (app, pilot, session):
        await pilot.press("left")
        session.post(BATTLE.shown("two", lines=40))
        await polled(pilot)
        assert app.battles.playback.end == 60
        await pilot.press("n")
        assert app.battles.playback.end == app.cursor.place == 40


async def test_other_battles_of_several_are_asked_for() -> None:
    async with opened(BATTLE.shown(number=0, count=3)) as (_, pilot, session):
        await pilot.press("N", "n")
        assert session.sent == [Watch(2), Watch(1)]


async def test_policys_choices_are_shown_with_the_one_it_made() -> None:
    async with opened(BATTLE.shown()) as (app, pilot, _):
        await pilot.press("right", "2")
        assert app.board.front == POLICY
        assert_has(screen_text(app), "▸55.0%", "P(win)  60%")


async def test_tab_and_clicks_change_the_view() -> None:
    async with opened(BATTLE.shown()) as (app, pilot, _):
        await pilot.press("tab")
        assert app.board.front == POLICY
        await pilot.click("#views", offset=(25, 0))
        assert app.board.front == SHEETS


async def test_choice_is_put_together_and_sent() -> None:
    events = (BATTLE.shown(lines=BATTLE.asked[1]["place"]), BATTLE.wanted(1))
    async with opened(*events) as (app, pilot, session):
        assert "What will Palafin do?" in screen_text(app)
        wave_crash, spirit_break = "2", "4"
        await pilot.press(wave_crash, "1", spirit_break, "2")
        assert session.sent == [ChooseInBattle(BATTLE.asked[1]["code"])]
        assert app.choosing is None


@pytest.mark.parametrize("size", [(100, 30), (120, 40), (200, 60)])
async def test_team_preview_shows_all_of_both_teams_whole_and_once(size: Size) -> None:
    battle = recorded(MEGA)
    events = (battle.shown(lines=battle.asked[0]["place"]), battle.wanted(0))
    async with opened(*events, size=size) as (app, _, _):
        text = re.sub(r"\w+/\w+", "", screen_text(app))  # types: Psychic is a move, too
        sides = app.battles.playback.view(app.cursor.place).sides
        sheets = [sheet for side in sides for sheet in side.sheets]
        named = Counter(
            name for one in sheets for name in (one.item, one.ability, *one.moves) if name
        )
        assert {name: text.count(name) for name in named} == named
        assert "…" not in text


async def test_choice_in_battle_shows_what_one_decides_by_at_100_columns() -> None:
    events = (BATTLE.shown(lines=BATTLE.asked[4]["place"]), BATTLE.wanted(4))
    async with opened(*events, size=(100, 30)) as (app, _, _):
        text = screen_text(app)
        assert "…" not in text
        own, foe = app.battles.playback.view(app.cursor.place).sides
        for species in ("Torkoal", "Iron Hands"):
            sheet = foe.sheet_of(species)
            assert_has(text, sheet.item, sheet.ability, *sheet.moves)
        gholdengo = own.sheet_of("Gholdengo")
        assert_has(text, gholdengo.item, gholdengo.ability, *gholdengo.moves)


async def test_marked_option_is_whole_where_there_is_no_room_for_all() -> None:
    events = (BATTLE.shown(lines=BATTLE.asked[4]["place"]), BATTLE.wanted(4))
    async with opened(*events) as (app, pilot, _):
        assert "Nasty Plot" not in screen_text(app)
        await pilot.press("end")
        assert_has(screen_text(app), "switch to Gholdengo", "Make It Rain", "Nasty Plot")


async def test_opponent_that_looks_ahead_is_named_until_the_battle_goes_on() -> None:
    async with opened(BATTLE.shown(lines=60), LookAheadBegan()) as (app, pilot, session):
        assert "looking ahead" in screen_text(app)
        session.post(BATTLE.shown(lines=80))
        await polled(pilot)
        assert "looking ahead" not in screen_text(app)


async def test_choice_by_the_mouse() -> None:
    events = (BATTLE.shown(lines=BATTLE.asked[1]["place"]), BATTLE.wanted(1))
    async with opened(*events) as (app, pilot, _):
        await pilot.click("#choice_menu", offset=(8, 3))
        assert len(app.choosing.chosen) == 1


async def test_illegal_choice_says_why() -> None:
    events = (BATTLE.shown(lines=BATTLE.asked[0]["place"]), BATTLE.wanted(0))
    async with opened(*events) as (app, pilot, session):
        await pilot.press("1", "1")
        assert said(app) == ["Pelipper: already chosen."]
        assert not session.sent


async def test_gimmick_and_undo_keys() -> None:
    battle = recorded(MEGA)
    events = (battle.shown(lines=battle.asked[1]["place"]), battle.wanted(1))
    async with opened(*events) as (app, pilot, _):
        await pilot.press("g")
        assert app.choosing.has_gimmick
        await pilot.press("1", "backspace")
        assert app.choosing.move is None
        assert not app.choosing.chosen


async def test_choice_waits_until_what_led_to_it_was_shown() -> None:
    place = BATTLE.asked[1]["place"]
    async with opened(BATTLE.shown(lines=23), BATTLE.wanted(0)) as (app, pilot, session):
        await pilot.press("1", "2", "3", "4")
        session.post(BATTLE.shown(lines=place), BATTLE.wanted(1))
        await polled(pilot)
        assert app.choosing is None
        await pilot.press("end")
        await polled(pilot)
        assert app.choosing is not None


RUN = RunStarted(
    "r", "saves/r", "gen9vgc2023regc", "ppo", "rl_only", 4, 1, (), actions=ActionSet(())
)


async def test_training_is_paused_saved_and_stopped_by_keys() -> None:
    async with opened(RUN, run_dir="saves/r") as (app, pilot, session):
        await pilot.press("p", "s", "q")
        assert session.sent == [Pause(), Save(), Stop("quit")]
        assert isinstance(app.screen, ClosingScreen)
        session.post(RunStopped("quit", 10, "x"))
        await polled(pilot)
        assert app.return_code == 0


async def test_keys_of_training_say_why_they_do_nothing_elsewhere() -> None:
    async with opened(BATTLE.shown()) as (app, pilot, session):
        await pilot.press("p")
        assert said(app) == ["p (pause): nothing is trained here"]
        assert not session.sent


async def test_views_with_nothing_to_show_say_why() -> None:
    played = replace(BATTLE.shown(), decisions=())
    async with opened(played) as (app, pilot, _):
        await pilot.press("4", "2")
        assert said(app) == [
            "4: nothing is trained here",
            "2: no policy judges this battle",
        ]
        assert "Win rates" not in screen_text(app)


async def test_failure_is_said_and_the_screen_stays() -> None:
    async with opened(RunFailed("The simulator stopped.", "Start it again.", False)) as (app, _, _):
        assert isinstance(app.screen, FailureScreen)
        assert "The simulator stopped." in screen_text(app)


async def test_help_lists_the_keys_of_this_screen_alone() -> None:
    async with opened(BATTLE.shown(), size=(120, 60)) as (app, pilot, _):
        await pilot.press("question_mark")
        assert isinstance(app.screen, HelpScreen)
        assert "Go back or forward one turn" in screen_text(app)
        assert "Take the game over" not in screen_text(app)


async def test_palette_finds_an_action_of_this_screen() -> None:
    async with opened(BATTLE.shown()) as (app, pilot, _):
        await pilot.press("ctrl+p", *"win rat")
        await pilot.pause(0.1)
        assert "Show the win rates" in screen_text(app)


def test_keys_of_both_screens_are_apart() -> None:
    cockpit = {entry.id for entry in KeyTable().entries}
    battles = {entry.id for entry in KeyTable(screen=BATTLES).entries}
    assert "battle.play" in battles - cockpit
    assert "take_over" in cockpit - battles
    assert {"help", "quit", "theme"} <= cockpit & battles


def test_users_keymap_reaches_the_battle_screen() -> None:
    table = KeyTable({"battle.play": "f7"}, screen=BATTLES)
    found = table.named("battle.play")
    assert found.keys == ("f7",)


def test_battle_screen_never_loads_torch() -> None:
    assert loaded_of({"torch"}, "import pokeTUI.battles.app, pokeTUI.battles.commands") == "[]\n"
