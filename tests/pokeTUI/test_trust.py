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
from pokeTUI.cli.main import main
from pokeTUI.terminal.probe import Terminal
from tests.engine.planning.models.servers.loopback import Call
from tests.engine.planning.models.servers.scripted_ollama import OllamaServer
from tests.engine.planning.models.servers.scripted_planner import ScriptedPlanner
from tests.pokeTUI.in_process import poketui
from tests.pokeTUI.test_cli import ROOT, SMALL, assert_refused, headless
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


def command(monkeypatch: pytest.MonkeyPatch, *arguments: str) -> object:
    """Run a command in this process and return its exit code."""
    monkeypatch.setattr(sys, "argv", ["poketui", *arguments])
    with pytest.raises(SystemExit) as ended:
        main()
    return ended.value.code or 0


@pytest.mark.parametrize(
    "arguments",
    [
        ("run", "--headless", "--resume", "hostile"),
        ("run", "--detach", "--resume", "hostile"),
        ("eval", "hostile"),
        ("replay", "hostile"),
    ],
)
def test_hostile_run_is_refused_before_anything_is_run_or_sent(
    arguments: tuple[str, ...],
    hostile: Path,
    listener: Listener,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    code = command(monkeypatch, *arguments, "--save-dir", str(hostile))
    said = capsys.readouterr().err
    assert code == 2
    assert len(said.splitlines()) == 1
    assert "poketui trust evil:Thing" in said
    assert (listener.host in said) == (arguments[0] == "run")
    assert "evil" not in sys.modules
    assert listener.keys == []


def test_refused_run_is_not_left_locked(
    hostile: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    arguments = ("run", "--headless", "--resume", "hostile", "--save-dir", str(hostile))
    assert command(monkeypatch, *arguments) == 2
    assert command(monkeypatch, *arguments) == 2
    assert "in use" not in capsys.readouterr().err


@pytest.mark.parametrize(
    "arguments", [("runs",), ("runs", "hostile"), ("llm", "log", "hostile"), ("export", "hostile")]
)
def test_hostile_run_can_be_looked_at(
    arguments: tuple[str, ...], hostile: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(hostile)
    assert command(monkeypatch, *arguments, "--save-dir", str(hostile)) == 0
    assert "evil" not in sys.modules


def test_doctor_asks_no_host_that_a_config_file_names(tmp_path: Path, listener: Listener) -> None:
    file = tmp_path / "run.json"
    around = Surroundings(Terminal(term="xterm"), (80, 24), UTF8)
    for settings in ({}, {"llm_model": "scripted"}):
        file.write_text(json.dumps({"llm_base_url": f"http://{listener.host}", **settings}))
        findings = list(examine(around, file, {"save_dir": str(tmp_path)}))
    assert [f.name for f in findings if listener.host in f.text] == ["settings"]
    assert listener.keys == []


def test_trust_lists_adds_and_removes(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert command(monkeypatch, "trust") == 0
    assert "Nothing is trusted yet" in capsys.readouterr().out
    assert examine_trust().text.startswith("only model providers")
    assert command(monkeypatch, "trust", "gpu-box:8080", "mine:Thing") == 0
    assert capsys.readouterr().out.splitlines() == ["gpu-box:8080", "mine:Thing"]
    monkeypatch.setenv("POKETUI_TRUST", "here")
    assert command(monkeypatch, "trust", "--remove", "gpu-box:8080") == 0
    assert capsys.readouterr().out.splitlines() == ["mine:Thing", "here (POKETUI_TRUST)"]
    assert examine_trust().text == "mine:Thing, here"


@pytest.mark.parametrize("arguments", [("--remove", "nobody"), (" ",), ("a\x1b[2J",)])
def test_trust_refuses_in_one_line(
    arguments: tuple[str, ...], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert command(monkeypatch, "trust", *arguments) == 2
    said = capsys.readouterr().err
    assert len(said.splitlines()) == 1
    assert "\x1b" not in said


def test_damaged_trust_file_is_one_line(
    config_dir: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (config_dir / "trust.json").write_text("[")
    assert command(monkeypatch, "trust", "a") == 2
    assert "trust.json" in capsys.readouterr().err
    assert examine_trust().verdict is Verdict.BAD


@pytest.mark.skipif(os.geteuid() == 0, reason="root writes everywhere")
def test_trust_in_a_read_only_folder_is_one_line(
    config_dir: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    config_dir.chmod(0o500)
    assert command(monkeypatch, "trust", "a") == 2
    assert "POKETUI_TRUST" in capsys.readouterr().err


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
    assert poketui("trust", listener.host).returncode == 0
    assert resume() > 0
    assert poketui("trust", "--remove", listener.host).returncode == 0
    assert resume() == 0


@pytest.mark.slow
def test_own_run_resumes_with_the_host_that_its_command_named(
    tmp_path: Path, listener: Listener
) -> None:
    model = ("--llm-model", "scripted", "--set", f"llm_base_url=http://{listener.host}")
    assert headless(tmp_path, *SMALL, *model, "--steps", "128").returncode == 0
    assert poketui("trust").stdout.splitlines() == [listener.host]
    result = headless(tmp_path, "--resume", "latest", "--steps", "256")
    assert result.returncode == 0, result.stderr
