"""What a spectator sees, from a battle's protocol lines."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pokeTUI.battles.fold import fold_line, fold_lines, read_sheets
from pokeTUI.battles.view import BattleView, Condition, spaced
from tests.pokeTUI.battles.recorded import MEGA, TERA, commander_lines, recorded

START = (
    "|player|p1|Red||",
    "|player|p2|Blue||",
    "|poke|p1|Iron Hands, L50|",
    "|poke|p1|Urshifu-*, L50, M|",
    "|poke|p1|Palafin, L50, F|",
    "|poke|p2|Torkoal, L50, M|",
    "|poke|p2|Amoonguss, L50, F|",
    "|teampreview|4",
    "|teamsize|p1|4",
    "|start",
    "|switch|p1a: Iron Hands|Iron Hands, L50|100/100",
    "|switch|p1b: Fin|Palafin, L50, F|100/100",
    "|switch|p2a: Torkoal|Torkoal, L50, M|100/100",
    "|switch|p2b: Amoonguss|Amoonguss, L50, F|100/100",
    "|turn|1",
)


def seen(*lines: str) -> BattleView:
    return fold_lines(BattleView(), (*START, *lines))


def test_recorded_battle_ends_with_its_winner_and_its_fainted() -> None:
    battle = recorded(TERA)
    view = fold_lines(BattleView(), battle.lines, battle.types)
    assert view.winner == "policy"
    assert view.turn == 5
    fainted = [mon.name for mon in view.sides[1].team if mon.is_fainted]
    assert fainted == ["Farigiraf", "Hatterene", "Torkoal", "Iron Hands"]
    assert view.weather.name == "Rain"


def test_team_sheets_are_read_with_full_names() -> None:
    view = fold_lines(BattleView(), recorded(TERA).lines)
    sheet = view.sides[0].sheet_of("Palafin-Hero")
    assert (sheet.item, sheet.ability) == ("Mystic Water", "Zero to Hero")
    assert "Jet Punch" in sheet.moves


def test_mega_format_has_no_tera_types_on_its_sheets() -> None:
    view = fold_lines(BattleView(), recorded(MEGA).lines)
    assert {sheet.tera for side in view.sides for sheet in side.sheets} == {""}


def test_preview_forme_is_the_one_that_is_sent_out() -> None:
    view = seen("|switch|p1a: Bear|Urshifu-Rapid-Strike, L50, M|100/100")
    assert len(view.sides[0].team) == 3
    mon = view.sides[0].mon(0)
    assert mon.species == "Urshifu-Rapid-Strike"


def test_boosts_end_with_a_switch_and_stay_within_six_stages() -> None:
    view = seen("|-boost|p1a: Iron Hands|atk|5", "|-boost|p1a: Iron Hands|atk|2")
    assert view.mon("p1a: Iron Hands").boosts == {"atk": 6}
    back = (
        "|switch|p1a: Bear|Urshifu, L50, M|100/100",
        "|switch|p1a: Iron Hands|Iron Hands, L50|80/100",
    )
    mon = fold_lines(view, back).mon("p1a: Iron Hands")
    assert (mon.boosts, mon.hp) == ({}, 0.8)


def test_terastallized_has_its_tera_type_alone() -> None:
    mon = seen("|-terastallize|p2a: Torkoal|Grass").mon("p2a: Torkoal")
    assert (mon.tera, mon.types) == ("Grass", ("Grass",))


def test_mega_evolution_changes_species_and_types() -> None:
    lines = (
        "|detailschange|p2a: Torkoal|Camerupt-Mega, L50, M",
        "|-mega|p2a: Torkoal|Camerupt|Cameruptite",
    )
    view = seen()
    for line in lines:
        view = fold_line(view, line, {"Camerupt-Mega": ("Fire", "Ground")})
    mon = view.mon("p2a: Torkoal")
    assert mon.is_mega
    assert (mon.species, mon.types) == ("Camerupt-Mega", ("Fire", "Ground"))


def test_used_up_item_is_gone() -> None:
    eaten = "|-enditem|p1a: Iron Hands|Sitrus Berry|[eat]"
    view = seen("|-item|p1a: Iron Hands|Sitrus Berry", eaten)
    assert view.mon("p1a: Iron Hands").item == ""


def test_protect_lasts_for_its_turn() -> None:
    view = seen("|-singleturn|p1a: Iron Hands|Protect")
    assert view.sides[0].team[0].turn_effects == ("Protect",)
    assert fold_line(view, "|turn|2").sides[0].team[0].turn_effects == ()


def test_swap_exchanges_the_slots() -> None:
    view = seen("|swap|p1a: Iron Hands|1")
    assert view.sides[0].active == (2, 0)
    assert view.mon("p1b: Iron Hands") is view.sides[0].team[0]


def test_one_terrain_replaces_the_other() -> None:
    view = seen("|-fieldstart|move: Grassy Terrain", "|-fieldstart|move: Trick Room")
    view = fold_line(view, "|-fieldstart|move: Psychic Terrain")
    assert [one.name for one in view.field] == ["Trick Room", "Psychic Terrain"]


@pytest.mark.parametrize(
    ("name", "turn", "left"),
    [
        ("Trick Room", 3, "5"),
        ("Trick Room", 7, "1"),
        ("Tailwind", 4, "3"),
        ("Rain", 3, "5-8"),
        ("Rain", 8, "3"),
        ("Psychic Terrain", 4, "4-7"),
        ("Stealth Rock", 9, ""),
    ],
)
def test_turns_left_of_a_condition_from_turn_three(name: str, turn: int, left: str) -> None:
    assert Condition(name, 3).turns_left(turn) == left


def test_bench_leaves_out_those_that_stayed_at_home() -> None:
    view = fold_lines(BattleView(), recorded(TERA).lines)
    assert [mon.name for mon in view.sides[0].bench()] == ["Pelipper", "Palafin"]


def test_commander_battle_keeps_its_eleven_boosts() -> None:
    lines = commander_lines()
    view = fold_lines(BattleView(), lines[: lines.index("|turn|2")])
    mon = view.mon("p2a: Dondozo")
    assert mon.boosts == dict.fromkeys(("atk", "def", "spa", "spd", "spe"), 2)
    assert mon.effects == ()


@given(st.text(alphabet="|-p12ab: []/xMoveturn0", max_size=40))
def test_no_line_breaks_the_fold(line: str) -> None:
    fold_line(seen(), f"|{line}")


def test_packed_names_get_their_spaces_back() -> None:
    names = [spaced(name) for name in ("FakeOut", "Will-O-Wisp", "Protect")]
    assert names == ["Fake Out", "Will-O-Wisp", "Protect"]
    assert read_sheets("garbage") == ()
