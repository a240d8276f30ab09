"""Step one environment of a user's in this process, with the interface of the vector."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from engine.env.array_env import Advisor, Watched
from engine.env.batch import Batch
from engine.env.crystal_env import EnhancedPyBoyPokemonCrystalEnv
from engine.env.demo_orders import CANNOT_RECORD, DemoFacts, DemoOrder
from engine.env.stepping import SteppedEnv
from engine.errors import DemoError
from engine.plans import Directions, Orders, Situation, Verdict
from engine.types import Action, EpisodeSummary, Frame, Goal, GoalKind, Observation

_GOAL_KINDS = tuple(GoalKind)


class GymnasiumEnv(SteppedEnv):
    """Step through `reset` and `step`, so that whatever a subclass overrides is in force.

    Args:
        env: The game.
        advisor: Gives advice.
        sees_pixels: Keep the last frames.

    Attributes:
        observation: What the environment shows now.
        info: What it says beside.
        final_observation: What it showed when the episode before this one ended.
        max_episode_steps: Steps after which an episode is truncated, if it is not over before.
    """

    def __init__(
        self,
        env: EnhancedPyBoyPokemonCrystalEnv,
        advisor: Advisor | None = None,
        *,
        sees_pixels: bool = False,
    ) -> None:
        super().__init__(env, advisor, sees_pixels=sees_pixels)
        self.observation: Observation = {}
        self.info: dict[str, Any] = {}
        self.final_observation: Observation = {}
        self.max_episode_steps = env.max_steps

    @property
    def goal(self) -> Goal | None:
        """Return what the advisor wants."""
        return self._goal

    @property
    def reason(self) -> str:
        """Return why it advises what it advises."""
        return self._reason

    def begin(self, seed: int | None = None) -> None:
        """Start an episode; without a seed the random numbers go on."""
        self.final_observation = self.observation
        super().begin(seed)
        if self._start:  # at an archived moment, where no reset was
            self.observation, self.info = self.env.observe()

    def count_frames(self, *, is_over: bool) -> tuple[float, bool, bool]:
        """Take in what came of live frames; the observation is then that of now."""
        result = super().count_frames(is_over=is_over)
        self.observation, self.info = self.env.observe()
        return result

    def restore(self, saved: bytes) -> None:
        """Put back what `save` returned; the arrays and the observation are then those of now."""
        super().restore(saved)
        self.observation, self.info = self.env.observe()

    def _reset(self, seed: int | None) -> None:
        self.observation, self.info = self.env.reset(seed=seed)

    def _advance(self, action: int) -> tuple[float, bool, bool]:
        self.observation, reward, is_terminated, is_truncated, self.info = self.env.step(action)
        is_spent = self.env.episode_steps >= self.max_episode_steps
        return float(reward), is_terminated, not is_terminated and (is_truncated or is_spent)


class LocalVector:
    """One environment as a vector of one.

    Args:
        stepped: The environment; whoever made it closes it.
    """

    num_envs = 1
    can_record = False

    def __init__(self, stepped: GymnasiumEnv) -> None:
        self.stepped = stepped
        self.feature_size = stepped.feature_size
        self.component_names = stepped.component_names
        self.milestone_keys = stepped.milestone_keys
        self.reward_weights = stepped.reward_weights
        self._has_news = False

    def reset(self, seeds: Sequence[int]) -> Batch:
        """Start an episode that draws its random numbers from the only seed."""
        (seed,) = seeds
        self.stepped.begin(seed)
        return self._batch()

    def step(self, actions: NDArray[np.int64], *, shows: bool = True) -> Batch:
        """Take the (1,) action; where an episode ends the next one begins."""
        self.stepped.render(shows)
        return self._after(*self.stepped.step(int(actions[0])))

    def step_one(self, index: int, action: int) -> Batch:
        """Take an action."""
        self.stepped.render(True)
        return self._after(*self.stepped.step(action))

    def play_frames(
        self, index: int, buttons: frozenset[Action], frames: int, *, shows: bool
    ) -> Frame | None:
        """Let the game run with `buttons` down; return its picture if it is watched and `shows`."""
        self.stepped.play_frames(buttons, frames, render=shows)
        self._has_news = True
        return self.stepped.live_frame() if shows else None

    def count_frames(self, index: int, *, is_over: bool) -> Batch:
        """Take in what came of live frames."""
        return self._after(*self.stepped.count_frames(is_over=is_over))

    def _after(self, reward: float, is_terminated: bool, is_truncated: bool) -> Batch:
        stepped = self.stepped
        self._has_news = True
        if not is_terminated and not is_truncated:
            verdicts = stepped.take_verdicts()
            return self._batch(reward, reached=stepped.milestone, verdicts=verdicts)
        summary, features = stepped.summary(), stepped.features.copy()
        pixels = None if stepped.pixels is None else stepped.pixels.copy()
        stepped.begin()
        return self._batch(
            reward,
            is_terminated,
            is_truncated,
            features,
            pixels,
            summary,
            verdicts=stepped.take_verdicts(),
        )

    def moment(self, index: int) -> bytes:
        """Return the game as it is now."""
        return self.stepped.moment()

    def begin_next_from(self, index: int, milestone: str, moment: bytes) -> None:
        """Let the next episode begin at an archived moment."""
        self.stepped.begin_next_from(milestone, moment)

    def begin_now(self, index: int, moment: bytes = b"") -> Batch:
        """Leave the episode and begin another, from the true start or at a moment."""
        stepped = self.stepped
        features = stepped.features.copy()
        pixels = None if stepped.pixels is None else stepped.pixels.copy()
        stepped.begin_now(moment)
        self._has_news = True
        left = EpisodeSummary(index, 0.0, 0, (), is_aborted=True)
        return self._batch(0.0, False, True, features, pixels, left)

    def record(self, index: int, order: DemoOrder) -> DemoFacts:
        """Refuse: what a subclass of a user's overrides cannot be played again elsewhere.

        Raises:
            DemoError: Always.
        """
        raise DemoError(CANNOT_RECORD, "Record it in a run: poketui run; or: poketui record")

    def place(self, index: int) -> str:
        """Return the name of the map that the environment is on."""
        return self.stepped.place

    def mend(self) -> Batch:
        """Return the state of now: there is no process that could have failed."""
        return self._batch()

    def direct(self, directions: Directions) -> None:
        """Tell the environment of the planner's plans; it follows from the next step on."""
        self.stepped.direct(directions)

    def order(self, orders: Orders) -> None:
        """Tell the environment what a person wants; it obeys from the next step on."""
        self.stepped.order(orders)

    def question(self, index: int) -> Situation | None:
        """Return what the environment asks the planner, once; None when there is nothing."""
        return self.stepped.question()

    def watch(self, index: int | None, *, renders: bool = True) -> None:
        """Let `observed` show the environment, with its frames or without, or no more."""
        self._has_news = index is not None
        self.stepped.watch(self._has_news, renders=renders)

    def observed(self) -> Watched | None:
        """Return what the environment shows, None if nothing changed since last time."""
        if not self.stepped.is_watched or not self._has_news:
            return None
        self._has_news = False
        return self.stepped.watched()

    def save(self) -> list[bytes]:
        """Return the environment wholly, for a checkpoint."""
        return [self.stepped.save()]

    def load(self, states: Sequence[bytes]) -> Batch:
        """Put the environment back as saved.

        Raises:
            CheckpointError: The state is damaged or of another version.
        """
        (state,) = states
        self.stepped.restore(state)
        self._has_news = True
        return self._batch()

    def close(self) -> None:
        """Leave the environment to its owner."""

    def _batch(
        self,
        reward: float = 0.0,
        is_terminated: bool = False,
        is_truncated: bool = False,
        final_features: NDArray[np.float32] | None = None,
        final_pixels: NDArray[np.uint8] | None = None,
        summary: EpisodeSummary | None = None,
        reached: str = "",
        verdicts: tuple[Verdict, ...] = (),
    ) -> Batch:
        stepped = self.stepped
        if final_features is None:
            final_features = np.zeros_like(stepped.features)
        if final_pixels is None and stepped.pixels is not None:
            final_pixels = np.zeros_like(stepped.pixels)
        return Batch(
            features=stepped.features[None].copy(),
            mask=stepped.mask[None].copy(),
            prior=stepped.prior[None].copy(),
            advice_confidence=np.array([stepped.confidence], np.float32),
            rewards=np.array([reward], np.float32),
            terminated=np.array([is_terminated]),
            truncated=np.array([is_truncated]),
            final_features=final_features[None],
            summaries={} if summary is None else {0: summary},
            goal_kinds=np.array([_GOAL_KINDS.index(stepped.goal_kind)]),
            reached={0: (reached, stepped.steps_from_start)} if reached else {},
            pixels=None if stepped.pixels is None else stepped.pixels[None].copy(),
            final_pixels=None if final_pixels is None else final_pixels[None],
            setters=np.array([stepped.setter]),
            wants_plan=np.array([stepped.wants_plan]),
            is_walking=np.array([stepped.is_walking]),
            verdicts=verdicts,
            nearness=np.array([stepped.nearness], np.float32),
        )
