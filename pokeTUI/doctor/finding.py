"""Say what an examination of this machine found."""

from dataclasses import dataclass
from enum import Enum

INSTALL = "Reinstall: pip install -c constraints.txt -e ."
NAME_WIDTH = 11
"""Of the longest name of a check."""


class Verdict(Enum):
    """How well it is; the value is for machines."""

    GOOD = "good"
    WARNING = "warning"
    BAD = "bad"

    @property
    def sign(self) -> str:
        """Return what stands before a finding."""
        return {"good": "✓", "warning": "!", "bad": "✗"}[self.value]


@dataclass(frozen=True, slots=True)
class Finding:
    """What a check found.

    Attributes:
        text: What was found, in one line.
        remedy: What to do about it; "" where there is nothing to do.
    """

    name: str
    verdict: Verdict
    text: str
    remedy: str = ""


def good(name: str, text: str, remedy: str = "") -> Finding:
    """Return a finding that all is well; a remedy says what would be better still."""
    return Finding(name, Verdict.GOOD, text, remedy)


def warning(name: str, text: str, remedy: str) -> Finding:
    """Return a finding that one can live with."""
    return Finding(name, Verdict.WARNING, text, remedy)


def bad(name: str, text: str, remedy: str) -> Finding:
    """Return a finding that something will not work."""
    return Finding(name, Verdict.BAD, text, remedy)
