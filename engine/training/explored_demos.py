"""Write the ways that a search has found as demonstrations, and let who learns imitate them."""

from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from engine.agents.base import Agent
from engine.agents.hybrid import GuidedPolicy
from engine.agents.ppo import OwnWay
from engine.agents.rollout import FloatArray
from engine.config import RunConfig
from engine.demos.dataset import demos_folder
from engine.demos.demonstration import read_demo
from engine.demos.recorder import record_actions
from engine.env.input_recording import Segment
from engine.env.layout import Layout, layout_of
from engine.errors import ReplayError
from engine.games.catalog import load_game
from engine.imitation.demonstrations import demo_examples
from engine.training.warm_start import seen_by_agent

EXPLORED_FOLDER = "explored"
"""Folder of demonstrations inside the save folder's."""

_COMPARED = (
    *("map", "x", "y", "facing", "control", "menu_kind", "cursor_row", "cursor_column"),
    *("milestones", "party"),
)
"""Features that tell whether an episode is where it was before."""


def write_explored(config: RunConfig, key: str, segment: Segment) -> Path:
    """Play inputs from power-on, and write them as a demonstration; return its file.

    Args:
        config: The run's settings.
        key: The milestone that they reach; "" for the run's goal.
        segment: The inputs.

    Raises:
        ReplayError: Played again they do not reach it.
        PokeTUIError: The file cannot be written, or the game not be set up.
    """
    folder = demos_folder(config) / EXPLORED_FOLDER
    path, demo = record_actions(
        segment.actions, config, folder, random=segment.random, by="explore", has_limits=False
    )
    if key not in dict(demo.milestones) if key else not demo.is_success:
        path.unlink()
        raise ReplayError("the replay diverges", "")
    return path


def without_loops(features: FloatArray, layout: Layout) -> NDArray[np.int64]:
    """Return which steps (N, F) of an episode are left without those that led back to a place.

    Only to the same place, text or menu with the same party and milestones: what was won counts.
    """
    what = np.r_[tuple(layout.slices[name] for name in _COMPARED)]
    battle = layout.slices["battle"]
    states = [None if row[battle].any() else row[what].tobytes() for row in features]
    last = {state: step for step, state in enumerate(states)}
    left, step = [], 0
    while step < len(states):
        if states[step] is not None:
            step = last[states[step]]
        left.append(step)
        step += 1
    return np.array(left)


def imitate_explored(agent: Agent, config: RunConfig, key: str, segment: Segment) -> Path:
    """Do as `write_explored` does, and let PPO imitate a way to the run's goal.

    Raises:
        PokeTUIError: As of `write_explored`; it then imitates what it did before.
    """
    path = write_explored(config, key, segment)
    if not key and isinstance(agent, GuidedPolicy):
        steps = demo_examples([read_demo(path)], 1, seen_by_agent(config), config)
        game = load_game(config.rom_path, config.allow_unknown_rom)
        layout = layout_of(game, config.env.features)
        steps = steps.take(without_loops(steps.features, layout))
        agent.ppo.imitate(OwnWay(steps.features, steps.pixels, steps.masks, steps.actions))
    return path
