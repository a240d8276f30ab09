"""Find recordings to replay: an episode of a run, or a demonstration."""

import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from engine.config import RunConfig
from engine.demos.demonstration import MAP, MILESTONE, NO_PROPOSAL, SUFFIX, Demonstration, read_demo
from engine.demos.exact_replay import Checks, open_env, pays_as_recorded, settings_for
from engine.env.game_env import GameEnv
from engine.env.input_recording import Recording
from engine.env.input_replay import begin_replay
from engine.env.stepping import make_game_env
from engine.errors import ReplayError
from engine.events import EpisodeEnded
from engine.ground.numerals import parse_whole
from engine.ground.text import counted
from engine.loop.reporter import pressed
from engine.runs.folder import RunFolder, find_run
from engine.runs.journal import read_journal
from engine.runs.settings import load_settings
from engine.types import ActionSet, Decision, EpisodeSummary, Goal, Source


def find_recorded(source: str, config: RunConfig) -> "Recorded":
    """Find the recording that a source names.

    The source is the path of a demonstration, or "run:episode" with the run's id or path; without
    an episode it is the run's last. The settings name the save folder and a demonstration's ROM.

    Raises:
        DemoError, CheckpointError, ReplayError: It does not exist, or cannot be read.
    """
    if source.endswith(SUFFIX):
        return RecordedDemo.of(Path(source), read_demo(Path(source)), config)
    return RecordedEpisode.find(config.save_dir, *split_source(source))


def split_source(source: str) -> tuple[str, int | None]:
    """Return the run and the episode of "run:episode"; None: its last.

    Raises:
        ReplayError: The episode is no number.
    """
    run, _, number = source.rpartition(":")
    if not run:
        return number, None
    try:
        return run, parse_whole(number)
    except ValueError:
        raise ReplayError(f"'{number:.40}' is not an episode number.", "Use RUN:EPISODE.") from None


@dataclass(frozen=True, slots=True)
class Taken:
    """The result of the last step.

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


@dataclass(frozen=True, kw_only=True, eq=False)
class _Recorded:
    """What a run's episode and a demonstration have in common.

    Attributes:
        source: Finds it again by `find_recorded`.
        title: What it is, in words.
        run_dir: A run's folder, or a demonstration's file.
        ended: What is emitted at its end.
        begins_at: The step at which the shown part begins.
        goal: A demonstration's task, if it has one.
        notes: (step, text) of its notes, in order.
    """

    source: str
    title: str
    run_id: str
    run_dir: str
    recording: Recording
    ended: EpisodeEnded
    begins_at: int = 0
    goal: Goal | None = None
    notes: tuple[tuple[int, str], ...] = ()

    def _chosen(self, step: int, action: int, actions: ActionSet) -> Decision:
        """Return the decision of a step, as far as it was recorded."""
        name = actions.name(action)
        found = self.recording.segments[-1].choices.decision(step, action, name)
        return found or Decision(action, Source.RECORDED, 0.0, f"{name}, source not recorded")


@dataclass(frozen=True, kw_only=True, eq=False)
class RecordedEpisode(_Recorded):
    """An episode in a run's journal; the planner's goals were not recorded."""

    save_dir: str

    @classmethod
    def find(cls, save_dir: str, run: str, number: int | None) -> "RecordedEpisode":
        """Find an episode by its number; None: the run's last.

        Raises:
            CheckpointError: There is no such run.
            ReplayError: There is no such episode, or its recording is damaged.
        """
        folder = RunFolder(find_run(save_dir, run, purpose="replay"))
        ended = _find_episode(folder, number)
        return cls(
            source=f"{folder.path}:{ended.episode}",
            title=f"Episode {ended.episode:,} of run {folder.run_id}",
            run_id=folder.run_id,
            run_dir=str(folder.path),
            recording=Recording.decode(ended.summary.recording),
            ended=ended,
            save_dir=save_dir,
        )

    @property
    def by(self) -> str:
        """Return the run's agent."""
        return self.settings().agent

    def settings(self) -> RunConfig:
        """Return the run's settings."""
        return load_settings(Path(self.run_dir)).model_copy(update={"save_dir": self.save_dir})

    def open(self) -> GameEnv:
        """Return its game at the episode's beginning."""
        env = make_game_env(self.settings(), self.ended.summary.env_index)
        return _begun(env, self.recording)

    def about(self) -> tuple[str, ...]:
        """Describe the result."""
        summary = self.ended.summary
        start = (f"It started from {summary.start}.",) if summary.start else ()
        return (f"{self.title}: {_outcome(summary)}", *start)

    def is_by_person(self, step: int) -> bool:
        """Return False: an episode that a person played in is not recorded."""
        return False

    def decision(self, step: int, action: int, actions: ActionSet) -> Decision:
        """Return the action, by whom, and why."""
        return self._chosen(step, action, actions)

    def checker(self, env: GameEnv) -> Callable[[Taken], str]:
        """Return a check of milestones and, at the end, of the memory."""
        return lambda taken: self._difference(env, taken)

    def _difference(self, env: GameEnv, taken: Taken) -> str:
        recorded, now = self.ended.summary.steps_to_milestone, env.episode_steps
        for key in env.just_reached:
            if recorded.get(key) != now:
                then = f"at step {recorded[key]:,}" if key in recorded else "never"
                return f"step {now:,}: {key} reached here, {then} in the recording"
        if taken.is_live and not taken.is_last:
            return ""  # milestones within live play may be counted a moment later
        for key, then_step in recorded.items():
            if then_step <= now and key not in env.milestones:
                return (
                    f"step {now:,}: {key} not reached here, at step {then_step:,} in the recording"
                )
        if taken.is_goal and not taken.is_last:
            return f"step {now:,}: the goal is reached here, but not in the recording"
        if taken.is_last and env.memory_digest() != self.recording.memory:
            return f"step {now:,} (the last): memory differs, but all milestones match"
        return ""


@dataclass(frozen=True, kw_only=True, eq=False)
class RecordedDemo(_Recorded):
    """A demonstration, which belongs to no run; `config` names the ROM."""

    demo: Demonstration
    config: RunConfig

    @classmethod
    def of(cls, path: Path, demo: Demonstration, config: RunConfig) -> "RecordedDemo":
        """Return the recording of a demonstration's file."""
        run_id = path.name.removesuffix(SUFFIX)
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
        return cls(
            source=str(path),
            title=f"The demonstration {run_id}",
            run_id=run_id,
            run_dir=str(path),
            recording=demo.recording,
            ended=EpisodeEnded(1, demo.episode_length, summary),
            begins_at=demo.begins_at,
            goal=Goal("", demo.task) if demo.task else None,
            # Milestones are published as they are paid, and maps are seen.
            notes=tuple(
                (each.step, f"{each.kind}: {each.text}" if each.text else each.kind)
                for each in demo.events
                if each.kind not in (MAP, MILESTONE)
            ),
            demo=demo,
            config=config,
        )

    @property
    def by(self) -> str:
        """Return who played."""
        return self.demo.by

    def settings(self) -> RunConfig:
        """Return the settings it was played with."""
        return settings_for(self.demo, self.config)

    def open(self) -> GameEnv:
        """Return its game at the episode's beginning."""
        return _begun(open_env(self.demo, self.settings()), self.recording)

    def about(self) -> tuple[str, ...]:
        """Describe the task, the player and the result."""
        demo = self.demo
        when = time.strftime(", %Y-%m-%d %H:%M", time.localtime(demo.created_s))
        lines = [
            f"task: {demo.task}" if demo.task else "",
            f"played by {demo.by}{when if demo.created_s else ''}: {_outcome(self.ended.summary)}",
            f"tags: {' '.join(sorted(demo.tags))}" if demo.tags else "",
        ]
        if demo.begins_at:
            lines.append(f"it starts at step {demo.begins_at:,}; earlier steps lead there")
        if demo.has_live:
            lines.append("partly played in real time")
        return tuple(line for line in lines if line)

    def is_by_person(self, step: int) -> bool:
        """Return whether a person took a step."""
        demo = self.demo
        if demo.is_intervention.any():
            return bool(demo.is_intervention[step])
        return demo.by == "human"

    def decision(self, step: int, action: int, actions: ActionSet) -> Decision:
        """Return the action, by whom, and what the agent had proposed."""
        if not self.is_by_person(step):
            return self._chosen(step, action, actions)
        proposal = int(self.demo.proposals[step])
        return pressed(actions, action, None if proposal == NO_PROPOSAL else proposal, "agent")

    def checker(self, env: GameEnv) -> Callable[[Taken], str]:
        """Return a check of rewards, ends and the memory."""
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


Recorded = RecordedEpisode | RecordedDemo
"""A recording that can be replayed."""


def _find_episode(folder: RunFolder, number: int | None) -> EpisodeEnded:
    """Return the end of a recorded episode, of the run's last if `number` is None."""
    last: EpisodeEnded | None = None
    for event in read_journal(folder.journal_path):
        if isinstance(event, EpisodeEnded) and event.summary.recording:
            last = event
            if event.episode == number:
                return event
    if last is None:
        raise ReplayError(
            f"The run {folder.run_id} has no recorded episode.",
            f"Let it finish one: poketui run --resume {folder.run_id}",
        )
    if number is not None:
        raise ReplayError(
            f"The run {folder.run_id} has no recorded episode {number}.",
            f"The last one is {last.episode}.",
        )
    return last


def _begun(env: GameEnv, recording: Recording) -> GameEnv:
    try:
        begin_replay(env, recording)
    except BaseException:  # the emulator must not stay, whatever failed; it is raised again
        env.close()
        raise
    return env


def _outcome(summary: EpisodeSummary) -> str:
    goal = "the goal was reached" if summary.is_success else "the goal was not reached"
    return f"{counted(summary.length, 'step')}, return {summary.total_reward:+z.1f}, {goal}"
