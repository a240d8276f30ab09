"""Record a run's decisions from its events: those of the watched environment."""

import contextlib
import time
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass
from typing import Any

from pydantic import TypeAdapter

from engine.errors import CheckpointError
from engine.events import DecisionMade, EpisodeEnded, Event, GameObserved, RewardPaid, StatusChanged
from engine.games.base import Game
from engine.planning.history.analysis import GameStateAnalysis
from engine.planning.history.decisions import DecisionHistoryAnalyzer
from engine.planning.history.schema import DecisionRecord
from engine.types import Decision, Source

HORIZON_STEPS = 16
"""A decision's reward is what the environment pays within so many steps from it."""


@dataclass(frozen=True, slots=True)
class _Open:
    """A decision whose horizon is not over, and what its episode had paid before it."""

    record: DecisionRecord
    paid_before: float


class DecisionRecorder:
    """Feed a decision history with what `Reporter` publishes.

    A decision is recorded once its horizon or its episode is over. A person's decisions are left
    out, and end the horizons of those before. `history` is closed with this; episodes are named
    after `run`; `game` has the figures of moves; `clock` gives seconds since the epoch.
    """

    def __init__(
        self,
        history: DecisionHistoryAnalyzer,
        run: str,
        game: Game | None = None,
        clock: Callable[[], float] = time.time,
    ) -> None:
        self.history = history
        self._run = run
        self._game = game
        self._clock = clock
        self._env = 0
        self._seen: GameObserved | None = None
        self._paid = 0.0
        self._num_episodes = 0
        self._last_step = 0
        self._open: list[_Open] = []
        self._position = 0

    def take(self, event: Event) -> None:
        """Note what belongs to the history."""
        match event:
            case GameObserved():
                self._seen = event
            case RewardPaid():
                self._paid = sum(value for _, value in event.episode)
            case DecisionMade(step, decision):
                self._decided(step, decision)
            case EpisodeEnded(summary=summary) if summary.env_index == self._env:
                if self._last_step:
                    self._settle(summary.length, summary.total_reward)
                    self.history.end_episode(summary.total_reward)
                    self._last_step = 0
            case StatusChanged(watched_env=env) if env != self._env:
                self._leave()
                self._env = env

    def save(self) -> dict[str, Any]:
        """Write everything, and return the state as JSON-able facts, for `load`.

        A file that became unreadable must not keep a run from being saved.
        """
        with contextlib.suppress(CheckpointError):
            self._position = self.history.position()
        return {
            "position": self._position,
            "env": self._env,
            "num_episodes": self._num_episodes,
            "last_step": self._last_step,
            "open": [[asdict(one.record), one.paid_before] for one in self._open],
        }

    def load(self, facts: Mapping[str, Any]) -> None:
        """Continue from `save`: what this run recorded since then is dropped.

        Raises:
            KeyError, TypeError, ValueError, DecisionValidationError: They are not of `save`.
        """
        self._position = int(facts["position"])
        self.history.truncate(self._position)
        self._env = int(facts["env"])
        self._num_episodes = int(facts["num_episodes"])
        self._last_step = int(facts["last_step"])
        opened = TypeAdapter(list[tuple[DecisionRecord, float]]).validate_python(facts["open"])
        self._open = [_Open(record.checked(), paid) for record, paid in opened]
        if self._last_step:
            self.history.begin_episode(self._episode_id)

    def close(self) -> None:
        """Record what is known of open decisions, and close the history."""
        self._leave()
        self.history.close()

    @property
    def _episode_id(self) -> str:
        return f"{self._run}/{self._num_episodes}"

    def _decided(self, step: int, decision: Decision) -> None:
        if step <= self._last_step:
            # The episode before ended uncounted; what it paid in the end is not known.
            self._open.clear()
            self._last_step = 0
        seen = self._seen
        if decision.source is Source.HUMAN or seen is None:
            self._settle(step)
            return
        self._seen = None
        if not self._last_step:
            self._num_episodes += 1
            self.history.begin_episode(self._episode_id)
        self._last_step = step
        self._settle(step - HORIZON_STEPS)
        goal = seen.goal
        analysis = GameStateAnalysis.of(
            seen.state, self._game, seen.milestones, goal.text if goal else ""
        )
        record = DecisionRecord.of(
            analysis,
            decision.action,
            decision.reason,
            min(max(decision.confidence, 0.0), 1.0),
            timestamp=self._clock(),
            episode_id=self._episode_id,
            step_number=step,
            goal_kind=goal.kind if goal else "",
            source=decision.source,
        )
        self._open.append(_Open(record, self._paid))

    def _settle(self, up_to_step: int, paid: float | None = None) -> None:
        """Record the open decisions up to a step, given what their episode has paid by now."""
        now = self._paid if paid is None else paid
        while self._open and self._open[0].record.step_number <= up_to_step:
            one = self._open.pop(0)
            self.history.add(one.record, now - one.paid_before)

    def _leave(self) -> None:
        """Record what is known: no event will say how the episode continues."""
        self._settle(self._last_step)
        self._last_step = 0
        self._seen = None
