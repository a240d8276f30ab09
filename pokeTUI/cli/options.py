"""Define what several commands have in common."""

from pathlib import Path
from typing import Annotated, Any

import typer

from engine.errors import ConfigurationError
from pokeTUI.cli.completion import (
    choices_of,
    complete_runs_or_latest,
    complete_settings,
    words,
)

COLOR_WORDS = ("auto", "truecolor", "256", "16", "none")
"""Those of `pokeTUI.terminal.probe`, which takes too long to load while a shell waits."""

Rom = Annotated[str | None, typer.Option(help="Your ROM file.", show_default="the practice game")]
AnyRom = Annotated[
    bool, typer.Option("--allow-unknown-rom", help="Try a ROM whose hash is not known.")
]
StartState = Annotated[
    str | None,
    typer.Option(help="Start from a saved state or a .sav file.", show_default="a new game"),
]
ConfigFile = Annotated[Path | None, typer.Option(help="JSON or TOML file with settings.")]
Seed = Annotated[int | None, typer.Option(help="Seed of everything random.")]
SaveDir = Annotated[str | None, typer.Option(help="Folder for saved runs.", show_default="saves")]
Color = Annotated[
    str,
    typer.Option(
        metavar="DEPTH",
        help="Colours to draw with: auto, truecolor, 256, 16 or none.",
        autocompletion=words(*COLOR_WORDS),
    ),
]
LlmBackend = Annotated[
    str | None,
    typer.Option(
        help="ollama, openai, anthropic, or local for a file.",
        show_default="by the model's name",
        autocompletion=choices_of("llm_backend"),
    ),
]
LatestRun = Annotated[
    str,
    typer.Argument(
        metavar="[RUN]",
        help="A saved run.",
        show_default="the latest",
        autocompletion=complete_runs_or_latest,
    ),
]
Settings = Annotated[
    list[str] | None,
    typer.Option(
        "--set",
        metavar="KEY=VALUE",
        help="Any setting, e.g. ppo.epochs=4.",
        autocompletion=complete_settings,
    ),
]


def given(**values: Any) -> dict[str, Any]:
    """Return the values of the options that were given: those that are not None."""
    return {key: value for key, value in values.items() if value is not None}


def planner_model(option: str) -> Any:
    """Return the option that names the model behind `option`, e.g. "--player planner"."""
    return typer.Option(
        help=f"Language model that sets the goals of {option}; it is waited for.",
        show_default="none: rules set them",
    )


def parse_settings(pairs: list[str] | None) -> dict[str, Any]:
    """Return the settings of `--set` by dotted key.

    Raises:
        ConfigurationError: One is not KEY=VALUE.
    """
    settings: dict[str, Any] = {}
    for pair in pairs or []:
        key, separator, value = pair.partition("=")
        if not separator or not key:
            raise ConfigurationError(f"--set {pair}: not KEY=VALUE.", "Example: --set ppo.epochs=4")
        settings[key] = value
    return settings
