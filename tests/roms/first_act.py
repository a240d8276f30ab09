"""The first act, which both practice games tell: the way to the badge, places to start from."""

from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from typing import Protocol, TypeVar

Cell = tuple[int, int]

# One step a line; "-> milestone" names what must have been reached after it.
WALKTHROUGH = """
power on, title, introduction
options: text at once, no battle scenes
go to HOME 1F          -> left_bedroom
go to FERNWICK         -> left_house
go to LAB              -> entered_lab
take ball 2            -> got_starter
go to MILLBROOK PATH   -> reached_route
go to STONEHOLLOW      -> reached_stonehollow
go to GYM              -> entered_gym
walk to 4,9            -> beat_moe
walk to 4,6            -> beat_ida
walk to 4,5            -> first_badge
"""


class Machine(Protocol):
    """What both games' machines can do (machine.py, advance/machine.py)."""

    def save(self) -> bytes: ...
    def load(self, state: bytes) -> None: ...
    def close(self) -> None: ...


class Player(Protocol):
    """What both games' players can do (player.py, advance/player.py)."""

    @property
    def game(self) -> Machine: ...
    def start_game(self) -> None: ...
    def settle(self) -> None: ...
    def travel(self, title: str) -> None: ...
    def walk_to(self, *goals: Cell) -> bool: ...
    def take_starter(self, number: int = 1) -> None: ...


AnyMachine = TypeVar("AnyMachine", bound=Machine)
AnyPlayer = TypeVar("AnyPlayer", bound=Player)


def steps() -> Iterator[tuple[str, str]]:
    """Yield the walkthrough's steps, each with the milestone that it reaches, "" for none."""
    for line in WALKTHROUGH.strip().splitlines():
        step, _, milestone = (part.strip() for part in line.partition("->"))
        yield step, milestone


def follow(player: AnyPlayer, step: str, set_options: Callable[[AnyPlayer], None]) -> None:
    """Do one step of the walkthrough; the options' screens differ."""
    if step.startswith("power on"):
        player.start_game()
    elif step.startswith("options"):
        set_options(player)
    elif step.startswith("go to "):
        player.travel(step.removeprefix("go to "))
    elif step.startswith("take ball "):
        player.take_starter(int(step.removeprefix("take ball ")))
    elif step.startswith("walk to "):
        x, y = step.removeprefix("walk to ").split(",")
        player.walk_to((int(x), int(y)))
    else:
        raise ValueError(f"unknown step {step!r}")


def reach(place: str, states: dict[str, bytes], begin: Callable[[], Player]) -> bytes:
    """Play to a place, from another that lies on the way there; keep both.

    Args:
        place: "bedroom", "town" (no creature yet), "starter" (in the laboratory, just chosen) or a
            map's name, which is entered with a starter.
        states: Saved states by place; filled.
        begin: Switches a game on.
    """
    if place in states:
        return states[place]
    player = begin()
    game = player.game
    if place == "bedroom":
        player.start_game()
    elif place in ("town", "starter"):
        game.load(reach("bedroom", states, begin))
        if place == "town":
            player.travel("FERNWICK")
            player.walk_to((10, 8))
        else:
            player.take_starter(2)
    else:
        game.load(reach("starter", states, begin))
        player.travel(place)
    player.settle()
    states[place] = game.save()
    game.close()
    return states[place]


@contextmanager
def started(
    machine: Callable[[], AnyMachine], state_of: Callable[[str], bytes]
) -> Iterator[Callable[[str], AnyMachine]]:
    """Give what starts a machine at a place, whose state `state_of` returns; close them all."""
    with ExitStack() as running:

        def start(place: str) -> AnyMachine:
            game = machine()
            running.callback(game.close)
            game.load(state_of(place))
            return game

        yield start
