import json
import struct
from dataclasses import replace

import numpy as np
import pytest

from engine.types import Bag, Facing, MapId, Place
from tests.engine.games.emerald.memory_image import PROFILE, MemoryImage, creature


def test_the_place_is_the_players(image: MemoryImage) -> None:
    assert image.reader().read().place == Place(
        MapId(0, 9), "LITTLEROOT TOWN", 2, 3, Facing.DOWN, "town", "LITTLEROOT", 3
    )


@pytest.mark.parametrize(
    ("number", "facing"),
    [(1, Facing.DOWN), (2, Facing.UP), (3, Facing.LEFT), (4, Facing.RIGHT)],
)
def test_the_player_looks_where_the_figure_does(
    image: MemoryImage, number: int, facing: Facing
) -> None:
    image.set("gPlayerAvatar", b"\5", 5)
    image.set_object(5, 2, 3, facing=number, is_player=True)
    assert image.reader().read().place.facing is facing


@pytest.mark.parametrize(
    ("kind", "name"),
    [(1, "town"), (2, "town"), (3, "route"), (4, "cave"), (6, "route"), (8, "indoor"),
     (7, "dungeon")],
)  # fmt: skip
def test_maps_have_an_environment(image: MemoryImage, kind: int, name: str) -> None:
    image.make_map(np.full((5, 6), 0x3000, np.uint16), kind=kind)
    assert image.reader().read().place.environment == name


@pytest.mark.parametrize("offset", [0, 4, 0x7C])
def test_everything_is_read_wherever_the_save_blocks_are(image: MemoryImage, offset: int) -> None:
    image.set_money(3000)
    image.save2(0x0E, struct.pack("<HBBB", 2, 3, 4, 30))
    image.fill_bag()
    reader = image.reader()
    first = reader.read()
    old = image.key
    image.place_save_blocks(offset, 0xA5A5_5A5A)
    image.fill_bag()
    assert old != image.key
    second = reader.read()
    assert first.money == second.money == 3000
    assert first.play_time_s == second.play_time_s == 2 * 3600 + 3 * 60 + 4.5
    assert second.bag is first.bag
    assert second.place is first.place
    assert second.event_flags is first.event_flags


def test_the_bag_has_five_pockets(image: MemoryImage) -> None:
    image.fill_bag()
    assert image.reader().read().bag == Bag(
        items=((13, 3), (4, 5)),
        balls=((4, 7),),
        key_items=(259,),
        machines=((289, 1),),
        berries=((133, 2),),
    )


@pytest.mark.parametrize(("amount", "money"), [(999_999, 999_999), (1_000_000, 0), (2**32 - 1, 0)])
def test_money_is_at_most_what_the_game_allows(image: MemoryImage, amount: int, money: int) -> None:
    image.set_money(amount)
    assert image.reader().read().money == money


def test_while_the_key_changes_money_and_bag_are_as_they_were(image: MemoryImage) -> None:
    image.fill_bag()
    image.set_money(500)
    reader = image.reader()
    known = reader.read()
    image.save2(0xAC, struct.pack("<I", image.key ^ 0x8000_1234))
    state = reader.read()
    assert (state.money, state.bag) == (500, known.bag)


def test_flags_badges_and_visits_are_read(image: MemoryImage) -> None:
    flags = bytearray(300)
    for flag in (0x51, 0x867, 0x86E, 0x86F, 0x870, 0x95F):
        flags[flag >> 3] |= 1 << (flag & 7)
    image.save1(0x1270, bytes(flags))
    state = image.reader().read()
    assert state.event_flags == bytes(flags)
    assert state.has_event(0x51)
    assert state.has_event(0x95F)
    assert state.badges == (0b1000_0001, 0)
    assert state.fly_points == (MapId(0, 9), MapId(0, 10))


def test_variables_are_words_but_for_those_that_count_steps(image: MemoryImage) -> None:
    values = [0] * 256
    values[0x50], values[0x21] = 3, 250
    for counter in (0x2B, 0x48, 0xE7, 0xF2, 0xF4):
        values[counter] = 4
    image.save1(0x139C, struct.pack("<256H", *values))
    state = image.reader().read()
    assert state.scenes[2 * 0x50 : 2 * 0x51] == b"\3\0"
    assert len(state.scenes) == 512
    assert sum(state.scenes) == 3
    assert state.repel_steps == 250


def _dex(*numbers: int) -> bytes:
    return sum(1 << number - 1 for number in numbers).to_bytes(52, "little")


def test_the_pokedex_is_counted(image: MemoryImage) -> None:
    image.save2(0x28, _dex(25, 74))
    image.save2(0x5C, _dex(1, 25, 74, 386))
    state = image.reader().read()
    assert (state.caught, state.seen) == (2, 4)
    assert state.has_caught(25)
    assert not state.has_caught(1)
    assert state.has_seen(1)


def test_the_pokedex_is_by_the_games_own_numbers(image: MemoryImage) -> None:
    numbers = [*range(1, 278), 400, 258]  # species 279 is national number 258
    table = image.add_rom(struct.pack(f"<{len(numbers)}H", *numbers))
    image.save2(0x28, _dex(258))
    name = "sSpeciesToNationalPokedexNum"
    profile = replace(PROFILE, rom={**PROFILE.rom, name: table}, sizes={name: 2 * len(numbers)})
    state = image.reader(profile).read()
    assert state.has_caught(279)
    assert not state.has_caught(258)
    assert state.caught == 1


def test_where_one_wakes_up_is_not_set_at_first(image: MemoryImage) -> None:
    assert image.reader().read().healing_place is None
    image.save1(0x1C, struct.pack("<bbbxhh", 0, 3, 0, 16, 39))
    assert image.reader().read().healing_place == MapId(0, 3)


def test_place_and_map_stay_while_a_map_is_loaded_or_fought_on(image: MemoryImage) -> None:
    reader = image.reader()
    known = reader.read()
    image.move(9, 9, 2)
    for callback in ("CB2_LoadMap", "BattleMainCB2", "CB2_BagMenuRun"):
        image.run("", callback)
        state = reader.read()
        assert state.place is known.place
        assert state.map is known.map


def test_another_reader_goes_on_from_what_one_saved(image: MemoryImage) -> None:
    image.set_object(1, 4, 2, index=3, sprite=17)
    image.set_party(creature(3))
    reader = image.reader()
    reader.read()
    saved = json.loads(json.dumps(reader.save()))
    image.run("", "CB2_LoadMap")
    image.move(0, 0, 4)
    later = image.reader()
    later.restore(saved)
    assert later.read() == reader.read()


def test_a_fresh_reader_is_saved_too() -> None:
    image = MemoryImage()
    saved = image.reader().save()
    later = image.reader()
    later.restore(saved)
    assert later.read() == image.reader().read()


def test_a_battle_is_where_the_step_led_that_began_it(image: MemoryImage) -> None:
    reader = image.reader()
    known = reader.read().place
    image.run("", "CB2_InitBattle")
    image.save1(0, struct.pack("<hhbb", 3, 3, *image.map))
    assert reader.read().place == replace(known, x=3)
    later = image.reader()
    later.restore(json.loads(json.dumps(reader.save())))
    assert later.read().place == replace(known, x=3)
    image.save1(0, struct.pack("<hhbb", 4, 3, 1, 0))
    assert reader.read().place == replace(known, x=3), "another map's tile"
