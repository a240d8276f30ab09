"""Say what of a reward is worth a line of its own."""

from collections import Counter

from engine.types import RewardBreakdown

_WORTH_A_LINE = 0.25
"""Smallest payment that is told on its own."""


def payouts(paid: RewardBreakdown) -> list[tuple[str, float, str]]:
    """Return component, value and cause of what is worth a line; cause "" where none is known."""
    return [
        (name, value, _cause(paid, name))
        for name, value in paid.components
        if abs(value) >= _WORTH_A_LINE
    ]


def _cause(paid: RewardBreakdown, component: str) -> str:
    # A breakdown that was saved by an older version does not know who noted what.
    noted = Counter(
        cause for cause, payer in zip(paid.causes, paid.payers, strict=False) if payer == component
    )
    return "; ".join(f"{cause} ×{count}" if count > 1 else cause for cause, count in noted.items())
