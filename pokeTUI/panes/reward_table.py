"""The table of the reward's components."""

from dataclasses import dataclass

from pokeTUI.dashboard.state import DashboardState
from pokeTUI.rendering.gauges import sparkline
from pokeTUI.rendering.lines import Line, add_bar, signed
from pokeTUI.theme import Ink

WIDE = 50
"""From here on there is room for weights and sparklines."""


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
