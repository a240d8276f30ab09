"""Let an agent play from power-on with several seeds, each in a process of its own."""

import json
import subprocess
import threading
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress

from engine.bench.play_notes import Playthrough
from engine.bench.play_tables import Proof
from engine.bench.playthrough import Order
from engine.config import RunConfig
from engine.errors import ConfigurationError, WorkerError
from engine.games.base import Game, check_goal
from engine.games.catalog import load_game
from engine.ground.processes import worker_command, worker_environment
from engine.sessions.recording.players import RANDOM, RULES

LEAST_STEPS, LEAST_MINUTES = 20_000, 10.0
"""Default limits of the nearest goals."""
_STEPS_A_MINUTE = 2_000
"""For the default time limit; idle cores play five times as many."""
_STOP_TIMEOUT_S = 10.0


def play_seeds(
    config: RunConfig,
    agent: str,
    seeds: Sequence[int],
    *,
    steps: int | None = None,
    minutes: float | None = None,
    processes: int,
    resumes: bool = True,
    report: Callable[[Playthrough], None] = lambda found: None,
    say: Callable[[str], None] = lambda text: None,
) -> Proof:
    """Play every seed in a process of its own, `processes` at once.

    Ctrl-C ends it: what is known by then is returned, and is not whole. The same call resumes it.

    Args:
        config: The game, the goal, the save folder and the settings.
        agent: "rules", "random", or the name of a cloned policy or a run.
        seeds: Of the games' random numbers.
        steps: Step limit of each game; None: as far as the goal is; trained agents: as trained.
        minutes: Time limit of each game; None: as the steps take.
        processes: How many play at once.
        resumes: Whether to resume games that were played before.
        report: Called with each finished playthrough.
        say: Takes lines for the user.

    Raises:
        PokeTUIError: The game, the goal or the agent is unusable.
    """
    game = load_game(config.rom_path, config.allow_unknown_rom)
    check_goal(game, config.env.goal)
    if steps is None:
        steps = usual_steps(game, config.env.goal) if agent in {RULES, RANDOM} else 0
    if minutes is None:
        minutes = max(LEAST_MINUTES, steps / _STEPS_A_MINUTE)
    orders = [
        Order(config.model_copy(update={"seed": seed}), agent, steps, minutes, resumes)
        for seed in seeds
    ]
    players = _Processes(say)
    is_whole = _play_all(players, orders, processes, report)
    played = [players.found[seed] for seed in seeds if seed in players.found]
    return Proof(game, agent, config.env.goal, played, is_whole)


def _play_all(
    players: "_Processes",
    orders: Sequence[Order],
    processes: int,
    report: Callable[[Playthrough], None],
) -> bool:
    """Play them all; return whether nobody pressed Ctrl-C before the end."""
    with ThreadPoolExecutor(processes) as pool:
        try:
            for found in pool.map(players.play, orders):
                report(found)
        except KeyboardInterrupt:
            return False
        finally:
            players.end()
    return True


def usual_steps(game: Game, goal: str) -> int:
    """Return the step limit of a game towards a goal; "": to the first badge."""
    scale = game.tables.SCALE.towards(goal, game.tables.MILESTONES)
    return max(LEAST_STEPS, scale.episode_steps)


class _Processes:
    """Starts processes that play and reads what they print.

    Attributes:
        found: Latest report on each seed.
    """

    def __init__(self, say: Callable[[str], None]) -> None:
        self.found: dict[int, Playthrough] = {}
        self._say = say
        self._lock = threading.Lock()
        self._running: set[subprocess.Popen[str]] = set()
        self._is_over = False

    def play(self, order: Order) -> Playthrough:
        """Play once in a process of its own; return its last report."""
        seed = order.config.seed
        process = self._start(order)
        if process is None:
            return Playthrough(seed)
        with process:
            assert process.stdout is not None
            assert process.stderr is not None
            for line in process.stdout:
                self._take(line, seed)
            complaint = process.stderr.read().strip().splitlines()
        with self._lock:
            self._running.discard(process)
        found = self.found.get(seed)
        if not self._is_over and (found is None or not found.ending):
            last = complaint[-1] if complaint else f"exit code {process.returncode}"
            raise WorkerError(f"The game with seed {seed} failed: {last}.")
        return found or Playthrough(seed)

    def _start(self, order: Order) -> "subprocess.Popen[str] | None":
        """Start a process, or none any more."""
        command = worker_command(
            "engine.bench.playthrough", order.encode(), options=("-W", "ignore")
        )
        with self._lock:
            if self._is_over:
                return None
            process = subprocess.Popen(
                command,
                env=worker_environment(),
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                text=True,
                start_new_session=True,  # Ctrl-C is for the one who prints the table
            )
            self._running.add(process)
        return process

    def _take(self, line: str, seed: int) -> None:
        """Take what a process printed."""
        facts = json.loads(line)
        if "error" in facts:
            self.end()
            raise ConfigurationError(facts["error"], facts["hint"])
        if "note" in facts:
            self._say(f"seed {seed}: {facts['note']}")
        else:
            self.found[seed] = Playthrough.of(facts)

    def end(self) -> None:
        """Let all processes save their games and end, and start no more."""
        with self._lock:
            self._is_over = True
            running = tuple(self._running)
        try:
            for process in running:
                with suppress(OSError):
                    process.terminate()
            until_s = time.monotonic() + _STOP_TIMEOUT_S
            while any(one.poll() is None for one in running) and time.monotonic() < until_s:
                time.sleep(0.05)
        finally:  # a second Ctrl-C comes here, too
            for process in running:
                with suppress(OSError):
                    process.kill()
