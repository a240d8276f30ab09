"""`poketui bc` from the command line: what it says, and how it refuses."""

import dataclasses
import json
import re
import shutil
import sys
from pathlib import Path
from typing import Any, cast

import pytest
import typer

from engine.api.bc_pokemon import Args
from engine.config import RunConfig
from engine.demos.npz import to_npz
from engine.demos.recorder import record_policy, rules_policy
from engine.games.practice import game as practice
from pokeTUI.cli.main import app
from tests.engine.training.helpers import FakeWandb
from tests.pokeTUI.in_process import assert_refused, poketui, succeed
from tests.pokeTUI.says import assert_has


@pytest.mark.slow
def test_a_policy_is_cloned_resumed_and_begun_from(tmp_path):
    small = ("--epochs", "1", "--hidden-size", "16", "--eval-episodes", "0")
    first = succeed("bc", "--rules", "2", *small, cwd=tmp_path)
    assert_has(first.stdout, "epoch   1  loss", "Fine-tune it: poketui run --from ")
    again = poketui("bc", "--resume", "latest", "--epochs", "2", cwd=tmp_path)
    assert "epoch   2  loss" in again.stdout
    name = next((tmp_path / "saves" / "policies").iterdir()).name
    listed = poketui("runs", cwd=tmp_path)
    assert "No saved runs in" in listed.stdout
    assert re.search(rf"{name} +cloned +ppo +features +0  ", listed.stdout)
    curves = poketui("runs", name, cwd=tmp_path).stdout
    assert re.search(r"\ntrain/bc_loss( +[\d.]+){4}  [▁█]{2}\n", curves)
    assert "\ntrain/validation_accuracy " in curves
    compared = poketui("runs", name, name, cwd=tmp_path).stdout
    assert re.search(r"\nupdates +2 +2\n", compared)
    assert "\nbc_loss " in compared
    exported = poketui("export", name, "--table", "updates", cwd=tmp_path)
    assert f"Wrote {name}-updates.csv: 2 rows." in exported.stdout
    small = "--headless --envs 2 --workers 1 --steps 300 --mode rl_only --set ppo.rollout_steps=64"
    succeed("run", "--from", "latest", *small.split(), cwd=tmp_path)
    journal = next((tmp_path / "saves" / "runs").glob("*/journal.jsonl")).read_text()
    assert '"distillation": 0.5' in journal


@pytest.mark.slow
def test_a_policy_is_cloned_from_a_set_by_its_name(tmp_path):
    config = RunConfig(save_dir=str(tmp_path / "saves"))
    folder = tmp_path / "saves" / "demos" / "home"
    for _ in record_policy(rules_policy(0), config, 2, folder, max_steps=30):
        pass
    small = ("--epochs", "1", "--hidden-size", "16", "--eval-episodes", "0")
    for name in ("home", str(folder)):
        found = succeed("bc", name, *small, cwd=tmp_path)
        assert "epoch   1  loss" in found.stdout
    refused = poketui("bc", "nowhere", *small, cwd=tmp_path)
    assert_refused(refused, "There is no demonstration at saves/demos/nowhere")


@pytest.mark.slow
def test_a_clone_of_the_screen_says_how_it_is_trained_on_and_is(tmp_path):
    config = RunConfig(save_dir=str(tmp_path / "saves"))
    for _ in record_policy(
        rules_policy(0), config, 2, tmp_path / "saves" / "demos" / "home", max_steps=30
    ):
        pass
    small = ("--epochs", "1", "--hidden-dim", "8", "--eval-episodes", "0")
    made = succeed("bc", "home", "--network", "tiny", "--inputs", "both", *small, cwd=tmp_path)
    name = next((tmp_path / "saves" / "policies").iterdir()).name
    assert f"Fine-tune it: poketui run --from {name} --agent dqn (or ppo)" in made.stdout
    few = "--headless --envs 1 --mode rl_only --steps 20 --set env.max_steps=16"
    for agent in ("dqn", "ppo"):
        succeed("run", "--from", "latest", "--agent", agent, *few.split(), cwd=tmp_path)
    succeed("eval", "latest", "--episodes", "1", cwd=tmp_path)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ("bc", "There is no demonstration at"),
        ("bc --network impala", "network impala sees the screen"),
        ("bc --rounds 3", "need --dagger"),
        ("bc --dagger rules --llm-model m", "need --dagger planner"),
        ("record --player rules --llm-model m", "need --player planner"),
        ("bc --resume nobody", "There is no cloned policy nobody"),
        ("run --from nobody --headless", "There is no cloned policy nobody"),
        ("bc --rules 1 --lr 0", "learning_rate = 0"),
        ("bc --rules 1 --learning-rate -1", "learning_rate = -1"),
        ("bc --rules 1 --hidden-dim 1", "hidden_size = 1"),
        ("bc --rules 1 --exp-name a/b", "exp_name = 'a/b'"),
        ("bc --rules 1 --wandb-project-name il", "needs --track"),
        ("bc lab --expert-data-dir x", "DEMOS and --expert-data-dir are the same"),
        ("bc --device cpu --cuda", "--device cpu contradicts --cuda"),
        ("bc --device cuda --no-cuda", "--device cuda contradicts --no-cuda"),
        ("bc --epochs 3 --total-training-steps 9", "total_training_steps (batches) and epo"),
        ("bc --eval-every 3 --eval-frequency 9", "eval_frequency (batches) and eval_every"),
        ("bc --save-every 3 --save-frequency 9", "save_frequency (batches) and save_every"),
        ("bc --dagger rules --total-training-steps 9", "total_training_steps counts batches"),
        ("bc --total-training-steps 0", "greater than or equal to 1"),
        ("bc --expert-data-dir nowhere", "There is no demonstration at nowhere"),
    ],
)
def test_a_mistake_is_one_line_and_exit_code_2(tmp_path, arguments, said):
    assert_refused(poketui(*arguments.split(), cwd=tmp_path), said)
    assert not (tmp_path / "saves" / "policies").exists()


@pytest.mark.slow
def test_exp_name_names_the_policy(tmp_path):
    small = ("--epochs", "1", "--hidden-size", "16", "--eval-episodes", "0")
    succeed("bc", "--rules", "1", "--exp-name", "lab", *small, cwd=tmp_path)
    assert next((tmp_path / "saves" / "policies").iterdir()).name.startswith("lab_2")


@pytest.fixture(scope="module")
def expert_data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two episodes of 20 steps: one as it was recorded, one as the documented NPZ."""
    folder = tmp_path_factory.mktemp("expert_data")
    config = RunConfig(save_dir=str(tmp_path_factory.mktemp("saves")))
    (path, demo), _ = record_policy(rules_policy(0), config, 2, folder, max_steps=20)
    to_npz(demo, folder / "episode_0001.npz", config)
    path.unlink()
    return folder


TINY = ("--network", "tiny", "--inputs", "screen", "--hidden-dim", "8", "--eval-episodes", "0")


@pytest.mark.slow
def test_every_option_of_the_documented_script_takes_effect(tmp_path, expert_data, monkeypatch):
    wandb = FakeWandb()
    monkeypatch.setitem(sys.modules, "wandb", wandb)
    monkeypatch.setenv("WANDB_MODE", "offline")
    models, rom = tmp_path / "models", tmp_path / "rom.gbc"
    shutil.copy(practice.rom_path(), rom)
    folders = ("--expert-data-dir", str(expert_data), "--model-dir", str(models))
    rest = (
        "--exp-name bc_pokemon --seed 3 --no-torch-deterministic --no-cuda --track "
        "--wandb-project-name il --batch-size 16 --learning-rate 1e-3 --weight-decay 1e-5 "
        "--total-training-steps 5 --eval-frequency 3 --save-frequency 4 --no-save-best"
    )
    made = succeed("bc", *TINY, *folders, "--rom-path", str(rom), *rest.split(), cwd=tmp_path)
    assert [line[:9] for line in made.stdout.splitlines()[:3]] == [
        f"epoch   {n}" for n in (1, 2, 3)
    ]
    (folder,) = (models / "policies").iterdir()
    assert folder.name.startswith("bc_pokemon_2")
    facts = json.loads((folder / "config.json").read_text())
    assert facts["game"]["rom_path"] == str(rom)
    assert facts["source"]["demos"] == str(expert_data)
    expected = {
        "seed": 3, "hidden_size": 8, "batch_size": 16, "learning_rate": 1e-3, "weight_decay": 1e-5,
        "epochs": 3, "eval_every": 2, "save_every": 2, "eval_episodes": 0, "patience": 0,
        "device": "cpu", "deterministic": False, "save_best": False,
    }  # fmt: skip
    assert {name: facts["cloning"][name] for name in expected} == expected
    kept = sorted(file.stem for file in (folder / "checkpoints").glob("*.zip"))
    assert kept == [f"step-{step:012}" for step in (4, 6)]
    (_, options), *_ = wandb.calls
    assert (options["project"], options["name"]) == ("il", folder.name)
    more = poketui(
        "bc", "--resume", "latest", "--model-dir", str(models), "--total-training-steps", "7",
        "--no-track", cwd=tmp_path,
    )  # fmt: skip
    assert more.stdout.startswith("epoch   4  loss"), more.stderr


def test_the_script_has_an_option_for_every_documented_setting():
    options = {name for one in typer_options("bc") for name in one.opts}
    documented = {f"--{field.name.replace('_', '-')}" for field in dataclasses.fields(Args)}
    assert documented <= options
    switches = {name for one in typer_options("bc") for name in one.secondary_opts}
    flags = [field.name for field in dataclasses.fields(Args) if isinstance(field.default, bool)]
    assert {f"--no-{name.replace('_', '-')}" for name in flags} == switches


def typer_options(command: str) -> list[Any]:
    return cast(Any, typer.main.get_command(app)).commands[command].params
