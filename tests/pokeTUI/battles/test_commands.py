"""`poketui vgc watch` and `poketui vgc play`."""

from pathlib import Path

import pytest
from typer.testing import CliRunner

from engine.battles.learn.demonstrations import read_battles
from engine.battles.play.players import Player
from engine.battles.play.spectating import MatchSession, Pairing
from engine.battles.sim.setup import NodeCommand, find_simulator
from engine.battles.sim.teams import DEFAULT_FORMAT, pool
from engine.errors import ConfigurationError, PokeTUIError
from pokeTUI.app.start.choices import BATTLES
from pokeTUI.battles.app import BattleApp
from pokeTUI.battles.commands import _keeper, do, watch
from pokeTUI.cli.main import app as cli
from tests.pokeTUI.battles.recorded import FOLDER
from tests.pokeTUI.battles.test_app import screen_text

RUNNER = CliRunner()


@pytest.fixture
def showdown() -> NodeCommand:
    try:
        return find_simulator()
    except ConfigurationError as error:
        pytest.skip(str(error))


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("play", "somebody"), "There is no saved run 'somebody'"),
        (("watch", "none.battles.gz"), "no battles in"),
        (("play", "random", "--battle-format", "gen1ou"), "There is no battle format 'gen1ou'"),
    ],
)
def test_wrong_argument_is_refused_in_one_line(
    arguments: tuple[str, ...], message: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    found = RUNNER.invoke(cli, ["vgc", *arguments])
    assert message in str(found.exception or found.output)


def test_log_needs_a_terminal_and_no_simulator(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("POKETUI_SHOWDOWN", "/nowhere")
    with pytest.raises(PokeTUIError, match="needs a terminal"):
        watch(str(FOLDER / "commander.log"))


@pytest.mark.tool("node")
@pytest.mark.parametrize("what", [key for key, _ in BATTLES])
def test_start_screens_choices(what: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("POKETUI_SHOWDOWN", str(tmp_path))
    with pytest.raises(Exception, match=r"no saved run|no pokemon-showdown"):
        do(what)


@pytest.mark.slow
async def test_battle_is_played_to_its_end_and_kept(showdown: NodeCommand, tmp_path: Path) -> None:
    team = pool(DEFAULT_FORMAT)[0].packed
    players = Player("you"), Player("random")
    kept: list[Path] = []
    session = MatchSession(
        Pairing(DEFAULT_FORMAT, (team, team), players, 5),
        showdown,
        person=0,
        keep=_keeper(str(tmp_path), kept),
    )
    app = BattleApp(session)
    async with app.run_test(size=(80, 24)) as pilot:
        while not kept:
            await pilot.press("enter" if app.choosing else "end")
        await pilot.press("end")
        await pilot.pause(0.2)
        assert "won" in screen_text(app)
        await pilot.press("q")
    assert session.stop()
    (battle,) = read_battles(kept[0])
    assert battle.players == ("you", "random")
