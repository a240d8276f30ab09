"""The top line: what the run is doing, in figures."""

from operator import attrgetter

from engine.events import RecordingChanged, StatusChanged
from engine.ground.text import printable
from pokeTUI.dashboard.conditions import is_live, is_replay, is_reviewing, only_records
from pokeTUI.dashboard.state import DashboardState
from pokeTUI.draw.lines import Line, clock, shorten
from pokeTUI.draw.lines_widget import LinesWidget
from pokeTUI.draw.theme import Ink
from pokeTUI.draw.units import TimeLeft

_FORMS = 8
_SHORT = 3
_NARROW = 6
"""From this form on, what is not needed to play is left out."""
_MANY = 100_000
"""Steps from which they are shown in millions where there is little room."""
_shown = attrgetter("status", "run", "end", "is_human", "recording", "viewers", "evaluated")


class StatusBar(LinesWidget):
    """Show state, steps, steps a second, episode, uptime, speed and game."""

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self._state = DashboardState()
        self._left = TimeLeft()

    def show(self, state: DashboardState) -> None:
        """Show the figures of `state`."""
        if _shown(state) != _shown(self._state):
            self._state = state
            self.redraw()

    def draw(self, width: int, height: int) -> list[Line]:
        """Return the line, in its longest form that fits."""
        for form in range(_FORMS):
            parts = self._parts(form)
            gap = 3 if form < _SHORT else 2
            if sum(len(text) + gap for text, _ in parts) - gap <= width - 2:
                break
        line = Line(width).add(" ", Ink.text)
        for index, (text, style) in enumerate(parts):
            if index and gap + len(text) > line.room:
                break  # the shortest form is too long: parts are left out whole
            line.add(" " * gap if index else "", Ink.text).add(text, style)
        return [line]

    def _parts(self, form: int) -> list[tuple[str, Ink]]:
        """Return the parts of the line; the higher `form`, the shorter."""
        state, status = self._state, self._state.status
        is_short = form >= _SHORT
        parts = [self._activity()]
        if form <= _SHORT:
            parts.insert(0, ("PokeTUI", Ink.strong))
        if state.viewers is not None and not state.viewers.is_yours and state.end is None:
            who = "another has control" if state.viewers.is_held else "nobody has control"
            who = "read-only" if state.viewers.is_read_only else who
            parts.append((f" {who} ", Ink.badge_warn))
        if state.recording is not None:
            parts += recording_badge(state.recording, is_short=is_short)
        if status is None:
            return parts
        if only_records(state):
            return parts + self._of_recording(form)
        steps = f"{status.total_steps:,}"
        if form > _SHORT + 1 and status.total_steps >= _MANY:
            steps = f"{status.total_steps / 1e6:.2f}M"
        rate = f"{status.steps_per_s:,.0f}"
        parts.append((f"{steps} step{'s' * (steps != '1')}", Ink.text))
        if form <= _NARROW:
            parts.append((f"{rate}/s" if is_short else f"{rate} steps/s", Ink.text))
        if state.evaluated is not None and not is_replay(state) and form <= _NARROW:
            rate = f"{state.evaluated.evaluation.came:.0%}"
            parts.append((f"alone {rate}" if is_short else f"policy alone {rate}", Ink.strong))
        episode = f"ep {status.episode}" if is_short else f"episode {status.episode:,}"
        parts.append((episode, Ink.text))
        if form < _NARROW:
            parts.append((("" if is_short else "up ") + clock(status.uptime_s), Ink.text))
        parts.append((_speed(status), Ink.text))
        games = state.run.num_envs if state.run else 1
        if games > 1:
            parts.append((f"game {status.watched_env + 1}/{games}", Ink.text))
        if state.run is not None and form < 2:
            parts.append((f"{state.run.agent} {state.run.mode}", Ink.dim))
        if state.run is not None and form < 1:
            parts.append((f"run {state.run.run_id}", Ink.dim))
        return parts

    def _of_recording(self, form: int) -> list[tuple[str, Ink]]:
        """Return what else matters where demonstrations are recorded: no training is counted."""
        state, parts = self._state, []
        if state.status is not None and not state.is_human:
            parts.append((_speed(state.status), Ink.text))
        if state.recording is not None and state.recording.task and form < 2:
            parts.append((shorten(printable(state.recording.task), 30), Ink.dim))
        if state.run is not None and form < 1:
            parts.append((shorten(printable(state.run.run_id), 30), Ink.dim))
        return parts

    def _activity(self) -> tuple[str, Ink]:
        state = self._state
        if state.failure is not None:
            return " ✗ failed ", Ink.badge_bad
        if state.end is not None:
            return " ■ stopped ", Ink.badge_info
        if state.status is None:
            return " … starting ", Ink.badge_info
        if is_replay(state):
            sign = "‖" if state.is_paused else "►"
            at = f"{state.status.done:,.0f}/{state.status.total:,.0f}"
            return f" {sign} replay {at} ", Ink.badge_warn if state.is_paused else Ink.badge
        if only_records(state) and state.status.phase == "resetting" and not state.is_paused:
            if not state.status.total:
                return " … press to begin ", Ink.badge_info
            left = max(0.0, state.status.total - state.status.done)
            return f" … the next in {left:.0f} s ", Ink.badge_info
        if state.status.phase == "rewinding":
            return " ◄◄ rewind ", Ink.badge_warn
        if is_reviewing(state):
            return f" ● review {self._how_far(state.status)}".rstrip() + " ", Ink.badge_info
        has_pause = only_records(state) or is_live(state)
        if state.is_human and not (state.is_paused and has_pause):
            who = "you play" if state.is_played_here else "by hand"
            return f" ▲ {who} ", Ink.badge_warn
        if state.status.is_paused:
            return " ‖ paused ", Ink.badge_warn
        if state.status.phase == "acting":
            return " ► playing ", Ink.badge
        if state.status.phase == "learning":
            return " ◆ learning", Ink.badge
        return f" ► {state.status.phase} {self._how_far(state.status)}".rstrip() + " ", Ink.badge

    def _how_far(self, status: StatusChanged) -> str:
        """Return how much of the phase's work is done, and how long the rest will take."""
        if status.total <= 0:
            return ""
        left = self._left.text(status.phase, status.done, status.total)
        return f"{status.done:,.0f}/{status.total:,.0f} {left}".rstrip()


def recording_badge(now: RecordingChanged, *, is_short: bool) -> list[tuple[str, Ink]]:
    """Return how a demonstration stands: which of how many, how long, how many steps."""
    if not now.is_recording:
        there = f"{now.saved:,}/{now.wanted:,}" if now.wanted else f"{now.saved:,}"
        return [(f" ○ {there} saved ", Ink.badge_info)] if now.saved or now.wanted else []
    which = f" {now.saved + 1:,}/{now.wanted:,}" if now.wanted else ""
    time = minutes(now.elapsed_s) + (f"/{minutes(now.limit_s)}" if now.limit_s else "")
    mark = " ✓" if now.is_marked else ""
    steps = f"{now.steps:,}" if is_short else f" {now.steps:,} step{'s' * (now.steps != 1)}"
    return [(f" ● rec{which}{'' if is_short else ' '} {time} {steps}{mark} ", Ink.badge_bad)]


def minutes(seconds: float) -> str:
    """Return a duration as m:ss, or h:mm:ss if it is long."""
    whole = max(0, int(seconds))
    return clock(whole) if whole >= 3600 else f"{whole // 60}:{whole % 60:02}"


def _speed(status: StatusChanged) -> str:
    return "speed " + (f"{status.speed:g}/s" if status.speed > 0 else "max")
