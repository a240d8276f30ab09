import struct
from dataclasses import replace

import numpy as np
import pytest

from engine.games.emerald.reader import EmeraldReader
from engine.types import (
    MAP_BORDER,
    Edge,
    Facing,
    MapId,
    MapObject,
    Terrain,
    TileKind,
    TurningGate,
    Warp,
)
from tests.engine.games.emerald.memory_image import FUNCTIONS, PROFILE, MemoryImage

_FLOOR, _GRASS, _SEA, _LEDGE, _DOOR = 0x3000, 0x3001, 0x1002, 0x3403, 0x3404


def _cells(width: int = 6, height: int = 5) -> np.ndarray:
    return np.full((height, width), _FLOOR, np.uint16)


def test_a_map_has_its_size_and_its_tiles(image: MemoryImage) -> None:
    cells = _cells()
    cells[0, 1], cells[2, 3], cells[3, 2], cells[4, 5] = _GRASS, _SEA, _LEDGE, 0x3400
    image.make_map(cells)
    view = image.reader().read().map
    assert (view.width, view.height) == (6, 5)
    assert view.terrain.shape == (5, 6)
    assert view.terrain[0, 1] == Terrain.WALKABLE | Terrain.GRASS
    assert view.terrain[2, 3] == Terrain.WATER
    assert view.terrain[2, 2] == Terrain.WALKABLE | Terrain.HOPS[Facing.DOWN]
    assert view.terrain[4, 5] == 0
    assert view.kinds[3, 2] == TileKind.LEDGE


def test_metatiles_of_the_second_tileset_have_its_behaviours(image: MemoryImage) -> None:
    cells = _cells()
    cells[1, 1] = 0x3000 | 512 + 6  # BEHAVIOURS turned round
    image.make_map(cells)
    assert image.reader().read().map.terrain[1, 1] & Terrain.GRASS


def test_the_border_holds_six_tiles_around_the_map(image: MemoryImage) -> None:
    image.make_map(_cells(), border=_GRASS)
    view = image.reader().read().map
    assert view.bordered.shape == (5 + 2 * MAP_BORDER, 6 + 2 * MAP_BORDER)
    own = view.bordered[MAP_BORDER:-MAP_BORDER, MAP_BORDER:-MAP_BORDER]
    assert (own == view.terrain).all()
    assert view.bordered[0, 0] == view.bordered[-1, -1] == Terrain.WALKABLE | Terrain.GRASS


def test_the_void_around_a_map_is_closed(image: MemoryImage) -> None:
    view = image.reader().read().map
    assert not view.bordered[: MAP_BORDER - 1].any()


def test_warps_lead_to_maps_by_name(image: MemoryImage) -> None:
    cells = _cells()
    cells[0, 2] = _DOOR
    image.make_map(cells, warps=[(2, 0, 1, 0, 1), (99, 0, 1, 0, 0)])
    view = image.reader().read().map
    assert view.warps == (Warp(2, 0, MapId(1, 0), 2, "HOUSE"),)
    assert view.terrain[0, 2] & Terrain.DOOR


def test_a_dynamic_warp_leads_where_the_save_block_says(image: MemoryImage) -> None:
    image.save1(0x14, bytes((0, 16)))
    image.make_map(_cells(), warps=[(1, 1, 127, 127, 0)])
    (warp,) = image.reader().read().map.warps
    assert warp == Warp(1, 1, MapId(0, 16), 255, "ROUTE 101")


def test_signs_answer_and_hidden_things_do_not(image: MemoryImage) -> None:
    image.make_map(_cells(), signs=[(1, 2, 0), (3, 1, 1), (4, 4, 7), (77, 0, 0)])
    assert image.reader().read().map.signs == ((1, 2), (3, 1))


def test_connections_have_sides_and_names(image: MemoryImage) -> None:
    image.make_map(_cells(), connections=[(2, 0, 0, 16), (4, 3, 0, 9), (5, 0, 0, 1)])
    view = image.reader().read().map
    assert view.connections == {"north", "east"}
    assert view.edges == (
        Edge("north", MapId(0, 16), "ROUTE 101"),
        Edge("east", MapId(0, 9), "LITTLEROOT TOWN"),
    )


def test_objects_stand_where_they_are_going(image: MemoryImage) -> None:
    image.set_object(1, 4, 2, index=3, sprite=17)
    image.set_object(2, 1, 1, index=4, is_hidden=True)
    image.set_object(3, 2, 2, index=5, place=(0, 16))
    image.set_object(4, 30, 2, index=6)
    assert image.reader().read().map.objects == (MapObject(3, 17, 4, 2, 3),)


def test_objects_move_on_an_unchanged_map(image: MemoryImage) -> None:
    reader = image.reader()
    image.set_object(1, 4, 2, index=3)
    first = reader.read().map
    image.set_object(1, 4, 3, index=3)
    second = reader.read().map
    assert second.objects == (MapObject(3, 0, 4, 3, 3),)
    assert second.terrain is first.terrain


def test_an_unchanged_map_is_the_same(image: MemoryImage) -> None:
    reader = image.reader()
    assert reader.read().map is reader.read().map


def test_a_changed_cell_changes_the_map(image: MemoryImage) -> None:
    reader = image.reader()
    reader.read()
    cells = _cells()
    cells[2, 2] = 0x3400
    bordered = np.full((5 + 14, 6 + 15), 0x3FF, np.uint16)
    bordered[7:12, 7:13] = cells
    image.set("sBackupMapData", bordered.tobytes())
    assert reader.read().map.terrain[2, 2] == 0


@pytest.mark.parametrize(
    ("size", "what"),
    [
        ((0, 0, 0x0203_2318), "no size"),
        ((-20, 30, 0x0203_2318), "a negative size"),
        ((300, 300, 0x0203_2318), "more cells than there is room for"),
        ((22, 19, 0x0203_2318), "another size than the layout's"),
        ((21, 19, 0), "no cells"),
        ((21, 19, 0x0203_FFFE), "cells beyond the end"),
    ],
)
def test_a_map_that_is_not_whole_is_as_it_was(
    image: MemoryImage, size: tuple[int, int, int], what: str
) -> None:
    reader = image.reader()
    known = reader.read().map
    image.set("gBackupMapLayout", struct.pack("<iiI", *size))
    assert reader.read().map is known, what


def test_a_header_of_another_map_is_not_read(image: MemoryImage) -> None:
    reader = image.reader()
    known = reader.read()
    image.map = (0, 16)
    image.move(1, 1, 2)
    assert reader.read().place == known.place


def test_a_map_without_events_and_connections_is_read(image: MemoryImage) -> None:
    header = bytearray(image.ewram[0x37318 : 0x37318 + 28].tobytes())
    header[4:16] = bytes(12)
    image.set("gMapHeader", bytes(header))
    profile = replace(PROFILE, rom=FUNCTIONS)  # without a list of maps nothing is compared
    view = image.reader(profile).read().map
    assert (view.width, view.height) == (6, 5)
    assert (view.warps, view.signs, view.edges) == ((), (), ())


def _list_people(image: MemoryImage, *people: tuple[int, int, int, int]) -> None:
    rows = (struct.pack("<BBxxhh12xHxx", one, 17, x, y, flag) for one, x, y, flag in people)
    image.save1(0xC70, b"".join(rows))


def test_who_is_far_away_is_beyond_what_stands_near(image: MemoryImage) -> None:
    _list_people(image, (1, 0, 0, 0), (2, 5, 4, 0x20), (3, 1, 1, 0x21), (4, 40, 0, 0))
    image.set_object(1, 4, 2, index=1, sprite=17)
    image.save1(0x1270 + 0x21 // 8, bytes((1 << 0x21 % 8,)))
    reader = image.reader()
    view = reader.read().map
    assert view.objects == (MapObject(1, 17, 4, 2, 3),)
    assert view.beyond == (MapObject(2, 17, 5, 4),)
    image.set_object(2, 5, 3, index=2, sprite=17, is_hidden=True)
    assert reader.read().map.beyond == ()
    image.save1(0x1270 + 0x21 // 8, b"\0")
    assert reader.read().map.beyond == (MapObject(3, 17, 1, 1),)


def test_who_is_far_away_is_saved(image: MemoryImage) -> None:
    _list_people(image, (2, 5, 4, 0))
    reader = image.reader()
    known, saved = reader.read(), reader.save()
    image.run("", "CB2_LoadMap")
    later = image.reader()
    later.restore(saved)
    assert later.read().map == known.map
    older = image.reader()
    older.restore({**saved, "map": saved["map"][:3]})
    assert older.read().map == replace(known.map, beyond=())


def _with_gates(image: MemoryImage, turned: bytes, number: int = 1) -> EmeraldReader:
    """Return a reader of an image with two gates on map 12.1, and a third of no known shape."""
    image.map = (12, number)
    image.make_map(_cells())
    image.move(2, 3, 1)
    image.save1(0x139C, turned)
    tables = {
        "sRotatingGate_FortreePuzzleConfig": struct.pack(
            "<hhBB2xhhBB2xhhBB2x", *(2, 1, 0, 0), *(4, 3, 1, 1), *(3, 3, 9, 0)
        ),
        "sRotatingGate_ArmLayout": bytes((1, 0, 1, 0, 0, 0, 0, 0, 1, 1, 1, 0, 1, 0, 0, 0)),
    }
    rom = {name: image.add_rom(data) for name, data in tables.items()}
    sizes = {name: len(data) for name, data in tables.items()}
    return image.reader(replace(PROFILE, rom={**PROFILE.rom, **rom}, sizes=sizes))


def test_gates_stand_as_the_first_variables_say(image: MemoryImage) -> None:
    reader = _with_gates(image, bytes((0, 1, 0)))
    first = reader.read().map
    assert first.turning_gates == (
        TurningGate(2, 1, (1, 1, 0, 0)),
        TurningGate(4, 3, (0, 2, 1, 1)),
    )
    image.save1(0x139C, bytes((3, 1, 0)))
    second = reader.read().map
    assert second.turning_gates[0] == TurningGate(2, 1, (1, 0, 0, 1), is_turned=True)
    assert second.turning_gates[1] == first.turning_gates[1]
    assert second.terrain is first.terrain


def test_other_maps_and_images_have_no_gates(image: MemoryImage) -> None:
    assert _with_gates(image, b"\1\1\1", number=2).read().map.turning_gates == ()
    image.map = (12, 1)
    image.make_map(_cells())
    image.move(2, 3, 1)
    assert image.reader().read().map.turning_gates == ()


def test_gates_are_saved(image: MemoryImage) -> None:
    reader = _with_gates(image, bytes((2, 0)))
    known, saved = reader.read().map, reader.save()
    image.run("", "CB2_LoadMap")
    later = image.reader()
    later.restore(saved)
    assert later.read().map == known
    assert later.save() == saved
    later.restore({**saved, "map": saved["map"][:4]})
    assert later.read().map == replace(known, turning_gates=())
