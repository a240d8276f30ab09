"""Say when to drink what the bag holds, and when a shop is worth the way."""

from collections.abc import Callable

from engine.games.base import Game
from engine.planning.rules.battle import is_weak
from engine.planning.rules.items import ITEM_POCKET, ItemUse, cure_for, potion_for, revive_for
from engine.planning.rules.patience import UNREACHABLE
from engine.planning.rules.supplies import Supplies
from engine.types import Bag, GameState, Goal, GoalKind, MapId

_SHOP_REACH = 3
"""Maps away up to which a shop is worth the way."""

_HEALER_NEAR = 1
"""Maps away up to which the party is taken to a healer instead of given potions."""

_DRINK_BELOW, _DRINK_TO = 0.4, 0.5
"""Shares of the best creature's health below which potions are used: usually, and on the way to
rest. Above the latter the mask keeps the menu shut: nobody is hurt enough."""


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

    def shop_before(self, state: GameState, level: int, *, wants_catch: bool) -> Goal | None:
        """Return the way to a shop where it pays now; None: it does not.

        Args:
            state: The game now.
            level: That the next fight asks for; 0: none is known.
            wants_catch: Balls will be needed.
        """
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
        use = self._revival(state, bag) or self._cure(state, bag)
        use = use or self._potion(state, bag, _DRINK_TO if is_resting else _DRINK_BELOW)
        return None if use is None or self._is_healer_near(state) else use

    def _potion(self, state: GameState, bag: Bag, share: float) -> ItemUse | None:
        if not is_weak(state.party, share):
            return None
        slot = _strongest(state)
        potion = potion_for(self._tables, bag, state.party[slot])
        why = f"heal {state.party[slot].name}"
        return None if potion is None else ItemUse(potion[1], ITEM_POCKET, slot, why)

    def _revival(self, state: GameState, bag: Bag) -> ItemUse | None:
        """Return how to bring the strongest back; a weaker one is not worth it."""
        slot = max(range(len(state.party)), key=lambda i: (state.party[i].level, -i))
        best = state.party[slot]
        item = revive_for(self._tables, bag, best)
        return ItemUse(item, ITEM_POCKET, slot, f"revive {best.name}") if item else None

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
