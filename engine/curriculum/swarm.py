"""Search for the way to the goal with some of the games, then walk back along it to power-on.

Both phases of Go-Explore (Ecoffet et al., "First return, then explore", 2021): `Frontier` explores
from exact snapshots, then `Swarm` robustifies by the backward algorithm (Salimans and Chen 2018).
"""

import contextlib
import logging
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from engine.config import BackwardConfig, ExploreConfig
from engine.curriculum.backward import BackwardStarts, DemoStart
from engine.curriculum.starts import StartMove
from engine.env.batch import Batch, Cell
from engine.env.input_recording import Recording, Segment, unpack_segments
from engine.env.start_states import unpack_env
from engine.env.world import Snapshots
from engine.errors import PokeTUIError, WorkerError
from engine.ground.text import counted

EXPLORED = "explored"
"""`EpisodeSummary.start` of an episode that continued from a remembered state."""

_SHORTER = 0.9
"""A way replaces a known one only below this share of its steps: a snapshot costs 20 ms."""
_BEHIND = 0.2
"""Factor on a cell's weight in the draw for each milestone that it is behind the farthest."""

GOAL = ""
"""The goal's key, beside the milestones' own."""

_log = logging.getLogger(__name__)

WriteDemo = Callable[[str, Segment], Path]
"""Writes a demonstration of inputs from power-on that reach a milestone."""


@dataclass(slots=True)
class _Known:
    """A cell that was reached.

    Attributes:
        steps: From power-on, by the shortest way there is.
        visits: How often it was entered or returned to.
    """

    steps: int
    visits: int
    snapshot: bytes


class Frontier:
    """Remembers the game at every cell: a coarse place with what was reached by then.

    Each game explores for some steps from a cell, then returns to another one, drawn by how rarely
    it was visited and how far it is. A snapshot continues exactly, so the inputs of every way are
    one episode from power-on. The first way to each milestone is written as a demonstration, and
    so is each clearly shorter way to the goal.

    Args:
        config: How long games explore, and how much is remembered.
        seed: Of the draws.
        write: Writes demonstrations; None: none are written.
    """

    def __init__(self, config: ExploreConfig, seed: int, write: WriteDemo | None = None) -> None:
        self._config = config
        self._write = write
        self._rng = np.random.default_rng([seed, 7])
        self._cells: dict[Cell, _Known] = {}
        self._at: dict[int, Cell] = {}
        self._found: dict[str, int] = {}
        """Steps of the shortest known way to each milestone, and to the goal."""
        self._news: list[str] = []

    @property
    def cells(self) -> tuple[Cell, ...]:
        """Return what is remembered."""
        return tuple(self._cells)

    def follow(self, games: Snapshots, batch: Batch, is_touched: NDArray[np.bool_]) -> None:
        """Note ways to the goal, and remember where games are that are somewhere new."""
        self.note_ends(batch, is_touched)
        self.remember(games, batch, is_touched)

    def note_ends(self, batch: Batch, is_touched: NDArray[np.bool_]) -> None:
        """Note the ways by which episodes reached the goal."""
        for index, summary in sorted(batch.summaries.items()):
            self._at.pop(index, None)
            if summary.is_success and not (summary.is_aborted or is_touched[index]):
                recording = Recording.decode(summary.recording)
                self._find(GOAL, len(recording.actions), recording.segments)

    def remember(self, games: Snapshots, batch: Batch, is_touched: NDArray[np.bool_]) -> None:
        """Remember where games are that are somewhere new, or came there by a shorter way."""
        with contextlib.suppress(WorkerError):  # the next step replaces the process, and reports it
            for index, (steps, cell) in sorted(batch.cells.items()):
                if not is_touched[index] and cell != self._at.get(index):
                    self._at[index] = cell
                    self._enter(games, index, cell, steps)
            for index, (key, steps) in sorted(batch.reached.items()):
                if not is_touched[index] and key not in self._found:
                    facts, _ = unpack_env(games.snapshot(index))
                    self._find(key, steps, unpack_segments(facts["episode"]["segments"]))

    def forget(self) -> None:
        """Drop all remembered states; the ways that were found stay."""
        self._cells.clear()
        self._at.clear()

    def moves(self, steps: NDArray[np.int64], is_free: NDArray[np.bool_]) -> list[StartMove]:
        """Return the games that have explored for long enough, each with where it returns to."""
        if not self._cells:
            return []
        due = np.flatnonzero(is_free & (steps >= self._config.steps)).tolist()
        return [StartMove(index, EXPLORED, self._draw(index), continues=True) for index in due]

    def moved(self, move: StartMove) -> None:
        """Nothing depends on whether a game could move."""

    def take_news(self) -> list[str]:
        """Return lines about what was found since the last time."""
        news, self._news = self._news, []
        return news

    def describe(self) -> str:
        """Return how much is remembered, and how far the farthest is."""
        if not self._cells:
            return ""
        maps = len({cell.map for cell in self._cells})
        farthest = max(cell.reached for cell in self._cells)
        return (
            f"{counted(len(self._cells), 'cell')} on {counted(maps, 'map')}; "
            f"farthest: {counted(farthest, 'milestone')}"
        )

    def save(self) -> tuple[dict[str, Any], dict[str, bytes]]:
        """Return JSON-able facts, and the cells' snapshots, for `load`."""
        facts = {
            "cells": [[list(cell), one.steps, one.visits] for cell, one in self._cells.items()],
            "at": [[index, list(cell)] for index, cell in self._at.items()],
            "found": self._found,
            "rng": self._rng.bit_generator.state,
        }
        numbered = enumerate(self._cells.values())
        return facts, {str(number): one.snapshot for number, one in numbered}

    def load(self, facts: Mapping[str, Any], snapshots: Mapping[str, bytes]) -> None:
        """Restore the state that `save` returned."""
        self._cells = {
            Cell(*cell): _Known(int(steps), int(visits), snapshots[str(number)])
            for number, (cell, steps, visits) in enumerate(facts["cells"])
        }
        self._at = {int(index): Cell(*cell) for index, cell in facts["at"]}
        self._found = {str(key): int(steps) for key, steps in facts["found"].items()}
        self._rng.bit_generator.state = facts["rng"]

    def _enter(self, games: Snapshots, index: int, cell: Cell, steps: int) -> None:
        known = self._cells.get(cell)
        if known is not None:
            known.visits += 1
            if steps < _SHORTER * known.steps:
                known.steps, known.snapshot = steps, games.snapshot(index)
            return
        snapshot = games.snapshot(index)
        if len(self._cells) >= self._config.cells:
            # The cell least worth a visit makes room; of equals the one known longest.
            worth = dict(zip(self._cells, self._worth().tolist(), strict=True))
            del self._cells[min(worth, key=lambda one: worth[one])]
        self._cells[cell] = _Known(steps, 1, snapshot)

    def _worth(self) -> NDArray[np.float64]:
        """Return (cells,) how much a visit of each is worth."""
        visits = np.array([one.visits for one in self._cells.values()], np.float64)
        reached = np.array([cell.reached for cell in self._cells], np.float64)
        worth: NDArray[np.float64] = _BEHIND ** (reached.max() - reached) / np.sqrt(1 + visits)
        return worth

    def _draw(self, index: int) -> bytes:
        """Return the snapshot of a cell, which a game is to return to."""
        worth = self._worth()
        number = int(self._rng.choice(len(worth), p=worth / worth.sum()))
        cell = list(self._cells)[number]
        self._cells[cell].visits += 1
        self._at[index] = cell
        return self._cells[cell].snapshot

    def _find(self, key: str, steps: int, segments: tuple[Segment, ...]) -> None:
        """Write a demonstration of a way to a milestone, or to the goal, if it is the shortest."""
        former = self._found.get(key)
        if len(segments) > 1 or (former is not None and steps >= _SHORTER * former):
            return
        what = key or "the goal"
        try:
            path = self._write(key, segments[0]) if self._write is not None else ""
        except PokeTUIError as error:
            _log.warning("no demonstration of %s: %s", what, error)
            self._news.append(f"found {what} after {counted(steps, 'step')}; {error}")
        else:
            self._found[key] = steps
            self._news.append(f"found {what} after {counted(steps, 'step')}: {path}")


class Swarm:
    """The last games search until one reaches the goal; then their episodes begin along its way.

    They begin near the way's end at first, and further back as they succeed, until all games play
    from power-on. The first games do so throughout.

    Args:
        explore: How long games search from a state, and how much is remembered.
        backward: How fast they walk back.
        seed: Of the draws.
        first_env: The first of the games that search.
        write: Writes ways as demonstrations; the learner imitates those to the goal.
        starts_along: Returns starts along a demonstration, the last one first.
    """

    def __init__(
        self,
        explore: ExploreConfig,
        backward: BackwardConfig,
        seed: int,
        first_env: int,
        write: WriteDemo,
        starts_along: Callable[[Path], Iterable[DemoStart]],
    ) -> None:
        self._backward = backward
        self._first_env = first_env
        self._write = write
        self._starts_along = starts_along
        self._search = Frontier(explore, seed, self._found)
        self._starts: tuple[DemoStart, ...] = ()
        self._back: BackwardStarts | None = None

    def follow(self, games: Snapshots, batch: Batch, is_touched: NDArray[np.bool_]) -> None:
        """Remember where games are, or count how episodes along the way end."""
        if self._back is not None:
            self._back.follow(games, batch, is_touched)
        self._search.note_ends(batch, is_touched)
        if self._back is None:
            self._search.remember(games, batch, is_touched)

    def moves(self, steps: NDArray[np.int64], is_free: NDArray[np.bool_]) -> list[StartMove]:
        """Return which games search on from elsewhere, or are to begin along the way."""
        is_free = is_free & (np.arange(len(steps)) >= self._first_env)
        return (self._back or self._search).moves(steps, is_free)

    def moved(self, move: StartMove) -> None:
        """Note where a game has begun."""
        (self._back or self._search).moved(move)

    def take_news(self) -> list[str]:
        """Return lines about what was found, and where episodes begin, since the last time."""
        return self._search.take_news() + (self._back.take_news() if self._back else [])

    def describe(self) -> str:
        """Return how far the search is, or where episodes begin."""
        return (self._back or self._search).describe()

    def save(self) -> tuple[dict[str, Any], dict[str, bytes]]:
        """Return JSON-able facts, and snapshots by name, for `load`."""
        search, snapshots = self._search.save()
        facts: dict[str, Any] = {"search": search}
        if self._back is not None:
            facts["back"], _ = self._back.save()
            facts["starts"] = [[one.share, one.steps_left] for one in self._starts]
            snapshots = {str(number): one.snapshot for number, one in enumerate(self._starts)}
        return facts, snapshots

    def load(self, facts: Mapping[str, Any], snapshots: Mapping[str, bytes]) -> None:
        """Restore the state that `save` returned."""
        self._search.load(facts["search"], snapshots)
        if "back" in facts:
            back = self._begin_back(
                DemoStart(float(share), int(steps_left), snapshots[str(number)])
                for number, (share, steps_left) in enumerate(facts["starts"])
            )
            back.load(facts["back"], {})

    def _found(self, key: str, segment: Segment) -> Path:
        path = self._write(key, segment)
        if key == GOAL and self._back is None:
            self._begin_back(self._starts_along(path))
        return path

    def _begin_back(self, starts: Iterable[DemoStart]) -> BackwardStarts:
        self._search.forget()
        self._starts = tuple(starts)
        self._back = BackwardStarts(self._backward, self._starts)
        return self._back
