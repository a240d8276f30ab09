import dataclasses
import json
import math
import threading

import pytest

from engine.planning.goals.subgoal_codec import subgoal_from_json, subgoal_to_json
from engine.planning.models.answering import Failures, SubgoalCache
from engine.planning_types import Condition, GoalOption, Subgoal
from engine.types import Goal, GoalKind, MapId
from tests.engine.planning.models.queries import TOWN


def plan(key: str = "town", option: GoalOption = TOWN[1], confidence: float = 0.8) -> Subgoal:
    return Subgoal(key, ("smollm2:1.7b",), option, option.conditions[0], confidence, "It is near.")


@pytest.fixture
def cache() -> SubgoalCache:
    return SubgoalCache()


def test_a_plan_is_found_by_its_key_alone_and_no_more_than_512_are_kept(cache):
    cache.put("a", plan())
    assert cache.get("a") == plan()
    assert cache.get("b") is None
    for number in range(600):
        cache.put(str(number), plan())
    assert len(cache) == 512


def test_the_plan_unused_for_longest_is_forgotten():
    cache = SubgoalCache(2)
    for key in ("a", "b"):
        cache.put(key, plan(key))
    assert cache.get("a")
    cache.put("c", plan("c"))
    assert cache.get("b") is None
    assert cache.get("a")
    assert len(cache) == 2


def test_saved_cache_is_loaded_in_the_same_order():
    cache, loaded = SubgoalCache(2), SubgoalCache(2)
    cache.put("a", plan("a"))
    cache.put("b", plan("b", TOWN[5]))
    cache.get("a")
    loaded.load(json.loads(json.dumps(cache.save())))
    loaded.put("c", plan("c"))
    assert loaded.get("b") is None
    assert loaded.get("a") == plan("a")


def test_cache_can_be_saved_while_it_is_filled(cache):
    filling = threading.Thread(
        target=lambda: [cache.put(str(number), plan()) for number in range(5000)]
    )
    filling.start()
    while filling.is_alive():
        assert len(cache.save()) <= 512
    filling.join()


@pytest.mark.parametrize(
    "facts", [None, {"a": 1}, [["a"]], [[1, subgoal_to_json(plan())]], "ab", [5]]
)
def test_a_damaged_cache_is_refused_whole(cache, facts):
    cache.put("a", plan())
    with pytest.raises((TypeError, ValueError)):
        cache.load(facts)
    assert cache.get("a")


def test_a_plan_survives_json_whole():
    goal = Goal("badge", "Beat the leader", MapId(3, 4), (5, 6), True, GoalKind.MEET)
    option = GoalOption(
        GoalKind.MEET, "person é", "far", goal, (Condition.ANSWERED, Condition.MILESTONE)
    )
    whole = Subgoal("k", ("a", "b"), option, Condition.MILESTONE, 0.25, 'He said "hi".\n')
    assert subgoal_from_json(json.loads(json.dumps(subgoal_to_json(whole)))) == whole
    plain = dataclasses.replace(whole, option=TOWN[0], condition=TOWN[0].conditions[0])
    assert subgoal_from_json(json.loads(json.dumps(subgoal_to_json(plain)))) == plain


@pytest.mark.parametrize(
    ("path", "value"),
    [
        (("key",), 5),
        (("setters",), "ab"),
        (("setters",), []),
        (("setters",), [1]),
        (("kind",), "fly"),
        (("kind",), ["reach"]),
        (("condition",), "it felt right"),
        (("condition",), str(Condition.CAUGHT)),
        (("conditions",), ["it felt right"]),
        (("conditions",), [[]]),
        (("confidence",), 1.5),
        (("confidence",), True),
        (("confidence",), math.nan),
        (("confidence",), "0.5"),
        (("reasoning",), None),
        (("goal",), []),
        (("goal", "map"), [1]),
        (("goal", "map"), [1, "2"]),
        (("goal", "map"), [1, 2, 3]),
        (("goal", "target"), {"x": 1}),
        (("goal", "is_interaction"), 1),
        (("goal", "kind"), ""),
    ],
)
def test_a_damaged_plan_is_refused(path, value):
    facts = subgoal_to_json(plan())
    *sections, leaf = path
    inner = facts
    for section in sections:
        inner = inner[section]
    inner[leaf] = value
    with pytest.raises(ValueError):  # noqa: PT011 (an enum's words, or ours)
        subgoal_from_json(facts)


@pytest.mark.parametrize("field", list(subgoal_to_json(plan())))
def test_a_plan_with_a_field_missing_is_refused(field):
    facts = subgoal_to_json(plan())
    del facts[field]
    with pytest.raises(ValueError, match=field):
        subgoal_from_json(facts)


def test_a_failed_query_rests_for_its_time_and_failures_are_bounded_and_forgotten():
    now = [0.0]
    failures = Failures(lambda: now[0])
    failures.add("a", 10)
    assert "a" in failures
    assert "b" not in failures
    now[0] = 10
    assert "a" not in failures
    for number in range(1000):
        failures.add(str(number), 10)
    assert ("0" in failures, "999" in failures) == (False, True)
    failures.clear()
    assert "999" not in failures
