"""`poketui bc` from the command line: what it says, and how it refuses."""

import re

import pytest

from engine.config import RunConfig
from engine.demos.recorder import record_policy, rules_policy
from tests.pokeTUI.in_process import poketui


@pytest.mark.slow
def test_a_policy_is_cloned_resumed_and_begun_from(tmp_path):
    small = ("--epochs", "1", "--hidden-size", "16", "--eval-episodes", "0")
    first = poketui("bc", "--rules", "2", *small, cwd=tmp_path)
    assert first.returncode == 0, first.stderr
    assert "epoch   1  loss" in first.stdout
    assert "Fine-tune it: poketui run --from " in first.stdout
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
    run = poketui(
        "run", "--from", "latest", "--headless", "--envs", "2", "--workers", "1", "--steps", "300",
        "--mode", "rl_only", "--set", "ppo.rollout_steps=64", cwd=tmp_path,
    )  # fmt: skip
    assert run.returncode == 0, run.stderr
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
        found = poketui("bc", name, *small, cwd=tmp_path)
        assert found.returncode == 0, found.stderr
        assert "epoch   1  loss" in found.stdout
    refused = poketui("bc", "nowhere", *small, cwd=tmp_path)
    assert (refused.returncode, refused.stderr.count("\n")) == (2, 1)
    assert "There is no demonstration at saves/demos/nowhere" in refused.stderr


@pytest.mark.slow
def test_a_clone_of_the_screen_says_how_it_is_trained_on_and_is(tmp_path):
    config = RunConfig(save_dir=str(tmp_path / "saves"))
    for _ in record_policy(
        rules_policy(0), config, 2, tmp_path / "saves" / "demos" / "home", max_steps=30
    ):
        pass
    small = ("--epochs", "1", "--hidden-dim", "8", "--eval-episodes", "0")
    made = poketui("bc", "home", "--network", "tiny", "--inputs", "both", *small, cwd=tmp_path)
    assert made.returncode == 0, made.stderr
    name = next((tmp_path / "saves" / "policies").iterdir()).name
    assert f"Fine-tune it: poketui run --from {name} --agent dqn (or ppo)" in made.stdout
    few = (
        "--headless",
        "--envs",
        "1",
        "--mode",
        "rl_only",
        "--steps",
        "20",
        "--set",
        "env.max_steps=16",
    )
    for agent in ("dqn", "ppo"):
        run = poketui("run", "--from", "latest", "--agent", agent, *few, cwd=tmp_path)
        assert run.returncode == 0, run.stderr
    played = poketui("eval", "latest", "--episodes", "1", cwd=tmp_path)
    assert played.returncode == 0, played.stderr


@pytest.mark.slow
@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("bc",), "There is no demonstration at"),
        (("bc", "--network", "impala"), "network impala sees the screen"),
        (("bc", "--rounds", "3"), "need --dagger"),
        (("bc", "--dagger", "rules", "--llm-model", "m"), "need --dagger planner"),
        (("record", "--player", "rules", "--llm-model", "m"), "need --player planner"),
        (("bc", "--resume", "nobody"), "There is no cloned policy nobody"),
        (("run", "--from", "nobody", "--headless"), "There is no cloned policy nobody"),
        (("bc", "--rules", "1", "--lr", "0"), "learning_rate = 0"),
        (("bc", "--rules", "1", "--learning-rate", "-1"), "learning_rate = -1"),
        (("bc", "--rules", "1", "--hidden-dim", "1"), "hidden_size = 1"),
        (("bc", "--rules", "1", "--exp-name", "a/b"), "exp_name = 'a/b'"),
        (("bc", "--rules", "1", "--wandb-project-name", "il"), "needs --track"),
    ],
)
def test_a_mistake_is_one_line_and_exit_code_2(tmp_path, arguments, said):
    found = poketui(*arguments, cwd=tmp_path)
    assert found.returncode == 2
    assert said in found.stderr
    assert found.stderr.count("\n") == 1


@pytest.mark.slow
def test_exp_name_names_the_policy(tmp_path):
    small = ("--epochs", "1", "--hidden-size", "16", "--eval-episodes", "0")
    made = poketui("bc", "--rules", "1", "--exp-name", "lab", *small, cwd=tmp_path)
    assert made.returncode == 0, made.stderr
    assert next((tmp_path / "saves" / "policies").iterdir()).name.startswith("lab_2")
