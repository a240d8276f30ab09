"""Talk nonsense to a run in the background, and to a viewer of one; speak other versions."""

import contextlib
import os
import random
import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace

from engine.errors import AttachError, ProtocolError
from engine.remote.client import RemoteSession
from engine.remote.folder import connect, live_runs, probe, read_hello, runtime_folder
from engine.remote.protocol import Hello, make_hello
from tests.benchmarks.faults.fault import Fault, Lost, Strike
from tests.benchmarks.faults.processes import detached
from tests.benchmarks.faults.workshop import LIMIT_S, Workshop, run_here
from tests.engine.processes import wait_until


def nonsense(rng: random.Random) -> bytes:
    """Return a hello, half of one, or none, and then anything."""
    hello = make_hello().encode()
    begin = rng.choice(
        (hello, hello[: rng.randrange(len(hello))], b"", b"POKETUI\n\xff\xff\xff\xff")
    )
    size = rng.choice((0, 3, 40, 2**15, 2**17, 2**32 - 1)).to_bytes(4)
    frame = rng.choice((b"", size, size + rng.randbytes(60), rng.randbytes(rng.randrange(3000))))
    return begin + frame


@contextmanager
def garbage(shop: Workshop) -> Iterator[Strike]:
    """Send garbage and half frames to a run's socket."""
    with detached(shop) as (_, live):

        def strike(rng: random.Random) -> None:
            with connect(live.path) as connection, contextlib.suppress(OSError):
                read_hello(connection)
                connection.sendall(nonsense(rng))
                if rng.random() < 0.3:
                    connection.settimeout(0.2)
                    connection.recv(2**16)
            found = probe(live.path)
            if found is None or found.hello is None or found.pid != live.pid:
                raise Lost("the run answers no more")

        yield strike


def other_hello(rng: random.Random, **facts: object) -> bytes:
    """Return the hello of another version, or none that is right."""
    hello = make_hello(**facts)  # type: ignore[arg-type]
    other = rng.choice(
        (
            replace(hello, protocol=rng.choice((0, 2, 2**70, -1))),
            replace(hello, schema="0" * 16),
            replace(hello, version="99.0\x1b[2J", schema="other"),
        )
    ).encode()
    return rng.choice((other, other, other[: rng.randrange(len(other))], rng.randbytes(200)))


@contextmanager
def newer_viewer(shop: Workshop) -> Iterator[Strike]:
    """Look at a run as a viewer of another version does."""
    with detached(shop) as (_, live):

        def strike(rng: random.Random) -> None:
            with connect(live.path) as connection:
                read_hello(connection)
                connection.sendall(other_hello(rng))
                connection.shutdown(socket.SHUT_WR)
                connection.settimeout(LIMIT_S)
                with contextlib.suppress(ConnectionError):
                    while connection.recv(2**18):
                        pass
            if not any(one.hello is not None for one in live_runs()):
                raise Lost("the run answers no more")

        yield strike


@contextmanager
def newer_run(shop: Workshop) -> Iterator[Strike]:
    """Attach to a run of another version, or to what only looks like one."""
    path = runtime_folder() / "other.0.sock"

    def strike(rng: random.Random) -> None:
        path.unlink(missing_ok=True)
        with socket.socket(socket.AF_UNIX) as server:
            server.bind(str(path))
            server.listen()
            is_over = threading.Event()
            words = other_hello(rng, run_id="other\x1b[2J", run_dir="/nowhere", pid=os.getpid())

            def answer() -> None:
                server.settimeout(0.05)
                while not is_over.is_set():
                    with contextlib.suppress(OSError), server.accept()[0] as connection:
                        connection.sendall(words)

            thread = threading.Thread(target=answer)
            thread.start()
            try:
                look(words)
            finally:
                is_over.set()
                thread.join()
        path.unlink(missing_ok=True)

    def look(words: bytes) -> None:
        with contextlib.suppress(AttachError, ProtocolError):
            live = probe(path)
            if live is not None:
                RemoteSession(live).close()
                if live.hello != make_hello():
                    raise Lost(f"a viewer attached to {words[:60]!r}")
        code, said, complained = run_here("attach", "--read-only")
        if code != 2 or complained.count("\n") != 1 or "\x1b" in said + complained:
            raise Lost(f"poketui attach ended with {code}: {complained}")

    yield strike


@contextmanager
def talking_run(shop: Workshop) -> Iterator[Strike]:
    """Be told garbage by a run that one is attached to."""
    path = runtime_folder() / "talking.0.sock"

    def strike(rng: random.Random) -> None:
        path.unlink(missing_ok=True)
        with socket.socket(socket.AF_UNIX) as server:
            server.bind(str(path))
            server.listen()
            hello: Hello = make_hello("talking", "/nowhere", os.getpid())

            def answer() -> None:
                server.settimeout(0.5)
                for _ in range(2):  # who looks, and who attaches
                    with contextlib.suppress(OSError), server.accept()[0] as connection:
                        connection.sendall(hello.encode() + nonsense(rng))

            thread = threading.Thread(target=answer)
            thread.start()
            try:
                live = probe(path)
                assert live is not None
                session = RemoteSession(live)
            except (AttachError, ProtocolError):
                return  # refused in a line, before anything is shown
            finally:
                thread.join(LIMIT_S)
            session.start()
            if not wait_until(lambda: not session.is_alive, LIMIT_S):
                raise TimeoutError("the viewer waits for ever")
            if not session.mailbox.drain():
                raise Lost("the viewer ended without a word")
        path.unlink(missing_ok=True)

    yield strike


FAULTS = (
    Fault("garbage and half frames to a run's socket", 150, garbage),
    Fault("a viewer of another version", 20, newer_viewer),
    Fault("a run of another version", 20, newer_run),
    Fault("garbage from a run to its viewer", 40, talking_run),
)
