"""Sum a training up as documented, from what its journal holds."""

import dataclasses
import statistics
from collections.abc import Iterable
from typing import TypedDict

from engine.agents.evaluation import usage_of
from engine.events import CurriculumChanged, EpisodeEnded, Event, StrategySwitched
from engine.planning.goals.adaptive import WINDOW
from engine.types import EpisodeSummary, Evaluation


class EvaluationSummary(TypedDict):
    """How episodes were played without learning; the documented keys."""

    avg_reward: float
    std_reward: float
    avg_length: float
    avg_llm_usage: float
    avg_rules_usage: float


class ModelCounts(TypedDict):
    """The result of asking language models, in the whole training."""

    llm_asked: int
    llm_answered: int
    """Of them; what the others brought was nothing, or of no use."""
    llm_failed: int
    llm_error: str
    """Why the last question, or the server, brings nothing; "" while all is well."""


NOBODY_ASKED: ModelCounts = {"llm_asked": 0, "llm_answered": 0, "llm_failed": 0, "llm_error": ""}


class SystemFigures(TypedDict):
    """How fast the last call trained, and what it took."""

    episodes_per_hour: float
    memory_bytes: int
    """Of the process and its children at the end; 0 where the system does not say."""
    decision_db_bytes: int
    """Of the decision database, with its write-ahead log; 0 where there is none."""
    decision_db_growth_bytes: int


class TrainingSummary(TypedDict):
    """How a training went, over all its starts; the documented keys."""

    total_episodes: int
    total_steps: int
    best_reward: float
    """Of an episode; 0 where none has ended."""
    final_avg_reward: float
    """Over the last ten episodes."""
    curriculum_stage_reached: int
    """The highest, 1-based."""
    curriculum_advancements: int
    strategy_switches: int
    final_evaluation: EvaluationSummary
    """Of the agent as it acts at the end: the planner has its share of the decisions."""
    final_policy_evaluation: EvaluationSummary | None
    """Of the learnt policy alone, in the same games; None where nothing learns."""
    avg_episode_length: float
    avg_llm_usage: float
    """Share of all decisions for which a language model made the difference: by its answer, or by
    the goal that it had set."""
    avg_rules_usage: float
    """Likewise the rules."""
    llm_asked: int
    llm_answered: int
    llm_failed: int
    llm_error: str
    episodes_per_hour: float
    memory_bytes: int
    decision_db_bytes: int
    decision_db_growth_bytes: int


def summarise_training(
    events: Iterable[Event],
    total_steps: int,
    led: Evaluation,
    alone: Evaluation | None,
    counts: ModelCounts,
    system: SystemFigures,
) -> TrainingSummary:
    """Return the summary.

    Args:
        events: All that the journal holds, in order.
        total_steps: Also those of episodes that have not ended.
        led: Evaluation of the agent at the end, with as much advice as then.
        alone: Evaluation of the policy without any; None where there is no policy.
        counts: Of language models.
        system: Speed and sizes.
    """
    played: list[EpisodeSummary] = []
    switches = advancements = 0
    stage = highest = 1
    for event in events:
        match event:
            case EpisodeEnded(summary=summary):
                # The inputs of all episodes together are too much to keep.
                played.append(dataclasses.replace(summary, recording=""))
            case CurriculumChanged(stage=new):
                advancements += new > stage
                stage, highest = new, max(highest, new)
            case StrategySwitched():
                switches += 1
    total_episodes = len(played)
    played = [summary for summary in played if not summary.start]
    rewards = [summary.total_reward for summary in played]
    by_model, by_rules = usage_of(played)
    return {
        "total_episodes": total_episodes,
        "total_steps": total_steps,
        "best_reward": max(rewards, default=0.0),
        "final_avg_reward": statistics.fmean(rewards[-WINDOW:] or [0.0]),
        "curriculum_stage_reached": highest,
        "curriculum_advancements": advancements,
        "strategy_switches": switches,
        "final_evaluation": _documented(led),
        "final_policy_evaluation": None if alone is None else _documented(alone),
        "avg_episode_length": statistics.fmean([summary.length for summary in played] or [0]),
        "avg_llm_usage": by_model,
        "avg_rules_usage": by_rules,
        **counts,
        **system,
    }


def _documented(evaluation: Evaluation) -> EvaluationSummary:
    return {
        "avg_reward": evaluation.avg_reward,
        "std_reward": evaluation.std_reward,
        "avg_length": evaluation.avg_length,
        "avg_llm_usage": evaluation.avg_llm_usage,
        "avg_rules_usage": evaluation.avg_rules_usage,
    }
