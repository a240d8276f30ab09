"""The rule planner plays the real practice game."""

import json
from dataclasses import replace

import numpy as np
import pytest

from engine.planning.rules.advisor import RuleAdvisor
from engine.types import Action, Goal, GoalKind, MapId
from engine.wayfinding.navigation import WorldMap

LIMIT = 4000


def choose(advice, mask, rng) -> int:
    """Take the advised action, a random valid one without advice."""
    return int((np.where(mask, advice.prior, -1.0) + rng.random(len(mask)) * 1e-6).argmax())


def play(env, advisor, rng, steps: int, *, share: float = 1.0) -> int:
    """Follow the advice in a share of the steps; return the steps to the badge, 0 without it."""
    for step in range(1, steps + 1):
        mask = env.action_mask()
        advice = advisor.advise(env.state, mask)
        is_led = rng.random() < share
        action = choose(advice, mask, rng) if is_led else int(rng.choice(np.flatnonzero(mask)))
        if env.advance(action)[1]:
            return step
    return 0


def begin(env, seed: int) -> RuleAdvisor:
    env.reset(seed=seed)
    advisor = RuleAdvisor(env.game)
    advisor.reset(env.state)
    return advisor


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


@pytest.mark.parametrize("seed", [0, 1])
def test_the_rules_win_the_badge_from_bed(env, seed):
    advisor = begin(env, seed)
    assert play(env, advisor, np.random.default_rng(seed), 450) > 0
    to_badge = env.milestone_keys[: env.milestone_keys.index("first_badge") + 1]
    assert env.milestones >= set(to_badge)


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
    if play(env, advisor, rng, 400, share=0.3):
        pytest.skip("random play won")
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
    rng = np.random.default_rng(4)
    for _ in range(200):
        mask = env.action_mask()
        advice = advisor.advise(env.state, mask)
        if env.state.control.in_text and advice.prior.any():
            pressed = Action(int(advice.prior.argmax()))
            in_turn = Action.A if advisor.unchanged_steps % 2 else Action.B
            assert pressed is (Action.NOOP if env.state.control.is_busy else in_turn)
        env.advance(choose(advice, mask, rng))
