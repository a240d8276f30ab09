import pytest

from engine.env.milestones import MilestoneTracker, still_ahead
from engine.games.base import Milestone
from engine.types import GameState
from tests.engine.states import make_control, make_creature, make_state

MILESTONES: tuple[Milestone, ...] = (
    ("left", "Leave", "map", (40, 2)),
    ("creature", "Choose", "party", 1),
    ("strong", "Grow", "level", 8),
    ("beat", "Beat", "event", 27),
    ("badge", "Win", "badge", 1),
)
FLAG_27 = bytes(3) + bytes([0b1000]) + bytes(252)


@pytest.mark.parametrize(
    ("state", "key"),
    [
        (make_state(map_number=2), "left"),
        (make_state(party=(make_creature(),)), "creature"),
        (make_state(event_flags=FLAG_27), "beat"),
        (make_state(badges=(2, 0)), "badge"),
    ],
)
def test_each_kind_is_reached_once(state: GameState, key: str) -> None:
    tracker = MilestoneTracker(MILESTONES)
    tracker.reset(make_state())
    assert [reached for reached, _ in tracker.update(state, 7)] == [key]
    assert tracker.update(state, 8) == ()
    assert tracker.steps == {key: 7}


def test_level_milestone_needs_the_level() -> None:
    tracker = MilestoneTracker(MILESTONES)
    tracker.reset(make_state(party=(make_creature(level=7),)))
    assert tracker.update(make_state(party=(make_creature(level=8),)), 3) == (("strong", "Grow"),)


def test_milestones_reached_at_the_start_are_not_reached_again() -> None:
    tracker = MilestoneTracker(MILESTONES)
    tracker.reset(make_state(map_number=2))
    assert tracker.update(make_state(map_number=2), 1) == ()
    assert tracker.next_text() == "Choose"


def test_milestones_are_not_reached_before_the_game_runs() -> None:
    tracker = MilestoneTracker(MILESTONES)
    tracker.reset(make_state())
    title = make_state(map_number=2, control=make_control(in_game=False))
    assert tracker.update(title, 1) == ()


def test_places_passed_by_are_not_ahead_any_more() -> None:
    def keys(state: GameState, *reached: str) -> list[str]:
        return [key for key, *_ in still_ahead(MILESTONES, state, reached)]

    assert keys(make_state()) == ["left", "creature", "strong", "beat", "badge"]
    assert keys(make_state(), "left") == ["creature", "strong", "beat", "badge"]
    assert keys(make_state(party=(make_creature(),))) == ["strong", "beat", "badge"]
    assert keys(make_state(badges=(2, 0))) == ["creature", "strong", "beat"]
