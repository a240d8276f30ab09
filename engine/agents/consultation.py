"""Ask a language model for the next action, and take nothing from it that is not possible."""

import logging
import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from engine.errors import DecisionValidationError
from engine.llm.manager import BaseLLMManager
from engine.quoting import one_line
from engine.types import Action

_log = logging.getLogger(__name__)

_MOST_TOLD = 300
_UNSTATED = 0.5
"""Confidence of an answer that states none."""


@dataclass(frozen=True, slots=True)
class Answer:
    """A possible action, and how sure the model says it is, 0 to 1.

    Attributes:
        source: What the model calls itself; "" if it does not say.
    """

    action: Action
    confidence: float
    reason: str
    source: str = ""


@dataclass(slots=True)
class Consultation:
    """Count what came of the questions.

    Attributes:
        asked: Questions.
        failed: No answer: the model raised an exception.
        invalid: Answers that were no possible action.
        error: What was wrong with the last one; "" if it could be used.
    """

    asked: int = 0
    failed: int = 0
    invalid: int = 0
    error: str = ""

    def ask(self, manager: BaseLLMManager, context: str, mask: NDArray[np.bool_]) -> Answer | None:
        """Return the model's answer, None where it gave none that can be used.

        Args:
            manager: The model.
            context: The situation in words.
            mask: (9,) bool, False for actions of no use.
        """
        self.asked += 1
        try:
            answer = read_answer(manager.get_action(context), mask)
        except DecisionValidationError as error:
            self.invalid += 1
            self._complain(error)
        except Exception as error:  # somebody else's code: whatever it raises, training goes on
            self.failed += 1
            self._complain(error)
        else:
            self.error = ""
            return answer
        return None

    def _complain(self, error: Exception) -> None:
        """Warn of the first failure, the second, the fourth ...: a dead model would flood a log."""
        self.error = one_line(f"{type(error).__name__}: {error}", _MOST_TOLD)
        count = self.failed + self.invalid
        _log.log(
            logging.WARNING if count.bit_count() == 1 else logging.DEBUG,
            "language model: %s The rules advise instead; %d of %d answers failed.",
            self.error,
            count,
            self.asked,
        )


def read_answer(answer: object, mask: NDArray[np.bool_]) -> Answer:
    """Check what a manager returned.

    Args:
        answer: (action, facts), as documented.
        mask: (9,) bool, False for actions of no use.

    Raises:
        DecisionValidationError: It is of another form, or the action is not possible now.
    """
    if not isinstance(answer, tuple) or len(answer) != 2 or not isinstance(answer[1], Mapping):
        raise DecisionValidationError(
            f"The answer {answer!r:.80} is not (action, facts).", "See BaseLLMManager.get_action."
        )
    action, facts = answer
    return Answer(
        check_action(action, mask),
        _confidence(facts),
        str(facts.get("reasoning", "")),
        str(facts.get("source", "")),
    )


def check_action(action: object, mask: NDArray[np.bool_]) -> Action:
    """Return the action if it is one, and possible now.

    Raises:
        DecisionValidationError: It is not.
    """
    chosen = Action.of(action)
    if not mask[chosen]:
        possible = ", ".join(f"{a.value} {a.name}" for a in Action if mask[a])
        raise DecisionValidationError(
            f"{chosen.value} {chosen.name} can have no effect now.", f"Possible are: {possible}."
        )
    return chosen


def _confidence(facts: Mapping[str, Any]) -> float:
    try:
        stated = float(facts.get("confidence", _UNSTATED))
    except (TypeError, ValueError):
        return _UNSTATED
    return min(max(stated, 0.0), 1.0) if math.isfinite(stated) else _UNSTATED
