"""What can come of the start screen."""

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
    """Continue with a saved run."""

    run: str


@dataclass(frozen=True, slots=True)
class AttachRun:
    """Look at a background run."""

    run: str


@dataclass(frozen=True, slots=True)
class ReplayEpisode:
    """Play a recorded episode again."""

    run: str
    number: int


@dataclass(frozen=True, slots=True)
class WatchDemo:
    """Play a demonstration again."""

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
"""What can be done with battles, and its words."""


@dataclass(frozen=True, slots=True)
class BattleChoice:
    """Play, watch or train battles: a key of BATTLES."""

    what: str


Choice = NewRun | NewRecording | ResumeRun | AttachRun | ReplayEpisode | WatchDemo | BattleChoice
