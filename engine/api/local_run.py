"""Run the trainer over a user's environment and agent, with what they override, in a run folder."""

from collections.abc import Callable, Iterator, Mapping
from contextlib import closing, contextmanager
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from engine.agents.base import ActionBatch, Agent, Guidance, PolicyFunction, spaces_of
from engine.agents.calibration import Calibration
from engine.agents.evaluation import ALONE, evaluate
from engine.api.agent_host import Step
from engine.api.consultation import check_action
from engine.api.hybrid_agent import AgentMode, HybridAgent
from engine.api.summary import NOBODY_ASKED, ModelCounts
from engine.config import RunConfig
from engine.env.batch import Batch
from engine.env.game_env import GameEnv
from engine.env.observation.pixels import sight_of
from engine.env.vector.world import GymnasiumEnv, LocalVector
from engine.events import EpisodeEnded, Event, PlannerStatusChanged
from engine.loop.controls import CommandQueue
from engine.planning.goals.adaptive import AdaptiveStrategySystem
from engine.planning.goals.planned import PlannedAdvisor
from engine.planning.history.analysis import GameStateAnalysis
from engine.planning.history.decisions import DecisionHistoryAnalyzer
from engine.planning.models.answering import ANSWERING
from engine.runs.folder import RunFolder
from engine.runs.journal import Journal
from engine.training.build import (
    build_curriculum,
    build_planning,
    environment_seeds,
    seed_everything,
)
from engine.training.trainer import Trainer
from engine.training.warm_start import begin_from_demonstrations, begins_from_others
from engine.types import Decision, Evaluation, Goal, Observation, Source

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


@dataclass(frozen=True, slots=True)
class Parts:
    """The parts that a user provides."""

    env: GameEnv
    agent: HybridAgent
    strategy: AdaptiveStrategySystem
    history: DecisionHistoryAnalyzer | None


class LocalRun:
    """A trainer over a user's parts.

    Args:
        parts: The user's.
        config: The run's settings.
        folder: Where it is saved.
        commands: What the outside asks for.
        emit: Takes events to the outside.
        between_steps: Called before every decision of the training, while everything is whole.

    Attributes:
        trainer: What trains; before `begin` or a restored snapshot it has seen nothing.
        folder: Where it is saved.
    """

    def __init__(
        self,
        parts: Parts,
        config: RunConfig,
        folder: RunFolder,
        commands: CommandQueue,
        emit: Callable[[Event], None],
        between_steps: Callable[[], None],
    ) -> None:
        torch.set_num_threads(1)
        self.folder = folder
        self._parts = parts
        self._emit = emit
        self._is_working = False
        self._is_episode_noted = False
        self._is_model_failing: bool | None = None
        game = parts.env.game
        self._stepped = GymnasiumEnv(
            parts.env, PlannedAdvisor(game, seed=config.seed), sight=sight_of(config.encoder)
        )
        vector = LocalVector(self._stepped)
        batch = vector.mend()
        self._led = HybridAgentAdapter(
            parts.agent, self._stepped, batch, self._record, between_steps
        )
        journal = Journal(folder.journal_path, folder.is_held)
        journal.close()  # until `working`
        calibration = Calibration()
        self._planning = None
        if parts.agent.llm_manager is None:  # one that is waited for needs no planner beside it
            self._planning = build_planning(config, folder, calibration, parts.history, self._emit)
        self.trainer = Trainer(
            config=config,
            vector=vector,
            batch=batch,
            agent=self._led,
            curriculum=build_curriculum(config, game),
            strategy=parts.strategy,
            make_vector=lambda _: _Rehearsal(self._stepped, self._led),
            store=folder.store(config.keep_checkpoints),
            journal=journal,
            game=game,
            commands=commands,
            emit=self._take,
            calibration=calibration,
            planning=self._planning,
            folder=folder,
        )

    def close(self) -> None:
        """Stop asking language models."""
        if self._planning is not None:
            self._planning.close()

    def begin(self) -> None:
        """Begin a new run, with a policy or demonstrations if the settings name any.

        Raises:
            PokeTUIError: The policy or the demonstrations that it shall begin from are no use.
        """
        config = self.trainer.state.config
        seed_everything(config.seed)
        self.trainer.state.batch = self.trainer.state.vector.reset(environment_seeds(config))
        agent = self._parts.agent
        if agent.mode is not AgentMode.LLM_ONLY and begins_from_others(config):
            begin_from_demonstrations(
                agent.policy_for(self.trainer.state.batch), config, self._emit
            )

    @contextmanager
    def working(self) -> Iterator[None]:
        """Hold the folder and write the journal; within another `working` this does nothing.

        Raises:
            ConfigurationError: Another process works in the folder.
        """
        if self._is_working:
            yield
            return
        self.folder.lock()
        self.trainer.log.journal = Journal(self.folder.journal_path, self.folder.is_held)
        agent = self._parts.agent
        own_loop, agent.lead = agent.lead, self._led
        self._is_working = True
        try:
            yield
        finally:
            self._is_working = False
            agent.lead = own_loop
            self.trainer.log.journal.close()
            self.folder.unlock()

    def go_on(self, config: RunConfig, max_episode_steps: int) -> None:
        """Take the settings of the next stretch; the curriculum stays where it is."""
        trainer = self.trainer
        curriculum = build_curriculum(config, self._parts.env.game)
        curriculum.load(trainer.learning.curriculum.save())
        trainer.state.config, trainer.learning.curriculum = config, curriculum
        trainer.handler.controls.stop_reason = ""
        self._stepped.max_episode_steps = max_episode_steps

    def evaluate(self) -> Evaluation:
        """Let the agent play as it does now, with as much advice, but without learning."""
        return self._evaluate(self.trainer.learning.guidance())

    def evaluate_policy(self) -> Evaluation | None:
        """Let what is learnt play alone; None where nothing learns."""
        return None if self._parts.agent.mode is AgentMode.LLM_ONLY else self._evaluate(ALONE)

    def _evaluate(self, guidance: Guidance) -> Evaluation:
        config = self.trainer.state.config
        with closing(_Rehearsal(self._stepped, self._led)) as vector:
            found = evaluate(
                self._led.player,
                vector,
                config,
                config.eval_episodes,
                guidance,
                milestones=self._parts.env.milestone_keys,
            )
        assert found is not None
        if self._planning is not None:
            self._planning.collect()
        return found

    def model_counts(self) -> ModelCounts:
        """Return the result of asking language models by now."""
        agent = self._parts.agent
        if agent.llm_manager is not None:
            counts = agent.consultation
            asked, failed, error = counts.asked, counts.failed + counts.invalid, counts.error
        elif self._planning is not None and self._planning.status is not None:
            status = self._planning.status
            asked, failed = status.calls, min(status.calls, status.failures)
            is_well = status.state in ANSWERING or status.state == "loading"
            error = "" if is_well else f"{status.state}: {status.detail}".removesuffix(": ")
        else:
            return NOBODY_ASKED
        return {
            "llm_asked": asked,
            "llm_answered": asked - failed,
            "llm_failed": failed,
            "llm_error": error,
        }

    def _publish_model(self) -> None:
        """Publish whether the language model that is waited for answers, if that has changed."""
        manager, counts = self._parts.agent.llm_manager, self._parts.agent.consultation
        is_failing = bool(counts.error)
        if manager is not None and counts.asked and is_failing is not self._is_model_failing:
            self._is_model_failing = is_failing
            self._emit(
                PlannerStatusChanged(
                    model=type(manager).__name__,
                    state="waiting" if is_failing else "ready",
                    detail=counts.error,
                    calls=counts.asked,
                    failures=counts.failed + counts.invalid,
                )
            )

    def _take(self, event: Event) -> None:
        history = self._parts.history
        if isinstance(event, EpisodeEnded) and history is not None:
            history.end_episode(event.summary.total_reward)
            self._is_episode_noted = False
        self._emit(event)

    def _record(self, decision: Decision, info: dict[str, Any], reward: float) -> None:
        self._publish_model()
        history, game = self._parts.history, self._parts.env.game
        if history is None:
            return
        if not self._is_episode_noted:
            number = self.trainer.state.metrics.episodes + 1
            history.begin_episode(f"{self.folder.run_id}/{number}")
            self._is_episode_noted = True
        goal = self._led.goal
        analysis = GameStateAnalysis.of(
            info["state"], game, info["milestones"], goal.text if goal else ""
        )
        answer = self._parts.agent.model_answer
        history.record_decision(
            analysis,
            int(decision.action),
            decision.reason,
            min(max(decision.confidence, 0.0), 1.0),
            reward,
            goal_kind=goal.kind if goal else "",
            source=(answer.source if answer is not None else "") or decision.source,
        )


class _Rehearsal(LocalVector):
    """The environment of the training, for an evaluation: `close` puts it and the agent back."""

    def __init__(self, stepped: GymnasiumEnv, led: HybridAgentAdapter) -> None:
        super().__init__(stepped)
        self._led = led
        self._before = stepped.save(), stepped.observation, stepped.info

    def close(self) -> None:
        """Continue with the training."""
        saved, observation, info = self._before
        self.stepped.restore(saved)
        self.stepped.observation, self.stepped.info = observation, info
        self._led.resume()
