"""Hold the parts that decide and learn: agent, curriculum, strategy, planner, their reliability."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from engine.agents.arbitration import ExactShares, assign_decisions
from engine.agents.base import ActionBatch, Agent, Guidance, HasPolicy
from engine.agents.calibration import Calibration
from engine.agents.rollout import FloatArray
from engine.curriculum.scheduler import Curriculum
from engine.env.batch import Batch
from engine.env.world import PlannerGoals
from engine.planning.goals.adaptive import AdaptiveStrategySystem
from engine.planning.goals.planned import Known
from engine.planning.history.decisions import DecisionHistoryAnalyzer
from engine.planning_types import GoalOutcome, Outcome, PlannerUpdate
from engine.training.exams import Exams
from engine.training.planning import Planning
from engine.training.state import RunState
from engine.types import EpisodeSummary


class Shaping:
    """Reward shaping by the goals that are pursued; what is counted and shown stays.

    Coming nearer to a goal is rewarded by a potential that changes with time (Devlin and Kudenko,
    AAMAS 2012): F = gamma * phi(s', t') - phi(s, t) does not change the best policy, whoever sets
    the goals and however often. What is paid on the way is taken back when the goal is reached, so
    a bonus is paid then, if RAM shows that the goal led somewhere.

    Args:
        worth: The reward for reaching a fully trusted goal, and the potential of being there; 0: no
            shaping.
        gamma: The agent's discount.
        num_envs: Environments.

    Attributes:
        potential: (envs,) float32, of the current states.
    """

    def __init__(self, worth: float, gamma: float, num_envs: int) -> None:
        self.potential = np.zeros(num_envs, np.float32)
        self._worth = worth
        self._gamma = gamma

    def shaped(
        self,
        batch: Batch,
        trust: FloatArray | float,
        reliability_of: Callable[[GoalOutcome], float],
    ) -> Batch:
        """Return a batch with the rewards for shaping.

        Where a goal's nearness is not known, as in battles, the potential stays. Where an episode
        terminated, it becomes 0; where it was truncated, nothing is paid.

        Args:
            batch: What the step led to.
            trust: (envs,) how far the current goals are followed, 0 to 1.
            reliability_of: Returns the same for a goal outcome.
        """
        before, ended = self.potential, batch.terminated | batch.truncated
        known = self._worth * trust * batch.advice_confidence * batch.nearness
        begun = np.where(ended, np.float32(0.0), before)
        after = np.where(np.isnan(known), begun, known).astype(np.float32)
        led_to = np.where(batch.terminated, np.float32(0.0), after)
        change = self._gamma * led_to - before
        shaping = np.where(batch.truncated & ~batch.terminated, 0.0, change).astype(np.float32)
        for goal_outcome in batch.goal_outcomes:
            is_earned = goal_outcome.made_progress and not goal_outcome.is_control
            if goal_outcome.outcome is Outcome.REACHED and is_earned:
                shaping[goal_outcome.env_index] += self._worth * reliability_of(goal_outcome)
        self.potential = after
        return replace(batch, shaping=shaping)

    def forget(self, env_index: int) -> None:
        """Begin anew in an environment in which somebody else has acted."""
        self.potential[env_index] = 0.0


_EXPERIENCE_INTERVAL_STEPS = 20_000
"""In steps and not in time, so that a run repeats exactly."""


class ExperienceUpdates:
    """Update the games periodically with the success of actions in the decision history."""

    def __init__(self, history: DecisionHistoryAnalyzer | None) -> None:
        self.known: Known = {}
        self._history = history
        self._due_at = _EXPERIENCE_INTERVAL_STEPS

    def after_step(self, vector: PlannerGoals, planning: Planning | None, total_steps: int) -> None:
        """Update the games if it is time."""
        if self._history is None or total_steps < self._due_at:
            return
        self._due_at = total_steps + _EXPERIENCE_INTERVAL_STEPS
        self.known = self._history.experience()
        self.send(vector, planning)

    def send(self, vector: PlannerGoals, planning: Planning | None) -> None:
        """Give the games what was known at the last update."""
        if planning is not None:
            planning.update_experience(vector, self.known)
        elif self.known:
            vector.update_planner(PlannerUpdate(experience=self.known))

    def save(self) -> dict[str, Any]:
        """Return the state as JSON-able facts, for `load`."""
        known = {key: sorted(actions.items()) for key, actions in self.known.items()}
        return {"known": known, "due_at": self._due_at}

    def load(self, facts: Mapping[str, Any]) -> None:
        """Restore the state that `save` returned."""
        self.known = {
            str(key): {int(action): float(worth) for action, worth in actions}
            for key, actions in facts["known"].items()
        }
        self._due_at = int(facts["due_at"])


@dataclass(slots=True, eq=False)
class Learning:
    """Decide, and learn from the result.

    Attributes:
        curriculum: Says how far the planner is followed, from stage to stage.
        strategy: Says how far within a stage.
        calibration: How reliable planner and policy are.
        planning: Asks a language model for goals; None: none is asked.
        experience_updates: What the games know of the decision history.
        actor: Acts: the agent, unless a person set another mode (`RunOverrides`).
        shares: Of planner and policy where a strategy is fixed; None in a run from a version in
            which a fixed strategy only weighed the planner's advice, and still does.
        exams: The games that the policy plays alone.
        kept_planning: What `Planning.save` returned while a model was asked, in a run that
            continues without one: it is kept until a model is asked again.
    """

    state: RunState
    agent: Agent
    curriculum: Curriculum
    strategy: AdaptiveStrategySystem
    calibration: Calibration
    planning: Planning | None
    experience_updates: ExperienceUpdates
    actor: Agent = field(init=False)
    shaping: Shaping = field(init=False)
    shares: ExactShares | None = field(init=False)
    exams: Exams = field(init=False)
    kept_planning: dict[str, Any] | None = None

    def __post_init__(self) -> None:
        config, num_envs = self.state.config, self.state.vector.num_envs
        self.actor = self.agent
        gamma = config.dqn.gamma if config.agent == "dqn" else config.ppo.gamma
        self.shaping = Shaping(config.planner.shaping, gamma, num_envs)
        self.shares = ExactShares(num_envs, 2)
        has_policy = isinstance(self.agent, HasPolicy)
        self.exams = Exams(config, self.state.way, is_possible=has_policy)

    def decide(self) -> ActionBatch:
        """Choose an action for every environment."""
        return self.actor.decide(self.state.batch, self._assigned(self.guidance()))

    def observe(self, batch: Batch) -> None:
        """Let the agent observe what its actions led to, with shaping."""
        share = self.curriculum.planner_share
        if share or self.shaping.potential.any():
            trust = share * self._advice_trust(batch) * self._proof(batch)
            batch = self.shaping.shaped(batch, trust, self._trust_of)
        self.actor.observe(batch)

    def truncate_trajectory(self, env_index: int) -> None:
        """Truncate the agent's trajectory in an environment at its current state."""
        self.agent.truncate_trajectory(env_index, self.state.batch)

    def count(self, summary: EpisodeSummary) -> None:
        """Learn from an ended episode how reliable planner and policy are."""
        self.calibration.count(summary)
        if self.planning is not None:
            self.planning.count(summary)

    def after_step(self, batch: Batch, watched_env: int) -> None:
        """Update the games, and query the language model if it is time, `watched_env` first."""
        vector, total_steps = self.state.vector, self.state.metrics.total_steps
        self.experience_updates.after_step(vector, self.planning, total_steps)
        if self.planning is not None:
            self.planning.after_step(
                vector,
                batch,
                share=self._model_share(),
                total_steps=total_steps,
                watched_env=watched_env,
            )

    def update_games(self) -> None:
        """Give the environments all that planner and history know."""
        vector = self.state.vector
        if self.planning is not None:
            self.planning.update_all(vector, self._model_share(), self.experience_updates.known)
        else:
            self.experience_updates.send(vector, None)

    def guidance(self) -> Guidance:
        """Return how far the agent is to follow the planner in the current states."""
        trust = self._advice_trust(self.state.batch)
        return Guidance(
            self.curriculum.planner_share,
            self.curriculum.stage.needed_confidence,
            self.calibration.policy_reliability,
            trust,
            self._teaching(trust),
            self.exams.is_exam,
            self.exams.is_exam | (self.exams.is_any and not self.exams.teaching),
        )

    def _teaching(self, trust: FloatArray) -> FloatArray | float:
        """Return how far advice is learnt: fully, where it is at least as good as chance.

        Without exam games it is not known how good the policy is: it is taught while it is led.
        """
        if self.curriculum.fixed_share == 0.0:
            return 0.0
        wanted = self.exams.teaching if self.exams.is_any else self.curriculum.planner_share
        teaching = wanted * np.minimum(1.0, 2.0 * trust) * self._proof(self.state.batch)
        result: FloatArray = teaching.astype(np.float32)
        return result

    def _assigned(self, guidance: Guidance) -> Guidance:
        """Assign each decision where a strategy is fixed; a HybridAgent does so itself."""
        forced = self.strategy.forced
        is_mixed = self.curriculum.fixed_share is None and self.agent.name != "hybrid"
        if forced is None or self.shares is None or not is_mixed:
            return guidance
        return assign_decisions(self.shares, forced.planner_share, self.state.batch, guidance)

    def _trust_of(self, goal_outcome: GoalOutcome) -> float:
        trust = self.planning.reliability_of(goal_outcome) if self.planning is not None else 0.0
        return self.curriculum.planner_share * trust

    def _proof(self, batch: Batch) -> FloatArray:
        """Return (envs,) how far it is proven that goals are worth pursuing; 1 for the rules'."""
        proof = 1.0 if self.planning is None else self.planning.proof
        return np.where(batch.goal_sources > 0, np.float32(proof), np.float32(1.0))

    def _advice_trust(self, batch: Batch) -> FloatArray:
        if self.planning is None:
            return self.calibration.advice_reliability(batch.goal_kinds)
        trust = self.calibration.advice_reliability(
            batch.goal_kinds, batch.goal_sources, self.planning.goal_sources
        )
        by_model = trust * self.planning.uplift_probability
        believed: FloatArray = np.where(batch.goal_sources > 0, by_model, trust)
        return believed.astype(np.float32)

    def _model_share(self) -> float:
        """Return the share of the goals that are the language model's rather than the rules'."""
        has_rules = self.state.config.planner.fallback == "rules"
        return self.strategy.current.planner_share if has_rules else 1.0
