"""Draw what stands around the field: log, policy, team sheets, win rates and workers."""

import json
import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from types import MappingProxyType

from textual.events import MouseScrollDown, MouseScrollUp

from engine.events import GREEDY, BattleWorker, OpponentScore
from engine.planning.history.patterns import success_interval
from pokeTUI.battles.choices import read_request, words
from pokeTUI.battles.field import field_lines
from pokeTUI.battles.layout import CHOOSE, FIELD, LOG, POLICY, RATES, SHEETS, WORKERS
from pokeTUI.battles.playback import BattlesState
from pokeTUI.battles.sheets import sheet_lines
from pokeTUI.battles.text import Weight
from pokeTUI.battles.view import BattleView
from pokeTUI.draw.lines import Line, add_bar, flow, wrap
from pokeTUI.draw.lines_widget import LinesWidget
from pokeTUI.draw.theme import SERIES, Ink
from pokeTUI.panes.pane import empty
from pokeTUI.panes.plot import Axes, PlotLine, plot

_LOG_INKS = MappingProxyType(
    {
        Weight.turn: Ink.badge_info,
        Weight.major: Ink.text,
        Weight.minor: Ink.dim,
        Weight.faint: Ink.bad,
        Weight.end: Ink.badge,
    }
)
_NOTE_ROWS = 12
"""Rows from which the win rates have a line that explains them."""
_SELF = "self"
"""The opponent that is the policy itself: both sides are counted, so that it says nothing."""


@dataclass(frozen=True, slots=True)
class Scene:
    """What is shown: a place in a battle, and which parts of the screen are seen with it."""

    battles: BattlesState
    place: int
    parts: frozenset[str] = frozenset()

    def is_same(self, other: "Scene") -> bool:
        """Return whether another scene shows the same; states are compared as objects."""
        rest = self.place, self.parts
        return self.battles is other.battles and rest == (other.place, other.parts)

    @property
    def view(self) -> BattleView:
        """The battle there; whoever plays also knows whom they took along."""
        view = self.battles.playback.view(self.place)
        if not self.battles.party:
            return view
        own, foe = view.sides[self.own], view.sides[1 - self.own]
        own = replace(own, party=self.battles.party)
        return replace(view, sides=(foe, own) if self.own else (own, foe))

    @property
    def own(self) -> int:
        """The side that is watched."""
        return self.battles.playback.own

    @property
    def sides(self) -> tuple[int, ...]:
        """The sides whose items, abilities and moves are to be seen: choices have the own ones."""
        return (1 - self.own,) if CHOOSE in self.parts else (1 - self.own, self.own)


Draw = Callable[[Scene, int, int], list[Line]]


class BattlePane(LinesWidget):
    """Draw lines from the scene; those that do not fit are scrolled to.

    Args:
        key: Its id.
        draw: Returns its lines, more than fit where `is_scrolling`.
        is_newest_last: The last lines are shown first, as of a log.
    """

    def __init__(self, key: str, title: str, draw: Draw, *, is_newest_last: bool = False) -> None:
        super().__init__(id=key, classes="pane")
        self.border_title = title
        self._draw = draw
        self._is_newest_last = is_newest_last
        self._scene = Scene(BattlesState(), 0)
        self._scrolled = self._most = 0

    def show(self, scene: Scene) -> None:
        """Show another scene."""
        if scene.is_same(self._scene):
            return
        if scene.place != self._scene.place and self._is_newest_last:
            self._scrolled = 0
        self._scene = scene
        self.redraw()

    def draw(self, width: int, height: int) -> list[Line]:
        """Return the lines that are scrolled to."""
        lines = self._draw(self._scene, width, height)
        self._most = max(0, len(lines) - height)
        self._scrolled = min(self._scrolled, self._most)
        start = self._most - self._scrolled if self._is_newest_last else self._scrolled
        return lines[start : start + height]

    def scroll_lines(self, rows: int) -> None:
        """Scroll down, or up where `rows` is below 0."""
        step = -rows if self._is_newest_last else rows
        self._scrolled = max(0, min(self._most, self._scrolled + step))
        self.redraw()

    def on_mouse_scroll_down(self, event: MouseScrollDown) -> None:
        """Scroll down."""
        event.stop()
        self.scroll_lines(2)

    def on_mouse_scroll_up(self, event: MouseScrollUp) -> None:
        """Scroll up."""
        event.stop()
        self.scroll_lines(-2)


def _field(scene: Scene, width: int, height: int) -> list[Line]:
    if not scene.battles.playback.lines:
        return empty("No battle is shown yet: it is being prepared.", width)
    is_choosing, has_sheets = CHOOSE in scene.parts, SHEETS in scene.parts
    own = 1 if is_choosing else 0 if has_sheets else 2  # the own moves are in the menu
    most = (0 if has_sheets else 2, own)
    details = (most, (0, 1) if is_choosing else (1, 1))
    return field_lines(scene.view, scene.own, details, width, height)


def _log(scene: Scene, width: int, height: int) -> list[Line]:
    lines: list[Line] = []
    for _, sentence in scene.battles.playback.sentences(scene.place)[-400:]:
        ink = _LOG_INKS[sentence.weight]
        if sentence.weight in (Weight.turn, Weight.end):
            lines += [Line(width)] * bool(lines)
            lines.append(Line(width).add(f" {sentence.text} ", ink))
            continue
        indent = "  " if sentence.weight is Weight.minor else ""
        mark = "✗ " if sentence.weight is Weight.faint else indent
        parts = wrap(sentence.text, width - len(mark), 3)
        lines += [
            Line(width).add(mark if not row else "  ", ink).add(part, ink)
            for row, part in enumerate(parts)
        ]
    return lines or empty("Nothing has happened yet.", width)


def _policy(scene: Scene, width: int, height: int) -> list[Line]:
    decision = scene.battles.decision(scene.place)
    if decision is None:
        return empty("No decision of a policy here.", width)
    request = read_request(json.loads(decision.request))
    view = scene.battles.playback.view(decision.place)
    foes = [mon.shown if mon else "" for mon in map(view.sides[1 - scene.own].mon, (0, 1))]
    lines = [] if math.isnan(decision.value) else [_chance((decision.value + 1) / 2, width)]
    for code, probability in decision.options:
        line = Line(width).add("▸" if code == decision.chosen else " ", Ink.key)
        line.add(f"{probability:5.1%} ", Ink.text)
        add_bar(line, probability, 8, Ink.accent, Ink.faint)
        lines += _worded(line, words(request, code, foes), is_chosen=code == decision.chosen)
    if decision.chosen >= 0 and decision.chosen not in dict(decision.options):
        line = Line(width).add("▸chosen", Ink.key)
        lines += _worded(line, words(request, decision.chosen, foes), is_chosen=True)
    return lines


def _worded(line: Line, text: str, *, is_chosen: bool) -> list[Line]:
    """Return a line with an action in words behind what it has, in three lines at most."""
    indent, ink = line.used + 1, Ink.strong if is_chosen else Ink.text
    parts = wrap(text, line.width - indent, 3)
    lines = [line, *(Line(line.width) for _ in parts[1:])]
    return [one.skip_to(indent).add(part, ink) for one, part in zip(lines, parts, strict=True)]


def _chance(chance: float, width: int) -> Line:
    line = Line(width).add("P(win) ", Ink.dim).add(f"{chance:4.0%} ", Ink.strong)
    ink = Ink.good if chance > 0.5 else Ink.warn if chance > 0.3 else Ink.bad
    return add_bar(line, chance, min(30, line.room), ink, Ink.faint)


def _sheets(scene: Scene, width: int, height: int) -> list[Line]:
    view = scene.view
    leads = _leads(scene) if view.turn else frozenset()
    lines = sheet_lines(view, scene.sides, scene.own, leads, (width, height))
    return lines or empty("No team is known yet.", width)


def _leads(scene: Scene) -> frozenset[tuple[int, str]]:
    """Return sides and nicknames of those that were sent out first."""
    first = next(view for view in scene.battles.playback.views if view.turn)
    return frozenset(
        (number, mon.name)
        for number, side in enumerate(first.sides)
        for mon in map(side.mon, (0, 1))
        if mon is not None
    )


def _rates(scene: Scene, width: int, height: int) -> list[Line]:
    progress, record = scene.battles.progress, scene.battles.rates
    if progress is None:
        return empty("No win rates yet: they come with the first update.", width)
    # Where choices are drawn, it also explores: what it can do is said first.
    shown = [one for one in progress.opponents if one.recent_battles and one.name != _SELF]
    shown.sort(key=lambda one: not one.name.endswith(GREEDY))
    names = [one.name for one in shown]
    inks = dict.fromkeys(names, Ink.text) | dict(zip(names, SERIES, strict=False))
    curves = [
        PlotLine(
            record.points(name),
            inks[name],
            label=name[:1].upper() if name.endswith(GREEDY) else name[:1],
            band=(record.points(f"{name}/low")[1], record.points(f"{name}/high")[1]),
            band_ink=SERIES.get(inks[name], Ink.faint),
        )
        for name in names
    ]
    legend = flow([_rate(one, inks[one.name], width) for one in shown], width, Ink.dim, gap="  ")
    if height >= _NOTE_ROWS and any(name.endswith(GREEDY) for name in names):
        note = "greedy: the likeliest choice; else choices are drawn, which explores"
        legend += flow(note.split(), width, Ink.dim, gap=" ")
    if height < len(legend) + 4 or not curves:
        return legend
    left = min(float(curve.points[0][0]) for curve in curves)
    axes = Axes(left, float(progress.total_steps), "decisions", "{:.0%}".format, is_share=True)
    return [*legend, *plot(curves, axes, width, height - len(legend))[0]]


def _rate(one: OpponentScore, ink: Ink, width: int) -> Line:
    """Return an opponent and the recent win rate, with its interval where it is measured."""
    line = Line(width).add(f"{one.name} ", ink)
    line.add(f"{one.recent_wins / one.recent_battles:.0%}", Ink.strong)
    if not one.name.endswith(GREEDY):
        return line
    low, high = success_interval(one.recent_wins, one.recent_battles)
    return line.add(f" ({100 * low:.0f}-{100 * high:.0f}%)", Ink.dim)


def _workers(scene: Scene, width: int, height: int) -> list[Line]:
    progress = scene.battles.progress
    if progress is None:
        return empty("No workers yet: they report with the first update.", width)
    head = Line(width).add("  #  decisions/s  battles  weights  rejected", Ink.dim)
    lines = [head.add("    memory", Ink.dim) if width > 60 else head]
    lines += [line for one in progress.workers for line in _worker(one, width, progress.update)]
    total = sum(one.decisions_per_s for one in progress.workers)
    line = Line(width).add(f"all{total:>13,.0f}{progress.battles:>9,}", Ink.strong)
    if progress.pool_size:
        line.add(f"  past policies: {progress.pool_size}", Ink.dim)
    return [*lines, line]


def _worker(one: BattleWorker, width: int, update: int) -> list[Line]:
    line = Line(width).add(f"{one.number:>3}", Ink.key)
    line.add(f"{one.decisions_per_s:>13,.0f}{one.battles:>9,}", Ink.text)
    line.add(f"{one.weights_version:>9,}", Ink.text if one.weights_version >= update else Ink.warn)
    line.add(f"{one.rejected:>10,}", Ink.bad if one.rejected else Ink.dim)
    if width > 60:
        line.add(f"{one.resident_bytes / 1e6:>7,.0f} MB", Ink.dim)
    notes = []
    if one.is_waiting:
        notes.append(Line(width).add("waiting for the learner", Ink.warn))
    if one.restarts:
        notes.append(Line(width).add(f"restarted {one.restarts}×", Ink.bad))
    return flow([line, *notes], width, Ink.dim, gap=" ")


TITLES: Mapping[str, str] = MappingProxyType(
    {
        FIELD: "Field",
        LOG: "Log",
        POLICY: "Policy",
        SHEETS: "Team sheets",
        RATES: "Win rates",
        WORKERS: "Workers",
    }
)
_DRAW: Mapping[str, Draw] = MappingProxyType(
    {
        FIELD: _field,
        LOG: _log,
        POLICY: _policy,
        SHEETS: _sheets,
        RATES: _rates,
        WORKERS: _workers,
    }
)


def make_panes() -> dict[str, BattlePane]:
    """Return all panes by their keys."""
    return {
        key: BattlePane(key, title, _DRAW[key], is_newest_last=key == LOG)
        for key, title in TITLES.items()
    }
