"""Ask a model one question, within deadlines that hold whatever its server does."""

import asyncio
import math
import time
from collections.abc import Callable
from dataclasses import dataclass

from engine.errors import LLMConnectionError
from engine.ground.text import counted, one_line
from engine.planning.models.backends.base import Backend, ChatRequest, Chunk
from engine.planning.models.backends.tokens import estimate_tokens

THINKING_CHARACTERS = 20_000
"""A model that thinks for longer is stopped, as one that answers for too long is."""
_CHARACTERS = 4000
_CHARACTERS_A_TOKEN = 8
"""More than texts of any language have: an answer within its tokens is not stopped."""
_REASON = 60
_NEARLY = 0.9
"""Of its tokens an answer that ran out of them has at least so many; servers count differently."""


@dataclass(frozen=True, slots=True)
class Answer:
    """What came back.

    Attributes:
        text: As sent; whether it can be read is another question.
        done_reason: "stop", "length", "runaway" (stopped here, as too long), "cut" (it ended
            without saying why), or what the server said.
        first_token_s: Until the first word, thought words too; nan without one.
        max_tokens: That it was allowed, thoughts apart.
    """

    text: str
    thinking: str
    done_reason: str
    prompt_tokens: int
    answer_tokens: int
    latency_s: float
    first_token_s: float
    max_tokens: int

    @property
    def cut(self) -> str:
        """Return why it is not whole, with the figure and what sets that; "" if it is."""
        doing = "thinking" if self.thinking and not self.text else "writing"
        match self.done_reason:
            case "stop":
                return ""
            case "cut":
                return "aborted by its server"
            case "runaway":
                length = len(self.text or self.thinking)
                return (
                    f"stopped after {doing} {length:,} characters: "
                    "its server ignores planner.answer_tokens"
                )
            case "length":
                tokens = self.answer_tokens or estimate_tokens(self.thinking + self.text)
                stopped = f"stopped after {doing} {counted(tokens, 'token')}"
                if self.answer_tokens and tokens < _NEARLY * self.max_tokens:
                    return (
                        f"{stopped} of {self.max_tokens:,}: its server has its own limit, or "
                        "a context shorter than max_context_length"
                    )
                return f"{stopped}; planner.answer_tokens sets the limit"
            case reason:
                return f"stopped by its server: {one_line(reason, _REASON)}"


class Transcript:
    """Collects an answer as it comes, and stops one that gets longer than its tokens allow.

    Args:
        request: What was asked.
        on_text: Called with each piece as it comes, and whether it is thought rather than said.
        clock: Seconds that never go back.

    Attributes:
        first_token_s: Until the first word, thought words too; nan before.
    """

    def __init__(
        self,
        request: ChatRequest,
        on_text: Callable[[str, bool], None] | None = None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._max_tokens = request.max_tokens
        longest = max(_CHARACTERS, _CHARACTERS_A_TOKEN * request.max_tokens)
        self._left = {False: longest, True: THINKING_CHARACTERS}
        self._pieces: dict[bool, list[str]] = {False: [], True: []}
        self._on_text = on_text
        self._clock = clock
        self._started = clock()
        self._last = Chunk(done_reason="cut")
        self.first_token_s = math.nan

    @property
    def phase(self) -> str:
        """Return "" before the first word, then "thinking" or "writing"."""
        if self._pieces[False]:
            return "writing"
        return "thinking" if self._pieces[True] else ""

    @property
    def latency_s(self) -> float:
        """Return the time since the question."""
        return self._clock() - self._started

    def text(self, *, is_thinking: bool = False) -> str:
        """Return all that was said, or thought, so far."""
        return "".join(self._pieces[is_thinking])

    def add(self, chunk: Chunk) -> bool:
        """Add a piece; return whether to stop: the answer is too long."""
        text = chunk.text[: self._left[chunk.is_thinking]]
        if chunk.done_reason:
            self._last = chunk
        if text:
            if not self.phase:
                self.first_token_s = self.latency_s
            self._left[chunk.is_thinking] -= len(text)
            self._pieces[chunk.is_thinking].append(text)
            if self._on_text:
                self._on_text(text, chunk.is_thinking)
        if len(text) < len(chunk.text):
            self._last = Chunk(done_reason="runaway")
            return True
        return False

    def answer(self) -> Answer:
        """Return the answer so far."""
        return Answer(
            text=self.text(),
            thinking=self.text(is_thinking=True),
            done_reason=self._last.done_reason,
            prompt_tokens=self._last.prompt_tokens,
            answer_tokens=self._last.answer_tokens,
            latency_s=self.latency_s,
            first_token_s=self.first_token_s,
            max_tokens=self._max_tokens,
        )


async def ask(
    backend: Backend,
    request: ChatRequest,
    *,
    first_token_timeout_s: float,
    answer_timeout_s: float,
    transcript: Transcript | None = None,
) -> Answer:
    """Return the whole answer. Cancelling this hangs up.

    Args:
        backend: Who is asked.
        request: What.
        first_token_timeout_s: Longest wait for the first word.
        answer_timeout_s: Longest time from then to the end, however it drips; as long for thoughts.
        transcript: Takes what comes of the answer, even if it is not whole in the end.

    Raises:
        LLMConnectionError: There is no answer, or it came too slowly or broke off.
    """
    collected = transcript or Transcript(request)
    loop = asyncio.get_running_loop()
    stream = backend.chat(request)
    try:
        async with asyncio.timeout(first_token_timeout_s) as deadline:
            async for chunk in stream:
                phase = collected.phase
                is_over = collected.add(chunk)
                if collected.phase != phase:
                    deadline.reschedule(loop.time() + answer_timeout_s)
                if is_over:
                    break
    except TimeoutError:
        if not collected.phase:
            raise _unread(request, first_token_timeout_s) from None
        raise _unfinished(collected, answer_timeout_s) from None
    finally:  # the connection is closed now rather than when the garbage is collected
        if close := getattr(stream, "aclose", None):
            await close()
    return collected.answer()


def _unread(request: ChatRequest, waited_s: float) -> LLMConnectionError:
    tokens = estimate_tokens(request.system + request.user)
    return LLMConnectionError(
        f"No first token within {waited_s:g} s: it reads about {tokens} tokens at less than "
        f"{tokens / waited_s:.3g} tokens/s.",
        "A smaller model reads faster; planner.first_token_timeout_s sets the timeout.",
    )


def _unfinished(collected: Transcript, waited_s: float) -> LLMConnectionError:
    answer = collected.answer()
    tokens = estimate_tokens(answer.text or answer.thinking)
    what = f"about {tokens} tokens, {tokens / waited_s:.2g} tokens/s"
    if not answer.text:
        return LLMConnectionError(
            f"Still thinking {waited_s:g} s after its first token: {what}.",
            "planner.answer_timeout_s sets the timeout; a model that does not think is faster.",
        )
    return LLMConnectionError(
        f"No complete answer within {waited_s:g} s of its first token: {what}.",
        "A smaller model writes faster; planner.answer_timeout_s sets the timeout.",
    )
