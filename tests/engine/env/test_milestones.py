import pytest

from engine.env.milestones import MilestoneTracker, Story, still_ahead
from engine.games.base import Milestone, MilestoneKind
from engine.types import Bag, GameState, MapId
from tests.engine.states import make_control, make_creature, make_state

MILESTONES = (
    Milestone("left", "Leave", MilestoneKind.MAP, place=MapId(40, 2)),
    Milestone("creature", "Choose", MilestoneKind.PARTY, 1),
    Milestone("strong", "Grow", MilestoneKind.LEVEL, 8),
    Milestone("beat", "Beat", MilestoneKind.EVENT, 27),
    Milestone("badge", "Win", MilestoneKind.BADGE, 1),
    Milestone("far_badge", "Win far away", MilestoneKind.KANTO_BADGE, 1),
    Milestone("gear", "Get the gear", MilestoneKind.ENGINE, 4),
    Milestone("key", "Find the key", MilestoneKind.ITEM, 133),
    Milestone("lesson", "Show how to catch", MilestoneKind.VAR, 0x102, scene=4),
)
FLAG_27 = bytes(3) + bytes([0b1000]) + bytes(252)
NO_FLAG = bytes(256)

LATE = (
    Milestone("beat", "Beat", MilestoneKind.EVENT, 27),
    Milestone("rival", "Meet", MilestoneKind.SCENE, 0, scene=1, requires=("beat",)),
    Milestone("past", "Pass", MilestoneKind.SCENE_LEFT, 5, scene=0, requires=("rival",)),
    Milestone("date", "Wait", MilestoneKind.EVENT_CLEAR, 3, requires=("past",)),
    Milestone(
        "again", "Beat again", MilestoneKind.EVENT, 4, requires=("date",), holds_at_start=True
    ),
)


@pytest.mark.parametrize(
    ("state", "key"),
    [
        (make_state(map_number=2), "left"),
        (make_state(party=(make_creature(),)), "creature"),
        (make_state(event_flags=FLAG_27), "beat"),
        (make_state(badges=(2, 0)), "badge"),
        (make_state(badges=(0, 2)), "far_badge"),
        (make_state(engine_flags=b"\x10"), "gear"),
        (make_state(bag=Bag(key_items=(133,))), "key"),
        (make_state(bag=Bag(balls=((133, 2),))), "key"),
        (make_state(scenes=b"\0\0\0\0\2\1"), "lesson"),
        (make_state(scenes=b"\0\0\0\0\0\2"), "lesson"),
    ],
)
def test_each_kind_is_reached_once(state: GameState, key: str) -> None:
    tracker = MilestoneTracker(MILESTONES)
    tracker.reset(make_state())
    assert [reached for reached, _ in tracker.update(state, 7)] == [key]
    assert tracker.update(state, 8) == ()
    assert tracker.steps == {key: 7}


@pytest.mark.parametrize(
    ("badges", "goal", "final"),
    [((0, 0), "", "badge"), ((2, 0), "", "far_badge"), ((2, 2), "", ""), ((0, 0), "key", "key")],
)
def test_final_milestone_is_the_goal_or_the_next_badge(
    badges: tuple[int, int], goal: str, final: str
) -> None:
    tracker = MilestoneTracker(MILESTONES)
    tracker.reset(make_state(badges=badges))
    assert tracker.final(goal) == final
    tracker.update(make_state(badges=(2, 2)), 5)
    assert tracker.final(goal) == final, "what is reached in the episode was its goal"


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
        return [one.key for one in still_ahead(MILESTONES[:5], state, reached)]

    assert keys(make_state()) == ["left", "creature", "strong", "beat", "badge"]
    assert keys(make_state(), "left") == ["creature", "strong", "beat", "badge"]
    assert keys(make_state(party=(make_creature(),))) == ["strong", "beat", "badge"]
    assert keys(make_state(badges=(2, 0))) == ["creature", "strong", "beat"]


def test_a_sign_that_holds_from_the_start_counts_only_after_what_it_requires() -> None:
    tracker = MilestoneTracker(LATE)
    tracker.reset(make_state(event_flags=bytes([16]) + NO_FLAG[1:], scenes=bytes(2)))
    assert tracker.steps == {}
    beaten = make_state(event_flags=FLAG_27, scenes=bytes((5, 1)))
    assert [key for key, _ in tracker.update(beaten, 1)] == ["beat"]
    assert tracker.update(make_state(event_flags=FLAG_27, scenes=bytes((5, 1))), 2) == ()
    met = make_state(event_flags=FLAG_27, scenes=bytes((5, 0)))
    assert [key for key, _ in tracker.update(met, 3)] == ["rival"]
    flagged = bytes([8]) + FLAG_27[1:]
    passed = make_state(event_flags=flagged, scenes=bytes((2, 0)))
    assert [key for key, _ in tracker.update(passed, 4)] == ["past"]
    dated = make_state(event_flags=FLAG_27, scenes=bytes((2, 0)))
    assert [key for key, _ in tracker.update(dated, 5)] == ["date"]
    again = bytes([16]) + FLAG_27[1:]
    assert tracker.update(make_state(event_flags=FLAG_27, scenes=bytes((2, 0))), 6) == ()
    last = make_state(event_flags=again, scenes=bytes((2, 0)))
    assert [key for key, _ in tracker.update(last, 7)] == ["again"]


def test_such_a_sign_waits_until_the_script_is_over() -> None:
    tracker = MilestoneTracker(LATE)
    tracker.reset(make_state(event_flags=NO_FLAG, scenes=bytes(2)))
    busy = make_control(is_scripted=True)
    beaten = make_state(event_flags=FLAG_27, scenes=bytes(2), control=busy)
    assert [key for key, _ in tracker.update(beaten, 1)] == ["beat"]
    after = make_state(event_flags=FLAG_27, scenes=bytes((0, 1)))
    assert tracker.update(after, 2) == ()


def test_what_a_reached_milestone_requires_lies_behind_though_its_flag_is_cleared() -> None:
    league = (
        Milestone("first", "Beat the first", MilestoneKind.EVENT, 26),
        Milestone("champion", "Beat the last", MilestoneKind.EVENT, 27, requires=("first",)),
        Milestone("after", "Go on", MilestoneKind.EVENT, 28, requires=("champion",)),
    )
    champion = make_state(event_flags=FLAG_27)
    tracker = MilestoneTracker(league)
    tracker.reset(champion)
    assert tracker.steps == {"champion": 0, "first": 0}
    story = Story(league)
    assert [one.key for one in story.ahead(story.reached(champion))] == ["after"]
    assert story.is_possible(league[2], ["champion"])
    assert not story.is_possible(league[2], ["first"])


def test_a_tracker_with_other_steps_put_back_looks_anew() -> None:
    tracker = MilestoneTracker(MILESTONES)
    shown = make_state(event_flags=FLAG_27)
    tracker.reset(make_state())
    assert tracker.update(shown, 1)
    tracker.steps = {}
    assert [key for key, _ in tracker.update(shown, 2)] == ["beat"]


LEAGUE = (
    Milestone("will", "Beat Will", MilestoneKind.EVENT, 24, is_taken_back=True),
    Milestone("koga", "Beat Koga", MilestoneKind.EVENT, 25, requires=("will",), is_taken_back=True),
    Milestone("hall", "Enter the hall", MilestoneKind.EVENT, 26, requires=("koga",)),
)


def shown_events(*flags: int) -> GameState:
    bits = sum(1 << flag for flag in flags)
    return make_state(event_flags=bits.to_bytes(256, "little"))


def test_what_the_game_takes_back_is_ahead_again_and_paid_once() -> None:
    tracker, story = MilestoneTracker(LEAGUE), Story(LEAGUE)
    tracker.reset(shown_events())
    assert [key for key, _ in tracker.update(shown_events(24), 1)] == ["will"]
    assert [key for key, _ in tracker.update(shown_events(24, 25), 2)] == ["koga"]
    assert tracker.update(shown_events(), 3) == ()
    assert set(tracker.reached) == set()
    assert [one.key for one in story.ahead(tracker.reached)] == ["will", "koga", "hall"]
    assert not story.is_possible(LEAGUE[1], tracker.reached)
    assert tracker.update(shown_events(24), 4) == ()
    assert set(tracker.reached) == {"will"}
    assert tracker.steps == {"will": 1, "koga": 2}


def test_what_was_taken_back_lies_behind_once_what_it_was_for_is_reached() -> None:
    tracker, story = MilestoneTracker(LEAGUE), Story(LEAGUE)
    tracker.reset(shown_events())
    tracker.update(shown_events(24, 25), 1)
    tracker.update(shown_events(24, 25, 26), 2)
    tracker.update(shown_events(26), 3)
    assert set(tracker.reached) == {"will", "koga", "hall"}
    assert story.ahead(tracker.reached) == ()


def test_what_was_taken_back_counts_where_it_led_to() -> None:
    """As switches that spring back when the player has gone through their door."""
    hall = Milestone("hall", "Enter", MilestoneKind.EVENT, 26, MapId(40, 9), requires=("koga",))
    tracker = MilestoneTracker((*LEAGUE[:2], hall))
    tracker.reset(shown_events())
    tracker.update(shown_events(24, 25), 1)
    tracker.update(make_state(map_number=9, event_flags=NO_FLAG), 2)
    assert set(tracker.reached) == {"will", "koga"}
    tracker.update(make_state(map_number=3, event_flags=NO_FLAG), 3)
    assert set(tracker.reached) == set()
