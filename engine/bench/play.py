"""Let an agent play from power-on with several seeds; report progress and where it got stuck."""

import json
import statistics
import subprocess
import threading
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any

from engine.bench.playthrough import Order, Playthrough
from engine.config import RunConfig
from engine.errors import ConfigurationError, WorkerError
from engine.games.base import Game, check_goal
from engine.games.catalog import load_game
from engine.ground.processes import worker_command, worker_environment
from engine.ground.text import counted


@dataclass(slots=True)
class Proof:
    """Playthroughs of all seeds.

    Attributes:
        goal: Key of a milestone; "": the first badge.
        played: In the order of the seeds, without those that have not begun.
        is_whole: Whether all were played to their ends.
    """

    game: Game
    agent: str
    goal: str
    played: list[Playthrough] = field(default_factory=list)
    is_whole: bool = False

    @property
    def successes(self) -> int:
        """Return how many reached the goal."""
        return sum(each.is_success for each in self.played)

    def facts(self) -> dict[str, Any]:
        """Return it JSON-able."""
        return {
            "game": self.game.name,
            "sha1": self.game.sha1,
            "agent": self.agent,
            "goal": self.goal or "the first badge",
            "successes": self.successes,
            "is_whole": self.is_whole,
            "seeds": [each.facts() for each in self.played],
        }


def play_seeds(
    config: RunConfig,
    agent: str,
    seeds: Sequence[int],
    *,
    steps: int,
    minutes: float,
    processes: int,
    report: Callable[[Playthrough], None] = lambda found: None,
) -> Proof:
    """Play every seed in a process of its own, `processes` at once.

    Ctrl-C ends it: what is known by then is returned, and is not whole. `report` is called with
    each finished playthrough.

    Raises:
        PokeTUIError: The game, the goal or the agent is unusable.
    """
    game = load_game(config.rom_path, config.allow_unknown_rom)
    check_goal(game, config.env.goal)
    orders = [
        Order(config.model_copy(update={"seed": seed}), agent, steps, minutes) for seed in seeds
    ]
    proof, players = Proof(game, agent, config.env.goal), _Processes()
    with ThreadPoolExecutor(processes) as pool:
        try:
            for found in pool.map(players.play, orders):
                report(found)
            proof.is_whole = True
        except KeyboardInterrupt:
            pass
        finally:
            players.end()
    proof.played = [players.found[seed] for seed in seeds if seed in players.found]
    return proof


class _Processes:
    """Starts processes that play and reads what they print.

    Attributes:
        found: Latest report on each seed.
    """

    def __init__(self) -> None:
        self.found: dict[int, Playthrough] = {}
        self._lock = threading.Lock()
        self._running: set[subprocess.Popen[str]] = set()
        self._is_over = False

    def play(self, order: Order) -> Playthrough:
        """Play once in a process of its own; return its last report."""
        command = worker_command(
            "engine.bench.playthrough", order.encode(), options=("-W", "ignore")
        )
        with self._lock:
            if self._is_over:
                return Playthrough(order.config.seed)
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
        with process:
            assert process.stdout is not None
            assert process.stderr is not None
            for line in process.stdout:
                facts = json.loads(line)
                if "error" in facts:
                    self.end()
                    raise ConfigurationError(facts["error"], facts["hint"])
                self.found[order.config.seed] = Playthrough.of(facts)
            complaint = process.stderr.read().strip().splitlines()
        with self._lock:
            self._running.discard(process)
        found = self.found.get(order.config.seed)
        if not self._is_over and (found is None or not found.ending):
            last = complaint[-1] if complaint else f"exit code {process.returncode}"
            raise WorkerError(f"The game with seed {order.config.seed} failed: {last}.")
        return found or Playthrough(order.config.seed)

    def end(self) -> None:
        """End all processes, and start no more."""
        with self._lock:
            self._is_over = True
            for process in self._running:
                with suppress(OSError):
                    process.kill()


def table(proof: Proof) -> Iterator[str]:
    """Yield the lines of the report: seeds, milestones, standstills."""
    yield "| seed | result | steps | minutes | whiteouts | longest standstill |"
    yield "|---|---|---|---|---|---|"
    for each in proof.played:
        still = counted(each.stuck.steps, "step") if each.stuck else "–"
        yield (
            f"| {each.seed} | {each.ending or 'stopped by hand'} | {each.steps:,} "
            f"| {each.minutes:.1f} | {each.whiteouts} | {still} |"
        )
    yield ""
    yield from _milestones(proof)
    for each in proof.played:
        if each.stuck is not None:
            stuck, (x, y) = each.stuck, each.stuck.tile
            said = f"on the screen: {stuck.screen}" if stuck.screen else "no text on the screen"
            yield (
                f"Seed {each.seed} was stuck for {counted(stuck.steps, 'step')} "
                f"after step {stuck.since:,}: "
                f"{stuck.map} ({x}, {y}); {said}"
            )
    if frames := sum(each.frames for each in proof.played):
        mean = frames / sum(each.steps for each in proof.played)
        yield f"A step took {mean:.0f} frames of the game on average."
    goal = proof.goal or "the first badge"
    steps = [each.steps for each in proof.played if each.is_success]
    median = f", median {statistics.median(steps):,.0f} steps" if steps else ""
    yield f"{proof.agent}: {proof.successes} of {len(proof.played)} seeds reached {goal}{median}."


def _milestones(proof: Proof) -> Iterator[str]:
    """Yield a table with the step and the minute of each milestone that any seed reached."""
    reached = {key for each in proof.played for key in each.milestones}
    keys = [key for key, _ in proof.game.milestones if key in reached]
    if not keys:
        return
    yield (
        "| milestone: steps (minutes) | "
        + " | ".join(f"seed {each.seed}" for each in proof.played)
        + " |"
    )
    yield "|---" * (1 + len(proof.played)) + "|"
    for key in keys:
        marks = (each.milestones.get(key) for each in proof.played)
        cells = (f"{mark.steps:,} ({mark.minutes:.1f})" if mark else "–" for mark in marks)
        yield f"| {key} | " + " | ".join(cells) + " |"
    yield ""
