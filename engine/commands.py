"""List what the outside may ask of the engine: a closed union of frozen commands.

Commands are drained between steps; their effect comes back as events, a refusal as CommandRefused.
"""

from dataclasses import dataclass

from engine.types import Action


@dataclass(frozen=True, slots=True)
class Pause:
    """Stop stepping until Resume."""


@dataclass(frozen=True, slots=True)
class Resume:
    """Go on stepping."""


@dataclass(frozen=True, slots=True)
class StepOnce:
    """While paused, take one step."""


@dataclass(frozen=True, slots=True)
class SetSpeed:
    """Limit every environment to `actions_per_s` (0 = unlimited)."""

    actions_per_s: float


@dataclass(frozen=True, slots=True)
class Watch:
    """Show environment `env_index`."""

    env_index: int


@dataclass(frozen=True, slots=True)
class TakeOver:
    """Let a person act in the watched environment; training waits meanwhile."""


@dataclass(frozen=True, slots=True)
class GiveBack:
    """Give the watched environment back to the agent."""


@dataclass(frozen=True, slots=True)
class Press:
    """While a person has control, take this action."""

    action: Action


@dataclass(frozen=True, slots=True)
class Save:
    """Write a checkpoint now."""


@dataclass(frozen=True, slots=True)
class Stop:
    """Write a checkpoint and end the run."""

    reason: str = "asked to stop"


Command = Pause | Resume | StepOnce | SetSpeed | Watch | TakeOver | GiveBack | Press | Save | Stop
