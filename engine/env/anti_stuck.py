"""Mask actions that lead to nothing, and notice episodes in which nothing new happens any more."""

from collections.abc import Hashable, Iterator
from typing import Any

from engine.types import DIRECTIONS, ActionSet, GameState

RELEASE_STEPS = 200
"""Steps after which everything may be tried again, whatever happened."""


class AntiStuck:
    """Count in which situation an action led to nothing; mask it there after `repeats` times.

    A situation is where the player stands and looks, who is beside the player, the cursor, the
    words on the screen and a radio's dial. An action leads to nothing when the same situation
    follows, or when it begins, on foot, a talk or a menu out of which nothing came. Anything new
    (a tile, a milestone, another map, a change of party, bag, money, event flags or battle) makes
    all counts void.
    Walking never counts, so no way can be shut; nor does what is pressed while the game moves by
    itself: waiting would be masked, and only buttons be left that may end the scene for the worse.

    It works through the mask alone: whoever decides sees it, and learning stays on-policy.

    Args:
        repeats: How often an action may lead to nothing; 0 never masks.
        actions: The game's.

    Attributes:
        interventions: Actions masked in this episode.
    """

    def __init__(self, repeats: int, actions: ActionSet) -> None:
        self._repeats = repeats
        self._num_actions = len(actions)
        self._steps = frozenset(i for i, a in enumerate(actions) if a.button in DIRECTIONS)
        self._counts: dict[str, list[int]] = {}
        self._is_masking = False
        self._age = 0
        self._last: tuple[GameState | None, str] = None, ""
        self.interventions = 0

    def reset(self) -> None:
        """Start an episode."""
        self._forget()
        self.interventions = 0

    def update(
        self, previous: GameState, current: GameState, action: int, *, is_progress: bool
    ) -> None:
        """Count a step; `is_progress`: it led to a new tile or a milestone."""
        if not self._repeats:
            return
        self._age += 1
        if is_progress or self._age >= RELEASE_STEPS or _has_changed(previous, current):
            if self._counts:
                self._forget()
            self._age = 0
        elif not previous.control.is_busy and (
            (previous.place.x, previous.place.y) == (current.place.x, current.place.y)
        ):
            before = self._situation(previous)
            is_opening = previous.control.is_free and action not in self._steps
            if is_opening or before == self._situation(current):
                counts = self._counts.setdefault(before, [0] * self._num_actions)
                counts[action] += 1
                if counts[action] == self._repeats:
                    self._is_masking = True
                    self.interventions += 1

    def blocked(self, state: GameState) -> dict[int, str]:
        """Return the actions that led to nothing in this situation, each with the reason."""
        if not self._is_masking:
            return {}
        counts = self._counts.get(self._situation(state), ())
        reason = f"tried {self._repeats} times here without effect"
        return {n: reason for n, count in enumerate(counts) if count >= self._repeats}

    def save(self) -> Any:
        """Return what was counted, JSON-able."""
        return [self._counts, self._age, self.interventions]

    def restore(self, saved: Any) -> None:
        """Put back what `save` returned."""
        counts, self._age, self.interventions = saved
        self._counts = {key: list(row) for key, row in counts.items()}
        self._is_masking = any(max(row) >= self._repeats for row in self._counts.values())

    def _situation(self, state: GameState) -> str:
        """Return the situation, of the state that was last asked for without looking again."""
        if state is not self._last[0]:
            self._last = state, _situation(state)
        return self._last[1]

    def _forget(self) -> None:
        self._counts = {}
        self._is_masking = False
        self._age = 0


def _has_changed(previous: GameState, current: GameState) -> bool:
    """Return whether something of worth changed, for better or worse."""
    return (
        previous.battle != current.battle
        or previous.party != current.party
        or previous.bag != current.bag
        or previous.money != current.money
        or previous.event_flags != current.event_flags
        or previous.place.map != current.place.map
        or previous.control.in_game != current.control.in_game
    )


def _situation(state: GameState) -> str:
    place, view = state.place, state.map
    beside = sorted(
        (thing.x - place.x, thing.y - place.y)
        for thing in view.objects
        if abs(thing.x - place.x) + abs(thing.y - place.y) == 1
    )
    where = (place.map.group, place.map.number, place.x, place.y, int(place.facing))
    dial = ((state.control.card, state.control.selection),) if state.control.card else ()
    return repr((where, beside, state.control.cursor, state.screen_text, *dial))


class Standstill:
    """Count the steps since the game last showed something new to the episode.

    New is a tile, a text, an item, an amount of money, a flag, and anything that memory holds of a
    creature of the party or in battle: its health, experience, moves and their points. Walking
    forwards and backwards, or opening one menu again and again, is not.

    Args:
        patience: Steps without anything new after which it is a standstill.

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
        """Count a step that led to `state`."""
        before = len(self._seen)
        self._seen.update(map(hash, _shown(state)))
        self.steps = 0 if len(self._seen) > before else self.steps + 1


def _shown(state: GameState) -> Iterator[Hashable]:
    """Yield what can be new, part by part: all of it together nearly always is."""
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
