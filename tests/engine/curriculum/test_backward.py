import json

import numpy as np
import pytest

from engine.config import BackwardConfig
from engine.curriculum.backward import BackwardStarts, DemoStart
from engine.curriculum.starts import StartMove
from tests.engine.curriculum.test_archive import FREE, UNTOUCHED, Games, N, batch, begun, episode

STARTS = (DemoStart(0.8, 20, b"late"), DemoStart(0.4, 60, b"early"))


def backward(*shares: float, **settings) -> BackwardStarts:
    """Return it with all games at the last place of a demonstration of 100 steps."""
    starts = [DemoStart(share, round(100 - 100 * share), b"%d" % (100 * share)) for share in shares]
    config = BackwardConfig(**{"episodes": 4, "success": 0.5} | settings)
    found = BackwardStarts(config, starts or STARTS)
    assert [move.env_index for move in begun(found)] == list(range(N))
    return found


def end(starts: BackwardStarts, *results: bool, touched=UNTOUCHED) -> list[StartMove]:
    """Let an episode with each result end; return the moves of the last one."""
    for number, is_success in enumerate(results):
        ended = episode(number % N, is_success=is_success)
        starts.follow(Games(), batch(summaries=[ended]), touched)
        moved = begun(starts)
    return moved


def test_all_games_move_near_the_end_of_the_demonstration_at_once():
    starts = BackwardStarts(BackwardConfig(), STARTS)
    moved = begun(starts)
    assert [(move.env_index, move.start) for move in moved] == [(i, "demo 80 %") for i in range(N)]
    assert begun(starts) == []


def test_starts_walk_back_as_soon_as_enough_episodes_succeed_until_power_on():
    starts = backward()
    (move,) = end(starts, False, True, True)
    assert (move.start, move.snapshot) == ("demo 40 %", b"early")
    assert starts.share == pytest.approx(0.4)
    assert starts.take_news() == ["episodes now start at demo 40 %"]
    end(starts, False, False, False, True)  # of these, only the last but one began there
    assert starts.share == pytest.approx(0.4)
    assert end(starts, True, True) == []
    assert starts.is_over
    assert starts.take_news() == ["episodes now start at power-on"]
    assert end(starts, True, True, False, False) == []


def test_starts_walk_back_twice_as_far_each_time():
    starts = backward(0.9, 0.8, 0.7, 0.6, 0.5, 0.4, 0.3, 0.2, 0.1)
    seen = [starts.share]
    while not starts.is_over:
        end(starts, True)
        seen += [starts.share] * (starts.share != seen[-1])
    assert seen == pytest.approx([0.9, 0.8, 0.6, 0.2, 0.0])


def test_starts_return_half_of_the_way_where_nothing_succeeds():
    starts = backward(0.9, 0.8, 0.7, 0.6, 0.5, 0.4, 0.3, 0.2, 0.1, success=0.25)
    seen = [starts.share]
    for is_success in [True] * 3 + [False] * 12 + [True]:
        end(starts, is_success)
        seen += [starts.share] * (starts.share != seen[-1])
    assert seen == pytest.approx([0.9, 0.8, 0.6, 0.2, 0.4, 0.5, 0.4])


def test_too_few_successes_change_nothing():
    starts = backward(success=0.75)
    end(starts, *[False, True, False, True] * 5)
    assert starts.share == pytest.approx(0.8)
    assert "2 of the last 4" in starts.describe()
    assert "needs 3 of 4" in starts.describe()


@pytest.mark.parametrize(("patience", "limit"), [(4.0, 80), (0.1, 64), (0.0, 0)])
def test_episodes_have_a_limit_by_what_the_demonstration_took(patience, limit):
    starts = BackwardStarts(BackwardConfig(patience=patience), STARTS)
    assert {move.max_steps for move in starts.moves(np.zeros(N, np.int64), FREE)} == {limit}


def test_what_a_person_played_and_failed_processes_count_nothing():
    starts = backward()
    end(starts, True, True, True, True, touched=FREE)
    (move,) = begun(starts, episode(0, is_aborted=True))
    assert (starts.share, move.start) == (pytest.approx(0.8), "demo 80 %")


def test_saved_backward_starts_go_on_alike():
    starts = backward()
    end(starts, False, True)
    other = BackwardStarts(BackwardConfig(episodes=4, success=0.5), STARTS)
    other.load(json.loads(json.dumps(starts.save()[0])), {})
    assert end(starts, True, False, True) == end(other, True, False, True)
    assert starts.save() == other.save()
