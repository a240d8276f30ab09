"""Install the garden as `pip install` would: a folder on the path, with what announces it."""

import shutil
from pathlib import Path

from tests.toy_game.lantern_garden import garden

WIDE = "wide.garden"
_PACKAGE = Path(garden.__file__).parent
_METADATA = "Metadata-Version: 2.1\nName: lantern_garden\nVersion: 1.0\n"
_ENTRY_POINTS = "[poketui.games]\ngarden = lantern_garden.game:recognise\n"


def install(folder: Path) -> Path:
    """Make `folder` one for PYTHONPATH that has the game; return the game's file in it.

    Beside it lies that of the wide edition, `WIDE`.
    """
    ignored = shutil.ignore_patterns("__pycache__")
    shutil.copytree(_PACKAGE, folder / _PACKAGE.name, ignore=ignored)
    info = folder / "lantern_garden-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text(_METADATA, encoding="utf-8")
    (info / "entry_points.txt").write_text(_ENTRY_POINTS, encoding="utf-8")
    rom = folder / "lantern.garden"
    rom.write_bytes(garden.make_rom())
    (folder / WIDE).write_bytes(garden.make_rom(is_wide=True))
    return rom
