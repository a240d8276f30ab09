"""Find the recorded episodes of saved runs."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

MOST = 1000
"""Episodes of one run that are listed, the last ones."""


@dataclass(frozen=True, slots=True)
class RecordedRow:
    """An episode that can be played again.

    Attributes:
        start: Milestone where it began, "" for the true start.
    """

    run_id: str
    number: int
    total_reward: float
    length: int
    is_success: bool
    milestones: int
    start: str

    def matches(self, words: str) -> bool:
        """Tell whether each of the words is in the run's name, or says how the episode ended.

        A word such as >50 or <0 asks for the return.
        """
        return all(self._matches(word) for word in words.casefold().split())

    def _matches(self, word: str) -> bool:
        if word[0] in "<>":
            try:
                limit = float(word[1:])
            except ValueError:
                return False
            is_above = self.total_reward > limit
            return is_above if word[0] == ">" else self.total_reward < limit
        end = "success" if self.is_success else "failure"
        return end.startswith(word) or word in f"{self.run_id} {self.start}".casefold()


def recorded_episodes(
    save_dir: str, run: str | None = None, is_cancelled: Callable[[], bool] = lambda: False
) -> list[RecordedRow]:
    """Return the recorded episodes of a run, or of all runs; the newest runs and episodes first.

    Raises:
        CheckpointError: There is no such run.
    """
    from engine.training.runs import find_run, list_runs

    paths = (
        [info.path for info in list_runs(save_dir)] if run is None else [find_run(save_dir, run)]
    )
    rows: list[RecordedRow] = []
    for path in paths:
        if is_cancelled():
            break
        rows += _of_run(path)
    return rows


def _of_run(path: Path) -> list[RecordedRow]:
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
        )
        for event in read_journal(RunFolder(path).journal_path, 2 * MOST)
        if isinstance(event, EpisodeEnded) and event.summary.recording
    ]
    return rows[: -MOST - 1 : -1]
