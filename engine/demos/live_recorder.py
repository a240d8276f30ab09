"""Record an environment while it is played, and rewind it."""

import contextlib
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from engine.demos.demonstration import MAP, NO_PROPOSAL, NOTE, Demonstration
from engine.demos.layout import plain_text, read_tags
from engine.demos.recorder import begin_writing, head_of_env, note_events, note_step
from engine.demos.writer import DemoWriter
from engine.env.choices import DemoFacts
from engine.env.episode import segments_in
from engine.env.input_recording import short_moves
from engine.env.live import LiveStretch
from engine.env.stepping import SteppedEnv
from engine.errors import DemoError

SNAPSHOT_EVERY = 32
"""Steps between two snapshots, and so the most that are replayed to go back, 2 ms each. A snapshot
takes 30 ms."""
LIVE_FRAMES = 60
"""Frames of real-time play that count as one action where actions are taken back."""
MAX_SNAPSHOTS = 256
"""About 10 KB each."""


@dataclass(frozen=True, slots=True)
class _RewindPoint:
    """A moment to go back to.

    Attributes:
        step: Steps of the episode until then.
        frames: Frames of real-time play after the last of them, until then.
        action: What led here from the point before; None: real-time play.
        human_steps: Steps of the demonstration that a person took until then.
        snapshot: b"" where the point is reached from the one before by its action.
    """

    step: int
    frames: int
    action: int | None
    human_steps: int
    snapshot: bytes


def said_of_mark(text: str, *, is_marked: bool) -> str:
    """Return in words what `LiveRecorder.mark` did."""
    if text:
        return f"you noted: {text}"
    return "you marked it as a success" if is_marked else "you removed the success mark"


class LiveRecorder:
    """Write what is played in an environment as it is played, and rewind it.

    The caller plays: it reports each step after the environment took it and before the next
    episode begins, and closes the environment. The recorder moves the game only to go back.

    Args:
        stepped: The environment.
        folder: Where demonstrations are written.
        by: Who plays.
        task: What is shown.
        tags: Single words.
        clock: Returns seconds since 1970.
        can_rewind: Keep what is needed to take actions back.

    Attributes:
        path: The file of the demonstration that was begun last.
    """

    def __init__(
        self,
        stepped: SteppedEnv,
        folder: Path,
        *,
        by: str = "human",
        task: str = "",
        tags: Sequence[str] = (),
        clock: Callable[[], float] = time.time,
        can_rewind: bool = True,
    ) -> None:
        self._stepped = stepped
        self._env = stepped.env
        self._folder = folder
        self._by = by
        self._task = task
        self._tags = tuple(dict.fromkeys(tags))
        self._clock = clock
        self._can_rewind = can_rewind
        self._writer: DemoWriter | None = None
        self.path = Path()
        self._human_steps = 0
        self._start = b""
        self._points: list[_RewindPoint] = []
        self._known: frozenset[str] = frozenset()

    @property
    def is_recording(self) -> bool:
        """Return whether a demonstration is being written."""
        return self._writer is not None

    @property
    def is_empty(self) -> bool:
        """Return whether nothing was pressed since it began, or all was taken back."""
        return not self._open().draft.num_shown

    @property
    def facts(self) -> DemoFacts:
        """Return its length, task, tags and mark."""
        writer = self._open()
        steps, own_steps = writer.draft.num_shown, writer.draft.length - writer.draft.begin.step
        return DemoFacts(
            path=str(self.path),
            steps=steps,
            human_steps=self._human_steps + steps - own_steps,
            rewindable=self._rewindable,
            episode_steps=self._env.episode_steps,
            task=self._task,
            tags=self._tags,
            is_marked=writer.is_marked,
        )

    @property
    def start(self) -> bytes:
        """Return the game as it was where it began, for `SteppedEnv.restore`."""
        return self._start

    def moves(self) -> list[int | LiveStretch]:
        """Return what was played since it began, real-time play in parts of an action's length."""
        begin, recording = self._open().draft.begin, self._env.recording()
        own = recording.segments[-1].since(begin.step, begin.frames)
        return list(short_moves(own, recording.frames.usual))

    @property
    def paid(self) -> float:
        """Return what was paid since it began."""
        return self._open().draft.paid

    def begin(self) -> None:
        """Begin a demonstration here: at an episode's start or amidst it, with the game at rest.

        Raises:
            DemoError: It cannot be written, or one is being written.
        """
        if self._writer is not None:
            raise DemoError("A demonstration is being recorded.", "Finish it first.")
        head = head_of_env(
            self._env,
            by=self._by,
            task=self._task,
            tags=frozenset(self._tags),
            created_s=self._clock(),
        )
        self._writer = begin_writing(self._folder, head)
        self.path = self._writer.path
        self._human_steps = 0
        self._start = self._stepped.save()
        step = self._writer.draft.length
        self._points = [_RewindPoint(step, self._live_frames(step), None, 0, self._start)]
        self._known = self._env.milestones
        with self._closing_if_broken():
            self._writer.event(MAP, self._env.state.place.name)

    def step(
        self,
        action: int,
        reward: float,
        *,
        done: bool,
        proposal: int = NO_PROPOSAL,
        is_human: bool,
        is_intervention: bool | None = None,
    ) -> None:
        """Take in a step that the environment has taken.

        `proposal` is what the agent would have done. `is_intervention`: a person acted in the
        agent's place; None: it was one if a person acted and the agent had a proposal.

        Raises:
            DemoError: It cannot be written: all before it stays in the log, for `recover`.
        """
        writer = self._open()
        draft = writer.draft
        if is_intervention is None:
            is_intervention = is_human and proposal != NO_PROPOSAL
        with self._closing_if_broken():
            was_live = self._live_frames(draft.length) > 0
            self._take_in_live(0.0)
            writer.step(
                action, reward, done=done, proposal=proposal, is_intervention=is_intervention
            )
            note_step(writer, self._env, is_terminated=done and self._env.is_success)
        self._known = self._env.milestones
        self._human_steps += is_human
        if not self._can_rewind:
            return
        # Real-time play is not replayed by going back, so the step after it gets a snapshot.
        is_due = was_live or (draft.length - draft.begin.step) % SNAPSHOT_EVERY == 0
        snapshot = self._stepped.save() if is_due else b""
        self._keep(_RewindPoint(draft.length, 0, int(action), self._human_steps, snapshot))

    def live(self, reward: float, *, done: bool = False, is_over: bool = False) -> None:
        """Take in real-time play, each time that the environment has counted frames of it.

        `is_over`: real-time play has ended, and the game is at rest.

        Raises:
            DemoError: As `step`.
        """
        writer = self._open()
        with self._closing_if_broken():
            self._take_in_live(reward)
            new = self._env.milestones - self._known
            reached = [key for key in self._env.milestone_keys if key in new]
            note_events(writer, self._env, reached, is_goal=done and self._env.is_success)
        self._known = self._env.milestones
        last, frames = self._points[-1], self._live_frames(writer.draft.length)
        before = last.frames if last.step == writer.draft.length else 0
        # Between two maps the game cannot be read, and a snapshot could not be restored.
        is_due = is_over or frames - before >= LIVE_FRAMES
        if self._can_rewind and is_due and self._env.is_readable:
            snapshot = self._stepped.save()
            self._keep(_RewindPoint(writer.draft.length, frames, None, self._human_steps, snapshot))

    def rewind(self, actions: int) -> int:
        """Take back the last actions: the game is then exactly as it was before them.

        A second of real-time play counts as an action. Returns how many were taken back: none from
        before `begin`, or from too long ago.

        Raises:
            DemoError: As `step`.
        """
        writer = self._open()
        last = self._rewindable
        target = max(0, last - max(0, actions))
        if target == last:
            return 0
        self._go_back(target, LiveStretch(0))
        with self._closing_if_broken():
            writer.rewind(self._points[-1].step, self._points[-1].frames)
        return last - target

    def step_back(self, frames: int) -> bool:
        """Take back the last action, or `frames` frames of real-time play; 0: a second of it.

        Returns whether there was any.

        Raises:
            DemoError: As `step`.
        """
        writer, step = self._open(), self._env.episode_steps
        now, first = self._live_frames(step), self._points[0]
        begin = first.frames if first.step == step else 0
        if not frames or now <= begin:
            return self.rewind(1) > 0
        target = max(begin, now - frames)
        last = sum((each.step, each.frames) <= (step, target) for each in self._points) - 1
        stretch = self._env.last_live
        assert stretch is not None
        self._go_back(last, stretch.cut(target).without(self._points[last].frames))
        with self._closing_if_broken():
            writer.rewind(step, target)
        return True

    def _go_back(self, target: int, then: LiveStretch) -> None:
        """Bring the game to a point, and play `then` from there; forget the points after it."""
        nearest = max(place for place in range(target + 1) if self._points[place].snapshot)
        chosen = self._env.choices.codes
        self._stepped.restore(self._points[nearest].snapshot)
        for each in self._points[nearest + 1 : target + 1]:
            if each.action is not None:
                self._stepped.chosen_by(chosen[self._env.episode_steps])
                self._stepped.step(each.action)
        for buttons, frames in then.spans():
            self._stepped.play_frames(buttons, frames, render=self._stepped.is_watched)
        if then.frames:
            self._stepped.count_frames(is_over=False)
        if self._stepped.is_watched:
            self._stepped.inspect()  # what was paid again was shown the first time
        self._human_steps = self._points[target].human_steps
        self._known = self._env.milestones
        del self._points[target + 1 :]

    def load(self, snapshot: bytes) -> bool:
        """Go to a snapshot of this demonstration, and forget what came after it.

        Returns False, and does nothing, where the snapshot is from elsewhere.

        Raises:
            DemoError: As `step`.
        """
        writer = self._open()
        *lead, then = segments_in(snapshot)
        *lead_now, now = self._env.recording().segments
        begin, place = writer.draft.begin, then.end
        if lead != lead_now or then != now.until(*place) or place < (begin.step, begin.frames):
            return False
        self._stepped.go_to(snapshot)
        self._points = [one for one in self._points if (one.step, one.frames) <= place]
        self._human_steps = self._points[-1].human_steps if self._points else 0
        if not self._points or (self._points[-1].step, self._points[-1].frames) != place:
            self._keep(_RewindPoint(*place, None, self._human_steps, self._stepped.save()))
        self._known = self._env.milestones
        with self._closing_if_broken():
            writer.rewind(*place)
        return True

    def mark(self, text: str = "") -> None:
        """Note that `text` was reached now; without it, toggle the success mark.

        Raises:
            DemoError: As `step`, or the text is no plain line; nothing is changed then.
        """
        writer = self._open()
        if text:
            writer.event(NOTE, text)
        elif writer.is_marked:
            writer.unmark()
        else:
            writer.mark_success()

    def describe(self, task: str = "", tags: Sequence[str] = ()) -> None:
        """Set the task, and add tags, for this demonstration and those after it.

        Raises:
            DemoError: A text is no plain line, or a tag no word; nothing is changed.
        """
        try:
            plain_text(task)
            read_tags(tags)
        except (ValueError, TypeError) as error:
            raise DemoError(f"Invalid text: {error}.", "Correct it.") from None
        if self._writer is not None:
            if tags:
                self._writer.tag(*tags)
            if task:
                self._writer.set_task(task)
        self._tags = tuple(dict.fromkeys((*self._tags, *tags)))
        self._task = task or self._task

    def finish(self) -> tuple[Path, Demonstration]:
        """Write the demonstration's file; return its path and the demonstration.

        Raises:
            DemoError: It cannot be written; what was played stays in the log, for `recover`.
        """
        writer = self._open()
        with self._closing_if_broken():
            self._take_in_live(0.0)
            memory = self._env.memory_digest()
            is_step = not self._live_frames(writer.draft.length)
            demo = writer.finish(memory, is_step=is_step, choices=self._env.choices)
        self._end()
        return self.path, demo

    def discard(self) -> None:
        """Delete it; the game continues where it is. May be called again."""
        if self._writer is not None:
            self._writer.discard()
        self._end()

    def back_to_start(self) -> None:
        """Delete it, go back to where it began, and begin anew.

        Raises:
            DemoError: The new one cannot be written.
        """
        self._open()
        start = self._start
        self.discard()
        self._stepped.restore(start)
        self.begin()

    def close(self) -> None:
        """Stop, and leave what was played in the log, for `recover`; may be called again."""
        if self._writer is not None:
            self._writer.close()
        self._end()

    @property
    def _rewindable(self) -> int:
        if not self._can_rewind:
            return 0
        last, now = self._points[-1], self._env.episode_steps
        is_beyond_last = self._live_frames(now) > (last.frames if last.step == now else 0)
        return len(self._points) - 1 + is_beyond_last

    def _live_frames(self, step: int) -> int:
        """Return how many frames of real-time play followed that step of the episode."""
        stretch = self._env.last_live
        return stretch.frames if stretch is not None and stretch.after == step else 0

    def _take_in_live(self, reward: float) -> None:
        writer, stretch = self._open(), self._env.last_live
        if stretch is None or stretch.after != writer.draft.length:
            return
        if reward or stretch.frames != writer.draft.live_frames:
            writer.live(stretch, reward)

    def _keep(self, point: _RewindPoint) -> None:
        self._points.append(point)
        kept = [place for place, each in enumerate(self._points) if each.snapshot]
        if len(kept) > MAX_SNAPSHOTS:
            del self._points[: kept[1]]

    def _open(self) -> DemoWriter:
        if self._writer is None:
            raise DemoError("Nothing is being recorded.", "Start recording first.")
        return self._writer

    def _end(self) -> None:
        self._writer = None
        self._points, self._start = [], b""

    @contextlib.contextmanager
    def _closing_if_broken(self) -> Iterator[None]:
        """End it where something cannot be written: with a step missing it would not replay."""
        try:
            yield
        except DemoError:
            self.close()
            raise
