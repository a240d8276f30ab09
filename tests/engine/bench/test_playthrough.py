"""One game, played from power-on: what is noted of it."""

import pytest

from engine.bench.playthrough import (
    STANDSTILL_STEPS,
    Mark,
    Order,
    Playthrough,
    Standstill,
    _StandstillWatch,
    play,
)
from engine.config import RunConfig
from engine.types import GameState
from tests.engine.states import FREE, make_control, make_state


def _at(x: int, *lines: str) -> GameState:
    return make_state(x, 5, control=make_control() if lines else FREE, screen_text=lines)


def test_notes_are_whole_after_json() -> None:
    stuck = Standstill(700, 20, "CAVE", (3, 5), "A rock.")
    found = Playthrough(3, True, 90, 0.5, {"badge": Mark(90, 0.5)}, 1, stuck, "goal reached")
    assert Playthrough.of(found.facts()) == found


def test_order_is_whole_after_json() -> None:
    order = Order(RunConfig(seed=4), "rules", 100, 1.5)
    assert Order.decode(order.encode()) == order


def test_standstill_names_where_and_what_the_screen_said() -> None:
    watch = _StandstillWatch()
    for step in range(1, 6):
        watch.update(_at(step), step, is_milestone=False)
    for step in range(6, 6 + STANDSTILL_STEPS):
        watch.update(_at(5, "A rock."), step, is_milestone=False)
    watch.update(_at(6), 6 + STANDSTILL_STEPS, is_milestone=False)
    assert watch.longest == Standstill(STANDSTILL_STEPS, 5, "HOME", (5, 5), "A rock.")


def test_tiles_are_new_again_after_a_milestone() -> None:
    watch = _StandstillWatch()
    watch.update(_at(1), 1, is_milestone=False)
    watch.update(_at(2), STANDSTILL_STEPS - 1, is_milestone=True)
    watch.update(_at(1), STANDSTILL_STEPS + 1, is_milestone=False)
    assert watch.longest is None


@pytest.mark.slow
def test_random_agent_runs_out_of_steps(tmp_path) -> None:
    reports: list[int] = []
    order = Order(RunConfig(save_dir=str(tmp_path)), "random", 40, 10.0)
    found = play(order, lambda known: reports.append(known.steps))
    assert (found.ending, found.steps, found.is_success) == ("out of steps", 40, False)
    assert reports[-1] == 40


@pytest.mark.slow
def test_time_ends_a_game(tmp_path) -> None:
    found = play(Order(RunConfig(save_dir=str(tmp_path)), "random", 1000, 1e-9))
    assert (found.ending, found.steps) == ("out of time", 1)
