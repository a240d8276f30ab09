"""Know what items are good for, and find the way to them through bag, party list and shop.

No menu remembers a press: each answer follows from the screen alone, so that it is right again
after whatever came in between.
"""

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

from engine.games.base import GameTables, MenuKind, menu_kind
from engine.types import Action, Bag, Creature, GameState, MapId, Prompt

Suggestion = tuple[Action, str]
"""A button and why."""

CURSOR = "▶"
_MARKS = "▶▷◀◁ "


def prompt_of(state: GameState) -> Prompt:
    """Return what the screen waits for; a menu of YES and NO is a question."""
    control = state.control
    if control.in_menu and control.prompt in {Prompt.NONE, Prompt.MENU}:
        return Prompt.YES_NO if menu_kind(state) is MenuKind.YES_NO else Prompt.MENU
    if control.prompt is Prompt.NONE and control.in_text:
        return Prompt.TEXT
    return control.prompt


def words(state: GameState) -> frozenset[str]:
    """Return the lines of the screen without cursors."""
    return frozenset(line.strip(_MARKS) for line in state.screen_text)


def says(state: GameState, *parts: str) -> bool:
    """Return whether the text on the screen holds any of the parts, in lower case.

    A sentence may go over lines, so they are read as one.
    """
    text = " ".join(state.screen_text).lower()
    return any(part in text for part in parts)


def to_cell(state: GameState, cell: tuple[int, int]) -> Action:
    """Return the button that moves the cursor to (row, column), or A there."""
    row, column = state.control.cursor
    if row != cell[0]:
        return Action.DOWN if row < cell[0] else Action.UP
    if column != cell[1]:
        return Action.RIGHT if column < cell[1] else Action.LEFT
    return Action.A


def to_row(state: GameState, row: int) -> Action:
    """Return the button that moves the cursor to a row, or A there."""
    return to_cell(state, (row, state.control.cursor[1]))


def to_place(state: GameState, place: int) -> Action:
    """Return the button that moves the cursor to an entry by its place from 0, or A there.

    The entries fill the menu row by row.
    """
    columns = max(state.control.menu_size[1], 1)
    if columns == 1:
        return to_row(state, place + 1)
    return to_cell(state, (place // columns + 1, place % columns + 1))


def to_entry(state: GameState, *names: str) -> Action:
    """Return the button that moves the cursor to the entry of one of these names, or A there.

    B where no such entry is shown.
    """
    lines = state.screen_text
    at = next((i for i, line in enumerate(lines) if line.startswith(CURSOR)), None)
    wanted = next((i for i, line in enumerate(lines) if line.strip(_MARKS) in names), None)
    if at is None or wanted is None:
        return Action.B
    return Action.A if at == wanted else Action.DOWN if at < wanted else Action.UP


# Pockets of the bag, as `Control.pocket` has them.
ITEM_POCKET, BALL_POCKET, MACHINE_POCKET = 0, 1, 3

_ALL = 999
_HEALS: Mapping[str, int] = {
    "BERRY": 10, "POTION": 20, "BERRY JUICE": 20, "GOLD BERRY": 30, "FRESH WATER": 50,
    "SUPER POTION": 50, "SODA POP": 60, "LEMONADE": 80, "MOOMOO MILK": 100, "HYPER POTION": 200,
    "MAX POTION": _ALL, "FULL RESTORE": _ALL,
}  # fmt: skip
"""Health that an item restores, by its name."""

_STATUSES = frozenset({"sleep", "poison", "burn", "freeze", "paralysis"})
_CURES: Mapping[str, frozenset[str]] = {
    **dict.fromkeys(("ANTIDOTE", "PSNCUREBERRY"), frozenset({"poison"})),
    **dict.fromkeys(("PARLYZ HEAL", "LOOSENER", "PRZCUREBERRY"), frozenset({"paralysis"})),
    **dict.fromkeys(("AWAKENING", "WAKE BELL", "MINT BERRY"), frozenset({"sleep"})),
    **dict.fromkeys(("BURN HEAL", "ICE BERRY"), frozenset({"burn"})),
    **dict.fromkeys(("ICE HEAL", "BURNT BERRY"), frozenset({"freeze"})),
    **dict.fromkeys(("MIRACLEBERRY", "HEAL POWDER", "FULL HEAL", "FULL RESTORE"), _STATUSES),
}
"""What an item cures, by its name; of those that cure the same the least precious first."""
_REVIVES = ("REVIVAL HERB", "REVIVE", "MAX REVIVE")
_EGG = "EGG"

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
_BALLS: tuple[tuple[str, int], ...] = (("POKé BALL", 200), ("GLOW BALL", 200))

_POTIONS_WANTED, _BALLS_WANTED, _CURES_WANTED, _REVIVES_WANTED = 5, 5, 2, 1
_TOO_FEW = 2
"""Potions below which a shop is worth the way."""


@dataclass(frozen=True, slots=True)
class ItemUse:
    """An item to use.

    Attributes:
        item: Its number.
        pocket: Where in the bag it lies.
        slot: Place in the party of the one to use it on; None: it is used on nobody of ours.
        why: For people.
        forget: Place of the move that goes for the one that a machine teaches; -1: there is room.
    """

    item: int
    pocket: int
    slot: int | None
    why: str
    forget: int = -1


def medicines(tables: GameTables, bag: Bag) -> tuple[tuple[int, int], ...]:
    """Return (health, item) of what the bag holds to heal, the weakest first."""
    found = (
        (_HEALS.get(tables.ITEMS.get(item, ""), 0), item) for item, count in bag.items if count
    )
    return tuple(sorted(one for one in found if one[0]))


def potion_for(tables: GameTables, bag: Bag, creature: Creature) -> tuple[int, int] | None:
    """Return (health restored, item): the weakest that heals all, else the strongest; None: none.

    A potion of which more than half would be wasted is kept.
    """
    missing = creature.max_hp - creature.hp
    carried = medicines(tables, bag)
    enough = [one for one in carried if one[0] >= missing]
    chosen = enough[0] if enough else carried[-1] if carried else None
    if not creature.hp or chosen is None or min(chosen[0], creature.max_hp) > 2 * missing:
        return None
    return min(chosen[0], missing), chosen[1]


def cure_for(tables: GameTables, bag: Bag, creature: Creature) -> int | None:
    """Return the item that cures a creature's status, the one that cures least; None: none.

    What heals as well is kept for one that needs that, too.
    """
    if not creature.hp or not creature.status:
        return None
    is_hurt = 2 * creature.hp < creature.max_hp
    held = _held(tables, bag)
    return next(
        (
            held[name]
            for name, cured in _CURES.items()
            if name in held and creature.status in cured and (is_hurt or name not in _HEALS)
        ),
        None,
    )


def revive_for(tables: GameTables, bag: Bag, creature: Creature) -> int | None:
    """Return the item that brings a fainted creature back, the least precious; None: none."""
    if creature.hp or not creature.max_hp or creature.name == _EGG:
        return None
    held = _held(tables, bag)
    return next((held[name] for name in _REVIVES if name in held), None)


def _held(tables: GameTables, bag: Bag) -> Mapping[str, int]:
    """Return the numbers of the bag's items by their names."""
    return {tables.ITEMS.get(item, ""): item for item, count in bag.items if count}


def ball_use(bag: Bag, why: str) -> ItemUse | None:
    """Return how to throw the first ball of the bag; None without any."""
    return ItemUse(bag.balls[0][0], BALL_POCKET, None, why) if bag.balls else None


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

    def wanted(self, state: GameState, shop: MapId, *, wants_catch: bool) -> Mapping[int, int]:
        """Return item -> how many to buy; what the shop on that map does not sell is left out."""
        wanted: dict[int, int] = {}
        money = state.money
        level = max((one.level for one in state.party), default=0)
        for name, price, from_level in _MEDICINE:
            count = min(_POTIONS_WANTED - self._carried(state.bag), money // price)
            if level >= from_level and count > 0 and self._may_be_sold(shop, name):
                wanted[self._numbers[name]] = count
                money -= count * price
                break
        for number, price, count in self._remedies(state):
            count = min(count, money // price)
            if count > 0 and (shop.group, shop.number, number) not in self._missing:
                wanted[number] = count
                money -= count * price
        balls = sum(count for _, count in state.bag.balls)
        for name, price in _BALLS:
            count = min(_BALLS_WANTED - balls, money // price)
            if wants_catch and count > 0 and self._may_be_sold(shop, name):
                wanted[self._numbers[name]] = count
        return wanted

    def is_visit_due(self, state: GameState, shop: MapId) -> bool:
        """Return whether potions are few and there is money for some."""
        if not state.party or self._carried(state.bag) >= _TOO_FEW:
            return False
        wanted = self.wanted(state, shop, wants_catch=False)
        potions = (self._numbers.get(name, 0) for name, _, _ in _MEDICINE)
        return any(wanted.get(item, 0) >= _TOO_FEW for item in potions)

    def note_not_sold(self, shop: MapId, items: Iterable[int]) -> None:
        """Note that the list of a shop ended without these."""
        self._missing |= {(shop.group, shop.number, item) for item in items}

    def save(self) -> dict[str, Any]:
        """Return what was noted, JSON-able."""
        return {
            "missing": [list(one) for one in sorted(self._missing)],
            "suffered": sorted(self._suffered),
            "useless": sorted(self._useless),
        }

    def load(self, saved: Any) -> None:
        """Put back what `save` returned."""
        facts = saved if isinstance(saved, dict) else {"missing": saved}  # of older checkpoints
        self._missing = {(group, number, item) for group, number, item in facts["missing"]}
        self._suffered = set(facts.get("suffered", ()))
        self._useless = set(facts.get("useless", ()))

    def _remedies(self, state: GameState) -> Iterator[tuple[int, int, int]]:
        """Yield number, price and count of what is missing to cure and to revive."""
        held = dict(state.bag.items)
        for name, price in _CURES_SOLD.items():
            number = self._numbers.get(name)
            if number is not None and not _CURES[name].isdisjoint(self._suffered):
                yield number, price, _CURES_WANTED - held.get(number, 0)
        number = self._numbers.get(_REVIVE)
        if number is not None and len(state.party) > 1:
            yield number, _REVIVE_PRICE, _REVIVES_WANTED - held.get(number, 0)

    def _carried(self, bag: Bag) -> int:
        healing = {item for _, item in medicines(self._tables, bag)}
        return sum(count for item, count in bag.items if item in healing)

    def _may_be_sold(self, shop: MapId, name: str) -> bool:
        item = self._numbers.get(name)
        return item is not None and (shop.group, shop.number, item) not in self._missing


LIST_END = 0xFF
"""`Control.selection` on the last line of a list, which closes it."""

_BAG_ENTRIES = ("PACK", "BAG")
_POCKET_TITLES = frozenset({"ITEMS", "BALLS", "KEY ITEMS"})
_QUANTITY = re.compile(r"×\s*(\d+)")
_ONE = (1, 1)


def is_party_list(state: GameState) -> bool:
    """Return whether the list of the party asks whom an item is for."""
    return says(state, "on which")


def is_counter(state: GameState) -> bool:
    """Return whether a clerk asks whether to buy or sell."""
    return {"BUY", "SELL"} <= words(state)


def is_use_menu(state: GameState) -> bool:
    """Return whether an item of the bag was chosen: the menu says what can be done with it."""
    return "USE" in words(state)


def is_quantity(state: GameState) -> bool:
    """Return whether it is asked how many to buy."""
    prompt = prompt_of(state)
    is_box = prompt is Prompt.MENU and state.control.menu_size == _ONE and not is_bag(state)
    return prompt is Prompt.QUANTITY or (is_box and _quantity(state) is not None)


def is_bag(state: GameState) -> bool:
    """Return whether a bag shows its pocket's name; not every game's does in letters."""
    return bool(words(state) & _POCKET_TITLES)


def open_bag(state: GameState, use: ItemUse | None) -> Suggestion:
    """Answer the menu of START."""
    return (to_entry(state, *_BAG_ENTRIES), use.why) if use else (Action.B, "close the menu")


def choose_item(state: GameState, use: ItemUse | None) -> Suggestion:
    """Answer an open bag: turn to the pocket, then go to the item."""
    control = state.control
    if use is None:
        return Action.B, "close the bag"
    if control.pocket != use.pocket:
        return Action.RIGHT, f"find the pocket: {use.why}"
    pockets = {
        ITEM_POCKET: state.bag.items,
        BALL_POCKET: state.bag.balls,
        MACHINE_POCKET: state.bag.machines,
    }
    held = [item for item, _ in pockets.get(use.pocket, ())]
    if use.item not in held:
        return Action.B, "not in the bag"
    if control.selection == use.item:
        return Action.A, use.why
    if control.selection not in held:
        is_at_end = control.selection == LIST_END
        return (Action.UP, use.why) if is_at_end else (Action.B, "close this list")
    is_above = held.index(control.selection) < held.index(use.item)
    return (Action.DOWN if is_above else Action.UP), use.why


def choose_creature(state: GameState, use: ItemUse | None) -> Suggestion:
    """Answer the party list that asks whom an item is for."""
    if use is None or use.slot is None:
        return Action.B, "nobody needs it"
    return to_row(state, use.slot + 1), use.why


def confirm_use(state: GameState, use: ItemUse | None) -> Suggestion:
    """Answer what is to be done with an item."""
    return (
        (to_entry(state, "USE", "TEACH", "Teach"), use.why) if use else (Action.B, "leave the item")
    )


def choose_service(state: GameState, buy: Mapping[int, int]) -> Suggestion:
    """Answer a clerk's question whether to buy or sell."""
    return (to_entry(state, "BUY"), "buy") if buy else (Action.B, "leave the shop")


def choose_goods(state: GameState, buy: Mapping[int, int]) -> Suggestion:
    """Answer a shop's list: walk down it once and take what is wanted as it comes."""
    selection = state.control.selection
    if not buy or selection == LIST_END:
        return Action.B, "nothing more to buy"
    if selection in buy:
        return Action.A, "buy this"
    return Action.DOWN, "browse the goods"


def is_end_of_goods(state: GameState) -> bool:
    """Return whether the cursor is on the last line of a shop's list."""
    others = (is_bag, is_counter, is_party_list, is_use_menu, is_quantity)
    is_list = prompt_of(state) is Prompt.MENU and not any(is_this(state) for is_this in others)
    return is_list and state.control.selection == LIST_END


def choose_quantity(state: GameState, buy: Mapping[int, int]) -> Suggestion:
    """Answer how many to buy."""
    wanted = buy.get(state.control.selection, 0)
    if not wanted:
        return Action.B, "none of these"
    shown = _quantity(state)
    if shown is None or shown == wanted:
        return Action.A, f"buy {wanted}"
    return (Action.UP if shown < wanted else Action.DOWN), f"buy {wanted}"


def _quantity(state: GameState) -> int | None:
    found = (_QUANTITY.search(line) for line in reversed(state.screen_text))
    return next((int(one[1]) for one in found if one), None)
