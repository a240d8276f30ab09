"""Recognise in RAM which milestones of the game are reached, and when."""

from collections.abc import Iterable

from engine.games.base import Milestone
from engine.types import GameState


class MilestoneTracker:
    """Report each milestone once, when RAM first shows it.

    Args:
        milestones: (key, text, kind, value); kinds: "map" (group, number) is entered, "event" flag
            is set, "party" has as many creatures, "level" is reached by one, "badge" bit is set.

    Attributes:
        keys: All of them in order.
        steps: Key of each that is reached, and after how many steps of the episode.
    """

    def __init__(self, milestones: Iterable[Milestone]) -> None:
        self._milestones = tuple(milestones)
        self.keys = tuple(key for key, *_ in self._milestones)
        self.steps: dict[str, int] = {}

    def reset(self, state: GameState, reached: Iterable[str] = ()) -> None:
        """Start an episode; what is reached already counts as reached at step 0, unpaid.

        `reached` are keys reached earlier: `state` does not show a place that was left again.
        """
        self.steps = dict.fromkeys(reached, 0)
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


def still_ahead(
    milestones: Iterable[Milestone], state: GameState, reached: Iterable[str]
) -> tuple[Milestone, ...]:
    """Return which of all milestones are to be reached yet, in order.

    `reached` are the keys of those reached in this episode. Places passed by stay behind: who
    starts from a saved state was there before the episode.
    """
    entries, done = tuple(milestones), set(reached)
    done.update(key for key, _, kind, value in entries if is_reached(state, kind, value))
    last = max((i for i, (key, *_) in enumerate(entries) if key in done), default=-1)
    return tuple(
        entry
        for index, entry in enumerate(entries)
        if entry[0] not in done and (entry[2] != "map" or index > last)
    )


def is_reached(state: GameState, kind: str, value: int | tuple[int, int]) -> bool:
    """Return whether a milestone's condition holds."""
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
