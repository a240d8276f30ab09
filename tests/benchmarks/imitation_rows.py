"""Hold what the arms of the imitation bench share, and print their rows."""

import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from engine.config import RunConfig, load_config
from engine.types import Evaluation

ROLLOUT_SEED = 1_000
"""Is added to a run's seed for the rollouts that are reported."""


@dataclass(slots=True)
class Found:
    """The result of one seed; None is what was not measured.

    Attributes:
        policy: Path of the clone that PPO begins from.
        frames_policy: Path of the clone that sees frames alone.
        longest: Actions within which a policy that does is to come to the badge.
    """

    seed: int
    policy: str = ""
    frames_policy: str = ""
    longest: float = 0.0
    steps_alone: int | None = None
    failures: list[str] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Bench:
    """What all arms need.

    Attributes:
        overrides: Settings by dotted key.
        rollouts: Episodes by which a policy is judged.
        demos: Folder of the demonstrations of a seed.
        cloning: Settings of `CloningConfig`.
    """

    overrides: Mapping[str, Any]
    rollouts: int
    demos: Path
    cloning: Mapping[str, Any]

    @property
    def game(self) -> str:
        """Return which game it is, as `RunConfig.rom_path` names it."""
        return str(self.overrides.get("rom_path", ""))

    @property
    def of_game(self) -> dict[str, str]:
        """Return the settings that say so."""
        return {"rom_path": self.game} if self.game else {}

    def config(self, seed: int) -> RunConfig:
        """Return the settings of a run with a seed."""
        return load_config(None, {**self.overrides, "seed": seed})


def print_header() -> None:
    """Begin the table."""
    print(
        "| what | seed | came to the badge | return | steps an episode | 90 % of last 30 at step "
        "| of PPO's steps alone | minutes |\n|---|---|---|---|---|---|---|---|",
        flush=True,
    )


def print_row(
    text: str,
    seed: int,
    *,
    began_s: float,
    badge: str = "–",
    length: str = "–",
    judged: Evaluation | None = None,
    at_step: str = "–",
    share: float | None = None,
) -> None:
    """Print what one arm found with one seed."""
    reward = "–"
    if judged is not None:
        won = round(judged.success_rate * judged.episodes)
        badge = f"{won} of {judged.episodes} ({judged.success_rate:.0%})"
        reward, length = f"{judged.avg_reward:.1f}", f"{judged.avg_length:,.0f}"
    of_alone = "–" if share is None else f"{share:.2f}"
    minutes = (time.monotonic() - began_s) / 60
    print(
        f"| {text} | {seed} | {badge} | {reward} | {length} | {at_step} | {of_alone} "
        f"| {minutes:.1f} |",
        flush=True,
    )
