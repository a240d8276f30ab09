"""Write decisions in the background: one thread with its own event loop owns the database."""

import asyncio
import contextlib
import queue
import sqlite3
import threading
from collections.abc import Callable, Coroutine
from concurrent.futures import Future
from pathlib import Path
from typing import Any, TypeVar

from engine.ground.files import make_folder, temporary_path
from engine.planning.history.schema import open_database

Write = tuple[str, tuple[Any, ...]]
"""An SQL statement and its parameters."""

QUEUE_ROWS = 16_384
"""Writes that may wait; more are dropped and counted."""

_BATCH_ROWS = 1024
_WRITE_INTERVAL_S = 0.25
"""Longest time that a write waits while the disk is willing."""

_KEPT_SHARE = 0.9
"""Share of `max_rows` that stays when there are too many, so that folding is rare."""

_FOLD_DECISIONS = """
    INSERT INTO folded_decisions
    SELECT context, action, COUNT(*), SUM(outcome = 'success'), SUM(outcome_reward)
    FROM decisions WHERE id <= ? GROUP BY context, action
    ON CONFLICT DO UPDATE SET
        frequency = frequency + excluded.frequency,
        successes = successes + excluded.successes,
        reward_sum = reward_sum + excluded.reward_sum
"""
_FOLD_GOALS = """
    INSERT INTO folded_goals
    SELECT run, setter, made_progress, is_ignored, COUNT(*)
    FROM judged_goals WHERE id <= ?
    GROUP BY run, setter, made_progress, is_ignored
    ON CONFLICT DO UPDATE SET frequency = frequency + excluded.frequency
"""
_FOLDED = (("decisions", _FOLD_DECISIONS), ("judged_goals", _FOLD_GOALS))

T = TypeVar("T")


class DecisionStore:
    """A database file that is written in batches, in order, without anyone waiting for it.

    A script that ends without `close` loses nothing: the thread notices, writes the rest and ends.
    `max_rows` decisions, and as many goals, are kept one by one; the oldest beyond are folded into
    sums. `warn` is called once, in the thread, when the disk begins to refuse writes: those wait.

    Attributes:
        num_dropped: Writes that were lost because too many waited.

    Raises:
        ConfigurationError: The file cannot be used.
        CheckpointError: It is damaged.
    """

    def __init__(self, path: Path, max_rows: int, warn: Callable[[str], None]) -> None:
        self.num_dropped = 0
        self._path = path
        self._max_rows = max_rows
        self._warn = warn
        self._waiting: queue.Queue[Write] = queue.Queue(QUEUE_ROWS)
        self._batch: list[Write] = []
        self._is_failing = False
        self._is_closing = False
        self._drop_lock, self._call_lock = threading.Lock(), threading.Lock()
        opened: Future[None] = Future()
        self._thread = threading.Thread(
            target=lambda: asyncio.run(self._serve(opened)), name="decision history"
        )
        self._thread.start()
        try:
            opened.result()
        except BaseException:  # the thread ends by itself, and nothing of it shall stay
            self._thread.join()
            raise

    @property
    def num_waiting(self) -> int:
        """Return how many writes are not on the disk yet."""
        return self._waiting.qsize() + len(self._batch)

    def put(self, write: Write) -> None:
        """Let a statement be executed soon; returns at once."""
        self._check_open()
        try:
            self._waiting.put_nowait(write)
        except queue.Full:
            with self._drop_lock:
                self.num_dropped += 1
                is_first = self.num_dropped == 1
            if is_first:
                self._warn(
                    f"Decisions arrive faster than {self._path} can store them: some are lost."
                )
        if self._waiting.qsize() % _BATCH_ROWS == 0:
            self._loop.call_soon_threadsafe(self._wake.set)

    def flush(self) -> bool:
        """Wait until all that was put is on the disk; False if the disk refuses."""
        return self._call(self._write_all)

    def rows(self, query: str, parameters: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
        """Return a query's rows, with all that was put before as far as the disk takes it.

        Raises:
            sqlite3.Error: The file cannot be read.
        """
        return self._call(lambda: self._rows(query, parameters))

    def restore(self) -> bool:
        """Write the file again if it was deleted; return whether it was.

        Raises:
            PokeTUIError, OSError, sqlite3.Error: It cannot be written.
        """
        return self._call(self._restore)

    def close(self) -> None:
        """Write what waits and close the file; may be called again."""
        with self._call_lock:
            if not self._is_closing:
                self._is_closing = True
                self._loop.call_soon_threadsafe(self._wake.set)
        self._thread.join()

    def _check_open(self) -> None:
        if self._is_closing:
            raise ValueError("the decision history is closed")

    def _call(self, work: Callable[[], Coroutine[Any, Any, T]]) -> T:
        with self._call_lock:  # what is called while `close` runs would never be answered
            self._check_open()
            return asyncio.run_coroutine_threadsafe(work(), self._loop).result()

    async def _serve(self, opened: Future[None]) -> None:
        self._loop, self._wake = asyncio.get_running_loop(), asyncio.Event()
        self._lock = asyncio.Lock()
        try:
            self._database = await open_database(self._path)
        except BaseException as error:  # the constructor raises it, in the caller's thread
            opened.set_exception(error)
            return
        try:
            opened.set_result(None)
            # The main thread's end is the end of a script that did not close.
            while not self._is_closing and threading.main_thread().is_alive():
                with contextlib.suppress(TimeoutError):
                    await asyncio.wait_for(self._wake.wait(), _WRITE_INTERVAL_S)
                self._wake.clear()
                await self._write_all()
            self._is_closing = True
            await self._write_all()
            self.num_dropped += self.num_waiting
        finally:
            await self._database.close()

    async def _restore(self) -> bool:
        async with self._lock:
            if self._path.exists():
                return False
            make_folder(self._path.parent)
            beside = temporary_path(self._path)
            # The open file is whole until it is closed, though it has no name any more.
            await self._database.execute("VACUUM INTO ?", (str(beside),))
            await self._database.close()
            # What is left of the old file would be taken for the new one's last transactions.
            for ending in ("-wal", "-shm"):
                self._path.with_name(self._path.name + ending).unlink(missing_ok=True)
            beside.replace(self._path)
            self._database = await open_database(self._path)
            return True

    async def _rows(self, query: str, parameters: tuple[Any, ...]) -> list[tuple[Any, ...]]:
        await self._write_all()
        return await self._fetch(query, parameters)

    async def _fetch(self, query: str, parameters: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
        return [tuple(row) for row in await self._database.execute_fetchall(query, parameters)]

    async def _write_all(self) -> bool:
        """Write until nothing waits; return whether the disk took it all."""
        async with self._lock:
            while self.num_waiting:
                while len(self._batch) < _BATCH_ROWS and not self._waiting.empty():
                    self._batch.append(self._waiting.get_nowait())
                try:
                    await self._transact()
                except sqlite3.Error as error:
                    self._failed(error)
                    return False
                self._batch.clear()
                self._is_failing = False
            return True

    async def _transact(self) -> None:
        """Write the batch, and fold old rows where there are too many, or nothing at all."""
        await self._database.execute("BEGIN IMMEDIATE")
        try:
            for statement, parameters in _grouped(self._batch):
                await self._database.executemany(statement, parameters)
            await self._fold()
            await self._database.execute("COMMIT")
        except sqlite3.Error:
            # SQLite has rolled back by itself after some errors, but not after all.
            if self._database.in_transaction:
                await self._database.execute("ROLLBACK")
            raise

    async def _fold(self) -> None:
        for table, fold in _FOLDED:
            # Ids have few gaps, and unlike rows they need not be counted.
            ((first, last),) = await self._fetch(
                f"SELECT (SELECT MIN(id) FROM {table}), (SELECT MAX(id) FROM {table})"
            )
            if first is not None and last - first >= self._max_rows:
                bound = (last - int(self._max_rows * _KEPT_SHARE),)
                await self._database.execute(fold, bound)
                await self._database.execute(f"DELETE FROM {table} WHERE id <= ?", bound)

    def _failed(self, error: sqlite3.Error) -> None:
        if not self._is_failing:
            self._is_failing = True
            self._warn(
                f"Cannot write the decision history {self._path}: {error}. Decisions are kept "
                "in memory and written later; free some disk space."
            )


def _grouped(writes: list[Write]) -> list[tuple[str, list[tuple[Any, ...]]]]:
    """Return runs of the same statement, in order."""
    groups: list[tuple[str, list[tuple[Any, ...]]]] = []
    for statement, parameters in writes:
        if not groups or groups[-1][0] != statement:
            groups.append((statement, []))
        groups[-1][1].append(parameters)
    return groups
