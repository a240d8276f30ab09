"""Start the program of a measurement in a terminal and read what it wrote down."""

import json
import sys
from pathlib import Path
from typing import Any

from textual.app import App

from engine.ground.processes import python_command
from engine.ground.scratch import scratch_folder
from tests.benchmarks.cockpit.fast_terminal import FastTerminal


def write_preferences(folder: Path, *, view: str = "") -> dict[str, str]:
    """Write preferences of a user who knows the cockpit; return the environment for them."""
    folder.mkdir(exist_ok=True)
    text = f'has_seen_first_run = true\nview = "{view}"\n'
    (folder / "preferences.toml").write_text(text, encoding="utf-8")
    return {"POKETUI_CONFIG_DIR": str(folder)}


def run_program(
    module: str,
    size: tuple[int, int],
    timeout_s: float,
    *,
    has_pictures: bool = False,
    **options: Any,
) -> tuple[dict[str, Any], FastTerminal]:
    """Run a measuring program to its end in a terminal of `size` columns and rows.

    The terminal may claim to draw pictures; `options` go to the program's `main`, as JSON.

    Returns:
        What it wrote down, and the terminal, which knows how many bytes came when.

    Raises:
        RuntimeError: The program failed.
    """
    with scratch_folder() as folder:
        out = folder / "found.json"
        command = python_command(module, str(out), json.dumps(options), options=("-W", "ignore"))
        with FastTerminal(
            command,
            columns=size[0],
            rows=size[1],
            environment=write_preferences(folder / "config"),
            has_pictures=has_pictures,
        ) as terminal:
            terminal.keeps = False
            code = terminal.wait(timeout_s)
        if code or not out.exists():
            raise RuntimeError(f"{module} ended with {code}")
        return json.loads(out.read_text()), terminal


def options_of(arguments: list[str]) -> tuple[Path, dict[str, Any]]:
    """Read what `run_program` gave."""
    return Path(arguments[1]), json.loads(arguments[2])


def write_down(app: App[None], out: Path, found: dict[str, Any]) -> None:
    """Write down what was found, unless the application broke."""
    if app.return_code:
        sys.exit(app.return_code)
    out.write_text(json.dumps(found), encoding="utf-8")
