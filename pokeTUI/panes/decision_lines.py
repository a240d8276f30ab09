"""Draw decisions and mined patterns as tables, and one of them whole."""

from collections.abc import Mapping
from datetime import datetime
from typing import TYPE_CHECKING

from engine.events import RunStarted
from engine.plurals import counted
from engine.quoting import printable
from engine.types import ActionSet
from pokeTUI.dialogs.detail import Passage
from pokeTUI.rendering.gauges import source_mark
from pokeTUI.rendering.lines import Line, add_bar, signed
from pokeTUI.theme import Ink

if TYPE_CHECKING:
    from engine.history.reading import DecisionRow, PatternRow

_MEDIUM, _WIDE, _WITH_WHY, _WIDEST = 48, 76, 100, 120
_CONTEXT = 40
_SHORT = {"own_health": "own", "enemy_health": "enemy", "level_gap": "level"}


def decision_head(width: int) -> Line:
    """Return the names of the columns."""
    line = Line(width)
    if width >= _WIDEST:
        line.add("time", Ink.dim, 9)
    if width >= _WIDE:
        line.add("episode", Ink.dim, 8)
    line.add("step", Ink.dim, 6, right=True).add(
        " by" if width >= _WIDE else "", Ink.dim, 11 if width >= _WIDE else 3
    )
    line.add("action", Ink.dim, 7).add("conf", Ink.dim, 5).add("reward", Ink.dim, 6, right=True)
    line.add("   ", Ink.dim).add("where" if width < _WIDE else "situation", Ink.dim)
    if width >= _WITH_WHY:
        line.skip_to(line.used + _CONTEXT - len("situation")).add(" why", Ink.dim)
    return line


def decision_line(row: "DecisionRow", width: int, run: RunStarted) -> Line:
    """Return a decision as a row of the table."""
    line = Line(width)
    if width >= _WIDEST:
        line.add(datetime.fromtimestamp(row.timestamp).strftime("%H:%M:%S"), Ink.dim, 9)
    if width >= _WIDE:
        line.add(_episode(row.episode_id, run.run_id), Ink.dim, 8)
    mark, ink = source_mark(row.source)
    line.add(f"{row.step:,}", Ink.text, 6, right=True).add(f" {mark} ", ink)
    if width >= _WIDE:
        line.add(printable(row.source) or "?", ink, 8)
    line.add(run.actions.name(row.action), Ink.strong, 7).add(f"{row.confidence:.2f} ", Ink.dim)
    line.add(signed(row.reward, 6), _paid_ink(row.reward), 6, right=True)
    is_good = row.outcome == "success"
    line.add(" ✓ " if is_good else " ✗ ", Ink.good if is_good else Ink.bad)
    if width < _MEDIUM:
        return line.add(_where(row.context), Ink.dim)
    if width < _WITH_WHY:
        return line.add(describe_context(row.context), Ink.dim)
    line.add(describe_context(row.context), Ink.text, _CONTEXT)
    return line.add(" ", Ink.text).add(printable(row.reasoning), Ink.dim)


def decision_passages(row: "DecisionRow", run: RunStarted) -> list[Passage]:
    """Return all of a decision."""
    mark, ink = source_mark(row.source)
    total = "not finished yet"
    if row.episode_reward is not None:
        total = f"return {row.episode_reward:+z.2f}"
    when = datetime.fromtimestamp(row.timestamp).strftime("%Y-%m-%d %H:%M:%S")
    return [
        Passage("step", f"{row.step:,} of episode {_episode(row.episode_id, run.run_id)}"),
        Passage("at", when),
        Passage("by", f"{mark} {printable(row.source) or 'unknown'}", ink),
        Passage("action", run.actions.name(row.action), Ink.strong),
        Passage("confidence", f"{row.confidence:.2f}"),
        Passage("situation", describe_context(row.context)),
        Passage("reward", f"{row.reward:+.4f} within 16 steps, counted as a {row.outcome}"),
        Passage("episode", total),
        Passage("reason", printable(row.reasoning) or "no reason given", Ink.strong),
    ]


def pattern_head(width: int) -> Line:
    """Return the names of the columns."""
    line = Line(width).add("times", Ink.dim, 7, right=True).add(" success", Ink.dim, 11)
    if width >= _MEDIUM:
        line.add("", Ink.dim, 10 if width >= _WIDEST else 4 if width >= _WIDE else 0)
    if width >= _WIDE:
        line.add("95 % confidence" if width >= _WIDEST else "95 % CI", Ink.dim, _interval(width))
    line.add("action", Ink.dim, 7)
    if width >= _MEDIUM:
        line.add("reward", Ink.dim, 6, right=True)
    return line.add("  in", Ink.dim)


def pattern_line(row: "PatternRow", width: int, actions: ActionSet) -> Line:
    """Return a pattern as a row of the table."""
    ink = Ink.good if row.success_rate > 0.5 else Ink.warn if row.success_rate > 0.2 else Ink.bad
    line = Line(width).add(f"{row.frequency:,}", Ink.text, 7, right=True)
    line.add(f" {100 * row.success_rate:>3.0f} % ", ink)
    add_bar(
        line,
        row.success_rate,
        14 if width >= _WIDEST else 8 if width >= _WIDE else 4,
        ink,
        Ink.faint,
    )
    line.add(" ", Ink.text)
    if width >= _WIDE:
        low, high = row.success_interval
        line.add(f"{100 * low:.0f} to {100 * high:.0f}", Ink.dim, _interval(width))
    line.add(actions.name(row.action), Ink.strong, 7)
    if width >= _MEDIUM:
        line.add(signed(row.mean_reward, 6), _paid_ink(row.mean_reward), 6, right=True)
    return line.add("  ", Ink.text).add(describe_context(row.context), Ink.text)


def _interval(width: int) -> int:
    """Return the cells of the confidence interval's column."""
    return 17 if width >= _WIDEST else 10


def pattern_passages(row: "PatternRow", actions: ActionSet) -> list[Passage]:
    """Return all of a pattern."""
    low, high = row.success_interval
    return [
        Passage("action", actions.name(row.action), Ink.strong),
        Passage("in", describe_context(row.context), Ink.strong),
        Passage("taken", f"{counted(row.frequency, 'time')}, in all runs of this file"),
        Passage(
            "success",
            f"{100 * row.success_rate:.1f} % "
            f"(95 % confidence interval: {100 * low:.1f} to {100 * high:.1f} %)",
        ),
        Passage("reward", f"{row.mean_reward:+.4f} on average"),
    ]


def describe_context(context: Mapping[str, str]) -> str:
    """Return a kind of situation in words, the place first."""
    known = dict(context)
    place, situation = known.pop("map", ""), known.pop("situation", "")
    goal = known.pop("goal", "")
    parts = [place, situation, f"to {goal}" if goal else ""]
    parts += [f"{_SHORT.get(name, name)} {word}" for name, word in known.items()]
    return printable(" · ".join(part for part in parts if part)) or "not known"


def _where(context: Mapping[str, str]) -> str:
    return printable(context.get("map") or context.get("situation") or "not known")


def _episode(episode_id: str, run_id: str) -> str:
    """Return an episode's number; of another run its whole name."""
    return printable(episode_id.removeprefix(f"{run_id}/") or "?")


def _paid_ink(value: float) -> Ink:
    return Ink.good if value > 0 else Ink.bad if value < 0 else Ink.dim
