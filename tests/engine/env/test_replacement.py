"""What happens when a worker process dies, hangs or breaks."""

import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import numpy as np
import pytest

from engine.config import RunConfig
from engine.env.batch import Batch
from engine.env.vector import pool
from engine.env.vector.world import PLAIN_FACTORY, VectorEnv
from engine.errors import RomError, WorkerError
from engine.types import Action
from tests.engine.env.factories import GONE, SEEDS
from tests.engine.processes import is_gone

FACTORIES = "tests.engine.env.factories"
HANG_S = 3.0
"""Who says nothing for so long is replaced, in a step in which somebody hangs."""


@pytest.fixture(scope="module")
def shared(config: RunConfig) -> Iterator[VectorEnv]:
    with VectorEnv(f"{FACTORIES}:failing", config, 3, 2) as vector:
        yield vector


@pytest.fixture
def vector(shared: VectorEnv) -> VectorEnv:
    """Environments 0 and 1 in a process, 2 in another; none was replaced of late."""
    shared._pool._failed_at.clear()
    shared.mend()
    shared.watch(None)
    shared.reset(SEEDS)
    return shared


def actions(*names: Action) -> np.ndarray:
    return np.array(names, np.int64)


def walk(vector: VectorEnv) -> Batch:
    return vector.step(np.full(3, Action.LEFT))


def kill(vector: VectorEnv, number: int = 0, how: signal.Signals = signal.SIGKILL) -> None:
    os.kill(vector.pids[number], how)


@contextmanager
def impatience(vector: VectorEnv, is_needed: bool = True) -> Iterator[None]:
    """Give up process 0 soon where it hangs; the other has as long again to answer."""
    patience_s = vector._pool.answer_timeout_s
    if is_needed:
        vector._pool.answer_timeout_s = HANG_S
    try:
        yield
    finally:
        vector._pool.answer_timeout_s = patience_s


def assert_first_process_was_replaced(before: Batch, after: Batch) -> None:
    assert len(after.warnings) == 1
    assert after.warnings[0].endswith("Process 0 was replaced, and its 2 episodes restarted.")
    assert sorted(after.summaries) == [0, 1]
    assert all(summary.is_aborted for summary in after.summaries.values())
    assert not after.rewards[:2].any()
    assert after.rewards[2]
    assert after.truncated.tolist() == [True, True, False]
    assert not after.terminated.any()
    assert np.array_equal(after.final_features[:2], before.features[:2])
    assert not after.final_features[2].any()
    assert not np.array_equal(after.features[:2], before.features[:2])
    assert after.mask.any(1).all()


@pytest.mark.parametrize(
    ("action", "reason"),
    [
        (Action.B, r"process 0 died \(exit status 3\): last words"),
        (Action.START, "ZeroDivisionError: oops"),
        (Action.SELECT, "process 0 did not respond for 3 s"),
    ],
)
def test_a_process_that_dies_breaks_or_hangs_is_replaced(
    vector: VectorEnv, action: Action, reason: str
) -> None:
    walk(vector)
    before = walk(vector)
    old = vector.pids
    with impatience(vector, action is Action.SELECT):
        after = vector.step(actions(Action.LEFT, action, Action.LEFT))
    assert_first_process_was_replaced(before, after)
    assert re.search(reason, after.warnings[0])
    assert is_gone(old[0])
    assert vector.pids[1] == old[1]
    assert vector.pids[0] != old[0]
    again = walk(vector)
    assert not again.warnings
    assert not again.truncated.any()
    assert again.rewards.all()


def test_a_stopped_process_is_replaced(vector: VectorEnv) -> None:
    walk(vector)
    before = walk(vector)
    old = vector.pids[0]
    kill(vector, 0, signal.SIGSTOP)
    with impatience(vector):
        after = walk(vector)
    assert_first_process_was_replaced(before, after)
    assert is_gone(old)


def test_a_killed_process_is_replaced_with_other_random_numbers_and_stays_watched(
    vector: VectorEnv,
) -> None:
    first = vector.reset(SEEDS)
    vector.watch(1)
    walk(vector)
    before = walk(vector)
    old = vector.pids[0]
    kill(vector)
    assert vector.inspect() is None
    after = walk(vector)
    assert_first_process_was_replaced(before, after)
    assert "(killed by SIGKILL)" in after.warnings[0]
    assert is_gone(old)
    seen = vector.inspect()
    assert seen.frame.std() > 10
    assert seen.episode[0][1] == 0.0
    assert np.array_equal(after.mask[:2], first.mask[:2])  # where all episodes start
    traces = [vector.save()[:2]]
    walk(vector)
    assert vector.inspect() is not None
    vector.reset(SEEDS)
    traces.append(vector.save()[:2])
    assert not set(traces[0]) & set(traces[1])


def test_the_same_failure_of_the_same_run_continues_alike(config: RunConfig) -> None:
    traces = []
    for _ in range(2):
        with VectorEnv(PLAIN_FACTORY, config, 2, 1) as vector:
            vector.reset(SEEDS[:2])
            kill(vector)
            vector.step(actions(Action.LEFT, Action.LEFT))
            for _ in range(20):
                batch = vector.step(actions(Action.LEFT, Action.DOWN))
            traces.append((vector.save(), batch.features.tobytes()))
    assert traces[0] == traces[1]


def test_a_step_of_one_environment_replaces_what_died_before_it_was_watched(
    vector: VectorEnv,
) -> None:
    before = walk(vector)
    kill(vector)
    vector.watch(0)
    after = vector.step_one(2, Action.LEFT)
    assert_first_process_was_replaced(before, after)
    assert vector.inspect() is not None


def test_after_mending_there_is_something_to_save(vector: VectorEnv) -> None:
    before = walk(vector)
    unchanged = vector.mend()
    assert np.array_equal(before.features, unchanged.features)
    assert not unchanged.summaries
    assert not unchanged.warnings
    kill(vector)
    with pytest.raises(WorkerError, match="SIGKILL"):
        vector.save()
    after = vector.mend()
    assert sorted(after.summaries) == [0, 1]
    assert np.array_equal(after.final_features[:2], before.features[:2])
    assert np.array_equal(after.features[2], before.features[2])
    assert not after.rewards.any()
    assert len(vector.save()) == 3


@pytest.mark.slow
def test_repeated_failure_of_a_process_is_an_error(vector: VectorEnv) -> None:
    breaking = actions(Action.LEFT, Action.START, Action.LEFT)
    for _ in range(5):
        assert vector.step(breaking).warnings
    with pytest.raises(WorkerError, match="replaced 5 times within 200 steps") as caught:
        vector.step(breaking)
    assert "ZeroDivisionError: oops" in caught.value.message
    assert caught.value.hint


@pytest.mark.slow
def test_rare_failures_may_come_for_ever(
    vector: VectorEnv, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pool, "_WINDOW_STEPS", 5)
    for step in range(14):
        if step % 2 == 0:
            kill(vector, number=step // 2 % 2)
        assert bool(walk(vector).warnings) == (step % 2 == 0)


@pytest.mark.slow
def test_processes_that_fail_together_are_one_failure(config: RunConfig) -> None:
    with VectorEnv(PLAIN_FACTORY, config, 3, 3) as vector:
        vector.reset(SEEDS)
        for _ in range(2):
            for number in range(3):
                kill(vector, number)
            assert len(walk(vector).warnings) == 3


def test_a_game_that_cannot_be_built_again_is_its_own_error(
    config: RunConfig, tmp_path: Path
) -> None:
    config = config.model_copy(update={"save_dir": str(tmp_path)})
    with VectorEnv(f"{FACTORIES}:losable", config, 2, 1) as vector:
        vector.reset(SEEDS[:2])
        (tmp_path / GONE).touch()
        kill(vector)
        with pytest.raises(RomError, match=r"The game is lost\. Find it\."):
            vector.step(actions(Action.LEFT, Action.LEFT))
        pids = vector.pids
    assert all(is_gone(pid) for pid in pids)


def test_a_death_before_the_first_step_is_an_error(config: RunConfig) -> None:
    with VectorEnv(PLAIN_FACTORY, config, 1, 1) as vector:
        kill(vector)
        with pytest.raises(WorkerError, match="died"):
            vector.reset(SEEDS[:1])


@pytest.mark.slow
def test_a_program_that_was_stopped_for_long_replaces_nothing(tmp_path: Path) -> None:
    """Ctrl-Z stops the parent alone; its workers answer while nobody listens."""
    program = (
        "import sys, numpy as np\n"
        "from engine.config import RunConfig\n"
        "from engine.env.vector.world import PLAIN_FACTORY, VectorEnv\n"
        "config = RunConfig(save_dir=sys.argv[1])\n"
        "with VectorEnv(PLAIN_FACTORY, config, 2, 2, answer_timeout_s=8.0) as vector:\n"
        "    vector.reset([1, 2])\n"
        "    while True:\n"
        "        print(*vector.step(np.array([6, 6])).warnings, flush=True)\n"
    )
    process = subprocess.Popen(
        [sys.executable, "-c", program, str(tmp_path)], stdout=subprocess.PIPE, text=True
    )
    try:
        lines = [process.stdout.readline() for _ in range(20)]
        process.send_signal(signal.SIGSTOP)
        time.sleep(9.0)
        process.send_signal(signal.SIGCONT)
        lines += [process.stdout.readline() for _ in range(400)]
    finally:
        process.kill()
        process.wait()
        process.stdout.close()
    assert set(lines) == {"\n"}
