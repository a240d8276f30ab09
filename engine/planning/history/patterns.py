"""Find out which action does well in which kind of situation; plain arithmetic, no database."""

import json
import math
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from engine.errors import ConfigurationError
from engine.ground.files import parse_json
from engine.planning.history.analysis import GameStateAnalysis

Context = Mapping[str, str]
"""A kind of situation, by `CONTEXT_KEYS`."""

CONTEXT_KEYS = ("situation", "map", "goal", "own_health", "enemy_health", "level_gap")
"""What a context may say.

In a battle: situation ("wild battle", "trainer battle", "battle"), own_health and enemy_health
("out", "low", "hurt", "fine"), level_gap ("behind", "even", "ahead"). Elsewhere: situation
("walking", "talking", "menu", "waiting"), map, goal (its kind). What is not known is left out.
"""

_LOW, _HURT = 0.25, 0.5
"""Shares of health below which a creature is in the band."""
_EVEN = 3
"""Levels from which one side is ahead."""

_Z = 1.959963984540054
"""97.5 % quantile of the normal distribution: two-sided 95 % intervals."""


def context_of(analysis: GameStateAnalysis, goal_kind: str = "") -> dict[str, str]:
    """Return the kind of situation that a state is."""
    battle = analysis.analyze_battle_state()
    if battle["in_battle"]:
        found = {
            "situation": f"{battle['kind']} battle" if battle["kind"] else "battle",
            "own_health": _band(battle["own_health"]),
            "enemy_health": _band(battle["enemy_health"]),
            "level_gap": _gap(battle["level_gap"]),
        }
    else:
        exploration = analysis.analyze_exploration_state()
        found = {
            "situation": _situation(exploration),
            "map": exploration["map"] or "",
            "goal": goal_kind,
        }
    return {key: word for key, word in found.items() if word}


def walking_context(map_name: str, goal_kind: str) -> dict[str, str]:
    """Return what `context_of` says of a player who is free to walk."""
    found = {"situation": "walking", "map": map_name, "goal": str(goal_kind)}
    return {key: word for key, word in found.items() if word}


def context_key(context: Context) -> str:
    """Return one text for equal contexts."""
    return json.dumps(dict(context), sort_keys=True, ensure_ascii=False)


def read_context(key: str) -> dict[str, str]:
    """Return the context of a `context_key`.

    Raises:
        ValueError: It is none.
    """
    context = parse_json(key)
    if not isinstance(context, dict):
        raise ValueError(f"{key!r} is not a context")
    return {str(name): str(word) for name, word in context.items()}


def success_interval(successes: float, frequency: float) -> tuple[float, float]:
    """Return the 95 % Wilson score interval of a success rate; (0, 1) where nothing is known."""
    if frequency <= 0:
        return 0.0, 1.0
    # A file from elsewhere may count more successes than tries.
    rate, square = min(1.0, max(0.0, successes / frequency)), _Z * _Z
    scale = 1 + square / frequency
    centre = (rate + square / (2 * frequency)) / scale
    spread = rate * (1 - rate) / frequency + square / (4 * frequency * frequency)
    half = _Z * math.sqrt(spread) / scale
    # Rounding must not move a bound that is exactly 0 or 1.
    low = 0.0 if rate == 0 else max(0.0, centre - half)
    high = 1.0 if rate == 1 else min(1.0, centre + half)
    return low, high


def success_estimate(successes: int, frequency: int) -> float:
    """Return the mean of a success rate's posterior, given a Beta(1, 1) prior; unknown: 1/2."""
    return (successes + 1) / (frequency + 2)


@dataclass(slots=True)
class Tally:
    """How often an action was taken in a context, and the result."""

    frequency: int = 0
    successes: int = 0
    reward_sum: float = 0.0


class PatternTable:
    """Count decisions by context and action.

    It holds as many counts as there are kinds of situations, however many decisions there were.
    """

    def __init__(self) -> None:
        self._contexts: dict[str, Context] = {}
        self._tallies: dict[str, dict[int, Tally]] = {}

    def add(self, key: str, action: int, frequency: int, successes: int, reward_sum: float) -> None:
        """Count decisions of one context; negative numbers take them back.

        Raises:
            ValueError: `key` is no `context_key`.
        """
        if key not in self._contexts:
            self._contexts[key] = read_context(key)
        actions = self._tallies.setdefault(key, {})
        tally = actions.setdefault(action, Tally())
        tally.frequency += frequency
        tally.successes += successes
        tally.reward_sum += reward_sum

    def rows(self) -> Iterator[tuple[str, int, Tally]]:
        """Yield context key, action and count."""
        for key, actions in self._tallies.items():
            for action, tally in actions.items():
                yield key, action, tally

    def patterns(
        self, min_frequency: int, context_filter: Mapping[str, Any] | None
    ) -> list[dict[str, Any]]:
        """Return what was decided at least so often, the most frequent first.

        See `DecisionHistoryAnalyzer.analyze_patterns`. A context that does not say what the filter
        asks for is left out.
        """
        wanted = _checked_filter(context_filter)
        found = [
            _pattern(dict(context), action, tally)
            for key, action, tally in self.rows()
            if tally.frequency >= max(1, min_frequency)
            and action in wanted.get("action", (action,))
            and _fits(context := self._contexts[key], wanted)
        ]
        return sorted(
            found, key=lambda p: (-p["frequency"], context_key(p["context"]), p["action"])
        )

    def experience(self, min_frequency: int) -> dict[str, dict[int, float]]:
        """Return `advice_for` of all contexts of which two actions are known, by context key."""
        found = {key: self._estimates(key, min_frequency) for key in self._tallies}
        return {key: known for key, known in found.items() if len(known) > 1}

    def advice_for(self, context: Context, min_frequency: int) -> dict[int, float]:
        """Return action -> `success_estimate`, of actions taken at least so often there."""
        return self._estimates(context_key(context), min_frequency)

    def _estimates(self, key: str, min_frequency: int) -> dict[int, float]:
        return {
            action: success_estimate(tally.successes, tally.frequency)
            for action, tally in sorted(self._tallies.get(key, {}).items())
            if tally.frequency >= max(1, min_frequency)
        }


def _pattern(context: Context, action: int, tally: Tally) -> dict[str, Any]:
    return {
        "context": context,
        "action": action,
        "frequency": tally.frequency,
        "success_rate": tally.successes / tally.frequency,
        "success_interval": success_interval(tally.successes, tally.frequency),
        "mean_reward": tally.reward_sum / tally.frequency,
    }


def _checked_filter(given: Mapping[str, Any] | None) -> dict[str, tuple[Any, ...]]:
    known = (*CONTEXT_KEYS, "action")
    wanted: dict[str, tuple[Any, ...]] = {}
    for key, value in (given or {}).items():
        if key not in known:
            raise ConfigurationError(
                f"Unknown context to filter by: {key!r}.", f"Known: {', '.join(known)}."
            )
        is_many = isinstance(value, Iterable) and not isinstance(value, str)
        wanted[key] = tuple(value) if is_many else (value,)
    return wanted


def _fits(context: Context, wanted: Mapping[str, tuple[Any, ...]]) -> bool:
    return all(context.get(key) in values for key, values in wanted.items() if key != "action")


def _situation(exploration: Mapping[str, Any]) -> str:
    waits_for: str = exploration["waits_for"]
    if waits_for:
        return "talking" if waits_for == "text" else waits_for
    return "walking" if exploration["is_free"] else "waiting"


def _band(health: float | None) -> str:
    if health is None:
        return ""
    if health <= 0:
        return "out"
    if health < _LOW:
        return "low"
    return "hurt" if health < _HURT else "fine"


def _gap(levels: float | None) -> str:
    if levels is None:
        return ""
    if abs(levels) < _EVEN:
        return "even"
    return "ahead" if levels > 0 else "behind"
