"""Go through what was recorded to and fro: what a replay viewer stands on.

A place is how many moves are behind: an action is one, and so is every stretch of real-time play
that is as long as an action. Where nothing was played in real time, places are steps.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Protocol

from engine.config import RunConfig
from engine.env.array_env import Watched
from engine.env.crystal_env import EnhancedPyBoyPokemonCrystalEnv
from engine.env.live import LiveStretch
from engine.env.recording import Recording, Segment, moves
from engine.events import EpisodeEnded
from engine.types import Action, Decision, Goal, RewardBreakdown

KEPT_EVERY = 100
"""Moves between two kept states, so that going back never plays more than so many again."""
MAX_KEPT = 512
"""From so many kept states on every other one is dropped: each takes some 50 KB."""


@dataclass(frozen=True, slots=True)
class Taken:
    """What came of the last step.

    Attributes:
        is_goal: It reached the run's goal.
        is_over: The episode ended with it.
        is_last: Nothing follows in the recording.
        is_live: It was played in real time, and counted no step.
    """

    reward: float
    is_goal: bool
    is_over: bool
    is_last: bool
    is_live: bool


class Recorded(Protocol):
    """Something that was played and can be played again: a run's episode, a demonstration."""

    @property
    def source(self) -> str:
        """Return by what it is found again, see `engine.training.recorded.find_recorded`."""
        ...

    @property
    def title(self) -> str:
        """Return what it is, in words."""
        ...

    @property
    def run_id(self) -> str:
        """Return a short name."""
        ...

    @property
    def run_dir(self) -> str:
        """Return where it is kept: a run's folder, or a file."""
        ...

    @property
    def by(self) -> str:
        """Return who played."""
        ...

    @property
    def recording(self) -> Recording:
        """Return the exact inputs."""
        ...

    @property
    def begins_at(self) -> int:
        """Return the step from which on it shows something."""
        ...

    @property
    def ended(self) -> EpisodeEnded:
        """Return what is told at its end."""
        ...

    @property
    def goal(self) -> Goal | None:
        """Return what was to be shown, if anybody said so."""
        ...

    def settings(self) -> RunConfig:
        """Return the settings of a session that goes on from it."""
        ...

    def open(self) -> EnhancedPyBoyPokemonCrystalEnv:
        """Return its game at the episode's beginning."""
        ...

    def about(self) -> tuple[str, ...]:
        """Return what there is to say of it before it begins, a line each."""
        ...

    def decision(self, step: int, action: Action) -> Decision:
        """Return what was decided when `step` steps had been taken, by whom, and why."""
        ...

    def notes(self) -> tuple[tuple[int, str], ...]:
        """Return (step, text) of what was written down, in order."""
        ...

    def checker(self, env: EnhancedPyBoyPokemonCrystalEnv) -> Callable[[Taken], str]:
        """Return what tells how the last step went another way than when it was recorded.

        It returns "" where it went the same way.
        """
        ...


class Playback:
    """What was recorded, at one of its places.

    Args:
        recorded: What is played; its game is loaded here, which takes a second.

    Attributes:
        recorded: The same.
        length: Its moves.
        divergence: How it went another way than when it was recorded, "" while it does not.

    Raises:
        PokeTUIError: Its game or settings are unusable, or are not those of the recording.
    """

    def __init__(self, recorded: Recorded) -> None:
        self.recorded = recorded
        self.divergence = ""
        self._moves = tuple(_cut(recorded.recording.segments[-1], sum(recorded.recording.frames)))
        self.length = len(self._moves)
        self._env = recorded.open()
        self._difference = recorded.checker(self._env)
        self._at = 0
        self._kept = {0: self._env.save()}
        self._kept_every = KEPT_EVERY

    @property
    def env(self) -> EnhancedPyBoyPokemonCrystalEnv:
        """Return the game as it is now; whoever plays on in it needs no playback any more."""
        return self._env

    @property
    def game(self) -> str:
        """Return the game's name."""
        return self._env.profile.name

    @property
    def milestones(self) -> tuple[tuple[str, str], ...]:
        """Return (key, text) of the game's milestones in order."""
        return tuple((key, text) for key, text, *_ in self._env.profile.tables.MILESTONES)

    @property
    def place(self) -> int:
        """Return how many moves are behind."""
        return self._at

    @property
    def step(self) -> int:
        """Return how many steps of the episode are taken; live play counts none."""
        return self._env.episode_steps

    @property
    def is_at_end(self) -> bool:
        """Tell whether all of it is played."""
        return self._at == len(self._moves)

    @property
    def is_goal_reached(self) -> bool:
        """Tell whether the run's goal is reached, after which nothing can be recorded."""
        return self._env.is_success

    @property
    def last_action(self) -> Action | None:
        """Return what was pressed last; None at the beginning and after live play."""
        move = self._moves[self._at - 1] if self._at else LiveStretch(0)
        return None if isinstance(move, LiveStretch) else Action(move)

    def advance(self, *, renders: bool = True) -> None:
        """Play the next move."""
        move = self._moves[self._at]
        self._env.is_rendering = renders
        if isinstance(move, LiveStretch):
            for buttons, frames in move.spans():
                self._env.play_frames(buttons, frames, render=renders)
            ended = self._env.advance_live()
        else:
            ended = self._env.advance(move)
        self._at += 1
        if self._at % self._kept_every == 0:
            self._keep()
        if not self.divergence:
            reward, is_goal, is_truncated = ended
            is_live = isinstance(move, LiveStretch)
            taken = Taken(reward, is_goal, is_goal or is_truncated, self.is_at_end, is_live)
            self.divergence = self._difference(taken)

    def go_back(self, place: int) -> None:
        """Go to the last kept state that is not after `place`; advance from there."""
        wanted = min(max(0, place), self.length)
        if wanted < self._at or self._kept_before(wanted) > self._at:
            self._at = self._kept_before(wanted)
            self._env.restore(self._kept[self._at])

    def go_to(self, place: int) -> None:
        """Go to a place; from far it takes a while."""
        self.go_back(place)
        while self._at < min(place, self.length):
            self.advance(renders=False)

    def place_of(self, step: int) -> int:
        """Return after how many moves the episode has `step` steps."""
        taken = 0
        for place, move in enumerate(self._moves):
            if taken >= step:
                return place
            taken += not isinstance(move, LiveStretch)
        return len(self._moves)

    @property
    def breakdown(self) -> RewardBreakdown:
        """Return the last step's reward."""
        return self._env.breakdown

    def seen(self) -> Watched:
        """Return what there is to show of now."""
        env = self._env
        return Watched(
            frame=env.frame(),
            state=env.state,
            breakdown=env.breakdown,
            milestones=env.milestones,
            episode=env.episode_sums,
            visited=env.stood_on(),
        )

    def close(self) -> None:
        """Free the emulator."""
        self._env.close()

    def _keep(self) -> None:
        self._kept.setdefault(self._at, self._env.save())
        if len(self._kept) > MAX_KEPT:
            self._kept_every *= 2
            self._kept = {at: kept for at, kept in self._kept.items() if not at % self._kept_every}

    def _kept_before(self, place: int) -> int:
        return max(kept for kept in self._kept if kept <= place)


def _cut(segment: Segment, frames: int) -> Iterator[int | LiveStretch]:
    """Yield a segment's actions, and between them its live play in stretches of `frames`.

    Whole, a minute of live play would be over at once and could not be stopped in.
    """
    for move in moves(segment):
        if not isinstance(move, LiveStretch):
            yield move
            continue
        part = LiveStretch(move.after)
        for buttons, left in move.spans():
            while left:
                count = min(left, frames - part.frames)
                part = part.then(buttons, count)
                left -= count
                if part.frames == frames:
                    yield part
                    part = LiveStretch(move.after)
        if part.frames:
            yield part
