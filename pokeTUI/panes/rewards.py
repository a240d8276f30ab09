"""Where the reward comes from, and how much each part of it counts."""

from typing import ClassVar

from textual import events

from engine.commands import SetWeight
from engine.numerals import MAX_NUMBER, parse_number
from engine.plurals import counted
from engine.quoting import printable
from pokeTUI.dashboard.curves import brief
from pokeTUI.dashboard.history import smooth
from pokeTUI.dashboard.state import DashboardState
from pokeTUI.dialogs.prompt import PromptScreen
from pokeTUI.layout import PaneInfo
from pokeTUI.panes.pane import CommandWanted, Pane, PaneKey, empty, untrained
from pokeTUI.panes.reward_table import (
    WIDE,
    Component,
    component_row,
    components,
    heading,
    sizes_of,
    sums_row,
    weight_text,
)
from pokeTUI.rendering.gauges import sparkline
from pokeTUI.rendering.lines import Line, beside, signed
from pokeTUI.theme import Ink
from pokeTUI.widgets.plot import Axes, PlotLine, SmallChart, grid, plot

_SPLIT = 110
"""From here on the chosen component has a chart of its own beside the table."""
_SMOOTHING = 10


class RewardsPane(Pane):
    """Each component: this step, this episode, the mean episode of the run; then payouts."""

    INFO: ClassVar[PaneInfo] = PaneInfo(
        "rewards", "Rewards", rows=(14, 15, 16), column=1, appetite=2
    )
    PARTS = ("reward", "payouts", "steering", "history")
    KEYS: ClassVar[tuple[PaneKey, ...]] = (
        PaneKey(("up", "k"), "up", "↑/k", "", "Select the component above."),
        PaneKey(("down", "j"), "down", "↓/j", "", "Select the component below."),
        PaneKey(("w",), "weight", "w", "weight", "Change the selected component's weight."),
        PaneKey(
            ("m",), "mute", "m", "mute", "Mute the selected component (weight 0), or unmute it."
        ),
        PaneKey(("o",), "order", "o", "order", "Sort by name, or by size in this episode."),
        PaneKey(("pageup",), "newer", "pgup", "", "Show newer rewards."),
        PaneKey(("pagedown",), "older", "pgdn", "", "Show older rewards."),
    )

    def __init__(self) -> None:
        super().__init__()
        self._chosen = ""
        self._is_by_size = False
        self._payouts_from = 0
        self._muted: dict[str, float] = {}
        self._names: list[str] = []
        self._first_row = 0

    # Keys and mouse

    def act(self, name: str) -> None:
        """Choose, order, scroll, or ask for another weight."""
        rows = self._ordered(self._state)
        if name in ("up", "down") and rows:
            at = self._index(rows) + (1 if name == "down" else -1)
            self._chosen = rows[max(0, min(len(rows) - 1, at))].name
        elif name == "order":
            self._is_by_size = not self._is_by_size
        elif name in ("newer", "older"):
            at = self._payouts_from + (5 if name == "older" else -5)
            self._payouts_from = max(0, min(len(self._state.payouts) - 1, at))
        elif name in ("weight", "mute") and rows:
            self._change(rows[self._index(rows)], name)
        self.redraw()

    def on_click(self, event: events.Click) -> None:
        """Choose the component under the pointer; a click on the heading changes the order."""
        at = event.get_content_offset(self)
        if at is None or not self._names:
            return
        row = at.y - 1
        if row == -1:
            self.act("order")
        elif row < len(self._names):
            self._chosen = self._names[row]
            self.redraw()
            if event.chain == 2:
                self.act("weight")

    def wheel(self, name: str, event: events.MouseEvent) -> None:
        """Move in the table or in the payouts."""
        at = event.get_content_offset(self)
        if at is not None and at.y > len(self._names):
            name = "older" if name == "down" else "newer"
        self.act(name)

    def _change(self, row: Component, name: str) -> None:
        if row.weight is None:
            self.notify("Weights are not known yet.", severity="warning", timeout=3)
        elif name == "weight":
            hint = f"A number; 0 disables it. Original: {row.first_weight:g}."
            screen = PromptScreen(
                f"Weight of {row.name}", f"{row.weight:g}", hint=hint, check=_what_is_wrong
            )
            self.ask(screen, lambda text: self._send(row.name, float(text)))
        elif row.weight != 0:
            self._muted[row.name] = row.weight
            self._send(row.name, 0.0)
        else:
            self._send(row.name, self._muted.pop(row.name, row.first_weight or 1.0))

    def _send(self, name: str, weight: float) -> None:
        self.post_message(CommandWanted(SetWeight(name, weight)))

    def _ordered(self, state: DashboardState) -> list[Component]:
        rows = components(state)
        if self._is_by_size:
            rows.sort(key=lambda row: -abs(row.episode))
        return rows

    def _index(self, rows: list[Component]) -> int:
        names = [row.name for row in rows]
        return names.index(self._chosen) if self._chosen in names else 0

    # Drawing

    def lines(self, state: DashboardState, width: int, height: int) -> list[Line]:
        """Return the table, its sum, the chosen component and the last payouts."""
        rows = self._ordered(state)
        if not rows:
            return empty("No rewards yet.", width)
        chosen = rows[self._index(rows)]
        if width >= _SPLIT and height >= len(rows) + 2:
            small = _small_charts(state, rows, chosen, width, height // 2) if height >= 36 else []
            top = height - len(small)
            at = min(96, width * 55 // 100)
            left = self._table(rows, chosen, at - 3, top)
            left += _payouts(state, at - 3, top - len(left), self._payouts_from)
            return beside(left, _chart(state, chosen, width - at, top), at, width)[:top] + small
        lines = self._table(rows, chosen, width, height - _reserved(width, height))
        if height - len(lines) >= (8 if width >= WIDE else 3):
            lines += [Line(width), *_detail(state, chosen, width)]
        return lines + _payouts(state, width, height - len(lines), self._payouts_from)

    def _table(
        self, rows: list[Component], chosen: Component, width: int, height: int
    ) -> list[Line]:
        room = max(1, height - 2)
        at = rows.index(chosen)
        start = max(0, min(self._first_row, at, len(rows) - room), at - room + 1)
        shown = rows[start : start + room]
        self._first_row, self._names = start, [row.name for row in shown]
        sizes = sizes_of(rows, width)
        peak = max([abs(row.episode) for row in rows] + [0.01])
        lines = [heading(sizes, width, is_by_size=self._is_by_size)]
        lines += [component_row(row, sizes, width, peak, is_chosen=row is chosen) for row in shown]
        hidden = len(rows) - len(shown)
        return [*lines, sums_row(rows, sizes, width, hidden)] if height > 1 else lines


def _reserved(width: int, height: int) -> int:
    """Return how many lines the table leaves for the chosen component and the payouts."""
    if width >= WIDE:
        return 3 if height >= 16 else 0
    return 6 if height >= 18 else 3 if height >= 12 else 0


def _detail(state: DashboardState, row: Component, width: int) -> list[Line]:
    """Return two lines on the chosen component."""
    line = Line(width).add("▸", Ink.key).add(row.name, Ink.strong)
    _add_weight(line, row)
    if not row.values:
        why = untrained(state) or "No episode has ended yet."
        return [line, Line(width).add(f" {why}", Ink.dim)]
    line.add_whole(f"  {_range(row)}", Ink.dim)
    below = Line(width).add(" ", Ink.text)
    below.add(sparkline(row.values, min(60, len(row.values), width - 20)), Ink.good)
    count = len(row.values)
    return [line, below.add(f" last {counted(count, 'episode')}", Ink.dim)]


def _add_weight(line: Line, row: Component) -> None:
    if row.weight is not None:
        ink = Ink.warn if row.is_changed else Ink.text
        line.add("  weight ", Ink.dim).add(weight_text(row).strip(), ink)
        if row.is_changed:
            line.add(f" (was {row.first_weight:g})", Ink.dim)


def _range(row: Component) -> str:
    return f"{brief(min(row.values))} to {brief(max(row.values))} an episode"


def _chart(state: DashboardState, row: Component, width: int, height: int) -> list[Line]:
    """Return the chosen component's curve over the run."""
    head = Line(width).add(row.name, Ink.strong).add(" an episode", Ink.dim)
    _add_weight(head, row)
    places, values = state.history.record.points(f"reward/{row.name}")
    if not len(values):
        later = "Its curve starts when the first episode ends."
        return [head, Line(width).add(untrained(state) or later, Ink.dim)]
    head.add_whole(f"  {_range(row)} of the last {len(row.values)}", Ink.dim)
    mean = smooth(values, _SMOOTHING // state.history.record.stride)
    axes = Axes(float(places[0]), float(places[-1]), "episode", brief)
    drawn = [PlotLine((places, mean), Ink.good), PlotLine((places, values), Ink.faint)]
    lines, _ = plot(drawn, axes, width, min(height - 1, 30))
    return [head, *lines]


def _small_charts(
    state: DashboardState, rows: list[Component], chosen: Component, width: int, room: int
) -> list[Line]:
    """Return the curves of all components."""
    if not state.history.count:
        return []
    window = _SMOOTHING // state.history.record.stride
    charts = []
    for row in rows:
        places, values = state.history.record.points(f"reward/{row.name}")
        points = places, smooth(values, window)
        charts.append(SmallChart(row.name, points, "episode", brief, is_chosen=row is chosen))
    return grid(charts, width, room)


def _payouts(state: DashboardState, width: int, room: int, start: int) -> list[Line]:
    """Return the last payouts, newest first, below a heading."""
    if room < 3:
        return []
    heading = Line(width).add(" recent rewards", Ink.dim)
    if not state.payouts:
        return [Line(width), heading, Line(width).add(" None in this episode so far.", Ink.dim)]
    shown = list(reversed(state.payouts))[start : start + room - 2]
    if start:
        heading.add(f", from number {start + 1}", Ink.dim)
    elif len(state.payouts) > len(shown):
        heading.add_whole(f" ({len(shown)} of {len(state.payouts)}, pgdn for more)", Ink.dim)
    lines = [Line(width), heading]
    for payout in shown:
        cause = printable(payout.cause)
        ink = Ink.good if payout.value >= 0 else Ink.bad
        line = Line(width).add(f"{payout.step:,} ", Ink.dim, 7, right=True)
        line.add(f"{signed(payout.value, 6)} ", ink, 7, right=True)
        if width >= WIDE:
            line.add(f"{payout.component} ", Ink.dim if cause else Ink.text, 12)
            lines.append(line.add(cause.removeprefix(f"{payout.component}: "), Ink.text))
        else:
            lines.append(line.add(cause or payout.component, Ink.text))
    return lines


def _what_is_wrong(text: str) -> str:
    try:
        parse_number(text)
    except ValueError:
        return f"It must be a number, of at most {MAX_NUMBER:.0e}."
    return ""
