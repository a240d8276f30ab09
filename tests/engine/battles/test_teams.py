import json
import os
import re
import shutil
import subprocess
from importlib.resources import files
from pathlib import Path

import pytest

from engine.battles.sim.simulator import Simulator
from engine.battles.sim.teams import (
    DEFAULT_FORMAT,
    FORMATS,
    TRAINING_TEAMS,
    UNSEEN_TEAMS,
    Format,
    Team,
    find_format,
    first_teams,
    generate_teams,
    parse_team,
    pool,
    read_team,
    read_teams,
    unseen,
    validate,
)
from engine.errors import BattleError, ConfigurationError
from tests.engine.battles.helpers import REG_C

FILES = Path(__file__).with_name("team_files")
GENERATED = re.compile("-[0-9a-f]{6}$")
BASE = (FILES / "base.txt").read_text()
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


@pytest.fixture
def installed(showdown, monkeypatch) -> None:
    monkeypatch.setenv("POKETUI_SHOWDOWN", str(showdown.modules))


def assert_refused(simulator: Simulator, text: str, problem: str) -> None:
    packed, problems = simulator.read_team(text)
    assert not packed
    assert problem in " ".join(problems)


@pytest.fixture(scope="module")
def base(simulator) -> str:
    """Return the team of `BASE` packed."""
    return parse_team(simulator, REG_C, BASE)


def test_a_pasted_team_is_packed_field_by_field_at_level_50(simulator):
    assert simulator.read_team(SHEET) == (PACKED, ())


@pytest.mark.parametrize(
    "change",
    [
        lambda packed: packed.replace("|50|", "|100|"),
        lambda packed: f"gen9vgc2023regc]Folder/Mine|{packed}\n",
        lambda packed: packed.replace("]", "]\n"),
    ],
)
def test_a_packed_team_is_taken_as_it_is_at_level_50(simulator, base, change):
    assert simulator.read_team(change(base)) == (base, ())


@pytest.mark.parametrize(
    "change",
    [
        lambda text: text,
        lambda text: text.replace("\n", "\r\n"),
        lambda text: text.replace("\n", "\r"),
        lambda text: text.replace("\n", "\n\n"),
        lambda text: text.replace("\n\n", "\n"),
        lambda text: text.replace("\n", "  \n"),
        lambda text: text.replace(" ", "\u00a0"),
        lambda text: "\ufeff" + text,
        lambda text: "\n\n" + text.replace("\n", "\n\t"),
        lambda text: text.replace("Ability:", "ability:").replace("Tera Type", "tera type"),
        lambda text: text.replace("Ability:", "Trait:").replace("EVs: ", "EVS:  "),
        lambda text: text.replace("Timid Nature", "timid nature"),
        lambda text: text.replace("Timid Nature", "Nature: Timid"),
        lambda text: text.replace("\n- ", "\n~ "),
        lambda text: text.replace("\n- ", "\n-"),
        lambda text: text.replace("252 Spe", "252 Spd").replace("252 SpA", "252 Sp. Atk"),
        lambda text: text.replace("252 Spe\nTimid", "252+ Spe\nTimid"),
        lambda text: repr(text),
        lambda text: f'team = """\n{text}"""',
        lambda text: json.dumps(text),
    ],
)
def test_a_pasted_team_means_the_same_in_every_spelling(simulator, base, change):
    assert simulator.read_team(change(BASE)) == (base, ())


NEWER = """Boss (Indeedee-F) (F)
[Psychic Surge] @ Psychic Seed
- Follow Me
- Will-O-Wisp
-
-
EVs: 252 HP / - Atk / 4 Def / 252+ SpD (Calm)
IVs: 0 Atk
Shiny
Tera Type: Dragon

Iron Hands
[(select ability)] @ (no item)
- Fake Out
"""


@pytest.mark.parametrize(
    "change",
    [
        lambda text: text,
        lambda text: text.replace("\n", "\n\n"),
        lambda text: text.replace(" (Calm)", ""),
        lambda text: text.replace(" (Calm)", "\nCalm Nature"),
        lambda text: text.replace(" (Calm)", " (Calm)\nCalm Nature"),
        lambda text: text.replace("[Psychic Surge] @", "[Psychic Surge]\nItem:"),
        lambda text: text.replace("- Atk", "0- Atk"),
    ],
)
def test_showdowns_newer_form_is_read(simulator, change):
    assert simulator.read_team(change(NEWER)) == (PACKED, ())


@pytest.mark.parametrize(
    ("right", "wrong", "problem"),
    [
        ("(Calm)", "(Callm)", 'line 7: No nature is called "Callm". Did you mean Calm?'),
        ("(Calm)", "(Timid)", 'line 7: "+" at SpD contradicts the Timid nature.'),
        ("[Psychic Surge]", "[Psychic Serge]", "Did you mean Psychic Surge?"),
        (" (F)", " (F) @ Leftovers", "Item is given twice."),
        ("/ - Atk", "/ -4 Atk", '"-4 Atk" in EVs is not understood'),
        ("IVs: 0 Atk", "IVs: - Atk", 'line 8: "- Atk" in IVs is not understood'),
        ("252+ SpD (Calm)", "252 SpD", '"-" at Atk needs a line with the nature'),
    ],
)
def test_what_is_wrong_in_the_newer_form_is_named(simulator, right, wrong, problem):
    assert_refused(simulator, NEWER.replace(right, wrong, 1), problem)


def test_a_team_as_json_is_read(simulator):
    sets = [
        {
            "name": "Boss",
            "species": "Indeedee-F",
            "item": "Psychic Seed",
            "ability": "Psychic Surge",
            "moves": ["Follow Me", "Will-O-Wisp"],
            "nature": "Calm",
            "gender": "F",
            "evs": {"hp": 252, "def": 4, "spd": 252},
            "ivs": {"atk": 0},
            "shiny": True,
            "teraType": "Dragon",
        },
        {"species": "Iron Hands", "moves": ["fakeout"], "level": 50},
    ]
    assert simulator.read_team(json.dumps(sets)) == (PACKED, ())


@pytest.mark.parametrize(
    ("field", "problem"),
    [
        ({"evz": {}}, '"evz" is not understood. Did you mean evs?'),
        ({"evs": {"satk": 252}}, '"evs" is not an object of whole numbers, with keys from hp,'),
        ({"ivs": {"atk": 32}}, '"32 Atk" in IVs is more than 31.'),
        ({"gender": "female"}, '"gender" is not "M", "F" or "N".'),
        ({"moves": "Protect"}, '"moves" is not a list of names.'),
    ],
)
def test_what_is_not_understood_in_json_is_named(simulator, field, problem):
    text = json.dumps([{"species": "Iron Hands", "moves": []} | field])
    assert_refused(simulator, text, problem)


@pytest.mark.parametrize(
    ("right", "wrong", "problem"),
    [
        ("252 SpA", "252 SAtk", 'line 5: No stat is called "SAtk". Did you mean SpA?'),
        ("4 SpD", "4 SDef", 'line 5: No stat is called "SDef". Did you mean SpD?'),
        ("252 SpA", "252.5 SpA", 'line 5: "252.5 SpA" in EVs is not understood'),
        ("252 SpA", "-4 SpA", 'line 5: "-4 SpA" in EVs is not understood'),
        ("252 SpA", "252 Spe", "line 5: EVs has Spe twice."),
        ("252 SpA", "300 SpA", 'line 5: "300 SpA" in EVs is more than 255.'),
        ("Level: 50", "IVs: 32 Atk", 'line 3: "32 Atk" in IVs is more than 31.'),
        ("252 SpA", "252+ SpA", 'line 5: "+" at SpA contradicts the Timid nature.'),
        ("252 SpA / 4 SpD", "252+ SpA / 4+ SpD", 'line 5: EVs has "+" twice.'),
        ("252 SpA / 4 SpD / 252 Spe", "", "line 5: EVs has no numbers."),
        ("Level: 50", "Dynamax Level: 5", '"Dynamax Level: 5" is not understood.'),
        ("Level: 50", "Gender: F", '"Gender: F" is not understood. Did you mean NAME (F)?'),
        ("Timid Nature", "Timid", '"Timid" is not understood. Did you mean Timid Nature?'),
        ("Timid Nature", "Timd natur", "Did you mean Timid Nature?"),
        ("Timid", "Timd", 'line 6: No nature is called "Timd". Did you mean Timid?'),
        ("Timid Nature", "Timid Nature\nBold Nature", '"Bold Nature": Nature is given twice'),
        ("Ability", "Abilty", '"Abilty: Protosynthesis" is not understood. Did you mean Ab'),
        ("Protosynthesis", "Protosyntesis", "Did you mean Protosynthesis?"),
        ("- Moonblast", "Moonblast", '"Moonblast" is not understood. Did you mean - Moonblast?'),
        ("Moonblast", "Moonblst", 'No move is called "Moonblst". Did you mean Moonblast?'),
        ("Moonblast", "Moonblast / Dazzling Gleam", "No move is called"),
        ("Booster Energy", "Boster Energy", "Did you mean Booster Energy?"),
        ("Flutter Mane", "Fluter Mane", '"Fluter Mane". Did you mean Flutter Mane?'),
        ("Type: Fairy", "Type: Fary", "Did you mean Fairy?"),
        ("Level: 50", "Level: fifty", '"Level: fifty" is not a number from 1 to 100.'),
        ("Level: 50", "Shiny: perhaps", '"Shiny: perhaps" is neither Yes nor No.'),
        (" @ Booster", " @ Leftovers @ Booster", "has more than one item"),
        ("Flutter Mane", "Flutter Mane (M)", "Flutter Mane cannot be (M)."),
        ("Flutter Mane", "Indeedee (F)", "Indeedee cannot be (F). Did you mean Indeedee-F?"),
    ],
)  # fmt: skip
def test_what_is_not_understood_is_named_with_its_line_and_the_nearest_spelling(
    simulator, right, wrong, problem
):
    assert right in BASE
    assert_refused(simulator, BASE.replace(right, wrong, 1), problem)


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("", "There is no team in it."),
        ("  \n\n", "There is no team in it."),
        ("a|b|c", "Pokémon 1 has 3 packed fields, not 12."),
        (PACKED.replace("252,,4", "252,,x"), "is not understood"),
        (PACKED.replace("|S|", "|yes|"), '"yes" is not understood'),
        ("[{", "It begins as JSON, but is none"),
        (
            "=== one ===\n\nPikachu\n- Protect\n\n=== two ===\n\nPikachu\n- Protect",
            "It has 2 teams.",
        ),
        (f"{PACKED}\n{PACKED}", "It has 2 packed teams."),
        ("Pikachu\n- Protect\n\n" * 7, "It has 7 Pokémon, more than 6."),
        ("- Protect\nPikachu", "belongs to no Pokémon"),
        ("( " * 20_000, "No Pokémon is called"),
    ],
)
def test_a_text_that_holds_no_team_says_why(simulator, text, problem):
    assert_refused(simulator, text, problem)


def test_all_teams_of_a_folder_are_read_however_they_are_written(installed, base, tmp_path):
    paths = sorted(path for path in FILES.glob("*.txt") if path.stem != "stat-alias")
    for path in paths:
        shutil.copy(path, tmp_path)
    found = {team.name: team.packed for team in read_teams(tmp_path, REG_C)}
    assert list(found) == [path.name for path in paths]
    assert [name for name, packed in found.items() if packed != base] == ["recharge.txt"]


def test_a_second_team_or_a_bad_line_is_named(installed, tmp_path):
    with pytest.raises(BattleError, match=r"stat-alias\.txt is not understood: line 5:"):
        read_team(FILES / "stat-alias.txt", REG_C)
    for name in ("a.txt", "b.txt"):
        (tmp_path / name).write_text(BASE)
    with pytest.raises(BattleError, match="has 2 teams"):
        read_team(tmp_path, REG_C)
    (tmp_path / "b.txt").write_text(BASE.replace("Moonblast", "Moonblst"))
    with pytest.raises(BattleError, match=r"b\.txt is not understood: line 7:"):
        read_teams(tmp_path, REG_C)


def test_files_that_cannot_be_read_are_named(installed, tmp_path):
    path = tmp_path / "team.txt"
    for content in (b"\x80\x81", BASE.encode("utf-16-le")):
        path.write_bytes(content)
        with pytest.raises(BattleError, match=r"team\.txt: it is not .*text"):
            read_team(path, REG_C)
    with pytest.raises(BattleError, match="no such file"):
        read_team(tmp_path / "none.txt", REG_C)
    (tmp_path / "empty").mkdir()
    with pytest.raises(BattleError, match="has 0 files of teams"):
        read_teams(tmp_path / "empty", REG_C)


def test_the_default_is_the_newest_format_that_the_simulator_offers(showdown):
    script = (
        "const {Dex} = require('pokemon-showdown/dist/sim');"
        "const ids = Dex.formats.all().map(format => format.id);"
        "console.log(ids.filter(id => /^gen9.*vgc.*(?<!bo3)$/.test(id)).join(' '))"
    )
    listed = subprocess.check_output(
        [showdown.node, "-e", script], env=showdown.environment(), text=True
    )
    assert listed.split() == [format.id for format in FORMATS]
    assert DEFAULT_FORMAT is FORMATS[-1]


@pytest.mark.parametrize("format", FORMATS, ids=lambda each: each.id)
def test_every_format_ships_64_teams_and_72_unseen_ones_that_differ_from_them(format):
    known, held_out = pool(format), unseen(format)
    assert (len(known), len(held_out)) == (TRAINING_TEAMS, UNSEEN_TEAMS) == (64, 72)
    teams = (*known, *held_out)
    assert all(len(set(team.species)) == 6 for team in teams)
    assert len({team.name for team in teams}) == len(teams)
    for team in held_out:
        assert all(len({*team.species} & {*other.species}) <= 4 for other in known), team.name


def built_file(simulator: Simulator, format: Format) -> str:
    """Build a format's file of teams anew: those made by hand stay, the others are generated."""
    known = [team for team in pool(format) if not GENERATED.search(team.name)]
    held_out = [team for team in unseen(format) if not GENERATED.search(team.name)]
    lines: list[str] = []
    for folder, teams, count in (("", known, TRAINING_TEAMS), ("unseen/", held_out, UNSEEN_TEAMS)):
        others = [*known, *held_out]
        made = generate_teams(simulator, format, count - len(teams), len(lines), others)
        for team in made:
            teams.append(Team(f"{len(teams) + 1}-{team.name}", team.packed))
        lines += [f"{format.id}]{folder}{team.name}|{team.packed}" for team in teams]
    return "\n".join([*lines, ""])


@pytest.mark.slow
@pytest.mark.parametrize("format", FORMATS, ids=lambda each: each.id)
def test_the_generator_builds_the_shipped_teams_again(simulator, format):
    path = Path(str(files("engine.battles.sim"))) / "teams" / f"{format.id}.txt"
    text = built_file(simulator, format)
    if os.environ.get("UPDATE_TEAMS"):
        path.write_text(text)
    assert text == path.read_text()


def test_generated_teams_follow_from_the_seed_and_are_named_by_their_plan(simulator):
    format = find_format("gen9vgc2025regi")
    teams = generate_teams(simulator, format, 3, 5)
    assert (
        teams == generate_teams(simulator, format, 3, 5) != generate_teams(simulator, format, 3, 6)
    )
    assert [team.name.rpartition("-")[0] for team in teams] == ["sun", "rain", "sand"]
    sheet = simulator.sheet(teams[0].packed)
    assert parse_team(simulator, format, sheet) == teams[0].packed


def test_no_generated_pokemon_has_a_move_its_item_forbids(simulator):
    for format in (DEFAULT_FORMAT, REG_C):
        for team in pool(format):
            for fields in (one.split("|") for one in team.packed.split("]")):
                if fields[2].startswith("Choice") or fields[2] == "AssaultVest":
                    assert "Protect" not in fields[4].split(","), team.name


def test_more_teams_than_are_shipped_are_refused():
    assert first_teams(DEFAULT_FORMAT, 64) == tuple(team.packed for team in pool(DEFAULT_FORMAT))
    with pytest.raises(ConfigurationError, match="--num-teams 65: 64 teams are shipped for gen9c"):
        first_teams(DEFAULT_FORMAT, 65)


def test_every_shipped_team_is_legal_and_read_as_it_is_shipped(simulator):
    for format in FORMATS:
        for team in (*pool(format), *unseen(format)):
            assert parse_team(simulator, format, team.packed) == team.packed


def test_an_illegal_team_is_refused_with_the_reasons_or_where_it_is_legal(simulator):
    legal = pool(REG_C)[0].packed
    with pytest.raises(BattleError, match=r"Flutter Mane.*can't learn"):
        validate(simulator, REG_C, legal.replace("IcyWind", "Spore"))
    champions = find_format("gen9championsvgc2026regma")
    with pytest.raises(BattleError, match="is not legal in gen9vgc2023regc") as caught:
        validate(simulator, REG_C, pool(champions)[0].packed)
    assert champions.id in caught.value.hint


@pytest.mark.parametrize(
    "piece", ["- x\n", "EVs: /", "a\n\n", "( ", "a|", "]", "a: b\n", "=== x\n", "[{"]
)
def test_a_flood_of_one_piece_is_refused_at_once(simulator, piece):
    packed, problems = simulator.read_team(piece * (65_000 // len(piece)))
    assert not packed
    assert 0 < len(problems) <= 21
