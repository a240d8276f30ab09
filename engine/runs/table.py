"""Summarise saved runs by their folders and journals: all in a table, each in a few figures.

A cloned policy has a journal as well, of epochs or rounds of DAgger. Journals are long. What was
counted of each in the table is kept in the user's cache folder, and from then on only what was
appended is read. Nothing in the runs' folders is written or locked, so runs that are in use can be
listed.
"""

import contextlib
import hashlib
import json
import math
import os
import statistics
import sys
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, fields
from functools import cache
from pathlib import Path
from typing import Annotated, BinaryIO

from pydantic import Field, TypeAdapter

from engine.config import RunConfig
from engine.errors import ConfigurationError
from engine.events import CurriculumChanged, EpisodeEnded, EvaluationEnded, Event, PolicyUpdated
from engine.ground.files import MAX_LINE, make_folder, open_to_read, read_file, write_file
from engine.ground.folders import cache_folder, folder_bytes, user_path
from engine.ground.numerals import MAX_INT, MAX_NUMBER
from engine.runs.checkpoint import uptime_of
from engine.runs.folder import RunFolder, RunInfo, list_runs
from engine.runs.journal import parse_line, read_journal
from engine.runs.labels import RunLabels, read_labels
from engine.runs.lock import RunStatus, read_status
from engine.runs.metrics import metrics_of
from engine.runs.policy_folders import find_saved
from engine.runs.settings import SESSION_KEYS, flat, read_settings

WINDOW = 30
"""Last episodes over which return and success are taken."""

_SHOWN_AS = {"curriculum/planner_share": "curriculum/planner_weight"}
"""Tags with another name where they are shown: "planner share" is the share of decisions."""
_MAX_CACHE = 1 << 24
_BLOCK = 1 << 20
_MARK = 1 << 12
_WORTH_KEEPING = 1 << 16
"""Bytes of journals to be read anew before the cache is written."""
_WORTH_OF_CHECKPOINT = 1 << 13
"""Bytes of a journal that take as long to read as a checkpoint's uptime."""
_Count = Annotated[int, Field(ge=0, lt=MAX_INT)]
_Number = Annotated[float, Field(ge=-MAX_NUMBER, le=MAX_NUMBER)]


@dataclass(frozen=True, slots=True, kw_only=True)
class RunRow(RunInfo):
    """A run in the table; its episodes are those from the true start.

    Attributes:
        reason: Why it ended, or why it cannot be read; "" where that is not known.
        success: Share of the last `recent` episodes, nan without one; `mean_return` likewise.
        stage: Of the curriculum, from 1; of `num_stages`.
        duration_s: How long it ran, pauses included; nan if no checkpoint says it.
        size: Bytes on the disk.
        damaged: Lines of its journal that cannot be read.
    """

    labels: RunLabels
    status: RunStatus
    reason: str
    episodes: int
    recent: int
    success: float
    mean_return: float
    stage: int
    num_stages: int
    duration_s: float
    size: int
    damaged: int = 0

    @property
    def shown_name(self) -> str:
        """Return its name; its id if it has none."""
        return self.labels.name or self.run_id

    @property
    def is_running(self) -> bool:
        """Return whether a process works on it."""
        return self.status is RunStatus.RUNNING


@dataclass(slots=True)
class _Figures:
    """What was counted of a run, and how much of its files that covers.

    Attributes:
        damaged: Lines that cannot be read; required, as caches of older versions lack it.
        size: The journal's bytes when it was read; `changed_ns`: when it had been changed.
        end: How many bytes of it were counted, in whole lines.
        mark: Checksum of the bytes before `end`, to recognise the journal.
        recent: (return, success) of the last episodes; None where the return is no number.
        checkpoint: Name of the one that `uptime_s` is from; `checkpoint_ns`: when it was changed.
    """

    damaged: _Count
    size: _Count = 0
    changed_ns: _Count = 0
    end: _Count = 0
    mark: str = ""
    total_steps: _Count = 0
    episodes: _Count = 0
    stage: _Count = 1
    num_stages: _Count = 0
    recent: list[tuple[_Number | None, bool]] = field(default_factory=list)
    checkpoint: str = ""
    checkpoint_ns: _Count = 0
    uptime_s: _Number = 0.0

    def follow(self, path: Path) -> int:
        """Count what was appended to a journal; return how many bytes were read."""
        try:
            found = path.stat()
            if (found.st_size, found.st_mtime_ns) == (self.size, self.changed_ns):
                return 0
            with os.fdopen(open_to_read(path, sys.maxsize), "rb") as file:
                if _mark(file, self.end) != self.mark:  # e.g. a resumed run has truncated it
                    self._forget()
                begin = self.end
                for line in self._lines(file):
                    event = parse_line(line)
                    self.damaged += event is None
                    self.count(event)
                self.mark = _mark(file, self.end)
        except OSError:
            self._forget()
            self.size = self.changed_ns = 0
            return 0
        self.size, self.changed_ns = found.st_size, found.st_mtime_ns
        return self.end - begin

    def look_up(self, checkpoint: Path | None) -> int:
        """Read the uptime from a checkpoint; return the cost, in bytes of a journal."""
        with contextlib.suppress(OSError):
            known = self.checkpoint, self.checkpoint_ns
            name, changed_ns = "", 0
            if checkpoint is not None:
                name, changed_ns = checkpoint.name, checkpoint.stat().st_mtime_ns
            if (name, changed_ns) != known:
                self.checkpoint, self.checkpoint_ns = name, changed_ns
                self.uptime_s = uptime_of(checkpoint) if checkpoint is not None else 0.0
                return _WORTH_OF_CHECKPOINT
        return 0

    def _lines(self, file: BinaryIO) -> Iterator[bytes]:
        """Yield the whole lines after `end`, and move `end` behind them."""
        file.seek(self.end)
        rest = b""
        while block := file.read(_BLOCK):
            *lines, rest = (rest + block).split(b"\n")
            self.end = file.tell() - len(rest)
            yield from lines
            if len(rest) > MAX_LINE:  # no line of ours: its rest counts as damaged too
                rest = b""

    def count(self, event: Event | None) -> None:
        """Count an event."""
        self.total_steps = max(self.total_steps, getattr(event, "total_steps", 0))
        match event:
            case EpisodeEnded(summary=summary) if summary.is_usual:
                self.episodes += 1
                reward = summary.total_reward if math.isfinite(summary.total_reward) else None
                self.recent = [*self.recent[1 - WINDOW :], (reward, summary.is_success)]
            case CurriculumChanged(stage=stage, num_stages=count):
                self.stage, self.num_stages = stage, count
            case _:
                pass

    def _forget(self) -> None:
        self.end = self.total_steps = self.episodes = self.damaged = 0
        self.mark, self.stage, self.num_stages, self.recent = "", 1, 0, []


class RunTable:
    """The runs in a save folder, to be read repeatedly, from any thread.

    Attributes:
        rows: The runs at the last `look`, the last changed first.
    """

    def __init__(self, save_dir: str) -> None:
        self.save_dir = save_dir
        self.rows: tuple[RunRow, ...] = ()
        self._figures: dict[str, _Figures] | None = None
        self._unkept = 0
        self._lock = threading.Lock()

    def look(self) -> tuple[RunRow, ...]:
        """Read what is saved now.

        Raises:
            CheckpointError: The folder of runs cannot be read.
        """
        with self._lock:
            return self._look()

    def _look(self) -> tuple[RunRow, ...]:
        infos = list_runs(self.save_dir)
        if self._figures is None:
            self._figures = self._load()
        known, self._figures = self._figures, {}
        for info in infos:
            self._figures[info.run_id] = known.get(info.run_id) or _Figures(0)
        rows = (self._row(info, self._figures[info.run_id]) for info in infos)
        self.rows = tuple(sorted(rows, key=lambda row: (-row.changed_at, row.run_id)))
        if self._unkept >= _WORTH_KEEPING:
            self._unkept = 0
            self._keep()
        return self.rows

    def _row(self, info: RunInfo, figures: _Figures) -> RunRow:
        self._unkept += figures.follow(RunFolder(info.path).journal_path)
        self._unkept += figures.look_up(info.checkpoint)
        status, reason = read_status(info.path)
        if info.refusal:
            status, reason = RunStatus.DAMAGED, info.refusal
        returns = [reward for reward, _ in figures.recent if reward is not None]
        successes = [is_success for _, is_success in figures.recent]
        duration_s = figures.uptime_s or math.nan
        if status is RunStatus.RUNNING:
            duration_s += max(0.0, time.time() - figures.checkpoint_ns / 1e9)
        known = {each.name: getattr(info, each.name) for each in fields(info)}
        known["total_steps"] = max(info.total_steps, figures.total_steps)
        # Not the folder's own time: labels change that, too.
        if changed_ns := max(figures.checkpoint_ns, figures.changed_ns):
            known["changed_at"] = changed_ns / 1e9
        return RunRow(
            **known,
            labels=read_labels(info.path),
            status=status,
            reason=reason,
            episodes=figures.episodes,
            recent=len(successes),
            success=statistics.fmean(successes) if successes else math.nan,
            mean_return=statistics.fmean(returns) if returns else math.nan,
            stage=figures.stage,
            num_stages=figures.num_stages or _stages_of(info.settings),
            duration_s=duration_s,
            size=folder_bytes(info.path),
            damaged=figures.damaged,
        )

    def _load(self) -> dict[str, _Figures]:
        with contextlib.suppress(OSError, ValueError, ConfigurationError):
            return _adapter().validate_json(read_file(self._path, _MAX_CACHE))
        return {}

    def _keep(self) -> None:
        """Write the cache; where that is not possible, the journals are read again."""
        figures = self._figures or {}
        # The name of a folder from elsewhere may be no valid text, and cannot be written.
        kept = {run_id: each for run_id, each in figures.items() if run_id.isprintable()}
        with contextlib.suppress(OSError, ConfigurationError):
            make_folder(self._path.parent)
            write_file(self._path, _adapter().dump_json(kept))

    @property
    def _path(self) -> Path:
        place = os.fsencode(user_path(self.save_dir).resolve())
        return cache_folder() / "runs" / f"{hashlib.blake2b(place, digest_size=8).hexdigest()}.json"


@cache
def _adapter() -> TypeAdapter[dict[str, _Figures]]:
    return TypeAdapter(dict[str, _Figures])


def _stages_of(settings: RunConfig | None) -> int:
    """Return the number of stages by the settings, the last one without a planner included."""
    return len(settings.curriculum.stages) + 1 if settings is not None else 0


def _mark(file: BinaryIO, end: int) -> str:
    """Return a checksum of the last bytes before `end`; "" at the beginning."""
    begin = max(0, end - _MARK)
    found = os.pread(file.fileno(), end - begin, begin)
    return hashlib.blake2b(found, digest_size=8).hexdigest() if end else ""


@dataclass(frozen=True, slots=True)
class RunDigest:
    """A run in figures; its episodes are those from the true start.

    Attributes:
        settings: By dotted key, the values as JSON; without those of the session.
        first_steps: Milestone key to the run's steps at the end of the first episode with it.
        recent: How many episodes `recent_return` and `recent_successes` are over.
        evaluation: The last one of the policy alone.
        figures: Of a cloned policy's last epoch, or round of DAgger; empty for a run.
    """

    run_id: str
    settings: Mapping[str, str]
    total_steps: int
    episodes: int
    updates: int
    first_steps: Mapping[str, int]
    recent: int
    recent_return: float
    recent_successes: int
    evaluation: EvaluationEnded | None
    figures: Mapping[str, float]


def saved_curves(
    save_dir: str, name: str, warn: Callable[[str], None] = lambda text: None
) -> tuple[str, dict[str, list[float]]]:
    """Return the id of a run or a cloned policy, and its curves: each figure's values in order.

    `name` is an id, a path, or "latest"; `warn` gets a line about damage in the journal.

    Raises:
        CheckpointError: There is neither.
    """
    folder = find_saved(save_dir, name)
    values: dict[str, list[float]] = {}
    for event in read_journal(folder.journal_path, warn=warn):
        for key, value in metrics_of(event).items():
            values.setdefault(_SHOWN_AS.get(key, key), []).append(value)
    return folder.path.name, values


def digest_run(
    save_dir: str,
    run: str,
    warn: Callable[[str], None] = lambda text: None,
    watch: Callable[[Event], None] = lambda event: None,
) -> RunDigest:
    """Read the settings and the journal of a saved run, or of a cloned policy; see `saved_curves`.

    `watch` is called with each event of the journal.

    Raises:
        CheckpointError: There is neither, or its settings are unreadable.
    """
    folder = find_saved(save_dir, run)
    is_run = isinstance(folder, RunFolder)
    settings = (
        read_settings(folder.path).model_dump(mode="json", exclude=set(SESSION_KEYS))
        if isinstance(folder, RunFolder)
        else folder.settings()
    )
    figures: Mapping[str, float] = {}
    first_steps: dict[str, int] = {}
    evaluation: EvaluationEnded | None = None
    counted, updates = _Figures(0), 0
    for event in read_journal(folder.journal_path, warn=warn):
        watch(event)
        counted.count(event)
        match event:
            case EpisodeEnded(summary=summary) if summary.is_usual:
                for key in summary.steps_to_milestone:
                    first_steps.setdefault(key, event.total_steps)
            case EvaluationEnded():
                evaluation = event
            case PolicyUpdated():
                updates = event.update
                figures = {} if is_run else event.figures
            case _:
                pass
    returns = [math.nan if reward is None else reward for reward, _ in counted.recent]
    return RunDigest(
        run_id=folder.path.name,
        settings={
            key: value if isinstance(value, str) else json.dumps(value)
            for key, value in flat(settings).items()
        },
        total_steps=counted.total_steps,
        episodes=counted.episodes,
        updates=updates,
        first_steps=first_steps,
        recent=len(returns),
        recent_return=statistics.fmean(returns) if returns else 0.0,
        recent_successes=sum(is_success for _, is_success in counted.recent),
        evaluation=evaluation,
        figures=figures,
    )


def differing(*settings: Mapping[str, str]) -> dict[str, tuple[str, ...]]:
    """Return the settings in which runs differ, by key: the value of each run."""
    keys = dict.fromkeys(key for one in settings for key in one)
    values = {key: tuple(one.get(key, "–") for one in settings) for key in keys}
    return {key: row for key, row in values.items() if len(set(row)) > 1}
