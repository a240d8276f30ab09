"""Examine this machine and machines that are not: what is wrong comes with what to do."""

import json
import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from engine.config import RunConfig
from engine.games.bundled import ADVANCE
from engine.ground.folders import CORE_VARIABLE
from engine.remote.folder import FOLDER_VARIABLE
from pokeTUI.app.doctor.examination import Surroundings, examine
from pokeTUI.app.doctor.files import examine_preferences, examine_rom, examine_saves
from pokeTUI.app.doctor.machine import (
    NAME_WIDTH,
    Finding,
    Verdict,
    examine_cores,
    examine_extras,
    examine_memory,
    examine_packages,
    examine_python,
    examine_terminal,
)
from pokeTUI.app.doctor.models import examine_file, examine_keys, examine_models
from pokeTUI.terminal.probe import Terminal, terminal_of
from tests.engine.games.emerald.practice import needs_core
from tests.engine.planning.models.servers.loopback import LoopbackServer
from tests.engine.planning.models.servers.scripted_ollama import OllamaServer
from tests.engine.planning.models.servers.scripted_planner import ScriptedPlanner
from tests.pokeTUI.in_process import loaded_of, poketui, program
from tests.pokeTUI.pane_app import Size
from tests.pokeTUI.says import assert_has

NOBODY = "http://127.0.0.1:9"
UTF8 = {"LANG": "C.UTF-8"}


@pytest.fixture(autouse=True)
def _quiet_surroundings(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Without whatever continues on this machine."""
    monkeypatch.setenv(FOLDER_VARIABLE, str(tmp_path / "sockets"))
    monkeypatch.setenv("OLLAMA_HOST", NOBODY)
    monkeypatch.setenv("POKETUI_CONFIG_DIR", str(tmp_path / "config"))


@pytest.fixture
def ollama() -> Iterator[str]:
    with OllamaServer(ScriptedPlanner("oracle")) as server:
        yield server.url


def doctor(*options: str, cwd: Path | None = None) -> tuple[int, dict[str, dict[str, str]]]:
    """Return the exit code and the findings by name."""
    result = poketui("doctor", "--json", *options, cwd=cwd)
    assert not result.stderr
    said = json.loads(result.stdout)
    assert said["is_well"] is (result.returncode == 0)
    return result.returncode, {row["name"]: row for row in said["findings"]}


def by_name(findings: list[Finding]) -> dict[str, Finding]:
    return {finding.name: finding for finding in findings}


def test_this_machine_is_well(tmp_path: Path) -> None:
    code, found = doctor("--save-dir", str(tmp_path))
    assert code == 0, found
    assert found["Python"]["verdict"] == "good"
    assert "torch" in found["packages"]["text"]
    assert "Mosslight" in found["ROM"]["text"]
    assert str(tmp_path) in found["saves"]["text"]
    assert found["live runs"]["text"] == "none in the background"
    assert "not needed" in found["model"]["text"]


def test_an_examination_imports_nothing_slow(tmp_path: Path) -> None:
    code = (
        "from pokeTUI.app.doctor.examination import examine, look_around\n"
        f"list(examine(look_around(), None, {{'save_dir': {str(tmp_path)!r}}}))"
    )
    assert loaded_of({"torch", "pyboy", "openai", "anthropic", "aiohttp"}, code) == "[]\n"


def test_people_get_a_line_a_finding_and_the_remedy_below_it(tmp_path: Path) -> None:
    result = poketui("doctor", "--save-dir", str(tmp_path), "--rom", str(tmp_path / "none.gbc"))
    assert result.returncode == 1
    lines = result.stdout.splitlines()
    at = next(index for index, line in enumerate(lines) if line.startswith("✗ ROM "))
    assert "There is no ROM file" in lines[at]
    assert lines[at + 1].startswith(" " * (NAME_WIDTH + 3) + "Use your own")
    assert any(line.startswith("✓ Python") for line in lines)


def test_ascii_terminals_get_other_signs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PYTHONIOENCODING", "ascii")
    result = program("doctor", "--save-dir", str(tmp_path), "--rom", str(tmp_path / "none.gbc"))
    assert result.returncode == 1
    assert_has(result.stdout, "+ Python", "x ROM")


def test_a_check_that_fails_ends_no_other(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*arguments: object) -> Finding:
        raise RuntimeError("who knows")

    for check in ("files.examine_rom", "machine.examine_cores", "models.examine_models"):
        monkeypatch.setattr(f"pokeTUI.app.doctor.{check}", fail)
    monkeypatch.setattr("pokeTUI.app.doctor.examination.load_config", fail)
    code, found = doctor("--save-dir", str(tmp_path))
    assert code == 1
    for name in ("ROM", "cores", "model", "settings"):
        assert found[name]["verdict"] == "bad"
        assert found[name]["text"] == "This check failed: RuntimeError: who knows."
        assert found[name]["remedy"]
    assert found["keys"]["verdict"] == "good"


def test_variables_for_other_hosts_do_not_hide_a_server_of_this_machine(
    ollama: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OLLAMA_HOST", ollama)
    monkeypatch.setenv("ALL_PROXY", "socks5://user:hunter2@127.0.0.1:9")
    monkeypatch.setenv("http_proxy", "http://127.0.0.1:9")
    monkeypatch.setenv("SSL_CERT_FILE", "/no/such/file")
    code, found = doctor("--save-dir", str(tmp_path), "--llm-model", "scripted")
    assert code == 0, found
    assert found["model"]["text"].startswith("scripted is available")


def test_what_keeps_a_model_away_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-test")
    monkeypatch.delenv("OPENAI_BASE_URL", raising=False)
    monkeypatch.setenv("HTTPS_PROXY", "http://user:hunter2@127.0.0.1:bad")
    code, found = doctor("--save-dir", str(tmp_path), "--llm-model", "gpt-test")
    assert code == 1
    assert found["model"]["text"] == "HTTPS_PROXY=http://127.0.0.1:bad is not a proxy's address."
    assert found["keys"]["verdict"] == "good"


def test_names_fit_their_column(tmp_path: Path) -> None:
    around = Surroundings(Terminal(term="xterm"), (80, 24), UTF8)
    findings = list(examine(around, None, {"save_dir": str(tmp_path)}))
    assert max(len(finding.name) for finding in findings) <= NAME_WIDTH
    assert len({finding.name for finding in findings}) == len(findings)
    assert all(finding.remedy for finding in findings if finding.verdict is not Verdict.GOOD)


@pytest.mark.parametrize(
    ("found", "verdict"),
    [
        (examine_python((3, 10, 4)), Verdict.BAD),
        (examine_python((3, 14, 0)), Verdict.GOOD),
        (examine_cores(1.0), Verdict.WARNING),
        (examine_cores(2.0), Verdict.GOOD),
        (examine_memory(0.4), Verdict.WARNING),
        (examine_memory(8.0), Verdict.GOOD),
    ],
)
def test_an_old_python_or_a_small_machine_is_told(found: Finding, verdict: Verdict) -> None:
    assert found.verdict is verdict
    assert examine_cores(0.5).text.startswith("0.5 cores")


def test_packages_are_compared_with_what_is_needed(monkeypatch: pytest.MonkeyPatch) -> None:
    def needs(*lines: str) -> Finding:
        monkeypatch.setattr("importlib.metadata.requires", lambda _: list(lines))
        return examine_packages()

    assert needs("textual<9,>=8.0", 'wandb>=99; extra == "wandb"').verdict is Verdict.GOOD
    assert needs("textual>=99").verdict is Verdict.BAD
    assert "too old: textual" in needs("textual>=99").text
    assert needs("textual<2,>=1").verdict is Verdict.WARNING
    assert "missing: no-such-package" in needs("no-such-package>=1").text


def test_a_missing_extra_is_bad_only_where_the_settings_need_it() -> None:
    found = examine_extras()
    assert found.verdict is Verdict.GOOD
    if "not installed: " in found.text:
        absent = found.text.partition("not installed: ")[2].split(", ")[0]
        assert examine_extras(absent).verdict is Verdict.BAD
        assert f"poketui[{absent}]" in examine_extras(absent).remedy


def test_doctor_warns_where_there_is_no_terminal() -> None:
    (found, _) = examine_terminal(None, (80, 24), UTF8)
    assert found.verdict is Verdict.WARNING
    assert "--headless" in found.remedy


XTERM = {"TERM": "xterm-256color"}
TMUX_BY_SSH = {"TERM": "tmux-256color", "TMUX": "/x", "SSH_CONNECTION": "x"}


@pytest.mark.parametrize(
    ("environment", "size", "name", "verdict", "words"),
    [
        ({"TERM": "dumb"}, (80, 24), "terminal", Verdict.BAD, "TERM is dumb"),
        ({}, (80, 24), "terminal", Verdict.BAD, "not set"),
        (XTERM, (79, 24), "size", Verdict.BAD, "minimum is 80x24"),
        (XTERM, (80, 24), "size", Verdict.GOOD, "120x40"),
        (XTERM, (200, 60), "colours", Verdict.WARNING, "256"),
        ({"TERM": "screen"}, (200, 60), "colours", Verdict.WARNING, "16"),
        (XTERM | {"COLORTERM": "truecolor"}, (200, 60), "colours", Verdict.GOOD, "16 million"),
        (XTERM | {"NO_COLOR": "1"}, (200, 60), "colours", Verdict.GOOD, "NO_COLOR"),
        (TMUX_BY_SSH, (99, 40), "terminal", Verdict.GOOD, "through tmux and ssh"),
        ({"TERM": "xterm", "LC_ALL": "C"}, (80, 24), "letters", Verdict.WARNING, "not UTF-8"),
        ({"TERM": "xterm"}, (80, 24), "letters", Verdict.WARNING, "no locale"),
        ({"TERM": "xterm", "LANG": "de_DE.utf8"}, (80, 24), "letters", Verdict.GOOD, "de_DE"),
    ],
)
def test_terminals_are_judged(
    environment: dict[str, str], size: Size, name: str, verdict: Verdict, words: str
) -> None:
    found = by_name(examine_terminal(terminal_of(environment), size, environment))[name]
    assert found.verdict is verdict
    assert words in found.text


def test_wrong_settings_are_told_and_the_rest_is_examined_all_the_same(tmp_path: Path) -> None:
    file = tmp_path / "old.toml"
    file.write_text("[memory]\nsize = 3\n")
    code, found = doctor("--config", str(file))
    assert code == 1
    assert "memory" in found["settings"]["text"]
    assert found["ROM"]["verdict"] == "good"


def test_preferences_of_another_version_are_bad(tmp_path: Path) -> None:
    file = tmp_path / "config" / "preferences.toml"
    assert examine_preferences().verdict is Verdict.GOOD
    file.parent.mkdir()
    file.write_text("telepathy = true\n")
    assert_bad(examine_preferences(), "telepathy", "delete")


def assert_bad(found: Finding, text: str, remedy: str = "") -> None:
    assert found.verdict is Verdict.BAD
    assert text in found.text
    assert remedy in found.remedy


def test_a_rom_that_is_none_is_bad(tmp_path: Path) -> None:
    file = tmp_path / "game.gbc"
    file.write_bytes(b"PK\x03\x04 and more")
    assert_bad(examine_rom(RunConfig(rom_path=str(file))), "zip", "Unpack")


@needs_core
def test_an_advance_game_needs_its_core(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    config = RunConfig(rom_path=ADVANCE)
    assert examine_rom(config).verdict is Verdict.GOOD
    monkeypatch.setenv(CORE_VARIABLE, str(tmp_path / "no-core.so"))
    assert_bad(examine_rom(config), "no-core.so cannot be used", "poketui[gba]")


def test_a_save_folder_that_cannot_be_is_bad(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way")
    found = examine_saves(RunConfig(save_dir=str(tmp_path / "file" / "saves")))
    assert_bad(found, "", "--save-dir")


@pytest.mark.skipif(os.geteuid() == 0, reason="nothing is forbidden to root")
def test_a_save_folder_without_permission_is_bad(tmp_path: Path) -> None:
    tmp_path.chmod(0o500)
    assert_bad(examine_saves(RunConfig(save_dir=str(tmp_path))), "cannot be written")


def test_examining_leaves_nothing_behind(tmp_path: Path) -> None:
    for folder in (tmp_path / "deep" / "saves", tmp_path):
        assert examine_saves(RunConfig(save_dir=str(folder))).verdict is Verdict.GOOD
        assert not list(tmp_path.iterdir())


def test_a_model_that_is_there_is_good_and_one_that_is_not_is_bad(ollama: str) -> None:
    there, missing = examine_models(RunConfig(llm_model="scripted,nope", llm_base_url=ollama))
    assert there.verdict is Verdict.GOOD
    assert_bad(missing, "ollama pull nope")


def test_an_unused_server_is_mentioned(ollama: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OLLAMA_HOST", ollama)
    (found,) = examine_models(RunConfig())
    assert found.verdict is Verdict.GOOD
    assert "has scripted" in found.text
    assert "--llm-model scripted" in found.remedy


def test_a_server_that_lists_no_models_may_have_some(monkeypatch: pytest.MonkeyPatch) -> None:
    with LoopbackServer() as server:  # no path of Ollama's is there
        monkeypatch.setenv("OLLAMA_HOST", server.url)
        (found,) = examine_models(RunConfig())
    assert "does not list its models" in found.remedy
    assert "pull" not in found.remedy


def test_a_model_without_a_server_is_bad() -> None:
    (found,) = examine_models(RunConfig(llm_model="smollm2:1.7b"))
    assert_bad(found, "cannot be reached", "poketui llm check")


def test_model_file_is_looked_at_with_the_memory_that_it_needs(tmp_path: Path) -> None:
    file = tmp_path / "a model.gguf"
    assert_bad(*examine_models(RunConfig(llm_model=str(file))), "does not exist")
    file.write_bytes(b"GGUF and more")
    (there,) = examine_models(RunConfig(llm_model=str(file)))
    assert there.verdict is Verdict.GOOD
    assert f"{file}, " in there.text
    scarce = examine_file(str(file), free_gb=0.4)
    assert scarce.verdict is Verdict.WARNING
    assert "only 0.4 GB of memory free" in scarce.text


def test_keys_are_never_shown(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-very-secret-1234")
    monkeypatch.delenv("ANTHROPIC_API_KEY", raising=False)
    found = examine_keys(os.environ)
    assert found.text == "OPENAI_API_KEY is set, ANTHROPIC_API_KEY is not set"
    result = poketui("doctor", "--save-dir", str(tmp_path))
    assert "secret" not in result.stdout + result.stderr
