"""Show what each component of the reward pays, and its weight."""

from dataclasses import dataclass
from typing import ClassVar

from textual import events

from engine.commands import SetWeight
from engine.ground.numerals import MAX_NUMBER, parse_number
from engine.ground.text import counted, printable
from pokeTUI.dashboard.curves import brief
from pokeTUI.dashboard.history import smooth
from pokeTUI.dashboard.state import DashboardState
from pokeTUI.draw.layout import PaneInfo
from pokeTUI.draw.lines import Line, add_bar, beside, signed, sparkline
from pokeTUI.draw.theme import Ink
from pokeTUI.panes.dialogs import PromptScreen
from pokeTUI.panes.pane import CommandWanted, Pane, PaneKey, empty, untrained
from pokeTUI.panes.plot import Axes, PlotLine, SmallChart, grid, plot

# The table of the reward's components.

WIDE = 50
"""Cells from which there is room for weights and sparklines."""


@dataclass(frozen=True, slots=True)
class Component:
    """A row of the table: what a component paid; a weight is None where it is not known."""

    name: str
    step: float
    episode: float
    run: float
    weight: float | None
    first_weight: float | None
    values: tuple[float, ...]

    @property
    def is_changed(self) -> bool:
        """Return whether a person changed its weight in this run."""
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


@dataclass(frozen=True, slots=True)
class Sizes:
    """Widths of the columns."""

    name: int
    number: int
    weight: int
    bar: int
    spark: int


def sizes_of(rows: list[Component], width: int) -> Sizes:
    """Return the widths of the columns; a width of 0 leaves one out."""
    name = 1 + max([9, *(len(row.name) for row in rows)])
    if width < WIDE:
        name = min(name - 1, max(5, width - 25))
        return Sizes(name, 6, 0, max(0, width - name - 23), 0)
    name = min(name, width - 38)
    number = 6 if width < 60 else 7 if width < 70 else 8
    weight = 7 if any(row.weight is not None for row in rows) else 0
    rest = width - name - 1 - 3 * (number + 1) - weight - 2
    spark = min(30, rest * 3 // 5) if rest >= 10 else 0
    return Sizes(name, number, weight, rest - spark - (1 if spark else 0), spark)


def heading(sizes: Sizes, width: int, *, is_by_size: bool) -> Line:
    """Return the names of the columns."""
    line = Line(width).add(" by size" if is_by_size else " component", Ink.dim, 1 + sizes.name)
    for title in ("step", "episode" if sizes.number >= 7 else "ep", "mean"):
        line.add(" ", Ink.dim).add(title, Ink.dim, sizes.number, right=True)
    if sizes.weight:
        line.add("weight" if sizes.weight > 6 else " ×", Ink.dim, sizes.weight, right=True)
    if sizes.bar > 0 and width >= WIDE:
        line.add("  ", Ink.dim).add("episode" if sizes.bar >= 7 else "", Ink.dim, sizes.bar)
    if sizes.spark:
        texts = ("last 60 episodes", "last 60", "last")
        text = next((text for text in texts if len(text) <= sizes.spark), "")
        line.add(" ", Ink.dim).add(text, Ink.dim, sizes.spark)
    return line


def component_row(
    row: Component, sizes: Sizes, width: int, peak: float, *, is_chosen: bool
) -> Line:
    """Return one component's numbers, weight, bar and sparkline."""
    line = Line(width).add("▸" if is_chosen else " ", Ink.key)
    is_muted = row.weight == 0
    name_ink = Ink.strong if is_chosen else Ink.dim if is_muted else Ink.text
    sign = "*" if row.is_changed and not sizes.weight else ""
    line.add(row.name[: sizes.name - len(sign)] + sign, name_ink, sizes.name)
    for number in (row.step, row.episode, row.run):
        ink = Ink.dim if abs(number) < 0.0005 else Ink.text if number > 0 else Ink.bad
        _add_number(line, number, ink, sizes.number)
    if sizes.weight:
        ink = Ink.warn if row.is_changed else Ink.dim
        line.add(weight_text(row), ink, sizes.weight, right=True)
    line.add(" " if width < WIDE else "  ", Ink.text)
    ink = Ink.bad if row.episode < 0 else Ink.good
    add_bar(line, abs(row.episode) / peak, sizes.bar, ink, Ink.faint, is_hatched=row.episode < 0)
    if sizes.spark:
        line.add(" ", Ink.text).add(sparkline(row.values, sizes.spark), Ink.dim)
    return line


def weight_text(row: Component) -> str:
    """Return a weight, with a sign if a person changed it."""
    if row.weight is None:
        return ""
    text = "off" if row.weight == 0 else f"{row.weight:.3g}"
    return text + ("*" if row.is_changed else " ")


def sums_row(rows: list[Component], sizes: Sizes, width: int, hidden: int) -> Line:
    """Return the sums over all components, also those that are out of sight."""
    more = f" ↕ {hidden} more" if len(f"sum ↕ {hidden} more") <= sizes.name else f" ↕ +{hidden}"
    line = Line(width).add(f" sum{more if hidden else ''}", Ink.strong, 1 + sizes.name)
    for numbers in zip(*((row.step, row.episode, row.run) for row in rows), strict=True):
        _add_number(line, sum(numbers), Ink.strong, sizes.number)
    if sizes.weight and any(row.is_changed for row in rows):
        line.add("", Ink.dim, sizes.weight).add_whole("  * changed by you", Ink.dim)
    return line


def _add_number(line: Line, number: float, ink: Ink, width: int) -> None:
    line.add(" ", Ink.text).add(signed(number, width), ink, width, right=True)


_SPLIT = 110
"""Cells from which the chosen component has a chart beside the table."""
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
