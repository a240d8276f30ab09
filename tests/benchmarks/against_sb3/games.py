"""The games that both sides play: CartPole-v1, and an original one on a small grid."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import gymnasium
import numpy as np
from numpy.typing import NDArray

SIZE = 10
CHANNELS = 3
"""Who catches, nuts, stones."""
SPAWN_CHANCE = 0.3
STONE_SHARE = 0.5
TIME_LIMIT = 300

_CATCHER, _NUTS, _STONES = range(CHANNELS)

Observations = NDArray[np.float32]
"""(envs, F) float32."""


class NutFall(gymnasium.Env[NDArray[np.float32], int]):
    """Catch nuts and dodge stones, which fall a row a step; in the manner of MinAtar, not from it.

    Whoever catches stands in the lowest of ten rows and steps left, stays or steps right. A nut
    caught pays 1, a stone that hits ends the game, and nothing else pays: a nut must be walked to
    up to nine steps before it is there. Columns and kinds are drawn at random.

    Observations are three channels of 10 x 10 zeros and ones, in a row of 300.
    """

    metadata = {"render_modes": []}  # noqa: RUF012  # gymnasium's form

    def __init__(self) -> None:
        self.observation_space = gymnasium.spaces.Box(0.0, 1.0, (CHANNELS * SIZE * SIZE,))
        self.action_space = gymnasium.spaces.Discrete(3)
        self._board = np.zeros((CHANNELS, SIZE, SIZE), np.float32)
        self._column = 0

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[NDArray[np.float32], dict[str, Any]]:
        super().reset(seed=seed)
        self._board[:] = 0.0
        self._place(int(self.np_random.integers(SIZE)))
        return self._board.ravel().copy(), {}

    def step(self, action: int) -> tuple[NDArray[np.float32], float, bool, bool, dict[str, Any]]:
        falling = self._board[_NUTS:]
        falling[:, 1:] = falling[:, :-1]
        falling[:, 0] = 0.0
        if self.np_random.random() < SPAWN_CHANCE:
            kind = _STONES if self.np_random.random() < STONE_SHARE else _NUTS
            self._board[kind, 0, self.np_random.integers(SIZE)] = 1.0
        self._place(min(max(self._column + int(action) - 1, 0), SIZE - 1))
        reward = float(self._board[_NUTS, -1, self._column])
        is_over = bool(self._board[_STONES, -1, self._column])
        return self._board.ravel().copy(), reward, is_over, False, {}

    def _place(self, column: int) -> None:
        self._column = column
        self._board[_CATCHER] = 0.0
        self._board[_CATCHER, -1, column] = 1.0


class Noted(gymnasium.Wrapper[Any, Any, Any, Any]):
    """Note the return of each episode that ends.

    Args:
        env: The game.
        returns: Taken in the order in which they end; several games may share it.
    """

    def __init__(self, env: gymnasium.Env[Any, Any], returns: list[float]) -> None:
        super().__init__(env)
        self._returns = returns
        self._sum = 0.0

    def reset(self, **arguments: Any) -> tuple[Any, dict[str, Any]]:
        self._sum = 0.0
        return self.env.reset(**arguments)

    def step(self, action: Any) -> tuple[Any, Any, bool, bool, dict[str, Any]]:
        observation, reward, is_over, is_truncated, info = self.env.step(action)
        self._sum += float(reward)
        if is_over or is_truncated:
            self._returns.append(self._sum)
        return observation, reward, is_over, is_truncated, info


def make_cartpole() -> gymnasium.Env[Any, Any]:
    return gymnasium.make("CartPole-v1")


def make_nutfall() -> gymnasium.Env[Any, Any]:
    return gymnasium.wrappers.TimeLimit(NutFall(), TIME_LIMIT)


GAMES: dict[str, Callable[[], gymnasium.Env[Any, Any]]] = {
    "CartPole-v1": make_cartpole,
    "NutFall": make_nutfall,
}

Policy = Callable[[Observations], NDArray[np.int64]]
"""Choose an action (envs,) in each environment."""


def play(game: str, policy: Policy, episodes: int, seed: int) -> list[float]:
    """Return the returns of as many episodes, all played at once, one a seed.

    Games that are over wait for the others at the state where they ended.
    """
    envs = [GAMES[game]() for _ in range(episodes)]
    observations = np.stack(
        [env.reset(seed=seed + index)[0] for index, env in enumerate(envs)]
    ).astype(np.float32)
    returns = np.zeros(episodes)
    is_over = np.zeros(episodes, np.bool_)
    while not is_over.all():
        actions = policy(observations)
        for index in np.flatnonzero(~is_over):
            observation, reward, is_lost, is_truncated, _ = envs[index].step(int(actions[index]))
            observations[index] = observation
            returns[index] += float(reward)
            is_over[index] = is_lost or is_truncated
    return [float(value) for value in returns]
