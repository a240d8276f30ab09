"""Walk a composer through states, and make every component pay."""

from dataclasses import replace

from engine.config import RewardConfig
from engine.rewards.base import Transition
from engine.rewards.composer import RewardComposer
from engine.rewards.exploration import STILL_LIMIT
from engine.types import Action, Bag, BattleKind, Facing, GameState, MapId, RewardBreakdown, Warp
from tests.engine.states import make_battle, make_control, make_creature, make_state, make_view

WEIGHTS = tuple(name for name in RewardConfig.model_fields if name != "extra")
ONES = RewardConfig(**dict.fromkeys(WEIGHTS, 1.0))

DOOR = Warp(2, 3, MapId(40, 2), 1)
HOUSE = make_view(objects=((3, 2), (0, 0)), signs=((1, 2),), warps=(DOOR,))
"""Around the player at (2, 2): a person to the right, a sign to the left, a door below."""


class Player:
    """Walks a composer through states and remembers what was paid."""

    def __init__(self, start: GameState, config: RewardConfig = ONES) -> None:
        self.composer = RewardComposer(config)
        self.composer.reset(start)
        self.now = start
        self.last = RewardBreakdown(())

    def go(self, state: GameState, action: Action = Action.A, **facts: object) -> dict[str, float]:
        step = Transition(self.now, state, action, button=action, **facts)  # type: ignore[arg-type]
        self.last = self.composer.pay(step)
        self.now = state
        return dict(self.last.components)


def trainer(hp: int, **changes: object) -> GameState:
    enemy = make_creature(hp=hp, max_hp=20)
    battle = make_battle(
        kind=BattleKind.TRAINER, trainer_class=2, trainer_id=1, enemy=enemy, **changes
    )
    return make_state(party=(make_creature(),), battle=battle)


def wild(hp: int = 20, **changes: object) -> GameState:
    battle = make_battle(enemy=make_creature(hp=hp))
    return make_state(party=(make_creature(),), battle=battle, **changes)


def reading(state: GameState, *text: str) -> GameState:
    """Return the state with a text box open."""
    control = make_control(in_text=True, is_scripted=True)
    return replace(state, control=control, screen_text=text or ("Hello!",))


def eventful(player: Player) -> list[RewardBreakdown]:
    """Make every component pay."""
    here = player.now
    at_sign = make_state(facing=Facing.LEFT, map=HOUSE)
    paid = []
    player.go(
        replace(here, badges=(1, 0)),
        reached=(("a", "a"),),
        is_new_tile=True,
        is_first_visit=True,
        is_new_map=True,
        has_whited_out=True,
    )
    paid.append(player.last)
    states = [
        trainer(0),
        wild(),
        wild(caught=1),
        make_state(party=(make_creature(level=7),), caught=1),
        make_state(party=(make_creature(hp=4),), caught=1),
        make_state(party=(make_creature(hp=20),), caught=1),
        make_state(bag=Bag(key_items=(7,)), money=100),
        make_state(map=HOUSE),
        make_state(map_number=2),
        at_sign,
        reading(at_sign),
    ]
    for state in states + [make_state()] * (STILL_LIMIT + 2):
        player.go(state)
        paid.append(player.last)
    return paid
