"""Decide where everything goes: pure functions of the terminal's size and what the user prefers."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from textual.geometry import Region

from engine.types import GAME_BOY_FRAME_SHAPE
from pokeTUI.draw.encoders import exact_size, fit
from pokeTUI.draw.splits import GAME, Border, Node, Place, Slot, Solver, Split, prune

MIN_COLUMNS, MIN_ROWS = 80, 24
STORY_FROM_ROWS = 30
"""Rows from which the sentence about what is going on has a line of its own."""
_TEXT_ROWS = 2
"""The game's text, decoded, below a picture that is too coarse to read it."""
_BORDER = 2
_ROWS_BELOW = 11
"""Rows of the panes below the game, where it leaves as many."""
_ROWS_EACH = 5
"""Rows that each of the panes above each other must get, or there are fewer of them."""
MEDIUM, ONE_COLUMN, TWO_COLUMNS = range(3)
"""The layouts in which panes have places of their own beside the game: `PaneInfo.rows` by these."""
TRAINING, GAME_STATE, FRAMES = "training", "game state", "frames"
"""What a pane may need: that something is trained, that the game's state is read, or its frames."""


@dataclass(frozen=True, slots=True)
class PaneInfo:
    """What a pane's class says of it.

    Attributes:
        key: Its name in preferences and in the keymap.
        title: In its border.
        needs: TRAINING, GAME_STATE or "" for nothing; without it the pane is absent.
        rows: Rows that it would like in a place of its own: MEDIUM, ONE_COLUMN, TWO_COLUMNS. With 0
            it shares a place with the others of these, as a tab.
        column: Where panes are in two columns beside the game: 1 or 2.
        appetite: Its share of rows that are left over.
        presented: Where the game is as large as it can be, the pane with the highest is alone
            beside it, and the next is in front of the others.
        synonyms: Other words by which the command palette finds it.
    """

    key: str
    title: str
    needs: str = ""
    rows: tuple[int, int, int] = (0, 0, 0)
    column: int = 2
    appetite: int = 0
    presented: int = 0
    synonyms: tuple[str, ...] = ()

    @property
    def tab(self) -> str:
        """Its name where there is little room: its title's first word."""
        return self.title.partition(" ")[0]


@dataclass(frozen=True, slots=True)
class Arrangement:
    """What the user prefers.

    Attributes:
        hidden: Keys of panes that are not shown; where all panes are tabs, only the game hides.
        fronts: Panes that were brought to the front where several share a place, newest first.
        zoomed: Pane that fills the screen, "" if none does.
        is_presentation: The game as large as it can be, and little beside it.
        sizes: By place and part: share of the place, 0 to 1.
        absent: Keys of panes that there is nothing for.
        has_timeline: There is a timeline to seek in.
        frame_shape: Of the game's picture: (rows, columns, 3).
    """

    hidden: frozenset[str] = frozenset()
    fronts: tuple[str, ...] = ()
    zoomed: str = ""
    is_presentation: bool = False
    sizes: Mapping[str, Mapping[str, float]] = field(default_factory=dict)
    absent: frozenset[str] = frozenset()
    has_timeline: bool = False
    frame_shape: tuple[int, ...] = GAME_BOY_FRAME_SHAPE

    @classmethod
    def for_recording(cls, panes: "Sequence[PaneInfo]") -> "Arrangement":
        """Return how the panes are while demonstrations are recorded: the game is what matters."""
        absent = frozenset(pane.key for pane in panes if pane.needs == TRAINING)
        return cls(fronts=("party",), is_presentation=True, absent=absent)

    def front(self, key: str) -> "Arrangement":
        """Return the arrangement with pane `key` in front of those that share its place."""
        return replace(self, fronts=(key, *(one for one in self.fronts if one != key)))


@dataclass(frozen=True, slots=True)
class Plan:
    """Where things go; what is not in `regions` is not shown.

    Attributes:
        name: too-small, compact, medium, large or presentation.
        text_rows: Rows of decoded text below the game's picture.
        tabs: Panes that share a place, in order; the one in `regions` is in front.
        places: What is split, outermost first.
        shown: The panes that are shown, the game first.
    """

    name: str
    regions: Mapping[str, Region] = field(default_factory=dict)
    text_rows: int = 0
    tabs: tuple[str, ...] = ()
    places: tuple[Place, ...] = ()
    shown: tuple[str, ...] = ()


def make_plan(
    panes: Sequence[PaneInfo], columns: int, rows: int, arrangement: Arrangement | None = None
) -> Plan:
    """Lay the game and `panes` out for a terminal of `columns` x `rows`."""
    wishes = arrangement or Arrangement()
    if columns < MIN_COLUMNS or rows < MIN_ROWS:
        return Plan("too-small", {"too_small": Region(0, 0, columns, rows)})
    keys = (GAME, *(pane.key for pane in panes))
    top = 2 if rows >= STORY_FROM_ROWS and not wishes.is_presentation else 1
    timeline = (2 if rows >= STORY_FROM_ROWS else 1) if wishes.has_timeline else 0
    body = Region(0, top, columns, rows - top - timeline - 1)
    name, tree = _Trees(panes, keys[1:], columns, rows - timeline - 2, wishes).tree()
    pruned = prune(tree, (hideable(name, keys) & wishes.hidden) | wishes.absent)
    solver = Solver(wishes.fronts, wishes.sizes)
    if wishes.zoomed in keys:
        solver.regions[wishes.zoomed] = body
    elif pruned is not None:
        solver.place(pruned, body)
    regions = solver.regions
    regions["status"] = Region(0, 0, columns, 1)
    if top > 1:
        regions["story"] = Region(0, 1, columns, 1)
    if timeline:
        regions["timeline"] = Region(0, body.bottom, columns, timeline)
    regions["keys"] = Region(0, rows - 1, columns, 1)
    text_rows = _text_rows(regions[GAME], wishes.frame_shape) if GAME in regions else 0
    shown = tuple(key for key in keys if key in regions)
    return Plan(name, regions, text_rows, solver.tabs, tuple(solver.places), shown)


def hideable(name: str, keys: Iterable[str]) -> frozenset[str]:
    """Return those of `keys` that can be hidden in a layout; others are tabs, or what it is for."""
    if name == "presentation":
        return frozenset()
    return frozenset((GAME,) if name == "compact" else keys)


def border_at(plan: Plan, x: int, y: int) -> Border | None:
    """Return the border that the cell is on, if it can be moved."""
    for place in plan.places:
        if not place.region.contains(x, y):
            continue
        at = x - place.region.x if place.is_row else y - place.region.y
        edge = 0
        for index, part in enumerate(place.parts[:-1]):
            edge += part.size
            if edge - 1 <= at <= edge:
                return Border(place.key, index)
    return None


def border_of(plan: Plan, pane: str, *, is_row: bool) -> tuple[Border, int] | None:
    """Return the border by which `pane` grows, and the direction in which it then moves."""
    found = None
    for place in plan.places:
        for index, part in enumerate(place.parts):
            if place.is_row is is_row and pane in part.panes:  # the innermost comes last
                is_last = index == len(place.parts) - 1
                found = Border(place.key, index - is_last), -1 if is_last else 1
    return found


def move_border(plan: Plan, wishes: Arrangement, border: Border, cells: int) -> Arrangement:
    """Return the arrangement with `border` moved right or down, as far as both sides allow."""
    place = next((one for one in plan.places if one.key == border.place), None)
    if place is None or not 0 <= border.index < len(place.parts) - 1:
        return wishes
    before, after = place.parts[border.index : border.index + 2]
    moved = max(before.minimum - before.size, min(after.size - after.minimum, cells))
    if not moved:
        return wishes
    total = sum(part.size for part in place.parts)
    sizes = {part.key: part.size for part in place.parts}
    sizes[before.key] += moved
    sizes[after.key] -= moved
    shares = dict(wishes.sizes.get(place.key, {}))
    shares.update({key: size / total for key, size in sizes.items()})
    return replace(wishes, sizes={**wishes.sizes, place.key: shares})


@dataclass(frozen=True, slots=True)
class _Trees:
    """What is split in so many columns and rows, and what each part would like."""

    panes: Sequence[PaneInfo]
    keys: tuple[str, ...]
    columns: int
    rows: int
    wishes: Arrangement

    def tree(self) -> tuple[str, Node]:
        """Return the layout's name, and what is split."""
        columns = self.columns
        if self.wishes.is_presentation:
            return "presentation", self._presentation()
        is_large = columns >= 160 and self.rows >= 42
        if not is_large and (columns < 116 or self.rows < 36):
            return "compact", self._compact()
        name = "large" if is_large else "medium"
        if GAME in self.wishes.hidden | self.wishes.absent:
            own = self._own(MEDIUM)
            words = self._shared(own, 12, 4)
            return name, self._two_columns(f"{name}-free", own, MEDIUM, columns, words)
        return name, self._large() if is_large else self._medium()

    def _fit(self, columns: int, rows: int) -> tuple[int, int]:
        """Return the cells of the game's picture in a pane in so much room."""
        return fit(columns, rows - _BORDER - _TEXT_ROWS, self.wishes.frame_shape)

    def _compact(self) -> Node:
        """Put the game left and one pane at a time beside it."""
        picture, _ = self._fit(self.columns - 40, self.rows)
        game = Slot((GAME,), picture + _BORDER)
        return Split("compact", True, (game, Slot(self.keys, 36, 1)))

    def _presentation(self) -> Node:
        """Make the game as large as can be, with two panes at its side or one below it."""
        first, second = sorted(self.panes, key=lambda pane: -pane.presented)[:2]
        beside, _ = self._fit(self.columns - _BORDER - 30, self.rows)
        above, picture = self._fit(self.columns - _BORDER, self.rows - 9)
        if above > beside:
            game = Slot((GAME,), picture + _BORDER + _TEXT_ROWS)
            return Split("presentation-tall", False, (game, Slot(self.keys, 9, 1, first.key)))
        others = tuple(key for key in self.keys if key != first.key)
        panes = (Slot((first.key,), 12, 3), Slot(others, 11, 2, second.key))
        side = Split("presentation-side", False, panes, 30, 1)
        return Split("presentation", True, (Slot((GAME,), beside + _BORDER), side))

    def _medium(self) -> Node:
        """Put the game left with the words below it, all else in a column on the right."""
        left = self.columns * 52 // 100
        _, picture = self._fit(left - _BORDER, self.rows - 9)
        game = Slot((GAME,), picture + _BORDER + _TEXT_ROWS)
        own = self._own(MEDIUM)
        column = Split("medium-left", False, (game, self._shared(own, 9, 1)), left)
        return Split("medium", True, (column, _stack("medium-right", own, MEDIUM, 24)))

    def _large(self) -> Node:
        """Put the game left, all else in one or two columns on the right.

        Below a picture that is wide, like a Game Boy Advance's, is room for the words.
        """
        side = 76 if self.rows >= 54 else 108
        picture, high = self._fit(self.columns - side - _BORDER, self.rows)
        exact = exact_size(self.wishes.frame_shape)
        if self.columns >= exact[0] + _BORDER + 76 and self.rows >= exact[1] + _BORDER:
            picture, high = exact
        width = self.columns - picture - _BORDER
        layout = TWO_COLUMNS if width >= 108 else ONE_COLUMN
        own = self._own(layout)
        left: Node = Slot((GAME,), picture + _BORDER)
        words = self._shared(own, *((12, 3) if layout == TWO_COLUMNS else (11, 4)))
        more: tuple[Slot, ...] = (words,)
        if self.rows - high - _BORDER - _TEXT_ROWS >= _ROWS_BELOW:
            game = Slot((GAME,), high + _BORDER + _TEXT_ROWS)
            words = replace(words, want=_ROWS_BELOW, appetite=1)
            left, more = Split("large-left", False, (game, words), picture + _BORDER), ()
        if layout == TWO_COLUMNS:
            columns = self._two_columns("large", own, layout, width, *more)
            return replace(columns, children=(left, *columns.children))
        return Split("large", True, (left, _stack("large-right", own, layout, width, *more)))

    def _two_columns(
        self, key: str, own: list[PaneInfo], layout: int, width: int, *more: Slot
    ) -> Split:
        """Put the panes in two columns, and `more` last."""
        one, two = ([pane for pane in own if pane.column == number] for number in (1, 2))
        half = width // 2
        columns = (
            _stack(f"{key}-one", one, layout, half),
            _stack(f"{key}-two", two, layout, half, *more),
        )
        return Split(key, True, columns)

    def _own(self, layout: int) -> list[PaneInfo]:
        """Return the panes that have a place of their own, those that come first if too many."""
        own = [pane for pane in self.panes if pane.rows[layout]]
        own.sort(key=lambda pane: not pane.rows[MEDIUM])  # what shares a place elsewhere is near it
        return own[: self.rows // _ROWS_EACH]

    def _shared(self, own: list[PaneInfo], want: int, appetite: int) -> Slot:
        """Return the place that all others share."""
        return Slot(tuple(pane.key for pane in self.panes if pane not in own), want, appetite)


def _stack(key: str, panes: list[PaneInfo], layout: int, width: int, *more: Slot) -> Split:
    """Stack panes; rows to spare go to those that can use them."""
    slots = tuple(Slot((pane.key,), pane.rows[layout], pane.appetite) for pane in panes)
    return Split(key, False, (*slots, *more), width, 1)


def _text_rows(game: Region, shape: tuple[int, ...]) -> int:
    """Return how many rows of the game's text fit where its picture is not exact."""
    exact = exact_size(shape)
    width, height = game.width - _BORDER, game.height - _BORDER
    if width >= exact[0] and height >= exact[1]:
        return min(_TEXT_ROWS, height - exact[1])
    return _TEXT_ROWS
