from dataclasses import replace

from engine.types import Action, GameState, MapId, Warp
from tests.engine.rewards.helpers import Player
from tests.engine.states import make_battle, make_control, make_state, make_view

STREET, HOUSE, CAVE = 1, 2, 3


def leading(*warps: tuple[int, int, int, int]) -> tuple[Warp, ...]:
    return tuple(Warp(x, y, MapId(40, target), index) for x, y, target, index in warps)


OUTSIDE = make_view(warps=leading((2, 1, HOUSE, 1), (4, 1, CAVE, 1)))
INSIDE = make_view(warps=leading((2, 3, STREET, 1), (3, 3, STREET, 1)))
LOADING = make_control(in_transition=True)


def outside(x: int = 2, y: int = 2, **changes: object) -> GameState:
    return make_state(x, y, map_number=STREET, map=OUTSIDE, **changes)


def inside(x: int = 2, y: int = 3, **changes: object) -> GameState:
    return make_state(x, y, map_number=HOUSE, map=INSIDE, **changes)


def walk(player: Player, *states: GameState) -> list[float]:
    return [player.go(state, Action.UP)["warp"] for state in states]


def test_door_and_the_way_back_pay_once_each() -> None:
    player = Player(outside())
    assert walk(player, inside(), outside()) == [1.0, 1.0]
    assert walk(player, *[inside(), outside()] * 5) == [0.0] * 10


def test_slow_door_pays_on_its_far_side() -> None:
    player = Player(outside())
    fading = outside(control=LOADING)
    assert walk(player, fading, fading, inside(control=LOADING)) == [0.0] * 3
    assert walk(player, inside()) == [1.0]
    assert player.last.causes == ("a new path to HOME",)


def test_warps_side_by_side_are_one_exit() -> None:
    player = Player(inside())
    assert walk(player, outside(), inside(3, 3), outside()) == [1.0, 1.0, 0.0]


def test_another_door_pays_too() -> None:
    player = Player(outside())
    cave = make_state(map_number=CAVE)
    assert walk(player, inside(), outside(), outside(4, 2), cave) == [1.0, 1.0, 0.0, 1.0]


def test_walking_by_a_door_pays_nothing() -> None:
    player = Player(outside(1, 2))
    talking = outside(control=make_control(is_scripted=True))
    assert walk(player, outside(), talking, outside(), outside(3, 2)) == [0.0] * 4


def test_map_edge_is_no_way() -> None:
    player = Player(outside(0, 3))
    assert walk(player, inside(5, 3)) == [0.0]


def test_being_carried_home_is_no_way() -> None:
    player = Player(outside())
    fight = outside(battle=make_battle(), control=make_control())
    waking = inside(control=LOADING)
    assert walk(player, fight, waking, inside()) == [0.0] * 3
    player = Player(outside())
    step = player.go(inside(), Action.A, has_whited_out=True)
    assert step["warp"] == 0.0


def test_warp_to_the_last_place_leads_anywhere() -> None:
    stairs = make_view(warps=leading((2, 1, 99, 255)))
    player = Player(replace(outside(), map=stairs))
    assert walk(player, inside()) == [1.0]
