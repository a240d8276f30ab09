"""Children of ours find the modules that their parent finds, and nothing more; workers answer."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from engine.errors import PokeTUIError, RomError, WorkerError
from engine.ground.processes import (
    WorkerProcess,
    code_command,
    decode_error,
    encode_error,
    foreign_environment,
    python_command,
    python_environment,
    worker_environment,
)
from tests.engine.processes import child_process, is_gone, wait_until
from tests.hostile_folder import HostileFolder

ROOT = Path(__file__).parents[3]
ONE_FILE = ROOT / "engine" / "ground" / "processes.py"
_PATH = "import sys; print(*sys.path, sep='\\n')"


def printed(*command: str, **variables: str) -> list[str]:
    done = subprocess.run(
        command, env=python_environment(**variables), capture_output=True, text=True, check=True
    )
    return done.stdout.splitlines()


def test_only_one_file_names_the_python_program() -> None:
    files = [path for part in ("engine", "pokeTUI") for path in (ROOT / part).rglob("*.py")]
    named = [path for path in files if "sys.executable" in path.read_text(encoding="utf-8")]
    assert named == [ONE_FILE]


STARTS = ("subprocess.Popen(", "subprocess.run(", "create_subprocess_", "os.exec", "os.spawn")


def test_no_child_is_started_but_with_an_environment_from_one_file() -> None:
    files = [path for part in ("engine", "pokeTUI") for path in (ROOT / part).rglob("*.py")]
    for path in files:
        text = path.read_text(encoding="utf-8")
        assert "shell=True" not in text, path
        assert "os.system(" not in text, path
        starts = sum(text.count(start) for start in STARTS)
        assert text.count("env=") >= starts, path
        known = ("from engine.ground.processes import", "node.environment()")
        assert not starts or path == ONE_FILE or any(each in text for each in known), path


SECRET = (
    "OPENAI_API_KEY", "ANTHROPIC_API_KEY", "OLLAMA_API_KEY", "AWS_ACCESS_KEY_ID",
    "AWS_SESSION_TOKEN", "GITHUB_TOKEN", "NPM_TOKEN", "HF_TOKEN", "LLAMA_API_KEY", "WANDB_API_KEY",
    "POKETUI_TOKEN", "PYTHON_KEYRING_PASSWORD", "SSH_AUTH_SOCK", "DATABASE_URL",
)  # fmt: skip


@pytest.mark.parametrize("make", [foreign_environment, worker_environment])
def test_no_secret_is_handed_on(
    make: Callable[..., dict[str, str]], monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in SECRET:
        monkeypatch.setenv(name, "secret")
    monkeypatch.setenv("LC_ALL", "C.UTF-8")
    given = make(OWN="value")
    assert "secret" not in given.values()
    assert (given["OWN"], given["LC_ALL"], given["PATH"]) == (
        "value", "C.UTF-8", os.environ["PATH"],
    )  # fmt: skip


def test_a_program_may_be_told_what_it_needs_besides(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("https_proxy", "http://127.0.0.1:9")
    monkeypatch.setenv("HTTPS_PROXY", "http://127.0.0.1:9")
    assert not {"https_proxy", "HTTPS_PROXY"} & set(foreign_environment())
    assert {"https_proxy", "HTTPS_PROXY"} <= set(foreign_environment("https_proxy"))


SLEEPER = "import time; print('ready', flush=True); time.sleep(600)"
STARTER = """
import subprocess, sys
from engine.ground.processes import worker_command, worker_environment
child = subprocess.Popen(worker_command("sleeper"), env=worker_environment())
print(child.pid, flush=True)
child.wait()
"""


@pytest.mark.parametrize("wait_s", [0.0, 0.02, 0.05, 0.2])
def test_a_worker_ends_with_a_parent_that_is_killed_while_it_starts(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, wait_s: float
) -> None:
    (tmp_path / "sleeper.py").write_text(SLEEPER)
    monkeypatch.syspath_prepend(tmp_path)
    with child_process(
        code_command(STARTER), env=python_environment(), stdout=subprocess.PIPE
    ) as parent:
        pid = int(parent.stdout.readline())
        time.sleep(wait_s)
        parent.kill()
        assert wait_until(lambda: is_gone(pid))


def test_the_current_folder_is_not_searched(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = HostileFolder(tmp_path)
    folder.enter(monkeypatch)
    assert str(tmp_path) not in printed(*code_command(_PATH))
    printed(*python_command("json.tool", "--help"))
    assert folder.imported == []


def test_modules_beside_a_persons_own_script_are_found(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "own_rewards.py").write_text("print('found')")
    monkeypatch.syspath_prepend(tmp_path)
    assert printed(*python_command("own_rewards")) == ["found"]


@pytest.mark.parametrize("entry", ["", ".", "below"])
def test_relative_places_are_those_of_the_parent(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, entry: str
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", [entry, *sys.path])
    path = python_environment()["PYTHONPATH"].split(os.pathsep)
    assert path[0] == str(tmp_path / entry)
    assert all(Path(place).is_absolute() for place in path)


def test_a_place_that_would_be_taken_apart_is_left_out(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = HostileFolder(tmp_path / "b")
    monkeypatch.setattr(sys, "path", [*filter(None, sys.path), "/nowhere/a:b", tmp_path])
    monkeypatch.chdir(tmp_path)
    found = printed(*code_command(_PATH))
    assert not {"/nowhere/a", "b", str(folder.path)} & set(found)
    printed(*python_command("json.tool", "--help"))
    assert folder.imported == []


ECHO = """
import os, socket, sys, threading
from engine.ground.processes import Channel

channel = Channel(socket.socket(fileno=int(sys.argv[1])))
print("began", os.read(int(sys.argv[2]), 5).decode(), flush=True)
try:
    while True:
        kind, payload = channel.receive()
        if kind == b"X":
            print("the last", "words", sep="\\n", flush=True)
            os._exit(int(payload))
        if kind == b"H":
            threading.Event().wait()
        channel.send(kind, 2 * payload)
except EOFError:
    pass
"""


@pytest.fixture
def worker(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, started_workers: None
) -> Iterator[WorkerProcess]:
    """Yield a worker that sends back twice what it is sent, exits (X) or hangs (H)."""
    (tmp_path / "echo_worker.py").write_text(ECHO)
    monkeypatch.syspath_prepend(tmp_path)
    with (tmp_path / "shared").open("w+b") as shared:
        shared.write(b"hello")
        shared.seek(0)
        worker = WorkerProcess("echo_worker", shared.fileno())
        yield worker
        worker.channel.close()
        worker.reap(0)


def test_a_worker_answers_and_ends_with_its_channel(worker: WorkerProcess) -> None:
    large = bytes(3 << 20)
    worker.channel.send(b"E", large)
    assert worker.channel.has_message(None)
    assert worker.channel.receive(60) == (b"E", 2 * large)
    assert not worker.channel.has_message()
    assert worker.ending(0) == ""
    assert worker.last_lines(3) == ["began hello"]
    worker.channel.close()
    assert worker.ending(60) == "exit status 0"


def test_a_workers_ending_and_last_words_are_known(worker: WorkerProcess) -> None:
    worker.channel.send(b"X", b"3")
    with pytest.raises(EOFError):
        worker.channel.receive(60)
    assert worker.ending(60) == "exit status 3"
    assert worker.last_lines(2) == ["the last", "words"]


ENDINGS = {signal.SIGKILL: "killed by SIGKILL"}
if sys.platform == "linux":
    ENDINGS[signal.SIGRTMIN + 1] = f"killed by signal {signal.SIGRTMIN + 1}"  # it has no name


@pytest.mark.parametrize("number", ENDINGS)
def test_a_killed_worker_is_told_by_its_signal(worker: WorkerProcess, number: int) -> None:
    os.kill(worker.pid, number)
    assert worker.ending(60) == ENDINGS[number]


def test_a_worker_that_hangs_is_killed(worker: WorkerProcess) -> None:
    worker.channel.send(b"H")
    with pytest.raises(TimeoutError):
        worker.channel.receive(0.1)
    worker.channel.close()
    worker.reap(0.2)
    assert is_gone(worker.pid)


@pytest.mark.parametrize(
    ("error", "raised"),
    [
        (RomError("It is damaged.", "Use another."), RomError("It is damaged.", "Use another.")),
        (
            ValueError("no"),
            WorkerError("An environment failed: ValueError: no.", "The log has the details."),
        ),
        (
            type("OwnError", (PokeTUIError,), {})("A plug-in's own.", "A hint."),
            WorkerError("A plug-in's own.", "A hint."),
        ),
    ],
)
def test_a_workers_error_is_raised_as_what_it_was(error: Exception, raised: PokeTUIError) -> None:
    found = decode_error(encode_error(error))
    assert (type(found), str(found)) == (type(raised), str(raised))
