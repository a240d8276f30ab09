"""Lay a saved environment out as bytes: JSON facts, and the state of the machine."""

import json
import struct
import zlib
from typing import Any

from engine.env.state_file import MAX_STATE_SIZE
from engine.errors import CheckpointError
from engine.files import inflate, parse_json

_MAGIC = b"PokeTUI environment 3\n"
_SIZE = struct.Struct("<I")


def pack(facts: dict[str, Any], machine: bytes) -> bytes:
    """Return both as one."""
    header = json.dumps(facts).encode()
    return _MAGIC + _SIZE.pack(len(header)) + header + zlib.compress(machine, 1)


def unpack(saved: bytes) -> tuple[dict[str, Any], bytes]:
    """Return the facts and the state of the machine.

    Raises:
        CheckpointError: It is damaged, or was not saved by this version.
    """
    if not saved.startswith(_MAGIC):
        raise CheckpointError("This saved environment is of another version.", "Start a new run.")
    start = len(_MAGIC) + _SIZE.size
    try:
        (size,) = _SIZE.unpack_from(saved, len(_MAGIC))
        facts: dict[str, Any] = parse_json(saved[start : start + size])
        return facts, inflate(saved[start + size :], MAX_STATE_SIZE)
    except (ValueError, struct.error) as error:
        raise CheckpointError(
            f"A saved environment is damaged: {error}.", "Use an older checkpoint."
        ) from None
