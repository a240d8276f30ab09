"""Suspend, continue and interrupt the program at a shell in a real terminal."""

import os
import random
import shutil
import signal
import time
from collections.abc import Iterator
from contextlib import contextmanager

from engine.runs.checkpoint import checkpoint_paths, steps_of
from tests.benchmarks.faults.fault import Fault, Lost, Skipped, Strike
from tests.benchmarks.faults.processes import check_saved
from tests.benchmarks.faults.workshop import LIMIT_S, SMALL, Workshop
from tests.engine.processes import is_stopped, resident_mb, wait_until
from tests.pokeTUI.terminal import Terminal
from tests.pokeTUI.test_job_control import WHOLE

_LEFT = "Resume with: poketui run --resume"
_ENDS = (_LEFT, "Stopped before the first step: nothing was started.")


@contextmanager
def shell(shop: Workshop, *options: str) -> Iterator[tuple[Terminal, str]]:
    """Run the program at a shell; end it with q, and look that the terminal is as it was."""
    if not shutil.which("tmux"):
        raise Skipped("needs tmux")
    folder = shop.folder()
    terminal = Terminal(folder)
    try:
        terminal.start_shell((120, 40))
        modes = terminal.modes()
        terminal.type_line(terminal.poketui("run", *SMALL, *options))
        terminal.wait_for("saved at step" if "--headless" in options else "goal ")
        yield terminal, modes
        terminal.type_line("clear")
        if terminal.modes() != modes:
            raise Lost("the terminal's modes are others than before")
    finally:
        terminal.close()
    check_saved(folder / "saves")


def suspend(terminal: Terminal, modes: str, said: str) -> None:
    """Press Ctrl-Z, and check that the shell has its terminal back."""
    program = terminal.program()
    terminal.press("C-z")
    terminal.wait_for(said, "Stopped")
    if not wait_until(lambda: is_stopped(program), LIMIT_S):
        raise TimeoutError("it was not stopped")
    if terminal.modes() != modes:
        raise Lost("the shell's terminal has the program's modes")
    terminal.type_line("clear")


@contextmanager
def cockpit_suspended(shop: Workshop) -> Iterator[Strike]:
    """Ctrl-Z and fg of the cockpit."""
    with shell(shop) as (terminal, modes):

        def strike(rng: random.Random) -> None:
            suspend(terminal, modes, "until `fg` resumes it")
            if rng.random() < 0.3:
                terminal.type_line("bg")
                time.sleep(rng.random())
            terminal.type_line("fg")
            terminal.wait_for("► playing  ", *WHOLE)

        yield strike
        terminal.press("q")
        terminal.wait_for(_LEFT)


@contextmanager
def headless_suspended(shop: Workshop) -> Iterator[Strike]:
    """Ctrl-Z and fg of a run without a screen."""
    with shell(shop, "--headless") as (terminal, modes):

        def strike(rng: random.Random) -> None:
            suspend(terminal, modes, "until `fg` resumes it")
            terminal.type_line("fg")
            terminal.wait_for("resumed")

        yield strike
        terminal.press("C-c")
        terminal.wait_for(_LEFT)


@contextmanager
def cockpit_halted(shop: Workshop) -> Iterator[Strike]:
    """SIGSTOP of the cockpit, which cannot be caught, and fg."""
    with shell(shop) as (terminal, _):

        def strike(rng: random.Random) -> None:
            program = terminal.program()
            os.kill(program, signal.SIGSTOP)
            terminal.wait_for("Stopped")
            time.sleep(rng.random())
            terminal.type_line("clear; fg")
            # Until the shell clears it, the screen shows the cockpit as it was.
            terminal.wait_until("drawn again", "► playing  ", *WHOLE, gone=("Stopped",))

        yield strike
        terminal.press("q")
        terminal.wait_for(_LEFT)


@contextmanager
def cockpit_interrupted(shop: Workshop) -> Iterator[Strike]:
    """Press Ctrl-C many times, fast, in the cockpit."""

    def strike(rng: random.Random) -> None:
        with shell(shop) as (terminal, _):
            for _ in range(rng.randrange(2, 12)):
                terminal.press("C-c")
                time.sleep(rng.random() * 0.05)
            if not wait_until(lambda: any(end in terminal.screen() for end in _ENDS), LIMIT_S):
                raise Lost(f"it is not said how to go on: {terminal.screen().strip()}")

    yield strike


@contextmanager
def soaked(shop: Workshop) -> Iterator[Strike]:
    """Train for long with the cockpit open: it stays as small, and answers."""

    def strike(rng: random.Random) -> None:
        with shell(shop, "--set", "save_interval=20") as (terminal, _):
            program = terminal.program()
            (folder,) = (shop.path / f"{shop.count:05d}" / "saves" / "runs").iterdir()

            def play_until(steps: int) -> float:
                while (
                    max(map(steps_of, checkpoint_paths(folder / "checkpoints")), default=0) < steps
                ):
                    time.sleep(5)
                return resident_mb(program)

            start_mb = play_until(shop.soak_steps // 10)
            end_mb = play_until(shop.soak_steps)
            print(f"soak: {start_mb:.0f} MB after a tenth, {end_mb:.0f} MB at the end", flush=True)
            terminal.press("?")
            help_text = "Take one step while paused"
            terminal.wait_for(help_text)
            terminal.press("Escape")
            terminal.wait_until("the cockpit alone", "► playing  ", gone=(help_text,))
            terminal.press("q")
            terminal.wait_for(_LEFT)
            if end_mb > 1.1 * start_mb:
                raise Lost(f"memory grew from {start_mb:.0f} to {end_mb:.0f} MB")

    yield strike


FAULTS = (
    Fault("Ctrl-Z and fg (or bg, fg) of the cockpit", 6, cockpit_suspended),
    Fault("Ctrl-Z and fg of a headless run", 4, headless_suspended),
    Fault("SIGSTOP and fg of the cockpit", 4, cockpit_halted),
    Fault("Ctrl-C many times, fast, in the cockpit", 3, cockpit_interrupted),
)
SOAK = Fault("long training with the cockpit open", 1, soaked)
