"""Keep a short account of the run for a language model that has no memory of its own."""

import dataclasses
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from engine.ground.text import one_line
from engine.planning_types import GoalOutcome, Outcome
from engine.types import EpisodeSummary

_GOALS, _MILESTONES = 100, 64
"""How many are remembered; goals that were tried longest ago are forgotten first."""
_MOST = 40
"""Tries of a goal after which its counts are halved: what it was once worth fades."""
_LONGEST = 80
_KEPT = 16
"""Questions in which the text stays the same."""
_CHARACTERS = 2000
"""Characters that are kept of it."""


@dataclass(slots=True)
class _Tally:
    """How often a goal was tried, and with what outcome."""

    tries: int = 0
    reached: int = 0
    progress: int = 0

    def add(self, goal_outcome: GoalOutcome) -> None:
        self.tries += 1
        self.reached += goal_outcome.outcome is Outcome.REACHED
        self.progress += goal_outcome.made_progress
        if self.tries >= _MOST:
            self.tries, self.reached, self.progress = (n // 2 for n in dataclasses.astuple(self))


class RunSummary:
    """Bounded counts of goals, milestones and episodes, summarised in a bounded text.

    The text stays the same for 16 questions, fewer in a run's beginning: it stands early in a
    question, and a server that keeps what it has read reads on from the first difference.
    """

    def __init__(self) -> None:
        self._goals: dict[str, _Tally] = {}
        self._milestones: dict[str, int] = {}
        self._episodes = 0
        self._successes = 0
        self._lines: list[str] = []
        self._num_uses = self._made_at = 0
        """How often the text was used, now and when it was made."""

    def add(self, goal_outcome: GoalOutcome) -> None:
        """Add the outcome of a goal; those ignored or replaced say nothing about it."""
        if goal_outcome.is_control or goal_outcome.outcome is Outcome.REPLACED:
            return
        name = one_line(goal_outcome.text, _LONGEST)
        tally = self._goals.pop(name, None) or _Tally()
        tally.add(goal_outcome)
        self._goals[name] = tally  # the latest last
        while len(self._goals) > _GOALS:
            del self._goals[next(iter(self._goals))]

    def milestone(self, name: str, episode: int) -> None:
        """Note that a milestone was reached; the first time counts."""
        name = one_line(name.replace("_", " "), _LONGEST)
        if len(self._milestones) < _MILESTONES:
            self._milestones.setdefault(name, episode)

    def episode(self, summary: EpisodeSummary) -> None:
        """Add an episode that ended."""
        if summary.is_aborted:
            return
        self._episodes += 1
        self._successes += summary.is_success
        for key in sorted(summary.steps_to_milestone, key=summary.steps_to_milestone.__getitem__):
            self.milestone(key, self._episodes)

    def text(self, max_characters: int) -> str:
        """Return whole lines for the next question, the most informative first.

        The first texts serve once, three and twelve times, for there is much to add to them.
        """
        if self._num_uses - self._made_at >= min(_KEPT, 3 * self._made_at):
            self._lines = _within([*self._overview(), *self._goal_lines()], _CHARACTERS)
            self._made_at = self._num_uses
        self._num_uses += 1
        return "\n".join(_within(self._lines, max_characters))

    def _overview(self) -> list[str]:
        lines = []
        if self._episodes:
            lines.append(f"{self._episodes} episodes, {self._successes} of them won.")
        if self._milestones:
            latest = list(self._milestones.items())[-6:]
            named = ", ".join(f"{name} (episode {episode})" for name, episode in reversed(latest))
            lines.append(f"Milestones reached, the latest first: {named}.")
        return lines

    def _goal_lines(self) -> list[str]:
        """Return a line a goal: first those whose worth differs most, and most surely, from all."""
        tries = sum(tally.tries for tally in self._goals.values())
        usual = sum(tally.progress for tally in self._goals.values()) / max(tries, 1)

        def rank(item: tuple[str, _Tally]) -> tuple[float, str]:
            name, tally = item
            return -abs(tally.progress - usual * tally.tries) / tally.tries**0.5, name

        return [
            f"{name}: tried {tally.tries}, reached {tally.reached}, led on {tally.progress}"
            for name, tally in sorted(self._goals.items(), key=rank)
        ]

    def save(self) -> dict[str, Any]:
        """Return it JSON-able."""
        return {
            "goals": [[name, *dataclasses.astuple(tally)] for name, tally in self._goals.items()],
            "milestones": list(map(list, self._milestones.items())),
            "episodes": self._episodes,
            "successes": self._successes,
            "told": self._lines,
            "num_told": self._num_uses,
            "made_at": self._made_at,
        }

    def load(self, facts: Mapping[str, Any]) -> None:
        """Continue from what `save` returned.

        Raises:
            KeyError, TypeError, ValueError: It is something else.
        """
        goals = {
            str(name): _Tally(max(int(tries), 1), int(reached), int(progress))
            for name, tries, reached, progress in facts["goals"][-_GOALS:]
        }
        milestones = {str(name): int(episode) for name, episode in facts["milestones"]}
        episodes, successes = int(facts["episodes"]), int(facts["successes"])
        lines = _within(map(str, facts.get("told", ())), _CHARACTERS)  # older saves have none
        num_uses, made_at = int(facts.get("num_told", 0)), int(facts.get("made_at", 0))
        self._goals, self._milestones = goals, milestones
        self._episodes, self._successes = episodes, successes
        self._lines, self._num_uses, self._made_at = lines, num_uses, made_at


def _within(lines: Iterable[str], max_characters: int) -> list[str]:
    """Return the first lines, as many as have no more characters."""
    kept: list[str] = []
    for line in lines:
        max_characters -= len(line) + bool(kept)
        if max_characters < 0:
            break
        kept.append(line)
    return kept
