"""The documented names and signatures, importable from `engine` at no cost."""

import inspect
import subprocess
import sys
from collections.abc import Callable
from typing import Any

import pytest

import engine
from engine import errors
from engine.types import Action

EMPTY = inspect.Parameter.empty

DOCUMENTED: dict[str, dict[str, Any]] = {
    "HybridLLMRLTrainer": {
        "env": EMPTY,
        "agent": EMPTY,
        "strategy_system": EMPTY,
        "decision_analyzer": EMPTY,
        "llm_manager": EMPTY,
        "save_dir": "checkpoints",
        "log_level": "INFO",
    },
    "HybridLLMRLTrainer.train": {
        "self": EMPTY,
        "total_episodes": 1000,
        "max_steps_per_episode": 10000,
        "save_interval": 100,
        "eval_interval": 50,
        "curriculum_patience": 20,
    },
    "HybridLLMRLTrainer.load_checkpoint": {"self": EMPTY, "checkpoint_path": EMPTY},
    "HybridLLMRLTrainer.save_best_model": {"self": EMPTY},
    "HybridAgent": {
        "llm_manager": EMPTY,
        "adaptive_strategy": EMPTY,
        "action_space_size": 9,
        "curriculum_config": None,
    },
    "HybridAgent.get_action": {"self": EMPTY, "observation": EMPTY, "info": EMPTY},
    "HybridAgent.update": {
        "self": EMPTY,
        "observation": EMPTY,
        "action": EMPTY,
        "reward": EMPTY,
        "next_observation": EMPTY,
        "done": EMPTY,
    },
    "AdaptiveStrategySystem": {"history_analyzer": None, "goal_planner": None},
    "AdaptiveStrategySystem.select_strategy": {"self": EMPTY, "context": EMPTY},
    "AdaptiveStrategySystem.get_strategy_stats": {"self": EMPTY},
    "AdaptiveStrategySystem._should_switch_strategy": {
        "self": EMPTY,
        "performance_metrics": EMPTY,
    },
    "DecisionHistoryAnalyzer": {"db_path": "decisions.db"},
    "DecisionHistoryAnalyzer.record_decision": {
        "self": EMPTY,
        "game_state": EMPTY,
        "action_taken": EMPTY,
        "reasoning": EMPTY,
        "confidence": EMPTY,
        "outcome_reward": EMPTY,
    },
    "DecisionHistoryAnalyzer.analyze_patterns": {
        "self": EMPTY,
        "min_frequency": 3,
        "context_filter": None,
    },
    "DecisionHistoryAnalyzer.get_recent_decisions": {"self": EMPTY, "limit": 100},
    "EnhancedPyBoyPokemonCrystalEnv._calculate_reward": {
        "self": EMPTY,
        "current_state": EMPTY,
        "previous_state": EMPTY,
        "action": EMPTY,
    },
    "EnhancedPyBoyPokemonCrystalEnv.step": {"self": EMPTY, "action": EMPTY},
    "GameStateAnalysis": {"state_variables": EMPTY},
    "GameStateAnalysis.analyze_battle_state": {"self": EMPTY},
    "GameStateAnalysis.analyze_exploration_state": {"self": EMPTY},
    "GameStateAnalysis.get_summary": {"self": EMPTY},
    "BaseLLMManager.get_action": {"self": EMPTY, "context": EMPTY},
    "BaseLLMManager.parse_action": {"self": EMPTY, "response": EMPTY},
    "create_trainer_from_config": {"config_path": EMPTY},
}
"""Parameters and defaults; keyword-only parameters may come on top."""


def documented(name: str) -> Callable[..., Any]:
    first, _, rest = name.partition(".")
    found = getattr(engine, first)
    return getattr(found, rest) if rest else found


@pytest.mark.parametrize("name", DOCUMENTED)
def test_signature_is_the_documented_one(name: str) -> None:
    parameters = inspect.signature(documented(name)).parameters.values()
    positional = {p.name: p.default for p in parameters if p.kind is p.POSITIONAL_OR_KEYWORD}
    assert positional == DOCUMENTED[name]
    assert list(positional) == list(DOCUMENTED[name])
    others = [p for p in parameters if p.name not in positional]
    assert all(p.kind is p.KEYWORD_ONLY and p.default is not EMPTY for p in others)


def test_environment_takes_the_documented_arguments() -> None:
    parameters = inspect.signature(engine.EnhancedPyBoyPokemonCrystalEnv).parameters
    assert list(parameters)[:3] == ["rom_path", "headless", "observation_type"]
    assert parameters["headless"].default is True
    assert parameters["observation_type"].default == "multi_modal"


def test_every_exported_name_is_there() -> None:
    for name in engine.__all__:
        assert getattr(engine, name).__name__ == name
    assert set(engine.__all__) <= set(dir(engine))


def test_an_unknown_name_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="no attribute 'Trainer'"):
        engine.Trainer  # noqa: B018


@pytest.mark.parametrize(
    "name",
    [
        "TrainingError",
        "ConfigurationError",
        "EnvironmentError",
        "CheckpointError",
        "LLMConnectionError",
        "DecisionValidationError",
    ],
)
def test_documented_exceptions_are_those_of_the_engine(name: str) -> None:
    assert getattr(engine, name) is getattr(errors, name)
    assert issubclass(getattr(engine, name), engine.PokeTUIError)


def test_modes_and_strategies_are_the_documented_ones() -> None:
    assert [mode.name for mode in engine.AgentMode] == ["LLM_ONLY", "RL_ONLY", "ADAPTIVE"]
    assert [(s.name, s.planner_share) for s in engine.StrategyType] == [
        ("LLM_HEAVY", 0.8),
        ("BALANCED", 0.5),
        ("RULE_HEAVY", 0.2),
    ]


def test_actions_have_the_documented_indices() -> None:
    names = ["A", "B", "START", "SELECT", "UP", "DOWN", "LEFT", "RIGHT", "NOOP"]
    assert [action.name for action in sorted(Action)] == names
    assert sorted(Action) == list(range(9))


def modules_after(code: str) -> set[str]:
    script = f"{code}\nimport sys\nprint(*sys.modules)"
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True
    )
    return {name.partition(".")[0] for name in done.stdout.split()}


def test_importing_the_engine_loads_no_library() -> None:
    loaded = modules_after("import engine")
    assert not loaded & {"torch", "pyboy", "numpy", "gymnasium", "pydantic", "aiosqlite"}


def test_a_custom_environment_is_made_without_torch() -> None:
    assert "torch" not in modules_after("from engine import EnhancedPyBoyPokemonCrystalEnv")
