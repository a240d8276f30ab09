"""Write the answers that were proven right as training examples: `poketui llm export`."""

import json
import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any

import typer

from engine.errors import CheckpointError, ConfigurationError
from engine.ground.files import EXPORT_MODE, os_errors_as, write_file
from engine.ground.providers import PROVIDERS, names_of
from engine.ground.text import counted
from engine.planning.models.exchanges import Scan, scan
from engine.planning.models.fine_tuning import Requirements, select, split, statistics
from engine.runs.folder import RunFolder, find_run, list_runs
from engine.runs.journal import skipped_lines
from pokeTUI.cli.completion import complete_runs_or_latest
from pokeTUI.cli.options import SaveDir, refuse_if
from pokeTUI.saved import saves
from pokeTUI.terminal.printing import complain, say

_TRAIN, _VALIDATION, _STATS = "train.jsonl", "validation.jsonl", "stats.json"
_FEWEST = 10
"""Fewest examples that OpenAI's fine-tuning accepts."""
_SHORTEST_KEY = 8
"""Characters from which a key is kept out of the examples: shorter ones are words like "none"."""


def export(
    runs: Annotated[list[str] | None, complete_runs_or_latest] = None,
    /,
    all_: bool = False,
    out: Path = Path("fine-tuning"),
    model: str = "",
    progress: bool = True,
    min_right: Annotated[int, typer.Option(min=1)] = 1,
    min_success: Annotated[float, typer.Option(min=0, max=1)] = 0.5,
    dedupe: bool = True,
    val_share: Annotated[float, typer.Option(min=0, max=0.9)] = 0.1,
    force: bool = False,
    save_dir: SaveDir = None,
) -> None:
    """Export the answers that were proven right, as chats for fine-tuning (JSONL).

    Right is a goal that was followed, reached, and brought progress, as read from RAM.

    Args:
        runs ([RUN]...): Saved runs. Default: the latest.
        all_: Export all saved runs.
        out: Folder to write into.
        model: Only answers of these models, separated by commas.
        progress: Only goals that brought progress when reached.
        min_right: Minimum number of times a goal was right.
        min_success: Minimum success rate of a goal.
        dedupe: One example per situation and choice.
        val_share: Validation share of the examples.
        force: Overwrite the files.
    """
    folders = _folders(saves(save_dir), runs or (), is_all=all_)
    names = (_TRAIN, _VALIDATION, _STATS)
    present = [str(out / name) for name in names if os.path.lexists(out / name)]
    if present and not force:
        raise ConfigurationError(
            f"{present[0]} already exists.", "Choose another folder with --out, or add --force."
        )
    exchanges = _exchanges(folders)
    known = {exchange["model"] for exchange in exchanges}
    if unknown := sorted(set(names_of(model)) - known):
        raise ConfigurationError(
            f"No answers of the model '{unknown[0]}'.",
            f"Models with answers: {', '.join(sorted(known)) or 'none'}.",
        )
    keys = (os.environ.get(provider.key_variable, "") for provider in PROVIDERS.values())
    secrets = tuple(key for key in keys if len(key) >= _SHORTEST_KEY)
    requirements = Requirements(
        needs_progress=progress,
        min_right=min_right,
        min_success=min_success,
        models=names_of(model),
        secrets=secrets,
        has_duplicates=not dedupe,
    )
    selection = select(exchanges, requirements)
    refuse_if(
        not selection.examples,
        f"No examples in {counted(len(exchanges), 'exchange')}"
        + (f" (dropped: {_listed(selection.dropped)})." if selection.dropped else "."),
        "Continue the run, add --no-progress, or lower --min-right or --min-success.",
    )
    train, validation = split(selection.examples, val_share)
    parts = {_TRAIN: train, _VALIDATION: validation}
    facts = statistics(exchanges, selection, parts, needs_progress=progress) | {
        "runs": [folder.run_id for folder in folders]
    }
    contents = {name: b"".join(one.line() for one in part) for name, part in parts.items()}
    _write(out, contents | {_STATS: json.dumps(facts, indent=1).encode() + b"\n"})
    _print(out, facts)


def _folders(save_dir: str, runs: Sequence[str], *, is_all: bool) -> list[RunFolder]:
    refuse_if(is_all and runs, "Runs and --all were given.", "Give one of them.")
    listed = [info.path for info in list_runs(save_dir)] if is_all else []
    named = runs or ([] if listed else ["latest"])
    paths = [*listed, *(find_run(save_dir, run, purpose="read") for run in named)]
    return [RunFolder(path) for path in dict.fromkeys(paths)]


def _exchanges(folders: Sequence[RunFolder]) -> list[dict[str, Any]]:
    exchanges: list[dict[str, Any]] = []
    for folder in folders:
        found = read_exchanges(folder)
        if found.damaged:
            complain(skipped_lines(found.damaged, folder.exchanges_path))
        exchanges += found.exchanges
    return exchanges


def read_exchanges(folder: RunFolder) -> Scan:
    """Return a run's exchanges, and how many lines are damaged.

    Raises:
        CheckpointError: They cannot be read.
    """
    hint = "Check the file's permissions."
    with os_errors_as(CheckpointError, f"Cannot read {folder.exchanges_path}", hint):
        return scan(folder.exchanges_path)


def _write(out: Path, contents: Mapping[str, bytes]) -> None:
    """Write the files that have content; delete the others, left by an earlier export."""
    hint = "Choose another folder with --out."
    with os_errors_as(ConfigurationError, f"Cannot write {out}", hint):
        out.mkdir(parents=True, exist_ok=True)
        for name, content in contents.items():
            if content:
                write_file(out / name, content, EXPORT_MODE)
            else:
                (out / name).unlink(missing_ok=True)


def _print(out: Path, facts: Mapping[str, Any]) -> None:
    say(
        f"{counted(len(facts['runs']), 'run')}, {counted(facts['exchanges'], 'exchange')}, "
        f"{counted(facts['examples'], 'example')}"
    )
    if facts["dropped"]:
        say(f"dropped: {_listed(facts['dropped'])}")
    for name, counts in facts["models"].items():
        rate = counts["success"]["rate"]
        right = "no goal followed" if rate is None else f"{rate:.0%} of the goals right"
        say(
            f"{name}: {counted(counts['exchanges'], 'exchange')}, {right}, "
            f"{counted(counts['examples'], 'example')}"
        )
    say(f"goals: {', '.join(f'{kind} {count:,}' for kind, count in facts['goals'].items())}")
    for name, counts in facts["files"].items():
        if counts["examples"]:
            say(
                f"{out / name}: {counted(counts['examples'], 'example')}, "
                f"about {counted(counts['tokens'], 'token')}"
            )
    if facts["files"][_TRAIN]["examples"] < _FEWEST:
        say(f"OpenAI's fine-tuning requires at least {_FEWEST} examples.")


def _listed(dropped: Mapping[str, int]) -> str:
    return ", ".join(f"{count:,} {why}" for why, count in dropped.items())
