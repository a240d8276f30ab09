"""Show the history of decisions, read from its file in a thread beside the run."""

import asyncio
import time
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, ClassVar, Union

from textual import events as ui
from textual.worker import WorkType

from engine.events import RunStarted
from pokeTUI.dashboard.state import DashboardState
from pokeTUI.draw.layout import TRAINING, PaneInfo
from pokeTUI.draw.lines import Line, labelled
from pokeTUI.draw.theme import Ink
from pokeTUI.panes.decision_lines import (
    View,
    decision_head,
    decision_line,
    decision_passages,
    fetch,
    pattern_head,
    pattern_line,
    pattern_passages,
)
from pokeTUI.panes.dialogs import ChoiceScreen, DetailScreen, Passage
from pokeTUI.panes.pane import Pane, PaneKey, empty

if TYPE_CHECKING:
    from engine.planning.history.reading import DecisionPage, DecisionRow, PatternPage, PatternRow

_INTERVAL_S = 1.0
_MAX_SHARE = 0.05
"""Share of a core that reading may take: after a slow read the next one waits longer."""
_AROUND = 2
"""Rows above and below the table."""

_OUTCOMES = {"success": "successes", "failure": "failures"}

_Row = Union["DecisionRow", "PatternRow"]


class DecisionsPane(Pane):
    """A table of decisions, newest first, or of patterns: what works where."""

    INFO: ClassVar[PaneInfo] = PaneInfo("decisions", "Decisions", needs=TRAINING)
    PARTS = ("run",)
    KEYS: ClassVar[tuple[PaneKey, ...]] = (
        PaneKey(("up", "k"), "up", "↑/k", "", "Select the row above."),
        PaneKey(("down", "j"), "down", "↓/j", "", "Select the row below."),
        PaneKey(("pageup", "ctrl+u"), "page_up", "pgup", "", "Previous page (ctrl+u)."),
        PaneKey(
            ("pagedown", "ctrl+d"),
            "page_down",
            "pgdn",
            "",
            "Next page, of older ones (ctrl+d).",
        ),
        PaneKey(("home", "g"), "first", "home/g", "newest", "Follow the newest."),
        PaneKey(("f",), "filter", "f", "filter", "Filter by source, action or outcome."),
        PaneKey(("o",), "patterns", "o", "patterns", "Toggle patterns: what works where."),
        PaneKey(("y",), "copy", "y", "copy", "Copy the selected row."),
        PaneKey(("enter",), "open", "enter", "", "Show the selected row in full."),
    )

    def __init__(self) -> None:
        super().__init__()
        self._view = View()
        self._page: DecisionPage | None = None
        self._patterns: PatternPage | None = None
        self._problem: tuple[str, str] | None = None
        self._chosen: int | None = None
        self._room = 20
        self._due = 0.0
        self._is_reading = False

    # Reading

    def on_mount(self) -> None:
        """Read the file regularly."""
        self.set_interval(_INTERVAL_S, self.read_if_due)

    def show(self, state: DashboardState) -> None:
        """Show `state`, and read at once when it names the run."""
        is_new = state.run is not self._state.run
        super().show(state)
        if is_new:
            self._read_soon()

    def read_if_due(self) -> None:
        """Read again if the pane is shown and it is time."""
        is_shown = self.is_mounted and self.display and self.size.height > 0
        if is_shown and not self._is_reading and time.monotonic() >= self._due:
            self._read_soon()

    def _read_soon(self) -> None:
        if self._state.run is not None and self.is_mounted:
            # Not the coroutine: Python warns of one that is cancelled before it begins.
            work: WorkType[None] = self._read
            self.run_worker(work, exclusive=True, group="history")

    async def _read(self) -> None:
        """Read what the view wants, in a thread, and draw it."""
        run, view = self._state.run, self._view
        if run is None:
            return
        config = getattr(self.app, "config", None)
        given = getattr(config, "decision_db_path", "decisions.db")
        self._is_reading = True
        began = time.monotonic()
        try:
            found, took = await asyncio.to_thread(fetch, run.run_dir, given, view, self._room)
        finally:
            self._is_reading = False
        self._due = began + max(0.9 * _INTERVAL_S, took / _MAX_SHARE)
        if view != self._view:
            return
        if isinstance(found, tuple):
            self._problem = found
        elif self._view.is_patterns:
            self._problem, self._patterns = None, found  # type: ignore[assignment]
        else:
            self._problem, self._page = None, found  # type: ignore[assignment]
        rows = self._rows()
        if self._chosen is not None:
            self._chosen = min(self._chosen, len(rows) - 1) if rows else None
        self.redraw()

    def _rows(self) -> Sequence[_Row]:
        page = self._patterns if self._view.is_patterns else self._page
        return page.rows if page is not None else ()

    # Drawing

    def lines(self, state: DashboardState, width: int, height: int) -> list[Line]:
        """Return the table, or why there is none."""
        if state.run is None:
            return empty("The run is about to start.", width)
        if self._room != max(1, height - _AROUND):
            self._room, self._due = max(1, height - _AROUND), 0.0
        rows = self._rows()[: self._room]
        if self._problem is not None and not rows:
            message, hint = self._problem
            return labelled("", message, Ink.text, width, 0, 4) + empty(hint, width)
        if not rows:
            return empty(self._nothing(), width)
        is_marked = self._chosen is not None
        room = width - is_marked
        head = pattern_head(room) if self._view.is_patterns else decision_head(room)
        lines = [_marked(head, width, " ") if is_marked else head]
        for index, row in enumerate(rows):
            line = self._row_line(row, room, state.run)
            mark = "›" if index == self._chosen else " "
            lines.append(_marked(line, width, mark) if is_marked else line)
        lines += [Line(width)] * (height - 1 - len(lines))
        return [*lines, self._about(width)]

    def _row_line(self, row: _Row, width: int, run: RunStarted) -> Line:
        if self._view.is_patterns:
            return pattern_line(row, width, run.actions)  # type: ignore[arg-type]
        return decision_line(row, width, run)  # type: ignore[arg-type]

    def _nothing(self) -> str:
        page = self._patterns if self._view.is_patterns else self._page
        if page is None:
            return "Loading the decision history."
        if self._view.is_filtered:
            return "No match: f changes the filter."
        if self._view.is_patterns:
            return "No action was taken three times in one situation yet."
        return "No decisions yet: each is stored after 16 steps, with its reward."

    def _about(self, width: int) -> Line:
        """Return a line with the page and the filter."""
        view, line = self._view, Line(width)
        if self._problem is not None:
            return line.add(f"! {self._problem[0]}", Ink.warn)
        if view.is_patterns:
            first = view.offset + 1
            line.add(f"patterns {first:,} to {view.offset + len(self._rows()):,}", Ink.text)
        elif self._page is not None:
            line.add(f"page {len(view.before) + 1:,}", Ink.text)
            newer = self._page.newest_id + 1 - view.above if view.above and not view.before else 0
            if newer > 0:
                line.add(f", held, {newer:,} newer", Ink.warn)
            line.add_whole(f" of {self._page.count:,} decisions", Ink.dim)
        action = "" if view.action is None else self._state.actions.name(view.action)
        shown = [view.source, _OUTCOMES.get(view.outcome, ""), action]
        words = ", ".join(word for word in shown if word)
        if words:
            line.add(f"  only {words}", Ink.info)
        other = "  o decisions" if view.is_patterns else "  o patterns"
        return line.add_whole(other, Ink.dim)

    # Keys and mouse

    def act(self, name: str) -> None:
        """Do what a key stands for."""
        match name:
            case "up" | "down":
                self._move(-1 if name == "up" else 1)
            case "page_up" | "page_down":
                self._turn(-1 if name == "page_up" else 1)
            case "first":
                self._chosen = None
                self._look(self._view.first_page())
            case "patterns":
                self._chosen = None
                self._look(View(not self._view.is_patterns, action=self._view.action))
            case "filter":
                self.ask(ChoiceScreen("Show", self.choices()), self.choose)
            case "copy":
                self._copy()
            case "open":
                self._open()
        self.redraw()

    def _look(self, view: View) -> None:
        """Show another part of the history, and read it at once."""
        self._view = view
        self._read_soon()

    def _move(self, step: int) -> None:
        rows = self._rows()
        if not rows:
            return
        self._hold()
        index = (-1 if step > 0 else len(rows)) if self._chosen is None else self._chosen
        index += step
        if index >= len(rows):
            self._chosen = 0 if self._turn(1) else len(rows) - 1
        elif index < 0:
            self._chosen = len(rows) - 1 if self._turn(-1) else 0
        else:
            self._chosen = index

    def _hold(self) -> None:
        """Keep showing this page while newer decisions come."""
        rows = self._rows()
        if not self._view.is_patterns and self._view.above is None and rows:
            self._view = replace(self._view, above=rows[0].id + 1)  # type: ignore[union-attr]

    def _turn(self, step: int) -> bool:
        """Turn to the next or the previous page; return whether there is one."""
        view, rows = self._view, self._rows()
        if view.is_patterns:
            offset = max(0, view.offset + step * self._room)
            has_more = self._patterns is not None and self._patterns.has_more
            is_there = offset != view.offset if step < 0 else has_more
            if is_there:
                self._look(replace(view, offset=offset))
            return is_there
        if step < 0:
            if view.before:
                *before, above = view.before
                self._look(replace(view, above=above, before=tuple(before)))
                return True
            self._look(view.first_page())
            return False
        if self._page is None or not self._page.has_older or not rows:
            return False
        self._hold()
        last = rows[-1].id  # type: ignore[union-attr]
        self._look(replace(self._view, above=last, before=(*view.before, self._view.above)))
        return True

    def choices(self) -> list[tuple[str, str]]:
        """Return what can be filtered by: (key, text); what is in force is ticked."""
        view = self._view
        actions = [
            (f"action:{index}", f"button {name}", view.action == index)
            for index, name in enumerate(self._state.actions.names)
        ]
        found: list[tuple[str, str, bool]] = [("", "everything", not view.is_filtered)]
        if not view.is_patterns:
            sources = self._page.sources if self._page is not None else ()
            found += [
                ("outcome:failure", "only failures", view.outcome == "failure"),
                ("outcome:success", "only successes", view.outcome == "success"),
                *((f"source:{one}", f"by {one}", view.source == one) for one in sources),
            ]
        return [(key, f"{'✓' if is_on else ' '} {text}") for key, text, is_on in found + actions]

    def choose(self, choice: str) -> None:
        """Filter by one of `choices`."""
        self._chosen = None
        self._look(self._view.toggled(choice))

    def _passages(self) -> list[Passage]:
        rows = self._rows()
        if not rows or self._state.run is None:
            return []
        row = rows[min(self._chosen or 0, len(rows) - 1)]
        if self._view.is_patterns:
            return pattern_passages(row, self._state.actions)  # type: ignore[arg-type]
        return decision_passages(row, self._state.run)  # type: ignore[arg-type]

    def _copy(self) -> None:
        passages = self._passages()
        if not passages:
            self.app.notify("Nothing to copy yet", timeout=2)
            return
        self.app.copy_to_clipboard("\n".join(f"{one.heading}: {one.text}" for one in passages))
        which = "first" if self._chosen is None else "chosen"
        self.app.notify(f"Copied the {which} row", timeout=2)

    def _open(self) -> None:
        passages = self._passages()
        if passages:
            title = "Pattern" if self._view.is_patterns else "Decision"
            self.app.push_screen(DetailScreen(title, passages))

    def on_click(self, event: ui.Click) -> None:
        """Choose a row; a double click shows it in full."""
        offset = event.get_content_offset(self)
        row = -1 if offset is None else offset.y - 1
        if 0 <= row < len(self._rows()):
            self._hold()
            self._chosen = row
            if event.chain == 2:
                self._open()
            self.redraw()


def _marked(line: Line, width: int, mark: str) -> Line:
    return Line(width).add(mark, Ink.key).append(line)
