"""Know where trainers look out for the player."""

from engine.games.overworld import Overworld
from engine.types import GameState

REST_BEFORE_TRAINERS = 0.6
"""Share of health below which to rest where several trainers are ahead."""


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
