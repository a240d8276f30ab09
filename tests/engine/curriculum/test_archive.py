import json

import numpy as np
import pytest

from engine.curriculum.archive import StateArchive
from engine.curriculum.starts import StartMove
from engine.env.batch import Batch
from engine.errors import WorkerError
from engine.types import EpisodeSummary
from tests.engine.toy import blank_batch

N = 4
UNTOUCHED = np.zeros(N, np.bool_)
FREE = ~UNTOUCHED


class Games:
    """Environments whose moments are their index and how often they were asked."""

    def __init__(self, is_dead: bool = False) -> None:
        self.asked = 0
        self.is_dead = is_dead

    def snapshot(self, index: int) -> bytes:
        if self.is_dead:
            raise WorkerError("It died.")
        self.asked += 1
        return f"{index}/{self.asked}".encode()


def batch(reached=None, summaries=()) -> Batch:
    ended = {summary.env_index: summary for summary in summaries}
    return blank_batch(N, summaries=ended, reached=reached or {})


def episode(index: int = 0, *, start: str = "", is_success=False, is_aborted=False, **steps):
    return EpisodeSummary(
        index, 0.0, 100, (), steps, is_success=is_success, is_aborted=is_aborted, start=start
    )


def archive_of(games: Games, *keys: str, share: float = 0.5) -> StateArchive:
    archive = StateArchive(share, seed=0)
    for number, key in enumerate(keys, 1):
        archive.follow(games, batch({0: (key, 10 * number)}), UNTOUCHED)
    return archive


def begun(starts, *ended, games=None) -> list[StartMove]:
    """Let episodes end, and the games move that are to; return the moves."""
    starts.follow(games or Games(), batch(summaries=ended), UNTOUCHED)
    found = starts.moves(np.zeros(N, np.int64), FREE)
    for move in found:
        starts.follow(Games(), batch(summaries=[episode(move.env_index, is_aborted=True)]), ~FREE)
        starts.moved(move)
    return found


def test_share_of_zero_keeps_nothing_and_moves_no_game():
    games = Games()
    archive = archive_of(games, "a", share=0.0)
    assert (begun(archive, episode(a=5)), games.asked, archive.chances()) == ([], 0, {})
    empty = StateArchive(0.9, seed=0)
    assert [move for _ in range(20) for move in begun(empty, episode())] == []


def test_a_snapshot_makes_room_for_the_next_once_an_episode_began_there():
    games = Games()
    archive = archive_of(games, "a", share=0.9)
    archive.follow(games, batch({1: ("a", 40)}), UNTOUCHED)
    assert archive.save()[1] == {"a": b"0/1"}
    assert [move.snapshot for _ in range(2) for move in begun(archive, episode(3))] == [b"0/1"]
    archive.follow(games, batch({2: ("a", 60)}), UNTOUCHED)
    assert archive.save()[1] == {"a": b"2/2"}
    assert archive.save()[0]["kept"]["a"][0] == 60


def test_a_game_that_is_not_free_begins_at_power_on():
    archive = archive_of(Games(), "a", share=0.9)
    for _ in range(5):
        archive.follow(Games(), batch(summaries=[episode(3)]), UNTOUCHED)
        assert archive.moves(np.zeros(N, np.int64), np.array([True, True, True, False])) == []


def test_archive_keeps_no_snapshot_of_an_episode_that_a_person_touched():
    games, archive = Games(), StateArchive(0.5, seed=0)
    archive.follow(games, batch({1: ("a", 5)}), np.array([False, True, False, False]))
    assert archive.save()[1] == {}


@pytest.mark.parametrize(("share", "of_twenty"), [(0.5, 10), (0.25, 5), (0.9, 18)])
def test_exactly_the_share_of_episodes_begins_there(share, of_twenty):
    archive = archive_of(Games(), "a", "b", share=share)
    moved = [move for _ in range(20) for move in begun(archive, episode(3))]
    assert abs(len(moved) - of_twenty) <= 1
    assert {move.env_index for move in moved} == {3}


def test_starts_that_are_rarely_passed_are_drawn_most():
    archive = archive_of(Games(), "a", "b", "c")
    assert archive.chances() == pytest.approx(dict.fromkeys("abc", 1 / 3))
    moved = [move for _ in range(200) for move in begun(archive, episode(a=10, b=20))]
    chances = archive.chances()
    assert chances["a"] < 0.05
    assert chances["b"] > 0.55
    assert chances["b"] > chances["c"] > 0.3
    starts = [move.start for move in moved[-50:]]
    assert starts.count("b") > 15
    assert starts.count("a") < 10


@pytest.mark.parametrize(
    ("ended", "chance"),
    [
        ({"start": "b", "a": 0, "b": 0}, 0.966 / (0.966 + 0.5)),
        ({"is_success": True, "a": 10, "b": 20}, 0.5),
    ],
    ids=["failed from b on", "success passes the last start, too"],
)
def test_an_episode_judges_only_the_start_it_began_at_and_what_it_reached(ended, chance):
    """What was reached before its start says nothing: it did not come by there."""
    archive = archive_of(Games(), "a", "b")
    for _ in range(50):
        archive.follow(Games(), batch(summaries=[episode(**ended)]), UNTOUCHED)
    assert archive.chances()["b"] == pytest.approx(chance, abs=0.02)


def test_failed_processes_prove_nothing_and_begin_elsewhere_as_well():
    archive = archive_of(Games(), "a", share=0.9)
    before = archive.chances()
    ended = [begun(archive, episode(2, is_aborted=True)) for _ in range(10)]
    assert sum(map(len, ended)) >= 8
    assert archive.chances() == before
    StateArchive(0.5, 0).follow(Games(is_dead=True), batch({0: ("a", 5)}), UNTOUCHED)


def test_saved_archive_goes_on_alike():
    archive, other = archive_of(Games(), "a", "b", "c"), StateArchive(0.5, seed=9)
    for _ in range(5):
        begun(archive, episode(a=10))
    archive.follow(Games(), batch(summaries=[episode(2)]), UNTOUCHED)  # it has not moved yet
    facts, snapshots = archive.save()
    other.load(json.loads(json.dumps(facts)), snapshots)
    for one in (archive, other):
        one.follow(Games(), batch({1: ("d", 70)}), UNTOUCHED)
    moves = [
        [move for _ in range(30) for move in begun(one, episode(a=10))] for one in (archive, other)
    ]
    assert moves[0] == moves[1]
    assert archive.save() == other.save()


def test_fewer_episodes_begin_at_snapshots_once_even_the_hardest_is_mostly_passed():
    archive = archive_of(Games(), "a", "b", share=0.9)
    for _ in range(200):
        begun(archive, episode(is_success=True, a=10, b=20))
    moved = [begun(archive, episode(is_success=True, a=10, b=20)) for _ in range(50)]
    assert 0 < sum(map(len, moved)) < 5
    assert "3% of episodes" in archive.describe()


def test_archive_of_an_older_version_is_loaded():
    facts, snapshots = archive_of(Games(), "a").save()
    for key in ("used", "fresh"):
        del facts[key]
    archive = StateArchive(0.5, seed=1)
    archive.load(facts | {"next": [[0, "a"]]}, snapshots)
    assert archive.save()[0]["kept"] == {"a": facts["kept"]["a"]}
