"""Run a session without a screen: a status line every 30 s, events that matter as they come."""

import os
import signal
import sys
import time
from collections import deque
from collections.abc import Callable
from types import FrameType

from engine.commands import Stop
from engine.errors import TerminalError
from engine.events import (
    BattlesProgressed,
    CheckpointSaved,
    CurriculumChanged,
    EpisodeEnded,
    EvaluationEnded,
    Event,
    PlannerStatusChanged,
    ProgressReported,
    RunFailed,
    RunStarted,
    RunStopped,
    StartsChanged,
    StatusChanged,
    StrategySwitched,
    WarningRaised,
)
from engine.plurals import counted
from engine.threaded_session import ThreadedSession
from engine.types import Evaluation
from pokeTUI.dashboard.planner import describe_status, planned_share
from pokeTUI.printing import complain, say
from pokeTUI.signals import stop

STATUS_INTERVAL_S = 30.0
_POLL_INTERVAL_S = 0.2
_WINDOW = 30


class HeadlessRunner:
    """Print what a session does until it ends; if it is quiet, failures only.

    Args:
        follow: Takes every event, too.
    """

    def __init__(
        self,
        session: ThreadedSession,
        *,
        is_quiet: bool = False,
        follow: Callable[[Event], None] = lambda event: None,
    ) -> None:
        self._session = session
        self._follow = follow
        self._is_quiet = is_quiet
        self._status: StatusChanged | None = None
        self._battles: BattlesProgressed | None = None
        self._curriculum: CurriculumChanged | None = None
        self._model: PlannerStatusChanged | None = None
        self._evaluated: Evaluation | None = None
        self._starts = ""
        self._usable: tuple[str, str] | None = None
        self._returns: deque[float] = deque(maxlen=_WINDOW)
        self._successes: deque[bool] = deque(maxlen=_WINDOW)
        self._end: RunStopped | RunFailed | None = None

    def run(self) -> RunStopped | RunFailed:
        """Start the session, wait for its end and return how it ended."""
        self._catch_signals()
        self._session.start()
        next_status = time.monotonic() + STATUS_INTERVAL_S
        while self._end is None:
            time.sleep(_POLL_INTERVAL_S)
            was_alive = self._session.is_alive
            for event in self._session.mailbox.drain():
                self._follow(event)
                self._take(event)
            if self._end is None and not was_alive:
                self._end = RunFailed("The engine stopped unexpectedly.", "See its log.", True)
            if time.monotonic() >= next_status:
                next_status += STATUS_INTERVAL_S
                self._print(self.status_line())
        return self._end

    def status_line(self) -> str:
        """Return the current figures in one line."""
        if self._status is None:
            return "starting"
        status = self._status
        if self._battles is not None:
            return _battles_line(self._battles, status.uptime_s)
        parts = [
            f"steps {status.total_steps:,}",
            f"{status.steps_per_s:,.0f} steps/s",
            f"episode {status.episode}",
        ]
        if self._returns:
            count = len(self._returns)
            parts.append(f"return {sum(self._returns) / count:.1f}")
            parts.append(f"success {100 * sum(self._successes) / count:.0f}% of last {count}")
        if self._evaluated is not None:
            rate, count = self._evaluated.success_rate, self._evaluated.episodes
            parts.append(f"policy alone {rate:.0%} of {count}")
        if self._curriculum is not None:
            parts.append(f"stage {self._curriculum.stage}/{self._curriculum.num_stages}")
            decided = planned_share(status.shares)
            if decided is not None:
                weight = self._curriculum.planner_share
                parts.append(f"planner {decided:.0%} of decisions (weight {weight:.0%})")
        if self._starts:
            parts.append(self._starts)
        if self._model is not None:
            parts.append(f"model {describe_status(self._model)}")
        parts.append(f"up {status.uptime_s / 60:.1f} min")
        return " · ".join(parts)

    def _take(self, event: object) -> None:
        match event:
            case StatusChanged():
                self._status = event
            case EpisodeEnded(summary=summary) if not summary.start:
                self._returns.append(summary.total_reward)
                self._successes.append(summary.is_success)
            case BattlesProgressed():
                self._battles = event
            case CheckpointSaved() if self._battles is not None:
                pass  # there is one after every update
            case CurriculumChanged():
                if event.has_moved:
                    self._print(f"curriculum: stage {event.stage}/{event.num_stages}, {event.name}")
                self._curriculum = event
            case StartsChanged(text=text):
                self._starts = text
            case PlannerStatusChanged():
                self._follow_model(event)
            case StrategySwitched():
                self._print(f"strategy: {event.old} -> {event.new}, {event.cause}")
            case RunStarted():
                self._print(
                    f"run {event.run_id}: {event.agent} ({event.mode}) on {event.game}, "
                    f"{counted(event.num_envs, 'game')} in "
                    f"{counted(event.num_workers, 'process', 'processes')}"
                    + (f", resumed at step {event.resumed_from:,}" if event.resumed_from else "")
                )
            case ProgressReported(text=text):
                self._print(text)
            case WarningRaised(message=message):
                self._print(f"warning: {message}")
            case EvaluationEnded(evaluation=result):
                self._evaluated = result
                self._print(
                    f"evaluation, policy alone: return {result.avg_reward:.1f} ± "
                    f"{result.std_reward:.1f}, success {result.success_rate:.0%} of "
                    f"{result.episodes}"
                )
            case CheckpointSaved() if not self._is_quiet:
                self._print(f"saved at step {event.total_steps:,}")
            case RunStopped() | RunFailed():
                if self._status is not None:
                    self._print(self.status_line())
                self._end = event
            case _:
                pass

    def _follow_model(self, status: PlannerStatusChanged) -> None:
        """Say whether the language model can be asked, whenever that changes."""
        self._model = status
        state = "ready" if status.state == "asking" else status.state  # being asked is no news
        if (state, status.absent) != self._usable:
            self._usable = (state, status.absent)
            why = ". ".join(part for part in (status.absent, status.detail) if part)
            self._print(f"model {status.model} is {state}{why and f': {why}'}")

    def _print(self, line: str) -> None:
        if not self._is_quiet:
            try:
                say(f"{time.strftime('%H:%M:%S')} {line}")
            except TerminalError as error:  # a full disk, or no terminal any more: it trains on
                self._is_quiet = True
                complain(str(error))

    def _catch_signals(self) -> None:
        """Save before the end on Ctrl-C, SIGTERM or a lost terminal; a second one ends at once.

        Ctrl-Z says what it does before it does it.
        """

        def end(number: int, frame: FrameType | None) -> None:
            name = signal.Signals(number).name
            for caught in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
                signal.signal(caught, signal.SIG_DFL)
            self._session.send(Stop(reason=name))
            complain(f"{name}: saving, then stopping")

        def suspend(number: int, frame: FrameType | None) -> None:
            # No `print` here: the signal may have come in the middle of another one.
            os.write(sys.stderr.fileno(), b"suspended: training stops until `fg` resumes it\n")
            if stop(lambda: os.kill(os.getpid(), signal.SIGTSTP)):
                os.write(sys.stderr.fileno(), b"resumed\n")

        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            signal.signal(number, end)
        signal.signal(signal.SIGTSTP, suspend)


def _battles_line(event: BattlesProgressed, uptime_s: float) -> str:
    """Return how a run of battles goes, in one line."""
    parts = [
        f"decisions {event.total_steps:,}",
        f"{event.decisions_per_s:,.0f}/s",
        f"battles {event.battles:,}",
        f"update {event.update:,}",
    ]
    parts += [
        f"{each.name} {each.recent_wins / each.recent_battles:.0%} of last {each.recent_battles}"
        for each in event.opponents
        if each.recent_battles and each.name != "self"
    ]
    return " · ".join([*parts, f"up {uptime_s / 60:.1f} min"])
