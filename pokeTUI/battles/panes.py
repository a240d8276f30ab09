"""Draw what stands around the field: log, policy, team sheets, win rates and workers."""

import json
import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType

from textual.events import MouseScrollDown, MouseScrollUp

from engine.events import BattleWorker
from pokeTUI.battles.choices import read_request, words
from pokeTUI.battles.field import field_lines
from pokeTUI.battles.layout import FIELD, LOG, POLICY, RATES, SHEETS, WORKERS
from pokeTUI.battles.playback import BattlesState
from pokeTUI.battles.text import Weight
from pokeTUI.battles.view import BattleView, Mon, Side
from pokeTUI.draw.lines import Line, add_bar, wrap
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


@dataclass(frozen=True, slots=True)
class Scene:
    """What is shown: a place in a battle."""

    battles: BattlesState
    place: int

    def is_same(self, other: "Scene") -> bool:
        """Return whether another scene shows the same; states are compared as objects."""
        return self.battles is other.battles and self.place == other.place

    @property
    def view(self) -> BattleView:
        """The battle there."""
        return self.battles.playback.view(self.place)

    @property
    def own(self) -> int:
        """The side that is watched."""
        return self.battles.playback.own


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
    return field_lines(scene.view, scene.own, width, height)


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
    """Return a line with an action in words behind what it has, in two lines where need be."""
    indent, ink = line.used + 1, Ink.strong if is_chosen else Ink.text
    parts = wrap(text, line.width - indent, 2)
    lines = [line, *(Line(line.width) for _ in parts[1:])]
    return [one.skip_to(indent).add(part, ink) for one, part in zip(lines, parts, strict=True)]


def _chance(chance: float, width: int) -> Line:
    line = Line(width).add("P(win) ", Ink.dim).add(f"{chance:4.0%} ", Ink.strong)
    ink = Ink.good if chance > 0.5 else Ink.warn if chance > 0.3 else Ink.bad
    return add_bar(line, chance, min(30, line.room), ink, Ink.faint)


def _sheets(scene: Scene, width: int, height: int) -> list[Line]:
    """Return both teams, the own one first: side by side where there is room."""
    view = scene.battles.playback.view(scene.battles.playback.end)
    lines: list[Line] = []
    for number in (scene.own, 1 - scene.own):
        side = view.sides[number]
        if not side.team:
            continue
        lines += [Line(width)] * bool(lines)
        head = Line(width).add(side.player or "?", Ink.strong)
        brought = f"{side.brought} of {len(side.team)} brought" if side.brought else ""
        lines.append(head.add(f"  {brought}", Ink.dim))
        leads = _leads(scene, number)
        for mon in side.team:
            lines += _sheet_lines(side, mon, leads, width)
    return lines or empty("No team is known yet.", width)


def _leads(scene: Scene, number: int) -> frozenset[str]:
    """Return the nicknames of those that a side sent out first."""
    for view in scene.battles.playback.views:
        if view.turn:
            mons = map(view.sides[number].mon, (0, 1))
            return frozenset(mon.name for mon in mons if mon is not None)
    return frozenset()


def _sheet_lines(side: Side, mon: Mon, leads: frozenset[str], width: int) -> list[Line]:
    is_lead = mon.is_seen and mon.name in leads
    mark = "lead" if is_lead else "back" if mon.is_seen else "?"
    head = Line(width).add(f"{mark:<5}", Ink.key if is_lead else Ink.dim)
    head.add(mon.shown, Ink.text if mon.is_seen else Ink.dim)
    sheet = side.sheet_of(mon.species)
    item = sheet.item if sheet else mon.item or ""
    ability = sheet.ability if sheet else mon.ability
    tera = f"Tera {sheet.tera}" if sheet and sheet.tera else ""
    rest = " · ".join(part for part in (item, ability, tera) if part)
    head.add(f"  {rest}" if rest else "", Ink.dim)
    moves = sheet.moves if sheet else mon.moves
    if not moves:
        return [head]
    return [head, Line(width).add("     ", Ink.dim).add(" · ".join(moves), Ink.dim)]


def _rates(scene: Scene, width: int, height: int) -> list[Line]:
    progress, record = scene.battles.progress, scene.battles.rates
    if progress is None:
        return empty(
            "No win rates yet: nothing is trained here, or no update has been made.", width
        )
    names = [one.name for one in progress.opponents]
    inks = dict.fromkeys(names, Ink.text) | dict(zip(names, SERIES, strict=False))
    curves = [
        PlotLine(
            record.points(name),
            inks[name],
            label=name[:1],
            band=(record.points(f"{name}/low")[1], record.points(f"{name}/high")[1]),
            band_ink=SERIES.get(inks[name], Ink.faint),
        )
        for name in names
        if len(record.points(name)[0])
    ]
    legend = [Line(width)]
    for one in progress.opponents:
        if not one.recent_battles:
            continue
        rate = one.recent_wins / one.recent_battles
        entry = Line(width).add(f"{one.name} ", inks[one.name])
        entry.add(f"{rate:.0%} ", Ink.strong)
        if entry.used > legend[-1].room:
            legend.append(Line(width))
        legend[-1].append(entry.add_whole(" ", Ink.dim))
    if height < len(legend) + 4 or not curves:
        return legend
    left = min(float(curve.points[0][0]) for curve in curves)
    axes = Axes(left, float(progress.total_steps), "decisions", "{:.0%}".format, is_share=True)
    return [*legend, *plot(curves, axes, width, height - len(legend))[0]]


def _workers(scene: Scene, width: int, height: int) -> list[Line]:
    progress = scene.battles.progress
    if progress is None:
        return empty("No workers: nothing is trained here.", width)
    head = Line(width).add("  #  decisions/s  battles  weights  rejected", Ink.dim)
    lines = [head.add("    memory", Ink.dim) if width > 60 else head]
    lines += [_worker(one, width, progress.update) for one in progress.workers]
    total = sum(one.decisions_per_s for one in progress.workers)
    line = Line(width).add(f"all{total:>13,.0f}{progress.battles:>9,}", Ink.strong)
    if progress.pool_size:
        line.add(f"  past policies: {progress.pool_size}", Ink.dim)
    return [*lines, line]


def _worker(one: BattleWorker, width: int, update: int) -> Line:
    line = Line(width).add(f"{one.number:>3}", Ink.key)
    line.add(f"{one.decisions_per_s:>13,.0f}{one.battles:>9,}", Ink.text)
    line.add(f"{one.weights_version:>9,}", Ink.text if one.weights_version >= update else Ink.warn)
    line.add(f"{one.rejected:>10,}", Ink.bad if one.rejected else Ink.dim)
    if width > 60:
        line.add(f"{one.resident_bytes / 1e6:>7,.0f} MB", Ink.dim)
    if one.is_waiting:
        line.add(" waiting for the learner", Ink.warn)
    if one.restarts:
        line.add(f" restarted {one.restarts}×", Ink.bad)
    return line


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
