"""Record the application on real runs, for the README: docs/images/cockpit.gif and cockpit.cast.

    pip install -e '.[docs]'
    python -m docs.recording

takes about four minutes. Keys are pressed as a person would; what takes long (the start, training,
the way to the gym) is left out or shown as a time lapse, so a recording has cuts. The runs are
seeded; how far they have come at each key depends on the machine: let it be idle.
"""

import argparse
import asyncio
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from enum import StrEnum
from pathlib import Path

from docs.pictures.cast import Moment, to_cast
from docs.pictures.runs import (
    Cockpit,
    cockpit,
    is_choosing,
    is_near_the_badge,
    is_walking,
    key_on,
    own_surroundings,
)
from engine.demos.video import gif_writer
from engine.errors import VideoError
from engine.types import EpisodeSummary
from pokeTUI.dashboard.state import DashboardState
from pokeTUI.draw.raster import Look, Raster, Screen, check_tools, mix, read_screen

IMAGES = Path(__file__).resolve().parent / "images"
SIZE = (120, 40)
INTERVAL_S = 0.1
REST_S = 2.5
"""How long the last picture stays before the GIF begins again."""
TRAIN_S = 90.0
SCENE_S = 90.0
LAPSE = 40
"""Pictures of the training."""
STEPS = 5


class Scene(StrEnum):
    """What is shown, in this order, under these captions."""

    BATTLE = "poketui run: an agent plays, and says why"
    WALLS = "before training, the policy alone bumps into walls"
    LEARNING = "a minute and a half in twelve seconds: the planner teaches, the policy learns"
    WINNING = "now the policy wins the badge by itself"
    TAKING_OVER = "t  take over at any time, and walk with the arrows"
    GIVING_BACK = "t  give it back: the agent continues from here"
    QUITTING = "q  save and quit; poketui run --resume continues"


class Camera:
    """Keep what the screen shows, ten times a second, while it rolls.

    Attributes:
        moments: What was kept; cuts take no time.
    """

    def __init__(self, opened: Cockpit) -> None:
        self.moments: list[Moment] = []
        self._cockpit = opened
        self._rolling: Scene | None = None

    async def run(self) -> None:
        """Keep a picture at each tick until the application ends."""
        loop = asyncio.get_running_loop()
        tick = loop.time()
        while self._cockpit.app.is_running:
            if self._rolling is not None:
                self._keep(self._rolling)
            tick = max(tick + INTERVAL_S, loop.time())
            await asyncio.sleep(tick - loop.time())

    @contextmanager
    def rolls(self, scene: Scene) -> Iterator[None]:
        """Keep what happens within."""
        self._rolling = scene
        try:
            yield
        finally:
            self._rolling = None

    async def watch(self, scene: Scene, seconds: float, *keys: str) -> None:
        """Press keys and keep as many pictures as make `seconds`, however slow this machine is."""
        await self._cockpit.press(*keys)
        wanted = len(self.moments) + round(seconds / INTERVAL_S)
        with self.rolls(scene):
            while self._cockpit.app.is_running and len(self.moments) < wanted:
                await asyncio.sleep(INTERVAL_S / 10)

    async def lapse(self, scene: Scene, seconds: float, ticks: int = 3) -> None:
        """Keep few pictures of a long time, each shown for some ticks."""
        for _ in range(LAPSE):
            await self._cockpit.wait_for(lambda state: False, seconds / LAPSE)
            await self._cockpit.settle()
            for _ in range(ticks):
                self._keep(scene)

    def _keep(self, scene: Scene) -> None:
        self.moments.append(Moment(0.0, read_screen(self._cockpit.app), scene))


async def play_untrained(opened: Cockpit, camera: Camera, scene_s: float) -> None:
    """Show what a policy does that has learnt nothing yet."""
    await opened.wait_for(lambda state: state.frame is not None, scene_s)
    await camera.watch(Scene.WALLS, 2.0, *"---")


async def play(opened: Cockpit, camera: Camera, train_s: float, scene_s: float) -> None:
    """Show a run that learns: its curve, a battle, a badge, a person who takes over."""
    await opened.wait_for(lambda state: state.frame is not None, scene_s)
    await opened.click("learning")
    await opened.press("Z")
    await camera.lapse(Scene.LEARNING, train_s)
    await opened.press("Z")
    await opened.click("game")
    await opened.press("N")  # the last game: the policy plays it alone
    await opened.wait_for(is_near_the_badge, scene_s)
    await opened.press("-", "-")
    with camera.rolls(Scene.WINNING):
        before = _last_end(opened.state)
        await opened.wait_for(lambda state: _last_end(state) is not before, scene_s / 6)
    await opened.press("-")
    await opened.wait_for(is_choosing, scene_s)
    await camera.watch(Scene.BATTLE, 2.0)
    await opened.press("+", "+", "+")
    await opened.wait_for(is_walking, scene_s)
    await opened.press("t")
    await opened.wait_for(lambda state: state.is_human, scene_s)
    for _ in range(STEPS):
        await camera.watch(Scene.TAKING_OVER, 0.5, key_on(opened.state))
    await camera.watch(Scene.GIVING_BACK, 1.5, "t")
    await opened.press("q")
    await camera.watch(Scene.QUITTING, 1.5)


def _last_end(state: DashboardState) -> EpisodeSummary | None:
    """Return how the watched game's last episode went."""
    return None if state.status is None else state.last_ends.get(state.status.watched_env)


async def record(train_s: float, scene_s: float) -> list[Moment]:
    """Return what two runs show while keys are pressed, as one recording."""
    moments: list[Moment] = []
    for mode in ("rl_only", "adaptive"):
        with own_surroundings() as folder:
            async with cockpit(folder, SIZE, mode=mode) as opened:
                camera = Camera(opened)
                async with asyncio.TaskGroup() as group:
                    group.create_task(camera.run())
                    if mode == "rl_only":
                        await play_untrained(opened, camera, scene_s)
                        await opened.quit(scene_s)
                    else:
                        await play(opened, camera, train_s, scene_s)
            moments += camera.moments
    order = list(Scene)
    moments.sort(key=lambda moment: order.index(Scene(moment.caption)))
    return [replace(moment, at_s=number * INTERVAL_S) for number, moment in enumerate(moments)]


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
