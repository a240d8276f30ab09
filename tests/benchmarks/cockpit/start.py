"""Measure how soon after the command something is seen, and how soon the game."""

import re
import statistics
import subprocess
from collections.abc import Iterator
from pathlib import Path

from engine.bench.environment import Figure
from engine.ground.processes import code_command, python_command, python_environment
from engine.ground.scratch import scratch_folder
from tests.benchmarks.cockpit.child import write_preferences
from tests.benchmarks.cockpit.fast_terminal import FastTerminal

PAINT_TARGET_S, GAME_TARGET_S = 1.0, 4.0
_SIZE = (240, 78)
_PAINT = "Starting…".encode()
_HALF_BLOCKS = ("▀".encode(), "▄".encode())
_ENOUGH_BLOCKS = 400
_IMPORTS = "import pokeTUI.cli.main, pokeTUI.app.launch, pokeTUI.app.cockpit"
_LINE = re.compile(r"import time:\s+(\d+) \|\s+(\d+) \|( *)([\w.]+)")
_SHOWN_IMPORTS = 6


def measure_start(repeats: int) -> Iterator[Figure]:
    """Start `poketui run` again and again, and once where it knows nothing yet."""
    with scratch_folder() as folder:
        environment = write_preferences(folder / "config", view="half blocks")
        _start(folder / "warm", environment, ("--workers", "1"))  # it plays the introduction
        for name, options in (("1 worker", ("--workers", "1")), ("default workers", ())):
            times = [_start(folder / "warm", environment, options) for _ in range(repeats)]
            paints, costs, games = zip(*times, strict=True)
            yield _figure(f"first paint, 4 games, {name}", paints, PAINT_TARGET_S)
            cost = statistics.median(costs)
            yield Figure(f"CPU time until then, {name}", cost, f"{cost:.2f} s")
            yield _figure(f"first game frame, 4 games, {name}", games, GAME_TARGET_S)
        paint, _, game = _start(folder / "cold", environment, ())
        yield Figure("first paint, empty save folder", paint, f"{paint:.2f} s")
        yield Figure("first game frame, empty save folder", game, f"{game:.2f} s")


def imports() -> str:
    """Return what is imported before the first paint and takes longest, in a line."""
    result = subprocess.run(
        code_command(_IMPORTS, ("-X", "importtime")),
        env=python_environment(),
        capture_output=True,
        text=True,
        check=True,
    )
    own: dict[str, int] = {}
    for match in _LINE.finditer(result.stderr):
        package = match[4].split(".")[0]
        own[package] = own.get(package, 0) + int(match[1])
    most = sorted(own.items(), key=lambda item: -item[1])[:_SHOWN_IMPORTS]
    parts = ", ".join(f"{name} {spent / 1000:.0f}" for name, spent in most)
    return f"Imports before the first paint: {sum(own.values()) / 1000:.0f} ms ({parts})."


def _figure(name: str, times: tuple[float, ...], target_s: float) -> Figure:
    median = statistics.median(times)
    text = f"{median:.2f} s, worst {max(times):.2f}"
    return Figure(name, median, text, f"under {target_s:.0f} s", median < target_s)


def _start(
    save_dir: Path, environment: dict[str, str], options: tuple[str, ...]
) -> tuple[float, float, float]:
    """Return seconds to the first paint, CPU time until then, seconds to the picture."""
    command = python_command("pokeTUI", "run", "--envs", "4", *options, "--save-dir", str(save_dir))
    columns, rows = _SIZE
    with FastTerminal(command, columns=columns, rows=rows, environment=environment) as terminal:
        paint = terminal.wait_for(_PAINT) - terminal.started
        cost = terminal.cpu_s()
        game = terminal.wait_for(*_HALF_BLOCKS, count=_ENOUGH_BLOCKS) - terminal.started
        terminal.press(b"q")
        terminal.process.wait(60)
    return paint, cost, game
