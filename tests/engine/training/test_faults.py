"""Whatever fails in a write, and wherever the process is killed, what was good before stays."""

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from engine.events import EpisodeEnded, WarningRaised
from engine.runs.journal import read_journal
from tests.engine.training.helpers import Run

FAILED, KILLED = 3, -9


def try_faults(subject: str, folder: Path) -> list[dict]:
    result = subprocess.run(
        [sys.executable, "-W", "ignore", "-m", "tests.engine.training.faults", subject, folder],
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path), "OPENBLAS_NUM_THREADS": "1"},
        capture_output=True,
        text=True,
        timeout=900,
        check=False,
    )
    assert result.returncode == 0, result.stderr
    return json.loads(result.stdout)


@pytest.mark.slow
def test_no_fault_in_saving_costs_the_last_good_checkpoint(tmp_path):
    cases = try_faults("checkpoint", tmp_path)
    assert {"open", "write", "fsync", "close", "replace", "link", "unlink"} <= {
        case["call"] for case in cases
    }
    for case in cases:
        # 2 only where the new file was whole and in its place; no warning: nothing was damaged.
        assert case["value"] in (1, 2), case
        assert case["code"] in (0, FAILED, KILLED), case
        assert case["value"] == 2 or case["code"] != 0, case
        assert not case["warnings"], case
        assert case["has_best"], case
        assert case["next"] == 3, case
        assert case["left"] == ["best.zip", "step-000000000030.zip"], case


def test_no_fault_in_journalling_costs_what_a_checkpoint_counts_on(tmp_path):
    cases = try_faults("journal", tmp_path)
    assert {"write", "fsync", "close"} == {case["call"] for case in cases}
    for case in cases:
        assert case["code"] in (0, FAILED, KILLED), case
        assert case["kept"], case
        assert case["resumed"], case


@pytest.mark.slow
def test_no_fault_in_beginning_a_run_leaves_half_of_its_settings(tmp_path):
    cases = try_faults("settings", tmp_path)
    assert {"open", "write", "replace"} <= {case["call"] for case in cases}
    for case in cases:
        assert case["code"] in (0, FAILED, KILLED), case
        assert case["seeds"] in ([1], [1, 2]), case
        assert case["seeds"] == [1, 2] or case["code"] != 0, case


def test_a_file_that_may_not_grow_costs_no_checkpoint(tmp_path):
    cases = try_faults("sizes", tmp_path)
    assert {case["fits"] for case in cases} == {False, True}
    for case in cases:
        assert case["code"] == (0 if case["fits"] else FAILED), case
        assert case["value"] == (2 if case["fits"] else 1), case
        assert not any(name.endswith(".tmp") for name in case["left"]), case


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """Mount a file system of 1 MiB; only root may."""
    folder = tmp_path / "disk"
    folder.mkdir()
    mount = shutil.which("mount")
    options = ["-t", "tmpfs", "-o", "size=1m", "tmpfs", str(folder)]
    if mount is None or subprocess.run([mount, *options], capture_output=True).returncode:
        pytest.skip("needs the right to mount")
    yield folder
    subprocess.run(["umount", "--lazy", str(folder)], check=True)


def test_a_run_goes_on_while_the_disk_is_full_and_saves_when_it_no_longer_is(small_disk):
    run = Run(small_disk / "run", total_steps=1200, checkpoint_interval_s=1e-9)
    filler = small_disk / "filler"
    with filler.open("wb", buffering=0) as file:
        while free := os.statvfs(small_disk).f_bavail:
            if free * os.statvfs(small_disk).f_frsize < 60_000:
                break
            file.write(bytes(4096))
    run.trainer.run()
    warnings = {event.message for event in run.of(WarningRaised)}
    assert any("No space left on device" in message for message in warnings)
    good, _, damaged = run.store.load_newest()
    assert not damaged
    assert good.facts["metrics"]["total_steps"] < 1200
    filler.unlink()
    run.trainer.save()
    assert run.store.load_newest()[0].facts["metrics"]["total_steps"] == 1200
    run.journal.close()
    episodes = sum(
        isinstance(event, EpisodeEnded) for event in read_journal(run.folder / "journal.jsonl")
    )
    assert episodes == run.trainer.state.metrics.episodes
