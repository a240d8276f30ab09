from dataclasses import replace

import pytest

from engine.types import Action, Facing, GameState, MapObject
from tests.engine.rewards.helpers import HOUSE, Player, reading
from tests.engine.states import make_battle, make_control, make_state, make_view

AT_PERSON = make_state(facing=Facing.RIGHT, map=HOUSE)
AT_SIGN = make_state(facing=Facing.LEFT, map=HOUSE)
AT_WALL = make_state(facing=Facing.UP, map=HOUSE)
COUNTER = 0x90


def talk(player: Player, at: GameState, action: Action = Action.A) -> float:
    """Stand at `at`, press a button, read the text, press on to its end; return what was paid."""
    player.go(at, Action.NOOP)
    paid = player.go(reading(at), action)["talk"]
    paid += player.go(reading(at, "More."))["talk"]
    return paid + player.go(at, Action.B)["talk"]


@pytest.mark.parametrize(
    ("at", "cause"), [(AT_PERSON, "talked to someone new"), (AT_SIGN, "read a new sign")]
)
def test_first_answer_pays_once(at: GameState, cause: str) -> None:
    player = Player(at)
    assert player.go(reading(at))["talk"] == 1.0
    assert player.last.causes == (cause,)
    player.go(at, Action.B)
    assert [talk(player, at) for _ in range(5)] == [0.0] * 5


def test_text_may_come_late() -> None:
    player = Player(AT_PERSON)
    waiting = replace(AT_PERSON, control=make_control(is_scripted=True))
    paid = [player.go(waiting)["talk"], player.go(waiting)["talk"]]
    assert [*paid, player.go(reading(AT_PERSON))["talk"]] == [0.0, 0.0, 1.0]


def test_person_is_known_wherever_it_walks() -> None:
    player = Player(AT_PERSON)
    assert talk(player, AT_PERSON) == 1.0
    moved = make_view(objects=((2, 1),))
    assert talk(player, make_state(facing=Facing.UP, map=moved)) == 0.0
    other = replace(moved, objects=(MapObject(2, 1, 2, 1),))
    assert talk(player, make_state(facing=Facing.UP, map=other)) == 1.0


def test_same_number_on_another_map_is_somebody_else() -> None:
    player = Player(AT_PERSON)
    assert talk(player, AT_PERSON) == 1.0
    assert talk(player, make_state(facing=Facing.RIGHT, map=HOUSE, map_number=2)) == 1.0


def test_person_behind_a_counter_answers() -> None:
    shop = make_view(
        ("......", ".#....", ".C....", "......"), tiles={"C": COUNTER}, objects=((1, 1),)
    )
    player = Player(at := make_state(1, 3, Facing.UP, map=shop))
    assert talk(player, at) == 1.0


def test_person_two_tiles_away_does_not() -> None:
    far = make_view(objects=((2, 0),))
    player = Player(at := make_state(facing=Facing.UP, map=far))
    assert talk(player, at) == 0.0


@pytest.mark.parametrize("button", [action for action in Action if action is not Action.A])
def test_other_buttons_do_not_talk(button: Action) -> None:
    assert talk(Player(AT_PERSON), AT_PERSON, button) == 0.0


def test_text_without_anybody_there_is_no_talk() -> None:
    assert talk(Player(AT_WALL), AT_WALL) == 0.0
    edge = make_state(0, 0, Facing.UP, map=HOUSE)
    assert talk(Player(edge), edge) == 0.0


def test_press_that_nobody_answers_is_forgotten() -> None:
    player = Player(AT_PERSON)
    player.go(AT_PERSON)
    player.go(AT_PERSON, Action.START)
    assert player.go(reading(AT_PERSON))["talk"] == 1.0
    player = Player(AT_PERSON)
    player.go(AT_PERSON)
    assert player.go(reading(AT_PERSON), Action.START)["talk"] == 0.0


def test_person_who_answers_with_a_fight_pays_as_talking() -> None:
    player = Player(AT_PERSON)
    fight = replace(reading(AT_PERSON, "Wild WHISKIT appeared!"), battle=make_battle())
    assert player.go(fight)["talk"] == 1.0
