"""Evaluate the policy alone while it learns, in a process that takes only time that nobody needs.

The process is `engine.training.evaluator`. It is given the newest weights after an update whenever
it has nothing to do, so training neither waits for it nor draws a random number for it: a run takes
the same steps with and without.
"""

import json
import os
import select
import socket
import subprocess
import tempfile
import weakref
from collections.abc import Callable
from contextlib import ExitStack, suppress

import numpy as np

from engine.agents.base import HasPolicy
from engine.child import code_command, worker_environment
from engine.config import RunConfig
from engine.env.worker import CALL, DONE, Channel
from engine.events import EvaluationEnded, Event, WarningRaised
from engine.types import Evaluation

_LOWEST_FIRST = """
import contextlib, os, pathlib, sys
from engine.child import end_with
end_with({parent})
os.nice(19)
with contextlib.suppress(OSError):
    pathlib.Path("/proc/self/autogroup").write_text("19")
if sys.platform == "linux" and len(os.sched_getaffinity(0)) > 1:
    os.sched_setscheduler(0, os.SCHED_IDLE, os.sched_param(0))
from engine.training.evaluator import main
main()
"""
"""Before anything is loaded, end with the thread that started it, and take only time that nobody
wants. On a single core that would be none: there a small share remains. Where Linux shares time out
by session first, its own is nice, too."""


class BackgroundEvaluation:
    """Hand weights to the process, and publish what came of them.

    The process starts with the first weights, and ends with the thread that gave them.
    """

    def __init__(self, config: RunConfig, emit: Callable[[Event], None]) -> None:
        self._config = config
        self._emit = emit
        owned = ExitStack()
        self._owned = owned
        self._end = weakref.finalize(self, owned.close)  # however it is left
        # What the process prints, read when it fails; and the weights, which it reads.
        self._output, self._weights = (
            owned.enter_context(tempfile.TemporaryFile())  # noqa: SIM115
            for _ in range(2)
        )
        self._process: subprocess.Popen[bytes] | None = None
        self._socket: socket.socket | None = None
        self._evaluated: tuple[int, int] | None = None
        self._is_over = False

    @property
    def pid(self) -> int | None:
        """Return the id of the process, None before it is started."""
        return None if self._process is None else self._process.pid

    def offer(self, agent: HasPolicy, episode: int, total_steps: int) -> None:
        """Let what is learnt after so many episodes and steps be evaluated, unless it is busy."""
        if self._is_over or self._evaluated is not None:
            return
        try:
            self._weights.seek(0)
            np.savez(self._weights, **agent.save_policy())  # type: ignore[arg-type]
            self._weights.truncate()
            self._weights.flush()
            if self._socket is None:
                self._socket = self._owned.enter_context(self._start())
            Channel(self._socket).send(CALL)
        except OSError as error:
            self._fail(str(error))
        else:
            self._evaluated = episode, total_steps

    def poll(self) -> None:
        """Publish an evaluation if one is complete; never wait."""
        if self._socket is None or self._evaluated is None:
            return
        if not select.select([self._socket], [], [], 0.0)[0]:
            return
        try:
            kind, payload = Channel(self._socket).receive()
        except (EOFError, OSError):
            kind, payload = b"", b""
        if kind != DONE:
            self._fail(self._last_line())
            return
        (episode, total_steps), self._evaluated = self._evaluated, None
        self._emit(EvaluationEnded(episode, total_steps, Evaluation(**json.loads(payload))))

    def close(self) -> None:
        """End the process; it has nothing to save."""
        self._is_over = True
        self._socket = None
        self._end()

    def _start(self) -> socket.socket:
        ours, theirs = socket.socketpair()
        with theirs:
            descriptors = (theirs.fileno(), self._weights.fileno())
            self._process = subprocess.Popen(
                [*code_command(_LOWEST_FIRST.format(parent=os.getpid())), *map(str, descriptors)],
                stdin=subprocess.DEVNULL,
                stdout=self._output,
                stderr=self._output,
                pass_fds=descriptors,
                env=worker_environment(OMP_NUM_THREADS="1", OPENBLAS_NUM_THREADS="1"),
                start_new_session=True,
            )
        self._owned.callback(self._process.wait)
        self._owned.callback(self._process.kill)
        Channel(ours).send(CALL, self._config.model_dump_json().encode())
        return ours

    def _fail(self, reason: str) -> None:
        """Say once that nothing is evaluated any more; training continues."""
        why = f" ({reason})" if reason else ""
        self.close()
        self._emit(
            WarningRaised(
                f"The policy is no longer evaluated in the background{why}. Training continues; "
                "`poketui eval` evaluates it from its checkpoints."
            )
        )

    def _last_line(self) -> str:
        with suppress(OSError):
            self._output.seek(max(0, self._output.seek(0, os.SEEK_END) - 2000))
            lines = self._output.read().decode("utf-8", "replace").strip().splitlines()
            return lines[-1] if lines else ""
        return ""
