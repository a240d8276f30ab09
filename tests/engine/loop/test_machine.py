import math
import os
import sys
from pathlib import Path

import pytest

from engine.events import GpuUse, SystemMeasured
from engine.loop import machine
from engine.loop.machine import MachineMeter, folder_bytes, gpus_in
from tests.engine.processes import child_process
from tests.engine.training.helpers import Clock

linux = pytest.mark.skipif(sys.platform != "linux", reason="it reads /proc")


def measure(meter: MachineMeter, **processes: tuple[int, ...]) -> SystemMeasured:
    return meter.measure(processes, 120.0, [(60.0, 0.5)])


@pytest.fixture
def child():
    with child_process(["sleep", "60"]) as process:
        yield process


@linux
def test_a_measurement_has_cores_memory_disk_and_the_runs_processes(tmp_path, child):
    (tmp_path / "checkpoints").mkdir()
    (tmp_path / "checkpoints" / "one.zip").write_bytes(bytes(3000))
    (tmp_path / "journal.jsonl").write_bytes(bytes(500))
    found = measure(MachineMeter(tmp_path), workers=(child.pid,))
    assert len(found.cores) == len(os.sched_getaffinity(0))
    assert all(0 <= load <= 1 for load in found.cores)
    assert 0 < found.memory_used < found.memory_total
    assert 0 < found.disk_free < found.disk_total
    assert found.run_bytes == folder_bytes(tmp_path) == 3500
    trainer, workers = found.processes[:2]
    assert (trainer.name, trainer.count, workers.name, workers.count) == (
        "trainer", 1, "workers", 1,
    )  # fmt: skip
    assert trainer.resident_bytes > workers.resident_bytes > 0
    assert found.checkpoints == ((60.0, 0.5),)


@linux
def test_children_that_nobody_names_are_counted_and_those_that_ended_are_not(tmp_path, child):
    meter = MachineMeter(tmp_path)
    assert "other" in {use.name for use in measure(meter).processes}
    child.kill()
    child.wait()
    assert "workers" not in {use.name for use in measure(meter, workers=(child.pid,)).processes}


def test_measurements_are_some_seconds_apart_and_remember_the_speed(tmp_path):
    clock = Clock()
    meter = MachineMeter(tmp_path, clock)
    assert not meter.is_due()
    clock.now_s += 1
    assert meter.is_due()
    measure(meter)
    assert not meter.is_due()
    clock.now_s += 5
    assert meter.is_due()
    assert measure(meter).speeds == (120.0, 120.0)
    for _ in range(100):
        found = measure(meter)
    assert len(found.speeds) == 60


def test_a_system_without_proc_says_what_the_standard_library_knows(tmp_path, monkeypatch):
    def no_proc(path: Path, **options: str) -> str:
        raise FileNotFoundError(path)

    monkeypatch.setattr(Path, "read_text", no_proc)
    monkeypatch.setattr(machine.sys, "platform", "darwin")
    found = measure(MachineMeter(tmp_path), workers=(1,))
    assert (found.cores, found.memory_total) == ((), 0)
    assert found.num_cores == os.cpu_count()
    assert [use.name for use in found.processes] == ["trainer"]
    assert found.disk_free > 0


def test_answers_of_nvidia_smi_are_read():
    answer = "NVIDIA H100 80GB HBM3, 43, 12000, 81559\nNVIDIA GB10, 7, [N/A], [N/A]\nodd\n"
    first, second = gpus_in(answer)
    assert first == GpuUse("NVIDIA H100 80GB HBM3", 0.43, 12000 * 1024**2, 81559 * 1024**2)
    assert second == GpuUse("NVIDIA GB10", 0.07, 0, 0)
    (unknown,) = gpus_in("GPU, [Not Supported], 1, 2")
    assert math.isnan(unknown.load)


@pytest.fixture
def nvidia_smi(tmp_path, monkeypatch):
    path = tmp_path / "bin" / "nvidia-smi"
    path.parent.mkdir()
    monkeypatch.setenv("PATH", str(path.parent), prepend=os.pathsep)

    def says(script: str) -> None:
        path.write_text(f"#!/bin/sh\n{script}\n", encoding="ascii")
        path.chmod(0o755)

    return says


def test_a_gpu_is_shown_once_nvidia_smi_has_answered(tmp_path, nvidia_smi):
    nvidia_smi("echo 'GPU, 50, 1, 2'")
    meter = MachineMeter(tmp_path)
    found = measure(meter)
    assert not found.gpus
    while not found.gpus:
        found = measure(meter)
    assert found.gpus == (GpuUse("GPU", 0.5, 1024**2, 2 * 1024**2),)
    meter.close()


def test_nvidia_smi_that_fails_is_not_asked_again_and_one_that_hangs_is_ended(tmp_path, nvidia_smi):
    nvidia_smi(f"echo asked >> '{tmp_path}/log'\necho 'No devices were found'\nexit 6")
    meter = MachineMeter(tmp_path)
    measure(meter)
    meter._gpus._process.wait()
    for _ in range(3):
        assert not measure(meter).gpus
    assert (tmp_path / "log").read_text(encoding="ascii") == "asked\n"
    nvidia_smi("exec sleep 60")
    meter = MachineMeter(tmp_path)
    measure(meter)
    process = meter._gpus._process
    meter.close()
    assert process.returncode


def test_the_decision_database_is_measured_with_its_growth_an_hour(tmp_path):
    clock, sizes = Clock(), iter([1000, 3000, 3000])
    meter = MachineMeter(tmp_path, clock, lambda: next(sizes))
    first = measure(meter)
    assert (first.history_bytes, math.isnan(first.history_bytes_per_hour)) == (1000, True)
    clock.now_s += 10
    second = measure(meter)
    assert (second.history_bytes, second.history_bytes_per_hour) == (3000, 720_000)
    clock.now_s += 10
    assert measure(meter).history_bytes_per_hour == 360_000
