"""The first act, which both practice games tell: the way to the badge, places to start from."""

import heapq
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from typing import Any

Cell = tuple[int, int]
MapKey = tuple[int, int]
DIRECTIONS: dict[str, Cell] = {"down": (0, 1), "up": (0, -1), "left": (-1, 0), "right": (1, 0)}
PATIENCE = 800
"""Actions without getting anywhere before the player gives up."""

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


class StuckError(AssertionError):
    """The player cannot continue; the text says where."""


def frames_until(game: Any, condition: Callable[[], bool], limit: int = 200) -> int:
    """Tick until a condition holds; return the frames."""
    for frame in range(1, limit + 1):
        game.tick()
        if condition():
            return frame
    raise AssertionError(f"not within {limit} frames: {game.map_key} {game.position}")


def hold(game: Any, button: str, frames: int, rest: int = 40) -> None:
    """Hold a button for some frames, then none."""
    game.press(button)
    game.tick(frames)
    game.release(button)
    game.tick(rest)


def cheapest_path(
    start: Cell, goals: set[Cell], steps: Callable[[Cell], Iterable[tuple[str, Cell, int]]]
) -> list[str]:
    """Return the cheapest buttons to one of the goals, empty if there is none.

    Args:
        steps: Gives (button, next cell, cost) of every possible step from a cell.
    """
    best: dict[Cell, int] = {start: 0}
    came: dict[Cell, tuple[Cell, str]] = {}
    queue = [(0, start)]
    while queue:
        cost, at = heapq.heappop(queue)
        if at in goals:
            buttons = []
            while at != start:
                at, button = came[at]
                buttons.append(button)
            return buttons[::-1]
        for button, to, price in steps(at):
            if cost + price < best.get(to, 1 << 30):
                best[to] = cost + price
                came[to] = at, button
                heapq.heappush(queue, (cost + price, to))
    return []


class FirstActPlayer:
    """Plays the first act by RAM; what differs between the games' memories is a subclass's.

    Both games' players can also `start_game`, `settle` (until the player is free), `face`, `step`,
    `answer_yes`, `leave_to` a neighbouring map, and know `party_size`, `level`, `health()`,
    `has_badge()`, `knows_rest_house()`, the `path` to a cell, the `next_map` on the way to another.

    Args:
        game: The machine; from power-on or from any state.
        grass_cost: What a step into tall grass weighs in path-finding (a plain step is 1).
    """

    def __init__(self, game: Any, grass_cost: int = 4) -> None:
        self.game = game
        self.grass_cost = grass_cost
        self.battles = 0

    def walk_to(self, *goals: Cell) -> bool:
        """Walk to one of the cells; false if something led off the map."""
        self.settle()
        here, wanted = self.game.map_key, set(goals)
        for _ in range(PATIENCE):
            if self.game.map_key != here:
                return False
            if self.game.position in wanted:
                return True
            if buttons := self.path(wanted):
                self.step(buttons[0])
            else:
                self.game.act()  # somebody is in the way: wait
                self.settle()
        raise StuckError(f"no way to {goals}: {self.where()}")

    def travel(self, title: str) -> None:
        """Go to a map by the shortest way over the maps between."""
        self.settle()
        target = self.map_of(title)
        for _ in range(60):
            if self.game.map_key == target:
                return
            self.leave_to(self.next_map(target))
        raise StuckError(f"never reached {title}: {self.where()}")

    def talk_at(self, at: Cell, button: str) -> None:
        """Stand at a cell, face a direction, press A."""
        if self.walk_to(at):
            self.face(button)
            self.game.act("a")

    def take_starter(self, number: int = 1) -> None:
        """In the laboratory: take ball 1, 2 or 3."""
        for _ in range(10):
            if self.party_size:
                return
            self.travel("LAB")
            self.talk_at((5 + number, 5), "up")
            self.answer_yes()
            self.settle()
        raise StuckError(f"no starter: {self.where()}")

    def heal(self) -> None:
        """Rest at the nurse's, or at home before Stonehollow is known."""
        if self.knows_rest_house():
            self.travel("CENTER")
            self.talk_at((4, 4), "up")
            self.answer_yes()
        else:
            self.travel("HOME 1F")
            self.talk_at((3, 4), "left")
        self.settle()

    def train(self, level: int) -> None:
        """Fight in the route's first patch of grass up to a level, resting in between."""
        cells: Sequence[Cell] = ((14, 8), (15, 8))
        for turn in range(PATIENCE):
            if self.level >= level:
                return
            if self.health() < 0.4:
                self.heal()
            self.travel("MILLBROOK PATH")
            self.walk_to(cells[turn % 2])
        raise StuckError(f"never grew to level {level}: {self.where()}")

    def win_badge(self) -> None:
        """From any state of a running game to the badge."""
        level = 0
        for _ in range(12):
            self.settle()
            if self.has_badge():
                return
            self.take_starter(2)
            if level:
                self.train(level)
            if self.health() < 0.9:
                self.heal()
            self._fight_gym()
            level = max(8, self.level + 1)
        raise StuckError(f"no badge: {self.where()}")

    def _fight_gym(self) -> None:
        """Up the aisle to the leader; a lost battle leads away from the gym."""
        self.travel("GYM")
        gym = self.map_of("GYM")
        for goal in ((4, 9), (4, 6), (4, 5), (4, 4), (4, 3)):
            if self.game.map_key != gym or self.has_badge():
                return
            self.walk_to(goal)
        self.face("up")
        self.game.act("a")
        self.settle()


def steps() -> Iterator[tuple[str, str]]:
    """Yield the walkthrough's steps, each with the milestone that it reaches, "" for none."""
    for line in WALKTHROUGH.strip().splitlines():
        step, _, milestone = (part.strip() for part in line.partition("->"))
        yield step, milestone


def follow(player: Any, step: str) -> None:
    """Do one step of the walkthrough."""
    if step.startswith("power on"):
        player.start_game()
    elif step.startswith("options"):
        player.set_options()
    elif step.startswith("go to "):
        player.travel(step.removeprefix("go to "))
    elif step.startswith("take ball "):
        player.take_starter(int(step.removeprefix("take ball ")))
    elif step.startswith("walk to "):
        x, y = step.removeprefix("walk to ").split(",")
        player.walk_to((int(x), int(y)))
    else:
        raise ValueError(f"unknown step {step!r}")


def reach(place: str, states: dict[str, bytes], begin: Callable[[], Any]) -> bytes:
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
    machine: Callable[[], Any], state_of: Callable[[str], bytes]
) -> Iterator[Callable[[str], Any]]:
    """Give what starts a machine at a place, whose state `state_of` returns; close them all."""
    with ExitStack() as running:

        def start(place: str) -> Any:
            game = machine()
            running.callback(game.close)
            game.load(state_of(place))
            return game

        yield start
