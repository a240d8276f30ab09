import shutil
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from engine.remote import folder as folder_module
from engine.remote.folder import FOLDER_VARIABLE, probe, socket_path
from engine.remote.protocol import Hello, make_hello
from engine.remote.server import RunServer
from tests.engine.remote.scripted import LIMIT_S, ScriptedRun, Viewing

Serve = Callable[..., ScriptedRun]


@pytest.fixture(autouse=True)
def runtime(monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """Keep sockets apart, in a folder whose name is short enough for them."""
    folder = Path(tempfile.mkdtemp(prefix="pt", dir="/tmp"))
    monkeypatch.setenv(FOLDER_VARIABLE, str(folder))
    # A busy machine's server may take longer to say who it is.
    monkeypatch.setattr(folder_module, "_ANSWER_TIMEOUT_S", LIMIT_S)
    yield folder
    shutil.rmtree(folder)


@pytest.fixture
def serve() -> Iterator[Serve]:
    """Serve a scripted run."""
    servers = []

    def serve_it(run_id: str = "run", hello: Hello | None = None, **options) -> ScriptedRun:
        run = ScriptedRun()
        path = socket_path(run_id, f"/saves/{run_id}")
        server = RunServer(run, path, hello or make_hello(run_id, f"/saves/{run_id}", 1), **options)
        server.start()
        servers.append(server)
        run.server, run.path = server, path
        return run

    yield serve_it
    for server in servers:
        server.close()


@pytest.fixture
def view() -> Iterator[Callable[..., Viewing]]:
    """Attach a viewer to a run."""
    viewings = []

    def view_it(run: ScriptedRun, **options) -> Viewing:
        live = probe(run.path)
        assert live is not None
        viewings.append(Viewing(live, **options))
        return viewings[-1]

    yield view_it
    for viewing in viewings:
        viewing.session.close()
