"""The documented names and signatures, importable from `engine` at no cost."""

import inspect
import operator
import subprocess
import sys

import pytest

import engine
from engine import errors
from engine.types import Action

EMPTY = inspect.Parameter.empty

DOCUMENTED = {
    "HybridLLMRLTrainer": (
        "env, agent, strategy_system, decision_analyzer, llm_manager, "
        "save_dir='checkpoints', log_level='INFO'"
    ),
    "HybridLLMRLTrainer.train": (
        "self, total_episodes=1000, max_steps_per_episode=10000, save_interval=100, "
        "eval_interval=50, curriculum_patience=20"
    ),
    "HybridLLMRLTrainer.load_checkpoint": "self, checkpoint_path",
    "HybridLLMRLTrainer.save_best_model": "self",
    "HybridAgent": "llm_manager, adaptive_strategy, action_space_size=9, curriculum_config=None",
    "HybridAgent.get_action": "self, observation, info",
    "HybridAgent.update": "self, observation, action, reward, next_observation, done",
    "AdaptiveStrategySystem": "history_analyzer=None, goal_planner=None",
    "AdaptiveStrategySystem.select_strategy": "self, context",
    "AdaptiveStrategySystem.get_strategy_stats": "self",
    "AdaptiveStrategySystem._should_switch_strategy": "self, performance_metrics",
    "DecisionHistoryAnalyzer": "db_path='decisions.db'",
    "DecisionHistoryAnalyzer.record_decision": (
        "self, game_state, action_taken, reasoning, confidence, outcome_reward"
    ),
    "DecisionHistoryAnalyzer.analyze_patterns": "self, min_frequency=3, context_filter=None",
    "DecisionHistoryAnalyzer.get_recent_decisions": "self, limit=100",
    "EnhancedPyBoyPokemonCrystalEnv._calculate_reward": (
        "self, current_state, previous_state, action"
    ),
    "EnhancedPyBoyPokemonCrystalEnv.step": "self, action",
    "GameStateAnalysis": "state_variables",
    "GameStateAnalysis.analyze_battle_state": "self",
    "GameStateAnalysis.analyze_exploration_state": "self",
    "GameStateAnalysis.get_summary": "self",
    "BaseLLMManager.get_action": "self, context",
    "BaseLLMManager.parse_action": "self, response",
    "create_trainer_from_config": "config_path",
}
"""Parameters and defaults; keyword-only parameters may come on top."""


@pytest.mark.parametrize(("name", "documented"), DOCUMENTED.items(), ids=DOCUMENTED)
def test_signature_is_the_documented_one(name, documented):
    parameters = inspect.signature(operator.attrgetter(name)(engine)).parameters.values()
    positional = [p for p in parameters if p.kind is p.POSITIONAL_OR_KEYWORD]
    found = [p.name if p.default is EMPTY else f"{p.name}={p.default!r}" for p in positional]
    assert ", ".join(found) == documented
    others = [p for p in parameters if p not in positional]
    assert all(p.kind is p.KEYWORD_ONLY and p.default is not EMPTY for p in others)


def test_environment_takes_the_documented_arguments():
    parameters = inspect.signature(engine.EnhancedPyBoyPokemonCrystalEnv).parameters
    assert list(parameters)[:3] == ["rom_path", "headless", "observation_type"]
    assert parameters["headless"].default is True
    assert parameters["observation_type"].default == "multi_modal"


def test_every_exported_name_is_there_and_an_unknown_one_an_attribute_error():
    for name in engine.__all__:
        assert getattr(engine, name).__name__ == name
    assert set(engine.__all__) <= set(dir(engine))
    with pytest.raises(AttributeError, match="no attribute 'Trainer'"):
        engine.Trainer  # noqa: B018


def test_documented_exceptions_are_those_of_the_engine():
    names = (
        "TrainingError", "ConfigurationError", "EnvironmentError", "CheckpointError",
        "LLMConnectionError", "DecisionValidationError",
    )  # fmt: skip
    for name in names:
        assert getattr(engine, name) is getattr(errors, name)
        assert issubclass(getattr(engine, name), engine.PokeTUIError)


def test_modes_and_strategies_are_the_documented_ones():
    assert [mode.name for mode in engine.AgentMode] == ["LLM_ONLY", "RL_ONLY", "ADAPTIVE"]
    shares = {strategy.name: strategy.planner_share for strategy in engine.StrategyType}
    assert shares == {"LLM_HEAVY": 0.8, "BALANCED": 0.5, "RULE_HEAVY": 0.2}


def test_actions_have_the_documented_indices():
    names = ["A", "B", "START", "SELECT", "UP", "DOWN", "LEFT", "RIGHT", "NOOP"]
    assert [action.name for action in sorted(Action)] == names
    assert sorted(Action) == list(range(9))


@pytest.mark.parametrize(
    ("code", "absent"),
    [
        ("import engine", {"torch", "pyboy", "numpy", "gymnasium", "pydantic", "aiosqlite"}),
        ("from engine import EnhancedPyBoyPokemonCrystalEnv", {"torch"}),
    ],
    ids=["the engine", "a custom environment"],
)
def test_importing_loads_no_library_that_is_not_needed(code, absent):
    script = f"{code}\nimport sys\nprint(*sys.modules)"
    loaded = subprocess.check_output([sys.executable, "-c", script], text=True).split()
    assert not absent & {name.partition(".")[0] for name in loaded}
