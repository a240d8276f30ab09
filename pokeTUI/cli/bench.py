"""Define `poketui bench`: what measures this machine and what is learnt on it."""

import json
import math
from pathlib import Path
from typing import Annotated

import typer

from engine.errors import ConfigurationError
from pokeTUI.cli.completion import complete_players, words
from pokeTUI.cli.options import (
    AnyRom,
    Rom,
    SaveDir,
    Settings,
    StartState,
    given,
    parse_settings,
)
from pokeTUI.printing import complain, say

PLAY_STEPS = 20_000

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


@bench_app.command("starts")
def bench_starts(
    arms: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[STARTS]...",
            help="power-on, swarm (games search, then walk back), demo (clone of a demonstration, "
            "then back from its end) or demo-alone (without the clone).",
            show_default="all but demo-alone",
            autocompletion=words("power-on", "swarm", "demo", "demo-alone"),
        ),
    ] = None,
    steps: Annotated[int, typer.Option(min=1, help="Most environment steps a run.")] = 500_000,
    seeds: Annotated[int, typer.Option(min=1, max=1_000_000, help="How many seeds.")] = 5,
    first_seed: Annotated[int, typer.Option(min=0, help="The first of them.")] = 0,
    demo: Annotated[
        str, typer.Option(metavar="FILE", help="Demonstration.", show_default="one of the rules")
    ] = "",
    save_dir: SaveDir = None,
    set_: Settings = None,
) -> None:
    """Compare where episodes begin: how soon PPO alone wins 90 % of 30 episodes from power-on."""
    from engine.bench.starts import ARMS, USUAL, measure_starts

    unknown = sorted(set(arms or ()) - set(ARMS))
    if unknown:
        raise ConfigurationError(f"{unknown[0]} is unknown.", f"Choose of: {', '.join(ARMS)}.")
    overrides = parse_settings(set_) | {"total_steps": steps}
    if save_dir is not None:
        overrides["save_dir"] = save_dir
    found = range(first_seed, first_seed + seeds)
    raise typer.Exit(measure_starts(overrides, arms or USUAL, found, demo))


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
    cartridge: Annotated[
        bool,
        typer.Option(
            "--cartridge",
            help="Measure what a real cartridge would cost, on an image made of the practice game.",
        ),
    ] = False,
) -> None:
    """Measure env.step against a bare loop of the same presses and frames, and the workers."""
    from engine.bench.environment import measure_environment

    if cartridge and rom:
        raise ConfigurationError(
            "--cartridge makes an image of its own.", "Leave out --cartridge or --rom."
        )
    measure_environment(
        rom or "",
        steps=steps,
        repeats=repeats,
        allow_unknown_rom=allow_unknown_rom,
        is_cartridge=cartridge,
    )


@bench_app.command("play")
def bench_play(
    rom: Rom = None,
    agent: Annotated[
        str,
        typer.Option(
            metavar="NAME",
            help="Who plays: rules, random, a cloned policy or a run.",
            autocompletion=complete_players,
        ),
    ] = "rules",
    seeds: Annotated[int, typer.Option(min=1, max=10_000, help="How many seeds.")] = 10,
    first_seed: Annotated[
        int, typer.Option(min=0, max=1_000_000_000, help="The first of them.")
    ] = 0,
    goal: Annotated[
        str,
        typer.Option(
            metavar="MILESTONE", help="What is to be reached.", show_default="the first badge"
        ),
    ] = "",
    steps: Annotated[
        int | None,
        typer.Option(
            min=1,
            max=1_000_000_000,
            help="Most steps of a seed.",
            show_default=f"{PLAY_STEPS:,}; of what was trained, as in its training",
        ),
    ] = None,
    minutes: Annotated[
        float, typer.Option(min=0.01, max=1_000_000, help="Most minutes of a seed.")
    ] = 10.0,
    processes: Annotated[
        int, typer.Option(min=1, max=64, help="Seeds that are played at once.")
    ] = 2,
    min_successes: Annotated[
        int, typer.Option(min=0, help="Exit code 1 if fewer seeds reach the goal.")
    ] = 0,
    json_: Annotated[
        Path | None, typer.Option("--json", metavar="FILE", help="Write all figures there.")
    ] = None,
    state: StartState = None,
    allow_unknown_rom: AnyRom = False,
    save_dir: SaveDir = None,
    set_: Settings = None,
) -> None:
    """Play from power-on to a milestone with several seeds, and report how far each came."""
    from engine.bench.play import play_seeds, table
    from engine.config import load_config
    from engine.files import EXPORT_MODE, write_file

    if agent == "planner":
        raise ConfigurationError("This has no language model.", "Choose --agent rules instead.")
    if math.isnan(minutes):
        raise ConfigurationError("--minutes nan is no time.", "Give a number of minutes.")
    if min_successes > seeds:
        raise ConfigurationError(
            f"{seeds} seeds cannot succeed {min_successes} times.", "Lower --min-successes."
        )
    overrides = parse_settings(set_) | given(
        rom_path=rom,
        start_state=state,
        save_dir=save_dir,
        allow_unknown_rom=allow_unknown_rom or None,
    )
    if goal:
        overrides["env.goal"] = goal
    if steps is None:
        steps = PLAY_STEPS if agent in {"rules", "random"} else 0
    proof = play_seeds(
        load_config(None, overrides),
        agent,
        range(first_seed, first_seed + seeds),
        steps=steps,
        minutes=minutes,
        processes=processes,
        report=lambda found: complain(
            f"seed {found.seed}: {found.ending} after {found.steps:,} steps"
        ),
    )
    say(*table(proof))
    if json_ is not None:
        text = json.dumps(proof.facts() | {"min_successes": min_successes}, indent=1)
        write_file(json_, text.encode(), EXPORT_MODE)
    if not proof.is_whole:
        raise typer.Exit(130)
    raise typer.Exit(int(proof.successes < min_successes))


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
