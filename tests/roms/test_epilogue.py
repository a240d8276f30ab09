"""The epilogue: each obstacle tried the wrong way too, before it gives way."""

from collections.abc import Callable, Iterator

import pytest

from engine.games.base import Approach, MilestoneKind
from engine.games.catalog import load_game
from engine.types import Action, Prompt
from tests.engine.games.images import PRACTICE
from tests.roms import act_two, epilogue
from tests.roms.act_two import answer, event, reach, read_until
from tests.roms.epilogue import entry, push, teach, walk
from tests.roms.first_act import started
from tests.roms.machine import Machine
from tests.roms.player import Player, map_of, objects, warps

pytestmark = pytest.mark.slow

At = Callable[[str], Machine]
OBJECT_SIZE, MAP_OBJECT_SIZE, NO_STRUCT = 40, 16, 0xFF
MASKS, MAP_OBJECTS = 0xD81E, 0xD71E
STARTER = 0


@pytest.fixture(scope="module")
def _saved() -> dict[str, bytes]:
    return {}


@pytest.fixture
def at(_saved: dict[str, bytes]) -> Iterator[At]:
    """Return a machine where a stage of the second act or of the epilogue has just ended."""
    stages = act_two.STAGES | epilogue.STAGES
    with started(Machine, lambda stage: reach(stage, _saved, stages)) as start_at:
        yield start_at


def row_of(game: Machine, number: int) -> tuple[int, int, int]:
    """Return struct id and tile of a row of the map's objects."""
    start = MAP_OBJECTS + MAP_OBJECT_SIZE * number
    return game.byte(start), game.byte(start + 3) - 4, game.byte(start + 2) - 4


def wait_for_menu(game: Machine) -> None:
    read_until(game, lambda: bool(game.get("wMenuCursorY")))


def moves(game: Machine, index: int) -> bytes:
    return game.read("wPartyMon1Moves", 48 * index, 4)


def test_the_epilogue_can_be_played_to_its_end(at: At) -> None:
    game = at("deep light")
    keys = [one.key for one in PRACTICE.MILESTONES]
    rows = PRACTICE.MILESTONES[keys.index("moss_light") + 1 :]
    kept = [one for one in rows if one.kind is MilestoneKind.EVENT and not one.is_taken_back]
    assert all(game.event(one.value) for one in kept)
    assert rows[-1].key == "deep_light"


def test_the_tables_say_how_each_obstacle_gives_way() -> None:
    rows = {one.key: one for one in PRACTICE.MILESTONES}
    assert rows["boulder_fallen"].how is Approach.PUSH
    assert rows["knows_strength"].how is Approach.CATCH
    assert rows["knows_strength"].move == "STRENGTH"
    assert [one.key for one in PRACTICE.MILESTONES if one.is_taken_back] == [
        "lever_one",
        "lever_two",
        "echo_one",
        "echo_two",
    ]
    assert rows["reached_tower"].entered != rows["reached_tower"].place
    assert PRACTICE.HOLES[map_of("BOULDER ROOM")] == {4: (9, 3)}
    assert PRACTICE.MACHINES[246] == "STRENGTH"
    assert PRACTICE.LEARNERS["STRENGTH"] == {epilogue.PEBBLIT, epilogue.BOULDERAM}
    assert [one.reply for one in PRACTICE.ANSWERS] == ["RAIN", "NOON", "TIME"]
    assert [one.reply for one in PRACTICE.FERRIES] == ["TOWER", "SHORE"]


def test_the_stairs_open_with_the_moss_light(at: At) -> None:
    assert Player(at("isle")).grid().cells[8, 6] == 0
    assert Player(at("moss light")).grid().cells[8, 6] == 0x72


def test_a_fourth_pocket_holds_the_tablets_once_there_is_use_for_it(at: At) -> None:
    game = at("hall")
    game.act("start")
    Player(game).wait_for_menu("")
    Player(game).choose(1)
    pockets = set()
    for _ in range(5):
        Player(game).wait_for_menu("")
        pockets.add(game.get("wCurPocket"))
        game.act("right")
    assert pockets == {0, 1, 2}
    game = at("tablet")
    epilogue.open_machines(game)
    assert game.get("wCurPocket") == 3
    assert game.get("w2DMenuNumRows") == 5
    assert game.get("wTMsHMs", 53) == 1


def test_the_starter_cannot_learn_strength_and_the_list_comes_again(at: At) -> None:
    game = at("helper")
    before = moves(game, STARTER)
    teach(game, STARTER)
    read_until(game, lambda: game.shows("cannot"))
    wait_for_menu(game)
    assert game.get("w2DMenuNumRows") == game.get("wPartyCount") + 1
    Player(game).settle()
    assert moves(game, STARTER) == before


def leave_the_text_before_the_question(at: At) -> tuple[Machine, int]:
    """Teach one of four moves a fifth; return the game in which the box opens next, and who it is.

    A is pressed on the last text before the question whether a move is to go.
    """
    game = at("helper")
    index = game.get("wPartyCount") - 1
    for slot, move in enumerate((1, 2, 3, 4)):
        game.poke("wPartyMon1Moves", move, 48 * index + slot)
    teach(game, index)
    read_until(game, lambda: game.shows("for STRENGTH?") and "▼" in game.lines[17])
    game.act("a", hold=4, frames=8)
    return game, index


def test_b_before_the_question_opens_keeps_all_moves(at: At) -> None:
    """As in Crystal the box opens some frames after its text: B there says NO."""
    game, index = leave_the_text_before_the_question(at)
    game.act("b", hold=4, frames=8)
    read_until(game, lambda: game.shows("Stop"))
    assert moves(game, index) == bytes((1, 2, 3, 4))


def test_nothing_is_asked_between_the_last_text_and_the_question(at: At) -> None:
    """TEXT, NONE, YES_NO, as on a cartridge: what is pressed in NONE answers."""
    game = at("strength")
    Player(game).travel("BOULDER ROOM")
    Player(game).talk_at((4, 8), "up")
    read_until(game, lambda: game.shows("STRENGTH?") and "▼" in game.lines[17])
    known = load_game()
    emulator = known.start()
    emulator.load_state(game.save())
    reader = known.reader(emulator)
    prompts = [reader.read().control.prompt]
    emulator.press(Action.A)
    for _ in range(40):
        emulator.tick(1)
        prompts.append(reader.read().control.prompt)
    emulator.close()
    assert list(dict.fromkeys(prompts)) == [Prompt.TEXT, Prompt.NONE, Prompt.YES_NO]


def test_four_known_moves_are_listed_and_one_is_forgotten(at: At) -> None:
    game, index = leave_the_text_before_the_question(at)
    assert not game.get("wMenuCursorY")
    wait_for_menu(game)
    assert game.shows("YES")
    game.act("a")
    wait_for_menu(game)
    assert (game.get("w2DMenuNumRows"), game.get("w2DMenuNumCols")) == (4, 1)
    Player(game).choose(2)
    read_until(game, lambda: game.shows("learned"))
    Player(game).settle()
    assert moves(game, index) == bytes((1, 2, epilogue.STRENGTH, 4))


def test_a_boulder_is_too_heavy_before_strength(at: At) -> None:
    game = at("helper")
    Player(game).travel("BOULDER ROOM")
    Player(game).talk_at((4, 8), "up")
    Player(game).settle()
    push(game, (4, 8), "up")
    assert (4, 7) in objects(game)


def test_a_push_moves_the_boulder_and_not_the_player(at: At) -> None:
    game = at("strength")
    Player(game).travel("BOULDER ROOM")
    Player(game).talk_at((4, 8), "up")
    answer(game)
    read_until(game, lambda: game.shows("may now"))
    Player(game).settle()
    push(game, (4, 8), "up")
    assert game.position == (4, 8)
    assert (4, 6) in objects(game)
    assert (4, 7) not in objects(game)
    game.act("a")
    assert game.is_free


def test_the_straight_way_shuts_itself_and_leaving_puts_it_back(at: At) -> None:
    game = at("strength")
    player = Player(game)
    player.travel("BOULDER ROOM")
    player.talk_at((4, 8), "up")
    answer(game)
    player.settle()
    for y in (8, 7, 6):
        push(game, (4, y), "up")
    assert (4, 4) in objects(game)
    push(game, (4, 5), "up")
    assert (4, 4) in objects(game)
    assert not player.path({(3, 4)}, objects(game))
    player.travel("MOSS HALL")
    player.travel("BOULDER ROOM")
    assert {(3, 7), (4, 7), (5, 7), (7, 3)} <= set(objects(game))


def test_the_boulder_falls_for_good_and_opens_the_way(at: At) -> None:
    game = at("boulders")
    assert event(game, "BOULDER_FALLEN")
    assert Player(game).grid().cells[2, 2] == 0x72
    Player(game).travel("MOSS HALL")
    Player(game).travel("BOULDER ROOM")
    assert (7, 3) not in objects(game)


def test_a_slide_ends_before_the_person_on_the_ice(at: At) -> None:
    game = at("boulders")
    Player(game).walk_to((2, 2))
    Player(game).settle()
    walk(game, ("up", "up", "up"))
    assert game.position == (4, 5)
    walk(game, ("up",))
    assert game.position == (4, 5)
    walk(game, ("left",))
    assert game.position == (2, 5)


def test_one_slides_back_over_the_ice_too(at: At) -> None:
    game = at("ice")
    player = Player(game)
    player.walk_to((3, 2))
    walk(game, ("left",))
    assert game.map_key == map_of("ICE ROOM")
    walk(game, ("down", "left", "down", "right", "down"))
    assert game.position == (4, 7)


def test_the_boat_sails_to_one_of_the_places_only(at: At) -> None:
    game = at("ice")
    player = Player(game)
    for place in ("OLD MILL", "REED BAY", "NOWHERE"):
        player.talk_at((6, 4), "right")
        wait_for_menu(game)
        entry(game, place)
        player.settle()
        assert game.map_key == map_of("MOSS SHORE")
    epilogue.sail(game)
    assert game.map_key == map_of("SILENT TOWER")
    player.talk_at((6, 8), "right")
    wait_for_menu(game)
    entry(game, "SHORE")
    player.settle()
    assert game.map_key == map_of("MOSS SHORE")


def test_a_wrong_riddle_comes_again_and_b_does_not_close_it(at: At) -> None:
    game = at("tower")
    Player(game).talk_at((3, 5), "up")
    wait_for_menu(game)
    game.act("b")
    assert game.get("wMenuCursorY")
    entry(game, "MILK")
    read_until(game, lambda: game.shows("Think again"))
    wait_for_menu(game)
    assert game.shows("RAIN")
    assert not event(game, "QUIZ_DONE")
    assert event(at("riddles"), "QUIZ_DONE")


def test_the_bearer_walks_in_a_ring(at: At) -> None:
    game = at("tower")
    seen = set()
    Player(game).walk_to((7, 6))
    for _ in range(40):
        game.act()
        seen |= set(objects(game)) - {(3, 4), (7, 8)}
    ring = {(x, y) for x in (8, 9, 10) for y in (5, 6, 7)} - {(9, 6)}
    assert seen == ring


def test_the_stone_door_is_locked_without_the_key(at: At) -> None:
    game = at("riddles")
    player = Player(game)
    player.talk_at((4, 3), "up")
    player.settle()
    assert game.map_key == map_of("SILENT TOWER")
    assert player.grid().cells[4, 2] == 0x07
    game = at("door")
    assert game.map_key == map_of("LONG WALK")
    Player(game).walk_to((4, 3))
    Player(game).travel("SILENT TOWER")
    assert Player(game).grid().cells[4, 2] == 0x71


def test_who_is_far_away_has_no_struct_but_a_row(at: At) -> None:
    game = at("door")
    assert row_of(game, 1) == (NO_STRUCT, 13, 2)
    assert game.byte(MASKS + 1) == 0
    assert not objects(game)
    Player(game).walk_to((8, 2))
    assert row_of(game, 1) == (1, 13, 2)
    assert (13, 2) in objects(game)
    assert not Player(game).path({(17, 2)}, {*objects(game), (2, 3)})


def test_who_left_the_screen_is_at_home_again(at: At) -> None:
    game = at("tower")
    player = Player(game)
    player.walk_to((4, 9))
    player.face("left")
    for _ in range(60):
        if (10, 6) in objects(game):
            break
        game.act()
    player.step("left")
    assert game.position == (3, 9)
    assert row_of(game, 2) == (NO_STRUCT, 8, 5)
    player.step("left")
    assert row_of(game, 2)[0] == 2
    assert set(objects(game)) <= {(3, 4), (7, 8), (8, 5), (9, 5)}


def test_the_levers_spring_back_behind_who_leaves(at: At) -> None:
    game = at("levers")
    assert event(game, "LEVER_ONE")
    assert event(game, "LEVER_TWO")
    Player(game).walk_to((3, 3))
    Player(game).travel("LONG WALK")
    assert not event(game, "LEVER_ONE")
    assert not event(game, "LEVER_TWO")
    Player(game).travel("LEVER ROOM")
    assert not Player(game).path({(8, 2)}, objects(game))


def test_an_echo_stands_in_the_way_and_nothing_leads_back(at: At) -> None:
    game = at("levers")
    player = Player(game)
    player.walk_to((8, 8))
    player.settle()
    assert game.map_key == map_of("ECHO ROOM")
    assert not player.path({(4, 2)}, objects(game))
    assert warps(game).keys() == {(4, 7), (4, 2)}
    player.walk_to((5, 7))
    player.walk_to((4, 7))
    assert game.map_key == map_of("ECHO ROOM")
    assert player.path({(4, 2)}, objects(at("first echo")))


def test_what_led_to_the_heart_is_taken_back_there(at: At) -> None:
    names = ("LEVER_ONE", "LEVER_TWO", "BEAT_ECHO_1", "BEAT_ECHO_2")
    assert all(event(at("second echo"), name) for name in names)
    game = at("deep light")
    assert not any(event(game, name) for name in names)
    Player(game).travel("MOSS HALL")
    assert game.map_key == map_of("MOSS HALL")


def test_the_stairs_lead_back_and_down_again(at: At) -> None:
    game = at("tablet")
    player = Player(game)
    for place in ("MOSS ISLE", "MOSS HALL"):
        player.travel(place)
        assert game.map_key == map_of(place)


def test_who_is_beaten_under_the_moss_wakes_at_home(at: At) -> None:
    game = at("tablet")
    game.poke("wPartyMon1HP", 1, offset=1)
    for stat in range(5):
        game.poke("wPartyMon1Attack", 1, offset=2 * stat + 1)
    for turn in range(400):
        if game.map_key == map_of("HOME 2F"):
            break
        if game.get("wBattleMode"):
            Player(game).settle()
        else:
            game.act("left" if turn // 4 % 2 else "right")
    player = Player(game)
    player.settle()
    assert game.map_key == map_of("HOME 2F")
    player.travel("FERNWICK")
