"""What the user can choose on the start screen, which imports this before its first paint."""

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class NewRun:
    """Begin a run.

    Attributes:
        overrides: Settings by key, as `load_config` takes them.
    """

    overrides: Mapping[str, str]
    is_detached: bool = False


@dataclass(frozen=True, slots=True)
class ResumeRun:
    """Resume a saved run."""

    run: str


@dataclass(frozen=True, slots=True)
class AttachRun:
    """Attach to a run in the background."""

    run: str


@dataclass(frozen=True, slots=True)
class ReplayEpisode:
    """Replay a recorded episode."""

    run: str
    number: int


@dataclass(frozen=True, slots=True)
class WatchDemo:
    """Replay a demonstration."""

    path: str


@dataclass(frozen=True, slots=True)
class NewRecording:
    """Record demonstrations.

    Attributes:
        given: What was given in the form, by its lines' keys.
    """

    given: Mapping[str, str]


PLAY_POLICY, PLAY_HEURISTICS, WATCH_POLICY, REPLAY_BATTLES, TRAIN_POLICY = (
    "play",
    "heuristics",
    "watch",
    "replay",
    "train",
)
BATTLES = (
    (PLAY_POLICY, "Play against the latest policy"),
    (PLAY_HEURISTICS, "Play against the built-in player heuristics"),
    (WATCH_POLICY, "Watch the latest policy play"),
    (REPLAY_BATTLES, "Replay the battles you played"),
    (TRAIN_POLICY, "Train a policy"),
)
"""The choices for battles, with their labels."""


@dataclass(frozen=True, slots=True)
class BattleChoice:
    """Play, watch or train battles: a key of BATTLES."""

    what: str


Choice = NewRun | NewRecording | ResumeRun | AttachRun | ReplayEpisode | WatchDemo | BattleChoice
