"""Say what is to be recorded."""

import math
from dataclasses import dataclass
from pathlib import Path

from engine.config import RunConfig
from engine.demos.dataset import demos_folder
from engine.demos.layout import plain_text, read_tags
from engine.errors import ConfigurationError


@dataclass(frozen=True, slots=True)
class DemoPoint:
    """A place within something recorded."""

    source: str
    """A demonstration's path, or "run:episode" with the run's id or path."""
    step: int
    """Moves before it, as a replay counts them: see `engine.training.replay_player`."""


@dataclass(frozen=True, slots=True)
class RecordingPlan:
    """What a session records.

    Raises:
        ConfigurationError: Something cannot be.
    """

    set_name: str = ""
    """Folder below that of all demonstrations; "": that folder itself. What is there counts: a set
    is resumed."""
    episodes: int = 0
    """How many the set is to have; 0: any number."""
    limit_s: float = 0.0
    """After so long a demonstration is saved by itself; 0: never. Pauses do not count."""
    pause_s: float = 0.0
    """Between two of them."""
    has_reset: bool = False
    """Where there is no pause, a person's next demonstration begins with the first press."""
    has_review: bool = False
    """A person keeps, discards, retakes or watches each demonstration before it is saved."""
    task: str = ""
    tags: tuple[str, ...] = ()
    player: str = ""
    """Who plays: "" a person; "rules"; "planner"; "random"; or the name of a cloned policy or a
    run. A person may take over from it, and what it would have done is kept beside."""
    start: DemoPoint | None = None
    """Every demonstration begins there; None: where the game begins."""
    is_live: bool = False
    """A person begins in real time."""

    def __post_init__(self) -> None:
        if self.episodes < 0:
            raise ConfigurationError("The number of episodes cannot be negative.", "Use 0 or more.")
        for name, seconds in (("limit", self.limit_s), ("pause", self.pause_s)):
            if not math.isfinite(seconds) or seconds < 0:
                raise ConfigurationError(
                    f"The {name} cannot be {seconds} seconds.", "Use 0 seconds or more."
                )
        if self.set_name != Path(self.set_name).name or self.set_name.startswith("."):
            raise ConfigurationError(
                f"Invalid dataset name: {self.set_name!r}.", "Use a valid folder name."
            )
        try:
            plain_text(self.task)
            read_tags(self.tags)
        except (ValueError, TypeError):
            raise ConfigurationError(
                "The task must be one line of text, and each tag a word.", "Correct them."
            ) from None

    def folder(self, config: RunConfig) -> Path:
        """Return where the set is."""
        return demos_folder(config) / self.set_name
