"""Start a run's games; kept apart from what learns, whose library takes seconds to load."""

from collections.abc import Callable

from engine.config import RunConfig
from engine.env.start_states import prepare_start_state
from engine.env.vector import VectorEnv
from engine.events import Event, ProgressReported
from engine.plurals import counted

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
