import json

import numpy as np
import pytest

from engine.curriculum.archive import StateArchive
from engine.env.batch import Batch
from engine.errors import WorkerError
from engine.types import Action, EpisodeSummary

N = 4
UNTOUCHED = np.zeros(N, np.bool_)


class Games:
    """Environments whose moments are their index and how often they were asked."""

    def __init__(self, is_dead: bool = False) -> None:
        self.asked = 0
        self.starts: list[tuple[int, str, bytes]] = []
        self.is_dead = is_dead

    def snapshot(self, index: int) -> bytes:
        if self.is_dead:
            raise WorkerError("It died.")
        self.asked += 1
        return f"{index}/{self.asked}".encode()

    def reset_from(self, index: int, milestone: str, snapshot: bytes) -> None:
        self.starts.append((index, milestone, snapshot))


def batch(reached=None, summaries=()) -> Batch:
    zeros = np.zeros(N, np.float32)
    return Batch(
        features=np.zeros((N, 2), np.float32),
        mask=np.ones((N, len(Action)), np.bool_),
        prior=np.zeros((N, len(Action)), np.float32),
        advice_confidence=zeros,
        rewards=zeros,
        terminated=UNTOUCHED,
        truncated=UNTOUCHED,
        final_features=np.zeros((N, 2), np.float32),
        summaries={summary.env_index: summary for summary in summaries},
        reached=reached or {},
    )


def episode(index: int = 0, *, start: str = "", is_success=False, is_aborted=False, **steps):
    return EpisodeSummary(
        index, 0.0, 100, (), steps, is_success=is_success, is_aborted=is_aborted, start=start
    )


def archive_of(games: Games, *keys: str, share: float = 0.5) -> StateArchive:
    archive = StateArchive(share, seed=0)
    for number, key in enumerate(keys, 1):
        archive.follow(games, batch({0: (key, 10 * number)}), UNTOUCHED)
    return archive


def test_share_of_zero_keeps_and_sends_nothing():
    games = Games()
    archive = archive_of(games, "a", share=0.0)
    archive.follow(games, batch(summaries=[episode(a=5)]), UNTOUCHED)
    assert (games.asked, games.starts, archive.steps) == (0, [], {})


def test_the_first_to_reach_a_milestone_is_kept_until_one_is_quicker():
    games, archive = Games(), StateArchive(0.5, seed=0)
    for index, steps in ((0, 50), (1, 60), (2, 40)):
        archive.follow(games, batch({index: ("a", steps)}), UNTOUCHED)
    assert archive.steps == {"a": 40}
    assert games.asked == 2
    assert archive.save()[1] == {"a": b"2/2"}


def test_archive_keeps_no_snapshot_of_an_episode_that_a_person_touched():
    games, archive = Games(), StateArchive(0.5, seed=0)
    archive.follow(games, batch({1: ("a", 5)}), np.array([False, True, False, False]))
    assert archive.steps == {}


@pytest.mark.parametrize(("share", "of_twenty"), [(0.5, 10), (0.25, 5), (0.9, 18)])
def test_exactly_the_share_of_episodes_begins_there(share, of_twenty):
    games = Games()
    archive = archive_of(games, "a", "b", share=share)
    games.starts.clear()
    for _ in range(20):
        archive.follow(games, batch(summaries=[episode(3)]), UNTOUCHED)
    assert abs(len(games.starts) - of_twenty) <= 1
    assert {index for index, _, _ in games.starts} == {3}


def test_archive_sends_no_start_before_it_has_a_snapshot():
    games, archive = Games(), StateArchive(0.9, seed=0)
    for _ in range(20):
        archive.follow(games, batch(summaries=[episode()]), UNTOUCHED)
    assert games.starts == []


def test_starts_that_are_rarely_passed_are_drawn_most():
    games = Games()
    archive = archive_of(games, "a", "b", "c")
    assert archive.chances() == pytest.approx(dict.fromkeys("abc", 1 / 3))
    for _ in range(200):
        archive.follow(games, batch(summaries=[episode(a=10, b=20)]), UNTOUCHED)
    chances = archive.chances()
    assert chances["a"] < 0.05
    assert chances["b"] > 0.55
    assert chances["b"] > chances["c"] > 0.3
    starts = [key for _, key, _ in games.starts[-50:]]
    assert starts.count("b") > 15
    assert starts.count("a") < 10


def test_success_passes_the_last_start_too():
    games = Games()
    archive = archive_of(games, "a", "b")
    for _ in range(50):
        archive.follow(games, batch(summaries=[episode(is_success=True, a=10, b=20)]), UNTOUCHED)
    assert archive.chances() == pytest.approx({"a": 0.5, "b": 0.5})


def test_an_episode_judges_only_the_start_it_began_at_and_what_it_reached():
    """What was reached before its start says nothing: it did not come by there."""
    games = Games()
    archive = archive_of(games, "a", "b")
    for _ in range(50):
        archive.follow(games, batch(summaries=[episode(start="b", a=0, b=0)]), UNTOUCHED)
    chances = archive.chances()
    assert chances["b"] == pytest.approx(0.966 / (0.966 + 0.5), abs=0.02)


def test_failed_processes_prove_nothing():
    games = Games()
    archive = archive_of(games, "a")
    before = archive.save()[0]["kept"]
    archive.follow(games, batch(summaries=[episode(is_aborted=True)]), UNTOUCHED)
    assert archive.save()[0]["kept"] == before
    StateArchive(0.5, 0).follow(Games(is_dead=True), batch({0: ("a", 5)}), UNTOUCHED)


def test_saved_archive_goes_on_alike():
    games, others = Games(), Games()
    archive, other = archive_of(games, "a", "b", "c"), StateArchive(0.5, seed=9)
    for _ in range(5):
        archive.follow(games, batch(summaries=[episode(a=10)]), UNTOUCHED)
    facts, snapshots = archive.save()
    other.load(json.loads(json.dumps(facts)), snapshots)
    others.starts, others.asked = list(games.starts), games.asked
    for one, asked in ((archive, games), (other, others)):
        one.follow(asked, batch({1: ("d", 70)}), UNTOUCHED)
    for _ in range(30):
        archive.follow(games, batch(summaries=[episode(a=10)]), UNTOUCHED)
        other.follow(others, batch(summaries=[episode(a=10)]), UNTOUCHED)
    assert games.starts == others.starts
    assert archive.save() == other.save()


def test_starts_are_sent_ahead_as_soon_as_there_is_one():
    games = Games()
    archive_of(games, "a", share=0.5)
    assert [(index, key) for index, key, _ in games.starts] == [(1, "a"), (3, "a")]


def test_a_new_milestone_draws_the_starts_that_wait_again():
    games = Games()
    archive = archive_of(games, "a", share=0.9)
    for _ in range(200):
        archive.follow(games, batch(summaries=[episode(a=10, b=20)]), UNTOUCHED)
    waiting = [index for index, start in archive.save()[0]["next"] if start]
    games.starts.clear()
    archive.follow(games, batch({0: ("b", 20)}), UNTOUCHED)
    assert [index for index, _, _ in games.starts] == waiting
    assert "b" in {key for _, key, _ in games.starts}


def test_an_environment_whose_process_failed_is_sent_another_start():
    games = Games()
    archive = archive_of(games, "a", share=0.9)
    games.starts.clear()
    for _ in range(10):
        archive.follow(games, batch(summaries=[episode(2, is_aborted=True)]), UNTOUCHED)
    assert len(games.starts) >= 8
