import os
import signal

import pytest
from poke_env.battle import AbstractBattle

from engine.battles.play import matches
from engine.battles.play.matches import Limits, ServerScore, evaluate_over_websocket
from engine.battles.sim.server import ShowdownServer
from engine.battles.sim.setup import NodeCommand
from engine.battles.sim.teams import DEFAULT_FORMAT, pool
from engine.errors import BattleError, ConfigurationError
from tests.engine.battles.random_policy import RandomPolicy

FORMAT, TEAM = DEFAULT_FORMAT.id, pool(DEFAULT_FORMAT)[0].packed


@pytest.mark.slow
def test_evaluation_counts_all_battles_though_the_server_is_killed(showdown, monkeypatch):
    servers: list[ShowdownServer] = []

    class Kept(ShowdownServer):
        def __init__(self, node: NodeCommand) -> None:
            super().__init__(node)
            servers.append(self)

    def kill_server(score: ServerScore) -> None:
        if score.battles == 1 and not score.restarts:
            assert servers[0].pid is not None
            os.kill(servers[0].pid, signal.SIGKILL)

    monkeypatch.setattr(matches, "ShowdownServer", Kept)
    given = RandomPolicy(), ["max_power"], 3, FORMAT, [TEAM], showdown
    (score,) = evaluate_over_websocket(*given, limits=Limits(at_once=2), report=kill_server)
    assert (score.battles, score.restarts, score.rejected) == (3, 1, 0)
    assert score.void <= 1
    assert score.decisions >= 3
    assert servers[0].pid is None


@pytest.mark.slow
def test_battle_that_stands_still_is_void_and_played_again(showdown, monkeypatch):
    asked: list[str] = []

    class Sleepy(matches.PLAYERS["random"]):  # type: ignore[misc]
        """Never answers in the first battle."""

        def teampreview(self, battle: AbstractBattle) -> str:
            asked.append(battle.battle_tag)
            return "" if len(asked) == 1 else super().teampreview(battle)

    monkeypatch.setattr("engine.battles.sim.connection.PLAYERS", {"random": Sleepy})
    (score,) = evaluate_over_websocket(
        RandomPolicy(), ["random"], 2, FORMAT, [TEAM], showdown, limits=Limits(2, stall_s=3.0)
    )
    assert score.battles == 2
    assert score.void >= 1


def test_illegal_team_is_refused_before_the_battles(showdown):
    with pytest.raises(BattleError, match="not legal"):
        evaluate_over_websocket(
            RandomPolicy(), ["random"], 1, FORMAT, [TEAM.replace("Protect", "Sheer Cold")], showdown
        )


def test_unknown_opponent_is_refused(tmp_path):
    node = NodeCommand("node", tmp_path, tmp_path)
    with pytest.raises(ConfigurationError, match="no player greedy"):
        evaluate_over_websocket(RandomPolicy(), ["greedy"], 1, FORMAT, [TEAM], node)
