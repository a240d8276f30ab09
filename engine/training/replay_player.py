"""Go through what was recorded, forwards and backwards: what a replay viewer stands on.

A place is how many moves are behind: an action is one, and so is every stretch of real-time play
that is as long as an action. Where nothing was played in real time, places are steps.
"""

from collections.abc import Callable, Iterator

from engine.env.game_env import GameEnv
from engine.env.input_recording import Segment, moves
from engine.env.input_replay import replay
from engine.env.inspection import Inspection
from engine.env.live import LiveStretch
from engine.env.stepping import make_game_env
from engine.errors import ReplayError
from engine.training.replay_sources import Recorded, RecordedEpisode, Taken
from engine.training.run_settings import load_settings
from engine.training.runs import find_run

KEPT_EVERY = 100
"""Moves between two kept states, so that going back never plays more than so many again."""
MAX_KEPT = 512
"""From so many kept states on every other one is dropped: each takes some 50 KB."""


class Playback:
    """What was recorded, at one of its places; loading its game takes a second.

    Attributes:
        env: The game as it is now; whoever plays on in it needs no playback any more.
        place: How many moves are behind.
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
        self.env = recorded.open()
        self._difference = recorded.checker(self.env)
        self.place = 0
        self._kept = {0: self.env.save()}
        self._kept_every = KEPT_EVERY

    @property
    def step(self) -> int:
        """Return how many steps of the episode are taken; live play counts none."""
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
        if self.place % self._kept_every == 0:
            self._keep()
        if not self.divergence:
            reward, is_goal, is_truncated = ended
            is_live = isinstance(move, LiveStretch)
            taken = Taken(reward, is_goal, is_goal or is_truncated, self.is_at_end, is_live)
            self.divergence = self._difference(taken)

    def go_back(self, place: int) -> None:
        """Go to the last kept state that is not after `place`; advance from there."""
        wanted = min(max(0, place), self.length)
        if wanted < self.place or self._kept_before(wanted) > self.place:
            self.place = self._kept_before(wanted)
            self.env.restore(self._kept[self.place])

    def go_to(self, place: int) -> None:
        """Go to a place; from far it takes a while."""
        self.go_back(place)
        while self.place < min(place, self.length):
            self.advance(renders=False)

    def place_of(self, step: int) -> int:
        """Return after how many moves the episode has `step` steps."""
        taken = 0
        for place, move in enumerate(self._moves):
            if taken >= step:
                return place
            taken += not isinstance(move, LiveStretch)
        return len(self._moves)

    def seen(self) -> Inspection:
        """Return what there is to show of now."""
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
        )

    def close(self) -> None:
        """Free the emulator."""
        self.env.close()

    def _keep(self) -> None:
        self._kept.setdefault(self.place, self.env.save())
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


def open_at(recorded: Recorded, place: int) -> GameEnv:
    """Return the game of what was recorded as it was at a place, to play on in it.

    Its `recording` has all that led there. The caller closes it.

    Raises:
        ReplayError: It went another way before.
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
    """Replay episode `number` of a run, None: its last, to the same memory, byte for byte.

    `report` is called after each step with how many are taken, and of how many.

    Returns:
        The episode, and what the replay returned in rewards.

    Raises:
        CheckpointError: There is no such run, or its settings are unreadable.
        ConfigurationError: They name code that the user does not trust.
        ReplayError: There is no such episode, or it goes another way.
    """
    # Whom it names is to be trusted first.
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
