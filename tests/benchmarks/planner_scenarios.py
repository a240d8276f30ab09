"""Play a language model's server that fails in one way, in a process of its own.

`python -m tests.benchmarks.planner_scenarios NAME` prints its address and serves until its input
ends. In a process of its own, so that its work is not counted as the trainer's.
"""

import contextlib
import json
import socket
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass

from engine.ground.processes import python_command, python_environment
from tests.engine.planning.models.servers import Call
from tests.engine.planning.models.servers.ollama import ScriptedOllama
from tests.engine.planning.models.servers.scripted_planner import ScriptedPlanner

MODEL = "scripted:latest"
LATENCY_S = 0.5
LOAD_S = 1.0


@dataclass(frozen=True, slots=True)
class Scenario:
    """What a server does.

    Attributes:
        text: For the table.
        play: Name in `tests.engine.planning.models.servers.Scenarios`; "" where nothing listens.
        is_followed: The goals that come are pursued, so that the games take another way.
    """

    text: str
    play: str = "good"
    is_followed: bool = False


SCENARIOS = {
    "nobody": Scenario("nobody is asked in either (control)", ""),
    "ok": Scenario("answers after 0.5 s"),
    "slow": Scenario("first word never comes", "slow"),
    "dripping": Scenario("drips blanks without end", "dripping"),
    "hang": Scenario("hangs within its answer", "hanging_within"),
    "silent": Scenario("takes the connection and says nothing", "silent"),
    "reset": Scenario("breaks the connection off", "reset"),
    "404": Scenario("404, no such model", "status 404"),
    "401": Scenario("401, not allowed", "status 401"),
    "503": Scenario("503, busy", "status 503"),
    "error": Scenario("error in mid-stream", "error_within"),
    "broken": Scenario("broken JSON in the stream", "broken_json"),
    "fences": Scenario("answer in fences", "fenced"),
    "empty": Scenario("empty content", "empty"),
    "enum": Scenario("names what is no choice", "wrong_enum"),
    "huge": Scenario("says more without end", "huge"),
    "huge-at-once": Scenario("3 MB in one piece", "huge_at_once"),
    "load": Scenario("has to load the model for 1 s each time", "good"),
    "refused": Scenario("no server: the port is closed", ""),
    "unreachable": Scenario("no server: connecting hangs", ""),
    "followed": Scenario("answers after 0.5 s, and is followed", "good", True),
}


class _Server(ScriptedOllama):
    """Answers what the game asks, for those scenarios that answer."""

    def __init__(self, name: str) -> None:
        super().__init__(load_s=LOAD_S)
        self.scenario = SCENARIOS[name].play
        self._loads = name == "load"
        self._latency_s = LATENCY_S if name in ("ok", "followed") else 0.0
        self._oracle = ScriptedPlanner("oracle")
        if self._loads:
            self.loaded.clear()

    def chat(self, call: Call, model: str) -> None:
        if self._loads:
            self.loaded.discard(model)  # the next one who looks finds it unloaded
        super().chat(call, model)

    def play_good(self, call: Call, text: str = "") -> None:
        call.wait(self._latency_s)
        super().play_good(call, text or self._oracle(call.body))

    def play_fenced(self, call: Call) -> None:
        self.play_good(call, f"```json\n{self._oracle(call.body)}\n```")

    def play_wrong_enum(self, call: Call) -> None:
        self.play_good(call, json.dumps({**json.loads(self._oracle(call.body)), "choice": "dance"}))


@contextlib.contextmanager
def scenario_server(name: str) -> Iterator[str]:
    """Yield the address of a server that does as `SCENARIOS[name]` says."""
    if SCENARIOS[name].play:
        with _serving(name) as url:
            yield url
        return
    with contextlib.ExitStack() as held:
        listener = held.enter_context(socket.socket())
        listener.bind(("127.0.0.1", 0))
        address = listener.getsockname()
        if name == "unreachable":
            listener.listen(0)
            for _ in range(4):  # until its queue is full, and who else knocks is not heard
                knock = held.enter_context(socket.socket())
                knock.setblocking(False)
                knock.connect_ex(address)
        yield f"http://127.0.0.1:{address[1]}"


@contextlib.contextmanager
def _serving(name: str) -> Iterator[str]:
    command = python_command("tests.benchmarks.planner_scenarios", name)
    with subprocess.Popen(
        command,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        env=python_environment(),
    ) as process:
        assert process.stdout is not None
        yield process.stdout.readline().strip()
        process.communicate()


def _serve(name: str) -> None:
    with _Server(name) as server:
        print(server.url, flush=True)
        sys.stdin.read()


if __name__ == "__main__":
    _serve(sys.argv[1])
