"""Components as a user might write them."""

from typing import Any

from engine.rewards.base import Payments, Transition
from engine.types import GameState


class Steps:
    """Pays for each step to the left, once a column."""

    name = "leftwards"

    def __init__(self) -> None:
        self._leftmost = 0

    def reset(self, state: GameState) -> None:
        self._leftmost = state.place.x

    def pay(self, step: Transition, payments: Payments) -> float:
        gained = self._leftmost - step.current.place.x
        if gained <= 0:
            return 0.0
        self._leftmost = step.current.place.x
        payments.note("further left than ever")
        return float(gained)

    def save(self) -> Any:
        return self._leftmost

    def restore(self, saved: Any) -> None:
        self._leftmost = int(saved)


class Badge(Steps):
    name = "badge"


class Custom(Steps):
    name = "custom"


class Demanding(Steps):
    def __init__(self, how_far: int) -> None:
        super().__init__()


class Nameless:
    pass


NOTHING_TO_CALL = 3
