"""Play episodes from the true start without learning, to see what was learnt.

In training the policy plays alone, in separate environments and with separate random numbers: a run
with evaluations takes the same steps as one without. Every evaluation uses the same seeds, so that
two of them differ by the policy and not by the game's luck. An episode depends on the seed and its
number alone, not on what is played beside it: the first eight of thirty are those of an evaluation
of eight, but for the network's rounding in batches of another size.
"""

import dataclasses
import statistics
from collections import deque
from collections.abc import Callable, Iterable, Sequence
from typing import Any

import numpy as np

from engine.agents.base import ActionBatch, Guidance, PolicyFunction
from engine.agents.rollout import FloatArray
from engine.config import RunConfig
from engine.env.batch import STAND_STILL, Batch
from engine.env.world import Playable, Restarts
from engine.types import EpisodeSummary, Evaluation

ALONE = Guidance(planner_share=0.0, needed_confidence=0.0)

_MAX_ENVS = 64


def evaluation_config(config: RunConfig, episodes: int) -> RunConfig:
    """Return the settings of an evaluation's environments: the run's, with one per episode.

    The agent `explore` becomes `random`, so that their episodes have limits.
    """
    agent = "random" if config.agent == "explore" else config.agent
    num_envs = min(episodes, _MAX_ENVS)
    workers = min(config.worker_count(), num_envs)
    return config.model_copy(update={"agent": agent, "num_envs": num_envs, "workers": workers})


def evaluation_seed(config: RunConfig) -> int:
    """Return the seed of an evaluation, which no part of the training uses."""
    return int(np.random.SeedSequence([config.seed, 6]).generate_state(1)[0] % 2**31)


class EpisodeDraws(np.random.Generator):
    """Draw each row's random numbers from a generator of the episode that is played there.

    A policy takes it as its seed: `default_rng` returns a generator as it is.
    """

    def __init__(self, seed: int, num_envs: int) -> None:
        super().__init__(np.random.PCG64(seed))
        self._seed = seed
        self._rows = [np.random.default_rng(seed)] * num_envs

    def begin(self, row: int, episode: int) -> None:
        """Begin with the numbers of an episode in this row."""
        self._rows[row] = np.random.default_rng([self._seed, episode])

    def random(self, size: Any) -> Any:  # type: ignore[override]
        """Return numbers from 0 to 1; the first axis of the rows' length is the rows'."""
        shape = np.atleast_1d(size).tolist()
        axis = shape.index(len(self._rows))
        del shape[axis]
        return np.stack([row.random(shape) for row in self._rows], axis)


def evaluate(
    make_player: Callable[[int], PolicyFunction],
    vector: Playable,
    config: RunConfig,
    episodes: int,
    guidance: Guidance = ALONE,
    may_go_on: Callable[[], bool] = lambda: True,
    report: Callable[[int], None] = lambda done: None,
    milestones: Iterable[str] = (),
) -> Evaluation | None:
    """Play episodes by a policy that is made from the evaluation's seed, and sum them up.

    `milestones` are the keys of all that the game has; for the rest see `play_episodes`.
    """
    seed = evaluation_seed(config)
    worth: list[FloatArray] = []
    played = play_episodes(
        make_player(seed), vector, episodes, seed, guidance, may_go_on, report, worth=worth
    )
    return summarise(played, milestones, worth) if played else None


def play_episodes(
    player: PolicyFunction,
    vector: Playable,
    episodes: int,
    seed: int,
    guidance: Guidance = ALONE,
    may_go_on: Callable[[], bool] = lambda: True,
    report: Callable[[int], None] = lambda done: None,
    *,
    draws: EpisodeDraws | None = None,
    worth: list[FloatArray] | None = None,
    patience: int = 0,
) -> list[EpisodeSummary] | None:
    """Play and return episodes; None if `may_go_on`, which is asked before every step, said no.

    The environments need not be reset. Where the world lacks the power `Restarts`, the seed decides
    the first episodes alone.

    Args:
        player: Chooses the actions.
        vector: Where it plays.
        episodes: How many.
        seed: Each episode's seed is made from it.
        guidance: What the player is given beside the observations.
        may_go_on: Whether to take another step.
        report: Called with how many are played, whenever one has ended.
        draws: What the player draws from, if each episode has random numbers of its own.
        worth: Collects the values of all actions taken, if the policy has any.
        patience: Steps without anything new after which an episode ends, where the world has the
            power `Restarts`; 0: none.
    """
    schedule = _Schedule(vector, episodes, seed, report, draws, patience)
    batch = schedule.begin()
    while schedule.playing:
        if not may_go_on():
            return None
        action_batch = player(batch, guidance)
        if worth is not None and action_batch.q_values is not None:
            worth.append(action_batch.q_values[list(schedule.playing)])
        batch = schedule.step(action_batch, batch)
    return [schedule.played[number] for number in range(episodes)]


class _Schedule:
    """Let each environment play the next episode that is due, until all are over.

    All that begin are counted, so that short ones do not count more often than long ones.

    Attributes:
        playing: Number of the episode by environment.
        played: Summaries of those that are over, by number.
    """

    def __init__(
        self,
        vector: Playable,
        episodes: int,
        seed: int,
        report: Callable[[int], None],
        draws: EpisodeDraws | None,
        patience: int,
    ) -> None:
        self._patience = patience
        self._vector, self._report, self._draws = vector, report, draws
        self._restarts = vector if isinstance(vector, Restarts) else None
        self._due = deque(range(episodes))
        count = max(episodes, vector.num_envs)
        self._seeds = (np.random.SeedSequence(seed).generate_state(count) % 2**31).tolist()
        self._planned, self._by_model = np.zeros((2, vector.num_envs), np.int64)
        self._is_new = np.zeros(vector.num_envs, np.bool_)
        self.playing: dict[int, int] = {}
        self.played: dict[int, EpisodeSummary] = {}

    def begin(self) -> Batch:
        """Start the first episodes."""
        rows = range(self._vector.num_envs)
        seeds = self._assign(rows)
        if self._restarts is None:
            return self._vector.reset(self._seeds[: len(rows)])
        return self._settled(self._restarts.restart(seeds, patience=self._patience))

    def step(self, action_batch: ActionBatch, batch: Batch) -> Batch:
        """Act where an episode is played; return what the player sees next."""
        self._planned += action_batch.is_planned
        self._by_model += action_batch.by_model(batch)
        actions = action_batch.actions.copy()
        if self._restarts is not None:
            actions[[row for row in range(len(actions)) if row not in self.playing]] = STAND_STILL
        self._is_new[:] = False
        return self._settled(self._vector.step(actions))

    def _settled(self, batch: Batch) -> Batch:
        """Count what has ended, and start what is due there, which may fail at once."""
        while ended := [row for row in sorted(batch.summaries) if row in self.playing]:
            for row in ended:
                self._end(row, batch.summaries[row])
            seeds = self._assign(ended)
            if self._restarts is None or not seeds:
                break
            batch = self._restarts.restart(seeds, patience=self._patience)
        return dataclasses.replace(batch, truncated=batch.truncated | self._is_new)

    def _assign(self, rows: Iterable[int]) -> dict[int, int]:
        """Let these environments play what is due; return the seeds, by environment."""
        seeds = {}
        for row, _ in zip(rows, range(len(self._due)), strict=False):
            number = self.playing[row] = self._due.popleft()
            seeds[row] = self._seeds[number]
            self._planned[row] = self._by_model[row] = 0
            self._is_new[row] = True
            if self._draws is not None:
                self._draws.begin(row, number)
        return seeds

    def _end(self, row: int, summary: EpisodeSummary) -> None:
        number, length = self.playing.pop(row), max(1, summary.length)
        if summary.is_aborted:
            self._due.appendleft(number)
            return
        self.played[number] = dataclasses.replace(
            summary,
            planner_share=float(self._planned[row] / length),
            llm_share=float(self._by_model[row] / length),
        )
        self._report(len(self.played))


def usage_of(played: Sequence[EpisodeSummary]) -> tuple[float, float]:
    """Return the shares of all decisions that a language model and that the rules made."""
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

    Without the keys of the game's `milestones` the share that was reached stays unknown.
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
