from dataclasses import replace

from engine.env.crystal_env import EnhancedPyBoyPokemonCrystalEnv


def test_game_states_are_equal_by_their_values() -> None:
    env = EnhancedPyBoyPokemonCrystalEnv("", observation_type="state")
    env.reset(seed=0)
    first = env.state
    env.reset(seed=0)
    assert env.state == first
    assert env.state is not first
    collision = first.map.collision.copy()
    collision[0, 0] ^= 1
    changed = replace(first, map=replace(first.map, collision=collision))
    assert changed != first
    assert hash(changed.map) != hash(first.map) == hash(env.state.map)
    env.close()
