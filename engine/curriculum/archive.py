"""Keep the game as it was where milestones were reached, and let episodes begin there."""

import contextlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from engine.curriculum.starts import StartMove
from engine.curriculum.success_rate import SuccessRate
from engine.env.batch import Batch
from engine.errors import WorkerError
from engine.types import EpisodeSummary
from engine.world import Snapshots


@dataclass(slots=True)
class _State:
    """A snapshot, the steps that led to it from the true start, and how often it was begun at."""

    steps: int
    snapshot: bytes
    uses: int = 0


@dataclass(slots=True)
class _Kept:
    """A milestone's snapshots.

    Attributes:
        reached: Milestones that the first episode here had reached, this one included.
        states: The oldest first.
        passed: How often an episode that was here reached anything more.
        has_called: Running games were moved here.
    """

    reached: tuple[str, ...]
    states: list[_State] = field(default_factory=list)
    passed: SuccessRate = field(default_factory=SuccessRate)
    has_called: bool = False


class StateArchive:
    """Snapshots of each milestone, taken where episodes reached it.

    One that was begun at makes room for the next: so they stay such as the policy of now comes by,
    and one from which nothing can be won is soon gone.

    Episodes begin at one of them in the configured share, drawn by how rarely episodes got any
    further from there: most begin at the frontier. Once even the hardest of them is passed more
    often than not, fewer do, so that the way is learnt as a whole.

    Running games do not wait for their next episode: as soon as a milestone has `move_states`
    snapshots, a share of those that are not as far moves there at once ("swarm"). This happens
    once a milestone.

    Args:
        share: Of the episodes that begin at a snapshot at most, 0 to 1.
        seed: Of the draws.
        move_share: Of the running games that move, 0 to 1. Where both shares are 0 nothing is kept.
        move_states: Snapshots that are kept of a milestone, and that it takes to move games there.
        patience: Steps without a new milestone after which what began at a snapshot is truncated;
            0: the usual limit alone.
    """

    def __init__(
        self,
        share: float,
        seed: int,
        move_share: float = 0.0,
        move_states: int = 1,
        patience: int = 0,
    ) -> None:
        self._share = share
        self._move_share = move_share
        self._num_states = move_states
        self._patience = patience
        self._rng = np.random.default_rng([seed, 5])
        self._kept: dict[str, _Kept] = {}
        self._reached: dict[int, tuple[str, ...]] = {}
        """By environment what its running episode has reached, or had when it began."""
        self._fresh: set[int] = set()
        """Environments whose episode has just begun, at the true start."""
        self._credit = 0.0
        self._news: list[str] = []

    @property
    def steps(self) -> dict[str, int]:
        """Return by milestone the fewest steps from the true start that led to what is kept."""
        return {key: min(state.steps for state in kept.states) for key, kept in self._items()}

    def follow(self, games: Snapshots, batch: Batch, is_touched: NDArray[np.bool_]) -> None:
        """Keep what is new or better in a batch, and note which episodes ended."""
        if not (self._share or self._move_share):
            return
        with contextlib.suppress(WorkerError):  # the next step replaces the process, and reports it
            for index, (key, steps) in sorted(batch.reached.items()):
                before = self._reached.get(index, ())
                self._reached[index] = before if key in before else (*before, key)
                if not is_touched[index]:
                    self._keep(games, index, key, steps)
        for index, summary in sorted(batch.summaries.items()):
            if not (summary.is_aborted or is_touched[index]):
                self._count(summary)
            self._reached.pop(index, None)
            self._fresh.add(index)

    def moves(self, steps: NDArray[np.int64], is_free: NDArray[np.bool_]) -> list[StartMove]:
        """Return the games that move: those behind a new milestone, and those that begin anew.

        Of several new milestones that have enough snapshots the farthest counts.
        """
        free = np.flatnonzero(is_free).tolist()
        due = [key for key, kept in self._kept.items() if self._calls(kept)]
        starts: dict[int, str] = {}
        if due:
            for key in due:
                self._kept[key].has_called = True
            key = max(due, key=lambda one: len(self._kept[one].reached))
            behind = [index for index in free if self._is_behind(index, key)]
            count = int(self._move_share * len(behind) + 0.5)
            starts = dict.fromkeys(self._rng.permutation(behind)[:count].tolist(), key)
            if count:
                games = f"{count} game{'s' * (count != 1)}"
                self._news.append(f"{games} moved to saved states of {key}")
        for index in free:
            if index in self._fresh and index not in starts and (start := self._draw_start()):
                starts[index] = start
        self._fresh.clear()
        return [
            StartMove(index, start, self._draw(start), max_steps=self._patience)
            for index, start in sorted(starts.items())
        ]

    def moved(self, move: StartMove) -> None:
        """Note how far a game is that has moved."""
        self._reached[move.env_index] = self._kept[move.start].reached
        self._fresh.discard(move.env_index)

    def take_news(self) -> list[str]:
        """Return lines about moves since the last time."""
        news, self._news = self._news, []
        return news

    def describe(self) -> str:
        """Return what is kept, and how many episodes begin there."""
        if not self._kept:
            return ""
        count = sum(len(kept.states) for kept in self._kept.values())
        what = f"{count} saved state{'s' * (count != 1)} of {len(self._kept)} milestones"
        return f"{what}; {self._share * self._need():.0%} of episodes begin there"

    def chances(self) -> dict[str, float]:
        """Return with what probability an archived start is each milestone's."""
        weights = {key: 1 - kept.passed.mean for key, kept in self._kept.items()}
        total = sum(weights.values())
        return {key: weight / total for key, weight in weights.items()}

    def save(self) -> tuple[dict[str, Any], dict[str, bytes]]:
        """Return JSON-able facts, and snapshots by milestone, for `load`."""
        facts = {
            "kept": {
                key: [kept.states[0].steps, *kept.passed.save()] for key, kept in self._items()
            },
            "more": {key: [one.steps for one in kept.states[1:]] for key, kept in self._items()},
            "uses": {key: [one.uses for one in kept.states] for key, kept in self._items()},
            "reached_at": {key: list(kept.reached) for key, kept in self._items()},
            "called": [key for key, kept in self._items() if kept.has_called],
            "reached": [[index, *keys] for index, keys in self._reached.items()],
            "fresh": sorted(self._fresh),
            "owed": self._credit,
            "rng": self._rng.bit_generator.state,
        }
        snapshots = {
            _name(key, number): state.snapshot
            for key, kept in self._items()
            for number, state in enumerate(kept.states)
        }
        return facts, snapshots

    def load(self, facts: Mapping[str, Any], snapshots: Mapping[str, bytes]) -> None:
        """Restore the state that `save` returned; older versions kept one snapshot a milestone."""
        more, reached_at = facts.get("more", {}), facts.get("reached_at", {})
        uses = facts.get("uses", {})
        self._kept = {}
        for key, (steps, *passed) in facts["kept"].items():
            lengths = [int(steps), *map(int, more.get(key, ()))]
            self._kept[key] = _Kept(
                tuple(reached_at.get(key, (key,))),
                [
                    _State(length, snapshots[_name(key, number)], used)
                    for number, (length, used) in enumerate(
                        zip(lengths, uses.get(key, [0] * len(lengths)), strict=True)
                    )
                ],
                SuccessRate.load(passed),
                has_called=key in facts.get("called", ()),
            )
        self._reached = {int(index): tuple(keys) for index, *keys in facts.get("reached", ())}
        self._fresh = set(map(int, facts.get("fresh", ())))
        self._credit = float(facts["owed"])
        self._rng.bit_generator.state = facts["rng"]

    def _items(self) -> list[tuple[str, _Kept]]:
        return list(self._kept.items())

    def _keep(self, games: Snapshots, index: int, key: str, steps: int) -> None:
        """Keep the environment's state, where the milestone has too few or one is used."""
        kept = self._kept.get(key)
        used = next((one for one in kept.states if one.uses), None) if kept else None
        is_full = kept is not None and len(kept.states) >= self._num_states
        if is_full and used is None:
            return
        state = _State(steps, games.snapshot(index))
        kept = self._kept.setdefault(key, _Kept(self._reached[index]))
        if is_full and used is not None:
            kept.states.remove(used)
        kept.states.append(state)

    def _count(self, summary: EpisodeSummary) -> None:
        """Note how far the episode got beyond each milestone that it passed or began at."""
        steps = summary.steps_to_milestone
        last = max(steps.values(), default=0)
        for key, kept in self._kept.items():
            if key in steps and (steps[key] > 0 or key == summary.start):
                has_passed = summary.is_success or last > steps[key]
                kept.passed.decay()
                kept.passed.add(has_passed, not has_passed)

    def _calls(self, kept: _Kept) -> bool:
        return bool(
            self._move_share and not kept.has_called and len(kept.states) >= self._num_states
        )

    def _is_behind(self, index: int, key: str) -> bool:
        """Return whether a running game would be farther at a milestone's snapshots."""
        reached = self._reached.get(index, ())
        return key not in reached and len(reached) < len(self._kept[key].reached)

    def _need(self) -> float:
        """Return what part of the share is needed: less once the hardest start is mostly passed."""
        return min(1.0, 2 * max(1 - kept.passed.mean for kept in self._kept.values()))

    def _draw_start(self) -> str:
        """Return where an episode begins: at a milestone, or "", the true start."""
        if not self._kept:
            return ""
        self._credit += self._share * self._need()
        if self._credit < 1:
            return ""
        self._credit -= 1
        chances = self.chances()
        return str(self._rng.choice(list(chances), p=list(chances.values())))

    def _draw(self, key: str) -> bytes:
        """Return a snapshot of a milestone: one of those that were begun at least often."""
        states = self._kept[key].states
        least = min(state.uses for state in states)
        fresh = [state for state in states if state.uses == least]
        state = fresh[int(self._rng.integers(len(fresh)))]
        state.uses += 1
        return state.snapshot


def _name(key: str, number: int) -> str:
    return f"{key}+{number}" if number else key
