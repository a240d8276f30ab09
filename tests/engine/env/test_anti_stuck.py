import json

import pytest

from engine.env.anti_stuck import RELEASE_STEPS, AntiStuck
from engine.types import GAME_BOY_ACTIONS, Action, GameState, Prompt
from tests.engine.states import make_control, make_creature, make_state, make_view

HERE = make_state(1, 1)
TALK = make_state(1, 1, control=make_control(in_text=True), screen_text=("Hello!",))


@pytest.fixture
def watch() -> AntiStuck:
    return AntiStuck(3, GAME_BOY_ACTIONS)


def repeat(watch: AntiStuck, times: int, action: Action, after: GameState = HERE) -> None:
    for _ in range(times):
        watch.update(HERE, after, action, is_progress=False)


def test_action_that_changes_nothing_is_masked_after_its_repeats(watch: AntiStuck) -> None:

    repeat(watch, 2, Action.UP)
    assert watch.blocked(HERE) == {}
    repeat(watch, 1, Action.UP)
    assert list(watch.blocked(HERE)) == [Action.UP]
    assert "3 times" in watch.blocked(HERE)[Action.UP]
    assert watch.interventions == 1


def test_mask_holds_only_in_that_situation(watch: AntiStuck) -> None:

    repeat(watch, 3, Action.UP)
    assert watch.blocked(make_state(2, 1)) == {}
    assert watch.blocked(TALK) == {}
    beside = make_view(objects=((1, 0),))
    assert watch.blocked(make_state(1, 1, map=beside)) == {}


def test_talk_that_leads_nowhere_is_masked_where_it_begins(watch: AntiStuck) -> None:

    for _ in range(3):
        watch.update(HERE, TALK, Action.A, is_progress=False)
        watch.update(TALK, HERE, Action.B, is_progress=False)
    assert list(watch.blocked(HERE)) == [Action.A]
    assert watch.blocked(TALK) == {}, "what is open can be closed"


def test_waiting_for_a_scene_is_never_masked(watch: AntiStuck) -> None:

    scene = make_state(1, 1, control=make_control(is_scripted=True))
    for _ in range(20):
        watch.update(scene, scene, Action.NOOP, is_progress=False)
    assert watch.blocked(scene) == {}


def test_a_dial_that_turns_is_never_masked(watch: AntiStuck) -> None:

    def tuned(dial: int) -> GameState:
        control = make_control(prompt=Prompt.SCREEN, pocket=4, selection=dial)
        return make_state(1, 1, control=control)

    for dial in range(0, 78, 2):
        watch.update(tuned(dial), tuned(dial + 2), Action.UP, is_progress=False)
        assert watch.blocked(tuned(dial + 2)) == {}
    for _ in range(3):
        watch.update(tuned(80), tuned(80), Action.UP, is_progress=False)
    assert list(watch.blocked(tuned(80))) == [Action.UP]


def test_steps_are_never_masked(watch: AntiStuck) -> None:

    for _ in range(20):
        watch.update(HERE, make_state(2, 1), Action.RIGHT, is_progress=False)
        watch.update(make_state(2, 1), HERE, Action.LEFT, is_progress=False)
    assert watch.blocked(HERE) == {}
    assert watch.blocked(make_state(2, 1)) == {}


@pytest.mark.parametrize(
    ("after", "is_progress"),
    [
        pytest.param(make_state(1, 1, party=(make_creature(),)), False, id="party"),
        pytest.param(make_state(1, 1, money=5), False, id="money"),
        pytest.param(make_state(1, 1, event_flags=b"\1" + bytes(255)), False, id="event"),
        pytest.param(make_state(1, 1, map_number=2), False, id="map"),
        pytest.param(make_state(2, 1), True, id="tile or milestone"),
    ],
)
def test_anything_new_frees_all(watch: AntiStuck, after: GameState, is_progress: bool) -> None:
    repeat(watch, 3, Action.UP)
    watch.update(HERE, after, Action.A, is_progress=is_progress)
    assert watch.blocked(HERE) == {}


def test_everything_may_be_tried_again_in_the_end(watch: AntiStuck) -> None:

    repeat(watch, 3, Action.UP)
    repeat(watch, RELEASE_STEPS - 3, Action.NOOP, make_state(2, 1))
    assert watch.blocked(HERE) == {}


def test_anti_stuck_can_be_switched_off() -> None:
    watch = AntiStuck(0, GAME_BOY_ACTIONS)
    repeat(watch, 50, Action.UP)
    assert (watch.blocked(HERE), watch.interventions) == ({}, 0)


def test_saved_defeat_watch_continues_alike(watch: AntiStuck) -> None:

    repeat(watch, 3, Action.UP)
    repeat(watch, 2, Action.DOWN)
    other = AntiStuck(3, GAME_BOY_ACTIONS)
    other.restore(json.loads(json.dumps(watch.save())))
    assert other.blocked(HERE) == watch.blocked(HERE)
    repeat(other, 1, Action.DOWN)
    assert set(other.blocked(HERE)) == {Action.UP, Action.DOWN}
    assert other.interventions == 2
