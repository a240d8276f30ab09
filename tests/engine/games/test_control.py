"""What the screen waits for is told as a record of the cartridge says, row by row.

control_traces.csv holds the control bytes of 16,517 frames of Pokémon Crystal (revision 0), and
what the game really polled for then, found by hooks on its loops, never from these bytes.
"""

import csv
from collections import Counter
from collections.abc import Mapping
from pathlib import Path

import pytest

from engine.config import EnvConfig
from engine.games.crystal.control import CONTROL_WINDOWS, ControlReader
from engine.games.crystal.memory import SYMBOLS, WorkRam
from engine.games.crystal.pressing import play
from engine.types import Action, Control, Facing, Prompt
from tests.engine.fakes import MemoryMachine
from tests.engine.games.images import draw_box, put_cursor, read, write_row
from tests.engine.states import make_state

Row = Mapping[str, str]
TRACES = Path(__file__).parent / "control_traces.csv"
TILEMAP = SYMBOLS["wTilemap"].address
ONE_BYTE = {
    "CFBC": "wGameTimerPaused",
    "D432": "wMapStatus",
    "D433": "wMapEventStatus",
    "D438": "wScriptRunning",
    "D4DD": "wPlayerWalking",
    "D22D": "wBattleMode",
    "CF78": "wWindowStackSize",
    "FFD8": "hOAMUpdate",
    "CFCF": "wTextboxFlags",
}
PLACE = (
    "wMapGroup", "wMapNumber", "wXCoord", "wYCoord", "wPlayerDirection", "wMapWidth", "wMapHeight",
)  # fmt: skip
SPINNER_CELLS = ((11, 7), (11, 10), (15, 7), (15, 10), (14, 3), (14, 6))
SHOP_QUANTITY = "0F0711139850"
"""Borders and menu data of the box that asks how many to buy."""
LETTERS = {"del": (0x83, 0x84, 0x8B), "end": (0x84, 0x8D, 0x83)}


def image_of(row: Row) -> MemoryMachine:
    """Return memory that holds what a row says."""
    machine = MemoryMachine()
    for column, name in ONE_BYTE.items():
        machine.put(name, int(row[column], 16))
    for name, value in zip(PLACE, bytes.fromhex(row["place"]), strict=True):
        machine.put(name, value)
    machine.put("w2DMenuNumRows", *bytes.fromhex(row["CFA3_A4"]))
    machine.put("wMenuCursorY", *bytes.fromhex(row["CFA9_AA"]))
    machine.put("wMenuBorderCoords", *bytes.fromhex(row["CF82_87"]))
    cell = bytes.fromhex(row["CFAD_AC"])
    machine.put("wCursorCurrentTile", *reversed(cell))
    machine.put("wTextDelayFrames", 4 if row["CFB2_poll"] == "1" else 0)
    if row["T18_17"] != "-":
        draw_box(machine, 0, 12, 20, 6)
        write_row(machine, 18, 17, int(row["T18_17"], 16))
    if row["spin"] != "-":
        for (x, y), code in zip(SPINNER_CELLS, bytes.fromhex(row["spin"]), strict=False):
            write_row(machine, x, y, code)
    if row["naming"] != "-":
        write_row(machine, 8, 16, *LETTERS["del"])
        write_row(machine, 15, 16, *LETTERS["end"])
    if row["CF82_87"] == SHOP_QUANTITY:
        write_row(machine, 8, 16, 0xF1)  # the record has no text: the game draws it with the box
    if row["cur"] != "-":
        machine.memory[int.from_bytes(cell, "big")] = int(row["cur"], 16)
    return machine


def control_of(machine: MemoryMachine) -> Control:
    """Read who is in control, without the rest of the state."""
    ram = WorkRam(CONTROL_WINDOWS)
    ram.refresh(machine)
    tilemap = bytes(machine.memory[TILEMAP : TILEMAP + 360])
    return ControlReader(machine, ram).read(tilemap)


@pytest.fixture(scope="module")
def rows() -> list[Row]:
    with TRACES.open(encoding="ascii", newline="") as file:
        return list(csv.DictReader(file))


@pytest.fixture(scope="module")
def controls(rows: list[Row]) -> list[Control]:
    return [control_of(image_of(row)) for row in rows]


def called(control: Control) -> str:
    return "can_act" if control.is_free else control.prompt.name.lower()


def test_frames_are_called_what_they_are(rows: list[Row], controls: list[Control]) -> None:
    """Menu frames are counted with their quantity boxes in the facts: 2591 = 2535 + 56."""
    table: dict[str, Counter[str]] = {}
    for row, control in zip(rows, controls, strict=True):
        table.setdefault(row["truth"], Counter())[called(control)] += int(row["frames"])
    assert table == {
        "busy": {
            "none": 4897, "text": 282, "yes_no": 137, "menu": 62, "screen": 50, "naming": 28,
            "spinner": 26, "quantity": 14, "can_act": 6,
        },
        "can_act": {"can_act": 818, "none": 56},
        "menu": {"menu": 2535, "quantity": 56, "none": 51, "screen": 47, "text": 8},
        "naming": {"naming": 356},
        "spinner": {"spinner": 283},
        "text_printing": {"printing": 3171, "text": 72, "none": 4},
        "text_wait": {"text": 1940, "none": 110, "screen": 64, "printing": 40},
        "transition": {"none": 868, "screen": 6},
        "yes_no": {"yes_no": 530},
    }  # fmt: skip


def test_only_two_frames_before_the_poll_are_not_called_free(
    rows: list[Row], controls: list[Control]
) -> None:
    for row, control in zip(rows, controls, strict=True):
        if row["truth"] == "can_act" and not control.is_free:
            is_step_or_script = row["D433"] == "01" or row["D438"] != "00"
            assert is_step_or_script or row["D432"] != "02"
            assert int(row["frames"]) <= 2


def test_text_and_menu_follow_from_the_prompt(controls: list[Control]) -> None:
    for control in controls:
        assert control.in_text == (control.prompt in {Prompt.TEXT, Prompt.PRINTING})
        assert control.in_menu == (control.prompt in {Prompt.MENU, Prompt.YES_NO, Prompt.QUANTITY})
        if control.prompt in {Prompt.MENU, Prompt.YES_NO}:
            assert control.cursor[0] > 0
        else:
            assert control.cursor == control.menu_size == (0, 0)


class Recording(MemoryMachine):
    """The memory of a recorded scene, a row at a time; buttons are those of the record."""

    def __init__(self, rows: list[Row], scene: str, frame: int) -> None:
        super().__init__()
        self.frames = [
            row for row in rows if row["scene"] == scene for _ in range(int(row["frames"]))
        ]
        self.now = frame
        self.tick(0)

    def tick(self, frames: int, render: bool = False) -> None:
        self.now += frames
        self.memory = image_of(self.frames[self.now]).memory


@pytest.mark.parametrize(
    ("scene", "pressed_at", "action", "facing", "is_free_at"),
    [
        ("11", 10, Action.DOWN, Facing.DOWN, 30),
        ("11", 166, Action.RIGHT, Facing.LEFT, 191),  # it turns, then walks
        ("12", 114, Action.LEFT, Facing.UP, 139),
        ("12", 20, Action.UP, Facing.UP, 40),  # against a wall
    ],
)
def test_press_ends_in_the_first_frame_that_takes_another(
    rows: list[Row],
    scene: str,
    pressed_at: int,
    action: Action,
    facing: Facing,
    is_free_at: int,
) -> None:
    machine = Recording(rows, scene, pressed_at)
    state = make_state(facing=facing)
    play(machine, action, state, EnvConfig(), render=False)
    assert machine.now == is_free_at
    assert control_of(machine).is_free
    assert machine.frames[machine.now]["truth"] == "can_act"


@pytest.fixture
def scripted(machine: MemoryMachine) -> MemoryMachine:
    """Return a machine whose player stands in a script with an open text box."""
    machine.put("wScriptRunning", 255)
    draw_box(machine, 0, 12, 20, 6)
    return machine


def test_letters_of_a_slow_text_are_no_waiting(scripted: MemoryMachine) -> None:
    scripted.put("wTextboxFlags", 3)
    scripted.put("wTextDelayFrames", 4)
    assert read(scripted).control.prompt is Prompt.TEXT
    scripted.put("wOptions", 0x05)
    assert read(scripted).control.prompt is Prompt.PRINTING
    write_row(scripted, 18, 17, 0xEE)
    assert read(scripted).control.prompt is Prompt.TEXT


def test_instant_text_has_no_letters_even_if_slow(scripted: MemoryMachine) -> None:
    scripted.put("wTextboxFlags", 3)
    scripted.put("wTextDelayFrames", 4)
    scripted.put("wOptions", 0x15)
    assert read(scripted).control.prompt is Prompt.TEXT


def test_list_with_a_hollow_cursor_asks_no_number_before_its_question(
    scripted: MemoryMachine,
) -> None:
    """The list's cursor is left over, and YES and NO are not drawn yet, though a loop polls."""
    put_cursor(scripted, 1, 4, 0xEC)
    scripted.put("wWindowStackSize", 2)
    scripted.put("wMenuBorderCoords", 7, 14, 11, 19)
    scripted.put("wMenuDataPointer", 0x25, 0x1E)
    scripted.put("wTextDelayFrames", 4)
    assert read(scripted).control.prompt is Prompt.NONE
    scripted.put("wMenuCursorY", 1, 1)
    put_cursor(scripted, 15, 8)
    assert read(scripted).control.prompt is Prompt.YES_NO


def test_box_that_begins_with_times_asks_a_number(scripted: MemoryMachine) -> None:
    put_cursor(scripted, 5, 4, 0xEC)
    scripted.put("wMenuBorderCoords", 15, 7, 17, 19)
    assert read(scripted).control.prompt is not Prompt.QUANTITY
    write_row(scripted, 8, 16, 0xF1, 0xF6, 0xF7)
    assert read(scripted).control.prompt is Prompt.QUANTITY


def test_pointer_outside_the_tile_map_is_no_cursor(machine: MemoryMachine) -> None:
    machine.put("wScriptRunning", 255)
    machine.put("wMenuCursorY", 1)
    for address in (TILEMAP - 1, TILEMAP + 360, 0, 0xFFFF):
        machine.put("wCursorCurrentTile", address & 0xFF, address >> 8)
        machine.memory[address] = 0xED
        assert read(machine).control.prompt is Prompt.NONE


@pytest.fixture
def gear(machine: MemoryMachine) -> MemoryMachine:
    """Return a machine that shows the radio's card of an open Pokégear, as its tables have it."""
    machine.put("wScriptRunning", 255)
    machine.put("wWindowStackSize", 2)
    machine.put("wTextDelayFrames", 4)
    machine.put("wPokegearCard", 3)
    machine.put("wRadioTuningKnob", 76)
    write_row(machine, 0, 0, 0x46, 0x47)
    write_row(machine, 0, 1, 0x56, 0x57)
    draw_box(machine, 0, 12, 20, 6)
    return machine


def test_open_gear_says_which_card_it_shows_and_where_the_dial_stands(gear: MemoryMachine) -> None:
    for card in range(4):
        gear.put("wPokegearCard", card)
        control = read(gear).control
        assert (control.prompt, control.card, control.selection) == (Prompt.SCREEN, card + 1, 76)
        assert not control.is_free
        assert not control.in_text


def test_gear_that_turns_to_another_card_asks_nothing(gear: MemoryMachine) -> None:
    gear.put("wTextDelayFrames", 12)
    control = read(gear).control
    assert (control.prompt, control.card, control.selection) == (Prompt.NONE, 0, 0)
    assert control.is_busy


@pytest.mark.parametrize(
    ("name", "value"),
    [("wSpriteUpdatesEnabled", 1), ("wWindowStackSize", 0), ("wBattleMode", 1), ("wTilemap", 0x40),
     ("wPokegearCard", 4)],
)  # fmt: skip
def test_no_card_is_shown_where_no_gear_is_open(gear: MemoryMachine, name: str, value: int) -> None:
    gear.put(name, value)
    assert read(gear).control.card == 0


def test_music_that_the_radio_left_on_is_read(machine: MemoryMachine) -> None:
    assert read(machine).music == 0
    machine.put("wMapMusic", 64)
    assert read(machine).music == 64
