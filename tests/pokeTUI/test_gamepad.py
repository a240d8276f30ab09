"""Play with gamepads: pipes that bring the very bytes that Linux's event devices would."""

import asyncio
import os
import shutil
import struct
from collections.abc import Iterator
from pathlib import Path

import pytest
from textual.events import AppBlur, AppFocus

from engine import events
from engine.commands import Hold, Press, RunBackwards, SaveSlot
from engine.config import RunConfig
from engine.errors import ConfigurationError
from engine.types import Action
from pokeTUI.app.cockpit import CockpitApp
from pokeTUI.app.doctor.machine import Verdict, examine_gamepads
from pokeTUI.terminal.gamepad import Controls, Gamepads, InputDevices
from tests.pokeTUI.conftest import open_cockpit, press, screen_text, settle
from tests.pokeTUI.fake_session import FakeSession, make_status
from tests.pokeTUI.test_playing import Player
from tests.pokeTUI.test_start import until

KEY, AXIS = 1, 3
SOUTH, EAST, SHOULDER_L, SHOULDER_R, START = 0x130, 0x131, 0x136, 0x137, 0x13B
X, Y, HAT_X = 0, 1, 0x10
PAD_KEYS = (SOUTH, EAST, SHOULDER_L, SHOULDER_R, START)
RANGES = {X: (0, 255), Y: (0, 255), HAT_X: (-1, 1)}
LEFT, A = frozenset({Action.LEFT}), frozenset({Action.A})
NOTHING: frozenset[Action] = frozenset()


def bit_map(*bits: int) -> str:
    """Return a bit map as the kernel writes it."""
    value, size = sum(1 << bit for bit in bits), 8 * struct.calcsize("l")
    words = []
    while value:
        words.append(f"{value & (1 << size) - 1:x}")
        value >>= size
    return " ".join(reversed(words)) or "0"


class Machine:
    """The input devices of a machine, in a folder."""

    def __init__(self, folder: Path) -> None:
        self.devices = InputDevices(folder / "dev", folder / "sys")
        self.devices.folder.mkdir()
        self.devices.facts.mkdir()
        self._pipes: dict[str, int] = {}

    def plug(self, name: str, title: str, keys: tuple[int, ...] = PAD_KEYS, axes: int = 3) -> None:
        about = self.devices.facts / name / "device"
        (about / "capabilities").mkdir(parents=True)
        (about / "name").write_text(f"{title}\n")
        (about / "capabilities/key").write_text(bit_map(*keys) + "\n")
        (about / "capabilities/abs").write_text(f"{axes:x}\n")
        os.mkfifo(self.devices.folder / name)
        self._pipes[name] = os.open(self.devices.folder / name, os.O_RDWR | os.O_NONBLOCK)

    def unplug(self, name: str) -> None:
        shutil.rmtree(self.devices.facts / name)
        (self.devices.folder / name).unlink()
        os.close(self._pipes.pop(name))

    def send(self, name: str, *sent: tuple[int, int, int]) -> None:
        packed = (struct.pack("@llHHi", 1, 2, *each) for each in (*sent, (0, 0, 0)))
        os.write(self._pipes[name], b"".join(packed))

    def close(self) -> None:
        for name in [*self._pipes]:
            self.unplug(name)


class Refusing(InputDevices):
    """Devices that only others may read."""

    def open(self, name: str) -> int:
        raise PermissionError(13, name)


@pytest.fixture
def machine(tmp_path: Path) -> Iterator[Machine]:
    found = Machine(tmp_path)
    yield found
    found.close()


def test_gamepads_are_known_by_what_the_kernel_says_of_them(machine: Machine) -> None:
    machine.plug("event0", "AT Keyboard", keys=tuple(range(1, 0x80)), axes=0)
    machine.plug("event1", "Mouse", keys=(0x110, 0x111), axes=0)
    machine.plug("event2", "Xbox\x1b[2J Pad")
    machine.plug("event10", "USB gamepad", keys=(0x120, 0x121))
    machine.plug("event3", "Tablet", keys=(0x140,))
    (machine.devices.facts / "event4").mkdir()
    found = [(path.name, title) for path, title in machine.devices.gamepads()]
    assert found == [("event10", "USB gamepad"), ("event2", "Xbox[2J Pad")]
    assert not InputDevices(facts=machine.devices.facts / "none").names


def test_a_stick_is_a_direction_from_half_way_until_it_is_nearly_back() -> None:
    controls = Controls(RANGES)
    found = []
    for value in (128, 70, 60, 75, 90, 200, 127):
        controls.take(AXIS, X, value)
        found.append(sorted(controls.down))
    assert found == [[], [], ["left"], ["left"], [], ["right"], []]
    controls.take(AXIS, Y, 255)
    controls.take(AXIS, X, 0)
    assert controls.down == {"down", "left"}


def test_a_direction_ends_when_neither_stick_nor_pad_holds_it() -> None:
    controls = Controls(RANGES)
    controls.take(AXIS, X, 0)
    controls.take(AXIS, HAT_X, -1)
    controls.take(AXIS, X, 128)
    assert controls.down == {"left"}
    controls.take(AXIS, HAT_X, 0)
    assert not controls.down


def test_what_is_held_repeats_and_ends_where_events_were_lost() -> None:
    controls = Controls(RANGES)
    for kind, code, value in ((KEY, EAST, 1), (KEY, EAST, 2), (KEY, 0x2FF, 1), (AXIS, 0x28, 9)):
        controls.take(kind, code, value)
    assert controls.down == {"east"}
    controls.take(0, 3, 0)
    assert not controls.down


async def test_gamepads_come_and_go(machine: Machine) -> None:
    told: list[tuple[str, bool]] = []
    gamepads = Gamepads(lambda *change: told.append(change), machine.devices)

    async def comes(*expected: tuple[str, bool]) -> None:
        while len(told) < len(expected):
            await asyncio.sleep(0)
        assert told == [*expected]
        told.clear()

    async with asyncio.timeout(30):
        gamepads.scan()
        for _ in range(2):
            machine.plug("event7", "Pad")
            gamepads.scan()
            machine.send("event7", (KEY, EAST, 1), (AXIS, HAT_X, 1))
            await comes(("east", True), ("right", True))
            machine.send("event7", (KEY, EAST, 0))
            await comes(("east", False))
            machine.unplug("event7")
            await comes(("right", False))
            gamepads.scan()
        for name in ("event8", "event9"):
            machine.plug(name, "Pad, and Pad as Steam shows it")
        gamepads.scan()
        for value, name in ((1, "event8"), (1, "event9"), (0, "event8"), (0, "event9")):
            machine.send(name, (KEY, EAST, value))
            await asyncio.sleep(0)
        await comes(("east", True), ("east", False))
    gamepads.close()
    gamepads.close()


async def test_a_gamepad_that_may_not_be_read_is_named_until_it_may(machine: Machine) -> None:
    machine.devices = Refusing(machine.devices.folder, machine.devices.facts)
    gamepads = Gamepads(lambda *_: None, machine.devices)
    machine.plug("event7", "Pad")
    gamepads.scan()
    assert not gamepads.refused  # the system may be about to allow it
    gamepads.scan()
    assert gamepads.refused == "Pad"
    machine.unplug("event7")
    gamepads.scan()
    assert not gamepads.refused
    gamepads.close()


def test_a_held_button_of_a_gamepad_acts_again_by_turns() -> None:
    player = Player()
    player.playing.hold(Action.LEFT)
    player.answer()
    player.wait(0.3)
    assert player.sent == [Press(Action.LEFT)]
    player.wait(0.2)
    player.answer()
    player.wait(0.2)
    assert player.sent == [Press(Action.LEFT)] * 3
    player.answer()
    player.playing.let_up(Action.LEFT)
    player.wait(5.0)
    assert len(player.sent) == 3


def test_in_real_time_a_gamepad_holds_whatever_the_terminal_reports() -> None:
    player = Player(is_live=True)
    player.playing.hold(Action.LEFT)
    player.wait(10.0)
    player.playing.hold(Action.A)
    player.playing.let_up(Action.LEFT)
    player.playing.let_up(Action.A)
    assert player.sent == [Hold(LEFT), Hold(LEFT | A), Hold(A), Hold(NOTHING)]


def test_a_gamepads_button_runs_backwards_until_it_goes_up() -> None:
    player = Player()
    player.playing.run_back(has_release=True)
    player.wait(10.0)
    assert player.sent == [RunBackwards(True)]
    player.playing.stop_back()
    assert player.sent == [RunBackwards(True), RunBackwards(False)]


async def test_a_gamepad_plays_while_the_game_is_ones_own(machine: Machine) -> None:
    machine.plug("event7", "Pad")
    async with open_cockpit() as (pilot, session):
        pilot.app.use_gamepads(machine.devices)
        machine.send("event7", (KEY, EAST, 1), (KEY, EAST, 0))
        await until(pilot, lambda: "only while you play" in screen_text(pilot))
        assert not session.sent
        await press(pilot, "t")
        session.sent.clear()
        machine.send("event7", (KEY, EAST, 1), (KEY, EAST, 0))
        await until(pilot, lambda: session.sent == [Press(Action.A)])
        session.sent.clear()
        machine.send("event7", (KEY, SHOULDER_R, 1), (KEY, SHOULDER_R, 0))
        await until(pilot, lambda: session.sent == [SaveSlot(1)])
        await press(pilot, "l")
        session.sent.clear()
        machine.send("event7", (AXIS, HAT_X, -1))
        await until(pilot, lambda: session.sent == [Hold(LEFT)])
        machine.unplug("event7")
        await until(pilot, lambda: session.sent == [Hold(LEFT), Hold(NOTHING)])


async def test_a_shoulder_button_runs_the_game_backwards_while_it_is_held(machine: Machine) -> None:
    machine.plug("event7", "Pad")
    async with open_cockpit() as (pilot, session):
        pilot.app.use_gamepads(machine.devices)
        session.post(make_status(is_human=True), events.RecordingChanged(True, 9, 9, rewindable=9))
        await settle(pilot)
        machine.send("event7", (KEY, SHOULDER_L, 1))
        await until(pilot, lambda: session.sent == [RunBackwards(True)])
        machine.send("event7", (KEY, SHOULDER_L, 0))
        await until(pilot, lambda: session.sent == [RunBackwards(True), RunBackwards(False)])


async def test_a_gamepad_does_nothing_behind_a_dialog_or_unfocused(machine: Machine) -> None:
    machine.plug("event7", "Pad")
    async with open_cockpit() as (pilot, session):
        pilot.app.use_gamepads(machine.devices)
        await press(pilot, "t", "question_mark")
        session.sent.clear()
        machine.send("event7", (KEY, EAST, 1), (KEY, EAST, 0))
        await settle(pilot)
        await pilot.press("escape")
        pilot.app.post_message(AppBlur())
        await settle(pilot)
        machine.send("event7", (KEY, EAST, 1), (KEY, EAST, 0))
        await settle(pilot)
        assert not session.sent
        pilot.app.post_message(AppFocus())
        await settle(pilot)
        machine.send("event7", (KEY, START, 1))
        await until(pilot, lambda: session.sent == [Press(Action.START)])


async def test_who_plays_is_told_once_of_a_gamepad_that_may_not_be_read(machine: Machine) -> None:
    machine.plug("event7", "Pad")
    async with open_cockpit() as (pilot, _):
        pilot.app.use_gamepads(Refusing(machine.devices.folder, machine.devices.facts))
        pilot.app.gamepads.scan()
        await settle(pilot)
        assert "may not be read" not in screen_text(pilot)
        for _ in range(3):
            await press(pilot, "t")
        assert screen_text(pilot).count("may not be read") == 1


def test_preferences_map_the_controls_of_a_gamepad(config_dir: Path) -> None:
    file = config_dir / "preferences.toml"
    file.write_text("[gamepad]\nsouth = 'button_a'\nr = ''\nzl = 'take_over'\n")
    found = CockpitApp(FakeSession(), RunConfig()).pad_actions
    assert (found["south"], found["r"], found["zl"]) == ("button_a", "", "take_over")
    assert found["start"] == "button_start"
    for text, words in (
        ("west = 'jump'", "gamepad: unknown action 'jump'"),
        ("elbow = 'rewind'", "there are south, east"),
    ):
        file.write_text(f"[gamepad]\n{text}\n")
        with pytest.raises(ConfigurationError, match=words):
            CockpitApp(FakeSession(), RunConfig())


def test_doctor_says_how_to_read_pads(machine: Machine, monkeypatch: pytest.MonkeyPatch) -> None:
    assert examine_gamepads({}, machine.devices).text == "none at this machine"
    remote = examine_gamepads({"SSH_CONNECTION": "1"}, machine.devices)
    assert "not seen over ssh" in remote.text
    machine.plug("event7", "Pad")
    assert examine_gamepads({}, machine.devices).text == "Pad"
    monkeypatch.setattr(os, "access", lambda *_: False)
    refused = examine_gamepads({}, machine.devices)
    assert (refused.verdict, refused.text) == (Verdict.WARNING, "Pad may not be read.")
    assert "usermod -aG input" in refused.remedy
