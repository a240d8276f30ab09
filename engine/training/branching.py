"""Let the watched game begin anew, from its start or a kept state.

Each function does what a person asks between two steps, or returns why it cannot.
"""

from __future__ import annotations

import shlex
from typing import TYPE_CHECKING

from engine.errors import WorkerError
from engine.events import CommandObeyed, WarningRaised

if TYPE_CHECKING:
    from engine.training.trainer import Trainer

_EVALUATING = "Wait until the evaluation is over."
_FAILED = "The game's process failed, so its episodes began anew. Try again."


def restart(trainer: Trainer) -> str:
    """Leave the watched episode, uncounted, and begin another at the true start."""
    if trainer.reporter.is_evaluating:
        return _EVALUATING
    if refusal := _begin_another(trainer):
        return refusal
    trainer.reporter.obeyed("Restart", "you began the episode anew; the one before does not count")
    return ""


def keep_state(trainer: Trainer) -> str:
    """Keep the watched game of now, and write it where a run can begin from it."""
    if trainer.reporter.is_evaluating:
        return _EVALUATING
    env_index = trainer.controls.watched_env
    if trainer.controls.is_live:
        trainer.live.come_to_rest(trainer)
    try:
        state = trainer.kept_states.keep(
            trainer.vector,
            env_index,
            int(trainer.tally.steps[env_index]),
            trainer.metrics.episodes,
        )
    except WorkerError:
        return _FAILED
    text = f"you kept state {state.number}: {state.place}, step {state.episode_steps}"
    found = trainer.kept_states.find(state.number)
    if trainer.state_files is not None and found is not None:
        try:
            path = trainer.state_files.write(*found)
        except OSError as error:
            reason = error.strerror or str(error)
            trainer.emit(WarningRaised(f"State {state.number} has no file of its own: {reason}."))
        else:
            text += f"; begin a run from it with --state {shlex.quote(str(path))}"
    trainer.reporter.say("run", text)
    trainer.emit(
        CommandObeyed(
            "KeepState",
            f"you kept state {state.number}: {state.place}, step {state.episode_steps:,} of game "
            f"{env_index + 1}",
        )
    )
    trainer.emit(trainer.kept_states.listed)
    return ""


def branch(trainer: Trainer, number: int) -> str:
    """Leave the watched episode, and begin another, uncounted as well, at a kept state."""
    if trainer.reporter.is_evaluating:
        return _EVALUATING
    found = trainer.kept_states.find(number)
    if found is None:
        known = ", ".join(str(one.number) for one in trainer.kept_states.listed.states)
        return f"State {number} is not kept" + (f"; kept are {known}." if known else ".")
    state, moment = found
    if refusal := _begin_another(trainer, moment):
        return refusal
    trainer.tally.is_touched[trainer.controls.watched_env] = True
    trainer.reporter.obeyed(
        "Branch",
        f"you branched from state {number}: {state.place}, step {state.episode_steps:,}; neither "
        "this episode nor the one before counts",
    )
    return ""


def _begin_another(trainer: Trainer, moment: bytes = b"") -> str:
    """Leave the watched episode; what the agent lived through ends with the worth of this state."""
    env_index = trainer.controls.watched_env
    if trainer.controls.is_live:
        trainer.live.come_to_rest(trainer)
    record_on = trainer.recording.leave_episode(trainer)
    batch = trainer.vector.begin_now(env_index, moment)
    trainer.shaping.forget(env_index)
    trainer.accept(batch)
    record_on()
    trainer.reporter.begun_anew(trainer.vector)
    return _FAILED if batch.warnings else ""
