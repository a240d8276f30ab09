"""Choose actions as the documented HybridAgent: a language model, rules and a learnt policy."""

import dataclasses
import logging
import math
from collections.abc import Callable, Mapping
from enum import StrEnum
from types import MappingProxyType
from typing import Any

import numpy as np
from numpy.typing import NDArray

from engine.agents.arbitration import ExactShares, FloatRows
from engine.agents.base import ActionBatch, Agent, Guidance, PolicyFunction, spaces_of
from engine.agents.guided import GuidedPPO
from engine.agents.rules import RulesAgent
from engine.api.agent_host import AgentHost, StandaloneHost, Step
from engine.api.consultation import Answer, Consultation, possible_actions
from engine.api.llm_manager import ActionModel
from engine.config import PPOConfig, parse_config
from engine.env.batch import Batch
from engine.errors import ConfigurationError
from engine.planning.goals.adaptive import AdaptiveStrategySystem, StrategyType
from engine.planning.goals.text_state import describe
from engine.types import (
    GAME_BOY_ACTIONS,
    GAME_BOY_ADVANCE_ACTIONS,
    ActionSet,
    Decision,
    Observation,
    Source,
    Spaces,
)

_log = logging.getLogger(__name__)

_CHARACTERS_A_TOKEN = 3
_PLANNER = 0
"""The planner's index in `ExactShares`."""
_NOBODY = np.array([False])
_ACTIONS: Mapping[int, ActionSet] = MappingProxyType(
    {len(actions): actions for actions in (GAME_BOY_ACTIONS, GAME_BOY_ADVANCE_ACTIONS)}
)
"""Actions by how many there are."""

_UNPROVEN = 0.5
"""What a model's stated confidence is worth while nothing is counted for it (Beta(1, 1))."""


class AgentMode(StrEnum):
    """Who may act."""

    LLM_ONLY = "llm_only"
    """The language model, and the rules for the strategy's rest; nothing is learnt."""
    RL_ONLY = "rl_only"
    """The learnt policy, without advice."""
    ADAPTIVE = "adaptive"
    """The learnt policy, and for the planner's share of the decisions the others."""


def default_policy(spaces: Spaces) -> Agent:
    """Return PPO for one environment."""
    return GuidedPPO(PPOConfig(rollout_steps=512, minibatch_size=128), 1, spaces, seed=0)


class HybridAgent:
    """Act in one environment, and learn from what follows.

    The planner makes exactly the share of the decisions that the strategy grants it (80, 50 or
    20 %), in a curriculum's last stages 5 % and none: the language model does, or the rules where
    there is none or it fails. The rest is the learnt policy's, in mode `LLM_ONLY` the rules'. A
    policy as certain as the stage asks for (`llm_confidence`) decides the planner's part, too,
    unless a strategy is forced.

    In a loop of one's own, `update` follows every `get_action`; it then also moves the curriculum
    and reports to the strategy system how episodes went, which otherwise a trainer does.

    Args:
        llm_manager: The language model; None: the rules alone advise.
        adaptive_strategy: Says how many of the decisions are the planner's.
        action_space_size: 9, or 10 on a Game Boy Advance; where `info` names the game, its actions
            hold.
        curriculum_config: The documented keys; None: the documented values.

    Attributes:
        actions: The game's.
        mode: Who may act.
        make_policy: Makes what learns for what is observed and done, when it is first needed.
        max_context_length: Of the language model's prompt, in tokens, about.
        action_batch: The last decision as the trainer takes it; None after `update`.
        decision: The last decision with its source, confidence and reason.
        model_answer: What the language model said, if that decision is its; else None.
        consultation: The result of asking the language model.
        policy: What learns; None before it is needed.
        lead: Who steps the environment.

    Raises:
        ConfigurationError: A key or value is not allowed.
    """

    def __init__(
        self,
        llm_manager: ActionModel | None,
        adaptive_strategy: AdaptiveStrategySystem,
        action_space_size: int = len(GAME_BOY_ACTIONS),
        curriculum_config: dict[str, Any] | None = None,
    ) -> None:
        if action_space_size not in _ACTIONS:
            raise ConfigurationError(
                f"action_space_size = {action_space_size}.",
                f"Allowed values: {', '.join(map(str, _ACTIONS))}.",
            )
        self.actions = _ACTIONS[action_space_size]
        given = {"curriculum": curriculum_config or {}}
        config = parse_config(given, "curriculum_config")
        self.curriculum_config = config.curriculum
        adaptive_strategy.begin_with(StrategyType(config.initial_strategy))
        self.llm_manager = llm_manager
        self.adaptive_strategy = adaptive_strategy
        self.mode = AgentMode.ADAPTIVE
        self.make_policy: Callable[[Spaces], Agent] = default_policy
        self.max_context_length = 8000
        self.action_batch: ActionBatch | None = None
        self.decision: Decision | None = None
        self.model_answer: Answer | None = None
        self.consultation = Consultation()
        self.lead: AgentHost = StandaloneHost(self.curriculum_config, adaptive_strategy)
        self.policy: Agent | None = None
        self._seen: Batch | None = None
        self._player: PolicyFunction | None = None
        self._before: tuple[FloatRows, Consultation, Decision | None] | None = None
        self._rules = RulesAgent(seed=0)
        self._shares = ExactShares(1, 2)

    def get_action(self, observation: Observation, info: dict[str, Any]) -> int:
        """Choose the next action; never a masked one.

        Args:
            observation: With "features" and "action_mask", as `multi_modal` and `state` have them.
            info: The environment's; without its "state" and "game" there are no rules.
        """
        if "game" in info:
            self.actions = info["game"].actions
        self._seen = batch = self.lead.now(observation, info)
        guidance = self._guidance(batch, info)
        answer = self._ask(batch, observation, info, guidance)
        if answer is not None:
            batch = _advised_by(answer, batch)
            guidance = dataclasses.replace(guidance, advice_reliability=_UNPROVEN)
        self.action_batch = dataclasses.replace(
            self._player_for(batch)(batch, guidance), is_answered=answer is not None
        )
        self.model_answer = answer if self.action_batch.is_planned[0] else None
        self.decision = _decision(
            self.action_batch, self.model_answer, self.lead.reason, self.actions
        )
        _log.debug("%s: %s", self.decision.source, self.decision.reason)
        return int(self.decision.action)

    def update(
        self,
        observation: Observation,
        action: int,
        reward: float,
        next_observation: Observation,
        done: bool,
    ) -> None:
        """Learn from a step; one whose action was not this agent's own teaches nothing.

        Args:
            observation: That the action was chosen on.
            action: What was done.
            reward: What was paid for it.
            next_observation: That followed; of an episode that is done, the last one.
            done: Whether the episode ended.
        """
        action_batch, self.action_batch = self.action_batch, None
        is_own = action_batch is not None and action_batch.actions[0] == action
        is_planned = action_batch is not None and is_own and bool(action_batch.is_planned[0])
        is_answered = action_batch is not None and is_planned and action_batch.is_answered
        batch = self.lead.after(Step(reward, next_observation, done, is_planned, is_answered))
        policy = None if self.mode is AgentMode.LLM_ONLY else self.policy_for(batch)
        if policy is not None and is_own:
            policy.observe(batch)
        elif policy is not None:
            policy.truncate_trajectory(0, self._seen or batch)
        self._seen = None
        self.lead.conclude(policy, batch)

    def policy_for(self, batch: Batch) -> Agent:
        """Return the learning policy, made on the first call."""
        if self.policy is None:
            self.policy = self.make_policy(spaces_of(batch))
        return self.policy

    def rehearse(self, batch: Batch, seed: int) -> None:
        """Let `get_action` play as in an evaluation, until `resume`."""
        consultation = dataclasses.replace(self.consultation)
        self._before = self._shares.save(), consultation, self.decision
        is_learnt = self.mode is not AgentMode.LLM_ONLY
        self._player = (self.policy_for(batch) if is_learnt else self._rules).player(seed)

    def resume(self) -> None:
        """Continue as if there had been no rehearsal."""
        self._player = self.action_batch = self.model_answer = None
        if self._before is not None:
            shares, self.consultation, self.decision = self._before
            self._shares.load(shares)
            self._before = None

    def save(self) -> tuple[dict[str, Any], dict[str, NDArray[np.generic]]]:
        """Return the state as JSON-able facts and arrays, for `load`."""
        policy, arrays = self.policy.save() if self.policy else (None, {})
        facts = {
            "policy": policy,
            "rules": self._rules.save()[0],
            "shares": self._shares.save().tolist(),
            "consultation": dataclasses.asdict(self.consultation),
        }
        return facts, arrays

    def load(
        self, facts: Mapping[str, Any], arrays: Mapping[str, NDArray[np.generic]], spaces: Spaces
    ) -> None:
        """Restore the state that `save` returned."""
        self.action_batch = None
        self.policy = None
        if facts["policy"] is not None:
            self.policy = self.make_policy(spaces)
            self.policy.load(facts["policy"], arrays)
        self._rules.load(facts["rules"], {})
        self._shares.load(np.array(facts["shares"]))
        self.consultation = Consultation(**facts["consultation"])

    def _player_for(self, batch: Batch) -> PolicyFunction:
        if self._player is not None:
            return self._player
        return (self._rules if self.mode is AgentMode.LLM_ONLY else self.policy_for(batch)).decide

    def _guidance(self, batch: Batch, info: dict[str, Any]) -> Guidance:
        """Return whose decision this is; in mode LLM_ONLY, who gives the advice that is taken."""
        guidance, is_planners = self.lead.guidance, _NOBODY
        share = self._share(guidance.planner_share, info)
        if self.adaptive_strategy.forced is not None:  # its share holds however sure the policy is
            guidance = dataclasses.replace(guidance, needed_confidence=math.inf)
        if self.llm_manager is not None or (batch.prior * batch.mask).any():
            is_planners = self._shares.choose((share, 1 - share), np.array([True])) == _PLANNER
        return dataclasses.replace(guidance, planner_share=share, is_planners=is_planners)

    def _share(self, share: float, info: dict[str, Any]) -> float:
        """Return the planner's share of the decisions now, where `share` is the curriculum's."""
        strategy = self.adaptive_strategy
        selected = strategy.select_strategy({"state": info.get("state")})
        if self.mode is AgentMode.LLM_ONLY:
            return selected.planner_share
        if self.mode is AgentMode.RL_ONLY or not share:
            return 0.0
        if strategy.forced is not None:
            return strategy.forced.planner_share
        # Below the lightest one the curriculum hands over to the policy, whatever strategies say.
        is_open = share >= StrategyType.RULE_HEAVY.planner_share
        return selected.planner_share if is_open and selected is not strategy.current else share

    def _ask(
        self, batch: Batch, observation: Observation, info: dict[str, Any], guidance: Guidance
    ) -> Answer | None:
        """Return what the language model says, if there is one and it is its turn."""
        if self.llm_manager is None or guidance.is_planners is None or not guidance.is_planners[0]:
            return None
        return self.consultation.ask(
            self.llm_manager,
            self._context(batch.mask[0], observation, info),
            batch.mask[0],
            actions=self.actions,
        )

    def _context(
        self, mask: NDArray[np.bool_], observation: Observation, info: dict[str, Any]
    ) -> str:
        """Put the situation into words."""
        possible = possible_actions(mask, self.actions)
        if "state" not in info or "game" not in info:
            known = observation.get("strategic_context", {}).get("context_summary", "")
            return f"{known}\nPossible actions: {possible}".lstrip()
        text = describe(
            info["state"],
            info["game"],
            goal=self.lead.goal,
            milestones=info.get("milestones", ()),
            max_characters=self.max_context_length * _CHARACTERS_A_TOKEN,
        )
        return f"{text}\nPossible actions: {possible}"


def _advised_by(answer: Answer, batch: Batch) -> Batch:
    """Return the environment with the language model's advice in place of the rules'."""
    prior = np.zeros_like(batch.prior)
    prior[0, answer.action] = 1.0
    confidence = np.array([answer.confidence], np.float32)
    return dataclasses.replace(batch, prior=prior, advice_confidence=confidence)


def _decision(
    action_batch: ActionBatch, answer: Answer | None, reason: str, actions: ActionSet
) -> Decision:
    """Return the decision: who chose, and why."""
    action, confidence = int(action_batch.actions[0]), float(action_batch.confidences[0])
    name = actions.name(action)
    if not action_batch.is_planned[0]:
        text = f"{name}, confidence {confidence:.0%}"
        return Decision(action, action_batch.source, confidence, text)
    if answer is not None:
        text = answer.reason or "as the language model says"
        return Decision(action, Source.PLANNER, confidence, f"{name}: {text}")
    return Decision(action, Source.RULES, confidence, f"{name}: {reason}")
