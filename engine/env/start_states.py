"""Make the states that episodes start from: played to automatically, or given by the user."""

import errno
import hashlib
import logging
from collections.abc import Callable
from importlib.metadata import version
from pathlib import Path

from engine.config import RunConfig
from engine.emulator.base import Emulator
from engine.emulator.cartridge import Battery, Cartridge
from engine.emulator.gameboy import GameBoy
from engine.env.introduction import make_fast, play_introduction
from engine.env.state_file import MAGIC, SHA1_SIZE, pack_state, unpack_state
from engine.errors import ConfigurationError, EnvironmentError
from engine.files import make_folder, read_file, write_file
from engine.folders import user_path
from engine.games.crystal.reader import CrystalReader
from engine.games.profile import GameProfile, load_rom
from engine.types import Action

_log = logging.getLogger(__name__)

STATES_FOLDER = "states"
"""Folder inside the save folder that keeps start states."""

_MAX_FILE_SIZE = 1 << 22

_BATTERY_SUFFIXES = (".sav", ".srm", ".ram")
# Where Crystal marks its saved game and the backup of it, and by what: sCheckValue1 01:A008 and
# sCheckValue2 01:AD0F, sBackupCheckValue1 00:B208 and 2 00:BF0F (pret/pokecrystal symbols).
_SAVED_GAME_MARKS = (
    ((0x2008, b"\x63"), (0x2D0F, b"\x7f")),
    ((0x1208, b"\x63"), (0x1F0F, b"\x7f")),
)

_SETTLING_FRAMES, _MAX_SETTLING = 32, 20
"""A step that was begun is over after one round of so many frames, a door after some."""


def make_start_state(
    emulator: Emulator, profile: GameProfile, folder: Path | None = None, given: str = ""
) -> bytes:
    """Return the state that episodes start from, and leave the emulator in it.

    Without a given file it is the first control after the introduction, which is played once and
    kept in `folder`. Of a given state of a game in progress (battles, menus and text included) all
    buttons are let go and text is made fast; from a title or an introduction the game is played
    on to the first control, and so it is from a battery file.

    Args:
        emulator: Has just been switched on.
        profile: The game's.
        folder: Keeps start states; None: none are kept. One that cannot be used is done without.
        given: A state of PyBoy's or ours, or a battery file (.sav, .srm, .ram); a bare name may
            be that of a file in `folder`. It is only read.

    Raises:
        ConfigurationError: The given file is unusable.
        EnvironmentError: The introduction does not come to an end.
    """
    if given and folder is not None and _is_kept(given, folder):
        return _from_file(emulator, profile, folder / given)
    if given:
        return _from_file(emulator, profile, user_path(given))
    path = _kept_path(profile, folder) if folder else None
    if path is not None and path.is_file():
        try:
            return _load_kept(emulator, profile, _read(path), path)
        except (OSError, ConfigurationError) as error:
            _log.warning("cannot use the kept start state: %s", error)
    play_introduction(emulator, CrystalReader(emulator, profile).read)
    state = emulator.save_state()
    if path is not None:
        try:
            _keep(path, profile, state)
        except OSError as error:
            _log.warning("cannot keep the start state %s: %s", path, error)
    return state


def prepare_start_state(config: RunConfig, tell: Callable[[int, int], None]) -> None:
    """Play a ROM's introduction now, if no run did before, and keep the state where it ends.

    The environments would do so, each of them, and could not say how far they are.

    Args:
        config: The run's settings.
        tell: Is told how many frames were played, and how many are at most; what it raises ends
            the introduction.

    Raises:
        EnvironmentError: The introduction does not come to an end.
    """
    rom, profile = load_rom(config.rom_path, config.allow_unknown_rom)
    path = _kept_path(profile, states_folder(config))
    if config.start_state or path.is_file():
        return
    emulator = GameBoy(rom)
    try:
        play_introduction(emulator, CrystalReader(emulator, profile).read, tell)
        _keep(path, profile, emulator.save_state())
    except OSError as error:
        _log.warning("cannot keep the start state %s: %s", path, error)
    finally:
        emulator.close()


def keep_given_state(config: RunConfig) -> RunConfig:
    """Copy the file that a run is to start from, and name the copy instead.

    The copy is made ready to start from and lies with the other start states, so that the run can
    be resumed without the user's file.

    Raises:
        ConfigurationError: The file is unusable, or the save folder is not writable.
        EnvironmentError: The game does not come from it to the player's control.
    """
    folder = states_folder(config)
    if not config.start_state or _is_kept(config.start_state, folder):
        return config
    rom, profile = load_rom(config.rom_path, config.allow_unknown_rom)
    emulator = GameBoy(rom)
    try:
        state = _from_file(emulator, profile, user_path(config.start_state))
    finally:
        emulator.close()
    digest = hashlib.sha1(state, usedforsecurity=False).hexdigest()
    copy = folder / f"{profile.sha1}-{digest[:16]}.state"
    try:
        _keep(copy, profile, state)
    except OSError as error:
        raise ConfigurationError(
            f"Cannot write in the save folder {folder}: {error.strerror or error}.",
            "Give a writable one with --save-dir.",
        ) from None
    return config.model_copy(update={"start_state": copy.name})


def states_folder(config: RunConfig) -> Path:
    """Return the folder in which a run's start states are kept."""
    return user_path(config.save_dir) / STATES_FOLDER


def _kept_path(profile: GameProfile, folder: Path) -> Path:
    """Return where the state at the introduction's end is kept."""
    return folder / f"{profile.sha1}-pyboy-{version('pyboy')}.state"


def _is_kept(given: str, folder: Path) -> bool:
    return Path(given).name == given and (folder / given).is_file()


def _from_file(emulator: Emulator, profile: GameProfile, file: Path) -> bytes:
    data = _read(file)
    if data.startswith(MAGIC):
        return _load_kept(emulator, profile, data, file)
    if file.suffix.lower() in _BATTERY_SUFFIXES:
        state = _continue_saved_game(emulator.rom, profile, file, data)
        emulator.load_state(state)
        return state
    _load(emulator, data, file)
    for action in Action:
        emulator.release(action)
    reader = CrystalReader(emulator, profile)
    for _ in range(_MAX_SETTLING):
        emulator.tick(_SETTLING_FRAMES)
        control = reader.read().control
        if control.in_game and not control.in_transition:
            make_fast(emulator)
            break
    else:
        _play_on(emulator, reader, file)
    return emulator.save_state()


def _continue_saved_game(rom: bytes, profile: GameProfile, file: Path, data: bytes) -> bytes:
    battery = Battery.of(data, Cartridge.of(rom), str(file))
    if not any(
        all(battery.ram[at : at + 1] == value for at, value in marks) for marks in _SAVED_GAME_MARKS
    ):
        raise ConfigurationError(
            f"{file} holds no saved game of Pokémon Crystal.",
            "Save in the game first, or leave --state out.",
        )
    machine = GameBoy(rom, battery)
    try:
        _play_on(machine, CrystalReader(machine, profile), file)
        return machine.save_state()
    finally:
        machine.close()


def _play_on(emulator: Emulator, reader: CrystalReader, file: Path) -> None:
    try:
        play_introduction(emulator, reader.read)
    except EnvironmentError:
        raise ConfigurationError(
            f"The game does not come from {file} to the player's control.",
            "It may be of another ROM. Save anew in the game, or leave --state out.",
        ) from None


def _read(file: Path) -> bytes:
    try:
        if not file.is_file():
            what = "is a folder" if file.is_dir() else "does not exist"
            raise ConfigurationError(
                f"The file to start from {what}: {file}.",
                "Begin a run with a saved state or a .sav file as --state, or without.",
            )
        return read_file(file, _MAX_FILE_SIZE)
    except (OSError, ValueError) as error:
        if getattr(error, "errno", None) == errno.EFBIG:
            raise ConfigurationError(
                f"{file} is too large for a saved state.", "Give another file, or none."
            ) from None
        reason = getattr(error, "strerror", None) or str(error)
        raise ConfigurationError(f"Cannot read {file}: {reason}.", "Make it readable.") from None


def _load_kept(emulator: Emulator, profile: GameProfile, data: bytes, file: Path) -> bytes:
    """Load what `_keep` has written."""
    sha1 = data[len(MAGIC) : len(MAGIC) + SHA1_SIZE]
    if data.startswith(MAGIC) and sha1 != profile.sha1.encode():
        raise ConfigurationError(
            f"{file} is a start state of another ROM.", f"Give one of {profile.name}."
        )
    try:
        state = unpack_state(data)
    except ValueError:
        raise ConfigurationError(
            f"The start state {file} is damaged.", "Give another one."
        ) from None
    _load(emulator, state, file)
    return state


def _load(emulator: Emulator, state: bytes, file: Path) -> None:
    try:
        emulator.load_state(state)
    except EnvironmentError:
        raise ConfigurationError(
            f"{file} is no saved state of this game in PyBoy {version('pyboy')}.",
            "It is damaged, of another version or for another ROM. Save anew, or leave it out.",
        ) from None


def _keep(path: Path, profile: GameProfile, state: bytes) -> None:
    """Write a file whole or not at all; several workers may do so at once."""
    make_folder(path.parent)
    write_file(path, pack_state(profile.sha1, state))
