import json

import pytest

from engine.planning.rules.goal_tracker import LIFE_STEPS, GoalTracker
from engine.types import Goal, GoalKind, GoalTally, MapId
from tests.engine.planning.goals.helpers import creature, state

TOWN = Goal("town", "Go to town", MapId(1, 2), kind=GoalKind.REACH)
REST = Goal("heal", "Rest", kind=GoalKind.HEAL)
TRAIN = Goal("train", "Train", kind=GoalKind.TRAIN)
WELL = state(party=(creature(hp=20, level=5),))
HURT = state(party=(creature(hp=5, level=5),))
STRONGER = state(party=(creature(hp=20, level=6),))


def tally(kind: GoalKind, reached: int, failed: int) -> GoalTally:
    return GoalTally("rules", kind, reached, failed)


@pytest.fixture
def watch() -> GoalTracker:
    return GoalTracker("rules")


def test_milestone_goal_is_reached_when_the_milestone_is(watch: GoalTracker) -> None:
    watch.pursue(TOWN, WELL)
    assert watch.outcomes() == ()
    watch.evaluate(WELL, ())
    watch.pursue(TOWN, WELL)
    assert watch.outcomes() == (tally(GoalKind.REACH, 0, 1),)
    watch.evaluate(WELL, ("town",))
    assert watch.outcomes() == (tally(GoalKind.REACH, 1, 0),)


def test_rest_is_reached_when_the_party_is_healthy(watch: GoalTracker) -> None:
    watch.pursue(REST, HURT)
    watch.evaluate(HURT, ("heal",))
    assert watch.outcomes() == ()
    watch.evaluate(WELL, ())
    assert watch.outcomes() == (tally(GoalKind.HEAL, 1, 0),)


def test_training_is_reached_with_every_level(watch: GoalTracker) -> None:
    watch.pursue(TRAIN, WELL)
    watch.evaluate(STRONGER, ())
    for _ in range(2):
        watch.pursue(TRAIN, STRONGER)
        watch.evaluate(STRONGER, ())
    assert watch.outcomes() == (tally(GoalKind.TRAIN, 1, 1),)


def test_goal_grows_stale_and_fails_after_its_life(watch: GoalTracker) -> None:
    freshness = [watch.pursue(TOWN, WELL) for _ in range(LIFE_STEPS + 1)]
    assert freshness[0] == 1.0
    assert freshness[LIFE_STEPS // 2] == 0.5
    assert freshness[-2] == pytest.approx(0, abs=0.01)
    assert freshness[-1] == 1.0
    watch.evaluate(WELL, ("town",))
    assert watch.outcomes() == (tally(GoalKind.REACH, 1, 1),)


def test_interrupted_goal_has_not_failed_and_keeps_its_age(watch: GoalTracker) -> None:
    for _ in range(100):
        watch.pursue(TOWN, HURT)
    watch.pursue(REST, HURT)
    watch.evaluate(WELL, ())
    assert watch.outcomes() == (tally(GoalKind.HEAL, 1, 0),)
    assert watch.pursue(TOWN, WELL) == 1 - 100 / LIFE_STEPS


def test_exploring_is_no_goal(watch: GoalTracker) -> None:
    for _ in range(2 * LIFE_STEPS):
        assert watch.pursue(Goal("explore", "Explore"), WELL) == 1.0
    assert watch.outcomes() == ()


def test_saved_watch_goes_on_alike_and_a_new_episode_begins_empty(watch: GoalTracker) -> None:
    watch.pursue(TOWN, WELL)
    watch.evaluate(WELL, ("town",))
    for _ in range(7):
        watch.pursue(TRAIN, WELL)
    other = GoalTracker("rules")
    other.load(json.loads(json.dumps(watch.save())))
    assert other.outcomes() == watch.outcomes()
    assert other.pursue(TRAIN, WELL) == watch.pursue(TRAIN, WELL)
    other.reset()
    assert other.outcomes() == ()
