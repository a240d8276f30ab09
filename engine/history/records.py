"""Define what is kept of a decision, and how it is written and read."""

import math
from collections.abc import Sequence
from dataclasses import asdict, dataclass, fields, replace
from datetime import UTC, datetime
from typing import Any, Self

from engine.errors import DecisionValidationError
from engine.history.patterns import read_context
from engine.types import action_index

_MAX_TEXT = 500
"""Longest reasoning that is kept, so that the number of rows bounds the file."""
_MAX_SOURCE = 40
MAX_ACTIONS = 4096
"""More than any game has."""


@dataclass(frozen=True, slots=True)
class DecisionRecord:
    """A decision whose outcome is not known yet.

    Attributes:
        timestamp: Seconds since the epoch.
        state_hash: `GameStateAnalysis.state_hash`.
        context: A `engine.history.patterns.context_key`.
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

    def checked(self) -> Self:
        """Return it with plain numbers, and with texts no longer than what is kept.

        Raises:
            DecisionValidationError: An action or a confidence that cannot be.
        """
        action = action_index(self.action, MAX_ACTIONS)
        if not 0.0 <= self.confidence <= 1.0:
            raise DecisionValidationError(
                f"A decision cannot have the confidence {self.confidence}.", "Give 0.0 to 1.0."
            )
        return replace(
            self,
            action=action,
            reasoning=str(self.reasoning)[:_MAX_TEXT],
            confidence=float(self.confidence),
            source=str(self.source)[:_MAX_SOURCE],
        )


def is_success(outcome_reward: float) -> bool:
    """Evaluate a decision by its reward, as long as nothing else is known.

    Raises:
        DecisionValidationError: The reward is no number.
    """
    if not math.isfinite(outcome_reward):
        raise DecisionValidationError(
            f"A decision cannot be paid {outcome_reward}.", "Give a finite number."
        )
    return outcome_reward > 0


_COLUMNS = tuple(column.name for column in fields(DecisionRecord))
_WRITTEN = (*_COLUMNS, "outcome", "outcome_reward", "run")

INSERT = f"INSERT INTO decisions ({', '.join(_WRITTEN)}) VALUES ({', '.join('?' * len(_WRITTEN))})"
TALLIES = """
    SELECT context, action, frequency, successes, reward_sum FROM folded_decisions UNION ALL
    SELECT context, action, COUNT(*), SUM(outcome = 'success'), SUM(outcome_reward)
    FROM decisions GROUP BY context, action
"""
RECENT = (
    f"SELECT {', '.join(_COLUMNS)}, outcome, outcome_reward, total_episode_reward, id "
    "FROM decisions ORDER BY id DESC LIMIT ?"
)


def as_row(record: DecisionRecord, outcome_reward: float, run: str) -> tuple[Any, ...]:
    """Return the parameters of `INSERT`."""
    values = (getattr(record, name) for name in _COLUMNS)
    outcome = "success" if is_success(outcome_reward) else "failure"
    return (*values, outcome, float(outcome_reward), run)


def as_documented(row: Sequence[Any]) -> dict[str, Any]:
    """Return a row of `RECENT` with the documented keys; both names of the step."""
    record = DecisionRecord(*row[: len(_COLUMNS)])
    outcome, reward, total, number = row[len(_COLUMNS) :]
    return {
        "id": str(number),
        **asdict(record),
        "timestamp": datetime.fromtimestamp(record.timestamp, UTC),
        "context": read_context(record.context),
        "outcome": outcome,
        "outcome_reward": reward,
        "step_in_episode": record.step_number,
        "total_episode_reward": total,
    }
