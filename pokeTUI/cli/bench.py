"""Define `poketui bench`: measure this machine and what is learnt on it."""

import json
import math
from collections.abc import Collection, Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Annotated, Any

import typer

from engine.errors import ConfigurationError
from engine.ground.text import counted
from pokeTUI.cli.completion import complete_players, words
from pokeTUI.cli.options import (
    AnyRom,
    Core,
    Game,
    Goal,
    Panels,
    Rom,
    SaveDir,
    Settings,
    StartState,
    chosen_rom,
    given,
    parse_settings,
)
from pokeTUI.terminal.printing import complain, say

PLAY_STEPS = 20_000
LEARNING_ARMS = ("ppo", "hybrid", "no-distillation", "dagger", "dqn")
"""Keys of `engine.bench.learning.ARMS`, whose module is too slow to load for completion."""

Out = Annotated[Path | None, typer.Option(help="Write all results to this file, as JSON.")]

bench_app = typer.Typer(
    help="Benchmarks of environments, training, play, learning and battles on this machine.",
    no_args_is_help=True,
)


@bench_app.command("learn", cls=Panels)
def bench_learn(
    arms: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[ARMS]...",
            help="ppo (alone), hybrid (led and taught by the planner), no-distillation (only led), "
            "dagger (the rules label what the policy meets) or dqn (led and taught, too).",
            show_default="all",
            autocompletion=words(*LEARNING_ARMS),
        ),
    ] = None,
    steps: Annotated[
        int | None,
        typer.Option(min=1, help="Environment steps per seed.", show_default="20,000"),
    ] = None,
    seeds: Annotated[int, typer.Option(min=1, max=1_000_000, help="Number of seeds.")] = 3,
    first_seed: Annotated[int, typer.Option(min=0, help="First seed.")] = 0,
    episodes: Annotated[
        int, typer.Option(min=8, max=1_000_000, help="Episodes per final evaluation.")
    ] = 32,
    out: Out = None,
    save_dir: SaveDir = None,
    set_: Settings = None,
) -> None:
    """Compare ways to learn: how far the policy alone comes, in how many steps and seconds."""
    from engine.bench.learning import ARMS, Trial, measure_learning, table

    def report(trial: Trial) -> None:
        end = trial.points[-1]
        complain(
            f"{trial.arm}, seed {trial.seed}: {end.successes} of {counted(end.episodes, 'episode')}"
            f" succeeded after {counted(end.steps, 'step')}"
        )

    options = given(total_steps=steps, save_dir=save_dir)
    fixed = ("seed", "headless", "agent", "mode")
    overrides = _settings(set_, options, {"total_steps": 20_000}, fixed=fixed)
    found = range(first_seed, first_seed + seeds)
    proof = measure_learning(overrides, _chosen(arms, ARMS), found, episodes, report)
    say(*table(proof))
    _write(out, proof.facts())
    raise typer.Exit(0 if proof.is_whole else 130)


@bench_app.command("train", cls=Panels)
def bench_train(
    updates: Annotated[
        int, typer.Option(min=1, max=1_000_000, help="PPO updates; medians are printed.")
    ] = 10,
    mode: Annotated[
        str | None, typer.Option(help="rl_only or adaptive.", show_default="adaptive")
    ] = None,
    set_: Settings = None,
) -> None:
    """Compare training throughput with that of the environments alone."""
    from engine.bench.training import measure_training

    fixed = ("agent", "headless", "save_dir")
    overrides = _settings(set_, given(mode=mode), {"mode": "adaptive"}, fixed=fixed)
    measure_training(overrides, updates)


@bench_app.command("env", cls=Panels)
def bench_env(
    game: Game = None,
    rom: Rom = None,
    core: Core = None,
    steps: Annotated[
        int, typer.Option(min=1, max=1_000_000_000, help="Steps per repetition.")
    ] = 1000,
    repeats: Annotated[
        int, typer.Option(min=1, max=1_000_000, help="Repetitions; medians are printed.")
    ] = 7,
    allow_unknown_rom: AnyRom = False,
    cartridge: Annotated[
        bool,
        typer.Option(
            "--cartridge",
            help="Simulate a real cartridge's cost.",
        ),
    ] = False,
    set_: Settings = None,
) -> None:
    """Measure env.step against the bare emulator, and the worker processes."""
    from engine.bench.environment import measure_environment

    chosen = chosen_rom(rom, game)
    if cartridge and chosen:
        other = "--rom" if rom else "--game"
        raise ConfigurationError(
            f"--cartridge and {other} are mutually exclusive.", "Leave one out."
        )
    settings = given(rom_path=chosen, allow_unknown_rom=allow_unknown_rom or None)
    measure_environment(
        steps=steps,
        repeats=repeats,
        settings=_settings(set_, settings, fixed=("save_dir",)),
        is_cartridge=cartridge,
    )


@bench_app.command("play", cls=Panels)
def bench_play(
    game: Game = None,
    rom: Rom = None,
    core: Core = None,
    player: Annotated[
        str,
        typer.Option(
            metavar="NAME",
            help="Player: rules, random, a cloned policy or a run.",
            autocompletion=complete_players,
        ),
    ] = "rules",
    seeds: Annotated[int, typer.Option(min=1, max=10_000, help="Number of seeds.")] = 10,
    first_seed: Annotated[int, typer.Option(min=0, max=1_000_000_000, help="First seed.")] = 0,
    goal: Goal = None,
    steps: Annotated[
        int | None,
        typer.Option(
            min=1,
            max=1_000_000_000,
            help="Step limit per seed.",
            show_default=f"{PLAY_STEPS:,}; trained agents: as trained",
        ),
    ] = None,
    minutes: Annotated[
        float, typer.Option(min=0.01, max=1_000_000, help="Time limit per seed, in minutes.")
    ] = 10.0,
    processes: Annotated[int, typer.Option(min=1, max=64, help="Parallel processes.")] = 2,
    min_successes: Annotated[
        int, typer.Option(min=0, help="Exit code 1 if fewer seeds succeed.")
    ] = 0,
    out: Out = None,
    state: StartState = None,
    allow_unknown_rom: AnyRom = False,
    save_dir: SaveDir = None,
    set_: Settings = None,
) -> None:
    """Play from power-on to a milestone with several seeds; report progress."""
    from engine.bench.play import play_seeds, table
    from engine.config import load_config

    if player == "planner":
        raise ConfigurationError("bench play uses no language model.", "Use --player rules.")
    if math.isnan(minutes):
        raise ConfigurationError("--minutes nan is not a number.", "Use a number of minutes.")
    if min_successes > seeds:
        raise ConfigurationError(
            f"{seeds} seeds cannot succeed {min_successes} times.", "Lower --min-successes."
        )
    overrides = parse_settings(set_) | given(
        rom_path=chosen_rom(rom, game),
        start_state=state,
        save_dir=save_dir,
        allow_unknown_rom=allow_unknown_rom or None,
    )
    if goal:
        overrides["env.goal"] = goal
    if steps is None:
        steps = PLAY_STEPS if player in {"rules", "random"} else 0
    proof = play_seeds(
        load_config(None, overrides),
        player,
        range(first_seed, first_seed + seeds),
        steps=steps,
        minutes=minutes,
        processes=processes,
        report=lambda found: complain(
            f"seed {found.seed}: {found.ending} after {counted(found.steps, 'step')}"
        ),
    )
    say(*table(proof))
    _write(out, proof.facts() | {"min_successes": min_successes})
    if not proof.is_whole:
        raise typer.Exit(130)
    raise typer.Exit(int(proof.successes < min_successes))


@bench_app.command("vgc", cls=Panels)
def bench_vgc(
    battle_format: Annotated[str, typer.Option(help="Battle format.")] = "gen9vgc2023regc",
    battles: Annotated[int, typer.Option(min=1, max=1_000_000, help="Battles to play.")] = 500,
    lanes: Annotated[int, typer.Option(min=1, max=1024, help="Battles at once.")] = 16,
    seed: Annotated[int, typer.Option(min=0, help="Random seed.")] = 0,
) -> None:
    """Measure the battle simulator: speed, its speed patch, replays, rejected choices."""
    from engine.battles.sim.teams import find_format
    from engine.bench.battles import measure_battles

    measure_battles(find_format(battle_format), battles, lanes, seed)


def _chosen(arms: list[str] | None, known: Collection[str]) -> list[str]:
    """Return the arms that are named, each once; all where none is.

    Raises:
        ConfigurationError: One is not known.
    """
    unknown = sorted(set(arms or ()) - set(known))
    if unknown:
        raise ConfigurationError(f"{unknown[0]} is unknown.", f"Choose from: {', '.join(known)}.")
    return list(dict.fromkeys(arms or known))


def _write(out: Path | None, facts: Mapping[str, Any]) -> None:
    """Write results as JSON, if a file is named."""
    from engine.ground.files import EXPORT_MODE, write_file

    if out is not None:
        write_file(out, json.dumps(facts, indent=1).encode(), EXPORT_MODE)


def _settings(
    pairs: list[str] | None,
    named: dict[str, Any],
    usual: Mapping[str, Any] = MappingProxyType({}),
    *,
    fixed: tuple[str, ...],
) -> dict[str, Any]:
    """Return options before `--set`, and what is `usual` where the environment does not say either.

    Raises:
        ConfigurationError: `--set` names what the benchmark itself has `fixed`.
    """
    from engine.config import load_config

    settings = parse_settings(pairs)
    for key in sorted(settings.keys() & set(fixed)):
        raise ConfigurationError(f"--set {key}: this benchmark sets it itself.", "Leave it out.")
    in_environment = load_config().model_fields_set
    return {k: v for k, v in usual.items() if k not in in_environment} | settings | named
