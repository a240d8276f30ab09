"""Let the trainer train a HybridAgent, with whatever a user has overridden."""

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from engine.agents.base import ActionBatch, Agent, Guidance, PolicyFunction, spaces_of
from engine.api.agent_host import Step
from engine.api.consultation import check_action
from engine.api.hybrid_agent import AgentMode, HybridAgent
from engine.env.batch import Batch
from engine.env.vector.world import GymnasiumEnv
from engine.types import Decision, Goal, Observation, Source

Record = Callable[[Decision, dict[str, Any], float], None]
"""Takes a decision, the info it was made on and the reward."""


class HybridAgentAdapter:
    """An `Agent` that calls a HybridAgent's own methods, and is its `AgentHost`.

    Args:
        agent: Acts and learns.
        stepped: The only environment of the trainer's vector.
        batch: Its first state.
        record: Takes every decision of the training.
        between_steps: Called before every decision of the training, while everything is whole.
    """

    name = "hybrid"

    def __init__(
        self,
        agent: HybridAgent,
        stepped: GymnasiumEnv,
        batch: Batch,
        record: Record,
        between_steps: Callable[[], None],
    ) -> None:
        self.guidance = Guidance(0.0, 1.0)
        self._agent = agent
        self._stepped = stepped
        self._record = record
        self._between_steps = between_steps
        self._observation: Observation = {}
        self._info: dict[str, Any] = {}
        self._decision = Decision(agent.actions.idle, Source.POLICY, 0.0, "")
        self._batch = batch
        self._before: tuple[Any, ...] | None = None

    @property
    def goal(self) -> Goal | None:
        """Return the rules' current goal."""
        return self._stepped.goal

    @property
    def reason(self) -> str:
        """Return the reason of their advice."""
        return self._stepped.reason

    def decide(self, batch: Batch, guidance: Guidance) -> ActionBatch:
        """Ask the agent.

        Raises:
            DecisionValidationError: An override answers what is no possible action.
        """
        self._between_steps()
        return self._choose(batch, guidance)

    def _choose(self, batch: Batch, guidance: Guidance) -> ActionBatch:
        agent = self._agent
        self.guidance, self._batch = guidance, batch
        self._observation, self._info = self._stepped.observation, self._stepped.info
        agent.action_batch = agent.decision = agent.model_answer = None
        chosen = agent.get_action(self._observation, self._info)
        action = check_action(chosen, batch.mask[0], agent.actions)
        if agent.action_batch is None or agent.decision is None or agent.decision.action != action:
            text = f"{agent.actions.name(action)}, overridden"
            self._decision = Decision(action, Source.POLICY, 0.0, text)
            no_confidence, nobody = np.zeros(1, np.float32), np.zeros(1, np.bool_)
            return ActionBatch(np.array([action], np.int64), no_confidence, nobody, Source.POLICY)
        self._decision = agent.decision
        return agent.action_batch

    def observe(self, batch: Batch) -> None:
        """Let the agent learn from the step."""
        stepped, reward = self._stepped, float(batch.rewards[0])
        is_done = bool(batch.terminated[0] or batch.truncated[0])
        following = stepped.final_observation if is_done else stepped.observation
        self._batch = batch
        self._record(self._decision, self._info, reward)
        action = int(self._decision.action)
        self._agent.update(self._observation, action, reward, following, is_done)

    def now(self, observation: Observation, info: dict[str, Any]) -> Batch:
        """Return the trainer's batch."""
        return self._batch

    def after(self, step: Step) -> Batch:
        """Return the trainer's batch."""
        return self._batch

    def conclude(self, policy: Agent | None, batch: Batch) -> None:
        """Leave the rest to the trainer."""

    def truncate_trajectory(self, env_index: int, batch: Batch) -> None:
        """Learn nothing across this moment."""
        self._agent.policy_for(batch).truncate_trajectory(env_index, batch)

    def player(self, seed: int) -> PolicyFunction:
        """Return the agent, which continues training after `resume` only."""
        self._before = self.guidance, self._batch, self._observation, self._info, self._decision
        self._agent.rehearse(self._batch, seed)
        return self._choose

    def resume(self) -> None:
        """End the playing of a `player`, and leave everything as it was before."""
        self._agent.resume()
        if self._before is not None:
            before, self._before = self._before, None
            self.guidance, self._batch, self._observation, self._info, self._decision = before

    @property
    def is_update_due(self) -> bool:
        """Return whether there is enough to learn from."""
        is_learning = self._agent.mode is not AgentMode.LLM_ONLY
        return is_learning and self._agent.policy_for(self._batch).is_update_due

    def update(self, batch: Batch) -> dict[str, float]:
        """Learn, and return figures by name."""
        return self._agent.policy_for(batch).update(batch)

    def save(self) -> tuple[dict[str, Any], dict[str, NDArray[np.generic]]]:
        """Return the state as JSON-able facts and arrays, for `load`."""
        return self._agent.save()

    def load(self, facts: Mapping[str, Any], arrays: Mapping[str, NDArray[np.generic]]) -> None:
        """Restore the state that `save` returned."""
        self._agent.load(facts, arrays, spaces_of(self._batch))
