"""A model of a GGUF file, in a process of its own: real weights, real deaths."""

import asyncio
import os
import signal
import subprocess
from collections.abc import AsyncIterator
from contextlib import aclosing
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from engine.errors import ConfigurationError, LLMConnectionError
from engine.ground.processes import code_command, python_environment
from engine.ground.providers import backend_of, with_whole_paths
from engine.planning.models.asking import ask
from engine.planning.models.backends import make_backend
from engine.planning.models.backends.base import Backend, ChatRequest
from engine.planning.models.backends.local import LocalBackend
from tests.engine.processes import children, is_gone, wait_until
from tests.hostile_folder import HostileFolder

LIMIT_S = 180.0


def process_of(backend: Backend) -> int:
    """Return the process that answers for a backend."""
    assert isinstance(backend, LocalBackend)
    assert backend._running is not None
    return backend._running[0]._process.pid


async def answered(backend: Backend, request: ChatRequest) -> str:
    limits: dict[str, Any] = {
        "first_token_timeout_s": LIMIT_S,
        "answer_timeout_s": LIMIT_S,
    }
    return (await ask(backend, request, **limits)).text


@pytest.fixture
def request_() -> ChatRequest:
    """Return a question whose answer ends in time whatever a model says."""
    schema = {
        "type": "object",
        "properties": {"goal": {"type": "string", "enum": ["HEAL", "LEAVE"]}},
        "required": ["goal"],
        "additionalProperties": False,
    }
    return ChatRequest("You advise.", "2 of 20 HP.", schema, 160, 0.2, think=False)


@pytest.fixture
def long_request(request_: ChatRequest) -> ChatRequest:
    """Return one whose answer does not end within a test."""
    return replace(request_, max_tokens=4000, schema={"type": "string", "minLength": 20_000})


@pytest.fixture
def truncated(tmp_path: Path) -> str:
    file = tmp_path / "half a model.gguf"
    file.write_bytes(b"GGUF\x03\x00\x00\x00" + bytes(24))
    return str(file)


@pytest.fixture
async def loaded(smollm2: str) -> AsyncIterator[Backend]:
    backend = make_backend(smollm2)
    await backend.load()
    yield backend
    await backend.close()


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        ("model.gguf", "local"),
        ("models/SmolLM2.Q4_K_M.GGUF", "local"),
        ("./a model", "local"),
        ("../model.bin", "local"),
        ("~/model", "local"),
        ("/models/model", "local"),
        ("gpt-oss.gguf", "local"),
        ("gguf", "ollama"),
        ("hf.co/unsloth/Qwen3-0.6B-GGUF:Q4_K_M", "ollama"),
        ("hf.co/unsloth/Qwen3-0.6B-GGUF:Qwen3-0.6B.gguf", "ollama"),
        ("someone/model:1b", "ollama"),
        ("ft:gpt-4o-mini:me::id", "openai"),
    ],
)
def test_backend_of_a_path_is_local(name, kind):
    assert backend_of(name) == kind


def test_whole_paths_are_given_to_files_alone(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HOME", "/home/somebody")
    given = "smollm2:1.7b, ./a b.gguf,~/c.gguf"
    assert with_whole_paths(given) == f"smollm2:1.7b,{tmp_path}/a b.gguf,/home/somebody/c.gguf"
    assert with_whole_paths("model", "local") == f"{tmp_path}/model"
    assert with_whole_paths("model.gguf", "openai") == "model.gguf"
    assert with_whole_paths("gpt-4o , claude-x") == "gpt-4o , claude-x"
    with pytest.raises(ConfigurationError, match="an unknown home folder"):
        with_whole_paths("~nobody-of-that-name/model.gguf")


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda path: None, "does not exist"),
        (Path.mkdir, "is not a file"),
        (os.mkfifo, "is not a file"),
        (Path.touch, "is not a GGUF file"),
        (lambda path: path.write_text("PK\x03\x04"), "is not a GGUF file"),
    ],
)
def test_local_backend_refuses_a_file_that_is_no_model(make, words, tmp_path):
    path = tmp_path / "model.gguf"
    make(path)
    with pytest.raises(ConfigurationError, match=rf"{path} {words}.*instruct model"):
        make_backend(str(path))


@pytest.mark.parametrize("package", ["xllamacpp", "openai"])
def test_missing_extra_is_named(package, truncated, monkeypatch):
    found = "engine.planning.models.backends.importlib.util.find_spec"
    monkeypatch.setattr(found, lambda name: None if name == package else name)
    with pytest.raises(ConfigurationError, match=rf"package {package}.*'poketui\[local\]'"):
        make_backend(truncated)


def test_address_of_a_server_and_a_file_contradict_each_other(truncated):
    with pytest.raises(ConfigurationError, match="--llm-backend openai"):
        make_backend(truncated, base_url="http://127.0.0.1:8080/v1")


async def test_damaged_file_is_told_and_leaves_no_process(truncated, tmp_path, monkeypatch):
    hostile = HostileFolder(tmp_path / "here")
    hostile.enter(monkeypatch)
    before = children(os.getpid())
    backend = make_backend(truncated)
    assert (await backend.probe()).state == "loading"
    with pytest.raises(
        LLMConnectionError, match=r"half a model\.gguf cannot be loaded: .*complete"
    ):
        await backend.load()
    assert (await backend.probe()).state == "loading"
    assert children(os.getpid()) == before
    assert hostile.imported == []
    await backend.close()


async def test_cancelled_load_leaves_no_process(truncated):
    before = children(os.getpid())
    backend = make_backend(truncated)
    loading = asyncio.create_task(backend.load())
    while len(children(os.getpid())) == len(before) and not loading.done():
        await asyncio.sleep(0)
    loading.cancel()
    await asyncio.wait([loading])
    assert children(os.getpid()) == before
    with pytest.raises(LLMConnectionError, match="is not loaded"):
        await backend.chat(ChatRequest("", "", {}, 1, 0, think=False)).__anext__()
    await backend.close()


@pytest.mark.slow
async def test_model_answers_at_low_priority_and_closes(smollm2, request_, monkeypatch):
    monkeypatch.setenv("HTTP_PROXY", "http://127.0.0.1:9")  # the way to oneself needs none
    backend = make_backend(smollm2)
    assert (await backend.probe()).state == "loading"
    await backend.load()
    await backend.load()  # again: nothing is started
    status = await backend.probe()
    assert (status.state, status.detail) == ("ready", "")
    process = process_of(backend)
    assert os.getpriority(os.PRIO_PROCESS, process) >= 10
    assert '"goal"' in await answered(backend, request_)
    await backend.close()
    assert is_gone(process)
    with pytest.raises(LLMConnectionError, match="is not loaded"):
        await answered(backend, request_)


@pytest.mark.slow
async def test_model_whose_process_is_killed_while_it_answers_is_started_again(
    loaded, request_, long_request
):
    process = process_of(loaded)
    chunks = loaded.chat(long_request)
    await chunks.__anext__()
    os.kill(process, signal.SIGKILL)
    with pytest.raises(LLMConnectionError, match=r"killed by SIGKILL.*memory"):
        async for _ in chunks:
            pass
    assert (await loaded.probe()).state == "loading"
    await loaded.load()
    assert process_of(loaded) != process
    assert '"goal"' in await answered(loaded, request_)


@pytest.mark.slow
async def test_hanging_up_frees_the_model_for_the_next_question(loaded, request_, long_request):
    async with aclosing(loaded.chat(long_request)) as chunks:  # type: ignore[type-var]
        await chunks.__anext__()
    assert '"goal"' in await answered(loaded, request_)


@pytest.mark.slow
async def test_load_that_takes_too_long_is_told_and_leaves_no_process(smollm2):
    before = children(os.getpid())
    backend = make_backend(smollm2, load_timeout_s=0.01)
    with pytest.raises(LLMConnectionError, match=r"planner\.load_timeout_s"):
        await backend.load()
    assert children(os.getpid()) == before
    await backend.close()


@pytest.mark.slow
async def test_two_models_answer_side_by_side(loaded, smollm2, request_):
    second = make_backend(smollm2)
    try:
        await second.load()
        texts = await asyncio.gather(answered(loaded, request_), answered(second, request_))
    finally:
        await second.close()
    assert all('"goal"' in text for text in texts)


PROGRAM = """
import asyncio, sys
from engine.planning.models.backends import make_backend
async def load():
    backend = make_backend(sys.argv[1])
    loading = asyncio.create_task(backend.load())
    if sys.argv[2] == "loaded":
        await loading
    while backend._running is None and sys.argv[2] == "loaded":
        await asyncio.sleep(0.01)
    print("here", flush=True)
    await asyncio.sleep(600)
asyncio.run(load())
"""


@pytest.mark.slow
@pytest.mark.parametrize("when", ["loading", "loaded"])
def test_process_ends_with_a_killed_parent(smollm2, when):
    parent = subprocess.Popen(
        [*code_command(PROGRAM), smollm2, when], stdout=subprocess.PIPE, env=python_environment()
    )
    try:
        assert parent.stdout is not None
        parent.stdout.readline()
        assert wait_until(lambda: len(children(parent.pid)) == 1, LIMIT_S)
        (process,) = children(parent.pid)
    finally:
        parent.kill()
        parent.communicate()
    assert wait_until(lambda: is_gone(process), LIMIT_S)
