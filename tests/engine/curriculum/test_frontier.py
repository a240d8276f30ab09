import dataclasses
import json
from collections import Counter

import numpy as np

from engine.config import ExploreConfig
from engine.curriculum.swarm import EXPLORED, Frontier
from engine.env.batch import Cell
from tests.engine.curriculum.test_archive import UNTOUCHED, Games, N, batch, episode

FREE = np.ones(N, np.bool_)


def cell(column: int, *, reached: int = 0) -> Cell:
    return Cell(1, 1, column, 0, reached, 0, -1)


def at(index: int, steps: int, where: Cell):
    return dataclasses.replace(batch(), cells={index: (steps, where)})


def explored(*columns: int, **settings) -> tuple[Frontier, Games]:
    games, frontier = Games(), Frontier(ExploreConfig(**settings), seed=0)
    for steps, column in enumerate(columns, 1):
        frontier.follow(games, at(0, steps, cell(column)), UNTOUCHED)
    return frontier, games


def test_each_cell_is_remembered_once():
    frontier, games = explored(1, 1, 2, 1, 2, 3)
    assert frontier.cells == (cell(1), cell(2), cell(3))
    assert games.asked == 3


def test_a_clearly_shorter_way_takes_the_longer_ones_place():
    frontier, games = explored(1, 2)
    for steps, column in ((100, 9), (95, 1), (99, 9), (50, 1), (60, 9)):
        frontier.follow(games, at(1, steps, cell(column)), UNTOUCHED)
    assert frontier.save()[1] == {"0": b"0/1", "1": b"0/2", "2": b"1/4"}


def test_no_more_cells_are_remembered_than_the_setting_allows():
    frontier, _ = explored(1, 2, 1, 2, 1, 3, 4, cells=3)
    assert frontier.cells == (cell(2), cell(3), cell(4))  # the most visited made room


def test_games_return_when_they_have_explored_for_long_enough():
    frontier, _ = explored(1, 2, steps=50)
    found = frontier.moves(np.array([49, 50, 51, 80]), np.array([True, True, True, False]))
    assert [(move.env_index, move.start, move.continues) for move in found] == [
        (1, EXPLORED, True),
        (2, EXPLORED, True),
    ]
    assert Frontier(ExploreConfig(), 0).moves(np.full(N, 999), FREE) == []


def test_cells_that_were_seldom_visited_are_drawn_most():
    frontier, _ = explored(*[1, 2] * 40, 3)
    counts: Counter[bytes] = Counter()
    for _ in range(5):  # each draw counts as a visit
        counts.update(move.snapshot for move in frontier.moves(np.full(N, 999), FREE))
    assert counts[b"0/3"] >= 12


def test_games_of_a_person_are_not_remembered():
    games, frontier = Games(), Frontier(ExploreConfig(), 0)
    frontier.follow(games, at(0, 5, cell(1)), FREE)
    assert frontier.cells == ()


def test_saved_frontier_goes_on_alike():
    frontier, _ = explored(1, 2, 3)
    frontier.moves(np.full(N, 999), FREE)
    facts, snapshots = frontier.save()
    other = Frontier(ExploreConfig(), seed=9)
    other.load(json.loads(json.dumps(facts)), snapshots)
    for one in (frontier, other):
        one.follow(Games(), at(2, 7, cell(4)), UNTOUCHED)
        one.follow(Games(), batch(summaries=[episode(1)]), UNTOUCHED)
    steps = np.full(N, 999)
    assert frontier.moves(steps, FREE) == other.moves(steps, FREE)
    assert frontier.save() == other.save()
