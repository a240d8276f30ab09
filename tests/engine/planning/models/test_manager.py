import json
import re
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import ExitStack, suppress
from typing import Any

import pytest

import engine
from engine.api.llm_manager import BaseLLMManager, LLMManager
from engine.config import PlannerConfig
from engine.errors import ConfigurationError, LLMConnectionError
from engine.planning.models.backends.tokens import estimate_tokens
from engine.types import Action
from tests.engine.planning.models.servers import Call
from tests.engine.planning.models.servers.ollama import ScriptedOllama
from tests.engine.processes import wait_until

PATIENT = PlannerConfig(first_token_timeout_s=30, answer_timeout_s=30)


def reply(server: ScriptedOllama, text: str, reason: str = "stop") -> None:
    def play(call: Call) -> None:
        server.say(call, text)
        server.end(call, reason)

    server.play = play  # type: ignore[method-assign]


@pytest.fixture
def make(ollama: ScriptedOllama) -> Iterator[Callable[..., LLMManager]]:
    """Return what makes managers, and gives their server an answer."""
    with ExitStack() as made:

        def make(text: str = '{"action": "B"}', server: Any = ollama, **options: Any) -> LLMManager:
            reply(server, text)
            given = {"base_url": server.url, "settings": PATIENT} | options
            return made.enter_context(LLMManager("scripted", **given))

        yield make


@pytest.fixture
def manager(make: Callable[..., LLMManager]) -> LLMManager:
    return make('{"reasoning": "The door is up.", "action": "UP", "confidence": 70}')


def test_manager_is_the_documented_manager():
    assert engine.LLMManager is LLMManager
    assert BaseLLMManager in LLMManager.__mro__
    with LLMManager() as manager:  # nothing is connected before it is asked
        assert manager._backend.model == "smollm2:1.7b"


@pytest.mark.parametrize(
    ("answer", "action"),
    [
        ("4 UP", Action.UP),
        ("down", Action.DOWN),
        ("Action.B", Action.B),
        ("I would go LEFT, for 3 reasons.", Action.LEFT),
        ("7", Action.RIGHT),
        ('Well: {"action": "start", "reason": "go UP"}', Action.START),
        ('{"action": 8}', Action.NOOP),
    ],
)
def test_own_model_reads_the_action_that_an_answer_names(answer, action):
    assert Custom().parse_action(answer) == action


@pytest.mark.parametrize("answer", ["", "9", "UP or DOWN", "go up a bit", '{"action": null}'])
def test_own_model_refuses_an_answer_that_names_no_action_or_several(answer):
    with pytest.raises(LLMConnectionError, match="names no action"):
        Custom().parse_action(answer)


class Custom(BaseLLMManager):
    def get_action(self, context: str) -> tuple[int, dict[str, Any]]:
        return self.parse_action(context), {}


def test_an_action_comes_with_its_facts(manager):
    action, facts = manager.get_action("You stand before a door.")
    assert action == Action.UP
    assert facts.pop("latency_s") > 0
    assert facts == {"confidence": 0.7, "reasoning": "The door is up.", "model": "scripted"}


def test_the_nine_actions_can_be_chosen_and_nothing_else(manager, ollama):
    manager.get_action("You stand before a door.")
    [body] = ollama.asked
    assert body["format"]["properties"]["action"]["enum"] == [action.name for action in Action]
    assert body["messages"][-1]["content"] == "You stand before a door."


@pytest.mark.parametrize("action", list(Action))
def test_every_action_is_read(manager, ollama, action):
    for spelt in (action.name, action.name.lower(), f" Action.{action.name}"):
        reply(ollama, json.dumps({"reasoning": "", "action": spelt, "confidence": 1}))
        assert manager.get_action("")[0] == action.value


@pytest.mark.parametrize(
    ("stated", "confidence"),
    [(0, 0.0), (100, 1.0), (250, 1.0), (-3, 0.0), (62.5, 0.625)]
    + [(unstated, 0.5) for unstated in (None, True, "high", [], "NaN")],
)
def test_a_stated_confidence_is_kept_within_its_bounds(manager, ollama, stated, confidence):
    reply(ollama, json.dumps({"action": "A", "confidence": stated}))
    assert manager.get_action("")[1]["confidence"] == confidence


@pytest.mark.parametrize(
    "text",
    [
        "",
        "[]",
        "I would press a button.",
        '{"action": "JUMP"}',
        '{"action": ""}',
        '{"action": 4}',
        '{"action": ["A"]}',
        '{"reasoning": "no more tok',
    ],
)
def test_an_answer_without_an_action_is_an_error(manager, ollama, text):
    reply(ollama, text, "length")
    with pytest.raises(LLMConnectionError, match="The model's answer") as caught:
        manager.get_action("")
    assert not caught.value.is_permanent
    reply(ollama, '{"action": "B"}')
    assert manager.get_action("")[0] == Action.B


@pytest.mark.parametrize(
    ("text", "reason", "remedy"),
    [
        ('{"confidence": 80, "reas', "length", "It was stopped after writing 160 tokens; planner."),
        ('{"action": "JUMP"}', "length", "It was stopped after writing 160 tokens; planner."),
        ("UP.", "stop", "A larger model follows the format better."),
        ('{"action": "JUMP"}', "stop", "A larger model follows the format better."),
    ],
)
def test_a_larger_model_is_advised_where_the_answer_was_whole_alone(
    manager, ollama, text, reason, remedy
):
    ollama.tokens = (900, 160)
    reply(ollama, text, reason)
    with pytest.raises(LLMConnectionError) as caught:
        manager.get_action("")
    assert caught.value.hint.startswith(remedy)


def test_reasoning_is_one_printable_line(manager, ollama):
    reply(ollama, json.dumps({"reasoning": "\x1b[2J\n" + "far " * 500, "action": "B"}))
    reasoning = manager.get_action("")[1]["reasoning"]
    assert reasoning.isprintable()
    assert len(reasoning) <= 300


def test_a_long_query_loses_its_middle(make, ollama):
    make(max_context_length=500).get_action("It begins. " + "blah " * 2000 + "Possible: A, B.")
    said = [message["content"] for message in ollama.asked[0]["messages"]]
    assert said[1].startswith("It begins.")
    assert said[1].endswith("Possible: A, B.")
    assert sum(map(len, said)) <= 3 * (500 - PATIENT.answer_tokens)


@pytest.mark.parametrize("text", ["日本語" * 5000, "é" * 9000, "a🙂" * 4000, "word " * 4000])
@pytest.mark.parametrize("length", [500, 1000])
def test_no_question_and_answer_are_longer_than_the_context(make, ollama, openai, text, length):
    openai.refuses = {"json_schema": "response_format json_schema is not supported"}
    for server, options in (
        (ollama, {"backend": "ollama"}),
        (openai, {"backend": "openai", "base_url": openai.base_url}),
    ):
        make(server=server, max_context_length=length, **options).get_action(text)
        messages: Any = server.asked[-1]["messages"]
        asked = sum(estimate_tokens(message["content"]) for message in messages)
        assert length - 200 < asked + PATIENT.answer_tokens <= length
    assert ollama.asked[-1]["options"]["num_ctx"] == length
    assert '"enum": ["' in openai.asked[-1]["messages"][0]["content"]  # in words


def test_a_context_that_holds_no_question_is_refused_with_the_least_that_does():
    with pytest.raises(ConfigurationError) as caught:
        LLMManager(max_context_length=100)
    found = re.search(r"at least (\d+) tokens", caught.value.hint)
    assert found
    with LLMManager(max_context_length=int(found[1])):
        pass
    with pytest.raises(ConfigurationError):
        LLMManager(max_context_length=int(found[1]) - 1)


def test_a_model_is_loaded_before_deadlines_count(make):
    with ScriptedOllama(models=["other", "scripted:latest"], load_s=0.5) as server:
        settings = PlannerConfig(first_token_timeout_s=0.2, answer_timeout_s=30)
        with suppress(LLMConnectionError):  # the question after it may come too late
            assert make(server=server, settings=settings).get_action("")[0] == Action.B
        assert "scripted:latest" in server.loaded


def test_a_model_is_loaded_once(make):
    with ScriptedOllama(models=["other", "scripted:latest"]) as server:
        manager = make(server=server)
        assert [manager.get_action("")[0] for _ in range(2)] == [Action.B] * 2
        assert len([body for path, body in server.calls if not body.get("messages")]) == 1


def test_a_server_that_is_not_there_is_an_error_each_time():
    with LLMManager("scripted", base_url="http://127.0.0.1:9") as manager:
        for _ in range(2):
            with pytest.raises(LLMConnectionError, match="cannot be reached"):
                manager.get_action("")


@pytest.mark.parametrize(("status", "asked"), [(503, 3), (401, 1)])
def test_a_server_that_fails_is_left_alone_for_a_while_with_its_cause_told(
    make, ollama, status, asked
):
    manager = make()
    ollama.play = lambda call: ollama.fail(call, status, "no")
    for _ in range(asked):
        with pytest.raises(LLMConnectionError, match=f"answered {status}"):
            manager.get_action("")
    again = rf"is not queried for another \d s: .*answered {status}"
    with pytest.raises(LLMConnectionError, match=again):
        manager.get_action("")
    assert len(ollama.asked) == asked


def test_answers_that_cannot_be_read_are_asked_for_all_the_same(manager, ollama):
    reply(ollama, "UP.")
    for _ in range(5):
        with pytest.raises(LLMConnectionError, match="cannot be read"):
            manager.get_action("")
    assert len(ollama.asked) == 5


def test_a_hung_server_is_given_up(make, ollama):
    manager = make(settings=PlannerConfig(first_token_timeout_s=0.1))
    ollama.play = ollama.play_slow
    with pytest.raises(LLMConnectionError, match="No first token"):
        manager.get_action("")


async def test_every_backend_answers_within_a_running_loop(make, peer):
    manager = make('{"action": "LEFT"}', peer.server, backend=peer.kind, base_url=peer.base_url)
    assert manager.get_action("")[0] == Action.LEFT
    manager.close()


def test_closing_gives_up_what_another_thread_asks(make, ollama):
    manager = make()
    ollama.play = ollama.play_slow
    errors: list[LLMConnectionError] = []

    def ask() -> None:
        try:
            manager.get_action("")
        except LLMConnectionError as error:
            errors.append(error)

    asking = threading.Thread(target=ask)
    asking.start()
    assert wait_until(lambda: ollama.asked, 60.0)
    manager.close()
    manager.close()
    asking.join(60)
    assert not asking.is_alive()
    assert "cancelled" in str(errors[0])


def test_manager_can_be_asked_again_after_closing_which_leaves_no_thread(manager):
    before = set(threading.enumerate())
    for _ in range(2):
        assert manager.get_action("")[0] == Action.UP
        manager.close()
    assert wait_until(
        lambda: not any("llm" in t.name for t in {*threading.enumerate()} - before), 60.0
    )


def test_importing_and_making_it_imports_no_client():
    program = (
        "import sys; import engine.api.llm_manager as m; m.LLMManager('smollm2');"
        "m.LLMManager('gpt-4o'); m.LLMManager('claude-haiku-4-5');"
        "print(sorted({'openai', 'anthropic', 'ollama', 'httpx', 'httpx2', 'torch', 'pyboy'}"
        " & set(sys.modules)))"
    )
    ran = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    assert ran.stdout.strip() == "[]"
