"""A session without an engine whose events are written beforehand."""

from collections.abc import Callable
from dataclasses import replace

from engine.commands import Command, Pause, Resume, Stop
from engine.events import CurriculumChanged, Event, RunStarted, RunStopped, StatusChanged

STATUS = StatusChanged(
    total_steps=123456,
    steps_per_s=1234.0,
    episode=87,
    uptime_s=754.0,
    is_paused=False,
    is_human=False,
    speed=0.0,
    watched_env=0,
    episode_steps=321,
    phase="acting",
)
RUN = RunStarted(
    run_id="scripted",
    run_dir="scripted",
    game="MOSSLIGHT",
    agent="ppo",
    mode="adaptive",
    num_envs=16,
    num_workers=2,
    milestones=(("got_starter", "got a first creature"), ("first_badge", "won a badge")),
)
CURRICULUM = CurriculumChanged(
    stage=2,
    num_stages=4,
    name="balanced",
    llm_confidence=0.7,
    planner_share=0.43,
    episodes_in_stage=7,
    min_episodes=10,
    average_reward=61.2,
    threshold=100.0,
    missing="when mean reward >= 100.0 (now 61.2)",
    recent=(41.0, 58.2, 63.5, 55.1, 66.9, 60.3, 71.8, 62.4, 64.0, 68.8),
)


class ScriptedSession:
    """Ask a script for events whenever the application polls.

    Args:
        script: Returns what has happened since it was called last; None is the end of the run.
    """

    def __init__(self, script: Callable[["ScriptedSession"], list[Event] | None]) -> None:
        self.status = STATUS
        self.is_alive = False
        self._script = script
        self._waiting: list[Event] = []

    @property
    def mailbox(self) -> "ScriptedSession":
        """Return what is drained: the session itself."""
        return self

    def start(self) -> None:
        """Begin."""
        self.is_alive = True
        self._waiting += [RUN, CURRICULUM, self.status]

    def send(self, command: Command) -> None:
        """Answer at once."""
        match command:
            case Pause():
                self.change(is_paused=True)
            case Resume():
                self.change(is_paused=False)
            case Stop(reason=reason):
                self._finish(reason)
            case _:
                pass

    def change(self, **changes: object) -> None:
        """Tell another status."""
        self.status = replace(self.status, **changes)  # type: ignore[arg-type]
        self._waiting.append(self.status)

    def drain(self) -> list[Event]:
        """Return what has happened."""
        if self.is_alive:
            new = self._script(self)
            if new is None:
                self._finish("the script is over")
            else:
                self._waiting += new
        drained, self._waiting = self._waiting, []
        return drained

    def _finish(self, reason: str) -> None:
        if self.is_alive:
            self.is_alive = False
            self._waiting.append(RunStopped(reason, self.status.total_steps, "saves/none.zip"))
