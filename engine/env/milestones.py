"""Recognise in RAM which milestones of the game are reached, and when."""

from collections.abc import Collection, Iterable, Iterator, Mapping

from engine.games.base import Approach, Milestone, MilestoneKind, final_milestone
from engine.types import GameState, Goal, GoalKind, MapId

_AMBIGUOUS = (MilestoneKind.SCENE, MilestoneKind.SCENE_LEFT, MilestoneKind.EVENT_CLEAR)
"""Kinds whose condition may hold before a milestone's time, too."""
_KINDS: Mapping[Approach, GoalKind] = {
    Approach.TALK: GoalKind.MEET,
    Approach.CATCH: GoalKind.CATCH,
}


class Story:
    """Know what of a game's story lies behind the player, and what ahead.

    A milestone is passed when it is reached, or one that requires it: the game may clear a flag
    again, or take an item back, once it is of no more use. One that the game takes back counts only
    while it is shown, and where the player has come to what it was for, until that is reached.

    Args:
        milestones: All of them, in order.
    """

    def __init__(self, milestones: Iterable[Milestone]) -> None:
        self.milestones = tuple(milestones)
        self._followers = {one.key: {one.key} for one in self.milestones}
        for one in reversed(self.milestones):
            for key in one.requires:
                self._followers[key] |= self._followers[one.key]
        followers = {key: frozenset(keys) for key, keys in self._followers.items()}
        taken_back = frozenset(one.key for one in self.milestones if one.is_taken_back)
        for key in taken_back:
            self._followers[key] -= taken_back - {key}
        self._taken_back = taken_back
        # Where what stays is reached by them: getting there is all that they were for.
        self._led_to = {key: self._purpose(followers[key]) for key in taken_back}
        self._evidence: tuple[object, ...] = ()
        self._shown: tuple[Milestone, ...] = ()
        self._asked: tuple[object, ...] = ()
        self._found: frozenset[str] = frozenset()
        self._done: set[str] = set()
        self._ahead = self.milestones

    def _purpose(self, followers: Collection[str]) -> frozenset[MapId | None]:
        """Return the places of what stays and requires a milestone that the game takes back.

        Others that it takes back may be between.
        """
        between = self._taken_back.intersection(followers)
        return frozenset(
            one.place
            for one in self.milestones
            if not one.is_taken_back and not between.isdisjoint(one.requires)
        )

    def is_passed(self, key: str, reached: Collection[str]) -> bool:
        """Return whether a milestone lies behind, by the keys of those that are reached."""
        return not self._followers[key].isdisjoint(reached)

    def is_possible(self, one: Milestone, reached: Collection[str]) -> bool:
        """Return whether all that a milestone requires lies behind."""
        return all(self.is_passed(key, reached) for key in one.requires)

    def reached(self, state: GameState, before: Iterable[str] = ()) -> frozenset[str]:
        """Return the keys reached `before` and of those that `state` shows to be reached now."""
        evidence = _evidence(state)
        if evidence != self._evidence:
            self._evidence = evidence
            self._shown = tuple(one for one in self.milestones if is_shown(one, state))
            self._asked = ()
        asked = (state.control.is_free, set(before), state.place.map)
        if asked != self._asked:
            self._asked, self._found = asked, self._find(*asked)
        return self._found

    def _find(self, is_free: bool, before: Collection[str], here: MapId) -> frozenset[str]:
        found = {
            one.key for one in self._shown if not one.holds_at_start and one.kind not in _AMBIGUOUS
        }
        shown = {one.key for one in self._shown}
        lost = {key for key in self._taken_back - shown if here not in self._led_to[key]}
        found.update(key for key in before if key not in lost)
        found.update(key for key in lost.intersection(before) if self.is_passed(key, found))
        # A script passes one milestone before it takes back the signs of the next.
        if is_free:
            for one in self._shown:
                if one.key not in found and self.is_possible(one, found):
                    found.add(one.key)
        return frozenset(found)

    def passed(self, reached: Collection[str]) -> tuple[str, ...]:
        """Return the keys of what lies behind, in order, by the keys of those reached."""
        return tuple(key for key in self._followers if self.is_passed(key, reached))

    def ahead(self, done: Collection[str]) -> tuple[Milestone, ...]:
        """Return which milestones are to be reached yet, in order; `done` are keys of those behind.

        Places passed by stay behind: who starts from a saved state was there before the episode.
        """
        keys = set(done)
        if keys != self._done:
            last = max((i for i, one in enumerate(self.milestones) if one.key in keys), default=-1)
            self._done = keys
            self._ahead = tuple(
                one
                for index, one in enumerate(self.milestones)
                if not self.is_passed(one.key, keys)
                and (one.kind is not MilestoneKind.MAP or index > last)
            )
        return self._ahead

    def open(self, done: Collection[str]) -> Iterator[Milestone]:
        """Yield those that can be pursued now: their place is known. Optional ones come last."""
        for one in sorted(self.ahead(done), key=lambda one: one.is_optional):
            if one.place is not None and self.is_possible(one, done):
                yield one


class MilestoneTracker:
    """Report each milestone once, when RAM first shows it.

    Attributes:
        keys: All of them in order.
        steps: Key of each that is reached, and after how many steps of the episode, the first time.
        reached: Keys of those that count now: without what the game took back.
    """

    def __init__(self, milestones: Iterable[Milestone]) -> None:
        self._story = Story(milestones)
        self._texts = {one.key: one.text for one in self._story.milestones}
        self.keys = tuple(self._texts)
        self.steps: dict[str, int] = {}
        self.reached: Collection[str] = frozenset()

    def reset(self, state: GameState, reached: Iterable[str] = ()) -> None:
        """Start an episode; what is reached already counts as reached at step 0, unpaid.

        `reached` are keys reached earlier: `state` does not show a place that was left again.
        """
        self.steps = dict.fromkeys(reached, 0)
        self.update(state, 0)
        self.steps |= dict.fromkeys(self._story.passed(self.steps), 0)

    def update(self, state: GameState, step: int) -> tuple[tuple[str, str], ...]:
        """Return (key, text) of the milestones that are reached for the first time."""
        if not state.control.in_game:
            return ()
        self.reached = found = self._story.reached(state, self.steps)
        if found <= self.steps.keys():
            return ()
        new = tuple(key for key in self.keys if key in found and key not in self.steps)
        self.steps.update(dict.fromkeys(new, step))
        return tuple((key, self._texts[key]) for key in new)

    def final(self, goal: str) -> str:
        """Return the key of the milestone that ends the episode, by the run's `goal`."""
        held = {key for key, step in self.steps.items() if step == 0}
        return final_milestone(self._story.milestones, goal, held)

    def next_text(self) -> str:
        """Return the text of the first milestone not yet reached, "" when there is none."""
        return next((text for key, text in self._texts.items() if key not in self.steps), "")


def still_ahead(
    milestones: Iterable[Milestone], state: GameState, reached: Iterable[str]
) -> tuple[Milestone, ...]:
    """Return which of all milestones are to be reached yet, by those reached in this episode."""
    story = Story(milestones)
    return story.ahead(story.reached(state, reached))


def milestone_goal(one: Milestone) -> Goal | None:
    """Return how to reach a milestone; None where its place is not known."""
    if one.place is None:
        return None
    is_talk = one.how is Approach.TALK
    kind = _KINDS.get(one.how, GoalKind.REACH)
    return Goal(one.key, one.text, one.place, one.target, is_interaction=is_talk, kind=kind)


def is_shown(one: Milestone, state: GameState) -> bool:
    """Return whether RAM shows a milestone's condition to hold now."""
    value = one.value
    match one.kind:
        case MilestoneKind.MAP:
            return state.place.map == (one.entered or one.place)
        case MilestoneKind.EVENT:
            return state.has_event(value)
        case MilestoneKind.EVENT_CLEAR:
            return bool(state.event_flags) and not state.has_event(value)
        case MilestoneKind.ENGINE:
            return state.has_engine_flag(value)
        case MilestoneKind.PARTY:
            return len(state.party) >= value
        case MilestoneKind.LEVEL:
            return any(creature.level >= value for creature in state.party)
        case MilestoneKind.BADGE:
            return bool(state.badges[0] >> value & 1)
        case MilestoneKind.KANTO_BADGE:
            return bool(state.badges[1] >> value & 1)
        case MilestoneKind.ITEM:
            return state.bag.has(value)
        case MilestoneKind.MOVE:
            return any(move.name == one.move for own in state.party for move in own.moves)
    if not 0 <= one.scene < len(state.scenes):
        return False
    if one.kind is MilestoneKind.VAR:
        return int.from_bytes(state.scenes[one.scene : one.scene + 2], "little") >= value
    return (state.scenes[one.scene] == value) is (one.kind is MilestoneKind.SCENE)


def _evidence(state: GameState) -> tuple[object, ...]:
    """Return all that milestones are recognised by."""
    return (
        state.place.map,
        state.event_flags,
        state.party,
        state.badges,
        state.bag,
        state.scenes,
        state.engine_flags,
    )
