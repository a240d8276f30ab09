"""Bag, party list and shop of both practice games, walked through by what their memory shows."""

import struct
from collections.abc import Callable, Iterator
from dataclasses import replace

import numpy as np
import pytest

from engine.config import EnvConfig
from engine.env.game_env import GameEnv
from engine.games.crystal import memory as crystal
from engine.games.emerald import memory as emerald
from engine.planning.rules.advisor import RuleAdvisor
from engine.types import Action
from tests.engine.games.emerald.practice import NAME, needs_core
from tests.engine.led import lead_until, rules_of

MOST_STEPS = 200


class Practice:
    """Writes the memory of the practice game."""

    name = ""
    potion, antidote, awakening, loosener = 18, 9, 12, 13

    def __init__(self, env: GameEnv) -> None:
        self.env = env

    def poke(self, name: str, *values: int, offset: int = 0) -> None:
        symbol = crystal.SYMBOLS[name]
        self.env.emulator.write(symbol.bank, symbol.address + offset, bytes(values))
        self.refresh()

    def refresh(self) -> None:
        """Read the memory again after it was written."""
        self.env.state, self.env._blocked = self.env._reader.read(), None

    def carry(self, item: int, count: int) -> None:
        self.poke("wNumItems", 1)
        self.poke("wItems", item, count, 0xFF)

    def set_hp(self, hp: int) -> None:
        self.poke("wPartyMon1", 0, hp, offset=34)

    def set_status(self, status: int) -> None:
        self.poke("wPartyMon1", status, offset=32)

    def set_fighters_hp(self, hp: int) -> None:
        """Change the HP in battle, too."""
        self.set_hp(hp)  # from which the game heals
        self.poke("wBattleMonSpecies", 0, hp, offset=16)


class Advance(Practice):
    """Writes the memory of MOSSLIGHT ADVANCE."""

    name = NAME
    potion, antidote = 13, 14

    def write(self, name: str, offset: int, data: bytes) -> None:
        self.env.emulator.write(0, emerald.SYMBOLS[name].address + offset, data)
        self.refresh()

    def block(self, number: int) -> int:
        """Return where a save block lies now."""
        address = emerald.SYMBOLS[f"gSaveBlock{number}Ptr"].address
        return int.from_bytes(self.env.emulator.read(0, address, 4), "little")

    def carry(self, item: int, count: int) -> None:
        key = int.from_bytes(self.env.emulator.read(0, self.block(2) + 0xAC, 2), "little")
        self.env.emulator.write(0, self.block(1) + 0x560, struct.pack("<HH", item, count ^ key))
        self.refresh()

    def set_hp(self, hp: int) -> None:
        self.write("gPlayerParty", 86, bytes((hp, 0)))

    def set_status(self, status: int) -> None:
        self.write("gPlayerParty", 80, struct.pack("<I", status))

    def set_fighters_hp(self, hp: int) -> None:
        self.set_hp(hp)
        self.write("gBattleMons", 0x28, bytes((hp, 0)))


PRACTICE = pytest.param(Practice, id="practice")
ADVANCE = pytest.param(Advance, id="advance", marks=needs_core)
of_the_practice_game = pytest.mark.parametrize("memory", [PRACTICE], indirect=True)
of_the_advance_game = pytest.mark.parametrize("memory", [ADVANCE], indirect=True)


@pytest.fixture(scope="module", params=[PRACTICE, ADVANCE])
def memory(request: pytest.FixtureRequest) -> Iterator[Practice]:
    config = EnvConfig(max_steps=100_000)
    env = GameEnv(request.param.name, observation_type="state", config=config)
    yield request.param(env)
    env.close()


@pytest.fixture(scope="module")
def env(memory: Practice) -> GameEnv:
    return memory.env


@pytest.fixture(scope="module")
def on_the_way(env: GameEnv) -> bytes:
    """The game half-way between two towns, as the rules came there."""
    env.reset(seed=0)
    lead_until(env, lambda state: (state.place.name, state.place.x) == ("MILLBROOK PATH", 12))
    return env.save()


@pytest.fixture
def advisor(env: GameEnv, on_the_way: bytes) -> RuleAdvisor:
    """The rules, half-way between two towns."""
    env.restore(on_the_way)
    return rules_of(env)


def follow(
    env: GameEnv,
    advisor: RuleAdvisor,
    is_done: Callable[[], bool],
    *,
    most: int = MOST_STEPS,
    disturb: float = 0.0,
) -> list[str]:
    """Follow the advice, or a random button now and then, until `is_done`; return the reasons."""
    rng = np.random.default_rng(0)
    reasons: list[str] = []
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


def held(env: GameEnv, item: int) -> int:
    return dict(env.state.bag.items).get(item, 0)


def lose(advisor: RuleAdvisor) -> None:
    """Let the rules believe that a trainer has won."""
    saved = advisor._planner.save()
    advisor._planner.load(saved | {"wanted_level": 1})


def begin_fight(env: GameEnv, advisor: RuleAdvisor) -> None:
    """Play until the first menu of a battle with a pupil's WHISKIT."""

    def is_asked() -> bool:
        fight = env.state.battle
        is_out = fight is not None and fight.own and fight.enemy and fight.enemy.name == "WHISKIT"
        return bool(is_out) and env.state.control.menu_size == (2, 2)

    follow(env, advisor, is_asked)


@pytest.mark.parametrize("disturb", [0.0, 0.2])
def test_potions_are_bought_before_a_trainer_who_won(memory, env, advisor, disturb):
    lose(advisor)
    money = env.state.money
    follow(env, advisor, lambda: env.state.place.name == "GYM", disturb=disturb, most=600)
    assert held(env, memory.potion) == 5
    assert env.state.money == money - 5 * 300


def test_nobody_shops_without_need(memory, env, advisor):
    follow(env, advisor, lambda: env.state.place.name == "GYM")
    assert held(env, memory.potion) == 0


@of_the_practice_game
def test_no_way_to_a_shop_is_made_for_a_single_potion(memory, env, advisor):
    lose(advisor)
    memory.poke("wMoney", 0, *(300).to_bytes(2, "big"))
    reasons = follow(env, advisor, lambda: env.state.place.name == "GYM")
    assert not any("buy" in reason.lower() for reason in reasons)


def test_a_potion_is_drunk_on_the_way_where_no_healer_is_near(memory, env, advisor):
    memory.carry(memory.potion, 2)
    memory.set_hp(3)
    assert env.state.control.is_free
    follow(env, advisor, lambda: env.state.place.name == "STONEHOLLOW")
    assert held(env, memory.potion) == 1
    assert env.state.party[0].hp > 3


def test_a_potion_is_drunk_in_a_battle_that_the_next_blow_would_end(memory, env, advisor):
    memory.carry(memory.potion, 2)
    begin_fight(env, advisor)
    memory.set_fighters_hp(2)

    def is_drunk() -> bool:
        return held(env, memory.potion) == 1 and env.state.battle.own.hp > 2

    follow(env, advisor, is_drunk, most=25)
    follow(env, advisor, lambda: env.state.battle is None)
    assert env.state.party[0].hp > 0


def test_a_status_is_cured_on_the_way_where_no_healer_is_near(memory, env, advisor):
    memory.carry(memory.antidote, 2)
    memory.set_status(8)
    assert env.state.party[0].status == "poison"
    follow(env, advisor, lambda: not env.state.party[0].status, most=25)
    assert held(env, memory.antidote) == 1
    follow(env, advisor, lambda: env.state.control.is_free, most=12)


@of_the_practice_game
def test_medicine_without_effect_is_not_tried_for_ever(memory, env, advisor):
    """Here the first medicine, by the name of another game, is one that cures what is not."""
    memory.carry(memory.loosener, 2)
    memory.set_status(8)
    tables = replace(env.game.tables, ITEMS={memory.loosener: "ANTIDOTE"})
    advisor._provisions._tables = tables
    reasons = follow(env, advisor, lambda: env.state.place.name == "STONEHOLLOW")
    assert env.state.party[0].status == "poison"
    assert 0 < sum("cure" in reason for reason in reasons) < 40


@of_the_practice_game
def test_a_sleeper_is_woken_in_a_battle_with_a_trainer(memory, env, advisor):
    memory.carry(memory.awakening, 2)
    begin_fight(env, advisor)
    memory.set_status(7)
    memory.poke("wBattleMonSpecies", 7, offset=14)
    assert env.state.battle.own.status == "sleep"
    follow(env, advisor, lambda: held(env, memory.awakening) == 1, most=20)
    assert not env.state.battle.own.status


@of_the_advance_game
def test_a_fainted_creature_makes_room_for_another(memory, env, advisor):
    begin_fight(env, advisor)
    party = env.emulator.read(0, emerald.SYMBOLS["gPlayerParty"].address, 100)
    memory.write("gPlayerPartyCount", 0, b"\2")
    memory.write("gPlayerParty", 100, party)
    assert len(env.state.party) == 2

    def is_replaced() -> bool:
        battle = env.state.battle
        if battle is not None and battle.own is not None and battle.enemy is not None:
            if battle.own_slot == 1:
                return True
            if env.state.control.in_menu and battle.own.hp:  # one blow ends it, none the foe
                memory.set_fighters_hp(1)
                for stat in (0x02, 0x08):  # attack, special attack
                    memory.write("gBattleMons", stat, b"\1\0")
                memory.write("gBattleMons", 0x58 + 0x28, b"\x0c\0")
                memory.write("gEnemyParty", 86, b"\x0c\0")
        return False

    follow(env, advisor, is_replaced, most=90)
    assert env.state.party[0].hp == 0
    follow(env, advisor, lambda: env.state.battle is None)
    assert env.state.party[1].hp > 0


def test_bag_that_somebody_opened_is_closed(memory, env, advisor):
    memory.carry(memory.potion, 1)
    memory.set_hp(5)
    env.advance(Action.START)
    for _ in range(4):
        if any(line.startswith(("▶BAG", "▶PACK")) for line in env.state.screen_text):
            break
        env.advance(Action.DOWN)
    env.advance(Action.A)
    assert env.state.control.in_menu
    follow(env, advisor, lambda: env.state.control.is_free, most=15)
