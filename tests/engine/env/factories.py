"""Make the environments of vector tests; named in "module:callable" form and called in workers."""

import json
import os
import sys
import time
from pathlib import Path

import numpy as np

from engine.config import RunConfig
from engine.env.batch import Batch
from engine.env.observation.pixels import sight_of
from engine.env.stepping import SteppedEnv, make_game_env
from engine.errors import RomError
from engine.types import Action, Advice, Goal


class AlwaysRight:
    """An advisor that wants to go right and counts how often it was asked."""

    def __init__(self) -> None:
        self.asked = 0

    def reset(self, state) -> None:
        self.asked = 0

    def advise(self, state, mask) -> Advice | None:
        self.asked += 1
        prior = mask * 0.0
        prior[Action.RIGHT] = 1.0
        return Advice(Goal("right", "go right"), prior, 0.5, f"asked {self.asked} times")

    def save(self) -> int:
        return self.asked

    def restore(self, saved: int) -> None:
        self.asked = saved


def advised(config: RunConfig, env_index: int) -> SteppedEnv:
    env = make_game_env(config, env_index)
    return SteppedEnv(env, AlwaysRight(), sight=sight_of(config.encoder))


def broken(config: RunConfig, env_index: int) -> SteppedEnv:
    raise ZeroDivisionError("oops")


class _Failing(SteppedEnv):
    """Dies by B, hangs by SELECT and breaks by START."""

    def press(self, action: int) -> None:
        if action == Action.B:
            print("last words", file=sys.stderr, flush=True)
            os._exit(3)
        if action == Action.SELECT:
            time.sleep(600)
        if action == Action.START:
            raise ZeroDivisionError("oops")
        super().press(action)


def failing(config: RunConfig, env_index: int) -> SteppedEnv:
    return _Failing(make_game_env(config, env_index))


class _Doomed(SteppedEnv):
    def settle(self, action: int) -> tuple[float, bool, bool]:
        raise ZeroDivisionError("doomed")


def doomed(config: RunConfig, env_index: int) -> SteppedEnv:
    return _Doomed(make_game_env(config, env_index))


SEEDS = [5, 6, 7]
ARRAYS = (
    "features", "mask", "prior", "advice_confidence", "rewards", "terminated", "truncated",
    "final_features",
)  # fmt: skip


def are_same(first: Batch, second: Batch, *more: str) -> bool:
    """Tell whether two batches hold the same, also in fields that not all of them have."""
    return first.summaries == second.summaries and all(
        np.array_equal(getattr(first, name), getattr(second, name)) for name in (*ARRAYS, *more)
    )


GONE = "gone"
"""A file of this name in the save folder takes the game of `losable` away."""


def losable(config: RunConfig, env_index: int) -> SteppedEnv:
    if Path(config.save_dir, GONE).exists():
        raise RomError("The game is lost.", "Find it.")
    return failing(config, env_index)


MODULES = "modules.json"
"""Where the environment of `listing` writes what its process has imported."""


class _Listing(SteppedEnv):
    def settle(self, action: int) -> tuple[float, bool, bool]:
        result = super().settle(action)
        self.target.write_text(json.dumps(sorted(sys.modules)))
        return result


def listing(config: RunConfig, env_index: int) -> SteppedEnv:
    env = _Listing(make_game_env(config, env_index))
    env.target = Path(config.save_dir, MODULES)
    return env


def talkative(config: RunConfig, env_index: int) -> SteppedEnv:
    print("a worker's words")
    os.write(2, b"a worker's words")
    return SteppedEnv(make_game_env(config, env_index))
