"""Measure what asking a language model costs the training: in every scenario of a failing server.

`python -m tests.benchmarks.planner_throughput [--scenario NAME ...] [--steps N] [--repeats N]`

Two trainers with the same settings and the same seed go in turn, a block of steps each: one asks a
model, the other is as with `--no-llm`. Goals that are followed lead the games elsewhere, and other
games cost other times; so here 999,999,999 of 1,000,000,000 plans are ignored
(`planner.holdout_fraction`). Everything is done but walking towards them: situations are told apart
and described, questions asked, answers read, plans sent to the games, goals judged and recorded.
The rules lead in both, so both play the same games to the last button, and that is checked after
every block. What differs is the asking alone. In the scenario "followed", the last, plans are
followed as usual and nothing of that holds.

Models are given up sooner than by default, so that time-outs fall into a block, and everything
begins anew with each: a breaker that has opened is closed again, no plan is known, and the
questions that may be asked at once (`planner.calls_per_minute`) are there again. So more is asked
than in a run. Each block begins with steps that do not count, after the client was made. The server
is another process; what it computes is in the clock's time only. In the scenario "nobody" neither
trainer asks: it says how much of a ratio is noise.

Ratios are taken between neighbouring blocks, which go first in turn: by the clock; by CPU time of
the trainer's process, in which the planner's thread is; and with that of its workers, in which the
situations are told apart. Of `Planning.after_step`, the only place where a step could wait, the
median, the 99th percentile and the longest call are told, and the longest by its own CPU time: what
is beyond that is the wait for a worker's answer, for the interpreter's lock, or for a core.
"""

import argparse
import contextlib
import os
import queue
import statistics
import tempfile
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from engine.agents.calibration import Calibration
from engine.commands import Stop
from engine.config import RunConfig, load_config
from engine.env.batch import Batch
from engine.env.vector.world import ENV_FACTORY, VectorEnv
from engine.events import Event, PlanAnswered, PlanRequested
from engine.loop.controls import CommandQueue
from engine.planning_types import PlannerUpdate
from engine.runs.folder import RunFolder
from engine.training.build import build_planning, build_trainer
from engine.training.trainer import Trainer
from tests.benchmarks.planner_scenarios import MODEL, SCENARIOS, scenario_server

SETTINGS: dict[str, Any] = {
    "headless": True,
    "mode": "adaptive",
    "num_envs": 16,
    "checkpoint_interval_s": 86_400,  # none within a block
    "planner.first_token_timeout_s": 1,
    "planner.answer_timeout_s": 2,
}
IGNORED = 1 - 1e-9
_LEAD_IN = 1 / 8
"""Share of a block that does not count."""
_SETTLE_S = 0.5
"""Until a planner's client is made, which a run does once."""
_TICKS_PER_S = os.sysconf("SC_CLK_TCK")


@dataclass(slots=True)
class Cost:
    """What a block took, and what was asked in it; seconds.

    Attributes:
        calls_s: Of every `Planning.after_step`: by the clock, and of its thread's CPU time.
    """

    clock_s: float = 0.0
    trainer_s: float = 0.0
    workers_s: float = 0.0
    questions: int = 0
    goals: int = 0
    calls_s: list[tuple[float, float]] = field(default_factory=list)
    actions: list[NDArray[np.int64]] = field(default_factory=list)

    def played(self) -> list[list[int]]:
        """Return what was pressed."""
        return [list(map(int, actions)) for actions in self.actions]


class _StoppingVector(VectorEnv):
    """Asks before every step whether it may continue."""

    def __init__(self, config: RunConfig, at_step: Callable[[NDArray[np.int64]], None]) -> None:
        super().__init__(ENV_FACTORY, config, config.num_envs, config.worker_count())
        self._at_step = at_step

    def step(self, actions: NDArray[np.int64], *, shows: bool = True) -> Batch:
        self._at_step(actions)
        return super().step(actions, shows=shows)


class Arm:
    """A trainer in a thread of its own that runs a block of steps when it is told to.

    Args:
        overrides: Settings by dotted key.
        steps: In a block.
    """

    def __init__(self, overrides: dict[str, Any], steps: int) -> None:
        config = load_config(None, overrides)
        self._steps = steps
        self._commands = CommandQueue()
        self._orders: queue.SimpleQueue[dict[str, Any] | None] = queue.SimpleQueue()
        self._done: queue.SimpleQueue[Cost | BaseException] = queue.SimpleQueue()
        self._left = 0
        self._cost: Cost | None = None
        self._folder = RunFolder.create(config)
        self._trainer: Trainer = build_trainer(
            config,
            self._folder,
            self._commands,
            self._count,
            is_resumed=False,
            make_vector=lambda config: _StoppingVector(config, self._at_step),
        )
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()

    def block(self, settings: dict[str, Any]) -> Cost:
        """Run a block and return what it took; `settings` say whom to ask, {} nobody."""
        self._orders.put(settings)
        done = self._done.get()
        if isinstance(done, BaseException):
            raise done
        return done

    def close(self) -> None:
        """End the run."""
        self._commands.put(Stop())
        self._orders.put(None)
        self._thread.join()
        self._trainer.close()
        self._folder.unlock()

    def _run(self) -> None:
        try:
            self._trainer.run()
        except Exception as error:  # the thread's outermost frame: whoever waits shall know
            self._done.put(error)

    def _count(self, event: Event) -> None:
        if self._cost is not None:
            self._cost.questions += isinstance(event, PlanRequested)
            self._cost.goals += isinstance(event, PlanAnswered) and not event.error

    def _at_step(self, actions: NDArray[np.int64]) -> None:
        if self._left == 0:
            self._end()
            self._begin()
        if self._left == self._steps - int(self._steps * _LEAD_IN) and self._cost is not None:
            self._note(self._cost, -1)
        self._left -= 1
        if self._cost is not None:
            self._cost.actions.append(actions.copy())

    def _begin(self) -> None:
        settings = self._orders.get()
        if settings is None:
            self._left = -1
            return
        self._left = self._steps
        self._cost = Cost()
        if settings:
            self._plan(settings)

    def _end(self) -> None:
        cost, self._cost = self._cost, None
        if cost is None:
            return
        self._note(cost, 1)
        if self._trainer.learning.planning is not None:
            self._trainer.learning.planning.close()
            self._trainer.learning.planning = None
            self._trainer.state.vector.update_planner(
                PlannerUpdate(experience=self._trainer.learning.experience_updates.known)
            )
        self._done.put(cost)

    def _note(self, cost: Cost, sign: int) -> None:
        """Take the clocks' readings away from, or add them to what a block took."""
        cost.clock_s += sign * time.perf_counter()
        cost.trainer_s += sign * time.process_time()
        assert isinstance(self._trainer.state.vector, VectorEnv)
        cost.workers_s += sign * sum(map(_cpu_s, self._trainer.state.vector.pids))

    def _plan(self, settings: dict[str, Any]) -> None:
        """Let a planner that knows nothing yet ask for goals."""
        trainer, folder = self._trainer, self._folder
        assert trainer.log.recorder is not None
        config = load_config(None, settings)
        planning = build_planning(
            config, folder, Calibration(), trainer.log.recorder.history, self._count
        )
        assert planning is not None
        after_step, calls_s = planning.after_step, self._cost.calls_s if self._cost else []

        def timed(*args: Any, **named: Any) -> None:
            began_s, cpu_s = time.perf_counter(), time.thread_time()
            after_step(*args, **named)
            calls_s.append((time.perf_counter() - began_s, time.thread_time() - cpu_s))

        planning.after_step = timed  # type: ignore[method-assign]
        trainer.learning.planning = planning
        trainer.learning.update_games()
        planning.begin()
        time.sleep(_SETTLE_S)


def measure(names: Sequence[str], steps: int, repeats: int, overrides: dict[str, Any]) -> None:
    """Print a table of every scenario.

    Args:
        names: Of scenarios.
        steps: Of every game in a block.
        repeats: Pairs of blocks for each scenario.
        overrides: Settings by dotted key.
    """
    with tempfile.TemporaryDirectory() as folder, contextlib.ExitStack() as open_ones:
        urls = {name: open_ones.enter_context(scenario_server(name)) for name in names}
        shared = {**SETTINGS, **overrides, "save_dir": folder}
        asking, alone = (
            Arm(shared | {"decision_db_path": str(Path(folder) / f"{i}.db")}, steps)
            for i in range(2)
        )
        open_ones.callback(asking.close)
        open_ones.callback(alone.close)
        pairs: dict[str, list[tuple[Cost, Cost]]] = {name: [] for name in names}
        for arm in (alone, asking):
            arm.block({})
        order = [name for name in names if not SCENARIOS[name].is_followed] * repeats
        order += [name for name in names if SCENARIOS[name].is_followed] * repeats
        for number, name in enumerate(order):
            settings = shared | {"llm_model": MODEL, "llm_base_url": urls[name]}
            if name == "nobody":
                settings = {}
            elif not SCENARIOS[name].is_followed:
                settings["planner.ignore_share"] = IGNORED
            costs: dict[Arm, Cost] = {}
            for arm in (asking, alone) if number % 2 else (alone, asking):
                costs[arm] = arm.block(settings if arm is asking else {})
            pair = costs[asking], costs[alone]
            if not SCENARIOS[name].is_followed:
                assert pair[0].played() == pair[1].played(), "the arms play other games"
            pairs[name].append(pair)
        _print(pairs, steps)


def _print(pairs: dict[str, list[tuple[Cost, Cost]]], steps: int) -> None:
    every = [pair for of_one in pairs.values() for pair in of_one]
    alone = statistics.median(cost.clock_s for _, cost in every)
    print(f"\n{len(every)} pairs of {steps} steps; without a model a block takes {alone:.2f} s.\n")
    print(
        "| the server | speed by the clock (middle half) | by CPU time, trainer | and workers "
        "| questions | goals | after_step: median | p99 | longest | longest by CPU |\n"
        "|---|---|---|---|---|---|---|---|---|---|"
    )
    for name, of_one in pairs.items():
        print(_row(SCENARIOS[name].text, of_one))
    asked = [pair for name, of_one in pairs.items() if name != "nobody" for pair in of_one]
    print(_row("all that were asked", asked))


def _row(text: str, pairs: list[tuple[Cost, Cost]]) -> str:
    clock = [alone.clock_s / asking.clock_s for asking, alone in pairs]
    trainer = [alone.trainer_s / asking.trainer_s for asking, alone in pairs]
    both = [
        (alone.trainer_s + alone.workers_s) / (asking.trainer_s + asking.workers_s)
        for asking, alone in pairs
    ]
    calls = np.array([call for asking, _ in pairs for call in asking.calls_s]) * 1000
    low, high = np.quantile(clock, [0.25, 0.75])
    return (
        f"| {text} | {statistics.median(clock):.3f} ({low:.3f} to {high:.3f}) "
        f"| {statistics.median(trainer):.3f} | {statistics.median(both):.3f} "
        f"| {sum(asking.questions for asking, _ in pairs)} "
        f"| {sum(asking.goals for asking, _ in pairs)} "
        f"| {_waits(calls) if calls.size else '– | – | – | –'} |"
    )


def _waits(calls: NDArray[np.float64]) -> str:
    """Return the cells about calls (N, 2): milliseconds by the clock and by CPU time."""
    clock, cpu = calls.T
    return (
        f"{np.median(clock):.2f} ms | {np.quantile(clock, 0.99):.2f} ms "
        f"| {clock.max():.1f} ms | {cpu.max():.1f} ms"
    )


def _cpu_s(pid: int) -> float:
    """Return the CPU time of another process."""
    stat = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(stat[11]) + int(stat[12])) / _TICKS_PER_S


def main() -> None:
    """Read the command line."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--scenario", nargs="+", choices=SCENARIOS, default=list(SCENARIOS))
    parser.add_argument("--steps", type=int, default=128, help="of every game in a block")
    parser.add_argument("--repeats", type=int, default=5, help="pairs of blocks a scenario")
    parser.add_argument("--games", type=int, default=16)
    args = parser.parse_args()
    measure(args.scenario, args.steps, args.repeats, {"num_envs": args.games})


if __name__ == "__main__":
    main()
