"""`poketui vgc eval` and `poketui vgc teams` from the command line."""

import json

import pytest

from engine.battles.evaluation import Score
from engine.battles.formats import DEFAULT_FORMAT
from engine.battles.setup import find_simulator
from engine.battles.teams import pool
from engine.errors import ConfigurationError
from pokeTUI.cli import vgc_reports
from tests.pokeTUI.in_process import poketui


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
        (("teams", "nowhere.txt"), "Cannot read the team nowhere.txt: no such file or directory."),
    ],
)
def test_a_mistake_is_refused_in_one_line(arguments, reason, tmp_path):
    refused = poketui("vgc", *arguments, cwd=tmp_path)
    assert (refused.returncode, refused.stderr.count("\n")) == (2, 1)
    assert reason in refused.stderr


def test_win_rates_are_printed_as_a_table_with_intervals(capsys):
    plan = vgc_reports.EvaluationPlan(DEFAULT_FORMAT, "one", 1000, 0, "latest", True, 0, "saves")
    scores = [("random", Score(990, 4, 6, 7000)), ("max_power", Score(800, 0, 200, 6500))]
    vgc_reports._print_scores(plan, pool(DEFAULT_FORMAT)[:1], "mine", scores, as_json=False)
    assert capsys.readouterr().out.splitlines() == [
        "mine: gen9vgc2023regc, 1,000 battles each, teams 1-balance",
        "opponent   win rate   95 % interval   won  tied  lost  turns",
        "random       99.2 %   98.4 to  99.6 %   990     4     6    7.0",
        "max_power    80.0 %   77.4 to  82.4 %   800     0   200    6.5",
    ]


def test_players_of_the_simulator_are_evaluated_from_the_command_line(modules, monkeypatch):
    monkeypatch.setenv("POKETUI_SHOWDOWN", modules)
    found = poketui(
        "vgc", "eval", "greedy", "--opponent", "random", "--battles", "2", "--teams", "unseen",
        "--json",
    )  # fmt: skip
    assert found.returncode == 0, found.stderr
    facts = json.loads(found.stdout)
    assert facts["player"] == "greedy"
    assert len(facts["teams"]) == 4
    (row,) = facts["opponents"]
    assert row["won"] + row["tied"] + row["lost"] == 2
    refused = poketui("vgc", "eval", "random", "--search", "4")
    assert (refused.returncode, refused.stderr.count("\n")) == (2, 1)
