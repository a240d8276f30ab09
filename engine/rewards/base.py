"""Define what a reward component sees of a step and what it must be able to do."""

from dataclasses import dataclass, field
from typing import Any, Protocol, runtime_checkable

from engine.types import Action, GameState


@dataclass(frozen=True, slots=True)
class Transition:
    """One step of an episode.

    Attributes:
        reached: (key, text) of the milestones reached in this step, each once an episode.
        is_new_tile: The player stands on a tile not yet visited since the last milestone.
        is_first_visit: Nor before that milestone, in this episode.
        is_new_map: The player is on a map for the first time in this episode.
        action: Its index in the game's actions.
        has_whited_out: The party was beaten and the player woke up elsewhere.
        button: What the action means, see `engine.types.GameAction`.
    """

    previous: GameState
    current: GameState
    action: int
    reached: tuple[tuple[str, str], ...] = ()
    is_new_tile: bool = False
    is_first_visit: bool = False
    is_new_map: bool = False
    has_whited_out: bool = False
    button: Action | None = None


@dataclass(slots=True)
class Payments:
    """Collects why something was paid.

    Attributes:
        payers: For each cause the component that noted it.
        payer: The component that pays now.
    """

    causes: list[str] = field(default_factory=list)
    payers: list[str] = field(default_factory=list)
    payer: str = ""

    def note(self, cause: str) -> None:
        """Add a cause worth showing."""
        self.causes.append(cause)
        self.payers.append(self.payer)


@runtime_checkable
class RewardComponent(Protocol):
    """A named part of the reward, before its weight.

    A component keeps what it has paid for in this episode, so that it cannot be made to pay for
    the same thing twice; one that derives from this class and keeps nothing needs `name` and `pay`
    alone. Its class is called without arguments, once for every environment, and each episode
    begins with `reset`.

    Attributes:
        name: What it is called in the breakdown; unique among the components.
    """

    name: str

    def reset(self, state: GameState) -> None:
        """Start an episode at `state`."""
        return

    def pay(self, step: Transition, payments: Payments) -> float:
        """Return what this step is worth, in units of the component's weight."""
        ...

    def save(self) -> Any:
        """Return what has been paid for, JSON-able."""
        return None

    def restore(self, saved: Any) -> None:
        """Put back what `save` returned."""
        return
