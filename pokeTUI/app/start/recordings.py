"""The list of demonstrations and recorded episodes, to pick one for a replay."""

import asyncio
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

from textual.binding import Binding, BindingType

from engine.errors import PokeTUIError
from engine.ground.numerals import parse_number
from pokeTUI.app.start.choices import ReplayEpisode, WatchDemo
from pokeTUI.draw.menu import Column, Row
from pokeTUI.panes.dialogs import PromptScreen
from pokeTUI.screens.listing import ListScreen

# Find what was recorded: demonstrations, and the episodes of saved runs.

MOST = 1000
"""Episodes of one run that are listed at most, the last ones; likewise demonstrations."""


@dataclass(frozen=True, slots=True)
class RecordedRow:
    """A demonstration, or an episode of a run, that can be replayed.

    Attributes:
        run_id: Of its run; the name of a demonstration.
        number: Of the episode; 0 for a demonstration.
        start: Milestone where it began, "" for the true start.
        path: Of a demonstration's file.
        folder: Of its set, below that of all demonstrations.
        refusal: Why it cannot be replayed, "" if it can.
    """

    run_id: str
    number: int
    total_reward: float
    length: int
    is_success: bool
    milestones: int
    start: str = ""
    by: str = ""
    task: str = ""
    tags: tuple[str, ...] = ()
    path: str = ""
    folder: str = ""
    refusal: str = ""

    @property
    def kind(self) -> str:
        """Return "demonstration" or "episode"."""
        return "demonstration" if self.path else "episode"

    @property
    def about(self) -> str:
        """Return its details in one line."""
        if self.refusal:
            return self.refusal
        parts = [
            f"in {self.folder}" if self.folder else "",
            " ".join(self.tags),
            self.task,
            f"from {self.start}" if self.start else "",
            f"{self.milestones} milestone{'s' * (self.milestones != 1)}" if self.milestones else "",
        ]
        return " · ".join(part for part in parts if part)

    def matches(self, words: str) -> bool:
        """Return whether each word is in one of its texts, or says how it ended.

        A word such as >50 or <0 compares the return; "demonstration" or "episode" is the kind.
        """
        return all(self._matches(word) for word in words.casefold().split())

    def _matches(self, word: str) -> bool:
        if word[0] in "<>":
            try:
                limit = parse_number(word[1:])
            except ValueError:
                return False
            is_above = self.total_reward > limit
            return is_above if word[0] == ">" else self.total_reward < limit
        end = "success" if self.is_success else "failure"
        parts = (self.run_id, self.folder, self.by, self.start, self.task, *self.tags)
        return (
            end.startswith(word) or self.kind.startswith(word) or word in " ".join(parts).casefold()
        )


def recorded(
    save_dir: str, run: str | None = None, is_cancelled: Callable[[], bool] = lambda: False
) -> list[RecordedRow]:
    """Return the recorded episodes of a run; without one, demonstrations and those of all runs.

    Demonstrations come first; the newest of each kind first.

    Raises:
        CheckpointError: There is no such run.
    """
    from engine.runs.folder import find_run, list_runs

    runs = [(info.path, info.agent) for info in list_runs(save_dir)]
    if run is not None:
        wanted = find_run(save_dir, run)
        runs = [(path, agent) for path, agent in runs if path == wanted] or [(wanted, "")]
    rows = [] if run is not None else list(_demonstrations(save_dir, is_cancelled))
    for path, agent in runs:
        if is_cancelled():
            break
        rows += _of_run(path, agent)
    return rows


def has_demonstrations(save_dir: str) -> bool:
    """Return whether there are any."""
    return next(_files(save_dir), None) is not None


def _files(save_dir: str) -> Iterator[Path]:
    from engine.demos.dataset import DEMOS_FOLDER
    from engine.demos.demonstration import SUFFIX

    yield from (Path(save_dir) / DEMOS_FOLDER).rglob(f"*{SUFFIX}")


def _demonstrations(save_dir: str, is_cancelled: Callable[[], bool]) -> Iterator[RecordedRow]:
    from engine.demos.dataset import DEMOS_FOLDER
    from engine.demos.demonstration import SUFFIX, read_demo
    from engine.errors import DemoError

    folder = Path(save_dir) / DEMOS_FOLDER
    for path in sorted(_files(save_dir), key=lambda path: path.name, reverse=True)[:MOST]:
        if is_cancelled():
            return
        name = path.name.removesuffix(SUFFIX)
        part = str(path.parent.relative_to(folder)) if path.parent != folder else ""
        try:
            demo = read_demo(path)
        except DemoError as error:
            why = error.message.replace(str(path), path.name)
            yield RecordedRow(name, 0, 0.0, 0, False, 0, path=str(path), folder=part, refusal=why)
            continue
        yield RecordedRow(
            name,
            0,
            demo.episode_return,
            len(demo.shown),
            demo.is_success,
            len(demo.milestones),
            by=demo.by,
            task=demo.task,
            tags=tuple(sorted(demo.tags)),
            path=str(path),
            folder=part,
        )


def _of_run(path: Path, agent: str) -> list[RecordedRow]:
    from engine.events import EpisodeEnded
    from engine.runs.folder import RunFolder
    from engine.runs.journal import read_journal

    rows = [
        RecordedRow(
            path.name,
            event.episode,
            event.summary.total_reward,
            event.summary.length,
            event.summary.is_success,
            len(event.summary.steps_to_milestone),
            event.summary.start,
            by=agent,
        )
        for event in read_journal(RunFolder(path).journal_path, 2 * MOST)
        if isinstance(event, EpisodeEnded) and event.summary.recording
    ]
    return rows[: -MOST - 1 : -1]


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
        """Return a row's details in full, or how many rows the filter leaves."""
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
    """Return the choice that the key of a picked row stands for."""
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
