"""Make beginnings of demonstrations by hand."""

import hashlib
from typing import Any

import numpy as np

from engine.config import PressFrames
from engine.demos.demonstration import Demonstration
from engine.env.input_recording import Recording, Segment


def make_head(
    start_state: bytes, rom: str = "0" * 40, taken: bytes = b"", **facts: Any
) -> Demonstration:
    """Return a demonstration in which nothing was pressed, after the inputs `taken`."""
    start = hashlib.sha1(start_state).hexdigest()
    recording = Recording(rom, start, "2.8.1", PressFrames(8, 12), (Segment((1, 2), taken),), "")
    nothing = np.zeros(len(taken), np.float32)
    return Demonstration(recording, start_state, nothing, nothing.astype(np.bool_), **facts)
