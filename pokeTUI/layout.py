"""Decide where everything goes: pure functions of the terminal's size and what the user prefers."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from textual.geometry import Region

from pokeTUI.rendering.encoders import FRAME_COLUMNS, FRAME_ROWS, fit

MIN_COLUMNS, MIN_ROWS = 80, 24
GAME = "game"
_EXACT = (FRAME_COLUMNS, FRAME_ROWS // 2)
_TEXT_ROWS = 2
"""The game's text, decoded, below a picture that is too coarse to read it."""
_BORDER = 2
_GAME_MINIMUM = (24, 8)
_PANE_MINIMUM = (24, 4)


@dataclass(frozen=True, slots=True)
class PaneInfo:
    """A pane besides the game.

    Attributes:
        tab: Its name where there is little room.
    """

    key: str
    title: str
    tab: str


PANES: tuple[PaneInfo, ...] = (
    PaneInfo("party", "Party and place", "Map"),
    PaneInfo("rewards", "Rewards", "Pay"),
    PaneInfo("reasoning", "Reasoning", "Why"),
    PaneInfo("curriculum", "Curriculum", "Stage"),
    PaneInfo("learning", "Learning curve", "Curve"),
    PaneInfo("decisions", "Decisions", "Did"),
    PaneInfo("log", "Log", "Log"),
)
PANE_KEYS: tuple[str, ...] = tuple(pane.key for pane in PANES)
TRAINING_PANES = frozenset({"curriculum", "learning", "decisions"})
"""What they show there is only where something is trained."""


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
    """

    hidden: frozenset[str] = frozenset()
    fronts: tuple[str, ...] = ()
    zoomed: str = ""
    is_presentation: bool = False
    sizes: Mapping[str, Mapping[str, float]] = field(default_factory=dict)
    absent: frozenset[str] = frozenset()

    @classmethod
    def for_recording(cls) -> "Arrangement":
        """Return how the panes are while demonstrations are recorded: the game is what matters."""
        return cls(fronts=("party",), is_presentation=True, absent=TRAINING_PANES)

    def front(self, key: str) -> "Arrangement":
        """Return the arrangement with pane `key` in front of those that share its place."""
        return replace(self, fronts=(key, *(one for one in self.fronts if one != key)))


@dataclass(frozen=True, slots=True)
class Part:
    """One of the parts that a place is split into.

    Attributes:
        panes: Those in it, shown or behind another.
        size: Cells along the split.
        minimum: Cells that it needs.
    """

    key: str
    panes: frozenset[str]
    size: int
    minimum: int


@dataclass(frozen=True, slots=True)
class Place:
    """A place that is split, side by side if `is_row`, else one above the other."""

    key: str
    is_row: bool
    region: Region
    parts: tuple[Part, ...]


@dataclass(frozen=True, slots=True)
class Border:
    """The line between part `index` of place `place` and the next part."""

    place: str
    index: int


@dataclass(frozen=True, slots=True)
class Plan:
    """Where things go; what is not in `regions` is not shown.

    Attributes:
        name: too-small, compact, medium, large or presentation.
        text_rows: Rows of decoded text below the game's picture.
        tabs: Panes that share a place, in order; the one in `regions` is in front.
        places: What is split, outermost first.
    """

    name: str
    regions: Mapping[str, Region] = field(default_factory=dict)
    text_rows: int = 0
    tabs: tuple[str, ...] = ()
    places: tuple[Place, ...] = ()

    @property
    def shown(self) -> tuple[str, ...]:
        """The panes that are shown, the game first."""
        return tuple(key for key in (GAME, *PANE_KEYS) if key in self.regions)


@dataclass(frozen=True, slots=True)
class _Slot:
    """A place for one pane, or for several that are tabs.

    Attributes:
        want: Cells along the split that it would like.
        appetite: Its share of what is left over.
    """

    panes: tuple[str, ...]
    want: int
    appetite: int = 0
    front: str = ""
    """Which is in front if the user has chosen none; "" is the first."""

    @property
    def key(self) -> str:
        return self.panes[0]


@dataclass(frozen=True, slots=True)
class _Split:
    key: str
    is_row: bool
    children: "tuple[_Slot | _Split, ...]"
    want: int = 0
    appetite: int = 0


_Node = _Slot | _Split


def make_plan(columns: int, rows: int, arrangement: Arrangement | None = None) -> Plan:
    """Lay the screen out for a terminal of `columns` x `rows`."""
    wishes = arrangement or Arrangement()
    if columns < MIN_COLUMNS or rows < MIN_ROWS:
        return Plan("too-small", {"too_small": Region(0, 0, columns, rows)})
    body = Region(0, 1, columns, rows - 2)
    name, tree = _tree(columns, rows - 2, wishes)
    pruned = _prune(tree, (hideable(name) & wishes.hidden) | wishes.absent)
    solver = _Solver(wishes)
    if wishes.zoomed in (GAME, *PANE_KEYS):
        solver.regions[wishes.zoomed] = body
    elif pruned is not None:
        solver.place(pruned, body)
    regions = solver.regions
    regions["status"] = Region(0, 0, columns, 1)
    regions["keys"] = Region(0, rows - 1, columns, 1)
    text_rows = _text_rows(regions[GAME]) if GAME in regions else 0
    return Plan(name, regions, text_rows, solver.tabs, tuple(solver.places))


def hideable(name: str) -> frozenset[str]:
    """Return the panes that can be hidden in a layout; others are tabs, or what it is for."""
    if name == "presentation":
        return frozenset()
    return frozenset((GAME,) if name == "compact" else (GAME, *PANE_KEYS))


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


def _tree(columns: int, rows: int, wishes: Arrangement) -> tuple[str, _Node]:
    """Return the layout for the size: what is split, and what each part would like."""
    if wishes.is_presentation:
        return "presentation", _presentation(columns, rows)
    is_large = columns >= 160 and rows >= 42
    if not is_large and (columns < 116 or rows < 36):
        return "compact", _compact(columns, rows)
    name = "large" if is_large else "medium"
    if GAME in wishes.hidden:
        return name, _without_game(name, columns)
    return name, _large(columns, rows) if is_large else _medium(columns, rows)


def _compact(columns: int, rows: int) -> _Node:
    """Put the game left and one pane at a time beside it."""
    picture, _ = fit(columns - 40, rows - _BORDER - _TEXT_ROWS)
    game = _Slot((GAME,), picture + _BORDER)
    return _Split("compact", True, (game, _Slot(PANE_KEYS, 36, 1)))


def _presentation(columns: int, rows: int) -> _Node:
    """Make the game as large as can be, with why it acts and one more pane at its side or below."""
    beside, _ = fit(columns - _BORDER - 30, rows - _BORDER - _TEXT_ROWS)
    above, picture = fit(columns - _BORDER, rows - _BORDER - _TEXT_ROWS - 9)
    others = tuple(key for key in PANE_KEYS if key != "reasoning")
    if above > beside:
        game = _Slot((GAME,), picture + _BORDER + _TEXT_ROWS)
        return _Split("presentation-tall", False, (game, _Slot(PANE_KEYS, 9, 1, "reasoning")))
    panes = (_Slot(("reasoning",), 12, 3), _Slot(others, 11, 2, "learning"))
    side = _Split("presentation-side", False, panes, 30, 1)
    return _Split("presentation", True, (_Slot((GAME,), beside + _BORDER), side))


def _medium(columns: int, rows: int) -> _Node:
    """Put the game left with the words below it, all else in a column on the right."""
    left = columns * 52 // 100
    _, picture = fit(left - _BORDER, rows - _BORDER - _TEXT_ROWS - 9)
    game = _Slot((GAME,), picture + _BORDER + _TEXT_ROWS)
    words = _Slot(("reasoning", "decisions", "log"), 9, 1)
    right = _stack(
        "medium-right", ("party", 10), ("rewards", 14), ("curriculum", 6), ("learning", 8)
    )
    return _Split(
        "medium",
        True,
        (_Split("medium-left", False, (game, words), left), replace(right, want=24, appetite=1)),
    )


def _large(columns: int, rows: int) -> _Node:
    """Put the game left in full height, all else in one or two columns on the right."""
    side = 76 if rows >= 54 else 108
    picture, _ = fit(columns - side - _BORDER, rows - _BORDER - _TEXT_ROWS)
    if columns >= _EXACT[0] + _BORDER + 76 and rows >= _EXACT[1] + _BORDER:
        picture = _EXACT[0]
    game = _Slot((GAME,), picture + _BORDER)
    width = columns - picture - _BORDER
    if width >= 108:
        one = _stack("large-one", ("party", 15), ("rewards", 16), ("curriculum", 8))
        two = _Split(
            "large-two",
            False,
            (
                _Slot(("learning",), 14, 3),
                _Slot(("reasoning",), 14, 4),
                _Slot(("decisions", "log"), 12, 3),
            ),
        )
        half = width // 2
        columns_ = (replace(one, want=half, appetite=1), replace(two, want=half, appetite=1))
        return _Split("large", True, (game, *columns_))
    right = _stack(
        "large-right", ("party", 14), ("rewards", 15), ("curriculum", 7), ("learning", 9)
    )
    words = _Slot(("reasoning", "decisions", "log"), 11, 4)
    right = replace(right, children=(*right.children, words), want=width, appetite=1)
    return _Split("large", True, (game, right))


def _without_game(name: str, columns: int) -> _Node:
    """Put the panes in two columns."""
    one = _stack(f"{name}-free-one", ("party", 10), ("rewards", 14), ("curriculum", 6))
    two = _Split(
        f"{name}-free-two",
        False,
        (_Slot(("learning",), 10, 3), _Slot(("reasoning", "decisions", "log"), 12, 4)),
    )
    half = columns // 2
    return _Split(
        f"{name}-free",
        True,
        (replace(one, want=half, appetite=1), replace(two, want=half, appetite=1)),
    )


_APPETITE = {"party": 1, "rewards": 2, "curriculum": 0, "learning": 3}


def _stack(key: str, *heights: tuple[str, int]) -> _Split:
    """Stack panes; rows to spare go to those that can use them."""
    return _Split(
        key, False, tuple(_Slot((pane,), rows, _APPETITE[pane]) for pane, rows in heights)
    )


def _prune(node: _Node, hidden: frozenset[str]) -> _Node | None:
    """Return the tree without hidden panes; None if nothing is left."""
    if isinstance(node, _Slot):
        panes = tuple(pane for pane in node.panes if pane not in hidden)
        return replace(node, panes=panes) if panes else None
    children = tuple(kept for child in node.children if (kept := _prune(child, hidden)) is not None)
    if len(children) > 1:
        return replace(node, children=children)
    if not children:
        return None
    # The only child takes the whole place, and with it what the place wanted.
    return replace(children[0], want=node.want, appetite=node.appetite)


class _Solver:
    """Turn a tree into regions."""

    def __init__(self, wishes: Arrangement) -> None:
        self._wishes = wishes
        self.regions: dict[str, Region] = {}
        self.tabs: tuple[str, ...] = ()
        self.places: list[Place] = []

    def place(self, node: _Node, region: Region) -> None:
        """Give `node` its region."""
        if isinstance(node, _Slot):
            self._place_slot(node, region)
            return
        sizes = self._sizes(node, region.width if node.is_row else region.height)
        parts = zip(node.children, sizes, strict=True)
        self.places.append(
            Place(
                node.key,
                node.is_row,
                region,
                tuple(
                    Part(child.key, _panes(child), size, _minimum(child, node.is_row))
                    for child, size in parts
                ),
            )
        )
        x, y = region.x, region.y
        for child, size in zip(node.children, sizes, strict=True):
            if node.is_row:
                self.place(child, Region(x, y, size, region.height))
                x += size
            else:
                self.place(child, Region(x, y, region.width, size))
                y += size

    def _place_slot(self, slot: _Slot, region: Region) -> None:
        front = slot.front if slot.front in slot.panes else slot.panes[0]
        front = next((key for key in self._wishes.fronts if key in slot.panes), front)
        if len(slot.panes) > 1:
            self.tabs = slot.panes
            self.regions["tabs"] = Region(region.x, region.y, region.width, 1)
            region = Region(region.x, region.y + 1, region.width, region.height - 1)
        self.regions[front] = region

    def _sizes(self, split: _Split, extent: int) -> list[int]:
        """Divide `extent` among the children: as the user set it, else as they want it."""
        shares = self._wishes.sizes.get(split.key, {})
        least = [_minimum(child, split.is_row) for child in split.children]
        wants = [
            max(low, round(shares[child.key] * extent) if child.key in shares else child.want)
            for child, low in zip(split.children, least, strict=True)
        ]
        spare = extent - sum(wants)
        if spare < 0:
            weights = [want - low for want, low in zip(wants, least, strict=True)]
        else:
            weights = [0 if child.key in shares else child.appetite for child in split.children]
            if not any(weights):
                weights = wants
        total = sum(weights)
        sizes = [
            want + (-(-spare * weight // total) if spare < 0 else spare * weight // total)
            for want, weight in zip(wants, weights, strict=True)
        ]
        while sum(sizes) > extent:  # rounding left one or two over
            roomy = max(range(len(sizes)), key=lambda index: sizes[index] - least[index])
            sizes[roomy] -= 1
        sizes[-1] += extent - sum(sizes)
        return sizes


def _panes(node: _Node) -> frozenset[str]:
    if isinstance(node, _Slot):
        return frozenset(node.panes)
    return frozenset().union(*(_panes(child) for child in node.children))


def _minimum(node: _Node, is_row: bool) -> int:
    """Return the columns that a node needs, or the rows."""
    if isinstance(node, _Slot):
        needed = _GAME_MINIMUM if node.panes == (GAME,) else _PANE_MINIMUM
        return needed[0] if is_row else needed[1] + (len(node.panes) > 1)
    least = [_minimum(child, is_row) for child in node.children]
    return sum(least) if node.is_row is is_row else max(least)


def minimum_of(pane: str) -> tuple[int, int]:
    """Return the columns and rows that a pane gets at least."""
    return _GAME_MINIMUM if pane == GAME else _PANE_MINIMUM


def _text_rows(game: Region) -> int:
    """Return how many rows of the game's text fit where its picture is not exact."""
    width, height = game.width - _BORDER, game.height - _BORDER
    if width >= _EXACT[0] and height >= _EXACT[1]:
        return min(_TEXT_ROWS, height - _EXACT[1])
    return _TEXT_ROWS
