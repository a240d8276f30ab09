"""Press what serves a goal: battle rules, menus and texts, else the way on the map."""

from collections.abc import Callable

from engine.games.base import GameTables
from engine.games.menus import MenuKind, menu_kind
from engine.strategy.battle import battle_button
from engine.strategy.navigation import Exit, Navigator
from engine.types import Action, GameState

Suggestion = tuple[list[Action], str]
"""Buttons that are equally good, none where nothing is known, and why."""


class GoalController:
    """Choose buttons, whoever set the goal.

    Attributes:
        navigator: Finds the way on a map.
        steps_left: On this map, of the way that was suggested last; None where none was.
    """

    def __init__(self, tables: GameTables) -> None:
        self._tables = tables
        self.navigator = Navigator()
        self.steps_left: int | None = None

    def suggest(
        self,
        state: GameState,
        walk: Callable[[], Suggestion],
        *,
        wants_catch: bool,
        wants_run: bool | None = None,
    ) -> Suggestion:
        """Return the buttons to press now; `walk` where the player can walk.

        In battles the wishes count as in `battle_button`.
        """
        self.steps_left = None
        if not state.control.in_game:
            return [], "the game has not begun"
        if state.battle is not None:
            action, reason = battle_button(
                self._tables, state, wants_catch=wants_catch, wants_run=wants_run
            )
            return [action], reason
        if state.control.in_menu:
            return _answer_menu(state)
        if not state.control.is_free:
            # B, not A: it turns pages too, and never begins the same talk again.
            return [Action.B], "read on" if state.control.in_text else "let the scene go on"
        return walk()

    def walk(self, state: GameState, exits: tuple[Exit, ...], what: str) -> Suggestion:
        """Return the way to the nearest exit; `what` says what for."""
        if not exits:
            return [], "no way is known"
        actions, distance = self.navigator.step_towards(state, exits)
        if not actions:
            return [], f"{what}: the way is blocked"
        self.steps_left = distance
        return actions, f"{what}: {distance} steps to go" if distance else what


def _answer_menu(state: GameState) -> Suggestion:
    if menu_kind(state) is not MenuKind.YES_NO:
        return [Action.B], "close this menu"
    if any("nickname" in line.lower() for line in state.screen_text):
        return [Action.B], "no nickname"
    return [Action.A if state.control.cursor[0] == 1 else Action.UP], "yes to the question"
