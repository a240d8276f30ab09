"""Choose where to gain levels, by the levels of those that live there."""

from engine.games.base import Atlas, GameTables
from engine.types import Goal, GoalKind, MapId

_LEVELS_BELOW, _LEVELS_ABOVE = 5, 3
"""How far the wild ones may be below the party's strongest to teach it much, and above it."""


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


def worthwhile(places: tuple[Goal, ...], tables: GameTables, highest: int) -> tuple[Goal, ...]:
    """Return the places whose wild creatures suit a level, else those with the strongest."""
    levels = [
        tables.WILD_LEVELS.get((one.map.group, one.map.number)) if one.map else None
        for one in places
    ]
    known = [most for _, most in filter(None, levels)]
    if not known:
        return places
    enough = min(highest - _LEVELS_BELOW, max(known) - _LEVELS_BELOW)
    return tuple(
        place
        for place, found in zip(places, levels, strict=True)
        if found is None or (found[1] >= enough and found[0] <= highest + _LEVELS_ABOVE)
    )
