from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st
from textual.events import MouseScrollUp

from engine import events
from engine.events import PlanAnswered, PlannerStatusChanged, PlanRequested, PlanStreamed
from engine.planning_types import GoalOutcome, Outcome
from engine.types import GoalKind, Source
from pokeTUI.dashboard.planner import MAX_EXCHANGES, describe_status, readable
from pokeTUI.dashboard.state import DashboardState, fold
from pokeTUI.panes.dialogs import DetailScreen
from pokeTUI.panes.reasoning import ReasoningPane
from tests.pokeTUI.fake_session import make_decision, make_status, one_of_everything
from tests.pokeTUI.pane_app import Size, fold_all, open_pane, text_of, texts
from tests.pokeTUI.says import assert_has

SIZES = [(38, 20), (56, 9), (58, 12), (76, 24), (140, 30), (198, 56), (20, 3), (10, 1)]
STATUS = PlannerStatusChanged(
    "smollm2:1.7b",
    "asking",
    calls=41,
    failures=2,
    cached=7,
    median_latency_s=0.84,
    cost=0.012,
    uplift=0.31,
    uplift_low=0.08,
    uplift_high=0.5,
    followed=300,
    ignored=70,
)


def exchange(number: int, goal: str = "reach GYM") -> list[events.Event]:
    goal_outcome = GoalOutcome(
        0, f"k{number}", "smollm2:1.7b", GoalKind.REACH, goal, Outcome.REACHED, True, 88
    )
    answer = PlanAnswered(
        number, "smollm2:1.7b", goal, 0.7, "It is near.", "", (), 0.8, 0.2, 900, 40, 0.001
    )
    return [
        PlanRequested(number, 0, "smollm2:1.7b", "map", "You are\nin FERNWICK.", f"k{number}"),
        PlanStreamed(number, '{"reasoning": "It is near.", "choice": "reach GYM"}'),
        answer,
        events.GoalEvaluated(number, goal_outcome),
    ]


def line(number: int, text: str = "goal") -> events.Event:
    return events.ReasoningLogged(number, "planner", f"{text} {number}")


def filled(count: int = 100) -> DashboardState:
    return fold_all([*one_of_everything(), *(line(number) for number in range(count))])


def pane() -> ReasoningPane:
    return ReasoningPane()


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("acts", [(), ("up", "up", "filter"), ("page_up", "freeze")])
def test_no_line_is_wider_than_the_pane(size: Size, acts: tuple[str, ...]) -> None:
    state = fold_all([STATUS, *exchange(1), *exchange(2)[:2]], filled())
    one = pane()
    one.show(state)
    one.lines(state, *size)
    for name in acts:
        one._look(name) if name != "filter" else one._next_filter()
    assert texts(one, state, size)


@pytest.mark.parametrize("size", [(38, 20), (56, 9), (76, 24), (198, 56)])
def test_the_newest_line_is_always_there(size: Size) -> None:
    assert "goal 99" in texts(pane(), filled(), size)[-1]


def test_an_empty_log_says_so() -> None:
    lines = texts(pane(), DashboardState(), (38, 20))
    assert lines[:2] == ["goal  none yet", "now   no decision yet"]


def test_the_confidence_is_never_cut() -> None:
    decision = make_decision(1, Source.POLICY, "START", 0.73)
    for width in (36, 38, 40, 58):
        (now,) = [
            line for line in texts(pane(), fold_all([decision]), (width, 20)) if "now" in line
        ]
        assert "0.73" in now
        assert "confid" not in now or "confidence 0.73" in now


def test_a_wide_pane_gives_the_model_a_column() -> None:
    state = fold_all([STATUS, *exchange(1), *exchange(2), *exchange(3)[:2]], filled())
    text = "\n".join(texts(pane(), state, (150, 30)))
    assert_has(text, "breaker closed", "41 queries · 0.8 s each · $0.012 · 2 failed · 7 cached")
    assert "uplift +31 % (+8 to +50) 300 followed, 70 control" in text
    assert "question 3" in text
    assert "It is near. → reach GYM" in text
    assert text.count("reached after 88") >= 2


def test_the_shares_of_the_sources_are_told() -> None:
    status = make_status(shares=(("policy", 0.62), ("planner", 0.38)))
    text = "\n".join(texts(pane(), fold_all([status]), (58, 20)))
    assert_has(text, "● policy 62 %", "◆ planner 38 %")


async def test_a_frozen_log_counts_what_is_new_below() -> None:
    one = pane()
    async with open_pane(one, filled(), (76, 20)) as (pilot, _):
        one.act("freeze")
        before = texts(one, one._state, (76, 20))
        state = fold_all((line(number) for number in range(100, 112)), one._state)
        one.show(state)
        after = texts(one, state, (76, 20))
        assert after[5:-1] == before[5:-1]
        assert after[-1].startswith("frozen, 12 new below")
        one.act("follow")
        assert "goal 111" in texts(one, state, (76, 20))[-1]
        await pilot.pause()


async def test_a_frozen_log_outlives_what_the_run_forgets() -> None:
    one = pane()
    async with open_pane(one, filled(), (76, 20)):
        one.act("freeze")
        state = fold_all((line(number) for number in range(100, 6000)), one._state)
        one.show(state)
        lines = texts(one, state, (76, 20))
        assert "goal 99" in lines[-2]
        assert lines[-1].startswith("frozen, ")


@pytest.mark.parametrize("width", [34, 36, 44, 58, 76])
async def test_search_line_of_the_reasoning_pane_at_every_width(width: int) -> None:
    one = pane()
    async with open_pane(one, filled(), (width, 20)):
        for query, found in (("goal 1", "/goal 1 11 of 11"), ("Ida, nowhere", "not found")):
            one.search(query)
            state = fold_all((line(number) for number in range(100, 400)), one._state)
            about = texts(one, state, (width, 20))[-1]
            assert found in about
            assert "end follows" in about


@pytest.mark.parametrize("words", ["confidence 93%", "93% certain"], ids=["now", "journal of old"])
def test_confidence_of_a_decision_is_shown_once_and_for_each(words: str) -> None:
    sure = make_decision(7, Source.POLICY, f"B, {words}", 0.93)
    led = events.ReasoningLogged(2000, "policy", f"B, {words}", 0.93)
    other = make_decision(8, Source.RULES, "A: read on", 0.6)
    fast = make_status(speed=0.0, uptime_s=0.0)  # too fast to log each decision
    for told in ([sure], [sure, led], [led], [fast, other, led]):
        lines = texts(pane(), fold_all(told), (76, 12))
        (row,) = [one for one in lines[2:] if " B" in one]
        assert "0.93 B" in row
        assert "93%" not in row


async def test_search_goes_to_the_newest_match_and_round() -> None:
    one = pane()
    async with open_pane(one, filled(), (76, 20)):
        one.search("GOAL 1")
        assert one._chosen() is not None
        assert one._chosen().text == "goal 19"  # type: ignore[union-attr]
        assert texts(one, one._state, (76, 20))[-1].startswith("/GOAL 1 11 of 11  frozen")
        one.act("match_before")
        assert one._chosen().text == "goal 18"  # type: ignore[union-attr]
        one.act("match_after")
        one.act("match_after")
        assert one._chosen().text == "goal 1"  # type: ignore[union-attr]
        marked = [text for text in texts(one, one._state, (76, 20)) if text.startswith(("/", "›"))]
        assert any(text.startswith("›") and "goal 1" in text for text in marked)
        one.search("")
        assert "/" not in texts(one, one._state, (76, 20))[-1]
        one.search("nowhere")
        assert "not found" in texts(one, one._state, (76, 20))[-1]


async def test_the_search_is_asked_for_on_the_screen() -> None:
    one = pane()
    async with open_pane(one, filled(), (76, 20)) as (pilot, _):
        one.act("search")
        await pilot.pause()
        await pilot.press(*"goal", "space", "7", "enter")
        await pilot.pause()
        assert "/goal 7" in texts(one, one._state, (76, 20))[-1]


@given(st.text(min_size=1, max_size=6), st.lists(st.text(max_size=40), max_size=30))
def test_every_match_contains_what_was_searched_for(query: str, said: list[str]) -> None:
    one = pane()
    state = fold_all(events.ReasoningLogged(0, "planner", text) for text in said)
    one._state = state
    one.search(query)
    wanted = query.strip().casefold()
    for entry in one._shown(state):
        is_there = wanted in one.text_of(entry).casefold()
        assert (entry.number in one._matches(one._shown(state))) == (bool(wanted) and is_there)
    assert texts(one, state, (40, 12))


@given(st.lists(st.sampled_from(["planner", "rules", "model"]), min_size=1, max_size=40))
def test_a_filter_shows_all_of_a_source_and_nothing_else(sources: list[str]) -> None:
    one = pane()
    state = fold_all(
        events.ReasoningLogged(0, source, f"{index}") for index, source in enumerate(sources)
    )
    one._state = state
    seen = []
    for _ in range(len(set(sources))):
        one._next_filter()
        shown = one._shown(state)
        assert {entry.source for entry in shown} == {one._filter}
        seen += shown
    one._next_filter()
    assert one._filter == ""
    assert sorted(entry.number for entry in seen) == list(range(len(sources)))


async def test_the_last_answer_is_copied_or_the_chosen_line() -> None:
    one = pane()
    state = fold_all([STATUS, *exchange(1)], filled())
    async with open_pane(one, state, (76, 20)) as (_, app):
        one.act("copy")
        assert_has(app.copied, "goal: reach GYM", "outcome: reached after 88")
        one.act("up")
        one.act("copy")
        assert app.copied == "321 model: reached after 88: reach GYM"


async def test_a_line_of_the_model_opens_its_exchange() -> None:
    one = pane()
    async with open_pane(one, fold_all([STATUS, *exchange(1)]), (76, 20)) as (pilot, app):
        one.act("up")
        one.act("open")
        await pilot.pause()
        assert isinstance(app.screen, DetailScreen)
        text = app.screen.text
        assert_has(text, "reach GYM", "It is near.", "reached after 88", "You are\nin FERNWICK.")
        await pilot.press("y", "escape")
        await pilot.pause()
        assert app.copied == text
        assert not isinstance(app.screen, DetailScreen)


async def test_a_decision_opens_with_who_and_how_surely() -> None:
    one = pane()
    decision = make_decision(7, Source.RULES, "because\x1b[2J of that", 0.75)
    async with open_pane(one, fold_all([decision]), (76, 20)) as (pilot, app):
        one.act("open")
        await pilot.pause()
        assert isinstance(app.screen, DetailScreen)
        assert app.screen.text == "step: 7\nby: rules\nconfidence: 0.75\nbecause [2J of that"


async def test_the_mouse_scrolls_and_chooses() -> None:
    one = pane()
    async with open_pane(one, filled(), (76, 20)) as (pilot, _):
        await pilot._post_mouse_events([MouseScrollUp], widget=one, offset=(5, 15))
        await pilot.pause()
        assert texts(one, one._state, (76, 20))[-1].startswith("frozen")
        await pilot.click(one, offset=(5, 12))
        await pilot.pause()
        assert one._cursor.chosen is not None
        row = texts(one, one._state, (76, 20))[11]
        assert row.startswith("›")


def test_exchanges_are_bounded_and_replaced_goals_have_their_verdict() -> None:
    state = fold_all(event for number in range(1, 100) for event in exchange(number))
    assert len(state.planner.exchanges) == MAX_EXCHANGES
    assert all(one.goal_outcome for one in state.planner.exchanges)
    cached = replace(exchange(99)[2], is_cached=True, goal="other")  # type: ignore[type-var]
    assert fold_all([cached], state).planner.exchanges == state.planner.exchanges


READY = PlannerStatusChanged("smollm2:1.7b", "ready", calls=12, failures=1, median_latency_s=0.84)
ANSWERED = PlanAnswered(
    1, "smollm2:1.7b", "reach GYM", 0.7, "The gym is near.", "", (), 0.8, 0.2, 900, 40, 0.0
)
VERDICT = GoalOutcome(
    0, "k", "smollm2:1.7b", GoalKind.REACH, "reach GYM", Outcome.REACHED, True, 88
)
ASKED = PlanRequested(1, 0, "smollm2:1.7b", "map", "You are in FERNWICK.")


def folded(*new: events.Event) -> DashboardState:
    return fold_all(new)


def shown(state: DashboardState, width: int = 100, height: int = 20) -> str:
    return text_of(ReasoningPane(), state, (width, height))


def test_planner_status_is_silent_without_a_model():
    assert "model" not in shown(DashboardState())


def test_an_answer_is_shown_while_it_streams_in():
    state = folded(READY, ASKED, PlanStreamed(1, "The gym "), PlanStreamed(1, "is near."))
    assert_has(shown(state, height=16), "smollm2:1.7b ready", "0.8 s · 12 queries · 1 failed")
    queries = "12 queries · 0.8 s each · no cost · 1 failed"
    assert_has(shown(state), "The gym is near.", "smollm2:1.7b ● ready, breaker closed", queries)
    assert shown(state, height=9).count("\n") < 9


def test_only_the_question_of_now_streams_and_thoughts_give_way_to_the_answer():
    assert folded(READY, replace(ASKED, exchange=2), PlanStreamed(1, "old")).planner.text == ""
    state = folded(READY, ASKED, PlanStreamed(1, "hm", is_thinking=True))
    assert (state.planner.text, state.planner.is_thinking) == ("hm", True)
    assert fold(state, PlanStreamed(1, "Go")).planner.text == "Go"


def test_goals_failures_and_verdicts_are_logged():
    refused = replace(ANSWERED, goal="", error="no JSON object")
    ignored = events.GoalEvaluated(9, replace(VERDICT, is_control=True, made_progress=False))
    state = folded(ANSWERED, refused, events.GoalEvaluated(9, VERDICT), ignored)
    assert [(line.text, line.confidence) for line in state.log] == [
        ("reach GYM: The gym is near.", 0.7),
        ("no goal from smollm2:1.7b: no JSON object", None),
        ("reached after 88: reach GYM", None),
        ("control group; reached, without progress after 88: reach GYM", None),
    ]


def test_goals_of_unwatched_games_and_known_or_replaced_ones_are_not_told():
    replaced = replace(VERDICT, outcome=Outcome.REPLACED)
    told = [events.GoalEvaluated(9, one) for one in (replace(VERDICT, env_index=3), replaced)]
    assert len(folded(replace(ANSWERED, is_cached=True), *told).log) == 0


def test_a_terminal_obeys_nothing_that_a_model_says():
    evil = replace(ANSWERED, reasoning="a\x1b[2Jb\u202ec\nd", goal="\x07go")
    state = folded(READY, ASKED, PlanStreamed(1, "x\x1b]0;t\x07y\r"), evil)
    assert state.log[-1].text == " go: a [2Jb c d"
    assert state.planner.text == "x ]0;t y "


def test_an_unreachable_model_says_what_to_do():
    away = PlannerStatusChanged(
        "smollm2:1.7b", "unreachable", "Nothing answers. Start it: ollama serve", retry_in_s=5.0
    )
    text = shown(folded(away))
    assert_has(text, "unreachable, breaker open, again in 5 s", "ollama serve")
    assert "unreachable, again in 5 s" in shown(folded(away), height=12)


def test_a_model_that_is_away_is_shown_while_others_answer():
    missing = "1 of 2 models ready, b: unreachable"
    away = PlannerStatusChanged("a, b", "asking", "b: Start it: ollama serve", absent=missing)
    state = folded(away, replace(ASKED, model="a"), PlanStreamed(1, "The gym is near."))
    for width, height in ((60, 16), (100, 24), (150, 30)):
        text = shown(state, width, height)
        assert_has(text, missing, "The gym is near.")
        assert ("ollama serve" in text) == (height >= 20)
    assert "1 of 2 models ready" not in shown(fold(state, replace(away, absent="")))


def test_the_uplift_comes_with_its_interval():
    status = replace(READY, uplift=0.31, uplift_low=0.08, uplift_high=0.5, cost=0.0123)
    assert describe_status(status) == (
        "ready · uplift +31 % (+8 to +50) · 0.8 s · 12 queries · 1 failed · $0.012"
    )


def test_the_form_of_an_answer_is_not_shown():
    begun = '{"reasoning": "The \\"GYM\\" is ne'
    assert readable(begun) == 'The "GYM" is ne'
    assert readable(begun + 'ar.", "choice": "reach exi') == 'The "GYM" is near. → reach exi'
    assert readable("I would go") == "I would go"
