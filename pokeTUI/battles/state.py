"""Fold what the engine reports of battles: pure, beside the dashboard's own fold."""

import math
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from engine.events import (
    BattleDecision,
    BattleShown,
    BattlesProgressed,
    BattleWanted,
    Event,
)
from engine.history.patterns import success_interval
from pokeTUI.battles.playback import Playback, extended
from pokeTUI.dashboard.history import Record


@dataclass(frozen=True, slots=True)
class BattlesState:
    """All that the battle screen shows, apart from the place that is looked at.

    Attributes:
        rates: By decisions of the run: the recent win rate of each opponent under its name, and the
            ends of its 95 % interval under NAME/low and NAME/high.
        wanted: The decision that waits for the person who plays; None: none does.
    """

    shown: BattleShown | None = None
    playback: Playback = field(default_factory=Playback)
    progress: BattlesProgressed | None = None
    rates: Record = field(default_factory=lambda: Record(absent=math.nan))
    wanted: BattleWanted | None = None

    def decision(self, place: int) -> BattleDecision | None:
        """Return the decision that was due at a place, the last one before it at the latest."""
        decisions: Sequence[BattleDecision] = self.shown.decisions if self.shown else ()
        stop = self.playback.decision_place(place)
        found = [one for one in decisions if stop <= one.place <= max(stop, place)]
        return found[-1] if found else None


def fold_battles(state: BattlesState, event: Event) -> BattlesState:
    """Return the state after `event`."""
    match event:
        case BattleShown():
            before = state.playback
            is_same = state.shown is not None and state.shown.battle == event.battle
            if not is_same or before.own != event.side or before.types != event.types:
                before = Playback(event.side)
            playback = extended(before, event.lines, event.types)
            return replace(state, shown=event, playback=playback)
        case BattlesProgressed():
            rates = state.rates.add(float(event.total_steps), _rates(event))
            return replace(state, progress=event, rates=rates)
        case BattleWanted():
            return replace(state, wanted=event if event.request else None)
        case _:
            return state


def _rates(event: BattlesProgressed) -> dict[str, float]:
    figures = {}
    for one in event.opponents:
        if one.recent_battles:
            low, high = success_interval(one.recent_wins, one.recent_battles)
            figures[one.name] = one.recent_wins / one.recent_battles
            figures[f"{one.name}/low"], figures[f"{one.name}/high"] = low, high
    return figures
