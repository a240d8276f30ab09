"""Save a run in checkpoints, and restore it so that it continues as if it had never stopped."""

import random
import struct
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from engine.env.batch import Batch
from engine.errors import CheckpointError, DecisionValidationError, EnvironmentError, WorkerError
from engine.events import CheckpointSaved, WarningRaised
from engine.runs.checkpoint import Checkpoint, CheckpointStore
from engine.runs.folder import RunFolder
from engine.training.learning import Learning
from engine.training.overrides import RunOverrides
from engine.training.reporter import RunLog, TrainingReporter
from engine.training.state import RunState
from engine.types import GAME_BOY_ACTIONS

_KEPT_TIMES = 5
_OTHER_VERSION = "Start a new run, or resume it with the version that wrote it."
_OTHER_GAME = "Leave --rom and --game out: the run knows its game."


@dataclass(slots=True, eq=False)
class Checkpointer:
    """Write a run's checkpoints, and restore a run from one.

    Attributes:
        folder: The run's; deleted files of it are restored with the next checkpoint. None: they are
            not.
        checkpoint_path: Of the last one; "" before the first.
        times: (uptime at its end, seconds that it took) of the last ones.
    """

    state: RunState
    learning: Learning
    overrides: RunOverrides
    reporter: TrainingReporter
    log: RunLog
    store: CheckpointStore
    folder: RunFolder | None
    clock: Callable[[], float]
    checkpoint_path: str = ""
    times: deque[tuple[float, float]] = field(default_factory=lambda: deque(maxlen=_KEPT_TIMES))
    _due_s: float = field(init=False)

    def __post_init__(self) -> None:
        self._due_s = self.clock() + self.state.config.checkpoint_interval_s

    def is_time(self) -> bool:
        """Return whether the last checkpoint is so old that another is due."""
        return self.clock() >= self._due_s

    def save(self, accept: Callable[[Batch], None]) -> None:
        """Write a checkpoint; a full disk is a warning, the run continues.

        `accept` takes in the batch after a game's process had to be replaced.

        Raises:
            TrainingError: Another process has taken the run.
        """
        state, reporter = self.state, self.reporter
        former, began_s = reporter.work, self.clock()
        reporter.phase("saving")
        try:
            self._restore_files()
            try:
                snapshot = self.take()
            except WorkerError:  # a process failed since the last step
                accept(state.vector.mend())
                snapshot = self.take()
            path = self.store.save(snapshot, state.metrics.total_steps)
        except CheckpointError as error:
            reporter.emit(WarningRaised(str(error)))
        else:
            self.checkpoint_path = str(path)
            if self.folder is not None:
                self.folder.note_files()
            self.times.append((reporter.uptime_s(), self.clock() - began_s))
            reporter.emit(CheckpointSaved(str(path), state.metrics.total_steps))
        state.is_save_due = False
        self._due_s = self.clock() + state.config.checkpoint_interval_s
        reporter.phase(*former)

    def save_last(self, accept: Callable[[Batch], None]) -> None:
        """Write the last checkpoint, again if it was deleted at once."""
        self.save(accept)
        if not Path(self.checkpoint_path).is_file():  # deleted just now
            self.save(accept)
        if not Path(self.checkpoint_path).is_file():
            self.checkpoint_path = ""

    def _restore_files(self) -> None:
        """Restore deleted files of the run's folder, and report them."""
        folder = self.folder
        restored = folder.restore() if folder is not None else []
        restored += self.log.restore()
        lost = folder.lost() if folder is not None else []
        if restored or lost:
            again = f" Restored: {', '.join(restored)}." if restored else ""
            gone = f" Lost: {', '.join(lost)}." if lost else ""
            self.reporter.emit(
                WarningRaised(f"Files of the run were deleted while it was running.{again}{gone}")
            )

    def take(self) -> Checkpoint:
        """Gather the whole state of the run: agent, generators, environments, curriculum, counters.

        Raises:
            WorkerError: A game's process failed.
        """
        state, learning = self.state, self.learning
        agent_facts, agent_arrays = learning.agent.save()
        python_state = random.getstate()
        arrays: dict[str, NDArray[np.generic]] = {
            **{f"agent/{name}": array for name, array in agent_arrays.items()},
            **{f"tally/{name}": counts for name, counts in vars(state.tally).items()},
            "potential": learning.shaping.potential,
            "torch_rng": torch.get_rng_state().numpy(),
        }
        if learning.shares is not None:
            arrays["shares"] = learning.shares.save()
        facts: dict[str, Any] = {
            "version": package_version(),
            "config": state.config.model_dump(mode="json"),
            "agent": {"name": learning.agent.name, **agent_facts},
            "num_envs": state.vector.num_envs,
            "feature_size": state.vector.feature_size,
            "num_actions": state.vector.num_actions,
            "curriculum": learning.curriculum.save(),
            "calibration": learning.calibration.save(),
            "planning": learning.planning.save() if learning.planning else learning.kept_planning,
            "lessons": learning.experience_updates.save(),
            "strategy": learning.strategy.save(),
            "course": self.overrides.save(),
            "metrics": state.metrics.save(),
            "exams": learning.exams.save(),
            "score": self._score(),
            "uptime_s": self.reporter.uptime_s(),
            "journal_bytes": self.log.journal.position(),
            "history": self.log.recorder.save() if self.log.recorder else None,
            "python_rng": [python_state[0], list(python_state[1]), python_state[2]],
        }
        facts["archive"], snapshots = state.starts.save()
        blobs = {f"archive/{key}": snapshot for key, snapshot in snapshots.items()}
        facts["kept_states"], snapshots = state.kept_states.save()
        blobs |= {f"kept/{number}": snapshot for number, snapshot in snapshots.items()}
        for index, game in enumerate(state.vector.save()):
            blobs[f"env/{index:04d}"] = game
        return Checkpoint(facts, arrays, blobs)

    def _score(self) -> tuple[bool, float, float] | None:
        """Return what checkpoints are compared by: the policy alone, where there are exams."""
        learning, metrics = self.learning, self.state.metrics
        if learning.exams.is_any and not self.state.config.eval_interval:
            return learning.exams.score
        return metrics.score(learning.curriculum.number)

    def restore(self, checkpoint: Checkpoint) -> None:
        """Put a run that was built with the same settings back to where the snapshot was taken.

        Raises:
            CheckpointError: It belongs to other settings or to another version.
        """
        with refuse_other_versions(checkpoint):
            self._restore(checkpoint)

    def _restore(self, checkpoint: Checkpoint) -> None:
        state, learning = self.state, self.learning
        facts = checkpoint.facts
        world = state.vector
        expected = learning.agent.name, world.num_envs, world.feature_size, world.num_actions
        found = (
            facts["agent"]["name"],
            facts["num_envs"],
            facts["feature_size"],
            facts.get("num_actions", len(GAME_BOY_ACTIONS)),  # older ones do not say
        )
        if expected != found:
            is_same_game = facts["config"]["rom_path"] == state.config.rom_path
            raise CheckpointError(
                f"The checkpoint was written by a different version or with different settings "
                f"(agent, environments, features, actions {found}, here {expected}).",
                _OTHER_VERSION if is_same_game else _OTHER_GAME,
            )
        learning.agent.load(facts["agent"], checkpoint.arrays_under("agent/"))
        learning.curriculum.load(facts["curriculum"])
        learning.calibration.load(facts["calibration"])
        state.starts.load(facts["archive"], checkpoint.blobs_under("archive/"))
        learning.strategy.load(facts["strategy"])
        if learning.planning is None:
            learning.kept_planning = facts["planning"]
        elif facts["planning"]:
            learning.planning.load(facts["planning"])
        if "shares" not in checkpoint.arrays:
            learning.shares = None
        elif learning.shares is not None:
            learning.shares.load(np.asarray(checkpoint.arrays["shares"], np.float64))
        learning.experience_updates.load(facts["lessons"])
        self.overrides.load(facts["course"])
        state.kept_states.load(facts["kept_states"], checkpoint.blobs_under("kept/"))
        learning.update_games()  # first: the games advise anew when they are loaded
        state.batch = state.vector.load(
            [checkpoint.blobs[f"env/{index:04d}"] for index in range(state.vector.num_envs)]
        )
        state.metrics.load(facts["metrics"])
        if "exams" in facts:  # not in older ones
            learning.exams.load(facts["exams"])
        tally = checkpoint.arrays_under("tally/")
        state.tally.steps[:] = tally["steps"]
        state.tally.planned_steps[:] = tally["planned_steps"]
        state.tally.llm_steps[:] = tally.get("llm_steps", 0)  # older ones have none
        state.tally.is_touched[:] = tally["is_touched"]
        for index in range(state.vector.num_envs):
            if not checkpoint.blobs[f"env/{index:04d}"]:  # it cannot be saved, and began anew
                learning.truncate_trajectory(index)
                state.tally.reset(index)
        learning.shaping.potential[:] = checkpoint.arrays["potential"]
        self.reporter.resume_uptime(float(facts["uptime_s"]))
        missing = self.log.journal.truncate(int(facts["journal_bytes"]))
        if missing:
            self.reporter.emit(
                WarningRaised(
                    f"The journal lacks {missing:,} bytes before the checkpoint: "
                    "curves and episode lists have a gap; the run itself is complete."
                )
            )
        if self.log.recorder and facts["history"]:
            self.log.recorder.load(facts["history"])
        kind, words, gauss = facts["python_rng"]
        random.setstate((kind, tuple(words), gauss))
        torch.set_rng_state(torch.from_numpy(checkpoint.arrays["torch_rng"].copy()))


@contextmanager
def refuse_other_versions(checkpoint: Checkpoint) -> Iterator[None]:
    """Turn the errors of saved state that does not fit into a CheckpointError of one line."""
    try:
        yield
    except (
        LookupError,
        AttributeError,
        TypeError,
        ValueError,
        ArithmeticError,
        RuntimeError,
        struct.error,
        DecisionValidationError,
    ) as error:
        reason = f"{type(error).__name__}: {error}".splitlines()[0]
        own, other = package_version(), checkpoint.facts.get("version")
        if other == own:
            raise CheckpointError(
                f"The checkpoint does not fit the game and the settings here ({reason}).",
                "Use those that it was written with, or start a new run.",
            ) from None
        raise CheckpointError(
            f"Version {own} cannot resume the checkpoint, which was written by version {other} "
            f"({reason}).",
            _OTHER_VERSION,
        ) from None
    except EnvironmentError as error:  # another ROM or emulator; it has a hint
        raise CheckpointError(f"A game cannot be resumed: {error.message}", error.hint) from None


def package_version() -> str:
    """Return PokeTUI's version, "unknown" when it runs from a bare tree."""
    try:
        return version("poketui")
    except PackageNotFoundError:
        return "unknown"
