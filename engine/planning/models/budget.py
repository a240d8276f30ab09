"""Count what a run's questions cost, and say when no more may be asked."""

import math
import time
from collections.abc import Callable, Mapping
from typing import Any

from engine.config import PlannerConfig

_MOST_AT_ONCE = 5
_BURST_MINUTES = 1 / 12
_PER_PRICE = 1_000_000


class Budget:
    """How many questions a minute, tokens and dollars a run may have.

    Prices come from the settings alone: a table of well-known models' would be wrong within
    months, and a wrong price is worse than none. Without a price only tokens are bounded. The
    bounds are looked at before a question, so the last one may go beyond them by what it costs.
    `least_burst` questions must be possible at once: as many as there are models that vote.
    """

    def __init__(
        self,
        settings: PlannerConfig,
        clock: Callable[[], float] = time.monotonic,
        *,
        least_burst: int = 1,
    ) -> None:
        self._settings = settings
        self._clock = clock
        burst = min(_MOST_AT_ONCE, settings.calls_per_minute * _BURST_MINUTES)
        self._burst = max(float(least_burst), burst)
        self._allowed = self._burst
        self._refilled_s = clock()
        self.prompt_tokens = 0
        self.answer_tokens = 0
        self.cost = 0.0

    @property
    def exhausted(self) -> str:
        """Say which bound of the run is reached, "" if none is."""
        tokens, most = self.prompt_tokens + self.answer_tokens, self._settings.max_tokens_per_run
        if most and tokens >= most:
            return f"{tokens:,} of {most:,} tokens spent; raise planner.max_tokens_per_run."
        if self._settings.max_cost_per_run and self.cost >= self._settings.max_cost_per_run:
            limit = self._settings.max_cost_per_run
            return f"${self.cost:.2f} of ${limit:.2f} spent; raise planner.max_cost_per_run."
        return ""

    def take(self, calls: int = 1) -> float:
        """Take so many questions out of the minute's, and return 0.

        If there are fewer, none is taken: return how many seconds until there are as many.
        """
        now_s = self._clock()
        gained = (now_s - self._refilled_s) * self._settings.calls_per_minute / 60
        self._allowed = min(self._burst, self._allowed + gained)
        self._refilled_s = now_s
        if self._allowed >= calls:
            self._allowed -= calls
            return 0.0
        # A hair more than is needed: what is left after it must not be the error of a rounding.
        return (calls - self._allowed) * 60 / self._settings.calls_per_minute + 1e-6

    def spend(self, prompt_tokens: int, answer_tokens: int) -> float:
        """Count what a question cost, and return it in US dollars."""
        prices = self._settings.input_price, self._settings.output_price
        cost = (prompt_tokens * prices[0] + answer_tokens * prices[1]) / _PER_PRICE
        self.prompt_tokens += prompt_tokens
        self.answer_tokens += answer_tokens
        self.cost += cost
        return cost

    def save(self) -> dict[str, Any]:
        """Return the state as JSON-able facts, for `load`."""
        return {
            "prompt_tokens": self.prompt_tokens,
            "answer_tokens": self.answer_tokens,
            "cost": self.cost,
        }

    def load(self, facts: Mapping[str, Any]) -> None:
        """Restore the state that `save` returned.

        Raises:
            KeyError, TypeError, ValueError: It is not what `save` returns.
        """
        prompt, answer, cost = facts["prompt_tokens"], facts["answer_tokens"], facts["cost"]
        if type(prompt) is not int or type(answer) is not int or min(prompt, answer) < 0:
            raise ValueError(f"not counts of tokens: {prompt!r}, {answer!r}")
        if type(cost) not in (int, float) or not math.isfinite(cost) or cost < 0:
            raise ValueError(f"not a cost: {cost!r}")
        self.prompt_tokens, self.answer_tokens, self.cost = prompt, answer, float(cost)
