"""Define the commands of `poketui`; what they do lives elsewhere and is imported when needed."""

import sys
from pathlib import Path
from typing import Annotated, Any, NoReturn, cast

import typer

app = typer.Typer(
    name="poketui",
    help="A terminal cockpit for Pokémon-playing agents.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)

_UsageError = cast(type[typer.BadParameter], typer.BadParameter.__mro__[1])
"""Click's kind for whatever is wrong with the options, wherever typer has it from."""

SaveDir = Annotated[str | None, typer.Option(help="Folder for saved runs.", show_default="saves")]
LatestRun = Annotated[
    str, typer.Argument(metavar="[RUN]", help="A saved run.", show_default="the latest")
]


@app.command()
def run(
    rom: Annotated[
        str | None, typer.Option(help="Your ROM file.", show_default="the practice game")
    ] = None,
    state: Annotated[
        str | None,
        typer.Option(help="Start from a saved state or a .sav file.", show_default="a new game"),
    ] = None,
    config: Annotated[Path | None, typer.Option(help="JSON or TOML file with settings.")] = None,
    headless: Annotated[bool, typer.Option("--headless", help="Train without a screen.")] = False,
    resume: Annotated[
        str | None,
        typer.Option(
            metavar="[RUN]", help="Go on with a saved run.", show_default="the latest, if no RUN"
        ),
    ] = None,
    agent: Annotated[str | None, typer.Option(help="ppo, dqn, rules or random.")] = None,
    mode: Annotated[
        str | None,
        typer.Option(help="adaptive (planner and policy), rl_only or llm_only (planner)."),
    ] = None,
    strategy: Annotated[
        str | None,
        typer.Option(help="adaptive, or always llm_heavy, balanced or rule_heavy."),
    ] = None,
    llm_model: Annotated[
        str | None,
        typer.Option(
            help="Language model that is to set goals. None is asked yet: rules set them."
        ),
    ] = None,
    llm_interval: Annotated[
        int | None, typer.Option(help="Actions between two questions to it.")
    ] = None,
    no_llm: Annotated[bool, typer.Option("--no-llm", help="Ask no language model.")] = False,
    seed: Annotated[int | None, typer.Option(help="Seed of everything random.")] = None,
    envs: Annotated[int | None, typer.Option(help="Games played at once.")] = None,
    workers: Annotated[int | None, typer.Option(help="Processes that play them.")] = None,
    steps: Annotated[
        int | None,
        typer.Option(
            "--steps", "--actions", help="Stop after this many steps, all games' actions."
        ),
    ] = None,
    episodes: Annotated[int | None, typer.Option(help="Stop after this many episodes.")] = None,
    save_dir: SaveDir = None,
    allow_unknown_rom: Annotated[
        bool, typer.Option("--allow-unknown-rom", help="Try a ROM whose hash is not known.")
    ] = False,
    quiet: Annotated[bool, typer.Option("--quiet", help="Headless: print errors only.")] = False,
    set_: Annotated[
        list[str] | None,
        typer.Option("--set", metavar="KEY=VALUE", help="Any setting, e.g. ppo.epochs=4."),
    ] = None,
) -> None:
    """Train the hybrid agent and watch it play."""
    from pokeTUI.launch import launch

    overrides: dict[str, Any] = _parse_settings(set_ or [])
    given = {
        "rom_path": rom,
        "start_state": state,
        "agent": agent,
        "mode": mode,
        "strategy": strategy,
        "llm_model": _choose_model(llm_model, no_llm),
        "llm_interval": llm_interval,
        "seed": seed,
        "num_envs": envs,
        "workers": workers,
        "total_steps": steps,
        "total_episodes": episodes,
        "save_dir": save_dir,
        "headless": headless or None,
        "allow_unknown_rom": allow_unknown_rom or None,
    }
    overrides |= {key: value for key, value in given.items() if value is not None}
    raise typer.Exit(launch(config, overrides, resume=resume, is_quiet=quiet))


@app.command()
def runs(
    pair: Annotated[
        list[str] | None, typer.Argument(metavar="[RUN RUN]", help="Two runs to compare.")
    ] = None,
    save_dir: SaveDir = None,
) -> None:
    """List the saved runs, or set two side by side."""
    from engine.errors import ConfigurationError
    from pokeTUI.reports import print_comparison, print_runs

    match pair or []:
        case []:
            print_runs(save_dir)
        case [first, second]:
            print_comparison(save_dir, first, second)
        case named:
            raise ConfigurationError(
                f"{len(named)} run{'s were' if len(named) > 1 else ' was'} named, not two.",
                "Compare two: poketui runs RUN RUN, or name none to list all.",
            )


@app.command("eval")
def evaluate(
    run: LatestRun = "latest",
    episodes: Annotated[int, typer.Option(min=1, help="Episodes to play.")] = 30,
    checkpoint: Annotated[str, typer.Option(help="latest, best, or a file.")] = "latest",
    planner: Annotated[
        bool, typer.Option("--planner", help="Follow the planner as far as the run does.")
    ] = False,
    save_dir: SaveDir = None,
) -> None:
    """Let a saved run play from the start, the policy alone and learning nothing."""
    from pokeTUI.reports import print_evaluation

    print_evaluation(save_dir, run, episodes, checkpoint, with_planner=planner)


@app.command()
def export(
    run: LatestRun = "latest",
    format_: Annotated[str, typer.Option("--format", help="csv or json.")] = "csv",
    table: Annotated[
        str, typer.Option(help="For csv: episodes, updates or evaluations; json has all.")
    ] = "episodes",
    out: Annotated[
        Path | None, typer.Option(help="File to write.", show_default="named after the run")
    ] = None,
    force: Annotated[bool, typer.Option("--force", help="Overwrite it.")] = False,
    save_dir: SaveDir = None,
) -> None:
    """Write a run's figures for a spreadsheet or a program."""
    from pokeTUI.reports import print_export

    print_export(save_dir, run, format_, table, out, is_forced=force)


@app.command()
def replay(
    run: LatestRun = "latest",
    episode: Annotated[
        int | None, typer.Option(help="Its number.", show_default="the run's last")
    ] = None,
    save_dir: SaveDir = None,
) -> None:
    """Play a recorded episode of a run again and check that it goes the same way."""
    from pokeTUI.reports import print_replay

    print_replay(save_dir, run, episode)


@app.command()
def rom(file: Annotated[str, typer.Argument(help="The ROM file.")]) -> None:
    """Say what a ROM file is; exit code 0 if it can be played, 2 if not."""
    from engine.games.profile import describe, identify

    found = identify(file)
    print("\n".join(describe(found)))
    if found.profile is None and found.refusal is not None:
        raise found.refusal


bench_app = typer.Typer(help="Measure this machine.", no_args_is_help=True)
app.add_typer(bench_app, name="bench")


@bench_app.command("learn")
def bench_learn(
    steps: Annotated[int, typer.Option(help="Environment steps a seed.")] = 1_500_000,
    seeds: Annotated[int, typer.Option(help="How many seeds.")] = 1,
    first_seed: Annotated[int, typer.Option(help="The first of them.")] = 0,
    mode: Annotated[str, typer.Option(help="rl_only or adaptive.")] = "rl_only",
    save_dir: SaveDir = None,
    set_: Annotated[
        list[str] | None,
        typer.Option("--set", metavar="KEY=VALUE", help="Any setting, e.g. ppo.epochs=4."),
    ] = None,
) -> None:
    """Train from scratch on the practice game and report how soon it wins the first badge."""
    from engine.bench.learning import measure_learning

    overrides = _parse_settings(set_ or []) | {"mode": mode, "total_steps": steps}
    if save_dir is not None:
        overrides["save_dir"] = save_dir
    raise typer.Exit(measure_learning(overrides, range(first_seed, first_seed + seeds)))


@bench_app.command("train")
def bench_train(
    updates: Annotated[
        int, typer.Option(min=1, help="How often PPO learns; medians are printed.")
    ] = 10,
    mode: Annotated[str, typer.Option(help="rl_only or adaptive.")] = "adaptive",
    set_: Annotated[
        list[str] | None,
        typer.Option("--set", metavar="KEY=VALUE", help="Any setting, e.g. encoder=pixels."),
    ] = None,
) -> None:
    """Compare steps a second while PPO learns with those of the environments alone."""
    from engine.bench.training import measure_training

    measure_training(_parse_settings(set_ or []) | {"mode": mode}, updates)


@bench_app.command("env")
def bench_env(
    rom: Annotated[str, typer.Option(help="Your ROM file.", show_default="the practice game")] = "",
    steps: Annotated[int, typer.Option(min=1, help="Steps of each repetition.")] = 1000,
    repeats: Annotated[int, typer.Option(min=1, help="Repetitions; medians are printed.")] = 7,
    allow_unknown_rom: Annotated[
        bool, typer.Option("--allow-unknown-rom", help="Try a ROM whose hash is not known.")
    ] = False,
) -> None:
    """Measure env.step against a bare loop of the same presses and frames, and the workers."""
    from engine.bench.environment import measure_environment

    measure_environment(rom, steps=steps, repeats=repeats, allow_unknown_rom=allow_unknown_rom)


def main() -> None:
    """Run the command line: a user's mistake is one clear line and exit code 2."""
    from engine.errors import PokeTUIError

    try:
        arguments = _name_latest_run(sys.argv[1:])
        code = app(args=arguments, prog_name="poketui", standalone_mode=False)
    except _UsageError as error:
        text = error.format_message().rstrip(".")
        if not text:  # no command was given, and the help is shown instead
            raise SystemExit(2) from None
        _fail(f"{text}. See: poketui --help")
    except PokeTUIError as error:
        _fail(str(error))
    raise SystemExit(code)


def _choose_model(name: str | None, is_none: bool) -> str | None:
    from engine.errors import ConfigurationError

    if name and is_none:
        raise ConfigurationError(
            f"--llm-model {name} and --no-llm contradict each other.", "Leave one of them out."
        )
    return "" if is_none else name


def _fail(text: str) -> NoReturn:
    print(f"poketui: {text}", file=sys.stderr)
    raise SystemExit(2)


def _name_latest_run(arguments: list[str]) -> list[str]:
    """Let `--resume` stand without a value: it then means the latest run."""
    named = list(arguments)
    for index, argument in enumerate(arguments):
        is_last = index + 1 == len(arguments)
        if argument == "--resume" and (is_last or arguments[index + 1].startswith("-")):
            named[index] = "--resume=latest"
    return named


def _parse_settings(pairs: list[str]) -> dict[str, Any]:
    from engine.errors import ConfigurationError

    settings: dict[str, Any] = {}
    for pair in pairs:
        key, separator, value = pair.partition("=")
        if not separator or not key:
            raise ConfigurationError(f"--set {pair}: not KEY=VALUE.", "Example: --set ppo.epochs=4")
        settings[key] = value
    return settings


if __name__ == "__main__":
    main()
