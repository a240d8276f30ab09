"""The saved runs, to pick one."""

import asyncio
import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from pokeTUI.screens.listing import ListScreen
from pokeTUI.widgets.menu import Column, Row

if TYPE_CHECKING:
    from engine.training.runs import RunInfo

COLUMNS = (
    Column("run", 19),
    Column("steps", 11, is_right=True),
    Column("agent", 6),
    Column("mode", 8),
    Column("last change", 11),
    Column("", 0),
)
LIVE = "● running"
UNREADABLE = "cannot be read"


@dataclass(frozen=True, slots=True)
class SavedRuns:
    """The runs in a folder, the newest first, and the ids of those that run in the background."""

    save_dir: str
    infos: tuple["RunInfo", ...] = ()
    live: frozenset[str] = frozenset()

    @property
    def resumable(self) -> int:
        """How many can be continued with."""
        return sum(not why_not_resume(self, info) for info in self.infos)


def look_for_runs(save_dir: str | None) -> SavedRuns:
    """Look what is saved; takes a moment."""
    from engine.training.runs import list_runs
    from pokeTUI.saved import live_run_dirs, saves

    folder = saves(save_dir)
    infos = tuple(list_runs(folder))
    dirs = live_run_dirs()
    live = frozenset(info.run_id for info in infos if info.path.resolve() in dirs)
    return SavedRuns(folder, infos, live)


def why_not_resume(saved: SavedRuns, info: "RunInfo") -> str:
    """Return why a run cannot be continued with, "" if it can."""
    if info.run_id in saved.live:
        return "It is running in the background: attach to it instead."
    if info.refusal:
        return f"It cannot be read: {info.refusal}."
    return "" if info.num_checkpoints else "It has no checkpoint to resume from."


def run_row(saved: SavedRuns, info: "RunInfo", why_not: str = "") -> Row:
    """Return a run as a row of COLUMNS."""
    changed = time.strftime("%m-%d %H:%M", time.localtime(info.changed_at))
    mark = "" if info.num_checkpoints else "no save"
    if info.run_id in saved.live:
        mark = LIVE
    elif info.refusal:
        mark = UNREADABLE
    steps = f"{info.total_steps:,}"
    cells = (info.run_id, steps, info.agent, info.mode, changed, mark)
    return Row(info.run_id, cells, why_not=why_not)


class RunsScreen(ListScreen):
    """Pick one of `rows`, or of all runs in `save_dir` but `without`; its id comes back."""

    def __init__(
        self,
        title: str,
        rows: Sequence[Row] | None = None,
        *,
        hint: str = "",
        save_dir: str | None = None,
        without: str = "",
        keys: str = "enter picks   esc goes back",
    ) -> None:
        super().__init__(title, COLUMNS, hint=hint, keys=keys, empty="Looking for saved runs…")
        self._rows_now = rows
        self._save_dir = save_dir
        self._without = without

    async def on_mount(self) -> None:
        """Show the runs, or look for them."""
        if self._rows_now is None:
            self.run_worker(self._look())
        else:
            self.fill(self._rows_now, empty="There is no saved run.")

    async def _look(self) -> None:
        saved = await asyncio.to_thread(look_for_runs, self._save_dir)
        rows = [run_row(saved, info) for info in saved.infos if info.run_id != self._without]
        self.fill(rows, empty=f"There is no other saved run in {saved.save_dir}.")
