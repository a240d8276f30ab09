from dataclasses import replace

import pytest

from engine.env.episode import DefeatWatch
from engine.types import GameState
from tests.engine.states import make_battle, make_control, make_creature, make_state


def lose(watch: DefeatWatch, *others: int, money: int = 3000) -> None:
    own = make_creature(hp=0)
    party = (make_creature(hp=3), *(make_creature(species=4, hp=hp) for hp in others))
    battle = make_battle(own=own)
    assert not watch.update(make_state(battle=battle, party=party, money=money))


@pytest.mark.parametrize(
    ("others", "money", "after", "is_whiteout"),
    [
        pytest.param((), 3000, make_state(money=1500), True, id="half the money gone"),
        pytest.param((), 0, make_state(money=0, map_number=8), True, id="waking up elsewhere"),
        pytest.param((), 3000, make_state(money=3000), False, id="a battle that may be lost"),
        pytest.param((12,), 3000, make_state(money=1500), False, id="another fighter"),
    ],
)
def test_whiteout_is_told_from_what_follows_a_defeat(
    others: tuple[int, ...], money: int, after: GameState, is_whiteout: bool
) -> None:
    watch = DefeatWatch()
    lose(watch, *others, money=money)
    scripted = replace(after, control=make_control(is_scripted=True))
    assert not watch.update(scripted), "not before the player is in control again"
    assert watch.update(after) == is_whiteout
    assert not watch.update(after), "a whiteout is told once"


def test_won_battle_is_none() -> None:
    watch = DefeatWatch()
    lose(watch)
    watch.update(make_state(battle=make_battle(), party=(make_creature(),)))
    assert not watch.update(make_state(money=1500))
