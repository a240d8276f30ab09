"""What was saved before names were changed is read by the program of today.

`old_saves.tar.xz` holds a folder of saves as version 0.1.0 wrote it: a run of PPO for which a
scripted language model set goals, with a goal, a wish, a strategy and a weight changed by hand; a
run of DQN with evaluations and a move of the curriculum; a policy cloned from the demonstration
that the rules played; and a demonstration played by hand, partly in real time. Its networks are
tiny, and their weights are rounded so that the file is small.

A change that cannot read it any more has to refuse it in one line, and this test has to say so: the
practice game that they were played in was built anew since, so nothing in it can be played on or
replayed. What was learnt and what was written down stays.
"""

import csv
import tarfile
from pathlib import Path

import pytest

from engine.planning.history.decisions import DecisionHistoryAnalyzer
from tests.pokeTUI.in_process import poketui

PLANNED, DQN, CLONED = "20261123-035005", "20261123-035017", "20261123-035026"
BY_HAND = "20261123-035026-human-001.demo"
BY_RULES = "20261123-035025-rules-001.demo"


def unpack(folder: Path) -> Path:
    with tarfile.open(Path(__file__).with_name("old_saves.tar.xz")) as archive:
        archive.extractall(folder, filter="data")
    return folder


@pytest.fixture(scope="module")
def old(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the saves in it, which no test writes into."""
    return unpack(tmp_path_factory.mktemp("old"))


def said(old: Path, *arguments: str) -> str:
    """Return what the program prints; it must succeed, and warn of nothing."""
    done = poketui(*arguments, cwd=old)
    assert done.returncode == 0, done.stderr
    for word in ("warning", "damaged", "skipped", "cannot"):
        assert word not in done.stderr.lower(), done.stderr
    return done.stdout + done.stderr


def refusal(old: Path, *arguments: str, code: int = 2) -> str:
    """Return the one line in which the program refuses."""
    done = poketui(*arguments, cwd=old)
    assert done.returncode == code
    (line,) = [line for line in done.stderr.splitlines() if line.startswith("poketui: ")]
    return line


def table(old: Path, folder: Path, run: str, kind: str) -> list[dict[str, str]]:
    path = folder / f"{run}-{kind}.csv"
    said(old, "export", run, "--table", kind, "--out", str(path))
    with path.open(newline="") as file:
        return list(csv.DictReader(file))


def test_old_runs_and_policies_are_listed(old):
    lines = said(old, "runs").splitlines()
    listed = {words[0]: words[1:] for words in map(str.split, lines) if len(words) > 4}
    assert listed[PLANNED][:4] == ["■", "stopped", "650", "5"]
    assert listed[PLANNED][-3:] == ["ppo", "adaptive", "3"]
    assert listed[DQN][:4] == ["■", "stopped", "200", "2"]
    assert listed[DQN][-3:] == ["dqn", "adaptive", "4"]
    assert listed[CLONED][:3] == ["cloned", "ppo", "features"]


def test_the_journals_of_old_runs_are_whole(old, tmp_path):
    episodes = table(old, tmp_path, PLANNED, "episodes")
    assert [int(row["length"]) for row in episodes] == [120] * 5
    assert len(table(old, tmp_path, PLANNED, "updates")) == 40
    assert len(table(old, tmp_path, DQN, "episodes")) == 2
    assert len(table(old, tmp_path, DQN, "evaluations")) == 2


def test_old_exchanges_with_a_language_model_have_what_came_of_them(old, tmp_path):
    exchanges = table(old, tmp_path, PLANNED, "exchanges")
    assert len(exchanges) == 7
    assert said(old, "llm", "log", PLANNED).count("4 reached, 0 failed") == 2


@pytest.mark.parametrize("run", [PLANNED, DQN])
def test_an_episode_of_an_older_game_is_refused_in_one_line(old, run):
    assert "recorded with a different ROM" in refusal(old, "replay", run, "--episode", "2")


def test_old_demonstrations_are_shown(old):
    by_hand = said(old, "demos", "show", str(old / "saves/demos/mine" / BY_HAND))
    assert "go downstairs" in by_hand
    assert "note: here" in by_hand
    assert "real time" in by_hand
    by_rules = said(old, "demos", "show", str(old / "saves/demos/rules" / BY_RULES))
    assert "got_starter" in by_rules


@pytest.mark.parametrize("name", ["mine", "rules"])
def test_demonstrations_of_an_older_game_are_refused(old, name):
    done = poketui("demos", "validate", name, cwd=old)
    assert done.returncode == 2
    assert "recorded with a different ROM" in done.stdout + done.stderr


def test_an_old_history_of_decisions_is_read(tmp_path):
    saves = unpack(tmp_path) / "saves"
    with DecisionHistoryAnalyzer(saves / "runs" / PLANNED / "decisions.db") as history:
        decisions = history.get_recent_decisions(1000)
        assert len(decisions) == 82
        assert {"rules", "planner"} == {decision["source"] for decision in decisions}
        assert history.analyze_patterns(min_frequency=1)
    with DecisionHistoryAnalyzer(saves / "runs" / PLANNED / "decisions.db", run=PLANNED) as history:
        uplift = history.planner_uplift()
        assert (uplift.followed, uplift.ignored) == (11, 3)


@pytest.mark.parametrize("run", [PLANNED, DQN])
def test_a_run_of_an_older_game_is_refused_in_one_line(tmp_path, run):
    unpack(tmp_path)
    line = refusal(tmp_path, "run", "--headless", "--resume", run, "--steps", "730", code=1)
    assert "saved with a different ROM" in line
    assert "--from" in line


@pytest.mark.slow
def test_a_run_begins_from_an_old_cloned_policy(tmp_path):
    unpack(tmp_path)
    told = said(
        tmp_path, "run", "--headless", "--from", CLONED, "--steps", "16", "--envs", "1",
        "--set", "ppo.rollout_steps=8",
    )  # fmt: skip
    assert "saved at step 16" in told


def test_a_cloning_of_an_older_game_is_refused_in_one_line(tmp_path):
    unpack(tmp_path)
    assert "a different ROM" in refusal(tmp_path, "bc", "--resume", CLONED, "--epochs", "2")
