"""Recreate the environment of an exported Minari dataset: `dataset.recover_environment()`."""

import json
from typing import Any, cast

import gymnasium
import numpy as np
from gymnasium import spaces
from gymnasium.envs.registration import EnvSpec

from engine.config import EnvConfig, RewardConfig
from engine.demos.layout import read_settings
from engine.env.game_env import GameEnv
from engine.games.bundled import IMAGES
from engine.types import Frame

_ID = "PokeTUI/Demonstrations-v0"


class Pictures(gymnasium.ObservationWrapper[Frame, np.int64, Any]):
    """The game with its frame, uint8 (H, W, 3), as observation, like the dataset."""

    def __init__(self, env: GameEnv) -> None:
        super().__init__(env)
        self._game = env
        pictures = spaces.Box(0, 255, env.game.frame_shape, np.uint8)
        self.observation_space = cast("spaces.Space[Frame]", pictures)

    def observation(self, observation: Any) -> Frame:
        """Return the current picture."""
        return self._game.frame()


def env_spec(settings: str, rom_path: str = "") -> EnvSpec:
    """Return the Gymnasium spec of the environment, without a ROM unless of a practice game.

    Args:
        settings: As `Demonstration.settings`.
        rom_path: As in the run's settings; a path is left out, as it is of this machine.
    """
    entry_point = f"{make_minari_env.__module__}:{make_minari_env.__name__}"
    game = {"rom_path": rom_path} if rom_path in IMAGES else {}
    return EnvSpec(_ID, entry_point=entry_point, kwargs={"settings": settings, **game})


def make_minari_env(
    settings: str,
    rom_path: str = "",
    start_state: str = "",
    *,
    allow_unknown_rom: bool = False,
    render_mode: str | None = None,
) -> Pictures:
    """Make the environment.

    Args:
        settings: As `Demonstration.settings`; custom rewards are left out.
        rom_path: The ROM, which no dataset brings: `recover_environment(rom_path=...)`.
        start_state: Where to start, other than at a new game.
        allow_unknown_rom: Try a ROM whose hash is not known.
        render_mode: See gymnasium.

    Raises:
        PokeTUIError, ValueError: The game or the settings are unusable.
    """
    facts = json.loads(read_settings(settings) or '{"env": {}, "rewards": {}}')
    game = GameEnv(
        rom_path,
        observation_type="screen",
        config=EnvConfig.of_saved(facts["env"]),
        rewards=RewardConfig(**facts["rewards"]),
        start_state=start_state,
        allow_unknown_rom=allow_unknown_rom,
        render_mode=render_mode,
    )
    return Pictures(game)
