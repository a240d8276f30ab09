"""`poketui bench learn`: how far the policy alone comes by each way to learn."""

import json
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from engine.bench.learning import ARMS, Comparison, Point, Trial, table
from pokeTUI.cli.bench import LEARNING_ARMS
from pokeTUI.cli.main import main

SMALL = (
    "num_envs=8", "workers=1", "env.max_steps=16", "ppo.rollout_steps=16", "ppo.hidden_size=8",
    "ppo.distillation_gradients=1",
)  # fmt: skip


@pytest.fixture
def exit_code(monkeypatch: pytest.MonkeyPatch) -> Callable[..., int]:
    def run(*arguments: str) -> int:
        monkeypatch.setattr(sys, "argv", ["poketui", "bench", "learn", *arguments])
        with pytest.raises(SystemExit) as ended:
            main()
        return int(ended.value.code or 0)

    return run


def trial(seed: int, *points: tuple[int, float, int, int], seconds: float = 0.0) -> Trial:
    return Trial("hybrid", seed, [Point(*point) for point in points], seconds)


def test_a_row_has_all_seeds_of_an_arm() -> None:
    trials = [
        trial(0, (4096, 0.2, 0, 0), (8192, 0.6, 4, 20), (20_000, 1.0, 32, 32), seconds=40),
        trial(1, (4096, 0.4, 0, 2), (8192, 1.0, 18, 20), (20_000, 0.8, 16, 32), seconds=60),
    ]
    _, _, row = table(Comparison(20_000, trials))
    assert row == (
        "| hybrid | 30 % (20–40) | 80 % (60–100) | 80 % (60–100) | 90 % (80–100) "
        "| 48 of 64 (63–84 %) | 20,000; 8,192 | 50 |"
    )


def test_a_seed_that_shows_nothing_yet_is_not_left_out_of_a_mean() -> None:
    trials = [trial(0, (4096, 1.0, 8, 8), (9000, 1.0, 8, 8)), trial(1, (9000, 1.0, 8, 8))]
    _, _, row = table(Comparison(18_000, trials))
    assert row.startswith("| hybrid | – | 100 % (100–100) |")


def test_a_few_lucky_episodes_are_no_90_percent() -> None:
    assert trial(0, (4096, 1.0, 7, 7), (8192, 0.9, 17, 20)).target_step is None
    assert trial(0, (4096, 1.0, 7, 7), (8192, 0.9, 18, 20)).target_step == 8192


def test_the_command_line_knows_every_arm() -> None:
    assert set(LEARNING_ARMS) == set(ARMS)


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("ppo", "bogus"), "bogus is unknown. Choose from: ppo, hybrid, no-distillation"),
        (("--seeds", "0"), "--seeds"),
        (("--steps", "4095"), "4095 steps are too few to learn anything. Use at least 4096."),
        (("--episodes", "7"), "--episodes"),
        (("--set", "mode=rl_only"), "--set mode: this benchmark sets it itself."),
    ],
)
def test_bad_input_is_one_line(
    exit_code, arguments: tuple[str, ...], said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert exit_code(*arguments) == 2
    told = capsys.readouterr().err
    assert said in told
    assert told.count("\n") == 1


@pytest.mark.slow
def test_arms_learn_and_all_figures_are_written(
    exit_code, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("engine.bench.learning.LEAST_STEPS", 256)
    monkeypatch.setattr("engine.training.trainer._EXAM_STEPS", 512)
    file = tmp_path / "figures.json"
    settings = [word for pair in SMALL for word in ("--set", pair)]
    options = ("--steps", "256", "--seeds", "1", "--first-seed", "3", "--episodes", "8")
    assert exit_code("hybrid", "dagger", *options, *settings, "--out", str(file)) == 0
    facts = json.loads(file.read_text())
    assert (facts["steps"], facts["is_whole"]) == (256, True)
    assert [(one["arm"], one["seed"]) for one in facts["trials"]] == [("hybrid", 3), ("dagger", 3)]
    hybrid, dagger = (one["points"] for one in facts["trials"])
    assert [point["steps"] for point in hybrid] == [128, 256, 256]
    assert [point["steps"] for point in dagger] == [192, 384, 384]
    assert all(one["seconds"] > 0 for one in facts["trials"])
