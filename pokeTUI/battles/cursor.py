"""Where in a battle the screen is, and how that moves: by hand, by playing, by following."""

import time
from collections.abc import Callable, Mapping
from types import MappingProxyType

from pokeTUI.battles.playback import Playback
from pokeTUI.battles.text import Weight

SHOWN_S: Mapping[Weight, float] = MappingProxyType(
    {Weight.turn: 0.3, Weight.major: 0.7, Weight.faint: 0.7, Weight.minor: 0.25, Weight.end: 0.25}
)
"""For how long a sentence is shown while a battle is played."""


class Cursor:
    """A place in a battle.

    Attributes:
        place: How many lines are read.
        is_playing: It goes on line by line.
        is_following: It goes on to the end when more lines come.
    """

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self.place = 0
        self.is_playing = False
        self.is_following = True
        self._clock = clock
        self._next_s = 0.0

    def enter(self, playback: Playback) -> None:
        """Begin with another battle: one that is over at its beginning, else where it stands."""
        is_over = playback.view(playback.end).has_ended
        self.is_following = not is_over
        self.is_playing = False
        self.place = _first(playback) if is_over else playback.end

    def looks_back(self, playback: Playback) -> bool:
        """Return whether the user has left the end of a battle, to look at what was."""
        return not self.is_following and self.place < playback.end

    def follow(self, playback: Playback, *, is_line_by_line: bool) -> None:
        """Go on to the end, if it is to be followed: at once, or by playing."""
        self.place = min(self.place, playback.end)
        if self.is_following and self.place < playback.end:
            if is_line_by_line:
                self.is_playing = True
            else:
                self.place = playback.end

    def tick(self, playback: Playback) -> None:
        """Go one sentence on, if it is playing and the last one was shown for long enough."""
        if not self.is_playing or self._clock() < self._next_s:
            return
        self.place = playback.next_sentence(self.place)
        said = playback.sentences(self.place)
        self._next_s = self._clock() + SHOWN_S[said[-1][1].weight if said else Weight.minor]
        self.is_playing = self.place < playback.end

    def go(self, playback: Playback, place: int) -> None:
        """Go to a place, and stay there, unless that is the end of a battle in progress."""
        self.is_playing = False
        self.place = place
        self.is_following = place >= playback.end and not playback.view(place).has_ended

    def turn(self, playback: Playback, turns: int) -> None:
        """Go some turns on or back; where there are not so many, to the end."""
        is_last = not playback.stops or self.place >= playback.stops[-1]
        is_beyond = turns > 1 or (turns > 0 and is_last)
        self.go(playback, playback.end if is_beyond else playback.turned(self.place, turns))

    def toggle(self, playback: Playback, *, is_line_by_line: bool) -> None:
        """Play, or stop; at the end it plays from the beginning."""
        self.is_playing = not self.is_playing
        self.is_following = is_line_by_line and self.is_playing
        if self.is_playing:
            self._next_s = 0.0
            if self.place >= playback.end:
                self.place = _first(playback)


def _first(playback: Playback) -> int:
    return playback.stops[0] if playback.stops else 0
