"""Say which part of a growing log is looked at: pure, over the numbers of its entries."""

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace


@dataclass(frozen=True, slots=True)
class LogCursor:
    """Which entry is chosen, and which is the last that is shown.

    Attributes:
        frozen_at: Number of the newest entry that was known when the log was last looked at; newer
            ones stay below. None: the log is followed.
        chosen: Number of the chosen entry, if any.
        bottom: Number of the last entry that is shown while frozen; None: the newest of then.
    """

    frozen_at: int | None = None
    chosen: int | None = None
    bottom: int | None = None

    @property
    def is_frozen(self) -> bool:
        """Return whether new entries stay below."""
        return self.frozen_at is not None

    def freeze(self, numbers: Sequence[int]) -> "LogCursor":
        """Stay with what is shown now."""
        if self.is_frozen:
            return self
        return replace(self, frozen_at=numbers[-1] if numbers else -1)

    def move(self, numbers: Sequence[int], step: int) -> "LogCursor":
        """Choose the entry `step` further down; the last shown one if none was chosen."""
        if not numbers:
            return self
        if self.chosen is None:
            return self.choose(numbers, numbers[self.freeze(numbers).stop(numbers) - 1])
        index = _nearest(numbers, self.chosen) + step
        return self.choose(numbers, numbers[max(0, min(len(numbers) - 1, index))])

    def choose(self, numbers: Sequence[int], number: int) -> "LogCursor":
        """Choose an entry by its number."""
        frozen = self.freeze(numbers)
        return replace(frozen, chosen=number, frozen_at=max(frozen.frozen_at or 0, number))

    def scroll(self, numbers: Sequence[int], step: int) -> "LogCursor":
        """Move what is shown `step` entries down, without choosing; at the end, follow again."""
        if not numbers:
            return self
        frozen = self.freeze(numbers)
        stop = frozen.stop(numbers) + step
        if step > 0 and stop >= len(numbers):
            return LogCursor()
        bottom = numbers[max(0, min(len(numbers), stop) - 1)]
        return LogCursor(max(frozen.frozen_at or 0, bottom), None, bottom)

    def stop(self, numbers: Sequence[int]) -> int:
        """Return the index after the last entry that is shown, at least 1."""
        if not self.is_frozen:
            return len(numbers)
        last = self.frozen_at if self.bottom is None else self.bottom
        return max(1, min(len(numbers), bisect_right(numbers, last or 0)))

    def num_new(self, numbers: Sequence[int]) -> int:
        """Count the entries that came since the log was last looked at."""
        return 0 if self.frozen_at is None else len(numbers) - bisect_right(numbers, self.frozen_at)

    def window(
        self, numbers: Sequence[int], height_of: Callable[[int], int], room: int
    ) -> tuple[int, int]:
        """Return start and stop of the entries to show in `room` rows: the chosen one is there."""
        if not numbers or room <= 0:
            return 0, 0
        stop = self.stop(numbers)
        chosen = None if self.chosen is None else _nearest(numbers, self.chosen)
        if chosen is not None and chosen >= stop:
            stop = chosen + 1
        start = _fit_up(stop, height_of, room)
        if chosen is not None and chosen < start:
            start, stop = chosen, _fit_down(chosen, len(numbers), height_of, room)
        if start == 0:  # at the top there may be room below
            known = len(numbers) - self.num_new(numbers)
            stop = max(stop, _fit_down(0, known, height_of, room))
        return start, stop


def match_from(matches: Sequence[int], chosen: int | None, step: int) -> int | None:
    """Return the match after (1) or before (-1) the chosen entry, round the end; None if none."""
    if not matches:
        return None
    if chosen is None:
        return matches[-1] if step < 0 else matches[0]
    if step < 0:
        return matches[bisect_left(matches, chosen) - 1]
    return matches[bisect_right(matches, chosen) % len(matches)]


def _nearest(numbers: Sequence[int], number: int) -> int:
    """Return the index of `number`, or of the next one where it is gone or filtered out."""
    return min(bisect_left(numbers, number), len(numbers) - 1)


def _fit_up(stop: int, height_of: Callable[[int], int], room: int) -> int:
    """Return the start of as many entries before `stop` as fit, at least one."""
    start, used = stop - 1, height_of(stop - 1)
    while start > 0 and used + height_of(start - 1) <= room:
        start -= 1
        used += height_of(start)
    return start


def _fit_down(start: int, count: int, height_of: Callable[[int], int], room: int) -> int:
    """Return the stop of as many entries from `start` as fit, at least one."""
    stop, used = start + 1, height_of(start)
    while stop < count and used + height_of(stop) <= room:
        used += height_of(stop)
        stop += 1
    return stop
