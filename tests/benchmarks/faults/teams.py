"""Misspell, cut and damage teams; then have them read and judged."""

import random
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from engine.battles.sim.setup import find_simulator
from engine.battles.sim.simulator import Simulator
from engine.errors import ConfigurationError
from tests.benchmarks.faults.fault import Fault, Lost, Skipped, Strike
from tests.benchmarks.faults.workshop import Workshop
from tests.engine.demos.damage import damaged

_FILES = Path(__file__).parents[2] / "engine" / "battles" / "team_files"
_ODD = ("", "x", "252", "+", " / ", ": ", "\n", "\n\n", "(", " @ ", "|", "]", "[", "\u00a0", "é")


@contextmanager
def pastes(shop: Workshop) -> Iterator[Strike]:
    """Change a pasted team at random: what is read of it must be all of it."""
    try:
        node = find_simulator()
    except ConfigurationError:
        raise Skipped("needs the battle simulator") from None
    text = (_FILES / "base.txt").read_text()
    with Simulator((), node) as simulator:
        whole, _ = simulator.read_team(text)

        def strike(rng: random.Random) -> None:
            changed = _misspelt(text, rng)
            packed, problems = simulator.read_team(changed)
            if not (packed or problems):
                raise Lost("neither a team nor a reason")
            if not all(line.isprintable() for line in problems):
                raise Lost(f"a reason with control characters: {problems[0]:.60}")
            if packed and packed != whole and _signs(changed) == _signs(text):
                raise Lost(f"the same letters mean another team: {packed:.60}")

        yield strike


def _misspelt(text: str, rng: random.Random) -> str:
    if rng.random() < 0.3:
        return damaged(text.encode(), rng).decode(errors="replace")
    at, length = rng.randrange(len(text)), rng.randrange(3)
    return text[:at] + rng.choice(_ODD) + text[at + length :]


def _signs(text: str) -> str:
    return "".join(sign for sign in text if sign.isalnum())


FAULTS = (Fault("misspelt and damaged teams", 500, pastes),)
