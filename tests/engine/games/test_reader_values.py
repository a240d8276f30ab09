"""Text, figures, bag, party and battle are read right."""

from dataclasses import replace

import pytest

from engine.games.crystal.reader import CrystalReader
from engine.types import BattleKind, MapId, Move
from tests.engine.fakes import MemoryMachine
from tests.engine.games.images import (
    CRYSTAL,
    PRACTICE,
    STATS,
    battle_struct,
    draw_box,
    letters,
    party_struct,
    put_battle,
    put_party,
    read,
    write_row,
)


class TestText:
    def test_only_what_is_inside_boxes_is_read(self, machine: MemoryMachine) -> None:
        write_row(machine, 2, 2, *letters("PICTURE"))
        draw_box(machine, 0, 12, 20, 6)
        write_row(machine, 1, 14, *letters("Hello, you"))
        write_row(machine, 1, 16, *letters("there!"), 0x7F)
        assert read(machine).screen_text == ("Hello, you", "there!")

    def test_picture_alone_is_no_text(self, machine: MemoryMachine) -> None:
        write_row(machine, 0, 3, 0x7C, *range(0x80, 0x90), 0x7C)
        assert read(machine).screen_text == ()

    def test_box_over_a_box(self, machine: MemoryMachine) -> None:
        draw_box(machine, 0, 12, 20, 6)
        write_row(machine, 1, 14, *letters("Take it?"))
        draw_box(machine, 14, 13, 6, 5)
        write_row(machine, 15, 14, 0xED, *letters("YES"))
        write_row(machine, 16, 16, *letters("NO"))
        assert read(machine).screen_text == ("Take it?", "▶YES", "NO")

    def test_box_inside_a_box(self, machine: MemoryMachine) -> None:
        draw_box(machine, 0, 0, 20, 10)
        draw_box(machine, 3, 1, 5, 4)
        write_row(machine, 4, 2, *letters("IN"))
        write_row(machine, 10, 2, *letters("OUT"))
        assert read(machine).screen_text == ("IN", "OUT")

    def test_signs_for_two_letters_are_read_as_spaces(self, machine: MemoryMachine) -> None:
        draw_box(machine, 10, 0, 10, 6)
        write_row(machine, 11, 2, 0xED, 0x70, 0x71, *letters("GEAR"))
        write_row(machine, 12, 4, 0x70, 0x71, *letters("GEAR"))
        assert read(machine).screen_text == ("▶  GEAR", "GEAR")

    def test_picture_between_two_boxes_is_not_read(self, machine: MemoryMachine) -> None:
        draw_box(machine, 0, 0, 6, 5)
        draw_box(machine, 14, 1, 6, 5)
        write_row(machine, 1, 2, *letters("LEFT"))
        write_row(machine, 6, 2, *range(0x80, 0x88))
        write_row(machine, 15, 2, *letters("MENU"))
        assert read(machine).screen_text == ("LEFT", "MENU")

    def test_battle_display_tiles_are_no_letters(self, machine: MemoryMachine) -> None:
        draw_box(machine, 0, 12, 20, 6)
        write_row(machine, 1, 14, *range(0x60, 0x70))
        write_row(machine, 1, 16, *letters("GO!"))
        assert read(machine).screen_text == ("GO!",)


class TestFigures:
    def test_money_is_big_endian_binary(self, machine: MemoryMachine) -> None:
        machine.put("wMoney", 0x01, 0xE2, 0x40)
        assert read(machine).money == 123456

    def test_money_is_at_most_what_the_game_allows(self, machine: MemoryMachine) -> None:
        machine.put("wMoney", 0xFF, 0xFF, 0xFF)
        assert read(machine).money == 999_999

    def test_play_time(self, machine: MemoryMachine) -> None:
        machine.put("wGameTimeHours", 1, 2, 3, 4, 30)
        assert read(machine).play_time_s == 258 * 3600 + 3 * 60 + 4.5

    def test_badges_of_both_regions(self, machine: MemoryMachine) -> None:
        machine.put("wJohtoBadges", 0b101, 0b10)
        state = read(machine)
        assert state.badges == (5, 2)
        assert state.badge_count == 3

    def test_events_count_bits_from_the_least(self, machine: MemoryMachine) -> None:
        machine.put("wEventFlags", 0b100, offset=3)
        machine.put("wEventFlags", 0x80, offset=255)
        state = read(machine)
        assert state.has_event(26)
        assert not state.has_event(27)
        assert state.has_event(2047)

    def test_pokedex_counts_and_names_species(self, machine: MemoryMachine) -> None:
        machine.put("wPokedexCaught", 0b100, offset=19)
        machine.put("wPokedexSeen", 0xFF)
        state = read(machine)
        assert (state.caught, state.seen) == (1, 8)
        assert state.has_caught(155)
        assert not state.has_caught(154)
        assert state.has_seen(8)
        assert not state.has_seen(9)
        assert not any(state.has_seen(species) for species in (0, -1, 257, 300))

    def test_bits_beyond_the_last_species_do_not_count(self, machine: MemoryMachine) -> None:
        machine.put("wPokedexSeen", *[0xFF] * 32)
        assert read(machine).seen == 251

    def test_repel(self, machine: MemoryMachine) -> None:
        machine.put("wRepelEffect", 96)
        assert read(machine).repel_steps == 96

    def test_fly_points_are_visited_spawns_but_home(self, machine: MemoryMachine) -> None:
        machine.put("wVisitedSpawns", 0b1, 0xC0)
        assert read(machine).fly_points == (MapId(24, 4), MapId(26, 3))
        machine.put("wVisitedSpawns", 0xFF, 0xFF, 0xFF, 0xFF)
        assert len(read(machine).fly_points) == len(CRYSTAL.SPAWNS) - 1

    def test_last_healing_place(self, machine: MemoryMachine) -> None:
        assert read(machine).healing_place is None
        machine.put("wLastSpawnMapGroup", 26, 3)
        assert read(machine).healing_place == MapId(26, 3)

    def test_practice_game_has_its_own_spawns(self, machine: MemoryMachine) -> None:
        machine.put("wVisitedSpawns", 0, 0xC0)
        assert CrystalReader(machine, PRACTICE).read().fly_points == (MapId(40, 3), MapId(40, 7))


class TestBag:
    def test_four_pockets(self, machine: MemoryMachine) -> None:
        machine.put("wNumItems", 2, 18, 3, 9, 1, 255)
        machine.put("wNumKeyItems", 1, 69, 255)
        machine.put("wNumBalls", 1, 5, 4, 255)
        machine.put("wTMsHMs", 2, offset=0)
        machine.put("wTMsHMs", 1, offset=50)
        bag = read(machine).bag
        assert bag.items == ((18, 3), (9, 1))
        assert bag.balls == ((5, 4),)
        assert bag.key_items == (69,)
        assert bag.machines == ((191, 2), (243, 1))

    def test_machines_are_in_the_order_of_their_names(self, machine: MemoryMachine) -> None:
        machine.put("wTMsHMs", *[1] * 57)
        names = [CRYSTAL.ITEMS[item] for item, _ in read(machine).bag.machines]
        tms = [f"TM{number:02}" for number in range(1, 51)]
        assert names == tms + [f"HM{number:02}" for number in range(1, 8)]

    def test_list_ends_at_its_mark_before_its_count(self, machine: MemoryMachine) -> None:
        machine.put("wNumItems", 20, 18, 3, 255, 7, 9, 1)
        assert read(machine).bag.items == ((18, 3),)

    def test_nonsense_counts_stay_within_their_pocket(self, machine: MemoryMachine) -> None:
        machine.put("wNumItems", 255, *[4] * 300)
        bag = read(machine).bag
        assert (len(bag.items), len(bag.key_items), len(bag.balls)) == (20, 4, 4)
        machine.put("wNumBalls", 255, *[200] * 60)
        assert read(machine).bag.balls == ((200, 99),) * 12

    def test_unchanged_bag_is_the_same_object(self, machine, reader) -> None:
        before = reader.read().bag
        assert reader.read().bag is before
        machine.put("wNumItems", 1, 18, 1, 255)
        assert reader.read().bag is not before


class TestParty:
    def test_party_creature(self, machine: MemoryMachine) -> None:
        put_party(machine, party_struct())
        (own,) = read(machine).party
        assert (own.species, own.name, own.level) == (155, "CYNDAQUIL", 5)
        assert (own.hp, own.max_hp, own.status, own.held_item) == (20, 276, "poison", 3)
        assert (own.experience, own.types, own.stats) == (260, (20,), STATS)
        assert own.moves == (Move(33, "TACKLE", 35), Move(43, "LEER", 30))

    @pytest.mark.parametrize(
        ("status", "name"),
        [(0, ""), (7, "sleep"), (8, "poison"), (16, "burn"), (32, "freeze"), (64, "paralysis")],
    )
    def test_status_names(self, machine: MemoryMachine, status: int, name: str) -> None:
        raw = party_struct()
        raw[32] = status
        put_party(machine, raw)
        assert read(machine).party[0].status == name

    def test_six_creatures_in_order(self, machine: MemoryMachine) -> None:
        put_party(machine, *(party_struct(species) for species in range(1, 7)))
        assert [one.species for one in read(machine).party] == [1, 2, 3, 4, 5, 6]

    def test_list_tells_an_egg_from_what_is_in_it(self, machine: MemoryMachine) -> None:
        put_party(machine, party_struct(), party_struct(175, hp=0))
        machine.put("wPartySpecies", 155, 253, 0xFF)
        own, egg = read(machine).party
        assert (own.name, egg.name, egg.species) == ("CYNDAQUIL", "EGG", 253)

    def test_unchanged_party_is_the_same_object(self, machine, reader) -> None:
        put_party(machine, party_struct())
        assert reader.read().party is reader.read().party
        put_party(machine, party_struct(hp=19))
        assert reader.read().party[0].hp == 19

    def test_nonsense_count_is_cut_to_six(self, machine: MemoryMachine) -> None:
        machine.put("wPartyCount", 200)
        assert len(read(machine).party) == 6

    def test_party_can_become_empty(self, machine, reader) -> None:
        put_party(machine, party_struct())
        reader.read()
        machine.put("wPartyCount", 0)
        assert reader.read().party == ()


class TestBattle:
    def test_union_means_nothing_outside_battle(self, machine: MemoryMachine) -> None:
        put_battle(machine)
        machine.put("wBattleMode", 0)
        assert read(machine).battle is None

    def test_wild_battle(self, machine: MemoryMachine) -> None:
        put_battle(machine)
        battle = read(machine).battle
        assert (battle.kind, battle.trainer_class, battle.trainer_name) == (BattleKind.WILD, 0, "")
        assert (battle.own.max_hp, battle.own.moves[0].points) == (20, 35)
        assert (battle.own.types, battle.own.stats) == ((0, 2), STATS)
        assert (battle.enemy.name, battle.enemy.level) == ("SENTRET", 2)
        assert (battle.enemy.hp, battle.enemy.status) == (8, "sleep")

    def test_own_health_is_live_though_the_partys_lags(self, machine: MemoryMachine) -> None:
        put_battle(machine)
        state = read(machine)
        assert (state.battle.own.hp, state.party[0].hp) == (17, 20)

    def test_trainer_is_named_by_class(self, machine: MemoryMachine) -> None:
        put_battle(machine, trainer=True)
        machine.put("wCurOTMon", 2)
        battle = read(machine).battle
        assert (battle.kind, battle.trainer_class) == (BattleKind.TRAINER, 9)
        assert (battle.trainer_name, battle.trainer_id, battle.enemy_slot) == ("RIVAL", 3, 2)

    def test_equal_types_are_one(self, machine: MemoryMachine) -> None:
        put_battle(machine)
        machine.put("wEnemyMonType1", 20, 20)
        battle = read(machine).battle
        assert battle.enemy.types == (20,)

    def test_stale_enemy_is_hidden_until_both_are_sent_out(self, machine, reader) -> None:
        put_battle(machine, trainer=True)
        machine.put("wBattleMonSpecies", 0)
        battle = reader.read().battle
        assert (battle.kind, battle.trainer_class) == (BattleKind.TRAINER, 9)
        assert (battle.own, battle.enemy, battle.legal_moves) == (None, None, ())
        machine.put("wBattleMonSpecies", 155)
        battle = reader.read().battle
        assert battle.own is not None
        assert battle.enemy is not None

    @pytest.mark.parametrize(
        "garbage",
        [
            battle_struct(62, 44, 100, 120),  # of no creature in the party
            battle_struct(155, 5, 21, 20),
            battle_struct(155, 0, 17, 20),
            battle_struct(155, 101, 17, 20),
            battle_struct(155, 5, 0, 0),
        ],
    )
    def test_garbage_in_the_union_is_no_creature(
        self, machine: MemoryMachine, garbage: list[int]
    ) -> None:
        put_battle(machine)
        machine.put("wBattleMonSpecies", *garbage)
        battle = read(machine).battle
        assert (battle.own, battle.enemy) == (None, None)

    def test_enemy_that_is_not_whole_is_hidden(self, machine: MemoryMachine) -> None:
        put_battle(machine)
        machine.put("wEnemyMonHP", 0, 14)
        battle = read(machine).battle
        assert battle.own is not None
        assert battle.enemy is None

    def test_own_slot_names_the_partys_creature(self, machine: MemoryMachine) -> None:
        put_battle(machine)
        put_party(machine, party_struct(1), party_struct(max_hp=20))
        machine.put("wCurBattleMon", 1)
        battle = read(machine).battle
        assert battle.own is not None
        assert battle.own_slot == 1
        machine.put("wCurBattleMon", 200)
        battle = read(machine).battle
        assert battle.own is None

    def test_transformed_creature_is_still_ours(self, machine: MemoryMachine) -> None:
        put_battle(machine)
        machine.put("wBattleMonSpecies", 161)
        battle = read(machine).battle
        assert battle.own.name == "SENTRET"

    def test_growth_reaches_a_battle_read_before_it(self, machine, reader) -> None:
        put_battle(machine)
        reader.read()
        put_party(machine, party_struct(level=6, hp=19, max_hp=22))
        machine.put("wBattleMonSpecies", *battle_struct(155, 6, 19, 22))
        battle = reader.read().battle
        assert (battle.own.level, battle.own.max_hp) == (6, 22)

    @pytest.mark.parametrize(
        ("points", "legal"), [((35, 30), (0, 1)), ((0, 30), (1,)), ((0, 0), (0, 1))]
    )
    def test_legal_moves_have_points_left_unless_none_has(
        self, machine: MemoryMachine, points: tuple[int, int], legal: tuple[int, ...]
    ) -> None:
        put_battle(machine)
        machine.put("wBattleMonPP", *points)
        battle = read(machine).battle
        assert battle.legal_moves == legal
        assert replace(battle, own=None).legal_moves == ()

    def test_unchanged_battle_is_the_same_object(self, machine, reader) -> None:
        put_battle(machine)
        assert reader.read().battle is reader.read().battle
