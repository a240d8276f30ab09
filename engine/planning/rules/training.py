"""Know where one is met: wild creatures that are worth fighting, and trainers who look out."""

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
