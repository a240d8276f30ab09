import contextlib
import os
import signal
import socket
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
import pytest

from engine.battles.play import ladder
from engine.battles.play.ladder import Game, Seat, check_address, play_on_server
from engine.battles.play.sets import choose_selection
from engine.battles.policy import NUM_WEIGHTS, Policy
from engine.battles.sim import connection
from engine.battles.sim.server import ShowdownServer
from engine.battles.sim.setup import NodeCommand
from engine.battles.sim.teams import DEFAULT_FORMAT, Format, find_format, pool
from engine.battles.sim.websocket import Acting
from engine.errors import BattleError, ConfigurationError, WorkerError
from tests.engine.battles.random_policy import RandomPolicy

_RANDOM = RandomPolicy()


def seat(address: str, user: str = "agent", format: Format = DEFAULT_FORMAT) -> Seat:
    return Seat(address, user, format, pool(format)[0].packed)


def play(showdown: NodeCommand, at: Seat, policy: Acting = _RANDOM, **options: Any) -> None:
    play_on_server(policy, at, 1, showdown, **options)


def play_each_other(
    showdown: NodeCommand, format: Format, policy: Acting = _RANDOM, *, bystander: str = ""
) -> tuple[list[Game], list[Game]]:
    """Return what an agent that waits and one that challenges it report."""
    accepted: list[Game] = []
    challenged: list[Game] = []
    with ThreadPoolExecutor(1) as pool, ShowdownServer(showdown) as server:
        host, visitor = (seat(server.address, user, format) for user in ("host", "visitor"))
        waiting = pool.submit(play, showdown, host, policy, report=accepted.append)
        while not challenged:
            try:
                play(showdown, visitor, policy, challenge="host", report=challenged.append)
            except BattleError as error:
                if "'host' was not found" not in str(error):
                    raise
        waiting.result()
        if bystander:
            with pytest.raises(BattleError, match=f"The user '{bystander}' was not found"):
                play(showdown, visitor, challenge=bystander)
    return accepted, challenged


@pytest.mark.slow
def test_one_agent_challenges_another_that_waits(showdown):
    accepted, challenged = play_each_other(showdown, DEFAULT_FORMAT, bystander="nobody")
    assert (accepted[0].opponent, challenged[0].opponent) == ("visitor", "host")
    assert accepted[0].turns == challenged[0].turns > 0
    assert accepted[0].result == -challenged[0].result


@pytest.mark.slow
@pytest.mark.parametrize("name", ["gen9vgc2025regibo3", f"{DEFAULT_FORMAT.id}bo3"])
def test_a_set_is_played_to_its_end_and_its_score_told(showdown, name, monkeypatch):
    selected: list[int] = []

    def choose(eyes, policy, seat, observation, legal, games, rng):
        selected.append(len(games))
        return choose_selection(eyes, policy, seat, observation, legal, games, rng)

    monkeypatch.setattr(ladder, "choose_selection", choose)
    policy = Policy(np.random.default_rng(0).normal(0, 0.05, NUM_WEIGHTS).astype(np.float32))
    accepted, challenged = play_each_other(showdown, find_format(name), policy)
    assert sorted(selected) == ([1, 1, 2, 2] if len(accepted[-1].games) == 3 else [1, 1])
    *games, whole = accepted
    assert [len(game.games) for game in games] == list(range(1, len(whole.games) + 1))
    assert all(game.result is None for game in games)
    assert 2 <= len(whole.games) <= 3
    assert whole.result == (1 if whole.games.count(1) > whole.games.count(-1) else -1)
    assert max(whole.games.count(1), whole.games.count(-1)) == 2
    assert whole.score[::-1] == challenged[-1].score
    assert whole.games == tuple(-result for result in challenged[-1].games)
    assert (whole.opponent, whole.turns) == ("visitor", challenged[-1].turns)


def test_missing_server_is_said(showdown):
    with pytest.raises(WorkerError, match=r"No battle server answers .* poketui vgc server"):
        play(showdown, seat("127.0.0.1:1"))


@pytest.mark.slow
def test_a_name_that_is_refused_is_told_from_a_server_that_does_not_answer(showdown, monkeypatch):
    def refusal(address: str, user: str = "agent") -> str:
        with pytest.raises(WorkerError) as caught:
            play(showdown, seat(address, user), challenge="nobody")
        return str(caught.value)

    with ShowdownServer(showdown) as server:
        long = refusal(server.address, "x" * 19)
        assert "Your name must be 18 characters or shorter. Use another name." in long
        assert "it would be 'ab' there. Use another name." in refusal(server.address, "a|b")
        assert server.pid is not None
        os.kill(server.pid, signal.SIGSTOP)
        monkeypatch.setattr(connection, "_LOGIN_TIMEOUT_S", 1.0)
        silent = refusal(server.address)
        assert "did not answer in 1 s: it hangs, or this machine is too busy." in silent
        assert "name" not in silent


def test_a_server_that_is_too_busy_to_answer_is_tried_again(showdown, monkeypatch):
    monkeypatch.setattr(connection, "_OPEN_TIMEOUT_S", 1.0)
    monkeypatch.setattr(connection, "_FIRST_PAUSE_S", 0.05)
    kept: list[socket.socket] = []

    def answer(listener: socket.socket) -> None:
        with contextlib.suppress(OSError):
            while True:
                kept.append(listener.accept()[0])
                if len(kept) > 2:
                    kept[-1].sendall(b"HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n")

    with socket.create_server(("127.0.0.1", 0)) as listener, ThreadPoolExecutor(1) as pool:
        pool.submit(answer, listener)
        address = f"127.0.0.1:{listener.getsockname()[1]}"
        try:
            with pytest.raises(WorkerError, match="is no battle server"):
                play(showdown, seat(address), challenge="nobody")
        finally:
            listener.shutdown(socket.SHUT_RDWR)
            for accepted in kept:
                accepted.close()
    assert len(kept) > 2


@pytest.mark.parametrize("address", ["127.0.0.1:8000", "localhost:1", "[::1]:65535"])
def test_addresses_of_this_machine_alone_are_accepted(address):
    check_address(address)
    for other in ("10.0.0.1:8000", "example.com:80", "localhost", ":8000", "127.0.0.1:0"):
        with pytest.raises(ConfigurationError):
            check_address(other)
