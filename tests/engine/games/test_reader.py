import importlib

import numpy as np
import pytest

from engine.games.crystal.charmap import CHARMAP
from engine.games.crystal.reader import CrystalReader
from engine.games.profile import GameProfile
from engine.types import BattleKind, Facing, GameState, MapId
from tests.engine.fakes import MemoryMachine

PROFILE = GameProfile("0" * 40, "TEST", "test", "engine.games.crystal.crystal_tables")
CODES = {text: code for code, text in CHARMAP.items()}
BANK, TABLE, WARPS, SIGNS = 1, 0x5000, 0x6000, 0x6100


def rom_with_tables() -> bytes:
    rom = bytearray(0x8000)
    # Block 0 is all wall, block 1 floor, block 2 has a different id in each quarter.
    rom[0x5000:0x500C] = bytes([7] * 4 + [0] * 4 + [0x18, 0x71, 0x70, 0x29])
    rom[0x6000:0x600A] = bytes([3, 1, 2, 24, 4, 0, 0, 255, 10, 2])
    rom[0x6100:0x6105] = bytes([1, 3, 0, 0, 0])
    return bytes(rom)


@pytest.fixture
def machine() -> MemoryMachine:
    machine = MemoryMachine(rom_with_tables())
    machine.put("wGameTimerPaused", 1)
    machine.put("wMapStatus", 2)
    machine.put("wPlayerWalking", 255)
    machine.put("wMapGroup", 24, 3)
    machine.put("wYCoord", 2, 1)  # then wXCoord
    machine.put("wMapHeight", 2, 3)  # then wMapWidth
    machine.put("wTilesetCollisionBank", BANK, TABLE & 0xFF, TABLE >> 8)
    machine.put("wMapScriptsBank", BANK)
    machine.put("wCurMapWarpEventCount", 2, WARPS & 0xFF, WARPS >> 8)
    machine.put("wCurMapBGEventCount", 1, SIGNS & 0xFF, SIGNS >> 8)
    blocks = np.zeros((2 + 6, 3 + 6), np.uint8)
    blocks[3:5, 3:6] = 1
    blocks[3, 4] = 2
    machine.put("wOverworldMapBlocks", *blocks.ravel().tolist())
    return machine


def read(machine: MemoryMachine) -> GameState:
    return CrystalReader(machine, PROFILE).read()


def write_row(machine: MemoryMachine, x: int, y: int, *codes: int) -> None:
    machine.put("wTilemap", *codes, offset=20 * y + x)


def draw_box(machine: MemoryMachine, x: int, y: int, width: int, height: int) -> None:
    write_row(machine, x, y, 0x79, *[0x7A] * (width - 2), 0x7B)
    for row in range(y + 1, y + height - 1):
        write_row(machine, x, row, 0x7C, *[0x7F] * (width - 2), 0x7C)
    write_row(machine, x, y + height - 1, 0x7D, *[0x7A] * (width - 2), 0x7E)


def letters(text: str) -> list[int]:
    return [CODES[letter] for letter in text]


def creature_struct(hp: int = 20) -> list[int]:
    raw = [0] * 48
    raw[0:6] = [155, 3, 33, 43, 0, 0]
    raw[8:11] = [0, 1, 4]
    raw[23:25] = [0xC0 | 35, 30]
    raw[31:33] = [5, 0x08]
    raw[34:38] = [0, hp, 1, 20]
    return raw


class TestPlace:
    def test_position_facing_and_names(self, machine: MemoryMachine) -> None:
        machine.put("wPlayerDirection", 12)
        machine.put("wEnvironment", 2)
        place = read(machine).place
        assert (place.map, place.x, place.y) == (MapId(24, 3), 1, 2)
        assert (place.facing, place.environment) == (Facing.RIGHT, "route")
        assert place.name == "ROUTE 29"

    def test_unknown_map_is_named_by_its_numbers(self, machine: MemoryMachine) -> None:
        machine.put("wMapGroup", 99, 7)
        assert read(machine).place.name == "map 99.7"


class TestMap:
    def test_collision_is_looked_up_by_block_and_quarter(self, machine: MemoryMachine) -> None:
        view = read(machine).map
        assert (view.width, view.height) == (6, 4)
        assert view.collision[0:2, 2:4].tolist() == [[0x18, 0x71], [0x70, 0x29]]
        assert not view.collision[2:].any()
        assert not view.collision.flags.writeable

    def test_border_is_kept_around_the_map(self, machine: MemoryMachine) -> None:
        view = read(machine).map
        assert view.bordered is not None
        assert view.bordered.shape == (4 + 12, 6 + 12)
        assert np.array_equal(view.bordered[6:10, 6:12], view.collision)
        assert (view.bordered[:6] == 7).all()

    def test_warps_and_signs_come_from_rom(self, machine: MemoryMachine) -> None:
        view = read(machine).map
        first, second = view.warps
        assert (first.x, first.y, first.index, first.target) == (1, 3, 2, MapId(24, 4))
        assert (second.index, second.target) == (255, MapId(10, 2))
        assert view.signs == ((3, 1),)

    def test_objects_without_sprite_are_absent(self, machine: MemoryMachine) -> None:
        machine.put("wObject1Struct", 5, 2, offset=40)
        machine.put("wObject1Struct", 4 + 4, 4 + 1, offset=40 + 16)
        (person,) = read(machine).map.objects
        assert (person.index, person.sprite, person.x, person.y) == (2, 5, 4, 1)

    def test_connections(self, machine: MemoryMachine) -> None:
        machine.put("wMapConnections", 0b1001)
        assert read(machine).map.connections == {"north", "east"}

    def test_map_survives_a_battle_that_overwrites_the_blocks(self, machine: MemoryMachine) -> None:
        reader = CrystalReader(machine, PROFILE)
        before = reader.read().map
        machine.put("wBattleMode", 1)
        machine.put("wOverworldMapBlocks", *[9] * 100)
        assert reader.read().map is before

    def test_changed_block_is_seen_after_the_script(self, machine: MemoryMachine) -> None:
        reader = CrystalReader(machine, PROFILE)
        reader.read()
        machine.put("wScriptRunning", 255)
        machine.put("wOverworldMapBlocks", 0, offset=9 * 3 + 3)
        reader.read()
        machine.put("wScriptRunning", 0)
        assert (reader.read().map.collision[0:2, 0:2] == 7).all()

    def test_saved_reader_goes_on_alike(self, machine: MemoryMachine) -> None:
        machine.put("wObject1Struct", 5, 2)
        reader = CrystalReader(machine, PROFILE)
        before = reader.read()
        machine.put("wBattleMode", 1)
        reader.read()
        other = CrystalReader(machine, PROFILE)
        other.restore(reader.save())
        view = other.read().map
        assert np.array_equal(view.collision, before.map.collision)
        assert (view.objects, view.warps) == (before.map.objects, before.map.warps)


class TestControl:
    def test_player_at_rest_is_free(self, machine: MemoryMachine) -> None:
        control = read(machine).control
        assert control.is_free
        assert control.in_game
        assert not any((control.in_text, control.in_menu, control.is_scripted))

    @pytest.mark.parametrize(
        ("symbol", "value"),
        [
            ("wBattleMode", 1),
            ("wScriptRunning", 255),
            ("wMapEventStatus", 1),
            ("wWindowStackSize", 1),
            ("wPlayerWalking", 5),
            ("wMapStatus", 1),
            ("wXCoord", 255),
            ("wGameTimerPaused", 0),
        ],
    )
    def test_not_free_while(self, machine: MemoryMachine, symbol: str, value: int) -> None:
        machine.put(symbol, value)
        assert not read(machine).control.is_free

    def test_menu_gives_its_cursor(self, machine: MemoryMachine) -> None:
        machine.put("wScriptRunning", 255)
        machine.put("wMenuCursorY", 2, 1)
        machine.put("w2DMenuNumRows", 7, 1)
        control = read(machine).control
        assert control.in_menu
        assert (control.cursor, control.menu_size) == ((2, 1), (7, 1))

    def test_text_box_without_menu_waits(self, machine: MemoryMachine) -> None:
        machine.put("wScriptRunning", 255)
        draw_box(machine, 0, 12, 20, 6)
        assert read(machine).control.in_text
        machine.put("wMenuCursorY", 1)
        assert not read(machine).control.in_text


class TestText:
    def test_only_what_is_inside_boxes_is_read(self, machine: MemoryMachine) -> None:
        write_row(machine, 2, 2, *letters("PICTURE"))
        draw_box(machine, 0, 12, 20, 6)
        write_row(machine, 1, 14, *letters("Hello, you"))
        write_row(machine, 1, 16, *letters("there!"), 0x7F)
        assert read(machine).screen_text == ("Hello, you", "there!")

    def test_box_over_a_box(self, machine: MemoryMachine) -> None:
        draw_box(machine, 0, 12, 20, 6)
        write_row(machine, 1, 14, *letters("Take it?"))
        draw_box(machine, 14, 13, 6, 5)
        write_row(machine, 15, 14, 0xED, *letters("YES"))
        write_row(machine, 16, 16, *letters("NO"))
        assert read(machine).screen_text == ("Take it?", "▶YES", "NO")


class TestFigures:
    def test_money_is_big_endian_binary(self, machine: MemoryMachine) -> None:
        machine.put("wMoney", 0x01, 0xE2, 0x40)
        assert read(machine).money == 123456

    def test_play_time(self, machine: MemoryMachine) -> None:
        machine.put("wGameTimeHours", 1, 2, 3, 4, 30)
        assert read(machine).play_time_s == 258 * 3600 + 3 * 60 + 4.5

    def test_badges_events_and_pokedex(self, machine: MemoryMachine) -> None:
        machine.put("wJohtoBadges", 0b101, 0b10)
        machine.put("wEventFlags", 0b100, offset=3)
        machine.put("wPokedexCaught", 0b100, offset=19)
        machine.put("wPokedexSeen", 0xFF)
        state = read(machine)
        assert state.badges == (5, 2)
        assert state.badge_count == 3
        assert state.has_event(26)
        assert not state.has_event(27)
        assert (state.caught, state.seen) == (1, 8)

    def test_bag_pockets(self, machine: MemoryMachine) -> None:
        machine.put("wNumItems", 2, 18, 3, 9, 1, 255)
        machine.put("wNumKeyItems", 1, 69, 255)
        machine.put("wNumBalls", 1, 5, 4, 255)
        bag = read(machine).bag
        assert bag.items == ((18, 3), (9, 1))
        assert bag.balls == ((5, 4),)
        assert bag.key_items == (69,)


class TestParty:
    def test_party_creature(self, machine: MemoryMachine) -> None:
        machine.put("wPartyCount", 1, 155, 255)
        machine.put("wPartyMon1", *creature_struct())
        (own,) = read(machine).party
        assert (own.species, own.name, own.level) == (155, "CYNDAQUIL", 5)
        assert (own.hp, own.max_hp, own.status, own.held_item) == (20, 276, "poison", 3)
        assert own.experience == 260
        assert [(move.id, move.name, move.points) for move in own.moves] == [
            (33, "TACKLE", 35),
            (43, "LEER", 30),
        ]

    def test_unchanged_party_is_the_same_object(self, machine: MemoryMachine) -> None:
        machine.put("wPartyCount", 1, 155, 255)
        machine.put("wPartyMon1", *creature_struct())
        reader = CrystalReader(machine, PROFILE)
        assert reader.read().party is reader.read().party
        machine.put("wPartyMon1", *creature_struct(hp=19))
        assert reader.read().party[0].hp == 19

    def test_nonsense_count_is_cut_to_six(self, machine: MemoryMachine) -> None:
        machine.put("wPartyCount", 200)
        assert len(read(machine).party) == 6


class TestBattle:
    def put_sides(self, machine: MemoryMachine) -> None:
        machine.put("wBattleMonSpecies", *[155, 0, 33, 0, 0, 0, 0, 0, 35, 0, 0, 0, 70, 5, 0, 0])
        machine.put("wBattleMonHP", 0, 17, 0, 20)
        machine.put("wEnemyMonSpecies", *[161, 0, 33, 0, 0, 0, 0, 0, 35, 0, 0, 0, 70, 2, 0x03, 0])
        machine.put("wEnemyMonHP", 0, 8, 0, 13)
        machine.put("wEnemyMonType1", 0, 2)

    def test_no_battle(self, machine: MemoryMachine) -> None:
        self.put_sides(machine)
        assert read(machine).battle is None

    def test_wild_battle(self, machine: MemoryMachine) -> None:
        self.put_sides(machine)
        machine.put("wBattleMode", 1)
        battle = read(machine).battle
        assert battle is not None
        assert battle.own is not None
        assert battle.enemy is not None
        assert (battle.kind, battle.trainer_class) == (BattleKind.WILD, 0)
        assert (battle.own.hp, battle.own.max_hp, battle.own.moves[0].points) == (17, 20, 35)
        assert (battle.enemy.name, battle.enemy.level) == ("SENTRET", 2)
        assert (battle.enemy.hp, battle.enemy.status, battle.enemy.types) == (8, "sleep", (0, 2))

    def test_stale_enemy_is_hidden_until_both_are_sent_out(self, machine: MemoryMachine) -> None:
        self.put_sides(machine)
        machine.put("wBattleMode", 2, 0, 9, 1, 3)
        machine.put("wBattleMonSpecies", 0)
        battle = read(machine).battle
        assert battle is not None
        assert (battle.kind, battle.trainer_class, battle.trainer_id) == (BattleKind.TRAINER, 9, 3)
        assert battle.own is None
        assert battle.enemy is None


def test_milestones_have_a_known_kind_and_value() -> None:
    for key, text, kind, value in importlib.import_module(PROFILE.tables_module).MILESTONES:
        assert key
        assert text
        assert kind in {"map", "event", "party", "level", "badge"}
        assert (kind == "map") == isinstance(value, tuple)
