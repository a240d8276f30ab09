import os
import socket
from pathlib import Path

import pytest

from engine.errors import AttachError
from engine.remote.folder import (
    FOLDER_VARIABLE,
    find_live_run,
    is_own_peer,
    live_runs,
    runtime_folder,
    socket_path,
)
from tests.engine.remote.conftest import Serve


def test_the_folder_is_made_for_this_user_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(FOLDER_VARIABLE, str(tmp_path / "new"))
    assert runtime_folder().stat().st_mode & 0o777 == 0o700


def test_a_folder_that_others_can_look_into_is_refused(runtime: Path) -> None:
    runtime.chmod(0o755)
    with pytest.raises(AttachError, match="chmod 700"):
        runtime_folder()


def test_a_link_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "link").symlink_to(runtime_folder())
    monkeypatch.setenv(FOLDER_VARIABLE, str(tmp_path / "link"))
    with pytest.raises(AttachError, match="not a folder"):
        runtime_folder()


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give a folder away")
def test_a_folder_of_somebody_else_is_refused(runtime: Path) -> None:
    os.chown(runtime, 12345, -1)
    with pytest.raises(AttachError, match="belongs to another user"):
        runtime_folder()


def test_a_folder_whose_name_is_too_long_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / ("x" * 100)
    monkeypatch.setenv(FOLDER_VARIABLE, str(folder))
    with pytest.raises(AttachError, match="too long for a socket"):
        socket_path("run", "/saves/run")


def test_runs_with_one_id_in_two_folders_have_two_sockets() -> None:
    assert socket_path("run", "/one/run") != socket_path("run", "/two/run")


def test_the_socket_is_this_users_alone(serve: Serve) -> None:
    assert serve().path.stat().st_mode & 0o777 == 0o600


def test_a_dead_runs_socket_is_removed(runtime: Path) -> None:
    path = socket_path("dead", "/saves/dead")
    dead = socket.socket(socket.AF_UNIX)
    dead.bind(str(path))
    dead.close()
    assert live_runs() == []
    assert not path.exists()


def test_live_runs_leave_out_sockets_of_others(runtime: Path) -> None:
    path = runtime / "odd.12345678.sock"
    with socket.socket(socket.AF_UNIX) as odd:
        odd.bind(str(path))
        odd.listen()
        (runtime / "file.12345678.sock").write_text("")
        other = socket.socket(socket.AF_UNIX)
        other.connect(str(path))
        accepted, _ = odd.accept()
        assert is_own_peer(accepted)
        accepted.close()
        other.close()
    assert live_runs() == []


def test_the_only_run_is_meant_where_none_is_named(serve: Serve) -> None:
    with pytest.raises(AttachError, match="poketui run --detach"):
        find_live_run(None)
    serve("20261122-000001")
    assert find_live_run(None).run_id == "20261122-000001"
    serve("20261122-000002")
    with pytest.raises(AttachError, match=r"2 runs run in the background.*000001, 20261122-000002"):
        find_live_run(None)
    assert find_live_run("20261122-000002").run_id == "20261122-000002"
    with pytest.raises(AttachError, match=r"No run 'other'.*Running: 20261122-000001"):
        find_live_run("other")


def test_the_beginning_of_an_id_is_enough(serve: Serve) -> None:
    serve("alder")
    serve("birch")
    assert find_live_run("bi").run_id == "birch"


def test_a_closed_server_leaves_no_socket(serve: Serve) -> None:
    run = serve()
    assert [live.run_id for live in live_runs()] == ["run"]
    run.server.close()
    assert not run.path.exists()
    assert live_runs() == []
