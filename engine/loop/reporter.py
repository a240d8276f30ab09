"""Publish what all sessions have in common: frames, game state, rewards and the status line."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable
from typing import TYPE_CHECKING

from engine import events
from engine.commands import NUM_SLOTS
from engine.games.overworld import outlines
from engine.loop.metrics import DecisionShares, RunMetrics, SpeedMeter
from engine.types import ActionSet, Decision, Frame, Goal, RewardBreakdown, Source

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from engine.agents.base import ActionBatch
    from engine.env.batch import Inspection
    from engine.games.base import Game
    from engine.loop.controls import Controls, Pace

FRAME_INTERVAL_S = 1 / 30
_STATUS_INTERVAL_S = 1 / 10
_EPISODES_WINDOW_S = 600.0
_EPISODES_INTERVAL_S = 1.0
_WORTH_A_LINE = 0.25
"""Smallest payment that is published on its own."""


class Reporter:
    """Emit the events of the watched game, and of the session's status.

    Args:
        controls: The session's; `watched_env` is the watched game.
        pace: The speed limit.
        phase: The first phase, see `StatusChanged.phase`.

    Attributes:
        emit: Takes the events.
        metrics: The session's sums.
        episode_steps: Of the watched game's episode.
        work: The phase, how much of it is done and how much there is; 0 where that is not known.
    """

    def __init__(
        self,
        controls: Controls,
        pace: Pace,
        emit: Callable[[events.Event], None],
        clock: Callable[[], float] = time.monotonic,
        *,
        metrics: RunMetrics | None = None,
        phase: str = "acting",
    ) -> None:
        self.metrics = metrics or RunMetrics()
        self.episode_steps = 0
        self.work: tuple[str, float, float] = (phase, 0.0, 0.0)
        self._controls = controls
        self._pace = pace
        self.emit = emit
        self._clock = clock
        self._meter = SpeedMeter()
        self._episode_meter = SpeedMeter(_EPISODES_WINDOW_S, _EPISODES_INTERVAL_S)
        self._shares = DecisionShares()
        self._goal: Goal | None = None
        self._started_s = clock()
        self._frame_due_s = self._status_due_s = 0.0

    def started(self, game: Game, run_id: str, run_dir: str, *, agent: str, mode: str) -> None:
        """Report that a session began that plays one game in this process."""
        self.emit(
            events.RunStarted(
                run_id=run_id,
                run_dir=run_dir,
                game=game.name,
                agent=agent,
                mode=mode,
                num_envs=1,
                num_workers=0,
                milestones=game.milestones,
                actions=game.actions,
                frame_shape=game.frame_shape,
            )
        )
        emit_world(game, self.emit)

    def uptime_s(self) -> float:
        """Return how long the session has lasted, over all its starts."""
        return self._clock() - self._started_s

    def steps_per_s(self) -> float:
        """Return the speed of the last seconds."""
        return self._meter.per_s()

    def phase(self, phase: str, done: float = 0.0, total: float = 0.0) -> None:
        """Set the phase, how much of it is done, and how much there is; 0 where not known."""
        self.work = phase, done, total
        self.status()

    def idle(self) -> None:
        """Keep the status line going while no step is due."""
        if self._controls.is_paused or self._controls.is_human:
            self._meter.forget()
        if self._clock() >= self._status_due_s:
            self.status()

    def status(self) -> None:
        """Emit the status line's figures."""
        self._status_due_s = self._clock() + _STATUS_INTERVAL_S
        self.emit(self._figures())

    def _figures(self) -> events.StatusChanged:
        controls = self._controls
        phase, done, total = self.work
        uptime_s = self.uptime_s()
        self._episode_meter.mark(uptime_s, self.metrics.episodes)
        return events.StatusChanged(
            total_steps=self.metrics.total_steps,
            steps_per_s=self.steps_per_s(),
            episode=self.metrics.episodes,
            uptime_s=uptime_s,
            is_paused=controls.is_paused,
            is_human=controls.is_human,
            is_live=controls.is_live,
            speed=self._pace.actions_per_s,
            watched_env=controls.watched_env,
            episode_steps=self.episode_steps,
            phase="paused" if controls.is_paused else phase,
            shares=self._shares.shares(),
            done=done,
            total=total,
            episodes_per_hour=3600 * self._episode_meter.per_s(),
        )

    def say(self, source: str, text: str, confidence: float | None = None) -> None:
        """Log a line of reasoning."""
        self.emit(events.ReasoningLogged(self.metrics.total_steps, source, text, confidence))

    def obeyed(self, command: str, text: str) -> None:
        """Log the result of a command, and publish it."""
        self.say("run", text)
        self.emit(events.CommandObeyed(command, text))

    def count_step(self, action_batch: ActionBatch | None, is_walking: NDArray[np.bool_]) -> None:
        """Count who decided (a person where there is no batch), and measure the speed.

        `is_walking`: (envs,) whether the player could walk before the step, or one for all.
        """
        if action_batch is None:
            self._shares.add_human()
        else:
            self._shares.add(action_batch, is_walking)
        self._meter.mark(self._clock(), self.metrics.total_steps)

    def picture(self, frame: Frame) -> None:
        """Publish a frame of the watched game."""
        self.emit(events.FrameRendered(frame, self._controls.watched_env))

    def observe(self, seen: Inspection) -> None:
        """Publish the state of the watched game, and its last reward with the sums."""
        self.emit(
            events.GameObserved(
                seen.state,
                seen.goal,
                seen.milestones,
                seen.path,
                seen.visited,
                seen.route,
                seen.final_milestone,
                seen.anti_stuck,
            )
        )
        self.emit(events.RewardPaid(seen.breakdown, seen.episode, self.metrics.mean_components()))

    def show(self, seen: Inspection) -> None:
        """Publish everything about the watched game: frame, state, payouts and goal."""
        if seen.frame is not None:
            self.picture(seen.frame)
        self.observe(seen)
        self.pay(seen.paid or seen.breakdown)
        goal, former = seen.goal, self._goal
        if goal is None:
            return
        self._goal = goal
        if former is None or (goal.key, goal.text) != (former.key, former.text):
            self.say("planner", f"goal: {goal.text}")

    def pay(self, paid: RewardBreakdown) -> None:
        """Publish the payouts of a reward that are worth a line."""
        for name, value in paid.components:
            if abs(value) >= _WORTH_A_LINE:
                # Breakdowns saved by older versions lack `payers`.
                noted = zip(paid.causes, paid.payers, strict=False)
                counts = Counter(cause for cause, payer in noted if payer == name)
                causes = (f"{c} ×{n}" if n > 1 else c for c, n in counts.items())
                self.emit(events.PayoutMade(self.episode_steps, name, value, "; ".join(causes)))


def emit_world(game: Game, emit: Callable[[events.Event], None]) -> None:
    """Report the maps of a game's world, if they are known before they are seen."""
    if game.overworld is not None:
        emit(events.WorldMapped(outlines(game.overworld, game.tables.map_name)))


def slot_refusal(slot: int) -> str:
    """Return why there is no such slot, "" if there is."""
    return "" if 1 <= slot <= NUM_SLOTS else f"There are slots 1 to {NUM_SLOTS}."


def saved_slot(state: events.KeptState) -> str:
    """Return the line that a slot was saved."""
    return f"you saved slot {state.slot}: {state.place}, step {state.episode_steps:,}"


def loaded_slot(state: events.KeptState) -> str:
    """Return the line that a demonstration went back to a slot."""
    return f"you loaded slot {state.slot}: {state.place}, step {state.episode_steps:,}"


def pressed(actions: ActionSet, action: int, proposal: int | None, by: str) -> Decision:
    """Return a person's decision, with what `by` proposed, if anything, in its reason."""
    text = f"You pressed {actions.name(action)}"
    if proposal is not None:
        text += f" ({by}: {actions.name(proposal)})"
    return Decision(action, Source.HUMAN, 1.0, text)
