import pytest

from engine.types import Action
from pokeTUI.input.playing import HOLD_S, Holds

UP, DOWN, LEFT, RIGHT, A, B = (Action[name] for name in ("UP", "DOWN", "LEFT", "RIGHT", "A", "B"))
NOTHING: frozenset[Action] = frozenset()


@pytest.mark.parametrize("late_s", [0.0, 0.05, 0.1])
def test_a_late_repeat_breaks_nothing(late_s: float) -> None:
    holds = Holds()
    holds.press(A, 1.0)
    assert holds.held(1.04 + late_s) == {A}
    holds.press(A, 1.04 + late_s)
    assert holds.held(1.04 + late_s + HOLD_S / 2) == {A}


@pytest.mark.parametrize(("first", "second"), [(LEFT, RIGHT), (RIGHT, UP), (UP, DOWN)])
def test_without_releases_a_new_direction_ends_the_other(first: Action, second: Action) -> None:
    holds = Holds()
    holds.press(first, 0.0)
    holds.press(second, 0.05)
    assert holds.held(0.06) == {second}


def test_a_direction_and_a_button_are_held_at_once() -> None:
    holds = Holds()
    holds.press(UP, 0.0)
    holds.press(B, 0.05)
    holds.press(A, 0.05)
    assert holds.held(0.1) == {UP, A, B}
    assert holds.held(HOLD_S + 0.01) == {A, B}


def test_opposite_directions_cancel_until_one_is_up() -> None:
    holds = Holds(has_releases=True)
    holds.press(LEFT, 0.0)
    holds.press(RIGHT, 0.1)
    holds.press(UP, 0.2)
    assert holds.held(0.3) == {UP}
    holds.release(LEFT)
    assert holds.held(0.4) == {UP, RIGHT}


def test_letting_go_lets_all_go() -> None:
    for holds in (Holds(), Holds(has_releases=True)):
        holds.press(LEFT, 0.0)
        holds.press(A, 0.0)
        holds.let_go()
        assert holds.held(0.01) == NOTHING
