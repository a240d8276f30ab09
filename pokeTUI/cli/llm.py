"""Define `poketui llm`: check language models, ask one, read what was asked."""

from pathlib import Path
from typing import Annotated, Any

import typer

from pokeTUI.cli.options import LatestRun, Rom, SaveDir, Settings, given, parse_settings

llm_app = typer.Typer(
    help="Check a language model, download it, ask it, read what it said.", no_args_is_help=True
)

Model = Annotated[
    str | None,
    typer.Option(
        "--model",
        "--llm-model",
        help="E.g. smollm2:1.7b, gpt-..., claude-... or ./FILE.gguf; several with commas between.",
        show_default="smollm2:1.7b",
    ),
]
Backend = Annotated[
    str | None,
    typer.Option(
        "--backend",
        "--llm-backend",
        help="ollama, openai, anthropic, or local for a file.",
        show_default="by the model's name",
    ),
]
BaseUrl = Annotated[
    str | None, typer.Option(help="Address of the server.", show_default="the usual one")
]


@llm_app.command()
def check(
    model: Model = None,
    backend: Backend = None,
    base_url: BaseUrl = None,
    set_: Settings = None,
) -> None:
    """Say whether a model can be used: server, model, schema, latency; exit code 2 if not."""
    from pokeTUI.cli.llm_reports import print_check

    raise typer.Exit(print_check(_settings(set_, model, backend, base_url)))


@llm_app.command()
def pull(
    model: Annotated[
        str | None,
        typer.Argument(help="As in Ollama's library.", show_default="smollm2:1.7b"),
    ] = None,
    base_url: BaseUrl = None,
) -> None:
    """Download a model with Ollama; where it was broken off, it is resumed."""
    from pokeTUI.cli.pulling import pull_models

    pull_models(_settings(None, model, None, base_url))


@llm_app.command()
def ask(
    state: Annotated[
        Path | None,
        typer.Option(help="A saved state or .sav file.", show_default="a new game"),
    ] = None,
    rom: Rom = None,
    wish: Annotated[str, typer.Option(help="A goal in your words, told to the model.")] = "",
    model: Model = None,
    backend: Backend = None,
    base_url: BaseUrl = None,
    set_: Settings = None,
) -> None:
    """Ask a model for one plan, and show the question, the answer and what is taken from it."""
    from pokeTUI.cli.llm_reports import print_plan

    settings = _settings(set_, model, backend, base_url)
    settings |= given(rom_path=rom, start_state=None if state is None else str(state))
    raise typer.Exit(print_plan(settings, instruction=wish))


@llm_app.command()
def log(
    run: LatestRun = "latest",
    last: Annotated[int, typer.Option(min=1, help="How many, the newest last.")] = 20,
    full: Annotated[bool, typer.Option("--full", help="With prompts and whole answers.")] = False,
    save_dir: SaveDir = None,
) -> None:
    """List what a run asked its language model, what it said and what came of it.

    For other programs: poketui export --table exchanges
    """
    from pokeTUI.cli.llm_reports import print_exchanges

    print_exchanges(save_dir, run, last=last, is_full=full)


def _settings(
    pairs: list[str] | None, model: str | None, backend: str | None, base_url: str | None
) -> dict[str, Any]:
    """Return what was given, by key; the options go before `--set`."""
    named = given(llm_model=model, llm_backend=backend, llm_base_url=base_url)
    return parse_settings(pairs) | named
