import dataclasses
import json
from collections import Counter
from pathlib import Path

import numpy as np

from engine.config import ExploreConfig
from engine.curriculum.frontier import EXPLORED, Frontier
from engine.curriculum.starts import StartMove
from engine.env.batch import Batch
from engine.env.cells import Cell
from engine.env.input_recording import Recording, Segment
from engine.errors import ReplayError
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


def swarm(games: Games) -> Frontier:
    """Return one of which game 0 stays at power-on and game 1 has begun at a remembered state."""
    frontier = Frontier(ExploreConfig(steps=50), seed=0, first_env=1)
    frontier.follow(games, at(0, 1, cell(1)), UNTOUCHED)
    (move,) = frontier.moves(np.array([99, 99, 0, 0]), FREE)
    frontier.moved(move)
    assert (move.env_index, move.start) == (1, EXPLORED)
    return frontier


def won(index: int, steps: int) -> Batch:
    segments = (Segment((0, 0), bytes(steps)),)
    recording = Recording("", "", "", (8, 12), segments, "").encode()
    summary = dataclasses.replace(episode(index, is_success=True), recording=recording)
    return batch(summaries=[summary])


def test_where_games_learn_half_return_to_power_on_once_a_way_to_the_goal_is_known():
    games, count = Games(), np.full(8, 99)
    frontier = Frontier(ExploreConfig(steps=50), seed=0, first_env=2)
    frontier.follow(games, at(0, 1, cell(1)), UNTOUCHED)
    free = np.ones(8, np.bool_)
    for move in frontier.moves(count, free):
        assert move.start == EXPLORED
        frontier.moved(move)
    frontier.follow(games, won(2, 7), UNTOUCHED)
    found = frontier.moves(np.zeros(8, np.int64), free)
    assert found == [StartMove(index, "", b"") for index in (3, 4)]  # 2 has begun anew
    for move in found:
        frontier.moved(move)
    assert [move.env_index for move in frontier.moves(count, free)] == [5, 6, 7]
    assert frontier.describe() == "a way to the goal in 7 steps is known"


def test_games_that_learn_return_as_the_others_win_and_never_search_again():
    games, count = Games(), np.full(N, 99)
    frontier = swarm(games)
    for _ in range(16):
        frontier.follow(games, won(0, 7), UNTOUCHED)
    assert frontier.moves(count, FREE) == [StartMove(1, "", b"")]
    frontier.moved(StartMove(1, "", b""))
    for _ in range(16):
        frontier.follow(games, batch(summaries=[episode(0)]), UNTOUCHED)
    assert frontier.moves(count, FREE) == []


def test_a_way_that_goes_elsewhere_when_played_again_ends_no_search():
    def refuse(key: str, segment: Segment) -> Path:
        raise ReplayError("played again it goes another way", "")

    games = Games()
    frontier = Frontier(ExploreConfig(steps=50), 0, refuse, first_env=1)
    frontier.follow(games, at(0, 1, cell(1)), UNTOUCHED)
    frontier.follow(games, won(2, 7), UNTOUCHED)
    assert [move.env_index for move in frontier.moves(np.full(N, 99), FREE)] == [1, 2, 3]
    assert "played again" in frontier.take_news()[0]
