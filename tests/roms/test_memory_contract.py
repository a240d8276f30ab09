"""RAM means what it means in Pokémon Crystal, at the same addresses and at the same time."""

import random

import pytest

from engine.games.facts import read_rows
from engine.games.practice.game import FACTS
from tests.engine.games.images import PRACTICE
from tests.roms.conftest import Start
from tests.roms.first_act import DIRECTIONS, frames_until, hold
from tests.roms.machine import STANDING, Machine
from tests.roms.player import (
    CARPET,
    FACING,
    HOP,
    OBJECT_SIZE,
    OBJECTS,
    WALLS,
    Grid,
    Player,
    map_of,
    objects,
    warps,
)

STEP_FRAMES, LATENCY, TURN_FRAMES = 16, 2, 8
WALKING = {"down": 4, "up": 5, "left": 6, "right": 7}
FIRST_ACT = 11
MAP_NAMES = tuple(PRACTICE.MAPS.values())[:FIRST_ACT]


def stepped_off(game: Machine) -> set[tuple[int, int]]:
    """Return the cells that people stand on or are just leaving: both are taken."""
    raw = game.read("wObject1Struct", 0, OBJECTS * OBJECT_SIZE)
    rows = (raw[i : i + OBJECT_SIZE] for i in range(0, len(raw), OBJECT_SIZE))
    return {(row[18] - 4, row[19] - 4) for row in rows if row[0]}


# ---- position and steps ------------------------------------------------------------------------


def test_a_tile_takes_sixteen_frames_and_up_to_two_of_latency(start: Start) -> None:
    game = start("town")
    Player(game).face("up")
    x, y = game.position
    game.press("up")
    began = frames_until(game, lambda: game.get("wPlayerMapY") == y + 3)
    assert game.position == (x, y), "the coordinates change at the end"
    first = frames_until(game, lambda: game.position == (x, y - 1))
    second = frames_until(game, lambda: game.position == (x, y - 2))
    game.release("up")
    assert began <= LATENCY + 1
    assert began + first <= STEP_FRAMES + LATENCY
    assert second == STEP_FRAMES


def test_step_fields_follow_the_step(start: Start) -> None:
    game = start("town")
    Player(game).face("up")
    game.press("up")
    durations, walking, flags, types = [], set(), [], set()
    for _ in range(STEP_FRAMES + LATENCY):
        game.tick()
        if game.get("wPlayerWalking") != STANDING:
            game.release("up")
            durations.append(game.get("wPlayerStepDuration"))
            walking.add(game.get("wPlayerWalking"))
            flags.append(game.get("wPlayerStepFlags"))
            types.add(game.get("wPlayerStepType"))
    game.tick(30)
    assert walking == {WALKING["up"]}
    assert types == {6}
    assert durations == sorted(durations, reverse=True)
    assert set(durations) >= set(range(1, 7))
    assert flags[0] == 0xA0
    assert 0x20 in flags
    assert flags[-1] == 0x60
    assert game.get("wPlayerStepFlags") == 0
    assert game.get("wPlayerStepType") == 1
    assert game.get("wPlayerAction") == 1


def test_a_turn_takes_eight_frames_and_moves_nothing(start: Start) -> None:
    game = start("town")
    player = Player(game)
    player.face("up")
    before = game.position
    game.press("left")
    frames_until(game, lambda: game.get("wPlayerStepType") == 10, 4)
    assert game.get("wPlayerDirection") == FACING["left"]
    game.release("left")
    took = frames_until(game, lambda: game.get("wPlayerStepType") == 1, 16)
    assert TURN_FRAMES - 2 <= took <= TURN_FRAMES
    assert game.position == before


@pytest.mark.parametrize("frames", [2, 8, 16])
def test_up_to_sixteen_frames_in_the_facing_direction_are_one_tile(
    start: Start, frames: int
) -> None:
    game = start("town")
    Player(game).face("up")
    x, y = game.position
    hold(game, "up", frames)
    assert game.position == (x, y - 1)


@pytest.mark.parametrize(("frames", "tiles"), [(2, 0), (8, 0), (10, 1), (16, 1), (24, 1), (26, 2)])
def test_a_new_direction_turns_first(start: Start, frames: int, tiles: int) -> None:
    game = start("town")
    Player(game).face("left")
    x, y = game.position
    hold(game, "up", frames)
    assert game.get("wPlayerDirection") == FACING["up"]
    assert game.position == (x, y - tiles)


def test_a_wall_costs_little_and_moves_nothing(start: Start) -> None:
    game = start("bedroom")
    player = Player(game)
    player.walk_to((0, 3))
    player.face("left")
    hold(game, "left", 8, rest=8)
    assert game.position == (0, 3)
    assert game.is_free


def test_step_counter_counts(start: Start) -> None:
    game = start("town")
    player = Player(game)
    before = game.get("wStepCount")
    x, y = game.position
    player.walk_to((x, y - 3))
    assert game.get("wStepCount") == before + 3


# ---- collisions --------------------------------------------------------------------------------


@pytest.mark.parametrize("title", MAP_NAMES)
def test_collision_table_tells_where_one_can_walk(start: Start, title: str) -> None:
    """Random steps go exactly where the ROM table at wTilesetCollisionAddress allows."""
    game = start(title if title not in ("HOME 2F",) else "bedroom")
    grid, rng, tried = Grid.read(game), random.Random(1), 0
    for _ in range(80):
        if game.map_key != map_of(title) or game.get("wBattleMode"):
            break
        Player(game).settle()
        at = game.position
        for name, (dx, dy) in (("wTileDown", (0, 1)), ("wTileUp", (0, -1))):
            assert game.get(name) == grid.cells[at[0] + dx, at[1] + dy]
        for name, (dx, dy) in (("wTileLeft", (-1, 0)), ("wTileRight", (1, 0))):
            assert game.get(name) == grid.cells[at[0] + dx, at[1] + dy]
        assert game.get("wPlayerTileCollision") == grid.cells[at]
        button = rng.choice(tuple(DIRECTIONS))
        dx, dy = DIRECTIONS[button]
        to = at[0] + dx, at[1] + dy
        leaves = button == "down" and grid.cells[at] in (HOP, CARPET)
        if leaves or not grid.inside(to) or to in warps(game):
            continue
        people = {*objects(game), *stepped_off(game)}
        hold(game, button, 12, rest=18)
        if game.get("wScriptRunning") or game.get("wBattleMode") or game.map_key != map_of(title):
            break
        if to in people or to in objects(game):
            continue
        tried += 1
        expected = at if grid.cells[to] in WALLS else to
        assert game.position == expected, f"{at} {button}"
    assert tried >= (5 if title in ("MILLBROOK PATH", "GYM") else 20)


def test_block_map_holds_the_neighbour_behind_the_edge(start: Start) -> None:
    """The path continues seamlessly: Fernwick's north border is the route's last rows."""
    town = Grid.read(start("town")).cells
    route = start("MILLBROOK PATH")
    height = route.get("wMapHeight") * 2
    here = Grid.read(route).cells
    assert [town[x, -1] for x in range(20)] == [here[x, height - 1] for x in range(20)]


def test_ledges_are_hopped_down_and_never_up(start: Start) -> None:
    game = start("MILLBROOK PATH")
    player = Player(game, grass_cost=1)
    player.walk_to((4, 12))
    player.face("down")
    assert game.get("wPlayerTileCollision") == HOP
    game.act("down", frames=60)
    assert game.position == (4, 14)
    player.face("up")
    game.act("up", frames=60)
    assert game.position == (4, 14)


# ---- maps --------------------------------------------------------------------------------------


def test_every_warp_leads_to_the_warp_it_names(start: Start) -> None:
    """Walk through all of them; warp# counts from 1 in the target map's table."""
    game = start("FERNWICK")
    player = Player(game)
    for title in MAP_NAMES:
        if title == "GYM":
            continue  # the pupils would fight; the walkthrough goes there
        player.travel(title)
        rows = _warp_rows(game)
        assert {(row[3], row[4]) for row in rows} <= set(PRACTICE.MAPS)
        if title == "MILLBROOK PATH":
            continue
        y, x, arrival, group, number = rows[0]
        assert player.leave_to((group, number)), f"{title} {x},{y}"
        target = _warp_rows(game)[arrival - 1]
        assert game.position in ((target[1], target[0]), (target[1], target[0] + 1)), title


def _warp_rows(game: Machine) -> list[bytes]:
    count = game.get("wCurMapWarpEventCount")
    address = int.from_bytes(game.read("wCurMapWarpEventsPointer"), "little")
    raw = game.rom_bytes(game.get("wMapScriptsBank"), address, 5 * count)
    return [raw[i : i + 5] for i in range(0, 5 * count, 5)]


@pytest.mark.parametrize(
    ("place", "edge", "coordinate"), [("town", "up", 1), ("STONEHOLLOW", "left", 0)]
)
def test_a_coordinate_is_255_while_leaving_over_the_edge(
    start: Start, place: str, edge: str, coordinate: int
) -> None:
    game = start(place)
    player = Player(game)
    if place == "town":
        player.take_starter(2)
        player.travel("FERNWICK")
        player.walk_to((9, 0))
    else:
        player.walk_to((0, 8))
    before = game.map_key
    player.face(edge)
    game.press(edge)
    frames_until(game, lambda: game.position[coordinate] == 255)
    assert game.get("wMapStatus") == 1
    took = frames_until(game, lambda: game.position[coordinate] != 255)
    game.release(edge)
    assert took <= 4
    frames_until(game, lambda: game.is_free)
    assert game.map_key != before
    assert game.map_key == map_of("MILLBROOK PATH")


def test_doors_switch_events_off_for_the_forced_step(start: Start) -> None:
    game = start("bedroom")
    player = Player(game)
    player.travel("HOME 1F")
    player.walk_to((3, 7))
    player.face("down")
    statuses, entries, events = set(), set(), set()
    game.press("down")
    game.tick(LATENCY)
    game.release("down")
    for _ in range(90):
        game.tick()
        statuses.add(game.get("wMapStatus"))
        entries.add(game.get("hMapEntryMethod"))
        events.add(game.get("wMapEventStatus"))
    assert game.map_key == map_of("FERNWICK")
    assert statuses == {1, 2}
    assert entries == {0, 0xF5}
    assert events == {0, 1}
    assert game.position == (3, 6), "one step out of the doorway"
    assert game.is_free


def test_maps_tell_their_kind_size_and_connections(start: Start) -> None:
    for title, kind, size, sides in (
        ("town", 1, (10, 8), 8),
        ("MILLBROOK PATH", 2, (10, 12), 5),
        ("LAB", 3, (5, 5), 0),
    ):
        game = start(title)
        assert game.get("wEnvironment") == kind
        assert (game.get("wMapWidth"), game.get("wMapHeight")) == size
        assert game.get("wMapConnections") == sides


def test_spawns_and_landmarks_follow_the_journey(start: Start) -> None:
    game = start("STONEHOLLOW")
    player = Player(game)
    assert game.get("wVisitedSpawns", 1) == 0xC0
    assert game.get("wLastSpawnMapGroup") == 0
    assert PRACTICE.LANDMARKS[game.get("wCurLandmark")] == "STONEHOLLOW"
    assert PRACTICE.LANDMARKS[game.get("wPrevLandmark")] == "MILLBROOK PATH"
    player.travel("CENTER")
    spawn = game.get("wLastSpawnMapGroup"), game.get("wLastSpawnMapNumber")
    assert spawn == map_of("STONEHOLLOW")


# ---- people and words --------------------------------------------------------------------------


def test_object_structs_tell_who_stands_where(start: Start) -> None:
    game = start("LAB")
    people = objects(game)
    assert {(5, 3), (6, 4), (8, 4)} <= set(people), "the professor and two balls"
    assert (7, 4) not in people, "the chosen ball is gone"
    assert all(sprite and index for sprite, index in people.values())


def test_people_wander_and_block_the_way(start: Start) -> None:
    game = start("town")
    seen = set()
    for _ in range(200):
        game.act()
        seen.add(tuple(sorted(objects(game))))
    assert len(seen) > 3


def test_the_waiting_arrow_blinks_under_a_text(start: Start) -> None:
    game = start("town")
    player = Player(game)
    player.talk_at((8, 3), "up")
    frames_until(game, lambda: game.get("wTilemap", 17 * 20 + 18) == 0xEE, 600)
    assert game.get("wScriptRunning") == 255
    assert game.get("wScriptMode") == 1
    assert game.get("wWindowStackSize") == 0, "a text box is no window"
    assert game.get("wMenuCursorY") == 0
    assert game.shows("FERNWICK")
    seen = set()
    for _ in range(80):
        game.tick()
        seen.add(game.get("wTilemap", 17 * 20 + 18))
    assert seen == {0xEE, 0x7A}
    player.settle()
    assert not game.shows("FERNWICK")


def assert_screen_is_tilemap(game: Machine) -> None:
    """All 360 cells of wTilemap and wAttrmap are what the visible part of VRAM holds."""
    column, row = game.byte(0xFF43) // 8, game.byte(0xFF42) // 8
    assert (game.byte(0xFF43) % 8, game.byte(0xFF42) % 8) == (0, 0)
    tiles, attributes = game.read("wTilemap"), game.read("wAttrmap")
    for bank, expected in ((0, tiles), (1, attributes)):
        vram = game.vram(bank, 0x9800, 0x400)
        shown = bytes(
            vram[32 * ((row + y) % 32) + (column + x) % 32] for y in range(18) for x in range(20)
        )
        assert shown == expected


def test_tilemap_equals_the_screen_at_rest(start: Start) -> None:
    game = start("STONEHOLLOW")
    player = Player(game)
    assert_screen_is_tilemap(game)
    for goal in ((4, 9), (12, 9), (10, 7)):
        player.walk_to(goal)
        game.act()
        assert_screen_is_tilemap(game)
    player.talk_at((9, 8), "up")
    game.tick(400)
    game.tick(17 - game.get("wGameTimeFrames") % 16)
    assert_screen_is_tilemap(game)
    player.settle()
    game.act("start")
    player.wait_for_menu("")
    game.tick(20)
    assert_screen_is_tilemap(game)
    player.choose(0)
    game.tick(60)
    assert_screen_is_tilemap(game)
    player.settle()
    game.tick(20)
    assert_screen_is_tilemap(game)


# ---- menus -------------------------------------------------------------------------------------


def test_start_menu_counts_as_a_window_and_moves_its_cursor(start: Start) -> None:
    game = start("MILLBROOK PATH")
    player = Player(game)
    game.act("start")
    player.wait_for_menu("")
    assert game.get("wScriptRunning") == 255
    assert game.get("wWindowStackSize") == 1
    assert (game.get("w2DMenuNumRows"), game.get("w2DMenuNumCols")) == (4, 1)
    assert (game.get("wMenuCursorY"), game.get("wMenuCursorX")) == (1, 1)
    assert game.shows("▶PARTY")
    game.act("down")
    assert game.get("wMenuCursorY") == 2
    assert game.get("wMenuSelection") == 2
    game.act("a")
    player.wait_for_menu("")
    assert game.get("wWindowStackSize") == 2
    assert game.get("wSpriteUpdatesEnabled") == 0
    player.settle()
    assert game.get("wWindowStackSize") == 0
    assert game.get("wMenuCursorY") == 0
    assert game.get("wSpriteUpdatesEnabled") == 1


def test_without_a_creature_there_is_no_party_entry(start: Start) -> None:
    game = start("bedroom")
    game.act("start")
    Player(game).wait_for_menu("")
    assert game.get("w2DMenuNumRows") == 3
    assert not game.shows("PARTY")


def test_options_menu_sets_the_documented_bits(start: Start) -> None:

    game = start("bedroom")
    assert game.get("wOptions") == 0x03
    Player(game).set_options()
    assert game.get("wOptions") == 0x91


# ---- money, time, party ------------------------------------------------------------------------


def test_money_is_binary_big_endian_and_the_shop_takes_it(start: Start) -> None:
    game = start("SHOP")
    player = Player(game)
    assert game.read("wMoney") == bytes((0, 0x0B, 0xB8))
    balls = dict(zip(game.read("wBalls")[::2], game.read("wBalls")[1::2], strict=False))[5]
    player.talk_at((3, 3), "left")
    player.wait_for_menu()
    game.act("a")
    for _ in range(12):
        game.act("a")
        if game.number("wMoney", size=3) != 3000:
            break
    spent = 3000 - game.number("wMoney", size=3)
    player.settle()
    bought = dict(zip(game.read("wBalls")[::2], game.read("wBalls")[1::2], strict=False))[5]
    assert spent == 200 * (bought - balls)
    assert spent > 0


def test_the_clock_counts_only_in_a_running_game() -> None:
    game = Machine()
    game.tick(200)
    assert game.get("wGameTimerPaused") == 0
    assert game.read("wGameTimeHours", 0, 5) == bytes(5)
    player = Player(game)
    player.start_game()
    assert game.get("wGameTimerPaused") == 1
    before = game.get("wGameTimeSeconds") * 60 + game.get("wGameTimeFrames")
    game.tick(90)
    assert game.get("wGameTimeSeconds") * 60 + game.get("wGameTimeFrames") == before + 90
    game.close()


def test_a_new_game_has_names_and_empty_pockets(start: Start) -> None:
    game = start("bedroom")
    assert game.read("wPlayerName")[:6] == bytes((0x91, 0x8E, 0x81, 0x88, 0x8D, 0x50))
    assert game.read("wRivalName")[:5] == bytes((0x96, 0x91, 0x84, 0x8D, 0x50))
    for name in ("wNumItems", "wNumKeyItems", "wNumBalls", "wPartyCount", "wJohtoBadges"):
        assert game.get(name) == 0
    for name in ("wItems", "wKeyItems", "wBalls", "wPartySpecies"):
        assert game.get(name) == 0xFF
    assert game.get("wPlayerGender") == 0


def test_the_starter_fills_the_party(start: Start) -> None:
    game = start("LAB")
    assert game.get("wPartyCount") == 1
    species = game.get("wPartySpecies")
    assert PRACTICE.SPECIES[species] == "RILLET"
    assert game.get("wPartySpecies", 1) == 0xFF
    assert game.get("wPartyMon1Species") == species
    assert game.get("wPartyMon1Level") == 5
    assert game.number("wPartyMon1HP") == game.number("wPartyMon1MaxHP") > 0
    assert game.number("wPartyMon1Exp", size=3) == 125
    assert game.read("wPartyMon1ID") == game.read("wPlayerID")
    assert game.read("wPartyMonOTs", 0, 6) == game.read("wPlayerName", 0, 6)
    assert game.get("wPokedexCaught", (species - 1) // 8) >> (species - 1) % 8 & 1
    assert (game.get("wNumBalls"), game.get("wBalls"), game.get("wBalls", 1)) == (1, 5, 5)
    assert game.event(PRACTICE.EVENT_FLAGS["GOT_STARTER"])


# ---- battles -----------------------------------------------------------------------------------


def to_battle_menu(game: Machine) -> None:
    """Press B until the battle asks what to do."""
    for _ in range(60):
        if game.get("wMenuCursorY"):
            return
        game.act("b")
    raise AssertionError(f"no battle menu: {Player(game).where()}")


def find_battle(game: Machine) -> Player:
    """Walk in the route's first grass until a wild creature appears."""
    player = Player(game, grass_cost=1)
    player.walk_to((14, 19))
    for turn in range(400):
        if game.get("wBattleMode"):
            return player
        hold(game, "right" if turn % 2 else "left", 12, rest=12)
    raise AssertionError("no wild creature in 400 steps")


def test_wild_battle_memory(start: Start) -> None:
    game = start("MILLBROOK PATH")
    player = find_battle(game)
    assert game.get("wBattleMode") == 1
    assert game.get("wScriptRunning") == 255
    to_battle_menu(game)
    assert game.get("wBattleType") == 0
    species = game.get("wEnemyMonSpecies")
    assert species in {
        int(row["species"])
        for row in read_rows(FACTS, "wild")
        if row["map"] == PRACTICE.MAPS[game.map_key]
    }
    assert 2 <= game.get("wEnemyMonLevel") <= 4
    assert game.number("wEnemyMonHP") == game.number("wEnemyMonMaxHP") > 0
    assert game.get("wEnemyMonType1") == PRACTICE.SPECIES_TYPES[species][0]
    assert game.get("wBattleMonSpecies") == game.get("wPartyMon1Species")
    assert game.number("wBattleMonHP") == game.number("wPartyMon1HP")
    assert game.read("wBattleMonMoves") == game.read("wPartyMon1Moves")
    assert game.get("wPokedexSeen", (species - 1) // 8) >> (species - 1) % 8 & 1
    assert (game.get("w2DMenuNumRows"), game.get("w2DMenuNumCols")) == (2, 2)
    game.tick(20)
    assert_screen_is_tilemap(game)
    points = game.read("wBattleMonPP")
    player.settle()
    assert game.get("wBattleMode") == 0
    assert game.read("wPartyMon1PP") != points
    assert game.get("wBattleResult") == 0


@pytest.mark.parametrize(
    ("rest_house", "title", "at"),
    [(True, "STONEHOLLOW", (5, 5)), (False, "HOME 2F", (4, 5))],
    ids=["after a rest", "before any rest"],
)
def test_a_lost_battle_leads_to_the_last_rest_house_with_half_the_money(
    start: Start, rest_house: bool, title: str, at: tuple[int, int]
) -> None:
    game = start("MILLBROOK PATH")
    if rest_house:
        game.poke("wLastSpawnMapGroup", map_of(title)[0])
        game.poke("wLastSpawnMapNumber", map_of(title)[1])
    player = find_battle(game)
    to_battle_menu(game)
    game.poke("wBattleMonHP", 0)
    game.poke("wBattleMonHP", 1, offset=1)
    game.poke("wEnemyMonHP", 0x02)  # it survives, and sooner or later hits
    player.settle()
    assert (game.map_key, game.position) == (map_of(title), at)
    assert game.number("wMoney", size=3) == 1500
    assert player.health() == 1
    assert game.get("wBattleResult") == 1


def test_trainers_challenge_on_sight(start: Start) -> None:
    game = start("GYM")
    player = Player(game)
    for _ in range(40):
        game.act("b" if game.get("wScriptRunning") else "up")
        if game.get("wBattleMode"):
            break
    assert game.get("wBattleMode") == 2
    to_battle_menu(game)
    assert game.get("wOtherTrainerClass") == 2
    assert game.get("wOTPartyCount") == 1
    assert game.get("wOTPartySpecies") == game.get("wEnemyMonSpecies")
    player.settle()
    assert game.event(PRACTICE.EVENT_FLAGS["BEAT_MOE"])


# ---- determinism -------------------------------------------------------------------------------


def test_a_state_and_inputs_replay_exactly(start: Start) -> None:
    rng = random.Random(5)
    buttons = [rng.choice(("a", "b", "up", "down", "left", "right", "start")) for _ in range(120)]

    def play() -> bytes:
        game = start("MILLBROOK PATH")
        for button in buttons:
            game.act(button)
        return game.read("wTilemap") + game.read("wObject1Struct", 0, 480) + game.read("wPartyMon1")

    assert play() == play()


def test_the_random_bytes_decide(start: Start) -> None:
    def first_battle(seed: int) -> tuple[int, int]:
        game = start("MILLBROOK PATH")
        game.seed(seed)
        find_battle(game)
        return game.actions, game.get("wGameTimeFrames")

    assert len({first_battle(seed) for seed in (1, 2, 3, 4)}) > 1


# ---- what the screen waits for -----------------------------------------------------------------


def test_a_step_switches_events_off_until_the_next_poll(start: Start) -> None:
    game = start("town")
    Player(game).face("up")
    game.press("up")
    frames_until(game, lambda: game.get("wPlayerWalking") != STANDING)
    seen = []
    while game.get("wPlayerWalking") != STANDING or game.get("wMapEventStatus"):
        seen.append((game.get("wMapEventStatus"), game.get("wPlayerWalking") == STANDING))
        game.tick()
        game.release("up")
    assert seen[0] == (0, False), "the first frame has them on yet: the walking byte is needed"
    assert seen[-1] == (1, True), "the last one stands already: the status is needed"
    assert [is_off for is_off, _ in seen[2:]] == [1] * (STEP_FRAMES - 3)


def test_a_turn_is_a_script_of_six_frames(start: Start) -> None:
    game = start("town")
    Player(game).face("left")
    game.press("right")
    frames_until(game, lambda: game.get("wScriptRunning"))
    game.release("right")
    assert frames_until(game, lambda: game.is_free) == 6


def test_text_is_at_work_while_it_prints_and_waits(start: Start) -> None:
    game = start("bedroom")
    Player(game).walk_to((0, 3))
    Player(game).face("down")
    letters, waits = [], []
    game.press("a")
    frames_until(game, lambda: game.get("wTextboxFlags") & 2)
    game.release("a")
    while 0xEE not in game.read("wTilemap"):
        assert game.get("hOAMUpdate") == 1
        letters.append(game.get("wTextDelayFrames"))
        game.tick()
    for _ in range(24):
        game.tick()
        waits.append(game.get("wTextDelayFrames"))
        assert game.get("wTextboxFlags") & 2
    assert max(letters[6:]) < 3, "letters load the middle text speed"
    assert all(max(waits[at : at + 5]) == 4 for at in range(20))
