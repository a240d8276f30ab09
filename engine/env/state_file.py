"""Lay a state that a run can start from out as a file, and a saved environment as bytes."""

import json
import struct
import zlib
from typing import Any

from engine.errors import CheckpointError
from engine.files import inflate, parse_json

MAGIC = b"PokeTUI start state 1\n"
SHA1_SIZE = 40
MAX_STATE_SIZE = 1 << 22
"""Bytes of a machine's state; PyBoy's of Crystal has about 180,000."""

_OTHERS = (
    (b"\x1f\x8b", "packed with gzip, as the states of VisualBoyAdvance are"),
    (b"\x89PNG", "a picture, as the states of mGBA are"),
    (b"PK\3\4", "a ZIP archive, as the states of BizHawk are"),
    (b"7z\xbc\xaf", "a 7z archive"),
    (b"RASTATE", "a state of RetroArch"),
    (b"#RZIPv", "compressed by RetroArch"),
    (b"NocashGbaBackupMedia", "packed by No$gba"),
    (b"\r\0\0\0SharkPortSave", "a file of a GameShark"),
    (b"ADVSAVEG", "a file of a GameShark"),
)
_BESS = b"BESS"
"""What a state of SameBoy and others ends with (BESS.md of SameBoy)."""

_ENV_MAGIC = b"PokeTUI environment 3\n"
_SIZE = struct.Struct("<I")


def pack_state(sha1: str, machine: bytes) -> bytes:
    """Return a file that `poketui run --state` takes.

    `sha1` is the ROM's, in hexadecimal; `machine` is as the emulator saves it, with no button down.
    """
    return MAGIC + sha1.encode() + zlib.compress(machine, 6)


def other_format(data: bytes) -> str:
    """Return what a file of another emulator is in place of a battery file, "" where unknown."""
    if data.endswith(_BESS):
        return "a state of SameBoy or its like"
    return next((what for magic, what in _OTHERS if data.startswith(magic)), "")


def unpack_state(data: bytes) -> bytes:
    """Return the machine of what `pack_state` returned.

    Raises:
        ValueError: It is damaged, or larger than any.
    """
    if not data.startswith(MAGIC):
        raise ValueError("unknown header")
    return inflate(data[len(MAGIC) + SHA1_SIZE :], MAX_STATE_SIZE)


def pack_env(facts: dict[str, Any], machine: bytes) -> bytes:
    """Return an environment as it is saved: JSON facts, and the state of the machine."""
    header = json.dumps(facts).encode()
    return _ENV_MAGIC + _SIZE.pack(len(header)) + header + zlib.compress(machine, 1)


def unpack_env(saved: bytes) -> tuple[dict[str, Any], bytes]:
    """Return the facts and the machine of what `pack_env` returned.

    Raises:
        CheckpointError: It is damaged, or was not saved by this version.
    """
    if not saved.startswith(_ENV_MAGIC):
        raise CheckpointError(
            "This saved environment is from a different version.", "Start a new run."
        )
    start = len(_ENV_MAGIC) + _SIZE.size
    try:
        (size,) = _SIZE.unpack_from(saved, len(_ENV_MAGIC))
        facts: dict[str, Any] = parse_json(saved[start : start + size])
        return facts, inflate(saved[start + size :], MAX_STATE_SIZE)
    except (ValueError, struct.error) as error:
        raise CheckpointError(
            f"A saved environment is damaged: {error}.", "Use an older checkpoint."
        ) from None
