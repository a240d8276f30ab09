"""Step many environments at once, in worker processes or in this one."""

from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Any, Concatenate, ParamSpec, Self, TypeVar

import numpy as np
from numpy.typing import NDArray

from engine.config import RunConfig
from engine.emulator.base import CLOSED
from engine.env.batch import Batch, Inspection, Outcome
from engine.env.choices import BY_HAND, CANNOT_RECORD, UNKNOWN, DemoFacts, DemoRequest
from engine.env.game_env import GameEnv
from engine.env.observation.pixels import MakeSight, sight_of
from engine.env.start_states import prepare_start_state
from engine.env.stepping import Advisor, SteppedEnv, make_game_env
from engine.env.vector.pool import StandingCalls, WorkerPool
from engine.env.vector.worker import EnvHost, HostCall, LocalHost, on_envs, on_host
from engine.errors import DemoError
from engine.events import Event, ProgressReported
from engine.ground.text import counted
from engine.planning_types import PlannerUpdate, PlanningQuery, SubgoalBook, UserOverrides
from engine.types import BRANCHED, EpisodeSummary, Frame, Observation, SmallPicture

_P = ParamSpec("_P")
_R = TypeVar("_R")


class ArrayWorld:
    """A `FullWorld` of games that has `Restarts`, too; `engine.env.world` documents its methods.

    A process that fails in `update_planner`, `override`, `watch` or a method that returns a batch
    is replaced with the next batch at the latest. What fails in `reset`, `load` or any other method
    is raised.
    """

    def __init__(self, hosts: WorkerPool | LocalHost, num_envs: int) -> None:
        facts = hosts.facts
        self.num_envs = num_envs
        self.feature_size = facts.feature_size
        self.num_actions = facts.num_actions
        self.reward_weights = facts.reward_weights
        self.can_record = facts.can_record
        self.frames_per_s = facts.frames_per_s
        self._hosts = hosts
        self._arrays = hosts.arrays
        self._watched: int | None = None
        self._watch_call = on_host(EnvHost.watch, None, renders=True)
        self._book = SubgoalBook()
        self._overrides = UserOverrides()
        self._num_steps = 0
        self._last = self._batch(Outcome())

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exc_info: object) -> None:
        self.close()

    def reset(self, seeds: Sequence[int]) -> Batch:
        """Start an episode everywhere; environment i draws its random numbers from seeds[i]."""
        if len(seeds) != self.num_envs:
            raise ValueError(f"{len(seeds)} seeds for {self.num_envs} environments")
        self._hosts.reset({index: int(seed) for index, seed in enumerate(seeds)})
        self._arrays.forget_step()
        return self._batch(Outcome())

    def restart(self, seeds: Mapping[int, int], *, patience: int = 0) -> Batch:
        """Start episodes in some environments; the others stand still."""
        self._arrays.forget_step()
        return self._mended(self._outcome(None, on_host(EnvHost.reset, seeds, patience)))

    def step(self, actions: NDArray[np.int64], *, shows: bool = True) -> Batch:
        """Take (N,) actions, each in its environment; `shows`: `inspect` is called next."""
        return self._step(actions, None, shows=shows)

    def note_choosers(self, codes: NDArray[np.uint8]) -> None:
        """Record who chooses the next actions, (N,) of `engine.env.choices.code_of`."""
        self._arrays["choosers"][:] = codes

    def step_one(self, index: int, action: int) -> Batch:
        """Take a person's action in one environment; the others stand still, with reward 0."""
        self._arrays["choosers"][index] = BY_HAND
        return self._step(action, index, shows=True)

    def call(
        self,
        index: int,
        method: Callable[Concatenate[SteppedEnv, _P], _R],
        *args: _P.args,
        **kwargs: _P.kwargs,
    ) -> _R:
        """Call a method of an environment, e.g. `call(0, SteppedEnv.snapshot)`.

        Raises:
            PokeTUIError: The environment cannot do it, or its process failed; then the next step
                replaces it.
        """
        ((result,),) = self._hosts.ask(index, on_envs((index,), method, *args, **kwargs))
        return result

    def try_call(
        self,
        index: int,
        method: Callable[Concatenate[SteppedEnv, _P], _R],
        *args: _P.args,
        **kwargs: _P.kwargs,
    ) -> _R | None:
        """Call a method of an environment; None if it goes wrong, which replaces its process."""
        found = self._hosts.try_ask(index, on_envs((index,), method, *args, **kwargs))
        return found[0][0] if found else None

    def play_frames(
        self, index: int, buttons: frozenset[int], frames: int, *, shows: bool
    ) -> Frame | None:
        """Let one game run with `buttons` down; the others stand still."""
        return self.try_call(index, SteppedEnv.play_frames, buttons, frames, render=shows)

    def count_frames(self, index: int, *, is_over: bool) -> Batch:
        """Read the result of live frames in one environment; the others stand still."""
        self._arrays.forget_step()
        call = on_host(EnvHost.count_frames, index, is_over=is_over)
        return self._mended(self._outcome(index, call))

    def mend(self) -> Batch:
        """Replace the processes that are known to have failed; the others stand still."""
        self._arrays.forget_step()
        return self._mended(Outcome())

    def update_planner(self, update: PlannerUpdate) -> None:
        """Pass the planner's subgoals to every environment, followed from the next step on.

        Earlier subgoals stay in force, also in processes that are replaced.
        """
        self._book.take(update)
        self._hosts.try_ask(None, on_envs(None, SteppedEnv.update_planner, update))

    def override(self, overrides: UserOverrides) -> None:
        """Apply what a person wants to every environment from the next step on.

        It applies to processes that are replaced, too.
        """
        self._overrides = overrides
        self._hosts.try_ask(None, on_envs(None, SteppedEnv.override, overrides))

    def question(self, index: int) -> PlanningQuery | None:
        """Return what an environment asks the planner, once; None when there is nothing."""
        return self.try_call(index, SteppedEnv.question)

    def watch(self, index: int | None, *, renders: bool = True) -> None:
        """Let `inspect` show this environment, rendered from its next step on or not."""
        self._watched = index
        self._watch_call = on_host(EnvHost.watch, index, renders=renders)
        self._hosts.try_ask(None, self._watch_call)

    def inspect(self) -> Inspection | None:
        """Return what the watched environment shows, None if nothing changed since last time."""
        if self._watched is None:
            return None
        found = self._hosts.try_ask(self._watched, on_host(EnvHost.inspect))
        return found[0] if found else None

    def draw_games(self, indices: Collection[int]) -> None:
        """Draw the next step of these environments, for `pictures`."""
        self._hosts.try_ask(None, on_host(EnvHost.draw, sorted(indices)))

    def pictures(self, shrink: int) -> tuple[SmallPicture, ...]:
        """Return small pictures of what `draw_games` asked for, once."""
        parts = self._hosts.try_ask(None, on_host(EnvHost.pictures, shrink))
        pictures = [picture for part in parts for picture in part]
        return tuple(sorted(pictures, key=lambda picture: picture.env_index))

    def save(self) -> list[bytes]:
        """Return every environment wholly, for a checkpoint."""
        return [self.call(index, SteppedEnv.save) for index in range(self.num_envs)]

    def load(self, states: Sequence[bytes]) -> Batch:
        """Put every environment back as saved."""
        if len(states) != self.num_envs:
            raise ValueError(f"{len(states)} states for {self.num_envs} environments")
        for index, state in enumerate(states):
            self.call(index, SteppedEnv.restore, state)
        self._arrays.forget_step()
        return self._batch(Outcome())

    def snapshot(self, index: int) -> bytes:
        """Return the game of an environment as it is now."""
        return self.call(index, SteppedEnv.snapshot)

    def begin_now(
        self,
        index: int,
        snapshot: bytes = b"",
        start: str = BRANCHED,
        *,
        continues: bool = False,
        max_steps: int = 0,
    ) -> Batch:
        """Leave an environment's episode, which counts as aborted, and begin another."""
        self._arrays.forget_step()
        begin = SteppedEnv.begin_now
        self.try_call(index, begin, snapshot, start, continues=continues, max_steps=max_steps)
        outcome = Outcome()
        self._abort(index, outcome)
        return self._mended(outcome)

    def record(self, index: int, order: DemoRequest) -> DemoFacts:
        """Do what is asked about a demonstration; its process writes it, and outlives this one."""
        return self.call(index, SteppedEnv.record, order)

    def place(self, index: int) -> str:
        """Return the name of the map that an environment is on."""
        (name,) = self._hosts.ask(index, on_host(EnvHost.place, index))
        return name

    def close(self) -> None:
        """Free what was made for the world. May be called again."""
        self._hosts.close()
        self._hosts = CLOSED

    def _step(self, actions: NDArray[np.int64] | int, only: int | None, *, shows: bool) -> Batch:
        self._arrays.forget_step()
        self._num_steps += 1
        self._arrays["actions"][:] = actions
        batch = self._mended(self._outcome(only, on_host(EnvHost.step, only, shows)))
        self._arrays["choosers"][:] = UNKNOWN
        return batch

    def _outcome(self, index: int | None, call: HostCall[Outcome | None]) -> Outcome:
        """Do a call where an environment runs, None: everywhere; return what happened in all."""
        outcome = Outcome()
        for part in self._hosts.try_ask(index, call):
            outcome.add(part)
        return outcome

    def _mended(self, outcome: Outcome) -> Batch:
        """Replace what failed, and return everything."""
        replaced = self._hosts.replace_failed(self._num_steps, self._standing)
        for indices, _ in replaced:
            for index in indices:
                self._abort(index, outcome)
        return self._batch(outcome, [text for _, text in replaced])

    def _standing(self) -> StandingCalls:
        updated = on_envs(None, SteppedEnv.update_planner, self._book.whole())
        overridden = on_envs(None, SteppedEnv.override, self._overrides)
        return (updated, overridden), (self._watch_call,)

    def _abort(self, index: int, outcome: Outcome) -> None:
        """Note that an episode was left before its end, in its last state that is known."""
        arrays, last = self._arrays, self._last
        arrays["rewards"][index] = 0.0
        arrays["terminated"][index], arrays["truncated"][index] = False, True
        arrays["final_features"][index] = last.features[index]
        if last.pixels is not None:
            arrays["final_pixels"][index] = last.pixels[index]
        outcome.summaries[index] = EpisodeSummary(index, 0.0, 0, (), is_aborted=True)

    def _batch(self, outcome: Outcome, warnings: Sequence[str] = ()) -> Batch:
        self._last = Batch(
            **self._arrays.copies(),
            summaries=outcome.summaries,
            warnings=tuple(warnings),
            reached=outcome.reached,
            goal_outcomes=tuple(outcome.goal_outcomes),
            demos=tuple(outcome.demos),
            cells=outcome.cells,
        )
        return self._last


PLAIN_FACTORY = "engine.env.vector.world:plain_env"

ANSWER_TIMEOUT_S = 60.0
"""After this a process counts as hung."""


def plain_env(config: RunConfig, env_index: int) -> SteppedEnv:
    """Make an environment without an advisor."""
    return SteppedEnv(make_game_env(config, env_index), sight=sight_of(config.encoder))


class VectorEnv(ArrayWorld):
    """Environments in processes; one call steps them all in parallel.

    A process that dies or hangs, or one of whose environments raises in a step, is replaced within
    the step that notices it, and its environments begin new episodes. Their random numbers come
    from the run's seed, the environment's index and the number of the replacement. What fails again
    and again is an error, and so is what fails in `reset` and `load`.

    On Linux the processes end with the thread that made the vector, too.

    Args:
        factory: "module:callable" that makes a `SteppedEnv` from (config, env_index); it is
            called in the workers.
        config: The run's settings.
        num_envs: Environments.
        num_workers: Processes; never more than environments.
        answer_timeout_s: After this a process counts as hung.

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
        self._pool = WorkerPool(factory, config, num_envs, num_workers, answer_timeout_s)
        super().__init__(self._pool, num_envs)

    @property
    def pids(self) -> tuple[int, ...]:
        """Return the ids of the worker processes."""
        return tuple(process.pid for process in self._pool.processes)


class GymnasiumEnv(SteppedEnv):
    """Step through the environment's own `reset` and `step`, so that a subclass's overrides apply.

    Attributes:
        observation: What the environment shows now.
        info: The `info` that came with it.
        final_observation: What it showed when the episode before this one ended.
        max_episode_steps: Steps after which an episode is truncated, if it is not over before.
    """

    def __init__(
        self, env: GameEnv, advisor: Advisor | None = None, *, sight: MakeSight | None = None
    ) -> None:
        super().__init__(env, advisor, sight=sight)
        self.observation: Observation = {}
        self.info: dict[str, Any] = {}
        self.final_observation: Observation = {}
        self.max_episode_steps = env.max_steps

    def begin(self, seed: int | None = None) -> None:
        """Start an episode; without a seed the random numbers continue."""
        self.final_observation = self.observation
        super().begin(seed)

    def begin_now(self, snapshot: bytes = b"", *args: Any, **kwargs: Any) -> None:
        """Leave this episode and begin another: from the true start, or at a snapshot."""
        if snapshot:
            self.final_observation = self.observation
        super().begin_now(snapshot, *args, **kwargs)
        if snapshot:  # nothing was reset
            self.observation, self.info = self.env.observe()

    def count_frames(self, *, is_over: bool) -> tuple[float, bool, bool]:
        """Read the result of live frames, and update the observation."""
        result = super().count_frames(is_over=is_over)
        self.observation, self.info = self.env.observe()
        return result

    def record(self, order: DemoRequest) -> DemoFacts:
        """Refuse: what a subclass of a user's overrides cannot be played again elsewhere.

        Raises:
            DemoError: Always.
        """
        raise DemoError(CANNOT_RECORD, "Record in a run (poketui run) or with poketui record.")

    def restore(self, saved: bytes) -> None:
        """Put back what `save` returned, and update the arrays and the observation."""
        super().restore(saved)
        self.observation, self.info = self.env.observe()

    def _reset(self, seed: int | None) -> None:
        self.observation, self.info = self.env.reset(seed=seed)

    def _press(self, action: int) -> None:
        """Leave it all to `_settle`: `step` of a subclass does both."""

    def _settle(self, action: int) -> tuple[float, bool, bool]:
        self.observation, reward, is_terminated, is_truncated, self.info = self.env.step(action)
        is_spent = self.env.episode_steps >= self.max_episode_steps
        return float(reward), is_terminated, not is_terminated and (is_truncated or is_spent)


class LocalVector(ArrayWorld):
    """One environment as a world of one; the caller closes it."""

    def __init__(self, stepped: GymnasiumEnv) -> None:
        self.stepped = stepped
        self._host = LocalHost([stepped])
        super().__init__(self._host, 1)

    def mend(self) -> Batch:
        """Return the current state: there is no process that could have failed."""
        self._host.publish()
        return super().mend()


ENV_FACTORY = "engine.demos.recorded_env:make_env"


def make_vector(config: RunConfig) -> VectorEnv:
    """Start the worker processes of a run, or of its evaluation."""
    return VectorEnv(ENV_FACTORY, config, config.num_envs, config.worker_count())


def start_games(config: RunConfig, emit: Callable[[Event], None]) -> VectorEnv:
    """Start the worker processes of a run, report what takes long; what `emit` raises ends it."""
    prepare_start(config, emit)
    number, processes = config.num_envs, config.worker_count()
    games = counted(number, "game")
    where = f"{processes} process{'es' * (processes != 1)}"
    emit(ProgressReported(f"starting {games} in {where}"))
    return make_vector(config)


def prepare_start(config: RunConfig, emit: Callable[[Event], None]) -> None:
    """Play a ROM's introduction if that was never done, and report how far it is."""

    def report(done: int, most: int) -> None:
        if done % 600 < 16:  # frames of a press: now and then is enough
            emit(ProgressReported("playing the introduction, once for this ROM", done, most))

    prepare_start_state(config, report)
