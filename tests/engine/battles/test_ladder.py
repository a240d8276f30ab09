from concurrent.futures import ThreadPoolExecutor

import pytest

from engine.battles.formats import DEFAULT_FORMAT
from engine.battles.ladder import Game, Seat, check_address, play_on_server
from engine.battles.server import ShowdownServer
from engine.battles.setup import NodeCommand
from engine.battles.teams import pool
from engine.errors import BattleError, ConfigurationError, WorkerError
from tests.engine.battles.random_policy import RandomPolicy

FORMAT, TEAM = DEFAULT_FORMAT.id, pool(DEFAULT_FORMAT)[0].packed


def seat(address: str, user: str = "agent") -> Seat:
    return Seat(address, user, FORMAT, TEAM)


@pytest.mark.slow
def test_one_agent_challenges_another_that_waits(showdown: NodeCommand) -> None:
    accepted: list[Game] = []
    challenged: list[Game] = []
    with ThreadPoolExecutor(1) as pool, ShowdownServer(showdown) as server:
        host, visitor = seat(server.address, "host"), seat(server.address, "visitor")
        waiting = pool.submit(
            play_on_server, RandomPolicy(), host, 1, showdown, report=accepted.append
        )
        while not challenged:
            try:
                play_on_server(
                    RandomPolicy(), visitor, 1, showdown, challenge="host", report=challenged.append
                )
            except BattleError as error:
                if "'host' was not found" not in str(error):
                    raise
        waiting.result()
    assert (accepted[0].opponent, challenged[0].opponent) == ("visitor", "host")
    assert accepted[0].turns == challenged[0].turns > 0
    assert accepted[0].result == -challenged[0].result


def test_challenge_of_nobody_is_refused(showdown: NodeCommand) -> None:
    with (
        ShowdownServer(showdown) as server,
        pytest.raises(BattleError, match="The user 'nobody' was not found"),
    ):
        play_on_server(RandomPolicy(), seat(server.address), 1, showdown, challenge="nobody")


def test_missing_server_is_said(showdown: NodeCommand) -> None:
    with pytest.raises(WorkerError, match=r"No battle server answers .* poketui vgc server"):
        play_on_server(RandomPolicy(), seat("127.0.0.1:1"), 1, showdown)


@pytest.mark.parametrize("address", ["127.0.0.1:8000", "localhost:1", "[::1]:65535"])
def test_addresses_of_this_machine_are_accepted(address: str) -> None:
    check_address(address)


@pytest.mark.parametrize(
    "address", ["10.0.0.1:8000", "example.com:80", "localhost", ":8000", "127.0.0.1:0"]
)
def test_other_addresses_are_refused(address: str) -> None:
    with pytest.raises(ConfigurationError):
        check_address(address)
