"""Keep the last so many of something: immutable, and cheap to add to, however many came before."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Generic, TypeVar, overload

_Item = TypeVar("_Item")

_CHUNK = 64


@dataclass(frozen=True, slots=True, eq=False)
class Backlog(Sequence[_Item], Generic[_Item]):
    """The last `limit` items, oldest first, in chunks of which all but the last are shared.

    Attributes:
        limit: Items that are kept; up to a chunk more may be there.
        end: Number of the next item; the first that ever came had the number 0.
    """

    limit: int
    end: int = 0
    _chunks: tuple[tuple[_Item, ...], ...] = ()
    _tail: tuple[_Item, ...] = ()

    def add(self, item: _Item) -> "Backlog[_Item]":
        """Return a backlog with one more item; the oldest go where there are too many."""
        if len(self._tail) < _CHUNK:
            return Backlog(self.limit, self.end + 1, self._chunks, (*self._tail, item))
        kept = -(-self.limit // _CHUNK)
        return Backlog(self.limit, self.end + 1, (*self._chunks, self._tail)[-kept:], (item,))

    def with_last(self, item: _Item) -> "Backlog[_Item]":
        """Return a backlog whose last item is another; there must be one."""
        return Backlog(self.limit, self.end, self._chunks, (*self._tail[:-1], item))

    def __len__(self) -> int:
        return len(self._chunks) * _CHUNK + len(self._tail)

    def __iter__(self) -> Iterator[_Item]:
        for chunk in self._chunks:
            yield from chunk
        yield from self._tail

    @overload
    def __getitem__(self, index: int) -> _Item: ...
    @overload
    def __getitem__(self, index: slice) -> Sequence[_Item]: ...
    def __getitem__(self, index: int | slice) -> _Item | Sequence[_Item]:
        if isinstance(index, slice):
            return tuple(self)[index]
        if index < 0:
            index += len(self)
        chunk, place = divmod(index, _CHUNK)
        if 0 <= chunk < len(self._chunks):
            return self._chunks[chunk][place]
        if chunk == len(self._chunks):
            return self._tail[place]
        raise IndexError(index)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Backlog) and (self.end, tuple(self)) == (other.end, tuple(other))
