"""Say what a fault is, let it happen again and again, and count the result."""

import random
import re
import subprocess
import time
from collections import Counter
from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import dataclass, field

import pytest

from tests.benchmarks.faults.workshop import Workshop

Strike = Callable[[random.Random], None]
"""Let the fault happen once, and look the result; raises `Lost`."""

SURVIVED = "survived"
_NUMBER = re.compile(r"\b(0x[0-9a-f]+|\d+)\b")
_HANGS = (TimeoutError, subprocess.TimeoutExpired, pytest.fail.Exception)
_WRONG = (Exception, pytest.fail.Exception)
"""A fault ends nothing but itself: whatever the program raises is told in its row."""


class Lost(Exception):  # noqa: N818 (that is what it is)
    """Something was lost, or behaved otherwise than it must."""


class Skipped(Exception):  # noqa: N818 (nobody's error)
    """The fault cannot be made here."""


@dataclass(frozen=True, slots=True)
class Fault:
    """A kind of fault.

    Attributes:
        times: How often it happens if nobody says otherwise.
        scene: Prepares what it happens to, and gives what lets it happen.
    """

    name: str
    times: int
    scene: Callable[[Workshop], AbstractContextManager[Strike]]


@dataclass(slots=True)
class Row:
    """The result of a kind of fault."""

    name: str
    outcomes: Counter[str] = field(default_factory=Counter)
    seconds: float = 0.0
    is_skipped: bool = False

    @property
    def times(self) -> int:
        return sum(self.outcomes.values()) * (not self.is_skipped)

    @property
    def is_bad(self) -> bool:
        return not self.is_skipped and set(self.outcomes) != {SURVIVED}

    def markdown(self) -> str:
        said = "; ".join(
            what if len(self.outcomes) == 1 else f"{count} {what}"
            for what, count in self.outcomes.most_common()
        )
        return f"| {self.name} | {self.times} | {said} | {self.seconds:.0f} |"


def try_out(
    fault: Fault, workshop: Workshop, times: int, seed: int, end_s: float = float("inf")
) -> Row:
    """Let a fault happen `times` times, or until `end_s` by the monotonic clock."""
    row = Row(fault.name)
    began_s = time.monotonic()
    try:
        with fault.scene(workshop) as strike:
            for number in range(times):
                row.outcomes[_outcome(strike, random.Random(f"{seed} {fault.name} {number}"))] += 1
                if time.monotonic() >= end_s:
                    break
    except Skipped as reason:
        row.is_skipped = True
        row.outcomes[f"skipped: {reason}"] += 1
    except _WRONG as error:  # before the first time, or at the end, when all is taken down
        row.outcomes[_describe(error)] += 1
    row.seconds = time.monotonic() - began_s
    return row


def _outcome(strike: Strike, rng: random.Random) -> str:
    try:
        strike(rng)
    except Skipped:
        raise
    except _WRONG as error:
        return _describe(error)
    return SURVIVED


def _describe(error: BaseException) -> str:
    """Say the result of a fault that something was raised by."""
    if isinstance(error, Lost):
        return _cell(f"lost: {error}")
    if isinstance(error, _HANGS):
        return _cell(f"hang: {error}")
    return _cell(f"traceback: {type(error).__name__}: {error}")


def _cell(text: str) -> str:
    """Return what fits a cell of a table."""
    plain = "".join(c if c.isprintable() else " " for c in text).replace("|", "/")
    alike = _NUMBER.sub("N", plain)  # so that the same at another place is the same outcome
    return " ".join(alike.split())[:120]
