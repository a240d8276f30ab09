"""Name what the game is in the middle of, by the functions that it runs."""

from enum import IntEnum
from functools import cache

from engine.games.emerald.profile import Profile


class Mode(IntEnum):
    """What the game is in the middle of."""

    BEFORE = 0
    """No game is running: power-on, title, main menu, introduction."""
    LOADING = 1
    """A map is being left, loaded or come back to."""
    FIELD = 2
    BATTLE = 3
    SCREEN = 4
    """Any other full screen, opened in the field or in battle."""


_LOADING = (
    "CB2_LoadMap", "CB2_LoadMap2", "CB2_DoChangeMap", "CB2_ReturnToField",
    "CB2_ReturnToFieldLocal", "CB2_WhiteOut", "CB2_NewGame",
    "CB2_OverworldBasic",  # while a battle's picture comes up
)  # fmt: skip
_TITLES = ("CB2_InitTitleScreen", "CB2_InitMainMenu", "CB2_MainMenu")
_BATTLE = ("CB2_InitBattle", "CB2_HandleStartBattle", "BattleMainCB2")
_LISTS = ("CB2_UpdatePartyMenu", "CB2_BagMenuRun", "CB2_BuyMenu")
_HANDLERS = (
    "Task_HandleYesNoInput", "Task_CallYesOrNoCallback",
    "Task_BuyHowManyDialogueHandleInput", "Task_ChooseHowManyToToss", "Task_ChooseHowManyToSell",
    "Task_HandleMultichoiceInput", "Task_HandleSelectionMenuInput", "Task_ShopMenu",
    "Task_ItemContext_SingleRow", "Task_ItemContext_MultipleRows", "Task_ShowStartMenu",
    "Task_HandleChooseMonInput", "Task_BagMenu_HandleInput", "ListMenuDummyTask",
)  # fmt: skip
"""Tasks that wait for buttons, those first that lie over others: a list stays under a question."""
CHOOSE_ACTION, CHOOSE_MOVE = "HandleInputChooseAction", "HandleInputChooseMove"
CHOOSE_TARGET = "HandleInputChooseTarget"
_CONTROLLERS = (CHOOSE_ACTION, CHOOSE_MOVE, CHOOSE_TARGET)


class Functions:
    """The functions that matter, as pointers to them hold them.

    Attributes:
        field: Both callbacks of gMain while the player walks.
        modes: Second callback of gMain -> mode, of those that name one.
        battle_loop: Second callback while a battle asks and shows.
        naming: Second callback of the screen that asks for a name.
        evolution: Second callback while a creature evolves, which B would stop.
        lists: Second callbacks of the screens with lists and messages: party, bag, shop.
        press: What a script runs that waits for A or B.
        handlers: Task that waits for buttons -> its place in the order in which they lie over each
            other, and its name.
        controllers: What a battler is asked -> its name.
        instruction: Address of the pointer to a battle script's next command, 0: there are none.
        scripting: Address of what those scripts remember.
    """

    def __init__(self, profile: Profile) -> None:
        function = profile.function
        self.field = function("CB1_Overworld"), function("CB2_Overworld")
        self.modes = {
            **{function(name): Mode.LOADING for name in _LOADING},
            **{function(name): Mode.BEFORE for name in _TITLES},
            **{function(name): Mode.BATTLE for name in _BATTLE},
        }
        self.battle_loop = function("BattleMainCB2")
        self.naming = function("CB2_NamingScreen")
        self.evolution = function("CB2_EvolutionSceneUpdate")
        self.lists = {function(name) for name in _LISTS}
        self.press = function("WaitForAorBPress")
        self.handlers = {function(name): (place, name) for place, name in enumerate(_HANDLERS)}
        self.controllers = {function(name): name for name in _CONTROLLERS}
        self.instruction = profile.rom.get("gBattlescriptCurrInstr", 0)
        self.scripting = profile.rom.get("gBattleScripting", 0)


@cache
def functions_of(profile: Profile) -> Functions:
    """Return an image's functions, made once."""
    return Functions(profile)
