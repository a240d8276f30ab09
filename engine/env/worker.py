"""Run environments in a process of their own: `python -m engine.env.worker SOCKET MEMORY`.

Started by `engine.env.vector`, which talks to it over an inherited socket and shares memory with
it. The process ends when the socket does, so it cannot outlive the trainer; on Linux the kernel
ends it even where it hangs. It never touches the terminal: its output goes where the trainer said,
and Ctrl-C is the trainer's business.
"""

import ctypes
import importlib
import json
import os
import pickle
import signal
import socket
import sys
import traceback
from collections.abc import Callable
from dataclasses import asdict

from engine.config import parse_config
from engine.env.array_env import ArrayEnv
from engine.env.channel import Channel, SharedArrays
from engine.env.live import buttons_of
from engine.errors import PokeTUIError, WorkerError
from engine.types import GoalKind

DONE, FAILED = b".", b"!"
FRAMES, COUNT = b"F", b"C"
BUILD, MAP, RESET, STEP, WATCH, LOOK, SAVE, LOAD, KEEP, BEGIN, DIRECT, QUESTION, QUIT = (
    b"B", b"M", b"R", b"S", b"W", b"O", b"V", b"L", b"K", b"N", b"D", b"?", b"Q",
)  # fmt: skip
ORDER, PLACE, BEGIN_NOW, RECORD = b"J", b"P", b"A", b"T"
UNSEEN = b"-"
"""Of a STEP of all: nobody looks at what it leads to."""

_PR_SET_PDEATHSIG = 1  # linux/prctl.h

_GOAL_KINDS = tuple(GoalKind)


class Worker:
    """Answers messages about its environments.

    Args:
        channel: To the trainer.
        memory_fd: File descriptor of the shared memory.
    """

    def __init__(self, channel: Channel, memory_fd: int) -> None:
        self._channel = channel
        self._file = os.fdopen(memory_fd, "r+b")
        self._envs: dict[int, ArrayEnv] = {}
        self._arrays: SharedArrays | None = None
        self._watched: int | None = None
        self._has_news = False
        self._answers: dict[bytes, Callable[[bytes], bytes]] = {
            BUILD: self._build,
            MAP: self._map,
            RESET: self._reset,
            STEP: self._step,
            FRAMES: self._play_frames,
            COUNT: self._count_frames,
            WATCH: self._watch,
            LOOK: self._look,
            SAVE: self._save,
            LOAD: self._load,
            KEEP: self._keep,
            BEGIN: self._begin_next_from,
            DIRECT: self._direct,
            QUESTION: self._question,
            ORDER: self._order,
            PLACE: self._place,
            BEGIN_NOW: self._begin_now,
            RECORD: self._record,
        }

    def serve(self) -> None:
        """Answer until the trainer says so or is gone."""
        while True:
            try:
                kind, payload = self._channel.receive()
            except EOFError:
                return
            if kind == QUIT:
                return
            try:
                answer, result = DONE, self._answers[kind](payload)
            except Exception as error:  # outermost frame of the process: the trainer raises it
                traceback.print_exc()
                answer, result = FAILED, _described(error)
            try:
                self._channel.send(answer, result)
            except OSError:
                return

    def _build(self, payload: bytes) -> bytes:
        request = json.loads(payload)
        config = parse_config(request["config"], "the run's settings")
        module, _, name = request["factory"].partition(":")
        factory = getattr(importlib.import_module(module), name)
        for index in request["indices"]:
            self._envs[index] = factory(config, index)
        first = next(iter(self._envs.values()))
        return json.dumps(
            [
                first.feature_size,
                list(first.component_names),
                list(first.milestone_keys),
                list(first.reward_weights),
                first.can_record,
            ]
        ).encode()

    def _map(self, payload: bytes) -> bytes:
        num_envs, feature_size, has_pixels = json.loads(payload)
        self._arrays = SharedArrays.over(self._file, num_envs, feature_size, has_pixels=has_pixels)
        return b""

    def _reset(self, payload: bytes) -> bytes:
        for index, seed in json.loads(payload):
            self._envs[index].begin(seed)
            self._publish(index)
        return b""

    def _step(self, payload: bytes) -> bytes:
        """Step all environments, or only the named one; return what happened beside."""
        shows = payload != UNSEEN
        indices = [int.from_bytes(payload, "little")] if payload and shows else list(self._envs)
        if self._watched is not None:
            self._envs[self._watched].render(shows)
        actions = self._mapped().actions
        return self._after(
            [(index, self._envs[index].step(int(actions[index]))) for index in indices]
        )

    def _play_frames(self, payload: bytes) -> bytes:
        index, mask, frames, shows = json.loads(payload)
        env = self._envs[index]
        env.play_frames(buttons_of(mask), frames, render=shows)
        self._has_news = self._has_news or self._watched == index
        frame = env.live_frame() if shows else None
        return b"" if frame is None else frame.tobytes()

    def _count_frames(self, payload: bytes) -> bytes:
        index, is_over = json.loads(payload)
        return self._after([(index, self._envs[index].count_frames(is_over=is_over))])

    def _after(self, results: list[tuple[int, tuple[float, bool, bool]]]) -> bytes:
        """Publish what environments returned; return what happened beside."""
        summaries, reached, verdicts, demos = [], [], [], []
        arrays = self._mapped()
        for index, (reward, is_terminated, is_truncated) in results:
            env = self._envs[index]
            arrays.rewards[index] = reward
            arrays.terminated[index] = is_terminated
            arrays.truncated[index] = is_truncated
            if is_terminated or is_truncated:
                arrays.final_features[index] = env.features
                if env.pixels is not None:
                    arrays.final_pixels[index] = env.pixels
                summaries.append(asdict(env.summary()))
                env.begin()
            elif env.milestone:
                reached.append([index, env.milestone, env.steps_from_start])
            verdicts += [asdict(verdict) for verdict in env.take_verdicts()]
            demos += [asdict(demo) for demo in env.take_demos()]
            self._publish(index)
            self._has_news = self._has_news or self._watched == index
        if not summaries and not reached and not verdicts and not demos:
            return b""
        return json.dumps([summaries, reached, verdicts, demos]).encode()

    def _publish(self, index: int) -> None:
        env, arrays = self._envs[index], self._mapped()
        arrays.features[index] = env.features
        arrays.mask[index] = env.mask
        arrays.prior[index] = env.prior
        arrays.confidence[index] = env.confidence
        arrays.nearness[index] = env.nearness
        arrays.goal_kind[index] = _GOAL_KINDS.index(env.goal_kind)
        arrays.setters[index] = env.setter
        arrays.wants_plan[index] = env.wants_plan
        arrays.is_walking[index] = env.is_walking
        if env.pixels is not None:
            arrays.pixels[index] = env.pixels

    def _watch(self, payload: bytes) -> bytes:
        index, renders = json.loads(payload)
        if self._watched is not None:
            self._envs[self._watched].watch(False)
        self._watched = index if index in self._envs else None
        if self._watched is not None:
            self._envs[self._watched].watch(True, renders=renders)
            self._has_news = True
        return b""

    def _look(self, payload: bytes) -> bytes:
        if self._watched is None or not self._has_news:
            return b""
        self._has_news = False
        # Pickled for a parent that started this process and holds the other end of an unnamed
        # socket: nothing pickled ever comes from disk or network. A form of our own would have to
        # know every class inside a GameState.
        return pickle.dumps(self._envs[self._watched].watched(), pickle.HIGHEST_PROTOCOL)

    def _direct(self, payload: bytes) -> bytes:
        directions = pickle.loads(payload)  # from our own parent: see `_look`
        for env in self._envs.values():
            env.direct(directions)
        return b""

    def _order(self, payload: bytes) -> bytes:
        orders = pickle.loads(payload)  # from our own parent: see `_look`
        for env in self._envs.values():
            env.order(orders)
        return b""

    def _place(self, payload: bytes) -> bytes:
        return self._envs[json.loads(payload)].place.encode()

    def _begin_now(self, payload: bytes) -> bytes:
        header, _, moment = payload.partition(b"\n")
        index = json.loads(header)
        self._envs[index].begin_now(moment)
        self._publish(index)
        self._has_news = self._has_news or self._watched == index
        return b""

    def _record(self, payload: bytes) -> bytes:
        index, order = pickle.loads(payload)  # from our own parent: see `_look`
        try:
            facts = self._envs[index].record(order)
        finally:  # an order that fails may have moved the game before
            self._publish(index)
            self._has_news = self._has_news or self._watched == index
        return pickle.dumps(facts, pickle.HIGHEST_PROTOCOL)

    def _question(self, payload: bytes) -> bytes:
        index = json.loads(payload)
        situation = self._envs[index].question()
        self._mapped().wants_plan[index] = self._envs[index].wants_plan
        return pickle.dumps(situation, pickle.HIGHEST_PROTOCOL)  # see `_look`

    def _save(self, payload: bytes) -> bytes:
        return self._envs[json.loads(payload)].save()

    def _load(self, payload: bytes) -> bytes:
        index = int.from_bytes(payload[:4], "little")
        self._envs[index].restore(payload[4:])
        self._publish(index)
        self._has_news = self._has_news or self._watched == index
        return b""

    def _keep(self, payload: bytes) -> bytes:
        return self._envs[json.loads(payload)].moment()

    def _begin_next_from(self, payload: bytes) -> bytes:
        header, _, moment = payload.partition(b"\n")
        index, milestone = json.loads(header)
        self._envs[index].begin_next_from(milestone, moment)
        return b""

    def _mapped(self) -> SharedArrays:
        if self._arrays is None:
            raise WorkerError("The worker has no shared memory yet.")
        return self._arrays


def _described(error: Exception) -> bytes:
    """Return kind, message and hint of an error of ours; others become a WorkerError."""
    if not isinstance(error, PokeTUIError):
        error = WorkerError(
            f"An environment failed: {type(error).__name__}: {error}.", "The log has the details."
        )
    return json.dumps([type(error).__name__, error.message, error.hint]).encode()


def _end_with_parent() -> None:
    """Have the kernel kill this process with the thread that started it, even while it hangs."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)


def main() -> None:
    """Serve on the inherited descriptors."""
    for number in (signal.SIGINT, signal.SIGHUP, signal.SIGTSTP):
        signal.signal(number, signal.SIG_IGN)
    _end_with_parent()
    channel = Channel(socket.socket(fileno=int(sys.argv[1])))
    Worker(channel, int(sys.argv[2])).serve()


if __name__ == "__main__":
    main()
