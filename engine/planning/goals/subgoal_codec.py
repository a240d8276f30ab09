"""Turn subgoals into JSON-able facts, and strictly back."""

from collections.abc import Mapping
from typing import Any, TypeVar

from engine.planning_types import Condition, GoalOption, Subgoal
from engine.types import Goal, GoalKind, MapId

T = TypeVar("T")


def subgoal_to_json(subgoal: Subgoal) -> dict[str, Any]:
    """Return a subgoal as JSON-able facts."""
    goal = subgoal.option.goal
    return {
        "key": subgoal.key,
        "setters": list(subgoal.goal_sources),
        "kind": str(subgoal.option.kind),
        "target": subgoal.option.target,
        "text": subgoal.option.text,
        "goal": {
            "key": goal.key,
            "text": goal.text,
            "map": [goal.map.group, goal.map.number] if goal.map else None,
            "target": list(goal.target) if goal.target else None,
            "is_interaction": goal.is_interaction,
            "kind": str(goal.kind),
        },
        "conditions": [str(condition) for condition in subgoal.option.conditions],
        "condition": str(subgoal.condition),
        "confidence": subgoal.confidence,
        "reasoning": subgoal.reasoning,
    }


def subgoal_from_json(facts: Any) -> Subgoal:
    """Return the subgoal of `subgoal_to_json`.

    Raises:
        ValueError: These are no such facts.
    """
    facts = _checked(facts, dict)
    try:
        option = GoalOption(
            kind=GoalKind(_checked(facts["kind"], str)),
            target=_checked(facts["target"], str),
            text=_checked(facts["text"], str),
            goal=_goal(_checked(facts["goal"], dict)),
            conditions=tuple(Condition(word) for word in _checked(facts["conditions"], list)),
        )
        confidence = facts["confidence"]
        if type(confidence) not in (int, float) or not 0 <= confidence <= 1:
            raise ValueError(f"not a confidence: {confidence!r}")
        goal_sources = tuple(_checked(name, str) for name in _checked(facts["setters"], list))
        if not goal_sources:
            raise ValueError("a plan without a goal source")
        condition = Condition(facts["condition"])
        if condition not in option.conditions:
            raise ValueError(f"{condition} cannot be the end of {option.text!r}")
        return Subgoal(
            key=_checked(facts["key"], str),
            goal_sources=goal_sources,
            option=option,
            condition=condition,
            confidence=float(confidence),
            reasoning=_checked(facts["reasoning"], str),
        )
    except KeyError as error:
        raise ValueError(f"a plan without {error}") from None


def _goal(facts: Mapping[str, Any]) -> Goal:
    area, target = facts["map"], facts["target"]
    return Goal(
        key=_checked(facts["key"], str),
        text=_checked(facts["text"], str),
        map=None if area is None else MapId(*_pair(area)),
        target=None if target is None else _pair(target),
        is_interaction=_checked(facts["is_interaction"], bool),
        kind=GoalKind(_checked(facts["kind"], str)),
    )


def _pair(facts: Any) -> tuple[int, int]:
    first, second = _checked(facts, list)  # a ValueError where they are not two
    return _checked(first, int), _checked(second, int)


def _checked(value: Any, kind: type[T]) -> T:
    """Return a value that is exactly of a type: True is no number here."""
    if type(value) is not kind:
        raise ValueError(f"{type(value).__name__} instead of {kind.__name__}")
    return value
