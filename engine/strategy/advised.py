"""Compose a game with its planners: what the worker processes run."""

from engine.config import RunConfig
from engine.env.pixels import sight_of
from engine.env.stepping import SteppedEnv, make_game_env
from engine.strategy.planned import PlannedAdvisor


def make_env(config: RunConfig, env_index: int, kind: type[SteppedEnv] = SteppedEnv) -> SteppedEnv:
    """Make one environment of a kind; without a use for advice none is computed."""
    env = make_game_env(config, env_index)
    advisor = PlannedAdvisor(env.game, env_index, config.seed) if config.is_advised else None
    stepped = kind(
        env, advisor, sight=sight_of(config.encoder), is_advised=config.mode != "rl_only"
    )
    if config.agent == "explore":
        env.lift_limits()  # what is returned to may be longer than an episode
    if config.agent == "explore" or config.curriculum.swarm_share:
        stepped.cell_tiles = config.explore.tiles
    return stepped
