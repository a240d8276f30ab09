"""Set the next goal: the first milestone not reached yet, unless the party must rest or train."""

from collections.abc import Callable, Collection, Iterable, Iterator
from typing import Any

from engine.env.milestones import still_ahead
from engine.games.base import Atlas, Milestone
from engine.strategy.battle import is_weak
from engine.strategy.goal_tracker import highest_level
from engine.types import BattleKind, GameState, Goal, GoalKind, MapId

_REST_BELOW = 0.4
"""Share of the best creature's health below which it is taken to rest."""

_RESTED = 0.9
_LEVELS_MORE = 2
"""Levels to gain before the trainer who won is met again."""

_HIGHEST_WANTED = 14


class GoalPlanner:
    """Follow the game's milestones.

    Those that are no place to enter are reached at the atlas's spots; one that is missing there is
    left to chance.

    Attributes:
        goals: How to reach a milestone, by its key, as far as that is known.
    """

    def __init__(self, milestones: Iterable[Milestone], atlas: Atlas) -> None:
        self._milestones = tuple(milestones)
        self.goals: dict[str, Goal] = {}
        for key, text, kind, value in self._milestones:
            if kind == "map" and isinstance(value, tuple):
                self.goals[key] = Goal(key, text, MapId(*value), kind=GoalKind.REACH)
            elif key in atlas.spots:
                spot = atlas.spots[key]
                self.goals[key] = Goal(key, text, *spot, is_interaction=True, kind=GoalKind.MEET)
        self._healers = atlas.healers
        self._training = atlas.training
        self.reset()

    def reset(self) -> None:
        """Start an episode."""
        self._wanted_level = 0
        self._is_resting = False
        self._lost_battle = False

    def next_goal(
        self,
        state: GameState,
        reached: Collection[str],
        maps_away: Callable[[GameState, Goal], int],
        first: str = "",
    ) -> Goal | None:
        """Return what to do next; None when nothing is known.

        Args:
            state: The game now.
            reached: Keys of the milestones reached in this episode.
            maps_away: Returns how many maps a goal is away.
            first: Milestone that comes before all others until it is reached; "" for none.
        """
        self._watch(state)
        if state.party:
            self._is_resting = is_weak(state.party, _RESTED if self._is_resting else _REST_BELOW)
            if self._is_resting:
                return min(self._healers, key=lambda goal: maps_away(state, goal), default=None)
            if self._training is not None and highest_level(state) < self._wanted_level:
                return self._training
        if first in self.goals and first not in reached:
            return self.goals[first]
        return next(self.open_goals(state, reached), None)

    def open_goals(self, state: GameState, reached: Iterable[str]) -> Iterator[Goal]:
        """Yield the milestones' goals that are open, in order; places passed by stay behind."""
        for key, *_ in still_ahead(self._milestones, state, reached):
            if key in self.goals:
                yield self.goals[key]

    def wants_catch(self, state: GameState, reached: Iterable[str]) -> bool:
        """Return whether a second creature is a milestone still to reach."""
        return any(
            kind == "party" and key not in self.goals
            for key, _, kind, _ in still_ahead(self._milestones, state, reached)
        )

    def save(self) -> dict[str, Any]:
        """Return the state as JSON-able facts, for `load`."""
        return {
            "wanted_level": self._wanted_level,
            "is_resting": self._is_resting,
            "lost_battle": self._lost_battle,
        }

    def load(self, facts: dict[str, Any]) -> None:
        """Restore the state that `save` returned."""
        self._wanted_level = int(facts["wanted_level"])
        self._is_resting = bool(facts["is_resting"])
        self._lost_battle = bool(facts["lost_battle"])

    def _watch(self, state: GameState) -> None:
        """Ask for more levels once a trainer has won."""
        battle = state.battle
        if battle is not None and battle.own is not None:
            is_trainer = battle.kind is BattleKind.TRAINER
            is_alone = sum(creature.hp > 0 for creature in state.party) <= 1
            self._lost_battle = is_trainer and battle.own.hp == 0 and is_alone
        elif battle is None and self._lost_battle and state.control.is_free:
            self._lost_battle = False
            self._wanted_level = min(highest_level(state) + _LEVELS_MORE, _HIGHEST_WANTED)
