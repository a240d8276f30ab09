"""The second act: gates, errands and field moves, each tried where it stands in the way."""

from collections.abc import Callable, Iterator

import pytest

from tests.engine.games.images import PRACTICE
from tests.roms import act_two
from tests.roms.act_two import answer, event, is_naming, is_spinner, reach, read_until
from tests.roms.first_act import started
from tests.roms.machine import Machine
from tests.roms.player import Player, map_of, objects

pytestmark = pytest.mark.slow

At = Callable[[str], Machine]
CUT_TREE, WATER = 0x12, 0x29


@pytest.fixture(scope="module")
def _saved() -> dict[str, bytes]:
    return {}


@pytest.fixture
def at(_saved: dict[str, bytes]) -> Iterator[At]:
    """Return a machine where a stage of act_two.STAGES has just ended."""
    with started(Machine, lambda stage: reach(stage, _saved, act_two.STAGES)) as start_at:
        yield start_at


def tile(game: Machine, cell: tuple[int, int]) -> int:
    return Player(game).grid().cells[cell]


def test_the_second_act_can_be_played_to_its_end(at: At) -> None:
    game = at("moss light")
    assert game.get("wJohtoBadges") == 0b1011
    keys = [one.key for one in PRACTICE.MILESTONES]
    acts = PRACTICE.MILESTONES[: keys.index("moss_light") + 1]
    late = [one for one in acts if one.kind == "event"]
    assert all(game.event(one.value) for one in late)
    assert event(game, "MOSS_LIGHT")


def test_a_level_is_asked_for_before_the_arch_behind_which_the_rival_waits() -> None:
    levels = {one.key: one.level for one in PRACTICE.MILESTONES if one.level}
    assert levels["reached_glimmer_road"] == levels["beat_wren"] == 11
    assert levels["second_badge"] == levels["echo_one"] == 10
    assert levels["beat_wren_again"] == levels["echo_two"] == 15


def test_the_gate_is_trees_until_the_badge_opens_it(at: At) -> None:
    game = at("first badge")
    player = Player(game)
    player.travel("STONEHOLLOW")
    assert tile(game, (10, 1)) == 0x71
    number = PRACTICE.EVENT_FLAGS["COBBLE_BADGE"]
    before = game.get("wEventFlags", number >> 3)
    game.poke("wEventFlags", before & ~(1 << (number & 7)), number >> 3)
    player.travel("SHOP")
    player.travel("STONEHOLLOW")
    assert tile(game, (10, 1)) == 0x07


def test_the_arch_lets_out_only(at: At) -> None:
    game = at("clock")
    player = Player(game)
    player.travel("GLIMMER ROAD")
    assert game.position == (10, 21)
    for button in ("right", "left", "down", "down"):
        player.step(button)
    assert game.map_key == map_of("GLIMMER ROAD")


def test_the_ledge_cannot_be_climbed_and_leads_back(at: At) -> None:
    game = at("rival")
    player = Player(game)
    player.walk_to((3, 17))
    for _ in range(3):
        if game.position[1] == 17:
            player.step("down")
    assert game.position == (3, 19)
    for _ in range(4):
        player.step("up")
    assert game.position == (3, 19)
    player.walk_to((2, 21))
    player.settle()
    assert game.map_key == map_of("GATEHOUSE")
    player.travel("STONEHOLLOW")


def test_the_spinner_sets_the_hour_and_no_asks_again(at: At) -> None:
    game = at("first badge")
    act_two.meet_watchman(game)
    for _ in range(11):
        game.act("up")
    assert game.byte(0xC61C) == 21
    game.act("a")
    answer(game, 1)
    read_until(game, lambda: is_spinner(game))
    for _ in range(22):
        game.act("down")
    game.act("a")
    answer(game)
    Player(game).settle()
    assert game.get("hHours") == 23
    assert game.get("wTimeOfDay") == 2
    assert event(game, "CLOCK_SET")


def test_the_watchman_lets_nobody_pass_before(at: At) -> None:
    game = at("first badge")
    Player(game).travel("GATEHOUSE")
    assert not Player(game).path({(4, 2)}, objects(game))
    assert (4, 4) not in objects(at("clock"))


def test_the_naming_screen_yields_the_name(at: At) -> None:
    game = at("clock")
    act_two.beat_rival(game)
    for button in ("a", "right", "a", "down", "a", "b", "start", "a"):
        game.act(button)
    Player(game).settle()
    name = game.read("wRivalName")
    assert name[: name.index(0x50)] == bytes((0x80, 0x81))


def test_start_and_a_keep_the_name(at: At) -> None:
    game = at("clock")
    before = game.read("wRivalName")
    act_two.beat_rival(game)
    assert is_naming(game)
    game.act("start")
    game.act("a")
    Player(game).settle()
    assert game.read("wRivalName") == before


def test_the_phone_rings_once_on_the_road(at: At) -> None:
    game = at("rival")
    player = Player(game)
    calls = 0
    for turn in range(24):
        game.act("left" if turn // 4 % 2 else "right")
        if game.shows("BELL PHONE"):
            calls += 1
            player.settle()
    assert calls == 1
    assert event(game, "PHONE_CALLED")
    assert game.get("wPokegearFlags") & 4


def test_the_lamplighter_blocks_until_he_has_his_lamp(at: At) -> None:
    game = at("rival")
    player = Player(game)
    player.talk_at((9, 3), "up")
    player.settle()
    assert not player.path({(9, 0)}, objects(game))
    game = at("lamp returned")
    assert Player(game).path({(9, 0)}, objects(game))


def test_the_cave_has_two_floors(at: At) -> None:
    game = at("rival")
    player = Player(game)
    player.travel("DRIPSTONE 1F")
    assert tile(game, (11, 8)) == 0x72
    player.travel("DRIPSTONE B1F")
    assert game.position == (9, 2)
    assert game.get("wEnvironment") == 4
    player.travel("GLIMMER ROAD")


def test_the_tree_falls_only_with_badge_and_move(at: At) -> None:
    game = at("lamp returned")
    player = Player(game)
    player.travel("REEDMERE")
    player.talk_at(act_two.TREE_EAST, "left")
    player.settle()
    assert tile(game, (5, 8)) == CUT_TREE
    game = at("cut")
    act_two.cut(game)
    assert tile(game, (5, 8)) == 0


def test_the_tree_grows_again(at: At) -> None:
    game = at("seal")
    Player(game).travel("REEDMERE")
    assert tile(game, (5, 8)) == CUT_TREE


def test_the_lake_is_crossed_with_seal_and_move_only(at: At) -> None:
    game = at("cut")
    player = Player(game)
    player.travel("REEDMERE")
    player.talk_at(act_two.SHORE, "up")
    player.settle()
    assert game.position == act_two.SHORE
    assert game.get("wPlayerState") == 0
    game = at("seal")
    act_two.surf(game)
    assert game.get("wPlayerState") == 4
    assert game.get("wPlayerTileCollision") == WATER
    game = at("isle")
    assert game.map_key == map_of("MOSS ISLE")
    assert game.get("wPlayerState") == 0


def test_the_rival_must_be_beaten_twice(at: At) -> None:
    game = at("isle")
    assert event(game, "BEAT_WREN_1")
    assert not event(game, "BEAT_WREN_2")
    assert not Player(game).path({(10, 4)}, objects(game))
    assert event(at("moss light"), "BEAT_WREN_2")
