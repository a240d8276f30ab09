"""Say what a checkpoint holds: everything from which a run goes on as if it had never stopped."""

from __future__ import annotations

import random
import struct
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.metadata import PackageNotFoundError, version
from typing import TYPE_CHECKING, Any

import numpy as np
import torch

from engine.errors import CheckpointError, EnvironmentError
from engine.events import WarningRaised
from engine.training.checkpoint import Checkpoint
from engine.training.course import resume_course

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from engine.training.trainer import Trainer

_OTHER_VERSION = "Start a new run, or resume it with the version that wrote it."


def take_snapshot(trainer: Trainer) -> Checkpoint:
    """Gather networks, optimiser, rollout, generators, environments, who leads, and counters."""
    agent_facts, agent_arrays = trainer.agent.save()
    tally = trainer.tally
    python_state = random.getstate()
    arrays: dict[str, NDArray[np.generic]] = {
        **{f"agent/{name}": array for name, array in agent_arrays.items()},
        "tally/steps": tally.steps,
        "tally/planned_steps": tally.planned_steps,
        "tally/llm_steps": tally.llm_steps,
        "tally/is_touched": tally.is_touched,
        "potential": trainer.shaping.potential,
        "torch_rng": torch.get_rng_state().numpy(),
    }
    if trainer.shares is not None:
        arrays["shares"] = trainer.shares.save()
    facts: dict[str, Any] = {
        "version": package_version(),
        "config": trainer.config.model_dump(mode="json"),
        "agent": {"name": trainer.agent.name, **agent_facts},
        "num_envs": trainer.vector.num_envs,
        "feature_size": trainer.vector.feature_size,
        "curriculum": trainer.curriculum.save(),
        "calibration": trainer.calibration.save(),
        "planning": trainer.planning.save() if trainer.planning else trainer.kept_planning,
        "lessons": trainer.lessons.save(),
        "strategy": trainer.strategy.save(),
        "course": trainer.course.save(),
        "metrics": trainer.metrics.save(),
        "score": trainer.metrics.score(trainer.curriculum.describe().stage),
        "uptime_s": trainer.reporter.uptime_s(),
        "journal_bytes": trainer.journal.position(),
        "history": trainer.recorder.save() if trainer.recorder else None,
        "python_rng": [python_state[0], list(python_state[1]), python_state[2]],
    }
    archive_facts, moments = trainer.archive.save()
    facts["archive"] = archive_facts
    blobs = {f"archive/{key}": moment for key, moment in moments.items()}
    facts["kept_states"], moments = trainer.kept_states.save()
    blobs |= {f"kept/{number}": moment for number, moment in moments.items()}
    for index, state in enumerate(trainer.vector.save()):
        blobs[f"env/{index:04d}"] = state
    return Checkpoint(facts, arrays, blobs)


def restore_snapshot(trainer: Trainer, checkpoint: Checkpoint) -> None:
    """Put a trainer that was built with the same settings back to where the snapshot was taken.

    Raises:
        CheckpointError: It belongs to other settings or to another version.
    """
    with refuse_other_versions(checkpoint):
        _restore(trainer, checkpoint)


@contextmanager
def refuse_other_versions(checkpoint: Checkpoint) -> Iterator[None]:
    """Say in one line that what was saved does not fit, whatever does not.

    Raises:
        CheckpointError: In place of what went wrong in the context.
    """
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
        EnvironmentError,
    ) as error:
        reason = f"{type(error).__name__}: {error}".splitlines()[0]
        raise CheckpointError(
            f"Version {package_version()} cannot go on from the checkpoint, which was written by "
            f"version {checkpoint.facts.get('version')} ({reason}).",
            _OTHER_VERSION,
        ) from None


def _restore(trainer: Trainer, checkpoint: Checkpoint) -> None:
    facts = checkpoint.facts
    expected = (trainer.agent.name, trainer.vector.num_envs, trainer.vector.feature_size)
    found = (facts["agent"]["name"], facts["num_envs"], facts["feature_size"])
    if expected != found:
        raise CheckpointError(
            f"The checkpoint was written by another version or setting "
            f"(agent, environments, features {found}, here {expected}).",
            _OTHER_VERSION,
        )
    trainer.agent.load(facts["agent"], checkpoint.arrays_under("agent/"))
    trainer.curriculum.load(facts["curriculum"])
    trainer.calibration.load(facts["calibration"])
    trainer.archive.load(facts["archive"], checkpoint.blobs_under("archive/"))
    trainer.strategy.load(facts["strategy"])
    if trainer.planning is None:
        trainer.kept_planning = facts["planning"]
    elif facts["planning"]:
        trainer.planning.load(facts["planning"])
    if "shares" not in checkpoint.arrays:
        trainer.shares = None
    elif trainer.shares is not None:
        trainer.shares.load(np.asarray(checkpoint.arrays["shares"], np.float64))
    trainer.lessons.load(facts["lessons"])
    resume_course(trainer, facts["course"])
    trainer.kept_states.load(facts["kept_states"], checkpoint.blobs_under("kept/"))
    trainer.tell_games()  # first: the games advise anew when they are loaded
    trainer.batch = trainer.vector.load(
        [checkpoint.blobs[f"env/{index:04d}"] for index in range(trainer.vector.num_envs)]
    )
    trainer.metrics.load(facts["metrics"])
    tally = checkpoint.arrays_under("tally/")
    trainer.tally.steps[:] = tally["steps"]
    trainer.tally.planned_steps[:] = tally["planned_steps"]
    trainer.tally.llm_steps[:] = tally.get("llm_steps", 0)  # older ones have none
    trainer.tally.is_touched[:] = tally["is_touched"]
    trainer.shaping.potential[:] = checkpoint.arrays["potential"]
    trainer.reporter.resume_uptime(float(facts["uptime_s"]))
    missing = trainer.journal.cut(int(facts["journal_bytes"]))
    if missing:
        trainer.emit(
            WarningRaised(
                f"The journal lacks {missing:,} bytes of what happened before the checkpoint: "
                "curves and lists of episodes have a gap. The run itself is complete."
            )
        )
    if trainer.recorder and facts["history"]:
        trainer.recorder.load(facts["history"])
    kind, words, gauss = facts["python_rng"]
    random.setstate((kind, tuple(words), gauss))
    torch.set_rng_state(torch.from_numpy(checkpoint.arrays["torch_rng"].copy()))


def package_version() -> str:
    """Return PokeTUI's version, "unknown" when it runs from a bare tree."""
    try:
        return version("poketui")
    except PackageNotFoundError:
        return "unknown"
