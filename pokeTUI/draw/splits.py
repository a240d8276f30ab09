"""Divide a region among panes, as they want it and as the user has moved the borders between."""

from collections.abc import Mapping
from dataclasses import dataclass, replace

from textual.geometry import Region

GAME = "game"
_GAME_MINIMUM = (24, 8)
_PANE_MINIMUM = (24, 4)


@dataclass(frozen=True, slots=True)
class Part:
    """A part of a place: its panes, also those behind others, and its cells along the split."""

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
class Slot:
    """A place for one pane, or for several that are tabs.

    It would like `want` cells along the split; its `appetite` is its share of what is left over.
    """

    panes: tuple[str, ...]
    want: int
    appetite: int = 0
    front: str = ""
    """Which is in front if the user has chosen none; "" is the first."""

    @property
    def key(self) -> str:
        """What its share is remembered by."""
        return self.panes[0]


@dataclass(frozen=True, slots=True)
class Split:
    """Parts side by side if `is_row`, else one above the other."""

    key: str
    is_row: bool
    children: "tuple[Slot | Split, ...]"
    want: int = 0
    appetite: int = 0


Node = Slot | Split


def prune(node: Node, hidden: frozenset[str]) -> Node | None:
    """Return the tree without hidden panes; None if nothing is left."""
    if isinstance(node, Slot):
        panes = tuple(pane for pane in node.panes if pane not in hidden)
        return replace(node, panes=panes) if panes else None
    children = tuple(kept for child in node.children if (kept := prune(child, hidden)) is not None)
    if len(children) > 1:
        return replace(node, children=children)
    if not children:
        return None
    # The only child takes the whole place, and with it what the place wanted.
    return replace(children[0], want=node.want, appetite=node.appetite)


class Solver:
    """Turn a tree into regions.

    Args:
        fronts: Panes that were brought to the front, newest first.
        sizes: By place and part: share of the place, 0 to 1.
    """

    def __init__(self, fronts: tuple[str, ...], sizes: Mapping[str, Mapping[str, float]]) -> None:
        self._fronts, self._all_sizes = fronts, sizes
        self.regions: dict[str, Region] = {}
        self.tabs: tuple[str, ...] = ()
        self.places: list[Place] = []

    def place(self, node: Node, region: Region) -> None:
        """Give `node` its region."""
        if isinstance(node, Slot):
            self._place_slot(node, region)
            return
        sizes = self._sizes(node, region.width if node.is_row else region.height)
        parts = tuple(
            Part(child.key, _panes(child), size, _minimum(child, node.is_row))
            for child, size in zip(node.children, sizes, strict=True)
        )
        self.places.append(Place(node.key, node.is_row, region, parts))
        for child, size in zip(node.children, sizes, strict=True):
            cut = region.split_vertical if node.is_row else region.split_horizontal
            part, region = cut(size)
            self.place(child, part)

    def _place_slot(self, slot: Slot, region: Region) -> None:
        front = slot.front if slot.front in slot.panes else slot.panes[0]
        front = next((key for key in self._fronts if key in slot.panes), front)
        if len(slot.panes) > 1:
            self.tabs = slot.panes
            self.regions["tabs"], region = region.split_horizontal(1)
        self.regions[front] = region

    def _sizes(self, split: Split, extent: int) -> list[int]:
        """Divide `extent` among the children: as the user set it, else as they want it."""
        shares = self._all_sizes.get(split.key, {})
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


def _panes(node: Node) -> frozenset[str]:
    if isinstance(node, Slot):
        return frozenset(node.panes)
    return frozenset().union(*(_panes(child) for child in node.children))


def _minimum(node: Node, is_row: bool) -> int:
    """Return the columns that a node needs, or the rows."""
    if isinstance(node, Slot):
        needed = _GAME_MINIMUM if node.panes == (GAME,) else _PANE_MINIMUM
        return needed[0] if is_row else needed[1] + (len(node.panes) > 1)
    least = [_minimum(child, is_row) for child in node.children]
    return sum(least) if node.is_row is is_row else max(least)
