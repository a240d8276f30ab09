"""A real run that breaks when told: python -m tests.pokeTUI.breaking_run SAVE_DIR BREAK_FILE."""

import sys
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from engine.config import RunConfig, load_config
from engine.env.batch import Batch
from engine.env.vector.world import ENV_FACTORY, VectorEnv
from engine.sessions.train import EngineSession
from pokeTUI.app.cockpit import CockpitApp


class BreakingVector(VectorEnv):
    """Raises what nobody expects once a file is there."""

    def __init__(self, config: RunConfig, file: Path) -> None:
        super().__init__(ENV_FACTORY, config, config.num_envs, 1)
        self._file = file

    def step(self, actions: NDArray[np.int64], *, shows: bool = True) -> Batch:
        if self._file.exists():
            self._file.unlink()
            raise ZeroDivisionError("the moss came off")
        return super().step(actions, shows=shows)


def main() -> None:
    """Run the cockpit on it."""
    config = load_config(None, {"save_dir": sys.argv[1], "num_envs": 2, "workers": 1})
    file = Path(sys.argv[2])

    def make_session(resume: str | None = None) -> EngineSession:
        return EngineSession(
            config, resume, make_vector=lambda config: BreakingVector(config, file)
        )

    session = make_session()
    app = CockpitApp(session, config, make_session=lambda: make_session(session.run_id))
    app.run()
    sys.exit(app.return_code)


if __name__ == "__main__":
    main()
