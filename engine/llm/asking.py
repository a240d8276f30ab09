"""Ask a model one question, within deadlines that hold whatever its server does."""

import asyncio
import math
import time
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass

from engine.errors import LLMConnectionError
from engine.llm.backends.base import Backend, ChatRequest, Chunk

THINKING_CHARACTERS = 20_000
"""A model that thinks for longer is stopped, as one that answers for too long is."""


@dataclass(frozen=True, slots=True)
class Answer:
    """What came back.

    Attributes:
        text: As sent; whether it can be read is another question.
        done_reason: "stop", "length", "runaway" (stopped here, as too long), "cut" (it ended
            without saying why), or what the server said.
        first_token_s: Until the first word, thought words too; nan without one.
    """

    text: str
    thinking: str
    done_reason: str
    prompt_tokens: int
    answer_tokens: int
    latency_s: float
    first_token_s: float


async def ask(
    backend: Backend,
    request: ChatRequest,
    *,
    first_token_timeout_s: float,
    answer_timeout_s: float,
    max_characters: int = 4000,
    on_text: Callable[[str, bool], None] | None = None,
    clock: Callable[[], float] = time.monotonic,
) -> Answer:
    """Return the whole answer. Cancelling this hangs up.

    Args:
        backend: Who is asked.
        request: What.
        first_token_timeout_s: Longest wait for the first word.
        answer_timeout_s: Longest time for all of it, however it drips.
        max_characters: An answer is stopped when it gets longer.
        on_text: Told each piece as it comes, and whether it is thought rather than said.
        clock: Measures; the deadlines are the event loop's.

    Raises:
        LLMConnectionError: There is no answer, or it came too slowly or broke off.
    """
    collected = _Collected(max_characters, on_text, clock)
    loop = asyncio.get_running_loop()
    end = loop.time() + answer_timeout_s
    stream = backend.chat(request)
    try:
        async with asyncio.timeout_at(min(end, loop.time() + first_token_timeout_s)) as deadline:
            async for chunk in stream:
                had_begun = collected.has_begun
                is_over = collected.add(chunk)
                if collected.has_begun and not had_begun:
                    deadline.reschedule(end)
                if is_over:
                    break
    except TimeoutError:
        raise _too_late(collected, first_token_timeout_s, answer_timeout_s) from None
    finally:
        await _hang_up(stream)
    return collected.answer()


class _Collected:
    """What has come of an answer."""

    def __init__(
        self,
        max_characters: int,
        on_text: Callable[[str, bool], None] | None,
        clock: Callable[[], float],
    ) -> None:
        self._left = {False: max_characters, True: THINKING_CHARACTERS}
        self._pieces: dict[bool, list[str]] = {False: [], True: []}
        self._on_text = on_text
        self._clock = clock
        self._started = clock()
        self._last = Chunk(done_reason="cut")
        self.first_token_s = math.nan

    @property
    def has_begun(self) -> bool:
        return not math.isnan(self.first_token_s)

    def add(self, chunk: Chunk) -> bool:
        """Take a piece; tell whether it is enough."""
        text = chunk.text[: self._left[chunk.is_thinking]]
        if chunk.done_reason:
            self._last = chunk
        if text:
            if not self.has_begun:
                self.first_token_s = self._clock() - self._started
            self._left[chunk.is_thinking] -= len(text)
            self._pieces[chunk.is_thinking].append(text)
            if self._on_text:
                self._on_text(text, chunk.is_thinking)
        if len(text) < len(chunk.text):
            self._last = Chunk(done_reason="runaway")
            return True
        return False

    def answer(self) -> Answer:
        return Answer(
            text="".join(self._pieces[False]),
            thinking="".join(self._pieces[True]),
            done_reason=self._last.done_reason,
            prompt_tokens=self._last.prompt_tokens,
            answer_tokens=self._last.answer_tokens,
            latency_s=self._clock() - self._started,
            first_token_s=self.first_token_s,
        )


def _too_late(collected: _Collected, first_s: float, answer_s: float) -> LLMConnectionError:
    if not collected.has_begun:
        return LLMConnectionError(
            f"No first word within {min(first_s, answer_s):g} s.",
            "A smaller model is faster; planner.first_token_timeout_s sets how long to wait.",
        )
    return LLMConnectionError(
        f"No whole answer within {answer_s:g} s.",
        "A smaller model is faster; planner.answer_timeout_s sets how long to wait.",
    )


async def _hang_up(stream: AsyncIterator[Chunk]) -> None:
    """Close the connection now rather than when the garbage is collected."""
    close = getattr(stream, "aclose", None)
    if close is not None:
        await close()
