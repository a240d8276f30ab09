"""Observations without a simulator: random ones, and masks as requests give them; our scripts."""

import json
import subprocess
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from engine.battles.policy import FloatArray
from engine.battles.sim.actions import PASS
from engine.battles.sim.observation import (
    IDS,
    LEGAL,
    MAX_ID,
    MON,
    MONS,
    MONS_PART,
    MOVE,
    MOVES_PART,
    SIZE,
    THREAT,
    THREATS_PART,
)
from engine.battles.sim.setup import NodeCommand, script_folder
from engine.battles.sim.teams import find_format

REG_C = find_format("gen9vgc2023regulationc")
"""The documents' format, with Terastallisation; the recorded battles were played in it."""


def run_script(node: NodeCommand, name: str, **given: Any) -> Any:
    """Return what a script of this folder answers."""
    done = subprocess.run(
        [node.node, str(Path(__file__).with_name(name)), str(script_folder())],
        input=json.dumps(given),
        env=node.environment(),
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def random_observations(count: int, rng: np.random.Generator) -> FloatArray:
    """Return (count, 1560) with valid ids and fields from 0 to 1."""
    found = rng.random((count, SIZE), np.float32)
    mons = found[:, MONS_PART].reshape(count, MONS[0], len(MON))
    mons[:, :, :IDS] = rng.integers(0, MAX_ID, (count, MONS[0], IDS))
    found[:, MONS_PART] = mons.reshape(count, -1)
    for part, size in ((MOVES_PART, len(MOVE)), (THREATS_PART, len(THREAT))):
        fields = found[:, part].reshape(count, 8, size)
        fields[:, :, 0] = rng.integers(0, MAX_ID, (count, 8))
        found[:, part] = fields.reshape(count, -1)
    return found


def random_legal(count: int, rng: np.random.Generator) -> NDArray[np.bool_]:
    """Return (count, 90) masks; some slots can only pass."""
    legal = rng.random((count, LEGAL)) < 0.3
    legal[:, [PASS, PASS + 45]] = False
    for slot in range(2):
        part = legal[:, slot * 45 : (slot + 1) * 45]
        part[rng.random(count) < 0.2] = False
        part[~part.any(1), PASS] = True
    return legal
