"""Hold the examples that clones learn from: states, and the demonstrator's actions in them."""

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from engine.agents.demonstrated import Transitions
from engine.errors import ConfigurationError
from engine.types import GAME_BOY_ACTIONS, Spaces

_DTYPES = {
    "features": np.float32,
    "pixels": np.uint8,
    "masks": np.bool_,
    "actions": np.int64,
    "maps": np.int64,
    "episodes": np.int64,
    "rewards": np.float32,
    "ends": np.uint8,
}
"""Of the arrays of `Examples`, in the order of their digest."""

GOES_ON, OVER, CUT = 0, 1, 2
"""What follows a step: the next one, nothing, or something unknown."""


@dataclass(frozen=True, slots=True)
class Examples:
    """N steps of demonstrations.

    Attributes:
        features: (N, F) float32.
        pixels: (N, *shape) uint8, or (N, 0) where none are used.
        masks: (N, A) bool, False for invalid actions.
        actions: (N,) int64, what was done; never masked.
        maps: (N,) int64, where, as a place in `map_names`.
        episodes: (N,) int64, numbers episodes.
        rewards: (N,) float32, what was paid; 0 where that is not known.
        ends: (N,) uint8, what follows in the game: `GOES_ON`, `OVER` or `CUT`.
        map_names: Names of maps.
        validating: Episodes that are for validation only.
        action_names: Names of the A actions.
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
        assert all(len(getattr(self, name)) == count for name in _DTYPES)
        assert self.masks.shape == (count, len(self.action_names))
        assert not count or self.maps.max() < len(self.map_names)

    def __len__(self) -> int:
        return len(self.actions)

    @property
    def spaces(self) -> Spaces:
        """Return the sizes of observations and actions."""
        return Spaces(self.features.shape[1], self.masks.shape[1], self.pixels.shape[1:])

    def take(self, index: NDArray[np.integer] | NDArray[np.bool_]) -> "Examples":
        """Return some of them."""
        return replace(self, **{name: getattr(self, name)[index] for name in _DTYPES})

    def transitions(self) -> Transitions:
        """Return them as steps to learn action values from."""
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
        """Return a checksum of all of them."""
        total = hashlib.sha256(repr(self.map_names).encode())
        if self.validating:
            total.update(repr(sorted(self.validating)).encode())
        if self.action_names != GAME_BOY_ACTIONS.names:
            total.update(repr(self.action_names).encode())
        for name in _DTYPES:
            total.update(np.ascontiguousarray(getattr(self, name)).tobytes())
        return total.hexdigest()

    def save(self) -> dict[str, NDArray[np.generic]]:
        """Return them as arrays of plain numbers."""
        arrays = {name: getattr(self, name) for name in _DTYPES}
        return arrays | {
            "map_names": _as_bytes(self.map_names),
            "validating": np.array(sorted(self.validating), np.int64),
            "action_names": _as_bytes(self.action_names),
        }

    @classmethod
    def load(cls, arrays: Mapping[str, NDArray[np.generic]]) -> "Examples":
        """Restore the state that `save` returned."""
        columns: dict[str, Any] = {
            name: np.array(arrays[name], dtype) for name, dtype in _DTYPES.items()
        }
        if "action_names" in arrays:  # older ones do not say: theirs are a Game Boy's
            columns["action_names"] = _as_names(arrays["action_names"])
        validating = np.asarray(arrays.get("validating", ()), np.int64).tolist()
        return cls(
            **columns, map_names=_as_names(arrays["map_names"]), validating=frozenset(validating)
        )


class EpisodeExamples:
    """Collects the examples of one episode.

    Attributes:
        rewards: Of the steps so far.
        ends: What follows each of them.
    """

    def __init__(self) -> None:
        self.rewards: list[float] = []
        self.ends: list[int] = []
        self._rows: list[tuple[NDArray[np.generic], ...]] = []
        self._actions: list[int] = []
        self._places: list[str] = []

    def add(
        self,
        features: NDArray[np.float32],
        pixels: NDArray[np.uint8] | None,
        mask: NDArray[np.bool_],
        action: int,
        place: str,
        reward: float = 0.0,
        end: int = CUT,
    ) -> None:
        """Add a step; the arrays must not change any more."""
        self._rows.append((features, np.zeros(0, np.uint8) if pixels is None else pixels, mask))
        self._actions.append(action)
        self._places.append(place)
        self.rewards.append(reward)
        self.ends.append(end)

    def examples(
        self, episode: int, action_names: tuple[str, ...], validating: frozenset[int] = frozenset()
    ) -> list[Examples]:
        """Return the steps as examples of the episode with this number; [] if there are none."""
        if not self._rows:
            return []
        names = tuple(dict.fromkeys(self._places))
        features, pixels, masks = (np.stack(column) for column in zip(*self._rows, strict=True))
        return [
            Examples(
                features,
                pixels,
                masks,
                np.array(self._actions, np.int64),
                np.array([names.index(place) for place in self._places], np.int64),
                np.full(len(self._places), episode, np.int64),
                np.array(self.rewards, np.float32),
                np.array(self.ends, np.uint8),
                names,
                validating,
                action_names,
            )
        ]


def _as_bytes(names: tuple[str, ...]) -> NDArray[np.uint8]:
    return np.frombuffer("\n".join(names).encode(), np.uint8)


def _as_names(data: NDArray[np.generic]) -> tuple[str, ...]:
    return tuple(np.asarray(data, np.uint8).tobytes().decode().split("\n"))


def join(parts: Sequence[Examples]) -> Examples:
    """Concatenate examples: episodes are renumbered, equal names of maps become one."""
    if not parts:
        raise ConfigurationError("There are no demonstrations.", "Record some: poketui record")
    action_names = parts[0].action_names
    if any(part.action_names != action_names for part in parts):
        raise ConfigurationError(
            "The demonstrations are from games with different actions.", "Use those of one game."
        )
    names = tuple(dict.fromkeys(name for part in parts for name in part.map_names))
    renumbered: list[Examples] = []
    validating: set[int] = set()
    before = 0
    for part in parts:
        maps = np.array([names.index(name) for name in part.map_names], np.int64)[part.maps]
        numbers, own = np.unique(part.episodes, return_inverse=True)
        is_validating = np.isin(numbers, sorted(part.validating))
        validating |= {before + int(place) for place in np.flatnonzero(is_validating)}
        episodes = own.astype(np.int64) + before
        renumbered.append(replace(part, maps=maps, episodes=episodes, map_names=names))
        before += len(numbers)
    columns: dict[str, Any] = {
        name: np.concatenate([getattr(part, name) for part in renumbered]) for name in _DTYPES
    }
    return replace(renumbered[0], **columns, validating=frozenset(validating))


def split(examples: Examples, val_share: float, seed: int) -> tuple[Examples, Examples]:
    """Return the training and the validation examples: whole episodes, never single steps.

    Steps of one episode are too much alike: split by steps, memorising would look like learning.
    With a single episode, or a share of 0, nothing is held out. Where `Examples.validating` names
    episodes, those are, whatever the share.
    """
    is_kept = validates(examples, val_share, seed)
    return examples.take(~is_kept), examples.take(is_kept)


def validates(examples: Examples, val_share: float, seed: int) -> NDArray[np.bool_]:
    """Return (N,) bool, which examples `split` holds out for validation."""
    numbers = np.unique(examples.episodes)
    chosen = np.isin(examples.episodes, sorted(examples.validating))
    if val_share and chosen.any() and not chosen.all():
        return chosen
    count = min(len(numbers) - 1, max(1, round(val_share * len(numbers)))) if val_share else 0
    rng = np.random.default_rng([seed, 11])
    kept = rng.permutation(numbers)[:count]
    return np.isin(examples.episodes, kept)


def draw_weights(examples: Examples, balance: float) -> NDArray[np.float64]:
    """Return (N,) weights for drawing steps, 1 on average.

    They are the inverse of how often the step's action was taken on its map, to the power of
    `balance`: else the few steps that lead from map to map drown in the many that are alike.
    """
    pairs = examples.maps * examples.masks.shape[1] + examples.actions
    _, inverse, counts = np.unique(pairs, return_inverse=True, return_counts=True)
    weights = 1.0 / counts[inverse].astype(np.float64) ** balance
    scaled: NDArray[np.float64] = weights * (len(weights) / weights.sum())
    return scaled
