"""Compose a game with its planners: what the worker processes run."""

from engine.config import RunConfig
from engine.env.stepping import SteppedEnv, make_game_env
from engine.strategy.planned import PlannedAdvisor


def make_env(config: RunConfig, env_index: int, kind: type[SteppedEnv] = SteppedEnv) -> SteppedEnv:
    """Make one environment of a kind; without a use for advice none is computed."""
    env = make_game_env(config, env_index)
    can_be_advised = config.agent != "random"
    advisor = PlannedAdvisor(env.game, env_index, config.seed) if can_be_advised else None
    return kind(env, advisor, sees_pixels=config.needs_pixels, is_advised=config.mode != "rl_only")
