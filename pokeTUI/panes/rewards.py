"""Where the reward comes from, and how much each part of it counts."""

import math
from dataclasses import dataclass
from typing import ClassVar

from textual import events

from engine.commands import SetWeight
from pokeTUI.curves import brief
from pokeTUI.history import smooth
from pokeTUI.panes.pane import CommandWanted, Pane, PaneKey, empty
from pokeTUI.rendering.gauges import beside, sparkline
from pokeTUI.rendering.lines import Line, add_bar, signed
from pokeTUI.rendering.plot import Axes, PlotLine, SmallChart, grid, plot
from pokeTUI.screens.prompt import PromptScreen
from pokeTUI.state import DashboardState
from pokeTUI.theme import Ink

_WIDE = 50
_SPLIT = 110
"""From here on the chosen component has a chart of its own beside the table."""
_SMOOTHING = 10


@dataclass(frozen=True, slots=True)
class Component:
    """A row of the table.

    Attributes:
        weight: None where nobody has told.
        first_weight: Before a person changed it.
        values: What each of the last episodes paid.
    """

    name: str
    step: float
    episode: float
    run: float
    weight: float | None
    first_weight: float | None
    values: tuple[float, ...]

    @property
    def is_changed(self) -> bool:
        """Tell whether a person changed its weight in this run."""
        return self.weight != self.first_weight


def components(state: DashboardState) -> list[Component]:
    """Return the rows in the order of the composer."""
    if state.reward is None:
        return []
    step, run = dict(state.reward.step.components), dict(state.reward.run)
    episode = dict(state.reward.episode)
    weights = dict(state.steering.weights) if state.steering is not None else {}
    first = dict(state.first_weights)
    return [
        Component(
            name,
            step.get(name, 0.0),
            episode.get(name, 0.0),
            run.get(name, 0.0),
            weights.get(name),
            first.get(name, weights.get(name)),
            state.history.component_values(name),
        )
        for name in dict.fromkeys([*step, *episode, *run])
    ]


class RewardsPane(Pane):
    """Each component: this step, this episode, the mean episode of the run; then payouts."""

    KEYS: ClassVar[tuple[PaneKey, ...]] = (
        PaneKey(("up", "k"), "up", "↑", "", "Choose the component above."),
        PaneKey(("down", "j"), "down", "↓", "", "Choose the component below."),
        PaneKey(("w",), "weight", "w", "weight", "Change the chosen component's weight."),
        PaneKey(("m",), "mute", "m", "mute", "Let the chosen component count nothing, or again."),
        PaneKey(("o",), "order", "o", "order", "Order by the table, or by size in this episode."),
        PaneKey(("pageup",), "earlier", "pgup", "", "Show later payouts."),
        PaneKey(("pagedown",), "later", "pgdn", "", "Show earlier payouts."),
    )

    def __init__(self, title: str, *, id: str) -> None:
        super().__init__(title, id=id)
        self._chosen = ""
        self._is_by_size = False
        self._payouts_from = 0
        self._muted: dict[str, float] = {}
        self._names: list[str] = []
        self._first_row = 0

    def parts(self, state: DashboardState) -> tuple[object, ...]:
        """Return what the pane depends on."""
        return (state.reward, state.payouts, state.steering, state.history)

    # Keys and mouse

    def act(self, name: str) -> None:
        """Choose, order, scroll, or ask for another weight."""
        rows = self._ordered(self._state)
        if name in ("up", "down") and rows:
            at = self._index(rows) + (1 if name == "down" else -1)
            self._chosen = rows[max(0, min(len(rows) - 1, at))].name
        elif name == "order":
            self._is_by_size = not self._is_by_size
        elif name in ("earlier", "later"):
            at = self._payouts_from + (5 if name == "later" else -5)
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

    def on_mouse_scroll_down(self, event: events.MouseScrollDown) -> None:
        """Move down in the table or in the payouts."""
        self._wheel(event, "down", "later")

    def on_mouse_scroll_up(self, event: events.MouseScrollUp) -> None:
        """Move up in the table or in the payouts."""
        self._wheel(event, "up", "earlier")

    def _wheel(self, event: events.MouseEvent, table: str, payouts: str) -> None:
        at = event.get_content_offset(self)
        is_table = at is None or at.y <= len(self._names)
        self.act(table if is_table else payouts)
        event.stop()

    def _change(self, row: Component, name: str) -> None:
        if row.weight is None:
            self.notify("Weights are not known yet.", severity="warning", timeout=3)
        elif name == "weight":
            self.app.push_screen(
                PromptScreen(
                    f"Weight of {row.name}",
                    f"{row.weight:g}",
                    hint=f"A number; 1 counts it as it is, 0 not at all. It began with "
                    f"{row.first_weight:g}.",
                    check=_what_is_wrong,
                ),
                lambda text: self._send(row.name, text),
            )
        elif row.weight != 0:
            self._muted[row.name] = row.weight
            self.post_message(CommandWanted(SetWeight(row.name, 0.0)))
        else:
            before = self._muted.pop(row.name, row.first_weight or 1.0)
            self.post_message(CommandWanted(SetWeight(row.name, before)))

    def _send(self, name: str, text: str | None) -> None:
        if text is not None:
            self.post_message(CommandWanted(SetWeight(name, float(text))))

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
            return empty("Nothing has been paid yet.", width)
        chosen = rows[self._index(rows)]
        if width >= _SPLIT and height >= len(rows) + 2:
            small = _small_charts(state, rows, chosen, width, height // 2) if height >= 36 else []
            top = height - len(small)
            at = min(96, width * 55 // 100)
            left = self._table(rows, chosen, at - 3, top)
            left += _payouts(state, at - 3, top - len(left), self._payouts_from)
            return beside(left, _chart(state, chosen, width - at, top), at, width)[:top] + small
        lines = self._table(rows, chosen, width, height)
        if height - len(lines) >= (8 if width >= _WIDE else 3):
            lines += [Line(width), *_detail(chosen, width)]
        return lines + _payouts(state, width, height - len(lines), self._payouts_from)

    def _table(
        self, rows: list[Component], chosen: Component, width: int, height: int
    ) -> list[Line]:
        room = max(1, height - 2)
        at = rows.index(chosen)
        start = max(0, min(self._first_row, at, len(rows) - room), at - room + 1)
        shown = rows[start : start + room]
        self._first_row, self._names = start, [row.name for row in shown]
        sizes = _sizes(rows, width)
        peak = max([abs(row.episode) for row in rows] + [0.01])
        lines = [_heading(sizes, width, is_by_size=self._is_by_size)]
        lines += [_row(row, sizes, width, peak, is_chosen=row is chosen) for row in shown]
        hidden = len(rows) - len(shown)
        return [*lines, _sums(rows, sizes, width, hidden)] if height > 1 else lines


@dataclass(frozen=True, slots=True)
class _Sizes:
    """Widths of the columns."""

    name: int
    number: int
    weight: int
    bar: int
    spark: int


def _sizes(rows: list[Component], width: int) -> _Sizes:
    name = 1 + max([9, *(len(row.name) for row in rows)])
    if width < _WIDE:
        name = min(name, max(5, width - 26))
        return _Sizes(name, 6, 0, max(0, width - name - 22), 0)
    name = min(name, width - 38)
    number = 6 if width < 60 else 7 if width < 70 else 8
    weight = 6 if any(row.weight is not None for row in rows) else 0
    rest = width - name - 1 - 3 * (number + 1) - weight - 2
    spark = min(30, rest * 3 // 5) if rest >= 10 else 0
    return _Sizes(name, number, weight, rest - spark - (1 if spark else 0), spark)


def _heading(sizes: _Sizes, width: int, *, is_by_size: bool) -> Line:
    titles = ("step", "episode" if sizes.number >= 7 else "ep", "mean")
    line = Line(width).add(
        " " + ("by size" if is_by_size else "component"), Ink.dim, 1 + sizes.name
    )
    for title in titles:
        line.add(" ", Ink.dim).add(title, Ink.dim, sizes.number, right=True)
    if sizes.weight:
        line.add("weight" if sizes.weight > 6 else " ×", Ink.dim, sizes.weight, right=True)
    if sizes.bar > 0 and width >= _WIDE:
        line.add("  ", Ink.dim).add("episode" if sizes.bar >= 7 else "", Ink.dim, sizes.bar)
    if sizes.spark:
        text = "last 60 episodes" if sizes.spark >= 16 else "last 60"
        line.add(" ", Ink.dim).add(text, Ink.dim, sizes.spark)
    return line


def _row(row: Component, sizes: _Sizes, width: int, peak: float, *, is_chosen: bool) -> Line:
    line = Line(width).add("▸" if is_chosen else " ", Ink.key)
    is_muted = row.weight == 0
    name_ink = Ink.strong if is_chosen else Ink.dim if is_muted else Ink.text
    sign = "*" if row.is_changed and not sizes.weight else ""
    line.add(row.name[: sizes.name - len(sign) - 1] + sign, name_ink, sizes.name)
    for number in (row.step, row.episode, row.run):
        line.add(" ", Ink.text).add(
            signed(number, sizes.number), _ink(number), sizes.number, right=True
        )
    if sizes.weight:
        ink = Ink.warn if row.is_changed else Ink.dim
        line.add(_weight(row), ink, sizes.weight, right=True)
    line.add(" " if width < _WIDE else "  ", Ink.text)
    ink = Ink.bad if row.episode < 0 else Ink.good
    add_bar(line, abs(row.episode) / peak, sizes.bar, ink, Ink.faint, is_hatched=row.episode < 0)
    if sizes.spark:
        line.add(" ", Ink.text).add(sparkline(row.values, sizes.spark), Ink.dim)
    return line


def _weight(row: Component) -> str:
    """Return a weight, with a sign if a person changed it."""
    if row.weight is None:
        return ""
    text = "off" if row.weight == 0 else f"{row.weight:.3g}"
    return text + ("*" if row.is_changed else " ")


def _sums(rows: list[Component], sizes: _Sizes, width: int, hidden: int) -> Line:
    line = Line(width).add(
        f" sum{f', {hidden} more ↕' if hidden else ''}", Ink.strong, 1 + sizes.name
    )
    for total in (
        sum(row.step for row in rows),
        sum(row.episode for row in rows),
        sum(row.run for row in rows),
    ):
        line.add(" ", Ink.text).add(
            signed(total, sizes.number), Ink.strong, sizes.number, right=True
        )
    if sizes.weight and any(row.is_changed for row in rows):
        line.add("", Ink.dim, sizes.weight).add_whole("  * changed by you", Ink.dim)
    return line


def _detail(row: Component, width: int) -> list[Line]:
    """Return two lines on the chosen component."""
    line = Line(width).add("▸", Ink.key).add(row.name, Ink.strong)
    if row.weight is not None:
        line.add("  weight ", Ink.dim).add(
            _weight(row).strip(), Ink.warn if row.is_changed else Ink.text
        )
        if row.is_changed:
            line.add(f" (was {row.first_weight:g})", Ink.dim)
    if not row.values:
        return [line, Line(width).add(" No episode has ended yet.", Ink.dim)]
    line.add_whole(f"  {_range(row)}", Ink.dim)
    below = Line(width).add(" ", Ink.text)
    below.add(sparkline(row.values, min(60, len(row.values), width - 20)), Ink.good)
    count = len(row.values)
    return [line, below.add(f" last {count} episode{'s' if count > 1 else ''}", Ink.dim)]


def _range(row: Component) -> str:
    return f"{brief(min(row.values))} to {brief(max(row.values))} an episode"


def _chart(state: DashboardState, row: Component, width: int, height: int) -> list[Line]:
    """Return the chosen component's curve over the run."""
    head = Line(width).add(row.name, Ink.strong).add(" an episode", Ink.dim)
    if row.weight is not None:
        head.add("  weight ", Ink.dim)
        head.add(_weight(row).strip(), Ink.warn if row.is_changed else Ink.text)
        if row.is_changed:
            head.add(f" (was {row.first_weight:g})", Ink.dim)
    places, values = state.history.component_points(row.name)
    if not len(values):
        return [head, Line(width).add("Its curve starts when the first episode ends.", Ink.dim)]
    head.add_whole(f"  {_range(row)} of the last {len(row.values)}", Ink.dim)
    stride = state.history.record.stride
    mean = smooth(values, max(1, _SMOOTHING // stride))
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
    window = max(1, _SMOOTHING // state.history.record.stride)
    charts = []
    for row in rows:
        places, values = state.history.component_points(row.name)
        points = places, smooth(values, window)
        charts.append(SmallChart(row.name, points, "episode", brief, is_chosen=row is chosen))
    return grid(charts, width, room)


def _ink(number: float) -> Ink:
    if abs(number) < 0.0005:
        return Ink.dim
    return Ink.text if number > 0 else Ink.bad


def _payouts(state: DashboardState, width: int, room: int, start: int) -> list[Line]:
    """Return the last payouts, newest first, below a heading."""
    if room < 3:
        return []
    heading = Line(width).add(" last payouts", Ink.dim)
    if not state.payouts:
        return [Line(width), heading, Line(width).add(" None in this episode so far.", Ink.dim)]
    shown = list(reversed(state.payouts))[start : start + room - 2]
    if start:
        heading.add(f", from number {start + 1}", Ink.dim)
    elif len(state.payouts) > len(shown):
        heading.add_whole(f" ({len(shown)} of {len(state.payouts)}, pgdn for more)", Ink.dim)
    lines = [Line(width), heading]
    for payout in shown:
        ink = Ink.good if payout.value >= 0 else Ink.bad
        line = Line(width).add(f"{payout.step:,} ", Ink.dim, 7, right=True)
        line.add(f"{signed(payout.value, 6)} ", ink, 7, right=True)
        if width >= _WIDE:
            line.add(f"{payout.component} ", Ink.dim, 12)
        lines.append(line.add(payout.cause or payout.component, Ink.text))
    return lines


def _what_is_wrong(text: str) -> str:
    try:
        value = float(text)
    except ValueError:
        return "That is no number."
    return "" if math.isfinite(value) else "It must be a finite number."
