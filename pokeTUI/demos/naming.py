"""Find demonstrations by the names that people give."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from engine.config import RunConfig, load_config
from engine.demos.dataset import DemoSet, demos_folder
from engine.demos.demonstration import SUFFIX
from engine.errors import DemoError


def settings(
    save_dir: str | None,
    rom: str | None = None,
    state: str = "",
    allow_unknown_rom: bool = False,
    seed: int | None = None,
) -> RunConfig:
    """Return the settings that options and the environment name."""
    given: dict[str, Any] = {"save_dir": save_dir, "rom_path": rom, "seed": seed}
    given |= {"start_state": state or None, "allow_unknown_rom": allow_unknown_rom or None}
    return load_config(None, {key: value for key, value in given.items() if value is not None})


def named(save_dir: str | None, files: Sequence[str], suffix: str = SUFFIX) -> list[Path]:
    """Return the files of these names: paths, names in the folder of demonstrations or a set.

    Raises:
        DemoError: There is no such file, or several sets have one of that name.
    """
    folder = demos_folder(settings(save_dir))
    sets = [one.folder for one in DemoSet(folder).sets()]
    found = []
    for name in files:
        names = (name, f"{name}{suffix}")
        places = (Path(name), *(folder / each for each in names))
        path = next((place for place in places if place.is_file()), None)
        if path is None:
            path = _in_a_set(name, [one / each for one in sets for each in names])
        found.append(path)
    return found


def _in_a_set(name: str, places: Sequence[Path]) -> Path:
    found = [place for place in places if place.is_file()]
    if not found:
        raise DemoError(f"There is no demonstration {name}.", "List them: poketui demos")
    if len(found) > 1:
        sets = [place.parent.name for place in found]
        raise DemoError(
            f"{name} is in several datasets: {', '.join(sets)}.",
            f"Add the dataset: {sets[0]}/{name}",
        )
    return found[0]
