"""Keep a game that is played from power-on, so that the same command resumes it."""

import hashlib
import json
import struct
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from engine.config import RunConfig
from engine.env.game_env import GameEnv
from engine.ground.files import make_folder, parse_json, read_file, write_file
from engine.ground.folders import user_path

FOLDER = "bench"
"""Folder inside the save folder that keeps games."""

_MAGIC = b"PokeTUI bench play 1\n"
_SIZE = struct.Struct("<I")
_DIGEST_SIZE = hashlib.sha1(usedforsecurity=False).digest_size
_MAX_SIZE = 1 << 26
"""Bytes; a game of 20,000 steps takes 50,000."""
_ANYWHERE = {"save_dir", "rom_path", "start_state", "log_level", "headless"}
"""Settings that change nothing of the game, or whose content is compared instead."""


class KeptGame:
    """The file that keeps the game of one seed.

    It is named after the ROM's SHA-1, the goal, the player and the seed. It is resumed only by the
    program and with the settings that it was kept with: anything else would play on differently.

    Args:
        config: The game, its seed, its goal and its settings.
        player: Name of the player.
        env: The game as it is before the first step.
        say: Takes lines for the user.
    """

    def __init__(
        self, config: RunConfig, player: str, env: GameEnv, say: Callable[[str], None]
    ) -> None:
        about = _digest(json.dumps([env.game.sha1, config.env.goal, player]).encode())
        self.path = user_path(config.save_dir) / FOLDER / f"{about[:16]}-{config.seed}.game"
        settings = config.model_dump(mode="json", exclude=_ANYWHERE)
        made_of = [settings, env.start_hash, env.game.emulator_version]
        self._origin = {
            "the program": _program_digest(),
            "a setting": _digest(json.dumps(made_of, sort_keys=True).encode()),
        }
        self._say = say
        self._is_writable = True

    def load(self) -> tuple[dict[str, Any], bytes] | None:
        """Return the facts and the environment that `save` was given.

        None if nothing is kept, or it cannot be used; the user is told why.
        """
        try:
            facts, env = _unpack(read_file(self.path, _MAX_SIZE))
        except FileNotFoundError:
            return None
        except OSError as error:
            self._say(f"starts anew: cannot read the saved game: {error.strerror or error}")
            return None
        except ValueError as error:
            self._say(f"starts anew: cannot use the saved game: {error}")
            return None
        kept: Mapping[str, str] = facts.pop("origin")
        for what, digest in self._origin.items():
            if kept.get(what) != digest:
                self._say(f"starts anew: {what} has changed since the game was saved")
                return None
        return facts, env

    def save(self, facts: Mapping[str, Any], env: bytes) -> None:
        """Keep a game; if that is not possible, say so once."""
        if not self._is_writable:
            return
        try:
            make_folder(self.path.parent)
            write_file(self.path, _pack({**facts, "origin": self._origin}, env))
        except OSError as error:
            self._is_writable = False
            self._say(f"cannot save the game, so it cannot be resumed: {error.strerror or error}")


def _pack(facts: Mapping[str, Any], env: bytes) -> bytes:
    header = json.dumps(facts).encode()
    content = _SIZE.pack(len(header)) + header + env
    return _MAGIC + hashlib.sha1(content, usedforsecurity=False).digest() + content


def _unpack(packed: bytes) -> tuple[dict[str, Any], bytes]:
    """Return what `_pack` was given.

    Raises:
        ValueError: It is damaged.
    """
    start = len(_MAGIC) + _DIGEST_SIZE
    content = packed[start:]
    digest = hashlib.sha1(content, usedforsecurity=False).digest()
    if packed[:start] != _MAGIC + digest:
        raise ValueError("it is damaged, or from a different version")
    (size,) = _SIZE.unpack_from(content)
    end = _SIZE.size + size
    return parse_json(content[_SIZE.size : end]), content[end:]


def _digest(data: bytes) -> str:
    return hashlib.sha1(data, usedforsecurity=False).hexdigest()


def _program_digest() -> str:
    """Return a digest of the engine's files: the same rules play the same game."""
    engine = Path(__file__).parents[1]
    files = sorted(path for path in engine.rglob("*") if path.suffix in {".py", ".csv"})
    return _digest(b"".join(_digest(path.read_bytes()).encode() for path in files))
