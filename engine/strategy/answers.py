"""Answer what the screen waits for outside of battles: texts, questions, clocks, names, menus.

One table says which prompt calls for what, another which menu is used for what. A menu that nobody
wants is closed.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from engine.games.menus import MenuKind, menu_kind
from engine.strategy import item_menus
from engine.strategy.items import ItemUse
from engine.strategy.prompts import prompt_of, says
from engine.types import Action, GameState, Prompt

Suggestion = tuple[Action, str]
"""A button and why."""


@dataclass(frozen=True, slots=True)
class Wishes:
    """What menus are used for now.

    Attributes:
        use: An item to take out of the bag.
        buy: Item -> how many of it.
        wants_catch: A new creature would be welcome.
        wants_run: Leave a wild battle, or never; None: when it is wise.
    """

    use: ItemUse | None = None
    buy: Mapping[int, int] = field(default_factory=dict)
    wants_catch: bool = False
    wants_run: bool | None = None


@dataclass(frozen=True, slots=True)
class Tried:
    """What has led to nothing so far.

    Attributes:
        unchanged_steps: For how many steps nothing has changed to the eye.
        times: How often this question came back without progress.
        wants_other: Its usual answer has led to nothing, so that another one is due.
    """

    unchanged_steps: int = 0
    times: int = 0
    wants_other: bool = False


NO_WISHES, NOTHING_TRIED = Wishes(), Tried()

_REFUSED = (
    # Words of questions to which YES leads nowhere, or costs.
    "nickname",
    "save the",
    "save your",
    "save some",
    "release",
    "toss",
    "throw away",
    "trade",
    "raise a",
    "quit",
)
_OF_SCREENS = (Action.B, Action.A, Action.UP, Action.A)
_PATIENCE = 8
"""Steps without any change after which one of waiting presses A."""


def answer(state: GameState, wishes: Wishes, tried: Tried) -> Suggestion:
    """Return the button that answers what the screen waits for."""
    return _ANSWERS[prompt_of(state)](state, wishes, tried)


def say(state: GameState, is_yes: bool, tried: Tried, why: str) -> Suggestion:
    """Answer a question, the other way where this has led to nothing."""
    if tried.wants_other:
        is_yes, why = not is_yes, f"{why}: no effect, try the other answer"
    if not is_yes:
        return Action.B, why
    return (Action.A if state.control.cursor[0] == 1 else Action.UP), why


def wait(_state: GameState, _: Wishes, tried: Tried) -> Suggestion:
    """Press nothing: a button that is down when a question opens has answered it.

    A now and then, for what waits without a sign; B would stop an evolution.
    """
    is_long = tried.unchanged_steps % (_PATIENCE + 1) == _PATIENCE
    return (Action.A, "nothing changes: try A") if is_long else (Action.NOOP, "wait")


def read_on(state: GameState, _: Wishes, tried: Tried) -> Suggestion:
    """Turn the page: by B, which never begins the same talk again, by A where B did nothing."""
    if says(state, "evolving"):
        return Action.A, "let it evolve"  # B would stop that
    is_ignored = tried.unchanged_steps % 2 == 1
    return Action.A if is_ignored else Action.B, "read on"


def _screen(_state: GameState, _: Wishes, tried: Tried) -> Suggestion:
    """Leave a screen with B; where that does not lead on, accept or change what it asks for."""
    return _OF_SCREENS[tried.unchanged_steps % len(_OF_SCREENS)], "read on"


def _question(state: GameState, _: Wishes, tried: Tried) -> Suggestion:
    if says(state, *_REFUSED):
        return say(state, False, tried, "decline")
    return say(state, True, tried, "answer yes")


def _keep_name(_state: GameState, _: Wishes, tried: Tried) -> Suggestion:
    """START leads to END, which A takes: nothing is typed."""
    is_at_end = tried.unchanged_steps % 2 == 1
    return Action.A if is_at_end else Action.START, "keep the name"


def _take_time(_state: GameState, _: Wishes, _tried: Tried) -> Suggestion:
    return Action.A, "accept the time shown"


def _menu(state: GameState, wishes: Wishes, tried: Tried) -> Suggestion:
    if tried.wants_other:
        return Action.B, "this menu has no effect: close it"
    for is_this, use in _MENUS:
        if is_this(state):
            return use(state, wishes)
    # A list that shows no name of its own.
    if wishes.buy:
        return item_menus.choose_goods(state, wishes.buy)
    return item_menus.choose_item(state, wishes.use)


def _quantity(state: GameState, wishes: Wishes, _: Tried) -> Suggestion:
    return item_menus.choose_quantity(state, wishes.buy)


_MENUS: tuple[
    tuple[Callable[[GameState], bool], Callable[[GameState, Wishes], Suggestion]], ...
] = (
    (item_menus.is_quantity, lambda s, wishes: item_menus.choose_quantity(s, wishes.buy)),
    (item_menus.is_counter, lambda s, wishes: item_menus.choose_service(s, wishes.buy)),
    (
        lambda s: menu_kind(s) is MenuKind.START,
        lambda s, wishes: item_menus.open_bag(s, wishes.use),
    ),
    (item_menus.is_use_menu, lambda s, wishes: item_menus.confirm_use(s, wishes.use)),
    (item_menus.is_party_list, lambda s, wishes: item_menus.choose_creature(s, wishes.use)),
    (item_menus.is_bag, lambda s, wishes: item_menus.choose_item(s, wishes.use)),
)
"""Which menu is used for what, the first that fits."""

_ANSWERS: Mapping[Prompt, Callable[[GameState, Wishes, Tried], Suggestion]] = {
    Prompt.NONE: wait,
    Prompt.PRINTING: wait,
    Prompt.TEXT: read_on,
    Prompt.YES_NO: _question,
    Prompt.MENU: _menu,
    Prompt.QUANTITY: _quantity,
    Prompt.NAMING: _keep_name,
    Prompt.SPINNER: _take_time,
    Prompt.SCREEN: _screen,
}
