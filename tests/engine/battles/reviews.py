"""What a review needs: a battle that was played at random, and a network that knows nothing."""

from dataclasses import replace
from pathlib import Path

import numpy as np

from engine.battles.learn.demonstrations import Battle
from engine.battles.play.search import SearchSettings
from engine.battles.policy import NUM_WEIGHTS, Policy, write_network
from engine.battles.sim.setup import NodeCommand
from engine.battles.sim.simulator import Simulator
from tests.engine.battles.play import lane, play_all

QUICK = SearchSettings(samples=1, seconds=0, candidates=2, answers=1)


def unlearned_policy() -> Policy:
    """Return a network of small random weights."""
    rng = np.random.default_rng(1)
    return Policy(rng.normal(0, 0.05, NUM_WEIGHTS).astype(np.float32))


def write_unlearned_policy(path: Path) -> None:
    """Write that network as a checkpoint."""
    write_network(path, unlearned_policy().by_name)


def random_battle(node: NodeCommand, players: tuple[str, str] = ("Ann", "Bob")) -> Battle:
    """Return a battle that was played at random to its end."""
    with Simulator([lane(4, limit=1)], node) as simulator:
        play_all(simulator, np.random.default_rng(1))
        (log,) = simulator.logs()
    return Battle(log.format, players, log.winner, log.input_log)


def cut(battle: Battle) -> Battle:
    """Return a battle that the second side wins after two decisions, as the first gives up."""
    rows = [row for row, line in enumerate(battle.input_log) if line.startswith(">p1 ")]
    return replace(battle, input_log=(*battle.input_log[: rows[2]], ">forcewin p2"), winner="p2")
