"""Open the application on a real run, and wait for what is worth a picture."""

import asyncio
import os
import tempfile
import time
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path
from typing import Literal

from textual.pilot import Pilot

from engine.config import RunConfig
from engine.sessions.train import EngineSession
from pokeTUI.app.cockpit import FRAMES_PER_FIGURES_AT_FULL_SPEED, CockpitApp
from pokeTUI.dashboard.state import DashboardState

SEED = 7
_LOOK_S = 0.05
_END_S = 60.0
_TERMINAL = "vte"
"""As most terminals on Linux, which draw the game in sextants."""
_LONG_WAY = 6


@contextmanager
def own_surroundings() -> Iterator[Path]:
    """Set a terminal with all colours, preferences of its own and a folder for runs; yield that."""
    with tempfile.TemporaryDirectory() as folder:
        preferences = Path(folder) / "config"
        preferences.mkdir()
        text = "has_seen_first_run = true\n"
        (preferences / "preferences.toml").write_text(text, encoding="utf-8")
        changes = {
            "TERM": "xterm-256color",
            "COLORTERM": "truecolor",
            "TERM_PROGRAM": _TERMINAL,
            "POKETUI_CONFIG_DIR": str(preferences),
        }
        dropped = ("NO_COLOR", "TMUX", "TEXTUAL_DRIVER", "TEXTUAL_COLOR_SYSTEM")
        before = {name: os.environ.get(name) for name in (*changes, *dropped)}
        os.environ.update(changes)
        for name in dropped:
            os.environ.pop(name, None)
        try:
            yield Path(folder)
        finally:
            for name, value in before.items():
                os.environ.pop(name, None)
                if value is not None:
                    os.environ[name] = value


class Cockpit:
    """A real run in the real application, steered by keys."""

    def __init__(self, app: CockpitApp, pilot: Pilot[None]) -> None:
        self.app = app
        self._pilot = pilot

    @property
    def state(self) -> DashboardState:
        """What the application knows."""
        return self.app.dashboard

    async def press(self, *keys: str) -> None:
        """Press keys."""
        await self._pilot.press(*keys)

    async def click(self, pane: str) -> None:
        """Click a pane, which gives it the keyboard."""
        await self._pilot.click(f"#{pane}")

    async def quit(self, limit_s: float) -> None:
        """Save and quit, and wait for the end."""
        if self.app.is_running and self.app.end is None:
            await self.press("q")
            await self.wait_for(lambda state: state.end is not None, limit_s)

    async def resize(self, columns: int, rows: int) -> None:
        """Make the terminal another size."""
        await self._pilot.resize_terminal(columns, rows)

    async def wait_for(self, is_there: Callable[[DashboardState], bool], limit_s: float) -> bool:
        """Wait until the state is as wanted, or return False after `limit_s`.

        Raises:
            RuntimeError: The run failed meanwhile.
        """
        end = time.monotonic() + limit_s
        while not is_there(self.state):
            if self.state.failure is not None:
                raise RuntimeError(f"The run failed: {self.state.failure.message}")
            if time.monotonic() > end or self.state.end is not None:
                return False
            await asyncio.sleep(_LOOK_S)
        return True

    async def wait_for_scene(
        self, is_there: Callable[[DashboardState], bool], limit_s: float
    ) -> None:
        """Wait until the figures, which are drawn less often than the game, show a scene too."""
        end = time.monotonic() + limit_s
        while time.monotonic() < end:
            await self.wait_for(is_there, end - time.monotonic())
            drawn = self.app.polls + FRAMES_PER_FIGURES_AT_FULL_SPEED + 1
            while self.app.polls < drawn and self.app.is_running:
                await asyncio.sleep(_LOOK_S)
            if is_there(self.state):
                return

    async def settle(self) -> None:
        """Let what has happened be drawn."""
        wanted = self.app.polls + 14
        while self.app.is_running and self.app.polls < wanted:
            await asyncio.sleep(_LOOK_S)
        await self._pilot.pause()


@asynccontextmanager
async def cockpit(
    folder: Path,
    size: tuple[int, int],
    num_envs: int = 32,
    mode: Literal["adaptive", "rl_only"] = "adaptive",
) -> AsyncIterator[Cockpit]:
    """Start a seeded run of the practice game; at the end it is stopped, and its end awaited."""
    config = RunConfig(save_dir=str(runs_in(folder)), seed=SEED, num_envs=num_envs, mode=mode)
    app = CockpitApp(EngineSession(config), config)
    async with app.run_test(size=size, notifications=True) as pilot:
        opened = Cockpit(app, pilot)
        yield opened
        await opened.quit(_END_S)


def runs_in(folder: Path) -> Path:
    """Return where the runs are saved."""
    return folder / "saves"


def is_choosing(state: DashboardState) -> bool:
    """Return whether the watched game is in a battle and asks what to do: both sides are seen."""
    game = state.game
    battle = game.state.battle if game is not None else None
    if game is None or battle is None or battle.enemy is None or battle.own is None:
        return False
    return any("FIGHT" in line for line in game.state.screen_text)


def is_near_the_badge(state: DashboardState) -> bool:
    """Return whether the watched game has two pupils and the leader left to beat, or fewer of them.

    Who was beaten there wakes up far away, with as many milestones.
    """
    game = state.game
    if game is None or state.run is None or game.state.place.name != "GYM":
        return False
    keys = [key for key, _ in state.run.milestones]
    return game.milestones.issuperset(keys[: max(0, keys.index(game.final_milestone) - 2)])


def is_walking(state: DashboardState) -> bool:
    """Return whether the watched player walks outdoors, with a way ahead."""
    game = state.game
    if game is None or game.state.battle is not None or game.state.screen_text:
        return False
    return game.state.place.environment in ("town", "route") and len(game.path) > _LONG_WAY


def key_on(state: DashboardState) -> str:
    """Return the arrow key that leads on along the way to the goal."""
    game = state.game
    if game is None or not game.path:
        return "right"
    (x, y), place = game.path[0], game.state.place
    if x != place.x:
        return "right" if x > place.x else "left"
    return "down" if y > place.y else "up"
