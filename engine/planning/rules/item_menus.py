"""Find the way through bag, party list and shop by what the screen shows, from wherever it is.

Nothing here remembers a press: each answer follows from the screen alone, so that it is right
again after whatever came in between.
"""

import re
from collections.abc import Mapping

from engine.planning.rules.items import (
    BALL_POCKET,
    ITEM_POCKET,
    ItemUse,
    Suggestion,
    prompt_of,
    says,
    to_entry,
    to_row,
    words,
)
from engine.types import Action, GameState, Prompt

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
    pockets = {ITEM_POCKET: state.bag.items, BALL_POCKET: state.bag.balls}
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
    return (to_entry(state, "USE"), use.why) if use else (Action.B, "leave the item")


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
