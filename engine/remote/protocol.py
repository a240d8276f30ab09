"""Define the messages between viewers and a run's process, and their version.

Each side begins with a hello, whose format never changes: magic, length, a JSON object. Then come
commands to the run and events to the viewer, if both have the same protocol and schema.
"""

import importlib.metadata
import json
from dataclasses import asdict, dataclass, fields
from types import ModuleType

from engine import commands, events
from engine.errors import AttachError, ProtocolError
from engine.remote.codec import Codec

PROTOCOL = 1
"""Version of the bytes' format; the schema stands for that of events and commands."""
MAX_EVENT_BYTES = 8 * 2**20
MAX_COMMAND_BYTES = 2**16
_MAGIC = b"POKETUI\n"
_MAX_HELLO_BYTES = 8192


@dataclass(frozen=True, slots=True)
class Farewell(events.Event):
    """The run's process ends this viewer's connection."""

    reason: str


@dataclass(frozen=True, slots=True)
class Hello:
    """How a viewer or a run's process introduces itself."""

    protocol: int
    schema: str
    """Fingerprint of all kinds of events and commands."""
    version: str
    """Of the program, for people."""
    run_id: str = ""
    """Set by the run's process, as are the next two."""
    run_dir: str = ""
    pid: int = 0
    is_read_only: bool = False
    """Set by a viewer that never steers."""

    def encode(self) -> bytes:
        """Return it as bytes."""
        text = json.dumps(asdict(self)).encode()
        return _MAGIC + len(text).to_bytes(4) + text


def kinds(module: ModuleType, base: type) -> tuple[type, ...]:
    """Return the leaf classes below `base` in a module."""
    found = [kind for kind in vars(module).values() if isinstance(kind, type)]
    bases = {parent for kind in found for parent in kind.__bases__}
    return tuple(kind for kind in found if issubclass(kind, base) and kind not in bases)


def event_codec() -> Codec:
    """Return the codec of what viewers receive."""
    return Codec((*kinds(events, events.Event), Farewell))


def command_codec() -> Codec:
    """Return the codec of what viewers send."""
    return Codec(kinds(commands, commands.Command))


def make_hello(
    run_id: str = "", run_dir: str = "", pid: int = 0, *, is_read_only: bool = False
) -> Hello:
    """Return the hello of this program."""
    try:
        version = importlib.metadata.version("poketui")
    except importlib.metadata.PackageNotFoundError:
        version = "unknown"
    schema = event_codec().schema + command_codec().schema
    return Hello(PROTOCOL, schema, version, run_id, run_dir, pid, is_read_only)


def split_hello(data: bytes) -> tuple[Hello, bytes] | None:
    """Return the hello at the beginning of `data` and what follows it; None: it is incomplete.

    Raises:
        ProtocolError: There is none.
    """
    if not data.startswith(_MAGIC[: len(data)]):
        raise ProtocolError("The other end is not poketui.")
    begin = len(_MAGIC) + 4
    if len(data) < begin:
        return None
    size = int.from_bytes(data[len(_MAGIC) : begin])
    if size > _MAX_HELLO_BYTES:
        raise ProtocolError("A hello is too long.")
    if len(data) < begin + size:
        return None
    return _parse_hello(data[begin : begin + size]), data[begin + size :]


def check_versions(ours: Hello, theirs: Hello) -> None:
    """Make sure that viewer and run understand each other.

    Raises:
        AttachError: They do not.
    """
    if (ours.protocol, ours.schema) == (theirs.protocol, theirs.schema):
        return
    run = theirs.run_id or "RUN"
    names = [
        f"poketui {one.version}, protocol {one.protocol}-{one.schema}" for one in (theirs, ours)
    ]
    raise AttachError(
        f"The run uses a different protocol ({names[0]}) than this program ({names[1]}).",
        f"Attach with the version that started it, or: poketui stop {run}, then "
        f"poketui run --detach --resume {run}",
    )


def _parse_hello(text: bytes) -> Hello:
    try:
        values = json.loads(text)
    except (ValueError, RecursionError):
        values = None
    if not isinstance(values, dict):
        raise ProtocolError("A hello cannot be read.")
    found = {}
    for field in fields(Hello):
        value = values.get(field.name, field.default)
        if type(value) is not field.type:
            raise ProtocolError(f"A hello has no {field.name}.")
        found[field.name] = value
    return Hello(**found)
