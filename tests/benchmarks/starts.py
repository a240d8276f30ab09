"""Compare where episodes begin: how soon PPO alone wins from power-on by each way.

`python -m tests.benchmarks.starts [ARM]... [--steps N] [--seeds N] [--demo DEMO]`
"""

import argparse
import math
import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from statistics import median
from types import MappingProxyType
from typing import Any

from engine.config import load_config
from engine.demos.recorder import record_policy, rules_policy
from engine.errors import DemoError
from engine.ground.scratch import scratch_folder
from engine.imitation.from_demonstrations import Source, clone_policy
from engine.runs.policy_folders import agent_settings
from engine.training.evaluation import evaluate_run
from pokeTUI.app.recordings import named
from tests.benchmarks.learning import WINDOW, LearningCurve, train
from tests.benchmarks.run_options import add_run_options, overrides_of, seeds_of

ARMS: Mapping[str, str] = MappingProxyType(
    {
        "power-on": "all at power-on",
        "swarm": "three quarters of the games search, then walk back along the path found",
        "demo": "clone of a demonstration, then back from its end",
        "demo-alone": "back from its end without a clone",
    }
)
USUAL = ("power-on", "swarm", "demo")
"""The arms that are measured where none is named."""
_GOALS = {"swarm": 0.5, "demo": 0.1, "demo-alone": 0.1}
"""What share of the steps from power-on alone each way is meant to need at most."""
_TRIES = 20


def measure_starts(
    overrides: dict[str, Any], arms: Sequence[str], seeds: Sequence[int], demo: str = ""
) -> int:
    """Train every arm with every seed until 90 % of 30 episodes from power-on win; print a table.

    Of several games at once the quick ones end first, so the policy then plays 30 more episodes.

    Args:
        overrides: Settings by dotted key, `total_steps` among them: when to give up.
        arms: Of `ARMS`.
        seeds: One run each.
        demo: The demonstration's file; "": the rules play one.

    Returns:
        0 if every arm needed no more than is meant, in the median, else 1.
    """
    print(
        "| seed | starts | 90 % from power-on at step | episodes from there | won afterwards ",
        end="",
    )
    print("| minutes |\n|---|---|---|---|---|---|", flush=True)
    needed: dict[str, list[float]] = {arm: [] for arm in arms}
    with scratch_folder() as folder:
        for seed in seeds:
            for arm in arms:
                settings = {"save_dir": str(folder), **overrides, "seed": seed, "headless": True}
                settings |= settings_of(arm, settings, lambda: demo or _rules_demo(folder))
                curve = train(settings | overrides, stops_at_target=True)
                needed[arm].append(_steps(curve))
                at = "never" if curve.target_step is None else f"{curve.target_step:,}"
                print(
                    f"| {seed} | {arm} | {at} | {curve.episodes:,} | {_wins(settings, curve)} "
                    f"| {curve.seconds / 60:.1f} |",
                    flush=True,
                )
    if "power-on" not in needed:
        return 0
    alone = median(needed.pop("power-on"))
    if math.isinf(alone):
        print("Nothing to compare with: PPO never won often enough from power-on alone.")
        return 1
    is_good = True
    for arm, steps in needed.items():
        share = median(steps) / alone
        is_good &= share <= _GOALS[arm]
        print(f"{arm}: {share:.0%} of the steps from power-on alone, goal {_GOALS[arm]:.0%}")
    return 0 if is_good else 1


def settings_of(arm: str, settings: Mapping[str, Any], demo: Callable[[], str]) -> dict[str, Any]:
    """Return the settings of a way to begin; `demo` returns the file of a demonstration."""
    alone = {"mode": "rl_only"}
    match arm:
        case "swarm":
            return alone | {"curriculum.swarm_share": 0.75, "env.stuck_steps": 200}
        case "demo":
            return alone | {"num_envs": 8, "backward.demo": demo()} | _clone(settings, demo())
        case "demo-alone":
            return alone | {"num_envs": 8, "backward.demo": demo()}
    return alone


def _clone(settings: Mapping[str, Any], demo: str) -> dict[str, Any]:
    """Return the settings of a run that begins from a clone of a demonstration."""
    save_dir = settings["save_dir"]
    given = {"seed": settings["seed"], "eval_episodes": 0}
    policy = clone_policy(save_dir, given, Source(demos=demo)).folder
    return agent_settings(save_dir, str(policy))


def _steps(curve: LearningCurve) -> float:
    return float("inf") if curve.target_step is None else curve.target_step


def _wins(settings: Mapping[str, Any], curve: LearningCurve) -> str:
    """Return how many of some episodes the policy that was learnt wins alone."""
    played = evaluate_run(settings["save_dir"], curve.run_dir, episodes=WINDOW).played
    return f"{sum(summary.is_success for summary in played)} of {len(played)}"


def _rules_demo(folder: Path) -> str:
    """Return a demonstration of the rules that reaches the goal; the same one for every seed."""
    found = sorted(folder.glob("*.demo"))
    if found:
        return str(found[0])
    for seed in range(_TRIES):
        config = load_config(None, {"seed": seed, "save_dir": str(folder)})
        ((path, demo),) = record_policy(rules_policy(seed), config, 1, folder, by="rules")
        if demo.is_success:
            return str(path)
        path.unlink()
    raise DemoError(f"The rules did not reach the goal in {_TRIES} episodes.")


def main() -> int:
    """Read the command line."""
    parser = argparse.ArgumentParser(
        description=__doc__.partition("\n")[0],
        epilog="; ".join(f"{arm}: {text}" for arm, text in ARMS.items()),
    )
    parser.add_argument("arms", nargs="*", metavar="ARM", help=f"default: {', '.join(USUAL)}")
    parser.add_argument("--steps", type=int, default=500_000, help="that a run may take")
    parser.add_argument("--demo", default="", help="demonstration; default: played by the rules")
    add_run_options(parser)
    parser.set_defaults(seeds=5)
    args = parser.parse_args()
    if unknown := [arm for arm in args.arms if arm not in ARMS]:
        parser.error(f"{unknown[0]} is unknown; choose from {', '.join(ARMS)}")
    overrides = overrides_of(args) | {"total_steps": args.steps}
    demo = str(named(args.save_dir, [args.demo])[0]) if args.demo else ""
    return measure_starts(overrides, args.arms or USUAL, seeds_of(args), demo)


if __name__ == "__main__":
    sys.exit(main())
