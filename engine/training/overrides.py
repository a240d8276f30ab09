"""Hold a person's overrides of a running run: mode, strategy, goal, instruction and weights.

Each `set_` method changes one of them between two steps, or returns why it cannot.
"""

from collections.abc import Mapping
from typing import Any

from engine.agents.rules import RulesAgent
from engine.events import SteeringChanged
from engine.ground.numerals import is_number
from engine.planning.goals.adaptive import StrategyType
from engine.planning_types import UserOverrides
from engine.training.learning import Learning
from engine.training.reporter import TrainingReporter
from engine.training.state import RunState

_ALONE, _PLANNER_ALONE, _ADAPTIVE = "rl_only", "llm_only", "adaptive"
_MODES = (_ADAPTIVE, _ALONE, _PLANNER_ALONE)
_STRATEGIES = (_ADAPTIVE, *(strategy.value for strategy in StrategyType))
_FIXED_SHARES = {_ALONE: 0.0, _PLANNER_ALONE: 1.0}
_LONGEST_INSTRUCTION = 200

_NO_POLICY = "This run has no learning policy: start a new run for another mode."
_UNFIT_AGENTS: Mapping[str, str] = {
    "random": "The agent of this run plays at random in any mode.",
    "rules": _NO_POLICY,
    "hybrid": "This run's agent sets the mode: change `agent.mode` between two trainings.",
}


class RunOverrides:
    """What a person set, and the current values.

    Attributes:
        mode: adaptive, rl_only or llm_only.
        strategy: As set; adaptive lets the strategy system choose.
        goal: Key of the milestone that the rule planner pursues first, "" for none.
        instruction: A person's words to the language model, "" for none.
        weights: Of every reward component.
        changed: Names of the components whose weight was changed.
        stand_in: Acts in mode llm_only; None before that was set.
    """

    def __init__(self, state: RunState, learning: Learning, reporter: TrainingReporter) -> None:
        self.mode: str = state.config.mode
        self.strategy: str = state.config.strategy
        self.goal = ""
        self.instruction = ""
        self.weights = dict(state.vector.reward_weights)
        self.changed: dict[str, None] = {}
        self.stand_in: RulesAgent | None = None
        self._first_mode: str = state.config.mode
        self._state = state
        self._learning = learning
        self._reporter = reporter

    @property
    def overrides(self) -> UserOverrides:
        """Return the part that the games need to know."""
        has_begun_so = self.mode == self._first_mode
        return UserOverrides(
            goal=self.goal,
            is_advised=None if has_begun_so else self.mode != _ALONE,
            weights=tuple((name, self.weights[name]) for name in self.changed),
        )

    def describe(self) -> SteeringChanged:
        """Return it as an event."""
        return SteeringChanged(
            self.mode, self.strategy, self.goal, self.instruction, tuple(self.weights.items())
        )

    def save(self) -> dict[str, Any]:
        """Return the state as JSON-able facts, for `load`."""
        return {
            "mode": self.mode,
            "strategy": self.strategy,
            "goal": self.goal,
            "wish": self.instruction,
            "weights": {name: self.weights[name] for name in self.changed},
            "stand_in": self.stand_in.save()[0] if self.stand_in else None,
        }

    def load(self, facts: Mapping[str, Any]) -> None:
        """Apply what `save` returned, before the games are loaded."""
        self.mode, self.strategy = str(facts["mode"]), str(facts["strategy"])
        self.goal, self.instruction = str(facts["goal"]), str(facts["wish"])
        self.changed = dict.fromkeys(facts["weights"])
        self.weights.update({name: float(weight) for name, weight in facts["weights"].items()})
        self.stand_in = None
        if facts["stand_in"] is not None:
            self.stand_in = RulesAgent(0)
            self.stand_in.load(facts["stand_in"], {})
        if self.overrides != UserOverrides():
            self._state.vector.override(self.overrides)
        if self.mode != self._state.config.mode:
            self._apply_mode()
        if self._learning.planning is not None:
            self._learning.planning.instruction = self._words()

    def set_mode(self, mode: str) -> str:
        """Let planner and policy act together, or one alone; return why not, or ""."""
        if mode not in _MODES:
            return f"Unknown mode {mode!r}; allowed values: {', '.join(_MODES)}."
        if mode == self.mode:
            return f"The mode is already {mode}."
        if self._learning.agent.name in _UNFIT_AGENTS:
            return _UNFIT_AGENTS[self._learning.agent.name]
        planning = self._learning.planning
        if mode == _PLANNER_ALONE and planning is None and not self._state.known_goals:
            return (
                "llm_only needs a planner: this game has no rules, and "
                "no language model is asked. Resume the run with --llm-model NAME."
            )
        self.mode = mode
        if mode == _PLANNER_ALONE:
            for env_index in range(self._state.vector.num_envs):
                self._learning.truncate_trajectory(env_index)
        self._apply_mode()
        self._state.vector.override(self.overrides)
        text = f"mode {mode}, set by you"
        if mode != _ALONE and planning is None and self._state.config.llm_model:
            text += (
                "; the rules advise: only a run started with a planner queries the language model"
            )
        self._publish(text)
        self._reporter.emit(self._learning.curriculum.describe())
        return ""

    def set_strategy(self, name: str) -> str:
        """Fix how far the planner is followed, or let the strategy system choose."""
        if name not in _STRATEGIES:
            return f"Unknown strategy {name!r}; allowed values: {', '.join(_STRATEGIES)}."
        if self.mode == _ALONE:
            return "Mode rl_only ignores the planner. Change the mode first."
        if self._learning.curriculum.fixed_share is not None and self._learning.planning is None:
            return "Only the planner acts in this run, so a strategy has no effect."
        self.strategy = name
        strategy, curriculum = self._learning.strategy, self._learning.curriculum
        strategy.force_strategy(None if name == _ADAPTIVE else StrategyType(name))
        if strategy.forced is not None:
            curriculum.forced_share = strategy.forced.planner_share
        else:
            if curriculum.stage.preference is not None:
                curriculum.follow(strategy.current.planner_share)
            curriculum.forced_share = None
        for switch in strategy.pop_switches():
            self._reporter.strategy_switched(switch)
        self._publish(f"strategy {name}, set by you")
        self._reporter.emit(curriculum.describe())
        return ""

    def set_goal(self, milestone: str) -> str:
        """Have the rule planner pursue a milestone before all others; "" cancels that."""
        texts = self._state.milestone_texts
        if milestone and milestone not in texts:
            return f"There is no milestone {milestone!r}."
        if self._learning.agent.name == "random":
            return "The agent of this run plays at random and follows no goal."
        if self.mode == _ALONE:
            return "Mode rl_only ignores goals. Change the mode first."
        text = texts.get(milestone, "")
        if milestone and milestone not in self._state.known_goals:
            return f"The rules cannot reach this goal: {text}."
        if milestone in self._reporter.milestones:
            return f"Already reached in the watched episode: {text}."
        if milestone == self.goal:
            return f"This is already the goal: {text}." if text else "You have not set a goal."
        self.goal = milestone
        self._state.vector.override(self.overrides)
        self._instruct_models()
        self._publish(f"goal set by you: {text}" if milestone else "your goal was cleared")
        return ""

    def set_instruction(self, text: str) -> str:
        """Instruct the language model in words; "" cancels that."""
        text = " ".join(text.split())
        if self._learning.planning is None:
            return "No language model is asked in this run. Resume it with --llm-model NAME."
        if self.mode == _ALONE:
            return "Mode rl_only asks no language model. Change the mode first."
        if len(text) > _LONGEST_INSTRUCTION:
            return f"{len(text)} characters; the maximum is {_LONGEST_INSTRUCTION}."
        self.instruction = text
        self._instruct_models()
        self._publish(f"your instruction: {text}" if text else "your instruction was cleared")
        return ""

    def set_weight(self, component: str, weight: float) -> str:
        """Change a reward component's weight from the next step on."""
        if component not in self.weights:
            return f"Unknown reward component {component!r}; known: {', '.join(self.weights)}."
        if not is_number(weight):
            return "A weight must be a finite number, of at most 1e15."
        before, self.weights[component] = self.weights[component], float(weight)
        self.changed[component] = None
        self._state.vector.override(self.overrides)
        self._publish(
            f"weight of {component} changed from {before:g} to {weight:g}: later returns do not "
            "compare with earlier ones; evaluations keep the run's original weights"
        )
        return ""

    def _apply_mode(self) -> None:
        self._learning.curriculum.fixed_share = _FIXED_SHARES.get(self.mode)
        self._learning.actor = self._learning.agent
        if self.mode == _PLANNER_ALONE:
            self.stand_in = self.stand_in or RulesAgent(self._state.config.seed)
            self._learning.actor = self.stand_in
        if self._learning.planning is not None:
            self._learning.planning.is_paused = self.mode == _ALONE

    def _instruct_models(self) -> None:
        if self._learning.planning is not None:
            self._learning.planning.instruct(self._state.vector, self._words())

    def _words(self) -> str:
        """Return instruction and goal in words for the language model."""
        goal = self._state.milestone_texts.get(self.goal, "")
        first = f"{goal} before all else" if goal else ""
        return "; ".join(part for part in (self.instruction, first) if part)

    def _publish(self, text: str) -> None:
        self._reporter.say("run", text)
        self._reporter.emit(self.describe())
