"""What `GameStateAnalysis` makes of facts, complete, in part or absurd."""

import json
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.config import EnvConfig
from engine.env.observation.facts import STATE_VARIABLES, state_facts, state_numbers
from engine.env.observation.space import state_variables
from engine.games.catalog import load_game
from engine.planning.history.analysis import GameStateAnalysis
from engine.types import Bag, Battle, BattleKind, Edge, GameState, MapId, Move, Warp
from tests.engine.led import led
from tests.engine.states import make_battle, make_control, make_creature, make_state, make_view

GAME = load_game()
TABLES = GAME.tables
NORMAL, ROCK, WATER = 0, 5, 21
MOVES = {name: number for number, (name, *_) in TABLES.MOVES.items()}
BUMP, DOUSE = Move(MOVES["BUMP"], "BUMP", 35), Move(MOVES["DOUSE"], "DOUSE", 25)
POTION, BALL = 18, 5
NEWT = make_creature(name="NEWT", types=(WATER,), moves=(BUMP, DOUSE))
STONE = make_creature(name="STONE", types=(ROCK,))
BALLS = Bag(balls=((BALL, 5),))


def fight(*, own: Any = NEWT, enemy: Any = STONE, is_trainer: bool = False, **more) -> GameState:
    kind = BattleKind.TRAINER if is_trainer else BattleKind.WILD
    battle = Battle(kind, int(is_trainer), own, enemy)
    return make_state(battle=battle, party=(NEWT,), control=make_control(), **more)


def battle_of(state: GameState) -> dict[str, Any]:
    return GameStateAnalysis.of(state, GAME).analyze_battle_state()


def exploration_of(state: GameState, **more) -> dict[str, Any]:
    return GameStateAnalysis.of(state, GAME, **more).analyze_exploration_state()


# ---- battles -------------------------------------------------------------------------------


def test_a_battle_names_both_sides_and_the_best_move():
    enemy = replace(STONE, hp=10, level=3)
    analysis = battle_of(fight(enemy=enemy, is_trainer=True))
    best = analysis.pop("best_move")
    assert (best["name"], best["effectiveness"]) == ("DOUSE", 2)
    assert analysis == {
        "in_battle": True, "kind": "trainer", "own": "NEWT", "enemy": "STONE",
        "own_health": 1.0, "enemy_health": 0.5, "level_gap": 2, "danger": "low",
        "suggestion": "use DOUSE",
    }  # fmt: skip


def test_a_move_without_points_is_not_the_best():
    own = replace(NEWT, moves=(BUMP, replace(DOUSE, points=0)))
    assert battle_of(fight(own=own))["best_move"]["name"] == "BUMP"
    spent = replace(NEWT, moves=(replace(DOUSE, points=0),))
    assert battle_of(fight(own=spent))["best_move"] is None


@pytest.mark.parametrize(
    ("hp", "enemy_level", "danger"),
    [(20, 5, "low"), (20, 9, "medium"), (9, 5, "medium"), (9, 8, "high"), (4, 5, "high")],
)
def test_danger_grows_with_wounds_and_with_the_enemys_level(hp, enemy_level, danger):
    state = fight(own=replace(NEWT, hp=hp), enemy=replace(STONE, level=enemy_level))
    assert battle_of(state)["danger"] == danger


@pytest.mark.parametrize(
    ("state", "suggestion"),
    [
        (fight(own=replace(NEWT, hp=2)), "run"),
        (fight(own=replace(NEWT, hp=2), enemy=replace(STONE, hp=2)), "use DOUSE"),
        (fight(enemy=replace(STONE, hp=9), bag=BALLS), "throw a ball"),
        (fight(enemy=replace(STONE, hp=9), bag=BALLS, is_trainer=True), "use DOUSE"),
        (fight(own=replace(NEWT, hp=0)), "send another creature"),
        (fight(own=None, enemy=None), "fight"),
        (
            fight(own=replace(NEWT, hp=2), is_trainer=True, bag=Bag(((POTION, 1),))),
            "use a potion",
        ),
        (
            replace(fight(own=replace(NEWT, hp=2), is_trainer=True), party=(NEWT, NEWT)),
            "send another creature",
        ),
        (make_state(), ""),
    ],
)
def test_suggestion_fits_the_battle(state: GameState, suggestion: str):
    assert battle_of(state)["suggestion"] == suggestion


def test_before_both_sides_are_out_their_health_is_not_known():
    state = fight(own=None, enemy=None)
    numbers = dict(zip(STATE_VARIABLES, state_numbers(state, 0), strict=True))
    for analysis in (battle_of(state), GameStateAnalysis(numbers).analyze_battle_state()):
        assert analysis["in_battle"]
        assert (analysis["own_health"], analysis["danger"]) == (None, None)


def test_without_a_battle_nothing_is_known_of_one():
    analysis = battle_of(make_state())
    assert analysis.pop("in_battle") is False
    assert set(analysis.values()) == {None, ""}


# ---- on foot -------------------------------------------------------------------------------


def test_exploration_says_where_one_is_and_where_one_can_go():
    view = make_view(
        warps=(Warp(1, 0, MapId(40, 2), 1, "HOME 1F"),), connections=frozenset({"east"})
    )
    state = make_state(4, 1, map=replace(view, edges=(Edge("east", MapId(40, 6), "PATH"),)))
    assert exploration_of(state, milestones={"left_bedroom"}, goal="Leave the house") == {
        "map": "HOME", "position": [4, 1], "facing": "down", "environment": "indoor",
        "is_free": True, "waits_for": "", "goal": "Leave the house",
        "needs": ["a first creature"],
        "exits": [{"x": 1, "y": 0, "to": "HOME 1F"}, {"side": "east", "to": "PATH"}],
        "progress": {
            "badges": 0, "caught": 0, "seen": 0, "money": 3000, "milestones": 1,
            "next_milestone": "Leave the house",
        },
    }  # fmt: skip


@pytest.mark.parametrize(
    ("change", "waits_for"),
    [
        ({"control": make_control(in_text=True)}, "text"),
        ({"control": make_control(in_menu=True)}, "menu"),
        ({"control": make_control(in_menu=True), "battle": make_battle()}, "battle"),
    ],
)
def test_exploration_says_what_waits(change: dict[str, Any], waits_for: str):
    analysis = exploration_of(make_state(**change))
    assert (analysis["is_free"], analysis["waits_for"]) == (False, waits_for)


@pytest.mark.parametrize(
    ("party", "needs"),
    [
        ((NEWT,), []),
        ((replace(NEWT, hp=5),), ["healing"]),
        ((NEWT, NEWT, replace(NEWT, hp=0)), ["healing"]),
        ((replace(NEWT, moves=(replace(BUMP, points=0),)),), ["healing"]),
        ((replace(NEWT, status="poison"),), ["a cure"]),
    ],
)
def test_needs_follow_the_party(party, needs: list[str]):
    assert exploration_of(make_state(party=party, bag=BALLS))["needs"] == needs
    assert exploration_of(make_state(party=party))["needs"] == [*needs, "balls"]


# ---- the line ------------------------------------------------------------------------------


def test_the_summary_is_one_line():
    assert GameStateAnalysis.of(make_state()).get_summary() == (
        "HOME (2, 2) facing down; no creature yet"
    )
    state = make_state(party=(replace(NEWT, hp=5),), screen_text=("Hello,", "you!"))
    assert GameStateAnalysis.of(state).get_summary() == (
        "HOME (2, 2) facing down; NEWT L5 5/20; needs healing, balls; on screen: Hello, / you!"
    )
    assert GameStateAnalysis.of(fight()).get_summary() == (
        "HOME (2, 2) facing down; in a wild battle with STONE L5 20/20; NEWT L5 20/20"
    )


# ---- any facts -----------------------------------------------------------------------------


def test_no_fact_is_enough():
    analysis = GameStateAnalysis({})
    assert analysis.get_summary() == "somewhere"
    assert not analysis.analyze_battle_state()["in_battle"]
    exploration = analysis.analyze_exploration_state()
    assert exploration["needs"] == exploration["exits"] == []
    assert exploration["map"] is exploration["position"] is exploration["is_free"] is None


def test_the_observations_numbers_are_scaled_back():
    state = fight(is_trainer=True, own=replace(NEWT, hp=4), enemy=replace(STONE, level=9))
    state = replace(state, money=54_321, play_time_s=1800.0)
    scaled = state_variables(state, 3)
    analysis = GameStateAnalysis(dict(zip(STATE_VARIABLES, scaled, strict=True)))
    numbers = dict(zip(STATE_VARIABLES, state_numbers(state, 3), strict=True))
    plain = GameStateAnalysis(numbers)
    assert analysis.analyze_exploration_state() == plain.analyze_exploration_state()
    assert analysis.analyze_battle_state() == plain.analyze_battle_state()
    assert analysis.analyze_battle_state()["suggestion"] == "use a potion"
    assert analysis.state_hash == plain.state_hash
    assert analysis.get_summary() == (
        "map 40.1 (2, 2) facing down; in a trainer battle with someone; party of 1 at 100%"
    )


def test_the_observation_divides_by_the_stated_scales():
    state = fight(own=replace(NEWT, hp=4))
    expected = np.array(state_numbers(state, 2)) / np.array([*STATE_VARIABLES.values()])
    np.testing.assert_allclose(state_variables(state, 2), expected, rtol=1e-6)


def test_facts_that_nobody_knows_are_ignored():
    facts = state_facts(make_state(), GAME)
    one = GameStateAnalysis(facts)
    other = GameStateAnalysis({**facts, "weather": object(), "x ": 3})
    assert (one.get_summary(), one.state_hash) == (other.get_summary(), other.state_hash)


def test_two_states_that_differ_in_play_time_or_goal_alone_hash_alike():
    state = make_state(party=(NEWT,))
    known = GameStateAnalysis.of(state, GAME).state_hash
    later = replace(state, play_time_s=99.0)
    assert GameStateAnalysis.of(later, GAME, {"left_bedroom"}, "go").state_hash == known
    for other in (
        make_state(3, party=(NEWT,)),
        make_state(party=(replace(NEWT, hp=3),)),
        replace(state, money=1),
        replace(state, screen_text=("Hello",)),
    ):
        assert GameStateAnalysis.of(other, GAME).state_hash != known


def test_the_hash_is_the_same_in_every_process():
    facts = {"map_name": "HOME", "x": 2, "party": []}
    assert GameStateAnalysis(facts).state_hash == 6668194036550145012


KEYS = (
    *STATE_VARIABLES,
    *("map_name", "environment", "next_milestone", "goal", "screen_text", "milestones"),
    *("party", "battle", "exits", "unheard of"),
)
FIELDS = ("name", "level", "hp", "max_hp", "status", "moves", "points", "strength", "own", "enemy")
leaves = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(),
    st.floats(),
    st.text(max_size=5),
    st.builds(np.float32, st.floats(width=32)),
    st.builds(np.zeros, st.integers(0, 2)),
)
values = st.recursive(
    leaves,
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.sampled_from((*FIELDS, "kind")), inner, max_size=6)
    ),
    max_leaves=12,
)


@pytest.mark.slow
@settings(max_examples=50, deadline=None)
@given(st.dictionaries(st.sampled_from(KEYS), values, max_size=12))
def test_no_facts_raise_and_every_answer_is_json(facts: dict[str, Any]):
    analysis = GameStateAnalysis(facts)
    for answer in (analysis.analyze_battle_state(), analysis.analyze_exploration_state()):
        assert json.loads(json.dumps(answer, allow_nan=False)) == answer
    assert analysis.get_summary()
    assert 0 <= analysis.state_hash < 2**63


# ---- the practice game ---------------------------------------------------------------------


def test_a_played_game_is_analysed_at_every_step(game_env):
    env = game_env(config=EnvConfig(max_steps=100_000))
    hashes, kinds = set(), set()
    for _ in led(env, 450):
        analysis = GameStateAnalysis.of(env.state, GAME, env.milestones)
        battle, walk = analysis.analyze_battle_state(), analysis.analyze_exploration_state()
        json.dumps([battle, walk], allow_nan=False)
        assert walk["map"] == env.state.place.name
        assert walk["progress"]["milestones"] == len(env.milestones)
        assert battle["in_battle"] is (env.state.battle is not None)
        if battle["best_move"]:
            assert battle["suggestion"]
            kinds.add(battle["kind"])
        hashes.add(analysis.state_hash)
    assert env.is_success
    assert "trainer" in kinds
    assert len(hashes) > 100
