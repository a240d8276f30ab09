"""Play what was recorded in a thread, with commands and events as a run has them.

A replay never changes anything: neither the run nor its files, nor a demonstration.
"""

import time
from collections.abc import Callable, Sequence
from contextlib import closing

from engine.commands import Command, LookAway, Pause, Resume, Seek, SetSpeed, StepOnce, Stop, Watch
from engine.events import (
    REPLAY,
    CommandRefused,
    DecisionMade,
    Event,
    FrameRendered,
    GameObserved,
    PayoutMade,
    ProgressReported,
    ReasoningLogged,
    RewardPaid,
    RunStarted,
    RunStopped,
    StatusChanged,
    WarningRaised,
)
from engine.threaded_session import Mailbox, ThreadedSession
from engine.training.controls import CommandQueue, Pace
from engine.training.payouts import payouts
from engine.training.playback import Playback, Recorded

FIRST_SPEED = 12.0
"""Actions a second; a person can follow what happens."""
_IDLE_S = 0.1
_FRAME_INTERVAL_S = 1 / 30
NOTE = "recording"
"""Source of the lines of reasoning that tell what a recording says of itself."""
_NOT_HERE = "Not in a replay: nothing of it can be changed."
_AT_END = "This is the end: go back first."


class ReplaySession(ThreadedSession):
    """What was recorded, played again; what an `EngineSession` is to a run.

    It obeys Pause, Resume, StepOnce, SetSpeed, Seek and Stop, and refuses all others. At its end
    it tells of the episode's end, once, and stays there, paused.

    Args:
        recorded: A run's episode or a demonstration, see `engine.training.recorded`.
        speed: Actions a second to begin with; 0: as fast as it goes.
        place: Where to begin, paused; None: where it begins to show something.
        told: Events that are told at first, of what happened before.
        clock: Seconds that only rise.

    Attributes:
        mailbox: What is told. The last event is RunStopped or RunFailed.
        recorded: What is played.
    """

    def __init__(
        self,
        recorded: Recorded,
        *,
        speed: float = FIRST_SPEED,
        place: int | None = None,
        told: Sequence[Event] = (),
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        super().__init__("replay")
        self.recorded = recorded
        self._place = place
        self._told = tuple(told)
        self._pace = Pace(clock)
        self._pace.limit(speed)
        self._clock = clock

    def _work(self) -> RunStopped:
        self.mailbox.post(ProgressReported("loading the game"))
        with closing(Playback(self.recorded)) as playback:
            player = _Player(playback, self._commands, self._pace, self.mailbox, self._clock)
            player.begin(self._place, self._told)
            return player.play()


class _Player:
    """Obeys commands, plays, and tells."""

    def __init__(
        self,
        playback: Playback,
        commands: CommandQueue,
        pace: Pace,
        mailbox: Mailbox,
        clock: Callable[[], float],
    ) -> None:
        self._recorded = playback.recorded
        self._playback = playback
        self._commands = commands
        self._pace = pace
        self._post = mailbox.post
        self._clock = clock
        self._started_s = clock()
        self._frame_due_s = 0.0
        self._is_paused = False
        self._steps_due = 0
        self._target: int | None = None
        self._stop_reason = ""
        self._is_end_told = self._is_divergence_told = False
        self._notes: dict[int, list[str]] = {}
        for step, text in self._recorded.notes():
            self._notes.setdefault(step, []).append(text)

    def begin(self, place: int | None, told: Sequence[Event]) -> None:
        """Tell what is played, and go to where to begin."""
        playback, recorded = self._playback, self._recorded
        self._post(
            RunStarted(
                run_id=recorded.run_id,
                run_dir=recorded.run_dir,
                game=playback.game,
                agent=recorded.by,
                mode=REPLAY,
                num_envs=1,
                num_workers=0,
                milestones=playback.milestones,
            )
        )
        for text in recorded.about():
            self._post(ReasoningLogged(0, NOTE, text))
        for event in told:
            self._post(event)
        if place is not None:
            self._is_paused = True
        self._target = playback.place_of(recorded.begins_at) if place is None else place
        self._show()

    def play(self) -> RunStopped:
        """Play until told to stop."""
        while not self._stop_reason:
            is_busy = self._target is not None or self._may_step
            wait_s = 0.0 if self._target is not None else self._pace.wait_s()
            for command in self._commands.drain(min(_IDLE_S, wait_s) if is_busy else _IDLE_S):
                refusal = self._obey(command)
                if refusal:
                    self._post(CommandRefused(type(command).__name__, refusal))
            if self._stop_reason:
                break
            if self._target is not None:
                self._seek_on(self._target)
            elif self._may_step and not self._pace.wait_s():
                self._step()
        return RunStopped(self._stop_reason, self._playback.step, "")

    @property
    def _may_step(self) -> bool:
        return not self._is_paused or self._steps_due > 0

    def _obey(self, command: Command) -> str:
        """Return why the command had no effect, or ""."""
        match command:
            case Pause():
                self._is_paused = True
            case Resume():
                if self._playback.is_at_end:
                    return _AT_END
                self._is_paused, self._steps_due = False, 0
            case StepOnce():
                if not self._is_paused:
                    return "Pause first."
                if self._playback.is_at_end:
                    return _AT_END
                self._steps_due += 1
            case SetSpeed(actions_per_s):
                self._pace.limit(actions_per_s)
            case Seek(step):
                self._target = min(max(0, step), self._playback.length)
                self._steps_due = 0
                self._playback.go_back(self._target)
            case Stop(reason):
                self._stop_reason = reason or "asked to stop"
            case Watch(0) | LookAway():
                pass
            case _:
                return _NOT_HERE
        self._tell_status()
        return ""

    def _step(self) -> None:
        self._pace.mark()
        self._steps_due = max(0, self._steps_due - 1)
        now = self._clock()
        is_shown = self._is_paused or now >= self._frame_due_s
        before = self._playback.step
        self._playback.advance(renders=is_shown)
        self._tell_step(before)
        self._tell_divergence()
        self._stop_at_end()
        if is_shown or self._playback.is_at_end:
            self._frame_due_s = now + _FRAME_INTERVAL_S
            self._show()

    def _tell_step(self, before: int) -> None:
        """Tell what was decided, what came of it, and what was written down then."""
        playback = self._playback
        self._tell_decision()
        for component, value, cause in payouts(playback.breakdown):
            self._post(PayoutMade(playback.place, component, value, cause))
        if playback.step > before:
            for text in self._notes.get(playback.step, ()):
                self._post(ReasoningLogged(playback.place, NOTE, text))

    def _tell_decision(self) -> None:
        """Tell what was decided last."""
        playback = self._playback
        if playback.last_action is not None:
            decision = self._recorded.decision(playback.step - 1, playback.last_action)
            self._post(DecisionMade(playback.place, decision))

    def _seek_on(self, target: int) -> None:
        """Come nearer to where it was asked to go, for a while: commands must not wait long."""
        until = self._clock() + _FRAME_INTERVAL_S
        while self._playback.place < target and not self._playback.is_at_end:
            self._playback.advance(renders=False)
            if self._clock() >= until:
                break
        else:
            self._target = None
            self._tell_decision()
        self._tell_divergence()
        self._stop_at_end()
        self._show()

    def _stop_at_end(self) -> None:
        if not self._playback.is_at_end:
            return
        self._is_paused, self._steps_due = True, 0
        if not self._is_end_told:
            self._is_end_told = True
            self._post(self._recorded.ended)

    def _tell_divergence(self) -> None:
        if self._playback.divergence and not self._is_divergence_told:
            self._is_divergence_told = True
            self._post(
                WarningRaised(
                    f"The replay goes another way than the recording at {self._playback.divergence}"
                )
            )

    def _show(self) -> None:
        seen = self._playback.seen()
        if seen.frame is not None:
            self._post(FrameRendered(seen.frame, 0))
        self._post(GameObserved(seen.state, self._recorded.goal, seen.milestones, (), seen.visited))
        self._post(RewardPaid(seen.breakdown, seen.episode, ()))
        self._tell_status()

    def _tell_status(self) -> None:
        self._post(
            StatusChanged(
                total_steps=self._playback.place,
                steps_per_s=self._pace.actions_per_s,
                episode=self._recorded.ended.episode,
                uptime_s=self._clock() - self._started_s,
                is_paused=self._is_paused,
                is_human=False,
                speed=self._pace.actions_per_s,
                watched_env=0,
                episode_steps=self._playback.place,
                phase="paused" if self._is_paused else "replaying",
                done=self._playback.place,
                total=self._playback.length,
                is_goal_reached=self._playback.is_goal_reached,
            )
        )
