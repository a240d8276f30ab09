import math
from dataclasses import replace

from engine import events
from engine.events import GpuUse, SystemMeasured
from pokeTUI.dashboard.state import DashboardState
from pokeTUI.panes.system import SystemPane
from tests.pokeTUI.fake_session import make_measured, make_run, make_status
from tests.pokeTUI.pane_app import fold_all, open_pane, texts
from tests.pokeTUI.snapshot import compare, draw

GB = 1024**3
MEASURED = make_measured()


def state_of(measured: SystemMeasured = MEASURED) -> DashboardState:
    return fold_all([make_run(), make_status(episodes_per_hour=405.2), measured])


def test_the_pane_shows_speed_cores_memory_disk_and_checkpoints() -> None:
    assert texts(SystemPane(), state_of(), (36, 20)) == [
        "speed        1,234 steps/s  ▁▃▅▇",
        "  episodes   405 an hour",
        "CPU          ━━━━━━┈┈ 74% of 2 cores",
        "  core 1     ━━━━━━━━━━━━━━━━━━╸ 97%",
        "  core 2     ━━━━━━━━━╸┈┈┈┈┈┈┈┈┈ 50%",
        "memory       ━━┈┈┈┈┈┈┈ 2.0 of 8.0 GB",
        "  trainer    412 MB",
        "  workers    310 MB in 2 processes",
        "  evaluation 380 MB",
        "disk         ━━━━━┈┈┈┈┈ 30.0 GB free",
        "  this run   14 MB",
        "  decisions  3 MB (+36 MB/hour)",
        "checkpoint   at 0:02:03, took 0.41 s",
        "  before     0:01:02",
    ]


def test_with_little_room_a_line_each_remains() -> None:
    lines = texts(SystemPane(), state_of(), (36, 5))
    assert [line.split()[0] for line in lines] == [
        "speed", "CPU", "memory", "disk", "checkpoint",
    ]  # fmt: skip


def test_many_cores_are_a_column_each() -> None:
    many = replace(MEASURED, cores=tuple(core / 63 for core in range(64)), num_cores=64)
    lines = texts(SystemPane(), state_of(many), (36, 20))
    each = "".join(line[13:].strip() for line in lines[3:6])
    assert len(each) == 64
    assert (each[0], each[-1]) == ("·", "█")


def test_a_gpu_is_shown_where_there_is_one() -> None:
    gpu = GpuUse("NVIDIA H100", 0.43, 12 * GB, 80 * GB)
    lines = texts(SystemPane(), state_of(replace(MEASURED, gpus=(gpu,))), (40, 20))
    at = lines.index("GPU          NVIDIA H100")
    assert lines[at + 1].endswith(" 43%")
    assert lines[at + 2].endswith(" 12.0 of 80.0 GB")
    assert not any("GPU" in line for line in texts(SystemPane(), state_of(), (40, 20)))


def test_what_a_system_does_not_say_is_said() -> None:
    bare = replace(
        MEASURED,
        cores=(),
        num_cores=8,
        load_average=math.nan,
        processes=(),
        memory_total=0,
        disk_total=0,
        checkpoints=(),
    )
    lines = texts(SystemPane(), state_of(bare), (40, 20))
    assert "CPU          8 cores" in lines
    assert "memory       this system does not say" in lines
    assert "checkpoint   none in this session yet" in lines


def test_before_a_measurement_and_in_a_replay_the_pane_says_why() -> None:
    pane = SystemPane()
    assert texts(pane, fold_all([make_run()]), (60, 9)) == [
        "The first measurement comes within seconds."
    ]
    replayed = replace(make_run(), mode=events.REPLAY)
    (line,) = texts(pane, fold_all([replayed]), (60, 9))
    assert line == "Nothing is trained here: this is a replay."


async def test_the_pane_looks_as_before() -> None:
    many = tuple(30 * step % 97 / 97 * 1234 for step in range(60))
    async with open_pane(SystemPane(), state_of(replace(MEASURED, speeds=many)), (78, 22)) as (
        _,
        app,
    ):
        compare("system-80x24", draw(app))
