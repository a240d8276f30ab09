"""What a person's keys ask of the engine, by turns and in real time."""

from textual.events import AppBlur

from engine import events
from engine.commands import (
    Command,
    GiveBack,
    Hold,
    PlayLive,
    Press,
    Resume,
    RunBackwards,
    StepOnce,
    TakeOver,
)
from engine.types import Action
from pokeTUI.input.playing import ANSWER_TIMEOUT_S, HOLD_S, REPEAT_INTERVAL_S, Playing
from pokeTUI.terminal.driver import KeyReleased, ReleasesReported
from tests.pokeTUI.conftest import comes_to_show, open_cockpit, post, press, screen_text, settle
from tests.pokeTUI.fake_session import make_game, make_status
from tests.pokeTUI.says import assert_has
from tests.pokeTUI.test_start import until

LEFT, UP = frozenset({Action.LEFT}), frozenset({Action.UP})
NOTHING: frozenset[Action] = frozenset()
KEYS = {"left": Action.LEFT, "up": Action.UP, "z": Action.A, "x": Action.B}
ANSWER = events.GameObserved(make_game(), None, frozenset())


class Player:
    """A person at the keys, with a clock that stands still unless told."""

    def __init__(self, *, is_live: bool = False) -> None:
        self.now_s = 100.0
        self.sent: list[Command] = []
        self.playing = Playing(self.sent.append, KEYS, lambda: self.now_s)
        if is_live:
            self.playing.toggle_live()
            self.playing.take(make_status(is_human=True, is_live=True))
            self.sent.clear()

    def press(self, *buttons: Action, gap_s: float = 0.0) -> None:
        for button in buttons:
            self.now_s += gap_s
            self.playing.press(button)

    def answer(self) -> None:
        self.playing.take(ANSWER)

    def wait(self, seconds: float) -> None:
        self.now_s += seconds
        self.playing.look(is_covered=False)


def test_each_press_is_one_action() -> None:
    player = Player()
    for button in (Action.UP, Action.UP, Action.A):
        player.press(button, gap_s=0.2)
        player.answer()
    assert player.sent == [Press(Action.UP), Press(Action.UP), Press(Action.A)]


def test_while_the_engine_is_busy_one_press_waits_and_the_newest_wins() -> None:
    player = Player()
    player.press(Action.UP, Action.A, Action.B)
    assert player.sent == [Press(Action.UP)]
    player.answer()
    assert player.sent == [Press(Action.UP), Press(Action.B)]
    player.answer()
    player.answer()
    assert len(player.sent) == 2


def test_a_refused_press_is_answered_too() -> None:
    player = Player()
    player.press(Action.UP, Action.A)
    player.playing.take(events.CommandRefused("Press", "Take control first."))
    assert player.sent == [Press(Action.UP), Press(Action.A)]


def test_an_engine_that_never_answers_does_not_lock_the_keys() -> None:
    player = Player()
    player.press(Action.UP)
    player.press(Action.A, gap_s=ANSWER_TIMEOUT_S + 0.1)
    assert player.sent == [Press(Action.UP), Press(Action.A)]


def test_repeats_never_wait_so_nothing_goes_on_when_the_key_is_up() -> None:
    player = Player()
    player.press(*[Action.UP] * 20, gap_s=0.03)
    assert player.sent == [Press(Action.UP)]
    player.answer()
    assert player.sent == [Press(Action.UP)]


def test_a_held_key_acts_about_eight_times_a_second() -> None:
    player = Player()
    for _ in range(100):
        player.press(Action.UP, gap_s=0.03)
        player.answer()
    assert 3.0 / REPEAT_INTERVAL_S * 0.75 <= len(player.sent) <= 3.0 / REPEAT_INTERVAL_S + 1


def test_a_fast_double_tap_counts_twice_where_releases_are_told() -> None:
    player = Player()
    player.press(Action.A)
    player.answer()
    player.playing.release("z")
    player.press(Action.A, gap_s=0.05)
    assert player.sent == [Press(Action.A), Press(Action.A)]


def test_in_real_time_a_tap_is_held_for_a_moment() -> None:
    player = Player(is_live=True)
    player.press(Action.LEFT)
    assert player.sent == [Hold(LEFT)]
    player.wait(HOLD_S / 2)
    assert player.sent == [Hold(LEFT)]
    player.wait(HOLD_S)
    assert player.sent == [Hold(LEFT), Hold(NOTHING)]


def test_a_hold_is_told_only_when_it_changes() -> None:
    player = Player(is_live=True)
    player.press(*[Action.LEFT] * 20, gap_s=0.04)
    player.press(Action.UP)
    player.wait(HOLD_S + 0.01)
    assert player.sent == [Hold(LEFT), Hold(UP), Hold(NOTHING)]


def test_with_releases_a_key_is_held_until_it_is_up() -> None:
    player = Player(is_live=True)
    player.playing.report_releases()
    player.press(Action.LEFT)
    player.wait(10.0)
    assert player.sent == [Hold(LEFT)]
    player.press(Action.A)
    player.playing.release("left")
    player.playing.release("Z")
    player.playing.release("z")
    assert player.sent == [
        Hold(LEFT),
        Hold(LEFT | {Action.A}),
        Hold(frozenset({Action.A})),
        Hold(NOTHING),
    ]


def test_covered_game_releases_all_keys() -> None:
    for cover in (
        lambda player: player.playing.look(is_covered=True),
        lambda player: player.playing.let_go(),
    ):
        player = Player(is_live=True)
        player.playing.report_releases()
        player.press(Action.LEFT)
        cover(player)
        assert player.sent == [Hold(LEFT), Hold(NOTHING)]


def test_an_old_status_does_not_take_real_time_back() -> None:
    player = Player()
    player.playing.toggle_live()
    player.playing.take(make_status(is_human=True, is_live=False))
    player.press(Action.LEFT)
    assert player.sent == [PlayLive(True), Hold(LEFT)]
    player.playing.take(make_status(is_human=True, is_live=True))
    player.playing.take(make_status(is_human=True, is_live=False))
    assert not player.playing.is_live


def test_real_time_that_is_refused_is_over() -> None:
    player = Player()
    player.playing.toggle_live()
    player.playing.take(events.CommandRefused("PlayLive", "Take control first."))
    player.playing.take(make_status(is_live=False))
    player.press(Action.LEFT)
    assert player.sent == [PlayLive(True), Press(Action.LEFT)]


async def test_l_plays_in_real_time_and_back() -> None:
    async with open_cockpit() as (pilot, session):
        await pilot.press("l")
        assert PlayLive(True) not in session.sent
        await press(pilot, "t")
        assert "l live" in screen_text(pilot)
        session.sent.clear()
        await press(pilot, "l")
        assert session.sent == [PlayLive(True)]
        assert "l by turns" in screen_text(pilot)
        await pilot.press("left")
        await until(pilot, lambda: len(session.sent) > 2)
        assert session.sent == [PlayLive(True), Hold(LEFT), Hold(NOTHING)]
        await press(pilot, "l")
        session.sent.clear()
        await press(pilot, "left")
        assert session.sent == [Press(Action.LEFT)]


async def test_keys_that_go_up_blur_and_dialogs_let_go() -> None:
    async with open_cockpit() as (pilot, session):
        app = pilot.app
        app.post_message(ReleasesReported())
        await press(pilot, "t")
        await press(pilot, "l")
        session.sent.clear()
        await press(pilot, "left")
        assert session.sent == [Hold(LEFT)]
        app.post_message(KeyReleased("left"))
        await settle(pilot)
        assert session.sent.pop() == Hold(NOTHING)
        for cover in ("blur", "help"):
            session.sent.clear()
            await press(pilot, "up")
            assert session.sent == [Hold(UP)]
            if cover == "blur":
                app.post_message(AppBlur())
            else:
                await pilot.press("question_mark")
            await settle(pilot)
            assert session.sent == [Hold(UP), Hold(NOTHING)], cover


async def test_giving_back_ends_real_time() -> None:
    async with open_cockpit() as (pilot, session):
        for key in ("t", "l", "t", "t"):
            await press(pilot, key)
        session.sent.clear()
        await press(pilot, "left")
        assert session.sent == [Press(Action.LEFT)]
        assert GiveBack() not in session.sent
        assert TakeOver() not in session.sent
        assert not await _is_shown_live(pilot)


async def _is_shown_live(pilot) -> bool:
    await settle(pilot)
    return "l by turns" in screen_text(pilot)


def test_a_held_key_runs_backwards_until_its_repeats_stop() -> None:
    player = Player()
    for _ in range(5):
        player.playing.run_back()
        player.wait(HOLD_S / 2)
    assert player.sent == [RunBackwards(True)]
    player.wait(HOLD_S)
    assert player.sent == [RunBackwards(True), RunBackwards(False)]
    player.wait(HOLD_S)
    assert len(player.sent) == 2


async def test_a_key_that_reports_its_release_runs_backwards_until_it_goes_up() -> None:
    async with open_cockpit() as (pilot, session):
        session.post(make_status(is_human=True), events.RecordingChanged(True, 9, 9, rewindable=9))
        pilot.app.post_message(ReleasesReported())
        await settle(pilot)
        await pilot.press("r")
        assert session.sent == [RunBackwards(True)]
        pilot.app.post_message(KeyReleased("r"))
        await settle(pilot)
        assert session.sent == [RunBackwards(True), RunBackwards(False)]


def test_frame_by_frame_a_tap_chooses_a_button_and_another_lets_it_go() -> None:
    player = Player(is_live=True)
    player.playing.take(make_status(is_human=True, is_live=True, is_paused=True))
    player.press(Action.LEFT)
    player.wait(60.0)
    player.press(Action.A, Action.RIGHT, Action.A)
    held = [command.buttons for command in player.sent if isinstance(command, Hold)]
    right = frozenset({Action.RIGHT})
    assert held == [LEFT, LEFT | {Action.A}, right | {Action.A}, right]
    assert player.playing.chosen == right
    player.playing.take(make_status(is_human=True, is_live=True))
    player.wait(0.0)
    assert player.sent[-1] == Hold(frozenset())
    assert player.playing.chosen is None


async def test_live_play_is_advanced_a_frame_by_the_key_that_steps() -> None:
    async with open_cockpit(120, 40) as (pilot, session):
        await post(pilot, session, make_status(is_human=True, is_live=True))
        assert_has(screen_text(pilot), "l by turns", ". frame")
        await pilot.press("full_stop")
        await post(pilot, session, make_status(is_human=True, is_live=True, is_paused=True))
        assert "FRAME BY FRAME" in screen_text(pilot)
        await pilot.press("right")
        assert await comes_to_show(pilot, "Held in the next frames: RIGHT")
        await pilot.press("p")
        assert session.sent == [StepOnce(), Hold(frozenset({Action.RIGHT})), Resume()]
