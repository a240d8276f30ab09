"""Measure the Game Boy Advance emulator alone: `python -m tests.benchmarks.advance_core [ROM]`.

Each figure is the best of several rounds of CPU time, so that a busy machine changes little. The
core is the one that `Core.find` finds: `POKETUI_GBA_CORE=FILE python -m ...` measures another.
"""

import os
import random
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

from engine.bench.environment import Figure, print_table
from engine.emulator.core import core_version
from engine.emulator.libretro import GameBoyAdvance
from engine.games.bundled import find_image
from engine.types import GAME_BOY_ADVANCE_ACTIONS

STEP_FRAMES = 24
PRACTICE_FRAMES_PER_S = 3_000
SAVE_TARGET_MS = 1.5
MACHINES = 4
_ROUNDS, _STEPS = 7, 60


def measure(rom: bytes, *, is_practice: bool) -> Iterator[Figure]:
    """Yield the figures of a game played by random buttons."""
    alone_mb = _resident_mb()
    machine = GameBoyAdvance(rom)
    play(machine, 300)
    state = machine.save_state()

    def best(act: Callable[[], object], count: int) -> float:
        """Return seconds for one of `count` times."""
        times = []
        for _ in range(_ROUNDS):
            machine.load_state(state)
            start = time.process_time()
            for _ in range(count):
                act()
            times.append((time.process_time() - start) / count)
        return min(times)

    def draw_all() -> None:
        for _ in range(STEP_FRAMES):
            machine.tick(1, render=True)

    loops = {
        "no frame drawn": lambda: machine.tick(STEP_FRAMES),
        "the last of 24 drawn": lambda: machine.tick(STEP_FRAMES, render=True),
        "the last of 24 drawn and copied": lambda: (
            machine.tick(STEP_FRAMES, render=True),
            machine.frame(),
        ),
        "every frame drawn": draw_all,
    }
    for name, loop in loops.items():
        rate = STEP_FRAMES / best(loop, _STEPS)
        target = PRACTICE_FRAMES_PER_S if is_practice else None
        text = f"at least {target:,}" if target else ""
        is_met = rate >= target if target else None
        yield Figure(f"frames a CPU-second, {name}", rate, f"{rate:,.0f}", text, is_met)
    for name, act in (("save", machine.save_state), ("load", lambda: machine.load_state(state))):
        cost_ms = best(act, _STEPS) * 1000
        is_met = cost_ms <= SAVE_TARGET_MS
        target_text = f"at most {SAVE_TARGET_MS} ms"
        yield Figure(f"{name} a state", cost_ms, f"{cost_ms:.2f} ms", target_text, is_met)
    yield Figure("a state", len(state) / 1024, f"{len(state) / 1024:.0f} KB")
    others = [GameBoyAdvance(rom) for _ in range(MACHINES - 1)]
    for other in others:
        play(other, 30)
    each_mb = (_resident_mb() - alone_mb) / MACHINES
    yield Figure(f"memory of each of {MACHINES} machines", each_mb, f"{each_mb:.1f} MB")
    for each in (machine, *others):
        each.close()


def play(machine: GameBoyAdvance, presses: int) -> None:
    """Press buttons at random, A half of the time."""
    dice = random.Random(0)
    for _ in range(presses):
        button = dice.choice((0, dice.randrange(len(GAME_BOY_ADVANCE_ACTIONS))))
        machine.press(button)
        machine.tick(8)
        machine.release(button)
        machine.tick(16, render=True)


def _resident_mb() -> float:
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE") / 2**20


if __name__ == "__main__":
    given = sys.argv[1:]
    image = Path(given[0]) if given else find_image("mosslight-advance")
    print(f"{image.name} on {core_version()}\n")
    print_table(measure(image.read_bytes(), is_practice=not given), "best")
