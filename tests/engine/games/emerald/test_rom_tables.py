"""Names and figures come out of an image's own tables."""

import random
import struct
from pathlib import Path

import pytest

from engine.games import mosslight_advance
from engine.games.catalog import load_game
from engine.games.emerald.memory import FACTS
from engine.games.emerald.rom_tables import read_tables
from engine.games.facts import read_rows
from tests.engine.games.emerald.practice import NAME
from tests.engine.games.emerald.world_images import Drawn, build, text

_SPECIES = ("??????????", "MUDKIP", "", "GEODUDE")
_TYPES = ((0, 0), (11, 11), (0, 0), (5, 4))


def species_info(first: int, second: int) -> bytes:
    return bytes(6) + bytes((first, second)) + bytes(20)


def trainer(kind: int, name: str) -> bytes:
    return bytes((0, kind, 0, 0)) + text(name, 12) + bytes(24)


TABLES = {
    "gSpeciesNames": b"".join(text(name, 11) for name in _SPECIES),
    "gSpeciesInfo": b"".join(species_info(*pair) for pair in _TYPES),
    "gMoveNames": text("-", 13) + text("TACKLE", 13) + text("SWIFT", 13),
    "gBattleMoves": bytes(12)
    + bytes((0, 35, 0, 95, 35)).ljust(12, b"\0")
    + bytes((0, 60, 0, 0, 20)).ljust(12, b"\0"),
    "gItems": text("????????", 14).ljust(44, b"\0") + text("MASTER BALL", 14).ljust(44, b"\0"),
    "gTypeEffectiveness": bytes((0, 5, 5, 10, 12, 20, 0xFE, 0xFE, 0, 0, 7, 0, 0xFF, 0xFF, 0)),
    "gTrainers": trainer(0, "") + trainer(3, "ROXANNE"),
    "gTrainerClassNames": text("PKMN TRAINER", 13) * 3 + text("LEADER", 13),
}


def test_all_tables_are_read_and_what_the_game_leaves_out_is_left_out() -> None:
    rom, profile = build({(0, 0): Drawn(["."])}, TABLES)
    tables = read_tables(rom, profile, FACTS)
    assert tables.SPECIES == {1: "MUDKIP", 3: "GEODUDE"}
    assert tables.SPECIES_TYPES == {1: (11,), 3: (5, 4)}
    assert tables.MOVES == {1: ("TACKLE", 0, 35, 95, 35), 2: ("SWIFT", 0, 60, 100, 20)}
    assert tables.ITEMS == {1: "MASTER BALL"}
    assert tables.TRAINERS == {1: (3, "ROXANNE")}
    assert tables.TRAINER_CLASSES[3] == "LEADER"


def test_what_only_foresight_changes_is_part_of_the_type_chart() -> None:
    """Normal against ghosts stands behind a mark, which Foresight would end the table at."""
    rom, profile = build({(0, 0): Drawn(["."])}, TABLES)
    chart = read_tables(rom, profile, FACTS).TYPE_CHART
    assert chart == {(0, 5): 0.5, (10, 12): 2.0, (0, 7): 0.0}


def test_names_of_maps_and_the_story_come_from_the_folder() -> None:
    rom, profile = build({(0, 0): Drawn(["."])})
    tables = read_tables(rom, profile, FACTS)
    assert tables.MAPS[0, 9] == "LITTLEROOT TOWN"
    assert tables.MAPS[11, 3] == "RUSTBORO GYM"
    assert tables.LANDMARKS[tables.MAP_LANDMARKS[24, 11]] == "PETALBURG WOODS"
    assert len(tables.MAPS) == 518
    assert tables.SPECIES == tables.MOVES == tables.ITEMS == tables.TYPE_CHART == {}


def test_a_table_that_the_image_ends_before_is_read_as_far_as_it_goes() -> None:
    rom, profile = build({(0, 0): Drawn(["."])}, {"gSpeciesNames": TABLES["gSpeciesNames"]})
    short = rom[: len(rom) - 12]
    assert read_tables(short, profile, FACTS).SPECIES == {1: "MUDKIP"}


@pytest.mark.parametrize("seed", range(20))
def test_no_content_of_the_tables_is_an_error(seed: int) -> None:
    dice = random.Random(seed)
    noise = {name: dice.randbytes(len(content)) for name, content in TABLES.items()}
    rom, profile = build({(0, 0): Drawn(["."])}, noise)
    tables = read_tables(rom, profile, FACTS)
    assert all(isinstance(name, str) for name in tables.SPECIES.values())
    assert all(kind in tables.TYPES for pair in tables.SPECIES_TYPES.values() for kind in pair)


def test_every_fact_names_maps_and_flags_that_there_are() -> None:
    rom, profile = build({(0, 0): Drawn(["."])})
    tables = read_tables(rom, profile, FACTS)
    for one in tables.MILESTONES:
        if one.place is not None:
            assert (one.place.group, one.place.number) in tables.MAPS
    assert len(set(tables.MAPS.values())) == len(tables.MAPS)
    assert set(tables.MAP_LANDMARKS.values()) <= set(tables.LANDMARKS)
    assert struct.calcsize("<H") * 0x85 == next(
        one.scene for one in tables.MILESTONES if one.key == "wally"
    )


def test_machines_teach_moves_to_whom_the_image_says() -> None:
    tables = {
        **TABLES,
        "sTMHMMoves": struct.pack("<3H", 2, 99, 1),
        "gTMHMLearnsets": struct.pack("<4Q", 0, 1, 4, 5),
    }
    rom, profile = build({(0, 0): Drawn(["."])}, tables)
    found = read_tables(rom, profile, FACTS)
    assert found.MACHINES == {289: "SWIFT", 291: "TACKLE"}
    learners = {"SWIFT": {1, 3}, "TACKLE": {2, 3}}
    assert learners == found.LEARNERS


def test_without_a_table_nobody_is_said_to_learn_nothing() -> None:
    rom, profile = build({(0, 0): Drawn(["."])}, {**TABLES, "sTMHMMoves": struct.pack("<H", 1)})
    found = read_tables(rom, profile, FACTS)
    assert (found.MACHINES, found.LEARNERS) == ({289: "TACKLE"}, {})
    assert found.WILD_LEVELS == {}


def test_wild_levels_are_those_of_the_practice_game() -> None:
    tables = load_game(NAME).tables
    expected: dict[str, tuple[int, int]] = {}
    for row in read_rows(Path(mosslight_advance.__file__).parent / "facts", "wild"):
        low, high = expected.get(row["map"], (100, 0))
        expected[row["map"]] = min(low, int(row["low"])), max(high, int(row["high"]))
    assert {tables.MAPS[key]: levels for key, levels in tables.WILD_LEVELS.items()} == expected
    assert expected


def test_wild_levels_end_where_the_image_says() -> None:
    creatures = struct.pack("<BBH", 5, 9, 1) + struct.pack("<BBH", 2, 3, 1) * 11
    headers = 3 * 20

    def table(address: int) -> bytes:
        info = address + headers + len(creatures)
        rows = (
            struct.pack("<BBxxI12x", 0, 17, info),
            struct.pack("<BBxxI12x", 0, 18, 0),
            struct.pack("<BBxxI12x", 0xFF, 0xFF, 0),
        )
        return b"".join(rows) + creatures + struct.pack("<II", 20, address + headers)

    _, placed = build({(0, 0): Drawn(["."])}, {"gWildMonHeaders": table(0)})
    content = table(placed.rom["gWildMonHeaders"])
    rom, profile = build({(0, 0): Drawn(["."])}, {"gWildMonHeaders": content})
    assert profile.rom == placed.rom
    assert read_tables(rom, profile, FACTS).WILD_LEVELS == {(0, 17): (2, 9)}
