"""Draw decisions and mined patterns as tables, or one of them in full."""

import time
from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING

from engine.errors import PokeTUIError
from engine.events import RunStarted
from engine.ground.files import read_object
from engine.ground.folders import user_path
from engine.ground.text import counted, printable
from engine.types import ActionSet
from pokeTUI.draw.lines import Line, add_bar, signed, source_mark
from pokeTUI.draw.theme import Ink
from pokeTUI.panes.dialogs import Passage

if TYPE_CHECKING:
    from engine.planning.history.reading import DecisionPage, DecisionRow, PatternPage, PatternRow

    Found = DecisionPage | PatternPage | tuple[str, str]
    """A page, or what is wrong and what to do."""


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
        where = row.context.get("map") or row.context.get("situation") or "not known"
        return line.add(printable(where), Ink.dim)
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


def _episode(episode_id: str, run_id: str) -> str:
    """Return an episode's number, or its whole id if it is of another run."""
    return printable(episode_id.removeprefix(f"{run_id}/") or "?")


def _paid_ink(value: float) -> Ink:
    return Ink.good if value > 0 else Ink.bad if value < 0 else Ink.dim


# Say which part of the decision history is shown, and read it; called in a thread.

_DEFAULT_FILE = "decisions.db"


@dataclass(frozen=True, slots=True)
class View:
    """The part of the history that is shown.

    Attributes:
        source: Only decisions of this source; "": of all.
        action: Only this action; None: all.
        outcome: Only success or failure; "": both.
        above: Only decisions older than this id; None: the newest, updated as they come.
        before: `above` of the pages before this one.
        offset: Number of patterns before the first one shown.
    """

    is_patterns: bool = False
    source: str = ""
    action: int | None = None
    outcome: str = ""
    above: int | None = None
    before: tuple[int | None, ...] = ()
    offset: int = 0

    @property
    def is_filtered(self) -> bool:
        """Return whether some are left out."""
        return bool(self.source or self.outcome or self.action is not None)

    def first_page(self) -> "View":
        """Return the view at its beginning."""
        return replace(self, above=None, before=(), offset=0)

    def toggled(self, choice: str) -> "View":
        """Return the view after a choice of `DecisionsPane.choices`; a second time undoes it."""
        kind, _, value = choice.partition(":")
        first = self.first_page()
        match kind:
            case "source":
                return replace(first, source="" if self.source == value else value)
            case "outcome":
                return replace(first, outcome="" if self.outcome == value else value)
            case "action":
                action = int(value)
                return replace(first, action=None if self.action == action else action)
            case _:
                return replace(first, source="", outcome="", action=None)


def fetch(run_dir: str, given: str, view: View, limit: int) -> tuple["Found", float]:
    """Read a page, or say why there is none; also return the CPU seconds that it took."""
    from engine.planning.history import reading  # noqa: F401 - what loading it takes is not counted

    began = time.thread_time()
    return _read(run_dir, given, view, limit), time.thread_time() - began


def _read(run_dir: str, given: str, view: View, limit: int) -> "Found":
    from engine.planning.history.reading import Wanted, read_decisions, read_patterns

    try:
        path = history_path(run_dir, given)
        if view.is_patterns:
            return read_patterns(path, limit, view.offset, view.action)
        wanted = Wanted(view.source, view.action, view.outcome)
        return read_decisions(path, wanted, limit, view.above)
    except FileNotFoundError:
        if not path.parent.is_dir():
            return f"The run's folder {path.parent} does not exist.", "It may have been moved."
        if path.is_dir():
            return "The decision history is off.", f"{path.name} is a folder."
        return "No decision has been written yet.", "The history starts with the first ones."
    except TimeoutError:
        return "Another program has locked the history.", "Retrying every second."
    except PokeTUIError as error:
        return error.message, error.hint
    except OSError as error:
        return (
            f"The history cannot be read: {error.strerror or error}.",
            "Check its folder's permissions.",
        )


def history_path(run_dir: str, given: str) -> Path:
    """Return where a run's decisions are: as given here, else as its own settings say."""
    folder = user_path(run_dir)
    name = given
    if given == _DEFAULT_FILE:
        try:
            name = str(read_object(folder / "config.json").get("decision_db_path") or given)
        except ValueError:
            name = given
    return folder / user_path(name)
