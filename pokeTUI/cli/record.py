"""Define `poketui record`: play, and keep it as demonstrations."""

from typing import TYPE_CHECKING, Annotated, Any, NoReturn

import typer

from engine.errors import ConfigurationError
from engine.ground.text import counted
from pokeTUI.cli import options
from pokeTUI.cli.completion import complete_players, complete_sets
from pokeTUI.terminal.printing import complain, say

if TYPE_CHECKING:
    from engine.config import RunConfig
    from engine.sessions.record import DemoPoint, RecordingPlan


def record(
    dataset: Annotated[
        str,
        typer.Option(
            metavar="NAME",
            help="Dataset to record into; existing episodes count.",
            show_default="demos",
            autocompletion=complete_sets,
        ),
    ] = "",
    episodes: Annotated[
        int,
        typer.Option(
            min=0, max=1_000_000, help="Total episodes in the dataset.", show_default="no limit"
        ),
    ] = 0,
    time_limit: Annotated[
        str, typer.Option(metavar="TIME", help="Maximum episode length: 90s, 5m, 1m30s.")
    ] = "",
    pause: Annotated[
        str, typer.Option(metavar="TIME", help="Pause between episodes, e.g. 5s.")
    ] = "",
    reset: Annotated[
        bool,
        typer.Option(
            "--reset/--no-reset",
            help="Without --pause, your first press starts the next episode.",
        ),
    ] = True,
    review: Annotated[
        bool,
        typer.Option(
            "--review/--no-review",
            help="Review each episode that you play: keep, retake, discard, mark or watch it.",
        ),
    ] = True,
    task: Annotated[str, typer.Option(help="Task description stored with each episode.")] = "",
    tag: options.Tags = None,
    player: Annotated[
        str,
        typer.Option(
            metavar="NAME",
            help="Player: rules, planner, random, a cloned policy or a run; you can take over.",
            show_default="you",
            autocompletion=complete_players,
        ),
    ] = "",
    llm_model: Annotated[str | None, options.planner_model("--player planner")] = None,
    llm_backend: options.LlmBackend = None,
    live: Annotated[bool, typer.Option("--live", help="Play in real time.")] = False,
    demo: Annotated[
        str,
        typer.Option(metavar="DEMO", help="Start from a demonstration, or from RUN:EPISODE."),
    ] = "",
    at: Annotated[
        int | None,
        typer.Option(min=0, metavar="STEP", help="Step of --demo to start at.", show_default="0"),
    ] = None,
    state: options.StartState = None,
    game: options.Game = None,
    rom: options.Rom = None,
    core: options.Core = None,
    allow_unknown_rom: options.AnyRom = False,
    seed: options.Seed = None,
    headless: Annotated[
        bool,
        typer.Option(
            "--headless", help="Record without the cockpit; needs --player and --episodes."
        ),
    ] = False,
    color: options.Color = "auto",
    save_dir: options.SaveDir = None,
    set_: options.Settings = None,
) -> None:
    """Record demonstrations: play yourself, or let a player do it."""
    from engine.config import load_config
    from engine.planning.models.backends import make_backends
    from pokeTUI.draw.units import seconds

    if (llm_model or llm_backend) and player != "planner":
        _refuse("--llm-model and --llm-backend need --player planner.", "Add --player planner.")
    settings = _settings(set_) | options.given(
        rom_path=options.chosen_rom(rom, game),
        start_state=state,
        allow_unknown_rom=allow_unknown_rom or None,
        seed=seed,
        save_dir=save_dir,
        llm_model=llm_model,
        llm_backend=llm_backend,
    )
    config = load_config(None, settings)
    if config.models and player == "planner":
        make_backends(config)  # what is wrong with them is reported before anything is created
    start = _start(save_dir, demo, at)
    if start is not None and state:
        _refuse("--demo and --state are mutually exclusive.", "Leave one out.")
    from engine.sessions.record import RecordingPlan

    plan = RecordingPlan(
        set_name=dataset,
        episodes=episodes,
        limit_s=seconds(time_limit, "--time-limit"),
        pause_s=seconds(pause, "--pause"),
        has_reset=reset,
        has_review=review,
        task=task,
        tags=tuple(tag or ()),
        player=player,
        start=start,
        is_live=live,
    )
    raise typer.Exit(_record_headless(config, plan) if headless else _record(config, plan, color))


def _settings(pairs: list[str] | None) -> dict[str, Any]:
    """Return the settings of `--set`, which once named the dataset."""
    for pair in pairs or []:
        if "=" not in pair and pair != "help":
            _refuse(f"--set {pair}: a dataset is named by --dataset now.", f"Use --dataset {pair}")
    return options.parse_settings(pairs)


def _record(config: "RunConfig", plan: "RecordingPlan", color: str) -> int:
    from engine.events import RunFailed
    from pokeTUI.app.recordings import record as record_in_cockpit

    found = record_in_cockpit(config, plan, color=color)
    failed = isinstance(found.end, RunFailed)
    (complain if failed else say)(*found.lines())
    if found.saved:
        _say_what_next(config, plan)
    return 1 if failed else found.exit_code


def _record_headless(config: "RunConfig", plan: "RecordingPlan") -> int:
    from engine.events import Event, RecordingEnded, WarningRaised
    from engine.sessions.record import record_headless
    from pokeTUI.cli.progress import progress
    from pokeTUI.dashboard.event_lines import demonstration_end

    saved = 0
    if not plan.player:
        _refuse("--headless needs a player.", "Add --player rules, or leave --headless out.")
    if not plan.episodes:
        _refuse("--headless needs a number of episodes.", "Add --episodes 10.")
    with progress(f"{plan.player} plays") as advance:
        advance(0, plan.episodes)

        def take(event: Event) -> None:
            nonlocal saved
            if isinstance(event, RecordingEnded):
                saved += bool(event.path)
                say(f"{demonstration_end(event).capitalize()}.")
                advance(saved, plan.episodes)
            elif isinstance(event, WarningRaised):
                complain(f"warning: {event.message}")

        end = record_headless(config, plan, take)
    if not saved:
        say(f"Nothing was recorded: {end.reason}.")
        return 0
    say(f"{counted(saved, 'demonstration')} saved in {plan.folder(config)}.")
    _say_what_next(config, plan)
    return 0


def _say_what_next(config: "RunConfig", plan: "RecordingPlan") -> None:
    """Say how the demonstrations are checked, and learnt from."""
    folder = plan.folder(config)
    say(f"Validate them: poketui demos validate {folder}/*.demo")
    say(f"Train on them: poketui bc {folder}")


def _start(save_dir: str | None, source: str, step: int | None) -> "DemoPoint | None":
    """Return where to begin, None where the game begins."""
    from engine.sessions.record import DemoPoint

    if not source:
        if step is not None:
            _refuse("--at needs --demo.", "Add --demo DEMO.")
        return None
    run, separator, episode = source.rpartition(":")
    if not (separator and run and episode.isascii() and episode.isdigit()):
        from pokeTUI.app.recordings import named

        source = str(named(save_dir, [source])[0])
    return DemoPoint(source, step or 0)


def _refuse(message: str, hint: str) -> NoReturn:
    raise ConfigurationError(message, hint)
