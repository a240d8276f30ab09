"""Make the states that episodes start from: played to automatically, or given by the user."""

import hashlib
import json
import logging
import struct
import zlib
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

from engine.config import RunConfig
from engine.emulator.base import Emulator
from engine.errors import CheckpointError, ConfigurationError, EnvironmentError
from engine.games.base import Game, Reader
from engine.games.catalog import load_game
from engine.ground.files import (
    FileTooLargeError,
    inflate,
    make_folder,
    os_errors_as,
    parse_json,
    read_file,
    write_file,
)
from engine.ground.folders import user_path

# File formats: a state that a run can start from, and a saved environment.

MAGIC = b"PokeTUI start state 1\n"
SHA1_SIZE = 40
MAX_STATE_SIZE = 1 << 22
"""Bytes of a machine's state; PyBoy's of Crystal has about 180,000."""

_OTHERS = (
    (b"\x1f\x8b", "packed with gzip, as the states of VisualBoyAdvance are"),
    (b"\x89PNG", "a picture, as the states of mGBA are"),
    (b"PK\3\4", "a ZIP archive, as the states of BizHawk are"),
    (b"7z\xbc\xaf", "a 7z archive"),
    (b"RASTATE", "a state of RetroArch"),
    (b"#RZIPv", "compressed by RetroArch"),
    (b"NocashGbaBackupMedia", "packed by No$gba"),
    (b"\r\0\0\0SharkPortSave", "a file of a GameShark"),
    (b"ADVSAVEG", "a file of a GameShark"),
)
_BESS = b"BESS"
"""What a state of SameBoy and others ends with (BESS.md of SameBoy)."""

_ENV_MAGIC = b"PokeTUI environment 3\n"
_SIZE = struct.Struct("<I")


def pack_state(sha1: str, machine: bytes) -> bytes:
    """Return a file that `poketui run --state` takes.

    `sha1` is the ROM's, in hexadecimal; `machine` is as the emulator saves it, with no button down.
    """
    return MAGIC + sha1.encode() + zlib.compress(machine, 6)


def other_format(data: bytes) -> str:
    """Return what a file of another emulator is in place of a battery file, "" where unknown."""
    if data.endswith(_BESS):
        return "a state of SameBoy or its like"
    return next((what for magic, what in _OTHERS if data.startswith(magic)), "")


def unpack_state(data: bytes) -> bytes:
    """Return the machine of what `pack_state` returned.

    Raises:
        ValueError: It is damaged, or larger than any.
    """
    if not data.startswith(MAGIC):
        raise ValueError("unknown header")
    return inflate(data[len(MAGIC) + SHA1_SIZE :], MAX_STATE_SIZE)


def pack_env(facts: dict[str, Any], machine: bytes) -> bytes:
    """Return an environment as it is saved: JSON facts, and the state of the machine."""
    header = json.dumps(facts).encode()
    return _ENV_MAGIC + _SIZE.pack(len(header)) + header + zlib.compress(machine, 1)


def unpack_env(saved: bytes) -> tuple[dict[str, Any], bytes]:
    """Return the facts and the machine of what `pack_env` returned.

    Raises:
        CheckpointError: It is damaged, or was not saved by this version.
    """
    if not saved.startswith(_ENV_MAGIC):
        raise CheckpointError(
            "This saved environment is from a different version.", "Start a new run."
        )
    start = len(_ENV_MAGIC) + _SIZE.size
    try:
        (size,) = _SIZE.unpack_from(saved, len(_ENV_MAGIC))
        facts: dict[str, Any] = parse_json(saved[start : start + size])
        return facts, inflate(saved[start + size :], MAX_STATE_SIZE)
    except (ValueError, struct.error) as error:
        raise CheckpointError(
            f"A saved environment is damaged: {error}.", "Use an older checkpoint."
        ) from None


_log = logging.getLogger(__name__)

STATES_FOLDER = "states"
"""Folder inside the save folder that keeps start states."""

_MAX_FILE_SIZE = 1 << 22

_STATE_SUFFIX = ".state"
"""Suffix of a file that is meant to be a state; other files are recognised by their content."""
_SETTLING_FRAMES, _MAX_SETTLING = 32, 20
"""A step that was begun is over after one round of so many frames, a door after some."""


def make_start_state(
    game: Game, emulator: Emulator, folder: Path | None = None, given: str = ""
) -> bytes:
    """Return the state that episodes start from, and leave the emulator in it.

    Without a given file it is the first control after the introduction, which is played once and
    kept in `folder`. In a given state of a game in progress (battles, menus and text included) all
    buttons are released and text is made fast; from a state in the title or the introduction, and
    from a battery file, the game is played on to the first control.

    Args:
        game: What is played.
        emulator: Has just been switched on.
        folder: Keeps start states; None: none are kept. One that cannot be used is done without.
        given: A state of PyBoy's or ours, or a battery file of any emulator, recognised by its
            content; a bare name may be that of a file in `folder`. It is only read.

    Raises:
        ConfigurationError: The given file is unusable.
        EnvironmentError: The introduction does not come to an end.
    """
    if given and folder is not None and _is_kept(given, folder):
        return _from_file(game, emulator, folder / given)
    if given:
        return _from_file(game, emulator, user_path(given))
    path = _kept_path(game, folder) if folder else None
    if path is not None and path.is_file():
        try:
            return _load_kept(game, emulator, _read(path), path)
        except (OSError, ConfigurationError) as error:
            _log.warning("cannot use the cached start state: %s", error)
    return _play_introduction(game, emulator, path)


def prepare_start_state(config: RunConfig, report: Callable[[int, int], None]) -> None:
    """Play a ROM's introduction now, if no run did before, and keep the state where it ends.

    The environments would do so, each of them, and could not report their progress. `report` is
    that of `Game.play_introduction`.

    Raises:
        EnvironmentError: The introduction does not come to an end.
    """
    game = load_game(config.rom_path, config.allow_unknown_rom)
    path = _kept_path(game, states_folder(config))
    if config.start_state or path.is_file():
        return
    with closing(game.start()) as emulator:
        _play_introduction(game, emulator, path, report)


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
    game = load_game(config.rom_path, config.allow_unknown_rom)
    with closing(game.start()) as emulator:
        state = _from_file(game, emulator, user_path(config.start_state))
    digest = hashlib.sha1(state, usedforsecurity=False).hexdigest()
    copy = folder / f"{game.sha1}-{digest[:16]}.state"
    hint = "Choose a writable one with --save-dir."
    with os_errors_as(ConfigurationError, f"Cannot write to the save folder {folder}", hint):
        _keep(copy, game, state)
    return config.model_copy(update={"start_state": copy.name})


def states_folder(config: RunConfig) -> Path:
    """Return the folder in which a run's start states are kept."""
    return user_path(config.save_dir) / STATES_FOLDER


def _kept_path(game: Game, folder: Path) -> Path:
    """Return where the state at the introduction's end is kept."""
    older = folder.glob(f"{game.sha1}-*-{game.emulator_version}.state")  # they name the emulator
    return next(older, folder / f"{game.sha1}-{game.emulator_version}.state")


def _play_introduction(
    game: Game,
    emulator: Emulator,
    path: Path | None,
    report: Callable[[int, int], None] = lambda done, most: None,
) -> bytes:
    """Return the state at the introduction's end, kept at `path` if it can be."""
    game.play_introduction(emulator, game.reader(emulator).read, report)
    state = emulator.save_state()
    if path is not None:
        try:
            _keep(path, game, state)
        except OSError as error:
            _log.warning("cannot cache the start state %s: %s", path, error)
    return state


def _is_kept(given: str, folder: Path) -> bool:
    return Path(given).name == given and (folder / given).is_file()


def _from_file(game: Game, emulator: Emulator, file: Path) -> bytes:
    data = _read(file)
    if data.startswith(MAGIC):
        return _load_kept(game, emulator, data, file)
    try:
        _load(game, emulator, data, file)
    except ConfigurationError as refusal:
        return _from_battery(game, emulator, data, file, refusal)
    for action in range(len(game.actions)):
        emulator.release(action)
    reader = game.reader(emulator)
    for _ in range(_MAX_SETTLING):
        emulator.tick(_SETTLING_FRAMES)
        control = reader.read().control
        if control.in_game and not control.in_transition:
            game.prepare(emulator)
            break
    else:
        _play_on(game, emulator, reader, file)
    return emulator.save_state()


def _from_battery(
    game: Game, emulator: Emulator, data: bytes, file: Path, refusal: ConfigurationError
) -> bytes:
    """Return the state at the first control after CONTINUE; `refusal` is why it is no state."""
    if what := other_format(data):
        raise ConfigurationError(
            f"{file} is {what}: neither a save state of this game nor a battery file.",
            "Save in the game, and use the battery file (.sav) that the emulator writes.",
        )
    try:
        started = game.start_saved(data, str(file))
    except ConfigurationError:
        if file.suffix.lower() == _STATE_SUFFIX:
            raise refusal from None
        raise
    with closing(started) as machine:
        _play_on(game, machine, game.reader(machine), file)
        state = machine.save_state()
    emulator.load_state(state)
    return state


def _play_on(game: Game, emulator: Emulator, reader: Reader, file: Path) -> None:
    try:
        game.play_introduction(emulator, reader.read)
    except EnvironmentError:
        raise ConfigurationError(
            f"The player never gets control when starting from {file}.",
            "It may be for a different ROM. Save again in the game, or leave --state out.",
        ) from None


def _read(file: Path) -> bytes:
    try:
        if not file.is_file():
            what = "is a folder" if file.is_dir() else "does not exist"
            raise ConfigurationError(
                f"The start file {what}: {file}.",
                "Use a save state or .sav file as --state, or leave it out.",
            )
        return read_file(file, _MAX_FILE_SIZE)
    except FileTooLargeError:
        raise ConfigurationError(
            f"{file} is too large for a save state or a battery file.",
            "Use another file, or leave --state out.",
        ) from None
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise ConfigurationError(f"Cannot read {file}: {reason}.", "Make it readable.") from None


def _load_kept(game: Game, emulator: Emulator, data: bytes, file: Path) -> bytes:
    """Load what `_keep` has written."""
    sha1 = data[len(MAGIC) : len(MAGIC) + SHA1_SIZE]
    if data.startswith(MAGIC) and sha1 != game.sha1.encode():
        raise ConfigurationError(
            f"{file} is a start state for a different ROM.", f"Use one for {game.name}."
        )
    try:
        state = unpack_state(data)
    except ValueError:
        raise ConfigurationError(
            f"The start state {file} is damaged.", "Use another one."
        ) from None
    _load(game, emulator, state, file)
    return state


def _load(game: Game, emulator: Emulator, state: bytes, file: Path) -> None:
    try:
        emulator.load_state(state)
    except EnvironmentError:
        raise ConfigurationError(
            f"{file} is not a save state of this game for emulator {game.emulator_version}.",
            "It is damaged, or for a different version or ROM. Save again, or leave it out.",
        ) from None


def _keep(path: Path, game: Game, state: bytes) -> None:
    """Write a file whole or not at all; several workers may do so at once."""
    make_folder(path.parent)
    write_file(path, pack_state(game.sha1, state))
