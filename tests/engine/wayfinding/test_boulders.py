"""Boulders are pushed by a plan: out of the way, or onto their hole."""

from dataclasses import replace

from engine.games.crystal.game import ATLAS
from engine.games.crystal.rom_tables import read_overworld
from engine.types import Action, Facing, MapObject, MapView
from engine.wayfinding.boulders import Yard, find_pushes
from engine.wayfinding.exits import Exit
from engine.wayfinding.navigation import Navigator
from tests.engine.games.world_images import Drawn, Person, build
from tests.engine.planning.goals.helpers import state, view
from tests.engine.wayfinding.test_navigation import knowing
from tests.engine.wayfinding.test_routes import INN

GYM = [
    "########",
    "########",
    "########",
    "###.####",
    "###..###",
    "####.###",
    "##....##",
    "##....##",
    "##....##",
    "##....##",
]
"""As the gym of Cianwood: the only gap north is (4, 5), and a boulder pushed there stays."""

THREE = {1: (3, 7), 2: (4, 7), 3: (5, 7)}
BUTTONS = {Action.UP: Facing.UP, Action.DOWN: Facing.DOWN}
BUTTONS |= {Action.LEFT: Facing.LEFT, Action.RIGHT: Facing.RIGHT}


def drawn(rows: list[str], boulders: dict[int, tuple[int, int]]) -> MapView:
    things = tuple(MapObject(number, 1, *tile) for number, tile in boulders.items())
    return replace(view(rows), objects=things)


def play(rows, boulders, start, exits, hole=None) -> tuple[list[Action], dict]:
    """Press what the navigator says, as the game moves: a push moves the boulder alone."""
    people = [Person(*tile, movement=0x19) for tile in boulders.values()]
    world, _ = read_overworld(build({(1, 1): Drawn(rows, people=people), (1, 2): INN}))
    navigator, at, facing, pressed = Navigator(ATLAS, world), start, Facing.DOWN, []
    stones = dict(boulders)
    for _ in range(120):
        shown = drawn(rows, stones)
        party = knowing("STRENGTH")
        now = state(shown, at, facing, party=party, badges=1 << 2)
        if hole is not None and stones.get(hole[0]) is None:
            return pressed, stones
        if exits and at == exits[0].tile:
            return pressed, stones
        actions = (
            navigator.step_towards(now, exits)[0] if exits else navigator.push_onto(now, *hole)
        )
        if not actions:
            return pressed, stones
        action = actions[-1]
        pressed.append(action)
        if BUTTONS[action] is not facing:
            facing = BUTTONS[action]
            continue
        dx, dy = facing.delta
        ahead, after = (at[0] + dx, at[1] + dy), (at[0] + 2 * dx, at[1] + 2 * dy)
        number = next((n for n, tile in stones.items() if tile == ahead), None)
        is_hole = hole is not None and (number, after) == hole
        if number is None:
            at = ahead if rows[ahead[1]][ahead[0]] != "#" else at
        elif is_hole:
            del stones[number]
        elif rows[after[1]][after[0]] == "." and after not in stones.values():
            stones[number] = after
    raise AssertionError("never arrived")


def test_the_gap_of_cianwoods_gym_is_kept_open() -> None:
    exits = (Exit((4, 4), Action.UP),)
    pressed, stones = play(GYM, THREE, (4, 9), exits)
    assert (4, 5) not in stones.values()
    assert (4, 4) not in stones.values()
    assert len(pressed) < 60


def test_a_boulder_falls_once_it_is_on_its_hole() -> None:
    rows = ["########", "#......#", "#.####.#", "#......#", "#......#", "########"]
    _, stones = play(rows, {1: (3, 3), 2: (5, 3)}, (1, 1), (), (1, (6, 3)))
    assert 1 not in stones


def test_the_fewest_pushes_are_found_and_others_stay_where_they_are() -> None:
    rows = ["#######", "#.....#", "#.....#", "#.....#", "#######"]
    shown = drawn(rows, {})
    pushes = find_pushes(Yard(shown, ()), (1, 2), {1: (2, 2), 2: (4, 1)}, hole=(1, (5, 2)))
    assert pushes is not None
    assert [push.facing for push in pushes] == [Facing.RIGHT] * 3
    assert {push.boulder for push in pushes} == {1}


def test_a_boulder_in_a_corner_is_never_pushed_out() -> None:
    rows = ["######", "#....#", "######"]
    boulders = {1: (1, 1)}
    yard = Yard(drawn(rows, boulders), ())
    assert find_pushes(yard, (2, 1), boulders, hole=(1, (4, 1))) is None


def test_nobody_pushes_over_a_person_or_onto_a_door() -> None:
    rows = ["######", "#....#", "######"]
    shown = view(rows, warps=[(4, 1)])
    assert find_pushes(Yard(shown, ()), (1, 1), {1: (3, 1)}, [(3, 1)]) is None
    assert find_pushes(Yard(view(rows), [(4, 1)]), (1, 1), {1: (3, 1)}, [(3, 1)]) is None
    assert find_pushes(Yard(view(rows), ()), (1, 1), {1: (3, 1)}, [(2, 1)]) == ()


def test_no_plan_is_left_once_boulders_are_shut_in() -> None:
    world_rows = ["######", "#....#", "######"]
    world, _ = read_overworld(
        build({(1, 1): Drawn(world_rows, people=[Person(2, 1, movement=0x19)]), (1, 2): INN})
    )
    stuck = state(
        drawn(world_rows, {1: (4, 1)}),
        (3, 1),
        Facing.RIGHT,
        party=knowing("STRENGTH"),
        badges=1 << 2,
    )
    navigator = Navigator(ATLAS, world)
    assert navigator.push_onto(stuck, 1, (1, 1)) == []
    assert navigator.step_towards(stuck, (Exit((4, 1), Action.RIGHT),))[0] == []
