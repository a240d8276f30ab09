"""What can be wanted: everything in reach, nothing else, and never nothing."""

from collections import Counter
from copy import copy
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.games.base import Game
from engine.games.catalog import load_game
from engine.games.crystal.game import CrystalGame
from engine.planning.goals.queries import MOST, STORY, _whereabouts, choices
from engine.planning.rules.ways import exits_for, heal_goal, needs_healing, step_to_new_ground
from engine.planning_types import Condition, GoalOption
from engine.types import (
    Action,
    Bag,
    BattleKind,
    Control,
    Edge,
    Facing,
    GameState,
    Goal,
    GoalKind,
    MapId,
    Place,
    Warp,
)
from engine.wayfinding.exits import Exit
from engine.wayfinding.links import world_links
from engine.wayfinding.world_map import WorldMap
from tests.engine.led import led
from tests.engine.planning.goals.helpers import HERE, battle, creature, state, view

GAME = load_game()
TABLES = GAME.tables
CRYSTAL: Game = CrystalGame("0" * 40, "TEST", "test")
WORLD = WorldMap.of(GAME)
NOWHERE = WorldMap({})
FERNWICK, STONEHOLLOW, CENTER = MapId(40, 3), MapId(40, 7), MapId(40, 8)
THERE = MapId(1, 2)


def kinds(offered: tuple[GoalOption, ...]) -> Counter:
    return Counter(option.kind for option in offered)


def of(offered: tuple[GoalOption, ...], kind: GoalKind) -> list[GoalOption]:
    return [option for option in offered if option.kind is kind]


def test_there_is_always_something_to_want():
    (option,) = choices(state(view(["#"])), GAME, NOWHERE)
    assert (option.kind, option.target) == (GoalKind.EXPLORE, "")
    unknown = replace(view(["."]), bordered=None)
    assert choices(state(unknown), CRYSTAL, NOWHERE)


def test_the_way_to_the_next_milestone_is_offered_first(env):
    env.reset(seed=0)
    first, *others = choices(env.state, GAME, WORLD, env.milestones)
    assert (first.kind, first.target) == (GoalKind.REACH, STORY)
    assert first.text == "next milestone in HOME 1F, about 6 steps: Go downstairs"
    assert first.conditions == (Condition.MILESTONE,)
    assert (first.goal.map, first.goal.target) == (MapId(40, 2), None)
    assert all(option.target != STORY for option in others)
    (met,) = (
        option
        for option in choices(env.state, GAME, WORLD, ("entered_lab",))
        if option.target == STORY
    )
    assert (met.kind, met.goal.key) == (GoalKind.MEET, "got_starter")
    assert met.text.startswith("next milestone in LAB, RILLET at (7,4), about ")


def test_no_way_to_a_milestone_is_offered_where_none_is_open(env):
    env.reset(seed=0)
    rows = tuple(replace(one, place=MapId(40, 21)) for one in GAME.tables.MILESTONES)
    cut_off = replace_tables(rows)  # an island, with nothing to surf on
    assert all(option.target != STORY for option in choices(env.state, cut_off, WORLD))
    nowhere = replace_tables(tuple(replace(one, place=None) for one in rows))
    assert all(option.target != STORY for option in choices(env.state, nowhere, WORLD))


def replace_tables(rows):
    game = copy(GAME)
    game.tables = replace(TABLES, MILESTONES=rows)
    return game


def test_a_milestones_text_keeps_within_a_line_of_the_prompt():
    for one in CRYSTAL.tables.MILESTONES:
        text = f"{STORY} {_whereabouts(one, CRYSTAL.tables)}, about 1234 steps: "
        assert one.place is None or len(text) < 110


def test_plain_ground_is_stepped_on_from_beside_it():
    shown = view(["...", "..#"])
    goal = Goal("rival", "Face the rival", HERE, (1, 1), kind=GoalKind.REACH)
    exits = exits_for(state(shown), GAME, NOWHERE, goal, goal.target)
    assert set(exits) == {Exit((0, 1), Action.RIGHT), Exit((1, 0), Action.DOWN)}


def test_exits_in_reach_are_named_as_in_the_drawing_nearest_first():
    shown = view(["..D#D", ".....", "....."], warps=[(2, 0), (4, 0)])
    near, far = shown.warps
    warps = (replace(near, name="SHOP"), replace(far, target=MapId(1, 3), name="INN"))
    offered = choices(state(replace(shown, warps=warps), (0, 2)), GAME, NOWHERE)
    assert [(c.target, c.text) for c in of(offered, GoalKind.REACH)] == [
        ("exit 1", "exit 1 to SHOP, 4 steps"),
        ("exit 2", "exit 2 to INN, 6 steps"),
    ]
    goal = offered[0].goal
    assert (goal.map, goal.target, goal.text) == (THERE, None, "Go to SHOP")
    assert offered[0].conditions == (Condition.ENTERED, Condition.MILESTONE)


def test_options_leave_out_exits_out_of_reach_or_to_nowhere():
    shown = view(["D#.", "##.", "..D"], warps=[(0, 0), (2, 2)])
    walled, within = shown.warps
    shown = replace(shown, warps=(walled, replace(within, target=HERE)))
    offered = choices(state(shown, (2, 0)), GAME, NOWHERE)
    assert kinds(offered) == {GoalKind.EXPLORE: 1}


def test_two_doors_to_one_map_are_told_apart():
    shown = view(["D...D", "....."], warps=[(0, 0), (4, 0)])
    first, second = of(choices(state(shown, (1, 1)), GAME, NOWHERE), GoalKind.REACH)
    assert (first.goal.map, first.goal.target) == (HERE, (0, 0))
    assert (second.goal.map, second.goal.target) == (HERE, (4, 0))
    exits = exits_for(state(shown, (1, 1)), GAME, NOWHERE, second.goal, second.goal.target)
    assert {entry.tile for entry in exits} == {(3, 0), (4, 1)}


def test_edges_lead_to_their_neighbours_by_ram_or_by_known_maps():
    shown = replace(
        view(["..", ".."], connections=["north"]), edges=(Edge("north", THERE, "PATH"),)
    )
    offered = choices(state(shown, (1, 1)), CRYSTAL, NOWHERE)
    assert (offered[0].target, offered[0].goal.map) == ("north edge", THERE)
    assert offered[0].text == "north edge to PATH, 2 steps"
    town = state(view(["..", ".."], connections=["north"]), map_id=FERNWICK)
    (edge,) = (c for c in choices(town, GAME, WORLD) if c.target == "north edge")
    assert edge.goal.map == MapId(40, 6)


def test_people_and_signs_in_reach_may_be_met():
    shown = replace(view(["....", "....", "..#."], people=[(3, 0), (0, 1)]), signs=((2, 2),))
    offered = choices(state(shown, (0, 0)), GAME, NOWHERE)
    assert [(c.target, c.text, c.goal.target) for c in of(offered, GoalKind.MEET)] == [
        ("person A", "person A (0,1), in front", (0, 1)),
        ("person B", "person B (3,0), 2 steps", (3, 0)),
        ("sign 1", "sign 1 (2,2), 3 steps", (2, 2)),
    ]
    assert offered[0].goal.is_interaction
    assert offered[0].conditions[0] is Condition.ANSWERED


def test_farther_maps_are_known_by_name():
    offered = choices(state(view(["..."], connections=["north"]), map_id=FERNWICK), GAME, WORLD)
    far = {c.target: c for c in of(offered, GoalKind.REACH)}
    assert far["GYM"].text == "GYM"
    assert far["GYM"].goal.map == MapId(40, 10)
    assert "LAB" not in far  # beside this map; its door is not in reach
    assert [c.target for c in choices(state(map_id=FERNWICK), CRYSTAL, NOWHERE)] == [""]


def test_grass_is_for_training_and_catching():
    shown = view(['.""'])
    assert GoalKind.TRAIN not in kinds(choices(state(shown), GAME, NOWHERE))
    offered = choices(state(shown, party=[creature()]), GAME, NOWHERE)
    assert kinds(offered) == {GoalKind.TRAIN: 1, GoalKind.EXPLORE: 1}
    with_balls = state(shown, party=[creature()], bag=Bag(balls=((5, 2),)))
    assert kinds(choices(with_balls, GAME, NOWHERE))[GoalKind.CATCH] == 1


def test_rest_is_offered_to_the_hurt_where_somebody_heals():
    hurt = state(map_id=FERNWICK, party=[creature(hp=5)])
    (rest,) = of(choices(hurt, GAME, WORLD), GoalKind.HEAL)
    assert rest.goal.text == "Rest at home with mother"
    well = state(map_id=FERNWICK, party=[creature()])
    assert not of(choices(well, GAME, WORLD), GoalKind.HEAL)
    assert not of(choices(hurt, CRYSTAL, WORLD), GoalKind.HEAL)
    known = replace(hurt, healing_place=STONEHOLLOW)
    (rest,) = of(choices(known, GAME, WORLD), GoalKind.HEAL)
    assert (rest.goal.map, rest.goal.text) == (STONEHOLLOW, "Rest in STONEHOLLOW")


def test_no_rest_is_offered_to_which_no_way_is_open(env):
    env.reset(seed=0)
    hurt = replace(env.state, party=(creature(hp=5),))
    island = copy(GAME)
    far = replace(GAME.atlas.healers[0], map=MapId(40, 21), target=(10, 3))
    near = GAME.atlas.healers[1]
    island.atlas = replace(GAME.atlas, healers=(far, near))
    assert heal_goal(hurt, island, WORLD) == near
    island.atlas = replace(GAME.atlas, healers=(far,))
    assert heal_goal(hurt, island, WORLD) is None
    assert not of(choices(hurt, island, WORLD), GoalKind.HEAL)


def test_the_last_place_of_rest_leads_to_its_center_and_its_nurse():
    town = MapId(10, 5)
    rest = Goal("heal", "Rest", town, is_interaction=True, kind=GoalKind.HEAL)
    shown = view(["D..", "..."], warps=[(0, 0)])
    door = replace(shown.warps[0], name="VIOLET POKECENTER 1F")
    outside = state(replace(shown, warps=(door,)), (2, 1), map_id=town)
    assert {e.tile for e in exits_for(outside, GAME, NOWHERE, rest, None)} == {(1, 0), (0, 1)}
    inside = state(view(["...", "...", "..."], people=[(1, 0)]), (1, 2), map_id=MapId(10, 8))
    inside = replace(inside, place=replace(inside.place, name="VIOLET POKECENTER 1F"))
    assert Exit((1, 1), Action.UP, is_talk=True) in exits_for(inside, GAME, NOWHERE, rest, None)


@pytest.mark.parametrize(
    ("party", "is_hurt"),
    [
        ([], False),
        ([creature()], False),
        ([creature(hp=17)], True),
        ([creature(), creature("BEE", hp=0)], True),
        ([replace(creature(), status="poison")], True),
    ],
)
def test_needs_healing_of_a_hurt_party(party, is_hurt):
    assert needs_healing(party) is is_hurt


def test_a_battle_is_won_left_or_used_to_catch():
    def offered(kind: BattleKind = BattleKind.WILD, **more) -> list[GoalKind]:
        shown = state(fight=battle(creature(), creature("BEE"), kind), **more)
        return [option.kind for option in choices(shown, GAME, WORLD)]

    balls = Bag(balls=((5, 1),))
    assert offered(bag=balls) == [GoalKind.FIGHT, GoalKind.CATCH, GoalKind.RUN]
    assert GoalKind.CATCH not in offered()
    assert offered(BattleKind.TRAINER, bag=balls) == [GoalKind.FIGHT]


@settings(max_examples=12, deadline=None)
@given(st.integers(0, 2**32 - 1))
def test_choices_are_few_and_unique_among_their_kind(seed):
    rng = np.random.default_rng(seed)
    rows = ["".join(rng.choice(list('...#"D'), 12)) for _ in range(10)]
    spots = [(int(x), int(y)) for x, y in rng.integers(0, 10, (60, 2))]
    doors = [(x, y) for y, row in enumerate(rows) for x, sign in enumerate(row) if sign == "D"]
    shown = view(rows, people=spots[:20], warps=doors, connections=["north", "east"])
    targets = [MapId(1, int(n)) for n in rng.integers(1, 9, len(doors))]
    warps = tuple(replace(w, target=t) for w, t in zip(shown.warps, targets, strict=True))
    shown = replace(shown, warps=warps, signs=tuple(spots[20:]))
    known = {(1, 1): (("north", 0, 0, (40, 3)),), **world_links(GAME.overworld)}
    offered = choices(
        state(shown, spots[0], party=[creature(hp=3)], bag=Bag(balls=((5, 9),))),
        GAME,
        WorldMap(known),
    )
    assert 1 <= len(offered) <= MOST
    names = Counter((option.kind, option.target) for option in offered)
    assert max(names.values()) == 1
    assert all(option.kind is option.goal.kind and option.conditions for option in offered)
    assert all("\n" not in option.text for option in offered)
    assert any(option.kind is GoalKind.EXPLORE for option in offered)


def test_new_ground_is_walked_to_round_walls_and_people():
    shown = view(["....", ".##.", "...."], people=[(1, 0)])
    at = state(shown, (0, 0), Facing.DOWN)
    assert step_to_new_ground(at, {(0, 0)}) == Exit((0, 0), Action.DOWN)
    been = {(0, 0), (0, 1), (0, 2), (1, 2), (2, 2)}
    assert step_to_new_ground(at, been) == Exit((0, 0), Action.DOWN)
    everything = {(x, y) for x in range(4) for y in range(3)}
    assert step_to_new_ground(at, everything) is None


def test_every_choice_of_the_practice_game_has_a_way(env):
    seen: set[str] = set()
    for _ in led(env, 450):
        shown: GameState = env.state
        if not shown.control.is_free or shown.place.name in seen:
            continue
        seen.add(shown.place.name)
        for option in choices(shown, GAME, WORLD):
            goal = option.goal
            if option.kind is not GoalKind.EXPLORE:
                assert exits_for(shown, GAME, WORLD, goal, goal.target), (shown.place, option)
    assert seen >= {"HOME 2F", "HOME 1F", "FERNWICK", "LAB", "MILLBROOK PATH", "STONEHOLLOW", "GYM"}


def test_the_game_that_has_not_begun_offers_to_explore():
    control = Control(False, False, False, False, False, False, (0, 0), (0, 0))
    place = Place(MapId(0, 0), "", 0, 0, Facing.DOWN, "indoor")
    nothing = replace(state(control=control), place=place)
    assert kinds(choices(nothing, CRYSTAL, NOWHERE)) == {GoalKind.EXPLORE: 1}


def test_a_warp_names_where_it_leads():
    """What a plan of another game's key would say of a warp that is not here leads nowhere."""
    goal = Goal("reach", "Go", HERE, (5, 5), kind=GoalKind.REACH)
    shown = replace(view(["..."]), warps=(Warp(1, 0, THERE, 1),))
    assert exits_for(state(shown), GAME, NOWHERE, goal, goal.target) == ()
