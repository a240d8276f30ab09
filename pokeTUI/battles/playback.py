"""A battle's protocol lines and where in them the screen is."""

import json
import math
import time
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from types import MappingProxyType

from engine.events import (
    BattleDecision,
    BattleShown,
    BattlesProgressed,
    BattleWanted,
    Event,
    LookAheadBegan,
)
from engine.planning.history.patterns import success_interval
from pokeTUI.battles.choices import read_request
from pokeTUI.battles.fold import fold_line
from pokeTUI.battles.text import Sentence, Weight, describe
from pokeTUI.battles.view import BattleView
from pokeTUI.dashboard.history import Record

# A battle's protocol lines, to be moved through: forwards and backwards, turn by turn.

Types = Mapping[str, tuple[str, ...]]


@dataclass(frozen=True, slots=True)
class Playback:
    """All that is known of one battle. A place is a number of lines that were read.

    Attributes:
        own: 0 or 1: the side that is watched.
        views: The battle after each number of lines; the first is before any.
        said: (place after its line, sentence), in order.
        stops: Places of the team preview, of the beginning of each turn, and of the end.
    """

    own: int = 0
    types: Types = field(default_factory=lambda: MappingProxyType({}))
    lines: tuple[str, ...] = ()
    views: tuple[BattleView, ...] = (BattleView(),)
    said: tuple[tuple[int, Sentence], ...] = ()
    stops: tuple[int, ...] = ()

    @property
    def end(self) -> int:
        """The place after all lines."""
        return len(self.lines)

    def view(self, place: int) -> BattleView:
        """Return the battle at a place."""
        return self.views[place]

    def sentences(self, place: int) -> Sequence[tuple[int, Sentence]]:
        """Return what was said up to a place."""
        return self.said[: bisect_right(self.said, place, key=lambda one: one[0])]

    def next_sentence(self, place: int) -> int:
        """Return the place after the next thing that is said, or the end."""
        at = bisect_right(self.said, place, key=lambda one: one[0])
        return self.said[at][0] if at < len(self.said) else self.end

    def turned(self, place: int, turns: int) -> int:
        """Return the place so many stops further on, or back where `turns` is below 0."""
        if not self.stops:
            return place
        if turns < 0:
            at = bisect_left(self.stops, place) + turns
        else:
            at = bisect_right(self.stops, place) + turns - 1
        return self.stops[max(0, min(len(self.stops) - 1, at))]

    def decision_place(self, place: int) -> int:
        """Return the last stop at or before a place."""
        at = bisect_right(self.stops, place) - 1
        return self.stops[at] if at >= 0 else 0


def extended(playback: Playback, lines: Sequence[str], types: Types | None = None) -> Playback:
    """Return the playback of `lines`, which continue those that it has.

    Other lines begin another one.
    """
    known = len(playback.lines)
    if tuple(lines[:known]) != playback.lines:
        playback, known = Playback(playback.own), 0
    types = playback.types if types is None else types
    views, said, stops = list(playback.views), list(playback.said), list(playback.stops)
    for place, line in enumerate(lines[known:], known + 1):
        before = views[-1]
        sentence = describe(line, before, playback.own)
        if sentence is not None:
            said.append((place, sentence))
        views.append(fold_line(before, line, types))
        if _is_stop(line, sentence):
            stops.append(place)
    return Playback(playback.own, types, tuple(lines), tuple(views), tuple(said), tuple(stops))


def _is_stop(line: str, sentence: Sentence | None) -> bool:
    if line.startswith(("|turn|", "|teampreview")):
        return True
    return sentence is not None and sentence.weight is Weight.end


# Where in a battle the screen is, and how that moves: by hand, by playing, by following.

SHOWN_S: Mapping[Weight, float] = MappingProxyType(
    {Weight.turn: 0.3, Weight.major: 0.7, Weight.faint: 0.7, Weight.minor: 0.25, Weight.end: 0.25}
)
"""For how long a sentence is shown while a battle is played."""


class Cursor:
    """A place in a battle.

    Attributes:
        place: How many lines are read.
        is_playing: It advances line by line.
        is_following: It advances to the end when more lines come.
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
        """Return whether the user has left the end of a battle, to see what came before."""
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


# Fold what the engine reports of battles: pure, beside the dashboard's own fold.


@dataclass(frozen=True, slots=True)
class BattlesState:
    """All that the battle screen shows, apart from the place in the battle.

    Attributes:
        rates: By decisions of the run: the recent win rate of each opponent under its name, and the
            ends of its 95 % interval under NAME/low and NAME/high.
        wanted: The decision that waits for the person who plays; None: none does.
        party: Species that the person who plays has taken along; empty before team preview is over.
        is_looking_ahead: A player searches before it chooses.
    """

    shown: BattleShown | None = None
    playback: Playback = field(default_factory=Playback)
    progress: BattlesProgressed | None = None
    rates: Record = field(default_factory=lambda: Record(absent=math.nan))
    wanted: BattleWanted | None = None
    party: frozenset[str] = frozenset()
    is_looking_ahead: bool = False

    def decision(self, place: int) -> BattleDecision | None:
        """Return the decision that was due at a place, the last one before it at the latest."""
        decisions: Sequence[BattleDecision] = self.shown.decisions if self.shown else ()
        stop = self.playback.decision_place(place)
        found = [one for one in decisions if stop <= one.place <= max(stop, place)]
        return found[-1] if found else None


def fold_battles(state: BattlesState, event: Event) -> BattlesState:
    """Return the state after `event`."""
    match event:
        case BattleShown():
            before = state.playback
            is_same = state.shown is not None and state.shown.battle == event.battle
            if not is_same or before.own != event.side or before.types != event.types:
                before = Playback(event.side)
            playback = extended(before, event.lines, event.types)
            party = state.party if is_same else frozenset()
            return replace(
                state, shown=event, playback=playback, party=party, is_looking_ahead=False
            )
        case LookAheadBegan():
            return replace(state, is_looking_ahead=True)
        case BattlesProgressed():
            rates = state.rates.add(float(event.total_steps), _rates(event))
            return replace(state, progress=event, rates=rates)
        case BattleWanted():
            if not event.request:
                return replace(state, wanted=None)
            request = read_request(json.loads(event.request))
            taken = () if request.is_preview else request.party
            return replace(state, wanted=event, party=frozenset(one.species for one in taken))
        case _:
            return state


def _rates(event: BattlesProgressed) -> dict[str, float]:
    figures = {}
    for one in event.opponents:
        if one.recent_battles:
            low, high = success_interval(one.recent_wins, one.recent_battles)
            figures[one.name] = one.recent_wins / one.recent_battles
            figures[f"{one.name}/low"], figures[f"{one.name}/high"] = low, high
    return figures
