"""Party, bag and shop of MOSSLIGHT ADVANCE, opened from the field."""

import struct

import pytest

from engine.games.emerald.memory import SYMBOLS
from tests.roms.advance.conftest import Start
from tests.roms.advance.machine import Machine
from tests.roms.advance.party import SIZE, party
from tests.roms.advance.player import Player

ENTRY_PARTY, ENTRY_BAG = 1, 2
HP, MAX_HP = 0x56, 0x58
ITEMS, BALLS = 0x560, 0x650
BALL, POTION, ANTIDOTE = 4, 13, 14
PATIENCE = 600
CHOOSE, MENU = "Task_HandleChooseMonInput", "Task_HandleSelectionMenuInput"
LIST, BAG, QUANTITY = (
    "ListMenuDummyTask",
    "Task_BagMenu_HandleInput",
    "Task_BuyHowManyDialogueHandleInput",
)
SPANS = ((8, 12), (0x20, 0x22), (0x22, 0x24))
"""In a list's task: pointer to the entries, first visible one, row of the cursor."""


def wait_for_task(game: Machine, task: str) -> None:
    """Continue until a task waits for buttons on a lit screen."""
    for _ in range(PATIENCE):
        if task in game.tasks and not game.get("gPaletteFade", 7) & 0x80:
            return
        game.tick(2)
    raise AssertionError(f"{task} never waits: {game.mode} {game.tasks}")


def tap(game: Machine, button: str) -> None:
    game.act(button, hold=3, frames=6)


def open_entry(game: Machine, entry: int, task: str) -> None:
    """Open an entry of the START menu."""
    tap(game, "start")
    wait_for_task(game, "Task_ShowStartMenu")
    place = game.read("sCurrentStartMenuActions").index(entry)
    for _ in range(PATIENCE):
        if game.get("sStartMenuCursorPos") == place:
            break
        tap(game, "down")
    tap(game, "a")
    wait_for_task(game, task)


def put(game: Machine, name: str, offset: int, value: int, size: int = 2) -> None:
    game.emulator.write(0, SYMBOLS[name].address + offset, value.to_bytes(size, "little"))


def add_copy(game: Machine, hp: int) -> None:
    """Append a copy of the first creature with these HP."""
    count = game.get("gPlayerPartyCount")
    first = game.read("gPlayerParty", 0, SIZE)
    game.emulator.write(0, SYMBOLS["gPlayerParty"].address + SIZE * count, first)
    put(game, "gPlayerParty", SIZE * count + HP, hp)
    put(game, "gPlayerPartyCount", 0, count + 1, 1)


def fill(game: Machine, offset: int, *held: tuple[int, int]) -> None:
    """Let a pocket hold these (item, quantity) only."""
    key = game.key & 0xFFFF
    data = b"".join(struct.pack("<HH", item, quantity ^ key) for item, quantity in held)
    address = game.get("gSaveBlock1Ptr", size=4) + offset
    game.emulator.write(0, address, data + bytes(2))


def pocket(game: Machine, offset: int) -> list[tuple[int, int]]:
    """Return (item, quantity) of a pocket, up to the first free place."""
    key, found = game.key & 0xFFFF, []
    for item, quantity in struct.iter_unpack("<HH", game.block(1, offset, 64)):
        if not item:
            break
        found.append((item, quantity ^ key))
    return found


def leave(game: Machine) -> None:
    """Close what is open, back to the field."""
    for _ in range(PATIENCE):
        if game.is_free:
            return
        game.act("b", hold=4, frames=12)
    raise AssertionError(f"never back in the field: {game.mode}")


# ---- the party --------------------------------------------------------------------------------


def test_two_creatures_change_places(start: Start) -> None:
    game = start("starter")
    add_copy(game, hp=3)
    open_entry(game, ENTRY_PARTY, CHOOSE)
    tap(game, "a")
    wait_for_task(game, MENU)
    tap(game, "down")
    assert game.get("sMenu", 2) == 1
    tap(game, "a")
    wait_for_task(game, CHOOSE)
    tap(game, "down")
    tap(game, "a")
    wait_for_task(game, CHOOSE)
    assert party(game)[0].hp == 3
    assert all(one.is_sound for one in party(game))
    leave(game)


def test_cursor_of_the_party_runs_over_its_creatures_and_cancel(start: Start) -> None:
    game = start("starter")
    add_copy(game, hp=3)
    open_entry(game, ENTRY_PARTY, CHOOSE)
    seen = []
    for _ in range(4):
        seen.append(game.get("gPartyMenu", 9))
        tap(game, "down")
    assert seen == [0, 1, 7, 0]
    assert game.text == "Choose a creature."
    assert game.mode == "CB2_UpdatePartyMenu"
    tap(game, "down")
    tap(game, "a")
    leave(game)


def test_summary_opens_and_closes(start: Start) -> None:
    game = start("starter")
    open_entry(game, ENTRY_PARTY, CHOOSE)
    tap(game, "a")
    wait_for_task(game, MENU)
    tap(game, "a")
    for _ in range(PATIENCE):
        if game.mode == "SummaryScreenMainCB2" and not game.get("gPaletteFade", 7) & 0x80:
            break
        game.tick(2)
    game.tick(8)
    tap(game, "a")
    wait_for_task(game, CHOOSE)
    leave(game)


# ---- the bag ----------------------------------------------------------------------------------


def use_on_first(game: Machine) -> None:
    """Use what the bag's cursor points at on the first creature; returns in the bag."""
    tap(game, "a")
    wait_for_task(game, MENU)
    tap(game, "a")
    wait_for_task(game, CHOOSE)
    tap(game, "a")
    wait_for_task(game, BAG)


def test_potion_heals_outside_of_battles(start: Start) -> None:
    game = start("starter")
    put(game, "gPlayerParty", MAX_HP, 50)
    put(game, "gPlayerParty", HP, 3)
    fill(game, ITEMS, (ANTIDOTE, 1), (POTION, 2))
    open_entry(game, ENTRY_BAG, BAG)
    tap(game, "down")
    use_on_first(game)
    assert game.get("gPlayerParty", HP, 2) == 23
    assert pocket(game, ITEMS) == [(ANTIDOTE, 1), (POTION, 1)]
    leave(game)


def test_last_one_of_an_item_leaves_no_gap(start: Start) -> None:
    game = start("starter")
    put(game, "gPlayerParty", MAX_HP, 50)
    put(game, "gPlayerParty", HP, 3)
    fill(game, ITEMS, (POTION, 1), (ANTIDOTE, 4))
    open_entry(game, ENTRY_BAG, BAG)
    use_on_first(game)
    assert pocket(game, ITEMS) == [(ANTIDOTE, 4)]
    leave(game)
    assert pocket(game, ITEMS) == [(ANTIDOTE, 4)], "under the new key"


def test_ball_is_of_no_use_in_the_field(start: Start) -> None:
    game = start("starter")
    fill(game, BALLS, (BALL, 2))
    put(game, "gBagPosition", 5, 1, 1)
    open_entry(game, ENTRY_BAG, BAG)
    tap(game, "a")
    wait_for_task(game, MENU)
    tap(game, "a")
    wait_for_task(game, BAG)
    assert pocket(game, BALLS) == [(BALL, 2)]
    leave(game)


# ---- the shop ---------------------------------------------------------------------------------


def set_money(game: Machine, amount: int) -> None:
    address = game.get("gSaveBlock1Ptr", size=4) + 0x490
    game.emulator.write(0, address, (amount ^ game.key).to_bytes(4, "little"))


@pytest.fixture
def counter(start: Start) -> Machine:
    """The shop's list is open; the bag has one potion, the purse 1,000."""
    game = start("SHOP")
    Player(game).talk_at((3, 3), "left")
    set_money(game, 1000)
    fill(game, ITEMS, (POTION, 1))
    for _ in range(PATIENCE):
        if LIST in game.tasks:
            break
        game.act("a", hold=4, frames=12)
    wait_for_task(game, LIST)
    return game


def task_bytes(game: Machine, name: str) -> bytes:
    """Return the 40 bytes of an active task."""
    for at in range(0, 16 * 40, 40):
        if game.function("gTasks", at) == name and game.get("gTasks", at + 4):
            return game.read("gTasks", at, 40)
    raise AssertionError(f"{name} does not wait")


def pointed_at(game: Machine) -> int:
    """Return the number of the item under the cursor, -2 for the last line."""
    task = task_bytes(game, LIST)
    entries, scroll, entry = (int.from_bytes(task[a:b], "little") for a, b in SPANS)
    return int(struct.unpack("<i", game.at(entries + 8 * (scroll + entry) + 4, 4))[0])


def test_shop_lists_what_it_sells(counter: Machine) -> None:
    assert counter.mode == "CB2_BuyMenu"
    count = int.from_bytes(task_bytes(counter, LIST)[0x14:0x16], "little")
    seen = []
    for _ in range(count):
        seen.append(pointed_at(counter))
        tap(counter, "down")
    assert seen[0] == BALL
    assert seen[1] == POTION
    assert seen[-1] == -2
    leave(counter)


def test_buying_three_costs_three_prices(counter: Machine) -> None:
    tap(counter, "down")
    tap(counter, "a")
    wait_for_task(counter, QUANTITY)
    tap(counter, "up")
    tap(counter, "up")
    tap(counter, "up")  # 1,000 pays for three; from there to one again
    tap(counter, "down")
    asking = task_bytes(counter, QUANTITY)
    assert int.from_bytes(asking[0x0A:0x0C], "little") == 3
    assert int.from_bytes(asking[0x12:0x14], "little") == POTION
    tap(counter, "a")
    wait_for_task(counter, LIST)
    assert pocket(counter, ITEMS) == [(POTION, 4)]
    assert counter.money == 100
    leave(counter)
    assert counter.money == 100, "under the new key"


def test_buying_without_money_is_refused(counter: Machine) -> None:
    set_money(counter, 199)
    held = pocket(counter, BALLS)
    tap(counter, "a")
    wait_for_task(counter, LIST)
    assert counter.money == 199
    assert pocket(counter, BALLS) == held
    leave(counter)


def test_b_leaves_the_quantity_and_buys_nothing(counter: Machine) -> None:
    tap(counter, "a")
    wait_for_task(counter, QUANTITY)
    tap(counter, "b")
    wait_for_task(counter, LIST)
    assert counter.money == 1000
    leave(counter)
