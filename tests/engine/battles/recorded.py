"""A session with the real simulator as it was recorded, for tests without Node.

To record it anew: python -m tests.engine.battles.recorded
"""

import sys
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from engine.battles.sim.setup import NodeCommand, find_simulator
from engine.battles.sim.simulator import Decisions, Simulator
from engine.battles.sim.teams import FORMATS
from tests.engine.battles.play import lane, play_all

FILE = Path(__file__).with_name("recorded.npz")
LANES = (
    lane(0, limit=1),
    replace(lane(1, limit=1), players=("policy", "max_power")),
    lane(2, FORMATS[-1], limit=1),
)

_ANSWERER = """
import sys, numpy as np
with np.load(sys.argv[1]) as file:
    answers, sizes = file["answers"].tobytes(), file["sizes"].tolist()
at = 0
for size in sizes:
    head = sys.stdin.buffer.read(4)
    if not head:
        break
    sys.stdin.buffer.read(int.from_bytes(head, "little"))
    sys.stdout.buffer.write(answers[at : at + size])
    sys.stdout.buffer.flush()
    at += size
sys.stdin.buffer.read()
"""


@dataclass(frozen=True, slots=True)
class PythonCommand(NodeCommand):
    """Runs lines of Python in the simulator's place."""

    code: str = ""
    argument: str = ""

    def script(self, name: str, *arguments: str) -> list[str]:
        return [sys.executable, "-c", self.code, self.argument]


def answering(code: str = _ANSWERER) -> NodeCommand:
    """Return what answers as the simulator did when it was recorded, or runs other code."""
    return PythonCommand(sys.executable, Path(), None, code, str(FILE))


def play(simulator: Simulator) -> list[Decisions]:
    """Play the session that was recorded."""
    return play_all(simulator, np.random.default_rng(7))


class _Recorder(Simulator):
    answers: list[bytes]

    def _read_bytes(self, size: int) -> np.ndarray:
        content = super()._read_bytes(size)
        self.__dict__.setdefault("answers", []).append(content.tobytes())
        return content


def _record() -> None:
    with _Recorder(LANES, find_simulator()) as simulator:
        play(simulator)
        simulator.logs()
    pairs = zip(simulator.answers[::2], simulator.answers[1::2], strict=True)
    answers = [head + content for head, content in pairs]
    np.savez_compressed(
        FILE,
        answers=np.frombuffer(b"".join(answers), np.uint8),
        sizes=np.array([len(answer) for answer in answers]),
    )


if __name__ == "__main__":
    _record()
