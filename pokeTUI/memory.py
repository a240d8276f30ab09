"""Keep the user's preferences in mind, and write them where that is possible."""

import asyncio
from collections.abc import Callable
from typing import Any

from engine.errors import ConfigurationError
from pokeTUI.preferences import PreferenceFile

WRITE_DELAY_S = 0.5
"""A border that is dragged changes sixty times a second."""


class Memory:
    """What is remembered now; changes are written soon, and never waited for.

    Args:
        complain: Told once if they cannot be written.

    Raises:
        ConfigurationError: The file is broken.
    """

    def __init__(self, file: PreferenceFile, complain: Callable[[str], None]) -> None:
        self._file = file
        self._complain = complain
        self._has_complained = False
        self._changes: dict[str, Any] = {}
        self._timer: asyncio.TimerHandle | None = None
        self._writing: asyncio.Task[None] | None = None
        self.preferences = file.load()

    def remember(self, **changes: Any) -> None:
        """Change preferences by name."""
        changes = {
            key: value for key, value in changes.items() if value != getattr(self.preferences, key)
        }
        if not changes:
            return
        self.preferences = self.preferences.model_copy(update=changes)
        self._changes |= changes
        if self._timer is None:
            self._timer = asyncio.get_running_loop().call_later(WRITE_DELAY_S, self._begin)

    async def flush(self) -> None:
        """Write what is not yet written, at most a second long."""
        if self._timer is not None:
            self._timer.cancel()
            self._begin()
        if self._writing is not None:
            await asyncio.wait({self._writing}, timeout=1.0)

    def _begin(self) -> None:
        self._timer = None
        self._writing = asyncio.ensure_future(self._write(self._writing))

    async def _write(self, before: asyncio.Task[None] | None) -> None:
        if before is not None:  # two at once would each undo what the other writes
            await asyncio.wait({before})
        changes, self._changes = self._changes, {}
        try:
            await asyncio.to_thread(self._file.save, changes)
        except (OSError, ConfigurationError) as error:
            if not self._has_complained:
                self._has_complained = True
                reason = error.message if isinstance(error, ConfigurationError) else error.strerror
                self._complain(f"Your preferences cannot be kept: {reason}")
