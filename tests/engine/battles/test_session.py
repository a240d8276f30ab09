import os
import signal
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from engine.battles.learn.session import BattleSession
from engine.battles.policy import Policy
from engine.battles.sim.setup import NodeCommand
from engine.commands import Stop
from engine.config import RunConfig, VgcConfig
from engine.errors import CheckpointError, ConfigurationError
from engine.events import (
    BattlesProgressed,
    CheckpointSaved,
    Event,
    RunFailed,
    RunStarted,
    RunStopped,
    WarningRaised,
)

_TIMEOUT_S = 120.0


@pytest.fixture(autouse=True)
def _find_showdown(showdown: NodeCommand, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("POKETUI_SHOWDOWN", str(showdown.modules))


def config_in(folder: Path, **changes: object) -> RunConfig:
    values: dict[str, object] = {
        "num_workers": 1,
        "lanes": 4,
        "buffer_size": 64,
        "epochs": 1,
        "minibatches": 2,
        "pool_interval": 1,
        "pool_size": 2,
        "opponents": {"self": 0.5, "past": 0.25, "random": 0.25},
    }
    return RunConfig(save_dir=str(folder), vgc=VgcConfig.model_validate(values | changes))


class Driven:
    """A session and all that it has published."""

    def __init__(self, session: BattleSession) -> None:
        self.session = session
        self.events: list[Event] = []
        session.start()

    def until(self, is_reached: Callable[[Event], bool]) -> Event:
        end = time.monotonic() + _TIMEOUT_S
        while time.monotonic() < end:
            new = self.session.mailbox.drain()
            self.events += new
            for event in new:
                if is_reached(event):
                    return event
                assert not isinstance(event, RunFailed), event
            time.sleep(0.01)
        raise AssertionError(f"it did not happen: {self.events[-3:]}")

    def next_update(self) -> BattlesProgressed:
        found = self.until(lambda event: isinstance(event, BattlesProgressed))
        assert isinstance(found, BattlesProgressed)
        return found

    def stop(self) -> RunStopped:
        self.session.send(Stop("enough"))
        found = self.until(lambda event: isinstance(event, RunStopped))
        assert isinstance(found, RunStopped)
        self.session.join()
        return found


@pytest.mark.slow
def test_a_run_survives_a_killed_worker_and_is_resumed_where_it_stopped(tmp_path):
    driven = Driven(BattleSession(config_in(tmp_path)))
    driven.until(lambda event: isinstance(event, CheckpointSaved) and not event.total_steps)
    assert not any(isinstance(event, BattlesProgressed) for event in driven.events)
    first = driven.next_update()
    assert first.workers[0].resident_bytes > 0
    os.kill(first.workers[0].pid, signal.SIGKILL)
    driven.until(lambda event: isinstance(event, WarningRaised) and "SIGKILL" in event.message)
    second = driven.next_update()
    while not second.workers[0].restarts:
        second = driven.next_update()
    stopped = driven.stop()
    saved = Policy.load(Path(stopped.checkpoint))

    session = BattleSession(config_in(tmp_path), driven.session.run_id, {"lanes": 2})
    assert session.config.vgc.lanes == 2
    resumed = Driven(session)
    started = resumed.until(lambda event: isinstance(event, RunStarted))
    assert isinstance(started, RunStarted)
    assert started.resumed_from == stopped.total_steps
    repeated = resumed.next_update()  # the journal's
    while repeated.total_steps <= stopped.total_steps:
        repeated = resumed.next_update()
    assert repeated.update == second.update + 1 or repeated.update > second.update
    assert repeated.battles > first.battles
    last = Policy.load(Path(resumed.stop().checkpoint))
    assert not np.array_equal(saved.weights, last.weights)
    folder = Path(session.run_dir)
    assert len(list((folder / "pool").iterdir())) <= 2


def test_an_unknown_format_is_refused_before_a_folder_is_made(tmp_path):
    with pytest.raises(ConfigurationError, match="no battle format 'chess'"):
        BattleSession(config_in(tmp_path, format="chess"))
    assert not list(tmp_path.iterdir())


def test_a_missing_cloned_policy_is_refused(tmp_path):
    with pytest.raises(CheckpointError, match="There is no checkpoint"):
        BattleSession(config_in(tmp_path, bc_model=str(tmp_path / "none.zip")))


def test_an_opponent_s_file_that_is_no_policy_is_refused(tmp_path):
    with pytest.raises(CheckpointError, match="There is no checkpoint"):
        BattleSession(config_in(tmp_path, opponents={str(tmp_path / "theirs.zip"): 1.0}))
    with pytest.raises(ValueError, match="no opponent 'chess'; there are self, past, random"):
        config_in(tmp_path, opponents={"chess": 1.0})


def test_nobody_who_judges_is_trained_against_by_default():
    assert VgcConfig().opponents.keys() == {"self", "past", "random"}
