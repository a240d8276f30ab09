"""Turn a person's keys into play: a press is one action, or in real time buttons are held."""

import time
from collections.abc import Callable, Mapping

from engine.commands import Command, Hold, PlayLive, Press, RunBackwards
from engine.events import (
    CommandRefused,
    ControlChanged,
    Event,
    GameObserved,
    RewardPaid,
    RunStarted,
    StatusChanged,
)
from engine.types import DIRECTIONS, GAME_BOY_ACTIONS, ActionSet

REPEAT_GAP_S = 0.1
"""A key that comes again so soon is held down: nobody taps ten times a second."""
REPEAT_INTERVAL_S = 0.12
"""By turns a held key acts at most about eight times a second."""
ANSWER_TIMEOUT_S = 2.0
"""After this a press counts as answered, and what was asked for as not granted."""

FIRST_REPEAT_S = 0.4
"""A gamepad's button that is held acts again after this, by turns."""

HOLD_S = 0.15
"""A press without a known end lasts so long; so does the wait for the next repeat."""


class Turns:
    """One press is one action; while the engine is busy with it, one more may wait.

    Repeats of a held key never wait, so that nothing continues after the key is up.
    """

    def __init__(self, send: Callable[[Command], None]) -> None:
        self._send = send
        self._busy_since: float | None = None
        self._next: int | None = None
        self._last: tuple[int, float] | None = None
        self._acted_s = float("-inf")

    def press(self, button: int, now_s: float) -> None:
        """Act, wait for the last action's end, or drop a repeat that comes too soon."""
        is_repeat = self._last is not None and (
            self._last[0] == button and now_s - self._last[1] < REPEAT_GAP_S
        )
        self._last = (button, now_s)
        if is_repeat:
            self.repeat(button, now_s)
        elif self._is_busy(now_s):
            self._next = button
        else:
            self._act(button, now_s)

    def repeat(self, button: int, now_s: float) -> None:
        """A held key acts again, if it does not come too soon."""
        if not self._is_busy(now_s) and now_s - self._acted_s >= REPEAT_INTERVAL_S:
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
        """Forget all presses: another player has control, or another mode is on."""
        self._busy_since = self._next = self._last = None

    def _is_busy(self, now_s: float) -> bool:
        return self._busy_since is not None and now_s - self._busy_since < ANSWER_TIMEOUT_S

    def _act(self, button: int, now_s: float) -> None:
        self._busy_since = self._acted_s = now_s
        self._next = None
        self._send(Press(button))


class Holds:
    """Work out which buttons are held, from keys that go down, repeat, and sometimes go up.

    A terminal that does not report releases sends a held key again and again, after a first pause
    of half a second. So each press counts as held for HOLD_S, and each repeat does so anew: a tap
    walks one tile, a held key walks on with one stop of a third of a second, and a key that is let
    go of keeps walking for HOLD_S at most. Holding over the first pause would make every tap walk
    two tiles and every menu run away. `python -m tests.benchmarks.holds` shows the figures behind
    HOLD_S.

    Args:
        has_releases: The terminal reports when a key goes up.
    """

    def __init__(
        self, actions: ActionSet = GAME_BOY_ACTIONS, *, has_releases: bool = False
    ) -> None:
        self.has_releases = has_releases
        ways = [actions.index(way) for way in DIRECTIONS]
        against = [ways[1], ways[0], ways[3], ways[2]]
        self._opposites = {
            way: other
            for way, other in zip(ways, against, strict=True)
            if way is not None and other is not None
        }
        self._until: dict[int, float] = {}

    def press(self, button: int, now_s: float) -> None:
        """A key went down, or repeats.

        Without releases a new direction ends the others: only the newest key repeats.
        """
        if not self.has_releases and button in self._opposites:
            self._until = {
                other: until for other, until in self._until.items() if other not in self._opposites
            }
        self._until[button] = now_s + HOLD_S
        if self.has_releases:
            self.hold(button)

    def hold(self, button: int) -> None:
        """A button went down whose release will be reported, whatever the terminal does."""
        self._until[button] = float("inf")

    def toggle(self, button: int) -> None:
        """Hold a button until this is called again, and its opposite no more."""
        if self._until.pop(button, None) is None:
            self._until.pop(self._opposites.get(button, -1), None)
            self._until[button] = float("inf")

    def release(self, button: int) -> None:
        """A key went up."""
        self._until.pop(button, None)

    def let_go(self) -> None:
        """Nothing is held any more."""
        self._until.clear()

    def held(self, now_s: float) -> frozenset[int]:
        """Return what is held; of two opposite directions neither is."""
        self._until = {button: until for button, until in self._until.items() if now_s < until}
        return frozenset(
            button for button in self._until if self._opposites.get(button) not in self._until
        )


class Playing:
    """Act on a person's keys while they play.

    Args:
        buttons: Action of the game by key.

    Attributes:
        is_live: Keys are held rather than pressed.
        is_frame_by_frame: It is paused meanwhile; a tap chooses a button, where no release comes.
    """

    def __init__(
        self,
        send: Callable[[Command], None],
        buttons: Mapping[str, int],
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._send = send
        self._buttons = buttons
        self._actions = GAME_BOY_ACTIONS
        self._has_game_state = True
        self._clock = clock
        self._turns = Turns(send)
        self._holds = Holds()
        self._sent: frozenset[int] = frozenset()
        # Buttons of a gamepad that are down, the newest last, and when that one acts again.
        self._pad: list[int] = []
        self._repeats_s = 0.0
        self.is_live = self.is_frame_by_frame = False
        self._wanted_until = 0.0
        self._back_until = 0.0

    def use(self, run: RunStarted, buttons: Mapping[str, int]) -> None:
        """Take the actions of a run's game, and the keys that press them."""
        self._actions, self._buttons = run.actions, buttons
        self._has_game_state = run.has_game_state
        self._holds = Holds(run.actions, has_releases=self._holds.has_releases)

    def toggle_live(self) -> None:
        """Let the game run in real time, or wait for each press again."""
        self._turn(not self.is_live)
        self._wanted_until = self._clock() + ANSWER_TIMEOUT_S
        self._send(PlayLive(self.is_live))

    def press(self, button: int) -> None:
        """A key of the game went down, or repeats."""
        now = self._clock()
        if not self.is_live:
            self._turns.press(button, now)
            return
        if button in self._actions.buttons:
            if self.is_frame_by_frame and not self._holds.has_releases:
                self._holds.toggle(button)
            else:
                self._holds.press(button, now)
            self._send_held(now)

    @property
    def chosen(self) -> frozenset[int] | None:
        """Return the buttons that the next frames are run with; None where keys are held."""
        is_chosen = self.is_frame_by_frame and not self._holds.has_releases
        return self._sent if is_chosen else None

    def hold(self, button: int) -> None:
        """A gamepad's button went down; `let_up` tells its end."""
        now = self._clock()
        if not self.is_live:
            self._pad.append(button)
            self._repeats_s = now + FIRST_REPEAT_S
            self._turns.released()
            self._turns.press(button, now)
        elif button in self._actions.buttons:
            self._holds.hold(button)
            self._send_held(now)

    def let_up(self, button: int) -> None:
        """A gamepad's button went up."""
        if button in self._pad:
            self._pad.remove(button)
        self._holds.release(button)
        self._send_held(self._clock())

    def release(self, key: str) -> None:
        """A key went up."""
        self._turns.released()
        button = self._buttons.get(key, self._buttons.get(key.upper()))
        if button is not None:
            self._holds.release(button)
            self._send_held(self._clock())

    def run_back(self, *, has_release: bool = False) -> None:
        """The key that runs the game backwards went down, or repeats.

        `has_release`: its release will be reported, whatever the terminal does.
        """
        if not self._back_until:
            self._send(RunBackwards(is_on=True))
        has_release |= self._holds.has_releases
        self._back_until = float("inf") if has_release else self._clock() + HOLD_S

    def stop_back(self) -> None:
        """That key went up, or does not repeat."""
        if self._back_until:
            self._back_until = 0.0
            self._send(RunBackwards(is_on=False))

    def let_go(self) -> None:
        """Hold nothing: the keys go elsewhere now, and their ends will not be seen."""
        self.stop_back()
        self._pad.clear()
        self._holds.let_go()
        self._send_held(self._clock())

    def report_releases(self) -> None:
        """The terminal reports from now on when keys go up."""
        self.let_go()
        self._holds.has_releases = True

    def take(self, event: Event) -> None:
        """Learn how the engine answered."""
        if isinstance(event, StatusChanged):
            was_stepped = self.is_frame_by_frame
            self.is_frame_by_frame = event.is_live and event.is_paused
            if was_stepped and not self.is_frame_by_frame:
                self._holds.let_go()
        match event:
            case GameObserved() | CommandRefused(command="Press"):
                self._turns.answered(self._clock())
            case RewardPaid() if not self._has_game_state:
                self._turns.answered(self._clock())
            case ControlChanged():
                self._pad.clear()
                self._turns.forget()
            case CommandRefused(command="PlayLive"):
                self._wanted_until = 0.0
            case StatusChanged(is_live=is_live) if is_live is self.is_live:
                self._wanted_until = 0.0
            case StatusChanged(is_live=is_live) if self._clock() >= self._wanted_until:
                self._turn(is_live)
            case _:
                pass

    def look(self, *, is_covered: bool) -> None:
        """Act on the time that has passed; `is_covered`: another screen has the keyboard."""
        if is_covered or self._clock() >= self._back_until:
            self.stop_back()
        if is_covered:
            self._pad.clear()
            self._holds.let_go()
        now = self._clock()
        if self._pad and now >= self._repeats_s:
            self._turns.repeat(self._pad[-1], now)
        self._send_held(now)

    def _turn(self, is_live: bool) -> None:
        self.is_live = is_live
        self._sent = frozenset()
        self._pad.clear()
        self._holds.let_go()
        self._turns.forget()

    def _send_held(self, now_s: float) -> None:
        """Send the engine what is held, if that has changed."""
        held = self._holds.held(now_s)
        if self.is_live and held != self._sent:
            self._sent = held
            self._send(Hold(held))
