"""`poketui vgc eval` and `poketui vgc teams` from the command line."""

import json
from dataclasses import replace

import numpy as np
import pytest

from engine.battles.play.evaluation import Score, TeamScores
from engine.battles.policy import NUM_WEIGHTS, Policy, write_network
from engine.battles.sim.setup import find_simulator
from engine.battles.sim.teams import DEFAULT_FORMAT, TRAINING_TEAMS, UNSEEN_TEAMS, pool
from engine.errors import ConfigurationError
from pokeTUI.cli.vgc.evaluation import EvaluationPlan, print_scores
from pokeTUI.cli.vgc.scores import Row, Sheet, pooled
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
    assert "\nunseen in training: 72 teams, the first 8 (--all lists them all):\n" in listed.stdout
    whole = poketui("vgc", "teams", "--all").stdout.splitlines()
    assert len(whole) == 2 + TRAINING_TEAMS + UNSEEN_TEAMS
    assert first.packed in poketui("vgc", "teams", "--packed").stdout.splitlines()


@pytest.mark.slow
def test_generated_teams_are_written_where_training_finds_them(modules, monkeypatch, tmp_path):
    monkeypatch.setenv("POKETUI_SHOWDOWN", modules)
    written = succeed("vgc", "teams", "--generate", "2", "--out", "mine", cwd=tmp_path)
    assert written.stdout == ("2 teams in mine. Train with them: poketui vgc train --team mine\n")
    checked = succeed("vgc", "teams", "mine", cwd=tmp_path).stdout.splitlines()
    assert [line.partition(" ")[2] for line in checked] == [f"is legal in {DEFAULT_FORMAT.id}."] * 2
    again = succeed("vgc", "teams", "--generate", "2", cwd=tmp_path).stdout.split()
    for file in sorted((tmp_path / "mine").iterdir()):
        assert " ".join(file.read_text().split()) in " ".join(again)


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
        (("teams", "--out", "mine"), "--seed and --out are for generated teams."),
        (("teams", "nowhere.txt"), "Cannot read the team nowhere.txt: no such file or directory."),
    ],
)
def test_a_mistake_is_refused_in_one_line(arguments, reason, tmp_path):
    refused = poketui("vgc", *arguments, cwd=tmp_path)
    assert_refused(refused, reason)


def plan_of(teams, battles):
    return EvaluationPlan(DEFAULT_FORMAT, teams, battles, 0, "latest", True, 0, "saves", False)


def test_teams_that_do_not_all_meet_are_counted(capsys):
    scores = [Row("random", Score(10, 0, 0, 60))]
    print_scores(plan_of(pool(DEFAULT_FORMAT), 10), Sheet("mine", scores))
    first = capsys.readouterr().out.splitlines()[0]
    assert first.endswith(", 64 teams, which meet in 5 of 4,096 ways (--battles 8192: in all)")


def test_win_rates_by_team_show_the_weakest_and_the_runs_mean(capsys):
    teams = pool(DEFAULT_FORMAT)[:2]
    counts = np.array([[[2, 0, 0, 8], [2, 0, 0, 8]], [[0, 0, 2, 8], [0, 0, 2, 8]]])
    scores = TeamScores(counts)
    rows = [Row("heuristics", scores.total, scores, is_met=True)]
    plan = replace(plan_of(teams, 8), is_whole=True)
    print_scores(plan, pooled([Sheet("one", rows), Sheet("two", rows)]))
    lines = capsys.readouterr().out.splitlines()
    strong, weak = (team.name for team in teams)
    assert f"heuristics: with {weak} 0 % to {strong} 100 %, against" in "\n".join(lines)
    assert any(line.startswith("heuristics *    50.0 %") for line in lines)
    assert "* An opponent in training: this win rate is not one against a stranger." in lines
    assert "heuristics: 50.0 % (50.0 to 50.0 %) over runs; each: 50.0, 50.0" in lines
    assert f"  worst: {weak} against {strong}, 4 of 4 lost" in lines


@pytest.mark.parametrize("words", ["bc", "train --headless --resume"])
def test_battles_are_looked_for_in_the_folder_of_all_saves(words, modules, monkeypatch, tmp_path):
    monkeypatch.setenv("POKETUI_SHOWDOWN", modules)
    monkeypatch.setenv("POKETUI_SAVE_DIR", "mine")
    refused = poketui("vgc", *words.split(), cwd=tmp_path)
    assert_refused(refused, " mine/vgc")


def test_win_rates_are_printed_as_a_table_with_intervals(capsys):
    rows = [Row("random", Score(990, 4, 6, 7000)), Row("max_power", Score(800, 0, 200, 6500))]
    teams = pool(DEFAULT_FORMAT)[:1]
    print_scores(plan_of(teams, 1000), Sheet("mine", rows))
    assert capsys.readouterr().out.splitlines() == [
        f"mine: {DEFAULT_FORMAT.id}, 1,000 battles each, team {teams[0].name}",
        "opponent   win rate   95 % interval   won  tied  lost  turns",
        "random       99.2 %   98.4 to  99.6 %   990     4     6    7.0",
        "max_power    80.0 %   77.4 to  82.4 %   800     0   200    6.5",
    ]


def test_players_of_the_simulator_are_evaluated_from_the_command_line(
    modules, monkeypatch, tmp_path
):
    monkeypatch.setenv("POKETUI_SHOWDOWN", modules)
    battles = "--opponent random --battles 2 --teams unseen --json --csv teams.csv"
    found = succeed("vgc", "eval", "greedy", *battles.split(), cwd=tmp_path)
    facts = json.loads(found.stdout)
    assert facts["player"] == "greedy"
    assert len(facts["teams"]) == UNSEEN_TEAMS
    (row,) = facts["opponents"]
    assert row["won"] + row["tied"] + row["lost"] == 2
    assert len(row["by_own"]) <= 2
    _, line, *_ = (tmp_path / "teams.csv").read_text().splitlines()
    assert line.startswith("greedy,random,")
    for options in ("--search 4", "--elo --search 4", "--checkpoint best", "--elo --matrix"):
        refused = poketui("vgc", "eval", "random", *options.split())
        assert (refused.returncode, refused.stderr.count("\n")) == (2, 1)


@pytest.mark.slow
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


@pytest.mark.slow
def test_a_best_response_is_trained_and_shown_beside_the_win_rates(modules, monkeypatch, tmp_path):
    monkeypatch.setenv("POKETUI_SHOWDOWN", modules)
    write_policy(tmp_path / "mine.zip")
    small = "--steps 64 --num-workers 1 --set vgc.buffer_size=64 --set vgc.epochs=1 --battles 2"
    answer = succeed("vgc", "exploit", "mine.zip", *small.split(), cwd=tmp_path)
    assert "\nExploitability at least " in answer.stdout
    shown = succeed(
        "vgc", "eval", "mine.zip", "--opponent", "random", "--battles", "2", cwd=tmp_path
    )
    assert shown.stdout.splitlines()[-1].startswith("Exploitability at least ")
    refused = poketui("vgc", "exploit", "random", cwd=tmp_path)
    assert_refused(refused, "random is no policy. Give a run or a policy's file.")


@pytest.mark.slow
def test_what_a_search_finds_is_distilled_or_nothing_is_written(modules, monkeypatch, tmp_path):
    monkeypatch.setenv("POKETUI_SHOWDOWN", modules)
    write_policy(tmp_path / "mine.zip")
    small = "--rounds 1 --battles 30 --search 1 --duels 4 --num-workers 1 --out new.zip"
    found = poketui("vgc", "distill", "mine.zip", *small.split(), cwd=tmp_path)
    assert found.stdout.startswith("round 1: looked ahead from ")
    is_kept = "; kept.\nSaved in new.zip." in found.stdout
    assert (tmp_path / "new.zip").is_file() is is_kept
    if not is_kept:
        assert_refused(found, "No better policy was found, and nothing was written.")
    refused = poketui("vgc", "distill", "random", cwd=tmp_path)
    assert_refused(refused, "random is no policy. Give a run or a policy's file.")


@pytest.mark.slow
def test_a_league_trains_a_best_response_and_continues_in_its_folder(
    modules, monkeypatch, tmp_path
):
    monkeypatch.setenv("POKETUI_SHOWDOWN", modules)
    write_policy(tmp_path / "mine.zip")
    small = "--rounds 1 --steps 64 --num-workers 1 --set vgc.buffer_size=64 --set vgc.epochs=1"
    given = f"league mine.zip random --folder league --battles 2 {small}".split()
    first = succeed("vgc", *given, cwd=tmp_path).stdout
    assert "round 1 of 1: response-2 wins " in first
    again = json.loads(
        succeed("vgc", "league", "greedy", "--folder", "league", "--json", cwd=tmp_path).stdout
    )
    assert again["players"] == ["mine", "random", "response-2", "greedy"]
    assert sum(again["nash"]) == pytest.approx(1)
    refused = poketui("vgc", "league", "--folder", "league", "--battles", "4", cwd=tmp_path)
    assert_refused(refused, "has its rules. Leave --battles, --teams, --sample and")


def write_policy(path):
    """Write an untrained policy's file."""
    rng = np.random.default_rng(1)
    policy = Policy(rng.normal(0, 0.05, NUM_WEIGHTS).astype(np.float32))
    write_network(path, policy.by_name)
