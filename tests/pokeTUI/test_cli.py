"""Drive the real command as a user would: bad input is one clear line and exit code 2."""

import json
import os
import shutil
import subprocess
import sys
from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path

import pytest

from engine.errors import CheckpointError
from engine.events import RunFailed, RunStopped
from pokeTUI.app.launch import report
from pokeTUI.cli.outcomes import evaluate
from tests.pokeTUI.in_process import poketui

ROOT = Path(__file__).parents[2]
PRACTICE_ROM = ROOT / "roms" / "practice.gbc"
SMALL = ("--envs", "2", "--workers", "1", "--set", "ppo.rollout_steps=32")


def program(*arguments: str) -> subprocess.CompletedProcess[str]:
    """Run `poketui` in a process of its own."""
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "PYTHONWARNINGS": "ignore"}
    return subprocess.run(
        [sys.executable, "-m", "pokeTUI", *arguments],
        capture_output=True,
        text=True,
        timeout=300,
        cwd=ROOT,
        env=environment,
        stdin=subprocess.DEVNULL,
        check=False,
    )


def assert_refused(result: subprocess.CompletedProcess[str], *words: str) -> None:
    """Check for one line on standard error that holds `words`, and exit code 2."""
    assert result.returncode == 2, result.stderr
    lines = result.stderr.strip().splitlines()
    assert len(lines) == 1, result.stderr
    assert lines[0].startswith("poketui: ")
    for word in words:
        assert word in lines[0]


def headless(tmp_path: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    return poketui("run", "--headless", "--save-dir", str(tmp_path / "saves"), *arguments)


def test_help_names_the_commands_and_needs_no_torch() -> None:
    code = (
        "import sys\n"
        "from pokeTUI.cli.main import app\n"
        "try: app(['--help'])\n"
        "except SystemExit: pass\n"
        "print(sorted({'torch', 'pyboy', 'textual', 'numpy'} & set(sys.modules)))"
    )
    result = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, cwd=ROOT, check=True
    )
    assert "run" in result.stdout
    assert result.stdout.strip().endswith("[]")


def test_a_mistake_is_one_line_of_the_program_and_its_exit_code() -> None:
    refused = program("run", "--headless", "--strategy", "bold")
    assert_refused(refused, "strategy", "bold", "'adaptive', 'llm_heavy', 'balanced'")
    assert refused.stdout == ""


@pytest.mark.parametrize(
    ("arguments", "command"),
    [
        (("bc", "--bogus"), "poketui bc"),
        (("demos", "list", "--bogus"), "poketui demos list"),
        (("bench", "bogus"), "poketui bench"),
        (("bogus",), "poketui"),
    ],
)
def test_a_wrong_argument_names_the_help_of_its_own_command(
    arguments: tuple[str, ...], command: str
) -> None:
    assert_refused(poketui(*arguments), f"See: {command} --help")


def test_version_is_printed_and_nothing_heavy_is_loaded() -> None:
    code = (
        "import sys\n"
        "from pokeTUI.cli.main import app\n"
        "try: app(['--version'])\n"
        "except SystemExit as end: print(end.code)\n"
        "print(sorted({'torch', 'pyboy', 'textual', 'numpy', 'pydantic'} & set(sys.modules)))"
    )
    result = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, cwd=ROOT, check=True
    )
    assert result.stdout.splitlines() == [f"poketui {version('poketui')}", "0", "[]"]


@pytest.mark.parametrize(
    ("setting", "meant"),
    [
        ("kurriculum.stage=1", "curriculum.stages"),
        ("env.max_step=9", "env.max_steps"),
        ("rollout_steps=9", "ppo.rollout_steps"),
        ("sed=9", "seed"),
    ],
)
def test_a_misspelt_setting_names_the_nearest(setting: str, meant: str, tmp_path: Path) -> None:
    assert_refused(headless(tmp_path, "--set", setting), f"Did you mean {meant}?")


def test_an_unknown_key_of_a_config_file_names_the_nearest_setting(tmp_path: Path) -> None:
    path = tmp_path / "run.toml"
    path.write_text("[ppo]\nepoch = 3\n")
    refused = headless(tmp_path, "--config", str(path))
    assert_refused(refused, "unknown key 'ppo.epoch'", "Did you mean ppo.epochs?")


@pytest.mark.parametrize(
    ("arguments", "verb"),
    [
        (("run", "--headless", "--resume", "latest"), "resume"),
        (("replay",), "replay"),
        (("replay", "--watch"), "replay"),
        (("eval",), "evaluate"),
        (("export",), "read"),
        (("llm", "log"), "read"),
        (("llm", "export", "--all"), "read"),
    ],
)
def test_without_a_saved_run_a_command_says_what_it_would_do_with_one(
    arguments: tuple[str, ...], verb: str, tmp_path: Path
) -> None:
    refused = poketui(*arguments, "--save-dir", str(tmp_path))
    assert_refused(refused, f"No saved run to {verb} in {tmp_path / 'runs'}.")


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("run", "--rom", "no.gbc"), "no ROM file at no.gbc"),
        (("run", "--state", "no.state"), "does not exist: no.state"),
        (("run", "--resume", "no-run"), "no saved run 'no-run'"),
        (("record", "--rom", "no.gbc"), "no ROM file at no.gbc"),
        (("record", "--state", "no.state"), "does not exist: no.state"),
        (("record", "--player", "nobody"), "Unknown player 'nobody'"),
        (("run",), "needs a terminal"),
        (("record",), "needs a terminal"),
    ],
)
def test_without_a_terminal_a_mistake_is_reported_before_that(
    arguments: tuple[str, ...], said: str, tmp_path: Path
) -> None:
    assert_refused(poketui(*arguments, "--save-dir", str(tmp_path / "saves")), said)
    assert not (tmp_path / "saves").exists()


def test_missing_rom_is_refused(tmp_path: Path) -> None:
    assert_refused(headless(tmp_path, "--rom", str(tmp_path / "no.gbc")), "no.gbc")


def test_folder_as_rom_is_refused(tmp_path: Path) -> None:
    assert_refused(headless(tmp_path, "--rom", str(tmp_path)), str(tmp_path))


def test_text_file_as_rom_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "letter.gbc"
    path.write_text("Dear reader, " * 5000)
    assert_refused(headless(tmp_path, "--rom", str(path)), "letter.gbc")


def test_truncated_rom_is_refused_and_nothing_is_written_beside_it(tmp_path: Path) -> None:
    folder = tmp_path / "roms"
    folder.mkdir()
    path = folder / "cut.gbc"
    image = PRACTICE_ROM.read_bytes()
    path.write_bytes(image[: len(image) // 2])
    assert_refused(headless(tmp_path, "--rom", str(path)), "cut.gbc")
    assert [entry.name for entry in folder.iterdir()] == ["cut.gbc"]


def test_changed_rom_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "changed.gbc"
    image = bytearray(PRACTICE_ROM.read_bytes())
    image[0x2000] ^= 0xFF
    path.write_bytes(image)
    assert_refused(headless(tmp_path, "--rom", str(path)), "changed.gbc")


@pytest.mark.parametrize(
    ("name", "content", "words"),
    [
        ("bad.json", "{", ("bad.json", "invalid")),
        ("bad.toml", "seed = = 1", ("bad.toml", "invalid")),
        ("list.json", "[1]", ("list.json",)),
        ("key.json", '{"sede": 1}', ("key.json", "sede")),
        ("value.toml", "[ppo]\nepochs = -1\n", ("value.toml", "ppo.epochs", "-1")),
    ],
)
def test_broken_config_file_is_refused(
    tmp_path: Path, name: str, content: str, words: tuple[str, ...]
) -> None:
    path = tmp_path / name
    path.write_text(content)
    assert_refused(headless(tmp_path, "--config", str(path)), *words)


def test_missing_config_file_is_refused(tmp_path: Path) -> None:
    assert_refused(headless(tmp_path, "--config", str(tmp_path / "no.json")), "no.json")


def test_save_folder_that_cannot_be_made_is_refused(tmp_path: Path) -> None:
    # A file where the folder should be: also stops root, whom no permission stops.
    (tmp_path / "saves").write_text("in the way")
    assert_refused(headless(tmp_path), "saves")


def test_unknown_run_cannot_be_resumed(tmp_path: Path) -> None:
    assert_refused(headless(tmp_path, "--resume", "nobody"), "nobody")
    assert_refused(headless(tmp_path, "--resume"))


def test_setting_without_a_value_is_refused(tmp_path: Path) -> None:
    assert_refused(headless(tmp_path, "--set", "seed"), "KEY=VALUE")


def test_cockpit_without_a_terminal_points_to_headless() -> None:
    assert_refused(program("run"), "--headless")


def test_rom_command_says_what_the_practice_game_is() -> None:
    result = poketui("rom", str(PRACTICE_ROM))
    assert result.returncode == 0
    assert "Mosslight" in result.stdout


@pytest.mark.slow
def test_recorded_episode_is_replayed(tmp_path: Path) -> None:
    saves = ["--save-dir", str(tmp_path / "saves")]
    few = [
        "--agent",
        "random",
        "--envs",
        "1",
        "--episodes",
        "1",
        "--set",
        "env.max_steps=40",
        "--set",
        "env.progress_steps=0",
    ]
    assert headless(tmp_path, *few).returncode == 0
    result = poketui("replay", *saves)
    assert result.returncode == 0, result.stderr
    assert "Episode 1 of run" in result.stdout
    assert "40 steps" in result.stdout
    assert_refused(
        poketui("replay", *saves, "--episode", "7"), "no recorded episode 7", "last one is 1"
    )
    assert_refused(poketui("replay", "nowhere", *saves), "no saved run 'nowhere'")
    gif = tmp_path / "a.gif"
    result = poketui("replay", "latest:1", *saves, "--gif", str(gif), "--to", "5")
    assert f"Wrote {gif}" in result.stdout, result.stderr
    assert_refused(poketui("replay", *saves, "--gif", str(gif)), "already exists", "--force")
    assert_refused(poketui("replay", *saves, "--panes"), "--gif FILE or --mp4 FILE")
    assert_refused(poketui("replay", "latest:x", *saves), "'x' is not an episode number")


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("run", "--seed", "abc"), ("--seed", "integer")),
        (("run", "--seed"), ("--seed", "argument")),
        (("run", "--sede", "3"), ("--sede",)),
        (("frob",), ("frob",)),
        (("replay", "a", "b"), ("b",)),
        (("eval", "--episodes", "0"), ("--episodes", "1")),
    ],
)
def test_misspelt_commands_and_options_are_one_line(
    arguments: tuple[str, ...], words: tuple[str, ...]
) -> None:
    assert_refused(poketui(*arguments), *words)


@pytest.mark.parametrize(
    ("option", "value", "allowed"),
    [
        ("--agent", "frob", "'ppo'"),
        ("--mode", "frob", "'rl_only'"),
        ("--strategy", "frob", "'llm_heavy'"),
        ("--llm-interval", "0", "greater than or equal to 1"),
        ("--actions", "-1", "greater than or equal to 0"),
        ("--episodes", "-1", "greater than or equal to 0"),
        ("--workers", "999", "less than or equal to 128"),
    ],
)
def test_bad_values_name_what_is_allowed(
    tmp_path: Path, option: str, value: str, allowed: str
) -> None:
    assert_refused(headless(tmp_path, option, value), value, allowed)


def test_a_model_and_no_model_are_refused(tmp_path: Path) -> None:
    assert_refused(headless(tmp_path, "--llm-model", "x", "--no-llm"), "mutually exclusive")


def test_wandb_without_its_package_is_refused_before_anything_is_written(tmp_path: Path) -> None:
    if find_spec("wandb") is None:
        assert_refused(headless(tmp_path, "--set", "wandb=offline"), "poketui[wandb]")
        assert not (tmp_path / "saves").exists()


@pytest.mark.slow
def test_actions_is_another_name_for_steps(tmp_path: Path) -> None:
    result = headless(tmp_path, *SMALL, "--actions", "64")
    assert result.returncode == 0, result.stderr
    assert "Saved at step 64." in result.stdout


@pytest.mark.slow
def test_a_run_goes_on_without_the_model_that_nobody_serves(tmp_path: Path) -> None:
    nobody = ("--set", "llm_base_url=http://127.0.0.1:9")
    result = headless(tmp_path, *SMALL, "--steps", "640", "--llm-model", "smollm2:1.7b", *nobody)
    assert result.returncode == 0, result.stderr
    assert "model smollm2:1.7b is unreachable" in result.stdout
    assert "ollama serve" in result.stdout
    assert "Saved at step 640." in result.stdout


@pytest.fixture(scope="module")
def saved(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two small runs, the first one evaluated; return what their folder is in."""
    folder = tmp_path_factory.mktemp("saved")
    options = (*SMALL, "--set", "env.max_steps=40", "--set", "env.progress_steps=0")
    evaluated = ("--mode", "rl_only", "--set", "eval_interval=4", "--set", "eval_episodes=1")
    where = ("run", "--headless", "--save-dir", str(folder / "saves"), "--steps", "256")
    for result in (
        poketui(*where, *options, *evaluated),
        poketui(*where, *options, "--seed", "3", "--set", "ppo.distillation=0"),
    ):
        assert result.returncode == 0, result.stderr
        assert "Saved at step 256. Resume with: poketui run --resume" in result.stdout
    return folder


@pytest.mark.slow
def test_runs_are_listed_and_resumed_and_unreadable_ones_passed_over(
    saved: Path, tmp_path: Path
) -> None:
    shutil.copytree(saved / "saves", tmp_path / "saves")
    runs = tmp_path / "saves" / "runs"
    first, last = run_ids(tmp_path)
    contents = {"a": b"[]", "b": b'{"seed": 1e400}', "c": b"[" * 100_000, "d": b"\xff"}
    for bad, content in contents.items():
        shutil.copytree(runs / last, runs / bad)
        (runs / bad / "config.json").write_bytes(content)
    listed = poketui("runs", "--save-dir", str(tmp_path / "saves"))
    assert listed.returncode == 0, listed.stderr
    rows = {line.split()[0]: line for line in listed.stdout.splitlines()}
    assert all("256" in rows[good] for good in (first, last))
    assert all("cannot be read: " in rows[bad] for bad in contents)
    assert_refused(headless(tmp_path, "--resume", "a"), "a", "unreadable")
    shutil.rmtree(runs / last)
    resumed = headless(tmp_path, "--resume", "--workers", "1", "--steps", "288")
    assert resumed.returncode == 0, resumed.stderr
    said = resumed.stdout + resumed.stderr
    assert all(f"The run {bad} cannot be used: " in said for bad in contents)
    assert "resumed at step 256" in resumed.stdout
    assert resumed.stdout.splitlines()[-1].startswith("Saved at step 288.")


@pytest.mark.slow
def test_damaged_lines_of_a_journal_are_told(saved: Path, tmp_path: Path) -> None:
    shutil.copytree(saved / "saves", tmp_path / "saves")
    run = run_ids(tmp_path)[-1]
    path = tmp_path / "saves" / "runs" / run / "journal.jsonl"
    path.write_bytes(path.read_bytes().replace(b"EpisodeEnded", b"Episode\xffnded", 2))
    where = ("--save-dir", str(tmp_path / "saves"))
    told = f"warning: 2 damaged lines of {path} are skipped.\n"
    for arguments in (("runs", run), ("export", run, "--out", str(tmp_path / "out.csv"))):
        result = poketui(*arguments, *where)
        assert result.returncode == 0, result.stderr
        assert result.stderr.endswith(told)
    resumed = headless(tmp_path, "--resume", run, "--steps", "288")
    assert resumed.returncode == 0, resumed.stderr
    assert "2 damaged lines" in resumed.stdout + resumed.stderr


def run_ids(folder: Path) -> list[str]:
    """Return the runs, the first one first."""
    return sorted(path.name for path in (folder / "saves" / "runs").iterdir())


@pytest.mark.slow
def test_two_runs_are_compared(saved: Path) -> None:
    first, second = run_ids(saved)
    result = poketui("runs", first, second, "--save-dir", str(saved / "saves"))
    assert result.returncode == 0, result.stderr
    rows = {line.split("  ")[0]: line for line in result.stdout.splitlines()}
    assert first in rows["run"]
    assert second in rows["run"]
    assert rows["seed"].split()[1:] == ["0", "3"]
    assert rows["mode"].split()[1:] == ["rl_only", "adaptive"]
    assert "agent" not in rows
    assert "save_dir" not in rows
    assert rows["steps"].split()[1:] == ["256", "256"]
    assert "of 1, 0%" in rows["evaluation, policy alone"]
    assert rows["evaluation, policy alone"].endswith("–")
    assert any(name.startswith("first left_bedroom") for name in rows)


@pytest.mark.parametrize("names", ["a", "ab", "abc"])
def test_unknown_runs_cannot_be_compared(names: str, tmp_path: Path) -> None:
    assert_refused(poketui("runs", *names, "--save-dir", str(tmp_path)), "no saved run 'a'")


@pytest.mark.slow
def test_a_saved_run_is_evaluated_from_the_start(saved: Path) -> None:
    first, _ = run_ids(saved)
    options = ("--save-dir", str(saved / "saves"), "--episodes", "2")
    best = poketui("eval", first, *options)
    assert "best.zip at step" in best.stdout
    result = poketui("eval", first, *options, "--checkpoint", "latest")
    assert result.returncode == 0, result.stderr
    assert "at step 256, alone: 2 episodes from the start" in result.stdout
    assert "success  0 of 2, 0% (0% to 66%)" in result.stdout
    assert "Win the Cobble Badge" in result.stdout


@pytest.mark.slow
def test_the_same_evaluation_comes_out_the_same(
    saved: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    def played(episodes: int, *, planner: bool = False) -> str:
        saves = str(saved / "saves")
        evaluate(run_ids(saved)[1], episodes, "latest", planner=planner, save_dir=saves)
        return capsys.readouterr().out

    alone, led = played(2), played(1, planner=True)
    assert played(2) == alone
    assert "planner  0% of the decisions" in alone
    assert "with the planner" in led
    assert "planner  0% of the decisions" not in led


def test_eval_error_is_one_line(saved: Path) -> None:
    first, second = run_ids(saved)
    saves = str(saved / "saves")
    with pytest.raises(CheckpointError, match=r"There is no checkpoint nowhere\.zip"):
        evaluate(first, 2, "nowhere.zip", save_dir=saves)
    with pytest.raises(CheckpointError, match="no saved run 'nobody'"):
        evaluate("nobody", 2, "latest", save_dir=saves)
    (saved / "saves" / "runs" / second / "checkpoints" / "best.zip").unlink(missing_ok=True)
    with pytest.raises(CheckpointError, match="no best checkpoint yet"):
        evaluate(second, 2, "best", save_dir=saves)


def test_a_run_is_exported_and_nothing_overwritten(saved: Path, tmp_path: Path) -> None:
    first, _ = run_ids(saved)
    options = ("--save-dir", str(saved / "saves"))
    result = poketui("export", first, *options, cwd=tmp_path)
    assert result.returncode == 0, result.stderr
    assert result.stdout == f"Wrote {first}-episodes.csv: 6 rows.\n"
    file = tmp_path / f"{first}-episodes.csv"
    before = file.read_bytes()
    assert_refused(poketui("export", first, *options, cwd=tmp_path), "already exists", "--force")
    assert file.read_bytes() == before
    assert poketui("export", first, *options, "--force", cwd=tmp_path).returncode == 0
    everything = str(tmp_path / "all.json")
    done = poketui("export", first, *options, "--format", "json", "--out", everything)
    assert done.returncode == 0, done.stderr
    assert len(json.loads(Path(everything).read_text())["episodes"]) == 6


@pytest.mark.parametrize(
    ("reason", "code"),
    [("SIGINT", 130), ("SIGTERM", 143), ("SIGHUP", 129), ("took 200 steps", 0)],
)
def test_a_run_that_a_signal_ended_has_its_exit_code(reason: str, code: int) -> None:
    assert report(RunStopped(reason, 200, "saves/step-000000000200.zip")) == code


def test_an_end_that_could_not_be_saved_is_told(capsys: pytest.CaptureFixture[str]) -> None:
    assert report(RunStopped("SIGTERM", 200, "saves/step-000000000100.zip")) == 1
    told = capsys.readouterr()
    assert told.err == "poketui: The last state (step 200) could not be saved.\n"
    assert told.out.startswith("Saved at step 100.")
    assert report(RunStopped("SIGTERM", 200, "")) == 1
    assert capsys.readouterr().out == ""


def test_run_that_was_refused_ends_with_exit_code_2(capsys: pytest.CaptureFixture[str]) -> None:
    assert report(RunFailed("It is damaged.", "Take another.", False, is_refused=True)) == 2
    assert capsys.readouterr().err == "poketui: It is damaged. Take another.\n"


@pytest.mark.parametrize("other", [("--agent", "dqn"), ("--from", "latest")])
def test_no_dqn_beside_what_names_a_learner_is_refused(other: tuple[str, str]) -> None:
    assert_refused(program("run", "--no-dqn", *other), f"{' '.join(other)} and --no-dqn")
