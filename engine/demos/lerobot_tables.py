"""Lay out the tables of a LeRobotDataset v3.0: features, frames, episodes and statistics."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from engine.demos.demonstration import Demonstration
from engine.demos.exact_replay import Step
from engine.types import Facing, GameState

Columns = Mapping[str, NDArray[Any]]
"""By feature: (T,) or, for a vector, (T, N)."""
PICTURES = "observation.images.game"
STATE_NAMES = (
    "map_group",
    "map_number",
    "x",
    "y",
    *(f"facing_{way.name.lower()}" for way in Facing),
    "is_free",
    "in_text",
    "in_menu",
    "in_battle",
    "badges",
    "party_size",
    "party_level",
    "party_hp",
    "enemy_level",
    "enemy_hp",
)
"""Of `observation.state`; levels are the sum of the party's, hit points a share of 0 to 1."""
_QUANTILES = (0.01, 0.1, 0.5, 0.9, 0.99)
_COLORS = 256


def frames_per_s(demo: Demonstration) -> int:
    """Return the dataset's frame rate: the power of two nearest to the actions a second.

    LeRobot compares times as 32-bit floats, to a tenth of a millisecond. Only where the rate is a
    power of two are they exact however long the video is.
    """
    pace = demo.frames_per_s / sum(demo.recording.frames)
    return int(2 ** max(0, round(math.log2(pace))))


@dataclass(slots=True, eq=False)
class Episode:
    """A demonstration while it is played. T is the number of its steps.

    Attributes:
        states: T vectors as `STATE_NAMES` names them.
        colors: (3, 256) int64, how many pixels had each value of red, green and blue.
    """

    task: str
    is_success: bool
    states: list[list[float]] = field(default_factory=list)
    actions: list[int] = field(default_factory=list)
    rewards: list[float] = field(default_factory=list)
    colors: NDArray[np.int64] = field(default_factory=lambda: np.zeros((3, _COLORS), np.int64))

    def add(self, step: Step) -> None:
        """Take in a step."""
        assert step.frame is not None
        self.states.append(_state(step.state))
        self.actions.append(step.action)
        self.rewards.append(step.reward)
        for channel, counts in enumerate(self.colors):
            counts += np.bincount(step.frame[..., channel].ravel(), minlength=_COLORS)

    def columns(self, number: int, begin: int, task: int, fps: int) -> Columns:
        """Return its rows; `number` is the episode's, `begin` its first row's, `task` its task's.

        As in LeRobot's own datasets the last row of an episode is done, whatever ended it.
        """
        frames = np.arange(len(self.actions), dtype=np.int64)
        is_last = frames == len(frames) - 1
        return {
            "observation.state": np.array(self.states, np.float32),
            "action": np.array(self.actions, np.int64),
            "next.reward": np.array(self.rewards, np.float32),
            "next.done": is_last,
            "next.success": is_last & self.is_success,
            "timestamp": (frames / fps).astype(np.float32),
            "frame_index": frames,
            "episode_index": np.full_like(frames, number),
            "index": frames + begin,
            "task_index": np.full_like(frames, task),
        }


def features(
    columns: Columns,
    frame_shape: Sequence[int],
    action_names: Sequence[str],
    video: Mapping[str, Any],
) -> dict[str, Any]:
    """Return what `info.json` says of each feature; `video` is what it says of the video."""
    names = {"observation.state": [*STATE_NAMES], "action": ["button"]}
    found: dict[str, Any] = {
        PICTURES: {
            "dtype": "video",
            "shape": [*frame_shape],
            "names": ["height", "width", "channels"],
            "info": dict(video),
        }
    }
    for name, values in columns.items():
        shape = [*values.shape[1:]] or [1]
        found[name] = {"dtype": str(values.dtype), "shape": shape, "names": names.get(name)}
    found["action"]["info"] = {"buttons": [*action_names]}
    return found


def statistics(columns: Columns, colors: NDArray[np.int64]) -> dict[str, dict[str, Any]]:
    """Return the statistics of all features, by which LeRobot normalises."""
    found = {name: _of_numbers(values) for name, values in columns.items()}
    return {PICTURES: _of_pictures(colors, len(columns["index"]))} | found


def _of_numbers(values: NDArray[Any]) -> dict[str, Any]:
    rows = values.reshape(len(values), -1).astype(np.float64)
    parts = {"min": rows.min(0), "max": rows.max(0), "mean": rows.mean(0), "std": rows.std(0)}
    quantiles = np.quantile(rows, _QUANTILES, axis=0)
    return _named(parts, quantiles, len(rows))


def _of_pictures(colors: NDArray[np.int64], count: int) -> dict[str, Any]:
    """Return the statistics of each colour, 0 to 1, as LeRobot shapes them: (3, 1, 1)."""
    values = np.arange(_COLORS) / (_COLORS - 1)
    shares = colors / colors.sum(1, keepdims=True)
    mean = shares @ values
    parts = {
        "min": values[(colors > 0).argmax(1)],
        "max": values[::-1][(colors[:, ::-1] > 0).argmax(1)],
        "mean": mean,
        "std": np.sqrt(np.maximum(0.0, shares @ values**2 - mean**2)),
    }
    up_to = shares.cumsum(1)
    quantiles = np.array([values[(up_to >= share).argmax(1)] for share in _QUANTILES])
    shaped = {name: part.reshape(3, 1, 1) for name, part in parts.items()}
    return _named(shaped, quantiles.reshape(-1, 3, 1, 1), count)


def _named(
    parts: Mapping[str, NDArray[Any]], quantiles: NDArray[Any], count: int
) -> dict[str, Any]:
    by_name = zip(_QUANTILES, quantiles, strict=True)
    return {
        **{name: part.tolist() for name, part in parts.items()},
        "count": [count],
        **{f"q{round(share * 100):02}": value.tolist() for share, value in by_name},
    }


def _state(state: GameState) -> list[float]:
    place, control, battle = state.place, state.control, state.battle
    enemy = battle.enemy if battle is not None else None
    return [
        place.map.group,
        place.map.number,
        place.x,
        place.y,
        *(float(place.facing is way) for way in Facing),
        control.is_free,
        control.in_text,
        control.in_menu,
        battle is not None,
        sum(region.bit_count() for region in state.badges),
        len(state.party),
        sum(one.level for one in state.party),
        sum(one.hp for one in state.party) / max(1, sum(one.max_hp for one in state.party)),
        enemy.level if enemy is not None else 0,
        enemy.hp / max(1, enemy.max_hp) if enemy is not None else 0.0,
    ]
