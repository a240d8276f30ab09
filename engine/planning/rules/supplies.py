"""Say what to buy, by what is carried, what is ahead and the money; when, and when to drink it."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace
from typing import Any

from engine.games.base import Game, GameTables
from engine.planning.rules.battle import is_weak
from engine.planning.rules.goal_tracker import UNREACHABLE
from engine.planning.rules.items import (
    CURES,
    ITEM_POCKET,
    ItemUse,
    cure_for,
    medicines,
    potion_for,
    revival,
)
from engine.types import Bag, GameState, Goal, GoalKind, MapId

_MEDICINE: tuple[tuple[str, int, int], ...] = (
    ("HYPER POTION", 1200, 35),
    ("SUPER POTION", 700, 20),
    ("POTION", 300, 0),
)
"""What is bought to heal: name, price, and from which level on it is better than the next."""
_CURES_SOLD: Mapping[str, int] = {
    "ANTIDOTE": 100, "PARLYZ HEAL": 200, "LOOSENER": 200, "AWAKENING": 250, "WAKE BELL": 250,
    "BURN HEAL": 250, "ICE HEAL": 250,
}  # fmt: skip
"""What is bought against what the party has suffered from, with its price."""
_REVIVE, _REVIVE_PRICE = "REVIVE", 1500
_FULL_RESTORE, _FULL_RESTORE_PRICE = "FULL RESTORE", 3000
_BALLS: tuple[tuple[str, int], ...] = (
    ("ULTRA BALL", 1200), ("GREAT BALL", 600), ("POKé BALL", 200), ("GLOW BALL", 200),
)  # fmt: skip
"""The best first."""

_POTIONS_WANTED, _CURES_WANTED, _REVIVES_WANTED = 5, 2, 1
_BALLS_WANTED, _BALLS_ENOUGH = 10, 5
"""How many balls are bought for, and how many of the better ones must be affordable."""

_LONG_LEVEL = 40
"""Level from which a fight that is asked for is one of a row without a healer between them."""
_POTIONS_FOR_LONG, _RESTORES_FOR_LONG, _REVIVES_FOR_LONG = 12, 5, 3

_SMALL = 4
"""A potion that heals less than such a part of the strongest's health does not count as one."""
_TOO_FEW = 2
"""Potions below which a shop is worth the way."""

_SHOP_REACH = 3
"""Maps away up to which a shop is worth the way."""

_HEALER_NEAR = 1
"""Maps away up to which the party is taken to a healer instead of given potions."""

_DRINK_BELOW, _DRINK_TO = 0.4, 0.5
"""Shares of the best creature's health below which potions are used: usually, and on the way to
rest. Above the latter the mask keeps the menu shut: nobody is hurt enough."""


class Supplies:
    """Say what to buy in a shop, by what is carried, what there is to spend and what is sold."""

    def __init__(self, tables: GameTables) -> None:
        self._tables = tables
        self._numbers = {name: number for number, name in tables.ITEMS.items()}
        self.reset()

    def reset(self) -> None:
        """Start an episode."""
        self._missing: set[tuple[int, int, int]] = set()  # map and item that is not sold there
        self._suffered: set[str] = set()
        self._useless: set[int] = set()
        self._purpose = False, 0  # of the way to a shop: whether to catch, level of the fight

    def notice(self, state: GameState) -> None:
        """Note the party's statuses: medicine is bought against them."""
        own = state.battle.own if state.battle else None
        everyone = (*state.party, *([own] if own else []))
        self._suffered |= {one.status for one in everyone if one.status}

    def note_useless(self, item: int) -> None:
        """Note that an item did nothing: in this episode it is not used again."""
        self._useless.add(item)

    def of_use(self, bag: Bag) -> Bag:
        """Return the bag without the items that did nothing."""
        if self._useless.isdisjoint(item for item, _ in bag.items):
            return bag
        return replace(bag, items=tuple(one for one in bag.items if one[0] not in self._useless))

    def wanted(
        self, state: GameState, shop: MapId, *, wants_catch: bool, level: int = 0
    ) -> Mapping[int, int]:
        """Return item -> how many to buy; what the shop on that map does not sell is left out.

        What the way to the shop was last made for is wanted as well.

        Args:
            state: What is carried, and the money.
            shop: Where one buys.
            wants_catch: Balls will be needed.
            level: Level that the next fight asks for; 0: none is known.
        """
        wants_catch, level = wants_catch or self._purpose[0], max(level, self._purpose[1])
        wanted: dict[int, int] = {}
        money = state.money
        for number, price, count in self._wishes(state, shop, wants_catch, level):
            count = min(count, money // price)
            if count > 0:
                wanted[number] = count
                money -= count * price
        return wanted

    def is_visit_due(
        self, state: GameState, shop: MapId, *, wants_catch: bool = False, level: int = 0
    ) -> bool:
        """Return whether potions, or balls where some are wanted, are few and affordable.

        Remember what they are for: in the shop the goal is to buy, and no longer says so.
        """
        self._purpose = wants_catch, level
        if not state.party:
            return False
        wanted = self.wanted(state, shop, wants_catch=wants_catch, level=level)
        is_short = self._carried(state) < _TOO_FEW or (
            level >= _LONG_LEVEL and 2 * self._carried(state) < _POTIONS_FOR_LONG
        )
        names = [name for name, _, _ in _MEDICINE] if is_short else []
        needed = (*names, *(name for name, _ in _BALLS))
        return any(wanted.get(self._numbers.get(name, 0), 0) >= _TOO_FEW for name in needed)

    def note_not_sold(self, shop: MapId, items: Iterable[int]) -> None:
        """Note that the list of a shop ended without these."""
        self._missing |= {(shop.group, shop.number, item) for item in items}

    def save(self) -> dict[str, Any]:
        """Return what was noted, JSON-able."""
        return {
            "missing": [list(one) for one in sorted(self._missing)],
            "suffered": sorted(self._suffered),
            "useless": sorted(self._useless),
            "purpose": list(self._purpose),
        }

    def load(self, saved: Any) -> None:
        """Put back what `save` returned."""
        facts = saved if isinstance(saved, dict) else {"missing": saved}  # of older checkpoints
        self._missing = {(group, number, item) for group, number, item in facts["missing"]}
        self._suffered = set(facts.get("suffered", ()))
        self._useless = set(facts.get("useless", ()))
        wants_catch, level = facts.get("purpose", (False, 0))
        self._purpose = bool(wants_catch), int(level)

    def _wishes(
        self, state: GameState, shop: MapId, wants_catch: bool, level: int
    ) -> Iterator[tuple[int, int, int]]:
        """Yield number, price and count of what is missing and may be sold, most needed first."""
        balls = self._balls(state, shop) if wants_catch else ()
        health = self._potions(state, shop, level), self._remedies(state, level)
        wishes = (*health, balls) if state.bag.balls else (balls, *health)
        for name, price, count in (one for several in wishes for one in several):
            if self._may_be_sold(shop, name):
                yield self._numbers[name], price, count

    def _potions(self, state: GameState, shop: MapId, level: int) -> Iterator[tuple[str, int, int]]:
        """Yield the best potion for the party that the shop may sell and that is affordable."""
        highest = max((one.level for one in state.party), default=0)
        count = _POTIONS_FOR_LONG if level >= _LONG_LEVEL else _POTIONS_WANTED
        count -= self._carried(state)
        for name, price, from_level in _MEDICINE:
            is_better = highest >= from_level and state.money >= price
            if is_better and count > 0 and self._may_be_sold(shop, name):
                yield name, price, count
                return

    def _remedies(self, state: GameState, level: int) -> Iterator[tuple[str, int, int]]:
        """Yield what is missing to cure and to revive."""
        held = {self._tables.ITEMS.get(item, ""): count for item, count in state.bag.items}
        for name, price in _CURES_SOLD.items():
            if not CURES[name].isdisjoint(self._suffered):
                yield name, price, _CURES_WANTED - held.get(name, 0)
        if len(state.party) > 1:
            count = _REVIVES_FOR_LONG if level >= _LONG_LEVEL else _REVIVES_WANTED
            yield _REVIVE, _REVIVE_PRICE, count - held.get(_REVIVE, 0)
        if level >= _LONG_LEVEL:
            count = _RESTORES_FOR_LONG - held.get(_FULL_RESTORE, 0)
            yield _FULL_RESTORE, _FULL_RESTORE_PRICE, count

    def _balls(self, state: GameState, shop: MapId) -> Iterator[tuple[str, int, int]]:
        """Yield the best balls of which the money is enough for some, once few are left."""
        held = sum(count for _, count in state.bag.balls)
        if held >= _BALLS_ENOUGH:
            return
        for name, price in _BALLS:
            is_cheap = price == _BALLS[-1][1]
            if (is_cheap or state.money >= _BALLS_ENOUGH * price) and self._may_be_sold(shop, name):
                yield name, price, _BALLS_WANTED - held
                return

    def _carried(self, state: GameState) -> int:
        """Return how many potions are in the bag that are worth a turn."""
        most = max((one.level, one.max_hp) for one in state.party)[1] if state.party else 0
        found = medicines(self._tables, state.bag)
        healing = {item for health, item in found if _SMALL * health >= most}
        return sum(count for item, count in state.bag.items if item in healing)

    def _may_be_sold(self, shop: MapId, name: str) -> bool:
        item = self._numbers.get(name)
        return item is not None and (shop.group, shop.number, item) not in self._missing


class Provisions:
    """Use medicine on the way, and find the shop to buy more.

    Args:
        game: Its tables, and where one buys and rests.
        supplies: What is to be bought, and what did nothing.
        maps_away: Returns how many maps a goal is away.
        steps_away: Returns how many steps a goal is away; None: there is no way now.
    """

    def __init__(
        self,
        game: Game,
        supplies: Supplies,
        maps_away: Callable[[GameState, Goal], int],
        steps_away: Callable[[GameState, Goal], int | None],
    ) -> None:
        self._tables, self._atlas, self._supplies = game.tables, game.atlas, supplies
        self._maps_away, self._steps_away = maps_away, steps_away
        self._shops = tuple(
            Goal("buy", f"Buy potions in {name}", MapId(*key), kind=GoalKind.BUY)
            for key, name in game.tables.MAPS.items()
            if game.atlas.is_shop(name)
        )

    def shop_before(
        self, state: GameState, goal: Goal, level: int, *, is_fight: bool
    ) -> Goal | None:
        """Return the way to a shop where it pays before a goal of the story; None: it does not.

        Args:
            state: The game now.
            goal: To catch one, where balls will be needed, or another.
            level: That it asks for; 0: none is known.
            is_fight: It is a fight to prepare for.
        """
        wants_catch = goal.kind is GoalKind.CATCH
        if not wants_catch and (not is_fight or goal.kind not in {GoalKind.MEET, GoalKind.REACH}):
            return None
        # Without a ball nothing can be caught: any shop is near enough, and looked for.
        is_must = wants_catch and not state.bag.balls
        reach = UNREACHABLE - 1 if is_must else _SHOP_REACH
        due = [
            (distance, i)
            for i, shop in enumerate(self._shops)
            if (distance := self._maps_away(state, shop)) <= reach
            and shop.map is not None
            and self._supplies.is_visit_due(state, shop.map, wants_catch=wants_catch, level=level)
        ]
        shops = (self._shops[i] for _, i in sorted(due))
        has_way = (one for one in shops if is_must or self._steps_away(state, one) is not None)
        return next(has_way, None)

    def medicine(self, state: GameState, goal: Goal | None) -> ItemUse | None:
        """Return what to use on the way where no healer is near; None: there is no need."""
        bag = self._supplies.of_use(state.bag)
        if state.place.environment == "indoor" or not bag.items or not state.party:
            return None
        is_resting = goal is not None and goal.kind is GoalKind.HEAL
        use = revival(self._tables, bag, state.party) or self._cure(state, bag)
        use = use or self._potion(state, bag, _DRINK_TO if is_resting else _DRINK_BELOW)
        return None if use is None or self._is_healer_near(state) else use

    def _potion(self, state: GameState, bag: Bag, share: float) -> ItemUse | None:
        if not is_weak(state.party, share):
            return None
        slot = _strongest(state)
        potion = potion_for(self._tables, bag, state.party[slot])
        why = f"heal {state.party[slot].name}"
        return None if potion is None else ItemUse(potion[1], ITEM_POCKET, slot, why)

    def _cure(self, state: GameState, bag: Bag) -> ItemUse | None:
        for slot, one in enumerate(state.party):
            if item := cure_for(self._tables, bag, one):
                return ItemUse(item, ITEM_POCKET, slot, f"cure {one.name} of {one.status}")
        return None

    def _is_healer_near(self, state: GameState) -> bool:
        return any(
            self._maps_away(state, healer) <= _HEALER_NEAR
            and self._steps_away(state, healer) is not None
            for healer in self._atlas.healers
        )


def _strongest(state: GameState) -> int:
    """Return the place in the party of the strongest that stands, the first of equals."""
    _, slot = max(((one.level, -i) for i, one in enumerate(state.party) if one.hp), default=(0, 0))
    return -slot
