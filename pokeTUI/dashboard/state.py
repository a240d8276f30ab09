"""Fold the engine's events into what the screen shows: pure, so that it can be tested alone."""

import math
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import Any, TypeVar

from engine import events
from engine.events import Event
from engine.planning.history.patterns import success_interval
from engine.types import (
    GAME_BOY_ACTIONS,
    ActionSet,
    EpisodeSummary,
    Frame,
    Goal,
    MapOutline,
    Source,
)
from pokeTUI.dashboard.event_lines import (
    Backlog,
    EventLog,
    command_words,
    demonstration_end,
    steering_changes,
)
from pokeTUI.dashboard.history import (
    MAX_MOVES,
    STEPS,
    EpisodeHistory,
    Move,
    Record,
    stage_move,
    strategy_move,
)
from pokeTUI.dashboard.planner import (
    PlannerEvent,
    PlannerView,
    fold_planner,
    planner_line,
    strategy_name,
)

_Item = TypeVar("_Item")

MAX_LOG_LINES = 2000
MAX_PAYOUTS = 50
MAX_PROGRESS_LINES = 8
MAX_NOTICES = 20
READABLE_SPEED = 6.0
"""Actions a second up to which every decision is logged."""
DECISION_LINE_INTERVAL_S = 0.75


@dataclass(frozen=True, slots=True)
class LogLine:
    """A line of the reasoning log; numbers rise by 1.

    Attributes:
        confidence: 0 to 1, or None for what is no decision.
        count: How often it was decided in a row; 0 while only words of a decision have come.
        exchange: Number of the question to a language model that it is about, 0 if none.
    """

    step: int
    source: str
    text: str
    confidence: float | None = None
    count: int = 1
    number: int = 0
    exchange: int = 0


@dataclass(frozen=True, slots=True)
class Notice:
    """A short message, shown for a few seconds: information, warning or error.

    Numbers count all notices, so that a reader knows which are new.
    """

    number: int
    text: str
    severity: str


@dataclass(frozen=True, slots=True)
class BattleMoment:
    """What of the battle on the screen decides which of its keys make sense now.

    Attributes:
        has_turns: There is another turn, or the preview, to go to.
        has_next: There is another battle to watch or to play.
        is_playing: It is played line by line.
        menu: What enter does in the menu that has the keyboard, as "choose target"; "": none has.
        gimmick: What its key does: "Tera", "no Tera", "Mega", ...; "": the slot has none.
        has_picked: Part of the choice is made.
        views: Those that have something to show, by the names that their keys have.
    """

    has_turns: bool = False
    has_next: bool = False
    is_playing: bool = False
    menu: str = ""
    gimmick: str = ""
    has_picked: bool = False
    views: tuple[str, ...] = ("log", "sheets")


@dataclass(frozen=True, slots=True)
class DashboardState:
    """Everything that the panes show."""

    run: events.RunStarted | None = None
    progress: tuple[str, ...] = ()
    work: events.ProgressReported | None = None
    """The last line of `progress`, with how much of it is done."""
    frame: Frame | None = None
    game: events.GameObserved | None = None
    games: events.GamesShown | None = None
    """All games, small; None until somebody looks at them."""
    last_ends: Mapping[int, EpisodeSummary] = field(default_factory=dict)
    """The last episode of each game that has finished one."""
    world: tuple[MapOutline, ...] = ()
    """The maps of the game's world, () where only those seen are known."""
    status: events.StatusChanged | None = None
    reward: events.RewardPaid | None = None
    payouts: tuple[events.PayoutMade, ...] = ()
    decision: events.DecisionMade | None = None
    held: frozenset[int] = frozenset()
    """Buttons that are down while a person plays in real time."""
    log: Backlog[LogLine] = field(default_factory=lambda: Backlog(MAX_LOG_LINES))
    event_log: EventLog = field(default_factory=EventLog)
    planner: PlannerView = field(default_factory=PlannerView)
    history: EpisodeHistory = field(default_factory=EpisodeHistory)
    updates: Record = field(default_factory=lambda: Record(absent=math.nan))
    """The policy's figures, by update; not every update has every figure."""
    evaluations: Record = field(default_factory=Record)
    """Of the policy alone, by episode: return, length, success and its 95 % interval."""
    evaluated: events.EvaluationEnded | None = None
    """The last evaluation of the policy alone."""
    moves: tuple[Move, ...] = ()
    strategy: str = ""
    """In force, "" while that is not known."""
    curriculum: events.CurriculumChanged | None = None
    starts: str = ""
    """Where episodes begin, "" where all do at the true start."""
    policy: events.PolicyUpdated | None = None
    checkpoint: events.CheckpointSaved | None = None
    system: events.SystemMeasured | None = None
    """What the run takes of its machine; None before that is measured."""
    is_human: bool = False
    steering: events.SteeringChanged | None = None
    first_weights: tuple[tuple[str, float], ...] = ()
    """Weights of the reward components before a person changed any."""
    kept_states: tuple[events.KeptState, ...] = ()
    is_keeping: bool = False
    """Another state was asked for, and is not among them yet."""
    recording: events.RecordingChanged | None = None
    """How the demonstration stands; None where none was begun."""
    timeline: events.TimelineChanged | None = None
    """What is known of a whole replay; None where nothing is replayed."""
    past_s: float = math.nan
    """Uptime at which what comes happened, in the past that a late viewer is sent; nan: now."""
    next_decision_line_s: float = 0.0
    """Uptime before which no decision is logged."""
    notices: tuple[Notice, ...] = ()
    battle: BattleMoment = BattleMoment()
    """Of the battle screen, which alone changes it."""
    viewers: events.ViewersChanged | None = None
    """Who looks at the run besides; None where nobody can."""
    end: events.RunStopped | events.RunFailed | events.ConnectionLost | None = None

    @property
    def is_paused(self) -> bool:
        """Return whether stepping has stopped."""
        return self.status is not None and self.status.is_paused

    @property
    def is_played_here(self) -> bool:
        """Return whether a person plays, and that is who sits here, not another viewer."""
        return self.is_human and (self.viewers is None or self.viewers.is_yours)

    @property
    def goal(self) -> Goal | None:
        """What the agent is after."""
        return self.game.goal if self.game is not None else None

    @property
    def shares(self) -> tuple[tuple[str, float], ...]:
        """Who made the last decisions: the share of each source, () while nobody has counted."""
        return self.status.shares if self.status is not None else ()

    @property
    def actions(self) -> ActionSet:
        """Return what can be done in the game."""
        return self.run.actions if self.run is not None else GAME_BOY_ACTIONS

    @property
    def failure(self) -> events.RunFailed | None:
        """Return how the run failed, if it did."""
        return self.end if isinstance(self.end, events.RunFailed) else None


def fold(state: DashboardState, event: Event) -> DashboardState:
    """Return the state after `event`."""
    after = _fold(state, event)
    uptime_s = after.past_s
    if math.isnan(uptime_s):
        uptime_s = after.status.uptime_s if after.status is not None else 0.0
    event_log = state.event_log.take(event, uptime_s)
    return after if event_log is state.event_log else replace(after, event_log=event_log)


_KEPT: Mapping[type[Event], str] = MappingProxyType(
    {
        events.GameObserved: "game",
        events.GamesShown: "games",
        events.RewardPaid: "reward",
        events.RunStarted: "run",
        events.CheckpointSaved: "checkpoint",
        events.SystemMeasured: "system",
        events.TimelineChanged: "timeline",
        events.RecordingChanged: "recording",
        events.RunFailed: "end",
        events.RunStopped: "end",
        events.ConnectionLost: "end",
    }
)
"""Events that are kept whole, by the field that holds the last one."""


def _fold(state: DashboardState, event: Event) -> DashboardState:
    if kept_as := _KEPT.get(type(event)):
        kept: dict[str, Any] = {kept_as: event}
        return replace(state, **kept)
    match event:
        case events.FrameRendered():
            return replace(state, frame=event.frame)
        case events.StatusChanged():
            state = replace(state, status=event, is_human=event.is_human)
            is_replay = state.run is not None and state.run.mode == events.REPLAY
            # Back at the start, where nothing has been decided.
            return replace(state, decision=None) if is_replay and not event.episode_steps else state
        case events.PayoutMade():
            return replace(state, payouts=_append(state.payouts, event, MAX_PAYOUTS))
        case events.DecisionMade():
            return _log_decision(replace(state, decision=event), event)
        case events.ButtonsHeld(buttons=buttons):
            return replace(state, held=buttons)
        case events.ReasoningLogged(confidence=float()) if _is_each_logged(state.status):
            return state  # it repeats a decision, which has a line of its own
        case events.ReasoningLogged(source=source, text=text, confidence=confidence):
            # Its step counts the whole run; the log counts the episode's, as decisions do.
            step = state.status.episode_steps if state.status is not None else 0
            # A decision's words do not count: the decision does, which comes before or after.
            count = 1 if confidence is None else 0
            line = LogLine(step, source, text, confidence, count)
            return replace(state, log=_log(state.log, line))
        case (
            events.PlanRequested()
            | events.PlanStreamed()
            | events.PlanAnswered()
            | events.GoalEvaluated()
            | events.PlannerStatusChanged()
        ):
            return _fold_planner(state, event)
        case events.WorldMapped(outlines=outlines):
            return replace(state, world=outlines)
        case events.ProgressReported(text=text):
            if state.progress[-1:] != (text,):
                progress = _append(state.progress, text, MAX_PROGRESS_LINES)
                state = replace(state, progress=progress)
            return replace(state, work=event)
        case events.ControlChanged(is_human=is_human):
            state = replace(state, is_human=is_human)
            who = "You play" if state.is_played_here else "Another viewer plays"
            return _notify(state, f"{who} now" if is_human else "The agent plays again")
        case events.SteeringChanged():
            changes = steering_changes(state.steering, event) if state.steering else []
            first = state.first_weights or event.weights
            state = replace(state, steering=event, first_weights=first)
            return _notify(state, _sentence("; ".join(changes))) if changes else state
        case events.CommandObeyed(text=text):
            return _notify(state, _sentence(text))
        case events.StatesKept(states=states):
            return replace(state, kept_states=states, is_keeping=False)
        case events.PastReplayed(uptime_s=uptime_s):
            return replace(state, past_s=uptime_s)
        case events.RecordingEnded():
            return _notify(state, demonstration_end(event))
        case events.CommandRefused(command=command, reason=reason):
            if command in ("KeepState", "SaveSlot"):
                state = replace(state, is_keeping=False)
            return _notify(state, f"{_sentence(command_words(command))}: {reason}", "warning")
        case events.WarningRaised(message=message):
            return _notify(state, message, "warning")
        case events.ViewersChanged():
            return _fold_viewers(state, event)
        case events.ControlWanted():
            return _notify(state, "Another viewer asks for control: C gives it")
        case _:
            return _fold_learning(state, event)


def _fold_learning(state: DashboardState, event: Event) -> DashboardState:
    match event:
        case events.EpisodeEnded(summary=summary):
            last_ends = {**state.last_ends, summary.env_index: summary}
            state = replace(state, last_ends=last_ends)
            if not summary.is_usual:
                return state  # only led ones from the true start compare
            history = state.history.add(event.episode, summary, event.total_steps)
            return replace(state, history=history)
        case events.CurriculumChanged():
            before = state.curriculum
            state = replace(state, curriculum=event)
            if event.has_moved:
                move = stage_move(before, event, state.history.count)
                state = replace(state, moves=_append(state.moves, move, MAX_MOVES))
                if state.status is not None:
                    # Before the first status a resumed run only repeats its past.
                    state = _notify(state, f"Curriculum: stage {event.stage}, {event.name}")
            return state
        case events.StartsChanged(text=text):
            return replace(state, starts=text)
        case events.StrategySwitched(new=new, cause=cause):
            name = strategy_name(new, has_model=state.planner.has_model)
            moves = _append(state.moves, strategy_move(event, name), MAX_MOVES)
            state = replace(state, moves=moves, strategy=new)
            return _notify(state, f"Strategy {name}: {cause}") if state.status else state
        case events.PolicyUpdated():
            figures = {**event.figures, STEPS: float(event.total_steps)}
            updates = state.updates.add(float(event.update), figures)
            return replace(state, policy=event, updates=updates)
        case events.EvaluationEnded(evaluation=evaluation, total_steps=total_steps):
            successes = evaluation.success_rate * evaluation.episodes
            low, high = success_interval(successes, evaluation.episodes)
            is_known = evaluation.episodes > 0  # of exam games none may have ended yet
            figures = {
                "return": evaluation.avg_reward if is_known else math.nan,
                "length": evaluation.avg_length if is_known else math.nan,
                "success": evaluation.success_rate,
                "progress": evaluation.came,
                "milestones": sum(evaluation.milestones.values()),
                "success_low": low,
                "success_high": high,
                STEPS: float(total_steps),
            }
            evaluations = state.evaluations.add(float(total_steps), figures)
            return replace(state, evaluations=evaluations, evaluated=event)
        case _:
            return state


def _fold_viewers(state: DashboardState, event: events.ViewersChanged) -> DashboardState:
    was_yours = state.viewers is not None and state.viewers.is_yours
    state = replace(state, viewers=event)
    if event.is_read_only or event.is_yours == was_yours or (event.is_yours and event.viewers == 1):
        return state
    if event.is_yours:
        return _notify(state, "You are in control now")
    text = "Another viewer is in control now"
    return _notify(state, text if event.is_held else "Nobody is in control: C takes control")


def _fold_planner(state: DashboardState, event: PlannerEvent) -> DashboardState:
    state = replace(state, planner=fold_planner(state.planner, event))
    watched = state.status.watched_env if state.status is not None else 0
    if isinstance(event, events.GoalEvaluated) and event.goal_outcome.env_index != watched:
        return state
    found = planner_line(event)
    if found is None:
        return state
    text, confidence = found
    step = state.status.episode_steps if state.status is not None else 0
    line = LogLine(step, "model", text, confidence, exchange=state.planner.exchange_of(event))
    return replace(state, log=_log(state.log, line))


def _sentence(text: str) -> str:
    return text[:1].upper() + text[1:]


def _notify(state: DashboardState, text: str, severity: str = "information") -> DashboardState:
    number = state.notices[-1].number + 1 if state.notices else 1
    notice = Notice(number, text, severity)
    return replace(state, notices=_append(state.notices, notice, MAX_NOTICES))


def _log_decision(state: DashboardState, event: events.DecisionMade) -> DashboardState:
    """Log a decision: each one at a pace at which they can be read, else some of them."""
    decision, status = event.decision, state.status
    next_s = state.next_decision_line_s
    if status is not None and not _is_each_logged(status):
        if status.uptime_s < next_s:
            return state
        next_s = status.uptime_s + DECISION_LINE_INTERVAL_S
    confidence = None if decision.source is Source.RECORDED else decision.confidence
    line = LogLine(event.step, decision.source.value, decision.reason, confidence)
    return replace(state, log=_log(state.log, line), next_decision_line_s=next_s)


def _is_each_logged(status: events.StatusChanged | None) -> bool:
    """Return whether decisions come at a pace at which each has its line."""
    if status is None:
        return False  # what a resumed run repeats has words of decisions alone
    return status.is_paused or status.is_human or 0 < status.speed <= READABLE_SPEED


def _log(log: Backlog[LogLine], line: LogLine) -> Backlog[LogLine]:
    """Append a line, or count it with the one before when it says the same."""
    last = log[-1] if log else None
    if last is not None and (last.source, last.text) == (line.source, line.text):
        confidence = last.confidence if line.confidence is None else line.confidence
        count = last.count + line.count
        return log.with_last(replace(line, confidence=confidence, count=count, number=last.number))
    return log.add(replace(line, number=log.end))


def _append(items: tuple[_Item, ...], item: _Item, limit: int) -> tuple[_Item, ...]:
    return (*items[-limit + 1 :], item)
