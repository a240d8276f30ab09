"""Place, map and control are read right, and nothing of a half-loaded map leaks out."""

import numpy as np
import pytest

from engine.games.crystal.maps import TERRAIN
from engine.games.crystal.reader import CrystalReader
from engine.types import Edge, Facing, MapId, Prompt, Terrain
from tests.engine.fakes import MemoryMachine
from tests.engine.games.images import (
    CRYSTAL,
    PRACTICE,
    draw_box,
    letters,
    put_battle,
    put_cursor,
    put_map,
    read,
    write_row,
)


def put_rows(machine: MemoryMachine) -> None:
    """Put people at (4, 1) into rows 1 to 6 of the map's table, all but one out of sight."""
    any_time, night, day = (0xFF, 0xFF), (0xFF, 4), (0xFF, 2)
    rows = ((0xFF, any_time), (1, any_time), (0xFF, any_time), (0xFF, any_time), (0xFF, night),
            (0xFF, day))  # fmt: skip
    for index, (struct, hours) in enumerate(rows, 1):
        sprite = 0 if index == 4 else 29 + index
        machine.put("wMapObjects", struct, sprite, 1 + 4, 4 + 4, 6, 0, *hours, offset=16 * index)
    machine.put("wObjectMasks", 0xFF, offset=3)


class TestPlace:
    def test_position_facing_and_names(self, machine: MemoryMachine) -> None:
        machine.put("wPlayerDirection", 12)
        machine.put("wEnvironment", 2)
        place = read(machine).place
        assert (place.map, place.x, place.y) == (MapId(24, 3), 1, 2)
        assert (place.facing, place.environment) == (Facing.RIGHT, "route")
        assert (place.name, place.landmark) == ("ROUTE 29", "ROUTE 29")

    def test_only_bits_2_and_3_of_the_direction_count(self, machine: MemoryMachine) -> None:
        machine.put("wPlayerDirection", 0xF7)
        assert read(machine).place.facing is Facing.UP

    @pytest.mark.parametrize(
        ("value", "kind"),
        [(1, "town"), (3, "indoor"), (4, "cave"), (6, "gate"), (7, "dungeon"), (200, "indoor")],
    )
    def test_environment(self, machine: MemoryMachine, value: int, kind: str) -> None:
        machine.put("wEnvironment", value)
        assert read(machine).place.environment == kind

    def test_house_stands_in_its_town(self, machine: MemoryMachine) -> None:
        machine.put("wMapGroup", 24, 5)
        place = read(machine).place
        assert (place.name, place.landmark) == ("ELMS LAB", "NEW BARK TOWN")

    def test_practice_game_has_landmarks_too(self, machine: MemoryMachine) -> None:
        machine.put("wMapGroup", 40, 8)
        place = CrystalReader(machine, PRACTICE).read().place
        assert (place.name, place.landmark) == ("CENTER", "STONEHOLLOW")

    def test_unknown_map_is_named_by_its_numbers(self, machine: MemoryMachine) -> None:
        machine.put("wMapGroup", 99, 7)
        assert read(machine).place.name == "map 99.7"

    def test_before_a_game_runs_the_place_is_nowhere(self, machine: MemoryMachine) -> None:
        machine.put("wGameTimerPaused", 0)
        state = read(machine)
        assert (state.place.map, state.place.name) == (MapId(0, 0), "nowhere")
        assert not state.control.in_game
        assert state.map.width == 0

    def test_the_titles_menu_is_read_after_the_credits(self, machine: MemoryMachine) -> None:
        machine.put("wGameTimerPaused", 0)
        draw_box(machine, 0, 0, 15, 8)
        for row, text in enumerate(("CONTINUE", "NEW GAME", "OPTION")):
            write_row(machine, 2, 2 + 2 * row, *letters(text))
        put_cursor(machine, 1, 2)
        machine.put("wMenuCursorY", 1, 1)
        assert read(machine).screen_text == ("▶CONTINUE", "NEW GAME", "OPTION")


class TestTransitions:
    """The last settled place and map are kept."""

    @pytest.mark.parametrize(
        ("symbol", "values"),
        [
            ("wXCoord", (255,)),  # over the west edge
            ("wYCoord", (255,)),  # over the north edge
            ("wXCoord", (6,)),  # over the east edge: the map's size
            ("wYCoord", (4,)),
            ("wMapStatus", (1,)),
            ("wMapStatus", (0,)),
            ("wMapStatus", (3,)),
            ("wMapHeight", (0, 0)),
            ("wMapHeight", (200, 200)),
            ("wMapGroup", (0,)),
            ("wGameTimerPaused", (0,)),
        ],
    )
    def test_settled_place_is_kept_while(
        self, machine, reader, symbol: str, values: tuple[int, ...]
    ) -> None:
        before = reader.read()
        machine.put("wPlayerDirection", 4)
        machine.put(symbol, *values)
        state = reader.read()
        assert state.control.in_transition
        assert not state.control.is_free
        assert state.place is before.place
        assert state.map is before.map

    def test_half_loaded_map_does_not_show(self, machine, reader) -> None:
        before = reader.read()
        machine.put("wMapStatus", 1)
        machine.put("wMapGroup", 24, 4)
        assert reader.read().place is before.place
        machine.put("wYCoord", 0, 0)
        assert reader.read().place is before.place
        machine.put("wMapStatus", 2)
        after = reader.read().place
        assert (after.name, after.x, after.y) == ("NEW BARK TOWN", 0, 0)

    def test_place_and_map_change_together_in_a_scripted_arrival(self, machine, reader) -> None:
        reader.read()
        machine.put("wMapGroup", 24, 4)
        machine.put("wMapHeight", 3, 4)
        machine.put("wYCoord", 5, 7)
        machine.put("wMapEventStatus", 1)  # the forced step out of a door
        state = reader.read()
        assert not state.control.is_free
        assert state.place.name == "NEW BARK TOWN"
        assert (state.map.width, state.map.height) == (8, 6)

    def test_place_is_known_at_once_in_a_state_that_starts_in_battle(
        self, machine: MemoryMachine
    ) -> None:
        put_battle(machine)
        state = read(machine)
        assert state.place.name == "ROUTE 29"
        assert state.map.width == 0

    def test_saved_place_outlives_a_transition(self, machine, reader) -> None:
        before = reader.read()
        machine.put("wMapStatus", 1)
        machine.put("wMapGroup", 1, 1)
        other = CrystalReader(machine, CRYSTAL)
        other.restore(reader.save())
        assert other.read().place == before.place


class TestMap:
    def test_collision_is_looked_up_by_block_and_quarter(self, machine: MemoryMachine) -> None:
        view = read(machine).map
        assert (view.width, view.height) == (6, 4)
        assert view.terrain[0:2, 2:4].tolist() == [
            list(TERRAIN[[0x18, 0x71]]),
            list(TERRAIN[[0x70, 0x29]]),
        ]
        assert (view.terrain[2:] == TERRAIN[0]).all()
        assert not view.terrain.flags.writeable

    def test_water_beside_the_cycling_road_is_a_wall(self, machine: MemoryMachine) -> None:
        for number, water in ((2, Terrain.WATER), (3, 0)):
            put_map(machine, 21, number)
            terrain = read(machine).map.terrain
            assert terrain[1, 3] == water
            assert terrain[0, 0] & Terrain.WALKABLE

    def test_border_is_kept_around_the_map(self, machine: MemoryMachine) -> None:
        view = read(machine).map
        assert view.bordered.shape == (4 + 12, 6 + 12)
        assert np.array_equal(view.bordered[6:10, 6:12], view.terrain)
        assert (view.bordered[:6] == TERRAIN[7]).all()

    def test_warps_and_signs_come_from_rom_where_they_are_on_the_map(
        self, machine: MemoryMachine
    ) -> None:
        view = read(machine).map
        first, second = view.warps
        assert (first.x, first.y, first.index, first.target) == (1, 3, 2, MapId(24, 4))
        assert first.name == "NEW BARK TOWN"
        assert (second.index, second.target) == (255, MapId(20, 1))
        assert view.signs == ((3, 1),)

    def test_warp_255_leads_back_to_where_one_came_from(self, machine: MemoryMachine) -> None:
        machine.put("wBackupMapGroup", 26, 5)
        first, second = read(machine).map.warps
        assert first.target == MapId(24, 4)
        assert (second.target, second.name) == (MapId(26, 5), "CHERRYGROVE POKECENTER 1F")

    def test_objects_without_sprite_or_off_the_map_are_absent(self, machine: MemoryMachine) -> None:
        for slot, (sprite, index, x, y) in enumerate(
            [(0, 1, 2, 2), (5, 2, 4, 1), (6, 3, 6, 1), (7, 4, -1, 0)]
        ):
            machine.put("wObject1Struct", sprite, index, offset=40 * slot)
            machine.put("wObject1Struct", x + 4, y + 4, offset=40 * slot + 16)
        (person,) = read(machine).map.objects
        assert (person.index, person.sprite, person.x, person.y) == (2, 5, 4, 1)

    def test_who_is_out_of_sight_stands_on_the_tile_of_the_maps_table(
        self, machine: MemoryMachine
    ) -> None:
        put_rows(machine)
        machine.put("wTimeOfDay", 1)
        view = read(machine).map
        assert [(one.index, one.sprite, one.x, one.y) for one in view.beyond] == [
            (1, 30, 4, 1), (6, 35, 4, 1),
        ]  # fmt: skip
        assert view.objects == ()

    def test_who_comes_at_night_is_there_at_night(self, machine: MemoryMachine) -> None:
        put_rows(machine)
        machine.put("wTimeOfDay", 2)
        assert [one.index for one in read(machine).map.beyond] == [1, 5]

    def test_people_out_of_sight_are_kept_by_a_saved_reader(self, machine, reader) -> None:
        put_rows(machine)
        before = reader.read().map.beyond
        machine.put("wBattleMode", 1)
        machine.put("wObjectMasks", *[0xFF] * 16)
        reader.read()
        other, old = CrystalReader(machine, CRYSTAL), CrystalReader(machine, CRYSTAL)
        other.restore(reader.save())
        old.restore(reader.save()[:5])
        assert other.read().map.beyond == before != ()
        assert other.save() == reader.save()
        assert old.read().map.beyond == ()

    def test_connections_and_where_they_lead(self, machine: MemoryMachine) -> None:
        machine.put("wMapConnections", 0b1101)
        machine.put("wNorthMapConnection", 26, 1)
        machine.put("wSouthMapConnection", 0xFF, 0)
        machine.put("wWestMapConnection", 24, 4)
        view = read(machine).map
        assert view.connections == {"north", "south", "east"}
        assert view.edges == (Edge("north", MapId(26, 1), "ROUTE 30"),)

    @pytest.mark.parametrize("covering", ["wBattleMode", "wWindowStackSize"])
    def test_map_survives_what_overwrites_the_blocks(self, machine, reader, covering: str) -> None:
        before = reader.read().map
        machine.put(covering, 2)
        machine.put("wOverworldMapBlocks", *[9] * 100)
        assert reader.read().map is before

    def test_changed_block_is_seen_after_the_script(self, machine, reader) -> None:
        reader.read()
        machine.put("wScriptRunning", 255)
        machine.put("wOverworldMapBlocks", 0, offset=9 * 3 + 3)
        reader.read()
        machine.put("wScriptRunning", 0)
        assert (reader.read().map.terrain[0:2, 0:2] == TERRAIN[7]).all()

    def test_unchanged_map_is_the_same_object(self, machine, reader) -> None:
        assert reader.read().map is reader.read().map

    def test_saved_reader_goes_on_alike(self, machine, reader) -> None:
        machine.put("wObject1Struct", 5, 2)
        machine.put("wObject1Struct", 4, 4, offset=16)
        before = reader.read()
        machine.put("wBattleMode", 1)
        reader.read()
        other = CrystalReader(machine, CRYSTAL)
        other.restore(reader.save())
        view = other.read().map
        assert np.array_equal(view.terrain, before.map.terrain)
        assert view.objects == before.map.objects != ()
        assert view.warps == before.map.warps

    def test_reader_that_never_saw_a_map_saves_and_restores(self, machine, reader) -> None:
        machine.put("wMapStatus", 1)
        reader.read()
        other = CrystalReader(machine, CRYSTAL)
        other.restore(reader.save())
        assert other.read().place.name == "nowhere"


class TestControl:
    @pytest.mark.parametrize(
        ("scrolled", "row", "item"), [(0, 1, 191), (0, 3, 243), (1, 2, 243), (2, 2, 0xFF)]
    )
    def test_the_machine_pocket_selects_the_machine_under_the_cursor(
        self, machine: MemoryMachine, scrolled: int, row: int, item: int
    ) -> None:
        """Of TM01, TM08 and HM01; wMenuSelection still holds the last key item."""
        for number in (0, 7, 50):
            machine.put("wTMsHMs", 1, offset=number)
        machine.put("wScriptRunning", 255)
        machine.put("wWindowStackSize", 1)
        machine.put("w2DMenuNumRows", 5, 1)
        machine.put("wMenuSelection", 58)
        machine.put("wCurPocket", 3)
        machine.put("wTMHMPocketScrollPosition", scrolled)
        machine.put("wMenuCursorY", row, 1)
        put_cursor(machine, 7, 2 * row)
        control = read(machine).control
        assert (control.prompt, control.pocket, control.selection) == (Prompt.MENU, 3, item)
        machine.put("wCurPocket", 2)
        assert read(machine).control.selection == 58

    def test_player_at_rest_is_free(self, machine: MemoryMachine) -> None:
        control = read(machine).control
        assert control.is_free
        assert control.in_game
        assert not any((control.in_text, control.in_menu, control.is_scripted))
        assert not control.in_transition

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

    @pytest.mark.parametrize(("paused", "is_running"), [(0, False), (1, True), (0xFE, False)])
    def test_timer_paused_means_counting(
        self, machine: MemoryMachine, paused: int, is_running: bool
    ) -> None:
        """The symbol's name is inverted: bit 0 is set while a game runs."""
        machine.put("wGameTimerPaused", paused)
        assert read(machine).control.in_game is is_running

    def test_menu_gives_its_cursor(self, machine: MemoryMachine) -> None:
        machine.put("wScriptRunning", 255)
        machine.put("wMenuCursorY", 2, 1)
        machine.put("w2DMenuNumRows", 7, 1)
        assert not read(machine).control.in_menu
        put_cursor(machine, 11, 4)
        control = read(machine).control
        assert control.in_menu
        assert (control.cursor, control.menu_size) == ((2, 1), (7, 1))

    def test_no_cursor_while_free(self, machine: MemoryMachine) -> None:
        machine.put("wMenuCursorY", 2, 1)
        control = read(machine).control
        assert not control.in_menu
        assert control.cursor == (0, 0)

    def test_text_box_counts_though_it_is_no_window(self, machine: MemoryMachine) -> None:
        machine.put("wScriptRunning", 255)
        machine.put("wWindowStackSize", 0)
        machine.put("wTextDelayFrames", 4)
        draw_box(machine, 0, 12, 20, 6)
        assert read(machine).control.in_text
        machine.put("wMenuCursorY", 1)
        put_cursor(machine, 15, 8)
        assert not read(machine).control.in_text

    def test_blinking_arrow_changes_nothing(self, machine: MemoryMachine) -> None:
        machine.put("wScriptRunning", 255)
        machine.put("wTextDelayFrames", 4)
        draw_box(machine, 0, 12, 20, 6)
        without = read(machine)
        write_row(machine, 18, 17, 0xEE)
        shown = read(machine)
        assert shown.control == without.control
        assert shown.screen_text == without.screen_text == ()
