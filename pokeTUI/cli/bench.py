"""Define `poketui bench`: what measures this machine and what is learnt on it."""

from typing import Annotated

import typer

from pokeTUI.cli.options import AnyRom, Rom, SaveDir, Settings, parse_settings

bench_app = typer.Typer(help="Measure this machine.", no_args_is_help=True)


@bench_app.command("learn")
def bench_learn(
    steps: Annotated[int, typer.Option(min=1, help="Environment steps a seed.")] = 1_500_000,
    seeds: Annotated[int, typer.Option(min=1, max=1_000_000, help="How many seeds.")] = 1,
    first_seed: Annotated[int, typer.Option(min=0, help="The first of them.")] = 0,
    mode: Annotated[str, typer.Option(help="rl_only or adaptive.")] = "rl_only",
    save_dir: SaveDir = None,
    set_: Settings = None,
) -> None:
    """Train from scratch on the practice game and report how soon it wins the first badge."""
    from engine.bench.learning import measure_learning

    overrides = parse_settings(set_) | {"mode": mode, "total_steps": steps}
    if save_dir is not None:
        overrides["save_dir"] = save_dir
    raise typer.Exit(measure_learning(overrides, range(first_seed, first_seed + seeds)))


@bench_app.command("train")
def bench_train(
    updates: Annotated[
        int, typer.Option(min=1, max=1_000_000, help="How often PPO learns; medians are printed.")
    ] = 10,
    mode: Annotated[str, typer.Option(help="rl_only or adaptive.")] = "adaptive",
    set_: Settings = None,
) -> None:
    """Compare steps a second while PPO learns with those of the environments alone."""
    from engine.bench.training import measure_training

    measure_training(parse_settings(set_) | {"mode": mode}, updates)


@bench_app.command("env")
def bench_env(
    rom: Rom = None,
    steps: Annotated[
        int, typer.Option(min=1, max=1_000_000_000, help="Steps of each repetition.")
    ] = 1000,
    repeats: Annotated[
        int, typer.Option(min=1, max=1_000_000, help="Repetitions; medians are printed.")
    ] = 7,
    allow_unknown_rom: AnyRom = False,
) -> None:
    """Measure env.step against a bare loop of the same presses and frames, and the workers."""
    from engine.bench.environment import measure_environment

    measure_environment(
        rom or "", steps=steps, repeats=repeats, allow_unknown_rom=allow_unknown_rom
    )


@bench_app.command("ui")
def bench_ui(
    only: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[WHAT]...",
            help="start, play or training.",
            show_default="all",
        ),
    ] = None,
    quick: Annotated[
        bool, typer.Option("--quick", help="Measure shortly, to see that everything works.")
    ] = False,
) -> None:
    """Measure the cockpit: its start, what drawing costs, what training loses to it."""
    from pokeTUI.bench.ui import measure_ui

    measure_ui(tuple(only or ()), is_quick=quick)
