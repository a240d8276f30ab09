"""Take in what steps led to: count the episodes that ended, and let them move the curriculum."""

import dataclasses

from engine.curriculum.scheduler import hand_over
from engine.env.batch import Batch
from engine.events import EpisodeEnded, WarningRaised
from engine.loop.controls import Controls
from engine.training.learning import Learning
from engine.training.reporter import TrainingReporter
from engine.training.state import RunState
from engine.types import EpisodeSummary


@dataclasses.dataclass(frozen=True, slots=True)
class Episodes:
    """Counts episodes.

    Attributes:
        state: Where the run stands; its batch and its counts are brought up to date here.
        learning: Learns from each episode what planner and policy are worth.
        reporter: Tells of them.
        controls: Say which environment is watched.
    """

    state: RunState
    learning: Learning
    reporter: TrainingReporter
    controls: Controls

    def accept(self, batch: Batch) -> None:
        """Continue from `batch`, and count the episodes that ended with it.

        An episode whose process failed counts nothing, and what the agent experienced ends with
        the worth of the last state that is known.
        """
        state, tally = self.state, self.state.tally
        for text in batch.warnings:
            self.reporter.emit(WarningRaised(text))
        state.archive.follow(state.vector, batch, tally.is_touched)
        for env_index, summary in sorted(batch.summaries.items()):
            is_touched = bool(tally.is_touched[env_index])
            length = max(1, summary.length)
            planned = float(tally.planned_steps[env_index]) / length
            by_model = float(tally.llm_steps[env_index]) / length
            tally.reset(env_index)
            if summary.is_aborted:
                self.learning.truncate_trajectory(env_index)
            elif is_touched:
                self.reporter.episode_not_counted(summary)
            else:
                self._count(dataclasses.replace(summary, planner_share=planned, llm_share=by_model))
        state.batch = batch
        self._keep_state()

    def _keep_state(self) -> None:
        """Keep the watched game's moment now and then, for a person to branch from."""
        state, index = self.state, self.controls.watched_env
        if self.reporter.is_watching and state.kept_states.follow(
            state.vector, state.batch, index, int(state.tally.steps[index]), state.metrics.episodes
        ):
            self.reporter.emit(state.kept_states.listed)

    def _count(self, summary: EpisodeSummary) -> None:
        state, metrics = self.state, self.state.metrics
        new_milestones = metrics.count_episode(summary)
        self.reporter.emit(EpisodeEnded(metrics.episodes, metrics.total_steps, summary))
        self.reporter.milestones_reached(new_milestones)
        self.learning.count(summary)
        interval = state.config.save_interval
        state.is_save_due |= interval > 0 and metrics.episodes % interval == 0
        if not summary.start:
            self._hand_over(summary)

    def _hand_over(self, summary: EpisodeSummary) -> None:
        """Let an episode from the true start decide how far the planner is followed."""
        learning, reporter = self.learning, self.reporter
        change, switches = hand_over(learning.curriculum, learning.strategy, summary)
        reporter.emit(change)
        self.state.is_save_due |= change.has_moved
        if change.has_moved:
            reporter.curriculum_moved(change)
        for switch in switches:
            reporter.emit(switch)
            reporter.strategy_switched(switch)
