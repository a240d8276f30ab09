"""Loops, most of which the practice game lacks: 500 repeats pay nothing after the first time."""

from collections.abc import Iterable
from dataclasses import replace

import pytest

from engine.types import Action, Bag, BattleKind, Facing, GameState
from tests.engine.rewards.helpers import HOUSE, Player, reading
from tests.engine.states import make_battle, make_control, make_creature, make_state

REPEATS = 500

LEAD, OTHER = make_creature(level=12), make_creature(species=4, level=20)
HURT = make_creature(level=12, hp=1)
MENU = make_control(in_menu=True, cursor=(1, 1), menu_size=(4, 1))
HOME = make_state(party=(LEAD,), caught=1)

AT_PERSON = make_state(facing=Facing.RIGHT, map=HOUSE, party=(LEAD,), caught=1)


def in_menu(**changes: object) -> GameState:
    return replace(HOME, control=MENU, screen_text=("PARTY", "BAG", "SAVE"), **changes)


def free(**changes: object) -> GameState:
    return replace(HOME, **changes)


def fight(kind: BattleKind = BattleKind.WILD, hp: int = 20) -> GameState:
    battle = make_battle(kind=kind, enemy=make_creature(hp=hp), trainer_class=3, trainer_id=1)
    return replace(HOME, battle=battle, control=make_control())


LOOPS: dict[str, tuple[GameState, ...]] = {
    "deposit and withdraw": (free(party=(LEAD,)), in_menu(), free(party=(LEAD, OTHER)), in_menu()),
    "swap a weak one for a strong one": (free(party=(LEAD,)), free(party=(OTHER,))),
    "store a hurt one, take it out well": (
        free(party=(LEAD, HURT)),
        free(),
        free(party=(LEAD, LEAD)),
    ),
    "release and catch the same again": (
        fight(),
        replace(fight(), caught=2),
        free(caught=2, party=(LEAD, OTHER)),
        free(caught=2),
    ),
    "put a key item away": (
        free(bag=Bag(key_items=(7, 8))),
        free(bag=Bag(key_items=(8,))),
        free(bag=Bag(key_items=(8, 7))),
    ),
    "toss and pick up": (free(bag=Bag(items=((18, 1),))), free(bag=Bag(balls=((5, 2),)))),
    "buy and sell": (free(), in_menu(money=100), free(money=100), in_menu(), free(money=2900)),
    "save and go on": (in_menu(), reading(HOME, "Saving..."), reading(HOME, "Saved."), free()),
    "hurt and heal with an item": (free(party=(HURT,)), in_menu(party=(LEAD,)), free()),
    "drain health in a fight": (replace(fight(), party=(HURT,)), fight(), free()),
    "meet and flee": (fight(), fight(hp=10), fight(hp=20), free()),
    "fight the same trainer again": (
        fight(BattleKind.TRAINER, 10),
        fight(BattleKind.TRAINER, 0),
        free(),
    ),
    "ask the same person again": (AT_PERSON, reading(AT_PERSON)),
    "walk over the map's edge and back": (
        free(),
        make_state(map_number=2, party=(LEAD,), caught=1),
    ),
}


def pay(player: Player, loop: Iterable[GameState]) -> dict[str, float]:
    """Return what the loop paid, charges left out."""
    paid: dict[str, float] = {}
    for state in loop:
        for name, value in player.go(state, Action.A).items():
            if value > 0.0:
                paid[name] = paid.get(name, 0.0) + value
    return paid


@pytest.mark.parametrize("name", LOOPS)
def test_loop_pays_nothing_after_its_first_time(name: str) -> None:
    player = Player(HOME)
    pay(player, LOOPS[name] * 2)
    assert pay(player, LOOPS[name] * REPEATS) == {}


def test_being_beaten_and_carried_home_is_charged_every_time() -> None:
    beaten = replace(fight(), party=(replace(LEAD, hp=0),))
    player = Player(HOME)
    for _ in range(REPEATS):
        assert pay(player, (fight(), beaten)) == {}
        woken = player.go(HOME, has_whited_out=True)
        assert woken["whiteout"] == -1.0
        assert not any(value > 0.0 for value in woken.values())


def test_buying_and_selling_is_charged_once() -> None:
    player = Player(HOME)
    charged = [player.go(state)["money"] for _ in range(REPEATS) for state in LOOPS["buy and sell"]]
    assert sum(charged) == -0.8
