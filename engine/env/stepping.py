"""Step an environment through plain arrays: what a worker process and the trainer deal in."""

import json
import struct
from dataclasses import dataclass, field
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from engine.config import RunConfig
from engine.env.crystal_env import EnhancedPyBoyPokemonCrystalEnv
from engine.env.features import FEATURE_SIZE
from engine.env.start_states import states_folder
from engine.types import (
    NUM_ACTIONS,
    Advice,
    EpisodeSummary,
    Frame,
    GameState,
    Goal,
    RewardBreakdown,
)


@dataclass(frozen=True, slots=True)
class Watched:
    """What a watched environment shows.

    Attributes:
        breakdown: The last step's reward.
        goal: What its advisor wants, if it has one.
        reason: Why, in one line.
        milestones: Keys reached in this episode.
        episode: This episode's reward so far by component.
        paid: What was paid since the last look, with all causes.
    """

    frame: Frame
    state: GameState
    breakdown: RewardBreakdown
    goal: Goal | None = None
    reason: str = ""
    milestones: frozenset[str] = frozenset()
    episode: tuple[tuple[str, float], ...] = ()
    paid: RewardBreakdown | None = None


class Advisor(Protocol):
    """Suggests actions from the game's state alone."""

    def reset(self, state: GameState) -> None:
        """Start an episode at `state`."""
        ...

    def advise(self, state: GameState, mask: NDArray[np.bool_]) -> Advice | None:
        """Return what to do now, None when there is nothing to say."""
        ...

    def save(self) -> Any:
        """Return what it remembers, JSON-able."""
        ...

    def restore(self, saved: Any) -> None:
        """Put back what `save` returned."""
        ...


class ArrayEnv(Protocol):
    """One environment as a worker steps it.

    Attributes:
        features: (F,) float32, of now.
        mask: (9,) bool, False for actions of no use now.
        prior: (9,) float32, the advisor's suggestion, all zero when it has none.
        confidence: The advisor's, 0 to 1.
        is_rendering: Whether steps render their last frame.
    """

    feature_size: int
    component_names: tuple[str, ...]
    milestone_keys: tuple[str, ...]
    features: NDArray[np.float32]
    mask: NDArray[np.bool_]
    prior: NDArray[np.float32]
    confidence: float

    @property
    def is_rendering(self) -> bool:
        """Tell whether steps render their last frame."""
        ...

    @is_rendering.setter
    def is_rendering(self, value: bool) -> None: ...

    def begin(self, seed: int | None = None) -> None:
        """Start an episode; without a seed the random numbers go on."""
        ...

    def step(self, action: int) -> tuple[float, bool, bool]:
        """Act; return reward, terminated, truncated. The arrays are then those of now."""
        ...

    def summary(self) -> EpisodeSummary:
        """Return the episode so far."""
        ...

    def watched(self) -> Watched:
        """Return what to show, and start collecting payments anew."""
        ...

    def save(self) -> bytes:
        """Return the whole environment."""
        ...

    def restore(self, saved: bytes) -> None:
        """Put back what `save` returned."""
        ...

    def close(self) -> None:
        """Free the emulator."""
        ...


@dataclass(slots=True)
class _Paid:
    """Sums payments between two looks."""

    sums: dict[str, float] = field(default_factory=dict)
    causes: list[str] = field(default_factory=list)

    def add(self, breakdown: RewardBreakdown) -> None:
        for name, value in breakdown.components:
            self.sums[name] = self.sums.get(name, 0.0) + value
        self.causes += breakdown.causes

    def take(self) -> RewardBreakdown:
        taken = RewardBreakdown(tuple(self.sums.items()), tuple(self.causes))
        self.sums, self.causes = {}, []
        return taken


class SteppedEnv:
    """An `ArrayEnv` over the Gymnasium environment, with an advisor or without.

    Args:
        env: The game, best with `observation_type="state"`.
        advisor: Fills `prior` and `confidence`.
    """

    def __init__(self, env: EnhancedPyBoyPokemonCrystalEnv, advisor: Advisor | None = None) -> None:
        self.env = env
        self.feature_size = FEATURE_SIZE
        self.component_names = env.component_names
        self.milestone_keys = env.milestone_keys
        self.features = np.zeros(FEATURE_SIZE, np.float32)
        self.mask = np.ones(NUM_ACTIONS, np.bool_)
        self.prior = np.zeros(NUM_ACTIONS, np.float32)
        self.confidence = 0.0
        self._advisor = advisor
        self._goal: Goal | None = None
        self._reason = ""
        self._paid = _Paid()

    @property
    def is_rendering(self) -> bool:
        """Tell whether steps render their last frame."""
        return self.env.is_rendering

    @is_rendering.setter
    def is_rendering(self, value: bool) -> None:
        self.env.is_rendering = value

    def begin(self, seed: int | None = None) -> None:
        """Start an episode; without a seed the random numbers go on."""
        if seed is not None:
            self.env.seed_random(seed)
        self.env.begin_episode()
        if self._advisor is not None:
            self._advisor.reset(self.env.state)
        self._observe()

    def step(self, action: int) -> tuple[float, bool, bool]:
        """Act; return reward, terminated, truncated. The arrays are then those of now."""
        result = self.env.advance(action)
        if self.env.is_rendering:
            self._paid.add(self.env.breakdown)
        self._observe()
        return result

    def summary(self) -> EpisodeSummary:
        """Return the episode so far."""
        return self.env.summary()

    def watched(self) -> Watched:
        """Return what to show, and start collecting payments anew."""
        env = self.env
        return Watched(
            frame=env.frame(),
            state=env.state,
            breakdown=env.breakdown,
            goal=self._goal,
            reason=self._reason,
            milestones=env.milestones,
            episode=env.episode_sums,
            paid=self._paid.take(),
        )

    def save(self) -> bytes:
        """Return the whole environment and what the advisor remembers."""
        advisor = json.dumps(self._advisor.save() if self._advisor else None).encode()
        return struct.pack("<I", len(advisor)) + advisor + self.env.save()

    def restore(self, saved: bytes) -> None:
        """Put back what `save` returned; the arrays are then those of now."""
        (size,) = struct.unpack_from("<I", saved)
        self.env.restore(saved[4 + size :])
        if self._advisor is not None:
            self._advisor.reset(self.env.state)
            self._advisor.restore(json.loads(saved[4 : 4 + size]))
        self._observe()

    def close(self) -> None:
        """Free the emulator."""
        self.env.close()

    def _observe(self) -> None:
        self.features = self.env.features()
        self.mask = self.env.action_mask()
        advice = None
        if self._advisor is not None:
            advice = self._advisor.advise(self.env.state, self.mask)
        if advice is None:
            self.prior[:] = 0.0
            self.confidence, self._goal, self._reason = 0.0, None, ""
        else:
            self.prior[:] = advice.prior
            self.confidence = advice.confidence
            self._goal, self._reason = advice.goal, advice.reason


def make_crystal_env(config: RunConfig, env_index: int) -> EnhancedPyBoyPokemonCrystalEnv:
    """Build a game for training from a run's settings: state observations, no pictures."""
    return EnhancedPyBoyPokemonCrystalEnv(
        config.rom_path,
        observation_type="state",
        config=config.env,
        rewards=config.rewards,
        cache_dir=states_folder(config),
        start_state=config.start_state,
        allow_unknown_rom=config.allow_unknown_rom,
        env_index=env_index,
    )
