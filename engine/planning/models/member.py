"""Look after one model: whether it can be asked, why not, and when it is tried again."""

import asyncio
import random
import time
from collections.abc import Callable

from engine.config import PlannerConfig
from engine.errors import LLMConnectionError
from engine.planning.models.backends.base import Backend, ModelStatus, redacted

_FAILURES = 3
_COOLDOWN_S = 5.0
_LONGEST_S = 300.0
_JITTER = 0.2
_MOST_DOUBLINGS = 32
"""Far beyond the longest wait, and 2 to its power is still a reasonable number."""


class Breaker:
    """A circuit breaker for a failing server: closed, open for a while, half-open for one question.

    Three failures in a row open it, one that is permanent does at once. Then nothing is asked for
    5 s * 2^k, 20 % more or less and at most 300 s, or what `fail` says; k counts the openings since
    the last success. `rng` draws the jitter: many runs must not come back to one server in step.
    """

    def __init__(
        self,
        rng: random.Random,
        clock: Callable[[], float] = time.monotonic,
        *,
        cooldown_s: float = _COOLDOWN_S,
    ) -> None:
        self._rng = rng
        self._clock = clock
        self._cooldown_s = cooldown_s
        self._failures = 0
        self._openings = 0
        self._until: float | None = None
        self._is_on_trial = False

    @property
    def retry_in_s(self) -> float:
        """Return how long nothing may be asked; 0 if something may be, or is on trial."""
        return 0.0 if self._until is None else max(0.0, self._until - self._clock())

    @property
    def is_open(self) -> bool:
        """Return whether nothing may be asked: not yet, or a question is on trial."""
        return self.retry_in_s > 0 or self._is_on_trial

    def admit(self) -> bool:
        """Return whether a question may be sent now; after an opening it is one on trial.

        `succeed`, `fail` or `abandon` has to follow: only then another may be sent.
        """
        if self.is_open:
            return False
        self._is_on_trial = self._until is not None
        return True

    def succeed(self) -> None:
        """Close, and forget all failures."""
        self._failures = self._openings = 0
        self._until = None
        self._is_on_trial = False

    def fail(self, *, is_permanent: bool = False, longest_s: float = _LONGEST_S) -> None:
        """Count a failure, which opens the breaker at once if it is permanent.

        One while it is open adds nothing.
        """
        if self.retry_in_s > 0:
            return
        self._failures += 1
        if is_permanent or self._until is not None or self._failures >= _FAILURES:
            wait_s = min(longest_s, self._cooldown_s * 2 ** min(self._openings, _MOST_DOUBLINGS))
            jitter = self._rng.uniform(1 - _JITTER, 1 + _JITTER)
            # Many short waits are no reason for a long one after the first failure that costs more.
            self._openings += wait_s < longest_s
            self._until = self._clock() + min(longest_s, wait_s * jitter)
            self._is_on_trial = False

    def abandon(self) -> None:
        """Forget a question that will have no outcome: another may be sent in its place."""
        self._is_on_trial = False


_PROBE_TIMEOUT_S = 10.0
"""Backends bound their probes themselves; this is for those that do not."""
_GRACE_S = 1.0
_LONGEST_AWAY_S = 30.0
"""Between two probes of a server that is away: probes cost next to nothing, questions do."""
_MARGIN, _SHORTEST_WAIT_S = 4, 10.0
"""A first word may take so many times as long as the slowest before, or so many seconds."""
_ROUNDING_S = 0.001
"""Slept beyond a breaker's wait: the event loop's clock may be a hair ahead of the breaker's."""


class Member:
    """A model, and what is known of its server.

    All of it happens in one event loop. `on_change` is called whenever `state`, `detail` or
    `can_be_asked` may have changed; `cooldown_s` is how long it is left alone when it first fails.

    Attributes:
        state: "" before its server was looked at, then "loading", "ready", "waiting" (it failed),
            "missing", "unreachable" or "refused".
        detail: What is wrong and what to do; if ready, what the last failure was.
    """

    def __init__(
        self,
        backend: Backend,
        settings: PlannerConfig,
        rng: random.Random,
        clock: Callable[[], float],
        *,
        cooldown_s: float,
        on_change: Callable[[], None],
    ) -> None:
        self.backend = backend
        self.model = backend.model
        self.breaker = Breaker(rng, clock, cooldown_s=cooldown_s)
        self.state = ""
        self.detail = ""
        self._load_timeout_s = settings.load_timeout_s
        self._first_token_timeout_s = settings.first_token_timeout_s
        self._slowest = 0.0  # seconds a token read
        self._on_change = on_change
        self._error = ""
        self._was_permanent = False
        self._is_looking = False
        self._should_look = asyncio.Event()

    @property
    def can_be_asked(self) -> bool:
        """Return whether a question may be sent now, if `breaker` admits it."""
        return self.state == "ready" and not self._is_looking and not self.breaker.is_open

    def first_token_timeout_s(self, prompt_tokens: int) -> float:
        """Return how long to wait for the first word of an answer to so many tokens."""
        usual = self._slowest * prompt_tokens
        if not usual:
            return self._first_token_timeout_s
        return min(max(_MARGIN * usual, _SHORTEST_WAIT_S), self._first_token_timeout_s)

    def began(self, prompt_tokens: int, first_token_s: float) -> None:
        """Note after how long the first word of an answer to so many tokens came."""
        self._slowest = max(self._slowest, first_token_s / max(prompt_tokens, 1))

    def succeeded(self) -> None:
        """Note that it gave a subgoal."""
        self.breaker.succeed()
        self._error = self.detail = ""

    def failed(self, error: str, *, is_permanent: bool = False, is_lost: bool = True) -> None:
        """Note that it gave none, and why.

        `is_permanent`: asking again is no use. `is_lost`: there was no answer, rather than one that
        cannot be read, so its server has to be looked at.
        """
        self._error = self.detail = error
        self._was_permanent = is_permanent
        if is_lost:  # it may have become slower: it is given all the time again
            self._slowest = 0.0
        self.breaker.fail(is_permanent=is_permanent)
        is_open = self.breaker.retry_in_s > 0
        if is_lost or is_open:
            self._is_looking = True  # from now on: nothing is asked before it was looked at
            self._should_look.set()
        if is_open:
            self._become("refused" if is_permanent else "waiting", error)

    async def tend(self) -> None:
        """Probe the server whenever there is reason to, for ever."""
        while True:
            self._should_look.clear()
            await self._look()
            if self.breaker.retry_in_s > 0:
                await asyncio.sleep(self.breaker.retry_in_s + _ROUNDING_S)
            else:
                await self._should_look.wait()

    async def _look(self) -> None:
        self._is_looking = True
        status = await self._probe()
        if status.state == "loading":
            self._become("loading", status.detail)
            status = await self._load()
        self._is_looking = False
        if status.state != "ready":
            self.breaker.fail(is_permanent=True, longest_s=_LONGEST_AWAY_S)
            self._become(status.state, status.detail)
        elif self.breaker.retry_in_s > 0:
            self._become("refused" if self._was_permanent else "waiting", self._error)
        else:
            self._become("ready", self._error)

    def _become(self, state: str, detail: str) -> None:
        self.state, self.detail = state, detail
        self._on_change()

    async def _probe(self) -> ModelStatus:
        try:
            async with asyncio.timeout(_PROBE_TIMEOUT_S):
                return await self.backend.probe()
        except TimeoutError:
            return ModelStatus("unreachable", f"{self.model}'s server does not respond.")
        except Exception as error:  # a backend may be anybody's: it must not end the thread
            return ModelStatus("unreachable", describe(error))

    async def _load(self) -> ModelStatus:
        try:
            async with asyncio.timeout(self._load_timeout_s + _GRACE_S):
                await self.backend.load()
        except TimeoutError:
            within = f"within {self._load_timeout_s:g} s"
            return ModelStatus("waiting", f"{self.model} did not load {within}.")
        except LLMConnectionError as error:
            return ModelStatus("refused" if error.is_permanent else "waiting", str(error))
        except Exception as error:  # as above
            return ModelStatus("waiting", describe(error))
        return ModelStatus("ready")


def describe(error: BaseException) -> str:
    """Return a backend's exception as a line to show."""
    said = redacted(error)
    return f"{type(error).__name__}: {said}" if said else type(error).__name__
