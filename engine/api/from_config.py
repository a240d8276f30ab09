"""Build the documented trainer, with all its parts, from a file of settings."""

import logging
from pathlib import Path

import numpy as np

from engine.api.hybrid_agent import AgentMode, HybridAgent
from engine.api.hybrid_trainer import HybridLLMRLTrainer
from engine.config import RunConfig, load_config
from engine.env.game_env import GameEnv
from engine.env.start_states import states_folder
from engine.errors import ConfigurationError
from engine.games.base import Game
from engine.planning.history.decisions import DecisionHistoryAnalyzer
from engine.planning.rules.advisor import RuleAdvisor
from engine.training.build import build_agent, build_strategy
from engine.types import Advice, GameState, Goal


class GoalOrientedPlanner:
    """Plan from one state of a game to the next.

    Attributes:
        current_goal: Of the last plan, None before the first.

    Args:
        game: What is played; `env.game`.
    """

    def __init__(self, game: Game) -> None:
        self.current_goal: Goal | None = None
        self._advisor = RuleAdvisor(game)
        self._num_actions = len(game.actions)

    def reset(self, state: GameState) -> None:
        """Start an episode at `state`."""
        self.current_goal = None
        self._advisor.reset(state)

    def plan(self, state: GameState) -> Advice:
        """Return the goal and which actions serve it; call it once a step, for it remembers."""
        advice = self._advisor.advise(state, np.ones(self._num_actions, np.bool_))
        self.current_goal = advice.goal
        return advice

    def next_goals(self, state: GameState) -> tuple[Goal, ...]:
        """Return the goals from here to the end of what is known, in order."""
        return self._advisor.open_goals(state)


_GIVEN_TO_TRAIN = {"total_episodes", "save_interval", "eval_interval"}
_log = logging.getLogger(__name__)

_ONE_ENV_PPO = {"rollout_steps": 512, "minibatch_size": 128}
"""In place of defaults that are made for many environments."""


def create_trainer_from_config(config_path: str) -> HybridLLMRLTrainer:
    """Build a trainer from a JSON or TOML file.

    Every setting is known: the documented keys at the top, and all others of `RunConfig`. One
    environment is trained in, so that `num_envs` may only be 1. The language model that
    `llm_model` names sets goals and is never waited for.

    Args:
        config_path: The file.

    Raises:
        ConfigurationError: A key or value is wrong; the error names it and what is allowed.
        RomError: The ROM is missing, damaged or not supported.
    """
    config = _for_one_environment(load_config(Path(config_path)), config_path)
    env = GameEnv(
        config.rom_path,
        # A window is opened only where it is asked for: the setting is False for a cockpit's sake.
        headless=config.headless or "headless" not in config.model_fields_set,
        observation_type=config.observation_type,
        config=config.env,
        rewards=config.rewards,
        cache_dir=states_folder(config),
        start_state=config.start_state,
        allow_unknown_rom=config.allow_unknown_rom,
    )
    history = DecisionHistoryAnalyzer(config.decision_db_path)
    strategy = build_strategy(config, history, GoalOrientedPlanner(env.game))
    curriculum = config.curriculum.model_dump(exclude_unset=True)
    agent = HybridAgent(None, strategy, curriculum_config=curriculum)
    agent.mode = AgentMode(config.mode)
    agent.max_context_length = config.max_context_length
    learning = config.model_copy(update={"mode": "adaptive"})
    agent.make_policy = lambda spaces: build_agent(learning, spaces)
    trainer = HybridLLMRLTrainer(
        env, agent, strategy, history, None, config.save_dir, config.log_level
    )
    trainer.config = config
    return trainer


def _for_one_environment(config: RunConfig, origin: str) -> RunConfig:
    """Return the settings with the defaults that suit one environment.

    Raises:
        ConfigurationError: They ask for more.
    """
    given = config.model_fields_set
    for key in sorted(given & _GIVEN_TO_TRAIN):
        _log.warning("%s: %s has no effect here: pass it to train().", origin, key)
    if "num_envs" in given and config.num_envs != 1:
        raise ConfigurationError(
            f"{origin}: num_envs = {config.num_envs}: this trainer has one environment.",
            "Leave it out, or train with `poketui run --config`.",
        )
    if config.agent not in {"ppo", "dqn"}:
        raise ConfigurationError(
            f"{origin}: agent = '{config.agent}': this trainer needs a learning agent.",
            "Use 'ppo' or 'dqn'; with mode = 'llm_only' the planner acts alone.",
        )
    if config.backward.demo:
        raise ConfigurationError(
            f"{origin}: backward.demo: this trainer starts all episodes at the start state.",
            "Leave it out, or train with `poketui run --demo`.",
        )
    changes: dict[str, object] = {"num_envs": 1, "workers": 1}
    if "ppo" not in given:
        changes["ppo"] = config.ppo.model_copy(update=_ONE_ENV_PPO)
    if "encoder" not in given and config.observation_type == "screen":
        changes["encoder"] = "pixels"
    return config.model_copy(update=changes)
