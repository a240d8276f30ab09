"""The planner before a server that does all that servers do, and then is well again."""

import socket
from typing import Any

import pytest

from engine.planning.models.backends import make_backend
from engine.planning.models.backends.base import Backend
from engine.planning.models.exchanges import ExchangeLog, scan
from engine.types import GoalKind
from tests.engine.planning.models.fake_backends import Listener, listening
from tests.engine.planning.models.queries import query
from tests.engine.planning.models.servers.ollama import ScriptedOllama

DEADLINES = {"first_token_timeout_s": 0.6, "answer_timeout_s": 0.6}


class OllamaAt(ScriptedOllama):
    """A server at a given port."""

    def __init__(self, port: int) -> None:
        super().__init__()
        self._listener.server_close()
        self._listener.socket = socket.create_server(("127.0.0.1", port))
        self._listener.server_address = ("127.0.0.1", port)


def scripted(url: str, **options: Any) -> Backend:
    return make_backend("scripted", backend="ollama", base_url=url, **options)


LATER = [query(key=f"later {number}") for number in range(1000)]


def work_meanwhile(heard: Listener) -> None:
    """Submit and poll as a trainer does, while the server does what it does."""
    for number in range(300):
        heard.planner.submit(query(key=f"meanwhile {number}"))
        heard.hear()


@pytest.mark.parametrize(
    ("scenario", "error"),
    [
        ("slow", "No first token within 0.6 s"),
        ("dripping", "No complete answer within 0.6 s of its first token"),
        ("hanging_within", "No complete answer within 0.6 s of its first token"),
        ("status 500", "500"),
        ("status 503", "503"),
        ("error_within", "the runner has stopped"),
        ("reset", ""),
        ("reset_before", ""),
        ("broken_json", ""),
        ("no_object", ""),
        ("deep_json", ""),
        ("empty", "empty reply."),
        ("only_thinking", "stopped after thinking 34 tokens"),
        ("wrong_enum", ""),
        ("huge", "stopped after writing 4,000 characters"),
        ("huge_thought", "stopped after thinking 20,000 characters"),
        ("huge_at_once", "stopped after writing 4,000 characters"),
        ("length", "stopped after writing 34 tokens"),
    ],
)
def test_three_such_answers_make_it_wait_and_the_first_good_one_is_used(ollama, scenario, error):
    ollama.scenario = scenario
    is_late = "within" in error
    deadline = DEADLINES if is_late else {}  # no other answer may be too late
    with listening(scripted(ollama.url), settings=deadline, cooldown_s=0.3) as heard:
        heard.until_state("ready")
        for number in range(3):
            heard.ask(query(key=f"bad {number}"))
        status = heard.until_state("waiting")
        assert (status.calls, status.failures) == (3, 3)
        assert status.detail
        assert error in status.detail
        assert all(one.error and not one.goal for one in heard.answered)
        assert heard.plans == []
        work_meanwhile(heard)
        ollama.scenario = "good"
        heard.ask_until_planned(*LATER)
        assert heard.plans[-1].option.kind is GoalKind.HEAL
        assert (heard.status.state, heard.status.detail) == ("ready", "")


@pytest.mark.parametrize("scenario", ["fenced", "thinking", "unended", "good"])
def test_answers_that_can_be_read_are_used(ollama, scenario):
    ollama.scenario = scenario
    with listening(scripted(ollama.url)) as heard:
        heard.ask(query())
    assert [plan.option.kind for plan in heard.plans] == [GoalKind.HEAL]


@pytest.mark.parametrize("status", [400, 401, 403])
def test_a_refused_question_is_refused_at_once(ollama, status):
    ollama.scenario = f"status {status}"
    with listening(scripted(ollama.url), cooldown_s=0.3) as heard:
        heard.ask(query(key="bad"))
        found = heard.until_state("refused")
        assert str(status) in found.detail
        assert found.calls == 1
        ollama.scenario = "good"
        heard.ask_until_planned(*LATER)
        heard.until_state("ready")


def test_a_model_that_is_missing_and_then_pulled_is_used(ollama):
    ollama.models = ("other:latest",)
    with listening(scripted(ollama.url), cooldown_s=0.05, before=[query()]) as heard:
        assert "ollama pull scripted" in heard.until_state("missing").detail
        work_meanwhile(heard)
        ollama.models = ("other:latest", "scripted:latest")
        heard.until(lambda: heard.plans)


def test_a_model_that_is_removed_while_it_is_used_is_missing(ollama):
    with listening(scripted(ollama.url), cooldown_s=0.05) as heard:
        heard.ask(query(key="a"))
        ollama.models = ()
        heard.ask(query(key="b"))
        heard.until_state("missing")
        ollama.models = ("scripted:latest",)
        heard.ask_until_planned(*LATER)


def test_a_model_is_loaded_before_it_is_asked():
    with ScriptedOllama(load_s=0.8) as server:
        server.loaded.clear()
        # Hung up on after 0.6 s it would never be loaded.
        with listening(
            scripted(server.url), settings=DEADLINES, before=[query()], cooldown_s=0.3
        ) as heard:
            heard.until_state("loading")
            work_meanwhile(heard)
            ready = heard.until_state("ready")
            loads = [body for path, body in server.calls if path == "/api/chat"]
            assert not loads[0].get("messages")
            assert all(body.get("messages") for body in loads[1:])
            heard.ask_until_planned(*LATER)
        assert heard.states[:3] == ["loading", "ready", "asking"]
        assert ready.failures == 0


def test_a_model_that_was_unloaded_is_loaded_again():
    with (
        ScriptedOllama(load_s=1.0) as server,
        listening(scripted(server.url), settings=DEADLINES, cooldown_s=0.3) as heard,
    ):
        heard.ask_until_planned(query(key="a"))
        server.loaded.clear()
        heard.ask(query(key="b"))
        assert "No first token" in heard.answered[-1].error
        heard.until_state("loading")
        heard.ask_until_planned(*LATER)


def test_a_server_that_starts_later_or_again_is_used():
    held = socket.socket()  # bound, so that nobody else gets it, but not listening
    held.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    held.bind(("127.0.0.1", 0))
    port = held.getsockname()[1]
    backend = scripted(f"http://127.0.0.1:{port}")
    with held, listening(backend, cooldown_s=0.05, before=[query()]) as heard:
        status = heard.until_state("unreachable")
        assert str(port) in status.detail
        work_meanwhile(heard)
        with OllamaAt(port):
            heard.until(lambda: heard.plans)
        heard.ask(query(key="gone"))
        heard.until_state("unreachable")
        with OllamaAt(port):
            heard.ask_until_planned(*LATER)


def test_however_long_a_server_was_away_it_is_looked_at_every_half_minute(ollama):
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    long_away = 5.0 * 2**10
    with listening(scripted(f"http://127.0.0.1:{port}"), cooldown_s=long_away) as heard:
        assert 0 < heard.until_state("unreachable").retry_in_s <= 30
    ollama.models = ()
    with listening(scripted(ollama.url), cooldown_s=long_away) as heard:
        assert 0 < heard.until_state("missing").retry_in_s <= 30
    ollama.models = ("scripted:latest",)
    ollama.scenario = "status 401"  # it is there, and a question costs more than a look
    with listening(scripted(ollama.url), cooldown_s=long_away) as heard:
        heard.ask(query())
        assert 30 < heard.until_state("refused").retry_in_s <= 300


def test_a_server_that_takes_connections_and_says_nothing_is_unreachable():
    server = ScriptedOllama()  # it listens, and nobody answers yet
    backend = scripted(server.url, connect_timeout_s=0.05)
    with listening(backend, cooldown_s=0.05, before=[query()]) as heard:
        heard.until_state("unreachable")
        work_meanwhile(heard)
        with server:
            heard.ask_until_planned(*LATER)


@pytest.mark.parametrize("scenario", ["slow", "dripping", "hanging_within", "huge_thought"])
def test_planner_servers_is_closed_while_the_server_goes_on(ollama, scenario):
    ollama.scenario = scenario
    with listening(scripted(ollama.url), before=[query()]) as heard:
        heard.until(lambda: ollama.asked)
    # that no thread of it is left is looked at by `listening`


def test_planner_servers_is_closed_while_a_model_is_loaded():
    with ScriptedOllama(load_s=60.0) as server:
        server.loaded.clear()
        with listening(scripted(server.url)) as heard:
            heard.until_state("loading")


@pytest.mark.parametrize("kind", ["openai", "anthropic"])
@pytest.mark.parametrize("status", [404, 501])
def test_a_server_that_lists_no_models_is_asked(kind, status, request):
    server = request.getfixturevalue(kind)
    server.models, server.unlisted = None, status
    with listening(make_backend("scripted", backend=kind, base_url=server.base_url)) as heard:
        heard.ask(query())
    assert [plan.option.kind for plan in heard.plans] == [GoalKind.HEAL]


def test_models_of_three_protocols_vote(ollama, openai, anthropic, path):
    servers = {"ollama": ollama.url, "openai": openai.base_url, "anthropic": anthropic.url}
    backends = [make_backend("scripted", backend=k, base_url=u) for k, u in servers.items()]
    with listening(*backends, exchanges=ExchangeLog(path)) as heard:
        heard.ask(query())
    (plan,) = heard.plans
    assert plan.option.kind is GoalKind.HEAL
    assert len(heard.answered) == 3
    assert len(scan(path).exchanges) == 3
