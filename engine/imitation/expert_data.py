"""Hold experts' steps as frames, by the documented names: `ReplayBuffer`, `load_expert_data`.

This is for training loops of the user's own. `poketui bc` learns from the examples of
`engine.imitation.examples`, which have masks and features as well.
"""

import math
from collections.abc import Iterator
from pathlib import Path
from typing import TypedDict

import numpy as np
from numpy.typing import NDArray

from engine.config import RunConfig
from engine.demos.demonstration import read_demo
from engine.demos.exact_replay import play
from engine.demos.npz import NpzReader
from engine.env.observation.pixels import SIDE, shrink_screen
from engine.errors import DemoError
from engine.games.base import Game
from engine.games.catalog import load_game
from engine.ground.folders import user_path
from engine.ground.text import counted
from engine.imitation.demonstrations import NPZ_SUFFIX, demo_files, recorded_game
from engine.types import (
    GAME_BOY_ACTIONS,
    GAME_BOY_ADVANCE_ACTIONS,
    GAME_BOY_ADVANCE_FRAME_SHAPE,
    GAME_BOY_FRAME_SHAPE,
    ActionSet,
    Frame,
)

_MOST_STEPS = 1 << 20
SMALL_SHAPE = (SIDE, SIDE, 3)

_Step = tuple[Frame, int, float, bool]
"""Small frame before, action, reward, whether the episode ended with it."""


class Batch(TypedDict):
    """A sample with the documented keys.

    Attributes:
        observations: (B, height, width, 3) uint8.
        actions: (B,) int64.
        rewards: (B,) float32.
        next_observations: Like `observations`.
        dones: (B,) bool.
    """

    observations: NDArray[np.uint8]
    actions: NDArray[np.int64]
    rewards: NDArray[np.float32]
    next_observations: NDArray[np.uint8]
    dones: NDArray[np.bool_]


class ReplayBuffer:
    """Keep the last `capacity` steps, and draw from them uniformly.

    Args:
        capacity: Steps.
        shape: Of a picture: height, width, 3.
        seed: Of what is drawn.

    Raises:
        DemoError: `capacity` is no whole number of at least 1.

    Attributes:
        ptr: Where the next step goes.
        size: Steps that are kept.
        game_actions: The game's actions: those of a Game Boy Advance or a Game Boy, by `shape`,
            unless set.
    """

    def __init__(
        self, capacity: int, *, shape: tuple[int, int, int] = GAME_BOY_FRAME_SHAPE, seed: int = 0
    ) -> None:
        if not isinstance(capacity, int) or capacity < 1:
            raise DemoError(f"A buffer cannot hold {capacity!r} steps.", "Use 1 or more.")
        self.capacity = capacity
        self.observations = np.zeros((capacity, *shape), np.uint8)
        self.actions = np.zeros(capacity, np.int32)
        self.rewards = np.zeros(capacity, np.float32)
        self.next_observations = np.zeros((capacity, *shape), np.uint8)
        self.dones = np.zeros(capacity, np.bool_)
        self.ptr = self.size = 0
        is_advance = shape == GAME_BOY_ADVANCE_FRAME_SHAPE
        self.game_actions: ActionSet = GAME_BOY_ADVANCE_ACTIONS if is_advance else GAME_BOY_ACTIONS
        self._rng = np.random.default_rng(seed)

    def __len__(self) -> int:
        return self.size

    def add(
        self,
        obs: NDArray[np.uint8],
        action: int,
        reward: float,
        next_obs: NDArray[np.uint8],
        done: bool,
    ) -> None:
        """Keep a step, in place of the oldest where it is full.

        Raises:
            DecisionValidationError: There is no such action.
            DemoError: A picture is of another form, or the reward is no finite number.
        """
        action = self.game_actions.check(action)
        shape = self.observations.shape[1:]
        for picture in (obs, next_obs):
            if np.shape(picture) != shape or np.asarray(picture).dtype != np.uint8:
                found = " x ".join(map(str, np.shape(picture))) or "one number"
                raise DemoError(
                    f"A frame is {found}, {np.asarray(picture).dtype}.",
                    f"This buffer keeps {' x '.join(map(str, shape))}, uint8.",
                )
        if not math.isfinite(reward):
            raise DemoError(f"Invalid reward: {reward}.", "Use a finite number.")
        place = self.ptr
        self.observations[place], self.next_observations[place] = obs, next_obs
        self.actions[place], self.rewards[place], self.dones[place] = action, reward, done
        self.ptr = (place + 1) % self.capacity
        self.size = min(self.size + 1, self.capacity)

    def sample(self, batch_size: int) -> Batch:
        """Draw steps, with repetition.

        Raises:
            DemoError: There is none.
        """
        if not self.size:
            raise DemoError("There are no steps to sample from.", "Add some.")
        drawn = self._rng.integers(self.size, size=batch_size)
        return Batch(
            observations=self.observations[drawn],
            actions=self.actions[drawn].astype(np.int64),
            rewards=self.rewards[drawn],
            next_observations=self.next_observations[drawn],
            dones=self.dones[drawn],
        )


def load_expert_data(
    expert_data_dir: str | Path, *, config: RunConfig | None = None
) -> ReplayBuffer:
    """Read all documented NPZ files and demonstrations of a folder.

    Frames are kept as 84 x 84, which is what networks see: a tenth of the memory. A demonstration
    is replayed for its frames. What follows the last step of an episode is not known: the step
    counts as done, with its own frame as the next. `config` names the game; None: the practice game
    of the first demonstration, or where there is none, that with such frames.

    Raises:
        DemoError: There is none, or one cannot be used; nothing in it is executed.
        ReplayError: A demonstration does not replay as it was recorded.
    """
    paths = expert_paths(expert_data_dir)
    run = config or RunConfig(rom_path=recorded_game(paths[0], RunConfig()))
    game = load_game(run.rom_path, run.allow_unknown_rom)
    episodes = [
        list(_npz_steps(path, game) if path.suffix == NPZ_SUFFIX else _demo_steps(path, run))
        for path in paths
    ]
    capacity = max(1, sum(map(len, episodes)))
    buffer = ReplayBuffer(capacity, shape=SMALL_SHAPE)
    buffer.game_actions = game.actions
    for steps in episodes:
        for number, (picture, action, reward, done) in enumerate(steps):
            is_last = number + 1 == len(steps)
            following = picture if is_last else steps[number + 1][0]
            buffer.add(picture, action, reward, following, done or is_last)
    return buffer


def expert_paths(expert_data_dir: str | Path) -> list[Path]:
    """Return the NPZ files and demonstrations of a folder, in the order of their names.

    Raises:
        DemoError: There is none.
    """
    folder = user_path(expert_data_dir)
    paths = demo_files(folder)
    if not paths:
        raise DemoError(
            f"There are no demonstrations in {folder}.",
            "Record some: poketui record; or export some: poketui demos export.",
        )
    return paths


def _shrunk(picture: Frame) -> Frame:
    return shrink_screen(picture).transpose(1, 2, 0)


def _demo_steps(path: Path, config: RunConfig) -> Iterator[_Step]:
    for step in play(read_demo(path), config):
        assert step.frame is not None
        if step.mask[step.action]:
            yield _shrunk(step.frame), step.action, step.reward, step.done


def _npz_steps(path: Path, game: Game) -> Iterator[_Step]:
    with NpzReader(path) as file:
        actions = file.whole_numbers("actions", _MOST_STEPS)
        shape = file.shape("observations")
        if shape != (len(actions), *game.frame_shape):
            raise DemoError(
                f"{path} has {' x '.join(map(str, shape))} frames for "
                f"{counted(len(actions), 'action')}.",
                f"Expected one {' x '.join(map(str, game.frame_shape))} frame per action.",
            )
        if len(actions) and not 0 <= actions.min() <= actions.max() < len(game.actions):
            raise DemoError(f"{path} contains actions that this game does not have.")
        # As the format says, or as NumPy makes of Python's lists.
        rewards = file.array("rewards", _MOST_STEPS, np.float32, np.float64)
        dones = file.array("dones", _MOST_STEPS, np.bool_)
        if not len(actions) == len(rewards) == len(dones):
            raise DemoError(f"{path} has a different number of rewards or dones than actions.")
        pictures = file.frames("observations")
        for picture, action, reward, done in zip(pictures, actions, rewards, dones, strict=True):
            yield _shrunk(picture), int(action), float(reward), bool(done)
