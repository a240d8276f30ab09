"""Pull models with an Ollama server on loopback, and without one."""

import json
import signal
from collections.abc import Iterator
from typing import Any

import pytest

from engine.ground.processes import python_command
from tests.benchmarks.cockpit.fast_terminal import FastTerminal
from tests.engine.planning.models.servers.loopback import Call
from tests.engine.planning.models.servers.scripted_ollama import OllamaServer
from tests.pokeTUI.in_process import assert_refused, poketui, succeed

LIMIT_S = 60.0
LAYER = "pulling 4d2396b16114"
PULLED: list[dict[str, Any]] = [
    {"status": "pulling manifest"},
    *({"status": LAYER, "total": 1000, "completed": done} for done in (0, 30, 60, 500, 1000)),
    {"status": "pulling 2af3b81862c6", "digest": "sha256:2af3b8", "total": 0},
    {"status": "verifying sha256 digest"},
    {"status": "writing manifest"},
    {"status": "success"},
]


class Library(OllamaServer):
    """An Ollama server that pulls.

    Attributes:
        parts: What it says of it.
        is_hanging: It then says nothing more.
        is_breaking: It then breaks the connection off.
    """

    def __init__(self) -> None:
        super().__init__(lambda body: "", models=())
        self.parts = PULLED
        self.is_hanging = False
        self.is_breaking = False

    def answer(self, call: Call) -> None:
        if call.path != "/api/pull":
            super().answer(call)
            return
        for part in self.parts:
            call.stream(json.dumps(part).encode() + b"\n")
        if self.is_hanging:
            call.wait(600)
        if self.is_breaking:
            call.reset()
        call.finish()


@pytest.fixture
def library(monkeypatch: pytest.MonkeyPatch) -> Iterator[Library]:
    monkeypatch.delenv("OLLAMA_API_KEY", raising=False)
    with Library() as server:
        monkeypatch.setenv("OLLAMA_HOST", server.url)
        yield server


def test_pull_prints_each_tenth_where_there_is_no_terminal(library: Library) -> None:
    result = succeed("llm", "pull", "qwen3:8b")
    assert result.stdout.splitlines() == [
        "pulling manifest",
        f"{LAYER} 0 of 1,000 bytes",
        f"{LAYER} 500 of 1,000 bytes",
        f"{LAYER} 1,000 of 1,000 bytes",
        "pulling 2af3b81862c6",
        "verifying sha256 digest",
        "writing manifest",
        "success",
        "qwen3:8b is available. Check it: poketui llm check --model qwen3:8b",
    ]
    assert ("/api/pull", {"model": "qwen3:8b", "insecure": False, "stream": True}) in library.calls


def test_pull_without_a_name_gets_the_suggested_model(library: Library) -> None:
    assert "smollm2:1.7b is available" in poketui("llm", "pull").stdout


def test_pull_takes_models_and_address(library: Library, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OLLAMA_HOST", "http://127.0.0.1:9")
    result = poketui("llm", "pull", "a,b", "--base-url", library.url)
    assert [line for line in result.stdout.splitlines() if "is available" in line] == [
        "a is available. Check it: poketui llm check --model a",
        "b is available. Check it: poketui llm check --model b",
    ]


@pytest.mark.parametrize(
    ("error", "remedy"),
    [
        ("pull model manifest: file does not exist", "Check the model's name"),
        ("write /blobs/x: no space left on device", "Free some disk space on the server"),
        ("max retries exceeded", "The same command resumes"),
    ],
)
def test_error_of_the_server_comes_with_a_remedy(error: str, remedy: str, library: Library) -> None:
    library.parts = [*PULLED[:3], {"error": f"{error}\n\x1b[2J"}]
    result = poketui("llm", "pull", "qwen3:8b")
    assert_refused(result, error, remedy)
    assert "\x1b" not in result.stderr


@pytest.mark.parametrize("is_breaking", [True, False])
def test_connection_that_breaks_is_told(is_breaking: bool, library: Library) -> None:
    library.parts = PULLED[:4]
    library.is_breaking = is_breaking
    assert_refused(poketui("llm", "pull"), "closed the connection", "The same command resumes")


def test_escape_sequences_of_the_server_are_not_sent_to_the_terminal(library: Library) -> None:
    library.parts = [{"status": "\x1b]0;title\x07pulling\n\n" + "x" * 500}, *PULLED]
    result = succeed("llm", "pull")
    assert "\x1b" not in result.stdout
    assert max(map(len, result.stdout.splitlines())) < 100


@pytest.mark.parametrize("part", [7, {"status": ["x"]}, {"total": "much"}, {"completed": -5}])
def test_server_that_speaks_otherwise_is_one_line(part: object, library: Library) -> None:
    library.parts = [part]  # type: ignore[list-item]
    result = poketui("llm", "pull")
    assert_refused(result, "Ollama at ")


def test_pull_without_a_server_says_how_to_get_one(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OLLAMA_HOST", "http://127.0.0.1:9")
    result = poketui("llm", "pull")
    assert_refused(result, "cannot be reached", "ollama serve", "poketui[local]", "FILE.gguf")


@pytest.mark.parametrize("name", ["gpt-4o", "claude-opus-4-7", "./model.gguf", "a, gpt-4o"])
def test_pull_of_an_unknown_model_fails(name: str, library: Library) -> None:
    assert_refused(poketui("llm", "pull", name), "nothing to pull", "poketui llm check")
    assert library.calls == []


@pytest.mark.slow
def test_interrupted_pull_shows_a_bar_and_says_that_it_resumes(library: Library) -> None:
    library.parts, library.is_hanging = PULLED[:5], True
    pull = python_command("pokeTUI", "llm", "pull", "qwen3:8b")
    with FastTerminal(pull, environment={"NO_COLOR": "1"}) as terminal:
        terminal.wait_for(b"0.5/1.0 kB")
        terminal.process.send_signal(signal.SIGINT)
        terminal.wait_for(b"the download is kept; the same command resumes it")
        assert terminal.wait(LIMIT_S) == 130
        assert b"pulling qwen3:8b" in terminal.received
