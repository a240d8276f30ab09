"""Step many environments at once in worker processes, through shared memory.

A process that dies, hangs or breaks is replaced; see `VectorEnv`.
"""

from engine.config import RunConfig
from engine.env.array_world import ArrayWorld
from engine.env.pixels import sight_of
from engine.env.pool import WorkerPool
from engine.env.stepping import SteppedEnv, make_game_env

PLAIN_FACTORY = "engine.env.vector:plain_env"

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
