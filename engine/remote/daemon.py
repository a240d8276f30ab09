"""Run in the background: python -m engine.remote.daemon.

The process reads the run's settings from standard input as JSON, answers with one line of JSON on
standard output, and writes everything else to the run's log.
"""

import json
import os
import signal
import sys
from pathlib import Path

from engine.commands import Stop
from engine.config import parse_config
from engine.errors import PokeTUIError
from engine.ground.files import open_file
from engine.remote.folder import socket_path
from engine.remote.protocol import make_hello
from engine.remote.server import RunServer
from engine.sessions.train import EngineSession

_LOOK_S = 0.5


def main() -> int:
    """Serve a run until it ends."""
    # The run outlives its terminal. Other signals keep their default until it is set up.
    signal.signal(signal.SIGHUP, signal.SIG_IGN)
    asked = json.loads(sys.stdin.read())
    try:
        config = parse_config(asked["config"], "the settings")
        session = EngineSession(config, asked["resume"])
        session.keeps_log = True
    except PokeTUIError as error:
        return _refuse(error)
    try:
        run_dir = str(Path(session.run_dir).resolve())
        path = socket_path(session.run_id, run_dir)
        server = RunServer(session, path, make_hello(session.run_id, run_dir, os.getpid()))
    except PokeTUIError as error:
        session.discard()
        return _refuse(error)
    server.start()
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda number, _: session.send(Stop(signal.Signals(number).name)))
    _answer({"run_id": session.run_id, "socket": str(path)})
    _leave_terminal(Path(run_dir) / "engine.log")
    session.start()
    while not session.join(_LOOK_S):
        pass
    server.close()
    return 0


def _refuse(error: PokeTUIError) -> int:
    _answer({"error": type(error).__name__, "message": error.message, "hint": error.hint})
    return 2


def _answer(facts: dict[str, str]) -> None:
    print(json.dumps(facts), flush=True)


def _leave_terminal(log: Path) -> None:
    """Detach from the terminal that it was started in."""
    descriptor = open_file(log, os.O_WRONLY | os.O_CREAT | os.O_APPEND)
    empty = os.open(os.devnull, os.O_RDONLY)
    for old, new in ((empty, 0), (descriptor, 1), (descriptor, 2)):
        os.dup2(old, new)
    os.close(descriptor)
    os.close(empty)


if __name__ == "__main__":
    sys.exit(main())
