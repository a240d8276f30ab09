"""Lay a state that a run can start from out as a file: of which ROM it is, and the machine."""

import zlib

MAGIC = b"PokeTUI start state 1\n"
SHA1_SIZE = 40


def pack_state(sha1: str, machine: bytes) -> bytes:
    """Return a file that `poketui run --state` takes.

    Args:
        sha1: Of the ROM, in hexadecimal.
        machine: As the emulator saves it, with no button down.
    """
    return MAGIC + sha1.encode() + zlib.compress(machine, 6)
