from dataclasses import replace

import pytest

from engine.rewards.progress import MONEY_GUARD
from engine.types import Bag, BattleKind, GameState
from tests.engine.rewards.helpers import Player, wild
from tests.engine.states import make_battle, make_control, make_creature, make_state


def bag(*key_items: int) -> GameState:
    return make_state(bag=Bag(key_items=key_items))


def purse(money: int, **changes: object) -> GameState:
    return make_state(money=money, **changes)


def caught(count: int, state: GameState | None = None) -> GameState:
    return replace(state or make_state(party=(make_creature(),)), caught=count)


class TestCatch:
    def test_species_caught_in_the_wild_pays_once(self) -> None:
        player = Player(caught(1, wild()))
        assert player.go(caught(2, wild()))["catch"] == 1.0
        assert player.go(caught(2))["catch"] == 0.0

    def test_catch_that_ends_the_battle_at_once_pays(self) -> None:
        player = Player(caught(1, wild()))
        assert player.go(caught(2))["catch"] == 1.0

    def test_gift_pays_nothing_now_nor_later(self) -> None:
        player = Player(caught(0))
        assert player.go(caught(1))["catch"] == 0.0
        player.go(caught(1, wild()))
        assert player.go(caught(1, wild()))["catch"] == 0.0

    def test_catch_from_a_trainer_pays_nothing(self) -> None:
        fight = make_state(battle=make_battle(kind=BattleKind.TRAINER))
        player = Player(caught(0, fight))
        assert player.go(caught(1, fight))["catch"] == 0.0

    def test_count_that_falls_and_rises_pays_nothing(self) -> None:
        player = Player(caught(3, wild()))
        player.go(caught(1, wild()))
        assert player.go(caught(3, wild()))["catch"] == 0.0


class TestKeyItems:
    def test_new_one_pays_once(self) -> None:
        player = Player(bag(4))
        assert [player.go(bag(4, 7))["key_item"], player.go(bag(4, 7))["key_item"]] == [1.0, 0.0]

    def test_one_that_was_put_away_pays_nothing_again(self) -> None:
        player = Player(bag(4))
        assert player.go(bag())["key_item"] == 0.0
        assert player.go(bag(4))["key_item"] == 0.0

    def test_other_pockets_pay_nothing(self) -> None:
        player = Player(bag())
        state = make_state(bag=Bag(items=((7, 1),), balls=((5, 3),)))
        assert player.go(state)["key_item"] == 0.0


class TestMoneyGuard:
    def test_spending_above_the_guard_is_free(self) -> None:
        assert Player(purse(3000)).go(purse(MONEY_GUARD))["money"] == 0.0

    def test_the_last_money_costs_one_in_all(self) -> None:
        player = Player(purse(3000))
        charges = [player.go(purse(money))["money"] for money in (400, 250, 0)]
        assert charges == pytest.approx([-0.2, -0.3, -0.5])

    def test_earning_pays_nothing_and_spending_it_again_costs_nothing(self) -> None:
        player = Player(purse(3000))
        player.go(purse(100))
        charges = [player.go(purse(money))["money"] for money in (900, 100, 900, 100)]
        assert charges == [0.0] * 4

    def test_money_bought_and_sold_in_one_visit_cancels_out(self) -> None:
        player = Player(purse(600))
        in_shop = make_control(in_menu=True)
        states = [purse(0, control=in_shop), purse(600, control=in_shop), purse(600)]
        assert [player.go(state)["money"] for state in states] == [0.0] * 3

    def test_poor_start_is_not_charged(self) -> None:
        player = Player(purse(200))
        assert player.go(purse(200))["money"] == 0.0
        assert player.go(purse(100))["money"] == pytest.approx(-0.2)

    def test_defeat_is_not_charged_here(self) -> None:
        player = Player(purse(600))
        scripted = make_control(is_scripted=True)
        assert player.go(purse(300, control=scripted))["money"] == 0.0
        assert player.go(purse(300), has_whited_out=True)["money"] == 0.0
        assert player.go(purse(200))["money"] == pytest.approx(-0.2)
