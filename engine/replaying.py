"""Play a recorded episode in a thread, with commands and events as a run has them.

A replay never changes anything: neither the run nor its files.
"""

import logging
import threading
import time
from collections.abc import Callable
from contextlib import closing

from engine.commands import Command, LookAway, Pause, Resume, Seek, SetSpeed, StepOnce, Stop, Watch
from engine.errors import PokeTUIError
from engine.events import (
    REPLAY,
    CommandRefused,
    DecisionMade,
    EpisodeEnded,
    FrameRendered,
    GameObserved,
    PayoutMade,
    ProgressReported,
    RewardPaid,
    RunFailed,
    RunStarted,
    RunStopped,
    StatusChanged,
    WarningRaised,
)
from engine.session import Mailbox
from engine.training.controls import CommandQueue, Pace
from engine.training.payouts import payouts
from engine.training.playback import Playback, RecordedEpisode
from engine.types import Decision, Source

FIRST_SPEED = 12.0
"""Actions a second; a person can follow what happens."""
_IDLE_S = 0.1
_FRAME_INTERVAL_S = 1 / 30
_NOT_HERE = "Not in a replay: nothing of it can be changed."
_AT_END = "This is the end: go back first."

_log = logging.getLogger(__name__)


class ReplaySession:
    """A recorded episode of a run; what an `EngineSession` is to a run.

    It obeys Pause, Resume, StepOnce, SetSpeed, Seek and Stop, and refuses all others. At its end
    it tells of the episode's end, once, and stays there, paused.

    Args:
        save_dir: Where runs are saved.
        run: Its id, its path or "latest".
        number: The episode's number; None: the run's last.
        speed: Actions a second to begin with; 0: as fast as it goes.
        clock: Seconds that only rise.

    Attributes:
        mailbox: What is told. The last event is RunStopped or RunFailed.
        episode: What is replayed.

    Raises:
        CheckpointError: There is no such run.
        ReplayError: There is no such episode, or its recording is damaged.
    """

    def __init__(
        self,
        save_dir: str,
        run: str,
        number: int | None = None,
        *,
        speed: float = FIRST_SPEED,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self.mailbox = Mailbox()
        self.episode = RecordedEpisode.find(save_dir, run, number)
        self._commands = CommandQueue()
        self._pace = Pace(clock)
        self._pace.limit(speed)
        self._clock = clock
        self._thread = threading.Thread(target=self._run, name="replay", daemon=True)

    @property
    def is_alive(self) -> bool:
        """Tell whether the replay's thread runs."""
        return self._thread.is_alive()

    def start(self) -> None:
        """Start to load the game and to play, and return at once."""
        self._thread.start()

    def send(self, command: Command) -> None:
        """Ask for something; what comes of it is told by events."""
        self._commands.put(command)

    def stop(self, timeout_s: float = 10.0) -> bool:
        """Ask to end, wait for it, and tell whether it ended in time."""
        self.send(Stop())
        if self._thread.ident is not None:
            self._thread.join(timeout_s)
        return not self.is_alive

    def _run(self) -> None:
        end: RunStopped | RunFailed
        try:
            self.mailbox.post(ProgressReported("loading the game"))
            with closing(Playback(self.episode)) as playback:
                player = _Player(
                    self.episode, playback, self._commands, self._pace, self.mailbox, self._clock
                )
                end = player.play()
        except PokeTUIError as error:
            end = RunFailed(error.message, error.hint, has_checkpoint=False)
        except Exception as error:
            # The thread's outermost frame: beyond it an exception would be lost, and the terminal
            # would wait for ever.
            _log.exception("the replay failed unexpectedly")
            text = f"An unexpected error ended the replay: {type(error).__name__}: {error}"
            end = RunFailed(text, "", has_checkpoint=False)
        self.mailbox.post(end)


class _Player:
    """Obeys commands, plays, and tells."""

    def __init__(
        self,
        episode: RecordedEpisode,
        playback: Playback,
        commands: CommandQueue,
        pace: Pace,
        mailbox: Mailbox,
        clock: Callable[[], float],
    ) -> None:
        self._episode = episode
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

    def play(self) -> RunStopped:
        """Play until told to stop."""
        self._begin()
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

    def _begin(self) -> None:
        playback, folder = self._playback, self._episode.folder
        self._post(
            RunStarted(
                run_id=folder.run_id,
                run_dir=str(folder.path),
                game=playback.game,
                agent=playback.agent,
                mode=REPLAY,
                num_envs=1,
                num_workers=0,
                milestones=playback.milestones,
            )
        )
        self._show()

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
        self._playback.advance(renders=is_shown)
        action = self._playback.last_action
        if action is not None:
            decision = Decision(action, Source.RECORDED, 1.0, f"{action.name} was pressed")
            self._post(DecisionMade(self._playback.step, decision))
        self._tell_divergence()
        self._stop_at_end()
        for component, value, cause in payouts(self._playback.breakdown):
            self._post(PayoutMade(self._playback.step, component, value, cause))
        if is_shown or self._playback.is_at_end:
            self._frame_due_s = now + _FRAME_INTERVAL_S
            self._show()

    def _seek_on(self, target: int) -> None:
        """Come nearer to where it was asked to go, for a while: commands must not wait long."""
        until = self._clock() + _FRAME_INTERVAL_S
        while self._playback.step < target and not self._playback.is_at_end:
            self._playback.advance(renders=False)
            if self._clock() >= until:
                break
        else:
            self._target = None
        self._tell_divergence()
        self._stop_at_end()
        self._show()

    def _stop_at_end(self) -> None:
        if not self._playback.is_at_end:
            return
        self._is_paused, self._steps_due = True, 0
        if not self._is_end_told:
            self._is_end_told = True
            ended = self._episode.ended
            self._post(EpisodeEnded(ended.episode, ended.total_steps, ended.summary))

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
        self._post(GameObserved(seen.state, None, seen.milestones, (), seen.visited))
        self._post(RewardPaid(seen.breakdown, seen.episode, ()))
        self._tell_status()

    def _tell_status(self) -> None:
        self._post(
            StatusChanged(
                total_steps=self._playback.step,
                steps_per_s=self._pace.actions_per_s,
                episode=self._episode.ended.episode,
                uptime_s=self._clock() - self._started_s,
                is_paused=self._is_paused,
                is_human=False,
                speed=self._pace.actions_per_s,
                watched_env=0,
                episode_steps=self._playback.step,
                phase="paused" if self._is_paused else "replaying",
                done=self._playback.step,
                total=self._playback.length,
            )
        )
