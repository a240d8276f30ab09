import dataclasses
import json
from pathlib import Path

import numpy as np

from engine.config import BackwardConfig, ExploreConfig, PressFrames
from engine.curriculum.backward import DemoStart
from engine.curriculum.swarm import EXPLORED, Swarm
from engine.env.batch import Batch
from engine.env.input_recording import Recording, Segment
from engine.errors import ReplayError
from tests.engine.curriculum.test_archive import UNTOUCHED, Games, N, batch, episode
from tests.engine.curriculum.test_frontier import FREE, at, cell

ALONG = [DemoStart(0.8, 2, b"near the end"), DemoStart(0.4, 6, b"early")]
DUE = np.full(N, 99)


def swarm(write=lambda key, segment: Path("way.demo")) -> Swarm:
    """Return one of which game 0 stays at power-on."""
    found = Swarm(
        ExploreConfig(steps=50), BackwardConfig(episodes=1), 0, 1, write, lambda path: ALONG
    )
    found.follow(Games(), at(0, 1, cell(1)), UNTOUCHED)
    return found


def won(index: int, steps: int, start: str = "") -> Batch:
    segments = (Segment((0, 0), bytes(steps)),) * (2 if start else 1)
    recording = Recording("", "", "", PressFrames(8, 12), segments, "").encode()
    summary = dataclasses.replace(episode(index, is_success=True), recording=recording, start=start)
    return batch(summaries=[summary])


def moved(found: Swarm) -> list[tuple[int, str, bytes]]:
    """Let the games move that are to, and return where to."""
    moves = found.moves(DUE, FREE)
    for move in moves:
        found.moved(move)
    return [(move.env_index, move.start, move.snapshot) for move in moves]


def test_all_but_the_first_games_search_until_one_reaches_the_goal():
    found = swarm()
    assert [(index, start) for index, start, _ in moved(found)] == [
        (index, EXPLORED) for index in (1, 2, 3)
    ]
    found.follow(Games(), won(2, 7), UNTOUCHED)
    assert moved(found) == [(index, "demo 80 %", b"near the end") for index in (1, 2, 3)]


def test_games_that_searched_walk_back_along_the_way_to_power_on():
    found = swarm()
    found.follow(Games(), won(0, 7), UNTOUCHED)
    moved(found)
    found.follow(Games(), won(1, 2, "demo 80 %"), UNTOUCHED)
    assert moved(found) == [(1, "demo 40 %", b"early")]
    found.follow(Games(), won(1, 6, "demo 40 %"), UNTOUCHED)
    assert moved(found) == []
    assert found.describe().startswith("power-on")


def test_what_searching_games_see_is_forgotten_once_a_way_is_known():
    found = swarm()
    found.follow(Games(), dataclasses.replace(won(0, 7), cells={1: (9, cell(2))}), UNTOUCHED)
    facts, snapshots = found.save()
    assert facts["search"]["cells"] == []
    assert snapshots == {"0": b"near the end", "1": b"early"}


def test_a_way_that_goes_elsewhere_when_played_again_ends_no_search():
    def refuse(key: str, segment: Segment) -> Path:
        raise ReplayError("the replay diverges", "")

    found = swarm(refuse)
    found.follow(Games(), won(2, 7), UNTOUCHED)
    assert {start for _, start, _ in moved(found)} == {EXPLORED}
    assert "diverges" in found.take_news()[0]


def test_a_saved_swarm_continues_alike():
    searching, walking = swarm(), swarm()
    walking.follow(Games(), won(0, 7), UNTOUCHED)
    for found in (searching, walking):
        moved(found)
        facts, snapshots = found.save()
        other = swarm()
        other.load(json.loads(json.dumps(facts)), snapshots)
        for one in (found, other):
            one.follow(Games(), won(1, 2, "demo 80 %"), UNTOUCHED)
        assert moved(found) == moved(other)
        assert found.save() == other.save()
