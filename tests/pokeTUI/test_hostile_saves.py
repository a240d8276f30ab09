"""Run every command on saves that somebody hostile has made: nothing printed is obeyed."""

import json
import os
import shutil
from pathlib import Path

import pytest

from engine.config import RunConfig
from engine.runs.folder import list_runs
from engine.sessions.train import EngineSession
from tests.pokeTUI.hostile import EVIL, NAME, RAW_NAME, assert_tame
from tests.pokeTUI.in_process import poketui
from tests.pokeTUI.says import assert_lacks

LIMIT_S = 120.0


@pytest.fixture(scope="module")
def saves(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with runs and demonstrations whose names, settings and figures are hostile."""
    folder = tmp_path_factory.mktemp("hostile")
    saves = folder / "saves"
    config = RunConfig(save_dir=str(saves), agent="rules", num_envs=1, workers=1, total_steps=8)
    session = EngineSession(config)
    session.start()
    session.join(LIMIT_S)
    run = list_runs(str(saves))[0].path
    for name in (NAME, "keys", "values", "paths", "figures"):
        shutil.copytree(run, saves / "runs" / name)
    shutil.rmtree(run)
    change(saves / "runs/keys/config.json", **{EVIL: EVIL})
    change(saves / "runs/values/config.json", agent=EVIL, mode=EVIL)
    change(saves / "runs/paths/config.json", rom_path=EVIL, start_state=EVIL, llm_model=EVIL)
    figures = {"event": "PolicyUpdated", "update": 1, "total_steps": 8, "figures": {EVIL: 1.0}}
    (saves / "runs/figures/journal.jsonl").write_text(json.dumps(figures) + "\n")
    (saves / "runs" / RAW_NAME).mkdir()
    (saves / "demos" / RAW_NAME).mkdir(parents=True)
    (saves / "demos" / NAME).mkdir()
    for place in (saves / "demos", saves / "demos" / NAME):
        (place / f"bad{EVIL}.demo").write_text(EVIL)
    policy = saves / "policies" / NAME
    policy.mkdir(parents=True)
    (policy / "config.json").write_text(json.dumps({"cloning": {"network": EVIL}, EVIL: EVIL}))
    return saves


def change(path: Path, **settings: object) -> None:
    path.write_text(json.dumps(json.loads(path.read_text()) | settings))


RUN_COMMANDS = [
    ("runs", "{}"),
    ("runs", "{}", "figures"),
    ("eval", "{}", "--checkpoint", EVIL),
    ("export", "{}", "--force", "--out", f"out{EVIL}"),
    ("export", "{}", "--format", EVIL),
    ("export", "{}", "--table", EVIL),
    ("replay", "{}"),
    ("replay", "{}", "--watch"),
    ("llm", "log", "{}", "--full"),
    ("llm", "export", "{}", "--out", f"out{EVIL}", "--force"),
]
RUNS = (NAME, RAW_NAME, EVIL, "keys", "values", "paths", "figures")


@pytest.mark.parametrize("run", RUNS, ids=ascii)
@pytest.mark.parametrize("command", RUN_COMMANDS, ids=lambda command: ascii(" ".join(command[:3])))
def test_hostile_run_prints_no_control_sequences(
    saves: Path, command: tuple[str, ...], run: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("POKETUI_SAVE_DIR", str(saves))
    monkeypatch.chdir(saves.parent)
    said = poketui(*(word if word != "{}" else run for word in command))
    assert_tame(said)
    assert said.returncode in (0, 2)
    assert said.stdout + said.stderr


@pytest.mark.parametrize(
    "command",
    [
        ("runs",), ("runs", "a", "b", EVIL), ("demos",), ("demos", "show", f"bad{EVIL}"),
        ("demos", "show", RAW_NAME), ("demos", "validate"), ("demos", "stats"),
        ("demos", "split"), ("demos", "filter", "--out", EVIL), ("demos", "merge", "saves/demos"),
        ("demos", "recover", EVIL), ("demos", "delete", EVIL), ("demos", "delete", f"bad{EVIL}"),
        ("demos", "export", "--format", EVIL),
        ("demos", "import", f"saves/demos/bad{EVIL}.demo", EVIL), ("demos", "watch", EVIL),
        ("bc", NAME), ("bc", "--network", EVIL), ("bc", "--resume", NAME),
        ("bc", "--dagger", EVIL), ("llm", "check", "--model", EVIL),
        ("llm", "check", "--base-url", EVIL), ("llm", "ask", "--rom", EVIL),
        ("llm", "ask", "--state", EVIL), ("attach", EVIL), ("stop", EVIL), ("serve", EVIL),
        ("rom", EVIL), ("rom", f"saves/demos/bad{EVIL}.demo"),
        ("doctor", "--rom", EVIL, "--llm-model", EVIL), ("doctor", "--json", "--rom", EVIL),
        ("doctor", "--config", f"saves/demos/bad{EVIL}.demo"),
        ("run", "--headless", "--resume", EVIL), ("run", "--headless", "--resume", "keys"),
        ("run", "--headless", "--resume", "values"), ("run", "--headless", "--resume", "paths"),
        ("run", "--headless", "--config", "saves/runs/keys/config.json"),
        ("run", "--headless", "--config", EVIL), ("run", "--headless", "--from", EVIL),
        ("run", "--headless", "--set", EVIL), ("run", "--headless", "--set", f"{EVIL}=1"),
        ("run", "--headless", "--set", f"ppo.epochs={EVIL}"),
        ("run", "--headless", "--agent", EVIL), ("run", "--headless", "--color", EVIL),
        ("run", "--seed", EVIL), ("run", f"--{EVIL}"), (EVIL,),
        ("record", "--headless", "--player", EVIL, "--episodes", "1"),
        ("record", "--headless", "--player", "rules", "--episodes", "1", "--tag", EVIL),
        ("record", "--headless", "--player", "rules", "--episodes", "1", "--set", EVIL),
        ("record", "--time-limit", EVIL), ("record", "--from", EVIL), ("bench", "learn", EVIL),
    ],
    ids=lambda command: ascii(" ".join(command))[:50],
)  # fmt: skip
def test_hostile_names_print_no_control_sequences(
    saves: Path, command: tuple[str, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("POKETUI_SAVE_DIR", str(saves))
    monkeypatch.setenv("POKETUI_RUNTIME_DIR", str(saves.parent / "sockets"))
    monkeypatch.chdir(saves.parent)
    said = poketui(*command)
    assert_tame(said)
    assert said.returncode in (0, 1, 2)
    if said.returncode == 2 and command[:2] not in (("demos", "validate"), ("demos", "import")):
        *warnings, refusal = said.stderr.splitlines()
        assert refusal.startswith("poketui: ")
        assert all(line.startswith("warning: ") for line in warnings)


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
@pytest.mark.parametrize("line", ["runs ", "run --resume ", "bc ", "record --player "])
def test_completion_offers_no_name_that_is_more_than_a_word(
    saves: Path, line: str, shell: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("POKETUI_SAVE_DIR", str(saves))
    for name in ("$(touch owned)", "a;b", "a b", "`x`", "-rf", "~root", "a'b"):
        (saves / "demos" / name).mkdir(exist_ok=True)
        for kind in ("runs", "policies"):
            folder = saves / kind / name
            folder.mkdir(exist_ok=True)
            (folder / "config.json").write_text("{}")
    typed = f"poketui {line}"
    monkeypatch.setenv("_POKETUI_COMPLETE", f"complete_{shell}")
    monkeypatch.setenv("COMP_WORDS", "\n".join(typed.split(" ")))
    monkeypatch.setenv("COMP_CWORD", str(typed.count(" ")))
    monkeypatch.setenv("_TYPER_COMPLETE_ARGS", typed)
    monkeypatch.setenv("_TYPER_COMPLETE_FISH_ACTION", "get-args")
    said = poketui()
    for name in (saves / kind for kind in ("runs", "policies", "demos")):
        shutil.rmtree(name / "$(touch owned)", ignore_errors=True)
    said.stdout = said.stdout.replace("\t", " ")  # fish wants a tab
    assert_tame(said)
    assert_lacks(said.stdout, "touch", "owned", "rf", "root", "`", "a;b", "a b")
    assert line == "bc " or "figures" in said.stdout


def test_a_log_line_is_one_line_that_no_terminal_obeys(tmp_path: Path) -> None:
    import logging

    from engine.sessions.train import log_to_file

    path = tmp_path / "engine.log"
    with log_to_file(str(path), "INFO"):
        try:
            raise ValueError(EVIL)
        except ValueError:
            logging.getLogger("engine.test").warning("a model said %s", EVIL, exc_info=True)
    text = path.read_text()
    assert_lacks(text, "\x1b", "\u202e")
    assert "a model said \\x1b]0;owned" in text.splitlines()[0]
    assert os.linesep + "ValueError" in text
