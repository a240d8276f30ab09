"""Find what was recorded: demonstrations, and the episodes of saved runs."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from engine.numerals import parse_number

MOST = 1000
"""Episodes of one run that are listed, the last ones; of demonstrations likewise."""


@dataclass(frozen=True, slots=True)
class RecordedRow:
    """A demonstration, or an episode of a run, that can be played again.

    Attributes:
        run_id: Of its run; the name of a demonstration.
        number: Of the episode; 0 for a demonstration.
        start: Milestone where it began, "" for the true start.
        path: Of a demonstration's file.
        folder: Of its set, below that of all demonstrations.
        refusal: Why it cannot be played, "" if it can.
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
        """Return in a line what it is of."""
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
        """Return whether each of the words is in what is known of it, or says how it ended.

        A word such as >50 or <0 asks for the return; "demonstration" or "episode" for what it is.
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
    from engine.training.runs import find_run, list_runs

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
    from engine.training.journal import read_journal
    from engine.training.runs import RunFolder

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
