"""The engine of PokeTUI: environment, agents and training, complete without the terminal.

Exported here is the documented public API (docs/python-api.md). Each name is imported when it is
first used, so that `import engine` is fast and loads neither torch nor the emulator.
"""

import importlib
from collections.abc import Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from engine.api.from_config import GoalOrientedPlanner as GoalOrientedPlanner
    from engine.api.from_config import create_trainer_from_config as create_trainer_from_config
    from engine.api.hybrid_agent import AgentMode as AgentMode
    from engine.api.hybrid_agent import HybridAgent as HybridAgent
    from engine.api.hybrid_trainer import HybridLLMRLTrainer as HybridLLMRLTrainer
    from engine.api.llm_manager import BaseLLMManager as BaseLLMManager
    from engine.api.llm_manager import LLMManager as LLMManager
    from engine.api.pokemon_env import (
        EnhancedPyBoyPokemonCrystalEnv as EnhancedPyBoyPokemonCrystalEnv,
    )
    from engine.api.pokemon_env import PokemonEnv as PokemonEnv
    from engine.errors import CheckpointError as CheckpointError
    from engine.errors import ConfigurationError as ConfigurationError
    from engine.errors import DecisionValidationError as DecisionValidationError
    from engine.errors import EnvironmentError as EnvironmentError
    from engine.errors import LLMConnectionError as LLMConnectionError
    from engine.errors import PokeTUIError as PokeTUIError
    from engine.errors import TrainingError as TrainingError
    from engine.gymnasium import register_envs as register_envs
    from engine.planning.goals.adaptive import AdaptiveStrategySystem as AdaptiveStrategySystem
    from engine.planning.goals.adaptive import StrategyType as StrategyType
    from engine.planning.history.analysis import GameStateAnalysis as GameStateAnalysis
    from engine.planning.history.decisions import DecisionHistoryAnalyzer as DecisionHistoryAnalyzer

_HOMES: Mapping[str, str] = MappingProxyType(
    {
        "AdaptiveStrategySystem": "engine.planning.goals.adaptive",
        "AgentMode": "engine.api.hybrid_agent",
        "BaseLLMManager": "engine.api.llm_manager",
        "CheckpointError": "engine.errors",
        "ConfigurationError": "engine.errors",
        "DecisionHistoryAnalyzer": "engine.planning.history.decisions",
        "DecisionValidationError": "engine.errors",
        "EnhancedPyBoyPokemonCrystalEnv": "engine.api.pokemon_env",
        "EnvironmentError": "engine.errors",
        "GameStateAnalysis": "engine.planning.history.analysis",
        "GoalOrientedPlanner": "engine.api.from_config",
        "HybridAgent": "engine.api.hybrid_agent",
        "HybridLLMRLTrainer": "engine.api.hybrid_trainer",
        "LLMConnectionError": "engine.errors",
        "LLMManager": "engine.api.llm_manager",
        "PokeTUIError": "engine.errors",
        "PokemonEnv": "engine.api.pokemon_env",
        "StrategyType": "engine.planning.goals.adaptive",
        "TrainingError": "engine.errors",
        "create_trainer_from_config": "engine.api.from_config",
        "register_envs": "engine.gymnasium",
    }
)

__all__ = tuple(_HOMES)


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'engine' has no attribute {name!r}")
    return getattr(importlib.import_module(_HOMES[name]), name)


def __dir__() -> list[str]:
    return [*globals(), *_HOMES]
