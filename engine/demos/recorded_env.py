"""Record demonstrations in an environment of a run, within its worker process."""

import contextlib
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from engine.commands import (
    DescribeRecording,
    DiscardRecording,
    MarkRecording,
    Rewind,
    StopRecording,
)
from engine.config import RunConfig
from engine.demos.demonstration import NO_PROPOSAL
from engine.demos.live_recorder import LiveRecorder
from engine.demos.recent_play import RecentPlay
from engine.env.choices import (
    BeginDemo,
    DemoEnded,
    DemoFacts,
    DemoRequest,
    FollowPlay,
    KeepPlay,
    LoadState,
    ProposeStep,
    StepBack,
)
from engine.env.stepping import SteppedEnv
from engine.errors import DemoError
from engine.planning.goals.planned import make_env as make_advised_env
from engine.types import BRANCHED, Frame

_BUSY = "A demonstration is already being recorded."


def make_env(config: RunConfig, env_index: int) -> SteppedEnv:
    """Make one environment that can record."""
    return make_advised_env(config, env_index, RecordedEnv)


class RecordedEnv(SteppedEnv):
    """An environment that can record one demonstration at a time.

    A demonstration ends with its episode, or where it cannot be written; then play continues.
    """

    _recorder: LiveRecorder | None = None
    _recent: RecentPlay | None = None
    _needs_human = False
    _has_live = False
    _proposal: int | None = None
    _ended: tuple[DemoEnded, ...] = ()

    @property
    def can_record(self) -> bool:
        """Tell that what is played can be kept."""
        return True

    def settle(self, action: int) -> tuple[float, bool, bool]:
        """Take in the result of `action`, and keep it."""
        result = super().settle(action)
        if self._recorder is not None:
            reward, *ends = result
            is_human = self._proposal is not None
            with self._ending(is_over=any(ends)):
                self._recorder.step(
                    action,
                    reward,
                    done=any(ends),
                    proposal=NO_PROPOSAL if self._proposal is None else self._proposal,
                    is_human=is_human,
                    is_intervention=is_human,
                )
        elif self._recent is not None:
            self._recent.follow()
        self._proposal = None
        return result

    def play_frames(self, buttons: frozenset[int], frames: int, *, render: bool) -> Frame | None:
        """Let the game run with `buttons` down."""
        self._has_live = True
        return super().play_frames(buttons, frames, render=render)

    def count_frames(self, *, is_over: bool) -> tuple[float, bool, bool]:
        """Take in the result of live frames."""
        result = super().count_frames(is_over=is_over)
        if self._recorder is not None:
            reward, *ends = result
            with self._ending(is_over=any(ends)):
                self._recorder.live(reward, done=any(ends), is_over=is_over)
        elif self._recent is not None:
            self._recent.follow()
        return result

    def begin_now(
        self,
        snapshot: bytes = b"",
        start: str = BRANCHED,
        *,
        continues: bool = False,
        max_steps: int = 0,
    ) -> None:
        """Leave this episode and its demonstration, and begin another."""
        if self._recorder is not None:
            with self._ending(is_over=True):
                pass
        super().begin_now(snapshot, start, continues=continues, max_steps=max_steps)

    def take_demos(self) -> tuple[DemoEnded, ...]:
        """Return the demonstrations that steps brought to their end since the last time."""
        ended, self._ended = self._ended, ()
        return ended

    def close(self) -> None:
        """Leave what was played in the log, and free the emulator."""
        if self._recorder is not None:
            self._recorder.close()
        super().close()

    def record(self, order: DemoRequest) -> DemoFacts:
        """Carry out a request about the demonstration; return its state then.

        Raises:
            DemoError: It cannot be done.
        """
        if isinstance(order, BeginDemo):
            return self._begin_demo(order)
        if isinstance(order, ProposeStep):
            self._proposal = order.proposal
            return DemoFacts()
        if isinstance(order, FollowPlay):
            self._recent = RecentPlay(self) if order.is_by_hand else None
            self._follow_anew()
            return self._facts()
        if isinstance(order, KeepPlay):
            return self._keep_play(Path(order.folder))
        recorder, ended, taken_back, is_loaded = self._recorder, None, 0, False
        if recorder is None:
            return self._facts()
        self._recorder = None  # going back steps the game, too
        try:
            match order:
                case StopRecording():
                    ended = self._finished(recorder)
                case DiscardRecording(again):
                    ended = self._described(recorder)
                    recorder.back_to_start() if again else recorder.discard()
                    self._has_live = False
                case Rewind(actions):
                    taken_back = recorder.rewind(actions)
                case StepBack(frames):
                    taken_back = int(recorder.step_back(frames))
                case LoadState(snapshot):
                    is_loaded = recorder.load(snapshot)
                case MarkRecording(text):
                    recorder.mark(text)
                case DescribeRecording(task, tags):
                    recorder.describe(task, tags)
        finally:
            self._recorder = recorder if recorder.is_recording else None
            self._follow_anew()
            self._proposal = None
        if isinstance(order, DiscardRecording | Rewind | LoadState | StepBack):
            self.take_goal_outcomes()  # of what was taken back
            self._paid.take()
        return self._facts(ended, taken_back, is_loaded=is_loaded)

    def _begin_demo(self, order: BeginDemo) -> DemoFacts:
        if self._recorder is not None:
            raise DemoError(_BUSY, "Stop it first.")
        recorder = LiveRecorder(
            self, Path(order.folder), by=order.by, task=order.task, tags=order.tags
        )
        recorder.begin()
        self._recorder, self._needs_human = recorder, order.needs_human
        self._follow_anew()
        self._has_live, self._proposal = False, None
        return self._facts()

    def _keep_play(self, folder: Path) -> DemoFacts:
        if self._recorder is not None:
            raise DemoError(_BUSY, "Save it.")
        if self._recent is None:
            raise DemoError("Nothing was played by hand yet.", "Take over first.")
        recent, self._recent = self._recent, None  # it steps the game
        try:
            kept = recent.keep(folder)
        finally:
            self._recent = recent
            self._paid.take()
        facts, paid = kept.facts, kept.demo.episode_return
        steps, is_live = facts.steps, kept.demo.has_live
        ended = DemoEnded(self.env.env_index, str(kept.path), steps, steps, is_live, paid)
        return self._facts(ended)

    def _begin_here(self) -> None:
        super()._begin_here()
        self._follow_anew()

    def _follow_anew(self) -> None:
        """Follow what a person plays from here, unless that is recorded."""
        if self._recent is not None:
            self._recent.begin() if self._recorder is None else self._recent.end()

    @contextlib.contextmanager
    def _ending(self, *, is_over: bool) -> Iterator[None]:
        """End the demonstration with its episode, or where it cannot be written.

        With a step missing it would not replay.
        """
        recorder = self._recorder
        assert recorder is not None
        try:
            yield
            if not is_over:
                return
            ended = self._finished(recorder)
        except DemoError as error:
            recorder.close()
            ended = DemoEnded(self.env.env_index, "", 0, 0, False, 0.0, str(error))
        self._recorder = None
        self._follow_anew()
        self._ended = (*self._ended, ended)

    def _finished(self, recorder: LiveRecorder) -> DemoEnded:
        """Write the file, or discard what is not to be kept."""
        has_human = recorder.facts.human_steps > 0 or self._has_live
        is_kept = not recorder.is_empty and (has_human or not self._needs_human)
        ended = self._described(recorder, str(recorder.path) if is_kept else "")
        recorder.finish() if is_kept else recorder.discard()
        return ended

    def _described(self, recorder: LiveRecorder, path: str = "") -> DemoEnded:
        """Return how the demonstration ends; `path` is "" where it is discarded."""
        facts, index = recorder.facts, self.env.env_index
        return DemoEnded(index, path, facts.steps, facts.human_steps, self._has_live, recorder.paid)

    def _facts(
        self, ended: DemoEnded | None = None, taken_back: int = 0, *, is_loaded: bool = False
    ) -> DemoFacts:
        recorder = self._recorder
        facts = DemoFacts(episode_steps=self.env.episode_steps)
        if recorder is not None:
            facts = recorder.facts
        return replace(facts, taken_back=taken_back, is_loaded=is_loaded, ended=ended)
