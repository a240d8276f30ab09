"""Export the journal of a run or a cloned policy as a CSV table or as JSON."""

import csv
import io
import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any, Literal, get_args

from engine.errors import ConfigurationError
from engine.events import CurriculumChanged, EpisodeEnded, EvaluationEnded, Event, PolicyUpdated
from engine.ground.files import EXPORT_MODE, os_errors_as, write_file
from engine.planning.models.exchanges import export_rows, scan
from engine.runs.folder import RunFolder
from engine.runs.journal import plain, read_journal, skipped_lines
from engine.runs.policy_folders import find_saved
from engine.runs.settings import read_settings

Table = Literal["episodes", "updates", "evaluations", "exchanges"]
Format = Literal["csv", "json"]

_NOT_SHOWN = ("recording", "goals", "is_aborted", "components", "steps_to_milestone", "stood_still")


def export_run(
    save_dir: str,
    run: str,
    *,
    form: str = "csv",
    table: str = "episodes",
    out: Path | None = None,
    is_forced: bool = False,
    warn: Callable[[str], None] = lambda text: None,
) -> tuple[Path, int]:
    """Write a run's figures into a file; return it and how many rows it has.

    Args:
        save_dir: The save folder.
        run: An id, a path or "latest", of a run, or of a cloned policy, whose epochs are "updates".
        form: "csv" is one table, "json" everything.
        table: "episodes", with a column for each component and milestone; "updates";
            "evaluations"; or "exchanges" with a language model.
        out: The file; None: named after the run, in the current folder.
        is_forced: Overwrite the file.
        warn: Takes a line about what is damaged, and so left out.

    Raises:
        CheckpointError: There is no such run.
        ConfigurationError: A value is not allowed, or the file exists already or cannot be written.
    """
    _check("format", form, get_args(Format))
    _check("table", table, get_args(Table))
    folder = find_saved(save_dir, run)
    name = folder.path.name
    tables = _tables(read_journal(folder.journal_path, warn=warn))
    if isinstance(folder, RunFolder):
        tables["exchanges"] = _exchanges(folder.exchanges_path, warn)
        config = read_settings(folder.path).model_dump(mode="json") if form == "json" else {}
    else:
        tables["exchanges"] = []
        config = folder.settings()
    if form == "json":
        file = f"{name}.json"
        values = plain({"run": name, "config": config, **tables})
        content = json.dumps(values, indent=1, allow_nan=False).encode() + b"\n"
        count = sum(map(len, tables.values()))
    else:
        file = f"{name}-{table}.csv"
        content, count = _csv(tables[table]), len(tables[table])
    path = out or Path(file)
    if path.exists() and not is_forced:
        raise ConfigurationError(
            f"{path} already exists.", "Choose another file with --out, or add --force."
        )
    hint = "Choose another file with --out."
    with os_errors_as(ConfigurationError, f"Cannot write {path}", hint):
        write_file(path, content, EXPORT_MODE)
    return path, count


def _check(what: str, value: str, allowed: Sequence[str]) -> None:
    if value not in allowed:
        raise ConfigurationError(
            f"Unknown {what}: '{value}'.", f"Allowed values: {', '.join(allowed)}."
        )


def _exchanges(path: Path, warn: Callable[[str], None]) -> list[dict[str, Any]]:
    try:
        found = scan(path)
    except OSError as error:
        warn(f"{path} cannot be read: {error.strerror or error}.")
        return []
    if found.damaged:
        warn(skipped_lines(found.damaged, path))
    return list(export_rows(found.exchanges))


def _tables(events: Iterable[Event]) -> dict[str, list[dict[str, Any]]]:
    tables: dict[str, list[dict[str, Any]]] = {
        "episodes": [],
        "updates": [],
        "evaluations": [],
        "curriculum": [],
    }
    for event in events:
        match event:
            case EpisodeEnded():
                tables["episodes"].append(_episode(event))
            case PolicyUpdated(update=update, total_steps=steps, figures=figures):
                row = {"update": update, "total_steps": steps, **figures}
                tables["updates"].append(row)
            case EvaluationEnded():
                tables["evaluations"].append(_evaluation(event))
            case CurriculumChanged():
                tables["curriculum"].append(asdict(event))
            case _:
                pass
    return tables


def _episode(event: EpisodeEnded) -> dict[str, Any]:
    facts = asdict(event.summary)
    return {
        "episode": event.episode,
        "total_steps": event.total_steps,
        **{key: value for key, value in facts.items() if key not in _NOT_SHOWN},
        **{f"component:{name}": value for name, value in event.summary.components},
        **{f"milestone:{key}": step for key, step in event.summary.steps_to_milestone.items()},
    }


def _evaluation(event: EvaluationEnded) -> dict[str, Any]:
    facts = asdict(event.evaluation)
    milestones = facts.pop("milestones")
    return {
        "episode": event.episode,
        "total_steps": event.total_steps,
        **facts,
        **{f"milestone:{key}": share for key, share in milestones.items()},
    }


def _csv(rows: Sequence[Mapping[str, Any]]) -> bytes:
    columns = dict.fromkeys(key for row in rows for key in row)
    file = io.StringIO(newline="")
    writer = csv.DictWriter(file, list(columns))
    writer.writeheader()
    writer.writerows({key: _cell(value) for key, value in row.items()} for row in rows)
    # A model's truncated answer may end with half a surrogate pair, which cannot be encoded.
    return file.getvalue().encode(errors="replace")


def _cell(value: Any) -> Any:
    """Return booleans as 0 and 1, which spreadsheets can sum up, and nan as an empty cell."""
    return int(value) if isinstance(value, bool) else "" if plain(value) is None else value
