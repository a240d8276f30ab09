"""`poketui vgc coach` and `poketui vgc advise`, on the real simulator, by an unlearned network."""

import re
from pathlib import Path

import numpy as np
import pytest

from engine.battles.learn.demonstrations import Battle, write_battles
from engine.battles.learn.importing import read_battle_file
from engine.battles.play.coach import Review, review
from engine.battles.sim.setup import NodeCommand, find_simulator
from engine.battles.sim.simulator import Simulator
from engine.battles.sim.teams import DEFAULT_FORMAT, pool
from engine.errors import ConfigurationError
from pokeTUI.battles.coach import Row, blunders, page, points, rows
from tests.engine.battles.reviews import (
    QUICK,
    cut,
    random_battle,
    unlearned_policy,
    write_unlearned_policy,
)
from tests.pokeTUI.in_process import assert_refused, poketui, succeed

VIEWER = "https://play.pokemonshowdown.com/js/replay-embed.js"


@pytest.fixture(scope="module")
def showdown() -> NodeCommand:
    try:
        return find_simulator()
    except ConfigurationError as error:
        pytest.skip(str(error))


@pytest.fixture(scope="module")
def battle(showdown: NodeCommand) -> Battle:
    return random_battle(showdown, ("you", "Bob</script><b>"))


@pytest.fixture(scope="module")
def found(showdown: NodeCommand, battle: Battle) -> Review:
    with Simulator((), showdown) as simulator:
        rng = np.random.default_rng(0)
        return review(simulator, battle, 0, unlearned_policy(), QUICK, rng)


@pytest.fixture
def saves(showdown: NodeCommand, battle: Battle, tmp_path: Path, monkeypatch) -> Path:
    """Return a folder with two battles of the user's, the second one given up, and a policy."""
    monkeypatch.setenv("POKETUI_SHOWDOWN", str(showdown.modules))
    monkeypatch.setenv("POKETUI_SAVE_DIR", "saves")
    monkeypatch.chdir(tmp_path)
    folder = tmp_path / "saves" / "vgc" / "battles"
    write_battles(folder / "20260101-000000-you-001.battles.gz", [battle])
    write_battles(folder / "20260102-000000-you-001.battles.gz", [cut(battle)])
    write_battles(tmp_path / "two.battles.gz", [battle, battle])
    write_unlearned_policy(tmp_path / "judge.zip")
    return tmp_path


def coached(*arguments: str) -> str:
    judged = ("--policy", "judge.zip", "--search", "1")
    return succeed("vgc", "coach", *arguments, *judged).stdout


def test_rows_tell_each_decision_in_words(found: Review) -> None:
    shown = rows(found)
    assert [row.when for row in shown[:2]] == ["preview", "1"]
    assert any(row.when.endswith(" switch") for row in shown)
    assert all(row.replies[0].kind in ("played", "both") for row in shown)
    species = pool(DEFAULT_FORMAT)[4].species
    lead = re.fullmatch(r"lead (.+) \+ (.+), back (.+) \+ (.+)", shown[0].replies[0].text)
    assert lead is not None
    assert set(lead.groups()) <= set(species)
    foes = [reply.text for row in shown for reply in row.replies if reply.kind == "foe"]
    assert foes


def test_blunders_are_those_that_cost_most_the_worst_first() -> None:
    shown = [Row(str(turn), 0.5, cost, 0.0, ()) for turn, cost in enumerate((0.1, None, 0.3, 0.01))]
    assert [row.when for row in blunders(shown, 9)] == ["2", "0"]
    assert [row.when for row in blunders(shown, 1)] == ["2"]


@pytest.mark.parametrize(
    ("difference", "sign", "text"), [(0.123, -1, "-12"), (0.2, 1, "+20"), (0.001, -1, "0")]
)
def test_differences_are_in_points_of_100(difference: float, sign: int, text: str) -> None:
    assert points(difference, sign) == text
    assert points(None) == "-"


def test_page_has_all_in_it_and_is_a_replay_of_showdown(found: Review, tmp_path: Path) -> None:
    text = page(found, rows(found), "By <nobody>", 3)
    assert re.findall(r'(?:src|href)="([^"]+)"', text) == ["data:,", VIEWER]
    assert "By &lt;nobody&gt;" in text
    assert "Bob</script>" not in text
    assert text.count("<tr>") == len(found.decisions) + 1
    assert text.count("<circle") == len(found.decisions)
    path = tmp_path / "page.html"
    path.write_text(text, encoding="utf-8")
    (again,) = read_battle_file(path)
    assert again.lines == tuple(line for line in found.lines if line.startswith("|"))


@pytest.mark.parametrize("columns", [80, 120])
def test_latest_battle_of_ones_own_is_reviewed(saves: Path, columns: int, monkeypatch) -> None:
    monkeypatch.setenv("COLUMNS", str(columns))
    said = coached("--html", "page.html")
    lines = said.splitlines()
    assert lines[0].startswith("you against Bob</script><b>, ")
    assert lines[0].endswith(": lost")
    assert "Your decisions, each judged by what you knew then: by judge" in said
    assert max(map(len, lines[1:])) <= columns
    assert re.search(r"^preview +\d+% +(-\d+|0) +([+-]\d+|0)  played", said, re.MULTILINE)
    assert "The page: " in lines[-1]
    assert VIEWER in (saves / "page.html").read_text("utf-8")


def test_replay_tells_no_costs_and_says_so(saves: Path, found: Review) -> None:
    (saves / "a.log").write_text("\n".join(found.lines))
    said = coached("a.log", "--side", "p2")
    assert "no copies can be made" in " ".join(said.split())
    assert "Costliest" not in said
    assert re.search(r"^preview +\d+% +- +-  ", said, re.MULTILINE)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("--side", "Cid"), "Cid did not play: it was you against Bob"),
        (("two.battles.gz",), "There are 2 battles in"),
        (("two.battles.gz", "--number", "3"), "Name one: --number 2, say."),
        (("none.log",), "none.log cannot be read: No such file or directory."),
        (("judge.zip",), "judge.zip cannot be read"),
        (("--policy", "greedy"), "greedy judges no decisions."),
        (("--html", "two.battles.gz"), "two.battles.gz already exists. Choose another file, or"),
        (("--html", "nowhere/page.html"), "There is no folder"),
        (("--checkpoint-dir", "empty"), "There is no battle of yours in empty/battles yet."),
    ],
)
def test_mistake_is_refused_in_one_line(
    saves: Path, arguments: tuple[str, ...], words: str
) -> None:
    policy = () if "--policy" in arguments else ("--policy", "judge.zip")
    assert_refused(poketui("vgc", "coach", *arguments, *policy), words)
    assert read_battle_file(saves / "two.battles.gz")


def test_selections_are_compared_of_shipped_teams_and_files(saves: Path) -> None:
    own, foe = pool(DEFAULT_FORMAT)[:2]
    (saves / "foe.txt").write_text(foe.packed)
    judged = ("--policy", "judge.zip", "--search", "1", "--top", "2")
    said = succeed("vgc", "advise", own.name, "foe.txt", *judged).stdout
    selections = re.findall(r"^ *\d+% +\d+%  lead (.+), back (.+)$", said, re.MULTILINE)
    assert len(selections) == 2
    assert {each for pair in selections for four in pair for each in four.split(" + ")} <= set(
        own.species
    )
    brought = re.findall(r"^ *(\d+)% +(\d+)%  (\S+)$", said, re.MULTILINE)
    assert {name for _, _, name in brought} == set(foe.species)
    assert sum(int(brings) for brings, _, _ in brought) == pytest.approx(400, abs=4)
    assert sum(int(leads) for _, leads, _ in brought) == pytest.approx(200, abs=4)
