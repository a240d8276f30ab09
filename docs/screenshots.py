"""Make the documents' pictures from the real game and the real application.

    python -m docs.screenshots

takes about seven minutes and writes docs/images/. Seeded run and cells are the application's
own; how far training has come when a picture is taken depends on the machine: let it be idle.
"""

import argparse
import asyncio
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

from docs.pictures.runs import Cockpit, cockpit, is_choosing, is_walking, own_surroundings, runs_in
from docs.pictures.svg import to_svg
from pokeTUI.dashboard.state import DashboardState
from pokeTUI.draw.raster import read_screen

ROOT = Path(__file__).resolve().parents[1]
IMAGES = ROOT / "docs" / "images"
GAME_PICTURES = {
    "01_title": "title",
    "06_fernwick": "town",
    "08_starter": "lab",
    "10_millbrook_path": "route",
    "13_moves": "battle",
    "25_seen": "gym",
    "29_boulders": "moss-boulders",
    "30_ice": "moss-ice",
    "31_boat": "moss-boat",
    "32_riddle": "moss-riddle",
    "33_levers": "moss-levers",
    "34_echo": "moss-echo",
}
ADVANCE_PICTURES = {
    "01_title": "advance-title",
    "08_fernwick_2": "advance-town",
    "13_starter": "advance-lab",
    "15_millbrook_path_2": "advance-route",
    "19_battle_moves": "advance-battle",
    "38_gym": "advance-gym",
}
LARGE, MEDIUM, SMALL = (200, 60), (120, 40), (80, 24)
TRAIN_S = 300.0
SCENE_S = 40.0
"""How long to wait for a battle, or a way outdoors, before any scene will do."""

Scene = Callable[[DashboardState], bool]


def _any_scene(state: DashboardState) -> bool:
    return True


def picture_game(images: Path) -> None:
    """Play the practice game and keep one picture of each kind."""
    sys.path.insert(0, str(ROOT / "roms" / "practice"))
    import shots

    with tempfile.TemporaryDirectory() as folder:
        shots.take((ROOT / "roms" / "practice.gbc").read_bytes(), Path(folder))
        for source, name in GAME_PICTURES.items():
            shutil.copy(Path(folder) / f"{source}.png", images / f"{name}.png")


def picture_advance(images: Path) -> None:
    """Play the practice game for the Game Boy Advance, and keep one picture of each kind."""
    with tempfile.TemporaryDirectory() as folder:
        program = ROOT / "roms" / "mosslight_advance" / "shots.py"
        subprocess.run([sys.executable, str(program), folder], check=True)
        for source, name in ADVANCE_PICTURES.items():
            shutil.copy(Path(folder) / f"{source}.png", images / f"{name}.png")


class Photographer:
    """Bring the application into a state, and picture it.

    Args:
        cockpit: The application at work.
        images: Where pictures go.
        scene_s: How long to wait for a good scene.
    """

    def __init__(self, cockpit: Cockpit, images: Path, scene_s: float) -> None:
        self._cockpit = cockpit
        self._images = images
        self._scene_s = scene_s

    async def take_all(self) -> None:
        """Take every picture of the run."""
        await self._take("cockpit", is_choosing)
        await self._cockpit.resize(*SMALL)
        await self._cockpit.press("3")
        await self._take("cockpit-80x24", is_walking)

    async def _take(self, name: str, is_scene: Scene = _any_scene) -> None:
        """Write a picture, once what is to be seen is a good scene."""
        app = self._cockpit.app
        app.clear_notifications()
        await self._cockpit.settle()
        await self._cockpit.wait_for_scene(is_scene, self._scene_s)
        write(self._images, name, to_svg(read_screen(app), "poketui run"))


async def picture_start(images: Path, folder: Path) -> None:
    """Picture the screen that is there when no run is named."""
    from pokeTUI.app.start.app import StartApp

    app = StartApp(str(runs_in(folder)))
    async with app.run_test(size=MEDIUM) as pilot:
        await app.workers.wait_for_complete()
        await pilot.pause()
        write(images, "start", to_svg(read_screen(app), "poketui"))


async def picture_run(images: Path, train_s: float, scene_s: float) -> None:
    """Train for a while, then picture the application in many ways."""
    with own_surroundings() as folder:
        async with cockpit(folder, LARGE) as opened:
            await opened.wait_for(lambda state: False, train_s)
            await Photographer(opened, images, scene_s).take_all()
        await picture_start(images, folder)


def write(images: Path, name: str, svg: str) -> None:
    """Write a picture."""
    (images / f"{name}.svg").write_text(svg, encoding="utf-8")


def main(arguments: list[str] | None = None) -> None:
    """Write every picture."""
    parser = argparse.ArgumentParser(prog="python -m docs.screenshots")
    parser.add_argument("--to", type=Path, default=IMAGES, help="folder; docs/images")
    parser.add_argument("--train", type=float, default=TRAIN_S, help="seconds of training first")
    parser.add_argument("--scene", type=float, default=SCENE_S, help="seconds to wait for a scene")
    parser.add_argument("--no-game", action="store_true", help="leave out the games' own pictures")
    options = parser.parse_args(arguments)
    options.to.mkdir(parents=True, exist_ok=True)
    if not options.no_game:
        picture_game(options.to)
        picture_advance(options.to)
    asyncio.run(picture_run(options.to, options.train, options.scene))
    for path in sorted(options.to.glob("*.svg")):
        print(f"{path.stat().st_size / 1000:6.0f} kB  {path}")


if __name__ == "__main__":
    main()
