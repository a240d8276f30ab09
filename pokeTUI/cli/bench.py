"""Define `poketui bench`: measure this machine and what is learnt on it."""

import json
import math
from collections.abc import Collection, Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Annotated, Any

import typer

from engine.errors import ConfigurationError
from engine.games.bundled import IMAGES
from engine.ground.text import counted
from pokeTUI.cli.completion import complete_players, words
from pokeTUI.cli.options import Given, command, exclusive, refuse_if
from pokeTUI.terminal.printing import complain, say

LEARNING_ARMS = ("ppo", "hybrid", "no-distillation", "dagger", "dqn")
"""Keys of `engine.bench.learning.ARMS`, whose module is too slow to load for completion."""

Out = Annotated[Path | None, typer.Option(help="Write all results to this file, as JSON.")]
Count = Annotated[int, typer.Option(min=1, max=1_000_000)]

bench_app = typer.Typer()


@command(bench_app)
def learn(
    arms: Annotated[list[str] | None, words(*LEARNING_ARMS)] = None,
    /,
    *,
    given: Annotated[Given, "total_steps=--steps save_dir set"],
    seeds: Count = 3,
    first_seed: Annotated[int, typer.Option(min=0)] = 0,
    episodes: Annotated[int, typer.Option(min=8, max=1_000_000)] = 32,
    out: Out = None,
) -> None:
    """Compare ways to learn: how far the policy alone comes, in how many steps and seconds.

    Args:
        arms ([ARMS]...): ppo (alone), hybrid (led and taught by the planner), no-distillation (only
            led), dagger (the rules label what the policy meets) or dqn (led and taught, too).
            Default: all.
        steps: Environment steps per seed. Default: 20,000.
        seeds: Number of seeds.
        first_seed: First seed.
        episodes: Episodes per final evaluation.
    """
    from engine.bench.learning import ARMS, Trial, measure_learning, table

    def report(trial: Trial) -> None:
        end = trial.points[-1]
        complain(
            f"{trial.arm}, seed {trial.seed}: {end.successes} of {counted(end.episodes, 'episode')}"
            f" succeeded after {counted(end.steps, 'step')}"
        )

    fixed = ("seed", "headless", "agent", "mode")
    overrides = _settings(given, {"total_steps": 20_000}, fixed=fixed)
    found = range(first_seed, first_seed + seeds)
    proof = measure_learning(overrides, _chosen(arms, ARMS), found, episodes, report)
    say(*table(proof))
    _write(out, proof.facts())
    raise typer.Exit(0 if proof.is_whole else 130)


@command(bench_app)
def train(given: Annotated[Given, "mode set"], updates: Count = 10) -> None:
    """Compare training throughput with that of the environments alone.

    Args:
        mode: rl_only or adaptive. Default: adaptive.
        updates: PPO updates; medians are printed.
    """
    from engine.bench.training import measure_training

    fixed = ("agent", "headless", "save_dir")
    measure_training(_settings(given, {"mode": "adaptive"}, fixed=fixed), updates)


@command(bench_app)
def env(
    given: Annotated[Given, "rom_path allow_unknown_rom set"],
    steps: Annotated[int, typer.Option(min=1, max=1_000_000_000)] = 1000,
    repeats: Count = 7,
    cartridge: bool = False,
) -> None:
    """Measure env.step against the bare emulator, and the worker processes.

    Args:
        steps: Steps per repetition.
        repeats: Repetitions; medians are printed.
        cartridge: Simulate a real cartridge's cost.
    """
    from engine.bench.environment import measure_environment

    if rom := given.get("rom_path"):
        exclusive(cartridge and "--cartridge", "--game" if rom in IMAGES else "--rom")
    settings = _settings(given, fixed=("save_dir",))
    measure_environment(steps=steps, repeats=repeats, settings=settings, is_cartridge=cartridge)


@command(bench_app)
def play(
    given: Annotated[Given, "rom_path env.goal start_state=--state allow_unknown_rom save_dir set"],
    player: Annotated[str, complete_players] = "rules",
    seeds: Annotated[int, typer.Option(min=1, max=10_000)] = 10,
    first_seed: Annotated[int, typer.Option(min=0, max=1_000_000_000)] = 0,
    steps: Annotated[int | None, typer.Option(min=1, max=1_000_000_000)] = None,
    minutes: Annotated[float | None, typer.Option(min=0.01, max=1_000_000)] = None,
    processes: Annotated[int, typer.Option(min=1, max=64)] = 2,
    min_successes: Annotated[int, typer.Option(min=0)] = 0,
    anew: bool = False,
    out: Out = None,
) -> None:
    """Play from power-on to a milestone with several seeds; report progress.

    Games of the rules and of random play are saved: the same command resumes.
    What is printed of a game that stopped early can be sent as a report.

    Args:
        player (NAME): Player: rules, random, a cloned policy or a run.
        seeds: Number of seeds.
        first_seed: First seed.
        steps: Step limit per seed. Default: 20,000 or more, by the goal; trained agents: as
            trained.
        minutes: Time limit per seed, in minutes. Default: 10 or more, by the steps.
        processes: Parallel processes.
        min_successes: Exit code 1 if fewer seeds succeed.
        anew: Play all seeds from power-on, whatever was saved.
    """
    from engine.bench.play import play_seeds
    from engine.bench.play_tables import table
    from engine.config import load_config

    refuse_if(player == "planner", "bench play uses no language model.", "Use --player rules.")
    refuse_if(
        minutes is not None and math.isnan(minutes),
        "--minutes nan is not a number.",
        "Use a number of minutes.",
    )
    refuse_if(
        min_successes > seeds,
        f"{seeds} seeds cannot succeed {min_successes} times.",
        "Lower --min-successes.",
    )
    proof = play_seeds(
        load_config(None, given),
        player,
        range(first_seed, first_seed + seeds),
        steps=steps,
        minutes=minutes,
        processes=processes,
        resumes=not anew,
        say=complain,
        report=lambda found: complain(
            f"seed {found.seed}: {found.ending} after {counted(found.steps, 'step')}"
        ),
    )
    say(*table(proof))
    _write(out, proof.facts() | {"min_successes": min_successes})
    if not proof.is_whole:
        complain("Stopped. The same command resumes it.")
        raise typer.Exit(130)
    raise typer.Exit(int(proof.successes < min_successes))


@command(bench_app)
def vgc(
    battle_format: str = "gen9championsvgc2026regmb",
    battles: Count = 500,
    lanes: Annotated[int, typer.Option(min=1, max=1024)] = 16,
    seed: Annotated[int, typer.Option(min=0)] = 0,
) -> None:
    """Measure the battle simulator: speed, its speed patch, replays, rejected choices.

    Args:
        battle_format: Battle format.
        battles: Battles to play.
        lanes: Battles at once.
        seed: Random seed.
    """
    from engine.battles.sim.teams import find_format
    from engine.bench.battles import measure_battles

    measure_battles(find_format(battle_format), battles, lanes, seed)


def _chosen(arms: list[str] | None, known: Collection[str]) -> list[str]:
    """Return the named arms without repetition; all if none is named.

    Raises:
        ConfigurationError: One is not known.
    """
    for arm in sorted(set(arms or ()) - set(known)):
        raise ConfigurationError(f"{arm} is unknown.", f"Choose from: {', '.join(known)}.")
    return list(dict.fromkeys(arms or known))


def _write(out: Path | None, facts: Mapping[str, Any]) -> None:
    """Write results as JSON, if a file is named."""
    from engine.ground.files import EXPORT_MODE, write_file

    if out is not None:
        write_file(out, json.dumps(facts, indent=1).encode(), EXPORT_MODE)


def _settings(
    given: Given, usual: Mapping[str, Any] = MappingProxyType({}), *, fixed: tuple[str, ...]
) -> Given:
    """Return the given settings, and of the `usual` ones those that no variable sets either.

    Raises:
        ConfigurationError: `--set` names what the benchmark itself has `fixed`.
    """
    from engine.config import load_config

    for key in sorted(given.keys() & set(fixed)):
        raise ConfigurationError(f"--set {key}: this benchmark sets it itself.", "Leave it out.")
    in_environment = load_config().model_fields_set
    return {k: v for k, v in usual.items() if k not in in_environment} | given
