import pytest

from engine.config import RunConfig
from engine.demos.recorded_env import make_env
from engine.env.anti_stuck import Standstill
from engine.types import Action, Bag, GameState
from tests.engine.states import make_battle, make_creature, make_state

PATIENCE = 20
HERE = make_state(0, 0)


def battle(enemy_hp: int) -> GameState:
    return make_state(0, 0, battle=make_battle(enemy=make_creature(hp=enemy_hp)))


@pytest.mark.parametrize(
    "new",
    [
        make_state(1, 0),
        make_state(0, 0, money=1),
        make_state(0, 0, screen_text=("HELLO",)),
        make_state(0, 0, bag=Bag(items=((1, 1),))),
        make_state(0, 0, party=(make_creature(experience=5),)),
        make_state(0, 0, event_flags=b"\1"),
        battle(7),
    ],
)
def test_what_was_not_seen_before_is_no_standstill(new):
    watch = Standstill(3)
    for state in (HERE, HERE, HERE, new):
        watch.update(state)
    assert watch.steps == 0
    watch.update(new)
    watch.update(HERE)
    assert (watch.steps, watch.is_reached) == (2, False)
    watch.update(HERE)
    assert watch.is_reached


def test_a_battle_goes_on_as_long_as_the_enemy_loses_health():
    watch = Standstill(2)
    for hp in (9, 9, 7, 7, 4, 4):
        watch.update(battle(hp))
        assert not watch.is_reached
    watch.update(battle(4))
    assert watch.is_reached


def steps_until_truncated(stepped, most: int) -> int:
    for number in range(1, most + 1):
        _, _, is_truncated = stepped.step(Action.UP)
        if is_truncated:
            return number
    return 0


def test_an_episode_that_was_restarted_with_patience_ends_when_nothing_happens():
    """The practice game, whose player runs against a wall."""
    stepped = make_env(RunConfig(env={"max_steps": 100, "stuck_repeats": 0}), 0)
    try:
        stepped.restart(1, PATIENCE)
        number = steps_until_truncated(stepped, 60)
        assert PATIENCE <= number < 2 * PATIENCE
        assert stepped.summary().stood_still
        stepped.begin()
        assert steps_until_truncated(stepped, 60) == 0
        assert not stepped.summary().stood_still
    finally:
        stepped.close()
