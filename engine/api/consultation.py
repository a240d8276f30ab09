"""Ask a language model for the next action, and accept only possible ones."""

import inspect
import logging
import math
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from engine.api.llm_manager import ActionModel
from engine.errors import DecisionValidationError
from engine.ground.text import one_line
from engine.planning.models.member import describe
from engine.types import GAME_BOY_ACTIONS, ActionSet

_log = logging.getLogger(__name__)

_REASONING, _SOURCE = 300, 60
"""Most characters that are kept of what a model says of its answer, and of itself."""
_SLOW_S = 10.0
"""Training that stands still for longer is worth a warning."""
_UNSTATED = 0.5
"""Confidence of an answer that states none."""


@dataclass(frozen=True, slots=True)
class Answer:
    """A possible action, and how sure the model says it is, 0 to 1.

    Attributes:
        source: What the model calls itself; "" if it does not say.
    """

    action: int
    confidence: float
    reason: str
    source: str = ""


@dataclass(slots=True)
class Consultation:
    """Count the result of the questions.

    Attributes:
        asked: Questions.
        failed: No answer: the model raised an exception.
        invalid: Answers that were no possible action.
        slow: Those that were waited for longer than 10 s.
        error: What was wrong with the last one; "" if it could be used.
    """

    asked: int = 0
    failed: int = 0
    invalid: int = 0
    slow: int = 0
    error: str = ""

    def ask(
        self,
        manager: ActionModel,
        context: str,
        mask: NDArray[np.bool_],
        clock: Callable[[], float] = time.monotonic,
        *,
        actions: ActionSet = GAME_BOY_ACTIONS,
    ) -> Answer | None:
        """Return the model's answer, None where it gave none that can be used.

        Args:
            manager: The model.
            context: The situation in words.
            mask: (A,) bool, False for actions of no use.
            clock: Seconds that only rise.
            actions: The game's A actions.

        Raises:
            KeyboardInterrupt, SystemExit: The program shall end.
        """
        self.asked += 1
        began = clock()
        try:
            answer = read_answer(manager.get_action(context), mask, actions)
        except DecisionValidationError as error:
            self.invalid += 1
            self._complain(error)
        except (KeyboardInterrupt, SystemExit):
            raise
        except BaseException as error:  # somebody else's code: a CancelledError is no Exception
            self.failed += 1
            self._complain(error)
        else:
            self.error = ""
            return answer
        finally:
            self._look_at(clock() - began)
        return None

    def _look_at(self, waited_s: float) -> None:
        """Warn of a slow answer, as seldom as of failures."""
        if waited_s <= _SLOW_S:
            return
        self.slow += 1
        _log.log(
            _level(self.slow),
            "language model: training waited %.0f s for an answer. Query it less often, or "
            "set config.llm_model, which is queried in the background.",
            waited_s,
        )

    def _complain(self, error: BaseException) -> None:
        """Warn of a failure, and say what it means."""
        self.error = describe(error)
        _log.log(
            _level(self.failed + self.invalid),
            "language model: %d of %d answers failed; the rules advise instead: %s",
            self.failed + self.invalid,
            self.asked,
            self.error,
        )


def _level(count: int) -> int:
    """Return WARNING for the first, second, fourth, eighth ... of a kind, to keep logs short."""
    return logging.WARNING if count.bit_count() == 1 else logging.DEBUG


def read_answer(
    answer: object, mask: NDArray[np.bool_], actions: ActionSet = GAME_BOY_ACTIONS
) -> Answer:
    """Check what a manager returned.

    Args:
        answer: (action, facts), as documented.
        mask: (A,) bool, False for actions of no use.
        actions: The game's A actions.

    Raises:
        DecisionValidationError: It is of another form, or the action is not possible now.
    """
    if inspect.iscoroutine(answer):
        answer.close()
        raise DecisionValidationError(
            "get_action is a coroutine function, which is not awaited.",
            "Write `def get_action`, and use asyncio.run in it.",
        )
    if not isinstance(answer, tuple) or len(answer) != 2 or not isinstance(answer[1], Mapping):
        raise DecisionValidationError(
            f"The answer {answer!r:.80} is not (action, facts).", "See BaseLLMManager.get_action."
        )
    action, facts = answer
    return Answer(
        check_action(action, mask, actions),
        _confidence(facts),
        _line(facts.get("reasoning"), _REASONING),
        _line(facts.get("source"), _SOURCE),
    )


def check_action(action: object, mask: NDArray[np.bool_], actions: ActionSet) -> int:
    """Return the action if it is one, and possible now.

    Raises:
        DecisionValidationError: It is not.
    """
    chosen = actions.check(action)
    if not mask[chosen]:
        raise DecisionValidationError(
            f"{chosen} {actions.name(chosen)} has no effect now.",
            f"Possible actions: {possible_actions(mask, actions)}.",
        )
    return chosen


def possible_actions(mask: NDArray[np.bool_], actions: ActionSet) -> str:
    """Return the actions that are not masked, e.g. "0 A, 4 UP"."""
    return ", ".join(f"{index} {actions.name(index)}" for index in np.flatnonzero(mask).tolist())


def _line(said: object, longest: int) -> str:
    return "" if said is None else one_line(str(said), longest)


def _confidence(facts: Mapping[str, Any]) -> float:
    try:
        stated = float(facts.get("confidence", _UNSTATED))
    except (TypeError, ValueError, OverflowError):
        return _UNSTATED
    return min(max(stated, 0.0), 1.0) if math.isfinite(stated) else _UNSTATED
