"""Let several models vote: each valid answer counts by how far its model can be believed."""

import dataclasses
import math
from collections.abc import Mapping, Sequence

from engine.planning_types import GoalOption, Subgoal

UNKNOWN_WEIGHT = 0.5
"""Of a model whose goals were not evaluated yet."""

_MOST_CONFIDENCE = 0.9
"""What more is claimed counts for nothing: models are surer than they are right."""


def vote(plans: Sequence[Subgoal], weights: Mapping[str, float] | None = None) -> Subgoal | None:
    """Return the option with the most weight behind it, or None where nobody chose.

    `plans` has one from each model that gave a valid answer, all for the same query; `weights`
    say how far each model can be believed, by name: 0 to 1, beyond which nothing counts.

    The winner is in the words of its weightiest voter, set by all its voters. Its confidence is
    its share of all weight times what its voters stated on average; one plan stays as it is.
    """
    if len(plans) < 2:
        return plans[0] if plans else None
    votes: dict[GoalOption, list[tuple[float, Subgoal]]] = {}
    for plan in plans:
        votes.setdefault(plan.option, []).append((_weight(plan, weights or {}), plan))
    # Of equals, `max` takes the one that came first.
    voters = max(votes.values(), key=lambda group: (_total(group), max(w for w, _ in group)))
    everything = math.fsum(_total(group) for group in votes.values())
    share = _total(voters) / everything if everything else len(voters) / len(plans)
    stated = math.fsum(plan.confidence for _, plan in voters) / len(voters)
    _, best = max(voters, key=lambda voter: voter[0])
    goal_sources = tuple(dict.fromkeys(name for _, plan in voters for name in plan.goal_sources))
    return dataclasses.replace(best, goal_sources=goal_sources, confidence=min(1.0, share * stated))


def _weight(plan: Subgoal, weights: Mapping[str, float]) -> float:
    believed = weights.get(plan.goal_source, UNKNOWN_WEIGHT)
    if not math.isfinite(believed):
        believed = UNKNOWN_WEIGHT
    return min(max(0.0, believed), 1.0) * min(max(0.0, plan.confidence), _MOST_CONFIDENCE)


def _total(group: Sequence[tuple[float, Subgoal]]) -> float:
    return math.fsum(weight for weight, _ in group)
