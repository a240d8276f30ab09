"""Follow one episode: milestones, visited tiles, defeats, sums."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from engine.games.crystal.maps import BORDER
from engine.games.profile import Milestone
from engine.types import EpisodeSummary, GameState, MapId, RewardBreakdown


class MilestoneTracker:
    """Report each milestone once, when RAM first shows it.

    Args:
        milestones: (key, text, kind, value); kinds: "map" (group, number) is entered, "event" flag
            is set, "party" has as many creatures, "level" is reached by one, "badge" bit is set.
    """

    def __init__(self, milestones: Iterable[Milestone]) -> None:
        self._milestones = tuple(milestones)
        self.steps: dict[str, int] = {}

    @property
    def keys(self) -> tuple[str, ...]:
        """Return all keys in order."""
        return tuple(key for key, *_ in self._milestones)

    def reset(self, state: GameState) -> None:
        """Start an episode; what is reached already counts as reached at step 0, unpaid."""
        self.steps = {}
        self.update(state, 0)

    def update(self, state: GameState, step: int) -> tuple[tuple[str, str], ...]:
        """Return (key, text) of the milestones that are reached for the first time."""
        if not state.control.in_game or len(self.steps) == len(self._milestones):
            return ()
        reached = tuple(
            (key, text)
            for key, text, kind, value in self._milestones
            if key not in self.steps and is_reached(state, kind, value)
        )
        for key, _ in reached:
            self.steps[key] = step
        return reached

    def next_text(self) -> str:
        """Return the text of the first milestone not yet reached, "" when there is none."""
        return next((text for key, text, *_ in self._milestones if key not in self.steps), "")


def is_reached(state: GameState, kind: str, value: int | tuple[int, int]) -> bool:
    """Tell whether a milestone's condition holds."""
    if isinstance(value, tuple):
        place = state.place.map
        return kind == "map" and (place.group, place.number) == value
    match kind:
        case "event":
            return state.has_event(value)
        case "party":
            return len(state.party) >= value
        case "level":
            return any(creature.level >= value for creature in state.party)
        case "badge":
            return bool(state.badges[0] >> value & 1)
        case _:
            return False


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


class TileMemory:
    """Remember the tiles that were stood on, and which of them since the last milestone."""

    def __init__(self) -> None:
        self._visited: dict[MapId, NDArray[np.float32]] = {}
        self.maps: set[MapId] = set()

    def reset(self) -> None:
        """Forget everything."""
        self._visited = {}
        self.maps = set()

    def begin_milestone(self) -> None:
        """Let every tile count as new again, though not as seen for the first time."""
        for plane in self._visited.values():
            np.minimum(plane, SEEN_EARLIER, out=plane)

    def visit(self, state: GameState) -> Visit:
        """Note where the player stands, if the player can walk."""
        place, view = state.place, state.map
        if not state.control.is_free or place.x >= view.width or place.y >= view.height:
            return Visit()
        is_new_map = place.map not in self.maps
        if is_new_map:
            self.maps.add(place.map)
        visited = self.plane(place.map, view.width, view.height)
        row, column = place.y + BORDER, place.x + BORDER
        before = visited[row, column]
        visited[row, column] = 1.0
        return Visit(bool(before < 1.0), bool(before == 0.0), is_new_map)

    def plane(self, map_id: MapId, width: int, height: int) -> NDArray[np.float32]:
        """Return (height + 12, width + 12) float32, border included.

        1 where the player was since the last milestone, `SEEN_EARLIER` where before it, else 0.
        """
        plane = self._visited.get(map_id)
        shape = (height + 2 * BORDER, width + 2 * BORDER)
        if plane is None or plane.shape != shape:
            plane = np.zeros(shape, np.float32)
            self._visited[map_id] = plane
        return plane

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


class DefeatWatch:
    """Notice a whiteout: all creatures fainted, then the party well again elsewhere or poorer.

    A lost battle that may be lost looks alike up to its end, but costs no money and leads nowhere
    (emulator.md, "Reading the game").
    """

    def __init__(self) -> None:
        self._beaten: list[int] | None = None

    def reset(self) -> None:
        """Nothing is lost."""
        self._beaten = None

    def update(self, state: GameState) -> bool:
        """Return True in the step in which the player is free again after a whiteout."""
        battle = state.battle
        if battle is not None:
            if battle.own is not None:
                is_beaten = battle.own.hp == 0 and not _others_alive(state)
                place = state.place.map
                self._beaten = [state.money, place.group, place.number] if is_beaten else None
            return False
        if self._beaten is None or not state.control.is_free:
            return False
        money, group, number = self._beaten
        self._beaten = None
        return state.money < money or state.place.map != MapId(group, number)

    def save(self) -> list[int] | None:
        """Return what is watched for, JSON-able."""
        return self._beaten

    def restore(self, saved: list[int] | None) -> None:
        """Put back what `save` returned."""
        self._beaten = saved


def _others_alive(state: GameState) -> bool:
    """Tell whether a creature beside the one in battle can fight.

    The party's copy of the fighting creature's health lags to the turn's end, so creatures that
    look alike are taken for the one in battle.
    """
    own = state.battle.own if state.battle else None
    if own is None:
        return True
    return any(
        creature.hp > 0 and (creature.species, creature.level) != (own.species, own.level)
        for creature in state.party
    )


class Tally:
    """Sum an episode's rewards by component.

    Args:
        names: The components in the composer's order.
    """

    def __init__(self, names: tuple[str, ...]) -> None:
        self._names = names
        self.length = 0
        self.total = 0.0
        self.sums = dict.fromkeys(names, 0.0)

    def reset(self) -> None:
        """Start an episode."""
        self.length = 0
        self.total = 0.0
        self.sums = dict.fromkeys(self._names, 0.0)

    def add(self, breakdown: RewardBreakdown) -> None:
        """Count a step and its reward."""
        self.length += 1
        self.total += breakdown.total
        sums = self.sums
        for name, value in breakdown.components:
            if value:
                sums[name] = sums.get(name, 0.0) + value

    def summary(
        self, env_index: int, milestones: MilestoneTracker, maps_seen: int, is_success: bool
    ) -> EpisodeSummary:
        """Return the finished episode."""
        return EpisodeSummary(
            env_index=env_index,
            total_reward=self.total,
            length=self.length,
            components=tuple(self.sums.items()),
            steps_to_milestone=dict(milestones.steps),
            maps_seen=maps_seen,
            is_success=is_success,
        )
