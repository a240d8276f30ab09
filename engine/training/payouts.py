"""Say what of a reward is worth a line of its own."""

from engine.types import RewardBreakdown

_WORTH_A_LINE = 0.25
"""Smallest payment that is told on its own."""


def payouts(paid: RewardBreakdown) -> list[tuple[str, float, str]]:
    """Return component, value and cause of what is worth a line.

    Components note their causes in their own order, so equal numbers belong together.
    """
    large = [(name, value) for name, value in paid.components if abs(value) >= _WORTH_A_LINE]
    causes = list(paid.causes)
    if len(causes) != len(large):
        causes = ["; ".join(causes)] * len(large)
    return [
        (name, value, cause or name) for (name, value), cause in zip(large, causes, strict=True)
    ]
