"""The rows of milestones hold together, and begin as the opening was walked."""

import pytest

from engine.games.base import Approach, Checked, GameTables, MilestoneKind
from engine.games.crystal.memory import FACTS
from engine.games.emerald.memory import FACTS as EMERALD_FACTS
from engine.games.facts import read_places, read_rows, read_tables
from tests.engine.games.images import CRYSTAL, PRACTICE, PRACTICE_FACTS

EMERALD = read_tables(EMERALD_FACTS)
GAMES = pytest.mark.parametrize(
    "tables", [CRYSTAL, EMERALD, PRACTICE], ids=["crystal", "emerald", "practice"]
)
OPENING = (
    "left_bedroom", "got_pokegear", "left_house", "entered_lab", "got_starter", "got_potion",
    "reached_route_29", "reached_cherrygrove", "reached_route_30", "got_egg", "got_pokedex",
    "met_rival", "met_officer", "gave_egg", "got_balls", "learned_catching", "reached_route_31",
    "reached_violet", "entered_gym", "first_badge",
)  # fmt: skip
ENGINE_FLAGS = {int(row["index"]) for row in read_rows(FACTS, "engine_flag_bits")}


@GAMES
def test_keys_are_unique_and_rows_have_a_text(tables: GameTables) -> None:
    rows = tables.MILESTONES
    assert len({one.key for one in rows}) == len(rows)
    assert all(one.key.isidentifier() and one.text for one in rows)


@GAMES
def test_what_a_row_requires_comes_before_it(tables: GameTables) -> None:
    before: set[str] = set()
    for one in tables.MILESTONES:
        assert before.issuperset(one.requires), one.key
        before.add(one.key)


@GAMES
def test_places_are_maps_of_the_game_and_targets_lie_on_one(tables: GameTables) -> None:
    for one in tables.MILESTONES:
        if one.place is not None:
            assert (one.place.group, one.place.number) in tables.MAPS, one.key
        assert one.place is not None or one.target is None, one.key
        if one.how is not Approach.CATCH:  # anywhere on the map, if no tile is told
            assert (one.how is Approach.NONE) is (one.target is None), one.key


@GAMES
def test_a_rows_number_is_one_that_its_kind_has(tables: GameTables) -> None:
    for one in tables.MILESTONES:
        match one.kind:
            case MilestoneKind.EVENT | MilestoneKind.EVENT_CLEAR:
                assert 0 <= one.value < 8 * 300, one.key
            case MilestoneKind.ENGINE:
                assert one.value in ENGINE_FLAGS, one.key
            case MilestoneKind.SCENE | MilestoneKind.SCENE_LEFT:
                assert one.scene >= 0, one.key
                assert one.requires, one.key
            case MilestoneKind.ITEM:
                assert one.value in tables.ITEMS or tables is EMERALD, one.key  # in the image
            case MilestoneKind.MAP:
                assert one.place is not None, one.key
            case _:
                assert one.value >= 0, one.key


def test_signs_that_hold_from_the_start_have_something_to_wait_for() -> None:
    late = [one for one in CRYSTAL.MILESTONES if one.holds_at_start]
    assert {one.key for one in late} >= {"card_key_used", "thief_beaten", "machine_part", "red"}
    assert all(one.requires for one in late)


def test_the_opening_is_in_the_order_in_which_it_was_walked() -> None:
    assert tuple(one.key for one in CRYSTAL.MILESTONES[: len(OPENING)]) == OPENING
    assert all(one.checked is Checked.PLAYED for one in CRYSTAL.MILESTONES[: len(OPENING)])


def test_the_whole_story_of_crystal_has_its_rows() -> None:
    kinds = [one.kind for one in CRYSTAL.MILESTONES]
    assert kinds.count(MilestoneKind.BADGE) == kinds.count(MilestoneKind.KANTO_BADGE) == 8
    assert len(kinds) == 135
    assert CRYSTAL.MILESTONES[-1].key == "red"


@GAMES
def test_what_the_game_takes_back_leads_to_a_milestone_that_stays(tables: GameTables) -> None:
    for taken in (one for one in tables.MILESTONES if one.is_taken_back):
        followers = [one for one in tables.MILESTONES if taken.key in one.requires]
        assert followers, taken.key


@GAMES
def test_nothing_in_the_story_requires_what_is_optional(tables: GameTables) -> None:
    optional = {one.key for one in tables.MILESTONES if one.is_optional}
    for one in tables.MILESTONES:
        assert one.is_optional or optional.isdisjoint(one.requires), one.key


@GAMES
def test_a_boulders_milestone_is_its_hole(tables: GameTables) -> None:
    for one in tables.MILESTONES:
        if one.how is Approach.PUSH:
            assert one.place is not None
            assert one.target in tables.HOLES[one.place.group, one.place.number].values(), one.key


@GAMES
def test_an_answer_for_a_milestone_names_one(tables: GameTables) -> None:
    keys = {one.key for one in tables.MILESTONES}
    assert all(one.goal in keys for one in tables.ANSWERS if one.goal)


@pytest.mark.parametrize(
    "folder", [FACTS, EMERALD_FACTS, PRACTICE_FACTS], ids=["crystal", "emerald", "practice"]
)
def test_healers_are_met_and_training_is_a_map(folder) -> None:
    healers, training = read_places(folder)
    assert all(one.is_interaction and one.map and one.target for one in healers)
    assert all(one.map and one.target is None for one in training)
