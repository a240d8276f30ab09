"""Write the ways that a search has found as demonstrations."""

from pathlib import Path

from engine.config import RunConfig
from engine.demos.dataset import demos_folder
from engine.demos.recorder import record_actions
from engine.env.input_recording import Segment
from engine.errors import ReplayError

EXPLORED_FOLDER = "explored"
"""Folder of demonstrations inside the save folder's."""


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
        raise ReplayError("played again it goes another way", "")
    return path
