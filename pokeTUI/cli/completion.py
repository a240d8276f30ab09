"""Complete words of the command line: names of runs, and values of options with few of them.

A shell waits for this at every press of Tab, so a saved run's name and two of its settings are read
here and nothing else of it.

Shells evaluate what is offered to them, some at once, so names that could be more than a word are
not offered: whoever made a folder with such a name could have anything run.
"""

import contextlib
import os
import re
from collections.abc import Callable, Mapping
from pathlib import Path

import typer

from engine.errors import PokeTUIError
from engine.ground.files import read_object
from engine.ground.numerals import parse_whole

_MOST_RUNS = 50
_WORD = re.compile(r"(?!-)[\w.,:+@%-]+")
_LATEST = ("latest", "the most recent")

Completer = Callable[[str], list[str]]


def complete_runs(context: typer.Context, incomplete: str) -> list[tuple[str, str]]:
    """Return the saved runs whose names begin so, the newest first, each with what it is."""
    return [(run.name, _describe(run)) for run in _saved(context, "runs", incomplete)]


def complete_runs_or_latest(context: typer.Context, incomplete: str) -> list[tuple[str, str]]:
    """Return "latest", and the saved runs."""
    first = [_LATEST] if _LATEST[0].startswith(incomplete) else []
    return first + complete_runs(context, incomplete)


def complete_runs_and_policies(context: typer.Context, incomplete: str) -> list[tuple[str, str]]:
    """Return the saved runs, and after them the cloned policies."""
    return complete_runs(context, incomplete) + _policies(context, incomplete)


def complete_players(context: typer.Context, incomplete: str) -> list[tuple[str, str]]:
    """Return who can play: the rules, the planner, chance, a cloned policy, a run."""
    always = (
        ("rules", "the planner's rules"),
        ("planner", "the language model's goals"),
        ("random", "uniformly random"),
    )
    found = [player for player in always if player[0].startswith(incomplete)]
    return found + _policies(context, incomplete) + complete_runs(context, incomplete)


def complete_sets(context: typer.Context, incomplete: str) -> list[str]:
    """Return the sets of demonstrations whose names begin so."""
    return [path.name for path in _named(context, "demos", incomplete, Path.is_dir)]


def complete_live_runs(incomplete: str) -> list[str]:
    """Return the runs that have a socket, without connecting to see whether they still listen."""
    from engine.remote.folder import runtime_folder

    try:
        sockets = sorted(runtime_folder().glob("*.sock"), reverse=True)
    except (PokeTUIError, OSError):
        return []
    names = [path.name.rsplit(".", 2)[0] for path in sockets]
    return [name for name in names if name.startswith(incomplete) and _WORD.fullmatch(name)]


def complete_settings(incomplete: str) -> list[tuple[str, str]]:
    """Return the settings whose names begin so; if only one does, or after "=", its values.

    Were the name of that one offered, shells would add a space after it.
    """
    from engine.config import RunConfig
    from pokeTUI.settings import settings_of, shown

    name, separator, _ = incomplete.partition("=")
    found = [one for one in settings_of(RunConfig) if one.key.startswith(name)]
    if separator or len(found) == 1:
        exact = [one for one in found if one.key == name or not separator]
        return [
            (f"{one.key}={value}", one.description)
            for one in exact[:1]
            # A setting with any value: nothing, and the default.
            for value in list(filter(None, one.choices)) or ["", shown(one.default)]
            if f"{one.key}={value}".startswith(incomplete)
        ]
    return [(f"{one.key}=", one.description) for one in found]


def bash_values(environment: Mapping[str, str]) -> list[str] | None:
    """Return the values that complete `--set KEY=` in bash; None if it asks for something else.

    Bash ends words at "=", so neither Click nor Typer sees that the key belongs to the value, and
    bash wants only what follows the "=".
    """
    if environment.get("_POKETUI_COMPLETE") != "complete_bash":
        return None
    typed = environment.get("COMP_WORDS", "").split("\n")
    at = 0
    with contextlib.suppress(ValueError):
        at = parse_whole(environment.get("COMP_CWORD", ""), 0, len(typed))
    match typed[: at + 1]:
        case [*_, "--set", key, "="]:
            begun = ""
        case [*_, "--set", key, "=", begun]:
            pass
        case _:
            return None
    found = complete_settings(f"{key}={begun}")
    return [value.removeprefix(f"{key}=") for value, _ in found if value != f"{key}="]


def words(*allowed: str) -> Completer:
    """Return a completer of the words `allowed`."""

    def complete(incomplete: str) -> list[str]:
        return [word for word in allowed if word.startswith(incomplete)]

    return complete


def _save_folder(context: typer.Context) -> Path:
    given = context.params.get("save_dir") or os.environ.get("POKETUI_SAVE_DIR") or "saves"
    return Path(os.path.expanduser(given))  # noqa: PTH111 - while a shell waits, nothing is raised


def _policies(context: typer.Context, incomplete: str) -> list[tuple[str, str]]:
    return [(path.name, "a cloned policy") for path in _saved(context, "policies", incomplete)]


def _saved(context: typer.Context, kind: str, incomplete: str) -> list[Path]:
    """Return the folders of runs or policies that begin so, the newest first."""
    given = context.params.get("names") or ()

    def is_new(path: Path) -> bool:
        return path.name not in given and (path / "config.json").is_file()

    return _named(context, kind, incomplete, is_new)[::-1][:_MOST_RUNS]


def _named(
    context: typer.Context, kind: str, incomplete: str, is_wanted: Callable[[Path], bool]
) -> list[Path]:
    """Return what is wanted of a folder in the save folder and begins so, by name."""
    folder = _save_folder(context) / kind
    try:
        return sorted(
            path
            for path in folder.iterdir()
            if path.name.startswith(incomplete) and _WORD.fullmatch(path.name) and is_wanted(path)
        )
    except OSError:
        return []


def _describe(run: Path) -> str:
    try:
        settings = read_object(run / "config.json")
        agent, mode, seed = (str(settings[key]) for key in ("agent", "mode", "seed"))
    except (ValueError, KeyError):
        return ""
    are_words = all(_WORD.fullmatch(value) for value in (agent, mode, seed))
    return f"{agent} {mode}, seed {seed}" if are_words else ""
