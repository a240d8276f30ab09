"""Stop environments of Game Boy Advance games by a real Ctrl-C, in this process and in others.

Their emulator calls Python functions from C code, where a KeyboardInterrupt would get lost.
"""

import os
import signal
import subprocess
from pathlib import Path

import pytest

from engine.ground.processes import code_command, python_environment
from tests.engine.processes import HEAR_CTRL_C, is_gone, wait_until

_ROUNDS = 4

_OWN_PROCESS = f"""
import sys
from pathlib import Path
import numpy as np
from engine.env.game_env import GameEnv
env = GameEnv("mosslight-advance", observation_type="state", cache_dir=Path(sys.argv[1]))
env.reset(seed=1)
dice = np.random.default_rng(1)
for _ in range({_ROUNDS}):
    try:
        print("playing", flush=True)
        while True:
            result = env.step(dice.choice(np.flatnonzero(env.action_mask())))
            if result[2] or result[3]:
                env.begin_episode()
    except KeyboardInterrupt:
        pass
"""

_WORKERS = """
import sys
import numpy as np
from engine.bench.pace import choose
from engine.config import RunConfig
from engine.env.vector.world import PLAIN_FACTORY, VectorEnv
config = RunConfig(rom_path="mosslight-advance", save_dir=sys.argv[1])
with VectorEnv(PLAIN_FACTORY, config, 2, 2) as vector:
    batch, dice = vector.reset([1, 2]), np.random.default_rng(1)
    print(*vector.pids, flush=True)
    while True:
        batch = vector.step(choose(batch.mask, dice))
"""


def start(code: str, folder: Path) -> "subprocess.Popen[str]":
    """Run in a session of its own, as a terminal's program does: Ctrl-C reaches all of it."""
    return subprocess.Popen(
        [*code_command(HEAR_CTRL_C + code), str(folder)],
        env=python_environment(),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )


@pytest.mark.slow
def test_every_ctrl_c_reaches_an_environment_of_this_process(tmp_path: Path) -> None:
    with start(_OWN_PROCESS, tmp_path) as process:
        for _ in range(_ROUNDS):
            assert process.stdout.readline() == "playing\n"
            os.killpg(process.pid, signal.SIGINT)
        _, errors = process.communicate(timeout=60)
    assert (process.returncode, errors) == (0, "")


@pytest.mark.slow
def test_ctrl_c_ends_a_program_and_its_workers(tmp_path: Path) -> None:
    with start(_WORKERS, tmp_path) as process:
        pids = [int(pid) for pid in process.stdout.readline().split()]
        assert len(pids) == 2
        os.killpg(process.pid, signal.SIGINT)
        _, errors = process.communicate(timeout=60)
    assert process.returncode == -signal.SIGINT
    assert errors.strip().endswith("KeyboardInterrupt")
    assert wait_until(lambda: all(is_gone(pid) for pid in pids))
