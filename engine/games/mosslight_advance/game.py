"""Be MOSSLIGHT ADVANCE: it keeps its state as Emerald does, and its world is known."""

from functools import cache
from pathlib import Path

from engine.emulator.advance_cartridge import AdvanceCartridge
from engine.errors import RomError
from engine.games.base import Atlas, Recognised
from engine.games.bundled import ADVANCE, refusal_of_build, size_of_whole
from engine.games.emerald.game import EmeraldGame
from engine.games.emerald.memory import Profile
from engine.games.facts import with_places

TITLE = "MOSSLIGHTADV"
FACTS = Path(__file__).parent / "facts"
"""Written by the build of the game (roms/mosslight_advance/build.py)."""

_INTRODUCTION_FRAMES = 650


def recognise(file: Path, sha1: str, cartridge: AdvanceCartridge, rom: bytes) -> Recognised | None:
    """Return the practice game if an image is one, else None."""
    if cartridge.title != TITLE:
        return None
    if size := size_of_whole(ADVANCE, rom):
        truncated = f"The ROM {file} is truncated: {len(rom):,} bytes of {size:,}."
        return Recognised("a damaged ROM", None, RomError(truncated, "Copy it again."))
    profile = Profile.read(FACTS)
    game = EmeraldGame(
        profile,
        rom,
        facts=FACTS,
        atlas=atlas(),
        sha1=sha1,
        introduction_frames=_INTRODUCTION_FRAMES,
    )
    if sha1 == profile.sha1:
        return Recognised(game.name, game)
    refusal = refusal_of_build(ADVANCE, file, sha1)
    return Recognised(f"{game.name} (unknown build)", game, refusal)


@cache
def atlas() -> Atlas:
    """Return what is known of the game's world."""
    return with_places(Atlas(rest_name="CENTER", healer=1, shop_name="SHOP", clerk=1), FACTS)
