import json
import socket
import tempfile
import threading
from collections.abc import Iterator
from contextlib import suppress

import numpy as np
import pytest

from engine.battles.learn.actor import FREE, PAUSE, READY, RESUME, Actor, Report
from engine.battles.learn.experience import Experience, SharedWeights, map_buffers
from engine.battles.learn.matchmaking import OpponentPlan
from engine.battles.policy import NUM_WEIGHTS
from engine.ground.processes import Channel
from tests.engine.battles.small_game import SmallGame, settings

_TIMEOUT_S = 30.0


class Peer:
    """The learner's end of a worker that runs in a thread."""

    def __init__(self, channel: Channel, weights: SharedWeights, buffers: tuple[Experience, ...]):
        self.channel = channel
        self.weights = weights
        self.buffers = buffers

    def report(self) -> Report:
        kind, payload = self.channel.receive(_TIMEOUT_S)
        assert kind == READY
        return Report(**json.loads(payload))


@pytest.fixture
def peer() -> Iterator[Peer]:
    given = settings(capacity=32)
    ours, theirs = socket.socketpair()
    with tempfile.TemporaryFile() as memory, tempfile.TemporaryFile() as buffers:
        weights = SharedWeights(memory)
        weights.publish(np.zeros(NUM_WEIGHTS, np.float32))
        mapped = map_buffers(buffers, given.capacity)
    actor = Actor(Channel(theirs), weights, mapped)

    def run() -> None:
        with suppress(EOFError, OSError):
            actor.run(given, SmallGame, OpponentPlan({"random": 1.0}))

    thread = threading.Thread(target=run)
    thread.start()
    yield Peer(Channel(ours), weights, mapped)
    ours.close()
    thread.join(_TIMEOUT_S)
    theirs.close()


def test_a_worker_fills_both_buffers_and_waits_until_one_is_free(peer):
    first, second = peer.report(), peer.report()
    assert (first.buffer, second.buffer) == (0, 1)
    assert 28 <= first.count <= 32
    assert peer.buffers[0].is_complete[: first.count].any()
    assert not peer.channel.has_message(0.2)
    peer.weights.publish(np.ones(NUM_WEIGHTS, np.float32))
    peer.channel.send(FREE, b"0")
    third = peer.report()
    assert (third.buffer, third.version) == (0, 2)


def test_a_paused_worker_goes_on_when_it_is_resumed(peer):
    peer.channel.send(PAUSE)
    full = 0
    while full < 2 and peer.channel.has_message(0.2):  # what it had begun before it heard
        peer.report()
        full += 1
    peer.channel.send(RESUME)
    while full < 2:
        peer.report()
        full += 1
    peer.channel.send(FREE, b"0")
    assert peer.report().buffer == 0
