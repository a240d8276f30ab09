"""Hold what is learnt from: states, and what the one who knew did in them."""

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from engine.agents.demonstrated import Transitions
from engine.errors import ConfigurationError
from engine.types import GAME_BOY_ACTIONS, Spaces

_ARRAYS = ("features", "pixels", "masks", "actions", "maps", "episodes", "rewards", "ends")

GOES_ON, OVER, CUT = 0, 1, 2
"""What follows a step: the next one, nothing, or something that is not known."""


@dataclass(frozen=True, slots=True)
class Examples:
    """N steps of demonstrations.

    Attributes:
        features: (N, F) float32.
        pixels: (N, *shape) uint8, or (N, 0) where nobody sees them.
        masks: (N, A) bool, False for actions of no use.
        actions: (N,) int64, what was done; never masked.
        maps: (N,) int64, where, as a place in `map_names`.
        episodes: (N,) int64, numbers episodes.
        rewards: (N,) float32, what was paid; 0 where that is not known.
        ends: (N,) uint8, what follows in the game: `Continues`, `OVER` or `CUT`.
        map_names: Names of maps.
        validating: Episodes of which somebody said that they only validate.
        action_names: A names.
    """

    features: NDArray[np.float32]
    pixels: NDArray[np.uint8]
    masks: NDArray[np.bool_]
    actions: NDArray[np.int64]
    maps: NDArray[np.int64]
    episodes: NDArray[np.int64]
    rewards: NDArray[np.float32]
    ends: NDArray[np.uint8]
    map_names: tuple[str, ...]
    validating: frozenset[int] = frozenset()
    action_names: tuple[str, ...] = GAME_BOY_ACTIONS.names

    def __post_init__(self) -> None:
        count = len(self.actions)
        assert all(len(getattr(self, name)) == count for name in _ARRAYS)
        assert self.masks.shape == (count, len(self.action_names))
        assert not count or self.maps.max() < len(self.map_names)

    def __len__(self) -> int:
        return len(self.actions)

    @property
    def spaces(self) -> Spaces:
        """Return the sizes of what was seen and of what could be done."""
        return Spaces(self.features.shape[1], self.masks.shape[1], self.pixels.shape[1:])

    @property
    def num_episodes(self) -> int:
        """Return how many episodes they are from."""
        return len(np.unique(self.episodes))

    def take(self, index: NDArray[np.integer] | NDArray[np.bool_]) -> "Examples":
        """Return some of them."""
        return Examples(
            self.features[index],
            self.pixels[index],
            self.masks[index],
            self.actions[index],
            self.maps[index],
            self.episodes[index],
            self.rewards[index],
            self.ends[index],
            self.map_names,
            self.validating,
            self.action_names,
        )

    def transitions(self) -> Transitions:
        """Return them as steps that values are learnt from."""
        return Transitions(
            self.features,
            self.pixels,
            self.masks,
            self.actions,
            self.rewards,
            self.ends == OVER,
            self.ends == CUT,
            self.episodes,
        )

    def digest(self) -> str:
        """Return a sum of everything in them."""
        total = hashlib.sha256(repr(self.map_names).encode())
        if self.validating:
            total.update(repr(sorted(self.validating)).encode())
        if self.action_names != GAME_BOY_ACTIONS.names:
            total.update(repr(self.action_names).encode())
        for name in _ARRAYS:
            total.update(np.ascontiguousarray(getattr(self, name)).tobytes())
        return total.hexdigest()

    def save(self) -> dict[str, NDArray[np.generic]]:
        """Return them as arrays of plain numbers."""
        arrays = {name: getattr(self, name) for name in _ARRAYS}
        return arrays | {
            "map_names": _as_bytes(self.map_names),
            "validating": np.array(sorted(self.validating), np.int64),
            "action_names": _as_bytes(self.action_names),
        }

    @classmethod
    def load(cls, arrays: Mapping[str, NDArray[np.generic]]) -> "Examples":
        """Restore the state that `save` returned."""
        actions = GAME_BOY_ACTIONS.names  # those of older ones, which do not say
        if "action_names" in arrays:
            actions = _as_names(arrays["action_names"])
        return cls(
            np.array(arrays["features"], np.float32),
            np.array(arrays["pixels"], np.uint8),
            np.array(arrays["masks"], np.bool_),
            np.array(arrays["actions"], np.int64),
            np.array(arrays["maps"], np.int64),
            np.array(arrays["episodes"], np.int64),
            np.array(arrays["rewards"], np.float32),
            np.array(arrays["ends"], np.uint8),
            _as_names(arrays["map_names"]),
            frozenset(np.asarray(arrays.get("validating", ()), np.int64).tolist()),
            actions,
        )


def _as_bytes(names: tuple[str, ...]) -> NDArray[np.uint8]:
    return np.frombuffer("\n".join(names).encode(), np.uint8)


def _as_names(data: NDArray[np.generic]) -> tuple[str, ...]:
    return tuple(np.asarray(data, np.uint8).tobytes().decode().split("\n"))


def join(parts: Sequence[Examples]) -> Examples:
    """Put examples together; their episodes stay apart, equal names of maps become one."""
    if not parts:
        raise ConfigurationError("There are no demonstrations.", "Record some: poketui record")
    action_names = parts[0].action_names
    if any(part.action_names != action_names for part in parts):
        raise ConfigurationError(
            "The demonstrations are of games with other actions.", "Take those of one game."
        )
    names = tuple(dict.fromkeys(name for part in parts for name in part.map_names))
    place = {name: index for index, name in enumerate(names)}
    maps, episodes, before = [], [], 0
    validating: set[int] = set()
    for part in parts:
        renumbered = np.array([place[name] for name in part.map_names], np.int64)
        maps.append(renumbered[part.maps])
        numbers, own = np.unique(part.episodes, return_inverse=True)
        is_validating = np.isin(numbers, sorted(part.validating))
        validating |= {before + int(place) for place in np.flatnonzero(is_validating)}
        episodes.append(own.astype(np.int64) + before)
        before += part.num_episodes
    return Examples(
        np.concatenate([part.features for part in parts]),
        np.concatenate([part.pixels for part in parts]),
        np.concatenate([part.masks for part in parts]),
        np.concatenate([part.actions for part in parts]),
        np.concatenate(maps),
        np.concatenate(episodes),
        np.concatenate([part.rewards for part in parts]),
        np.concatenate([part.ends for part in parts]),
        names,
        frozenset(validating),
        action_names,
    )


def split(examples: Examples, val_share: float, seed: int) -> tuple[Examples, Examples]:
    """Return what is learnt from and what is validated by: whole episodes, never single steps.

    Steps of one episode are too much alike: validated by step, what is remembered looks learnt.
    With a single episode, or a share of 0, nothing is kept to validate. Where somebody said which
    episodes validate, those do, whatever the share.
    """
    numbers = np.unique(examples.episodes)
    chosen = np.isin(examples.episodes, sorted(examples.validating))
    if val_share and chosen.any() and not chosen.all():
        return examples.take(~chosen), examples.take(chosen)
    count = min(len(numbers) - 1, max(1, round(val_share * len(numbers)))) if val_share else 0
    rng = np.random.default_rng([seed, 11])
    kept = rng.permutation(numbers)[:count]
    is_kept = np.isin(examples.episodes, kept)
    return examples.take(~is_kept), examples.take(is_kept)


def draw_weights(examples: Examples, balance: float) -> NDArray[np.float64]:
    """Return (N,) how often a step is drawn, 1 on average.

    By the inverse of how often its action was taken on its map, to the power of `balance`: else
    the few steps that lead from map to map drown in the many that are alike.
    """
    pairs = examples.maps * examples.masks.shape[1] + examples.actions
    _, inverse, counts = np.unique(pairs, return_inverse=True, return_counts=True)
    weights = 1.0 / counts[inverse].astype(np.float64) ** balance
    scaled: NDArray[np.float64] = weights * (len(weights) / weights.sum())
    return scaled
