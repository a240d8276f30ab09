"""Record the application on a real run, for the README: docs/images/cockpit.gif and cockpit.cast.

    pip install -e '.[docs]'
    python -m docs.recording

takes about four minutes. Keys are pressed as a person would; what takes long (the engine's start,
the first episodes, the next walk outdoors) is left out, so a recording has cuts. The run is seeded;
how far it has come at each key depends on the machine.
"""

import argparse
import asyncio
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from docs.pictures.cast import Moment, to_cast
from docs.pictures.runs import Cockpit, cockpit, is_walking, key_on, own_surroundings
from engine.errors import VideoError
from engine.video import gif_writer
from pokeTUI.video.raster import Raster, check_tools
from pokeTUI.video.screen import Look, Screen, mix, read_screen

IMAGES = Path(__file__).resolve().parent / "images"
SIZE = (120, 40)
INTERVAL_S = 0.1
REST_S = 2.5
"""How long the last picture stays before the GIF begins again."""
TRAIN_S = 100.0
SCENE_S = 60.0
STEPS = 5


class Camera:
    """Keep what the screen shows, ten times a second, while it rolls.

    Attributes:
        moments: What was kept; cuts take no time.
    """

    def __init__(self, opened: Cockpit) -> None:
        self.moments: list[Moment] = []
        self._cockpit = opened
        self._caption = ""
        self._is_rolling = False

    async def run(self) -> None:
        """Keep a picture at each tick until the application ends."""
        loop = asyncio.get_running_loop()
        tick = loop.time()
        while self._cockpit.app.is_running:
            if self._is_rolling:
                at_s = len(self.moments) * INTERVAL_S
                screen = read_screen(self._cockpit.app)
                self.moments.append(Moment(at_s, screen, self._caption))
            tick = max(tick + INTERVAL_S, loop.time())
            await asyncio.sleep(tick - loop.time())

    @contextmanager
    def rolls(self, caption: str) -> Iterator[None]:
        """Keep what happens within, under a caption."""
        self._caption, self._is_rolling = caption, True
        try:
            yield
        finally:
            self._is_rolling = False

    async def watch(self, caption: str, seconds: float, *keys: str) -> None:
        """Press keys and keep as many pictures as make `seconds`, however slow this machine is."""
        await self._cockpit.press(*keys)
        wanted = len(self.moments) + round(seconds / INTERVAL_S)
        with self.rolls(caption):
            while self._cockpit.app.is_running and len(self.moments) < wanted:
                await asyncio.sleep(INTERVAL_S / 10)


async def play(opened: Cockpit, camera: Camera, train_s: float, scene_s: float) -> None:
    """Show the application: start, watch, zoom, present, change colours, take over, quit."""
    with camera.rolls("poketui run"):
        await opened.wait_for(lambda state: bool(camera.moments), scene_s)
    await camera.watch("poketui run", 1.4)
    await opened.wait_for(lambda state: state.frame is not None, scene_s)
    await camera.watch("sixteen games are played at once; this is one of them", 0.8)
    await opened.wait_for(lambda state: False, train_s)
    await camera.watch("a while later: at full speed", 1.5)
    await camera.watch("-  slower, to follow it", 2.5, *"-----")
    await camera.watch("L  presentation: the game large", 1.6, "L")
    await opened.press("L", "p")
    await opened.click("learning")
    await camera.watch("p  pause;  Z  zoom: does it get better?", 2.5, "Z")
    await opened.press("Z")
    for _ in range(4):
        await camera.watch("T  colours: light, high contrast, colour-blind safe, dark", 0.8, "T")
    await opened.press("p")
    await _take_over(opened, camera, scene_s)
    await opened.press("q")
    await camera.watch("q  save and quit; poketui run --resume goes on", 1.5)


async def _take_over(opened: Cockpit, camera: Camera, scene_s: float) -> None:
    await opened.click("game")
    await opened.wait_for(is_walking, scene_s)
    await opened.press("t")
    await opened.wait_for(lambda state: state.is_human, scene_s)
    for _ in range(STEPS):
        key = key_on(opened.state)
        await camera.watch("t  take the game over, and walk with the arrows", 0.5, key)
    await camera.watch("t  give it back: the agent goes on from here", 1.5, "t")


async def record(train_s: float, scene_s: float) -> list[Moment]:
    """Return what a run shows while keys are pressed."""
    with own_surroundings() as folder:
        async with cockpit(folder, SIZE) as opened:
            camera = Camera(opened)
            async with asyncio.TaskGroup() as group:
                group.create_task(camera.run())
                await play(opened, camera, train_s, scene_s)
    return camera.moments


def write(moments: list[Moment], images: Path, cell: int) -> None:
    """Write the recording for terminals, and the one for pages."""
    images.mkdir(parents=True, exist_ok=True)
    (images / "cockpit.cast").write_text(to_cast(moments, "PokeTUI"), encoding="utf-8")
    raster = Raster(cell)
    resting = round(REST_S / INTERVAL_S) - 1
    with gif_writer(images / "cockpit.gif", 1 / INTERVAL_S) as add:
        for moment in (*moments, *moments[-1:] * resting):
            add(raster.draw(captioned(moment)))


def captioned(moment: Moment) -> Screen:
    """Return a moment's screen with its caption in a row of its own below."""
    screen = moment.screen
    columns, _ = screen.size
    ground = mix(screen.ground, (128, 128, 128), 0.22)
    is_dark = sum(screen.ground) < 3 * 128
    look = Look((255, 255, 255) if is_dark else (0, 0, 0), ground, is_bold=True)
    text = f"  {moment.caption}".ljust(columns)[:columns]
    rows = (*screen.rows, tuple((character, look) for character in text))
    return Screen(rows, screen.ground)


def main(arguments: list[str] | None = None) -> int:
    """Record, and write both files."""
    parser = argparse.ArgumentParser(prog="python -m docs.recording", description="Record a run.")
    parser.add_argument("--to", type=Path, default=IMAGES, help="folder; docs/images")
    parser.add_argument("--train", type=float, default=TRAIN_S, help="seconds of training first")
    parser.add_argument("--scene", type=float, default=SCENE_S, help="seconds to wait for a scene")
    parser.add_argument("--cell", type=int, default=8, help="width of a cell in the GIF, in pixels")
    options = parser.parse_args(arguments)
    try:
        check_tools()
    except VideoError as error:
        print(error, file=sys.stderr)
        return 2
    moments = asyncio.run(record(options.train, options.scene))
    write(moments, options.to, options.cell)
    print(f"{len(moments)} pictures, {len(moments) * INTERVAL_S:.0f} s")
    for name in ("cockpit.gif", "cockpit.cast"):
        path = options.to / name
        print(f"{path.stat().st_size / 1000:6.0f} kB  {path}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
