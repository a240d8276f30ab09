"""Hold what a person changes of a run while it goes on: mode, strategy, goal, wish and weights.

Each function changes one of them in a trainer between two steps, or returns why it cannot.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from engine.agents.rules import RulesAgent
from engine.events import SteeringChanged
from engine.plans import Orders
from engine.strategy.performance import StrategyType

if TYPE_CHECKING:
    from engine.config import RunConfig
    from engine.training.trainer import Trainer

_ALONE, _PLANNER_ALONE, _ADAPTIVE = "rl_only", "llm_only", "adaptive"
_MODES = (_ADAPTIVE, _ALONE, _PLANNER_ALONE)
_STRATEGIES = (_ADAPTIVE, *(strategy.value for strategy in StrategyType))
_FIXED_SHARES = {_ALONE: 0.0, _PLANNER_ALONE: 1.0}
_LONGEST_WISH = 200

_NO_POLICY = "This run has no policy that learns: begin a new one for another mode."
_UNFIT_AGENTS: Mapping[str, str] = {
    "random": "The agent of this run plays at random, whatever the mode.",
    "rules": _NO_POLICY,
    "hybrid": "The mode of this run is its agent's: set `agent.mode` between two trainings.",
}


@dataclass(slots=True)
class Course:
    """What holds now.

    Attributes:
        mode: adaptive, rl_only or llm_only.
        strategy: As set: adaptive lets the strategy system choose.
        goal: Key of the milestone that the rule planner pursues first, "" for none.
        wish: What the language model was told, "" for nothing.
        weights: Of every reward component.
        changed: Names of the components whose weight was changed.
        stand_in: Acts where the mode leaves the policy out; None before that was wanted.
    """

    mode: str
    strategy: str
    goal: str = ""
    wish: str = ""
    weights: dict[str, float] = field(default_factory=dict)
    changed: dict[str, None] = field(default_factory=dict)
    stand_in: RulesAgent | None = None
    _first_mode: str = ""

    @classmethod
    def of(cls, config: RunConfig, weights: tuple[tuple[str, float], ...]) -> Course:
        """Return the course that the settings give."""
        return cls(config.mode, config.strategy, weights=dict(weights), _first_mode=config.mode)

    @property
    def orders(self) -> Orders:
        """Return what the games are to know of it."""
        has_begun_so = self.mode == self._first_mode
        return Orders(
            goal=self.goal,
            is_advised=None if has_begun_so else self.mode != _ALONE,
            weights=tuple((name, self.weights[name]) for name in self.changed),
        )

    def describe(self) -> SteeringChanged:
        """Return it as an event."""
        return SteeringChanged(
            self.mode, self.strategy, self.goal, self.wish, tuple(self.weights.items())
        )

    def save(self) -> dict[str, Any]:
        """Return JSON-able facts from which `load` goes on."""
        return {
            "mode": self.mode,
            "strategy": self.strategy,
            "goal": self.goal,
            "wish": self.wish,
            "weights": {name: self.weights[name] for name in self.changed},
            "stand_in": self.stand_in.save()[0] if self.stand_in else None,
        }

    def load(self, facts: Mapping[str, Any]) -> None:
        """Take back what `save` returned."""
        self.mode, self.strategy = str(facts["mode"]), str(facts["strategy"])
        self.goal, self.wish = str(facts["goal"]), str(facts["wish"])
        self.changed = dict.fromkeys(facts["weights"])
        self.weights.update({name: float(weight) for name, weight in facts["weights"].items()})
        self.stand_in = None
        if facts["stand_in"] is not None:
            self.stand_in = RulesAgent(0)
            self.stand_in.load(facts["stand_in"], {})


def resume_course(trainer: Trainer, facts: Mapping[str, Any]) -> None:
    """Put the course of a checkpoint in force, before the games are loaded."""
    course = trainer.course
    course.load(facts)
    if course.orders != Orders():
        trainer.vector.order(course.orders)
    if course.mode != trainer.config.mode:
        _put_mode_in_force(trainer)
    if trainer.planning is not None:
        trainer.planning.wish = _words(trainer)


def set_mode(trainer: Trainer, mode: str) -> str:
    """Let planner and policy act together, or one alone; return why not, or ""."""
    course = trainer.course
    if mode not in _MODES:
        return f"There is no mode {mode!r}: {', '.join(_MODES)}."
    if mode == course.mode:
        return f"The mode is {mode} already."
    if trainer.agent.name in _UNFIT_AGENTS:
        return _UNFIT_AGENTS[trainer.agent.name]
    if mode == _PLANNER_ALONE and trainer.planning is None and not trainer.known_goals:
        return (
            "Without a policy somebody must know the way: in this game the rules do not, and no "
            "language model is asked. Resume the run with --llm-model NAME."
        )
    course.mode = mode
    if mode == _PLANNER_ALONE:
        for env_index in range(trainer.vector.num_envs):
            trainer.agent.cut(env_index, trainer.batch)
    _put_mode_in_force(trainer)
    trainer.vector.order(course.orders)
    text = f"mode {mode}, set by you"
    if mode != _ALONE and trainer.planning is None and trainer.config.llm_model:
        text += "; rules advise: the language model is asked in runs that begin with a planner"
    _tell(trainer, "run", text)
    trainer.emit(trainer.curriculum.describe())
    return ""


def set_strategy(trainer: Trainer, name: str) -> str:
    """Fix how far the planner is followed, or let the strategy system choose."""
    if name not in _STRATEGIES:
        return f"There is no strategy {name!r}: {', '.join(_STRATEGIES)}."
    if trainer.course.mode == _ALONE:
        return "In mode rl_only nobody follows the planner. Change the mode first."
    if trainer.curriculum.fixed_share is not None and trainer.planning is None:
        return "Nobody but the planner acts in this run, so no strategy has a say."
    trainer.course.strategy = name
    strategy, curriculum = trainer.strategy, trainer.curriculum
    strategy.force_strategy(None if name == _ADAPTIVE else StrategyType(name))
    if strategy.forced is not None:
        curriculum.forced_share = strategy.forced.planner_share
    else:
        if curriculum.stage.preference is not None:
            curriculum.follow(strategy.current.planner_share)
        curriculum.forced_share = None
    for switch in strategy.pop_switches():
        trainer.emit(switch)
        trainer.reporter.strategy_switched(switch)
    _tell(trainer, "run", f"strategy {name}, set by you")
    trainer.emit(curriculum.describe())
    return ""


def set_goal(trainer: Trainer, milestone: str) -> str:
    """Have the rule planner pursue a milestone before all others; "" takes that back."""
    texts = trainer.milestone_texts
    if milestone and milestone not in texts:
        return f"There is no milestone {milestone!r}."
    if trainer.agent.name == "random":
        return "The agent of this run plays at random and follows no goal."
    if trainer.course.mode == _ALONE:
        return "In mode rl_only nobody follows a goal. Change the mode first."
    text = texts.get(milestone, "")
    if milestone and milestone not in trainer.known_goals:
        return f"The rules know no way to this: {text}."
    if milestone in trainer.reporter.milestones:
        return f"This is reached already in the watched episode: {text}."
    if milestone == trainer.course.goal:
        return f"This is the goal already: {text}." if milestone else "There is no goal of yours."
    trainer.course.goal = milestone
    trainer.vector.order(trainer.course.orders)
    _tell_models(trainer)
    _tell(trainer, "run", f"goal set by you: {text}" if milestone else "your goal is taken back")
    return ""


def wish(trainer: Trainer, text: str) -> str:
    """Tell the language model in words what is wanted; "" takes that back."""
    text = " ".join(text.split())
    if trainer.planning is None:
        return "No language model is asked in this run. Resume it with --llm-model NAME."
    if trainer.course.mode == _ALONE:
        return "In mode rl_only no language model is asked. Change the mode first."
    if len(text) > _LONGEST_WISH:
        return f"At most {_LONGEST_WISH} characters, these are {len(text)}."
    trainer.course.wish = text
    _tell_models(trainer)
    _tell(trainer, "run", f"your wish: {text}" if text else "your wish is taken back")
    return ""


def set_weight(trainer: Trainer, component: str, weight: float) -> str:
    """Let a reward component count otherwise from the next step on."""
    course = trainer.course
    if component not in course.weights:
        return f"There is no reward component {component!r}: {', '.join(course.weights)}."
    if not math.isfinite(weight):
        return "A weight is a finite number."
    before, course.weights[component] = course.weights[component], float(weight)
    course.changed[component] = None
    trainer.vector.order(course.orders)
    _tell(
        trainer,
        "run",
        f"{component} counts {weight:g} after {before:g}: returns from now on do not compare with "
        "those before; evaluations keep the weights that the run began with",
    )
    return ""


def _put_mode_in_force(trainer: Trainer) -> None:
    course = trainer.course
    trainer.curriculum.fixed_share = _FIXED_SHARES.get(course.mode)
    trainer.actor = trainer.agent
    if course.mode == _PLANNER_ALONE:
        course.stand_in = course.stand_in or RulesAgent(trainer.config.seed)
        trainer.actor = course.stand_in
    if trainer.planning is not None:
        trainer.planning.is_paused = course.mode == _ALONE


def _tell_models(trainer: Trainer) -> None:
    if trainer.planning is not None:
        trainer.planning.want(trainer.vector, _words(trainer))


def _words(trainer: Trainer) -> str:
    """Return goal and wish as a language model is told."""
    course = trainer.course
    goal = trainer.milestone_texts.get(course.goal, "")
    first = f"{goal} before all else" if goal else ""
    return "; ".join(part for part in (course.wish, first) if part)


def _tell(trainer: Trainer, source: str, text: str) -> None:
    trainer.reporter.say(source, text)
    trainer.emit(trainer.course.describe())
