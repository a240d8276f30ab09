"""Ask whether the documented network learns the practice game from single frames, and keeps it.

The rules teach (DAgger), then DQN continues from the clone. Wanted: `NEEDED` of the rollouts come
to the badge, each within `LONGEST` times as many actions as the rules need on average.
"""

import contextlib
import statistics
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import MappingProxyType
from typing import Any

from engine.agents.base import PolicyFunction
from engine.agents.evaluation import ALONE, evaluation_seed, play_episodes
from engine.agents.rules import RulesAgent
from engine.config import RunConfig
from engine.env.observation.pixels import MakeSight, sight_of
from engine.imitation.aggregation import aggregate
from engine.imitation.from_demonstrations import Source
from engine.imitation.games import ADVISED, make_games
from engine.imitation.policies import read_policy
from engine.runs.folder import LATEST
from engine.runs.policy_folders import agent_settings
from engine.training.evaluation import evaluate_run
from engine.types import EpisodeSummary, Evaluation
from tests.benchmarks.imitation_rows import ROLLOUT_SEED, Bench, Found, print_row
from tests.benchmarks.learning import train

NEEDED = 0.8
LONGEST = 1.5
RULES = 12
"""Demonstrations that the rules play first."""
CLONING: Mapping[str, Any] = MappingProxyType(
    {
        "network": "impala",
        "inputs": "screen",
        "learning_rate": 1e-3,
        "balance": 0.5,
        "temperature": 0.5,
        "val_share": 0.0,
        "eval_episodes": 16,
        "keep_checkpoints": 4,
    }
)
"""How the frames are learnt, where the caller says nothing else."""
ROUNDS: Mapping[str, Any] = MappingProxyType({"rounds": 3})
DQN: Mapping[str, Any] = MappingProxyType(
    {
        "agent": "dqn",
        "mode": "rl_only",
        "headless": True,
        "num_envs": 8,
        "workers": 1,
        "total_steps": 16_000,
        "imitation.rules": RULES,
        "imitation.offline_gradients": 500,
    }
)
"""How DQN continues, beside what beginning from a clone of the screen sets."""
_GAMES = 8


def clone_frames(bench: Bench, found: Found, name: str) -> None:
    """Print a row of the rules, one a round, and one of the best clone."""
    began_s = time.monotonic()
    config = bench.config(ROLLOUT_SEED + found.seed)
    taught = _play(config, bench.rollouts, RulesAgent(config.seed).player(config.seed))
    found.longest = LONGEST * statistics.fmean(one.length for one in taught)
    _print_judged("the rules", found, taught, began_s)
    rounds = 0

    def report(told: object) -> None:
        nonlocal rounds
        if isinstance(told, Evaluation):
            print_row(f"{name}, round {rounds}", found.seed, judged=told, began_s=began_s)
            rounds += 1

    cloned = aggregate(
        config.save_dir,
        {**CLONING, **bench.cloning, "seed": found.seed},
        ROUNDS,
        Source(rules=RULES),
        game={key: value for key, value in bench.overrides.items() if key != "save_dir"},
        report=report,
    )
    found.frames_policy = str(cloned.folder)
    policy, _ = read_policy(config.save_dir, found.frames_policy)
    player = policy.player(evaluation_seed(config))
    played = _play(config, bench.rollouts, player, sight_of(policy.config.encoder))
    _print_judged(f"{name}, the best", found, played, began_s)


def reinforce_frames(bench: Bench, found: Found, name: str) -> None:
    """Print a row of DQN from the clone of the demonstrations alone, and one from the best."""
    policy = Path(found.frames_policy)
    checkpoints = policy / "checkpoints"
    for start, path in (("round 0", checkpoints / "step-000000000000.zip"), ("the best", policy)):
        began_s = time.monotonic()
        config = bench.config(ROLLOUT_SEED + found.seed)
        begun = agent_settings(config.save_dir, str(path))
        train({**DQN, **begun, **bench.overrides, "seed": config.seed})
        played = evaluate_run(config.save_dir, LATEST, episodes=bench.rollouts).played
        _print_judged(f"{name}, from {start}", found, played, began_s)


def _play(
    config: RunConfig, episodes: int, player: PolicyFunction, make_sight: MakeSight | None = None
) -> list[EpisodeSummary]:
    """Let a player play; one that sees nothing is advised by the rules."""
    is_advised = make_sight is None
    games = make_games(config, min(_GAMES, episodes), make_sight, is_advised=is_advised)
    guidance = ADVISED if is_advised else ALONE
    with contextlib.closing(games):
        played = play_episodes(player, games, episodes, evaluation_seed(config), guidance)
    assert played is not None
    return played


def _print_judged(
    text: str, found: Found, played: Sequence[EpisodeSummary], began_s: float
) -> None:
    """Print how many came to the badge, how many soon enough, and how long these took."""
    won = [one.length for one in played if one.is_success]
    soon = sum(length <= found.longest for length in won)
    badge = f"{len(won)} of {len(played)}, {soon} within {found.longest:.0f}"
    length = f"{statistics.fmean(won):,.0f} of the won" if won else "–"
    print_row(text, found.seed, badge=badge, length=length, began_s=began_s)
    if soon < NEEDED * len(played):
        found.failures.append(f"Seed {found.seed}: {text}: {soon / len(played):.0%} soon enough.")
