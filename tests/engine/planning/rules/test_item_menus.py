"""Bag, party list and shop of the real practice game, walked through by what the screen shows."""

from copy import copy
from dataclasses import replace

import numpy as np
import pytest

from engine.games.crystal.memory import SYMBOLS
from engine.planning.rules.advisor import RuleAdvisor
from engine.types import Action

POTION = 18
MOST_STEPS = 200


def poke(env, name: str, *values: int, offset: int = 0) -> None:
    symbol = SYMBOLS[name]
    env.emulator.write(symbol.bank, symbol.address + offset, bytes(values))


def carry_potions(env, count: int) -> None:
    poke(env, "wNumItems", *((1, POTION, count) if count else (0,)))
    poke(env, "wItems", *((POTION, count, 0xFF) if count else (0xFF,)))


def refresh(env) -> None:
    """Read the memory again after it was written."""
    env.state, env._blocked = env._reader.read(), None


def potions(env) -> int:
    return dict(env.state.bag.items).get(POTION, 0)


def follow(env, advisor, is_done, *, most: int = MOST_STEPS, disturb: float = 0.0, seed: int = 0):
    """Follow the advice, or a random button now and then, until `is_done`; return the reasons."""
    rng = np.random.default_rng(seed)
    reasons = []
    for _ in range(most):
        mask = env.action_mask()
        advice = advisor.advise(env.state, mask)
        if is_done():
            return reasons
        reasons.append(advice.reason)
        is_random = rng.random() < disturb or not advice.prior.any()
        action = rng.choice(np.flatnonzero(mask)) if is_random else advice.prior.argmax()
        env.advance(int(action))
    raise AssertionError((env.state.place, env.state.screen_text, reasons[-8:]))


def path(env) -> bool:
    return (env.state.place.name, env.state.place.x) == ("MILLBROOK PATH", 12)


@pytest.fixture(scope="module")
def on_the_way(env) -> bytes:
    """The game half-way between two towns, as the rules came there."""
    env.reset(seed=0)
    advisor = RuleAdvisor(env.game)
    advisor.reset(env.state)
    follow(env, advisor, lambda: path(env))
    return env.save()


@pytest.fixture
def advisor(env, on_the_way) -> RuleAdvisor:
    """The rules, half-way between two towns."""
    env.restore(on_the_way)
    advisor = RuleAdvisor(env.game)
    advisor.reset(env.state)
    return advisor


def enemy(env) -> str:
    battle = env.state.battle
    return battle.enemy.name if battle and battle.own and battle.enemy else ""


def lose(advisor: RuleAdvisor) -> None:
    """Let the rules believe that a trainer has won."""
    saved = advisor._planner.save()
    advisor._planner.load(saved | {"wanted_level": 1})


@pytest.mark.parametrize("disturb", [0.0, 0.2])
def test_potions_are_bought_before_a_trainer_who_won(env, advisor, disturb):
    lose(advisor)
    money = env.state.money
    follow(env, advisor, lambda: env.state.place.name == "GYM", disturb=disturb, most=600)
    assert potions(env) == 5
    assert env.state.money == money - 5 * 300


def test_nobody_shops_without_need_or_money(env, advisor):
    follow(env, advisor, lambda: env.state.place.name == "GYM")
    assert potions(env) == 0


def test_no_way_to_a_shop_is_made_for_a_single_potion(env, advisor):
    lose(advisor)
    poke(env, "wMoney", 0, *(300).to_bytes(2, "big"))
    refresh(env)
    reasons = follow(env, advisor, lambda: env.state.place.name == "GYM")
    assert not any("buy" in reason.lower() for reason in reasons)


def hurt(env, hp: int) -> None:
    poke(env, "wPartyMon1", 0, hp, offset=34)
    refresh(env)


def test_a_potion_is_drunk_on_the_way_where_no_healer_is_near(env, advisor):
    carry_potions(env, 2)
    hurt(env, 3)
    assert env.state.control.is_free
    follow(env, advisor, lambda: env.state.place.name == "STONEHOLLOW")
    assert potions(env) == 1
    assert env.state.party[0].hp > 3


def test_a_potion_is_drunk_in_a_battle_that_the_next_blow_would_end(env, advisor):
    carry_potions(env, 2)
    refresh(env)
    follow(env, advisor, lambda: enemy(env) == "WHISKIT" and env.state.control.cursor == (1, 1))
    hurt(env, 2)  # the copy in the party, from which the game heals
    poke(env, "wBattleMonSpecies", 0, 2, offset=16)
    refresh(env)
    follow(env, advisor, lambda: potions(env) == 1, most=20)
    assert env.state.battle.own.hp > 2
    follow(env, advisor, lambda: env.state.battle is None)
    assert env.state.party[0].hp > 0


POISON, PARALYSIS = 0x08, 0x40


def carry(env, item: int, count: int) -> None:
    poke(env, "wNumItems", 1)
    poke(env, "wItems", item, count, 0xFF)


@pytest.mark.parametrize(("item", "status"), [(9, POISON), (13, PARALYSIS)])
def test_a_status_is_cured_on_the_way_where_no_healer_is_near(env, advisor, item, status):
    carry(env, item, 2)
    poke(env, "wPartyMon1", status, offset=32)
    refresh(env)
    assert env.state.party[0].status
    follow(env, advisor, lambda: not env.state.party[0].status, most=20)
    assert dict(env.state.bag.items) == {item: 1}
    follow(env, advisor, lambda: env.state.control.is_free, most=12)


def test_medicine_without_effect_is_not_tried_for_ever(env, advisor):
    """Here the first medicine, by the name of another game, is one that cures what is not."""
    carry(env, 13, 2)
    poke(env, "wPartyMon1", POISON, offset=32)
    refresh(env)
    advisor._game = copy(advisor._game)
    advisor._game.tables = replace(env.game.tables, ITEMS={13: "ANTIDOTE"})
    reasons = follow(env, advisor, lambda: env.state.place.name == "STONEHOLLOW")
    assert env.state.party[0].status == "poison"
    assert 0 < sum("cure" in reason for reason in reasons) < 40


def test_a_sleeper_is_woken_in_a_battle_with_a_trainer(env, advisor):
    carry(env, 12, 2)
    refresh(env)
    follow(env, advisor, lambda: enemy(env) == "WHISKIT" and env.state.control.cursor == (1, 1))
    poke(env, "wPartyMon1", 7, offset=32)
    poke(env, "wBattleMonSpecies", 7, offset=14)
    refresh(env)
    assert env.state.battle.own.status == "sleep"
    follow(env, advisor, lambda: dict(env.state.bag.items) == {12: 1}, most=20)
    assert not env.state.battle.own.status


def test_bag_that_somebody_opened_is_closed(env, advisor):
    carry_potions(env, 1)
    hurt(env, 5)
    for button in (Action.START, Action.DOWN, Action.A):
        env.advance(button)
    assert env.state.control.in_menu
    follow(env, advisor, lambda: env.state.control.is_free, most=12)
