from collections.abc import Iterator

import pytest

from engine.battles.formats import DEFAULT_FORMAT, FORMATS
from engine.battles.simulator import Simulator
from engine.battles.teams import parse_team, pool, read_team, unseen, validate
from engine.errors import BattleError

SHEET = """=== [gen9vgc2023regc] Mine ===

Boss (Indeedee-F) (F) @ Psychic Seed
Ability: Psychic Surge
Level: 100
Shiny: Yes
Tera Type: Dragon
EVs: 252 HP / 4 Def / 252 SpD
Calm Nature
IVs: 0 Atk
- Follow Me
- Will-O-Wisp

Iron Hands
- Fake Out
"""
PACKED = (
    "Boss|IndeedeeF|PsychicSeed|PsychicSurge|FollowMe,WillOWisp|Calm|252,,4,,252,|F|,0,,,,|S|50|"
    ",,,,,Dragon]Iron Hands||||FakeOut|||||"
    "|50|"
)


@pytest.fixture(scope="module")
def simulator(showdown) -> Iterator[Simulator]:
    with Simulator((), showdown) as found:
        yield found


def test_a_pasted_team_is_packed_field_by_field_at_level_50():
    assert parse_team(SHEET) == PACKED


def test_a_packed_team_is_taken_as_it_is_at_level_50():
    assert parse_team(PACKED.replace("|50|", "|100|")) == PACKED


@pytest.mark.parametrize("text", ["", "  \n\n", "a|b|c"])
def test_a_text_without_a_team_is_refused(text):
    with pytest.raises(BattleError, match="team"):
        parse_team(text)


def test_a_team_is_read_from_a_file_and_errors_name_it(tmp_path):
    path = tmp_path / "team.txt"
    path.write_text(SHEET)
    assert read_team(path) == PACKED
    path.write_bytes(b"\xff\xfe")
    with pytest.raises(BattleError, match=r"team\.txt is not text"):
        read_team(path)
    with pytest.raises(BattleError, match="no such file"):
        read_team(tmp_path / "none.txt")


@pytest.mark.parametrize("format", FORMATS, ids=lambda each: each.id)
def test_every_format_ships_four_teams_of_six_without_a_twin(format):
    teams = (*pool(format), *unseen(format))
    assert len(pool(format)) == 4
    assert all(len(set(team.species)) == 6 for team in teams)
    assert len({team.packed for team in teams}) == len(teams)


def test_the_default_format_ships_four_unseen_teams():
    assert len(unseen(DEFAULT_FORMAT)) == 4


def test_every_shipped_team_is_legal_and_read_as_the_simulator_reads_it(simulator):
    for format in FORMATS:
        for team in (*pool(format), *unseen(format)):
            validate(simulator, format, team.packed)


def test_sheets_are_read_as_the_simulator_reads_them(simulator):
    sets = simulator.import_team(SHEET).replace("|100|", "|50|")
    assert parse_team(sets.replace(",31,", ",,")) == parse_team(SHEET)


def test_an_illegal_team_is_refused_with_the_simulators_reasons(simulator):
    legal = pool(DEFAULT_FORMAT)[0].packed
    with pytest.raises(BattleError, match=r"Flutter Mane.*can't learn"):
        validate(simulator, DEFAULT_FORMAT, legal.replace("IcyWind", "Spore"))
