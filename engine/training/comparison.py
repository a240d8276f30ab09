"""Say in a few figures what a saved run is and how far it came, so that two can be compared.

A cloned policy has a journal as well, of epochs or rounds of DAgger.
"""

import json
import statistics
from collections import deque
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from engine.events import EpisodeEnded, EvaluationEnded, PolicyUpdated
from engine.training.journal import read_journal
from engine.training.metrics_logger import metrics_of
from engine.training.policy_folders import find_saved
from engine.training.run_settings import SESSION_KEYS, read_settings
from engine.training.runs import RunFolder
from engine.types import EpisodeSummary

WINDOW = 30
"""Last episodes over which return and success are taken."""

_SHOWN_AS = {"curriculum/planner_share": "curriculum/planner_weight"}
"""Name of a tag -> what is printed of it; "planner share" is the share of decisions."""


@dataclass(frozen=True, slots=True)
class RunDigest:
    """A run in figures; its episodes are those from the true start.

    Attributes:
        settings: What was learnt, from what and how: setting by dotted key to its value as JSON.
        first_steps: Milestone key to the run's steps at the end of the first episode with it.
        recent: How many episodes `recent_return` and `recent_successes` are over.
        evaluation: The last one of the policy alone.
        figures: Of a cloned policy's last epoch, or round of DAgger; nothing of a run.
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
    """Read the curves of a run or a cloned policy: its id, and by figure its values in order.

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
    save_dir: str, run: str, warn: Callable[[str], None] = lambda text: None
) -> RunDigest:
    """Read the settings and the journal of a saved run, or of a cloned policy; see `saved_curves`.

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
        total_steps = max(total_steps, getattr(event, "total_steps", 0))
        match event:
            case EpisodeEnded(summary=summary) if not summary.start:
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
        settings=_flat(settings),
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


def differing(first: Mapping[str, str], second: Mapping[str, str]) -> dict[str, tuple[str, str]]:
    """Return the settings in which two runs differ, by key."""
    keys = dict.fromkeys([*first, *second])
    pairs = {key: (first.get(key, "–"), second.get(key, "–")) for key in keys}
    return {key: (one, other) for key, (one, other) in pairs.items() if one != other}


def _flat(settings: Mapping[str, Any], prefix: str = "") -> dict[str, str]:
    flat: dict[str, str] = {}
    for key, value in settings.items():
        if isinstance(value, Mapping) and value:
            flat |= _flat(value, f"{prefix}{key}.")
        else:
            flat[prefix + key] = value if isinstance(value, str) else json.dumps(value)
    return flat
