import re

import pytest

from engine.config import RunConfig
from engine.demos.recorder import record_policy, rules_policy
from engine.errors import ConfigurationError, DemoError
from tests.benchmarks.imitation import ARMS, measure_imitation
from tests.engine.games.emerald.practice import NAME, needs_core


def test_an_arm_that_does_not_exist_is_refused():
    with pytest.raises(ConfigurationError, match="no arm 'nope'") as caught:
        measure_imitation({}, [0], names=["nope"])
    assert all(name in caught.value.hint for name in ARMS)


def test_a_folder_without_demonstrations_is_refused_in_one_line(tmp_path):
    with pytest.raises(DemoError, match="no demonstration at") as caught:
        measure_imitation({"save_dir": str(tmp_path)}, [0], demos=str(tmp_path / "none"))
    assert "\n" not in str(caught.value)


@pytest.mark.slow
def test_demonstrations_of_a_folder_are_played_in_another_process(tmp_path, capsys):
    config = RunConfig(save_dir=str(tmp_path))
    folder = tmp_path / "demos"
    for _ in record_policy(rules_policy(0), config, 2, folder, max_steps=10):
        pass
    overrides = {"save_dir": str(tmp_path)}
    assert measure_imitation(overrides, [0], demos=str(folder), names=["replay"]) == 0
    printed = capsys.readouterr().out
    assert re.search(r"\| 0 \| 2 of 2 went the same way \| – \| 10 \|", printed)
    assert printed.endswith("All as it should be.\n")
    path = sorted(folder.glob("*.demo"))[0]
    path.write_bytes(b"x" + path.read_bytes()[1:])
    assert measure_imitation(overrides, [0], demos=str(folder), names=["replay"]) == 1
    assert "1 of 2 went the same way" in capsys.readouterr().out


@needs_core
@pytest.mark.slow
def test_another_game_is_cloned_and_taught(tmp_path, capsys):
    overrides = {
        "save_dir": str(tmp_path), "rom_path": NAME, "env.max_steps": 30, "env.progress_steps": 0,
    }  # fmt: skip
    small = {"network": "tiny", "inputs": "screen", "hidden_size": 8, "epochs": 1}
    small |= {"eval_episodes": 0}
    names = ["replay", "bc"]
    assert measure_imitation(overrides, [0], rollouts=2, names=names, cloning=small) == 0
    printed = capsys.readouterr().out
    assert "5 of 5 went the same way" in printed
    (config,) = tmp_path.glob("policies/*/config.json")
    assert NAME in config.read_text()


@pytest.mark.slow
def test_clone_of_five_demonstrations_is_evaluated_by_rollouts(tmp_path, capsys):
    overrides = {"save_dir": str(tmp_path), "env.max_steps": 100, "env.progress_steps": 0}
    small = {"epochs": 1, "hidden_size": 16, "eval_episodes": 0}
    assert measure_imitation(overrides, [0], rollouts=2, names=["bc"], cloning=small) == 0
    (row,) = (line for line in capsys.readouterr().out.splitlines() if "| cloned |" in line)
    assert re.search(r"\| 0 of 2 \(0%\) \| [\d.-]+ \| 100 \|", row)


@pytest.mark.slow
def test_missed_rollouts_after_ppo_are_a_failure_like_missed_steps(tmp_path, capsys):
    overrides = {
        "save_dir": str(tmp_path), "env.max_steps": 100, "env.progress_steps": 0, "num_envs": 2,
        "workers": 1, "ppo.rollout_steps": 32, "total_steps": 128,
    }  # fmt: skip
    small = {"epochs": 1, "hidden_size": 16, "eval_episodes": 0}
    assert measure_imitation(overrides, [0], rollouts=2, names=["ppo"], cloning=small) == 1
    printed = capsys.readouterr().out
    assert "Seed 0: cloned, PPO came to 90 % never." in printed
    assert (
        "Seed 0: cloned, then PPO, the policy alone came to the badge in 0% of its rollouts."
        in printed
    )


@pytest.mark.slow
def test_frames_are_cloned_and_reinforced_and_judged_by_the_rules_own_length(tmp_path, capsys):
    overrides = {
        "save_dir": str(tmp_path), "env.max_steps": 20, "env.progress_steps": 0, "num_envs": 2,
        "total_steps": 64, "dqn.warmup_steps": 32, "imitation.offline_gradients": 1,
    }  # fmt: skip
    small = {"network": "tiny", "hidden_size": 16, "eval_episodes": 0}
    assert measure_imitation(overrides, [0], rollouts=2, names=["frames_dqn"], cloning=small) == 1
    printed = capsys.readouterr().out
    whats = (
        "the rules", "frames only, the best", "frames only, then DQN, from round 0",
        "frames only, then DQN, from the best",
    )  # fmt: skip
    for what in whats:
        assert f"| {what} | 0 | 0 of 2, 0 within 30 |" in printed
    assert "Seed 0: frames only, then DQN, from the best: 0% soon enough." in printed
