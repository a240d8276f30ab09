"""Show a game's buttons, which of them are pressed, and by whom."""

from collections.abc import Iterable
from dataclasses import dataclass

from rich.cells import cell_len

from engine.types import Action, ActionSet, Source
from pokeTUI.dashboard.state import DashboardState
from pokeTUI.draw.lines import Line, beside
from pokeTUI.draw.lines_widget import LinesWidget
from pokeTUI.draw.theme import SOURCE_MARKS, Ink

PAD_ROWS = 3
_ARROWS = {Action.UP: "↑", Action.DOWN: "↓", Action.LEFT: "←", Action.RIGHT: "→"}
_PAD = ((None, Action.UP), (Action.LEFT, None, Action.RIGHT), (None, Action.DOWN))
_ARROW_WIDTH = 2
_PAD_WIDTH = 3 * _ARROW_WIDTH
_ENDLESS = 10_000
_WHO_WIDTH = 3 + max(cell_len(source) for source in Source)


@dataclass(frozen=True, slots=True)
class Inputs:
    """Which actions are pressed, and who presses them, as `Decision.source` has it; "": nobody."""

    source: str = ""
    pressed: frozenset[int] = frozenset()

    @classmethod
    def of(cls, state: DashboardState) -> "Inputs":
        """Return what is held in real time, else what was pressed for the last step."""
        if state.status is not None and state.status.is_live:
            return cls(Source.HUMAN, state.held)
        if state.decision is None:
            return cls()
        decision = state.decision.decision
        return cls(decision.source, frozenset({decision.action}))


class InputDisplay(LinesWidget):
    """Show the buttons; a pressed one is lit, and before it stands the mark of who presses it.

    One row, or three around a cross of directions; upright where there are more.
    """

    def __init__(self, *, id: str) -> None:
        super().__init__(id=id)
        self._inputs = Inputs()
        self._take(DashboardState().actions)

    def _take(self, actions: ActionSet) -> None:
        self._actions = actions
        ways = {way: index for way in _ARROWS if (index := actions.index(way)) is not None}
        self._ways = ways if len(ways) == len(_ARROWS) else {}
        arrows = {index: _ARROWS[way] for way, index in self._ways.items()}
        self._names = [arrows.get(index) or name for index, name in enumerate(actions.names)]
        left_out = {actions.index(Action.NOOP), *self._ways.values()}
        self._others = sorted(set(range(len(actions))) - left_out)

    @property
    def upright_size(self) -> tuple[int, int]:
        """Columns and rows that it needs beside the picture."""
        pad_width, pad_rows = (_PAD_WIDTH, PAD_ROWS + 1) if self._ways else (1, 0)
        widths = [1 + cell_len(self._names[index]) for index in self._others]
        return max([pad_width, *widths]), pad_rows + len(self._others)

    def show(self, state: DashboardState) -> None:
        """Show what is pressed now."""
        inputs = Inputs.of(state)
        if inputs != self._inputs or state.actions is not self._actions:
            self._inputs = inputs
            self._take(state.actions)
            self.redraw()

    def draw(self, width: int, height: int) -> list[Line]:
        """Return the buttons in the form for so many rows, in the middle."""
        if height > PAD_ROWS:
            lines = [self._row((index,)) for index in self._others]
            lines = [*self._pad(), Line(0), *lines] if self._ways else lines
        elif height == PAD_ROWS and self._ways:
            words = [self._who(), self._row(self._others)]
            lines = beside(self._pad(), words, _PAD_WIDTH + 2, _ENDLESS)
        else:
            lines = [self._in_one_row(width)]
        above = [Line(width) for _ in range((height - len(lines)) // 2)]
        indent = (width - max((line.used for line in lines), default=0)) // 2
        return [*above, *(Line(width).skip_to(indent).append(line) for line in lines)]

    def _in_one_row(self, width: int) -> Line:
        buttons = [*self._ways.values(), *self._others]
        line = self._row(buttons)
        if line.used > width:  # too many: only what is pressed is shown
            line = self._row(index for index in buttons if index in self._inputs.pressed)
        return self._who().append(line) if line.used + _WHO_WIDTH <= width else line

    def _who(self) -> Line:
        line, source = Line(_ENDLESS), self._inputs.source
        if source:
            mark, ink = SOURCE_MARKS[source]
            line.add(f"{mark} ", ink).add(source, Ink.text)
        return line.skip_to(_WHO_WIDTH)

    def _pad(self) -> list[Line]:
        lines = [Line(_ENDLESS) for _ in _PAD]
        for line, ways in zip(lines, _PAD, strict=True):
            for way in ways:
                if way is None:
                    line.add(" " * _ARROW_WIDTH, Ink.text)
                else:
                    self._add(line, self._ways[way])
        return lines

    def _row(self, actions: Iterable[int]) -> Line:
        line = Line(_ENDLESS)
        for index in actions:
            if line.used:
                line.add(" ", Ink.text)
            self._add(line, index)
        return line

    def _add(self, line: Line, index: int) -> None:
        """Add a button, lit where it is pressed."""
        name, source = self._names[index], self._inputs.source
        if index not in self._inputs.pressed:
            line.add(f" {name}", Ink.dim)
            return
        is_human = source == Source.HUMAN
        mark, _ = SOURCE_MARKS[source]
        line.add(f"{mark}{name}", Ink.badge_warn if is_human else Ink.badge)
