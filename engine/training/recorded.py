"""Find what was recorded, an episode of a run or a demonstration, and play on from within it."""

import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from engine.config import RunConfig
from engine.demos.demonstration import (
    MAP,
    MILESTONE,
    NO_PROPOSAL,
    SUFFIX,
    Demonstration,
    read_demo,
)
from engine.demos.playback import Checks, open_env, pays_as_recorded, settings_for
from engine.env.crystal_env import EnhancedPyBoyPokemonCrystalEnv
from engine.env.recording import Recording, begin_replay, memory_hash
from engine.env.stepping import make_crystal_env
from engine.errors import ReplayError
from engine.events import EpisodeEnded
from engine.training.playback import Playback, Recorded, Taken
from engine.training.replays import find_episode
from engine.training.runs import RunFolder, find_run, load_settings
from engine.types import Action, Decision, EpisodeSummary, Goal, Source

_HUMAN = "human"


def find_recorded(source: str, config: RunConfig) -> Recorded:
    """Find what a source names.

    Args:
        source: The path of a demonstration, or "run:episode" with the run's id or path; without
            the episode it is the run's last.
        config: Names the save folder and, for a demonstration, the ROM.

    Raises:
        DemoError, CheckpointError, ReplayError: It is not there, or cannot be read.
    """
    if source.endswith(SUFFIX):
        return RecordedDemo(Path(source), read_demo(Path(source)), config)
    run, _, number = source.rpartition(":")
    if not run:
        run, number = number, ""
    if number and not number.isdecimal():
        raise ReplayError(f"'{number}' is no number of an episode.", "Write run:episode.")
    return RecordedEpisode.find(config.save_dir, run, int(number) if number else None)


def open_at(recorded: Recorded, place: int) -> EnhancedPyBoyPokemonCrystalEnv:
    """Return the game of what was recorded as it was at a place, to play on in it.

    Its `recording` has all that led there. Whoever asked closes it.

    Raises:
        ReplayError: It went another way before.
        PokeTUIError: The game cannot be set up, or is not the recorded one.
    """
    playback = Playback(recorded)
    try:
        playback.go_to(place)
        if playback.divergence:
            raise ReplayError(
                f"{recorded.title} goes another way here: {playback.divergence}.",
                "Go on from an earlier place.",
            )
    except BaseException:  # the emulator must not stay, whatever failed; it is raised again
        playback.close()
        raise
    return playback.env


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

    @property
    def source(self) -> str:
        """Return run and episode."""
        return f"{self.folder.path}:{self.ended.episode}"

    @property
    def title(self) -> str:
        """Name episode and run."""
        return f"Episode {self.ended.episode:,} of run {self.folder.run_id}"

    @property
    def run_id(self) -> str:
        """Return the run's."""
        return self.folder.run_id

    @property
    def run_dir(self) -> str:
        """Return the run's."""
        return str(self.folder.path)

    @property
    def by(self) -> str:
        """Return the run's agent."""
        return self.settings().agent

    @property
    def begins_at(self) -> int:
        """Return 0: all of an episode shows something."""
        return 0

    @property
    def goal(self) -> Goal | None:
        """Return None: what the planner wanted then was not recorded."""
        return None

    def settings(self) -> RunConfig:
        """Return the run's settings."""
        return load_settings(self.folder).model_copy(update={"save_dir": self.save_dir})

    def open(self) -> EnhancedPyBoyPokemonCrystalEnv:
        """Return its game at the episode's beginning."""
        env = make_crystal_env(self.settings(), self.ended.summary.env_index)
        return _begun(env, self.recording)

    def about(self) -> tuple[str, ...]:
        """Say what came of it."""
        summary = self.ended.summary
        start = (f"It began from {summary.start}.",) if summary.start else ()
        return (f"{self.title}: {_outcome(summary)}", *start)

    def decision(self, step: int, action: Action) -> Decision:
        """Return the action: who chose it then was not recorded."""
        return Decision(action, Source.RECORDED, 1.0, f"{action.name} was pressed")

    def notes(self) -> tuple[tuple[int, str], ...]:
        """Return nothing: milestones are told as they are paid."""
        return ()

    def checker(self, env: EnhancedPyBoyPokemonCrystalEnv) -> Callable[[Taken], str]:
        """Compare milestones and, at its end, the memory."""
        return lambda taken: self._difference(env, taken)

    def _difference(self, env: EnhancedPyBoyPokemonCrystalEnv, taken: Taken) -> str:
        recorded, now = self.ended.summary.steps_to_milestone, env.episode_steps
        for key in env.just_reached:
            if recorded.get(key) != now:
                then = f"at step {recorded[key]:,}" if key in recorded else "not at all"
                return f"step {now:,}: {key} was reached; when it was recorded, {then}"
        if taken.is_live and not taken.is_last:
            return ""  # what is reached within live play may be counted a moment later
        for key, then_step in recorded.items():
            if then_step <= now and key not in env.milestones:
                return f"step {now:,}: {key} was reached at step {then_step:,}, and is not now"
        if taken.is_goal and not taken.is_last:
            return f"step {now:,}: the goal is reached; when it was recorded, it went on"
        if taken.is_last and memory_hash(env.emulator) != self.recording.memory:
            return f"step {now:,}, its last: the memory is another, though all milestones agree"
        return ""


@dataclass(frozen=True, slots=True, eq=False)
class RecordedDemo:
    """A demonstration.

    Attributes:
        config: Names the ROM.
    """

    path: Path
    demo: Demonstration
    config: RunConfig

    @property
    def source(self) -> str:
        """Return its path."""
        return str(self.path)

    @property
    def title(self) -> str:
        """Name it."""
        return f"The demonstration {self.run_id}"

    @property
    def run_id(self) -> str:
        """Return its file's name."""
        return self.path.name.removesuffix(SUFFIX)

    @property
    def run_dir(self) -> str:
        """Return its path: it belongs to no run."""
        return str(self.path)

    @property
    def by(self) -> str:
        """Return who played."""
        return self.demo.by

    @property
    def recording(self) -> Recording:
        """Return the exact inputs."""
        return self.demo.recording

    @property
    def begins_at(self) -> int:
        """Return after how many steps it begins to show something."""
        return self.demo.begins_at

    @property
    def ended(self) -> EpisodeEnded:
        """Return how the episode went, as far as the file tells."""
        demo = self.demo
        summary = EpisodeSummary(
            env_index=0,
            total_reward=demo.episode_return,
            length=demo.episode_length,
            components=(),
            steps_to_milestone=dict(demo.milestones),
            maps_seen=len(dict(demo.maps())),
            is_success=demo.is_success,
            interventions=int(demo.is_intervention.any()),
        )
        return EpisodeEnded(1, demo.episode_length, summary)

    @property
    def goal(self) -> Goal | None:
        """Return the task."""
        return Goal("", self.demo.task) if self.demo.task else None

    def settings(self) -> RunConfig:
        """Return the settings it was played with."""
        return settings_for(self.demo, self.config)

    def open(self) -> EnhancedPyBoyPokemonCrystalEnv:
        """Return its game at the episode's beginning."""
        return _begun(open_env(self.demo, self.settings()), self.recording)

    def about(self) -> tuple[str, ...]:
        """Say who played, what for, and what came of it."""
        demo = self.demo
        when = time.strftime(", %Y-%m-%d %H:%M", time.localtime(demo.created_s))
        lines = [
            f"task: {demo.task}" if demo.task else "",
            f"played by {demo.by}{when if demo.created_s else ''}: {_outcome(self.ended.summary)}",
            f"tags: {' '.join(sorted(demo.tags))}" if demo.tags else "",
        ]
        if demo.begins_at:
            lines.append(f"it begins at step {demo.begins_at:,}; those before led there")
        if demo.has_live:
            lines.append("some of it was played in real time")
        return tuple(line for line in lines if line)

    def decision(self, step: int, action: Action) -> Decision:
        """Return the action, by whom, and what the agent had proposed."""
        demo = self.demo
        is_person = bool(demo.is_intervention[step]) or (
            demo.by == _HUMAN and not demo.is_intervention.any()
        )
        proposal = int(demo.proposals[step])
        reason = f"{action.name} was pressed"
        if proposal == int(action):
            reason += ", as the agent proposed"
        elif proposal != NO_PROPOSAL:
            reason += f"; the agent proposed {Action(proposal).name}"
        return Decision(action, Source.HUMAN if is_person else Source.RECORDED, 1.0, reason)

    def notes(self) -> tuple[tuple[int, str], ...]:
        """Return marks and notes; milestones are told as they are paid, maps are seen."""
        return tuple(
            (each.step, f"{each.kind}: {each.text}" if each.text else each.kind)
            for each in self.demo.events
            if each.kind not in (MAP, MILESTONE)
        )

    def checker(self, env: EnhancedPyBoyPokemonCrystalEnv) -> Callable[[Taken], str]:
        """Compare rewards, ends and the memory with what the file says."""
        checks = Checks(self.demo, env, pays_alike=pays_as_recorded(self.demo, self.config))

        def difference(taken: Taken) -> str:
            step = env.episode_steps
            found = ""
            if not taken.is_live:
                found = checks.difference(step - 1, taken.reward, is_done=taken.is_over)
            if not found and taken.is_last:
                found = checks.end_difference()
            return f"step {step:,}: {found}" if found else ""

        return difference


def _begun(
    env: EnhancedPyBoyPokemonCrystalEnv, recording: Recording
) -> EnhancedPyBoyPokemonCrystalEnv:
    try:
        begin_replay(env, recording)
    except BaseException:  # the emulator must not stay, whatever failed; it is raised again
        env.close()
        raise
    return env


def _outcome(summary: EpisodeSummary) -> str:
    goal = "the goal was reached" if summary.is_success else "the goal was not reached"
    return f"{summary.length:,} steps, return {summary.total_reward:+.1f}, {goal}"
