from dataclasses import replace

from engine import events
from engine.events import PlanAnswered, PlannerStatusChanged, PlanRequested, PlanStreamed
from engine.planning_types import GoalOutcome, Outcome
from engine.types import GoalKind
from pokeTUI.dashboard.planner import describe_status, readable
from pokeTUI.dashboard.state import DashboardState, fold
from pokeTUI.panes.reasoning import ReasoningPane

READY = PlannerStatusChanged("smollm2:1.7b", "ready", calls=12, failures=1, median_latency_s=0.84)
ANSWERED = PlanAnswered(
    1, "smollm2:1.7b", "reach GYM", 0.7, "The gym is near.", "", (), 0.8, 0.2, 900, 40, 0.0
)
VERDICT = GoalOutcome(
    0, "k", "smollm2:1.7b", GoalKind.REACH, "reach GYM", Outcome.REACHED, True, 88
)


def folded(*new: events.Event) -> DashboardState:
    state = DashboardState()
    for event in new:
        state = fold(state, event)
    return state


def shown(state: DashboardState, width: int = 100, height: int = 20) -> str:
    pane = ReasoningPane()
    return "\n".join(line.text for line in pane.lines(state, width, height))


def test_planner_status_is_silent_without_a_model():
    assert "model" not in shown(DashboardState())


def test_an_answer_is_shown_while_it_streams_in():
    asked = PlanRequested(1, 0, "smollm2:1.7b", "map", "You are in FERNWICK.")
    streamed = [PlanStreamed(1, "The gym "), PlanStreamed(1, "is near.")]
    state = folded(READY, asked, *streamed)
    assert "The gym is near." in shown(state)
    assert "smollm2:1.7b ready" in shown(state, height=16)
    assert "0.8 s · 12 queries · 1 failed" in shown(state, height=16)
    assert "smollm2:1.7b ● ready, breaker closed" in shown(state)
    assert "12 queries · 0.8 s each · no cost · 1 failed" in shown(state)
    assert shown(state, height=9).count("\n") < 9


def test_only_the_question_of_now_streams():
    ask = PlanRequested(2, 0, "m", "map", "?")
    assert folded(READY, ask, PlanStreamed(1, "old")).planner.text == ""


def test_thoughts_give_way_to_the_answer():
    ask = PlanRequested(1, 0, "m", "map", "?")
    thought = PlanStreamed(1, "hm", is_thinking=True)
    state = folded(READY, ask, thought)
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


def test_goals_of_games_that_nobody_watches_are_not_told():
    assert len(folded(events.GoalEvaluated(9, replace(VERDICT, env_index=3))).log) == 0


def test_known_or_replaced_planner_states_make_no_notice():
    replaced = replace(VERDICT, outcome=Outcome.REPLACED)
    state = folded(replace(ANSWERED, is_cached=True), events.GoalEvaluated(9, replaced))
    assert len(state.log) == 0


def test_a_terminal_obeys_nothing_that_a_model_says():
    ask = PlanRequested(1, 0, "m", "map", "?")
    evil = replace(ANSWERED, reasoning="a\x1b[2Jb\u202ec\nd", goal="\x07go")
    state = folded(READY, ask, PlanStreamed(1, "x\x1b]0;t\x07y\r"), evil)
    assert state.log[-1].text == " go: a [2Jb c d"
    assert state.planner.text == "x ]0;t y "


def test_an_unreachable_model_says_what_to_do():
    away = PlannerStatusChanged(
        "smollm2:1.7b", "unreachable", "Nothing answers. Start it: ollama serve", retry_in_s=5.0
    )
    text = shown(folded(away))
    assert "unreachable, breaker open, again in 5 s" in text
    assert "ollama serve" in text
    assert "unreachable, again in 5 s" in shown(folded(away), height=12)


def test_a_model_that_is_away_is_shown_while_others_answer():
    away = PlannerStatusChanged(
        "a, b", "asking", "b: Start it: ollama serve", absent="1 of 2 models ready, b: unreachable"
    )
    asked = PlanRequested(1, 0, "a", "map", "?")
    state = folded(away, asked, PlanStreamed(1, "The gym is near."))
    for width, height in ((60, 16), (100, 24), (150, 30)):
        text = shown(state, width, height)
        assert "1 of 2 models ready, b: unreachable" in text
        assert "The gym is near." in text
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
