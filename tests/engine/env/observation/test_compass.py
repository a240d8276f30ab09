"""The compass knows the next milestone and the way to it from tables and maps alone."""

import pytest

from engine.config import EnvConfig, FeatureKind
from engine.env.game_env import GameEnv
from engine.env.milestones import Story, milestone_goal
from engine.env.observation.compass import Compass
from engine.env.observation.layout import layout_of
from engine.games.catalog import load_game
from engine.types import DIRECTIONS
from engine.wayfinding.world_map import WorldMap
from tests.engine.led import led
from tests.engine.states import make_state

GAME = load_game("")


@pytest.fixture(scope="module")
def env():
    """The practice game a third through its first act, led by the rules."""
    game = GameEnv(observation_type="state", config=EnvConfig(max_steps=10_000))
    game.reset(seed=0)
    yield game
    game.close()


def test_the_goal_is_the_first_open_milestone(env):
    env.reset(seed=0)
    bearing = Compass(env.game).bearing(env.state, {})
    assert bearing.goal == next(Story(GAME.tables.MILESTONES).open(()))


def test_nothing_is_pointed_to_when_all_is_done():
    done = dict.fromkeys((key for key, _ in GAME.milestones), 0)
    assert Compass(GAME).bearing(make_state(), done) is None


def test_the_rules_leave_each_map_where_the_bearing_says(env):
    compass, before, left = Compass(env.game), None, 0
    for advice in led(env, 150):
        place, bearing = (
            env.state.place,
            compass.bearing(env.state, dict.fromkeys(env.milestones, 0)),
        )
        if before is not None and before[0] != place.map:
            assert before[1] == before[2]
            left += 1
        is_pursued = advice.goal.key == bearing.goal.key and bearing.facing is not None
        before = (place.map, bearing.aim, (place.x, place.y)) if is_pursued else None
    assert left > 2


def test_the_press_that_leaves_is_named(env):
    world = WorldMap.of(env.game)
    env.reset(seed=0)
    here = env.state.place.map
    one = next(one for one in GAME.tables.MILESTONES if one.place not in (None, here))
    goal = milestone_goal(one)
    assert goal is not None
    way = world.way_to(env.state, goal)
    leaving = world.leaving(env.state, goal)(env.state.place.x, env.state.place.y, 0)
    assert leaving.facing in DIRECTIONS.values()
    assert leaving.tile == [tile for place, tile in way if place == here][-1]
    assert leaving.steps == world.steps_to(env.state, goal)


def test_what_was_asked_before_changes_no_bearing(env):
    compass = Compass(env.game)
    for number, _ in enumerate(led(env, 120)):
        milestones = dict.fromkeys(env.milestones, 0)
        bearing = compass.bearing(env.state, milestones)
        if number % 20 == 0:
            assert Compass(env.game).bearing(env.state, milestones) == bearing


def test_on_a_map_that_is_not_known_no_way_is_named():
    bearing = Compass(GAME).bearing(make_state(map_number=99), {})
    assert (bearing.aim, bearing.steps) == (None, None)


@pytest.mark.parametrize("kind", ["goal", "plain", "first"])
def test_a_setting_says_which_features_there_are(kind: FeatureKind):
    env = GameEnv(observation_type="state", config=EnvConfig(features=kind))
    observation, _ = env.reset(seed=0)
    assert observation["features"].shape == (layout_of(env.game, kind).size,)
    assert env.observation_space.contains(observation)
    env.encode_for(layout_of(env.game, "first").size)
    assert env.observe()[0]["features"].shape == (903,)
    assert env.config.features == "first"
    env.close()
