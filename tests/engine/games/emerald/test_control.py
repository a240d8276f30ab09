"""Who is in control, and whether a text waits."""

import pytest

from engine.types import Control, Prompt
from tests.engine.games.emerald.memory_image import FUNCTIONS, MemoryImage


def _control(image: MemoryImage) -> Control:
    return image.reader().read().control


def test_nothing_runs_at_power_on() -> None:
    control = _control(MemoryImage())
    assert not control.in_game
    assert control.in_transition


def test_the_title_is_no_game(image: MemoryImage) -> None:
    image.run("", "CB2_InitTitleScreen")
    state = image.reader().read()
    assert not state.control.in_game
    assert state.party == ()


def test_whoever_walks_reads_nothing(image: MemoryImage) -> None:
    image.print("gStringVar4", "Hello.", done=3)
    state = image.reader().read()
    assert state.control.is_free
    assert state.screen_text == ()


def test_the_player_is_in_control_at_rest(image: MemoryImage) -> None:
    control = _control(image)
    assert control.in_game
    assert control.is_free
    assert control.prompt is Prompt.NONE


@pytest.mark.parametrize(
    ("name", "at", "value"),
    [
        ("sLockFieldControls", 0, 1),
        ("sGlobalScriptContextStatus", 0, 0),
        ("sGlobalScriptContextStatus", 0, 1),
        ("gPaletteFade", 7, 0x80),
        ("gPlayerAvatar", 6, 1),
        ("gPlayerAvatar", 3, 1),
        ("gPlayerAvatar", 2, 2),
        ("gMain", 0x439, 2),
    ],
)
def test_the_player_is_not_in_control(image: MemoryImage, name: str, at: int, value: int) -> None:
    image.set(name, bytes((value,)), at)
    control = _control(image)
    assert control.in_game
    assert not control.is_free


def test_the_middle_of_a_walk_over_several_tiles_is_free(image: MemoryImage) -> None:
    image.set("gPlayerAvatar", b"\2", 3)
    assert _control(image).is_free


def test_a_scene_is_scripted_and_a_door_is_a_transition(image: MemoryImage) -> None:
    image.set("sLockFieldControls", b"\1")
    assert (_control(image).is_scripted, _control(image).in_transition) == (False, True)
    image.set("sGlobalScriptContextStatus", b"\1")
    assert (_control(image).is_scripted, _control(image).in_transition) == (True, False)


@pytest.mark.parametrize(
    "name", ["CB2_LoadMap", "CB2_LoadMap2", "CB2_ReturnToField", "CB2_OverworldBasic"]
)
def test_loading_a_map_is_a_transition(image: MemoryImage, name: str) -> None:
    image.run("CB1_Overworld", name)
    control = _control(image)
    assert control.in_game
    assert control.in_transition
    assert control.prompt is Prompt.NONE


@pytest.mark.parametrize(
    ("state", "prompt"),
    [
        (0, Prompt.PRINTING),
        (1, Prompt.TEXT),
        (2, Prompt.TEXT),
        (3, Prompt.TEXT),
        (4, Prompt.PRINTING),
        (6, Prompt.PRINTING),
    ],
)
def test_a_printer_says_whether_a_text_waits(
    image: MemoryImage, state: int, prompt: Prompt
) -> None:
    image.set("sLockFieldControls", b"\1")
    image.set("sGlobalScriptContextStatus", b"\1")
    image.print("gStringVar4", "Hello.", done=3, state=state)
    control = _control(image)
    assert control.prompt is prompt
    assert control.in_text


def _wait_for_press(image: MemoryImage, mode: int = 2) -> None:
    image.set("sLockFieldControls", b"\1")
    image.set("sGlobalScriptContextStatus", b"\0")
    image.set("sGlobalScriptContext", bytes((mode,)), 1)
    image.word("sGlobalScriptContext", FUNCTIONS["WaitForAorBPress"] | 1, 4)


def test_a_script_waits_for_a_press_in_its_native(image: MemoryImage) -> None:
    image.print("gStringVar4", "Hello.\nBye.")
    _wait_for_press(image)
    state = image.reader().read()
    assert state.control.prompt is Prompt.TEXT
    assert state.screen_text == ("Hello.", "Bye.")


def test_the_native_is_stale_in_another_mode(image: MemoryImage) -> None:
    _wait_for_press(image, mode=1)
    assert _control(image).prompt is Prompt.NONE


def test_a_text_is_shown_as_far_as_it_is_printed(image: MemoryImage) -> None:
    image.set("sLockFieldControls", b"\1")
    image.print("gStringVar4", "One.\nTwo.|Three.", done=7)
    assert image.reader().read().screen_text == ("One.", "Tw")
    image.print("gStringVar4", "One.\nTwo.|Three.", done=12)
    assert image.reader().read().screen_text == ("Th",)


def test_a_page_is_shown_until_it_is_turned(image: MemoryImage) -> None:
    image.set("sLockFieldControls", b"\1")
    image.print("gStringVar4", "One.\nTwo.|Three.", done=10, state=2)
    assert image.reader().read().screen_text == ("One.", "Two.")
