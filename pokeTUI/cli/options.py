"""Define what several commands have in common."""

from typing import Annotated, Any

import typer

from pokeTUI.cli.completion import (
    choices_of,
    complete_runs_or_latest,
    complete_settings,
    words,
)

COLOR_WORDS = ("auto", "truecolor", "256", "16", "none")
"""Those of `pokeTUI.terminal.probe`, which takes too long to load while a shell waits."""

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


def parse_settings(pairs: list[str] | None) -> dict[str, Any]:
    """Return the settings of `--set` by dotted key.

    Raises:
        ConfigurationError: One is not KEY=VALUE.
    """
    from engine.errors import ConfigurationError

    settings: dict[str, Any] = {}
    for pair in pairs or []:
        key, separator, value = pair.partition("=")
        if not separator or not key:
            raise ConfigurationError(f"--set {pair}: not KEY=VALUE.", "Example: --set ppo.epochs=4")
        settings[key] = value
    return settings
