"""How far the hand-over from planner to policy has come."""

from typing import ClassVar

from textual import events

from engine.events import CurriculumChanged
from engine.plurals import counted
from pokeTUI.dashboard.state import DashboardState
from pokeTUI.dashboard.story import story
from pokeTUI.dialogs.questions import ask_mode, ask_strategy
from pokeTUI.layout import TRAINING, PaneInfo
from pokeTUI.panes.curriculum_lines import (
    LABEL,
    as_set,
    episodes_line,
    hand_over,
    move_lines,
    next_stage_lines,
    share_line,
    source_lines,
    stage_lines,
    ten_bars,
    ten_in_a_row,
)
from pokeTUI.panes.pane import CommandWanted, Pane, PaneKey, empty, untrained
from pokeTUI.rendering.lines import Line, beside, labelled
from pokeTUI.theme import Ink

_SPLIT = 100
"""From here on the history stands beside the rest."""


class CurriculumPane(Pane):
    """Stage, what is missing, who decides, which strategy leads, and how it came to that."""

    INFO: ClassVar[PaneInfo] = PaneInfo(
        "curriculum", "Curriculum", needs=TRAINING, rows=(6, 7, 8), column=1
    )
    PARTS = (
        "curriculum",
        "starts",
        "steering",
        "moves",
        "strategy",
        "history",
        "run",
        "shares",
        "planner",
    )
    KEYS: ClassVar[tuple[PaneKey, ...]] = (
        PaneKey(("m",), "mode", "m", "mode", "Choose the mode: planner and policy, or one alone."),
        PaneKey(
            ("y",),
            "strategy",
            "y",
            "strategy",
            "Choose the strategy: how far the planner is followed.",
        ),
        PaneKey(("up", "k"), "up", "↑/k", "", "Show later moves of the curriculum."),
        PaneKey(("down", "j"), "down", "↓/j", "", "Show earlier moves of the curriculum."),
        PaneKey(("pageup",), "page_up", "pgup", "", "Show much later moves."),
        PaneKey(("pagedown",), "page_down", "pgdn", "", "Show much earlier moves."),
    )
    _STEPS: ClassVar[dict[str, int]] = {"up": -1, "down": 1, "page_up": -10, "page_down": 10}

    def __init__(self) -> None:
        super().__init__()
        self._first_move = 0
        self._set_row = -1

    def act(self, name: str) -> None:
        """Ask for another mode or strategy, or scroll the history."""
        if name in ("mode", "strategy"):
            question = (ask_mode if name == "mode" else ask_strategy)(self._state)
            self.ask(
                question.screen,
                lambda chosen: self.post_message(CommandWanted(question.command(chosen))),
            )
        elif name in self._STEPS:
            at = self._first_move + self._STEPS[name]
            self._first_move = max(0, min(len(self._state.moves) - 1, at))
            self.redraw()

    def on_click(self, event: events.Click) -> None:
        """Change what is clicked on: the mode left, the strategy right."""
        at = event.get_content_offset(self)
        if at is not None and at.y == self._set_row:
            self.act("mode" if at.x < LABEL + 10 else "strategy")

    def lines(self, state: DashboardState, width: int, height: int) -> list[Line]:
        """Return where it stands, and below or beside it how it came to that."""
        self._set_row = -1
        if state.curriculum is None:
            return empty(untrained(state) or "The curriculum starts with the first episode.", width)
        if width >= _SPLIT and height >= 8:
            at = min(76, width // 2)
            top = min(height, 20) if height >= 34 else height
            left = self._standing(state, state.curriculum, at - 3, top)
            right = self._history(state, width - at, top)
            lines = beside(left, right, at, width)
            return lines + (hand_over(state, width, height - len(lines)) if top < height else [])
        told = self.sentence(story(state)[0], width)
        top = (height - 4 if height >= 15 else height) - len(told)
        lines = [*told, *self._standing(state, state.curriculum, width, top)]
        if self._set_row >= 0:
            self._set_row += len(told)
        gap = [Line(width)] if height > 20 else []
        room = height - len(lines) - len(gap)
        return [*lines, *gap, *self._history(state, width, room)] if room >= 2 else lines

    def _standing(
        self, state: DashboardState, now: CurriculumChanged, width: int, height: int
    ) -> list[Line]:
        """Return the current state; the fewer lines there are, the less of it."""
        lines = stage_lines(now, width, 2 if height >= 14 else 1)
        lines += next_stage_lines(now, width, 2 if height >= 8 else 1)
        rows = min(8, height - 8 - len(lines))
        if rows >= 3:
            lines += ten_bars(now, width, rows if rows < 8 else 7, has_note=rows >= 8)
        elif now.recent or not state.starts:
            lines.append(ten_in_a_row(now, width))
        if height >= 5:
            lines.append(episodes_line(now, width))
        lines.append(share_line(state, now, width))
        if state.starts and height > len(lines):
            room = 2 if height >= 14 else 1
            lines += labelled("starts", state.starts, Ink.text, width, LABEL, room)
        sources = source_lines(state, width, height - len(lines) - 1)
        if height > len(lines) + len(sources):
            lines += sources
        if height > len(lines):
            self._set_row = len(lines)
            lines.append(as_set(state, width))
        if height >= len(lines) + 2:
            lines += labelled("focus", now.focus, Ink.text, width, LABEL, 2)
            lines += labelled("signs", now.success_metrics, Ink.text, width, LABEL, 2)
        return lines[:height]

    def _history(self, state: DashboardState, width: int, room: int) -> list[Line]:
        """Return the moves, newest first, below a heading."""
        if not state.moves:
            text = "no stage or strategy change yet"
            return labelled("history", text, Ink.dim, width, LABEL, min(2, room))
        lines = [Line(width).add("history", Ink.dim, LABEL)]
        drawn = [move_lines(move, width) for move in reversed(state.moves)]
        count = len(drawn)
        first = 0 if sum(map(len, drawn)) < room else min(self._first_move, count - 1)
        of = f"{first + 1} to {count} of {count}" if first else counted(count, "move")
        lines[0].add(of, Ink.dim)
        for new in drawn[first:]:
            if len(lines) + len(new) > room:
                break
            lines += new
        return lines
