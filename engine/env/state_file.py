"""Lay a state that a run can start from out as a file: of which ROM it is, and the machine."""

import zlib

from engine.files import inflate

MAGIC = b"PokeTUI start state 1\n"
SHA1_SIZE = 40
MAX_STATE_SIZE = 1 << 22
"""Bytes of a machine's state; PyBoy's of Crystal has about 180,000."""


def pack_state(sha1: str, machine: bytes) -> bytes:
    """Return a file that `poketui run --state` takes.

    Args:
        sha1: Of the ROM, in hexadecimal.
        machine: As the emulator saves it, with no button down.
    """
    return MAGIC + sha1.encode() + zlib.compress(machine, 6)


def unpack_state(data: bytes) -> bytes:
    """Return the machine of what `pack_state` returned.

    Raises:
        ValueError: It is damaged, or larger than any.
    """
    if not data.startswith(MAGIC):
        raise ValueError("it has another beginning")
    return inflate(data[len(MAGIC) + SHA1_SIZE :], MAX_STATE_SIZE)
