import math
import sys
from dataclasses import replace

import pytest

from engine.config import RunConfig
from engine.errors import ConfigurationError
from engine.events import (
    BattlesProgressed,
    CheckpointSaved,
    CurriculumChanged,
    EpisodeEnded,
    EvaluationEnded,
    OpponentScore,
    PlanAnswered,
    PolicyUpdated,
    ProgressReported,
    RunStopped,
    StatusChanged,
    StrategySwitched,
)
from engine.runs.metrics import MetricsLogger, metrics_of
from engine.runs.tensorboard import TensorBoardFile
from engine.runs.weights_biases import WandbRun, require_wandb
from engine.types import EpisodeSummary, Evaluation
from tests.engine.training.helpers import Clock, FakeWandb

MOVED = CurriculumChanged(2, 5, "x", 0.7, 0.4, 3, 10, math.nan, math.nan, "")


def ended(step: int = 400, **facts) -> EpisodeEnded:
    summary = EpisodeSummary(0, 1.5, 20, (("goal", 2.0), ("step", -0.5)), {"badge": 7}, **facts)
    return EpisodeEnded(3, step, summary)


class Kept:
    """A writer that keeps what it is given, and may fail."""

    name = "kept"

    def __init__(self, *, is_full: bool = False) -> None:
        self.written: list[tuple[int, dict[str, float]]] = []
        self.is_full = is_full
        self.is_closed = False

    def write(self, step, figures) -> None:
        if self.is_full:
            raise OSError(28, "No space left on device")
        self.written.append((step, dict(figures)))

    def close(self, *, is_failed=False) -> None:
        self.is_closed, self.is_failed = True, is_failed


def test_an_episode_is_figures_by_component_and_milestone():
    found = metrics_of(ended(is_success=True, planner_share=0.25))
    assert found == {
        "episode/return": 1.5,
        "episode/length": 20,
        "episode/success": 1.0,
        "episode/planner_share": 0.25,
        "reward/goal": 2.0,
        "reward/step": -0.5,
        "milestone/badge": 7,
    }


def test_how_many_milestones_were_reached_is_a_share_of_all():
    assert metrics_of(ended(), 10)["episode/milestones"] == 0.1
    evaluation = Evaluation(4, 1.0, 0.0, 20.0, 0.0, 0.5, {"one": 1.0, "a": 0.0}, milestone_rate=0.5)
    found = metrics_of(EvaluationEnded(9, 90, evaluation))
    assert found["eval/milestones"] == 0.5
    assert (found["eval/milestone/one"], found["eval/milestone/a"]) == (1.0, 0.0)
    older = Evaluation(4, 1.0, 0.0, 20.0, 0.0, 0.5, {"one": 1.0})
    assert "eval/milestones" not in metrics_of(EvaluationEnded(9, 90, older))


def test_episodes_that_began_elsewhere_have_figures_of_their_own():
    found = metrics_of(ended(start="badge"))
    assert set(found) == {f"from_snapshot/{what}" for what in ("return", "length", "success")}


@pytest.mark.parametrize(
    ("figures", "written"),
    [
        (
            {"policy_loss": 0.1, "value_loss": 0.2, "entropy": 1.5, "approx_kl": 0.3, "own": 0.4},
            {
                "policy_gradient_loss": 0.1,
                "value_loss": 0.2,
                "entropy_loss": -1.5,
                "approx_kl": 0.3,
                "own": 0.4,
            },
        ),
        ({"loss": 0.5, "epsilon": 0.1}, {"loss": 0.5, "rollout/exploration_rate": 0.1}),
        ({"kl": math.nan, "loss": 1.0}, {"loss": 1.0}),
    ],
    ids=["ppo", "dqn", "numbers that no curve can show are left out"],
)
def test_figures_of_an_update_have_the_names_and_signs_of_stable_baselines3(figures, written):
    found = metrics_of(PolicyUpdated(1, 10, figures))
    assert {name.removeprefix("train/"): value for name, value in found.items()} == written


def test_a_distillation_has_the_names_of_cleanrl_beside():
    """As CleanRL's qdagger_dqn_atari_impalacnn.py writes them."""
    names = ("losses/loss", "losses/td_loss", "losses/distill_loss", "losses/q_values",
             "losses/q_values_std", "charts/distill_coeff")  # fmt: skip
    dqn = {"loss": 1.0, "value_loss": 0.2, "cloning_loss": 1.6, "value": 3.0, "value_std": 0.4,
           "distillation": 0.5}  # fmt: skip
    found = metrics_of(PolicyUpdated(1, 10, dqn))
    assert [found[name] for name in names] == [1.0, 0.2, 1.6, 3.0, 0.4, 0.5]
    kickstart = {"loss": 1.0, "kickstart_kl": 0.3, "distillation": 0.5}
    found = metrics_of(PolicyUpdated(1, 10, kickstart))
    assert [found[name] for name in (names[0], names[2], names[5])] == [1.0, 0.3, 0.5]
    alone = metrics_of(PolicyUpdated(1, 10, {"loss": 1.0, "value_loss": 0.2, "value": 3.0}))
    assert not {name for name in alone if name.startswith(("losses/", "charts/"))}


def test_battles_have_win_rates_by_opponent_and_greedy_ones_are_evaluations():
    scores = [
        OpponentScore("random", 900, 800, 0, 500, 450.0),
        OpponentScore("heuristics (greedy)", 300, 90, 0, 200, 82.0),
    ]
    found = metrics_of(BattlesProgressed(9, 8, 7, 1.0, 50.0, math.nan, 0, tuple(scores)))
    expected = {"rollout/win_rate/random": 0.9, "eval/win_rate/heuristics": 0.41, "time/fps": 50.0}
    assert found == expected


def test_evaluations_and_the_curriculum_have_figures():
    evaluation = Evaluation(5, 2.0, 0.5, 30.0, 0.0, 0.8, {"badge": 0.6})
    found = metrics_of(EvaluationEnded(50, 900, evaluation))
    expected = {
        "milestone/badge": 0.6,
        "mean_reward": 2.0,
        "mean_ep_length": 30.0,
        "success_rate": 0.8,
        "episodic_return": 2.0,
    }
    assert {name: found[f"eval/{name}"] for name in expected} == expected
    assert "eval/q_values" not in found
    valued = replace(evaluation, avg_q_value=1.5, std_q_value=0.25)
    found = metrics_of(EvaluationEnded(50, 900, valued))
    assert (found["eval/q_values"], found["eval/q_values_std"]) == (1.5, 0.25)
    assert metrics_of(MOVED) == {"curriculum/stage": 2.0, "curriculum/planner_share": 0.4}


def take(*events, writers, warn=pytest.fail, **options) -> MetricsLogger:
    """Return a logger to which these events happened."""
    logger = MetricsLogger(writers, warn, **options)
    for event in events:
        logger.take(event)
    return logger


def test_the_sink_knows_the_step_of_events_without_one_and_the_speed_at_updates():
    kept = Kept()
    take(
        StatusChanged(0, 123.0, 0, 0.0, False, False, 0.0, 0, 0, "acting"),
        ended(400),
        MOVED,
        PolicyUpdated(1, 512, {"loss": 1.0}),
        ProgressReported("no figure"),
        CheckpointSaved("no figure", 512),
        writers=[kept],
        learning_rate=3e-4,
        passes=4,
    )
    assert [step for step, _ in kept.written] == [400, 400, 512]
    assert kept.written[-1][1] == {
        "train/loss": 1.0,
        "train/learning_rate": 3e-4,
        "train/n_updates": 4.0,
        "time/fps": 123.0,
    }


def test_means_are_over_the_last_100_episodes_from_power_on_and_continue_on_resume():
    def episode(number: int, start: str = "") -> EpisodeEnded:
        summary = EpisodeSummary(0, float(number), 10 * number, (), {}, start=start)
        return EpisodeEnded(number, 100 * number, summary)

    kept = Kept()
    whole = take(*map(episode, range(1, 151)), writers=[kept])
    assert kept.written[0][1]["rollout/ep_rew_mean"] == 1.0
    last = kept.written[-1][1]
    assert (last["rollout/ep_rew_mean"], last["rollout/ep_len_mean"]) == (100.5, 1005.0)
    whole.take(episode(151, start="badge"))
    assert "rollout/ep_rew_mean" not in kept.written[-1][1]
    take(episode(150), writers=[kept], past=map(episode, range(1, 150)))
    assert kept.written[-1] == (15_000, last)


def test_goals_of_a_language_model_and_changes_of_strategy_are_texts():
    kept = Kept()
    goal = PlanAnswered(1, "small", "reach the gym", 0.8, "It is near.", "", (), 1.0, 0.5, 9, 9, 0)
    switched = StrategySwitched("balanced", "rule_heavy", "3 losses", 12)
    take(goal, replace(goal, goal=""), switched, writers=[kept])
    assert [figures for _, figures in kept.written] == [
        {"planner/goal": "**reach the gym** (small, confidence 80%)\n\nIt is near."},
        {"planner/strategy": "**rule_heavy** after balanced: 3 losses"},
    ]


@pytest.mark.parametrize("ends", [[RunStopped("asked to stop", 400, "")], []])
def test_a_run_that_was_not_stopped_ends_as_a_failure(ends):
    kept = Kept()
    take(*ends, writers=[kept]).close()
    assert kept.is_failed is not bool(ends)


def test_a_writer_that_fails_is_told_once_and_the_others_go_on():
    full, kept, warnings = Kept(is_full=True), Kept(), []
    sink = take(ended(400), ended(500), writers=[full, kept], warn=warnings.append)
    assert [step for step, _ in kept.written] == [400, 500]
    assert warnings == ["kept gets no more metrics: No space left on device. The run continues."]
    assert (full.is_closed, kept.is_closed) == (True, False)
    sink.close()
    assert kept.is_closed


def test_a_folder_that_cannot_be_written_fails_the_writer_and_not_the_run(tmp_path):
    (tmp_path / "tensorboard").write_text("in the way")
    file = TensorBoardFile(tmp_path / "tensorboard", 0, Clock(tick_s=3.0))
    warnings: list[str] = []
    take(ended(), writers=[file], warn=warnings.append).close()
    assert warnings[0].startswith("TensorBoard gets no more metrics")


@pytest.fixture
def wandb(monkeypatch) -> FakeWandb:
    module = FakeWandb()
    monkeypatch.setitem(sys.modules, "wandb", module)
    return module


def test_wandb_gets_the_figures_by_environment_step(wandb, tmp_path):
    run = WandbRun(RunConfig(wandb="offline", seed=7), tmp_path, "20260101-1")
    run.write(400, {"a": 1.0})
    run.close()
    (_, options), metric, log, finish = wandb.calls
    assert (options["id"], options["mode"], options["resume"]) == ("20260101-1", "offline", "allow")
    assert (options["dir"], options["config"]["seed"]) == (str(tmp_path), 7)
    assert options["settings"] == {"silent": True, "console": "off"}
    assert metric == ("define_metric", "*", "total_steps")
    assert log == ("log", {"total_steps": 400, "a": 1.0})
    assert finish == ("finish", 0)


def test_wandb_online_without_a_login_is_one_clear_line(wandb, tmp_path):
    with pytest.raises(ConfigurationError, match="wandb=offline"):
        WandbRun(RunConfig(wandb="online"), tmp_path, "x")
    wandb.is_logged_in = True
    assert WandbRun(RunConfig(wandb="online"), tmp_path, "x").name == "W&B"


def test_wandb_that_cannot_begin_is_one_clear_line_and_one_that_fails_later_a_warning(
    wandb, tmp_path
):
    offline = RunConfig(wandb="offline")
    run = WandbRun(offline, tmp_path, "x")
    wandb.failure = FakeWandb.Error("the service is gone")
    with pytest.raises(ConfigurationError, match="the service is gone"):
        WandbRun(offline, tmp_path, "x")
    warnings: list[str] = []
    take(ended(), writers=[run], warn=warnings.append)
    assert warnings == ["W&B gets no more metrics: the service is gone. The run continues."]


def test_wandb_without_its_package_is_one_clear_line(monkeypatch):
    monkeypatch.setattr("engine.runs.weights_biases.find_spec", lambda name: None)
    require_wandb(RunConfig())
    with pytest.raises(ConfigurationError, match=r"pip install 'poketui\[wandb\]'"):
        require_wandb(RunConfig(wandb="offline"))
