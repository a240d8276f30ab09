"""Run a session without a screen: its status every 30 s, events that matter as they come."""

import os
import signal
import sys
import time
from types import FrameType

from engine.commands import Stop
from engine.errors import TerminalError
from engine.events import (
    GREEDY,
    BattlesProgressed,
    CheckpointSaved,
    CurriculumChanged,
    EvaluationEnded,
    Event,
    OpponentScore,
    PlannerStatusChanged,
    ProgressReported,
    RunFailed,
    RunStarted,
    RunStopped,
    StrategySwitched,
    WarningRaised,
)
from engine.ground.text import counted
from engine.planning.history.patterns import success_interval
from engine.sessions.threaded import ThreadedSession
from pokeTUI.dashboard.planner import strategy_name
from pokeTUI.dashboard.state import DashboardState, fold
from pokeTUI.dashboard.status_report import status_report
from pokeTUI.terminal.printing import complain, say
from pokeTUI.terminal.signals import stop

STATUS_INTERVAL_S = 30.0
_POLL_INTERVAL_S = 0.2
_INDENT = len("HH:MM:SS ")
_WIDTH = 80 - _INDENT


class HeadlessRunner:
    """Print a session's progress until it ends; with `is_quiet` only failures.

    Attributes:
        state: What the cockpit would show.
    """

    def __init__(self, session: ThreadedSession, *, is_quiet: bool = False) -> None:
        self._session = session
        self._is_quiet = is_quiet
        self.state = DashboardState()
        self._battles: BattlesProgressed | None = None
        self._usable: tuple[str, str] | None = None
        self._end: RunStopped | RunFailed | None = None

    def run(self) -> RunStopped | RunFailed:
        """Start the session, wait for its end and return how it ended."""
        self._catch_signals()
        self._session.start()
        next_status = time.monotonic() + STATUS_INTERVAL_S
        while self._end is None:
            time.sleep(_POLL_INTERVAL_S)
            was_alive = self._session.is_alive
            self.poll()
            if self._end is None and not was_alive:
                self._end = RunFailed("The engine stopped unexpectedly.", "See its log.", True)
            if time.monotonic() >= next_status:
                next_status += STATUS_INTERVAL_S
                self._print_status()
        return self._end

    def poll(self) -> None:
        """Handle the events since the last call."""
        for event in self._session.mailbox.drain():
            self._take(event)

    def status(self) -> list[str]:
        """Return the current figures, in lines of at most 80 columns with the time before them."""
        if self._battles is not None and self.state.status is not None:
            return [battles_line(self._battles, self.state.status.uptime_s)]
        return status_report(self.state, _WIDTH)

    def _take(self, event: Event) -> None:
        self.state = fold(self.state, event)
        match event:
            case BattlesProgressed():
                self._battles = event
            case CheckpointSaved() if self._battles is not None:
                pass  # there is one after every update
            case CurriculumChanged():
                if event.has_moved:
                    self._print(f"curriculum: stage {event.stage}/{event.num_stages}, {event.name}")
            case PlannerStatusChanged():
                self._follow_model(event)
            case StrategySwitched():
                has_model = self.state.planner.has_model
                old, new = (
                    strategy_name(name, has_model=has_model) for name in (event.old, event.new)
                )
                self._print(f"strategy: {old} -> {new}, {event.cause}")
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
            case EvaluationEnded(evaluation=result, is_exam=False):
                self._print(
                    f"evaluation, policy alone: return {result.avg_reward:z.1f} ± "
                    f"{result.std_reward:.1f}, success {result.success_rate:.0%} of "
                    f"{result.episodes}"
                )
            case CheckpointSaved() if not self._is_quiet:
                self._print(f"saved at step {event.total_steps:,}")
            case RunStopped() | RunFailed():
                if self.state.status is not None:
                    self._print_status()
                self._end = event
            case _:
                pass

    def _follow_model(self, status: PlannerStatusChanged) -> None:
        """Say whether the language model can be asked, whenever that changes."""
        state = "ready" if status.state == "asking" else status.state  # being asked is no news
        if (state, status.absent) != self._usable:
            self._usable = (state, status.absent)
            why = ". ".join(part for part in (status.absent, status.detail) if part)
            self._print(f"model {status.model} is {state}{why and f': {why}'}")

    def _print_status(self) -> None:
        first, *rest = self.status()
        self._print(first)
        for line in rest:
            self._print(line, is_timed=False)

    def _print(self, line: str, *, is_timed: bool = True) -> None:
        if not self._is_quiet:
            try:
                say(f"{time.strftime('%H:%M:%S') if is_timed else '':{_INDENT}}{line}")
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


def battles_line(event: BattlesProgressed, uptime_s: float) -> str:
    """Return how a run of battles goes, in one line."""
    parts = [
        f"decisions {event.total_steps:,}",
        f"{event.decisions_per_s:,.0f}/s",
        f"battles {event.battles:,}",
        f"update {event.update:,}",
    ]
    parts += [
        _opponent(each) for each in event.opponents if each.recent_battles and each.name != "self"
    ]
    return " · ".join([*parts, f"up {uptime_s / 60:.1f} min"])


def _opponent(score: OpponentScore) -> str:
    """Return the recent win rate, with its interval where the policy is measured."""
    rate, interval = score.recent_wins / score.recent_battles, ""
    if score.name.endswith(GREEDY):
        low, high = success_interval(score.recent_wins, score.recent_battles)
        interval = f" ({100 * low:.0f}-{100 * high:.0f}%)"
    return f"{score.name} {rate:.0%}{interval} of last {score.recent_battles}"
