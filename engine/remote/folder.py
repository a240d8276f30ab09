"""Find background runs: each has a socket in a private folder of this user.

The folder is not $XDG_RUNTIME_DIR, which is deleted when the user's last session ends: a run must
outlive that.
"""

import contextlib
import hashlib
import os
import socket
import stat
import struct
import sys
import time
from dataclasses import dataclass, replace
from pathlib import Path

from engine.errors import AttachError
from engine.ground.files import os_errors_as
from engine.remote.protocol import Hello, split_hello

FOLDER_VARIABLE = "POKETUI_RUNTIME_DIR"
_MAX_PATH_BYTES = 103
"""The shortest limit of all systems, macOS's, without the terminating zero."""
_ANSWER_TIMEOUT_S = 3.0
_PROBES, _PROBE_PAUSE_S = 10, 0.05


@dataclass(frozen=True, slots=True)
class LiveRun:
    """A background run."""

    run_id: str
    path: Path
    """Its socket."""
    hello: Hello | None
    """Its process's hello; None: it does not answer."""
    pid: int = 0
    """Its process; 0: not known."""


def runtime_folder() -> Path:
    """Return the private folder of the sockets; make it if it is missing.

    Raises:
        AttachError: It cannot be made, or others have access to it.
    """
    given = os.environ.get(FOLDER_VARIABLE)
    path = Path(given) if given else Path("/tmp") / f"poketui-{os.geteuid()}"
    hint = f"Use a folder of your own: export {FOLDER_VARIABLE}=~/.poketui-run"
    with os_errors_as(AttachError, f"Cannot use the folder {path}", hint):
        with contextlib.suppress(FileExistsError):
            path.mkdir(mode=0o700)
        found = path.lstat()
    if not stat.S_ISDIR(found.st_mode):
        raise AttachError(f"{path} is not a folder.", hint)
    if found.st_uid != os.geteuid():
        raise AttachError(f"The folder {path} belongs to another user.", hint)
    if stat.S_IMODE(found.st_mode) & 0o077:
        raise AttachError(f"Other users can read the folder {path}.", f"chmod 700 {path}")
    return path


def socket_path(run_id: str, run_dir: str) -> Path:
    """Return where a run's socket belongs.

    Raises:
        AttachError: The folder is unusable, or its name too long.
    """
    digest = hashlib.blake2b(os.fsencode(Path(run_dir).resolve()), digest_size=4).hexdigest()
    path = runtime_folder() / f"{run_id[:40]}.{digest}.sock"
    if len(os.fsencode(path)) + len(".new") > _MAX_PATH_BYTES:
        raise AttachError(
            f"The folder's name is too long for a socket: {path.parent}.",
            f"Set a shorter one with {FOLDER_VARIABLE}.",
        )
    return path


def listen(path: Path) -> socket.socket:
    """Return a socket that viewers can connect to, in place of a dead run's at `path`."""
    new = path.with_name(path.name + ".new")
    new.unlink(missing_ok=True)
    server = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    try:
        server.bind(str(new))
        new.chmod(0o600)
        server.listen()
        new.rename(path)  # only now, as `probe` removes a socket on which nothing listens
    except OSError as error:
        server.close()
        raise AttachError(
            f"Cannot create the socket {path}: {error.strerror or error}.",
            f"Set another folder with {FOLDER_VARIABLE}.",
        ) from None
    return server


def connect(path: Path) -> socket.socket:
    """Return a connection to a run's process of this user.

    Raises:
        OSError: Nothing listens there.
        AttachError: It is another user's.
    """
    connection = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    try:
        connection.settimeout(_ANSWER_TIMEOUT_S)
        connection.connect(str(path))
        if not is_own_peer(connection):
            raise AttachError(f"The socket {path} belongs to another user.")
    except BaseException:
        connection.close()
        raise
    return connection


def is_own_peer(connection: socket.socket) -> bool:
    """Return whether the other side is a process of this user."""
    if sys.platform == "linux":
        return _peer(connection)[1] == os.geteuid()
    try:
        # struct xucred of <sys/ucred.h>, asked for at level SOL_LOCAL (0), LOCAL_PEERCRED (1).
        found = connection.getsockopt(0, 1, 76)
    except OSError:
        return True  # the system does not tell; the folder's mode keeps others out
    return len(found) >= 8 and bool(struct.unpack("=II", found[:8])[1] == os.geteuid())


def _peer(connection: socket.socket) -> tuple[int, int]:
    """Return process and user id of the other side, on Linux."""
    found = connection.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, struct.calcsize("3i"))
    pid, uid, _ = struct.unpack("3i", found)
    return pid, uid


def read_hello(connection: socket.socket) -> tuple[Hello, bytes]:
    """Return the hello of the run's process, and the bytes received after it.

    Raises:
        OSError: It does not answer.
        ProtocolError: It is not the process of a run.
    """
    data = b""
    while (found := split_hello(data)) is None:
        received = connection.recv(4096)
        if not received:
            raise ConnectionResetError("The run's process closed the connection.")
        data += received
    return found


def probe(path: Path) -> LiveRun | None:
    """Return a run if it is alive; None: its process is gone, and its socket is removed.

    Raises:
        AttachError: The socket is another user's, or no run's.
    """
    live = LiveRun(path.name.rsplit(".", 2)[0], path, None)
    for _ in range(_PROBES):
        try:
            connection = connect(path)
        except (ConnectionRefusedError, FileNotFoundError):
            path.unlink(missing_ok=True)
            return None
        except OSError:
            return live
        with connection:
            pid = _peer(connection)[0] if sys.platform == "linux" else 0
            live = replace(live, pid=pid)
            try:
                hello, _ = read_hello(connection)
                return LiveRun(hello.run_id, path, hello, pid or hello.pid)
            except ConnectionResetError:
                time.sleep(_PROBE_PAUSE_S)  # a dying process closes its connections one by one
            except OSError:
                return live
    return live


def live_runs() -> list[LiveRun]:
    """Return the background runs, oldest first.

    Raises:
        AttachError: The folder of the sockets is unusable.
    """
    found = []
    for path in sorted(runtime_folder().glob("*.sock")):
        with contextlib.suppress(AttachError):
            live = probe(path)
            if live is not None:
                found.append(live)
    return found


def find_live_run(run: str | None) -> LiveRun:
    """Return a background run by its id or the beginning of it; None: the only one.

    Raises:
        AttachError: There is none, or several.
    """
    live = live_runs()
    if not live:
        raise AttachError("No run is running in the background.", "Start one: poketui run --detach")
    names = ", ".join(one.run_id for one in live)
    chosen = [one for one in live if run is None or one.run_id == run]
    if run and not chosen:
        chosen = [one for one in live if one.run_id.startswith(run)]
    if len(chosen) == 1:
        return chosen[0]
    if not chosen:
        raise AttachError(f"No run '{run}' is running in the background.", f"Running: {names}.")
    raise AttachError(
        f"{len(chosen)} runs run in the background: {', '.join(one.run_id for one in chosen)}.",
        f"Choose one, e.g. {chosen[0].run_id}.",
    )
