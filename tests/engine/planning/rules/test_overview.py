import pytest

from engine.errors import ConfigurationError, RomError
from engine.games.catalog import load_game
from engine.games.crystal.game import CrystalGame
from engine.planning.rules.overview import describe_path, describe_world
from tests.engine.games.world_images import Drawn, Person, build

GAME = CrystalGame(
    "3" * 40,
    "PM_CRYSTAL",
    "a world",
    build(
        {
            (1, 1): Drawn(
                ["#D######", "...T....", "###.####"],
                warps=[(1, 0, 1, 2, 1)],
                triggers=[(2, 1, 0)],
                people=[Person(2, 1), Person(5, 1, kind=2)],
            ),
            (1, 2): Drawn(["....", "m..."], warps=[(0, 1, 1, 1, 1)]),
            (1, 3): Drawn(["...."]),
        }
    ),
)


def test_the_world_is_described_with_its_figures() -> None:
    text = "\n".join(describe_world(GAME))
    assert "map groups   25:4000" in text
    assert "maps         3 with 48 tiles" in text
    assert "warps        2" in text
    assert "triggers     1 on 1 map" in text
    assert "people       2, 1 trainers" in text
    assert "unreachable: OLIVINE TIMS HOUSE" in text


def test_a_way_is_described_map_by_map() -> None:
    first, *legs = describe_path(GAME, "1.1 2,1", "olivine gym 0,0")
    assert first == "OLIVINE POKECENTER 1F (2,1) to OLIVINE GYM (0,0): 3 presses, on foot"
    assert [leg.split()[0] for leg in legs] == ["OLIVINE", "OLIVINE"]
    assert "(2,1) to (1,1), 1 press" in legs[0]


def test_a_way_says_what_it_takes() -> None:
    assert describe_path(GAME, "1.2", "1.1 7,1")[0].endswith("with Cut")


def test_the_practice_games_world_is_whole_once_its_gates_are_open() -> None:
    text = describe_world(load_game())
    assert "    with Cut and Surf  31 maps" in text
    assert not any("unreachable" in line for line in text)


def test_a_way_to_the_last_place_says_who_and_what_opens_it() -> None:
    first, *legs = describe_path(load_game(), "HOME_2F", "MOSS ISLE")
    assert first.endswith("with Cut and Surf")
    conditions = [leg.split()[-1] for leg in legs if leg.startswith("    ")]
    assert conditions == ["COBBLE_BADGE", "CLOCK_SET", "BEAT_WREN_1", "LAMP_RETURNED"]


@pytest.mark.parametrize(
    ("start", "message", "hint"),
    [
        ("OLIVINE GIM", "There is no map 'OLIVINE GIM'", "OLIVINE GYM"),
        ("gym", "There is no map 'gym'", "OLIVINE GYM"),
        ("9.9", "There is no map 9.9", "group.number"),
        ("1.1 99,1", "has no tile (99,1)", "(7,3)"),
        ("", "There is no map ''", "group.number"),
        ("1.3", "There is no path", "flights"),
    ],
)
def test_a_place_that_is_none_is_refused_with_what_is_near(start, message, hint) -> None:
    with pytest.raises(ConfigurationError) as refused:
        describe_path(GAME, start, "1.2")
    assert message in refused.value.message
    assert hint in refused.value.hint


def test_a_game_without_a_world_is_refused() -> None:
    with pytest.raises(RomError, match="not found"):
        describe_world(CrystalGame("4" * 40, "PM_CRYSTAL", "empty", bytes(1 << 15)))
