"""Go through a recorded episode to and fro: what a replay viewer stands on."""

from dataclasses import dataclass

from engine.env.array_env import Watched
from engine.env.live import LiveStretch
from engine.env.recording import Recording, begin_replay, memory_hash, moves, play_move
from engine.env.stepping import make_crystal_env
from engine.events import EpisodeEnded
from engine.training.replays import find_episode
from engine.training.runs import RunFolder, find_run, load_settings
from engine.types import Action, RewardBreakdown

KEPT_EVERY = 100
"""Moves between two kept states, so that going back never plays more than so many again."""


@dataclass(frozen=True, slots=True)
class RecordedEpisode:
    """An episode in a run's journal."""

    save_dir: str
    folder: RunFolder
    ended: EpisodeEnded
    recording: Recording

    @classmethod
    def find(cls, save_dir: str, run: str, number: int | None) -> "RecordedEpisode":
        """Find an episode by its number; None: the run's last.

        Raises:
            CheckpointError: There is no such run.
            ReplayError: There is no such episode, or its recording is damaged.
        """
        folder = RunFolder(find_run(save_dir, run))
        ended = find_episode(folder, number)
        return cls(save_dir, folder, ended, Recording.decode(ended.summary.recording))


class Playback:
    """A recorded episode at one of its steps.

    Args:
        episode: What is played; its game is loaded here, which takes a second.

    Attributes:
        agent: Who played the run.
        length: The episode's steps.
        divergence: How it went another way than when it was recorded, "" while it does not.

    Raises:
        PokeTUIError: The run's game or settings are unusable, or are not those of the recording.
    """

    def __init__(self, episode: RecordedEpisode) -> None:
        config = load_settings(episode.folder).model_copy(update={"save_dir": episode.save_dir})
        self.agent = config.agent
        self.divergence = ""
        self._recording = episode.recording
        self._recorded = episode.ended.summary
        self._moves = list(moves(episode.recording.segments[-1]))
        self.length = len(episode.recording.actions)
        self._env = make_crystal_env(config, episode.ended.summary.env_index)
        try:
            begin_replay(self._env, episode.recording)
        except BaseException:  # the emulator must not stay, whatever failed; it is raised again
            self._env.close()
            raise
        self._at = 0
        self._kept = {0: self._env.save()}
        self._last: Action | None = None

    @property
    def game(self) -> str:
        """Return the game's name."""
        return self._env.profile.name

    @property
    def milestones(self) -> tuple[tuple[str, str], ...]:
        """Return (key, text) of the game's milestones in order."""
        return tuple((key, text) for key, text, *_ in self._env.profile.tables.MILESTONES)

    @property
    def step(self) -> int:
        """Return how many steps of the episode are taken."""
        return self._env.episode_steps

    @property
    def is_at_end(self) -> bool:
        """Tell whether all of it is played."""
        return self._at == len(self._moves)

    @property
    def last_action(self) -> Action | None:
        """Return what was pressed last; None at a state that was gone back to."""
        return self._last

    def advance(self, *, renders: bool = True) -> None:
        """Play the next action, or the next stretch of live play."""
        self._env.is_rendering = renders
        move = self._moves[self._at]
        _, is_terminated, _ = play_move(self._env, move)
        self._at += 1
        self._last = None if isinstance(move, LiveStretch) else Action(move)
        if self._at % KEPT_EVERY == 0:
            self._kept.setdefault(self._at, self._env.save())
        if not self.divergence:
            self.divergence = self._difference(is_over=is_terminated)

    def go_back(self, step: int) -> None:
        """Go to the last kept state that is not after `step`; advance from there."""
        wanted = self._place_of(step)
        if wanted < self._at or self._kept_before(wanted) > self._at:
            self._at = self._kept_before(wanted)
            self._env.restore(self._kept[self._at])
            self._last = None

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

    def _place_of(self, step: int) -> int:
        """Return after how many moves the episode has `step` steps."""
        taken = 0
        for place, move in enumerate(self._moves):
            if taken >= step:
                return place
            taken += not isinstance(move, LiveStretch)
        return len(self._moves)

    def _kept_before(self, place: int) -> int:
        return max(kept for kept in self._kept if kept <= place)

    def _difference(self, *, is_over: bool) -> str:
        """Return how what happened just now differs from what was recorded, "" if nothing does."""
        recorded = self._recorded.steps_to_milestone
        now = self.step
        for key in self._env.just_reached:
            if recorded.get(key) != now:
                then = f"at step {recorded[key]:,}" if key in recorded else "not at all"
                return f"step {now:,}: {key} was reached; when it was recorded, {then}"
        for key, then_step in recorded.items():
            if then_step <= now and key not in self._env.milestones:
                return f"step {now:,}: {key} was reached at step {then_step:,}, and is not now"
        if is_over and not self.is_at_end:
            return f"step {now:,}: the goal is reached; when it was recorded, it went on"
        if self.is_at_end and memory_hash(self._env.emulator) != self._recording.memory:
            return f"step {now:,}, its last: the memory is another, though all milestones agree"
        return ""
