"""Fold the engine's events into what the screen shows: pure, so that it can be tested alone."""

from dataclasses import dataclass, field, replace
from typing import TypeVar

from engine import events
from engine.events import Event
from engine.types import Frame
from pokeTUI.history import EpisodeHistory
from pokeTUI.planner import PlannerEvent, PlannerView, fold_planner, planner_line

_Item = TypeVar("_Item")

MAX_LOG_LINES = 200
MAX_PAYOUTS = 50
MAX_PROGRESS_LINES = 8
MAX_NOTICES = 20
READABLE_SPEED = 6.0
"""Actions a second up to which every decision is logged."""
DECISION_LINE_INTERVAL_S = 0.75


@dataclass(frozen=True, slots=True)
class LogLine:
    """A line of the reasoning log.

    Attributes:
        confidence: 0 to 1, or None for what is no decision.
        count: How often it was decided in a row.
    """

    step: int
    source: str
    text: str
    confidence: float | None = None
    count: int = 1


@dataclass(frozen=True, slots=True)
class Notice:
    """A short message that is shown for a few seconds.

    Attributes:
        number: Counts all notices, so that a reader knows which are new.
        severity: information, warning or error.
    """

    number: int
    text: str
    severity: str


@dataclass(frozen=True, slots=True)
class DashboardState:
    """Everything that the panes show."""

    run: events.RunStarted | None = None
    progress: tuple[str, ...] = ()
    frame: Frame | None = None
    frame_env: int = 0
    game: events.GameObserved | None = None
    status: events.StatusChanged | None = None
    reward: events.RewardPaid | None = None
    payouts: tuple[events.PayoutMade, ...] = ()
    decision: events.DecisionMade | None = None
    log: tuple[LogLine, ...] = ()
    planner: PlannerView = field(default_factory=PlannerView)
    history: EpisodeHistory = field(default_factory=EpisodeHistory)
    last_episode: events.EpisodeEnded | None = None
    curriculum: events.CurriculumChanged | None = None
    policy: events.PolicyUpdated | None = None
    checkpoint: events.CheckpointSaved | None = None
    is_human: bool = False
    steering: events.SteeringChanged | None = None
    kept_states: tuple[events.KeptState, ...] = ()
    next_decision_line_s: float = 0.0
    """Uptime before which no decision is logged."""
    notices: tuple[Notice, ...] = ()
    end: events.RunStopped | events.RunFailed | None = None

    @property
    def is_paused(self) -> bool:
        """Tell whether stepping has stopped."""
        return self.status is not None and self.status.is_paused

    @property
    def failure(self) -> events.RunFailed | None:
        """Return how the run failed, if it did."""
        return self.end if isinstance(self.end, events.RunFailed) else None


def fold(state: DashboardState, event: Event) -> DashboardState:
    """Return the state after `event`."""
    match event:
        case events.FrameRendered():
            return replace(state, frame=event.frame, frame_env=event.env_index)
        case events.GameObserved():
            return replace(state, game=event)
        case events.StatusChanged():
            return replace(state, status=event, is_human=event.is_human)
        case events.RewardPaid():
            return replace(state, reward=event)
        case events.PayoutMade():
            return replace(state, payouts=_append(state.payouts, event, MAX_PAYOUTS))
        case events.DecisionMade():
            return _log_decision(replace(state, decision=event), event)
        case events.ReasoningLogged(source=source, text=text):
            # Its step counts the whole run; the log counts the episode's, as decisions do.
            step = state.status.episode_steps if state.status is not None else 0
            return replace(state, log=_log(state.log, LogLine(step, source, text)))
        case (
            events.PlanRequested()
            | events.PlanStreamed()
            | events.PlanAnswered()
            | events.GoalJudged()
            | events.PlannerStatusChanged()
        ):
            return _fold_planner(state, event)
        case events.EpisodeEnded(summary=summary) if summary.start:
            return replace(state, last_episode=event)  # only those from the true start compare
        case events.EpisodeEnded(summary=summary):
            history = state.history.add(summary.total_reward, summary.is_success)
            return replace(state, history=history, last_episode=event)
        case _:
            return _fold_run(state, event)


def _fold_run(state: DashboardState, event: Event) -> DashboardState:
    """Fold the events that concern the run as a whole."""
    match event:
        case events.RunStarted():
            return replace(state, run=event)
        case events.ProgressReported(text=text):
            return replace(state, progress=_append(state.progress, text, MAX_PROGRESS_LINES))
        case events.CurriculumChanged():
            state = replace(state, curriculum=event)
            if event.has_moved and state.status is not None:
                # Before the first status a resumed run only repeats its past.
                state = _notify(state, f"Curriculum: stage {event.stage}, {event.name}")
            return state
        case events.StrategySwitched(new=new, cause=cause) if state.status is not None:
            return _notify(state, f"Strategy {new}: {cause}")
        case events.PolicyUpdated():
            return replace(state, policy=event)
        case events.CheckpointSaved():
            return replace(state, checkpoint=event)
        case events.ControlChanged(is_human=is_human):
            state = replace(state, is_human=is_human)
            return _notify(state, "You play now" if is_human else "The agent plays again")
        case events.SteeringChanged():
            return replace(state, steering=event)
        case events.StatesKept(states=states):
            return replace(state, kept_states=states)
        case events.CommandRefused(command=command, reason=reason):
            return _notify(state, f"{command}: {reason}", "warning")
        case events.WarningRaised(message=message):
            return _notify(state, message, "warning")
        case events.RunFailed() | events.RunStopped():
            return replace(state, end=event)
        case _:
            return state


def _fold_planner(state: DashboardState, event: PlannerEvent) -> DashboardState:
    state = replace(state, planner=fold_planner(state.planner, event))
    watched = state.status.watched_env if state.status is not None else 0
    if isinstance(event, events.GoalJudged) and event.verdict.env_index != watched:
        return state
    said = planner_line(event)
    if said is None:
        return state
    text, confidence = said
    step = state.status.episode_steps if state.status is not None else 0
    return replace(state, log=_log(state.log, LogLine(step, "model", text, confidence)))


def _notify(state: DashboardState, text: str, severity: str = "information") -> DashboardState:
    number = state.notices[-1].number + 1 if state.notices else 1
    return replace(
        state, notices=_append(state.notices, Notice(number, text, severity), MAX_NOTICES)
    )


def _log_decision(state: DashboardState, event: events.DecisionMade) -> DashboardState:
    """Log a decision: each one at a pace at which they can be read, else some of them."""
    decision, status = event.decision, state.status
    next_s = state.next_decision_line_s
    if status is not None and (status.speed <= 0 or status.speed > READABLE_SPEED):
        if status.uptime_s < next_s and not (status.is_paused or status.is_human):
            return state
        next_s = status.uptime_s + DECISION_LINE_INTERVAL_S
    line = LogLine(event.step, decision.source.value, decision.reason, decision.confidence)
    return replace(state, log=_log(state.log, line), next_decision_line_s=next_s)


def _log(log: tuple[LogLine, ...], line: LogLine) -> tuple[LogLine, ...]:
    """Append a line, or count it with the one before when it says the same."""
    if log and (log[-1].source, log[-1].text) == (line.source, line.text):
        last = log[-1]
        confidence = last.confidence if line.confidence is None else line.confidence
        return (*log[:-1], replace(line, confidence=confidence, count=last.count + 1))
    return _append(log, line, MAX_LOG_LINES)


def _append(items: tuple[_Item, ...], item: _Item, limit: int) -> tuple[_Item, ...]:
    return (*items[-limit + 1 :], item)
