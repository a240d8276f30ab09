"""Bag, party list and shop of MOSSLIGHT ADVANCE, walked through by what its memory shows."""

import struct
from collections.abc import Iterator

import numpy as np
import pytest

from engine.env.game_env import GameEnv
from engine.games.emerald.memory import SYMBOLS
from engine.planning.rules.advisor import RuleAdvisor
from engine.types import Action
from tests.engine.games.emerald.practice import NAME, needs_core
from tests.engine.planning.rules.test_item_menus import follow, lose, refresh

pytestmark = needs_core

POTION, ANTIDOTE = 13, 14
_MONEY, _ITEMS, _KEY = 0x490, 0x560, 0xAC
_STATUS, _HP = 80, 86
_FIGHTER, _BATTLE_HP = 0x58, 0x28
_BATTLE_ATTACK, _BATTLE_SPECIAL_ATTACK = 0x02, 0x08
_POISON = 8


@pytest.fixture(scope="module")
def env() -> Iterator[GameEnv]:
    env = GameEnv(NAME, observation_type="state")
    yield env
    env.close()


@pytest.fixture(scope="module")
def on_the_way(env: GameEnv) -> bytes:
    """The game half-way between two towns, as the rules came there."""
    env.reset(seed=0)
    advisor = RuleAdvisor(env.game)
    advisor.reset(env.state)
    follow(env, advisor, lambda: at(env) == ("MILLBROOK PATH", 12))
    return env.save()


@pytest.fixture
def advisor(env: GameEnv, on_the_way: bytes) -> RuleAdvisor:
    """The rules, half-way between two towns."""
    env.restore(on_the_way)
    advisor = RuleAdvisor(env.game)
    advisor.reset(env.state)
    return advisor


def at(env: GameEnv) -> tuple[str, int]:
    return env.state.place.name, env.state.place.x


def block(env: GameEnv, number: int) -> int:
    """Return where a save block lies now."""
    pointer = env.emulator.read(0, SYMBOLS[f"gSaveBlock{number}Ptr"].address, 4)
    return int.from_bytes(pointer, "little")


def key(env: GameEnv) -> int:
    return int.from_bytes(env.emulator.read(0, block(env, 2) + _KEY, 4), "little")


def carry(env: GameEnv, item: int, count: int) -> None:
    slot = struct.pack("<HH", item, count ^ key(env) & 0xFFFF)
    env.emulator.write(0, block(env, 1) + _ITEMS, slot)
    refresh(env)


def set_party(env: GameEnv, place: int, data: bytes, slot: int = 0) -> None:
    env.emulator.write(0, SYMBOLS["gPlayerParty"].address + 100 * slot + place, data)
    refresh(env)


def set_fighter(env: GameEnv, place: int, data: bytes) -> None:
    env.emulator.write(0, SYMBOLS["gBattleMons"].address + place, data)
    refresh(env)


def set_foe(env: GameEnv, place: int, data: bytes) -> None:
    env.emulator.write(0, SYMBOLS["gEnemyParty"].address + place, data)


def held(env: GameEnv, item: int) -> int:
    return dict(env.state.bag.items).get(item, 0)


@pytest.mark.parametrize("disturb", [0.0, 0.2])
def test_potions_are_bought_before_a_trainer_who_won(
    env: GameEnv, advisor: RuleAdvisor, disturb: float
) -> None:
    lose(advisor)
    money = env.state.money
    follow(env, advisor, lambda: env.state.place.name == "GYM", disturb=disturb, most=600)
    assert held(env, POTION) == 5
    assert env.state.money == money - 5 * 300


def test_nobody_shops_without_need(env: GameEnv, advisor: RuleAdvisor) -> None:
    follow(env, advisor, lambda: env.state.place.name == "GYM")
    assert held(env, POTION) == 0


def test_a_potion_is_drunk_on_the_way_where_no_healer_is_near(
    env: GameEnv, advisor: RuleAdvisor
) -> None:
    carry(env, POTION, 2)
    set_party(env, _HP, b"\3\0")
    assert env.state.control.is_free
    follow(env, advisor, lambda: env.state.place.name == "STONEHOLLOW")
    assert held(env, POTION) == 1
    assert env.state.party[0].hp > 3


def test_a_status_is_cured_on_the_way_where_no_healer_is_near(
    env: GameEnv, advisor: RuleAdvisor
) -> None:
    carry(env, ANTIDOTE, 2)
    set_party(env, _STATUS, struct.pack("<I", _POISON))
    assert env.state.party[0].status == "poison"
    follow(env, advisor, lambda: not env.state.party[0].status, most=25)
    assert held(env, ANTIDOTE) == 1
    follow(env, advisor, lambda: env.state.control.is_free, most=12)


def enemy(env: GameEnv) -> str:
    battle = env.state.battle
    return battle.enemy.name if battle and battle.own and battle.enemy else ""


def begin_fight(env: GameEnv, advisor: RuleAdvisor) -> None:
    """Play until the first menu of a battle with a pupil's WHISKIT."""
    follow(env, advisor, lambda: enemy(env) == "WHISKIT" and env.state.control.menu_size == (2, 2))


def test_a_potion_is_drunk_in_a_battle_that_the_next_blow_would_end(
    env: GameEnv, advisor: RuleAdvisor
) -> None:
    carry(env, POTION, 2)
    begin_fight(env, advisor)
    set_party(env, _HP, b"\2\0")
    set_fighter(env, _BATTLE_HP, b"\2\0")
    follow(env, advisor, lambda: held(env, POTION) == 1, most=25)
    assert env.state.battle is not None
    follow(env, advisor, lambda: env.state.battle is None)
    assert env.state.party[0].hp > 0


def test_a_fainted_creature_makes_room_for_another(env: GameEnv, advisor: RuleAdvisor) -> None:
    begin_fight(env, advisor)
    party = env.emulator.read(0, SYMBOLS["gPlayerParty"].address, 100)
    env.emulator.write(0, SYMBOLS["gPlayerPartyCount"].address, b"\2")
    set_party(env, 0, party, slot=1)
    assert len(env.state.party) == 2

    def is_replaced() -> bool:
        battle = env.state.battle
        if battle is not None and battle.own is not None and battle.enemy is not None:
            if battle.own_slot == 1:
                return True
            if env.state.control.in_menu and battle.own.hp:  # one blow ends it, none the foe
                set_party(env, _HP, b"\1\0")
                set_fighter(env, _BATTLE_HP, b"\1\0")
                set_fighter(env, _BATTLE_ATTACK, b"\1\0")
                set_fighter(env, _BATTLE_SPECIAL_ATTACK, b"\1\0")
                set_fighter(env, _FIGHTER + _BATTLE_HP, b"\x0c\0")
                set_foe(env, _HP, b"\x0c\0")
        return False

    follow(env, advisor, is_replaced, most=90)
    assert env.state.party[0].hp == 0
    follow(env, advisor, lambda: env.state.battle is None)
    assert env.state.party[1].hp > 0


def test_bag_that_somebody_opened_is_closed(env: GameEnv, advisor: RuleAdvisor) -> None:
    carry(env, POTION, 1)
    set_party(env, _HP, b"\5\0")
    env.advance(Action.START)
    for _ in range(4):
        if "▶BAG" in env.state.screen_text:
            break
        env.advance(Action.DOWN)
    env.advance(Action.A)
    assert env.state.control.in_menu
    follow(env, advisor, lambda: env.state.control.is_free, most=15)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(5))
def test_the_rules_win_the_badge_from_bed(env: GameEnv, seed: int) -> None:
    env.reset(seed=seed)
    advisor = RuleAdvisor(env.game)
    advisor.reset(env.state)
    rng = np.random.default_rng(seed)
    for _ in range(450):
        mask = env.action_mask()
        advice = advisor.advise(env.state, mask)
        chosen = np.where(mask, advice.prior, -1.0) + rng.random(len(mask)) * 1e-6
        if env.advance(int(chosen.argmax()))[1]:
            break
    to_badge = env.milestone_keys[: env.milestone_keys.index("first_badge") + 1]
    assert env.milestones >= set(to_badge)
