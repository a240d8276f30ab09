"""Define the commands of `poketui`; what they do lives elsewhere and is imported when needed."""

import os
import sys
from pathlib import Path
from typing import Annotated, NoReturn, cast

import typer

from engine.errors import ConfigurationError, PokeTUIError
from pokeTUI.cli import options, video
from pokeTUI.cli.bc import bc
from pokeTUI.cli.bench import bench_app
from pokeTUI.cli.completion import bash_values, choices_of, complete_runs_or_latest, words
from pokeTUI.cli.demos import demos_app
from pokeTUI.cli.doctor import doctor
from pokeTUI.cli.live import DEFAULT_PORT, attach, serve, stop
from pokeTUI.cli.llm import llm_app
from pokeTUI.cli.record import record
from pokeTUI.cli.runs import runs
from pokeTUI.cli.trust import trust
from pokeTUI.cli.vgc import vgc_app
from pokeTUI.terminal.printing import complain, complain_of, open_streams, say
from pokeTUI.terminal.signals import unwind_on_signals

app = typer.Typer(
    name="poketui",
    help="A terminal cockpit for Pokémon-playing agents.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)

_UsageError = cast(type[typer.BadParameter], typer.BadParameter.__mro__[1])
"""Click's kind for whatever is wrong with the options, wherever typer has it from."""

_ACCESS = "Use another file or folder, or check its permissions and disk space."


def _print_version(is_asked: bool) -> None:
    if not is_asked:
        return
    from importlib.metadata import PackageNotFoundError, version

    try:
        say(f"poketui {version('poketui')}")
    except PackageNotFoundError:
        say("poketui (not installed, running from source)")
    raise typer.Exit


@app.callback()
def root(
    version: Annotated[
        bool,
        typer.Option(
            "--version", callback=_print_version, is_eager=True, help="Print the version and exit."
        ),
    ] = False,
) -> None:
    """Hold the options that stand before a command."""


@app.command(cls=options.Panels)
def run(
    game: options.Game = None,
    rom: options.Rom = None,
    core: options.Core = None,
    state: options.StartState = None,
    config: options.ConfigFile = None,
    headless: Annotated[
        bool, typer.Option("--headless", help="Train without the cockpit; print the status.")
    ] = False,
    detach: Annotated[
        bool, typer.Option("--detach", help="Train in the background; watch with `poketui attach`.")
    ] = False,
    resume: Annotated[
        str | None,
        typer.Option(
            metavar="[NAME]",
            help="Resume a saved run.",
            show_default="the latest, if no NAME",
            autocompletion=complete_runs_or_latest,
        ),
    ] = None,
    goal: options.Goal = None,
    start_policy: Annotated[
        str | None,
        typer.Option("--from", metavar="POLICY", help="Fine-tune a cloned policy (or latest)."),
    ] = None,
    demo: Annotated[
        str | None,
        typer.Option(metavar="DEMO", help="Backward curriculum from this demonstration."),
    ] = None,
    agent: Annotated[
        str | None,
        typer.Option(
            help="ppo, dqn, rules, random or explore.",
            show_default="ppo",
            autocompletion=choices_of("agent"),
        ),
    ] = None,
    no_dqn: Annotated[
        bool,
        typer.Option(
            "--no-dqn",
            help="Learn nothing: the planner decides, at random where it has no advice. "
            "Same as --agent rules.",
        ),
    ] = False,
    mode: Annotated[
        str | None,
        typer.Option(
            help="adaptive (planner and policy), rl_only (policy) or llm_only (planner).",
            show_default="adaptive",
            autocompletion=choices_of("mode"),
        ),
    ] = None,
    strategy: Annotated[
        str | None,
        typer.Option(
            help="Planner weight: adaptive, llm_heavy (80 %), balanced (50 %) or "
            "rule_heavy (20 %) of the decisions. Without --llm-model the rules are the planner.",
            show_default="adaptive",
            autocompletion=choices_of("strategy"),
        ),
    ] = None,
    llm_model: Annotated[
        str | None,
        typer.Option(
            help="Language model that sets goals: smollm2:1.7b, gpt-..., claude-..., ./FILE.gguf; "
            "a comma-separated list votes.",
            show_default="none: the rules set goals",
        ),
    ] = None,
    llm_backend: options.LlmBackend = None,
    llm_interval: Annotated[
        int | None, typer.Option(help="Actions between two queries.", show_default="30")
    ] = None,
    no_llm: Annotated[bool, typer.Option("--no-llm", help="Use no language model.")] = False,
    seed: options.Seed = None,
    envs: Annotated[
        int | None,
        typer.Option(
            help="Parallel games (environments).", show_default="the game's own: 32, a cartridge 16"
        ),
    ] = None,
    workers: Annotated[
        int | None, typer.Option(help="Worker processes.", show_default="one per core")
    ] = None,
    steps: Annotated[
        int | None,
        typer.Option(
            "--steps",
            "--actions",
            help="Stop after this many steps over all games.",
            show_default="no limit",
        ),
    ] = None,
    episodes: Annotated[
        int | None, typer.Option(help="Stop after this many episodes.", show_default="no limit")
    ] = None,
    save_dir: options.SaveDir = None,
    allow_unknown_rom: options.AnyRom = False,
    web: Annotated[
        bool | None,
        typer.Option(
            "--web/--no-web", help="Serve a live statistics page to browsers on this machine."
        ),
    ] = None,
    web_port: Annotated[
        int | None,
        typer.Option(
            min=0,
            max=65535,
            help="Its port on 127.0.0.1, 0 for any free one; serves it without --web, too.",
            show_default=f"{DEFAULT_PORT}",
        ),
    ] = None,
    quiet: Annotated[
        bool,
        typer.Option(
            "--quiet", help="Train without the cockpit; print only errors, and how to resume."
        ),
    ] = False,
    color: options.Color = "auto",
    set_: options.Settings = None,
) -> None:
    """Train the hybrid agent and watch it play."""
    from pokeTUI.app.launch import launch

    if llm_model and no_llm:
        raise ConfigurationError(
            f"--llm-model {llm_model} and --no-llm are mutually exclusive.", "Leave one out."
        )
    if web_port is not None and web is False:
        raise ConfigurationError(
            f"--web-port {web_port} and --no-web are mutually exclusive.", "Leave one out."
        )
    learner = f"--agent {agent}" if agent else f"--from {start_policy}" if start_policy else ""
    if no_dqn and learner:
        raise ConfigurationError(
            f"{learner} and --no-dqn are mutually exclusive.", "Leave one out."
        )
    given = options.given(
        rom_path=options.chosen_rom(rom, game),
        start_state=state,
        agent="rules" if no_dqn else agent,
        mode=mode,
        strategy=strategy,
        llm_model="" if no_llm else llm_model,
        llm_backend=llm_backend,
        llm_interval=llm_interval,
        seed=seed,
        num_envs=envs,
        workers=workers,
        total_steps=steps,
        total_episodes=episodes,
        save_dir=save_dir,
        headless=False if detach else headless or quiet or None,
        allow_unknown_rom=allow_unknown_rom or None,
    )
    overrides = options.parse_settings(set_) | given
    if goal:
        overrides["env.goal"] = goal
    if demo is not None:
        from pokeTUI.app.recordings import named

        overrides["backward.demo"] = str(named(save_dir, [demo])[0])
    if start_policy:
        from engine.runs.policy_folders import agent_settings
        from pokeTUI.saved import saves

        overrides = agent_settings(saves(save_dir), start_policy) | overrides
    code = launch(
        config,
        overrides,
        resume=resume,
        is_quiet=quiet,
        is_detached=detach,
        color=color,
        web_port=DEFAULT_PORT if web and web_port is None else web_port,
    )
    raise typer.Exit(code)


app.command(cls=options.Panels)(runs)


@app.command("eval", cls=options.Panels)
def evaluate(
    run: options.LatestRun = "latest",
    episodes: Annotated[int, typer.Option(min=1, max=1_000_000, help="Episodes to play.")] = 30,
    checkpoint: Annotated[
        str | None,
        typer.Option(
            help="Checkpoint: latest, best, or a file.",
            show_default="the best, if the policy was seen playing alone; else the latest",
            autocompletion=words("latest", "best"),
        ),
    ] = None,
    planner: Annotated[
        bool, typer.Option("--planner", help="Keep the run's planner weight.")
    ] = False,
    patience: Annotated[
        int | None,
        typer.Option(
            min=0,
            max=1_000_000,
            help="Early stopping of an episode after this many steps without anything new; "
            "0: never.",
            show_default="half an episode, at least 500",
        ),
    ] = None,
    save_dir: options.SaveDir = None,
    core: options.Core = None,
) -> None:
    """Evaluate a saved run's policy alone, without learning."""
    from pokeTUI.cli.reports import print_evaluation

    print_evaluation(save_dir, run, episodes, checkpoint, with_planner=planner, patience=patience)


@app.command(cls=options.Panels)
def export(
    run: options.LatestRun = "latest",
    format_: Annotated[
        str,
        typer.Option("--format", help="Format: csv or json.", autocompletion=words("csv", "json")),
    ] = "csv",
    table: Annotated[
        str,
        typer.Option(
            help="For CSV: episodes, updates, evaluations or exchanges; JSON has all.",
            autocompletion=words("episodes", "updates", "evaluations", "exchanges"),
        ),
    ] = "episodes",
    out: Annotated[
        Path | None, typer.Option(help="File to write.", show_default="named after the run")
    ] = None,
    force: Annotated[bool, typer.Option("--force", help="Overwrite it.")] = False,
    save_dir: options.SaveDir = None,
) -> None:
    """Export a run's metrics as CSV or JSON."""
    from pokeTUI.cli.reports import print_export

    print_export(save_dir, run, format_, table, out, is_forced=force)


@app.command(cls=options.Panels)
def replay(
    run: Annotated[
        str,
        typer.Argument(
            metavar="[RUN[:EPISODE]]",
            help="A saved run, and one of its episodes.",
            show_default="the latest, and its last",
            autocompletion=complete_runs_or_latest,
        ),
    ] = "latest",
    core: options.Core = None,
    episode: Annotated[
        int | None, typer.Option(help="Episode number.", show_default="the last")
    ] = None,
    watch: Annotated[
        bool, typer.Option("--watch", help="Watch it in the cockpit, forwards and backwards.")
    ] = False,
    gif: video.GifFile = None,
    mp4: video.Mp4File = None,
    panes: video.Panes = False,
    size: video.Size = video.DEFAULT_SIZE,
    speed: video.Speed = 1.0,
    scale: video.Scale = None,
    first: video.First = None,
    last: video.Last = None,
    force: video.Force = False,
    color: options.Color = "auto",
    save_dir: options.SaveDir = None,
) -> None:
    """Replay a recorded episode and verify that it repeats exactly; watch it, or save a video."""
    from engine.sessions.replay_sources import split_source
    from pokeTUI.app import recordings as watching

    run, number = split_source(run)
    number = number if episode is None else episode
    film = video.VideoOptions(gif, mp4, panes, size, speed, scale, first, last, force)
    if film.are_given():
        video.write_videos(watching.recorded_episode(save_dir, run, number), film)
    elif watch:
        say(*watching.watch(watching.recorded_episode(save_dir, run, number), color=color))
    else:
        from pokeTUI.cli.reports import print_replay

        print_replay(save_dir, run, number)


@app.command(cls=options.Panels)
def rom(
    file: Annotated[
        str | None,
        typer.Argument(help="The ROM file, or --game.", show_default="the practice game"),
    ] = None,
    game: options.Game = None,
    world: Annotated[
        bool,
        typer.Option(
            "--world",
            help="Print the maps, warps, people and triggers found in it. Pokémon Crystal has 388 "
            "maps, 1,312 warps, 142 connections, 114 triggers, 792 signs, 1,466 people and things.",
        ),
    ] = False,
    path: Annotated[
        tuple[str, str] | None,
        typer.Option(
            metavar="FROM TO",
            help="Print the path from one map to another, e.g. 'ROUTE 29 59,8' or 24.3.",
        ),
    ] = None,
) -> None:
    """Identify a ROM file; exit code 0 if it can be played, 2 if not."""
    from engine.games.catalog import describe, identify

    found = identify(options.chosen_rom(file, game, "FILE") or "")
    recognised = found.recognised
    if not (world or path):
        say(*describe(found))
    if recognised.game is None:
        if recognised.refusal is not None:
            raise recognised.refusal
    elif world or path:
        from engine.planning.rules.overview import describe_path, describe_world

        if world:
            say(*describe_world(recognised.game))
        if path:
            say(*describe_path(recognised.game, *path))


for command in (attach, stop, bc, record, doctor, serve, trust):
    app.command(cls=options.Panels)(command)
for group, name in (
    (bench_app, "bench"),
    (demos_app, "demos"),
    (llm_app, "llm"),
    (vgc_app, "vgc"),
):
    app.add_typer(group, name=name)


def main() -> None:
    """Run the command line: a user's mistake is one clear line and exit code 2."""
    open_streams()
    unwind_on_signals()
    try:
        values = bash_values(os.environ)
        if values is not None:
            say(*values)
            raise SystemExit(0)
        arguments = _name_latest_run(sys.argv[1:])
        streams = (sys.stdin, sys.stdout, sys.stderr)
        if not arguments and all(stream.isatty() for stream in streams):  # to choose from a screen
            from pokeTUI.cli.start import start

            raise SystemExit(start())
        code = app(args=arguments, prog_name="poketui", standalone_mode=False)
    except _UsageError as error:
        text = error.format_message().rstrip(".")
        if not text:  # no command was given, and the help is shown instead
            raise SystemExit(2) from None
        context = getattr(error, "ctx", None)  # of the command whose arguments are wrong
        command = context.command_path if context else "poketui"
        _fail(f"{text}. See: {command} --help")
    except PokeTUIError as error:
        _fail(str(error))
    except OSError as error:  # of a file or folder of the user's that nobody below knew
        _fail(f"{error.strerror or error}: {error.filename or 'unknown file'}. {_ACCESS}")
    except (KeyboardInterrupt, typer.Abort):
        raise SystemExit(130) from None
    except ModuleNotFoundError as error:
        _fail(f"The package {error.name} is not installed. Install it: pip install {error.name}")
    except Exception as error:  # the outermost frame: Python would print it as it came
        complain_of(error)
        raise SystemExit(1) from None
    raise SystemExit(code)


def _fail(text: str) -> NoReturn:
    complain(f"poketui: {text}")
    raise SystemExit(2)


def _name_latest_run(arguments: list[str]) -> list[str]:
    """Let `--resume` stand without a value: it then means the latest run."""
    named = list(arguments)
    for index, argument in enumerate(arguments):
        is_last = index + 1 == len(arguments)
        if argument == "--resume" and (is_last or arguments[index + 1].startswith("-")):
            named[index] = "--resume=latest"
    return named


if __name__ == "__main__":
    main()
