"""Give the environment its documented name."""

from engine.env.game_env import GameEnv


class EnhancedPyBoyPokemonCrystalEnv(GameEnv):
    """Pokémon Crystal, or the practice game, as a Gymnasium environment: see `GameEnv`.

    Its methods may be overridden, `_calculate_reward` above all.
    """
