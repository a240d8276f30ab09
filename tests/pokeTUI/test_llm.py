"""Drive `poketui llm` as a user would, against a server on loopback."""

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from engine.config import RunConfig
from engine.games.practice.game import rom_path
from engine.planning.models.exchanges import Exchange, ExchangeLog
from engine.planning_types import Condition
from engine.runs.folder import RunFolder
from tests.engine.planning.models.servers.scripted_ollama import OllamaServer
from tests.engine.planning.models.servers.scripted_planner import ScriptedPlanner
from tests.engine.planning.models.test_exchanges import exchange, goal_outcome
from tests.pokeTUI.in_process import assert_refused, poketui, succeed, succeeded
from tests.pokeTUI.says import assert_has
from tests.pokeTUI.test_cli import SMALL, headless

_ROLES = ["system", "user", "assistant"]
PAIR = ("scripted:latest", "second:latest")


@pytest.fixture(scope="module")
def url() -> Iterator[str]:
    with OllamaServer(ScriptedPlanner("oracle")) as server:
        yield server.url


@pytest.fixture
def pair() -> Iterator[str]:
    with OllamaServer(ScriptedPlanner("oracle"), models=PAIR) as server:
        yield server.url


def test_a_good_model_is_said_to_be_good(url: str) -> None:
    result = succeed("llm", "check", "--model", "scripted", "--base-url", url)
    assert result.stdout.count("✓") == 6
    assert "poketui run --llm-model scripted" in result.stdout


def test_a_missing_model_comes_with_the_remedy_and_exit_code_2(url: str) -> None:
    result = poketui("llm", "check", "--model", "nope", "--base-url", url)
    assert result.returncode == 2
    assert "ollama pull nope" in result.stdout


def test_one_plan_is_shown_whole(url: str) -> None:
    asked = ("--model", "scripted", "--base-url", url, "--wish", "see the town")
    result = succeed("llm", "ask", *asked)
    assert_has(
        result.stdout,
        "A person wants: see the town",
        "Next milestone: Go downstairs",
        '"choice": "reach next milestone"',
        "reached when: a milestone was reached",
    )


def test_every_model_of_a_list_is_checked(url: str, pair: str) -> None:
    good = succeed("llm", "check", "--model", "scripted, second", "--base-url", pair)
    assert good.stdout.count("✓") == 12
    assert f"run --llm-model 'scripted, second' --set llm_base_url={pair}" in good.stdout
    half = poketui("llm", "check", "--model", "scripted,nope", "--base-url", url)
    assert half.returncode == 2
    assert half.stdout.count("✓") == 7  # of the second its server alone
    assert_has(half.stdout, "ollama pull nope\n", "1 of 2 models can be used.")


def test_all_models_of_a_list_are_asked_and_vote(pair: str) -> None:
    result = succeed("llm", "ask", "--model", "scripted,second,nope", "--base-url", pair)
    assert result.stdout.count("--- question") == 1
    assert result.stdout.count('"choice": "reach next milestone"') == 2
    assert "no goal: Ollama at" in result.stdout
    assert "ollama pull nope" in result.stdout
    assert "scripted+second\ngoal: reach next milestone" in result.stdout


def test_models_that_all_are_missing_give_no_plan(url: str) -> None:
    result = poketui("llm", "ask", "--model", "nope,none", "--base-url", url)
    assert result.returncode == 2
    assert_has(result.stdout, "ollama pull nope", "ollama pull none")


@pytest.mark.slow
@pytest.mark.parametrize("command", ["check", "ask"])
def test_a_setting_that_is_advised_can_be_given(command: str) -> None:
    with OllamaServer(ScriptedPlanner("oracle"), latency_s=0.5) as slow:
        asked = ("llm", command, "--model", "scripted", "--set", f"llm_base_url={slow.url}")
        late = poketui(*asked, "--set", "planner.first_token_timeout_s=0.1")
        assert late.returncode == 2
        assert "planner.first_token_timeout_s sets the timeout" in late.stdout + late.stderr
        in_time = succeed(*asked, "--set", "planner.first_token_timeout_s=60")
        if command == "check":
            assert "--set planner.first_token_timeout_s=60" in in_time.stdout
        refused = poketui(*asked, "--set", "planner.first_token_timeout_s=soon")
        assert_refused(refused, "planner.first_token_timeout_s", "soon")


def test_a_context_too_small_is_refused_with_the_least(tmp_path: Path, url: str) -> None:
    refused = poketui("run", "--headless", "--set", "max_context_length=256", cwd=tmp_path)
    assert_refused(refused, "max_context_length = 256", "at least 1160")
    assert not list(tmp_path.iterdir())
    asked = ("llm", "ask", "--model", "scripted", "--base-url", url)
    succeed(*asked, "--set", "max_context_length=1160")


@pytest.mark.slow
def test_the_model_may_be_a_setting_and_an_option_goes_before_it(url: str) -> None:
    address = ("--base-url", url, "--set", "llm_model=nope")
    assert "ollama pull nope" in poketui("llm", "check", *address).stdout
    assert poketui("llm", "check", *address, "--model", "scripted").returncode == 0
    assert "smollm2:1.7b" in poketui("llm", "check", "--base-url", url).stdout


def test_a_state_that_is_not_there_is_refused(url: str) -> None:
    result = poketui("llm", "ask", "--base-url", url, "--state", "nothere.state")
    assert_refused(result, "nothere.state")


SECRET = "http://user:s3cret@127.0.0.1:9/v1"


@pytest.mark.parametrize(
    "arguments",
    [
        ("run", "--headless", "--llm-model", "m", "--set", f"llm_base_url={SECRET}"),
        ("llm", "check", "--base-url", SECRET),
        ("llm", "ask", "--base-url", SECRET),
    ],
)
def test_an_address_with_a_password_is_refused_and_neither_shown_nor_stored(
    tmp_path: Path, arguments: tuple[str, ...]
) -> None:
    result = poketui(*arguments, cwd=tmp_path)
    assert_refused(result, "llm_base_url", "password", "OPENAI_API_KEY", "environment")
    assert "s3cret" not in result.stdout + result.stderr
    assert not list(tmp_path.iterdir())


def test_an_address_with_a_password_in_a_file_or_variable_is_refused_too(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "mine.toml").write_text(f'llm_base_url = "{SECRET}"\n')
    saves = ("--headless", "--save-dir", str(tmp_path / "saves"))
    by_file = poketui("run", "--config", str(tmp_path / "mine.toml"), *saves)
    monkeypatch.setenv("POKETUI_LLM_BASE_URL", SECRET)
    for result in (by_file, poketui("run", *saves)):
        assert_refused(result, "llm_base_url", "password")
        assert "s3cret" not in result.stdout + result.stderr
    assert not (tmp_path / "saves").exists()


@pytest.mark.slow
def test_a_run_asks_its_model_and_the_log_tells_what_came_of_it(tmp_path: Path, url: str) -> None:
    model = ("--llm-model", "scripted", "--set", f"llm_base_url={url}", "--llm-interval", "1")
    result = succeeded(headless(tmp_path, *SMALL, "--mode", "llm_only", "--steps", "1200", *model))
    assert "model scripted is ready" in result.stdout
    saves = ("--save-dir", str(tmp_path / "saves"))
    listed = poketui("llm", "log", *saves).stdout
    # Which situation comes first depends on how soon the server was found ready.
    assert re.search(
        r"(milestone|exit|edge|person|sign|away|battle).* \d+ reached, \d+ failed", listed
    )
    full = poketui("llm", "log", "--full", *saves).stdout
    assert_has(full, "As the oracle I would", "Choices:")
    out = tmp_path / "exchanges.csv"
    succeed("export", "--table", "exchanges", "--out", str(out), *saves)
    assert "verdicts:reached" in out.read_text().splitlines()[0]
    succeed("llm", "export", "--out", str(tmp_path / "chats"), *saves)
    facts, chats = exported_chats(tmp_path / "chats")
    assert facts["examples"] == len(chats) > 1
    assert facts["success"]["right"] > 0
    for system, user, answer in chats:
        assert system.startswith("You plan for an agent that plays a role-playing game")
        assert f"\n- {answer['choice']}: " in user
        assert answer["reasoning"] == f"As the oracle I would {answer['choice']}."


def exported_chats(folder: Path) -> tuple[dict[str, Any], list[tuple[str, str, dict[str, Any]]]]:
    """Return the statistics, and system text, prompt and answer of each example."""
    chats = []
    for path in sorted(folder.glob("*.jsonl")):
        for line in path.read_text().splitlines():
            system, user, assistant = json.loads(line)["messages"]
            assert [system["role"], user["role"], assistant["role"]] == _ROLES
            chats.append((system["content"], user["content"], json.loads(assistant["content"])))
    return json.loads((folder / "stats.json").read_text()), chats


def run_with_log(save_dir: Path) -> tuple[RunFolder, ExchangeLog]:
    folder = RunFolder.create(RunConfig(save_dir=str(save_dir)))
    folder.unlock()
    return folder, ExchangeLog(folder.exchanges_path)


def run_with_answers(save_dir: Path, *places: str, model: str = "scripted") -> str:
    """Save a run with an answer that was proven right in each place; return its id."""
    folder, log = run_with_log(save_dir)
    for number, place in enumerate(places):
        log.add(
            exchange(
                number, key=place, place_key=place, model=model, setter=model, choice="heal",
                prompt=f"Rules.\n\n{place}\nChoices: explore; heal", condition=Condition.HEALED,
            )
        )  # fmt: skip
        log.add_goal_outcome(goal_outcome(key=place, goal_source=model, made_progress=True))
    assert log.flush() == ""
    return folder.run_id


def test_answers_of_all_runs_are_exported_once_each_and_never_overwritten(tmp_path: Path) -> None:
    first = run_with_answers(tmp_path, *"abcdefghijkl")
    second = run_with_answers(tmp_path, "a", "z", model="other")
    saves = ("--save-dir", str(tmp_path), "--out", str(tmp_path / "chats"))
    done = succeed("llm", "export", "--all", *saves)
    assert "2 runs, 14 exchanges, 13 examples\ndropped: 1 duplicate\n" in done.stdout
    facts, chats = exported_chats(tmp_path / "chats")
    assert sorted(facts["runs"]) == sorted([first, second])
    assert facts["files"]["validation.jsonl"]["examples"] == 1
    assert sorted(user[0] for _, user, _ in chats) == [*"abcdefghijklz"]
    before = (tmp_path / "chats/train.jsonl").read_bytes()
    refused = poketui("llm", "export", first, *saves)
    assert_refused(refused, "already exists", "--force")
    assert (tmp_path / "chats/train.jsonl").read_bytes() == before
    few = poketui("llm", "export", second, "--force", "--val-share", "0", *saves)
    assert "OpenAI's fine-tuning requires at least 10 examples." in few.stdout
    assert not (tmp_path / "chats/validation.jsonl").exists()
    assert len(exported_chats(tmp_path / "chats")[1]) == 2


def test_an_export_without_a_proven_answer_says_why_and_writes_nothing(tmp_path: Path) -> None:
    run = run_with_answers(tmp_path, "a")
    saves = ("--save-dir", str(tmp_path), "--out", str(tmp_path / "chats"))
    none = poketui("llm", "export", run, "--min-right", "2", *saves)
    assert_refused(none, "No examples in 1 exchange (dropped: 1 right too rarely)", "--min-right")
    assert_refused(poketui("llm", "export", run, "--model", "gpt-9", *saves), "gpt-9", "scripted")
    assert_refused(poketui("llm", "export", run, "--all", *saves), "Runs and --all")
    assert not (tmp_path / "chats").exists()


def test_the_log_in_full_tells_the_whole_cause_of_a_missing_goal(tmp_path: Path) -> None:
    cause = "cut off before the answer (stopped after writing 160 tokens; planner.answer_"
    folder, log = run_with_log(tmp_path)
    log.add(
        Exchange(
            1, 0, "map", "town", "tiny", "Choices:", '{"reas', "", "", "", "", 0.0, "",
            f"{cause}tokens sets the limit)", (), 9.0, 4.0, 900, 160, 0.0,
        )
    )  # fmt: skip
    assert log.flush() == ""
    asked = ("llm", "log", str(folder.path))
    assert "no goal: cut off" in poketui(*asked).stdout
    full = succeed(*asked, "--full")
    assert f"no goal: {cause}tokens sets the limit)\n" in full.stdout


@pytest.mark.slow
def test_the_documented_command_trains_and_quiet_prints_where_to_resume_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    documented = ("--actions", "64", "--llm-model", "smollm2:3b", "--llm-interval", "30")
    with OllamaServer(ScriptedPlanner("oracle"), models=("smollm2:3b",)) as server:
        monkeypatch.setenv("OLLAMA_HOST", server.url)
        result = headless(tmp_path, *SMALL, "--rom", str(rom_path()), *documented, "--quiet")
    assert result.returncode == 0, result.stderr
    (run,) = (tmp_path / "saves/runs").iterdir()
    (line,) = result.stdout.splitlines()
    assert line == f"Saved at step 64. Resume with: poketui run --resume {run}"
    settings = json.loads((run / "config.json").read_text())
    assert (settings["llm_model"], settings["llm_interval"]) == ("smollm2:3b", 30)


@pytest.mark.slow
def test_a_run_says_which_of_its_models_is_missing(tmp_path: Path, url: str) -> None:
    models = ("--llm-model", "scripted,nope", "--set", f"llm_base_url={url}")
    result = succeeded(headless(tmp_path, *SMALL, "--steps", "1200", *models))
    assert "is ready: 1 of 2 models ready, nope: missing. nope: Ollama at" in result.stdout
    assert "ollama pull nope" in result.stdout
    assert "model 1 of 2 models ready, nope: missing" in result.stdout


@pytest.mark.slow
def test_a_run_without_a_model_has_nothing_to_tell(tmp_path: Path) -> None:
    assert headless(tmp_path, *SMALL, "--steps", "64").returncode == 0
    result = succeed("llm", "log", "--save-dir", str(tmp_path / "saves"))
    assert "queried no language model" in result.stdout
