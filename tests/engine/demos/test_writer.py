import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from engine.demos.demonstration import MAP, NOTE, Demonstration, read_demo
from engine.demos.recording_log import log_path, read_log
from engine.demos.writer import DemoWriter, is_being_written, recover
from engine.env.live import LiveStretch
from engine.errors import DemoError
from engine.sessions.record import resume_set
from engine.types import Action
from tests.engine.demos.heads import make_head
from tests.engine.processes import child_process

Recorded = tuple[Path, Demonstration]


@pytest.fixture
def head(demo_file: Recorded) -> Demonstration:
    demo = demo_file[1]
    return make_head(demo.start_state, demo.recording.rom, task="walk", created_s=5.0)


@pytest.fixture
def writer(head: Demonstration, tmp_path: Path) -> DemoWriter:
    return DemoWriter(tmp_path / "x.demo", head)


def play_some(writer: DemoWriter, count: int) -> None:
    for number in range(count):
        writer.step(number % 9, float(number), proposal=3, is_intervention=number % 2 == 0)


def test_a_finished_demonstration_has_what_was_played(writer: DemoWriter, tmp_path: Path) -> None:
    play_some(writer, 5)
    writer.event("milestone", "left_house")
    writer.tag("good", "short")
    writer.mark_success("done")
    writer.finish("0" * 40)
    demo = read_demo(tmp_path / "x.demo")
    assert bytes(demo.actions) == bytes(range(5))
    assert demo.milestones == (("left_house", 5),)
    assert demo.tags == {"good", "short"}
    assert demo.is_success
    assert demo.task == "walk"
    assert [path.name for path in tmp_path.iterdir()] == ["x.demo"]


@pytest.mark.parametrize("steps", [0, 1])
def test_an_empty_demonstration_is_no_success_though_it_is_marked(
    writer: DemoWriter, tmp_path: Path, steps: int
) -> None:
    play_some(writer, steps)
    writer.mark_success()
    writer.finish("0" * 40)
    demo = read_demo(tmp_path / "x.demo")
    assert (len(demo.shown), demo.is_success) == (steps, steps > 0)


def test_recover_leaves_out_a_mark_that_was_taken_back(writer: DemoWriter, tmp_path: Path) -> None:
    writer.mark_success()
    play_some(writer, 2)
    writer.event(NOTE, "a door")
    writer.unmark()
    assert not writer.is_marked
    writer.close()
    demo = recover(tmp_path / "x.demo")
    assert (demo.is_success, demo.notes) == (False, (("a door", 2),))


def test_read_log_of_a_torn_log_returns_all_whole_steps(
    head: Demonstration, tmp_path: Path
) -> None:
    path = tmp_path / "x.demo"
    writer = DemoWriter(path, head)
    start = log_path(path).stat().st_size
    play_some(writer, 10)
    writer.close()
    data = log_path(path).read_bytes()
    for size in range(start, len(data) + 1, 3):
        log_path(path).write_bytes(data[:size])
        demo = read_log(log_path(path))
        assert bytes(demo.actions) == bytes(range(demo.episode_length % 9)) or (
            demo.episode_length in (9, 10)
        )
        assert demo.episode_length == (size - start) // 16


def test_recover_after_a_killed_process_returns_every_step(
    demo_file: Recorded, tmp_path: Path
) -> None:
    path = tmp_path / "x.demo"
    code = (
        "import sys; from pathlib import Path\n"
        "from engine.demos.demonstration import read_demo\n"
        "from engine.demos.writer import DemoWriter\n"
        "writer = DemoWriter(Path(sys.argv[2]), read_demo(Path(sys.argv[1])))\n"
        "for number in range(7): writer.step(4, 0.5)\n"
        "print('played', flush=True); sys.stdin.read()\n"
    )
    command = [sys.executable, "-c", code, str(demo_file[0]), str(path)]
    with child_process(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        assert process.stdout.readline() == b"played\n"
        assert is_being_written(log_path(path))
        with pytest.raises(DemoError, match="still being recorded"):
            recover(path)
        os.kill(process.pid, signal.SIGKILL)
    demo = recover(path)
    assert demo.episode_length == 157
    assert demo.begins_at == 150
    assert read_demo(path).episode_length == 157
    assert not log_path(path).exists()


def test_recover_of_an_empty_set_returns_nothing(head: Demonstration, tmp_path: Path) -> None:
    path = tmp_path / "x.demo"
    writer = DemoWriter(path, head)
    writer.event(MAP, "HOME")
    writer.live(LiveStretch(0).then(frozenset(), 200))
    writer.close()
    assert not recover(path).shown
    assert list(tmp_path.iterdir()) == []


def test_resume_set_does_not_count_an_empty_demonstration(
    head: Demonstration, tmp_path: Path
) -> None:
    DemoWriter(tmp_path / "empty.demo", head).finish()
    DemoWriter(tmp_path / "left.demo", head).close()
    writer = DemoWriter(tmp_path / "played.demo", head)
    play_some(writer, 3)
    writer.finish()
    assert resume_set(tmp_path) == (1, [], [])
    assert {path.name for path in tmp_path.iterdir()} == {"empty.demo", "played.demo"}


def test_writer_syncs_to_the_disk_by_itself(writer: DemoWriter, tmp_path: Path) -> None:
    play_some(writer, 1)
    until = time.monotonic() + 300
    while not writer.is_synced and time.monotonic() < until:
        time.sleep(0.02)
    assert writer.is_synced
    writer.discard()
    assert list(tmp_path.iterdir()) == []


def test_writer_rewind_forgets_what_came_after(writer: DemoWriter, tmp_path: Path) -> None:
    play_some(writer, 4)
    writer.live(LiveStretch(4).then(frozenset({Action.A}), 3), 2.0)
    writer.memory("1" * 40, is_step=False)
    play_some(writer, 2)
    writer.event("milestone", "gone")
    writer.rewind(3)
    writer.step(8, 9.0)
    demo = writer.finish()
    assert bytes(demo.actions) == bytes([0, 1, 2, 8])
    assert (demo.events, demo.has_live, demo.live_return) == ((), False, 0.0)
    assert read_demo(tmp_path / "x.demo").episode_return == 12.0


def test_writer_refuses_impossible_records(writer: DemoWriter, tmp_path: Path) -> None:
    play_some(writer, 2)
    for action, reward in ((9, 0.0), (-1, 0.0), (3, float("nan")), (3, 1e300)):
        with pytest.raises(DemoError):
            writer.step(action, reward)
    with pytest.raises(DemoError):
        writer.event("note", "\x1b[2J")
    with pytest.raises(DemoError):
        writer.rewind(3)
    assert writer.finish().episode_length == 2


def test_writer_overwrites_no_file(head: Demonstration, tmp_path: Path) -> None:
    (tmp_path / "x.demo").write_text("mine")
    with pytest.raises(DemoError, match="already exists"):
        DemoWriter(tmp_path / "x.demo", head)


def test_a_draft_continues_where_a_demonstration_ended(demo_file: Recorded, tmp_path: Path) -> None:
    writer = DemoWriter(tmp_path / "x.demo", demo_file[1])
    writer.step(1, 0.0)
    assert writer.finish().episode_length == 151


@pytest.mark.parametrize("what", ["log", "folder"])
@pytest.mark.parametrize("is_finished", [True, False])
def test_a_demonstration_whose_folder_is_deleted_meanwhile_is_kept(
    tmp_path: Path, head: Demonstration, what: str, is_finished: bool
) -> None:
    path = tmp_path / "set" / "x.demo"
    writer = DemoWriter(path, head)
    play_some(writer, 5)
    log_path(path).unlink()
    if what == "folder":
        path.parent.rmdir()
    play_some(writer, 5)
    assert is_being_written(log_path(path))
    if is_finished:
        writer.finish()
        assert len(read_demo(path).shown) == 10
    else:
        writer.close()
        assert len(recover(path).shown) == 10
    assert list(path.parent.iterdir()) == [path]
