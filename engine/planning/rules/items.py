"""Know what items are good for, and find the way to them through bag, party list and shop.

No menu remembers a press: each answer follows from the screen alone, so that it is right again
after whatever came in between.
"""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from engine.games.base import GameTables, MenuKind, menu_kind
from engine.types import Action, Bag, Creature, GameState, Prompt

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
    below = lines_below(state, lambda entry: entry in names)
    return Action.B if below is None else along(below)


def lines_below(state: GameState, is_wanted: Callable[[str], bool]) -> int | None:
    """Return how many lines an entry stands below the cursor's; None where either is not shown."""
    lines = state.screen_text
    at = next((i for i, line in enumerate(lines) if line.startswith(CURSOR)), None)
    wanted = next((i for i, line in enumerate(lines) if is_wanted(line.strip(_MARKS))), None)
    return None if at is None or wanted is None else wanted - at


def along(below: int) -> Action:
    """Return the button that leads to an entry so many lines below the cursor, or A there."""
    return Action.DOWN if below > 0 else Action.UP if below else Action.A


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
CURES: Mapping[str, frozenset[str]] = {
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


@dataclass(frozen=True, slots=True)
class ItemUse:
    """An item to use.

    Attributes:
        item: Its number.
        pocket: Where in the bag it lies.
        slot: Place in the party of the one to use it on; None: it is used on nobody of ours.
        why: For people.
        forget: Place of the move that goes for the one that a machine teaches; -1: there is room.
        move: Name of that one.
    """

    item: int
    pocket: int
    slot: int | None
    why: str
    forget: int = -1
    move: str = ""


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
            for name, cured in CURES.items()
            if name in held and creature.status in cured and (is_hurt or name not in _HEALS)
        ),
        None,
    )


def revival(tables: GameTables, bag: Bag, party: Sequence[Creature]) -> ItemUse | None:
    """Return how to bring the strongest back, by the least precious item; None: there is no need.

    A weaker one is not worth it.
    """
    slot = max(range(len(party)), key=lambda i: (party[i].level, -i))
    best, held = party[slot], _held(tables, bag)
    item = next((held[name] for name in _REVIVES if name in held), None)
    if item is None or best.hp or not best.max_hp or best.name == _EGG:
        return None
    return ItemUse(item, ITEM_POCKET, slot, f"revive {best.name}")


def _held(tables: GameTables, bag: Bag) -> Mapping[str, int]:
    """Return the numbers of the bag's items by their names."""
    return {tables.ITEMS.get(item, ""): item for item, count in bag.items if count}


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


def is_replacement(state: GameState) -> bool:
    """Return whether it is asked which move gives way, and the new one is listed as the last."""
    return says(state, "battle moves")


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
