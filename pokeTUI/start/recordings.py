"""Demonstrations and recorded episodes, to pick one that is to be played again."""

import asyncio
from typing import ClassVar

from textual.binding import Binding, BindingType

from engine.errors import PokeTUIError
from pokeTUI.demos.listing import RecordedRow, recorded
from pokeTUI.dialogs.prompt import PromptScreen
from pokeTUI.screens.listing import ListScreen
from pokeTUI.start.choice import ReplayEpisode, WatchDemo
from pokeTUI.widgets.menu import Column, Row

_COLUMNS = (
    Column("recording", 26),
    Column("by", 6),
    Column("return", 7, is_right=True),
    Column("steps", 6, is_right=True),
    Column("end", 9),
    Column("details", 0),
)
_FILTER_HINT = (
    "demonstration, episode, success, failure, who played, a tag, a word of the task, part of "
    "the name, >50 or <0 for the return; nothing: all"
)
_DEMO = "demo:"
_NONE = (
    "Nothing recorded yet: each episode of a run appears here (n on the start screen),\n"
    "and so does what you play (o there, or t during a run)."
)


class RecordingsScreen(ListScreen):
    """Pick a demonstration or an episode; what `picked` reads comes back.

    Args:
        run: Whose episodes; None: demonstrations, and those of all runs.
    """

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("slash,f", "filter", show=False),
    ]

    def __init__(self, save_dir: str, run: str | None = None) -> None:
        title = "Recordings: demonstrations and episodes" if run is None else f"Replay of {run}"
        super().__init__(
            title,
            _COLUMNS,
            hint="Replays run in the game; you can take over at any step.",
            keys="enter replay   / filter   esc back",
            empty="Loading recordings…",
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
                recorded, self._save_dir, self._run, lambda: self._is_left
            )
        except PokeTUIError as error:
            self.fill([], empty=str(error))
        else:
            self._list()

    def _list(self) -> None:
        rows = [
            Row(
                f"{_DEMO}{one.path}" if one.path else f"{one.run_id}/{one.number}",
                _cells(one),
                why_not=one.refusal,
            )
            for one in self._found
            if one.matches(self._words)
        ]
        self.fill(rows, empty="No match: / changes the filter." if self._words else _NONE)
        if self._words:
            self.report(f"{len(rows):,} of {len(self._found):,}: {self._words}")

    def about(self, row: Row) -> str:
        """Say all of what a row says in short, or how many the filter leaves."""
        if row.why_not or not self._words:
            return row.why_not or row.cells[-1] or super().about(row)
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


def picked(key: str) -> ReplayEpisode | WatchDemo:
    """Return what was picked."""
    if key.startswith(_DEMO):
        return WatchDemo(key.removeprefix(_DEMO))
    run, _, number = key.rpartition("/")
    return ReplayEpisode(run, int(number))


def _cells(one: RecordedRow) -> tuple[str, ...]:
    name = one.run_id if one.path else f"{one.run_id} ep {one.number:,}"
    if one.refusal:
        return (name, "", "", "", "! damaged", one.refusal)
    return (
        name,
        one.by,
        f"{one.total_reward:z.2f}",
        f"{one.length:,}",
        "✓ success" if one.is_success else "· failure",
        one.about,
    )
