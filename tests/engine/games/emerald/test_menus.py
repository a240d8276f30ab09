"""Menus, questions and lists with their cursors, and what is written in them."""

import struct
from dataclasses import replace

import pytest

from engine.games.emerald.memory import Profile
from engine.types import Control, GameState, Prompt
from tests.engine.games.emerald.memory_image import (
    FUNCTIONS,
    PROFILE,
    MemoryImage,
    creature,
    encode,
    fighter,
)


def _control(image: MemoryImage) -> Control:
    return image.reader().read().control


def _menu(state: GameState) -> tuple[Prompt, tuple[int, int], tuple[int, int]]:
    control = state.control
    return control.prompt, control.cursor, control.menu_size


def _choose(image: MemoryImage, chosen: int, most: int, columns: int = 1, rows: int = 0) -> None:
    head = (0, 0, chosen, 0, most, 0, 0, 0, 0, columns, rows)
    image.set("sMenu", struct.pack("<BBbbbBBBBBB", *head))


def _open_bag(image: MemoryImage) -> None:
    image.run("", "CB2_BagMenuRun")
    image.begin_task(0, "Task_BagMenu_HandleInput")


def test_a_question_has_two_answers(image: MemoryImage) -> None:
    image.set("sLockFieldControls", b"\1")
    image.print("gStringVar4", "Is it so?")
    image.begin_task(2, "Task_HandleYesNoInput")
    _choose(image, 1, 1)
    state = image.reader().read()
    assert _menu(state) == (Prompt.YES_NO, (2, 1), (2, 1))
    assert state.control.in_menu
    assert state.screen_text == ("Is it so?", "YES", "▶NO")


def test_a_choice_has_a_cursor(image: MemoryImage) -> None:
    image.begin_task(0, "Task_HandleMultichoiceInput")
    image.set("sLockFieldControls", b"\1")
    _choose(image, 2, 4, columns=2, rows=2)  # of the last grid
    assert _menu(image.reader().read()) == (Prompt.MENU, (3, 1), (5, 1))


def test_a_grid_has_rows_and_columns(image: MemoryImage) -> None:
    image.run("", "CB2_BagMenuRun")
    image.begin_task(0, "Task_ItemContext_MultipleRows")
    _choose(image, 2, 3, columns=2, rows=2)
    assert _menu(image.reader().read()) == (Prompt.MENU, (2, 1), (2, 2))


@pytest.mark.parametrize("menu", [(5, 4), (-1, 4), (0, -1)])
def test_a_cursor_that_cannot_be_is_not_known(image: MemoryImage, menu: tuple[int, int]) -> None:
    image.set("sLockFieldControls", b"\1")
    image.begin_task(0, "Task_HandleMultichoiceInput")
    _choose(image, *menu)
    assert _menu(image.reader().read()) == (Prompt.MENU, (0, 0), (0, 0))


def test_the_start_menu_names_its_entries(image: MemoryImage) -> None:
    image.set("sLockFieldControls", b"\1")
    image.save2(0, encode("BRENDAN"))
    image.begin_task(1, "Task_ShowStartMenu")
    image.set("sStartMenuCursorPos", b"\1")
    image.set("sNumStartMenuActions", b"\6")
    image.set("sCurrentStartMenuActions", bytes((1, 2, 4, 5, 6, 7)))
    state = image.reader().read()
    assert _menu(state) == (Prompt.MENU, (2, 1), (6, 1))
    assert state.screen_text == ("POKéMON", "▶BAG", "BRENDAN", "SAVE", "OPTION", "EXIT")


@pytest.mark.parametrize("chosen", range(4))
def test_a_battles_first_menu_is_a_square(image: MemoryImage, chosen: int) -> None:
    image.set_party(creature(8))
    image.fight(fighter(8), fighter(9))
    image.print("gDisplayedStringBattle", "What will\nMUDKIP do?")
    image.word("gBattlerControllerFuncs", FUNCTIONS["HandleInputChooseAction"] | 1)
    image.set("gActionSelectionCursor", bytes((chosen,)))
    state = image.reader().read()
    assert _menu(state) == (Prompt.MENU, (chosen // 2 + 1, chosen % 2 + 1), (2, 2))
    names = ["FIGHT", "BAG", "POKéMON", "RUN"]
    names[chosen] = f"▶{names[chosen]}"
    assert state.screen_text == ("What will", "MUDKIP do?", *names)


def test_a_battles_moves_are_named(image: MemoryImage) -> None:
    image.set_party(creature(8))
    image.fight(fighter(9), fighter(8), positions=(1, 0))
    image.word("gBattlerControllerFuncs", FUNCTIONS["HandleInputChooseMove"] | 1, 4)
    image.set("gMoveSelectionCursor", b"\0\1")
    state = image.reader().read()
    assert _menu(state) == (Prompt.MENU, (1, 2), (2, 2))
    assert state.screen_text == ("TACKLE", "▶GROWL")


def test_the_enemys_controller_asks_nothing_of_the_player(image: MemoryImage) -> None:
    image.fight(fighter(8), fighter(9))
    image.word("gBattlerControllerFuncs", FUNCTIONS["HandleInputChooseMove"] | 1, 4)
    control = _control(image)
    assert control.prompt is Prompt.NONE
    assert not control.in_transition


@pytest.mark.parametrize(
    ("command", "state", "communication", "prompt"),
    [
        (0x5A, 1, b"\0\1", Prompt.YES_NO),
        (0x5B, 1, b"\0\1", Prompt.YES_NO),
        (0x67, 0, b"\1\1", Prompt.YES_NO),
        (0xF3, 0, b"\1\1", Prompt.YES_NO),
        (0x5A, 0, b"\1\1", Prompt.NONE),
        (0x67, 1, b"\0\1", Prompt.NONE),
        (0x5A, 1, b"\0\7", Prompt.NONE),
        (0x10, 1, b"\1\1", Prompt.NONE),
    ],
)
def test_a_battles_script_asks(
    image: MemoryImage, command: int, state: int, communication: bytes, prompt: Prompt
) -> None:
    image.fight(fighter(8), fighter(9))
    image.print("gDisplayedStringBattle", "Should a move be\ndeleted?")
    script = image.add_rom(bytes((command,)))
    image.put(PROFILE.rom["gBattlescriptCurrInstr"], struct.pack("<I", script))
    image.put(PROFILE.rom["gBattleScripting"] + 0x1F, bytes((state,)))
    image.set("gBattleCommunication", communication)
    state_now = image.reader().read()
    assert state_now.control.prompt is prompt
    if prompt is Prompt.YES_NO:
        assert _menu(state_now) == (prompt, (2, 1), (2, 1))
        assert state_now.screen_text == ("Should a move be", "deleted?", "YES", "▶NO")


def test_a_target_is_chosen_with_a_cursor_that_is_not_known(image: MemoryImage) -> None:
    image.fight(fighter(8), fighter(9))
    image.word("gBattlerControllerFuncs", FUNCTIONS["HandleInputChooseTarget"] | 1)
    assert _menu(image.reader().read()) == (Prompt.MENU, (0, 0), (0, 0))


def test_a_battles_text_is_shown(image: MemoryImage) -> None:
    image.fight(fighter(8), fighter(9))
    image.print("gDisplayedStringBattle", "It hit!", done=7)
    state = image.reader().read()
    assert state.control.prompt is Prompt.PRINTING
    assert state.screen_text == ("It hit!",)


@pytest.mark.parametrize(("slot", "row"), [(0, 1), (1, 2), (7, 3)])
def test_the_party_is_a_list_with_a_way_out(image: MemoryImage, slot: int, row: int) -> None:
    image.run("", "CB2_UpdatePartyMenu")
    image.set_party(creature(1), creature(2, species=74))
    image.begin_task(0, "Task_HandleChooseMonInput")
    image.set("gPartyMenu", bytes((slot,)), 9)
    state = image.reader().read()
    assert _menu(state) == (Prompt.MENU, (row, 1), (3, 1))
    names = ["MUDKIP", "GEODUDE", "CANCEL"]
    names[row - 1] = f"▶{names[row - 1]}"
    assert state.screen_text[-3:] == tuple(names)


@pytest.mark.parametrize(
    ("pocket", "shown", "title", "item"),
    [
        (0, 0, "ITEMS", 13),
        (1, 1, "BALLS", 4),
        (2, 3, "MACHINES", 289),
        (3, 4, "BERRIES", 133),
        (4, 2, "KEY ITEMS", 259),
    ],
)
def test_an_open_bag_says_pocket_and_item(
    image: MemoryImage, pocket: int, shown: int, title: str, item: int
) -> None:
    image.fill_bag()
    _open_bag(image)
    image.set("gBagPosition", bytes((pocket,)), 5)
    state = image.reader().read()
    assert (state.control.pocket, state.control.selection) == (shown, item)
    assert state.control.cursor == (1, 1)
    assert state.screen_text[0] == title
    assert state.screen_text[1].startswith("▶")
    assert state.screen_text[-1] == "CLOSE BAG"


def test_the_bags_last_line_closes_it(image: MemoryImage) -> None:
    image.fill_bag()
    _open_bag(image)
    image.set("gBagPosition", struct.pack("<H", 1), 8)
    image.set("gBagPosition", struct.pack("<H", 1), 0x12)
    state = image.reader().read()
    assert (state.control.selection, state.control.cursor) == (255, (3, 1))
    assert state.screen_text == ("ITEMS", "POTION", "POKé BALL", "▶CLOSE BAG")


def test_a_bag_that_shows_no_such_item_says_none(image: MemoryImage) -> None:
    _open_bag(image)
    image.set("gBagPosition", struct.pack("<H", 9), 8)
    assert _control(image).selection == 0
    image.set("gBagPosition", b"\x63", 5)
    assert _control(image).cursor == (0, 0)


def _shop_list(image: MemoryImage, row: int) -> dict[int, int]:
    entries = image.add_rom(struct.pack("<IiIiIi", 0, 13, 0, 4, 0, -2))
    return {8: entries & 0xFFFF, 10: entries >> 16, 0x14: 3, 0x20: 1, 0x22: row}


@pytest.mark.parametrize(("row", "item"), [(0, 4), (1, 255)])
def test_a_shop_lists_its_goods(image: MemoryImage, row: int, item: int) -> None:
    image.run("", "CB2_BuyMenu")
    image.begin_task(3, "ListMenuDummyTask", _shop_list(image, row))
    state = image.reader().read()
    assert state.control.selection == item
    assert _menu(state) == (Prompt.MENU, (row + 2, 1), (3, 1))
    names = ["POTION", "POKé BALL", "CANCEL"]
    names[row + 1] = f"▶{names[row + 1]}"
    assert state.screen_text[-3:] == tuple(names)


def test_a_list_elsewhere_says_nothing(image: MemoryImage) -> None:
    image.run("", "CB2_BuyMenu")
    image.begin_task(3, "ListMenuDummyTask", {8: 0x10, 0x14: 3, 0x20: 0, 0x22: 1})
    assert _control(image).selection == 0
    image.begin_task(3, "ListMenuDummyTask", {8: 0x10, 0x14: 3, 0x20: 2, 0x22: 1})
    assert _control(image).cursor == (0, 0)


def test_how_many_lies_over_the_list(image: MemoryImage) -> None:
    image.run("", "CB2_BuyMenu")
    image.begin_task(0, "ListMenuDummyTask", _shop_list(image, 0))
    image.begin_task(4, "Task_BuyHowManyDialogueHandleInput", {0x0A: 5, 0x12: 13})
    state = image.reader().read()
    assert state.control.prompt is Prompt.QUANTITY
    assert state.control.selection == 13
    assert state.screen_text[-1] == "×05"


def test_how_many_to_throw_away_is_shown(image: MemoryImage) -> None:
    image.run("", "CB2_BagMenuRun")
    image.begin_task(0, "Task_ChooseHowManyToToss", {0x18: 12})
    state = image.reader().read()
    assert (state.control.prompt, state.screen_text) == (Prompt.QUANTITY, ("×12",))


def test_what_can_be_done_is_named_where_it_is_always_the_same(image: MemoryImage) -> None:
    image.set_party(creature(8), creature(9))
    _choose(image, 0, 1)
    image.begin_task(0, "Task_HandleSelectionMenuInput")
    image.run("", "CB2_BagMenuRun")
    assert image.reader().read().screen_text == ("▶USE",)
    _choose(image, 1, 2)
    image.fight(fighter(8), fighter(10))
    image.run("", "CB2_UpdatePartyMenu")
    image.print("gStringVar4", "Do what with MUDKIP?")
    lines = image.reader().read().screen_text
    assert lines == ("Do what with MUDKIP?", "SHIFT", "▶SUMMARY", "CANCEL")
    image.run("", "BattleMainCB2")
    image.print("gDisplayedStringBattle", "Forget?")
    lines = image.reader().read().screen_text
    assert lines == ("Forget?", "TACKLE", "▶GROWL", "KEEP ALL")


def test_a_message_on_a_screen_is_shown(image: MemoryImage) -> None:
    image.run("", "CB2_UpdatePartyMenu")
    image.print("gStringVar4", "No effect.")
    image.set("sFieldMessageBoxMode", b"\2")
    state = image.reader().read()
    assert (state.control.prompt, state.screen_text) == (Prompt.PRINTING, ("No effect.",))
    image.run("", "CB2_TrainerCard")
    assert _control(image).prompt is Prompt.SCREEN


def test_screens_wait_for_a_button_when_they_are_up(image: MemoryImage) -> None:
    image.run("", "CB2_TrainerCard")
    assert _control(image).prompt is Prompt.SCREEN
    image.set("gPaletteFade", b"\x80", 7)
    assert _control(image).prompt is Prompt.NONE


def test_an_evolution_asks_nothing(image: MemoryImage) -> None:
    image.run("", "CB2_EvolutionSceneUpdate")
    image.print("gStringVar4", "What?\nMUDKIP is evolving!")
    state = image.reader().read()
    assert state.control.is_busy
    assert state.control.prompt is Prompt.PRINTING
    assert state.screen_text == ("What?", "MUDKIP is evolving!")
    image.print("gStringVar4", "Congratulations!|Bye.", done=17, state=2)
    assert _control(image).prompt is Prompt.TEXT


@pytest.mark.parametrize("is_new", [True, False])
def test_a_name_is_asked_for(image: MemoryImage, is_new: bool) -> None:
    image = MemoryImage() if is_new else image
    image.run("", "CB2_NamingScreen")
    control = _control(image)
    assert control.prompt is Prompt.NAMING
    assert control.in_game is not is_new


@pytest.mark.parametrize("chosen", range(3))
def test_the_starters_lie_side_by_side(image: MemoryImage, chosen: int) -> None:
    names = ["MUDKIP", "ZIGZAGOON", "GEODUDE"]
    table = image.add_rom(struct.pack("<3H", 283, 288, 74))
    profile = replace(PROFILE, rom={**PROFILE.rom, "sStarterMon": table})
    image.run("", "CB2_StarterChoose")
    reader = image.reader(profile)
    assert reader.read().control.is_busy, "while a label moves"
    image.begin_task(3, "Task_HandleStarterChooseInput", {8: chosen})
    state = reader.read()
    assert _menu(state) == (Prompt.MENU, (1, chosen + 1), (1, 3))
    lines = list(names)
    lines[chosen] = f"▶{names[chosen]}"
    assert state.screen_text == tuple(lines)
    image.begin_task(3, "Task_HandleConfirmStarterInput", {8: chosen})
    _choose(image, 0, 1)
    state = reader.read()
    assert _menu(state) == (Prompt.YES_NO, (1, 1), (2, 1))
    assert state.screen_text == (names[chosen], "▶YES", "NO")


def test_starters_that_the_image_does_not_name_have_sides(image: MemoryImage) -> None:
    image.run("", "CB2_StarterChoose")
    image.begin_task(3, "Task_HandleStarterChooseInput", {8: 2})
    assert image.reader().read().screen_text == ("LEFT", "MIDDLE", "▶RIGHT")


def _list_choices(image: MemoryImage, *names: str) -> Profile:
    """Put a list of choices into the image, as number 1 of the table."""
    texts = [image.add_rom(encode(name)) for name in names]
    entries = image.add_rom(b"".join(struct.pack("<II", text, 0) for text in texts))
    table = image.add_rom(struct.pack("<IIII", 0, 0, entries, len(names)))
    return replace(PROFILE, rom={**PROFILE.rom, "sMultichoiceLists": table})


def test_a_scripts_choice_has_its_entries(image: MemoryImage) -> None:
    profile = _list_choices(image, "PETALBURG", "SLATEPORT", "CANCEL")
    image.set("sLockFieldControls", b"\1")
    image.begin_task(0, "Task_HandleMultichoiceInput", {0x16: 1})
    image.print("gStringVar4", "Where to?")
    _choose(image, 1, 2)
    state = image.reader(profile).read()
    assert _menu(state) == (Prompt.MENU, (2, 1), (3, 1))
    assert state.screen_text == ("Where to?", "PETALBURG", "▶SLATEPORT", "CANCEL")


def test_a_choice_of_another_length_has_no_entries(image: MemoryImage) -> None:
    profile = _list_choices(image, "CANCEL")
    image.set("sLockFieldControls", b"\1")
    image.begin_task(0, "Task_HandleMultichoiceInput", {0x16: 1})
    _choose(image, 1, 2)
    assert image.reader(profile).read().screen_text == ()


def test_the_navigator_is_named(image: MemoryImage) -> None:
    image.run("", "CB2_Pokenav")
    state = image.reader().read()
    assert (state.control.prompt, state.screen_text) == (Prompt.SCREEN, ("POKéNAV",))


def test_a_text_stays_while_a_fanfare_plays(image: MemoryImage) -> None:
    image.set("sLockFieldControls", b"\1")
    image.set("sGlobalScriptContextStatus", b"\0")
    image.print("gStringVar4", "You got it!")
    assert image.reader().read().screen_text == ()
    image.set("sGlobalScriptContext", b"\2", 1)
    image.word("sGlobalScriptContext", FUNCTIONS["WaitForFanfareFinish"] | 1, 4)
    state = image.reader().read()
    assert state.control.is_busy
    assert state.screen_text == ("You got it!",)


@pytest.mark.parametrize(
    ("shown", "prompt"), [(5, Prompt.NONE), (6, Prompt.TEXT), (8, Prompt.TEXT), (9, Prompt.NONE)]
)
def test_what_a_level_adds_waits_for_a_button(
    image: MemoryImage, shown: int, prompt: Prompt
) -> None:
    image.fight(fighter(8), fighter(9))
    script = image.add_rom(b"\x6c")
    image.put(PROFILE.rom["gBattlescriptCurrInstr"], struct.pack("<I", script))
    image.put(PROFILE.rom["gBattleScripting"] + 0x1E, bytes((shown,)))
    assert _control(image).prompt is prompt


def test_a_moves_target_is_asked_in_a_double_battle(image: MemoryImage) -> None:
    image.set_party(creature(8), creature(9))
    image.set("gEnemyParty", creature(10) + creature(11))
    foes = fighter(10, species=288, hp=0), fighter(11, species=74)
    image.fight(
        fighter(8),
        foes[0],
        fighter(9, species=288),
        foes[1],
        flags=1,
        positions=range(4),
        indexes=(0, 0, 1, 1),
    )
    image.word("gBattlerControllerFuncs", FUNCTIONS["HandleInputChooseTarget"] | 1, 8)
    image.set("gMultiUsePlayerCursor", b"\3")
    reader = image.reader()
    state = reader.read()
    battle = state.battle
    assert _menu(state) == (Prompt.MENU, (0, 0), (0, 0))
    assert battle.is_double
    assert (battle.own.name, battle.own_slot) == ("ZIGZAGOON", 1)
    assert battle.enemy.name == battle.target.name == "GEODUDE"
    assert state.screen_text[-1] == "▶GEODUDE"
    image.set("gMultiUsePlayerCursor", b"\0")
    assert reader.read().battle.target.name == "MUDKIP"
    image.word("gBattlerControllerFuncs", FUNCTIONS["HandleInputChooseMove"] | 1, 8)
    assert reader.read().battle.target is None


_SUMMARY = 0x0200_1000
_FOUR = (33, 45, 33, 55)


def _ask_to_replace(image: MemoryImage, row: int, new: int = 33) -> Profile:
    """Open the summary screen that asks for a move to forget; return a profile that knows it."""
    image.run("", "SummaryScreenMainCB2")
    image.begin_task(0, "Task_HandleReplaceMoveInput")
    address = 0x0203_CF1C
    image.put(address, struct.pack("<I", _SUMMARY))
    image.put(_SUMMARY + 0x84, struct.pack("<4H", *_FOUR))
    image.put(_SUMMARY + 0x40C4, struct.pack("<HB", new, row))
    return replace(PROFILE, rom={**PROFILE.rom, "sMonSummaryScreen": address})


@pytest.mark.parametrize("row", range(5))
def test_the_move_to_replace_is_chosen_among_four_and_the_new_one(
    image: MemoryImage, row: int
) -> None:
    state = image.reader(_ask_to_replace(image, row, 45)).read()
    assert _menu(state) == (Prompt.MENU, (row + 1, 1), (5, 1))
    names = ["TACKLE", "GROWL", "TACKLE", "move 55", "GROWL"]
    names[row] = f"▶{names[row]}"
    assert state.screen_text == ("BATTLE MOVES", *names)


def test_a_move_to_replace_that_cannot_be_leaves_the_cursor_unknown(image: MemoryImage) -> None:
    profile = _ask_to_replace(image, 5)
    assert image.reader(profile).read().control.cursor == (0, 0)
    image.put(profile.rom["sMonSummaryScreen"], struct.pack("<I", 0x0203_FFF0))
    state = image.reader(profile).read()
    assert (state.control.cursor, state.screen_text) == ((0, 0), ("BATTLE MOVES",))


def test_an_image_without_the_task_shows_only_a_screen(image: MemoryImage) -> None:
    profile = _ask_to_replace(image, 0)
    rom = {name: at for name, at in profile.rom.items() if name != "Task_HandleReplaceMoveInput"}
    control = image.reader(replace(profile, rom=rom)).read().control
    assert (control.prompt, control.cursor) == (Prompt.SCREEN, (0, 0))


@pytest.mark.parametrize(
    "task", ["Task_HandleReplaceMoveYesNoInput", "Task_HandleStopLearningMoveYesNoInput"]
)
def test_the_party_screen_asks_about_moves(image: MemoryImage, task: str) -> None:
    image.run("", "CB2_UpdatePartyMenu")
    image.print("gStringVar4", "However, it already\nknows four.|Delete one?")
    image.begin_task(0, task)
    _choose(image, 0, 1)
    state = image.reader().read()
    assert _menu(state) == (Prompt.YES_NO, (1, 1), (2, 1))
    assert state.screen_text == ("Delete one?", "▶YES", "NO")
