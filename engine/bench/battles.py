"""Measure the battle simulator and print a table with the targets."""

import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from engine.battles.sim.actions import PREVIEW_CODES, joint_mask
from engine.battles.sim.records import BattleLog
from engine.battles.sim.setup import NodeCommand, find_simulator
from engine.battles.sim.simulator import POLICY, Decisions, Lane, Simulator
from engine.battles.sim.teams import Format, pool
from engine.bench.environment import Figure, print_table

TARGET_RATE = 1500
"""Decisions a second of CPU time, of both processes, with observations and masks."""
MAX_REJECTED = 1e-4
_WARM_UP = 3000
"""Decisions until the simulator's code is compiled."""
_MANY = 1024
"""Ended battles after which logs are fetched: the simulator keeps only the latest."""


@dataclass(frozen=True, slots=True)
class PlayedBattles:
    """Battles that random legal choices played to their ends.

    Attributes:
        rate: Decisions a second of CPU time; `wall_rate` by the clock.
        trapped: Choices that were rejected because of trapping that the player could not know of.
        start_s: Until the first decisions.
        warning: Why the speed patch could not be applied; "": it could, or was not wanted.
    """

    logs: tuple[BattleLog, ...]
    rate: float
    wall_rate: float
    decisions: int
    rejected: int
    trapped: int
    memory_mb: float
    start_s: float
    warning: str


def measure_battles(format: Format, battles: int, lanes: int, seed: int) -> tuple[Figure, ...]:
    """Let the simulator, a process of its own, play battles; print a table and return its lines."""
    return print_table(_figures(format, battles, lanes, seed, find_simulator()), "value")


def _figures(
    format: Format, battles: int, lanes: int, seed: int, node: NodeCommand
) -> Iterator[Figure]:
    teams = [team.packed for team in pool(format)]
    plans = plan_lanes(format, teams, battles, lanes, seed)
    patched, plain = (play_lanes(plans, node, seed, is_patched=on) for on in (True, False))
    count = len(patched.logs)
    yield Figure(
        "decisions a CPU second, observations and masks included",
        patched.rate,
        f"{patched.rate:,.0f} (of wall time {patched.wall_rate:,.0f})",
        f"at least {TARGET_RATE}",
        patched.rate >= TARGET_RATE,
    )
    ratio = patched.rate / plain.rate
    yield Figure("speed with the patch against without", ratio, patched.warning or f"{ratio:.2f}")
    equal = sum(a.hash == b.hash for a, b in zip(patched.logs, plain.logs, strict=True))
    yield _all("battles that are equal with and without the patch", equal, count)
    with Simulator([], node) as simulator:
        exact = sum(simulator.replay(one.input_log).hash == one.hash for one in patched.logs)
    yield _all("battles that their input logs replay exactly", exact, count)
    share = patched.rejected / patched.decisions
    yield Figure(
        "choices that were rejected, hidden trapping apart",
        share,
        f"{patched.rejected} of {patched.decisions:,} ({patched.trapped} met hidden trapping)",
        f"at most {MAX_REJECTED:.2%}",
        share <= MAX_REJECTED,
    )
    yield Figure("start", patched.start_s, f"{patched.start_s:.1f} s to the first decisions")
    memory = patched.memory_mb
    yield Figure(f"memory of the simulator, {lanes} battles", memory, f"{memory:.0f} MB resident")


def _all(name: str, value: int, count: int) -> Figure:
    return Figure(name, value, f"{value} of {count}", "all", value == count)


def plan_lanes(
    format: Format, teams: Sequence[str], battles: int, lanes: int, seed: int
) -> list[Lane]:
    """Return `lanes` lanes for `battles` battles in all, each team against each in turn."""
    pairs = [(first, second) for first in teams for second in teams]
    return [
        Lane(
            format.id,
            pairs[index % len(pairs)],
            (POLICY, POLICY),
            seed + index,
            limit=battles // lanes + (index < battles % lanes),
        )
        for index in range(min(lanes, battles))
    ]


def play_lanes(
    plans: list[Lane], node: NodeCommand, seed: int, *, is_patched: bool
) -> PlayedBattles:
    """Play the lanes' battles to their ends by random legal choices; time them."""
    rng = np.random.default_rng(seed)
    start = time.perf_counter()
    with Simulator(plans, node, is_patched=is_patched) as simulator:
        nothing = np.array([], np.int64)
        decisions = simulator.step(nothing, nothing)
        start_s = time.perf_counter() - start
        counted, done, ended = None, 0, 0
        logs: list[BattleLog] = []
        while len(decisions.seats):
            if counted is None and done >= _WARM_UP:
                counted = (_cpu_s(simulator), time.perf_counter(), done)
            done += len(decisions.seats)
            decisions = simulator.step(decisions.seats, random_choices(decisions, rng))
            ended += len(decisions.ended)
            if ended >= _MANY:
                logs, ended = logs + simulator.logs(), 0
        begin = counted or (0.0, start, 0)
        cpu_s, wall_s = _cpu_s(simulator) - begin[0], time.perf_counter() - begin[1]
        stats = simulator.stats()
        return PlayedBattles(
            tuple(logs + simulator.logs()),
            (done - begin[2]) / cpu_s,
            (done - begin[2]) / wall_s,
            stats["decisions"],
            stats["rejected"],
            stats["trapped"],
            stats["rss"] / 1e6,
            start_s,
            simulator.hello["warning"],
        )


def _cpu_s(simulator: Simulator) -> float:
    return float(simulator.stats()["cpu_s"]) + time.process_time()


def random_choices(decisions: Decisions, rng: np.random.Generator) -> NDArray[np.int64]:
    """Draw a legal code for each decision."""
    mask = joint_mask(decisions.legal)
    codes = (rng.random(mask.shape, np.float32) * mask).argmax(1)
    previews = decisions.is_preview
    codes[previews] = rng.integers(PREVIEW_CODES, size=int(previews.sum()))
    return np.asarray(codes, np.int64)
