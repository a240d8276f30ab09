"""Give Textual strips whose ANSI text is already rendered."""

from collections.abc import Callable, Iterable, Sequence

from rich.segment import Segment
from textual.cache import FIFOCache
from textual.strip import Strip

_CACHES = frozenset(
    {
        "_divide_cache",
        "_crop_cache",
        "_style_cache",
        "_filter_cache",
        "_line_length_cache",
        "_crop_extend_cache",
        "_offsets_cache",
    }
)


class FrameStrip(Strip):
    """A strip that knows its ANSI text and makes Segments, once, when something asks for them.

    Overlays, screenshots and tests ask; a plain repaint does not, and costs a quarter of the time.
    """

    __slots__ = ["_made", "_make_segments"]

    def __init__(self, ansi: str, width: int, make_segments: Callable[[], list[Segment]]) -> None:
        # Strip.__init__ is not called: it needs the Segments and builds seven caches a row.
        self._make_segments = make_segments
        self._made: list[Segment] | None = None
        self._cell_length = width
        self._render_cache = ansi
        self._link_ids = None
        self._cell_count = width

    @classmethod
    def blank_row(cls, width: int) -> "FrameStrip":
        """Return an empty row."""
        return cls(" " * width, width, lambda: [Segment(" " * width)])

    @property
    def ansi(self) -> str:
        """The row as text with escape codes."""
        return self._render_cache or ""

    @property
    def _segments(self) -> list[Segment]:  # type: ignore[override]  # a slot in Strip
        if self._made is None:
            self._made = self._make_segments()
        return self._made

    def __getattr__(self, name: str) -> FIFOCache[object, object]:
        if name in _CACHES:
            cache: FIFOCache[object, object] = FIFOCache(4)
            setattr(self, name, cache)
            return cache
        raise AttributeError(name)

    def __bool__(self) -> bool:
        return True

    def divide(self, cuts: Iterable[int]) -> Sequence[Strip]:
        """Return the strip itself when it is not really cut."""
        within = [cut for cut in cuts if cut <= (self._cell_length or 0)]
        if within == [self._cell_length]:
            return [self]
        return super().divide(within)
