"""A run from elsewhere is data: it sends no key and runs no code until the user says so."""

import json
import os
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from pokeTUI.app.doctor.examination import Surroundings, examine
from pokeTUI.app.doctor.files import examine_trust
from pokeTUI.app.doctor.machine import Verdict
from pokeTUI.terminal.probe import Terminal
from tests.engine.planning.models.servers.loopback import Call
from tests.engine.planning.models.servers.scripted_ollama import OllamaServer
from tests.engine.planning.models.servers.scripted_planner import ScriptedPlanner
from tests.pokeTUI.hostile import assert_tamely_refused
from tests.pokeTUI.in_process import ROOT, assert_refused, poketui, succeed, succeeded
from tests.pokeTUI.test_cli import SMALL, headless
from tests.pokeTUI.test_doctor import UTF8

KEY = "secret-of-ollama"


class Listener(OllamaServer):
    """A server that is reached by an address which is not this machine's by its looks.

    Attributes:
        keys: Sent with each request, None without one.
    """

    def __init__(self) -> None:
        super().__init__(ScriptedPlanner("oracle"))
        self.keys: list[str | None] = []

    def answer(self, call: Call) -> None:
        self.keys.append(call.headers.get("authorization"))
        super().answer(call)

    @property
    def host(self) -> str:
        return self.url.removeprefix("http://").replace("127.0.0.1", "0.0.0.0")


@pytest.fixture
def listener(monkeypatch: pytest.MonkeyPatch) -> Iterator[Listener]:
    monkeypatch.setenv("OLLAMA_API_KEY", KEY)
    monkeypatch.delenv("OLLAMA_HOST", raising=False)
    with Listener() as server:
        yield server


@pytest.fixture
def hostile(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, listener: Listener) -> Path:
    """A run that names a host, and code that can be imported; return the save folder."""
    (tmp_path / "evil.py").write_text("raise SystemExit('it was run')")
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.setenv("PYTHONPATH", f"{ROOT}{os.pathsep}{tmp_path}")
    folder = tmp_path / "saves" / "runs" / "hostile"
    (folder / "checkpoints").mkdir(parents=True)
    (folder / "checkpoints" / "step-000000000064.zip").write_bytes(b"")
    settings = {
        "llm_model": "scripted",
        "llm_base_url": f"http://{listener.host}",
        "rewards": {"extra": {"evil:Thing": 1.0}},
    }
    (folder / "config.json").write_text(json.dumps(settings))
    return folder.parents[1]


@pytest.mark.parametrize(
    "arguments",
    [
        ("run", "--headless", "--resume", "hostile"),
        ("run", "--detach", "--resume", "hostile"),
        ("eval", "hostile"),
        ("replay", "hostile"),
    ],
)
def test_hostile_run_is_refused_before_anything_is_run_or_sent_and_is_not_left_locked(
    arguments: tuple[str, ...], hostile: Path, listener: Listener
) -> None:
    for _ in range(2):
        refused = poketui(*arguments, "--save-dir", str(hostile))
        assert_refused(refused, "poketui trust evil:Thing")
        assert (listener.host in refused.stderr) == (arguments[0] == "run")
    assert "evil" not in sys.modules
    assert listener.keys == []


@pytest.mark.parametrize(
    "arguments", [("runs",), ("runs", "hostile"), ("llm", "log", "hostile"), ("export", "hostile")]
)
def test_hostile_run_can_be_looked_at(arguments: tuple[str, ...], hostile: Path) -> None:
    succeed(*arguments, "--save-dir", str(hostile), cwd=hostile)
    assert "evil" not in sys.modules


def test_doctor_asks_no_host_that_a_config_file_names(tmp_path: Path, listener: Listener) -> None:
    file = tmp_path / "run.json"
    around = Surroundings(Terminal(term="xterm"), (80, 24), UTF8)
    for settings in ({}, {"llm_model": "scripted"}):
        file.write_text(json.dumps({"llm_base_url": f"http://{listener.host}", **settings}))
        findings = list(examine(around, file, {"save_dir": str(tmp_path)}))
    assert [f.name for f in findings if listener.host in f.text] == ["settings"]
    assert listener.keys == []


def test_trust_lists_adds_and_removes(monkeypatch: pytest.MonkeyPatch) -> None:
    assert "Nothing is trusted yet" in succeed("trust").stdout
    assert examine_trust().text.startswith("only model providers")
    added = succeed("trust", "gpu-box:8080", "mine:Thing")
    assert added.stdout.splitlines() == ["gpu-box:8080", "mine:Thing"]
    monkeypatch.setenv("POKETUI_TRUST", "here")
    removed = succeed("trust", "--remove", "gpu-box:8080")
    assert removed.stdout.splitlines() == ["mine:Thing", "here (POKETUI_TRUST)"]
    assert examine_trust().text == "mine:Thing, here"


@pytest.mark.parametrize("arguments", [("--remove", "nobody"), (" ",), ("a\x1b[2J",)])
def test_trust_refuses_in_one_line(arguments: tuple[str, ...]) -> None:
    assert_tamely_refused(poketui("trust", *arguments))


def test_damaged_trust_file_is_one_line(config_dir: Path) -> None:
    (config_dir / "trust.json").write_text("[")
    assert_refused(poketui("trust", "a"), "trust.json")
    assert examine_trust().verdict is Verdict.BAD


@pytest.mark.skipif(os.geteuid() == 0, reason="root writes everywhere")
def test_trust_in_a_read_only_folder_is_one_line(config_dir: Path) -> None:
    config_dir.chmod(0o500)
    assert_refused(poketui("trust", "a"), "POKETUI_TRUST")


@pytest.mark.slow
def test_run_from_elsewhere_gets_the_key_once_its_host_is_trusted(
    tmp_path: Path, listener: Listener, monkeypatch: pytest.MonkeyPatch
) -> None:
    model = ("--llm-model", "scripted", "--llm-interval", "1")
    own = ("--set", f"llm_base_url={listener.url}")
    assert headless(tmp_path, *SMALL, *model, *own, "--steps", "128").returncode == 0
    (file,) = (tmp_path / "saves" / "runs").glob("*/config.json")
    file.write_text(file.read_text().replace(listener.url, f"http://{listener.host}"))
    more = iter(range(256, 2560, 128))

    def resume(*arguments: str) -> int:
        """Continue for a little; return how often the server was asked."""
        listener.keys.clear()
        result = headless(tmp_path, "--resume", "latest", "--steps", str(next(more)), *arguments)
        if result.returncode:
            assert_refused(result, listener.host, "poketui trust", "OLLAMA_API_KEY")
        assert set(listener.keys) <= {f"Bearer {KEY}"}
        return len(listener.keys)

    assert resume() == 0
    assert resume("--set", f"llm_base_url=http://{listener.host}") > 0
    assert resume() == 0  # what is named for one resumption is not remembered
    monkeypatch.setenv("POKETUI_TRUST", listener.host)
    assert resume() > 0
    monkeypatch.delenv("POKETUI_TRUST")
    succeed("trust", listener.host)
    assert resume() > 0
    succeed("trust", "--remove", listener.host)
    assert resume() == 0


@pytest.mark.slow
def test_own_run_resumes_with_the_host_of_its_command(tmp_path: Path, listener: Listener) -> None:
    model = ("--llm-model", "scripted", "--set", f"llm_base_url=http://{listener.host}")
    assert headless(tmp_path, *SMALL, *model, "--steps", "128").returncode == 0
    assert poketui("trust").stdout.splitlines() == [listener.host]
    succeeded(headless(tmp_path, "--resume", "latest", "--steps", "256"))
