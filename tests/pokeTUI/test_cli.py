"""Drive the real command as a user would: bad input is one clear line and exit code 2."""

import json
import shutil
import subprocess
from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path

import pytest

from engine.errors import CheckpointError
from engine.events import RunFailed, RunStopped
from pokeTUI.app.launch import report
from pokeTUI.cli.outcomes import evaluate
from tests.pokeTUI.in_process import (
    ROOT,
    assert_refused,
    loaded_of,
    poketui,
    program,
    succeed,
    succeeded,
)
from tests.pokeTUI.says import assert_has, assert_lacks

PRACTICE_ROM = ROOT / "roms" / "practice.gbc"
SMALL = (
    "--envs=2", "--workers=1", "--set=ppo.rollout_steps=32", "--set=ppo.distillation_gradients=4"
)  # fmt: skip


def headless(tmp_path: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    return poketui("run", "--headless", "--save-dir", str(tmp_path / "saves"), *arguments)


HEAVY = {"torch", "pyboy", "textual", "numpy"}
CALL = (
    "from pokeTUI.cli.main import app\ntry: app(['{}'])\nexcept SystemExit as end: print(end.code)"
)


def test_help_names_the_commands_and_needs_no_torch() -> None:
    shown = loaded_of(HEAVY, CALL.format("--help"))
    assert "run" in shown
    assert shown.strip().endswith("[]")


def test_a_mistake_is_one_line_of_the_program_and_its_exit_code() -> None:
    refused = program("run", "--headless", "--strategy", "bold")
    assert_refused(refused, "strategy", "bold", "'adaptive', 'llm_heavy', 'balanced'")
    assert refused.stdout == ""


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("bc", "--bogus"), ("See: poketui bc --help",)),
        (("demos", "list", "--bogus"), ("See: poketui demos list --help",)),
        (("bench", "bogus"), ("See: poketui bench --help",)),
        (("bogus",), ("See: poketui --help",)),
        (("run", "--seed", "abc"), ("--seed", "integer")),
        (("run", "--seed"), ("--seed", "argument")),
        (("run", "--sede", "3"), ("--sede",)),
        (("frob",), ("frob",)),
        (("replay", "a", "b"), ("b",)),
        (("eval", "--episodes", "0"), ("--episodes", "1")),
    ],
)
def test_a_wrong_argument_is_one_line_and_names_the_help_of_its_own_command(
    arguments: tuple[str, ...], words: tuple[str, ...]
) -> None:
    assert_refused(poketui(*arguments), *words)


def test_version_is_printed_and_nothing_heavy_is_loaded() -> None:
    shown = loaded_of({*HEAVY, "pydantic"}, CALL.format("--version"))
    assert shown.splitlines() == [f"poketui {version('poketui')}", "0", "[]"]


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


IMAGE = PRACTICE_ROM.read_bytes()


@pytest.mark.parametrize(
    "content",
    [
        None,
        b"Dear reader, " * 5000,
        IMAGE[: len(IMAGE) // 2],
        IMAGE[:0x2000] + bytes([IMAGE[0x2000] ^ 0xFF]) + IMAGE[0x2001:],
    ],
    ids=["missing", "a letter", "truncated", "changed"],
)
def test_no_rom_is_refused_and_nothing_is_written(tmp_path: Path, content: bytes | None) -> None:
    path = tmp_path / "roms" / "game.gbc"
    path.parent.mkdir()
    if content is not None:
        path.write_bytes(content)
    assert_refused(headless(tmp_path, "--rom", str(path)), "game.gbc")
    assert len(list(path.parent.iterdir())) == (content is not None)
    assert_refused(headless(tmp_path, "--rom", str(path.parent)), str(path.parent))


@pytest.mark.parametrize(
    ("name", "content", "words"),
    [
        ("no.json", None, ()),
        ("bad.json", "{", ("invalid",)),
        ("bad.toml", "seed = = 1", ("invalid",)),
        ("list.json", "[1]", ()),
        ("key.json", '{"sede": 1}', ("sede",)),
        ("key.toml", "[ppo]\nepoch = 3\n", ("unknown key 'ppo.epoch'", "Did you mean ppo.epochs?")),
        ("value.toml", "[ppo]\nepochs = -1\n", ("ppo.epochs", "-1")),
    ],
)
def test_missing_or_broken_config_file_is_refused(
    tmp_path: Path, name: str, content: str | None, words: tuple[str, ...]
) -> None:
    path = tmp_path / name
    if content is not None:
        path.write_text(content)
    assert_refused(headless(tmp_path, "--config", str(path)), name, *words)


def test_save_folder_that_cannot_be_made_is_refused(tmp_path: Path) -> None:
    # A file where the folder should be: also stops root, whom no permission stops.
    (tmp_path / "saves").write_text("in the way")
    assert_refused(headless(tmp_path), "saves")


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("--resume", "nobody"), ("nobody",)),
        (("--resume",), ()),
        (("--set", "seed"), ("KEY=VALUE",)),
        (("--llm-model", "x", "--no-llm"), ("mutually exclusive",)),
        *(
            (("--set", setting), (f"Did you mean {meant}?",))
            for setting, meant in (
                ("kurriculum.stage=1", "curriculum.stages"),
                ("env.max_step=9", "env.max_steps"),
                ("rollout_steps=9", "ppo.rollout_steps"),
                ("sed=9", "seed"),
            )
        ),
        (("--agent", "frob"), ("frob", "'ppo'")),
        (("--mode", "frob"), ("frob", "'rl_only'")),
        (("--strategy", "frob"), ("frob", "'llm_heavy'")),
        (("--llm-interval", "0"), ("greater than or equal to 1",)),
        (("--actions", "-1"), ("-1", "greater than or equal to 0")),
        (("--episodes", "-1"), ("-1", "greater than or equal to 0")),
        (("--workers", "999"), ("999", "less than or equal to 128")),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, tuple) else "",
)
def test_a_mistake_of_a_run_names_what_is_meant_or_allowed(
    tmp_path: Path, arguments: tuple[str, ...], words: tuple[str, ...]
) -> None:
    assert_refused(headless(tmp_path, *arguments), *words)


def test_rom_command_says_what_the_practice_game_is() -> None:
    result = succeed("rom", str(PRACTICE_ROM))
    assert "Mosslight" in result.stdout


@pytest.mark.slow
def test_recorded_episode_is_replayed(tmp_path: Path) -> None:
    saves = ["--save-dir", str(tmp_path / "saves")]
    few = "--agent random --envs 1 --episodes 1 --set env.max_steps=40 --set env.progress_steps=0"
    succeeded(headless(tmp_path, *few.split()))
    assert_has(succeed("replay", *saves).stdout, "Episode 1 of run", "40 steps")
    gif = tmp_path / "a.gif"
    result = poketui("replay", "latest:1", *saves, "--gif", str(gif), "--to", "5")
    assert f"Wrote {gif}" in result.stdout, result.stderr
    for arguments, words in (
        (("--episode", "7"), ("no recorded episode 7", "last one is 1")),
        (("nowhere",), ("no saved run 'nowhere'",)),
        (("--gif", str(gif)), ("already exists", "--force")),
        (("--panes",), ("--gif FILE or --mp4 FILE",)),
        (("latest:x",), ("'x' is not an episode number",)),
    ):
        assert_refused(poketui("replay", *saves, *arguments), *words)


def test_wandb_without_its_package_is_refused_before_anything_is_written(tmp_path: Path) -> None:
    if find_spec("wandb") is None:
        assert_refused(headless(tmp_path, "--set", "wandb=offline"), "poketui[wandb]")
        assert not (tmp_path / "saves").exists()


@pytest.mark.slow
def test_actions_is_another_name_for_steps(tmp_path: Path) -> None:
    result = succeeded(headless(tmp_path, *SMALL, "--actions", "64"))
    assert "Saved at step 64." in result.stdout


@pytest.mark.slow
def test_a_run_goes_on_without_the_model_that_nobody_serves(tmp_path: Path) -> None:
    nobody = ("--set", "llm_base_url=http://127.0.0.1:9")
    result = succeeded(
        headless(tmp_path, *SMALL, "--steps", "640", "--llm-model", "smollm2:1.7b", *nobody)
    )
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
def test_unreadable_runs_are_listed_and_passed_over(saved: Path, tmp_path: Path) -> None:
    shutil.copytree(saved / "saves", tmp_path / "saves")
    runs = tmp_path / "saves" / "runs"
    first, last = run_ids(tmp_path)
    contents = {"a": b"[]", "b": b'{"seed": 1e400}', "c": b"[" * 100_000, "d": b"\xff"}
    for bad, content in contents.items():
        shutil.copytree(runs / last, runs / bad)
        (runs / bad / "config.json").write_bytes(content)
    listed = succeed("runs", "--save-dir", str(tmp_path / "saves"))
    rows = {line.split()[0]: line for line in listed.stdout.splitlines()}
    assert all("256" in rows[good] for good in (first, last))
    assert all("cannot be read: " in rows[bad] for bad in contents)
    assert_refused(headless(tmp_path, "--resume", "a"), "a", "unreadable")
    shutil.rmtree(runs / last)
    resumed = succeeded(headless(tmp_path, "--resume", "--workers", "1", "--steps", "288"))
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
        result = succeed(*arguments, *where)
        assert result.stderr.endswith(told)
    resumed = succeeded(headless(tmp_path, "--resume", run, "--steps", "288"))
    assert "2 damaged lines" in resumed.stdout + resumed.stderr


def run_ids(folder: Path) -> list[str]:
    """Return the runs, the first one first."""
    return sorted(path.name for path in (folder / "saves" / "runs").iterdir())


@pytest.mark.slow
def test_two_runs_are_compared(saved: Path) -> None:
    first, second = run_ids(saved)
    result = succeed("runs", first, second, "--save-dir", str(saved / "saves"))
    rows = {line.split("  ")[0]: line for line in result.stdout.splitlines()}
    assert first in rows["run"]
    assert second in rows["run"]
    assert rows["seed"].split()[1:] == ["0", "3"]
    assert rows["mode"].split()[1:] == ["rl_only", "adaptive"]
    assert_lacks(rows, "agent", "save_dir")
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
    result = succeed("eval", first, *options, "--checkpoint", "latest")
    assert "at step 256, alone: 2 episodes from the start" in result.stdout
    assert "success  0 of 2, 0% (0% to 66%)" in result.stdout
    assert "Win the Cobble Badge" in result.stdout


@pytest.mark.slow
def test_an_evaluation_repeats_exactly(saved: Path, capsys: pytest.CaptureFixture[str]) -> None:
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
    result = succeed("export", first, *options, cwd=tmp_path)
    assert result.stdout == f"Wrote {first}-episodes.csv: 6 rows.\n"
    file = tmp_path / f"{first}-episodes.csv"
    before = file.read_bytes()
    assert_refused(poketui("export", first, *options, cwd=tmp_path), "already exists", "--force")
    assert file.read_bytes() == before
    assert poketui("export", first, *options, "--force", cwd=tmp_path).returncode == 0
    everything = str(tmp_path / "all.json")
    succeed("export", first, *options, "--format", "json", "--out", everything)
    assert len(json.loads(Path(everything).read_text())["episodes"]) == 6


@pytest.mark.parametrize(
    ("reason", "code"), [("SIGINT", 130), ("SIGTERM", 143), ("SIGHUP", 129), ("took 200 steps", 0)]
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
