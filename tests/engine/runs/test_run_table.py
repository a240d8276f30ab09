import json
import math
import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from engine.commands import Stop
from engine.events import CheckpointSaved, CurriculumChanged
from engine.runs.checkpoint import Checkpoint, CheckpointStore
from engine.runs.folder import RunFolder
from engine.runs.lock import RunLock, RunStatus, is_locked, read_status, write_status
from engine.runs.table import RunRow, RunTable
from tests.engine.sessions.test_session import play, session, waits_for
from tests.engine.training.helpers import raising
from tests.saved_runs import append, ended, save_run


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("POKETUI_CACHE_DIR", str(tmp_path / "cache"))
    return tmp_path / "cache" / "runs"


@pytest.fixture
def folder(tmp_path: Path) -> Iterator[RunFolder]:
    """Return the folder of a run that goes on in this process."""
    folder = RunFolder(save_run(tmp_path, status=RunStatus.RUNNING))
    folder.lock()
    yield folder
    folder.unlock()


def rows(saves: Path) -> list[RunRow]:
    return list(RunTable(str(saves)).look())


def test_a_row_has_the_figures_of_the_run(tmp_path):
    moved = CurriculumChanged(2, 4, "x", 0.7, 0.4, 3, 10, math.nan, math.nan, "", has_moved=True)
    events = [ended(99, 500.0, start="badge"), moved]
    path = save_run(tmp_path, [0.0] * 10 + [2.0] * 25, events=events, agent="dqn", seed=3)
    CheckpointStore(path / "checkpoints", 3).save(Checkpoint({"uptime_s": 90.5}), 3600)
    (row,) = rows(tmp_path)
    assert (row.run_id, row.agent, row.seed) == (path.name, "dqn", 3)
    assert (row.total_steps, row.episodes, row.recent) == (9900, 35, 30)
    assert row.success == pytest.approx(25 / 30)
    assert row.mean_return == pytest.approx(50 / 30)
    assert (row.stage, row.num_stages, row.duration_s) == (2, 4, 90.5)
    assert row.size == sum(file.stat().st_size for file in path.rglob("*") if file.is_file())


def test_a_run_without_an_episode_has_no_success(tmp_path):
    save_run(tmp_path)
    (row,) = rows(tmp_path)
    assert all(map(math.isnan, (row.success, row.mean_return, row.duration_s)))


def test_rows_come_the_last_changed_first(tmp_path):
    for number in (1, 3, 2):
        save_run(tmp_path, [1.0], run_id=f"run{number}", changed_s=1e9 + number)
    assert [row.run_id for row in rows(tmp_path)] == ["run3", "run2", "run1"]


def test_only_what_was_appended_to_a_journal_is_counted_again(tmp_path, monkeypatch):
    path = save_run(tmp_path, [1.0, 2.0])
    table = RunTable(str(tmp_path))
    table.look()
    lines = []
    parse = table.look.__globals__["parse_line"]
    monkeypatch.setitem(
        table.look.__globals__, "parse_line", lambda line: (lines.append(line), parse(line))[1]
    )
    table.look()
    assert not lines
    append(path, [ended(3, 3.0)])
    (row,) = table.look()
    assert len(lines) == 1
    assert (row.episodes, row.mean_return) == (3, 2.0)


def test_a_line_that_is_being_written_counts_once_it_is_whole(tmp_path):
    path = save_run(tmp_path, [1.0])
    whole = (path / "journal.jsonl").read_bytes()
    table = RunTable(str(tmp_path))
    with (path / "journal.jsonl").open("ab") as file:
        file.write(whole[:40])
        file.flush()
        assert table.look()[0].episodes == 1
        file.write(whole[40:])
    assert table.look()[0].episodes == 2


@pytest.mark.parametrize("count", [1, 3, 6])
def test_a_journal_that_was_cut_back_is_counted_anew(tmp_path, count):
    path = save_run(tmp_path, [1.0] * 4)
    table = RunTable(str(tmp_path))
    table.look()
    (path / "journal.jsonl").unlink()
    append(path, [ended(number, 5.0) for number in range(1, count + 1)])
    (row,) = table.look()
    assert (row.episodes, row.mean_return) == (count, 5.0)


def test_figures_are_kept_in_the_cache_folder_and_read_by_the_next(tmp_path, cache, monkeypatch):
    path = save_run(tmp_path, map(float, range(300)))
    first = rows(tmp_path)
    (file,) = cache.iterdir()
    next_one = RunTable(str(tmp_path))
    monkeypatch.setitem(next_one.look.__globals__, "parse_line", lambda line: pytest.fail("read"))
    assert list(next_one.look()) == first
    monkeypatch.undo()
    kept = json.loads(file.read_text())
    kept[path.name]["recent"] = [[1.7e308, True]] * 2
    negative = {path.name: {"end": -5}}
    for damage in ("", "[]", '{"x": 1}', json.dumps(negative), json.dumps(kept)):
        file.write_text(damage)
        assert rows(tmp_path) == first


def test_a_run_whose_name_is_no_text_is_listed_and_kept_out_of_the_cache(tmp_path, cache):
    for run_id in (os.fsdecode(b"caf\xe9"), "good"):
        save_run(tmp_path, [1.0] * 500, run_id=run_id)
    for _ in range(2):
        assert [row.episodes for row in rows(tmp_path)] == [500, 500]
    (file,) = cache.iterdir()
    assert list(json.loads(file.read_bytes())) == ["good"]


def test_looking_writes_nothing_in_the_run_and_does_without_a_cache_that_it_cannot_write(
    tmp_path, cache
):
    cache.parent.mkdir()
    cache.write_text("a file in the folder's place")
    path = save_run(tmp_path, [1.0] * 500, has_checkpoint=True)
    before = {file: file.stat().st_mtime_ns for file in (path, *path.rglob("*"))}
    assert rows(tmp_path)[0].episodes == 500
    assert {file: file.stat().st_mtime_ns for file in (path, *path.rglob("*"))} == before


def test_a_damaged_run_says_why(tmp_path):
    path = save_run(tmp_path, [1.0])
    (path / "config.json").write_text("[]")
    (row,) = rows(tmp_path)
    assert (row.status, row.reason) == (RunStatus.DAMAGED, "config.json: it contains no keys")
    assert row.episodes == 1


def test_a_run_that_took_all_its_steps_is_finished(tmp_path):
    play(session(tmp_path, total_steps=16))
    (row,) = rows(tmp_path)
    assert (row.status, row.reason) == (RunStatus.FINISHED, "took 16 steps")
    assert row.duration_s > 0


def test_a_run_is_running_then_stopped_by_a_person(tmp_path):
    subject = session(tmp_path)
    assert rows(tmp_path)[0].is_running
    subject.start()
    waits_for(subject, CheckpointSaved)
    subject.send(Stop("quit"))
    assert subject.join(300)
    (row,) = rows(tmp_path)
    assert (row.status, row.reason) == (RunStatus.STOPPED, "quit")


def test_a_run_whose_process_is_gone_without_an_end_crashed(folder):
    assert read_status(folder.path) == (RunStatus.RUNNING, "")
    folder.unlock()
    assert read_status(folder.path) == (RunStatus.CRASHED, "")


@pytest.mark.parametrize("content", [b"", b"[]", b'{"status": "flying"}', b'{"status": []}'])
def test_a_status_that_cannot_be_read_is_an_end_of_which_nothing_is_known(tmp_path, content):
    (tmp_path / "status.json").write_bytes(content)
    assert read_status(tmp_path) == (RunStatus.STOPPED, "")


def test_a_status_that_was_deleted_is_no_loss_to_a_run(folder):
    (folder.path / "status.json").unlink()
    assert folder.lost() == []
    folder.note_status(RunStatus.STOPPED, "quit")
    folder.unlock()
    assert read_status(folder.path) == (RunStatus.STOPPED, "quit")


def test_a_run_that_another_process_has_taken_notes_no_status(folder):
    for name in ("lock", "status.json"):
        (folder.path / name).unlink()
    folder.note_status(RunStatus.STOPPED)
    assert not (folder.path / "status.json").exists()


def test_looking_at_a_lock_takes_it_from_nobody(tmp_path):
    path = tmp_path / "lock"
    assert not is_locked(path)
    assert not path.exists()
    lock = RunLock(path)
    assert lock.take()
    content = path.read_bytes()
    assert is_locked(path)
    assert path.read_bytes() == content
    lock.release()
    assert not is_locked(path)
    assert RunLock(path).take()


def test_a_full_disk_is_no_reason_not_to_end(tmp_path, monkeypatch):
    monkeypatch.setattr(os, "write", raising(OSError(28, os.strerror(28))))
    write_status(tmp_path, RunStatus.STOPPED)
    monkeypatch.undo()
    assert not (tmp_path / "status.json").exists()
