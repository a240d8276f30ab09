"""Work out which buttons are held, from keys that go down, repeat, and sometimes go up.

A terminal that does not tell of releases sends a held key again and again, after a first pause of
half a second. So each press counts as held for HOLD_S, and each repeat does so anew: a tap walks
one tile, a held key walks on with one stop of a third of a second, and a key that is let go of
keeps walking for HOLD_S at most. Holding over the first pause would make every tap walk two tiles
and every menu run away. `python -m tests.benchmarks.holds` shows the figures behind HOLD_S.
"""

from engine.types import Action

HOLD_S = 0.15
"""A press without a known end lasts so long; so does the wait for the next repeat."""

_OPPOSITES = {
    Action.UP: Action.DOWN,
    Action.DOWN: Action.UP,
    Action.LEFT: Action.RIGHT,
    Action.RIGHT: Action.LEFT,
}


class Holds:
    """The buttons that a person holds.

    Args:
        has_releases: The terminal tells when a key goes up.
    """

    def __init__(self, *, has_releases: bool = False) -> None:
        self.has_releases = has_releases
        self._until: dict[Action, float] = {}

    def press(self, button: Action, now_s: float) -> None:
        """A key went down, or repeats.

        Without releases a new direction ends the others: only the newest key repeats.
        """
        if not self.has_releases and button in _OPPOSITES:
            self._until = {
                other: until for other, until in self._until.items() if other not in _OPPOSITES
            }
        self._until[button] = float("inf") if self.has_releases else now_s + HOLD_S

    def release(self, button: Action) -> None:
        """A key went up."""
        self._until.pop(button, None)

    def let_go(self) -> None:
        """Nothing is held any more."""
        self._until.clear()

    def held(self, now_s: float) -> frozenset[Action]:
        """Return what is held; of two opposite directions neither is."""
        self._until = {button: until for button, until in self._until.items() if now_s < until}
        return frozenset(
            button for button in self._until if _OPPOSITES.get(button) not in self._until
        )
