"""Emerald behind the seam, by an image with its header, and by the practice game."""

import struct
from pathlib import Path

import pytest

from engine.emulator.base import Emulator
from engine.errors import ConfigurationError, EnvironmentError
from engine.games.base import MilestoneKind, Reader
from engine.games.catalog import load_game
from engine.games.emerald.game import EmeraldGame, has_saved_game
from engine.games.emerald.memory import FACTS, SYMBOLS, Profile
from engine.types import GAME_BOY_ADVANCE_ACTIONS, Action, MapId
from tests.engine.games.emerald.practice import NAME, needs_core
from tests.engine.games.emerald.world_images import Drawn, build

_SIGNATURE = 0x0801_2025
_SIZES = {0: 0xF2C, 4: 0xF08, 13: 0x7D0}
_SUMS = [0xFFFF - _SIZES.get(number, 0xF80) // 4 for number in range(14)]
"""Checksums of sectors that are full of ones: n words of -1."""


def saved(*slots: int, missing: int = -1, counter: int = 1) -> bytes:
    """Return a flash memory with whole slots, but for the sector `missing`."""
    memory = bytearray(b"\xff" * 0x20000)
    for slot in slots:
        for sector in range(14):
            number = (sector + 5) % 14  # the game turns them round
            if number != missing:
                at = (14 * slot + sector) * 0x1000 + 0xFF4
                struct.pack_into("<HHII", memory, at, number, _SUMS[number], _SIGNATURE, counter)
    return bytes(memory)


@pytest.mark.parametrize(
    ("memory", "is_saved"),
    [
        (b"\xff" * 0x20000, False),
        (bytes(0x20000), False),
        (saved(0), True),
        (saved(1), True),
        (saved(0, missing=3), False),
        (saved(0, 1, missing=13), False),
    ],
)
def test_a_slot_with_all_its_sectors_is_a_saved_game(memory: bytes, is_saved: bool) -> None:
    assert has_saved_game(memory) is is_saved


def test_sectors_of_two_savings_are_no_saved_game() -> None:
    memory = bytearray(saved(0))
    struct.pack_into("<I", memory, 0xFFC, 2)
    assert not has_saved_game(bytes(memory))


@pytest.mark.parametrize("at", [0, 0x3000 + 0xF7C, 0x8000 + 0x7CC])
def test_a_changed_word_in_its_only_slot_damages_a_saved_game(at: int) -> None:
    memory = bytearray(saved(0))
    memory[at] ^= 1
    assert not has_saved_game(bytes(memory))
    with pytest.raises(ConfigurationError, match=r"in moss\.sav is damaged"):
        EmeraldGame(Profile.read(FACTS)).start_saved(bytes(memory), "moss.sav")
    assert has_saved_game(bytes(memory[: 14 * 0x1000]) + saved(1)[14 * 0x1000 :])


@pytest.mark.parametrize(("key", "other"), [(0, "Ruby or Sapphire"), (1, "FireRed or LeafGreen")])
def test_a_saved_game_of_a_sister_is_named(key: int, other: str) -> None:
    memory = bytearray(saved(0))
    at = 9 * 0x1000  # where `saved` puts sector 0
    struct.pack_into("<I", memory, at + 0xAC, key)
    total = sum(struct.unpack_from(f"<{0xF2C // 4}I", memory, at))
    struct.pack_into("<H", memory, at + 0xFF6, (total + (total >> 16)) & 0xFFFF)
    with pytest.raises(ConfigurationError, match=other):
        EmeraldGame(Profile.read(FACTS)).start_saved(bytes(memory), "moss.sav")


@pytest.mark.parametrize(
    ("battery", "words"),
    [(bytes(0x2000), "8,192 bytes"), (b"\xff" * 0x20000, "no saved game of Pokémon Emerald")],
    ids=["another size", "empty"],
)
def test_battery_files_of_others_are_refused(
    emerald: EmeraldGame, battery: bytes, words: str
) -> None:
    with pytest.raises(ConfigurationError, match=words):
        emerald.start_saved(battery, "old.sav")


@pytest.fixture
def emerald() -> EmeraldGame:
    return EmeraldGame(Profile.read(FACTS))


def test_emerald_has_ten_buttons_and_wide_frames(emerald: EmeraldGame) -> None:
    assert emerald.actions is GAME_BOY_ADVANCE_ACTIONS
    assert emerald.frame_shape == (160, 240, 3)
    assert emerald.title == "POKEMON EMER"
    assert emerald.description == "a role-playing game on a Game Boy Advance"


def test_the_milestones_of_the_opening_are_in_the_order_they_were_played() -> None:
    game = EmeraldGame(Profile.read(FACTS))
    assert [key for key, _ in game.milestones][:16] == [
        "left_truck", "house", "clock", "met_rival", "left_town", "starter", "lab", "beat_rival",
        "pokedex", "shoes", "petalburg", "wally", "woods", "grunt", "rustboro", "stone_badge",
    ]  # fmt: skip
    by_key = {one.key: one for one in game.tables.MILESTONES}
    assert by_key["starter"].kind is MilestoneKind.PARTY
    assert by_key["stone_badge"].kind is MilestoneKind.BADGE
    assert by_key["stone_badge"].place == MapId(11, 3)
    assert {healer.target for healer in game.atlas.healers} == {(7, 2)}


def test_the_world_is_that_of_the_image() -> None:
    rom, profile = build({(0, 0): Drawn(["..."])})
    assert EmeraldGame(profile, rom).overworld is not None
    broken = EmeraldGame(profile, rom[:0x210])
    assert broken.overworld is None
    assert broken.overworld_problem


def test_without_a_core_the_game_is_known_but_not_played(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("POKETUI_GBA_CORE", str(tmp_path / "none.so"))
    game = load_game(NAME)
    assert game.emulator_version == ""
    assert game.overworld is not None
    with pytest.raises(EnvironmentError, match="core"):
        game.start()


@needs_core
def test_a_game_follows_from_its_two_random_bytes() -> None:
    game = load_game(NAME)
    digests = []
    for random in ((1, 2), (1, 2), (3, 4)):
        emulator = game.start()
        emulator.tick(60)
        game.seed(emulator, random)
        emulator.tick(10)
        digests.append(game.digest(emulator))
        emulator.close()
    assert digests[0] == digests[1]
    assert digests[0] != digests[2]


@needs_core
def test_the_digest_leaves_out_the_cartridges_clock() -> None:
    game = load_game(NAME)
    emulator = game.start()
    before = game.digest(emulator)
    emulator.write(0, SYMBOLS["sRtc"].address, b"\x25\x01")
    assert game.digest(emulator) == before
    emulator.write(0, SYMBOLS["gRngValue"].address, b"\x25\x01")
    assert game.digest(emulator) != before
    emulator.close()


@needs_core
def test_a_saved_game_of_the_practice_game_goes_on_where_it_was() -> None:
    game = load_game(NAME)
    emulator = game.start()
    reader = game.reader(emulator)
    game.play_introduction(emulator, reader.read)
    _save(emulator, reader)
    place = reader.read().place
    battery = emulator.read(0, 0x0E00_0000, 0x20000)
    emulator.close()
    assert has_saved_game(battery)
    again = game.start_saved(battery, "moss.sav")
    reader = game.reader(again)
    game.play_introduction(again, reader.read)
    assert reader.read().place == place
    again.close()


def _save(emulator: Emulator, reader: Reader) -> None:
    """Choose SAVE in the START menu and answer yes."""
    _press(emulator, Action.START)
    for _ in range(20):
        if any(line.startswith("▶SAVE") for line in reader.read().screen_text):
            break
        _press(emulator, Action.DOWN)
    for _ in range(40):
        _press(emulator, Action.A)
        if reader.read().control.is_free:
            return
    raise AssertionError(f"not saved: {reader.read().screen_text}")


def _press(emulator: Emulator, action: Action) -> None:
    emulator.press(action)
    emulator.tick(6)
    emulator.release(action)
    emulator.tick(30)
