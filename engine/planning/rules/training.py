"""Know where one is met: wild creatures that are worth fighting, and trainers who look out."""

from collections.abc import Callable

from engine.games.base import Atlas, GameTables
from engine.games.overworld import Overworld
from engine.types import GameState, Goal, GoalKind, MapId

_LEVELS_BELOW, _LEVELS_ABOVE = 5, 3
"""How far the wild ones may be below the party's strongest to teach it much, and above it."""

REST_BEFORE_TRAINERS = 0.6
"""Share of health below which to rest where several trainers are ahead."""


def training_places(atlas: Atlas, tables: GameTables) -> tuple[Goal, ...]:
    """Return those that are listed, and all other maps whose wild levels are known."""
    listed = {one.map for one in atlas.training}
    others = (MapId(*key) for key in sorted(tables.WILD_LEVELS))
    return (
        *atlas.training,
        *(
            Goal("train", f"Train: {tables.map_name(one)}", one, kind=GoalKind.TRAIN)
            for one in others
            if one not in listed
        ),
    )


def worthwhile(
    places: tuple[Goal, ...],
    tables: GameTables,
    highest: int,
    maps_away: Callable[[Goal], int],
) -> tuple[list[Goal], list[Goal]]:
    """Return the places whose wild creatures suit a level, nearest first, and what else there is.

    The others come strongest first: where no way leads to any of the former, they teach least
    slowly. Those with creatures that are too strong are left out.
    """
    found = [(place, _levels(place, tables)) for place in places]
    known = [levels[1] for _, levels in found if levels]
    enough = min(highest, max(known, default=0)) - _LEVELS_BELOW
    suiting: list[Goal] = []
    others: list[tuple[int, Goal]] = []
    for place, levels in found:
        lowest, most = levels or (0, highest)
        if most < enough:
            others.append((most, place))
        elif lowest <= highest + _LEVELS_ABOVE:
            suiting.append(place)
    others.sort(key=lambda other: (-other[0], maps_away(other[1])))
    return sorted(suiting, key=maps_away), [place for _, place in others]


def _levels(place: Goal, tables: GameTables) -> tuple[int, int] | None:
    """Return the lowest and the highest level of a place's wild creatures; None: not known."""
    return tables.WILD_LEVELS.get((place.map.group, place.map.number)) if place.map else None


def num_watching(world: Overworld | None, state: GameState) -> int:
    """Return how many trainers on this map would stop the player and are not beaten yet.

    One of whom nothing tells whether he is beaten does not count; nor does anybody before the
    player is free: a fight that was won is noted late.
    """
    row = world.row(state.place.map) if world else None
    if world is None or row is None or not state.control.is_free:
        return 0
    people = world.people
    watching = people[(people["map"] == row) & (people["sight"] > 0) & (people["beat_flag"] >= 0)]
    beaten = sum(state.has_event(int(flag)) for flag in watching["beat_flag"])
    return len(watching) - beaten
