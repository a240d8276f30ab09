"""What holds for all weights and all transitions."""

import json
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.config import RewardConfig
from engine.rewards.battle import WILD_WINS_PAID
from engine.types import Action, Bag, BattleKind, Facing, GameState
from tests.engine.rewards.helpers import HOUSE, ONES, WEIGHTS, Player
from tests.engine.states import FREE, make_battle, make_control, make_creature, make_state

CONTROLS = (
    FREE,
    make_control(in_text=True, is_scripted=True),
    make_control(in_menu=True),
    make_control(in_transition=True),
)

creatures = st.builds(
    lambda species, level, hp: make_creature(species=species, level=level, hp=hp),
    st.integers(1, 3),
    st.integers(1, 100),
    st.integers(0, 20),
)
battles = st.builds(
    lambda kind, enemy, slot: make_battle(kind=kind, enemy=enemy, enemy_slot=slot),
    st.sampled_from(BattleKind),
    creatures | st.none(),
    st.integers(0, 2),
)
bags = st.builds(lambda items: Bag(key_items=tuple(items)), st.sets(st.integers(1, 9), max_size=4))


@st.composite
def states(draw: st.DrawFn) -> GameState:
    """Any state of a player in the room of `HOUSE`, or on a map like it."""
    return make_state(
        draw(st.integers(0, 5)),
        draw(st.integers(0, 3)),
        draw(st.sampled_from(Facing)),
        map_number=draw(st.integers(1, 3)),
        map=HOUSE,
        control=draw(st.sampled_from(CONTROLS)),
        party=tuple(draw(st.lists(creatures, max_size=6))),
        battle=draw(st.none() | battles),
        badges=(draw(st.integers(0, 255)), draw(st.integers(0, 255))),
        money=draw(st.integers(0, 999_999)),
        caught=draw(st.integers(0, 251)),
        bag=draw(bags),
        screen_text=draw(st.sampled_from(((), ("Hello!",)))),
    )


facts = st.fixed_dictionaries(
    {
        "reached": st.sampled_from(((), (("a", "a"),), (("a", "a"), ("b", "b")))),
        "is_new_tile": st.booleans(),
        "is_first_visit": st.booleans(),
        "is_new_map": st.booleans(),
        "has_whited_out": st.booleans(),
    }
)
steps = st.tuples(states(), st.sampled_from(Action), facts)
weights = st.fixed_dictionaries(dict.fromkeys(WEIGHTS, st.floats(-100, 100)))

CHARGES = ("money", "stuck", "whiteout", "step")


@settings(max_examples=30, deadline=None)
@given(weights, states(), st.lists(steps, min_size=1, max_size=12))
def test_breakdown_is_the_reward(
    values: dict[str, float],
    start: GameState,
    trace: list[tuple[GameState, Action, dict[str, Any]]],
) -> None:
    config = RewardConfig(**values)
    player, ones = Player(start, config), Player(start)
    for state, action, seen in trace:
        paid, units = player.go(state, action, **seen), ones.go(state, action, **seen)
        assert player.last.total == sum(value for _, value in player.last.components)
        assert paid == {name: units[name] * getattr(config, name) for name in WEIGHTS}


@pytest.mark.slow
@settings(max_examples=75, deadline=None)
@given(states(), st.lists(steps, min_size=1, max_size=12))
def test_charges_never_pay_and_rewards_never_charge(
    start: GameState, trace: list[tuple[GameState, Action, dict[str, Any]]]
) -> None:
    player = Player(start)
    for state, action, seen in trace:
        for name, value in player.go(state, action, **seen).items():
            assert value <= 0.0 if name in CHARGES else value >= 0.0


@settings(max_examples=40, deadline=None)
@given(states(), st.lists(st.tuples(states(), st.sampled_from(Action)), min_size=1, max_size=8))
def test_no_loop_of_states_pays_for_ever(
    start: GameState, loop: list[tuple[GameState, Action]]
) -> None:
    player = Player(start, ONES)
    for _ in range(WILD_WINS_PAID + 2):
        for state, action in loop:
            player.go(state, action)
    for state, action in loop:
        paid = player.go(state, action)
        assert not [name for name, value in paid.items() if value > 0.0]


@settings(max_examples=30, deadline=None)
@given(states(), st.lists(steps, min_size=2, max_size=12))
def test_saved_composer_continues_alike(
    start: GameState, trace: list[tuple[GameState, Action, dict[str, Any]]]
) -> None:
    player = Player(start)
    half = len(trace) // 2
    for state, action, seen in trace[:half]:
        player.go(state, action, **seen)
    other = Player(replace(start))
    other.now = player.now
    other.composer.restore(json.loads(json.dumps(player.composer.save())))
    for state, action, seen in trace[half:]:
        assert player.go(state, action, **seen) == other.go(state, action, **seen)
