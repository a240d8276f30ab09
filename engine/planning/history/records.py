"""Define what is kept of a decision, and how it is written and read."""

import math
from collections.abc import Sequence
from dataclasses import asdict, dataclass, fields, replace
from datetime import UTC, datetime
from typing import Any, Self

from engine.errors import DecisionValidationError
from engine.planning.history.analysis import GameStateAnalysis
from engine.planning.history.patterns import context_key, context_of, read_context
from engine.types import action_index

_MAX_TEXT = 500
"""Longest reasoning that is kept, so that the number of rows bounds the file."""
_MAX_SOURCE = 40
MAX_ACTIONS = 4096
"""More than any game has."""


@dataclass(frozen=True, slots=True)
class DecisionRecord:
    """A decision, described before its outcome is known.

    Attributes:
        timestamp: Seconds since the epoch.
        state_hash: `GameStateAnalysis.state_hash`.
        context: A `context_key`.
        confidence: 0 to 1.
        step_number: Of the episode, 1-based.
        source: Who decided; "" if nobody said.
    """

    timestamp: float
    state_hash: int
    context: str
    action: int
    reasoning: str
    confidence: float
    episode_id: str
    step_number: int
    source: str = ""

    @classmethod
    def of(
        cls,
        analysis: GameStateAnalysis,
        action: int,
        reasoning: str,
        confidence: float,
        *,
        timestamp: float,
        episode_id: str,
        step_number: int,
        goal_kind: str = "",
        source: str = "",
    ) -> Self:
        """Describe a decision that was made on `analysis`.

        Raises:
            DecisionValidationError: An action or a confidence that cannot be.
        """
        record = cls(
            timestamp=timestamp,
            state_hash=analysis.state_hash,
            context=context_key(context_of(analysis, goal_kind)),
            action=action,
            reasoning=str(reasoning)[:_MAX_TEXT],
            confidence=confidence,
            episode_id=episode_id,
            step_number=step_number,
            source=str(source)[:_MAX_SOURCE],
        )
        return record.checked()

    def checked(self) -> Self:
        """Return it with plain numbers.

        Raises:
            DecisionValidationError: An action or a confidence that cannot be.
        """
        action = action_index(self.action, MAX_ACTIONS)
        if not 0.0 <= self.confidence <= 1.0:
            raise DecisionValidationError(
                f"Invalid confidence: {self.confidence}.", "Use 0.0 to 1.0."
            )
        return replace(self, action=action, confidence=float(self.confidence))


def is_success(outcome_reward: float) -> bool:
    """Judge a decision by what it was paid, as long as nothing else is known.

    Raises:
        DecisionValidationError: The reward is no number.
    """
    if not math.isfinite(outcome_reward):
        raise DecisionValidationError(f"Invalid reward: {outcome_reward}.", "Use a finite number.")
    return outcome_reward > 0


def outcome(is_good: bool) -> str:
    """Return the documented word."""
    return "success" if is_good else "failure"


_COLUMNS = tuple(column.name for column in fields(DecisionRecord))
_WRITTEN = (*_COLUMNS, "outcome", "outcome_reward", "run")

INSERT = f"INSERT INTO decisions ({', '.join(_WRITTEN)}) VALUES ({', '.join('?' * len(_WRITTEN))})"
RECENT = (
    f"SELECT {', '.join(_COLUMNS)}, outcome, outcome_reward, total_episode_reward, id "
    "FROM decisions ORDER BY id DESC LIMIT ?"
)


def as_row(record: DecisionRecord, outcome_reward: float, run: str) -> tuple[Any, ...]:
    """Return the parameters of `INSERT`."""
    values = (getattr(record, name) for name in _COLUMNS)
    return (*values, outcome(is_success(outcome_reward)), float(outcome_reward), run)


def as_documented(row: Sequence[Any]) -> dict[str, Any]:
    """Return a row of `RECENT` with the documented keys; both names of the step."""
    record = DecisionRecord(*row[: len(_COLUMNS)])
    word, reward, total, number = row[len(_COLUMNS) :]
    return {
        "id": str(number),
        **asdict(record),
        "timestamp": datetime.fromtimestamp(record.timestamp, UTC),
        "context": read_context(record.context),
        "outcome": word,
        "outcome_reward": reward,
        "step_in_episode": record.step_number,
        "total_episode_reward": total,
    }
