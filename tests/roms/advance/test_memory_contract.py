"""RAM means what it means in Pokémon Emerald while one walks, turns, bumps, and crosses maps."""

import random
import struct
from collections.abc import Callable

import pytest

from tests.roms.advance.conftest import Start
from tests.roms.advance.machine import OFFSET, Cell, Machine
from tests.roms.advance.party import party
from tests.roms.advance.player import Player
from tests.roms.advance.world import (
    BADGE,
    DOOR,
    MATS,
    STAIRS,
    is_level,
    map_names,
    map_of,
    people,
    size,
    tiles,
    warps_of,
)
from tests.roms.first_act import DIRECTIONS, frames_until, hold

STEP_FRAMES, RUN_FRAMES, TURN_FRAMES = 16, 8, 8
STEPS = 5
"""Number of the statistic that counts steps."""
RUNNING_SHOES = 0x8C0
FACING = {"down": 1, "up": 2, "left": 3, "right": 4}
LOADING = ["CB2_LoadMap", "CB2_DoChangeMap", "CB2_LoadMap2", "CB2_Overworld"]
FIRST_BLOCK, SECOND_BLOCK, SLACK = 0x02025A00, 0x02024A54, 0x7C


def avatar(game: Machine) -> tuple[int, int]:
    """Return gPlayerAvatar's running state and tile state."""
    return game.get("gPlayerAvatar", 2), game.get("gPlayerAvatar", 3)


def places(game: Machine) -> tuple[Cell, Cell]:
    """Return where the player's object is and was, in map tiles."""
    x, y, old_x, old_y = struct.unpack_from("<4h", game.objects[0], 0x10)
    return (x - OFFSET, y - OFFSET), (old_x - OFFSET, old_y - OFFSET)


def modes_of(game: Machine, until: Callable[[], bool], limit: int = 400) -> list[str]:
    """Tick until a condition holds; return the modes in between, each once in a row."""
    seen = [game.mode]
    for _ in range(limit):
        game.tick()
        if game.mode != seen[-1]:
            seen.append(game.mode)
        if until():
            return seen
    raise AssertionError(f"only {seen}: {Player(game).where()}")


# ---- steps -------------------------------------------------------------------------------------


def test_a_step_changes_the_place_on_its_first_frame(start: Start) -> None:
    game = start("town")
    Player(game).face("up")
    x, y = game.position
    game.press("up")
    states = []
    for frame in range(STEP_FRAMES + 2):
        game.tick()
        game.release("up")
        assert game.position == (x, y - 1), frame
        was = (x, y) if frame < STEP_FRAMES else (x, y - 1)
        assert places(game) == ((x, y - 1), was), frame
        states.append(avatar(game))
        assert game.is_free == (frame == STEP_FRAMES + 1)
    assert states == [(2, 0), *[(2, 1)] * (STEP_FRAMES - 1), (0, 2), (0, 0)]


def test_steps_follow_each_other_without_a_pause(start: Start) -> None:
    game = start("town")
    Player(game).face("up")
    x, y = game.position
    game.press("up")
    for tile in range(3):
        game.tick()
        assert game.position == (x, y - tile - 1)
        game.tick(STEP_FRAMES - 1)
        assert game.position == (x, y - tile - 1)
    game.release("up")


@pytest.mark.parametrize(("frames", "count"), [(1, 1), (8, 1), (16, 1), (17, 2), (32, 2), (33, 3)])
def test_holding_a_button_in_the_facing_direction(start: Start, frames: int, count: int) -> None:
    game = start("town")
    Player(game).face("up")
    x, y = game.position
    hold(game, "up", frames)
    assert game.position == (x, y - count)


@pytest.mark.parametrize(("frames", "count"), [(1, 0), (8, 0), (9, 1), (16, 1), (24, 1), (25, 2)])
def test_another_direction_turns_first(start: Start, frames: int, count: int) -> None:
    game = start("town")
    Player(game).face("left")
    x, y = game.position
    hold(game, "up", frames)
    assert game.facing == "up"
    assert game.position == (x, y - count)


def test_a_turn_takes_eight_frames(start: Start) -> None:
    game = start("town")
    Player(game).face("left")
    game.press("up")
    game.tick()
    game.release("up")
    assert (game.facing, avatar(game)) == ("up", (1, 0))
    assert frames_until(game, lambda: avatar(game) == (0, 2)) == TURN_FRAMES
    assert frames_until(game, lambda: game.is_free) == 1


def test_a_wall_stops_and_moves_nothing(start: Start) -> None:
    game = start("bedroom")
    Player(game).walk_to((0, 3))
    Player(game).face("left")
    hold(game, "left", 16, rest=8)
    assert game.position == (0, 3)
    assert game.is_free


def test_a_bump_yields_to_another_direction(start: Start) -> None:
    game = start("bedroom")
    Player(game).walk_to((0, 3))
    Player(game).face("left")
    hold(game, "left", 4, rest=0)
    hold(game, "down", 4, rest=10)
    assert (game.facing, game.position) == ("down", (0, 3))
    assert game.is_free


def test_running_needs_shoes(start: Start) -> None:
    game = start("starter")
    player = Player(game)
    player.travel("HOME 1F")
    player.travel("FERNWICK")
    player.face("down")
    game.press("b")
    hold(game, "down", 1, rest=0)
    assert frames_until(game, lambda: game.is_free) == STEP_FRAMES + 1
    player.travel("HOME 1F")
    player.talk_at((3, 4), "left")
    player.settle()
    assert game.flag(RUNNING_SHOES)
    player.travel("FERNWICK")
    game.press("b")
    hold(game, "down", 1, rest=0)
    assert game.get("gPlayerAvatar") & 0x80
    assert frames_until(game, lambda: game.is_free) == RUN_FRAMES + 1
    assert not game.get("gPlayerAvatar") & 0x80


def test_steps_are_counted(start: Start) -> None:
    game = start("town")
    before, (x, y) = game.stat(STEPS), game.position
    Player(game).walk_to((x, y - 3))
    assert game.stat(STEPS) == before + 3


def test_one_hops_over_a_ledge_in_two_steps(start: Start) -> None:
    game = start("MILLBROOK PATH")
    player = Player(game)
    assert player.walk_to((6, 12))
    player.face("down")
    game.press("down")
    game.tick()
    game.release("down")
    assert game.position == (6, 13)
    assert frames_until(game, lambda: game.position == (6, 14)) == STEP_FRAMES
    assert not game.is_free
    player.settle()
    player.face("up")
    hold(game, "up", 12)
    assert game.position == (6, 14), "nobody gets up again"


# ---- the map -----------------------------------------------------------------------------------


@pytest.mark.parametrize("title", ["HOME 1F", "FERNWICK", "LAB", "CENTER", "STONEHOLLOW", "GYM"])
def test_cells_tell_where_one_can_walk(start: Start, title: str) -> None:
    """Random steps go exactly where the map in RAM allows."""
    game, rng, tried = start(title), random.Random(1), 0
    found, ways_out = tiles(game), warps_of(game, Player(game).header())
    width, height = size(game)
    for _ in range(90):
        at, button = game.position, rng.choice(tuple(DIRECTIONS))
        dx, dy = DIRECTIONS[button]
        to = at[0] + dx, at[1] + dy
        is_inside = 0 <= to[0] < width and 0 <= to[1] < height
        if not is_inside or to in ways_out or MATS.get(found[at].behaviour) == button:
            continue
        near = set(people(game))
        hold(game, button, 12, rest=14)
        if not game.is_free:
            break  # a trainer
        tile = found[to]
        assert game.objects[0][0x1E] == found[game.position].behaviour
        if to in near or to in people(game):
            continue
        tried += 1
        is_open = not tile.is_closed and is_level(found[at].elevation, tile.elevation)
        assert game.position == (to if is_open else at), f"{at} {button}"
    assert tried >= (5 if title == "GYM" else 30)


def test_the_map_header_is_a_copy_of_the_image(start: Start) -> None:
    for title in ("FERNWICK", "LAB", "MILLBROOK PATH"):
        game = start(title)
        header = Player(game).header(map_of(title))
        assert game.read("gMapHeader") == game.at(header, 28)
        assert game.block(1, 0x32, 2) == game.read("gMapHeader", 0x12, 2)
        layout = game.get("gMapHeader", size=4)
        width, height = struct.unpack("<ii", game.at(layout, 8))
        backup = struct.unpack("<iiI", game.read("gBackupMapLayout"))
        assert backup == (width + 15, height + 14, 0x02032318)


def test_the_border_holds_the_neighbours_strip(start: Start) -> None:
    """Fernwick's north border is the last rows of the path, its other borders are void."""
    town, route = start("town"), start("MILLBROOK PATH")
    here, there = tiles(town), tiles(route)
    _, height = size(route)
    for x in range(20):
        for y in range(-OFFSET, 0):
            assert here[x, y] == there[x, height + y]
    assert (-1, 5) not in here
    assert (5, 17) not in here


def test_an_edge_is_crossed_within_a_step(start: Start) -> None:
    game = start("MILLBROOK PATH")
    player = Player(game)
    player.walk_to((10, 22))
    player.face("down")
    seen, keys = [], set()

    def look() -> None:
        x, y = game.position
        width, height = size(game)
        assert 0 <= x < width
        assert 0 <= y < height
        assert places(game)[0] == (x, y)
        assert tuple(game.objects[0][0xA:0x8:-1]) == game.map_key
        keys.add(game.key)
        seen.append((game.map_key, (x, y)))

    game.watch = look
    hold(game, "down", 33, rest=20)
    moves = [place for place, before in zip(seen[1:], seen, strict=False) if place != before]
    assert moves == [(map_of("FERNWICK"), (10, y)) for y in (0, 1)]
    assert game.mode == "CB2_Overworld"
    assert len(keys) == 1, "the save blocks stay where they are"
    assert game.read("gMapHeader") == game.at(player.header(map_of("FERNWICK")), 28)


# ---- warps -------------------------------------------------------------------------------------


def test_a_door_opens_and_leads_in(start: Start) -> None:
    game = start("town")
    player = Player(game)
    player.walk_to((15, 6))
    player.face("up")
    assert tiles(game)[15, 5].behaviour == DOOR
    assert tiles(game)[15, 5].is_closed
    game.press("up")
    seen = modes_of(game, lambda: game.is_free)
    game.release("up")
    assert seen == ["CB2_Overworld", *LOADING]
    assert (game.map_key, game.position, game.facing) == (map_of("LAB"), (4, 9), "up")


def test_a_mat_leads_out_of_the_door(start: Start) -> None:
    game = start("starter")
    player = Player(game)
    player.walk_to((4, 9))
    assert MATS[tiles(game)[4, 9].behaviour] == "down"
    player.face("down")
    game.press("down")
    frames_until(game, lambda: game.get("sLockFieldControls") == 1)
    game.release("down")
    assert game.get("gPlayerAvatar", 6) == 1
    assert modes_of(game, lambda: game.is_free) == ["CB2_Overworld", *LOADING]
    assert (game.map_key, game.position, game.facing) == (map_of("FERNWICK"), (15, 6), "down")


def test_stairs_are_taken_by_stepping_on_them(start: Start) -> None:
    game = start("bedroom")
    player = Player(game)
    player.walk_to((7, 3))
    assert tiles(game)[7, 2].behaviour == STAIRS
    assert not tiles(game)[7, 2].is_closed
    player.face("up")
    game.act("up")
    assert modes_of(game, lambda: game.is_free) == ["CB2_Overworld", *LOADING]
    assert (game.map_key, game.position, game.facing) == (map_of("HOME 1F"), (7, 3), "down")


def test_nobody_is_in_control_while_a_map_is_left_and_entered(start: Start) -> None:
    game = start("bedroom")
    player = Player(game)
    free: list[tuple[int, int]] = []
    game.watch = lambda: free.append(game.map_key) if game.is_free else None
    player.travel("HOME 1F")
    first = free.index(map_of("HOME 1F"))
    assert set(free[first:]) == {map_of("HOME 1F")}
    assert game.position == (7, 3), "off the stairs before anyone is in control"


def test_save_blocks_and_key_move_with_every_map(start: Start) -> None:
    game = start("starter")
    player = Player(game)
    money, offsets, keys = game.money, set(), set()
    for _ in range(4):
        for title in ("FERNWICK", "LAB"):
            flags, steps = game.block(1, 0x1270, 300), game.stat(STEPS)
            player.travel(title)
            first, second = (game.get(f"gSaveBlock{n}Ptr", size=4) for n in (1, 2))
            assert first - FIRST_BLOCK == second - SECOND_BLOCK
            assert first - FIRST_BLOCK in range(0, SLACK + 1, 4)
            offsets.add(first - FIRST_BLOCK)
            keys.add(game.key)
            assert game.money == money
            assert game.block(1, 0x1270, 300) == flags
            assert steps <= game.stat(STEPS) < steps + 40
            assert all(one.is_sound for one in party(game))
    assert len(offsets) >= 4
    assert len(keys) == 8


def test_people_of_the_map_are_listed_in_the_save_block(start: Start) -> None:
    game = start("LAB")
    events = game.get("gMapHeader", 4, 4)
    count = game.at(events, 1)[0]
    templates = game.at(int.from_bytes(game.at(events + 4, 4), "little"), 24 * count)
    assert game.block(1, 0xC70, 24 * count) == templates
    assert game.block(1, 0xC70 + 24 * count, 24) == bytes(24)


def test_every_map_of_the_table_can_be_entered(start: Start) -> None:
    game = start("starter")
    game.set_flag(BADGE)
    player = Player(game)
    for title in map_names().values():
        player.travel(title)
        assert game.map_key == map_of(title)
