"""Notice an episode in which nothing happens any more that has not happened before."""

from collections.abc import Hashable, Iterator

from engine.types import GameState


class Standstill:
    """Count the steps since the game last showed something new to the episode.

    New is a tile, a text, an item, an amount of money, a flag, and whatever is said of a creature
    of the party or in battle: its health, experience, moves and their points. Walking forwards and
    backwards, or opening one menu again and again, is not.

    Args:
        patience: After so many steps it is a standstill.

    Attributes:
        steps: Since something new.
    """

    def __init__(self, patience: int) -> None:
        self._patience = patience
        self._seen: set[int] = set()
        self.steps = 0

    @property
    def is_reached(self) -> bool:
        """Return whether nothing new was there for too long."""
        return self.steps >= self._patience

    def update(self, state: GameState) -> None:
        """Take in a step."""
        before = len(self._seen)
        self._seen.update(map(hash, _shown(state)))
        self.steps = 0 if len(self._seen) > before else self.steps + 1


def _shown(state: GameState) -> Iterator[Hashable]:
    """Return what can be new, each part for itself: together they nearly always are."""
    place, battle = state.place, state.battle
    yield place.map, place.x, place.y
    yield state.screen_text
    yield state.bag, state.money, state.badges
    yield state.event_flags, state.scenes, state.engine_flags
    yield state.caught_flags, state.seen_flags
    yield from state.party
    if battle is not None:
        yield battle.own
        yield battle.kind, battle.trainer_class, battle.trainer_id, battle.enemy_slot, battle.enemy
