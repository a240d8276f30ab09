"""`poketui vgc eval` and `poketui vgc teams` from the command line."""

import json

import pytest

from engine.battles.play.evaluation import Score
from engine.battles.sim.setup import find_simulator
from engine.battles.sim.teams import DEFAULT_FORMAT, pool
from engine.errors import ConfigurationError
from pokeTUI.cli.vgc.evaluation import EvaluationPlan, print_scores
from tests.pokeTUI.battles.recorded import FOLDER
from tests.pokeTUI.in_process import assert_refused, poketui, succeed


@pytest.fixture(scope="session")
def modules() -> str:
    """Return the folder of the real simulator, where it is installed."""
    try:
        return str(find_simulator().modules)
    except ConfigurationError as error:
        pytest.skip(str(error))


def test_shipped_teams_are_listed_without_the_simulator(monkeypatch):
    monkeypatch.setenv("PATH", "")
    listed = poketui("vgc", "teams")
    first = pool(DEFAULT_FORMAT)[0]
    assert f"  {first.name}: {', '.join(first.species)}\n" in listed.stdout
    assert "\nunseen in training:\n" in listed.stdout
    assert first.packed in poketui("vgc", "teams", "--packed").stdout.splitlines()


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        (("teams", "--battle-format", "gen9ou"), "There is no battle format 'gen9ou'. Use one of"),
        (("ladder", "--challenge", "x", "--search"), "Use one of the two."),
        (("play", "heuristics", "--search", "4"), "heuristics does not search."),
        (("watch", "greedy", "--search", "4"), "greedy does not search."),
        (("watch", str(FOLDER / "commander.log"), "--search", "4"), "Leave --search out."),
        (("ladder", "heuristics"), "heuristics plays in the simulator only."),
        (("ladder", "--battle-format", "gen9ou"), "There is no battle format 'gen9ou'."),
        (
            ("train", "--headless", "--set", "wandb=online"),
            "--set wandb: training battles does not",
        ),
        (("teams", "nowhere.txt"), "Cannot read the team nowhere.txt: no such file or directory."),
    ],
)
def test_a_mistake_is_refused_in_one_line(arguments, reason, tmp_path):
    refused = poketui("vgc", *arguments, cwd=tmp_path)
    assert_refused(refused, reason)


def plan_of(teams, battles):
    return EvaluationPlan(DEFAULT_FORMAT, teams, battles, 0, "latest", True, 0, "saves", False)


def test_teams_that_do_not_all_meet_are_counted(capsys):
    scores = [("random", Score(10, 0, 0, 60))]
    print_scores(plan_of(pool(DEFAULT_FORMAT), 10), "mine", scores)
    first = capsys.readouterr().out.splitlines()[0]
    assert first.endswith(", which meet in 5 of 16 ways (--battles 32: in all)")


@pytest.mark.parametrize("words", ["bc", "train --headless --resume", "watch", "play"])
def test_battles_are_looked_for_in_the_folder_of_all_saves(words, modules, monkeypatch, tmp_path):
    monkeypatch.setenv("POKETUI_SHOWDOWN", modules)
    monkeypatch.setenv("POKETUI_SAVE_DIR", "mine")
    refused = poketui("vgc", *words.split(), cwd=tmp_path)
    assert_refused(refused, " mine/vgc")


def test_win_rates_are_printed_as_a_table_with_intervals(capsys):
    scores = [("random", Score(990, 4, 6, 7000)), ("max_power", Score(800, 0, 200, 6500))]
    print_scores(plan_of(pool(DEFAULT_FORMAT)[:1], 1000), "mine", scores)
    assert capsys.readouterr().out.splitlines() == [
        "mine: gen9vgc2023regc, 1,000 battles each, teams 1-balance",
        "opponent   win rate   95 % interval   won  tied  lost  turns",
        "random       99.2 %   98.4 to  99.6 %   990     4     6    7.0",
        "max_power    80.0 %   77.4 to  82.4 %   800     0   200    6.5",
    ]


def test_players_of_the_simulator_are_evaluated_from_the_command_line(modules, monkeypatch):
    monkeypatch.setenv("POKETUI_SHOWDOWN", modules)
    battles = "--opponent random --battles 2 --teams unseen --json"
    found = succeed("vgc", "eval", "greedy", *battles.split())
    facts = json.loads(found.stdout)
    assert facts["player"] == "greedy"
    assert len(facts["teams"]) == 4
    (row,) = facts["opponents"]
    assert row["won"] + row["tied"] + row["lost"] == 2
    for options in ("--search 4", "--elo --search 4", "--checkpoint best"):
        refused = poketui("vgc", "eval", "random", *options.split())
        assert (refused.returncode, refused.stderr.count("\n")) == (2, 1)


def test_a_policy_is_cloned_from_battles_that_are_imported(modules, monkeypatch, tmp_path):
    monkeypatch.setenv("POKETUI_SHOWDOWN", modules)
    (tmp_path / "broken.json").write_text("{")
    missing = poketui("vgc", "bc", cwd=tmp_path)
    assert (missing.returncode, missing.stderr) == (
        2,
        "poketui: There are no battles in saves/vgc/battles. Generate some: --battles 1000.\n",
    )
    cloned = poketui(
        "vgc", "bc", "--battles", "6", "--num-workers", "1", "--epochs", "1", cwd=tmp_path
    )
    assert "Generated 6 battles in saves/vgc/battles/" in cloned.stdout
    assert "\nepoch  1 loss " in cloned.stdout
    assert "Saved in saves/vgc/clone.zip." in cloned.stdout
    imported = poketui("vgc", "import", "saves", "broken.json", cwd=tmp_path)
    assert imported.stdout.startswith("Imported 6 battles of 2 files: ")
    assert imported.stderr.startswith("poketui: Left out broken.json: Expecting property name")
    assert (tmp_path / "saves/vgc/battles/imported.battles.gz").is_file()
