"""Run the environments of one process, and write what they show into the shared arrays.

A worker, `python -m engine.env.vector.worker SOCKET MEMORY`, is started by
`engine.env.vector.pool`, which talks to it over an inherited socket and shares memory with it. The
process ends when the socket does, so it cannot outlive the trainer; on Linux the kernel ends it
even where it hangs. It never touches the terminal: the trainer redirects its output and handles
Ctrl-C.
"""

import importlib
import os
import pickle
import socket
import sys
import traceback
from collections.abc import Callable, Mapping, Sequence
from operator import methodcaller
from typing import Any, BinaryIO, Concatenate, Never, ParamSpec, TypeVar

import numpy as np

from engine.config import RunConfig
from engine.env.batch import STAND_STILL, Inspection, Outcome
from engine.env.stepping import SteppedEnv
from engine.env.vector.arrays import EnvFacts, SharedArrays
from engine.errors import DemoError
from engine.ground.processes import Channel, encode_error, ignore_terminal
from engine.types import Frame, SmallPicture

_P = ParamSpec("_P")
_R = TypeVar("_R")

CALL, DONE, FAILED = b"C", b".", b"!"
"""A request: a pickled `HostCall`; and the answers to it: a pickled result, nothing for None; or
what `encode_error` returns."""
_CHANGING = frozenset(
    method.__name__
    for method in (
        SteppedEnv.begin,
        SteppedEnv.begin_now,
        SteppedEnv.play_frames,
        SteppedEnv.question,
        SteppedEnv.record,
        SteppedEnv.restore,
    )
)
"""Methods after which an environment's observation may differ."""


class EnvHost:
    """The environments of one process, by index.

    In a worker process its public methods are what the trainer can call; an operation on single
    environments is a method of `SteppedEnv` and goes through `call`.

    Args:
        file: Memory that is shared with the trainer; None: nothing is shared.

    Attributes:
        arrays: What the environments are published in, from `share` on.
    """

    arrays: SharedArrays

    def __init__(self, file: BinaryIO | None = None) -> None:
        self._file = file
        self._envs: dict[int, SteppedEnv] = {}
        self._watched: int | None = None
        self._has_news = False
        self._drawn: tuple[int, ...] = ()

    def build(self, factory: str, config: RunConfig, indices: Sequence[int]) -> EnvFacts:
        """Make these of the run's environments; return what is the same in all of them.

        `factory` is "module:callable", called with (config, env_index).
        """
        module, _, name = factory.partition(":")
        make = getattr(importlib.import_module(module), name)
        return self.take({index: make(config, index) for index in indices})

    def take(self, envs: Mapping[int, SteppedEnv]) -> EnvFacts:
        """Run environments that are there already; return what is the same in all of them."""
        self._envs.update(envs)
        env = next(iter(envs.values()))
        return EnvFacts(
            env.feature_size,
            len(env.mask),
            None if env.pixels is None else env.pixels.shape,
            env.env.reward_weights,
            env.can_record,
            env.env.game.frames_per_s,
        )

    def share(self, num_envs: int, facts: EnvFacts) -> None:
        """Lay the arrays of a run's environments over the memory."""
        self.arrays = SharedArrays(num_envs, facts, self._file)

    def reset(self, seeds: Mapping[int, int], patience: int = 0) -> None:
        """Start an episode in each of `seeds` that is here; see `SteppedEnv.restart`."""
        for index, env in self._envs.items():
            if index in seeds:
                env.restart(seeds[index], patience)
                self.arrays.publish(index, env)

    def step(self, only: int | None, shows: bool) -> Outcome | None:
        """Take the shared actions, each in its environment; return what happened, if anything.

        Args:
            only: Step this environment alone; None: all.
            shows: `inspect` is called next, so that the watched environment draws its picture.
        """
        if self._watched is not None:
            self._envs[self._watched].render(shows)
        for index in self._drawn:
            self._envs[index].env.is_rendering = True
        outcome, choosers = Outcome(), self.arrays["choosers"]
        indices = self._envs if only is None else (only,)
        taken = {index: int(self.arrays["actions"][index]) for index in indices}
        acting = {index: action for index, action in taken.items() if action != STAND_STILL}
        for index, action in acting.items():
            env = self._envs[index]
            if choosers[index]:
                env.chosen_by(int(choosers[index]))
            env.press(action)
        for index, action in acting.items():
            self._finish(index, self._envs[index].settle(action), outcome)
        return outcome or None

    def count_frames(self, index: int, *, is_over: bool) -> Outcome:
        """Read the result of live frames in one environment, see `SteppedEnv.count_frames`."""
        outcome = Outcome()
        self._finish(index, self._envs[index].count_frames(is_over=is_over), outcome)
        return outcome

    def call(
        self,
        indices: Sequence[int] | None,
        name: str,
        args: Sequence[Any],
        kwargs: Mapping[str, Any],
    ) -> list[Any]:
        """Call a method of `SteppedEnv` on environments, None: all; return what each returned."""
        results = []
        for index in self._envs if indices is None else indices:
            env = self._envs[index]
            try:
                results.append(getattr(env, name)(*args, **kwargs))
            except DemoError:  # a refused request may have moved the game all the same
                self._publish(index)
                raise
            if name in _CHANGING:
                self._publish(index)
        return results

    def publish(self) -> None:
        """Publish all environments as they are now."""
        for index, env in self._envs.items():
            self.arrays.publish(index, env)

    def place(self, index: int) -> str:
        """Return the name of the map that an environment is on."""
        return self._envs[index].place

    def watch(self, index: int | None, *, renders: bool) -> None:
        """Let `inspect` show environment `index`, if it is one of these, and no other."""
        if self._watched is not None:
            self._envs[self._watched].watch(False)
        self._watched = index if index in self._envs else None
        if self._watched is not None:
            self._envs[self._watched].watch(True, renders=renders)
            self._has_news = True

    def inspect(self) -> Inspection | None:
        """Return what the watched environment shows, None if nothing changed since last time."""
        if self._watched is None or not self._has_news:
            return None
        self._has_news = False
        return self._envs[self._watched].inspect()

    def draw(self, indices: Sequence[int]) -> None:
        """Draw the next step of these environments, as far as they are here, for `pictures`."""
        self._drawn = tuple(index for index in indices if index in self._envs)

    def pictures(self, shrink: int) -> list[SmallPicture]:
        """Return what `draw` asked for, and draw it no more; what no step drew takes a while."""
        drawn, self._drawn = self._drawn, ()
        pictures = []
        for index in drawn:
            stepped = self._envs[index]
            pictures.append(
                SmallPicture(
                    index,
                    shrunk(stepped.env.frame(), shrink),
                    stepped.env.milestones,
                    stepped.env.episode_steps,
                )
            )
            stepped.render(True)
        return pictures

    def _publish(self, index: int) -> None:
        self.arrays.publish(index, self._envs[index])
        self._has_news = self._has_news or self._watched == index

    def _finish(self, index: int, result: tuple[float, bool, bool], outcome: Outcome) -> None:
        """Publish what an environment's step returned, and begin the next episode if it ended."""
        env, arrays = self._envs[index], self.arrays
        arrays["rewards"][index], arrays["terminated"][index], arrays["truncated"][index] = result
        if result[1] or result[2]:
            arrays.publish_final(index, env)
            outcome.summaries[index] = env.summary()
            env.begin()
        else:
            if reached := env.env.just_reached:
                outcome.reached[index] = (reached[-1], env.env.steps_from_start)
            if (cell := env.cell) is not None:
                outcome.cells[index] = cell
        outcome.goal_outcomes += env.take_goal_outcomes()
        outcome.demos += env.take_demos()
        self._publish(index)


def shrunk(frame: Frame, by: int) -> Frame:
    """Return a frame whose pixels are the means of `by` x `by`; what is left at the edges goes."""
    if by == 1:
        return frame
    rows, columns = frame.shape[0] // by, frame.shape[1] // by
    blocks = frame[: rows * by, : columns * by].reshape(rows, by, columns, by, 3)
    return np.asarray(blocks.mean((1, 3)), np.uint8)


HostCall = Callable[[EnvHost], _R]
"""A call of a method of `EnvHost`, as it goes to another process: see `on_host`, `on_envs`."""


def on_host(
    method: Callable[Concatenate[EnvHost, _P], _R], *args: _P.args, **kwargs: _P.kwargs
) -> HostCall[_R]:
    """Return the call of a method of `EnvHost`."""
    return methodcaller(method.__name__, *args, **kwargs)


def on_envs(
    indices: Sequence[int] | None,
    method: Callable[Concatenate[SteppedEnv, _P], _R],
    *args: _P.args,
    **kwargs: _P.kwargs,
) -> HostCall[list[_R]]:
    """Return the call of a method of `SteppedEnv` on environments of a host, None: all of them."""
    return on_host(EnvHost.call, indices, method.__name__, args, kwargs)


class LocalHost(EnvHost):
    """Environments in this process, with the interface of `engine.env.vector.pool.WorkerPool`.

    Nothing is replaced: what goes wrong is raised. Whoever made the environments closes them.
    """

    def __init__(self, envs: Sequence[SteppedEnv]) -> None:
        super().__init__()
        self.facts = self.take(dict(enumerate(envs)))
        self.share(len(envs), self.facts)

    def ask(self, index: int | None, call: HostCall[_R]) -> list[_R]:
        """Do a call."""
        return [call(self)]

    def try_ask(self, index: int | None, call: HostCall[_R | None]) -> list[_R]:
        """Do a call; None is no result."""
        result = call(self)
        return [] if result is None else [result]

    def replace_failed(self, at_step: int, standing: Callable[[], object]) -> list[Never]:
        """Replace nothing."""
        return []

    def close(self) -> None:
        """Leave the environments to their owner."""


def serve(channel: Channel, host: EnvHost) -> None:
    """Call methods of `host` until the trainer closes the channel."""
    while True:
        try:
            _, payload = channel.receive()
        except EOFError:
            return
        try:
            # Pickled by the parent that started this process and holds the other end of an unnamed
            # socket, and so are the answers: nothing pickled ever comes from disk or network. A
            # form of our own would have to know every class inside a GameState.
            call: HostCall[Any] = pickle.loads(payload)
            result = call(host)
            answer = DONE, b"" if result is None else pickle.dumps(result, pickle.HIGHEST_PROTOCOL)
        except Exception as error:  # outermost frame of the process: the trainer raises it
            traceback.print_exc()
            answer = FAILED, encode_error(error)
        try:
            channel.send(*answer)
        except OSError:
            return


def main() -> None:
    """Serve on the inherited descriptors."""
    ignore_terminal()
    channel = Channel(socket.socket(fileno=int(sys.argv[1])))
    serve(channel, EnvHost(os.fdopen(int(sys.argv[2]), "r+b")))


if __name__ == "__main__":
    main()
