"""Notice which triggers send the player back: their scene is over and has changed nothing."""

from collections.abc import Mapping, Sequence
from typing import Any

from engine.games.overworld import Overworld
from engine.types import GameState, MapId
from engine.wayfinding.routes import SceneId, scene_now


class Triggers:
    """Remember the triggers that sent the player back.

    Args:
        world: The image's maps; None: no triggers are known.
        places: `GameTables.SCENES`.

    Attributes:
        shut: The scenes of those that did.
    """

    def __init__(self, world: Overworld | None, places: Mapping[tuple[int, int], int]) -> None:
        self._world, self._places = world, places
        self.reset()

    def reset(self) -> None:
        """Start an episode."""
        self.shut: frozenset[SceneId] = frozenset()
        self._sprung: SceneId | None = None

    def notice(self, state: GameState) -> None:
        """Note a state."""
        row = self._world.row(state.place.map) if self._world else None
        if row is None:
            return
        if not state.control.is_free:
            if state.battle is None and (sprung := self._here(state, row)) is not None:
                self._sprung = sprung
        elif self._sprung is not None:
            row, scene, place = self._sprung
            if scene_now(state, self.scenes(state), row, place) == scene:
                self.shut |= {self._sprung}
            self._sprung = None

    def _here(self, state: GameState, row: int) -> SceneId | None:
        """Return the scene that the tile starts on which the player stands; None: it does not."""
        if self._world is None:
            return None
        triggers = self._world.triggers
        is_here = (triggers["map"] == row) & (triggers["x"] == state.place.x)
        is_here &= triggers["y"] == state.place.y
        scenes = self.scenes(state)
        for _, scene, place in triggers[is_here][["map", "scene", "place"]].tolist():
            if scene_now(state, scenes, row, place) == scene:
                return row, scene, place
        return None

    def scenes(self, state: GameState) -> dict[int, int]:
        """Return the scene numbers of maps by their rows."""
        world = self._world
        if world is None:
            return {}
        return {
            row: state.scenes[place]
            for key, place in self._places.items()
            if place < len(state.scenes) and (row := world.row(MapId(*key))) is not None
        }

    def save(self) -> dict[str, Any]:
        """Return all of it, JSON-able."""
        sprung = list(self._sprung) if self._sprung else None
        return {"shut": sorted(map(list, self.shut)), "sprung": sprung}

    def load(self, saved: Mapping[str, Any]) -> None:
        """Put back what `save` returned; older checkpoints saved nothing."""
        self.shut = frozenset(map(_scene_id, saved.get("shut", ())))
        sprung = saved.get("sprung")
        self._sprung = _scene_id(sprung) if sprung else None


def _scene_id(saved: Sequence[int]) -> SceneId:
    """Return what was saved; older checkpoints leave out the place of maps' own scenes."""
    row, scene, place = (*saved, -1)[:3]
    return int(row), int(scene), int(place)
