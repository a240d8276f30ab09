"""Tune the radio for somebody who listens to it: by what the Pokégear shows, never by counting."""

from collections.abc import Collection, Iterable, Mapping

from engine.games.base import MenuKind, Tune, menu_kind
from engine.planning.rules.items import Suggestion, to_entry, words
from engine.types import Action, GameState, Goal, MapId
from engine.wayfinding.exits import Tile

_RADIO = 4
"""The radio's card, as `Control.card`."""
_ENTRIES = frozenset({"GEAR", "POKéGEAR"})
"""Of the menu of START: on Crystal's screen two signs stand for POKé, which are no letters."""
_SILENT_AFTER = 4
"""Steps without any change in the open Pokégear after which a card is missing: then RIGHT finds no
radio, or the dial no channel."""
_MOST = 150
"""Steps in menus and the Pokégear, about three times those that it takes."""


class Radio:
    """Open the Pokégear before who listens, find the channel and leave it on.

    Remembers for how many steps that was tried.

    Args:
        tunes: Who listens, and to what.
    """

    def __init__(self, tunes: Iterable[Tune]) -> None:
        self._tunes: Mapping[tuple[MapId | None, Tile | None], Tune] = {
            (one.place, one.person): one for one in tunes
        }
        self.reset()

    def reset(self) -> None:
        """Start an episode."""
        self._steps = 0

    def wanted(self, state: GameState, goal: Goal, set_aside: Collection[str]) -> Tune | None:
        """Return what a goal's person on this map must hear and does not; None: nothing.

        `set_aside`: keys of the goals for which it was tried in vain.
        """
        tune = self._tunes.get((goal.map, goal.target))
        is_here = goal.map == state.place.map and state.battle is None
        is_wanted = is_here and goal.key not in set_aside
        return tune if tune and is_wanted and not _is_on(state, tune) else None

    def notice(
        self, state: GameState, goal: Goal, set_aside: Collection[str], unchanged_steps: int
    ) -> bool:
        """Note a state; return whether the goal's channel cannot be found.

        `unchanged_steps`: for how many steps nothing visible has changed.
        """
        if self.wanted(state, goal, set_aside) is None:
            self._steps = 0
            return False
        self._steps += not state.control.is_free
        is_silent = bool(state.control.card) and unchanged_steps >= _SILENT_AFTER
        has_gear = menu_kind(state) is not MenuKind.START or bool(words(state) & _ENTRIES)
        return is_silent or not has_gear or self._steps > _MOST

    def button(self, state: GameState, tune: Tune | None, *, is_faced: bool) -> Suggestion | None:
        """Return the next button for the radio; None where it has none.

        Args:
            state: The game now.
            tune: What is wanted.
            is_faced: The player looks at who listens.
        """
        if state.control.card:
            return _turn(state, tune) if tune else (Action.B, "leave the Pokégear")
        if tune is not None and menu_kind(state) is MenuKind.START:
            return to_entry(state, *_ENTRIES), "open the Pokégear"
        if tune is not None and state.control.is_free and is_faced:
            return Action.START, "tune the radio for who listens"
        return None

    def save(self) -> int:
        """Return all of it, JSON-able."""
        return self._steps

    def load(self, saved: int) -> None:
        """Put back what `save` returned."""
        self._steps = saved


def _turn(state: GameState, tune: Tune) -> Suggestion:
    """Return the button that comes nearer to a channel in the open Pokégear."""
    dial = state.control.selection
    if state.control.card < _RADIO:
        return Action.RIGHT, "find the radio's card"
    if dial == tune.dial:
        return Action.NOOP, "listen"
    return (Action.UP if dial < tune.dial else Action.DOWN), f"tune the radio to {tune.dial}"


def _is_on(state: GameState, tune: Tune) -> bool:
    """Return whether a channel plays and will stay on.

    The last channel's number stays while the dial stands beside it, but not beyond the Pokégear.
    """
    is_there = state.control.card != _RADIO or state.control.selection == tune.dial
    return is_there and state.music == tune.music
