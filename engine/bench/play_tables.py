"""Print what happened in the games of several seeds: tables in Markdown, and a report of each."""

import statistics
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from textwrap import wrap
from typing import Any

from engine.bench.play_notes import Mark, Playthrough
from engine.games.base import Game, MilestoneKind
from engine.ground.text import counted

_BESIDE = 3
"""Seeds up to which each has a column in tables of milestones: these fit 80 columns."""
_BADGES_A_TABLE = 2
_WIDTH = 80
_BADGES = (MilestoneKind.BADGE, MilestoneKind.KANTO_BADGE)


@dataclass(slots=True)
class Proof:
    """Playthroughs of all seeds.

    Attributes:
        goal: Key of a milestone; "": the first badge.
        played: In the order of the seeds, without those that have not begun.
        is_whole: Whether all were played to their ends.
    """

    game: Game
    agent: str
    goal: str
    played: list[Playthrough] = field(default_factory=list)
    is_whole: bool = False

    @property
    def successes(self) -> int:
        """Return how many reached the goal."""
        return sum(each.is_success for each in self.played)

    def facts(self) -> dict[str, Any]:
        """Return it JSON-able."""
        return {
            "game": self.game.name,
            "sha1": self.game.sha1,
            "agent": self.agent,
            "goal": self.goal or "the first badge",
            "successes": self.successes,
            "is_whole": self.is_whole,
            "seeds": [each.facts() for each in self.played],
        }


def table(proof: Proof) -> Iterator[str]:
    """Yield the lines of the report: seeds, steps, badges, milestones, and where games stopped."""
    yield from _markdown(_seeds(proof.played))
    yield from _markdown(_shares(proof.played))
    yield from _badges(proof)
    yield from _milestones(proof)
    for each in proof.played:
        if not each.is_success:
            yield from _stop(each)
    goal = proof.goal or "the first badge"
    steps = [each.steps for each in proof.played if each.is_success]
    median = f", median {statistics.median(steps):,.0f} steps" if steps else ""
    yield f"{proof.agent}: {proof.successes} of {len(proof.played)} seeds reached {goal}{median}."


def _markdown(rows: Sequence[Sequence[str]]) -> Iterator[str]:
    """Yield a table with aligned columns and an empty line, nothing without rows below the head."""
    if len(rows) < 2:
        return
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    lines = ["|" + "|".join("-" * (width + 2) for width in widths) + "|"]
    for row in rows:
        cells = (f" {cell:<{width}} " for cell, width in zip(row, widths, strict=True))
        lines.append("|" + "|".join(cells) + "|")
    yield from (lines[1], lines[0], *lines[2:], "")


def _seeds(played: Iterable[Playthrough]) -> list[list[str]]:
    rows = [["seed", "result", "steps", "minutes", "whiteouts", "longest standstill"]]
    for each in played:
        still = counted(each.stuck.steps, "step") if each.stuck else "–"
        result = each.ending or "stopped by hand"
        figures = [f"{each.steps:,}", f"{each.minutes:.1f}", str(each.whiteouts)]
        rows.append([str(each.seed), result, *figures, still])
    return rows


def _shares(played: Iterable[Playthrough]) -> list[list[str]]:
    """Return where the steps went, by seed."""
    rows = [["seed", "walking", "battle", "text, menu", "waiting", "no change", "frames a step"]]
    for each in played:
        spent = each.spent
        counts = spent.walk, spent.battle, spent.text, spent.wait, spent.unchanged
        steps = max(1, each.steps)
        shares = [f"{100 * count / steps:.0f} %" for count in counts]
        rows.append([str(each.seed), *shares, f"{each.frames / steps:.0f}"])
    return rows


def _badges(proof: Proof) -> Iterator[str]:
    """Yield tables of when each badge was won: seeds beside one another, or one below another."""
    keys = _reached(proof, is_badge=True)
    if len(proof.played) <= _BESIDE:
        yield from _markdown(_by_key("badge", keys, proof.played))
        return
    for first in range(0, len(keys), _BADGES_A_TABLE):
        some = keys[first : first + _BADGES_A_TABLE]
        rows = [["seed", *(f"{key}: steps (minutes)" for key in some)]]
        rows += [
            [str(each.seed), *(_cell(each.milestones.get(key)) for key in some)]
            for each in proof.played
        ]
        yield from _markdown(rows)


def _milestones(proof: Proof) -> Iterator[str]:
    """Yield a table of when the other milestones were reached: by seed, or of all seeds."""
    keys = _reached(proof, is_badge=False)
    if len(proof.played) <= _BESIDE:
        yield from _markdown(_by_key("milestone", keys, proof.played))
        return
    rows = [["milestone", "seeds", "steps: median", "from", "to"]]
    for key in keys:
        steps = [one.milestones[key].steps for one in proof.played if key in one.milestones]
        figures = statistics.median(steps), min(steps), max(steps)
        rows.append([key, str(len(steps)), *(f"{figure:,.0f}" for figure in figures)])
    yield from _markdown(rows)


def _reached(proof: Proof, *, is_badge: bool) -> list[str]:
    """Return the keys of the badges, or the other milestones, that any seed reached, in order."""
    reached = {key for each in proof.played for key in each.milestones}
    rows = proof.game.tables.MILESTONES
    return [one.key for one in rows if one.key in reached and (one.kind in _BADGES) is is_badge]


def _by_key(what: str, keys: Collection[str], played: Sequence[Playthrough]) -> list[list[str]]:
    """Return when each was reached, a seed in each column."""
    head = [f"{what}: steps (minutes)", *(f"seed {each.seed}" for each in played)]
    return [head, *([key, *(_cell(each.milestones.get(key)) for each in played)] for key in keys)]


def _cell(mark: Mark | None) -> str:
    return f"{mark.steps:,} ({mark.minutes:.1f})" if mark else "–"


def _stop(found: Playthrough) -> Iterator[str]:
    """Yield what a game that did not reach its goal stood before."""
    result = found.ending or "stopped by hand"
    yield f"Seed {found.seed}: {result} after {counted(found.steps, 'step')}"
    for name, text in _standing(found).items():
        if text:
            yield from wrap(f"  {name}: {text}", _WIDTH, subsequent_indent="    ")
    yield ""


def _standing(found: Playthrough) -> Mapping[str, str]:
    last, stuck = found.last, found.stuck
    facts = {}
    if last is not None:
        party = (f"{name} {level} ({hp}/{full})" for name, level, hp, full in last.party)
        facts = {
            "place": f"{last.map} ({last.tile[0]}, {last.tile[1]})",
            "goal": last.goal,
            "last advice": last.reason,
            "set aside": ", ".join(last.set_aside),
            "party": ", ".join(party),
            "bag": f"{counted(last.items, 'kind')} of items; money {last.money:,}",
        }
    facts["maps, newest last"] = ", ".join(found.maps)
    facts |= {f"text {i}": text for i, text in enumerate(found.texts, 1)}
    if stuck is not None:
        said = f"on the screen: {stuck.screen}" if stuck.screen else "no text on the screen"
        facts["longest standstill"] = (
            f"{counted(stuck.steps, 'step')} after step {stuck.since:,}, "
            f"{stuck.map} ({stuck.tile[0]}, {stuck.tile[1]}); {said}"
        )
    return facts
