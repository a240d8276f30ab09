"""Step many environments at once in worker processes, through shared memory.

A process that dies, hangs or breaks is replaced; see `VectorEnv`.
"""

import json
import pickle
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from engine.config import RunConfig
from engine.env import worker
from engine.env.array_env import ArrayEnv, Watched
from engine.env.batch import Batch
from engine.env.demo_orders import DemoEnded, DemoFacts, DemoOrder
from engine.env.live import mask_of
from engine.env.pool import WorkerPool
from engine.env.process import WorkerProcess
from engine.env.stepping import SteppedEnv, make_crystal_env
from engine.plans import Directions, Orders, PlanBook, Situation, Verdict
from engine.types import FRAME_SHAPE, Action, EpisodeSummary, Frame

PLAIN_FACTORY = "engine.env.vector:plain_env"

ANSWER_TIMEOUT_S = 60.0
"""After this a process counts as hung."""


def plain_env(config: RunConfig, env_index: int) -> ArrayEnv:
    """Make an environment without an advisor."""
    return SteppedEnv(make_crystal_env(config, env_index), sees_pixels=config.needs_pixels)


class VectorEnv:
    """Environments in processes; one call steps them all in parallel.

    A process that dies or hangs, or one of whose environments raises in a step, is replaced within
    the step that notices it, and its environments begin new episodes. Their random numbers come
    from the run's seed, the environment's index and the number of the replacement. What fails again
    and again is an error, and so is what fails in `reset` and `load`.

    On Linux the processes end with the thread that made the vector, too.

    Args:
        factory: "module:callable" that makes an `ArrayEnv` from (config, env_index); it is
            called in the workers.
        config: The run's settings.
        num_envs: Environments.
        num_workers: Processes; never more than environments.
        answer_timeout_s: After this a process counts as hung.

    Attributes:
        feature_size: F, the length of a feature vector.
        component_names: Reward components in order.
        milestone_keys: The game's milestones in order.
        reward_weights: (component, weight) as the environments were made.
        can_record: What is played can be kept as demonstrations.

    Raises:
        RomError: The ROM is unusable.
        WorkerError: A process died or does not answer.
    """

    def __init__(
        self,
        factory: str,
        config: RunConfig,
        num_envs: int,
        num_workers: int = 1,
        *,
        answer_timeout_s: float = ANSWER_TIMEOUT_S,
    ) -> None:
        self.num_envs = num_envs
        self._timeout_s = answer_timeout_s
        self._watched: int | None = None
        self._renders = True
        self._book = PlanBook()
        self._orders = Orders()
        self._num_steps = 0
        self._pool = WorkerPool(factory, config, num_envs, num_workers)
        self.feature_size = self._pool.feature_size
        self.component_names = self._pool.component_names
        self.milestone_keys = self._pool.milestone_keys
        self.reward_weights = self._pool.reward_weights
        self.can_record = self._pool.can_record
        self._arrays = self._pool.arrays
        self._has_pixels = config.needs_pixels
        self._last_features = self._arrays.features.copy()
        self._last_pixels = self._arrays.pixels.copy()

    def __enter__(self) -> "VectorEnv":
        return self

    def __exit__(self, *exc_info: object) -> None:
        self.close()

    @property
    def pids(self) -> tuple[int, ...]:
        """Return the ids of the worker processes."""
        return tuple(process.pid for process in self._pool.processes)

    def reset(self, seeds: Sequence[int]) -> Batch:
        """Start an episode everywhere; environment i draws its random numbers from seeds[i]."""
        if len(seeds) != self.num_envs:
            raise ValueError(f"{len(seeds)} seeds for {self.num_envs} environments")
        self._pool.reset(seeds)
        self._clear()
        return self._batch({})

    def step(
        self, actions: NDArray[np.int64], *, only: int | None = None, shows: bool = True
    ) -> Batch:
        """Take (N,) actions, each in its environment, or only the one of environment `only`.

        Args:
            actions: Places in `Action`.
            only: The others then stand still.
            shows: `observed` is asked next, so that the watched one's picture is to be drawn.
        """
        self._clear()
        self._num_steps += 1
        self._arrays.actions[:] = actions
        processes = self._pool.processes
        payload = b"" if shows else worker.UNSEEN
        if only is not None:
            processes = [self._pool.owner(only)]
            payload = only.to_bytes(4, "little")
        for process in processes:
            process.send(worker.STEP, payload)
        return self._answered(processes)

    def _answered(self, processes: Sequence[WorkerProcess]) -> Batch:
        """Collect the answers of processes that have stepped."""
        summaries: dict[int, EpisodeSummary] = {}
        reached: dict[int, tuple[str, int]] = {}
        verdicts: list[Verdict] = []
        demos: list[DemoEnded] = []
        for process in processes:
            answer = process.try_answer(self._timeout_s)
            if answer:
                ended, milestones, judged, kept = json.loads(answer)
                for facts in ended:
                    summaries[facts["env_index"]] = EpisodeSummary.from_json(facts)
                reached |= {index: (key, steps) for index, key, steps in milestones}
                verdicts += [Verdict.from_json(facts) for facts in judged]
                demos += [DemoEnded.from_json(facts) for facts in kept]
        return self._mended_batch(summaries, reached, tuple(verdicts), tuple(demos))

    def step_one(self, index: int, action: int) -> Batch:
        """Take an action in one environment; the others stand still, with reward 0."""
        actions = np.zeros(self.num_envs, np.int64)
        actions[index] = action
        return self.step(actions, only=index)

    def play_frames(
        self, index: int, buttons: frozenset[Action], frames: int, *, shows: bool
    ) -> Frame | None:
        """Let one game run with `buttons` down; the others stand still.

        Args:
            index: The environment.
            buttons: Down from the first of the frames on, and after them.
            frames: To run.
            shows: Render the last of them.

        Returns:
            The picture, if it was rendered and the environment is watched with its frames.
        """
        process = self._pool.owner(index)
        request = json.dumps([index, mask_of(buttons), frames, shows]).encode()
        process.send(worker.FRAMES, request)
        picture = process.try_answer(self._timeout_s)
        return np.frombuffer(picture, np.uint8).reshape(FRAME_SHAPE) if picture else None

    def count_frames(self, index: int, *, is_over: bool) -> Batch:
        """Take in what came of live frames in one environment: rewards, milestones, its end.

        Args:
            index: The environment; the others stand still, with reward 0.
            is_over: First let go of all buttons and let what has begun come to its end, so that an
                action can follow.
        """
        self._clear()
        process = self._pool.owner(index)
        process.send(worker.COUNT, json.dumps([index, is_over]).encode())
        return self._answered([process])

    def mend(self) -> Batch:
        """Replace the processes that are known to have failed; the others stand still."""
        self._clear()
        return self._mended_batch({}, {})

    def direct(self, directions: Directions) -> None:
        """Tell every environment of the planner's plans; they follow from the next step on.

        What was told before stays known, to processes that are replaced too.
        """
        self._book.take(directions)
        payload = pickle.dumps(directions, pickle.HIGHEST_PROTOCOL)
        for process in self._pool.processes:
            process.send(worker.DIRECT, payload)
        for process in self._pool.processes:
            process.try_answer(self._timeout_s)

    def order(self, orders: Orders) -> None:
        """Tell every environment what a person wants; they obey from the next step on.

        Processes that are replaced are told, too.
        """
        self._orders = orders
        payload = pickle.dumps(orders, pickle.HIGHEST_PROTOCOL)
        for process in self._pool.processes:
            process.send(worker.ORDER, payload)
        for process in self._pool.processes:
            process.try_answer(self._timeout_s)

    def question(self, index: int) -> Situation | None:
        """Return what an environment asks the planner, once; None when there is nothing."""
        process = self._pool.owner(index)
        process.send(worker.QUESTION, json.dumps(index).encode())
        answer = process.try_answer(self._timeout_s)
        if not answer:
            return None
        situation: Situation | None = pickle.loads(answer)  # from our own child
        return situation

    def watch(self, index: int | None, *, renders: bool = True) -> None:
        """Let `observed` show environment `index`.

        Args:
            index: None: no environment.
            renders: Render its steps from the next one on; else what it shows has no frame.
        """
        self._watched, self._renders = index, renders
        for process in self._pool.processes:
            process.send(worker.WATCH, json.dumps([index, renders]).encode())
        for process in self._pool.processes:
            process.try_answer(self._timeout_s)

    def observed(self) -> Watched | None:
        """Return what the watched environment shows, None if nothing changed since last time."""
        if self._watched is None:
            return None
        process = self._pool.owner(self._watched)
        process.send(worker.LOOK)
        answer = process.try_answer(self._timeout_s)
        if not answer:
            return None
        watched: Watched = pickle.loads(answer)  # from our own child: see `Worker._look`
        return watched

    def save(self) -> list[bytes]:
        """Return every environment wholly, for a checkpoint.

        Raises:
            WorkerError: A process failed; after `mend` there is something to save again.
        """
        states = []
        for index in range(self.num_envs):
            process = self._pool.owner(index)
            process.send(worker.SAVE, json.dumps(index).encode())
            states.append(process.answer(self._timeout_s))
        return states

    def load(self, states: Sequence[bytes]) -> Batch:
        """Put every environment back as saved; return their observations, with no rewards.

        Raises:
            CheckpointError: A state is damaged or of another version.
        """
        if len(states) != self.num_envs:
            raise ValueError(f"{len(states)} states for {self.num_envs} environments")
        for index, state in enumerate(states):
            process = self._pool.owner(index)
            process.send(worker.LOAD, index.to_bytes(4, "little") + state)
            process.answer(self._timeout_s)
        self._clear()
        return self._batch({})

    def moment(self, index: int) -> bytes:
        """Return the game of environment `index` as it is now, for `begin_next_from`.

        Raises:
            WorkerError: Its process failed; the next step replaces it.
        """
        process = self._pool.owner(index)
        process.send(worker.KEEP, json.dumps(index).encode())
        return process.answer(self._timeout_s)

    def begin_next_from(self, index: int, milestone: str, moment: bytes) -> None:
        """Let the next episode of environment `index` begin at an archived moment.

        Raises:
            WorkerError: Its process failed; the next step replaces it.
        """
        process = self._pool.owner(index)
        process.send(worker.BEGIN, json.dumps([index, milestone]).encode() + b"\n" + moment)
        process.answer(self._timeout_s)

    def begin_now(self, index: int, moment: bytes = b"") -> Batch:
        """Leave the episode of environment `index` and begin another; the others stand still.

        What is left counts as aborted. If its process fails at that, it is replaced.

        Args:
            index: The environment.
            moment: Where to begin; none: at the true start.
        """
        self._clear()
        process = self._pool.owner(index)
        process.send(worker.BEGIN_NOW, json.dumps(index).encode() + b"\n" + moment)
        process.try_answer(self._timeout_s)
        summaries: dict[int, EpisodeSummary] = {}
        self._cut_short(index, summaries)
        return self._mended_batch(summaries, {})

    def record(self, index: int, order: DemoOrder) -> DemoFacts:
        """Do what is asked about the demonstration that is kept of an environment.

        Its process writes the file: a demonstration outlives the trainer. Where the order takes the
        game back to an earlier step, `mend` returns what is seen there.

        Raises:
            DemoError: It cannot be done; all is as it was.
            WorkerError: Its process failed; the next step replaces it.
        """
        process = self._pool.owner(index)
        process.send(worker.RECORD, pickle.dumps((index, order), pickle.HIGHEST_PROTOCOL))
        facts: DemoFacts = pickle.loads(process.answer(self._timeout_s))  # from our own child
        return facts

    def place(self, index: int) -> str:
        """Return the name of the map that environment `index` is on.

        Raises:
            WorkerError: Its process failed; the next step replaces it.
        """
        process = self._pool.owner(index)
        process.send(worker.PLACE, json.dumps(index).encode())
        return process.answer(self._timeout_s).decode()

    def close(self) -> None:
        """End the processes. May be called again."""
        self._pool.close()

    def _clear(self) -> None:
        arrays = self._arrays
        arrays.rewards[:] = 0.0
        arrays.terminated[:] = False
        arrays.truncated[:] = False
        arrays.final_features[:] = 0.0
        arrays.final_pixels[:] = 0

    def _mended_batch(
        self,
        summaries: dict[int, EpisodeSummary],
        reached: dict[int, tuple[str, int]],
        verdicts: tuple[Verdict, ...] = (),
        demos: tuple[DemoEnded, ...] = (),
    ) -> Batch:
        """Replace what failed, and return everything."""
        replacements = self._pool.replace_failed(
            self._num_steps, [self._watched, self._renders], self._book, self._orders
        )
        for index in (index for replacement in replacements for index in replacement.indices):
            self._cut_short(index, summaries)
        warnings = tuple(replacement.text for replacement in replacements)
        return self._batch(summaries, warnings, reached, verdicts, demos)

    def _cut_short(self, index: int, summaries: dict[int, EpisodeSummary]) -> None:
        """Note that an episode was left before its end, in its last state that is known."""
        arrays = self._arrays
        arrays.rewards[index] = 0.0
        arrays.terminated[index], arrays.truncated[index] = False, True
        arrays.final_features[index] = self._last_features[index]
        if self._has_pixels:
            arrays.final_pixels[index] = self._last_pixels[index]
        summaries[index] = EpisodeSummary(index, 0.0, 0, (), is_aborted=True)

    def _batch(
        self,
        summaries: dict[int, EpisodeSummary],
        warnings: tuple[str, ...] = (),
        reached: dict[int, tuple[str, int]] | None = None,
        verdicts: tuple[Verdict, ...] = (),
        demos: tuple[DemoEnded, ...] = (),
    ) -> Batch:
        arrays = self._arrays
        self._last_features = arrays.features.copy()
        self._last_pixels = arrays.pixels.copy()
        return Batch(
            self._last_features,
            arrays.mask.copy(),
            arrays.prior.copy(),
            arrays.confidence.copy(),
            arrays.rewards.copy(),
            arrays.terminated.copy(),
            arrays.truncated.copy(),
            arrays.final_features.copy(),
            summaries,
            warnings,
            arrays.goal_kind.copy(),
            reached or {},
            self._last_pixels if self._has_pixels else None,
            arrays.final_pixels.copy() if self._has_pixels else None,
            arrays.setters.copy(),
            arrays.wants_plan.copy(),
            verdicts,
            arrays.nearness.copy(),
            is_walking=arrays.is_walking.copy(),
            demos=demos,
        )
