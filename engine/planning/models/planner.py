"""Ask language models for goals in a thread of its own; nobody ever waits for it."""

import asyncio
import contextlib
import logging
import math
import threading
import time
from collections import deque
from collections.abc import Callable, Coroutine, Mapping, Sequence
from typing import Any

from engine.config import PlannerConfig
from engine.events import Event, WarningRaised
from engine.planning.models.answering import Answering, Asked
from engine.planning.models.backends.base import Backend
from engine.planning.models.exchanges import ExchangeLog
from engine.planning.models.prompt import Notes
from engine.planning_types import PlanningQuery, Subgoal

_log = logging.getLogger(__name__)

_COOLDOWN_S = 5.0
_CLOSE_S = 2.0
_BACKENDS_CLOSE_S = 0.5
_WRITE_INTERVAL_S = 1.0
_STUMBLE_S = 1.0


class Planner:
    """A thread that answers questions with subgoals, as soon as models can.

    There is one slot for questions. What is in it waits while no model can be asked, and the newest
    question replaces one that waits. A query that brought no subgoal is not asked again before some
    time has passed or a model came back.

    `save` may be called at any time, `load` before `start`.

    Args:
        backends: One model, or several that vote.
        settings: Deadlines, budget and so on.
        max_context_length: Most tokens of a question and its answer.
        seed: Of the breakers' jitter.
        exchanges: Where questions and answers are kept.
        clock: Seconds that never go back.
        cooldown_s: How long a failing model is left alone at first.
    """

    def __init__(
        self,
        backends: Sequence[Backend],
        settings: PlannerConfig,
        *,
        max_context_length: int,
        seed: int,
        exchanges: ExchangeLog | None = None,
        clock: Callable[[], float] = time.monotonic,
        cooldown_s: float = _COOLDOWN_S,
    ) -> None:
        self._slot: deque[Asked] = deque(maxlen=1)
        self._backends = tuple(backends)
        self._answering = Answering(
            backends,
            settings,
            max_context_length=max_context_length,
            seed=seed,
            exchanges=exchanges,
            clock=clock,
            cooldown_s=cooldown_s,
        )
        self._wake = self._answering.wake
        self._is_busy = False
        self._is_waiting = False
        self._is_closing = False
        self._is_up = threading.Event()
        self._loop: asyncio.AbstractEventLoop | None = None
        self._main_task: asyncio.Task[None] | None = None
        self._thread: threading.Thread | None = None

    @property
    def is_idle(self) -> bool:
        """Return whether no question is being answered or waits for a model."""
        return not self._slot and not self._is_busy

    @property
    def is_open(self) -> bool:
        """Return whether a question would be answered next: none is being answered now."""
        return not self._slot and (self._is_waiting or not self._is_busy)

    def start(self) -> None:
        """Begin to look after the models and to answer; once."""
        self._thread = threading.Thread(target=self._run, name="planner", daemon=True)
        self._thread.start()

    def close(self) -> None:
        """Hang up and end the thread, within about two seconds; may be called again."""
        self._is_closing = True
        if self._thread is None or not self._is_up.wait(_CLOSE_S):
            return
        if self._main_task is not None:
            self._call_soon(self._main_task.cancel)
        self._thread.join(_CLOSE_S)

    def submit(
        self,
        query: PlanningQuery,
        notes: Notes | None = None,
        weights: Mapping[str, float] | None = None,
    ) -> None:
        """Ask in place of what waits; returns at once, from any thread.

        `weights` say how reliable each model is, by name, where several vote.
        """
        self._slot.append(Asked(query, notes or Notes(), dict(weights or {})))
        self._call_soon(self._wake.set)

    def poll(self) -> tuple[list[Subgoal], list[Event]]:
        """Return the subgoals and events since the last call, in order; any thread may, at once."""
        plans, events = self._answering.plans, self._answering.events
        polled = [plans.popleft() for _ in range(len(plans))]
        return polled, [events.popleft() for _ in range(len(events))]

    def save(self) -> dict[str, Any]:
        """Return the state as JSON-able facts, for `load`."""
        return self._answering.save()

    def load(self, facts: Mapping[str, Any]) -> None:
        """Restore the state that `save` returned.

        Raises:
            KeyError, TypeError, ValueError: It is not what `save` returns.
        """
        self._answering.load(facts)

    def _call_soon(self, what: Callable[[], object]) -> None:
        if self._loop is not None:
            with contextlib.suppress(RuntimeError):  # the thread has ended
                self._loop.call_soon_threadsafe(what)

    def _run(self) -> None:
        try:
            asyncio.run(self._main())
        except asyncio.CancelledError:
            pass  # by `close`
        except BaseException:  # a thread's outermost frame: training continues without a planner
            _log.exception("The planner's thread has ended.")
            self._answering.events.append(
                WarningRaised("The planner stopped after an error; see the log.")
            )
        finally:
            self._is_up.set()

    async def _main(self) -> None:
        self._loop, self._main_task = asyncio.get_running_loop(), asyncio.current_task()
        self._is_up.set()
        work = [self._serve, self._write, *(member.tend for member in self._answering.members)]
        tasks: list[asyncio.Task[None]] = []
        try:
            self._answering.begin()
            tasks += [asyncio.create_task(self._forever(one)) for one in work]
            if not self._is_closing:  # which may have been before there was a task to cancel
                await asyncio.gather(*tasks)
        finally:
            for task in tasks:
                task.cancel()
            closing = [asyncio.create_task(self._close_backend(b)) for b in self._backends]
            if ending := [*tasks, *closing]:
                await asyncio.wait(ending, timeout=_BACKENDS_CLOSE_S)
            self._answering.flush()

    async def _close_backend(self, backend: Backend) -> None:
        try:
            await backend.close()
        except Exception:  # a backend may be anybody's: the others are still to be closed
            _log.debug("A backend was not closed.", exc_info=True)

    async def _forever(self, work: Callable[[], Coroutine[Any, Any, None]]) -> None:
        while True:
            try:
                await work()
            except Exception:  # the thread's outermost frame but for what continues beside
                self._answering.stumble()
                await asyncio.sleep(_STUMBLE_S)

    async def _serve(self) -> None:
        """Answer what is in the slot, or hold it until it can be answered."""
        held: Asked | None = None
        while True:
            self._wake.clear()
            self._is_busy = True  # before the slot is emptied: never is neither to be seen
            self._is_waiting = False
            held = self._slot.pop() if self._slot else held
            wait_s = await self._answering.handle(held) if held is not None else 0.0
            if wait_s == 0:
                held = None
                self._is_busy = False
            self._is_waiting = held is not None
            if not self._slot:
                with contextlib.suppress(TimeoutError):
                    async with asyncio.timeout(wait_s if 0 < wait_s < math.inf else None):
                        await self._wake.wait()

    async def _write(self) -> None:
        """Write the goal outcomes that came."""
        while True:
            await asyncio.sleep(_WRITE_INTERVAL_S)
            self._answering.flush()
