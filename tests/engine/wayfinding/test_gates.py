"""Turning gates are pushed by a plan, as the game is known to turn them."""

import random
from collections import deque
from collections.abc import Iterator, Sequence
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.types import DIRECTIONS, Action, Facing, MapView, Terrain, TurningGate
from engine.wayfinding.exits import Exit
from engine.wayfinding.gates import Maze, with_arms
from engine.wayfinding.navigation import Navigator
from tests.engine.planning.goals.helpers import state, view

UP, DOWN, LEFT, RIGHT = Facing.UP, Facing.DOWN, Facing.LEFT, Facing.RIGHT
Tile = tuple[int, int]
Gate = tuple[int, int, str, int]
"""X, y, shape, quarter turns."""

CLOCKWISE, ANTICLOCKWISE = 1, 3
SHAPES = {
    "L1": (1, 1, 0, 0), "L2": (2, 1, 0, 0), "L3": (1, 2, 0, 0), "L4": (2, 2, 0, 0),
    "T1": (1, 1, 1, 0), "T2": (2, 1, 1, 0), "T3": (1, 2, 1, 0), "T4": (1, 1, 2, 0),
}  # fmt: skip
CROSSED = {
    UP: {(-2, -1): (1, 3, 2), (-1, -1): (1, 3, 1), (0, -1): (3, 1, 1), (1, -1): (3, 1, 2)},
    DOWN: {(-2, 0): (3, 3, 2), (-1, 0): (3, 3, 1), (0, 0): (1, 1, 1), (1, 0): (1, 1, 2)},
    LEFT: {(-1, -2): (3, 0, 2), (-1, -1): (3, 0, 1), (-1, 0): (1, 2, 1), (-1, 1): (1, 2, 2)},
    RIGHT: {(0, -2): (1, 0, 2), (0, -1): (1, 0, 1), (0, 0): (3, 2, 1), (0, 1): (3, 2, 2)},
}
"""Direction of a step, and the tile entered less the gate's -> the turn, the side of the arm that
is crossed (0 up, then clockwise), and how far out; as public tables have it."""
SWEPT = {
    CLOCKWISE: ((0, -1), (1, -2), (0, 0), (1, 0), (-1, 0), (-1, 1), (-1, -1), (-2, -1)),
    ANTICLOCKWISE: ((-1, -1), (-1, -2), (0, -1), (1, -1), (0, 0), (0, 1), (-1, 0), (-2, 0)),
}
"""Turn -> the tiles, less the gate's, that are no wall for each side's first and second length."""

FORTREE: tuple[Gate, ...] = (
    (6, 7, "T2", 1), (9, 15, "T2", 2), (3, 19, "T2", 1), (2, 6, "T1", 1),
    (9, 12, "T1", 0), (6, 23, "T1", 0), (12, 22, "T1", 0), (6, 3, "L4", 2),
)  # fmt: skip
"""The gates of the gym of Fortree, from public tables; its walls are not known here."""
MAZE = (
    "####################",
    "#######.############",
    "####...########.####",
    "##.......##.....####",
    "##.##.##....########",
    "#..#################",
    "#..##.##############",
    "#.##....############",
    "#....##..###########",
    "########..#....#####",
    "#########.#.##.#####",
    "#########.#..#.#####",
    "########...#.#.....#",
    "########.#...#####.#",
    "#######...########.#",
    "########..########.#",
    "######...######....#",
    "######.######...####",
    "###....####...######",
    "##...######.########",
    "####..#####.########",
    "#####..####..#######",
    "#####..####...######",
    "######......#....###",
    "####################",
)
"""Walls made up around these gates, so that each must be turned, 19 times in all."""
ENTRANCE, LEADER = (15, 23), (15, 2)


class Gym:
    """A room in which a player walks and gates turn."""

    def __init__(self, rows: Sequence[str], gates: Sequence[Gate]) -> None:
        self.rows, self.gates = rows, gates
        self.first = tuple(quarters for *_, quarters in gates)

    def is_wall(self, x: int, y: int) -> bool:
        inside = 0 <= y < len(self.rows) and 0 <= x < len(self.rows[0])
        return not inside or self.rows[y][x] == "#"

    def arm(self, number: int, side: int, turned: Sequence[int]) -> int:
        return SHAPES[self.gates[number][2]][(side - turned[number]) % 4]

    def press(self, at: Tile, way: Facing, turned: tuple[int, ...]) -> tuple[Tile, tuple[int, ...]]:
        """Return where the player is after pressing on in a direction, and how the gates stand."""
        there = at[0] + way.delta[0], at[1] + way.delta[1]
        if self.is_wall(*there):
            return at, turned
        for number, (x, y, *_) in enumerate(self.gates):
            turn, side, far = CROSSED[way].get((there[0] - x, there[1] - y), (0, 0, 9))
            if self.arm(number, side, turned) < far:
                continue
            if self.is_held(number, turn, turned):
                return at, turned
            then = (turned[number] + turn) % 4
            return there, (*turned[:number], then, *turned[number + 1 :])
        return there, turned

    def is_held(self, number: int, turn: int, turned: Sequence[int]) -> bool:
        x, y, *_ = self.gates[number]
        swept = ((place // 2, place % 2, tile) for place, tile in enumerate(SWEPT[turn]))
        return any(
            self.arm(number, side, turned) > length and self.is_wall(x + dx, y + dy)
            for side, length, (dx, dy) in swept
        )

    def fewest_turns(
        self, start: Tile, goal: Tile, turned: tuple[int, ...] | None = None
    ) -> int | None:
        """Return how many times a gate must turn, found by trying all there is."""
        waiting, seen = deque([(start, turned or self.first, 0)]), set()
        while waiting:
            at, turned, count = waiting.popleft()
            if (at, turned) in seen:
                continue
            seen.add((at, turned))
            if at == goal:
                return count
            for way in Facing:
                there, then = self.press(at, way, turned)
                if then == turned:
                    waiting.appendleft((there, then, count))
                else:
                    waiting.append((there, then, count + 1))
        return None

    def shown(self, turned: Sequence[int] | None = None, **changes: object) -> MapView:
        """Return the map as memory shows it."""
        turned = turned or self.first
        drawn = tuple(self._gates(turned))
        return replace(view(self.rows, **changes), turning_gates=drawn)

    def _gates(self, turned: Sequence[int]) -> Iterator[TurningGate]:
        for number, (x, y, *_) in enumerate(self.gates):
            up, right, down, left = (self.arm(number, side, turned) for side in range(4))
            is_turned = turned[number] != self.first[number]
            yield TurningGate(x, y, (up, right, down, left), is_turned)

    def play(
        self, navigator: Navigator, at: Tile, exits: Sequence[Exit], turned=None, **changes: object
    ) -> tuple[list[Tile], list[Action]]:
        """Press what the navigator says until it says nothing, or A, or leaves by a door."""
        turned, facing, tiles, pressed = turned or self.first, DOWN, [at], []
        for _ in range(400):
            now = state(self.shown(turned, **changes), at, facing)
            actions, _ = navigator.step_towards(now, tuple(exits))
            if not actions or actions[0] is Action.A:
                return tiles, pressed + actions[:1]
            pressed.append(actions[0])
            way = DIRECTIONS[actions[0]]
            if way is not facing:
                facing = way
                continue
            there, turned = self.press(at, way, turned)
            if there == at:
                return tiles, pressed
            at = there
            tiles.append(at)
        raise AssertionError(f"never arrived: {tiles[-8:]}")


TALK = (Exit((15, 3), Action.UP, is_talk=True),)


def test_the_gates_of_fortree_are_turned_from_the_entrance_to_the_leader() -> None:
    gym = Gym(MAZE, FORTREE)
    tiles, pressed = gym.play(Navigator(), ENTRANCE, TALK, people=[LEADER])
    assert (tiles[-1], pressed[-1]) == ((15, 3), Action.A)
    plan = Maze(gym.shown(), [LEADER]).find_turns(ENTRANCE, [(15, 3)])
    assert len(plan) == 19 == gym.fewest_turns(ENTRANCE, (15, 3))
    assert {push.number for push in plan} == set(range(8))


class Forgetful(Navigator):
    """As after every step a saved run was gone on with."""

    def step_towards(self, state, exits):
        return Navigator().step_towards(state, exits)


def test_a_plan_depends_on_nothing_that_was_remembered() -> None:
    gym = Gym(MAZE, FORTREE)
    assert gym.play(Navigator(), ENTRANCE, TALK) == gym.play(Forgetful(), ENTRANCE, TALK)


@pytest.mark.parametrize("seed", range(4))
def test_from_any_state_of_the_gates_one_arrives_where_there_is_a_way(seed: int) -> None:
    gym, chance = Gym(MAZE, FORTREE), random.Random(seed)
    at, turned = ENTRANCE, gym.first
    for _ in range(500 * seed):
        at, turned = gym.press(at, chance.choice(list(Facing)), turned)
    has_way = gym.fewest_turns(at, (15, 3), turned) is not None
    tiles, pressed = gym.play(Navigator(), at, TALK, turned)
    assert has_way == (tiles[-1] == (15, 3)) == (pressed[-1:] == [Action.A])


@settings(max_examples=60, deadline=None)
@given(
    st.lists(st.text("...#", min_size=6, max_size=6), min_size=6, max_size=6),
    st.lists(
        st.tuples(
            st.integers(2, 5), st.integers(2, 6), st.sampled_from(list(SHAPES)), st.integers(0, 3)
        ),
        min_size=1,
        max_size=2,
        unique_by=lambda gate: gate[:2],
    ),
)
def test_plans_are_as_short_as_what_trying_everything_finds(rows, gates) -> None:
    gym = Gym(["#" * 8, *(f"#{row}#" for row in rows), "#" * 8], gates)
    floor = [(x, y) for y in range(8) for x in range(8) if not gym.is_wall(x, y)]
    maze = Maze(gym.shown(), ())
    for goal in floor[1:]:
        plan = maze.find_turns(floor[0], [goal])
        assert (plan if plan is None else len(plan)) == gym.fewest_turns(floor[0], goal)


def test_arms_are_walls_until_they_are_pushed() -> None:
    gym = Gym(["....", "....", "....", "...."], [(2, 2, "L3", 0)])
    shown = with_arms(gym.shown())
    walls = {
        (x, y): int(shown.terrain[y, x]) & sum(Terrain.WALLS.values())
        for y in range(4)
        for x in range(4)
        if shown.terrain[y, x] & sum(Terrain.WALLS.values())
    }
    assert walls == {
        (1, 1): Terrain.WALLS[RIGHT],
        (2, 1): Terrain.WALLS[LEFT] | Terrain.WALLS[DOWN],
        (3, 1): Terrain.WALLS[DOWN],
        (2, 2): Terrain.WALLS[UP],
        (3, 2): Terrain.WALLS[UP],
    }
    assert not gym.shown().terrain[1, 1] & Terrain.WALLS[RIGHT]


def test_an_arm_is_not_pushed_against_a_wall() -> None:
    """As in Fortree, where (4, 19) was never left upwards over the arm of the gate at (3, 19)."""
    free, walled = (
        Gym(["######", "#....#", row, "######"], [(3, 2, "T2", 1)]) for row in ("#....#", "#.#..#")
    )
    assert len(Maze(free.shown(), ()).find_turns((4, 2), [(4, 1)]) or ()) == 1
    assert Maze(walled.shown(), ()).find_turns((4, 2), [(4, 1)]) is None


def test_somebody_on_the_way_shuts_it() -> None:
    gym = Gym(["#####", "#...#", "#...#", "#####"], [(2, 2, "T1", 1)])
    maze, closed = Maze(gym.shown(), ()), Maze(gym.shown(), [(1, 1)])
    assert len(maze.find_turns((1, 2), [(1, 1)]) or ()) == 1
    assert closed.find_turns((1, 2), [(1, 1)]) is None


DEAD_END = Gym(["#######", "#..##^#", "#.....#", "#...###", "#######"], [(3, 3, "T3", 2)])
"""Its goal is (3, 3); once the gate is turned that is shut off for whoever is at (2, 2)."""


def test_where_no_turns_help_one_leaves_for_the_gates_turn_back() -> None:
    goal = (Exit((3, 3), Action.DOWN),)
    warps = [(5, 1)]
    tiles, _ = DEAD_END.play(Navigator(), (5, 1), goal, warps=warps)
    assert tiles[-1] == (3, 3)
    assert DEAD_END.fewest_turns((2, 2), (3, 3), (1,)) is None
    tiles, pressed = DEAD_END.play(Navigator(), (2, 2), goal, (1,), warps=warps)
    assert (tiles[-1], pressed[-1]) == ((5, 1), Action.UP)


def test_nothing_is_pressed_where_leaving_would_not_help() -> None:
    gym = Gym(["#######", "#..##^#", "#.....#", "#####.#", "#.###.#"], [(3, 3, "T3", 2)])
    shown = gym.shown(warps=[(5, 1)])
    assert Navigator().step_towards(state(shown, (5, 1)), (Exit((1, 4), Action.DOWN),))[0] == []


def test_the_path_leads_to_the_arm_that_is_pushed_next() -> None:
    gym = Gym(MAZE, FORTREE)
    path = Navigator().path(state(gym.shown(), ENTRANCE), TALK)
    assert path[-2:] == ((12, 22), (11, 22))
