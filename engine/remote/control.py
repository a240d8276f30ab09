"""Decide which of a run's viewers steers it: one at a time, the first to come."""

import time
from collections.abc import Callable
from typing import Generic, TypeVar

from engine.commands import Command, GiveBack, Hold, TakeOver

IDLE_S = 60.0
"""Having asked for nothing for so long, a viewer loses control to one that wants it."""

_Viewer = TypeVar("_Viewer")


class ControlDesk(Generic[_Viewer]):
    """Hold who is in control, and what the game is left with when that changes.

    Args:
        send: Takes commands to the engine.
        clock: Seconds that only rise.

    Attributes:
        holder: The viewer in control.
        asker: The last that asked for control and did not get it: it is next.
        is_human: A viewer plays the game itself, as far as was asked for.
    """

    def __init__(
        self, send: Callable[[Command], None], clock: Callable[[], float] = time.monotonic
    ) -> None:
        self.holder: _Viewer | None = None
        self.asker: _Viewer | None = None
        self.is_human = False
        self._send = send
        self._clock = clock
        self._used_s = 0.0
        self._is_holding = False

    def request(self, viewer: _Viewer) -> str:
        """Give control to a viewer, or return why not."""
        if self.holder is not None and self.holder is not viewer:
            idle_s = self._clock() - self._used_s
            if idle_s < IDLE_S:
                self.asker = viewer
                return (
                    "Another viewer is in control, and is told that you ask. It can leave it to "
                    "you with C; you can take it once it has done nothing for "
                    f"{IDLE_S - idle_s:.0f} s more."
                )
            self._let_go()
        self.holder = viewer
        if self.asker is viewer:
            self.asker = None
        self._used_s = self._clock()
        return ""

    def release(self, viewer: _Viewer) -> None:
        """Leave control to who asked for it, else to whoever wants it next.

        A game that was played goes back to the agent.
        """
        if self.asker is viewer:
            self.asker = None
        if self.holder is viewer:
            self._let_go()
            if self.is_human:
                self.is_human = False
                self._send(GiveBack())
            self.holder = None
            if self.asker is not None:
                self.request(self.asker)

    def command(self, viewer: _Viewer, command: Command) -> str:
        """Pass a command on, or return why not; control that nobody has is taken by it."""
        if self.holder is None:
            self.request(viewer)
        elif self.holder is not viewer:
            return "Another viewer is in control: press C to ask for it."
        self._used_s = self._clock()
        match command:
            case TakeOver():
                self.is_human = True
            case GiveBack():
                self.is_human = False
            case Hold(buttons=buttons):
                self._is_holding = bool(buttons)
            case _:
                pass
        self._send(command)
        return ""

    def _let_go(self) -> None:
        """No button stays down that nobody presses any more."""
        if self._is_holding:
            self._is_holding = False
            self._send(Hold(frozenset()))
