import copy
import json
import pickle
from collections.abc import Iterator

import numpy as np
import pytest
from gymnasium import spaces
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.config import EnvConfig, FeatureKind
from engine.env.game_env import GameEnv
from engine.env.observation.compass import Bearing
from engine.env.observation.features import FeatureEncoder, Recent, count_potions
from engine.env.observation.layout import layout_of
from engine.env.observation.space import (
    STATE_VARIABLES,
    ObservationType,
    observation_space,
    state_variables,
    strategic_context,
)
from engine.games.base import Game
from engine.games.catalog import load_game
from engine.games.crystal.game import CrystalGame
from engine.games.crystal.memory import SYMBOLS
from engine.planning.rules.advisor import RuleAdvisor
from engine.types import (
    GAME_BOY_ACTIONS,
    Action,
    Bag,
    Battle,
    BattleKind,
    Control,
    Creature,
    Facing,
    GameState,
    MapId,
    Move,
    Observation,
    Place,
    Prompt,
)
from tests.engine.states import make_battle, make_creature, make_state, make_view

KINDS: tuple[ObservationType, ...] = ("multi_modal", "screen", "state")
KEYS = {
    "multi_modal": {
        "action_mask", "screen", "state_variables", "features", "strategic_context",
    },
    "screen": {"action_mask", "screen"},
    "state": {"action_mask", "state_variables", "features"},
}  # fmt: skip


def story(env: GameEnv, steps: int) -> Iterator[Observation]:
    """Play by the rules with some random presses, and lose the first battles on the way."""
    observation, _ = env.reset(seed=1)
    yield observation
    advisor = RuleAdvisor(env.game)
    advisor.reset(env.state)
    rng = np.random.default_rng(1)
    has_lost = False
    for _ in range(steps):
        mask = env.action_mask()
        advice = advisor.advise(env.state, mask)
        wish = advice.prior if rng.random() < 0.8 else mask
        action = int((np.where(mask, wish, -1.0) + rng.random(len(mask)) * 1e-6).argmax())
        if env.state.battle and not has_lost:
            env.emulator.write(1, SYMBOLS["wBattleMonSpecies"].address + 16, b"\0\1")
        observation, _, is_terminated, _, _ = env.step(action)
        has_lost = has_lost or dict(env.breakdown.components)["whiteout"] < 0
        yield observation
        if is_terminated:
            break
    assert has_lost


@pytest.mark.slow
def test_every_observation_of_a_played_story_is_in_the_space(game_env) -> None:
    """That of all parts; the other kinds are parts of it."""
    env = game_env(observation_type="multi_modal", config=EnvConfig(max_steps=5000))
    space = env.observation_space
    parts = [observation_space(kind, env.game) for kind in KINDS]
    seen = set()
    for observation in story(env, 900):
        assert observation.keys() == KEYS["multi_modal"]
        assert space.contains(observation), observation
        for part in parts:
            assert part.contains({name: observation[name] for name in part}), observation
        control, battle = env.state.control, env.state.battle
        seen |= {"text"} if control.in_text else set()
        seen |= {"menu"} if control.in_menu else set()
        seen |= {battle.kind} if battle else set()
    assert seen == {"text", "menu", BattleKind.WILD, BattleKind.TRAINER}


@pytest.mark.parametrize("kind", ["screen", "state"])
def test_observations_of_a_kind_are_parts_of_the_whole(game_env, kind: ObservationType) -> None:
    whole, env = game_env(observation_type="multi_modal"), game_env(observation_type=kind)
    both = [env.reset(seed=1)[0], whole.reset(seed=1)[0]]
    for action in (Action.LEFT, Action.START, Action.A, Action.B, Action.B) * 4:
        assert both[0].keys() == KEYS[kind]
        assert env.observation_space.contains(both[0])
        assert all(np.array_equal(both[0][name], both[1][name]) for name in KEYS[kind])
        both = [env.step(action)[0], whole.step(action)[0]]


@pytest.mark.parametrize("kind", KINDS)
def test_spaces_say_shape_and_type(kind: ObservationType) -> None:
    shapes: dict[str, tuple[tuple[int, ...], type]] = {
        "action_mask": ((9,), np.int8),
        "screen": ((144, 160, 3), np.uint8),
        "state_variables": ((25,), np.float32),
        "features": ((layout_of(load_game()).size,), np.float32),
    }
    space = observation_space(kind, load_game())
    assert set(space) == KEYS[kind]
    for name in KEYS[kind] - {"strategic_context"}:
        part = space[name]
        assert isinstance(part, spaces.Box)
        assert (part.shape, part.dtype) == shapes[name]


def test_every_episode_begins_with_the_same_picture_whatever_the_seed(game_env) -> None:
    env = game_env(observation_type="screen")
    first = env.reset(seed=1)[0]["screen"]
    assert first.std() > 10
    expected = first.copy()
    first[:] = 0
    env.step(Action.LEFT)
    assert np.array_equal(env.reset(seed=2)[0]["screen"], expected)
    other = game_env(observation_type="screen")
    assert np.array_equal(other.reset(seed=3)[0]["screen"], expected)


def test_observation_is_plain_data(game_env) -> None:
    env = game_env(observation_type="multi_modal")
    observation, _ = env.reset(seed=0)
    for twin in (copy.deepcopy(observation), pickle.loads(pickle.dumps(observation))):
        assert env.observation_space.contains(twin)
        assert twin["strategic_context"] == observation["strategic_context"]
    assert json.loads(json.dumps(observation["strategic_context"]))["current_goal"]


def test_state_variables_are_scaled_as_listed() -> None:
    state = make_state(
        16, 32, Facing.LEFT, map_number=32, badges=(0b11, 0b1), money=25_000, play_time_s=3600.0,
        party=(make_creature(hp=5, level=8), make_creature(hp=0, level=20)),
        battle=make_battle(own=make_creature(hp=10), enemy=make_creature(hp=15, level=30)),
        caught=251, seen=502, bag=Bag(balls=((5, 3), (4, 7))),
    )  # fmt: skip
    values = dict(zip(STATE_VARIABLES, state_variables(state, 4).tolist(), strict=True))
    assert values == pytest.approx({
        "map_group": 40 / 64, "map_number": 0.25, "x": 0.25, "y": 0.5, "facing": 2 / 3,
        "is_free": 1.0, "in_text": 0.0, "in_menu": 0.0, "in_battle": 1.0,
        "is_trainer_battle": 0.0, "party_size": 2 / 6, "party_health": 5 / 40, "best_level": 0.2,
        "lead_hp": 0.25, "lead_level": 0.08, "own_hp": 0.5, "enemy_hp": 0.75, "enemy_level": 0.3,
        "badges": 3 / 16, "money": 0.25, "caught": 1.0, "seen": 1.0, "balls": 0.5, "potions": 0.2,
        "play_time": 0.1,
    })  # fmt: skip


def test_context_keeps_to_known_characters_and_length() -> None:
    state = make_state(screen_text=("Ωmega", "x" * 1000))
    context = strategic_context(state, "Găsește", GAME_BOY_ACTIONS, {})
    assert context["current_goal"] == "G?se?te"
    assert "on screen: ?mega" in context["context_summary"]
    space = observation_space("multi_modal", load_game())
    assert space["strategic_context"].contains(context)


def test_suggestions_are_the_allowed_actions() -> None:
    blocked = {action: "" for action in Action if action is not Action.B}
    assert strategic_context(make_state(), "", GAME_BOY_ACTIONS, blocked)["action_suggestions"] == (
        "B",
    )


def test_feature_bounds_are_those_of_each_figure() -> None:
    layout = layout_of(load_game())
    low, highest = layout.bounds()
    high = {name: sorted(set(highest[part].tolist())) for name, part in layout.slices.items()}
    above_one = {name: values for name, values in high.items() if values != [1.0]}
    assert above_one == {
        "position": [2.0],
        "party": [1.0, 3.0],
        "battle": [1.0, 3.0],
        "moves": [1.0, 2.0, 2.5],
    }
    signed = {name for name, part in layout.slices.items() if low[part].any()}
    assert signed == {"map", "battle", "goal_milestone", "goal_map", "offset"}
    first = layout_of(load_game(), "first")
    assert np.flatnonzero(first.bounds()[0]).tolist() == [first.slices["battle"].start + 8]


bytes_ = st.integers(0, 255)
words = st.integers(0, 0xFFFF)
huge = st.integers(0, 2**40) | st.sampled_from((255, 256, 999_999, 2**31, 2**32 - 1))
creatures = st.builds(
    Creature,
    species=huge,
    name=st.just("SOMEONE"),
    level=huge,
    hp=huge,
    max_hp=words,
    status=st.sampled_from(("", "sleep")),
    moves=st.lists(st.builds(Move, bytes_ | huge, st.just("BUMP"), bytes_), max_size=6).map(tuple),
    types=st.lists(st.integers(0, 27), max_size=2).map(tuple),
)
battles = st.builds(
    Battle,
    st.sampled_from(BattleKind),
    trainer_class=bytes_,
    own=st.none() | creatures,
    enemy=st.none() | creatures,
    enemy_slot=huge,
)
cursors = st.tuples(bytes_, bytes_)
controls = st.builds(Control, *(st.booleans() for _ in range(6)), cursor=cursors, menu_size=cursors)
pockets = st.lists(st.tuples(bytes_, huge), max_size=5).map(tuple)
bearings = st.builds(
    Bearing,
    st.sampled_from(load_game().tables.MILESTONES),
    st.none() | st.tuples(words, words),
    st.none() | st.sampled_from(Facing),
    huge,
    st.none() | huge,
)
recents = st.builds(
    Recent,
    idle_steps=st.integers(0, 10**6),
    episode_share=st.floats(0, 10),
    last_action=st.integers(-1, 8),
    unchanged_steps=st.integers(0, 10**6),
    last_prompt=st.sampled_from(Prompt),
)
states = st.builds(
    GameState,
    place=st.builds(
        Place,
        st.builds(MapId, bytes_, bytes_),
        st.just("SOMEWHERE"),
        words,
        words,
        st.sampled_from(Facing),
        st.just("indoor"),
    ),
    control=controls,
    party=st.lists(creatures, max_size=8).map(tuple),
    battle=st.none() | battles,
    badges=st.tuples(bytes_, bytes_),
    money=huge,
    play_time_s=st.floats(0, 1e9),
    caught=huge,
    seen=huge,
    bag=st.builds(Bag, pockets, pockets),
    event_flags=st.binary(min_size=256, max_size=256),
    screen_text=st.lists(st.text(max_size=20), max_size=5).map(tuple),
    map=st.just(make_view(objects=((2, 1), (-4, 250)))),
)


@pytest.mark.parametrize(
    "game", [load_game(), CrystalGame("0" * 40, "TEST", "test")], ids=["practice", "crystal"]
)
@pytest.mark.parametrize("features", ["goal", "plain", "first"])
@given(state=states, recent=recents, bearing=st.none() | bearings)
@settings(max_examples=40, deadline=None)
def test_observation_of_any_memory_is_in_the_space(
    game: Game, features: FeatureKind, state: GameState, recent: Recent, bearing: Bearing | None
) -> None:
    encoder = FeatureEncoder(game, features)
    out = np.full(encoder.layout.size, np.nan, np.float32)
    visited = np.ones((4 + 12, 6 + 12), np.float32)
    encoder.encode(out, state, visited, {}, recent, bearing)
    observation = {
        "action_mask": np.ones(9, np.int8),
        "screen": np.zeros((144, 160, 3), np.uint8),
        "state_variables": state_variables(state, count_potions(state, game)),
        "features": out,
        "strategic_context": strategic_context(state, "", GAME_BOY_ACTIONS, {}),
    }
    space = observation_space("multi_modal", game, features)
    assert [name for name in space if observation[name] not in space[name]] == []
