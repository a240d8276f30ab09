"""What is made of all that a server can do, over each of the three protocols."""

import asyncio
import dataclasses
import math
import re
import socket
import time
from collections.abc import AsyncIterator
from typing import Any

import pytest

from engine.errors import LLMConnectionError
from engine.planning.models.asking import THINKING_CHARACTERS, Answer, Transcript, ask
from engine.planning.models.backends import make_backend
from engine.planning.models.backends.base import ChatRequest, Chunk
from engine.planning.models.backends.tokens import estimate_tokens
from engine.planning.models.reply import read_object
from tests.engine.planning.models.conftest import KEY, Peer, until
from tests.engine.planning.models.fake_backends import FakeBackend, in_no_time, paced, says
from tests.engine.planning.models.servers import GOOD, THOUGHT


async def get(
    peer: Peer,
    request: ChatRequest,
    scenario: str = "",
    on_text: Any = None,
    clock: Any = time.monotonic,
    **options: Any,
) -> Answer:
    """Ask with deadlines that no test reaches, but where it says so."""
    peer.server.scenario = scenario or peer.server.scenario
    deadlines = {"first_token_timeout_s": 30.0, "answer_timeout_s": 30.0, **options}
    transcript = Transcript(request, on_text, clock)
    return await ask(peer.backend, request, transcript=transcript, **deadlines)


async def failure(peer: Peer, request: ChatRequest, scenario: str, **options: Any) -> Any:
    with pytest.raises(LLMConnectionError) as caught:
        await get(peer, request, scenario, **options)
    said = str(caught.value)
    assert said.isprintable()
    assert len(said) < 500
    return caught.value


async def given_up(peer: Peer, request: ChatRequest, scenario: str, **options: Any) -> Any:
    """Return how a question was given up that its server had, and see that it was hung up on.

    On a busy machine a deadline may be over before the server has the question: then it is asked
    again.
    """
    while True:
        error = await failure(peer, request, scenario, **options)
        if peer.server.asked:
            break
    await until(lambda: peer.server.hung_up == len(peer.server.asked))
    return error


LATE = "No complete answer within 0.3 s of its first token: about "


async def test_a_good_answer_comes_whole_with_its_figures_by_the_clock_given(peer, request_):
    heard: list[str] = []
    ticks = iter(range(100, 200))
    answer = await get(
        peer, request_, on_text=lambda text, _: heard.append(text), clock=lambda: next(ticks)
    )
    assert answer.text == GOOD == "".join(heard)
    assert len(heard) > 3
    assert (answer.done_reason, answer.thinking) == ("stop", "")
    assert (answer.prompt_tokens, answer.answer_tokens) == peer.server.tokens
    assert (answer.first_token_s, answer.latency_s) == (1.0, 2.0)


@pytest.mark.parametrize(
    ("scenario", "deadlines", "said"),
    [
        ("slow", {"first_token_timeout_s": 0.1}, "No first token within 0.1 s: it reads about "),
        ("dripping", {"answer_timeout_s": 0.3}, LATE),
        ("hanging_within", {"answer_timeout_s": 0.3}, LATE),
        ("endless_line", {"answer_timeout_s": 0.3}, LATE),
    ],
)
async def test_an_answer_that_does_not_begin_or_end_is_given_up(
    peer, request_, scenario, deadlines, said
):
    error = await given_up(peer, request_, scenario, **deadlines)
    assert error.message.startswith(said)
    assert error.hint.endswith(f"planner.{next(iter(deadlines))} sets the timeout.")
    assert not error.is_permanent


def timed(backend: Any, request: ChatRequest) -> Answer:
    """Ask with deadlines of 120 and 60 s; what is waited for takes no time."""
    limits = {"first_token_timeout_s": 120, "answer_timeout_s": 60}

    async def asking() -> Answer:
        transcript = Transcript(request, clock=asyncio.get_running_loop().time)
        return await ask(backend, request, transcript=transcript, **limits)

    return in_no_time(asking)


def test_the_deadline_counts_from_the_first_word_and_again_from_the_first_written_one(request_):
    pieces = (119, "Hm. ", True), (59, "No.", True), (0.5, "{", False), (59, "}")
    answer = timed(FakeBackend(paced(*pieces)), request_)
    assert (answer.thinking, answer.text, answer.done_reason) == ("Hm. No.", "{}", "stop")
    assert (answer.first_token_s, answer.latency_s) == (119, 237.5)


@pytest.mark.parametrize(
    ("pieces", "said", "setting"),
    [
        (
            [(121, "Late.", False)],
            r"No first token within 120 s: it reads about \d+ tokens at less than "
            r"0\.0\d+ tokens/s\.",
            "planner.first_token_timeout_s",
        ),
        (
            [(100, "word " * 24, True), (61, "late", False)],
            r"Still thinking 60 s after its first token: about \d+ tokens, 0\.\d+ tokens/s\.",
            "planner.answer_timeout_s",
        ),
        (
            [(100, "Hm.", True), (30, "word " * 24, False), (30, "word " * 24, False), (31, "")],
            r"No complete answer within 60 s of its first token: about \d+ tokens, 1\.\d "
            r"tokens/s\.",
            "planner.answer_timeout_s",
        ),
    ],
)
def test_an_answer_that_is_too_late_is_told_with_its_figures_and_the_setting(
    request_, pieces, said, setting
):
    with pytest.raises(LLMConnectionError) as caught:
        timed(FakeBackend(paced(*pieces)), request_)
    assert re.fullmatch(said, caught.value.message)
    assert setting in caught.value.hint
    assert not caught.value.is_permanent


LIMIT = "planner.answer_tokens sets the limit"


@pytest.mark.parametrize(
    ("ending", "text", "thinking", "cut"),
    [
        (Chunk(done_reason="stop"), "{}", "", ""),
        (Chunk(done_reason="length", answer_tokens=160), "{", "", f"writing 160 tokens; {LIMIT}"),
        (
            Chunk(done_reason="length", answer_tokens=1184),
            "",
            "Hm.",
            f"thinking 1,184 tokens; {LIMIT}",
        ),
        (
            Chunk(done_reason="length", answer_tokens=16),
            "{",
            "",
            "writing 16 tokens of 160: its server has its own limit, or a context shorter than "
            "max_context_length",
        ),
        (
            Chunk(done_reason="length"),
            "word " * 24,
            "",
            f"writing {estimate_tokens('word ' * 24)} tokens; {LIMIT}",
        ),
        (
            Chunk("x" * 5000),
            "",
            "",
            "writing 4,000 characters: its server ignores planner.answer_tokens",
        ),
        (Chunk(), "{", "", "aborted by its server"),
        (Chunk(done_reason="content\n_filter"), "{", "", "stopped by its server: content _filter"),
    ],
)
def test_why_an_answer_is_not_whole_is_told_with_the_figure(request_, ending, text, thinking, cut):
    async def chat(request: ChatRequest) -> AsyncIterator[Chunk]:
        yield Chunk(thinking, is_thinking=True)
        yield Chunk(text)
        yield ending

    assert timed(FakeBackend(chat), request_).cut.removeprefix("stopped after ") == cut


def test_an_answer_within_its_tokens_is_not_stopped_by_its_length(request_):
    long = dataclasses.replace(request_, max_tokens=2000)
    answer = timed(FakeBackend(says("word " * 1600)), long)
    assert (len(answer.text), answer.done_reason) == (8000, "stop")


async def test_pieces_without_a_word_are_no_first_word(request_):
    class Wordless:
        name = model = "wordless"

        async def chat(self, request: ChatRequest) -> Any:
            while True:
                yield Chunk()
                await asyncio.sleep(0)

    with pytest.raises(LLMConnectionError, match="No first token"):
        await ask(Wordless(), request_, first_token_timeout_s=0.05, answer_timeout_s=30)  # type: ignore[arg-type]


async def test_a_port_where_nobody_listens_is_no_server(peer, request_, closed_port):
    peer.backend = make_backend("scripted", backend=peer.kind, base_url=closed_port)
    error = await failure(peer, request_, "good")
    status = await peer.backend.probe()
    assert closed_port in error.message
    assert "cannot be reached" in error.message
    assert error.hint
    assert not error.is_permanent
    assert (status.state, status.detail) == ("unreachable", str(error))


async def test_a_server_that_accepts_and_says_nothing_is_given_up(peer, request_, make):
    with socket.create_server(("127.0.0.1", 0)) as mute:
        url = f"http://127.0.0.1:{mute.getsockname()[1]}"
        backend = make("scripted", backend=peer.kind, base_url=url, connect_timeout_s=0.05)
        assert (await backend.probe()).state == "unreachable"
        # On a busy machine it may not even get connected in time.
        with pytest.raises(LLMConnectionError, match=r"No first token|may be busy"):
            await ask(backend, request_, first_token_timeout_s=0.1, answer_timeout_s=0.2)


async def test_error_statuses_are_told(peer, request_):
    permanent = {400, 401, 403, 404}
    for status in (400, 401, 403, 408, 409, 429, 500, 502, 503, 529, 404):
        error = await failure(peer, request_, f"status {status}")
        assert error.is_permanent is (status in permanent), status
        if (peer.kind, status) == ("ollama", 404):
            assert "ollama pull scripted" in error.message
            continue
        assert str(status) in error.message
        assert "it was [31mtoo much" in error.message  # on one line, and no terminal obeys it


@pytest.mark.parametrize(
    ("said", "most"),
    [
        # llama.cpp, of two ages
        ("the request exceeds the available context size, try increasing it", ""),
        ("request (9012 tokens) exceeds the available context size (4096 tokens)", "4096"),
        # vLLM, and with it OpenAI and OpenRouter
        ("This model's maximum context length is 4096 tokens. However, you requested 9", "4096"),
        ('{"code": "context_length_exceeded"}', ""),
        # LM Studio
        ("The model is loaded with context length of only 4096 tokens, not enough", "4096"),
        # Ollama
        ("prompt too long; exceeded max context length by 200 tokens", ""),
        ("the input length exceeds the context length", ""),
        # llama-cpp-python
        ("Requested tokens (9012) exceed context window of 4096", "4096"),
        # Anthropic
        ("prompt is too long: 208310 tokens > 200000 maximum", ""),
    ],
)
async def test_a_question_too_long_for_a_servers_context_names_the_setting(
    peer, request_, said, most
):
    for status in (400, 500):
        peer.server.play = lambda call, status=status: peer.server.fail(call, status, said)
        error = await failure(peer, request_, "good")
        assert said in error.message
        most_said = f" to at most {most}" if most else ""
        hint = f"Set max_context_length{most_said}, or run the server with a larger context."
        assert error.hint == hint


async def test_an_error_within_an_answer_is_told(peer, request_):
    error = await failure(peer, request_, "error_within")
    assert "closed the connection: the runner has stopped" in error.message
    assert not error.is_permanent


async def test_ask_of_a_server_of_another_protocol_is_an_error(peer, request_):
    for scenario in ("broken_json", "deep_json"):
        error = await failure(peer, request_, scenario)
        assert "sent an invalid" in error.message, scenario
        assert not error.is_permanent, scenario


@pytest.mark.parametrize("scenario", ["no_object", "other_fields"])
async def test_pieces_of_another_form_do_no_harm(peer, request_, scenario):
    said = ""
    try:
        said = (await get(peer, request_, scenario)).text
    except LLMConnectionError as error:
        refusal = error.message
    else:
        refusal = "the model sent an invalid object"
    assert "sent an invalid" in refusal
    assert read_object(said).values is None


async def test_a_connection_reset_is_an_error(peer, request_):
    for scenario in ("reset", "reset_before"):
        error = await failure(peer, request_, scenario)
        assert not error.is_permanent
    assert (await get(peer, request_, "good")).text == GOOD  # and the next question is asked


@pytest.mark.parametrize(
    ("scenario", "text", "thinking", "done_reason"),
    [
        ("unended", GOOD, "", "cut"),
        ("length", GOOD[:40], "", "length"),
        ("fenced", f"```json\n{GOOD}\n```", "", "stop"),
        ("wrong_enum", GOOD.replace("HEAL", "DANCE"), "", "stop"),
        ("empty", "", "", "stop"),
        ("only_thinking", "", THOUGHT, "length"),
    ],
)
async def test_an_answer_is_brought_as_it_is_with_how_it_ended(
    peer, request_, scenario, text, thinking, done_reason
):
    answer = await get(peer, request_, scenario)
    assert (answer.text, answer.done_reason) == (text, done_reason)
    assert math.isnan(answer.first_token_s) is (scenario == "empty")
    # Who only thinks may be asked again, with room for an answer.
    assert answer.thinking.replace(THOUGHT, "") == ""
    assert bool(answer.thinking) is bool(thinking)
    if thinking:
        assert answer.cut.startswith("stopped after thinking 34 tokens")


async def test_thoughts_are_kept_apart(peer, request_):
    heard: list[tuple[str, bool]] = []
    answer = await get(peer, request_, "thinking", lambda *words: heard.append(words))
    assert (answer.text, answer.thinking) == (GOOD, THOUGHT)
    assert heard[0] == (THOUGHT, True)
    assert not any(is_thinking for _, is_thinking in heard[1:])


@pytest.mark.parametrize(
    ("scenario", "lengths"),
    [
        ("huge", (4000, 0)),
        ("huge_at_once", (4000, 0)),
        ("huge_thought", (0, THINKING_CHARACTERS)),
    ],
)
async def test_a_huge_answer_is_stopped(peer, request_, scenario, lengths):
    answer = await get(peer, request_, scenario)
    assert (len(answer.text), len(answer.thinking)) == lengths
    assert answer.done_reason == "runaway"
    await until(lambda: peer.server.hung_up == 1)


async def test_cancelling_hangs_up(peer, request_):
    heard = asyncio.Event()
    peer.server.scenario = "hanging_within"
    task = asyncio.create_task(get(peer, request_, on_text=lambda *_: heard.set()))
    await heard.wait()
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    await until(lambda: peer.server.hung_up == 1)


async def test_several_questions_at_once_and_after_closing_are_answered(peer, request_):
    await get(peer, request_)
    await peer.backend.close()
    answers = await asyncio.gather(*(get(peer, request_) for _ in range(4)))
    assert [answer.text for answer in answers] == [GOOD] * 4


@pytest.mark.parametrize("user", ["", "me:passw0rd@"])
async def test_keys_are_in_no_error(peer, request_, monkeypatch, user):
    secret = "hunter2hunter2"
    for name in ("OLLAMA_API_KEY", "OPENAI_API_KEY", "ANTHROPIC_API_KEY"):
        monkeypatch.setenv(name, secret)
    url = peer.base_url.replace("http://", f"http://{user}")
    peer.backend = make_backend("scripted", backend=peer.kind, base_url=url)
    seen: list[str] = []

    def echo(call: Any) -> None:
        sent = " ".join(call.headers.values())
        seen.append(sent)
        peer.server.fail(call, 401, f"No such key: {sent}, {secret}, sk-ab***yz, {KEY}")

    peer.server.play = echo
    error = await failure(peer, request_, "good")
    status = await peer.backend.probe()
    peer.server.play = lambda call: peer.server.fail_within(call, f"not {secret}")
    within = await failure(peer, request_, "good")
    for text in (repr(error), str(error), str(within), status.detail, repr(vars(error))):
        assert secret not in text
        assert "passw0rd" not in text
        assert "bWU6cGFzc3cwcmQ" not in text  # the same in base 64
        assert KEY not in text
        assert "sk-ab" not in text
    assert user or secret in seen[0]
