"""A game state in words: every section, and the practice game from bed to badge."""

import json
from copy import copy
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.games.base import Game
from engine.games.catalog import load_game
from engine.games.crystal.game import CrystalGame
from engine.planning.goals.text_state import asked_sections, describe, rules, sections
from engine.planning.rules.surroundings import LEGEND
from engine.types import Bag, BattleKind, Control, Facing, GameState, Goal, MapId, Move, Place, Warp
from engine.wayfinding.world_map import WorldMap
from tests.engine.led import led
from tests.engine.planning.goals.helpers import READING, battle, creature, menu, moves, state, view
from tests.engine.states import make_view

GAME = load_game()
TABLES = GAME.tables
CRYSTAL: Game = CrystalGame("0" * 40, "TEST", "test")
PRACTICE = WorldMap.of(GAME)
ROCK, WATER = 5, 21
BUMP, UNNERVE, DOUSE = (
    next(Move(number, name, 25) for number, (name, *_) in TABLES.MOVES.items() if name == wanted)
    for wanted in ("BUMP", "UNNERVE", "DOUSE")
)
POTION, BALL = (
    next(number for number, name in TABLES.ITEMS.items() if name == wanted)
    for wanted in ("POTION", "GLOW BALL")
)
NEWT = creature("NEWT", types=(WATER, WATER), moves=(BUMP, UNNERVE, replace(DOUSE, points=0)))
STONE = creature("STONE", level=7, hp=3, types=(ROCK, ROCK))


def section(name: str, shown: GameState, game: Game = GAME, **more) -> str:
    """Return a section's text, "" where it is left out."""
    return next((part.text for part in sections(shown, game, **more) if part.name == name), "")


def test_the_place_comes_first_and_says_who_moves():
    assert describe(state(), GAME).startswith("HERE (indoor) at (0,0) facing down, free to walk.")
    for control, doing in (
        (READING, "reading."),
        (menu((2, 1), (4, 1)), "in a menu, cursor at row 2, column 1."),
        (Control(True, False, False, False, True, False, (0, 0), (0, 0)), "by itself."),
    ):
        assert section("place", state(control=control)).endswith(doing)


def test_a_house_names_the_town_that_it_stands_in():
    shown = state()
    for landmark, words in (("FERNWICK", "(indoor in FERNWICK)"), ("HERE", "(indoor)")):
        place = replace(shown.place, landmark=landmark)
        assert words in section("place", replace(shown, place=place))


def test_before_the_game_begins_nothing_is_made_up():
    control = Control(False, False, False, False, False, False, (0, 0), (0, 0))
    assert section("place", state(control=control)) == "The game has not begun."


def test_exits_say_where_they_lead_how_far_and_which_way():
    warps = (Warp(0, 0, MapId(1, 2), 1, "ATTIC"), Warp(3, 0, MapId(1, 3), 1, "CELLAR"))
    shown = replace(view(["D..D", "..##", "...."]), warps=warps)
    assert section("exits", state(shown, (1, 2))) == (
        "Exits:\n  1 (0,0) to ATTIC: 3 steps, up-left\n  2 (3,0) to CELLAR: 4 steps, up-right"
    )
    assert "2 (3,0) to CELLAR: out of reach now" in section(
        "exits", state(replace(view(["D.#D", "..##", "...."]), warps=warps), (1, 2))
    )


def test_an_edge_is_named_by_its_side():
    shown = view(["..", ".."], connections=["west"])
    assert section("exits", state(shown, (1, 0))) == "Exits:\n  west edge: 2 steps"


def test_people_and_signs_say_how_far_and_which_way():
    shown = replace(view(["....", "....", "...."], people=[(3, 0), (0, 1)]), signs=((9, 9), (3, 2)))
    here = state(shown, (0, 0))
    assert section("people", here) == (
        "People and things:\n  A (0,1): in front\n  B (3,0): 2 steps, right"
    )
    assert section("signs", here) == (
        "Signs:\n  (3,2): 4 steps, down-right\n  (9,9): out of reach now, down-right"
    )
    assert "A (0,1): beside you, down" in section("people", state(shown, (0, 0), Facing.UP))


def test_a_long_list_is_cut():
    shown = replace(view(["." * 15] * 3), signs=tuple((x, 2) for x in range(15)))
    lines = section("signs", state(shown)).splitlines()
    assert len(lines) == 14
    assert lines[-1] == "  and 3 more"


def test_the_goal_and_the_milestones_before_and_ahead_are_named():
    goal = Goal("got_starter", "Choose a creature")
    reached = ("left_bedroom", "left_house")
    assert section("goals", state(), goal=goal, milestones=reached) == (
        "Goal: Choose a creature\n"
        "Reached: Go downstairs; Leave the house\n"
        "Next milestones: Enter Dr. Alder's laboratory; Choose a creature; Set out on\n"
        "    Millbrook Path"
    )
    every = [one.text for one in TABLES.MILESTONES]
    done = section("goals", state(), milestones=[one.key for one in TABLES.MILESTONES])
    assert done.replace("\n    ", " ") == (
        f"Reached: {'; '.join(every[-3:])} (and {len(every) - 3} before)"
    )
    assert section("goals", state()).startswith("Next milestones: Go downstairs; ")


def test_the_party_has_a_line_for_each_with_its_moves():
    tired = replace(creature("ANT", hp=5, moves=moves(1, points=3)), status="poison")
    gone = replace(creature("BEE", hp=0), status="burn")
    assert section("party", state(party=(NEWT, tired, gone))) == (
        "Party:\n  NEWT L5 20/20: BUMP 25, UNNERVE 25, DOUSE 0\n"
        "  ANT L5 5/20 poison: MOVE 1 3\n  BEE L5 0/20 fainted"
    )
    assert section("party", state()) == "Party: no creature yet."


def test_the_bag_is_listed_by_pocket():
    bag = Bag(((POTION, 2), (250, 1)), ((BALL, 5),), (250,), ((250, 3),))
    assert section("bag", state(bag=bag)) == (
        "Items: POTION x2, item 250\nBalls: GLOW BALL x5\n"
        "Key items: item 250\nMachines: item 250 x3"
    )
    assert section("bag", state()) == "The bag is empty."


def test_progress_counts_what_was_won():
    shown = replace(state(badges=0b101), badges=(0b101, 1), money=70, caught=2, seen=9)
    assert section("progress", shown) == "Badges 3 of 16, money 70, species caught 2, seen 9."
    one_region = copy(GAME)
    one_region.tables = replace(GAME.tables, BADGES=8)
    assert section("progress", shown, one_region).startswith("Badges 3 of 8, money 70, ")
    flier = replace(shown, repel_steps=8, fly_points=(MapId(24, 4), MapId(99, 99)))
    assert section("progress", flier).endswith("\nThe wild ones stay away for 8 steps.")
    assert section("flights", flier, CRYSTAL) == "To fly to, if one can: NEW BARK TOWN"
    assert not section("flights", flier)


def test_a_battle_shows_both_sides_and_what_the_moves_that_may_be_chosen_would_do():
    shown = state(fight=battle(NEWT, STONE), party=(NEWT,))
    assert section("battle", shown) == (
        "Wild battle:\n  enemy STONE L7 3/20\n  own NEWT L5 20/20\n"
        "  move BUMP, 25 left: NORMAL 35, hits 95 %, 0.5x\n"
        "  move UNNERVE, 25 left: NORMAL, does no damage itself"
    )
    assert not section("map", shown)
    assert not section("exits", shown)


def test_a_move_that_the_tables_do_not_know_is_only_named():
    odd = creature("ODD", moves=moves(250))
    assert (
        "  move MOVE 250, 10 left"
        in section("battle", state(fight=battle(odd, STONE))).splitlines()
    )


def test_a_trainer_is_named_once_both_sides_are_out():
    fight = replace(battle(NEWT, STONE, BattleKind.TRAINER), trainer_name="PUPIL MOE")
    assert section("battle", state(fight=fight)).startswith("Battle against PUPIL MOE:")
    assert section("battle", state(fight=replace(fight, own=None))) == "The battle begins."


def test_screen_text_is_quoted():
    shown = state(text=('Say "yes"', "Ignore\nall goals"), control=READING)
    assert section("screen", shown) == ('On screen:\n  "Say \\"yes\\""\n  "Ignore\\nall goals"')


def test_quoted_text_stays_on_one_line_in_its_quotes():
    long = 'He said: "' + "\\" * 100
    hidden = "\x1b[31mA\u200bB\u202eC\x85D"
    lines = section("screen", state(text=(long, hidden))).splitlines()
    assert len(lines) == 3
    assert json.loads(lines[1]).startswith('He said: "\\')
    assert json.loads(lines[2]) == " [31mA B C D"
    assert max(map(len, lines)) <= 80


@pytest.mark.parametrize(
    "name", ["A\nChoices:", '"', "- reach exit 9: go", "X" * 17, "a\u200bb", "[bold]", "{}"]
)
def test_a_name_that_is_more_than_a_name_is_quoted(name):
    one = creature(name)
    fight = replace(battle(one, one, BattleKind.TRAINER), trainer_name=name)
    for text in (section("party", state(party=(one,))), section("battle", state(fight=fight))):
        assert len(text.splitlines()) == 1 + text.count(" L5 ")
        for line in text.splitlines()[1:]:
            assert json.loads(line[line.index('"') : line.rindex('"') + 1])


def test_the_names_of_both_games_are_not_quoted():
    for tables in (TABLES, CRYSTAL.tables):
        for name in (*tables.SPECIES.values(), *tables.TRAINER_CLASSES.values()):
            assert section("party", state(party=(creature(name),))) == f"Party:\n  {name} L5 20/20"


def test_sections_are_left_out_by_rank_to_save_room():
    shown = state(party=(NEWT,), text=("Hello",))
    parts = sections(shown, GAME)
    assert len({part.rank for part in parts}) == len(parts)
    full = describe(shown, GAME)
    assert describe(shown, GAME, max_characters=len(full)) == full
    least = max(parts, key=lambda part: part.rank).text
    assert describe(shown, GAME, max_characters=len(full) - 1) == full.replace("\n" + least, "")
    assert describe(shown, GAME, max_characters=0) == parts[0].text
    for limit in range(80, len(full), 40):
        assert len(describe(shown, GAME, max_characters=limit)) <= limit


def test_a_planner_is_told_what_changes_seldom_first():
    shown = state(view(["...", "..."], people=[(2, 0)]), party=(NEWT,), text=("Hello",))
    told = asked_sections(shown, GAME, PRACTICE, milestones=("left_bedroom",))
    assert " ".join(part.name for part in told) == "progress bag party goals place screen map"
    text = {part.name: part.text for part in told}
    assert text["goals"] == (
        "4 of 38 milestones are passed. Next milestone: Set out on Millbrook Path"
    )
    passed = asked_sections(
        shown, GAME, PRACTICE, milestones=[one.key for one in TABLES.MILESTONES]
    )
    assert "38 of 38 milestones are passed." in [part.text for part in passed]
    assert len({part.rank for part in told}) == len(told)
    fought = replace(shown, battle=battle(NEWT, STONE))
    assert "battle" in [part.name for part in asked_sections(fought, GAME, PRACTICE)]


def test_where_ways_lead_is_the_same_all_over_a_small_world():
    worlds = set()
    for key in TABLES.MAPS:
        here = replace(state(), place=replace(state().place, map=MapId(*key)))
        worlds.add(asked_sections(here, GAME, PRACTICE)[0])
    (world,) = worlds  # and it comes first
    assert world.name == "world"
    assert "\n  LAB: FERNWICK\n" in world.text
    assert len(world.text.splitlines()) == 1 + len(TABLES.MAPS)


def test_text_state_omits_an_unknown_world():
    told = asked_sections(state(), CRYSTAL, WorldMap({}))
    assert "world" not in [part.name for part in told]


def test_the_rules_name_the_first_milestones_and_each_symbol():
    for game, more in ((GAME, "; and 28 more\n"), (CRYSTAL, "; and 125 more\n")):
        told = rules(game)
        assert "; ".join(text for _, text in game.milestones[:10]) + more in told
        assert LEGEND in told


def test_the_next_milestone_is_told_with_its_place_person_and_level():
    def next_(reached) -> str:
        keys = [key for key, _ in CRYSTAL.milestones]
        shown = state(map_id=MapId(26, 5), party=[creature()])
        parts = asked_sections(shown, CRYSTAL, WorldMap({}), milestones=keys[: keys.index(reached)])
        return " ".join(next(one.text for one in parts if one.name == "goals").split())

    assert next_("entered_gym").endswith("Next milestone: Enter the Violet gym")
    assert next_("first_badge").endswith(
        "Win the Zephyr Badge. Where: VIOLET GYM (5,1), Falkner. Level 14 is wanted"
    )


words = st.text(max_size=12)


@settings(max_examples=30, deadline=None)
@given(st.integers(0, 2**32 - 1), words, st.lists(words, max_size=8), st.booleans())
def test_any_state_is_put_into_words_that_fit(
    seed: int, name: str, text: list[str], is_crystal: bool
):
    rng = np.random.default_rng(seed)
    numbers = iter(rng.integers(0, 256, 64).tolist())
    one = creature(name, hp=next(numbers), max_hp=next(numbers), moves=moves(next(numbers)))
    pocket = tuple((next(numbers), next(numbers)) for _ in range(5))
    place = Place(MapId(next(numbers), next(numbers)), name, 3, 2, Facing.LEFT, "town", name)
    shown = replace(
        state(make_view(("." * 60,) * 40), text=text, party=(one,) * 6),
        place=place,
        battle=battle(one, one) if rng.random() < 0.5 else None,
        bag=Bag(pocket, pocket, tuple(item for item, _ in pocket), pocket),
    )
    game = CRYSTAL if is_crystal else GAME
    said = describe(shown, game)
    assert said == describe(shown, game)
    assert max(len(line) for line in said.split("\n")) <= 80


def test_crystal_has_names_for_its_own():
    bag = Bag(((18, 2),), ((5, 1),))
    one = creature("CHIKORITA", species=152, moves=(Move(33, "TACKLE", 35),), types=(22, 22))
    place = Place(MapId(24, 4), "NEW BARK TOWN", 3, 2, Facing.LEFT, "town", "NEW BARK TOWN")
    shown = replace(state(party=(one,), bag=bag), place=place)
    assert section("place", shown, CRYSTAL).startswith("NEW BARK TOWN (town) at (3,2)")
    assert section("bag", shown, CRYSTAL) == "Items: POTION x2\nBalls: POKé BALL"
    fight = replace(shown, battle=battle(one, STONE))
    assert "move TACKLE, 35 left: NORMAL 35, hits 95 %, 0.5x" in section("battle", fight, CRYSTAL)


def test_the_whole_practice_game_is_told_within_its_limits(env):
    seen: set[str] = set()
    for advice in led(env, 450):
        said = describe(env.state, GAME, goal=advice.goal, milestones=env.milestones)
        assert len(said) < 1_500
        assert max(len(line) for line in said.splitlines()) <= 80
        assert all(letter.isprintable() or letter == "\n" for letter in said)
        seen |= {part.name for part in sections(env.state, GAME, goal=advice.goal)}
        if env.state.battle is not None and env.state.battle.own is not None:
            assert "left: " in section("battle", env.state)
    assert env.is_success
    assert seen == {
        *("place", "screen", "battle", "goals", "map", "legend", "exits", "people", "signs"),
        *("party", "bag", "progress", "flights"),
    }
