"""A battle's protocol lines, to be moved through: forwards and backwards, turn by turn."""

from bisect import bisect_left, bisect_right
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType

from pokeTUI.battles.fold import fold_line
from pokeTUI.battles.text import Sentence, Weight, describe
from pokeTUI.battles.view import BattleView

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
    """Return the playback of `lines`, which go on where those that it has end.

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
