"""Summarise saved runs in a few figures, so that they can be compared.

A cloned policy has a journal as well, of epochs or rounds of DAgger.
"""

import json
import statistics
from collections import deque
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from engine.events import EpisodeEnded, EvaluationEnded, Event, PolicyUpdated
from engine.runs.folder import RunFolder
from engine.runs.journal import read_journal
from engine.runs.metrics import metrics_of
from engine.runs.policy_folders import find_saved
from engine.runs.settings import SESSION_KEYS, flat, read_settings
from engine.types import EpisodeSummary

WINDOW = 30
"""Last episodes over which return and success are taken."""

_SHOWN_AS = {"curriculum/planner_share": "curriculum/planner_weight"}
"""Tags with another name where they are shown: "planner share" is the share of decisions."""


@dataclass(frozen=True, slots=True)
class RunDigest:
    """A run in figures; its episodes are those from the true start.

    Attributes:
        settings: By dotted key, the values as JSON; without those of the session.
        first_steps: Milestone key to the run's steps at the end of the first episode with it.
        recent: How many episodes `recent_return` and `recent_successes` are over.
        evaluation: The last one of the policy alone.
        figures: Of a cloned policy's last epoch, or round of DAgger; empty for a run.
    """

    run_id: str
    settings: Mapping[str, str]
    total_steps: int
    episodes: int
    updates: int
    first_steps: Mapping[str, int]
    recent: int
    recent_return: float
    recent_successes: int
    evaluation: EvaluationEnded | None
    figures: Mapping[str, float]


def saved_curves(
    save_dir: str, name: str, warn: Callable[[str], None] = lambda text: None
) -> tuple[str, dict[str, list[float]]]:
    """Return the id of a run or a cloned policy, and its curves: each figure's values in order.

    `name` is an id, a path, or "latest"; `warn` gets a line about damage in the journal.

    Raises:
        CheckpointError: There is neither.
    """
    folder = find_saved(save_dir, name)
    values: dict[str, list[float]] = {}
    for event in read_journal(folder.journal_path, warn=warn):
        for key, value in metrics_of(event).items():
            values.setdefault(_SHOWN_AS.get(key, key), []).append(value)
    return folder.path.name, values


def digest_run(
    save_dir: str,
    run: str,
    warn: Callable[[str], None] = lambda text: None,
    watch: Callable[[Event], None] = lambda event: None,
) -> RunDigest:
    """Read the settings and the journal of a saved run, or of a cloned policy; see `saved_curves`.

    `watch` is called with each event of the journal.

    Raises:
        CheckpointError: There is neither, or its settings are unreadable.
    """
    folder = find_saved(save_dir, run)
    is_run = isinstance(folder, RunFolder)
    settings = (
        read_settings(folder.path).model_dump(mode="json", exclude=set(SESSION_KEYS))
        if isinstance(folder, RunFolder)
        else folder.settings()
    )
    figures: Mapping[str, float] = {}
    recent: deque[EpisodeSummary] = deque(maxlen=WINDOW)
    first_steps: dict[str, int] = {}
    evaluation: EvaluationEnded | None = None
    total_steps = updates = episodes = 0
    for event in read_journal(folder.journal_path, warn=warn):
        watch(event)
        total_steps = max(total_steps, getattr(event, "total_steps", 0))
        match event:
            case EpisodeEnded(summary=summary) if summary.is_usual:
                episodes += 1
                recent.append(summary)
                for key in summary.steps_to_milestone:
                    first_steps.setdefault(key, event.total_steps)
            case EvaluationEnded():
                evaluation = event
            case PolicyUpdated():
                updates = event.update
                figures = {} if is_run else event.figures
            case _:
                pass
    return RunDigest(
        run_id=folder.path.name,
        settings={
            key: value if isinstance(value, str) else json.dumps(value)
            for key, value in flat(settings).items()
        },
        total_steps=total_steps,
        episodes=episodes,
        updates=updates,
        first_steps=first_steps,
        recent=len(recent),
        recent_return=statistics.fmean(s.total_reward for s in recent) if recent else 0.0,
        recent_successes=sum(summary.is_success for summary in recent),
        evaluation=evaluation,
        figures=figures,
    )


def differing(*settings: Mapping[str, str]) -> dict[str, tuple[str, ...]]:
    """Return the settings in which runs differ, by key: the value of each run."""
    keys = dict.fromkeys(key for one in settings for key in one)
    values = {key: tuple(one.get(key, "–") for one in settings) for key in keys}
    return {key: row for key, row in values.items() if len(set(row)) > 1}
