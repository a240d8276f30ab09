"""Give the games ids in Gymnasium, and observations to the libraries that build on it.

Importing this module registers the ids, as Gymnasium asks of packages since it has dropped its
entry points (1.0). It loads neither torch nor an emulator.

    env = gymnasium.make("engine.gymnasium:PokeTUI/Mosslight-v0")  # imports it, too
"""

from collections.abc import Mapping
from operator import itemgetter
from types import MappingProxyType
from typing import Any

import gymnasium
from gymnasium import spaces
from gymnasium.wrappers import FilterObservation, FlattenObservation, TransformObservation

from engine.errors import ConfigurationError
from engine.games.bundled import ADVANCE, FIRST

Env = gymnasium.Env[Any, Any]

_GAMES: Mapping[str, tuple[str, str]] = MappingProxyType(
    {
        "PokeTUI/Mosslight-v0": ("PRACTICE", FIRST),
        "PokeTUI/Crystal-v0": ("PM_CRYSTAL", ""),
        "PokeTUI/MosslightAdvance-v0": ("MOSSLIGHTADV", ADVANCE),
        "PokeTUI/Emerald-v0": ("POKEMON EMER", ""),
    }
)
"""Id -> title of the game, which a ROM must have, and the practice game that is played without one;
"": the user's own is needed."""


def register_envs() -> None:
    """Register the ids that are not registered yet."""
    for name, (title, rom) in _GAMES.items():
        if name not in gymnasium.registry:
            # Without max_episode_steps: the environment truncates its episodes itself.
            gymnasium.register(
                name,
                entry_point="engine.gymnasium.registered:RegisteredEnv",
                kwargs={"title": title, "rom": rom},
            )


def numeric_observation(env: Env) -> Env:
    """Leave the texts out: a Dict of Boxes, for Stable-Baselines3's MultiInputPolicy."""
    return FilterObservation(env, list(_boxes(env)))


def flat_observation(env: Env) -> Env:
    """Put all numbers but the picture's into one Box (n,) float32, for MlpPolicy."""
    vectors = [name for name, box in _boxes(env).items() if len(box.shape) == 1]
    return FlattenObservation(FilterObservation(env, vectors))


def screen_observation(env: Env) -> Env:
    """Show the picture alone: a Box (height, width, 3) uint8, for CnnPolicy.

    Raises:
        ConfigurationError: The environment does not show it.
    """
    if (screen := _boxes(env).get("screen")) is None:
        raise ConfigurationError(
            "The environment shows no screen.", 'Make it with observation_type="screen".'
        )
    return TransformObservation(env, itemgetter("screen"), screen)


def _boxes(env: Env) -> dict[str, spaces.Box]:
    parts = env.observation_space
    if not isinstance(parts, spaces.Dict):
        raise ConfigurationError(
            "The observation has no parts to choose from.",
            "Use one wrapper, and on the game itself.",
        )
    return {name: part for name, part in parts.items() if isinstance(part, spaces.Box)}


register_envs()
