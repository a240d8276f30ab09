"""Play an episode of a saved run again, from its recording in the run's journal."""

from collections.abc import Callable
from dataclasses import dataclass

from engine.env.recording import Recording, replay
from engine.env.stepping import make_crystal_env
from engine.errors import ReplayError
from engine.events import EpisodeEnded
from engine.training.journal import read_journal
from engine.training.runs import RunFolder, find_run, load_settings
from engine.types import EpisodeSummary


@dataclass(frozen=True, slots=True)
class ReplayedEpisode:
    """An episode that was played again to the same memory, byte for byte.

    Attributes:
        recorded: As it was first played.
        total_reward: Of the replay.
    """

    run_id: str
    number: int
    recorded: EpisodeSummary
    total_reward: float


def replay_episode(
    save_dir: str,
    run: str,
    number: int | None = None,
    tell: Callable[[int, int], None] = lambda done, total: None,
) -> ReplayedEpisode:
    """Play episode `number` of a run again; None: its last.

    Args:
        save_dir: Where runs are saved.
        run: Its id, its path or "latest".
        number: The episode's.
        tell: Is told after each step how many are taken, and of how many.

    Raises:
        CheckpointError: There is no such run, or its settings are unreadable.
        ConfigurationError: They name code that the user does not trust.
        ReplayError: There is no such episode, or it goes another way.
    """
    folder = RunFolder(find_run(save_dir, run))
    config = load_settings(folder).model_copy(update={"save_dir": save_dir})
    ended = find_episode(folder, number)
    recording = Recording.decode(ended.summary.recording)
    env = make_crystal_env(config, ended.summary.env_index)
    try:
        total = 0.0
        for reward, *_ in replay(env, recording):
            total += reward
            tell(env.episode_steps, len(recording.actions))
    finally:
        env.close()
    return ReplayedEpisode(folder.run_id, ended.episode, ended.summary, total)


def find_episode(folder: RunFolder, number: int | None) -> EpisodeEnded:
    """Return the end of a recorded episode; None: of the run's last.

    Raises:
        ReplayError: There is no such episode.
    """
    last: EpisodeEnded | None = None
    for event in read_journal(folder.journal_path):
        if isinstance(event, EpisodeEnded) and event.summary.recording:
            last = event
            if event.episode == number:
                return event
    if last is None:
        raise ReplayError(f"The run {folder.run_id} has no recorded episode.", "Let it go on.")
    if number is not None:
        raise ReplayError(
            f"The run {folder.run_id} has no recorded episode {number}.",
            f"Its last is {last.episode}.",
        )
    return last
