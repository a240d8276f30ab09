"""Say why a key does nothing now, once."""

import time
from collections.abc import Callable

from pokeTUI.dashboard.state import DashboardState
from pokeTUI.key_names import shown_key
from pokeTUI.keys.entry import KeyAction
from pokeTUI.keys.keymap import KeyTable

QUIET_S = 10.0
"""For so long the same is not said again, however often the key is pressed."""


class RefusedKeys:
    """Finds why a key that was pressed does nothing.

    Args:
        table: All keys.
        clock: Seconds that only rise.
    """

    def __init__(self, table: KeyTable, clock: Callable[[], float] = time.monotonic) -> None:
        self._table = table
        self._clock = clock
        self._said = ("", "")
        self._said_s = 0.0

    def why(self, key: str, state: DashboardState, focused: str) -> str:
        """Return why `key` does nothing while pane `focused` has the keyboard.

        "" where it does something, means nothing at all, or was told of a moment ago.
        """
        entries = [
            entry
            for entry in self._table.entries
            if key in entry.keys and entry.pane in ("", focused)
        ]
        refusals = [self._table.refusal(entry, state) for entry in entries]
        if not entries or not all(refusals):
            return ""
        said = (key, refusals[0])
        now_s = self._clock()
        if said == self._said and now_s < self._said_s + QUIET_S:
            return ""
        self._said, self._said_s = said, now_s
        return f"{_named(entries[0], key)}: {refusals[0]}"


def _named(entry: KeyAction, key: str) -> str:
    return f"{shown_key(key)} ({entry.label})" if entry.label else shown_key(key)
