from dataclasses import replace
from functools import reduce

import numpy as np
import pytest

from engine import commands, events
from engine.commands import Command
from engine.planning_types import GoalOutcome, Outcome
from engine.remote.protocol import kinds
from engine.types import Evaluation, GoalKind, Source
from pokeTUI.dashboard.event_lines import COMMAND_WORDS
from pokeTUI.dashboard.state import MAX_LOG_LINES, DashboardState, fold
from tests.pokeTUI.fake_session import (
    make_curriculum,
    make_decision,
    make_episode,
    make_run,
    make_status,
    one_of_everything,
)

REACH, REACHED = GoalKind.REACH, Outcome.REACHED


def fold_all(*new: events.Event, state: DashboardState | None = None) -> DashboardState:
    return reduce(fold, new, state or DashboardState())


def test_every_kind_of_event_can_be_folded() -> None:
    ends = [
        events.CommandRefused("Watch", "there is no game 17"),
        events.CommandObeyed("Restart", "you restarted the episode"),
        events.ControlWanted(),
        events.GamesShown(()),
        events.WorldMapped(()),
        events.WarningRaised("the disk is nearly full"),
        events.ControlChanged(True),
        events.ButtonsHeld(frozenset({0, 4})),
        events.CheckpointSaved("x.zip", 9),
        events.SteeringChanged("adaptive", "balanced", "", "", (("map", 2.0),)),
        events.StatesKept((events.KeptState(1, 0, 40, "HOME"),)),
        events.RecordingChanged(True, steps=40),
        events.RecordingEnded("demos/a.demo", 40, 40, 3.5, "the goal was reached"),
        events.StrategySwitched("balanced", "llm_heavy", "the reward fell", 12),
        events.StartsChanged("demo 83 %: 4 of the last 10 succeeded"),
        events.EvaluationEnded(50, 999, Evaluation(10, 41.0, 3.0, 300.0, 0.0, 0.8)),
        events.PlanRequested(1, 0, "small", "start", "You are in bed."),
        events.PlanStreamed(1, "Go "),
        events.PlanAnswered(1, "small", "go out", 0.8, "Go out.", "", (), 1.0, 0.4, 90, 12, 0.0),
        events.GoalEvaluated(9, GoalOutcome(0, "k", "small", REACH, "go out", REACHED, True, 40)),
        events.PlannerStatusChanged("small", "ready"),
        events.PastReplayed(61.0),
        events.TimelineChanged(200, 50, ((20, "got_starter"),), ((20, 5.0),), ((30, 40),)),
        events.ViewersChanged(2, True),
        events.ConnectionLost("The connection was lost.", "Attach again.", True),
        events.RunStopped("quit", 9, "x.zip"),
        events.RunFailed("broken", "mend it", True),
        events.BattlesProgressed(9, 2, 1, 3.0, 30.0, 6.5, 0),
        events.BattleShown("1", 0, ("|turn|1",)),
        events.BattleWanted(1, "", np.ones(90, bool), np.zeros(1560, np.float32)),
        events.LookAheadBegan(),
    ]
    everything = [make_run(), *one_of_everything(), *ends]
    assert {type(event) for event in everything} == set(kinds(events, events.Event))
    state = fold_all(*everything)
    for name in ("run", "frame", "game", "status", "reward", "decision", "curriculum", "policy"):
        assert getattr(state, name) is not None
    assert state.history.count == 87
    assert state.failure is not None


def test_state_words_the_result_and_the_refusal_of_a_control() -> None:
    state = fold_all(
        events.SteeringChanged("adaptive", "balanced", "", "", (("map", 2.0),)),
        events.SteeringChanged("rl_only", "balanced", "", "", (("map", 0.5),)),
        events.CommandObeyed("Restart", "you restarted the episode"),
        events.CommandObeyed("KeepState", "you saved state 3: HOME, step 40 of game 1"),
        events.StatesKept((events.KeptState(3, 0, 40, "HOME", True),)),
        events.CommandRefused("TakeOver", "You already have control."),
    )
    assert [(notice.text, notice.severity) for notice in state.notices] == [
        ("Mode adaptive → rl_only; weight of map 2 → 0.5", "information"),
        ("You restarted the episode", "information"),
        ("You saved state 3: HOME, step 40 of game 1", "information"),
        ("Play: You already have control.", "warning"),
    ]
    assert [(line.kind, line.text) for line in state.event_log.lines()] == [
        ("control", "mode adaptive → rl_only; weight of map 2 → 0.5"),
        ("control", "you restarted the episode"),
        ("state", "saved state 3: HOME, step 40 of game 1"),
        ("refused", "play refused: You already have control."),
    ]


def test_every_command_has_a_name_in_words() -> None:
    assert set(COMMAND_WORDS) == {command.__name__ for command in kinds(commands, Command)}
    assert all(word == word.lower() for word in COMMAND_WORDS.values())


def test_folding_leaves_the_old_state_as_it_was() -> None:
    before = DashboardState()
    fold_all(*one_of_everything(), state=before)
    assert repr(before) == repr(DashboardState())  # a NaN equals nothing


def test_an_episode_from_the_archive_is_no_point_of_the_curve() -> None:
    ended = one_of_everything()
    before = fold_all(*ended)
    (last,) = [event for event in ended if isinstance(event, events.EpisodeEnded)][-1:]
    archived = replace(last, summary=replace(last.summary, start="left_house"))
    after = fold(before, archived)
    assert after.history == before.history


def test_the_latest_frame_wins() -> None:
    frames = [np.full((144, 160, 3), value, np.uint8) for value in (1, 2)]
    state = fold_all(*(events.FrameRendered(frame, 3) for frame in frames))
    assert state.frame is frames[1]


def test_repeated_decisions_become_one_line_with_a_count() -> None:
    decisions = [make_decision(step, Source.POLICY, "same", 0.5) for step in (1, 2, 3)]
    state = fold_all(make_status(speed=3.0), *decisions)
    assert [(line.text, line.count, line.step) for line in state.log] == [("same", 3, 3)]


PRESSED = make_decision(1, Source.HUMAN, "You pressed A", 1.0)
TOLD = events.ReasoningLogged(90, "human", "You pressed A", 1.0)
OTHER = events.ReasoningLogged(90, "planner", "goal: Go")


@pytest.mark.parametrize(
    ("told", "lines"),
    [
        ([make_status(speed=0.0), PRESSED, TOLD], [("You pressed A", 1)]),
        ([make_status(speed=0.0), TOLD, PRESSED], [("You pressed A", 1)]),
        ([make_status(speed=3.0), PRESSED, TOLD], [("You pressed A", 1)]),
        ([make_status(speed=3.0), TOLD, PRESSED], [("You pressed A", 1)]),
        (
            [make_status(is_human=True), TOLD, OTHER, PRESSED],
            [("goal: Go", 1), ("You pressed A", 1)],
        ),
    ],
)
def test_a_persons_decision_has_one_line_however_it_is_told(
    told: list[events.Event], lines: list[tuple[str, int]]
) -> None:
    assert [(line.text, line.count) for line in fold_all(*told).log] == lines


def test_at_the_start_of_a_replay_nothing_has_been_decided() -> None:
    run = replace(make_run(1), mode=events.REPLAY)
    state = fold_all(run, make_status(episode_steps=1), PRESSED)
    assert state.decision == PRESSED
    assert fold(state, make_status(episode_steps=0)).decision is None


def test_every_decision_is_logged_at_a_pace_that_can_be_read() -> None:
    slow = make_status(speed=3.0)
    state = fold_all(
        slow, *(make_decision(step, Source.POLICY, f"{step}", 0.5) for step in range(9))
    )
    assert len(state.log) == 9


def test_only_some_decisions_are_logged_at_full_speed() -> None:
    state = fold_all(make_status(uptime_s=10.0))
    for step in range(9):
        state = fold_all(make_decision(step, Source.POLICY, f"{step}", 0.5), state=state)
    assert [line.text for line in state.log] == ["0"]
    assert state.decision.step == 8
    state = fold_all(
        make_status(uptime_s=11.0), make_decision(9, Source.POLICY, "9", 0.5), state=state
    )
    assert [line.text for line in state.log] == ["0", "9"]


def test_reasoning_is_logged_with_the_episodes_step() -> None:
    state = fold_all(
        make_status(episode_steps=77), events.ReasoningLogged(1_000_000, "planner", "goal: go")
    )
    assert state.log[-1].step == 77
    assert state.log[-1].confidence is None


def test_the_log_is_bounded() -> None:
    lines = [events.ReasoningLogged(step, "planner", f"{step}") for step in range(5000)]
    state = fold_all(*lines)
    assert MAX_LOG_LINES <= len(state.log) < MAX_LOG_LINES + 100
    assert (state.log[-1].text, state.log[-1].number) == ("4999", 4999)


@pytest.mark.parametrize(
    ("event", "severity", "text"),
    [
        (events.CommandRefused("Watch", "no such game"), "warning", "Game: no such game"),
        (events.WarningRaised("slow disk"), "warning", "slow disk"),
        (events.ControlChanged(True), "information", "You play now"),
        (events.ControlChanged(False), "information", "The agent plays again"),
    ],
)
def test_notices_that_need_attention(event: events.Event, severity: str, text: str) -> None:
    notice = fold_all(event).notices[-1]
    assert (notice.severity, notice.text) == (severity, text)


def test_a_resumed_runs_past_makes_no_notices() -> None:
    moved = make_curriculum(has_moved=True)
    assert fold_all(moved).notices == ()
    assert fold_all(make_status(), moved).notices[-1].text == "Curriculum: stage 2, balanced"


def test_notices_are_numbered_on() -> None:
    state = fold_all(*(events.WarningRaised(str(number)) for number in range(50)))
    assert [notice.number for notice in state.notices] == list(range(31, 51))


def test_control_follows_both_its_events() -> None:
    assert fold_all(events.ControlChanged(True)).is_human
    assert not fold_all(events.ControlChanged(True), make_status()).is_human
    assert fold_all(make_status(is_human=True)).is_human


def test_an_episode_extends_the_history() -> None:
    state = fold_all(make_episode(1, 10.0), make_episode(2, 20.0, is_success=True))
    assert state.history.record.points("return")[1].tolist() == [10.0, 20.0]
    assert replace(state) == state


def test_a_switch_of_strategy_is_noticed_unless_a_resumed_run_repeats_its_past() -> None:
    switch = events.StrategySwitched("balanced", "llm_heavy", "the reward fell", 12)
    assert fold_all(switch).notices == ()
    (notice,) = fold_all(make_status(), switch).notices
    assert notice.text == "Strategy llm_heavy (rules): the reward fell"
