"""Step one environment of a user's in this process, as a world of one."""

from typing import Any

from engine.env.advisor import Advisor
from engine.env.array_world import ArrayWorld
from engine.env.batch import Batch
from engine.env.demo_requests import CANNOT_RECORD, DemoFacts, DemoRequest
from engine.env.game_env import GameEnv
from engine.env.host import LocalHost
from engine.env.pixels import MakeSight
from engine.env.stepping import SteppedEnv
from engine.errors import DemoError
from engine.types import Observation


class GymnasiumEnv(SteppedEnv):
    """Step through `reset` and `step`, so that whatever a subclass overrides is in force.

    Attributes:
        observation: What the environment shows now.
        info: The `info` that came with it.
        final_observation: What it showed when the episode before this one ended.
        max_episode_steps: Steps after which an episode is truncated, if it is not over before.
    """

    def __init__(
        self,
        env: GameEnv,
        advisor: Advisor | None = None,
        *,
        sight: MakeSight | None = None,
    ) -> None:
        super().__init__(env, advisor, sight=sight)
        self.observation: Observation = {}
        self.info: dict[str, Any] = {}
        self.final_observation: Observation = {}
        self.max_episode_steps = env.max_steps

    def begin(self, seed: int | None = None) -> None:
        """Start an episode; without a seed the random numbers continue."""
        self.final_observation = self.observation
        super().begin(seed)

    def begin_now(self, snapshot: bytes = b"", *args: Any, **kwargs: Any) -> None:
        """Leave this episode and begin another: from the true start, or at a snapshot."""
        if snapshot:
            self.final_observation = self.observation
        super().begin_now(snapshot, *args, **kwargs)
        if snapshot:  # no reset was
            self.observation, self.info = self.env.observe()

    def count_frames(self, *, is_over: bool) -> tuple[float, bool, bool]:
        """Take in the result of live frames; the observation is then that of now."""
        result = super().count_frames(is_over=is_over)
        self.observation, self.info = self.env.observe()
        return result

    def record(self, order: DemoRequest) -> DemoFacts:
        """Refuse: what a subclass of a user's overrides cannot be played again elsewhere.

        Raises:
            DemoError: Always.
        """
        raise DemoError(CANNOT_RECORD, "Record in a run (poketui run) or with poketui record.")

    def restore(self, saved: bytes) -> None:
        """Put back what `save` returned; the arrays and the observation are then those of now."""
        super().restore(saved)
        self.observation, self.info = self.env.observe()

    def _reset(self, seed: int | None) -> None:
        self.observation, self.info = self.env.reset(seed=seed)

    def _press(self, action: int) -> None:
        """Leave it all to `_settle`: `step` of a subclass does both."""

    def _settle(self, action: int) -> tuple[float, bool, bool]:
        self.observation, reward, is_terminated, is_truncated, self.info = self.env.step(action)
        is_spent = self.env.episode_steps >= self.max_episode_steps
        return float(reward), is_terminated, not is_terminated and (is_truncated or is_spent)


class LocalVector(ArrayWorld):
    """One environment as a world of one; the caller closes it."""

    def __init__(self, stepped: GymnasiumEnv) -> None:
        self.stepped = stepped
        self._host = LocalHost([stepped])
        super().__init__(self._host, 1)

    def mend(self) -> Batch:
        """Return the current state: there is no process that could have failed."""
        self._host.publish()
        return super().mend()
