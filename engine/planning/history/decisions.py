"""Remember decisions over many runs, and learn from them what works where."""

import contextlib
import logging
import math
import sqlite3
import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import astuple, dataclass, replace
from pathlib import Path
from typing import Any, Self, TypeVar

from engine.errors import CheckpointError, PokeTUIError
from engine.ground.folders import user_path
from engine.planning.history.analysis import GameStateAnalysis
from engine.planning.history.patterns import Context, PatternTable, success_interval
from engine.planning.history.schema import (
    INSERT,
    RECENT,
    DecisionRecord,
    as_documented,
    as_row,
    is_success,
    outcome,
)
from engine.planning.history.store import DecisionStore
from engine.planning_types import GoalOutcome


@dataclass(frozen=True, slots=True)
class Uplift:
    """How often progress was made with a planner's goals, and without them.

    Which goals are ignored is drawn at random, so nothing else differs between the two.

    Attributes:
        followed: Goals that were followed; `followed_progress` of them made progress. None of the
            counts need be whole: old evidence may have faded.
        ignored: Goals that were ignored; `ignored_progress` of them made progress.
    """

    followed: float = 0
    followed_progress: float = 0
    ignored: float = 0
    ignored_progress: float = 0

    @property
    def value(self) -> float:
        """Return the difference of the shares, -1 to 1; nan before both have happened."""
        if not self.followed or not self.ignored:
            return math.nan
        return self.followed_progress / self.followed - self.ignored_progress / self.ignored

    @property
    def interval(self) -> tuple[float, float]:
        """Return the 95 % interval of the difference; (nan, nan) before both have happened.

        Newcombe's, of two Wilson intervals (Statistics in Medicine 17, 1998, method 10).
        """
        value = self.value
        if math.isnan(value):
            return math.nan, math.nan
        rate, other = self.followed_progress / self.followed, self.ignored_progress / self.ignored
        low, high = success_interval(self.followed_progress, self.followed)
        other_low, other_high = success_interval(self.ignored_progress, self.ignored)
        return (
            value - math.hypot(rate - low, other_high - other),
            value + math.hypot(high - rate, other - other_low),
        )

    def chance_above(self, least: float) -> float:
        """Return how likely the difference is more than `least`, 0 to 1.

        By Beta(1, 1) priors of both shares, and a normal distribution of the difference.
        """
        mean, variance = _beta(self.followed_progress, self.followed)
        other_mean, other_variance = _beta(self.ignored_progress, self.ignored)
        deviation = math.sqrt(variance + other_variance)
        return 0.5 * (1 + math.erf((mean - other_mean - least) / (deviation * math.sqrt(2))))

    def faded(self, share: float) -> "Uplift":
        """Return it with only a share of its evidence left."""
        return Uplift(*(count * share for count in astuple(self)))

    def plus(self, *, is_control: bool, made_progress: bool, count: int = 1) -> "Uplift":
        """Return it with more goals of one sort."""
        progress = count if made_progress else 0
        if is_control:
            ignored_progress = self.ignored_progress + progress
            return replace(self, ignored=self.ignored + count, ignored_progress=ignored_progress)
        followed_progress = self.followed_progress + progress
        return replace(self, followed=self.followed + count, followed_progress=followed_progress)


def _beta(successes: float, count: float) -> tuple[float, float]:
    """Return mean and variance of a share's posterior, given a Beta(1, 1) prior."""
    mean = (successes + 1) / (count + 2)
    return mean, mean * (1 - mean) / (count + 3)


T = TypeVar("T")

_log = logging.getLogger(__name__)

MAX_ROWS = 200_000
"""Decisions kept one by one, some 80 MB; older ones live on in the patterns."""

_TOTAL = "UPDATE decisions SET total_episode_reward = ? WHERE run = ? AND episode_id = ?"
_JUDGE = "UPDATE decisions SET outcome = ? WHERE run = ? AND episode_id = ?"
_TALLIES = """
    SELECT context, action, frequency, successes, reward_sum FROM folded_decisions UNION ALL
    SELECT context, action, COUNT(*), SUM(outcome = 'success'), SUM(outcome_reward)
    FROM decisions GROUP BY context, action
"""
_POSITION = "SELECT seq FROM sqlite_sequence WHERE name = 'decisions'"
_INSERT_GOAL = """
    INSERT INTO judged_goals (timestamp, run, env, situation, setter, kind, goal, outcome,
        made_progress, is_ignored, steps) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
"""
_GOAL_COUNTS = """
    SELECT setter, made_progress, is_ignored, frequency FROM folded_goals WHERE run = ?
    UNION ALL SELECT setter, made_progress, is_ignored, COUNT(*) FROM judged_goals
    WHERE run = ? GROUP BY setter, made_progress, is_ignored
"""
_CUT = "DELETE FROM decisions WHERE run = ? AND id > ?"


class DecisionHistoryAnalyzer:
    """Record decisions in a SQLite file and report the outcome of them.

    Recording returns at once; a thread writes. Any thread may use it. A decision is a success when
    its reward is positive, until `end_episode` says how its episode went. The patterns count every
    decision that the file ever held and every one recorded here, on the disk yet or not.

    Args:
        db_path: The file; made where it is missing, with its folder.
        max_rows: Decisions kept one by one; older ones are folded into the patterns.
        run: Name of the run whose decisions are recorded; several may share a file.
        warn: Called, from any thread, when decisions cannot be written; None: it is logged.
        clock: Seconds since the epoch.

    Raises:
        ConfigurationError: The file cannot be used, or is not ours.
        CheckpointError: It is damaged.
    """

    def __init__(
        self,
        db_path: str | Path = "decisions.db",
        *,
        max_rows: int = MAX_ROWS,
        run: str = "",
        warn: Callable[[str], None] | None = None,
        clock: Callable[[], float] = time.time,
    ) -> None:
        self._path = user_path(db_path)
        self._run = run
        self._clock = clock
        self._lock = threading.Lock()
        self._episode_id, self._num_steps = "", 0
        self._episode = PatternTable()
        self._store = DecisionStore(self._path, max_rows, warn or _log.warning)
        try:
            self._table = self._read_table()
        except BaseException:  # its thread would outlive us; it is raised again
            self._store.close()
            raise

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exc_info: object) -> None:
        self.close()

    def file_bytes(self) -> int:
        """Return the size of the file with its write-ahead log."""
        return sum(
            path.stat().st_size
            for path in (self._path, self._path.with_name(f"{self._path.name}-wal"))
            if path.exists()
        )

    def begin_episode(self, episode_id: str) -> None:
        """Let the decisions that follow belong to an episode."""
        with self._lock:
            self._episode_id, self._num_steps = episode_id, 0
            self._episode = PatternTable()

    def record_decision(
        self,
        game_state: GameStateAnalysis,
        action_taken: int,
        reasoning: str,
        confidence: float,
        outcome_reward: float,
        *,
        goal_kind: str = "",
        source: str = "",
    ) -> None:
        """Record a decision of the current episode.

        Actions are below 4096, confidence is 0 to 1, and of the reasoning 500 characters are kept.
        `goal_kind` is what the planner was after, `source` who decided.

        Raises:
            DecisionValidationError: An action, a confidence or a reward that cannot be.
        """
        with self._lock:
            self._num_steps += 1
            episode_id, step = self._episode_id, self._num_steps
        record = DecisionRecord.of(
            game_state,
            action_taken,
            reasoning,
            confidence,
            timestamp=self._clock(),
            episode_id=episode_id,
            step_number=step,
            goal_kind=goal_kind,
            source=source,
        )
        self.add(record, outcome_reward)

    def add(self, record: DecisionRecord, outcome_reward: float) -> None:
        """Record a decision that was described before.

        Raises:
            DecisionValidationError: An action, a confidence or a reward that cannot be.
        """
        record = record.checked()
        counts = record.context, record.action, 1, int(is_success(outcome_reward)), outcome_reward
        row = as_row(record, outcome_reward, self._run)
        with self._lock:
            self._table.add(*counts)
            if record.episode_id == self._episode_id:
                self._episode.add(*counts)
            self._store.put((INSERT, row))

    def end_episode(self, total_reward: float, is_success: bool | None = None) -> None:
        """Complete the records of the current episode; `is_success` then holds for each of them.

        None: each is a success by its own reward.
        """
        with self._lock:
            here = self._run, self._episode_id
            self._store.put((_TOTAL, (float(total_reward), *here)))
            if is_success is not None:
                self._store.put((_JUDGE, (outcome(is_success), *here)))
                for key, action, tally in self._episode.rows():
                    successes = tally.frequency if is_success else 0
                    self._table.add(key, action, 0, successes - tally.successes, 0.0)
            self._episode_id, self._num_steps = "", 0
            self._episode = PatternTable()

    def analyze_patterns(
        self, min_frequency: int = 3, context_filter: Mapping[str, Any] | None = None
    ) -> list[dict[str, Any]]:
        """Return which actions were taken how often in which contexts, and the result.

        The most frequent first, with the keys context, action, frequency, success_rate,
        success_interval (95 %, Wilson) and mean_reward. Reads no file.

        `context_filter` has values by key of `engine.planning.history.patterns.CONTEXT_KEYS`, or
        "action"; a list allows any of its values.

        Raises:
            ConfigurationError: The filter asks for an unknown key.
        """
        with self._lock:
            return self._table.patterns(min_frequency, context_filter)

    def advice_for(self, context: Context, min_frequency: int = 3) -> dict[int, float]:
        """Return action -> estimated success, 0 to 1, of actions known in this very context.

        Args:
            context: From `engine.planning.history.patterns.context_of`.
            min_frequency: What was tried less often is left out.
        """
        with self._lock:
            return self._table.advice_for(context, min_frequency)

    def experience(self, min_frequency: int = 3) -> dict[str, dict[int, float]]:
        """Return `advice_for` of all contexts of which two actions are known, by context key."""
        with self._lock:
            return self._table.experience(min_frequency)

    def record_goal(self, goal_outcome: GoalOutcome) -> None:
        """Record the outcome of a planner's goal, ignored at random or followed."""
        row = (
            self._clock(),
            self._run,
            goal_outcome.env_index,
            goal_outcome.key,
            goal_outcome.goal_source,
            goal_outcome.kind.value,
            goal_outcome.text,
            goal_outcome.outcome.value,
            int(goal_outcome.made_progress),
            int(goal_outcome.is_control),
            goal_outcome.steps,
        )
        with self._lock:
            self._store.put((_INSERT_GOAL, row))

    def planner_uplift(self, goal_source: str | None = None) -> Uplift:
        """Return what the run's planner is worth by all its goals so far; waits for the disk.

        Unlike decisions, goals are not taken back where a run is resumed: what was undone happened
        all the same. `goal_source` names one model; None: all count.

        Raises:
            CheckpointError: The file is damaged.
        """
        uplift = Uplift()
        for name, progress, ignored, count in self._read(tuple, _GOAL_COUNTS, (self._run,) * 2):
            if goal_source is None or name == goal_source:
                uplift = uplift.plus(
                    is_control=bool(ignored), made_progress=bool(progress), count=int(count)
                )
        return uplift

    def get_recent_decisions(self, limit: int = 100) -> list[dict[str, Any]]:
        """Return the newest decisions of all runs in the file, newest first; waits for the disk.

        Keys: id, timestamp (datetime), state_hash, context, action, reasoning, confidence, source,
        outcome ("success", "failure"), outcome_reward, episode_id, step_number, step_in_episode
        (the same), total_episode_reward (None while the episode lasts).

        Raises:
            CheckpointError: The file is damaged.
        """
        return self._read(as_documented, RECENT, (max(0, limit),))

    def flush(self) -> bool:
        """Wait until all that was recorded is on the disk; False if the disk refuses."""
        return self._store.flush()

    def restore(self) -> bool:
        """Write the file again if it was deleted; return whether it was, and could be written."""
        with contextlib.suppress(sqlite3.Error, OSError, PokeTUIError):
            return self._store.restore()
        return False

    def position(self) -> int:
        """Flush, and return what `truncate` goes back to."""
        return max(self._read(lambda row: int(row[0]), _POSITION), default=0)

    def truncate(self, position: int) -> None:
        """Drop this run's decisions after `position`, as far as they are not folded yet."""
        self._store.put((_CUT, (self._run, position)))
        with self._lock:
            self._table = self._read_table()

    def close(self) -> None:
        """Write what waits and close the file; may be called again."""
        self._store.close()

    def _read_table(self) -> PatternTable:
        table = PatternTable()
        self._read(lambda row: table.add(*row), _TALLIES)
        return table

    def _read(
        self, use: Callable[[tuple[Any, ...]], T], query: str, parameters: tuple[Any, ...] = ()
    ) -> list[T]:
        """Return what `use` makes of a query's rows."""
        try:
            return [use(row) for row in self._store.rows(query, parameters)]
        except (sqlite3.Error, ValueError, TypeError) as error:
            raise CheckpointError(
                f"The decision history {self._path} cannot be read: {error}.",
                "Move it away, or set another decision_db_path.",
            ) from None
