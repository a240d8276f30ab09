"""Measure what decisions cost to remember: `python -m tests.benchmarks.decision_history`."""

import statistics
import tempfile
import time
from pathlib import Path

from engine.config import RunConfig
from engine.loop.controls import CommandQueue
from engine.planning.history.decisions import DecisionHistoryAnalyzer
from engine.planning.history.store import QUEUE_ROWS
from engine.runs.folder import RunFolder
from engine.training.build import build_trainer
from engine.training.trainer import Trainer
from tests.engine.planning.history.helpers import fighting

_BLOCKS, _BLOCK_STEPS = 60, 50


def records_per_s(folder: Path) -> tuple[float, float]:
    """Return decisions a second that a loop gets rid of, and that come to the disk."""
    analysis, count = fighting(), QUEUE_ROWS // 2
    with DecisionHistoryAnalyzer(folder / "speed.db") as history:
        start = time.perf_counter()
        for number in range(count):
            history.record_decision(analysis, number % 9, "as the planner advises", 0.5, 1.0)
        taken = time.perf_counter()
        history.flush()
        written = time.perf_counter()
        assert not history._store.num_dropped
    return count / (taken - start), count / (written - start)


def step_ratio(folder: Path) -> float:
    """Return a headless step's time with the history over that without.

    Both in one run of random actions, in turn, block by block: the median of the pairs.
    """
    config = RunConfig(save_dir=str(folder), headless=True, agent="random")
    run = RunFolder.create(config)
    trainer = build_trainer(config, run, CommandQueue(), lambda _: None, is_resumed=False)
    recorder = trainer.log.recorder
    ratios = []
    try:
        for _ in range(_BLOCKS):
            trainer.log.recorder = recorder
            trainer.state.vector.watch(0)
            recorded = _block_s(trainer)
            trainer.log.recorder = None
            trainer.state.vector.watch(None)
            ratios.append(recorded / _block_s(trainer))
    finally:
        trainer.log.journal.close()
        trainer.state.vector.close()
        if recorder is not None:
            recorder.close()
        run.unlock()
    return statistics.median(ratios)


def _block_s(trainer: Trainer) -> float:
    start = time.perf_counter()
    for _ in range(_BLOCK_STEPS):
        trainer.step()
    return time.perf_counter() - start


def main() -> None:
    """Print both."""
    with tempfile.TemporaryDirectory() as folder:
        taken, written = records_per_s(Path(folder))
        print(f"decisions a second: {taken:,.0f} taken from the loop, {written:,.0f} on the disk")
        print(f"a headless step with the history / without: {step_ratio(Path(folder)):.3f}")


if __name__ == "__main__":
    main()
