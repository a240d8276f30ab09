"""The code of the documents, with modules replaced by `engine`, on the practice game in small."""

import cProfile
import json
import logging
import pstats
import re
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from engine import (
    AdaptiveStrategySystem,
    BaseLLMManager,
    DecisionHistoryAnalyzer,
    EnhancedPyBoyPokemonCrystalEnv,
    GoalOrientedPlanner,
    HybridAgent,
    HybridLLMRLTrainer,
    StrategyType,
    TrainingError,
    create_trainer_from_config,
)
from engine.config import EnvConfig
from tests.utils import create_test_trainer, generate_test_config

pytestmark = pytest.mark.slow

SHORT = EnvConfig(max_steps=16, progress_steps=0)
FEW = 8
"""Steps of an episode where only its end counts."""

Make = Callable[..., HybridLLMRLTrainer]


@pytest.fixture
def make_trainer(tmp_path: Path) -> Iterator[Make]:
    """Make a trainer of parts, each of which a test may bring itself."""
    made: list[HybridLLMRLTrainer] = []

    def make(
        env: type[EnhancedPyBoyPokemonCrystalEnv] = EnhancedPyBoyPokemonCrystalEnv,
        strategy: type[AdaptiveStrategySystem] = AdaptiveStrategySystem,
        history: type[DecisionHistoryAnalyzer] = DecisionHistoryAnalyzer,
        llm_manager: BaseLLMManager | None = None,
        log_level: str = "WARNING",
        curriculum_config: dict[str, Any] | None = None,
        agent: type[HybridAgent] = HybridAgent,
    ) -> HybridLLMRLTrainer:
        environment = env("", True, "state", config=SHORT)
        decision_analyzer = history(str(tmp_path / "decisions.db"))
        planner = GoalOrientedPlanner(environment.game)
        adaptive_strategy = strategy(decision_analyzer, planner)
        trainer = HybridLLMRLTrainer(
            env=environment,
            agent=agent(llm_manager, adaptive_strategy, curriculum_config=curriculum_config),
            strategy_system=adaptive_strategy,
            decision_analyzer=decision_analyzer,
            llm_manager=llm_manager,
            save_dir=str(tmp_path / "checkpoints"),
            log_level=log_level,
        )
        trainer.config = trainer.config.model_copy(update={"eval_episodes": 1})
        made.append(trainer)
        return trainer

    yield make
    for trainer in made:
        trainer.close()


def test_quick_start_and_validation_run(tmp_path):
    config = generate_test_config(tmp_path) | {"observation_type": "multi_modal"}
    (tmp_path / "config.json").write_text(json.dumps(config))
    trainer = create_trainer_from_config(str(tmp_path / "config.json"))
    summary = trainer.train(total_episodes=4, max_steps_per_episode=8)
    assert summary["total_episodes"] == 4
    assert summary["best_reward"] > -100
    trainer.close()


def test_custom_rewards_are_paid(make_trainer):
    class CustomPokemonEnv(EnhancedPyBoyPokemonCrystalEnv):
        def _calculate_reward(self, current_state, previous_state, action):
            base_reward = super()._calculate_reward(current_state, previous_state, action)
            custom_reward = 0.0
            if current_state.get("custom_condition"):
                custom_reward += 50.0
            if self._check_custom_condition(current_state):
                custom_reward += 100.0
            return base_reward + custom_reward

        def _check_custom_condition(self, state):
            return self.episode_steps == 3

    plain = make_trainer().train(1, FEW)
    custom = make_trainer(env=CustomPokemonEnv).train(1, FEW)
    assert custom["best_reward"] == pytest.approx(plain["best_reward"] + 100.0)


class Generous(EnhancedPyBoyPokemonCrystalEnv):
    """Pays a hundred an episode more, so that every episode is about as good."""

    def _calculate_reward(self, current_state, previous_state, action):
        base_reward = super()._calculate_reward(current_state, previous_state, action)
        return base_reward + (100.0 if self.episode_steps == 3 else 0.0)


def curriculum_moves(trainer: HybridLLMRLTrainer) -> list[tuple[int, int, float]]:
    """Return the list that every move of the curriculum is noted in: episode, stage, threshold."""
    moves = []

    def note(trainer, episode, metrics):
        if metrics["has_moved"]:
            moves.append((episode, metrics["stage"], metrics["threshold"]))

    trainer.register_callback("curriculum_change", note)
    return moves


def documented_stages(*thresholds: float, **values: Any) -> list[dict[str, Any]]:
    """Return stages with all documented keys."""
    stage = {"min_episodes": 3, "llm_confidence": 0.9, "strategy_preference": "balanced"}
    return [{"reward_threshold": threshold} | stage | values for threshold in thresholds]


def test_curriculum_config_thresholds_and_min_episodes_stand_as_given(make_trainer):
    config = {"stages": documented_stages(50.0, 90.0, 500.0), "confidence_decay_rate": 0.01}
    trainer = make_trainer(env=Generous, curriculum_config=config)
    moves = curriculum_moves(trainer)
    summary = trainer.train(10, FEW, eval_interval=0)
    assert moves == [(3, 2, 90.0), (6, 3, 500.0)]
    assert summary["curriculum_stage_reached"] == 3
    assert summary["curriculum_advancements"] == 2


def test_advancement_patience_is_waited_for_in_every_stage(make_trainer):
    config = {
        "stages": documented_stages(50.0, 90.0, 500.0),
        "advancement_patience": 5,
        "confidence_decay_rate": 0.01,
    }
    trainer = make_trainer(env=Generous, curriculum_config=config)
    moves = curriculum_moves(trainer)
    trainer.train(10, FEW, eval_interval=0)
    assert [episode for episode, _, _ in moves] == [5, 10]


def test_curriculum_patience_is_how_many_episodes_are_waited(make_trainer):
    training_params = {
        "total_episodes": 13,
        "max_steps_per_episode": FEW,
        "save_interval": 100,
        "eval_interval": 50,
        "curriculum_patience": 12,
    }
    trainer = make_trainer(env=Generous, curriculum_config={"reward_scale": 1.0})
    moves = curriculum_moves(trainer)
    summary = trainer.train(**training_params)
    assert [(episode, stage) for episode, stage, _ in moves] == [(12, 2)]
    assert summary["best_reward"] > 100


def test_strategy_preference_of_first_and_last_stage_counts(make_trainer):
    first, last = documented_stages(50.0, 500.0)
    last["strategy_preference"] = "rule_heavy"
    config = {"stages": [first, last], "confidence_decay_rate": 0.01}
    trainer = make_trainer(env=Generous, curriculum_config=config)
    strategy = trainer.parts.strategy
    assert strategy.current is StrategyType.BALANCED
    trainer.train(5, FEW, eval_interval=0)
    (switch,) = strategy.get_strategy_stats()["switches"]
    assert (switch["old"], switch["new"]) == ("balanced", "rule_heavy")
    assert switch["cause"] == "set by stage 2 of 3"


def test_custom_strategy_policy_decides(make_trainer):
    asked = []

    class CustomStrategySystem(AdaptiveStrategySystem):
        def _should_switch_strategy(self, performance_metrics):
            asked.append(dict(performance_metrics))
            if performance_metrics["episode_reward"] < 100:
                return StrategyType.RULE_HEAVY
            elif performance_metrics["llm_usage_rate"] > 0.8:
                return StrategyType.BALANCED
            return None

    trainer = make_trainer(strategy=CustomStrategySystem)
    summary = trainer.train(12, FEW)
    assert len(asked) == 12
    assert summary["strategy_switches"] == 1
    stats = trainer.parts.strategy.get_strategy_stats()
    assert stats["current_strategy"] == "rule_heavy"


def test_custom_decision_analysis_sees_the_decisions(make_trainer):
    class CustomDecisionAnalyzer(DecisionHistoryAnalyzer):
        def analyze_custom_patterns(self, context_filter=None):
            patterns = []
            for pattern in self.analyze_patterns(1, context_filter):
                patterns.append(pattern["action"])
            return patterns

    trainer = make_trainer(history=CustomDecisionAnalyzer)
    trainer.train(total_episodes=2)
    history = trainer.parts.history
    assert history.analyze_custom_patterns()
    decisions = history.get_recent_decisions()
    assert len(decisions) == 32
    assert [decision["step_number"] for decision in decisions[:16]] == list(range(16, 0, -1))
    assert len({decision["episode_id"] for decision in decisions}) == 2
    assert all(decision["total_episode_reward"] is not None for decision in decisions)
    assert all(decision["reasoning"] for decision in decisions)
    assert {decision["source"] for decision in decisions} <= {"policy", "rules"}


def test_custom_llm_manager_is_asked(make_trainer):
    contexts = []

    class CustomLLMManager(BaseLLMManager):
        def get_action(self, context: str) -> tuple[int, dict[str, Any]]:
            response = self.chat(context)
            action = self.parse_action(response)
            metadata = {"source": "custom_llm", "confidence": 0.8}
            return action, metadata

        def chat(self, context):
            contexts.append(context)
            return context.rpartition("Possible actions: ")[2].split(",")[0]

    trainer = make_trainer(llm_manager=CustomLLMManager())
    summary = trainer.train(5, FEW, eval_interval=0)
    consultation = trainer.parts.agent.consultation
    assert consultation.asked == 0.8 * summary["total_steps"]
    assert consultation.failed == consultation.invalid == 0
    assert "HOME 2F" in contexts[0]
    sources = {row["source"] for row in trainer.parts.history.get_recent_decisions()}
    assert "custom_llm" in sources  # as the answers' metadata say
    assert sources <= {"custom_llm", "rules", "policy"}


@pytest.mark.parametrize("has_model", [False, True])
@pytest.mark.parametrize(("initial_strategy", "share"), [("llm_heavy", 0.8), ("rule_heavy", 0.2)])
def test_documented_shares_of_the_strategies_are_measured(
    tmp_path, initial_strategy, share, has_model
):
    class First:
        def get_action(self, context: str) -> tuple[int, dict[str, Any]]:
            return int(context.rpartition("Possible actions: ")[2].split()[0]), {}

    trainer = create_test_trainer(3, temp_dir=tmp_path, initial_strategy=initial_strategy)
    trainer.parts.agent.llm_manager = First() if has_model else None
    summary = trainer.train(max_steps_per_episode=20, eval_interval=2)
    trainer.close()
    evaluation = summary["final_evaluation"]
    led, other = ("llm", "rules") if has_model else ("rules", "llm")
    assert summary["total_steps"] == 60
    assert summary[f"avg_{led}_usage"] == pytest.approx(share, abs=0.02)
    assert evaluation[f"avg_{led}_usage"] == pytest.approx(share, abs=0.03)
    assert summary[f"avg_{other}_usage"] == evaluation[f"avg_{other}_usage"] == 0
    assert summary["llm_asked"] == summary["llm_answered"]
    assert bool(summary["llm_asked"]) is has_model


def test_metrics_callback_saves_the_best(make_trainer):
    best_reward = -1e9
    told = []

    def training_callback(trainer, episode, metrics):
        nonlocal best_reward
        told.append((episode, metrics["reward"]))
        if metrics["reward"] > best_reward:
            best_reward = metrics["reward"]
            trainer.save_best_model()

    trainer = make_trainer()
    trainer.register_callback("episode_end", training_callback)
    summary = trainer.train(3, FEW)
    assert [episode for episode, _ in told] == [1, 2, 3]
    assert max(reward for _, reward in told) == best_reward == summary["best_reward"]


def test_a_custom_environment_may_observe_more(make_trainer):
    class Tracking(EnhancedPyBoyPokemonCrystalEnv):
        def reset(self, **kwargs):
            observation, info = super().reset(**kwargs)
            return observation | {"steps": self.episode_steps}, info

        def step(self, action):
            observation, *rest = super().step(action)
            return observation | {"steps": self.episode_steps}, *rest

    class Watching(HybridAgent):
        def get_action(self, observation, info):
            seen.append(observation["steps"])
            return super().get_action(observation, info)

    seen: list[int] = []
    trainer = make_trainer(env=Tracking, agent=Watching)
    trainer.train(1, FEW, eval_interval=0)
    assert seen[:FEW] == list(range(FEW))


def test_error_recovery_goes_on_from_the_last_checkpoint(make_trainer):
    class FailingOnce(EnhancedPyBoyPokemonCrystalEnv):
        num_steps = 0

        def step(self, action):
            type(self).num_steps += 1
            if self.num_steps == 20:
                raise ZeroDivisionError("oops")
            return super().step(action)

    trainer = make_trainer(env=FailingOnce)
    with pytest.raises(TrainingError, match="ZeroDivisionError: oops") as caught:
        trainer.train(1000, FEW, save_interval=1)
    assert isinstance(caught.value.__cause__, ZeroDivisionError)
    assert trainer.load_checkpoint("latest")
    summary = trainer.train(4, FEW)
    assert (summary["total_episodes"], summary["total_steps"]) == (4, 4 * FEW)


def test_debug_level_logs_every_decision(make_trainer, caplog):
    trainer = make_trainer(log_level="DEBUG")
    trainer.train(total_episodes=1, max_steps_per_episode=5, eval_interval=0)
    decided = [r for r in caplog.records if r.name == "engine.api.hybrid_agent"]
    assert len(decided) == 5 + 5 + 5  # and those of the two final evaluations
    logging.getLogger("engine").setLevel(logging.NOTSET)


def test_handlers_of_logging_get_the_lines_and_stderr_gets_none(make_trainer, tmp_path, capsys):
    handler = logging.FileHandler(tmp_path / "training.log")
    handler.setFormatter(logging.Formatter("%(asctime)s - %(name)s - %(levelname)s - %(message)s"))
    logging.getLogger().addHandler(handler)  # what logging.basicConfig does
    try:
        make_trainer(log_level="INFO").train(1, FEW, eval_interval=0)
    finally:
        logging.getLogger().removeHandler(handler)
        logging.getLogger("engine").setLevel(logging.NOTSET)
        handler.close()
    lines = (tmp_path / "training.log").read_text().splitlines()
    assert re.fullmatch(r".* - engine\.api\.hybrid_trainer - INFO - episode 1: reward .*", lines[0])
    assert capsys.readouterr().err == ""


_DEBUG = """
import json, logging, sys
from engine import create_trainer_from_config
json.dump(
    {
        "rom_path": "", "headless": True, "observation_type": "state", "llm_model": "nobody",
        "llm_base_url": "http://127.0.0.1:9", "max_context_length": 8000,
        "initial_strategy": "llm_heavy", "decision_db_path": "decisions.db", "save_dir": "training",
        "log_level": "DEBUG", "eval_episodes": 1,
    },
    open("config.json", "w"),
)
trainer = create_trainer_from_config("config.json")
logging.getLogger("asyncio").debug("noise")
trainer.train(total_episodes=1, max_steps_per_episode=10, eval_interval=0)
trainer.close()
"""


def test_debug_level_alone_prints_our_lines_and_no_librarys_noise(tmp_path):
    done = subprocess.run(
        [sys.executable, "-c", _DEBUG], cwd=tmp_path, capture_output=True, text=True,
        timeout=300, check=True,
    )  # fmt: skip
    assert done.stdout == ""
    lines = done.stderr.splitlines()
    assert [line for line in lines if not re.match(r"\S+ \S+ [A-Z]+ engine\.[\w.]+: ", line)] == []
    decided = [line for line in lines if " DEBUG engine.api.hybrid_agent: " in line]
    assert len(decided) == 10 + 2 * 10  # and those of the two final evaluations


def test_max_steps_per_episode_is_obeyed_beyond_the_usual_limit(tmp_path):
    env = EnhancedPyBoyPokemonCrystalEnv("", observation_type="state")
    before = env.config
    strategy = AdaptiveStrategySystem()
    trainer = HybridLLMRLTrainer(
        env, Idle(None, strategy), strategy, None, None, str(tmp_path), "WARNING"
    )
    trainer.config = trainer.config.model_copy(update={"eval_episodes": 1})
    for wanted in (before.max_steps + 300, 10):
        lengths = []
        trainer.register_callback(
            "episode_end", lambda _, __, metrics, lengths=lengths: lengths.append(metrics["length"])
        )
        trainer.train(trainer.episodes + 1, max_steps_per_episode=wanted, eval_interval=0)
        assert lengths == [wanted]
    assert env.config == before
    trainer.close()


class Idle(HybridAgent):
    """Does nothing, and learns nothing of it."""

    def get_action(self, observation, info):
        return int(np.flatnonzero(observation["action_mask"])[-1])

    def update(self, observation, action, reward, next_observation, done):
        pass


def test_training_can_be_profiled(make_trainer):
    trainer = make_trainer()
    profiler = cProfile.Profile()
    profiler.enable()
    trainer.train(total_episodes=1, max_steps_per_episode=5)
    profiler.disable()
    assert pstats.Stats(profiler).total_calls > 0


def test_test_trainer_trains_as_many_episodes_as_it_was_made_for(tmp_path):
    trainer = create_test_trainer(episodes=2, headless=True, temp_dir=tmp_path / "test")
    assert trainer.train(max_steps_per_episode=10)["total_episodes"] == 2
    trainer.close()
