"""Train a battle policy in a thread of its own: commands go in, events come out."""

import contextlib
import json
from pathlib import Path
from typing import Any

from engine.battles.actor import ActorSettings
from engine.battles.setup import NodeCommand, find_simulator
from engine.battles.simulator import Simulator
from engine.battles.teams import pool, read_team, validate
from engine.battles.formats import find_format
from engine.config import RunConfig
from engine.errors import CheckpointError
from engine.events import Event, ProgressReported, RunStarted, RunStopped, WarningRaised
from engine.files import write_file
from engine.loop.controls import Controls, Pace
from engine.loop.session_loop import SessionLoop
from engine.session import log_to_file
from engine.threaded_session import ThreadedSession
from engine.training.checkpoint import CheckpointStore, read_checkpoint
from engine.training.journal import Journal, read_journal
from engine.training.run_settings import SESSION_KEYS, flat, read_settings
from engine.training.runs import RunFolder, find_run
from engine.training.tensorboard import TensorBoardFile
from engine.types import ActionSet
