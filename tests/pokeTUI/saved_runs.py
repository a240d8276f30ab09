"""Saved runs that never ran: settings, and a journal by the writer that real runs have."""

from collections.abc import Iterable
from pathlib import Path
from typing import Any

import numpy as np

from engine.config import RunConfig
from engine.events import EpisodeEnded, EvaluationEnded, Event
from engine.runs.folder import RunFolder
from engine.runs.journal import Journal
from engine.types import EpisodeSummary, Evaluation

LENGTH = 100
"""Steps of an episode."""


def episode(number: int, total: float, *milestones: str, is_success: bool = False) -> EpisodeEnded:
    summary = EpisodeSummary(
        0, total, LENGTH, (), dict.fromkeys(milestones, 7), is_success=is_success
    )
    return EpisodeEnded(number, number * LENGTH, summary)


def evaluated(number: int, successes: int) -> EvaluationEnded:
    return EvaluationEnded(
        number, number * LENGTH, Evaluation(10, 50.0, 1.0, 90.0, 0.0, successes / 10)
    )


def write_run(save_dir: Path, name: str, events: Iterable[Event], **settings: Any) -> str:
    """Write a run that is called `name`, and return that."""
    folder = RunFolder.create(RunConfig(save_dir=str(save_dir), **settings))
    folder.unlock()
    journal = Journal(folder.journal_path)
    for event in events:
        journal.take(event)
    journal.close()
    folder.path.rename(folder.path.with_name(name))
    return name


def learn(agent: str, seed: int, *, episodes: int = 60) -> list[Event]:
    """Return how an agent learns, one better than the other, each seed a little otherwise."""
    best = {"ppo": 100.0, "dqn": 60.0}[agent] + 10 * seed
    shares = 1 - np.exp(-4 * np.arange(1, episodes + 1) / episodes)
    events: list[Event] = []
    for number, share in enumerate(shares.tolist(), start=1):
        is_success = number * best % 100 < best * share
        events.append(episode(number, best * share, is_success=is_success))
        if number % 20 == 0:
            events.append(evaluated(number, round(share * best / 20)))
    return events


def write_seeds(save_dir: Path, *, seeds: int = 3) -> list[str]:
    """Write runs of two agents with several seeds each."""
    return [
        write_run(save_dir, f"{agent}-{seed}", learn(agent, seed), agent=agent, seed=seed)
        for agent in ("ppo", "dqn")
        for seed in range(1, seeds + 1)
    ]
