"""Ask what a language model's goals are worth: the same training with and without, told apart.

`python -m tests.benchmarks.planner [ARM]... [--steps N] [--seeds N] [--set KEY=VALUE]...`

Behind the real protocol stand scripted models
(`tests.engine.planning.models.servers.scripted_planner`). What is beside their goals is the same in
every arm: the path-finder, the battle rules, the curriculum. So the arm with random goals says how
much of the gain is the path-finder's.
"""

import argparse
import contextlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any

from engine.errors import ConfigurationError
from tests.benchmarks.learning import LearningCurve, train
from tests.benchmarks.run_options import add_run_options, overrides_of, seeds_of
from tests.engine.planning.models.servers.scripted_ollama import OllamaServer
from tests.engine.planning.models.servers.scripted_planner import Character, ScriptedPlanner

_MODEL = "scripted:latest"
_BADGE = "first_badge"


@dataclass(frozen=True, slots=True)
class Arm:
    """One way to train.

    Attributes:
        character: Who sets the goals behind the protocol; None: no language model.
        latency_s: Before it answers.
        settings: By dotted key.
    """

    text: str
    character: Character | None = None
    latency_s: float = 0.0
    settings: Mapping[str, Any] = field(default_factory=dict)


_ALONE = {"planner.fallback": "none"}
ARMS: Mapping[str, Arm] = MappingProxyType(
    {
        "alone": Arm("policy alone", settings={"mode": "rl_only"}),
        "placebo": Arm("goals by chance, 0.5 s", "random", 0.5, _ALONE),
        "rules": Arm("goals of the rule planner"),
        "oracle": Arm("an oracle, 0.5 s", "oracle", 0.5, _ALONE),
        "slow-oracle": Arm("an oracle, 5 s", "oracle", 5.0, _ALONE),
        "liar": Arm("a liar, 0.5 s", "liar", 0.5, _ALONE),
    }
)


def measure_planner(
    overrides: Mapping[str, Any], seeds: Sequence[int], names: Sequence[str] = ()
) -> None:
    """Train every arm with every seed until it surely wins, and print a table as Markdown.

    Args:
        overrides: Settings by dotted key; `total_steps` is the most that an arm may take.
        seeds: Of everything random in a run.
        names: Of `ARMS`; all where none is named.

    Raises:
        ConfigurationError: There is no such arm.
    """
    for name in names:
        if name not in ARMS:
            raise ConfigurationError(f"There is no arm '{name}'.", f"Known: {', '.join(ARMS)}.")
    print(
        "| arm | seed | first badge at step | 90 % of last 30 at step | steps | steps/s "
        "| policy alone | goals judged | uplift |\n|---|---|---|---|---|---|---|---|---|"
    )
    curves: dict[str, list[LearningCurve]] = {}
    for name in names or ARMS:
        for seed in seeds:
            curve = _train(ARMS[name], {**overrides, "seed": seed, "headless": True})
            curves.setdefault(name, []).append(curve)
            print(_row(ARMS[name].text, curve), flush=True)
    _print_ratios(curves)


def _train(arm: Arm, overrides: Mapping[str, Any]) -> LearningCurve:
    with _server(arm, int(overrides["seed"])) as settings:
        return train({**overrides, **arm.settings, **settings}, stops_at_target=True)


@contextlib.contextmanager
def _server(arm: Arm, seed: int) -> Iterator[dict[str, Any]]:
    """Yield the settings by which the arm's model is asked, while it answers."""
    if arm.character is None:
        yield {}
        return
    planner = ScriptedPlanner(arm.character, seed)
    with OllamaServer(planner, models=(_MODEL,), latency_s=arm.latency_s) as server:
        yield {
            "llm_model": _MODEL,
            "llm_base_url": server.url,
        }


def _row(text: str, curve: LearningCurve) -> str:
    status = curve.planner
    uplift = "–"
    if status is not None and status.followed and status.ignored:
        low, high = 100 * status.uplift_low, 100 * status.uplift_high
        uplift = f"{100 * status.uplift:+.0f} % ({low:+.0f} to {high:+.0f})"
    judged = "–" if status is None else f"{status.followed + status.ignored:,}"
    return (
        f"| {text} | {curve.seed} | {_step(curve.first_steps.get(_BADGE))} "
        f"| {_step(curve.target_step)} | {curve.total_steps:,} "
        f"| {curve.total_steps / max(curve.seconds, 1e-9):,.0f} | {_alone(curve)} | {judged} "
        f"| {uplift} |"
    )


def _alone(curve: LearningCurve) -> str:
    """Return how many of its last exam games the policy won at the end."""
    if not curve.alone or not (last := curve.alone[-1].evaluation).episodes:
        return "–"
    return f"{last.success_rate * last.episodes:.0f} of {last.episodes}"


def _print_ratios(curves: Mapping[str, Sequence[LearningCurve]]) -> None:
    """Print each arm's mean of first badges as a share of the policy's alone, seed by seed.

    A run without a badge counts with all its steps, which is the least that it would have taken.
    """
    alone = _first_badges(curves.get("alone", ()))
    if not alone:
        return
    print("\n| arm | first badge, share of the policy's steps alone |\n|---|---|")
    for name, runs in curves.items():
        firsts = _first_badges(runs)
        seeds = [seed for seed in firsts if seed in alone]
        share = sum(firsts[seed] for seed in seeds) / sum(alone[seed] for seed in seeds)
        missed = sum(run.first_steps.get(_BADGE) is None for run in runs)
        more = f" or more ({missed} of {len(runs)} never)" if missed else ""
        print(f"| {ARMS[name].text} | {share:.2f}{more} |")


def _first_badges(runs: Iterable[LearningCurve]) -> dict[int, int]:
    """Return by seed the step of the first badge, or the last step where there was none."""
    return {run.seed: run.first_steps.get(_BADGE) or run.total_steps for run in runs}


def _step(step: int | None) -> str:
    return "never" if step is None else f"{step:,}"


def main() -> None:
    """Read the command line."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("arms", nargs="*", metavar="ARM", help=f"{', '.join(ARMS)}; all by default")
    parser.add_argument("--steps", type=int, default=600_000, help="that an arm may take")
    add_run_options(parser)
    args = parser.parse_args()
    measure_planner(overrides_of(args) | {"total_steps": args.steps}, seeds_of(args), args.arms)


if __name__ == "__main__":
    main()
