from dataclasses import replace


def test_game_states_are_equal_by_their_values(env) -> None:
    env.reset(seed=0)
    first = env.state
    env.reset(seed=0)
    assert env.state == first
    assert env.state is not first
    terrain = first.map.terrain.copy()
    terrain[0, 0] ^= 1
    changed = replace(first, map=replace(first.map, terrain=terrain))
    assert changed != first
    assert hash(changed.map) != hash(first.map) == hash(env.state.map)
