"""Recorded episodes, to pick one that is to be played again."""

import asyncio
from typing import ClassVar

from textual.binding import Binding, BindingType

from engine.errors import PokeTUIError
from pokeTUI.recordings import RecordedRow, recorded_episodes
from pokeTUI.screens.listing import ListScreen
from pokeTUI.screens.prompt import PromptScreen
from pokeTUI.widgets.menu import Column, Row

_COLUMNS = (
    Column("run", 19),
    Column("episode", 7, is_right=True),
    Column("return", 9, is_right=True),
    Column("steps", 7, is_right=True),
    Column("end", 9),
    Column("milestones", 10, is_right=True),
    Column("", 0),
)
_FILTER_HINT = "success, failure, a part of a run's name, >50 or <0 for the return; nothing: all"
_NONE = "No episode is recorded yet: every one that a run finishes is."


class RecordingsScreen(ListScreen):
    """Pick an episode; "run/number" comes back.

    Args:
        save_dir: Where runs are saved.
        run: Whose episodes; None: those of all runs.
    """

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("slash,f", "filter", show=False),
    ]

    def __init__(self, save_dir: str, run: str | None = None) -> None:
        title = "Recordings: every episode that was played" if run is None else f"Replay of {run}"
        super().__init__(
            title,
            _COLUMNS,
            hint="Each is played again in its game. Nothing of its run changes.",
            keys="enter replays   / filter   esc goes back",
            empty="Reading the recordings…",
        )
        self._save_dir = save_dir
        self._run = run
        self._found: list[RecordedRow] = []
        self._words = ""
        self._is_left = False

    def on_mount(self) -> None:
        """Read the recordings, which may take a moment."""
        self.run_worker(self._read())

    def on_unmount(self) -> None:
        """Read no further."""
        self._is_left = True

    async def _read(self) -> None:
        try:
            self._found = await asyncio.to_thread(
                recorded_episodes, self._save_dir, self._run, lambda: self._is_left
            )
        except PokeTUIError as error:
            self.tell(str(error))
        self._list()

    def _list(self) -> None:
        rows = [
            Row(
                f"{one.run_id}/{one.number}",
                (
                    one.run_id,
                    f"{one.number:,}",
                    f"{one.total_reward:.2f}",
                    f"{one.length:,}",
                    "✓ success" if one.is_success else "· failure",
                    str(one.milestones),
                    f"from {one.start}" if one.start else "",
                ),
            )
            for one in self._found
            if one.matches(self._words)
        ]
        self.fill(
            rows, empty="No episode is like that: / changes the filter." if self._words else _NONE
        )
        if self._words:
            self.tell(f"{len(rows):,} of {len(self._found):,}: {self._words}")

    def about(self, row: Row) -> str:
        """Say how many the filter leaves, if there is one."""
        if not self._words:
            return super().about(row)
        return f"{len(self.menu.rows):,} of {len(self._found):,}: {self._words}"

    def action_filter(self) -> None:
        """Ask which to list."""
        self.app.push_screen(
            PromptScreen("Filter", self._words, hint=_FILTER_HINT), self._take_filter
        )

    def _take_filter(self, words: str | None) -> None:
        if words is not None:
            self._words = words.strip()
            self._list()


def picked(key: str) -> tuple[str, int]:
    """Return run and number of what was picked."""
    run, _, number = key.rpartition("/")
    return run, int(number)
