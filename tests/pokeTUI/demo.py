"""See the application without the engine: python -m tests.pokeTUI.demo."""

import sys
import time
from collections.abc import Callable

import numpy as np

from engine import commands, events
from engine.commands import Command
from engine.config import RunConfig
from engine.types import Battle, Facing, Source
from tests.pokeTUI.fake_session import (
    COMPONENTS,
    MILESTONES,
    FakeSession,
    make_battle,
    make_curriculum,
    make_decision,
    make_episode,
    make_game,
    make_goal,
    make_reward,
    make_run,
)
from tests.pokeTUI.scenery import draw_frame

_STARTING = (
    "reading the game: MOSSLIGHT, the practice game",
    "playing its introduction",
    "starting 16 games in 2 processes",
    "building the policy",
)
_TALK = (
    ("DR. ALDER: There is", "moss on the old lamp."),
    ("A wild WHISKIT", "appeared!"),
    ("RILLET used SPLASH!",),
    ("FERNWICK", "Where the moss glows"),
)
_REASONS = (
    (Source.PLANNER, "right: 14 tiles to the east edge of MILLBROOK PATH"),
    (Source.POLICY, "the policy agrees with the plan"),
    (Source.POLICY, "the policy is surer (0.83) than the plan (0.61)"),
    (Source.RULES, "A: SPLASH is strong against WHISKIT"),
    (Source.PLANNER, "up: round the ledge, then to the door"),
)


class DemoSession(FakeSession):
    """Play a run: frames move, rewards accrue, episodes end, the curve rises."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        super().__init__()
        self._clock = clock
        self._rng = np.random.default_rng(7)
        self._begun = self._last = 0.0
        self._recent: tuple[float, ...] = ()
        self._ticks = 0.0
        self._sums = dict.fromkeys(COMPONENTS, 0.0)
        self._started = 0
        self._next = dict.fromkeys(("figures", "decision", "talk", "payout"), 0.0)
        self._talk: tuple[str, ...] = ()
        self._battle: Battle | None = None

    def start(self) -> None:
        super().start()
        self._begun = self._last = self._clock()
        self.mailbox.before_drain = self._play
        self.status = type(self.status)(0, 0.0, 0, 0.0, False, False, 0.0, 0, 0, "acting")

    def send(self, command: Command) -> None:
        super().send(command)
        if isinstance(command, commands.StepOnce | commands.Press):
            self._advance(8, 1)

    def _play(self) -> None:
        now = self._clock()
        up = now - self._begun
        while self._started < len(_STARTING) and up > 0.7 * self._started:
            self.post(events.ProgressReported(_STARTING[self._started]))
            self._started += 1
            if self._started == len(_STARTING):
                self.post(make_run(), make_curriculum(stage=1, name="planner leads"))
        if self._started < len(_STARTING) or not self.is_alive:
            return
        elapsed, self._last = now - self._last, now
        speed = self.status.speed or 1400.0
        if not self.status.is_paused and not self.status.is_human:
            self._advance(elapsed * min(60.0, 20 * speed), elapsed * speed * 16)
        if now >= self._next["figures"]:
            self._next["figures"] = now + 0.1
            self._post_figures(up)
        if now >= self._next["decision"] and not self.status.is_paused:
            self._next["decision"] = now + 0.3
            source, reason = _REASONS[int(self._ticks / 40) % len(_REASONS)]
            confidence = float(self._rng.uniform(0.5, 1.0))
            self.post(make_decision(self.status.episode_steps, source, reason, confidence))

    def _advance(self, ticks: float, steps: float) -> None:
        before = int(self._ticks)
        self._ticks += ticks
        status = self.status
        self._change_quietly(
            total_steps=status.total_steps + round(steps),
            episode_steps=status.episode_steps + max(1, round(steps / 16)),
        )
        if int(self._ticks) != before:
            index = int(self._ticks / 90) % (2 * len(_TALK))
            self._talk = _TALK[index // 2] if index % 2 else ()
            self._battle = make_battle(3 + index) if index in (3, 4, 5) else None
            frame = draw_frame(int(self._ticks), has_text_box=bool(self._talk))
            self.post(events.FrameRendered(frame, status.watched_env))
        if self.status.episode_steps >= 1500:
            self._end_episode()

    def _end_episode(self) -> None:
        number = self.status.episode + 1
        progress = 1 / (1 + np.exp(-(number - 25) / 8))
        total = float(8 + 52 * progress + self._rng.normal(0, 5))
        self._recent = (*self._recent, total)[-10:]
        self.post(
            make_episode(
                number,
                total,
                is_success=bool(self._rng.random() < progress * 0.95),
            ),
            make_curriculum(
                stage=1 + min(3, number // 20),
                name=("planner leads", "balanced", "policy leads", "policy alone")[
                    min(3, number // 20)
                ],
                planner_share=float(0.9 - 0.8 * progress),
                episodes_in_stage=number % 20,
                average_reward=float(8 + 52 * progress),
                threshold=(50.0, 100.0, 200.0, 500.0)[min(3, number // 20)],
                has_moved=number % 20 == 0 and number <= 60,
                recent=self._recent,
            ),
            events.PolicyUpdated(number, self.status.total_steps, {"entropy": 2 - 1.4 * progress}),
        )
        self._change_quietly(episode=number, episode_steps=0)

    def _post_figures(self, up: float) -> None:
        speed = self.status.speed or 1400.0
        is_idle = self.status.is_paused or self.status.is_human
        self._change_quietly(
            uptime_s=up,
            steps_per_s=0.0 if is_idle else speed * 16 + float(self._rng.normal(0, 20)),
            phase="learning" if int(up * 2) % 5 == 0 else "acting",
        )
        done = min(len(MILESTONES), int(self.status.episode_steps / 160))
        if self._rng.random() < 0.05:
            self.post(
                events.PayoutMade(self.status.episode_steps, "exploration", 0.02, "a new tile"),
                events.PayoutMade(
                    self.status.episode_steps, "map", 0.5, "first visit to MILLBROOK PATH"
                ),
            )
        x = 2 + int(self._ticks / 16) % 30
        game = make_game(x=x, y=8, facing=Facing.RIGHT, battle=self._battle, screen_text=self._talk)
        reached = frozenset(key for key, _ in MILESTONES[:done])
        self.post(events.GameObserved(game, make_goal(), reached), make_reward(), self.status)

    def _change_quietly(self, **changes: object) -> None:
        waiting = list(self.mailbox.waiting)
        self._change(**changes)
        self.mailbox.waiting = waiting


def main() -> None:
    """Run the application on the demonstration session."""
    from pokeTUI.app.cockpit import CockpitApp

    app = CockpitApp(DemoSession(), RunConfig())
    app.run()
    print(app.end)
    sys.exit(app.return_code)


if __name__ == "__main__":
    main()
