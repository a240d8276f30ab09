"""Give settings that are left to the game the numbers that suit it and the goal."""

from difflib import get_close_matches
from typing import Any

from engine.config import EnvConfig, RunConfig, parse_config
from engine.errors import ConfigurationError
from engine.games.base import Game, Scale


def fit_env(config: EnvConfig, game: Game) -> EnvConfig:
    """Return the settings of an environment with no limit left to the game."""
    scale = _scale(game, config.goal)
    return config.completed(scale.episode_steps, scale.stuck_steps)


def _scale(game: Game, goal: str) -> Scale:
    return game.tables.SCALE.towards(goal, game.tables.MILESTONES)


def fit_run(config: RunConfig, game: Game) -> RunConfig:
    """Return the settings of a new run with nothing left to the game.

    Raises:
        ConfigurationError: The goal is no milestone of the game, or some do not suit its number
            of games.
    """
    check_goal(game, config.env.goal)
    env = fit_env(config.env, game)
    scale = _scale(game, config.env.goal)
    given = config.model_dump(exclude_unset=True)
    own: dict[str, Any] = {} if env is config.env else {"env": env.model_dump(exclude_unset=True)}
    if not config.num_envs:
        own["num_envs"] = scale.num_envs
    curriculum = given.get("curriculum", {})
    if scale.archive_share and "archive_share" not in curriculum and not config.start_setters:
        own["curriculum"] = curriculum | {"archive_share": scale.archive_share}
    return parse_config(given | own, game.name) if own else config


def check_goal(game: Game, goal: str) -> None:
    """Refuse what is no milestone's key.

    Raises:
        ConfigurationError: There is none of that name.
    """
    keys = [key for key, _ in game.milestones]
    if not goal or goal in keys:
        return
    near = get_close_matches(goal, keys, 3)
    hint = f"Did you mean {' or '.join(near)}?" if near else f"Choose one of: {', '.join(keys)}."
    raise ConfigurationError(f"{game.name} has no milestone {goal!r}.", hint)
