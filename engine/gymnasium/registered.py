"""Make the games that have ids in Gymnasium; `engine.gymnasium` registers them."""

import os
from typing import Any

import numpy as np

from engine.config import EnvConfig, RewardConfig
from engine.env.game_env import GameEnv
from engine.env.observation.facts import player_facts
from engine.env.observation.space import ObservationType
from engine.env.start_states import STATES_FOLDER
from engine.errors import RomError
from engine.games.catalog import load_game
from engine.ground.folders import cache_folder


class RegisteredEnv(GameEnv):
    """A game whose `info` is plain data, which vectors batch and processes exchange.

    Its start states are kept in the user's cache folder.

    Args:
        rom: The game's file, or a practice game's name; empty: the first of these.
        observation_type: "state": numbers only; "screen": the picture; "multi_modal": both, and
            texts. See `GameEnv`, for the other arguments too.
        title: The title in the game's header must begin with this; empty: any game will do.

    Raises:
        RomError: The ROM is missing, damaged or another game.
        ConfigurationError: As in `GameEnv`.
    """

    def __init__(
        self,
        rom: str | os.PathLike[str] = "",
        observation_type: ObservationType = "state",
        render_mode: str | None = None,
        *,
        headless: bool = True,
        base_fps: float = 0.0,
        config: EnvConfig | None = None,
        rewards: RewardConfig | None = None,
        start_state: str = "",
        allow_unknown_rom: bool = False,
        title: str = "",
    ) -> None:
        path = os.fspath(rom)
        if title:
            _check_title(path, title, allow_unknown_rom)
        super().__init__(
            path,
            headless,
            observation_type,
            config=config,
            rewards=rewards,
            cache_dir=cache_folder() / STATES_FOLDER,
            start_state=start_state,
            allow_unknown_rom=allow_unknown_rom,
            render_mode=render_mode,
            base_fps=base_fps,
        )

    def _info(self) -> dict[str, Any]:
        return player_facts(self.state) | {
            "milestones": tuple(self._episode.milestones.steps),
            "rewards": dict(self.breakdown.components),
            "action_mask": self.action_mask().view(np.int8),
            "is_success": self.is_success,
            "max_steps": self.max_steps,
        }


def _check_title(path: str, title: str, allow_unknown: bool) -> None:
    """Refuse another game than the id is of."""
    game = load_game(path, allow_unknown)
    if not game.title.startswith(title):
        problem = f"{path} is {game.name}, not {title}." if path else f"{title} needs your own ROM."
        raise RomError(problem, 'Pass it: gymnasium.make(..., rom="FILE").')
