"""Describe what happened in a run in a line each: the log that the log pane shows."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from heapq import merge
from pathlib import PurePath
from typing import Generic, TypeVar, overload

from engine import events
from engine.events import Event
from engine.ground.text import counted, printable
from engine.types import EpisodeSummary
from pokeTUI.dashboard.planner import strategy_name

# An immutable list of the last items, cheap to add to however many there are.

_Item = TypeVar("_Item")

_CHUNK = 64


@dataclass(frozen=True, slots=True, eq=False)
class Backlog(Sequence[_Item], Generic[_Item]):
    """The last `limit` items, oldest first, in chunks of which all but the last are shared.

    Attributes:
        limit: Items that are kept; up to a chunk more may be there.
        end: Number of the next item; the first that ever came had the number 0.
    """

    limit: int
    end: int = 0
    _chunks: tuple[tuple[_Item, ...], ...] = ()
    _tail: tuple[_Item, ...] = ()

    def add(self, item: _Item) -> "Backlog[_Item]":
        """Return a backlog with one more item; the oldest go where there are too many."""
        if len(self._tail) < _CHUNK:
            return Backlog(self.limit, self.end + 1, self._chunks, (*self._tail, item))
        kept = -(-self.limit // _CHUNK)
        return Backlog(self.limit, self.end + 1, (*self._chunks, self._tail)[-kept:], (item,))

    def with_last(self, item: _Item) -> "Backlog[_Item]":
        """Return a backlog whose last item is another; there must be one."""
        return Backlog(self.limit, self.end, self._chunks, (*self._tail[:-1], item))

    def __len__(self) -> int:
        return len(self._chunks) * _CHUNK + len(self._tail)

    def __iter__(self) -> Iterator[_Item]:
        for chunk in self._chunks:
            yield from chunk
        yield from self._tail

    @overload
    def __getitem__(self, index: int) -> _Item: ...
    @overload
    def __getitem__(self, index: slice) -> Sequence[_Item]: ...
    def __getitem__(self, index: int | slice) -> _Item | Sequence[_Item]:
        if isinstance(index, slice):
            return tuple(self)[index]
        if index < 0:
            index += len(self)
        chunk, place = divmod(index, _CHUNK)
        if 0 <= chunk < len(self._chunks):
            return self._chunks[chunk][place]
        if chunk == len(self._chunks):
            return self._tail[place]
        raise IndexError(index)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Backlog) and (self.end, tuple(self)) == (other.end, tuple(other))


MAX_EVENT_LINES = 2000
MAX_EPISODE_LINES = 1000
"""Episodes are kept apart: many thousands of them must not push a warning out."""

_WELL = frozenset({"loading", "ready", "asking"})
COMMAND_WORDS = {
    "ChooseInBattle": "choice",
    "Pause": "pause",
    "Resume": "resume",
    "StepOnce": "step",
    "SetSpeed": "speed",
    "Watch": "game",
    "ShowGames": "all games",
    "PauseRendering": "pause rendering",
    "TakeOver": "play",
    "GiveBack": "give back",
    "Press": "button",
    "PlayLive": "real time",
    "Hold": "button",
    "Restart": "restart",
    "KeepState": "save state",
    "Branch": "branch",
    "SaveSlot": "save slot",
    "LoadSlot": "load slot",
    "SetMode": "mode",
    "SetStrategy": "strategy",
    "SetGoal": "goal",
    "Instruct": "instruction",
    "SetWeight": "weight",
    "Save": "save",
    "Stop": "stop",
    "SkipEvaluation": "skip evaluation",
    "Seek": "seek",
    "StartRecording": "record",
    "StopRecording": "save the demonstration",
    "DiscardRecording": "discard",
    "ReviewRecording": "watch again",
    "Rewind": "undo",
    "RunBackwards": "rewind",
    "KeepRecent": "keep what was played",
    "MarkRecording": "mark",
    "DescribeRecording": "describe",
    "RequestControl": "take control",
    "ReleaseControl": "give control",
}
"""What the keys call a command, by its kind: the names of classes are not shown."""


@dataclass(frozen=True, slots=True)
class EventLine:
    """Something that happened at an uptime of the run, `count` times in a row.

    Kinds: run, work, warning, refused, failure, saved, evaluated, episode, stage, strategy,
    control, model, state and demo. Numbers rise over all of them.
    """

    number: int
    uptime_s: float
    kind: str
    text: str
    count: int = 1


@dataclass(frozen=True, slots=True)
class EventLog:
    """What happened so far, and what is needed to describe what changed."""

    episodes: Backlog[EventLine] = field(default_factory=lambda: Backlog(MAX_EPISODE_LINES))
    others: Backlog[EventLine] = field(default_factory=lambda: Backlog(MAX_EVENT_LINES))
    count: int = 0
    steering: events.SteeringChanged | None = None
    model_state: str = ""
    model_absent: str = ""
    last_asked: int = 0
    """Highest number of a state that a person kept."""

    def take(self, event: Event, uptime_s: float) -> "EventLog":
        """Return the log after an event; the same one where nothing is logged of it."""
        described, log = self._describe_change(event), self
        match event:
            case events.SteeringChanged():
                log = replace(self, steering=event)
            case events.PlannerStatusChanged(state=state, absent=absent):
                if (state, absent) != (self.model_state, self.model_absent):
                    log = replace(self, model_state=state, model_absent=absent)
            case events.StatesKept(states=states):
                last = max((one.number for one in states if _is_numbered(one)), default=0)
                if last > self.last_asked:
                    log = replace(self, last_asked=last)
        if described is None:
            return log
        kind, text = described
        return log._add(EventLine(log.count, uptime_s, kind, printable(text)))

    def lines(self) -> list[EventLine]:
        """Return all lines, oldest first."""
        return list(merge(self.episodes, self.others, key=lambda line: line.number))

    def _add(self, line: EventLine) -> "EventLog":
        if line.kind == "episode":
            return replace(self, episodes=self.episodes.add(line), count=self.count + 1)
        last = self.others[-1] if self.others else None
        if last is not None and (last.kind, last.text) == (line.kind, line.text):
            again = replace(last, uptime_s=line.uptime_s, count=last.count + 1)
            return replace(self, others=self.others.with_last(again))
        return replace(self, others=self.others.add(line), count=self.count + 1)

    def _describe_change(self, event: Event) -> tuple[str, str] | None:
        match event:
            case events.StrategySwitched():
                has_model = bool(self.model_state)
                names = (strategy_name(x, has_model=has_model) for x in (event.old, event.new))
                return "strategy", f"strategy {' → '.join(names)}: {event.cause}"
            case events.PlannerStatusChanged():
                return _model(event, self.model_state, self.model_absent)
            case events.SteeringChanged() if self.steering is not None:
                changes = steering_changes(self.steering, event)
                return ("control", "; ".join(changes)) if changes else None
            case events.StatesKept(states=states):
                new = [one for one in states if _is_numbered(one) and one.number > self.last_asked]
                texts = [
                    f"saved state {one.number}: {one.place}, step {one.episode_steps:,} "
                    f"of game {one.env_index + 1}"
                    for one in new
                ]
                return ("state", "; ".join(texts)) if new else None
            case events.EpisodeEnded():
                return "episode", _episode(event.episode, event.summary)
            case _:
                return _describe(event)


def _describe(event: Event) -> tuple[str, str] | None:
    """Return kind and text of an event that needs no other to be described."""
    match event:
        case events.ProgressReported(text=text):
            return "work", text
        case events.WarningRaised(message=message):
            return "warning", message
        case events.CommandRefused(command=command, reason=reason):
            return "refused", f"{command_words(command)} refused: {reason}"
        case events.CommandObeyed(command=command, text=text):
            # A kept state is logged with its number from the list of them.
            return None if command == "KeepState" else ("control", text)
        case events.CurriculumChanged(has_moved=True):
            return "stage", f"stage {event.stage} of {event.num_stages}: {event.name}"
        case events.ControlChanged(is_human=is_human):
            return "control", "played by hand now" if is_human else "the agent plays again"
        case events.CheckpointSaved(path=path, total_steps=steps):
            return "saved", f"saved at step {steps:,}: {PurePath(path).name}"
        case events.RecordingEnded():
            return "demo", demonstration_end(event)
        case events.RunStarted(mode=events.REPLAY):
            return "run", f"replay of {event.run_id}: {event.game}, played by {event.agent}"
        case events.RunStarted():
            resumed = f", resumed at step {event.resumed_from:,}" if event.resumed_from else ""
            return "run", (
                f"run {event.run_id} started{resumed}: {event.game}, {event.agent}, {event.mode}, "
                f"{counted(event.num_envs, 'game')} in "
                f"{counted(event.num_workers, 'process', 'processes')}"
            )
        case events.EvaluationEnded(evaluation=found, is_exam=False):
            return "evaluated", (
                f"policy alone after {counted(event.episode, 'episode')}: "
                f"reward {found.avg_reward:+z.1f} ± {found.std_reward:.1f}, "
                f"success {100 * found.success_rate:.0f} %, "
                f"{counted(round(found.avg_length), 'step')}"
            )
        case events.RunFailed(message=message, hint=hint):
            return "failure", f"the run failed: {message} {hint}".rstrip()
        case events.RunStopped(reason=reason, total_steps=steps):
            saved = f", saved as {PurePath(event.checkpoint).name}" if event.checkpoint else ""
            return "run", f"the run ended at step {steps:,}: {reason}{saved}"
        case _:
            return None


def _is_numbered(state: events.KeptState) -> bool:
    """Return whether a person kept it under a number: slots are logged as they are saved."""
    return state.is_asked and not state.slot


def command_words(command: str) -> str:
    """Return what a command is called on the screen."""
    return COMMAND_WORDS.get(command, "this")


def demonstration_end(event: events.RecordingEnded) -> str:
    """Return the outcome of a demonstration."""
    done = f"saved as {PurePath(event.path).name}" if event.path else "discarded"
    steps = counted(event.steps, "step")
    return f"demonstration {done}: {steps}, {event.total_reward:+z.1f}, {event.reason}"


def _episode(number: int, summary: EpisodeSummary) -> str:
    parts = [
        f"episode {number:,}: {summary.total_reward:+z.1f} in {counted(summary.length, 'step')}",
        "goal reached" if summary.is_success else "",
        f"from {summary.start}" if summary.start else "",
        f"taken over {counted(summary.interventions, 'time')}" if summary.interventions else "",
        "aborted" if summary.is_aborted else "",
        f"game {summary.env_index + 1}",
    ]
    return ", ".join(part for part in parts if part)


def _model(
    status: events.PlannerStatusChanged, before: str, absent_before: str
) -> tuple[str, str] | None:
    """Describe a change of a model's state; being asked is none."""
    is_well = status.state in _WELL
    is_still_well = is_well and before in _WELL and status.state != "loading"
    if (is_still_well or status.state == before) and status.absent == absent_before:
        return None
    state = "ready" if status.state == "asking" else status.state
    why = ". ".join(part for part in (status.absent, status.detail) if part)
    kind = "model" if is_well and not status.absent else "warning"
    return kind, f"model {status.model} is {state}{why and f': {why}'}"


def steering_changes(before: events.SteeringChanged, after: events.SteeringChanged) -> list[str]:
    """Return what a person set otherwise, in words."""
    found = [
        f"{name} {getattr(before, name)} → {getattr(after, name)}"
        for name in ("mode", "strategy")
        if getattr(before, name) != getattr(after, name)
    ]
    if before.goal != after.goal:
        found.append(f"goal set: {after.goal}" if after.goal else "your goal was cleared")
    if before.instruction != after.instruction:
        given = f"instruction: {after.instruction}"
        found.append(given if after.instruction else "your instruction was cleared")
    weights = dict(before.weights)
    found += [
        f"weight of {name} {weights.get(name, 0.0):g} → {weight:g}"
        for name, weight in after.weights
        if weights.get(name) != weight
    ]
    return found
