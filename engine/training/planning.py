"""Bring planning queries to language models, their subgoals to the games, and outcomes back.

Nothing here waits for a model: a query goes into a slot, and answers are polled after each step.
"""

import dataclasses
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from engine.agents.calibration import Calibration
from engine.config import PlannerConfig
from engine.curriculum.starts import DECAY
from engine.env.batch import Batch
from engine.env.world import PlannerGoals
from engine.events import Event, GoalEvaluated, PlannerStatusChanged
from engine.planning.goals.planned import Known
from engine.planning.goals.subgoal_codec import subgoal_from_json, subgoal_to_json
from engine.planning.history.decisions import DecisionHistoryAnalyzer, Uplift
from engine.planning.models.answering import ANSWERING
from engine.planning.models.exchanges import ExchangeLog
from engine.planning.models.planner import Planner
from engine.planning.models.prompt import Notes
from engine.planning.models.summary import RunSummary
from engine.planning.rules.advisor import GOAL_SOURCE
from engine.planning_types import (
    GoalOutcome,
    GoalSources,
    PlannerUpdate,
    Subgoal,
    SubgoalBook,
    goal_source_names,
    with_goal_sources,
)
from engine.types import EpisodeSummary

_TRIES = 4
"""Environments that are asked for a query at once; most have none, as it was answered before."""
_WORTHWHILE = 0.05
"""Uplift from which following a planner is worth it."""
_PROVEN = 0.9
"""Probability of that from which its goals are imitated and rewarded."""
_SUMMARY_CHARACTERS = 1200


class Planning:
    """Keep the subgoals, decide which environment asks next, and measure what subgoals are worth.

    Args:
        planner: Asks the models; closed with this.
        interval: Steps of every environment between two queries.
        calibration: Learns from the goal outcomes, `history` remembers them.
        exchanges: The planner's log; goal outcomes are added there.

    Attributes:
        goal_sources: Who sets goals, by `Batch.goal_sources`: names of models that agreed, the
            rules first.
        emit: Takes the events.
        instruction: What a person wants, in words.
        is_paused: Nothing is asked.
        status: The models' last published status; None before the first.
        uplift_probability: The probability that following the models is worth it, about half at
            first: how far they are believed at all. Goals that are reached may only seem good,
            as the policy makes progress by itself; the control group shows how much it would have
            made anyway.
    """

    def __init__(
        self,
        planner: Planner,
        models: Sequence[str],
        settings: PlannerConfig,
        *,
        interval: int,
        calibration: Calibration,
        history: DecisionHistoryAnalyzer | None,
        exchanges: ExchangeLog | None,
        emit: Callable[[Event], None],
    ) -> None:
        self.goal_sources: GoalSources = [(GOAL_SOURCE,)]
        self.instruction = ""
        self.is_paused = False
        self._planner = planner
        self._models = tuple(models)
        self._settings = settings
        self._interval = interval
        self._calibration = calibration
        self._history = history
        self._exchanges = exchanges
        self.emit = emit
        self._book = SubgoalBook()
        self._new: list[Subgoal] = []
        self._partial: set[str] = set()
        """Keys of subgoals that were set while some of the models were absent."""
        self._share = -1.0
        self._experience: Known = {}
        self._summary = RunSummary()
        self._uplift = Uplift()
        self._set_lately(Uplift())
        self._is_asking = False
        self._is_outdated = False
        self._next_env = 0
        self._wait_steps = 0
        self.status: PlannerStatusChanged | None = None

    def _set_lately(self, uplift: Uplift) -> None:
        self._lately = uplift
        self.uplift_probability = uplift.chance_above(_WORTHWHILE)

    @property
    def proof(self) -> float:
        """Return how far it is proven that following is worth it, 0 rising to 1.

        Until then the models' goals are followed, but neither imitated nor rewarded: what is learnt
        is not soon unlearnt.
        """
        return max(0.0, (self.uplift_probability - _PROVEN) / (1 - _PROVEN))

    def reliability_of(self, goal_outcome: GoalOutcome) -> float:
        """Return how far reaching goals like the evaluated one is rewarded, 0 to 1."""
        names = goal_outcome.goal_source.split("+")
        trusts = [self._calibration.goal_reliability(name, goal_outcome.kind) for name in names]
        return self.proof * sum(trusts) / len(trusts)

    def update_all(self, vector: PlannerGoals, share: float, experience: Known) -> None:
        """Give the games all subgoals that are known; for `share` see `after_step`."""
        self._experience = experience
        self._update_planner(vector, share, is_whole=True)

    def instruct(self, vector: PlannerGoals, instruction: str) -> None:
        """Put a person's instruction into every query from now on, and ask everything again.

        Subgoals that were set without it are forgotten, the one that is being answered too.
        """
        self.instruction = instruction
        self._book = SubgoalBook()
        self._new.clear()
        self._partial.clear()
        self._is_outdated = not self._planner.is_open
        self._wait_steps = 0
        self._update_planner(vector, self._share, is_whole=True, asks_anew=True)

    def begin(self) -> None:
        """Start the planner, if it was not started yet."""
        if self._history is not None:
            self._uplift = self._history.planner_uplift()
        if not self._is_asking:
            self._is_asking = True
            self._planner.start()

    def after_step(
        self,
        vector: PlannerGoals,
        batch: Batch,
        *,
        share: float,
        total_steps: int,
        watched_env: int,
    ) -> None:
        """Take in goal outcomes and subgoals, and submit the next query if it is time.

        `share` is the share of the planning events that are the model's, by the strategy. The query
        of the watched environment comes first.
        """
        if batch.goal_outcomes:
            self._take_outcomes(batch.goal_outcomes, total_steps)
        self.collect()
        status = self.status
        all_answer = status is not None and status.state in ANSWERING and not status.absent
        if self._partial and all_answer:
            # What was decided without a model that is back now is asked again.
            self._book.forget(self._partial)
            self._partial.clear()
            self._update_planner(vector, share, is_whole=True)
        elif self._new or share != self._share:
            self._update_planner(vector, share)
        self._wait_steps -= 1
        is_due = self._wait_steps <= 0 and not self.is_paused
        if is_due and batch.wants_plan.any() and self._planner.is_open:
            self._ask(vector, np.flatnonzero(batch.wants_plan).tolist(), watched_env)

    def update_experience(self, vector: PlannerGoals, experience: Known) -> None:
        """Give the games the success of actions, by kind of situation."""
        self._experience = experience
        self._update_planner(vector, self._share)

    def count(self, summary: EpisodeSummary) -> None:
        """Take in an episode that ended; older evidence of the uplift fades."""
        self._summary.episode(summary)
        self._set_lately(self._lately.faded(DECAY))

    def close(self) -> None:
        """Close the planner."""
        self._planner.close()

    def save(self) -> dict[str, Any]:
        """Return the state as JSON-able facts, for `load`."""
        return {
            "planner": self._planner.save(),
            "plans": [subgoal_to_json(plan) for plan in self._book.plans],
            "partial": sorted(self._partial),
            "setters": [list(group) for group in self.goal_sources],
            "summary": self._summary.save(),
            "next_env": self._next_env,
            "lately": list(dataclasses.astuple(self._lately)),
        }

    def load(self, facts: Mapping[str, Any]) -> None:
        """Restore the state that `save` returned."""
        self._planner.load(facts["planner"])
        self._book = SubgoalBook()
        self._book.add([subgoal_from_json(one) for one in facts["plans"]])
        self._partial = {str(key) for key in facts.get("partial", ())}  # older ones have none
        self.goal_sources = [tuple(str(name) for name in group) for group in facts["setters"]]
        self._summary.load(facts["summary"])
        self._next_env = int(facts["next_env"])
        self._set_lately(Uplift(*(float(count) for count in facts["lately"])))

    def _take_outcomes(self, goal_outcomes: Sequence[GoalOutcome], total_steps: int) -> None:
        groups = {"+".join(group): group for group in self.goal_sources}
        lately = self._lately
        for goal_outcome in goal_outcomes:
            self._calibration.record_goal(goal_outcome, groups.get(goal_outcome.goal_source, ()))
            self._summary.add(goal_outcome)
            self._uplift, lately = (
                uplift.plus(
                    is_control=goal_outcome.is_control, made_progress=goal_outcome.made_progress
                )
                for uplift in (self._uplift, lately)
            )
            if self._history is not None:
                self._history.record_goal(goal_outcome)
            if self._exchanges is not None:
                self._exchanges.add_goal_outcome(goal_outcome)
            self.emit(GoalEvaluated(total_steps, goal_outcome))
        self._set_lately(lately)
        if self.status is not None:
            self._emit_status(self.status)

    def collect(self) -> None:
        """Take in the models' answers and status."""
        is_open = self._planner.is_open  # read first, so that no answer comes in between
        plans, events = self._planner.poll()
        if self._is_outdated:
            plans, self._is_outdated = [], not is_open
        for event in events:
            if isinstance(event, PlannerStatusChanged):
                self._emit_status(event)
            else:
                self.emit(event)
        if self.status is not None and self.status.absent:
            self._partial.update(plan.key for plan in plans)
        self._book.add(plans)
        self._new += plans
        if plans:
            self.goal_sources = with_goal_sources(self.goal_sources, plans)

    def _emit_status(self, status: PlannerStatusChanged) -> None:
        self.status = status
        low, high = self._uplift.interval
        self.emit(
            dataclasses.replace(
                status,
                uplift=self._uplift.value,
                uplift_low=low,
                uplift_high=high,
                followed=round(self._uplift.followed),
                ignored=round(self._uplift.ignored),
            )
        )

    def _update_planner(
        self, vector: PlannerGoals, share: float, *, is_whole: bool = False, asks_anew: bool = False
    ) -> None:
        self._share = share
        vector.update_planner(
            PlannerUpdate(
                is_on=True,
                model_share=share,
                holdout_fraction=self._settings.ignore_share,
                fallback=self._settings.fallback,
                goal_sources=goal_source_names(self.goal_sources),
                plans=self._book.plans if is_whole else tuple(self._new),
                is_whole=is_whole,
                experience=self._experience,
                asks_anew=asks_anew,
            )
        )
        self._new.clear()

    def _ask(self, vector: PlannerGoals, wanting: list[int], watched_env: int) -> None:
        """Submit the query of the watched environment, else of the next one in turn."""
        turn = sorted(wanting, key=lambda i: (i != watched_env, (i - self._next_env) % (1 << 16)))
        for index in turn[:_TRIES]:
            query = vector.question(index)
            self._next_env = index + 1
            if query is None:
                continue
            weights = {model: self._calibration.model_reliability(model) for model in self._models}
            notes = Notes(
                summary=self._summary.text(_SUMMARY_CHARACTERS), instruction=self.instruction
            )
            self._planner.submit(query, notes, weights)
            self._wait_steps = self._interval
            return
