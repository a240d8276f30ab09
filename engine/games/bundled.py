"""Name the practice games that come with the project, and find their images; imports nothing slow.

Where a ROM is asked for, a game's name stands for its image: `rom_path = "mosslight-advance"` in a
configuration, `--game mosslight-advance` on the command line. A file of that name is `./NAME`.
"""

import hashlib
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from types import MappingProxyType

from engine.errors import RomError

FIRST, ADVANCE = "mosslight", "mosslight-advance"
"""The first is played where no game is named."""
IMAGES: Mapping[str, str] = MappingProxyType(
    {FIRST: "practice.gbc", ADVANCE: "mosslight_advance.gba"}
)
"""Name -> file."""
_BUILDS: Mapping[str, str] = MappingProxyType(
    {FIRST: "roms/practice/build.py", ADVANCE: "roms/mosslight_advance/build.py"}
)


def find_image(name: str) -> Path:
    """Find a game's image: beside this file in a wheel, in roms/ in a checkout.

    Args:
        name: One of `IMAGES`.

    Raises:
        RomError: It is in neither place.
    """
    places = (
        Path(__file__).parent / IMAGES[name],
        Path(__file__).parents[2] / "roms" / IMAGES[name],
    )
    for place in places:
        if place.is_file():
            return place
    raise RomError(
        f"The practice game {name} is missing from this installation.",
        f"Reinstall poketui, build it with `python {_BUILDS[name]}`, or use your ROM: --rom.",
    )


def refusal_of_build(name: str, file: Path, sha1: str) -> RomError:
    """Return why a file that calls itself a practice game is not played: it is another build."""
    return RomError(
        f"The practice game {file} is damaged or from a different version (SHA-1 {sha1}).",
        f"Reinstall poketui, or build it with `python {_BUILDS[name]}`.",
    )


def size_of_whole(name: str, rom: bytes) -> int:
    """Return the size in bytes of a practice game's image if `rom` is a part cut from it, else 0.

    A Game Boy Advance's header tells neither a size nor the image's checksum.
    """
    try:
        whole = find_image(name).read_bytes()
    except (RomError, OSError):
        return 0
    return len(whole) if len(rom) < len(whole) and whole.startswith(rom) else 0


def name_of(sha1: str) -> str:
    """Return the name of the practice game whose image has a SHA-1 (hexadecimal), "" if none."""
    return _names().get(sha1, "")


@cache
def _names() -> Mapping[str, str]:
    names = {}
    for name in IMAGES:
        try:
            image = find_image(name).read_bytes()
        except (RomError, OSError):
            continue
        names[hashlib.sha1(image, usedforsecurity=False).hexdigest()] = name
    return MappingProxyType(names)
