"""Turn a person's keys into play: a press is one action, or in real time buttons are held."""

import re
import time
from collections.abc import Callable, Iterable, Mapping

from engine.commands import Command, Hold, PlayLive, Press
from engine.events import CommandRefused, ControlChanged, Event, GameObserved, StatusChanged
from engine.types import Action
from pokeTUI.keys.entry import KeyAction
from pokeTUI.terminal.holds import Holds

REPEAT_GAP_S = 0.1
"""A key that comes again so soon is held down: nobody taps ten times a second."""
REPEAT_INTERVAL_S = 0.12
"""By turns a held key acts at most about eight times a second."""
ANSWER_TIMEOUT_S = 2.0
"""After this a press counts as answered, and what was asked for as not granted."""

_BUTTON = re.compile(r"press\('(\w+)'\)")


def buttons(entries: Iterable[KeyAction]) -> dict[str, Action]:
    """Return which button of the game a key stands for, by Textual's name of the key."""
    return {
        key: Action[match[1]]
        for entry in entries
        if (match := _BUTTON.fullmatch(entry.action))
        for key in entry.keys
    }


class Turns:
    """One press is one action; while the engine is busy with it, one more may wait.

    Repeats of a held key never wait, so that nothing goes on after the key is up.

    Args:
        send: Sends a command.
    """

    def __init__(self, send: Callable[[Command], None]) -> None:
        self._send = send
        self._busy_since: float | None = None
        self._next: Action | None = None
        self._last: tuple[Action, float] | None = None
        self._acted_s = float("-inf")

    def press(self, button: Action, now_s: float) -> None:
        """Act, wait for the last action's end, or drop a repeat that comes too soon."""
        is_repeat = self._last is not None and (
            self._last[0] is button and now_s - self._last[1] < REPEAT_GAP_S
        )
        self._last = (button, now_s)
        is_busy = self._busy_since is not None and now_s - self._busy_since < ANSWER_TIMEOUT_S
        if is_repeat and (is_busy or now_s - self._acted_s < REPEAT_INTERVAL_S):
            return
        if is_busy:
            self._next = button
        else:
            self._act(button, now_s)

    def released(self) -> None:
        """A key went up: what comes next is no repeat."""
        self._last = None

    def answered(self, now_s: float) -> None:
        """The engine is done with the last press."""
        self._busy_since = None
        if self._next is not None:
            self._act(self._next, now_s)

    def forget(self) -> None:
        """Begin anew."""
        self._busy_since = self._next = self._last = None

    def _act(self, button: Action, now_s: float) -> None:
        self._busy_since = self._acted_s = now_s
        self._next = None
        self._send(Press(button))


class Playing:
    """What a person's keys do while the game is the person's.

    Args:
        send: Sends a command.
        buttons: By key: see `buttons`.
        clock: Seconds, monotonic.
    """

    def __init__(
        self,
        send: Callable[[Command], None],
        buttons: Mapping[str, Action],
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._send = send
        self._buttons = buttons
        self._clock = clock
        self._turns = Turns(send)
        self._holds = Holds()
        self._sent: frozenset[Action] = frozenset()
        self._is_live = False
        self._wanted_until = 0.0

    @property
    def is_live(self) -> bool:
        """Whether keys are held rather than pressed."""
        return self._is_live

    def toggle_live(self) -> None:
        """Let the game run in real time, or wait for each press again."""
        self._turn(not self._is_live)
        self._wanted_until = self._clock() + ANSWER_TIMEOUT_S
        self._send(PlayLive(self._is_live))

    def press(self, button: Action) -> None:
        """A key of the game went down, or repeats."""
        now = self._clock()
        if not self._is_live:
            self._turns.press(button, now)
            return
        self._holds.press(button, now)
        self._tell(now)

    def release(self, key: str) -> None:
        """A key went up."""
        self._turns.released()
        button = self._buttons.get(key, self._buttons.get(key.upper()))
        if button is not None:
            self._holds.release(button)
            self._tell(self._clock())

    def let_go(self) -> None:
        """Hold nothing: the keys go elsewhere now, and their ends will not be seen."""
        self._holds.let_go()
        self._tell(self._clock())

    def report_releases(self) -> None:
        """The terminal tells from now on when keys go up."""
        self.let_go()
        self._holds.has_releases = True

    def take(self, event: Event) -> None:
        """Learn how the engine answered."""
        match event:
            case GameObserved() | CommandRefused(command="Press"):
                self._turns.answered(self._clock())
            case ControlChanged():
                self._turns.forget()
            case CommandRefused(command="PlayLive"):
                self._wanted_until = 0.0
            case StatusChanged(is_live=is_live) if is_live is self._is_live:
                self._wanted_until = 0.0
            case StatusChanged(is_live=is_live) if self._clock() >= self._wanted_until:
                self._turn(is_live)
            case _:
                pass

    def look(self, *, is_covered: bool) -> None:
        """Notice what time has changed.

        Args:
            is_covered: Something else has the keyboard.
        """
        if is_covered:
            self._holds.let_go()
        self._tell(self._clock())

    def _turn(self, is_live: bool) -> None:
        self._is_live = is_live
        self._sent = frozenset()
        self._holds.let_go()
        self._turns.forget()

    def _tell(self, now_s: float) -> None:
        """Tell the engine what is held, if that is something else than before."""
        held = self._holds.held(now_s)
        if self._is_live and held != self._sent:
            self._sent = held
            self._send(Hold(held))
