"""Text of MOSSLIGHT ADVANCE: how fast it appears, and what it waits for in Emerald's RAM."""

import pytest

from engine.games.emerald.screen import decode
from tests.roms.advance.conftest import Start
from tests.roms.advance.machine import Machine
from tests.roms.advance.player import Player

OPTIONS = 0x14
ACTIVE, STATE = 0x1B, 0x1C
LETTERS, WAITS, WAITS_TO_CLEAR = range(3)
NATIVE = 2
ENTRY_SAVE = 5
PATIENCE = 600


def tap(game: Machine, button: str) -> None:
    game.act(button, hold=2, frames=4)


def is_printing(game: Machine) -> bool:
    return bool(game.get("sTextPrinters", ACTIVE)) and not game.get("sTextPrinters", STATE)


def frames_until(game: Machine, *, printing: bool) -> int:
    for frames in range(PATIENCE):
        if is_printing(game) == printing:
            return frames
        game.tick()
    raise AssertionError(f"printing stays {not printing}: {game.text}")


def ask_to_save(game: Machine) -> None:
    """Choose SAVE in the START menu; returns on the question's first letter."""
    game.act("start", hold=3)
    place = game.read("sCurrentStartMenuActions").index(ENTRY_SAVE)
    while game.get("sStartMenuCursorPos") != place:
        tap(game, "down")
    game.press("a")
    frames_until(game, printing=True)
    game.release("a")


def talk(game: Machine) -> None:
    """Go down to the mother and speak to her; returns on the first letter."""
    player = Player(game)
    player.travel("HOME 1F")
    player.walk_to((3, 4))
    player.face("left")
    game.press("a")
    frames_until(game, printing=True)
    game.release("a")


def set_text_speed(game: Machine, speed: int) -> None:
    address = game.get("gSaveBlock2Ptr", size=4) + OPTIONS
    game.emulator.write(0, address, speed.to_bytes(2, "little"))


@pytest.mark.parametrize(("speed", "frames"), [(0, 8), (1, 4), (2, 1)])
def test_letters_take_the_frames_that_the_options_say(
    start: Start, speed: int, frames: int
) -> None:
    game = start("bedroom")
    set_text_speed(game, speed)
    ask_to_save(game)
    taken = frames_until(game, printing=False)
    letters = sum(not letter.isspace() for letter in game.text)
    assert letters * frames - frames <= taken <= letters * frames


def test_a_button_hurries_the_rest_of_the_page(start: Start) -> None:
    game = start("bedroom")
    set_text_speed(game, 0)
    ask_to_save(game)
    tap(game, "b")
    assert frames_until(game, printing=False) < len(game.text) // 2


def test_script_waits_in_natives_named_as_emeralds(start: Start) -> None:
    game = start("bedroom")
    talk(game)
    seen = set()
    for _ in range(PATIENCE):
        if game.is_free:
            break
        if game.get("sGlobalScriptContext", 1) == NATIVE:
            native = game.function("sGlobalScriptContext", 4)
            seen.add((native, game.get("sTextPrinters", ACTIVE), game.get("sFieldMessageBoxMode")))
        tap(game, "a")
    assert ("IsFieldMessageBoxHidden", 1, 2) in seen
    assert ("WaitForAorBPress", 0, 2) in seen
    assert {native for native, *_ in seen} == {"IsFieldMessageBoxHidden", "WaitForAorBPress"}
    assert game.get("sFieldMessageBoxMode") == 0


def test_full_page_waits_to_clear_at_its_end() -> None:
    game = Machine()
    Player(game).wait_for(lambda: is_printing(game))
    raw = game.read("gStringVar4")
    page = raw.find(b"\xfb")
    assert 0 < page < raw.find(b"\xff")
    for _ in range(PATIENCE):
        if game.get("sTextPrinters", STATE) == WAITS_TO_CLEAR:
            break
        game.tick()
    pointer = game.get("sTextPrinters", size=4)
    assert decode(game.at(pointer, 1) + b"\xff") == decode(b"\xfb\xff")
    game.tick(60)
    assert game.get("sTextPrinters", STATE) == WAITS_TO_CLEAR
    tap(game, "a")
    assert game.get("sTextPrinters", STATE) == LETTERS
    game.close()


def test_saved_message_waits_by_the_printer_where_no_script_runs(start: Start) -> None:
    game = start("bedroom")
    ask_to_save(game)
    for _ in range(PATIENCE):
        if "Task_HandleYesNoInput" in game.tasks:
            break
        game.tick()
    tap(game, "a")
    game.tick(PATIENCE)
    assert (game.get("sTextPrinters", ACTIVE), game.get("sTextPrinters", STATE)) == (1, WAITS)
    assert "adventure is safe" in game.text.replace("\n", " ")
    tap(game, "a")
    game.tick(30)
    assert game.is_free
