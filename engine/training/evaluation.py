"""Play episodes from the true start without learning, to see what was learnt.

In training the policy plays alone, in environments of its own and with random numbers of its own:
a run with evaluations takes the same steps as one without. The same seeds come again in every
evaluation, so that two of them differ by the policy and not by the game's luck.
"""

import dataclasses
import statistics
from collections.abc import Callable, Iterable, Sequence

import numpy as np

from engine.agents.base import ActionBatch, Guidance, Player
from engine.agents.rollout import FloatArray
from engine.config import RunConfig
from engine.env.batch import Batch
from engine.types import EpisodeSummary, Evaluation
from engine.world import Playable

ALONE = Guidance(planner_share=0.0, needed_confidence=0.0)

_MAX_ENVS = 8


def evaluation_config(config: RunConfig, episodes: int) -> RunConfig:
    """Return the settings of the environments for an evaluation: a few, like the run's.

    Nobody explores in them: their episodes have limits.
    """
    agent = "random" if config.agent == "explore" else config.agent
    num_envs = min(episodes, config.num_envs, _MAX_ENVS)
    workers = min(config.worker_count(), num_envs)
    return config.model_copy(update={"agent": agent, "num_envs": num_envs, "workers": workers})


def evaluation_seed(config: RunConfig) -> int:
    """Return the seed of an evaluation, which no part of the training has."""
    return int(np.random.SeedSequence([config.seed, 6]).generate_state(1)[0] % 2**31)


def evaluate(
    make_player: Callable[[int], Player],
    vector: Playable,
    config: RunConfig,
    episodes: int,
    guidance: Guidance = ALONE,
    may_go_on: Callable[[], bool] = lambda: True,
    report: Callable[[int], None] = lambda done: None,
    milestones: Iterable[str] = (),
) -> Evaluation | None:
    """Sum up what a player made from the evaluation's seed does; the rest is as `play_episodes`.

    `milestones` are the keys of all that the game has.
    """
    seed = evaluation_seed(config)
    player = make_player(seed)
    worth: list[FloatArray] = []

    def play(batch: Batch, guidance: Guidance) -> ActionBatch:
        action_batch = player(batch, guidance)
        if action_batch.q_values is not None:
            worth.append(action_batch.q_values)
        return action_batch

    played = play_episodes(play, vector, episodes, seed, guidance, may_go_on, report)
    return summarise(played, milestones, worth) if played else None


def play_episodes(
    player: Player,
    vector: Playable,
    episodes: int,
    seed: int,
    guidance: Guidance = ALONE,
    may_go_on: Callable[[], bool] = lambda: True,
    report: Callable[[int], None] = lambda done: None,
) -> list[EpisodeSummary] | None:
    """Play and return episodes; None if `may_go_on`, which is asked before every step, said no.

    Every environment plays its share of them, whoever is first: short episodes must not count more
    often than long ones. The environments may be at whatever point; the seed is of the games.
    `report` is called with how many are played, whenever one has ended.
    """
    due, more = np.divmod(np.full(vector.num_envs, episodes), vector.num_envs)
    due += np.arange(vector.num_envs) < more
    planned, by_model = np.zeros((2, vector.num_envs), np.int64)
    seeds = np.random.SeedSequence(seed).generate_state(vector.num_envs) % 2**31
    batch = vector.reset(seeds.tolist())
    played: list[EpisodeSummary] = []
    while due.any():
        if not may_go_on():
            return None
        action_batch = player(batch, guidance)
        planned += action_batch.is_planned
        by_model += action_batch.by_model(batch)
        batch = vector.step(action_batch.actions)
        for index, summary in sorted(batch.summaries.items()):
            length = max(1, summary.length)
            counted = dataclasses.replace(
                summary,
                planner_share=float(planned[index] / length),
                llm_share=float(by_model[index] / length),
            )
            planned[index] = by_model[index] = 0
            if due[index] and not summary.is_aborted:
                due[index] -= 1
                played.append(counted)
                report(len(played))
    return played


def usage_of(played: Sequence[EpisodeSummary]) -> tuple[float, float]:
    """Return the shares of all decisions that a language model, and that the rules decided."""
    steps = max(1, sum(summary.length for summary in played))
    by_model = sum(summary.llm_share * summary.length for summary in played)
    planned = sum(summary.planner_share * summary.length for summary in played)
    return by_model / steps, max(0.0, planned - by_model) / steps


def summarise(
    played: Sequence[EpisodeSummary],
    milestones: Iterable[str] = (),
    q_values: Sequence[FloatArray] = (),
) -> Evaluation:
    """Sum up at least one episode.

    Without the keys of the game's `milestones` nobody can say what share of them was reached.
    `q_values` are those of all actions that were taken.
    """
    rewards = [summary.total_reward for summary in played]
    lengths = [summary.length for summary in played]
    llm_usage, rules_usage = usage_of(played)
    known = tuple(milestones)
    reached = (key for summary in played for key in summary.steps_to_milestone)
    shares = {
        key: statistics.fmean(key in summary.steps_to_milestone for summary in played)
        for key in dict.fromkeys((*known, *reached))
    }
    worth = np.concatenate(q_values) if q_values else None
    return Evaluation(
        episodes=len(played),
        avg_reward=statistics.fmean(rewards),
        std_reward=statistics.pstdev(rewards),
        avg_length=statistics.fmean(lengths),
        avg_llm_usage=llm_usage,
        avg_rules_usage=rules_usage,
        success_rate=statistics.fmean(summary.is_success for summary in played),
        milestones=shares,
        milestone_rate=sum(shares.values()) / len(known) if known else None,
        avg_q_value=None if worth is None else float(worth.mean()),
        std_q_value=None if worth is None else float(worth.std()),
    )
