"""Take in demonstrations and other programs' files, each once."""

from collections.abc import Hashable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path

from engine.config import RunConfig
from engine.demos.dataset import DemoSet, copy_demo, demos_folder
from engine.demos.demonstration import Demonstration, read_demo, write_demo
from engine.demos.exchange import from_actions, from_npz
from engine.demos.minari_folder import DEMOS, read_minari_actions
from engine.demos.recorder import free_path
from engine.demos.table import from_csv
from engine.errors import DemoError
from engine.files import check_writable

KINDS = ".demo, .npz and .csv"


@dataclass(frozen=True, slots=True)
class Imported:
    """The result of a file.

    Attributes:
        path: Where it is now.
        is_known: It was there before.
    """

    path: Path
    demo: Demonstration
    is_known: bool


class Importer:
    """Takes files into the folder of demonstrations.

    Args:
        config: Names that folder, and the game that foreign actions are played in.

    Raises:
        DemoError: The folder cannot be written.
    """

    def __init__(self, config: RunConfig) -> None:
        self._config = config
        self._folder = demos_folder(config)
        try:
            check_writable(self._folder)
        except OSError as error:
            raise DemoError(
                f"Cannot write to {self._folder}: {error.strerror}.",
                "Give another folder with --save-dir.",
            ) from None
        self._there: dict[Hashable, Path] | None = None

    def take(self, file: Path) -> Iterator[Imported]:
        """Take in a file, or a folder with a Minari dataset.

        Raises:
            PokeTUIError: It cannot be used.
        """
        if file.is_dir():
            kept = DemoSet(file / DEMOS)
            if len(kept):
                for path, demo in kept.read():
                    yield self._copied(path, demo)
                return
            for actions in read_minari_actions(file):
                demo, path = from_actions(actions, self._config, self._folder, origin=file)
                yield self._played(path, demo)
            return
        match file.suffix.lower():
            case ".demo":
                yield self._copied(file, read_demo(file))
            case ".npz":
                demo, made = from_npz(file, self._config, self._folder)
                yield self._written(demo) if made is None else self._played(made, demo)
            case ".csv":
                demo, made = from_csv(file, self._config, self._folder)
                yield self._played(made, demo)
            case _ if not file.exists():
                raise DemoError(f"{file} is not there.", f"Known kinds are {KINDS}.")
            case _:
                raise DemoError(f"{file} is of no known kind.", f"Known are {KINDS}.")

    def _copied(self, path: Path, demo: Demonstration) -> Imported:
        return self._known(demo) or self._new(copy_demo(path, self._folder), demo)

    def _written(self, demo: Demonstration) -> Imported:
        if known := self._known(demo):
            return known
        path = free_path(self._folder, demo.by, demo.created_s)
        write_demo(path, demo)
        return self._new(path, demo)

    def _played(self, path: Path, demo: Demonstration) -> Imported:
        known = self._known(demo, path)
        if known is None:
            return self._new(path, demo)
        path.unlink()
        return known

    def _known(self, demo: Demonstration, but: Path | None = None) -> Imported | None:
        """Return which one that is there, other than `but`, is the same play."""
        if self._there is None:
            entries = [one for one in DemoSet(self._folder).entries() if one.path != but]
            self._there = {_play_of(one.demo): one.path for one in entries if one.demo is not None}
        path = self._there.get(_play_of(demo))
        return None if path is None else Imported(path, demo, is_known=True)

    def _new(self, path: Path, demo: Demonstration) -> Imported:
        assert self._there is not None
        self._there[_play_of(demo)] = path
        return Imported(path, demo, is_known=False)


def _play_of(demo: Demonstration) -> Hashable:
    """Return what two demonstrations of the same play have in common: game, start and inputs."""
    return replace(demo.recording, emulator="", memory=""), demo.begin
