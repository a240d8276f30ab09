from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine import events
from engine.types import EpisodeSummary, Evaluation
from pokeTUI.dashboard.event_lines import MAX_EPISODE_LINES, EventLog
from pokeTUI.dashboard.state import DashboardState
from pokeTUI.panes.log import LogPane
from pokeTUI.panes.scroll_log import LogCursor, match_from
from tests.pokeTUI.fake_session import (
    make_curriculum,
    make_episode,
    make_run,
    make_status,
    one_of_everything,
)
from tests.pokeTUI.pane_app import Size, fold_all, open_pane, texts

STEERING = events.SteeringChanged("adaptive", "adaptive", "", "", (("map", 1.0), ("step", 1.0)))
STARTED = "run: run mossy-otter-7 started"
EVALUATED = "evaluated: policy alone after 50 episodes"
TAKEN_OVER = EpisodeSummary(2, -1.0, 90, (), start="met_professor", interventions=2)
MISSING = events.PlannerStatusChanged("smol", "unreachable", "Start it: ollama serve")
TOLD: dict[str, events.Event] = {
    f"{STARTED}: MOSSLIGHT, ppo, adaptive, 16 games in 2 processes": make_run(),
    f"{STARTED}, resumed at step 1,200: MOSSLIGHT, ppo, adaptive, 1 game in 1 process": replace(
        make_run(1), num_workers=1, resumed_from=1200
    ),
    "work: reading the game": events.ProgressReported("reading the game"),
    "warning: a [2Jb": events.WarningRaised("a\x1b[2Jb"),
    "refused: game refused: no game 17": events.CommandRefused("Watch", "no game 17"),
    "control: you branched from state 3": events.CommandObeyed(
        "Branch", "you branched from state 3"
    ),
    "saved: saved at step 1,234: 00123.zip": events.CheckpointSaved("saves/x/00123.zip", 1234),
    f"{EVALUATED}: reward +41.0 ± 3.0, success 80 %, 300 steps": events.EvaluationEnded(
        50, 999, Evaluation(10, 41.0, 3.0, 300.0, 0.0, 0.8)
    ),
    "episode: episode 7: +12.5 in 1,400 steps, goal reached, game 1": make_episode(
        7, 12.5, is_success=True
    ),
    "episode: episode 8: -1.0 in 90 steps, from met_professor, taken over 2 times, game 3": (
        events.EpisodeEnded(8, 9, TAKEN_OVER)
    ),
    "stage: stage 2 of 4: balanced": make_curriculum(has_moved=True),
    "strategy: strategy balanced → llm_heavy (rules): the reward fell": events.StrategySwitched(
        "balanced", "llm_heavy", "the reward fell", 12
    ),
    "control: played by hand now": events.ControlChanged(True),
    "state: saved state 3: HOME, step 40 of game 2": events.StatesKept(
        (events.KeptState(3, 1, 40, "HOME", True),)
    ),
    "warning: model smol is unreachable: Start it: ollama serve": MISSING,
    "failure: the run failed: It broke. Mend it.": events.RunFailed("It broke.", "Mend it.", True),
    "run: the run ended at step 9: quit, saved as x.zip": events.RunStopped(
        "quit", 9, "saves/x.zip"
    ),
}
"""The event of each line, which begins with its kind."""


def pane() -> LogPane:
    return LogPane()


def lines_of(*new: events.Event) -> list[tuple[str, str]]:
    return [(line.kind, line.text) for line in fold_all(new).event_log.lines()]


@pytest.mark.parametrize("told", TOLD)
def test_log_line_of_each_event(told: str) -> None:
    assert lines_of(TOLD[told]) == [tuple(told.split(": ", 1))]


def test_log_line_of_each_change_by_a_person() -> None:
    changed = replace(
        STEERING,
        strategy="balanced",
        goal="first_win",
        instruction="go",
        weights=(("map", 2.5), ("step", 1.0)),
    )
    back = replace(STEERING, mode="rl_only")
    assert lines_of(STEERING, changed, changed, back) == [
        (
            "control",
            "strategy adaptive → balanced; goal set: first_win; instruction: go; "
            "weight of map 1 → 2.5",
        ),
        (
            "control",
            "mode adaptive → rl_only; strategy balanced → adaptive; your goal was cleared; "
            "your instruction was cleared; weight of map 2.5 → 1",
        ),
    ]


def test_a_state_is_told_once_and_only_if_a_person_kept_it() -> None:
    by_itself, asked = events.KeptState(1, 0, 20, "HOME"), events.KeptState(2, 0, 40, "HOME", True)
    told = lines_of(
        events.StatesKept((by_itself,)),
        events.StatesKept((by_itself, asked)),
        events.StatesKept((asked, events.KeptState(3, 0, 60, "HOME"))),
    )
    assert [text for _, text in told] == ["saved state 2: HOME, step 40 of game 1"]


def test_that_a_model_is_asked_is_no_news() -> None:
    states = ["loading", "ready", "asking", "ready", "waiting", "ready"]
    told = lines_of(*(events.PlannerStatusChanged("smol", state) for state in states))
    assert [text for _, text in told] == [
        "model smol is loading",
        "model smol is waiting",
        "model smol is ready",
    ]


def test_that_one_of_several_models_goes_or_comes_back_is_told() -> None:
    away = events.PlannerStatusChanged(
        "a, b", "ready", "b: Start it.", absent="1 of 2 models ready, b: unreachable"
    )
    well = replace(away, absent="", detail="")
    asked = [replace(status, state="asking") for status in (well, away)]
    told = lines_of(well, asked[0], away, asked[1], away, well)
    assert told == [
        ("model", "model a, b is ready"),
        ("warning", "model a, b is ready: 1 of 2 models ready, b: unreachable. b: Start it."),
        ("model", "model a, b is ready"),
    ]


def test_equal_warnings_are_counted() -> None:
    log = fold_all([events.WarningRaised("slow")] * 3 + [events.WarningRaised("full")]).event_log
    assert [(line.text, line.count) for line in log.lines()] == [("slow", 3), ("full", 1)]


def test_episodes_do_not_push_a_warning_out() -> None:
    episodes = [make_episode(number, 1.0) for number in range(3 * MAX_EPISODE_LINES)]
    lines = fold_all([events.WarningRaised("slow"), *episodes]).event_log.lines()
    assert lines[0].text == "slow"
    assert len(lines) < MAX_EPISODE_LINES + 100
    assert [line.number for line in lines] == sorted(line.number for line in lines)


def test_log_is_unchanged_by_events_without_a_line() -> None:
    log = EventLog()
    assert log.take(make_status(), 1.0) is log
    assert log.take(make_curriculum(), 1.0) is log


@pytest.mark.parametrize("size", [(38, 20), (56, 9), (76, 24), (198, 56), (20, 3), (9, 1)])
def test_no_line_is_wider_than_the_pane(size: Size) -> None:
    state = fold_all([*one_of_everything(), *TOLD.values()])
    assert len(texts(pane(), state, size)) == size[1]


def test_an_empty_log_says_so() -> None:
    assert texts(pane(), DashboardState(), (38, 20)) == ["Nothing has happened yet."]


async def test_warnings_are_shown_alone() -> None:
    one = pane()
    state = fold_all([make_status(uptime_s=754.0), *TOLD.values()])
    async with open_pane(one, state, (100, 20)):
        one.act("filter")
        lines = texts(one, state, (100, 20))
        assert [line.split()[2] for line in lines if line.startswith(" 0:12:34")] == [
            "warning",
            "refused",
            "warning",
            "failure",
        ]
        assert lines[-1] == "showing warnings"
        one.act("filter")
        assert "episode 7" not in "\n".join(texts(one, state, (100, 20)))
        for _ in range(4):
            one.act("filter")
        assert "showing" not in texts(one, state, (100, 20))[-1]


def test_an_episode_of_one_step_is_counted_in_the_singular() -> None:
    state = fold_all([events.EpisodeEnded(8, 9, EpisodeSummary(0, 1.0, 1, ()))])
    assert "episode 8: +1.0 in 1 step, game 1" in "\n".join(texts(pane(), state, (100, 9)))


async def test_hits_that_the_filter_hides_are_counted() -> None:
    one = pane()
    state = fold_all([make_status(uptime_s=754.0), *TOLD.values()])
    async with open_pane(one, state, (100, 20)):
        one.search("mossy-otter-7 started")
        assert "hidden" not in texts(one, state, (100, 20))[-1]
        one.act("filter")
        about = texts(one, state, (100, 20))[-1]
        assert "not found  2 hits hidden by the filter" in about
        one.search("resumed at step")
        assert "1 hit hidden by the filter" in texts(one, state, (100, 20))[-1]
        assert "1 hidden" in texts(one, state, (30, 20))[-1]


async def test_a_line_is_copied_and_shown_whole() -> None:
    one = pane()
    state = fold_all([make_status(uptime_s=754.0), events.WarningRaised("word " * 100)])
    async with open_pane(one, state, (40, 10)) as (pilot, app):
        one.act("copy")
        assert app.copied.startswith("0:12:34 warning: word word")
        one.act("open")
        await pilot.pause()
        assert ("word " * 100).strip() in app.screen.text.strip()  # type: ignore[attr-defined]


async def test_empty_log_has_nothing_to_copy() -> None:
    one = pane()
    async with open_pane(one, DashboardState(), (40, 10)) as (_, app):
        for key in one.KEYS:
            if key.name != "search":
                one.act(key.name)
        assert app.copied == ""


NUMBERS = list(range(10, 30))


@st.composite
def logs(draw: st.DrawFn) -> tuple[list[int], list[int]]:
    """Return rising numbers, and the height of each entry."""
    numbers = sorted(draw(st.sets(st.integers(0, 500), min_size=1, max_size=60)))
    heights = draw(st.lists(st.integers(1, 3), min_size=len(numbers), max_size=len(numbers)))
    return numbers, heights


MOVES = st.lists(st.tuples(st.sampled_from(["move", "scroll"]), st.integers(-7, 7)), max_size=20)


@given(logs(), MOVES, st.integers(3, 20))
def test_the_chosen_entry_is_always_shown(
    log: tuple[list[int], list[int]], moves: list[tuple[str, int]], room: int
) -> None:
    numbers, heights = log
    cursor = LogCursor()
    for name, step in moves:
        cursor = getattr(cursor, name)(numbers, step)
        start, stop = cursor.window(numbers, heights.__getitem__, room)
        assert 0 <= start < stop <= len(numbers)
        assert sum(heights[start:stop]) <= room
        if cursor.chosen is not None:
            assert cursor.chosen in numbers[start:stop]


@given(logs(), st.integers(3, 20), st.lists(st.integers(501, 600), max_size=9, unique=True))
def test_frozen_log_stays(log: tuple[list[int], list[int]], room: int, later: list[int]) -> None:
    numbers, heights = log
    cursor = LogCursor().freeze(numbers)
    before = cursor.window(numbers, heights.__getitem__, room)
    grown = numbers + sorted(later)
    assert cursor.window(grown, (heights + [1] * len(later)).__getitem__, room) == before
    assert cursor.num_new(grown) == len(later)


@given(logs(), st.integers(3, 20))
def test_a_page_that_fits_is_full(log: tuple[list[int], list[int]], room: int) -> None:
    numbers, heights = log
    cursor = LogCursor().move(numbers, 0).move(numbers, -1000)
    start, stop = cursor.window(numbers, heights.__getitem__, room)
    assert start == 0
    assert stop == len(numbers) or sum(heights[: stop + 1]) > room


def test_scrolling_to_the_end_follows_again() -> None:
    cursor = LogCursor().scroll(NUMBERS, -3)
    assert (cursor.is_frozen, cursor.bottom) == (True, 26)
    assert cursor.scroll(NUMBERS, 3) == LogCursor()


def test_an_empty_log_can_be_frozen() -> None:
    cursor = LogCursor().freeze([])
    assert cursor.num_new([]) == 0
    assert cursor.num_new([0, 1]) == 2
    assert cursor.move([], 1) == cursor
    assert cursor.window([], lambda index: 1, 5) == (0, 0)


def test_matches_go_round() -> None:
    matches = [12, 15, 20]
    assert match_from(matches, None, -1) == 20
    assert match_from(matches, 20, -1) == 15
    assert match_from(matches, 12, -1) == 20
    assert match_from(matches, 20, 1) == 12
    assert match_from(matches, 13, 1) == 15
    assert match_from([], 13, 1) is None
