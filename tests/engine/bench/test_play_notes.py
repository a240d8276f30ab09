"""What is noted of a game that is played from power-on."""

from engine.bench.play_notes import (
    STANDSTILL_STEPS,
    Mark,
    Playthrough,
    Situation,
    Spent,
    Standstill,
    StandstillWatch,
)
from engine.types import Battle, BattleKind, Creature, GameState, Prompt
from tests.engine.states import FREE, make_control, make_state

_SCENE = make_control()
_TALK = make_control(in_text=True, prompt=Prompt.TEXT)


def _at(x: int, *lines: str) -> GameState:
    return make_state(x, 5, control=_TALK if lines else FREE, screen_text=lines)


def _creature(hp: int = 20, experience: int = 100) -> Creature:
    return Creature(1, "RILLET", 9, hp, 30, "", experience=experience)


def _battle(enemy_hp: int) -> GameState:
    battle = Battle(BattleKind.WILD, 0, _creature(), _creature(enemy_hp))
    return make_state(5, 5, control=_TALK, battle=battle)


def _watched(*states: GameState) -> StandstillWatch:
    watch = StandstillWatch()
    for step, state in enumerate(states, 1):
        watch.update(state, step, is_milestone=False)
    return watch


def test_notes_are_whole_after_json() -> None:
    last = Situation("CAVE", (3, 5), "Rest", "walk", ("beat_wren",), (("RILLET", 9, 3, 30),), 2, 7)
    found = Playthrough(
        3, True, 90, 0.5, {"badge": Mark(90, 0.5)}, 1, Standstill(700, 20, "CAVE", (3, 5), "Hm."),
        Spent(50, 20, 15, 5, 9), 2700, ["A rock."], ["HOME", "CAVE"], last, "goal reached",
    )  # fmt: skip
    assert Playthrough.of(found.facts()) == found


def test_standstill_names_where_and_what_the_screen_said() -> None:
    watch = _watched(*map(_at, range(5)), *[_at(5, "A rock.")] * (STANDSTILL_STEPS + 1), _at(6))
    assert watch.longest == Standstill(STANDSTILL_STEPS, 6, "HOME", (5, 5), "A rock.")


def test_tiles_are_new_again_after_a_milestone() -> None:
    watch = StandstillWatch()
    watch.update(_at(1), 1, is_milestone=False)
    watch.update(_at(2), STANDSTILL_STEPS - 1, is_milestone=True)
    watch.update(_at(1), STANDSTILL_STEPS + 1, is_milestone=False)
    assert watch.longest is None


def test_experience_is_progress() -> None:
    trained = [
        make_state(5, 5, party=(_creature(experience=step // 400),))
        for step in range(3 * STANDSTILL_STEPS)
    ]
    assert _watched(*trained).longest is None
    assert _watched(*trained[:1] * len(trained)).longest is not None


def test_healths_in_a_battle_are_progress_until_they_repeat() -> None:
    fight = [_battle(hp) for hp in range(20, 0, -1) for _ in range(STANDSTILL_STEPS // 2)]
    assert _watched(*fight).longest is None
    assert _watched(*fight[:20], *[_battle(20)] * 2 * STANDSTILL_STEPS).longest is not None


def test_scene_that_plays_is_no_standstill_unless_it_never_ends() -> None:
    scene = make_state(5, 5, control=_SCENE)
    assert _watched(_at(5), *[scene] * (STANDSTILL_STEPS + 50), _at(5)).longest is None
    stuck = _watched(_at(5), *[scene] * 3 * STANDSTILL_STEPS, _at(5)).longest
    assert stuck is not None
    assert stuck.steps == 2 * STANDSTILL_STEPS + 1


def test_same_talk_again_and_again_is_a_standstill() -> None:
    talk = [_at(5, "Shall they rest?"), _at(5, "All well!"), _at(5)]
    assert _watched(*talk * STANDSTILL_STEPS).longest is not None


def test_steps_are_counted_by_what_they_were_decided_in() -> None:
    spent = Spent()
    for state in (_at(1), _at(1), _battle(9), _at(1, "Hm."), make_state(1, 1, control=_SCENE)):
        spent.add(state, is_unchanged=state.battle is not None)
    assert spent == Spent(walk=2, battle=1, text=1, wait=1, unchanged=1)


def test_last_texts_and_maps_are_noted_once() -> None:
    found = Playthrough(0)
    printing = make_control(in_text=True, prompt=Prompt.PRINTING)
    for state in (
        _at(1),
        make_state(1, 5, control=printing, screen_text=("It is",)),
        _at(1, "It is a"),
        _at(1, "It is a", "rock."),
        _at(1, "It is a", "rock."),
        _at(2),
    ):
        found.note(state)
    assert (found.texts, found.maps) == (["It is a / rock."], ["HOME"])
    for number in range(20):
        found.note(_at(3, f"Text {number}."))
    assert found.texts == [f"Text {number}." for number in range(15, 20)]
