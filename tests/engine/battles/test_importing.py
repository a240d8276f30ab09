"""Battles of other makers: what is read of them, and what is left out and why."""

import html
import json
import re

import numpy as np
import pytest

from engine.battles.learn.demonstrations import SUFFIX, Battle, decisions_of, write_battles
from engine.battles.learn.importing import REASONS, find_files, import_files, read_battle_file
from engine.battles.sim.simulator import KIND, PREVIEW
from engine.errors import ConfigurationError

LINES = ("|player|p1|Ann|", "|player|p2|Bob|", "|tier|[Gen 9] VGC 2023 Reg C (Bo3)", "|win|Bob")
LOG = "\n".join(LINES)
REPLAY = Battle("gen9vgc2023regcbo3", ("Ann", "Bob"), "p2", (), LINES)
TEAM = "]".join(
    (
        "Iron Hands||AssaultVest|QuarkDrive|FakeOut,DrainPunch,WildCharge,HeavySlam|Adamant"
        "|252,252,,,,||||50|,,,,,Grass",
        "Flutter Mane||BoosterEnergy|Protosynthesis|Moonblast,ShadowBall,DazzlingGleam,Protect"
        "|Timid|,,,252,,252||||50|,,,,,Fairy",
        "Amoonguss||SitrusBerry|Regenerator|Spore,RagePowder,PollenPuff,Protect|Bold"
        "|252,,252,,,||||50|,,,,,Water",
        "Chien-Pao||FocusSash|SwordofRuin|IcicleCrash,SuckerPunch,SacredSword,Protect|Jolly"
        "|,252,,,,252||||50|,,,,,Ghost",
    )
)
PLAYED = (
    '>start {"formatid":"gen9vgc2023regc","seed":"1,2,3,4"}',
    f'>player p1 {{"name":"Ann","team":{json.dumps(TEAM)}}}',
    f'>player p2 {{"name":"Bob","team":{json.dumps(TEAM)}}}',
    ">p1 team 1, 2, 3, 4",
    ">p2 team 3, 4, 1, 2",
    # Ann's Flutter Mane may have aimed at either foe: Rage Powder draws it. Chien-Pao flinches.
    ">p1 move fakeout +2, move moonblast +2 terastallize",
    ">p2 move ragepowder, move iciclecrash +1",
    # All is plain: two switches, moves that hit both foes or the user.
    ">p1 switch 3, move dazzlinggleam",
    ">p2 switch 3, move protect",
    ">p1 move protect, switch 4",
    ">p2 move wildcharge +1, switch 4",
    ">forcewin p1",
)


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("a.log", LOG),
        ("a.json", json.dumps({"id": "x", "log": LOG})),
        ("a.html", f'<script class="battle-log-data">{html.escape(LOG)}</script>'),
    ],
)
def test_a_replay_is_read_from_each_kind_of_file(name, text, tmp_path):
    (tmp_path / name).write_text(text)
    assert read_battle_file(tmp_path / name) == [REPLAY]


def test_a_server_log_is_read_by_its_input_log_without_the_chat(tmp_path):
    path = tmp_path / "gen9vgc2023regc-1.log.json"
    log = ['>version 1"', *PLAYED, ">chat-inputlogonly hello"]
    path.write_text(json.dumps({"winner": "Ann", "inputLog": log, "log": list(LINES)}))
    (battle,) = read_battle_file(path)
    assert (battle.players, battle.winner) == (("Ann", "Bob"), "p1")
    assert battle.input_log == ('>version 1"', *PLAYED)


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ("|switch|p1a: m{0}|Pikachu, L50|100/100", "its log has 45000 Pokémon of p1"),
        ("|start", "its log has too many decisions"),
        ("|turn|{0}", "its log has too many decisions"),
        ("|-start|p1a: a|move: x{0}", ""),
        ("|poke|p1|Pikachu, L{0}|", ""),
    ],
)
def test_a_replay_of_many_lines_is_followed_or_refused_in_linear_time(
    line, reason, simulator, tmp_path
):
    path = tmp_path / "a.log"
    path.write_text("\n".join([*LINES, *(line.format(number) for number in range(45_000))]))
    assert reason in "".join(import_files([path], simulator).problems)


@pytest.mark.parametrize(
    ("name", "text", "reason"),
    [
        ("a.json", "{", "Expecting property name"),
        ("a.json", "[1]", "neither an inputLog nor a log"),
        ("a.json", '{"inputLog": [3]}', "its log is no list of lines"),
        ("a.json", '{"inputLog": [">start {}"]}', "its input log has no seed"),
        ("a.json", "[" * 10_000, "nested too deeply"),
        ("a.log", "hello", "does not say its format"),
        ("a.html", "<p>hello</p>", "there is no battle log in it"),
        ("a.log", "|tier|[Gen 9] OU", "There is no battle format"),
        ("a.log", "|tier|[Gen 8] VGC 2022", "There is no battle format"),
        ("a.json", '{"log": "|win|a", "formatid": null}', "does not say its format"),
        ("a.json", '{"log": "|win|a", "format": "[Gen 9] VGC 2024 Reg Z"}', "no battle format"),
    ],
)
def test_a_file_without_a_battle_is_refused_with_the_reason(name, text, reason, tmp_path):
    (tmp_path / name).write_text(text)
    with pytest.raises((ValueError, ConfigurationError), match=reason):
        read_battle_file(tmp_path / name)


def test_files_of_battles_are_found_in_folders(tmp_path):
    (tmp_path / "2026-01").mkdir()
    for name in ("2026-01/b.log.json", f"a{SUFFIX}", "notes.md"):
        (tmp_path / name).touch()
    names = [path.name for path in find_files([tmp_path, tmp_path / "gone.json"])]
    assert names == ["b.log.json", f"a{SUFFIX}", "gone.json"]


def test_a_replay_gives_the_decisions_that_its_lines_leave_no_doubt_about(simulator):
    played = simulator.decisions(PLAYED)
    seen = simulator.replayed(simulator.replay(PLAYED).lines, "gen9vgc2023regc")
    preview, first, second, third = (slice(at, at + 2) for at in range(0, 8, 2))
    assert (played.results >= 0).all()
    assert (seen.info[preview, KIND] == PREVIEW).all()
    reasons = [REASONS[code] for code in seen.results[first].tolist()]
    assert reasons == ["target may have been another", "did not get to move"]
    for turn in (preview, second, third):
        assert seen.results[turn].tolist() == played.results[turn].tolist()
    assert np.array_equal(seen.info[:, -1], np.tile([1, -1], len(seen.info) // 2))


def test_an_import_keeps_what_is_known_and_counts_the_rest(simulator, tmp_path):
    (tmp_path / "a.log.json").write_text(json.dumps({"winner": "Ann", "inputLog": PLAYED}))
    (tmp_path / "broken.json").write_text("{")
    (tmp_path / "unplayable.json").write_text(json.dumps({"inputLog": [*PLAYED[:3], ">p1 move 1"]}))
    write_battles(tmp_path / f"replay{SUFFIX}", [REPLAY])
    report = import_files(find_files([tmp_path]), simulator)
    assert [battle.winner for battle in report.battles] == ["p1"]
    assert report.kept == len(report.battles[0].input_log) - 4
    reasons = [problem.removeprefix(f"{tmp_path}/") for problem in sorted(report.problems)]
    assert reasons[0].startswith("broken.json: Expecting property name")
    assert reasons[1:] == [
        f"replay{SUFFIX}: no decision is known (there is none).",
        "unplayable.json: no decision is known (no such choice).",
    ]


REGULATIONS = {
    "gen9vgc2023rega": "[Gen 9] VGC 2023 Series 1",
    "gen9vgc2023regb": "[Gen 9] VGC 2023 Series 2",
    "gen9vgc2023rege": "[Gen 9] VGC 2023 Regulation E",
    "gen9vgc2024regf": "[Gen 9] VGC 2024 Reg F",
    "gen9vgc2024reghbo3": "[Gen 9] VGC 2024 Reg H (Bo3)",
    "gen9vgc2025regj": "[Gen 9] VGC 2025 Reg J",
    "gen9vgc2026regibo3": "[Gen 9] VGC 2026 Reg I (Bo3)",
}


@pytest.mark.parametrize(("format", "public"), REGULATIONS.items())
def test_a_regulation_that_the_simulator_has_not_is_read_by_a_stand_in(
    format, public, simulator, tmp_path
):
    seen = "\n".join(simulator.replay(PLAYED).lines)
    assert "[Gen 9] VGC 2023 Reg C" in seen
    start = json.dumps({"formatid": public, "seed": "1,2,3,4"})
    given = {
        "lines": {"log": seen.replace("[Gen 9] VGC 2023 Reg C", public)},
        "no tier": {"log": re.sub(r"\|tier\|.*", "", seen), "format": public},
        "input log": {"inputLog": [f">start {start}", *PLAYED[1:]]},
    }
    for name, replay in given.items():
        (tmp_path / f"{name}.json").write_text(json.dumps(replay))
    report = import_files(find_files([tmp_path]), simulator)
    assert [battle.format for battle in report.battles] == 3 * [format]
    played, *replayed = (decisions_of(battle, simulator).results for battle in report.battles)
    assert played.tolist() == simulator.decisions(PLAYED).results.tolist()
    for codes in replayed:
        assert (
            codes.tolist()
            == simulator.replayed(seen.splitlines(), "gen9vgc2023regc").results.tolist()
        )


def test_a_battle_that_cannot_be_read_costs_no_other_of_its_file(simulator, tmp_path):
    path = tmp_path / f"two{SUFFIX}"
    players = ("Ann", "Bob")
    write_battles(
        path, [Battle("gen99ou", players, "", (), LINES), Battle("", players, "", PLAYED)]
    )
    report = import_files([path], simulator)
    assert len(report.battles) == 1
    assert report.problems == [
        f"{path}, battle 1: The simulator refused: there is no format gen99ou."
    ]
