"""Generate what MOSSLIGHT ADVANCE is made of beside its code: world, creatures, pictures.

The world and the creatures come from roms/practice (sources.py), the pictures from art/. All of it
is written as C sources that game.h declares, and as the engine's tables of the game.
"""

from functools import cache
from pathlib import Path

from . import facts, pictures, tables
from .maps import World
from .world_source import WorldSource


@cache
def _world() -> World:
    return World()


def generate(build_dir: Path) -> None:
    """Write world_ids.h, creatures.h and all generated C sources into a folder."""
    world = WorldSource(_world())
    sources = {
        "world_ids.h": world.ids(),
        "creatures.h": tables.ids(),
        "world.c": world.c_source(),
        "creatures.c": tables.c_source(),
        "pictures.c": pictures.c_source(),
        "font.c": pictures.font_source(),
    }
    build_dir.mkdir(parents=True, exist_ok=True)
    for name, text in sources.items():
        (build_dir / name).write_text(text, encoding="ascii")


def write_facts(folder: Path, rom: bytes = b"") -> None:
    """Write the engine's tables of the game; `rom` is the built image, which they name."""
    facts.write(_world(), rom, folder)
