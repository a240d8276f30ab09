import json
from dataclasses import replace

from engine.planning.rules.answers import Repeats
from engine.types import Prompt
from tests.engine.planning.goals.helpers import FREE, HERE, creature, menu, state
from tests.engine.states import make_control


def question(row: int = 1, **more):
    lines = ("▶YES", "NO") if row == 1 else ("YES", "▶NO")
    return state(control=menu((row, 1), (2, 1)), text=(*lines, "Again?"), **more)


def ask(repeats: Repeats, times: int, **more) -> None:
    for _ in range(times):
        repeats.notice(state(control=FREE), 0)
        repeats.notice(question(**more), 0)


def test_question_that_comes_a_third_time_wants_the_other_answer():
    repeats = Repeats()
    wanted = []
    for _ in range(6):
        ask(repeats, 1)
        wanted.append(repeats.wants_other_answer)
    assert wanted == [False, False, True, True, False, False]


def test_moving_the_cursor_does_not_count_as_coming_back():
    repeats = Repeats()
    for row in (1, 2, 1, 2, 1, 2):
        repeats.notice(question(row), 0)
    assert repeats.times == 0


def test_an_open_gear_is_no_question():
    repeats = Repeats()
    tuned = make_control(prompt=Prompt.SCREEN, pocket=4)
    for dial in range(0, 80, 2):
        repeats.notice(state(control=replace(tuned, selection=dial)), 0)
    for _ in range(40):
        repeats.notice(state(control=tuned), 0)
    assert not repeats.is_tired


def test_progress_makes_the_counts_void():
    repeats = Repeats()
    ask(repeats, 4)
    ask(repeats, 1, party=[creature()])
    assert not repeats.wants_other_answer
    ask(repeats, 2, party=[creature()])
    assert repeats.wants_other_answer
    ask(repeats, 1, party=[creature()], at=(3, 3), map_id=HERE)
    assert not repeats.is_tired


def test_menu_that_is_never_left_counts_too():
    repeats = Repeats()
    for _ in range(70):
        repeats.notice(question(), 0)
    assert repeats.wants_other_answer


def test_a_loaded_one_continues_as_the_saved_one():
    repeats, other = Repeats(), Repeats()
    ask(repeats, 2)
    other.load(json.loads(json.dumps(repeats.save())))
    ask(other, 1)
    assert other.wants_other_answer
