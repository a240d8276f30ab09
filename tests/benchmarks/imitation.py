"""Ask what demonstrations are worth: cloned, then reinforced, and with an expert who labels.

`python -m tests.benchmarks.imitation [ARM]... [--demos FOLDER] [--seeds N] [--rollouts N]`

All of it on the practice game from bed. What is judged by rollout is played with other seeds than
those by which cloning chose its best checkpoint. PPO is judged by rollout too, as it was when it
came to 90 % of its last episodes: of many games at once the short episodes, which are the won ones,
end first, so that its first episodes look better than it is.
"""

import argparse
import sys
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from types import MappingProxyType
from typing import Any

import torch

from engine.bench.learning import TARGET, train
from engine.config import RunConfig, load_config
from engine.demos.demonstration import SUFFIX
from engine.demos.recorder import record_policy, rules_policy
from engine.demos.validation import validate
from engine.errors import ConfigurationError, DemoError, TrainingError
from engine.folders import user_path
from engine.training.aggregation import aggregate
from engine.training.cloning import evaluate_clone
from engine.training.evaluation import summarise
from engine.training.from_demonstrations import Source, clone_policy
from engine.training.policies import read_policy
from engine.training.policy_folders import agent_settings
from engine.training.run_evaluation import evaluate_run
from engine.training.runs import LATEST
from engine.types import Evaluation
from tests.benchmarks.run_options import add_run_options, overrides_of, seeds_of

EPISODES = 5
"""Demonstrations that are recorded where none are given."""
NEEDED_SHARE = 0.2
"""Of the steps that PPO needs alone; cloned first it may need no more."""
STEPS_ALONE: Mapping[int, int] = MappingProxyType({0: 178_016, 1: 234_880, 2: 234_752})
"""Steps of PPO alone to `TARGET` by seed, as docs/experiments.md has them."""
ARMS: Mapping[str, str] = MappingProxyType(
    {
        "replay": "demonstrations, played in another process",
        "bc": "cloned",
        "ppo": "cloned, then PPO",
        "dagger": "DAgger, rule expert",
        "alone": "PPO alone",
    }
)
_NOTHING: Mapping[str, Any] = MappingProxyType({})
_USUAL = ("replay", "bc", "ppo", "dagger")
_MOST_STEPS = 600_000
_ROUNDS = 4
_ROLLOUT_SEED = 1_000
"""Is added to a run's seed for the rollouts that are reported."""


@dataclass(slots=True)
class _Found:
    """The result of one seed; None is what was not measured."""

    seed: int
    policy: str = ""
    steps_alone: int | None = None
    failures: list[str] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class _Bench:
    """What all arms need.

    Attributes:
        overrides: Settings by dotted key.
        rollouts: Episodes by which a policy is judged.
        demos: Folder of the demonstrations of a seed.
        cloning: Settings of `CloningConfig`.
    """

    overrides: Mapping[str, Any]
    rollouts: int
    demos: Path
    cloning: Mapping[str, Any]

    def config(self, seed: int) -> RunConfig:
        return load_config(None, {**self.overrides, "seed": seed})


def measure_imitation(
    overrides: Mapping[str, Any],
    seeds: Sequence[int],
    *,
    demos: str = "",
    rollouts: int = 30,
    names: Sequence[str] = (),
    cloning: Mapping[str, Any] = _NOTHING,
) -> int:
    """Measure every arm with every seed, and print a table as Markdown.

    Args:
        overrides: Settings by dotted key, of all runs.
        seeds: Of everything random.
        demos: Folder of demonstrations for all seeds; "": the rules play some for each.
        rollouts: Episodes by which a policy is judged.
        names: Of `ARMS`; the usual ones where none is named.
        cloning: Settings of `CloningConfig` that are not to be as usual.

    Returns:
        0 if all went as it should: demonstrations the same way again, PPO in a fifth of its steps
        alone and then to `TARGET` of the rollouts, DAgger to that as well; else 1.

    Raises:
        ConfigurationError: There is no such arm.
        PokeTUIError: The demonstrations are no use, or a run failed.
    """
    for name in names:
        if name not in ARMS:
            raise ConfigurationError(f"There is no arm '{name}'.", f"Known: {', '.join(ARMS)}.")
    chosen = [name for name in _ORDER if name in (names or _USUAL)]
    torch.set_num_threads(1)
    print(
        "| what | seed | came to the badge | return | steps an episode | 90 % of last 30 at step "
        "| of PPO's steps alone | minutes |\n|---|---|---|---|---|---|---|---|",
        flush=True,
    )
    failures: list[str] = []
    for seed in seeds:
        with tempfile.TemporaryDirectory() as folder:
            bench = _Bench(overrides, rollouts, user_path(demos or folder), cloning)
            if not demos:
                _record(bench, seed)
            elif not any(bench.demos.glob(f"*{SUFFIX}")):
                raise DemoError(
                    f"There is no demonstration at {bench.demos}.",
                    "Record some, or leave --demos out: the rules play some.",
                )
            found = _Found(seed, steps_alone=STEPS_ALONE.get(seed))
            for name in chosen:
                _ORDER[name](bench, found)
            failures += found.failures
    print("\n" + ("\n".join(failures) or "All as it should be."), flush=True)
    return int(bool(failures))


def _record(bench: _Bench, seed: int) -> None:
    """Let the rules play demonstrations."""
    for _ in record_policy(
        rules_policy(seed), bench.config(seed), EPISODES, bench.demos, by="rules"
    ):
        pass


def _replay(bench: _Bench, found: _Found) -> None:
    began_s = time.monotonic()
    paths = sorted(bench.demos.glob(f"*{SUFFIX}"))
    played = list(validate(paths, bench.config(found.seed)))
    refusals = [each.refusal for each in played if each.refusal]
    found.failures += [f"Seed {found.seed}: {refusal}" for refusal in refusals]
    steps = sum(each.steps for each in played)
    same = f"{len(played) - len(refusals)} of {len(played)} went the same way"
    length = f"{steps / max(1, len(played)):,.0f}"
    _print_row(ARMS["replay"], found.seed, badge=same, length=length, began_s=began_s)


def _clone(bench: _Bench, found: _Found) -> None:
    began_s = time.monotonic()
    save_dir = bench.config(found.seed).save_dir
    given = {**bench.cloning, "seed": found.seed}
    found.policy = str(clone_policy(save_dir, given, Source(demos=str(bench.demos))).folder)
    policy, _ = read_policy(save_dir, found.policy)
    judged = evaluate_clone(policy, bench.config(_ROLLOUT_SEED + found.seed), bench.rollouts)
    assert judged is not None
    _print_row(ARMS["bc"], found.seed, judged=judged, began_s=began_s)


def _reinforce(bench: _Bench, found: _Found) -> None:
    if not found.policy:
        _clone(bench, found)
    began_s = time.monotonic()
    save_dir = bench.config(found.seed).save_dir
    step = _train(bench, found.seed, agent_settings(save_dir, found.policy))
    share = None
    if step is not None and found.steps_alone is not None:
        share = step / found.steps_alone
    if step is None or (share is not None and share > NEEDED_SHARE):
        found.failures.append(
            f"Seed {found.seed}: cloned, PPO came to 90 % "
            + ("never." if step is None else f"at step {step:,}: not in a fifth of the steps.")
        )
    judged = _judge_run(bench, found.seed)
    if judged.success_rate < TARGET:
        found.failures.append(
            f"Seed {found.seed}: cloned, then PPO, the policy alone came to the badge in "
            f"{judged.success_rate:.0%} of its rollouts."
        )
    _print_row(ARMS["ppo"], found.seed, judged=judged, step=step, share=share, began_s=began_s)


def _train_alone(bench: _Bench, found: _Found) -> None:
    began_s = time.monotonic()
    found.steps_alone = _train(bench, found.seed, {})
    judged, step = _judge_run(bench, found.seed), found.steps_alone
    share = None if step is None else 1.0
    _print_row(ARMS["alone"], found.seed, judged=judged, step=step, share=share, began_s=began_s)


def _train(bench: _Bench, seed: int, settings: Mapping[str, Any]) -> int | None:
    """Return the step at which PPO surely wins; None if it never does."""
    usual = {"mode": "rl_only", "headless": True, "total_steps": _MOST_STEPS}
    given = {**usual, **bench.overrides, **settings, "seed": seed}
    curve = train(given, stops_at_target=True)
    if not curve.total_steps:
        raise TrainingError("The run took no step.", "See its journal.")
    return curve.target_step


def _judge_run(bench: _Bench, seed: int) -> Evaluation:
    """Let the policy of the run that ended just now play alone."""
    save_dir = bench.config(seed).save_dir
    return summarise(evaluate_run(save_dir, LATEST, episodes=bench.rollouts).played)


def _aggregate(bench: _Bench, found: _Found) -> None:
    """Print a row a round; the first is what the demonstrations alone come to."""
    began_s = time.monotonic()
    shares: list[float] = []

    def report(told: object) -> None:
        if isinstance(told, Evaluation):
            text = f"{ARMS['dagger']}, round {len(shares)}"
            shares.append(told.success_rate)
            _print_row(text, found.seed, judged=told, began_s=began_s)

    aggregate(
        bench.config(found.seed).save_dir,
        {**bench.cloning, "seed": found.seed, "eval_episodes": bench.rollouts},
        {"rounds": _ROUNDS},
        Source(demos=str(bench.demos)),
        report=report,
    )
    if max(shares[1:]) < TARGET:
        found.failures.append(f"Seed {found.seed}: DAgger came to {max(shares[1:]):.0%} at most.")


_ORDER: Mapping[str, Callable[[_Bench, _Found], None]] = MappingProxyType(
    {
        "replay": _replay,
        "alone": _train_alone,
        "bc": _clone,
        "ppo": _reinforce,
        "dagger": _aggregate,
    }
)
"""What measures an arm, in the order in which one needs the other."""


def _print_row(
    text: str,
    seed: int,
    *,
    began_s: float,
    badge: str = "–",
    length: str = "–",
    judged: Evaluation | None = None,
    step: int | None = None,
    share: float | None = None,
) -> None:
    reward = "–"
    if judged is not None:
        won = round(judged.success_rate * judged.episodes)
        badge = f"{won} of {judged.episodes} ({judged.success_rate:.0%})"
        reward, length = f"{judged.avg_reward:.1f}", f"{judged.avg_length:,.0f}"
    is_run = text in (ARMS["ppo"], ARMS["alone"])
    at_step = f"{step:,}" if step is not None else "never" if is_run else "–"
    of_alone = "–" if share is None else f"{share:.2f}"
    minutes = (time.monotonic() - began_s) / 60
    print(
        f"| {text} | {seed} | {badge} | {reward} | {length} | {at_step} | {of_alone} "
        f"| {minutes:.1f} |",
        flush=True,
    )


def main() -> int:
    """Read the command line."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument(
        "arms", nargs="*", metavar="ARM", help=f"{', '.join(ARMS)}; all but the last by default"
    )
    parser.add_argument("--demos", default="", help="folder; the rules play five by default")
    parser.add_argument("--rollouts", type=int, default=30, help="by which a policy is judged")
    add_run_options(parser)
    args = parser.parse_args()
    return measure_imitation(
        overrides_of(args),
        seeds_of(args),
        demos=args.demos,
        rollouts=args.rollouts,
        names=args.arms,
    )


if __name__ == "__main__":
    sys.exit(main())
