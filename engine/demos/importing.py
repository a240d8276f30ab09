"""Import demonstrations and other programs' files, each once."""

from collections.abc import Hashable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path

from engine.config import RunConfig
from engine.demos.dataset import DemoSet, copy_demo, demos_folder
from engine.demos.demonstration import Demonstration, read_demo, write_demo
from engine.demos.minari_folder import DEMOS, read_minari_actions
from engine.demos.npz import from_npz
from engine.demos.recorder import free_path, import_actions
from engine.demos.table import from_csv
from engine.errors import DemoError
from engine.ground.files import check_writable, os_errors_as

KINDS = ".demo, .npz and .csv"


@dataclass(frozen=True, slots=True)
class Imported:
    """An imported demonstration.

    Attributes:
        path: Where it is now.
        is_known: The folder already had it.
    """

    path: Path
    demo: Demonstration
    is_known: bool


class Importer:
    """Import files into the folder of demonstrations that a run's settings name.

    Foreign actions are played in their game.

    Raises:
        DemoError: The folder cannot be written.
    """

    def __init__(self, config: RunConfig) -> None:
        self._config = config
        self._folder = demos_folder(config)
        hint = "Choose another folder with --save-dir."
        with os_errors_as(DemoError, f"Cannot write to {self._folder}", hint):
            check_writable(self._folder)
        self._there: dict[Hashable, Path] | None = None

    def take(self, file: Path) -> Iterator[Imported]:
        """Import a file, or a folder with a Minari dataset.

        Raises:
            PokeTUIError: It cannot be used.
        """
        if file.is_dir():
            kept = DemoSet(file / DEMOS)
            for path, demo in kept.read():
                yield self._keep(demo, source=path)
            for actions in () if len(kept) else read_minari_actions(file):
                demo, made = import_actions(actions, self._config, self._folder, origin=file)
                yield self._keep(demo, played=made)
            return
        match file.suffix.lower():
            case ".demo":
                yield self._keep(read_demo(file), source=file)
            case ".npz":
                demo, played = from_npz(file, self._config, self._folder)
                yield self._keep(demo, played=played)
            case ".csv":
                demo, made = from_csv(file, self._config, self._folder)
                yield self._keep(demo, played=made)
            case _ if not file.exists():
                raise DemoError(f"{file} does not exist.", f"Supported: {KINDS}.")
            case _:
                raise DemoError(f"Unknown file type: {file}.", f"Supported: {KINDS}.")

    def _keep(
        self, demo: Demonstration, *, source: Path | None = None, played: Path | None = None
    ) -> Imported:
        """Keep a demonstration, unless the folder has one of the same play.

        `source` is its file elsewhere, `played` the file in the folder that playing it made.
        """
        if self._there is None:
            entries = [one for one in DemoSet(self._folder).entries() if one.path != played]
            self._there = {_play_of(one.demo): one.path for one in entries if one.demo is not None}
        play = _play_of(demo)
        if (known := self._there.get(play)) is not None:
            if played is not None:
                played.unlink()
            return Imported(known, demo, is_known=True)
        if played is not None:
            path = played
        elif source is not None:
            path = copy_demo(source, self._folder)
        else:
            path = free_path(self._folder, demo.by, demo.created_s)
            write_demo(path, demo)
        self._there[play] = path
        return Imported(path, demo, is_known=False)


def _play_of(demo: Demonstration) -> Hashable:
    """Return what two demonstrations of the same play have in common: game, start and inputs."""
    return replace(demo.recording, emulator="", memory=""), demo.begin
