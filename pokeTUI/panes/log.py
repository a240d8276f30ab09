"""Show the events of the run."""

from collections.abc import Sequence
from typing import ClassVar

from pokeTUI.dashboard.event_lines import EventLine
from pokeTUI.dashboard.state import DashboardState
from pokeTUI.draw.layout import PaneInfo
from pokeTUI.draw.lines import Line, clock
from pokeTUI.draw.theme import Ink
from pokeTUI.panes.dialogs import Passage
from pokeTUI.panes.scroll_log import ScrollLogPane

_MARKS: dict[str, tuple[str, Ink, Ink]] = {
    "run": ("▶", Ink.accent, Ink.strong),
    "work": ("·", Ink.dim, Ink.dim),
    "warning": ("!", Ink.warn, Ink.warn),
    "refused": ("✗", Ink.warn, Ink.text),
    "failure": ("‼", Ink.bad, Ink.bad),
    "saved": ("✓", Ink.good, Ink.dim),
    "evaluated": ("◎", Ink.info, Ink.strong),
    "episode": ("○", Ink.faint, Ink.text),
    "stage": ("≡", Ink.accent, Ink.strong),
    "strategy": ("⇄", Ink.info, Ink.strong),
    "control": ("▲", Ink.warn, Ink.strong),
    "model": ("◇", Ink.info, Ink.text),
    "state": ("◆", Ink.odd, Ink.text),
}
"""Mark, its ink and the ink of the text, by kind."""
_FILTERS: dict[str, frozenset[str]] = {
    "warnings": frozenset({"warning", "refused", "failure"}),
    "no episodes": frozenset(_MARKS) - {"episode"},
    "episodes": frozenset({"episode", "evaluated"}),
    "people's actions": frozenset({"control", "state", "refused"}),
    "stages and strategy": frozenset({"stage", "strategy", "model"}),
}
_WIDE = 70


class LogPane(ScrollLogPane[EventLine]):
    """Events and warnings, newest last, with the run's time."""

    INFO: ClassVar[PaneInfo] = PaneInfo("log", "Log")
    PARTS = ("event_log",)
    IS_OF_RUN = False

    def lines(self, state: DashboardState, width: int, height: int) -> list[Line]:
        """Return as much of the log as there is room for."""
        if not state.event_log.count:
            return [Line(width).add("Nothing has happened yet.", Ink.dim)]
        each = 2 if height > 8 else 1
        return self.log_lines(state, width, height, max_lines=each)

    def entries(self, state: DashboardState) -> Sequence[EventLine]:
        """Return the log."""
        return state.event_log.lines()

    def head(self, entry: EventLine, width: int) -> tuple[Line, Ink]:
        """Return time and mark."""
        mark, ink, body_ink = _MARKS.get(entry.kind, ("·", Ink.dim, Ink.text))
        is_wide = width >= _WIDE
        line = Line(width).add(clock(entry.uptime_s), Ink.dim, 8, right=is_wide)
        line.add(f" {mark} " if is_wide else f"{mark} ", ink)
        return line.add(entry.kind, ink, 10) if is_wide else line, body_ink

    def text_of(self, entry: EventLine) -> str:
        """Return a line as it is searched and copied."""
        return f"{clock(entry.uptime_s)} {entry.kind}: {entry.text}"

    def filters(self, state: DashboardState) -> list[str]:
        """Return the kinds of lines that can be shown alone."""
        return list(_FILTERS)

    def is_in(self, entry: EventLine, shown: str) -> bool:
        """Return whether an entry is of a kind."""
        return entry.kind in _FILTERS[shown]

    def passages(self, entry: EventLine, state: DashboardState) -> tuple[str, list[Passage]]:
        """Return the line in full."""
        passages = [Passage("at", clock(entry.uptime_s)), Passage("kind", entry.kind)]
        if entry.count > 1:
            passages.append(Passage("in a row", f"{entry.count:,} times"))
        return "Log", [*passages, Passage("", entry.text, Ink.strong)]
