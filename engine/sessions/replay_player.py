"""Play a recording forwards and backwards, for the replay viewer.

A place is the number of moves before it: each action is a move, and so is each part of real-time
play of an action's length. Without real-time play, places are steps.
"""

from collections.abc import Callable, Iterator
from typing import cast

from engine.emulator.base import Camera, Emulator
from engine.env.batch import Inspection
from engine.env.game_env import GameEnv
from engine.env.input_recording import short_moves
from engine.env.input_replay import replay
from engine.env.live import LiveStretch
from engine.env.stepping import make_game_env
from engine.errors import ReplayError
from engine.runs.folder import find_run
from engine.runs.settings import load_settings
from engine.sessions.replay_sources import Recorded, RecordedEpisode, Taken
from engine.types import Frame

KEPT_EVERY = 50
"""Moves between two kept states: going anywhere plays fewer moves than that."""
MAX_KEPT = 512
"""Beyond so many kept states every other one is dropped: each takes some 50 KB."""
WORTH_A_MARK = 0.25
"""Smallest reward of a move that the timeline shows."""


class Survey:
    """What playing a recording has shown, shared by several playbacks of it.

    Attributes:
        known: The place up to which it was played without a gap.
        rewards: (place, reward) of the moves up to there that are worth a mark.
        divergence: How a replay diverged from the recording, "" while none did.
    """

    def __init__(self) -> None:
        self.known = 0
        self.rewards: list[tuple[int, float]] = []
        self.divergence = ""
        self._states: dict[int, bytes] = {}
        self._every = KEPT_EVERY

    def state_before(self, place: int) -> tuple[int, bytes]:
        """Return the last kept state that is not after a place, and where it is."""
        at = max(kept for kept in self._states if kept <= place)
        return at, self._states[at]

    def moved(self, place: int, reward: float, save: Callable[[], bytes]) -> None:
        """Note a move that led to a place, and keep the state there if one is due."""
        if place == self.known + 1:
            self.known = place
            if abs(reward) >= WORTH_A_MARK:
                self.rewards.append((place, reward))
        if place % self._every == 0 and place not in self._states:
            self.keep(place, save())

    def keep(self, place: int, state: bytes) -> None:
        """Keep a state."""
        self._states[place] = state
        if len(self._states) > MAX_KEPT:
            self._every *= 2
            self._states = {at: kept for at, kept in self._states.items() if not at % self._every}


class Playback:
    """A recording, played up to one of its places; loading its game takes a second.

    Args:
        recorded: What is played.
        survey: The survey of other playbacks of the same; None: a new one.

    Attributes:
        survey: What is known of the recording.
        env: The game at the current place; it may be played on without the playback.
        place: The current place.
        length: The number of moves.
        divergence: How this replay diverged from the recording, "" while it does not.

    Raises:
        PokeTUIError: Its game or settings are unusable, or are not those of the recording.
    """

    def __init__(self, recorded: Recorded, survey: Survey | None = None) -> None:
        self.recorded = recorded
        self.divergence = ""
        self._moves = tuple(
            short_moves(recorded.recording.segments[-1], sum(recorded.recording.frames))
        )
        self.length = len(self._moves)
        self.env = recorded.open()
        self._difference = recorded.checker(self.env)
        self.place = 0
        self.survey = survey or Survey()
        self.survey.keep(0, self.env.save())

    @property
    def step(self) -> int:
        """Return the episode's steps so far; live play counts none."""
        return self.env.episode_steps

    @property
    def is_at_end(self) -> bool:
        """Return whether all of it is played."""
        return self.place == len(self._moves)

    @property
    def last_action(self) -> int | None:
        """Return what was pressed last; None at the beginning and after live play."""
        move = self._moves[self.place - 1] if self.place else LiveStretch(0)
        return None if isinstance(move, LiveStretch) else int(move)

    def advance(self, *, renders: bool = True) -> None:
        """Play the next move."""
        move = self._moves[self.place]
        self.env.is_rendering = renders
        if isinstance(move, LiveStretch):
            for buttons, frames in move.spans():
                self.env.play_frames(buttons, frames, render=renders)
            ended = self.env.advance_live()
        else:
            ended = self.env.advance(move)
        self.place += 1
        reward, is_goal, is_truncated = ended
        self.survey.moved(self.place, reward, self.env.save)
        if not self.divergence:
            is_live = isinstance(move, LiveStretch)
            taken = Taken(reward, is_goal, is_goal or is_truncated, self.is_at_end, is_live)
            self.divergence = self._difference(taken)
            self.survey.divergence = self.survey.divergence or self.divergence

    def film(self, until: int, every: int) -> Iterator[list[Frame]]:
        """Play up to a place; yield each move's frames, one of `every`."""
        emulator = self.env.emulator
        camera = Camera(emulator, every)
        self.env.emulator = cast(Emulator, camera)
        try:
            while self.place < min(until, self.length):
                self.advance()
                yield camera.take()
        finally:
            self.env.emulator = emulator

    def go_back(self, place: int) -> None:
        """Go to the last kept state that is not after `place`; advance from there."""
        wanted = min(max(0, place), self.length)
        at, state = self.survey.state_before(wanted)
        if wanted < self.place or at > self.place:
            self.place = at
            self.env.restore(state)

    def go_to(self, place: int) -> None:
        """Go to a place, which takes a while if it was not surveyed."""
        self.go_back(place)
        while self.place < min(place, self.length):
            self.advance(renders=False)

    def place_of(self, step: int) -> int:
        """Return the first place at which the episode has `step` steps."""
        taken = 0
        for place, move in enumerate(self._moves):
            if taken >= step:
                return place
            taken += not isinstance(move, LiveStretch)
        return len(self._moves)

    def by_person(self) -> tuple[tuple[int, int], ...]:
        """Return (place before it, its last place) of each stretch that a person played."""
        found: list[tuple[int, int]] = []
        step = 0
        for place, move in enumerate(self._moves):
            is_live = isinstance(move, LiveStretch)
            if is_live or self.recorded.is_by_person(step):
                is_next = bool(found) and found[-1][1] == place
                found.append((found.pop()[0] if is_next else place, place + 1))
            step += not is_live
        return tuple(found)

    def seen(self) -> Inspection:
        """Return an inspection of the current place."""
        env = self.env
        return Inspection(
            frame=env.frame(),
            state=env.state,
            breakdown=env.breakdown,
            goal=self.recorded.goal,
            milestones=env.milestones,
            final_milestone=env.final_milestone,
            episode=env.episode_sums,
            visited=env.stood_on(),
            anti_stuck=env.anti_stuck,
        )

    def close(self) -> None:
        """Free the emulator."""
        self.env.close()


def open_at(recorded: Recorded, place: int) -> GameEnv:
    """Return the game of a recording at a place, to continue playing from there.

    Its `recording` has all that led there. The caller closes it.

    Raises:
        ReplayError: The replay diverged before.
        PokeTUIError: The game cannot be set up, or is not the recorded one.
    """
    playback = Playback(recorded)
    try:
        playback.go_to(place)
        if playback.divergence:
            raise ReplayError(
                f"{recorded.title} diverges here: {playback.divergence}.",
                "Continue from an earlier step.",
            )
    except BaseException:  # the emulator must not stay, whatever failed; it is raised again
        playback.close()
        raise
    return playback.env


def replay_episode(
    save_dir: str,
    run: str,
    number: int | None = None,
    report: Callable[[int, int], None] = lambda done, total: None,
) -> tuple[RecordedEpisode, float]:
    """Replay episode `number` of a run, None: its last, and check its memory byte for byte.

    `report` is called after each step with how many are taken, and of how many.

    Returns:
        The episode, and the sum of the replay's rewards.

    Raises:
        CheckpointError: There is no such run, or its settings are unreadable.
        ConfigurationError: They name code that the user does not trust.
        ReplayError: There is no such episode, or the replay diverges.
    """
    # First, as it checks that code which the settings name is trusted.
    config = load_settings(find_run(save_dir, run, purpose="replay"))
    recorded = RecordedEpisode.find(save_dir, run, number)
    config = config.model_copy(update={"save_dir": save_dir})
    env = make_game_env(config, recorded.ended.summary.env_index)
    try:
        total = 0.0
        for reward, *_ in replay(env, recorded.recording):
            total += reward
            report(env.episode_steps, len(recorded.recording.actions))
    finally:
        env.close()
    return recorded, total
