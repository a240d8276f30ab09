"""Remember the answers to planning queries, and which queries brought none."""

import math
import threading
import time
from collections import OrderedDict
from collections.abc import Callable
from typing import Any

from engine.llm.subgoal_codec import subgoal_from_json, subgoal_to_json
from engine.planning_types import Subgoal

_SIZE = 512
"""Plans that are remembered, and queries that brought none."""


class SubgoalCache:
    """The plans that were used last, by key; any thread may call any method."""

    def __init__(self, size: int = _SIZE) -> None:
        self._size = size
        self._plans: OrderedDict[str, Subgoal] = OrderedDict()
        self._lock = threading.Lock()

    def __len__(self) -> int:
        return len(self._plans)

    def get(self, key: str) -> Subgoal | None:
        """Return the plan for a key; it is then the last one to be forgotten."""
        with self._lock:
            plan = self._plans.get(key)
            if plan is not None:
                self._plans.move_to_end(key)
            return plan

    def put(self, key: str, plan: Subgoal) -> None:
        """Remember a plan, and forget the one that was not used for longest if there are many."""
        with self._lock:
            self._plans[key] = plan
            self._plans.move_to_end(key)
            while len(self._plans) > self._size:
                self._plans.popitem(last=False)

    def save(self) -> list[list[Any]]:
        """Return the state as JSON-able facts, for `load`."""
        with self._lock:
            plans = list(self._plans.items())
        return [[key, subgoal_to_json(plan)] for key, plan in plans]

    def load(self, facts: Any) -> None:
        """Restore the state that `save` returned.

        Raises:
            TypeError, ValueError: It is not what `save` returns.
        """
        plans: OrderedDict[str, Subgoal] = OrderedDict()
        for key, plan in facts[-self._size :]:
            if not isinstance(key, str):
                raise ValueError(f"not a key: {key!r}")
            plans[key] = subgoal_from_json(plan)
        with self._lock:
            self._plans = plans


class Failures:
    """The queries that brought no plan and are not asked again for a while."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._until: OrderedDict[str, float] = OrderedDict()

    def __contains__(self, key: str) -> bool:
        return self._clock() < self._until.get(key, -math.inf)

    def add(self, key: str, rest_s: float) -> None:
        """Keep a query from being asked again for some seconds."""
        self._until[key] = self._clock() + rest_s
        self._until.move_to_end(key)
        while len(self._until) > _SIZE:
            self._until.popitem(last=False)

    def clear(self) -> None:
        """Let every query be asked again."""
        self._until.clear()
