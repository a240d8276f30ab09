"""Viewers and a server over real sockets; the run's events are the test's."""

import contextlib
import socket
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from engine.commands import (
    GiveBack,
    Hold,
    Pause,
    PauseRendering,
    ReleaseControl,
    RequestControl,
    Resume,
    ShowGames,
    TakeOver,
    Watch,
)
from engine.errors import AttachError, ProtocolError
from engine.events import (
    CommandRefused,
    ConnectionLost,
    ControlWanted,
    EpisodeEnded,
    FrameRendered,
    GamesShown,
    ReasoningLogged,
    RunStarted,
    RunStopped,
    StatusChanged,
    ViewersChanged,
    WarningRaised,
)
from engine.remote.client import RemoteSession
from engine.remote.codec import Messages
from engine.remote.folder import connect, probe, read_hello
from engine.remote.protocol import MAX_COMMAND_BYTES, Farewell, Hello, event_codec, make_hello
from engine.remote.server import MAX_VIEWERS
from engine.types import Action, SmallPicture
from tests.engine.processes import wait_until
from tests.engine.remote.conftest import Serve
from tests.engine.remote.scripted import LIMIT_S, ScriptedRun, Viewing, frame, noise
from tests.pokeTUI.fake_session import make_episode, make_run, make_status

View = Callable[..., Viewing]
Two = tuple[ScriptedRun, Viewing, Viewing]
REFUSED = CommandRefused("Pause", "Another viewer is in control: press C to ask for it.")


@pytest.fixture
def two(serve: Serve, view: View) -> Two:
    """A run and its two viewers, of whom the first steers."""
    run = serve()
    first, second = view(run), view(run)
    assert first.wait_for(ViewersChanged(2, True))
    return run, first, second


def connected(run: ScriptedRun, hello: bytes | None = None) -> socket.socket:
    """Return a bare connection that has said `hello` and heard the server's."""
    connection = connect(run.path)
    read_hello(connection)
    connection.sendall(make_hello().encode() if hello is None else hello)
    return connection


def last_words(connection: socket.socket) -> bytes:
    """Return all that follows the server's hello until it closes."""
    _, heard = read_hello(connection)
    while data := connection.recv(2**20):
        heard += data
    connection.close()
    return heard


def farewell(connection: socket.socket) -> str:
    """Read until the server closes and return why it did; "" where it did not say."""
    connection.settimeout(LIMIT_S)
    codec, messages, reason = event_codec(), Messages(2**23), ""
    while data := connection.recv(2**20):
        for payload in messages.feed(data):
            message = codec.decode(payload)
            if isinstance(message, Farewell):
                reason = message.reason
    connection.close()
    return reason


def test_two_viewers_see_the_same_and_the_first_is_in_control(serve: Serve, view: View) -> None:
    run = serve()
    first = view(run)
    assert first.wait_for(ViewersChanged(1, True))
    second = view(run)
    assert first.wait_for(ViewersChanged(2, True))
    assert second.wait_for(ViewersChanged(2, False))
    run.mailbox.post(make_run())
    run.mailbox.post(make_episode(1, 2.5))
    for viewing in (first, second):
        assert viewing.wait_for(make_run(), make_episode(1, 2.5))
    second.session.send(Pause())
    assert second.wait_for(REFUSED)
    first.session.send(Resume())
    assert run.has_been_sent(Resume())
    assert not first.of(CommandRefused)


def test_control_is_left_to_who_asks_for_it(two: Two) -> None:
    run, first, second = two
    second.session.send(RequestControl())
    assert "It can hand over with C" in second.wait_for_kind(CommandRefused)[0].reason
    assert first.wait_for(ControlWanted())
    assert not second.of(ControlWanted)
    first.session.send(ReleaseControl())
    assert first.wait_for(ViewersChanged(2, False))
    assert second.wait_for(ViewersChanged(2, True))
    second.session.send(Pause())
    assert run.has_been_sent(Pause())
    first.session.send(Pause())
    assert first.wait_for(REFUSED)


def test_viewers_are_informed_that_nobody_steers(two: Two) -> None:
    _, first, second = two
    first.session.send(ReleaseControl())
    for viewing in (first, second):
        assert viewing.wait_for(ViewersChanged(2, False, is_held=False))
    second.session.send(Pause())
    assert second.wait_for(ViewersChanged(2, True))
    assert first.wait_for(ViewersChanged(2, False))


def test_control_that_was_not_used_for_a_minute_is_given_to_who_asks(
    serve: Serve, view: View
) -> None:
    now = [0.0]
    run = serve(clock=lambda: now[0])
    first, second = view(run), view(run)
    assert first.wait_for(ViewersChanged(2, True))
    now[0] = 61.0
    second.session.send(RequestControl())
    assert second.wait_for(ViewersChanged(2, True))
    assert first.wait_for(ViewersChanged(2, False))


def test_a_viewer_that_leaves_while_it_plays_lets_go_and_gives_back(two: Two) -> None:
    run, first, second = two
    held = Hold(frozenset({Action.UP, Action.B}))
    first.session.send(TakeOver())
    first.session.send(held)
    assert run.has_been_sent(TakeOver(), held)
    first.session.close()
    assert run.has_been_sent(TakeOver(), held, Hold(frozenset()), GiveBack())
    assert second.wait_for(ViewersChanged(1, False, is_held=False))
    second.session.send(Pause())
    assert second.wait_for(ViewersChanged(1, True))
    assert run.sent[-1] == Pause()


def test_a_read_only_viewer_never_steers(serve: Serve, view: View) -> None:
    run = serve()
    viewing = view(run, is_read_only=True)
    assert viewing.wait_for(ViewersChanged(1, False, is_held=False, is_read_only=True))
    for command in (Pause(), RequestControl()):
        viewing.session.send(command)
    refusals = viewing.wait_for_kind(CommandRefused, 2)
    assert all("read-only" in refusal.reason for refusal in refusals)
    assert run.sent == []


def test_refusals_reach_only_the_viewer_in_control(two: Two) -> None:
    run, first, second = two
    refusal, mark = CommandRefused("Watch", "There is no game 9."), WarningRaised("next")
    run.mailbox.post(refusal)
    run.mailbox.post(mark)
    assert first.wait_for(refusal, mark)
    assert second.wait_for(mark)
    assert refusal not in second.seen


def test_late_viewer_receives_the_digest(serve: Serve, view: View) -> None:
    run = serve()
    run.mailbox.post(make_run())
    for number in range(1, 301):
        run.mailbox.post(make_episode(number, 1.0))
        run.mailbox.post(make_status(episode=number))
        run.mailbox.post(frame(number % 256))
    run.mailbox.post(ReasoningLogged(1, "run", "a line"))
    late = view(run)
    assert late.wait_for(ReasoningLogged(1, "run", "a line"))
    assert late.of(RunStarted) == [make_run()]
    assert len(late.of(EpisodeEnded)) == 300
    assert [event.episode for event in late.of(StatusChanged)] == [300]
    assert [event.frame[0, 0, 0] for event in late.of(FrameRendered)] == [300 % 256]


def test_a_stalled_viewer_is_shown_the_newest_frame_and_loses_no_episode(
    serve: Serve, view: View
) -> None:
    run = serve()
    stalled, quick = connected(run), view(run)
    assert quick.wait_for(ViewersChanged(2, False))
    told = [make_episode(number, 1.0) for number in range(60)]
    for event in told:
        run.mailbox.post(event)
        run.mailbox.post(noise(event.episode))
        assert quick.wait_for(event)
    assert quick.of(EpisodeEnded) == told
    codec, messages, seen = event_codec(), Messages(2**23), []
    stalled.settimeout(LIMIT_S)
    while told[-1] not in seen:
        seen += [codec.decode(payload) for payload in messages.feed(stalled.recv(2**20))]
    stalled.close()
    assert [event for event in seen if isinstance(event, EpisodeEnded)] == told
    assert 0 < sum(isinstance(event, FrameRendered) for event in seen) < 20


def test_a_viewer_that_stalls_too_long_is_sent_away_and_the_others_stay(
    serve: Serve, view: View
) -> None:
    run = serve(capacity=500)
    stalled, quick = connected(run), view(run)
    assert quick.wait_for(ViewersChanged(2, False))
    number = 0
    while len(quick.of(ViewersChanged)) < 2:
        for _ in range(100):
            number += 1
            run.mailbox.post(WarningRaised(f"{number} {'x' * 2000}"))
        assert quick.wait_for_kind(WarningRaised, number)
    assert quick.of(ViewersChanged)[-1] == ViewersChanged(1, False, is_held=False)
    assert "fell too far behind" in farewell(stalled)
    quick.session.send(Pause())
    assert run.has_been_sent(Pause())


@pytest.mark.parametrize(
    "garbage",
    [
        b"GET / HTTP/1.1\r\nHost: x\r\n\r\n",
        b"\0" * 100,
        b"POKETUI\n\xff\xff\xff\xff",
        b"POKETUI\n\0\0\0\x02[]",
        b'POKETUI\n\0\0\0\x0e{"protocol":1}'[:26],
        make_hello().encode() + b"\xff" * 20,
        make_hello().encode() + b"\0\0\0\x08\0\0\0\x04null",
        make_hello().encode() + (MAX_COMMAND_BYTES + 1).to_bytes(4) + b"x" * 100,
    ],
)
def test_garbage_ends_that_connection_with_a_reason(
    serve: Serve, view: View, garbage: bytes
) -> None:
    run = serve()
    viewing = view(run)
    assert farewell(connected(run, garbage))
    viewing.session.send(Pause())
    assert run.has_been_sent(Pause())


def test_another_version_is_told_which_they_are_and_what_to_do(
    serve: Serve, monkeypatch: pytest.MonkeyPatch
) -> None:
    other = Hello(99, "feedbeef", "9.9", "run", "/saves/run", 1)
    run = serve(hello=other)
    live = probe(run.path)
    assert live is not None
    with pytest.raises(AttachError) as caught:
        RemoteSession(live)
    assert "poketui 9.9, protocol 99-feedbeef" in caught.value.message
    assert "poketui stop run" in caught.value.hint
    reason = farewell(connected(run))
    assert "protocol 99-feedbeef" in reason


def test_too_many_viewers_are_told_so(serve: Serve) -> None:
    run = serve()
    crowd = [connected(run) for _ in range(MAX_VIEWERS)]
    last = connect(run.path)
    (told,) = Messages(2**23).feed(last_words(last))
    reason = event_codec().decode(told).reason
    assert reason == f"{MAX_VIEWERS} viewers are already attached to this run."
    for connection in crowd:
        connection.close()


def test_half_open_connections_give_way_and_are_ended(serve: Serve, view: View) -> None:
    now = [0.0]
    run = serve(clock=lambda: now[0])
    first = view(run)
    crowd = [connect(run.path) for _ in range(MAX_VIEWERS - 1)]
    for connection in crowd:
        read_hello(connection)
    now[0] = 2.0
    second = view(run)
    assert second.wait_for(ViewersChanged(2, False))
    crowd[0].settimeout(LIMIT_S)
    assert crowd[0].recv(1) == b""  # the one that was open longest
    now[0] = 11.0
    for connection in crowd[1:]:
        connection.settimeout(LIMIT_S)
        assert connection.recv(1) == b""
    first.session.send(Pause())
    assert run.has_been_sent(Pause())
    for connection in crowd:
        connection.close()


def test_server_limits_the_number_of_connections(serve: Serve, view: View) -> None:
    run = serve(clock=lambda: 0.0)
    viewing = view(run)
    assert viewing.wait_for(ViewersChanged(1, True))
    crowd = []
    for _ in range(3 * MAX_VIEWERS):
        crowd.append(connect(run.path))
        crowd[-1].settimeout(LIMIT_S)
    with contextlib.suppress(ConnectionResetError):
        assert crowd[-1].recv(1) == b""
    viewing.session.send(Pause())
    assert run.has_been_sent(Pause())
    for connection in crowd:
        connection.close()


def test_rendering_pauses_while_nobody_watches(serve: Serve, view: View) -> None:
    run = serve()
    assert wait_until(lambda: run.looks == [PauseRendering()])
    run.mailbox.post(make_status(watched_env=3))
    first, second = view(run), view(run)
    assert first.wait_for(ViewersChanged(2, True), make_status(watched_env=3))
    first.session.close()
    assert second.wait_for(ViewersChanged(1, False, is_held=False))
    assert run.looks == [PauseRendering(), Watch(3)]
    second.session.close()
    assert wait_until(lambda: run.looks == [PauseRendering(), Watch(3), PauseRendering()])


def test_the_end_of_the_run_reaches_every_viewer(two: Two) -> None:
    run, first, second = two
    end = RunStopped("SIGTERM", 40, "x.zip")
    run.mailbox.post(end)
    run.server.close()
    for viewing in (first, second):
        assert viewing.wait_for(end)
        assert wait_until(lambda viewing=viewing: not viewing.session.is_alive)  # type: ignore[misc]
        assert not viewing.of(ConnectionLost)


def test_a_lost_connection_says_whether_the_run_goes_on(serve: Serve, view: View) -> None:
    run = serve()
    viewing = view(run)
    assert viewing.wait_for(ViewersChanged(1, True))
    viewing.session._connection.shutdown(socket.SHUT_RDWR)
    (lost,) = viewing.wait_for_kind(ConnectionLost)
    assert lost.is_running
    assert "poketui attach run" in lost.hint


def test_event_that_cannot_be_encoded_is_skipped(serve: Serve, view: View) -> None:
    run = serve()
    viewing = view(run)
    run.mailbox.post(WarningRaised("before"))
    run.mailbox.post(FrameRendered(object(), 0))  # type: ignore[arg-type]
    run.mailbox.post(WarningRaised("still here"))
    assert viewing.wait_for(WarningRaised("before"), WarningRaised("still here"))


def test_read_hello_refuses_other_servers(runtime: Path) -> None:
    path = runtime / "odd.12345678.sock"
    with socket.socket(socket.AF_UNIX) as odd:
        odd.bind(str(path))
        odd.listen()
        client = connect(path)
        accepted, _ = odd.accept()
        accepted.sendall(b"220 mail ready\r\n")
        with pytest.raises(ProtocolError):
            read_hello(client)
        accepted.close()
        client.close()


def test_frames_come_as_often_as_they_are_drawn_and_not_late(serve: Serve, view: View) -> None:
    run = serve()
    viewing = view(run)
    for number in range(60):
        run.mailbox.post(frame(number))
        time.sleep(0.005)
    assert wait_until(lambda: viewing.of(FrameRendered)[-1:] != [])
    assert wait_until(lambda: viewing.of(FrameRendered)[-1].frame[0, 0, 0] == 59)
    assert len(viewing.of(FrameRendered)) < 60


def test_games_are_drawn_for_all_that_look_at_them_and_for_nobody_once_they_left(
    serve: Serve, view: View
) -> None:
    run = serve()
    steers, looks = view(run), view(run, is_read_only=True)
    looks.session.send(ShowGames(frozenset({4, 5}), 2))
    assert run.has_been_sent(ShowGames(frozenset({4, 5}), 2))
    shown = GamesShown((SmallPicture(4, np.zeros((36, 40, 3), np.uint8), frozenset("a"), 7),))
    run.mailbox.post(shown)
    (seen,) = looks.wait_for_kind(GamesShown)
    assert seen.pictures[0].frame.shape == (36, 40, 3)
    assert not steers.of(GamesShown)
    steers.session.send(ShowGames(frozenset({5, 6}), 4))
    together = ShowGames(frozenset({4, 5, 6}), 2)
    assert run.has_been_sent(run.sent[0], together)
    looks.session.close()
    assert run.has_been_sent(run.sent[0], together, ShowGames(frozenset({5, 6}), 4))
    steers.session.close()
    assert wait_until(lambda: run.sent[-1] == ShowGames(frozenset()), LIMIT_S)
