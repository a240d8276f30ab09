"""The rule planner plays the real practice game."""

import json
from dataclasses import replace

import numpy as np
import pytest

from engine.planning.rules.advisor import RuleAdvisor
from engine.types import Action, Goal, GoalKind, MapId
from engine.wayfinding.world_map import WorldMap
from tests.engine.games.emerald.practice import NAME, needs_core
from tests.engine.led import action_of, rules_of

LIMIT = 4000


def play(env, advisor, rng, steps: int, *, share: float = 1.0) -> int:
    """Follow the advice in a share of the steps; return the steps to the badge, 0 without it.

    Without advice the action is a random valid one.
    """
    for step in range(1, steps + 1):
        mask = env.action_mask()
        wish = advisor.advise(env.state, mask).prior if rng.random() < share else mask
        action = (np.where(mask, wish, -1.0) + rng.random(len(mask)) * 1e-6).argmax()
        if env.advance(int(action))[1]:
            return step
    return 0


def begin(env, seed: int) -> RuleAdvisor:
    env.reset(seed=seed)
    return rules_of(env)


def test_the_gatehouse_is_out_of_reach_until_the_badge(env):
    env.reset(seed=0)
    world, places = WorldMap.of(env.game), {name: key for key, name in env.game.tables.MAPS.items()}
    goal = Goal("x", "Go", MapId(*places["GATEHOUSE"]), kind=GoalKind.REACH)
    assert world.steps_to(env.state, goal) is None
    flags = bytearray(env.state.event_flags)
    badge = env.game.tables.EVENT_FLAGS["COBBLE_BADGE"]
    flags[badge >> 3] |= 1 << (badge & 7)
    steps = world.steps_to(replace(env.state, event_flags=bytes(flags)), goal)
    assert steps is not None


@pytest.mark.parametrize(
    ("game", "seed"),
    [
        *(pytest.param("", seed, id=f"practice-{seed}") for seed in (0, 1)),
        *(
            pytest.param(NAME, seed, id=f"advance-{seed}", marks=[needs_core, pytest.mark.slow])
            for seed in range(5)
        ),
    ],
)
def test_the_rules_win_the_badge_from_bed(game_env, game, seed):
    env = game_env(game)
    play(env, begin(env, seed), np.random.default_rng(seed), 450)
    assert env.milestones >= {*env.milestone_keys[: env.milestone_keys.index("first_badge") + 1]}


def test_a_scene_on_plain_ground_is_walked_onto(env):
    """Not round about over another map: no door is there to enter by."""
    advisor = begin(env, 0)
    here = env.state.place
    goal = Goal("scene", "Face the rival", here.map, (5, 4), kind=GoalKind.REACH)
    assert (here.x, here.y) != goal.target
    for _ in range(12):
        suggestion, _ = advisor.walk(env.state, advisor._exits(env.state, goal), goal.text)
        env.advance(env.game.actions.index(suggestion[0]))
        if (env.state.place.x, env.state.place.y) == goal.target:
            break
    assert (env.state.place.map, env.state.place.x, env.state.place.y) == (here.map, 5, 4)


@pytest.mark.parametrize("seed", [0, pytest.param(1, marks=pytest.mark.slow)])
def test_the_rules_win_from_where_random_play_leaves_them(env, seed):
    advisor = begin(env, seed)
    rng = np.random.default_rng(seed)
    assert not play(env, advisor, rng, 400, share=0.3)
    advisor.reset(env.state)
    assert play(env, advisor, rng, LIMIT)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(10, 22))
def test_the_rules_win_from_far_and_wide(env, seed):
    advisor = begin(env, seed)
    rng = np.random.default_rng(seed)
    steps, share = int(rng.integers(200, 4000)), float(rng.uniform(0.0, 0.6))
    if play(env, advisor, rng, steps, share=share):
        return
    advisor.reset(env.state)
    assert play(env, advisor, rng, LIMIT), env.state.place


def test_advice_never_names_a_masked_action_and_sums_to_one_or_nothing(env):
    advisor = begin(env, 5)
    rng = np.random.default_rng(5)
    for _ in range(300):
        mask = env.action_mask()
        advice = advisor.advise(env.state, mask)
        assert not advice.prior[~mask].any()
        assert advice.prior.sum() == pytest.approx(1.0) or not advice.prior.any()
        assert 0 <= advice.confidence <= 1
        if env.advance(int(rng.choice(np.flatnonzero(mask))))[1]:
            break


def test_a_restored_advisor_advises_as_the_saved_one(env):
    advisor = begin(env, 3)
    rng = np.random.default_rng(3)
    play(env, advisor, rng, 150, share=0.7)
    advisor.advise(env.state, env.action_mask())
    other = RuleAdvisor(env.game)
    other.reset(env.state)
    other.restore(json.loads(json.dumps(advisor.save())))
    other.advise(env.state, env.action_mask())  # as a restored environment does
    for _ in range(60):
        env.advance(int(rng.choice(np.flatnonzero(env.action_mask()))))
        mask = env.action_mask()
        one, two = advisor.advise(env.state, mask), other.advise(env.state, mask)
        assert (one.goal, one.reason) == (two.goal, two.reason)
        np.testing.assert_array_equal(one.prior, two.prior)


def test_the_advisor_presses_a_in_a_text_only_where_b_changed_nothing(env):
    """A could begin the same talk again."""
    advisor = begin(env, 4)
    seen = 0
    for _ in range(200):
        advice = advisor.advise(env.state, env.action_mask())
        if env.state.control.in_text and advice.prior.any():
            pressed = Action(int(advice.prior.argmax()))
            in_turn = Action.A if advisor.unchanged_steps % 2 else Action.B
            assert pressed is (Action.NOOP if env.state.control.is_busy else in_turn)
            seen += 1
        env.advance(action_of(advice))
    assert seen
