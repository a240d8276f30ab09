"""Define `poketui llm`: check language models, ask one, read and export what was asked."""

from pathlib import Path
from typing import Annotated, Any

import typer

from engine.ground.providers import names_of
from pokeTUI.cli.completion import complete_runs_or_latest
from pokeTUI.cli.options import (
    Core,
    Game,
    LatestRun,
    LlmBackend,
    Panels,
    Rom,
    SaveDir,
    Settings,
    StartState,
    chosen_rom,
    given,
    parse_settings,
)

llm_app = typer.Typer(
    help="Check, download and query language models; show and export a run's exchanges.",
    no_args_is_help=True,
)

Model = Annotated[
    str | None,
    typer.Option(
        "--model",
        "--llm-model",
        help="Language model: smollm2:1.7b, gpt-..., claude-..., ./FILE.gguf; or a comma-separated "
        "list.",
        show_default="smollm2:1.7b",
    ),
]
BaseUrl = Annotated[str | None, typer.Option(help="Server URL.", show_default="the provider's")]


@llm_app.command(cls=Panels)
def check(
    model: Model = None,
    llm_backend: LlmBackend = None,
    base_url: BaseUrl = None,
    set_: Settings = None,
) -> None:
    """Check server, model, schema and latency; exit code 2 if it cannot be used."""
    from pokeTUI.cli.llm_reports import print_check

    raise typer.Exit(print_check(_settings(set_, model, llm_backend, base_url)))


@llm_app.command(cls=Panels)
def pull(
    model: Annotated[
        str | None,
        typer.Argument(help="Name in Ollama's library.", show_default="smollm2:1.7b"),
    ] = None,
    base_url: BaseUrl = None,
) -> None:
    """Download a model with Ollama; an interrupted download is resumed."""
    from pokeTUI.cli.pulling import pull_models

    pull_models(_settings(None, model, None, base_url))


@llm_app.command(cls=Panels)
def ask(
    state: StartState = None,
    game: Game = None,
    rom: Rom = None,
    core: Core = None,
    instruction: Annotated[
        str, typer.Option("--instruction", "--wish", help="Instruction for the model.")
    ] = "",
    model: Model = None,
    llm_backend: LlmBackend = None,
    base_url: BaseUrl = None,
    set_: Settings = None,
) -> None:
    """Query a model for one plan; show prompt, answer and the parsed goals."""
    from pokeTUI.cli.llm_reports import print_plan

    settings = _settings(set_, model, llm_backend, base_url)
    settings |= given(rom_path=chosen_rom(rom, game), start_state=state)
    raise typer.Exit(print_plan(settings, instruction=instruction))


@llm_app.command(cls=Panels)
def log(
    run: LatestRun = "latest",
    last: Annotated[int, typer.Option(min=1, help="Number of exchanges, newest last.")] = 20,
    full: Annotated[bool, typer.Option("--full", help="Show full prompts and answers.")] = False,
    save_dir: SaveDir = None,
) -> None:
    """List a run's exchanges with its language model, and their outcomes.

    For other programs: poketui export --table exchanges
    """
    from pokeTUI.cli.llm_reports import print_exchanges

    print_exchanges(save_dir, run, last=last, is_full=full)


@llm_app.command(cls=Panels)
def export(
    runs: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[RUN]...",
            help="Saved runs.",
            show_default="the latest",
            autocompletion=complete_runs_or_latest,
        ),
    ] = None,
    all_: Annotated[bool, typer.Option("--all", help="Export all saved runs.")] = False,
    out: Annotated[Path, typer.Option(help="Folder to write into.")] = Path("fine-tuning"),
    model: Annotated[
        str, typer.Option(help="Only answers of these models, separated by commas.")
    ] = "",
    progress: Annotated[
        bool,
        typer.Option(
            "--progress/--no-progress", help="Only goals that brought progress when reached."
        ),
    ] = True,
    min_right: Annotated[
        int, typer.Option(min=1, help="Minimum number of times a goal was right.")
    ] = 1,
    min_success: Annotated[
        float, typer.Option(min=0, max=1, help="Minimum success rate of a goal.")
    ] = 0.5,
    dedupe: Annotated[
        bool,
        typer.Option("--dedupe/--no-dedupe", help="One example per situation and choice."),
    ] = True,
    val_share: Annotated[
        float, typer.Option(min=0, max=0.9, help="Validation share of the examples.")
    ] = 0.1,
    force: Annotated[bool, typer.Option("--force", help="Overwrite the files.")] = False,
    save_dir: SaveDir = None,
) -> None:
    """Export the answers that were proven right, as chats for fine-tuning (JSONL).

    Right is a goal that was followed, reached, and brought progress, as read from RAM.
    """
    from engine.planning.models.fine_tuning import Requirements
    from pokeTUI.cli.llm_export import export_examples

    requirements = Requirements(
        needs_progress=progress,
        min_right=min_right,
        min_success=min_success,
        models=names_of(model),
        has_duplicates=not dedupe,
    )
    export_examples(
        save_dir, runs or (), requirements, is_all=all_, out=out, val_share=val_share,
        is_forced=force,
    )  # fmt: skip


def _settings(
    pairs: list[str] | None, model: str | None, backend: str | None, base_url: str | None
) -> dict[str, Any]:
    """Return what was given, by key; the options go before `--set`."""
    named = given(llm_model=model, llm_backend=backend, llm_base_url=base_url)
    return parse_settings(pairs) | named
