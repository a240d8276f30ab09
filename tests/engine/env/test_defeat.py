from engine.env.episode import DefeatWatch
from tests.engine.states import make_battle, make_control, make_creature, make_state


def lose(watch: DefeatWatch, *others: int, money: int = 3000) -> None:
    own = make_creature(hp=0)
    party = (make_creature(hp=3), *(make_creature(species=4, hp=hp) for hp in others))
    battle = make_battle(own=own)
    assert not watch.update(make_state(battle=battle, party=party, money=money))


def test_half_the_money_gone_is_a_whiteout() -> None:
    watch = DefeatWatch()
    lose(watch)
    assert not watch.update(make_state(control=make_control(is_scripted=True), money=1500))
    assert watch.update(make_state(money=1500))
    assert not watch.update(make_state(money=1500))


def test_waking_up_elsewhere_is_a_whiteout() -> None:
    watch = DefeatWatch()
    lose(watch, money=0)
    assert watch.update(make_state(money=0, map_number=8))


def test_battle_that_may_be_lost_is_none() -> None:
    watch = DefeatWatch()
    lose(watch)
    assert not watch.update(make_state(money=3000))


def test_party_with_another_fighter_is_not_beaten() -> None:
    watch = DefeatWatch()
    lose(watch, 12)
    assert not watch.update(make_state(money=1500))


def test_won_battle_is_none() -> None:
    watch = DefeatWatch()
    lose(watch)
    watch.update(make_state(battle=make_battle(), party=(make_creature(),)))
    assert not watch.update(make_state(money=1500))
