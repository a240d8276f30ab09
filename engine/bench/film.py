"""Let the rule planner play the practice game and film it as it would look at its own pace."""

from dataclasses import dataclass
from typing import cast

import numpy as np

from engine.config import RunConfig
from engine.emulator.base import Emulator
from engine.emulator.camera import Camera
from engine.env.stepping import SteppedEnv
from engine.events import GameObserved, RewardPaid
from engine.scratch import scratch_folder
from engine.strategy.advised import make_env
from engine.types import Frame

FRAMES_PER_S = 30
_FRAMES_PER_PICTURE = 2
"""The game draws 60 a second."""
_SEED = 1


@dataclass(frozen=True, slots=True)
class Film:
    """What was seen.

    Attributes:
        frames: FRAMES_PER_S a second of the game; an unchanged one is the one before itself.
        observed: For each frame, what was known of the game then.
        paid: For each frame, what had been paid then.
    """

    frames: tuple[Frame, ...]
    observed: tuple[GameObserved, ...]
    paid: tuple[RewardPaid, ...]

    @property
    def unchanged(self) -> float:
        """The share of frames that equal the one before."""
        pairs = zip(self.frames, self.frames[1:], strict=False)
        return sum(a is b for a, b in pairs) / max(1, len(self.frames) - 1)


def film(seconds: float) -> Film:
    """Play for so many seconds of the game's own time from the start of an episode."""
    with scratch_folder() as folder:
        config = RunConfig(agent="rules", num_envs=1, save_dir=str(folder), seed=_SEED)
        env = make_env(config, 0)
        try:
            return _film(env, round(seconds * FRAMES_PER_S))
        finally:
            env.close()


def _film(env: SteppedEnv, count: int) -> Film:
    env.begin(_SEED)  # it makes the state that episodes start from, which is not filmed
    camera = Camera(env.env.emulator, _FRAMES_PER_PICTURE)
    env.env.emulator = cast(Emulator, camera)
    env.watch(True)
    env.begin(_SEED)
    camera.take()
    frames: list[Frame] = []
    observed: list[GameObserved] = []
    paid: list[RewardPaid] = []
    while len(frames) < count:
        action = np.where(env.mask, env.prior + 1e-6, 0.0).argmax()
        if sum(env.step(int(action))[1:]):
            env.begin()
        for frame in camera.take():
            is_same = frames and np.array_equal(frame, frames[-1])
            frames.append(frames[-1] if is_same else frame)
        seen = env.inspect()
        missing = len(frames) - len(observed)
        observed += missing * [
            GameObserved(seen.state, seen.goal, seen.milestones, seen.path, seen.visited)
        ]
        paid += [RewardPaid(seen.breakdown, seen.episode, seen.episode)] * missing
    return Film(tuple(frames[:count]), tuple(observed[:count]), tuple(paid[:count]))
