"""Remember which tiles and maps an episode has been to."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from engine.types import MAP_BORDER, GameState, MapId

SEEN_EARLIER = 0.5
"""What a plane holds where the player stood before the last milestone, but not since."""


@dataclass(frozen=True, slots=True)
class Visit:
    """What standing on a tile means for the memory.

    Attributes:
        is_new_tile: It was not stood on since the last milestone.
        is_first_visit: Nor before it, in this episode.
        is_new_map: The map is seen for the first time in this episode.
    """

    is_new_tile: bool = False
    is_first_visit: bool = False
    is_new_map: bool = False


_NOTHING_NEW = Visit()


class TileMemory:
    """Remember the tiles that were stood on, and which of them since the last milestone."""

    def __init__(self) -> None:
        self._visited: dict[MapId, NDArray[np.float32]] = {}
        self.maps: set[MapId] = set()

    def begin_milestone(self) -> None:
        """Let every tile count as new again, though not as seen for the first time."""
        for plane in self._visited.values():
            np.minimum(plane, SEEN_EARLIER, out=plane)

    def visit(self, state: GameState) -> Visit:
        """Note where the player stands, if the player can walk."""
        place, view = state.place, state.map
        if not state.control.is_free or place.x >= view.width or place.y >= view.height:
            return _NOTHING_NEW
        is_new_map = place.map not in self.maps
        if is_new_map:
            self.maps.add(place.map)
        visited = self.plane(place.map, view.width, view.height)
        row, column = place.y + MAP_BORDER, place.x + MAP_BORDER
        before = visited.item(row, column)
        if before == 1.0 and not is_new_map:
            return _NOTHING_NEW
        visited[row, column] = 1.0
        return Visit(before < 1.0, before == 0.0, is_new_map)

    def plane(self, map_id: MapId, width: int, height: int) -> NDArray[np.float32]:
        """Return (height + 12, width + 12) float32, border included.

        1 where the player was since the last milestone, `SEEN_EARLIER` where before it, else 0.
        """
        plane = self._visited.get(map_id)
        shape = (height + 2 * MAP_BORDER, width + 2 * MAP_BORDER)
        if plane is None or plane.shape != shape:
            plane = np.zeros(shape, np.float32)
            self._visited[map_id] = plane
        return plane

    def stood_on(self, map_id: MapId, width: int, height: int) -> NDArray[np.bool_]:
        """Return (height, width) where the player was in this episode."""
        plane = self._visited.get(map_id)
        if plane is None or plane.shape != (height + 2 * MAP_BORDER, width + 2 * MAP_BORDER):
            return np.zeros((height, width), np.bool_)
        stood: NDArray[np.bool_] = plane[MAP_BORDER:-MAP_BORDER, MAP_BORDER:-MAP_BORDER] > 0
        return stood

    def save(self) -> dict[str, Any]:
        """Return all of it, JSON-able."""
        return {
            "maps": sorted([entry.group, entry.number] for entry in self.maps),
            "tiles": [
                [
                    *(entry.group, entry.number, *plane.shape),
                    np.flatnonzero(plane == 1.0).tolist(),
                    np.flatnonzero(plane == SEEN_EARLIER).tolist(),
                ]
                for entry, plane in self._visited.items()
            ],
        }

    def restore(self, saved: dict[str, Any]) -> None:
        """Put back what `save` returned."""
        self.maps = {MapId(group, number) for group, number in saved["maps"]}
        self._visited = {}
        for group, number, rows, columns, tiles, earlier in saved["tiles"]:
            plane = np.zeros((rows, columns), np.float32)
            plane.flat[tiles] = 1.0
            plane.flat[earlier] = SEEN_EARLIER
            self._visited[MapId(group, number)] = plane
