import json
import math
import os
from pathlib import Path

import pytest

from engine.commands import Stop
from engine.events import CheckpointSaved, CurriculumChanged
from engine.runs.checkpoint import Checkpoint, CheckpointStore
from engine.runs.folder import RunFolder
from engine.runs.journal import Journal
from engine.runs.lock import RunLock, RunStatus, is_locked, read_status, write_status
from engine.runs.table import RunTable
from tests.engine.sessions.test_session import play, session, waits_for
from tests.saved_runs import append, ended, save_run


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("POKETUI_CACHE_DIR", str(tmp_path / "cache"))
    return tmp_path / "cache" / "runs"


def test_a_row_has_the_figures_of_the_run(tmp_path):
    path = save_run(tmp_path, [0.0] * 10 + [2.0] * 25, agent="dqn", seed=3)
    append(path, [ended(99, 500.0, start="badge")])
    journal = Journal(path / "journal.jsonl")
    journal.take(
        CurriculumChanged(2, 4, "x", 0.7, 0.4, 3, 10, math.nan, math.nan, "", has_moved=True)
    )
    journal.close()
    CheckpointStore(path / "checkpoints", 3).save(Checkpoint({"uptime_s": 90.5}), 3600)
    (row,) = RunTable(str(tmp_path)).look()
    assert (row.run_id, row.agent, row.seed) == (path.name, "dqn", 3)
    assert (row.total_steps, row.episodes, row.recent) == (9900, 35, 30)
    assert row.success == pytest.approx(25 / 30)
    assert row.mean_return == pytest.approx(50 / 30)
    assert (row.stage, row.num_stages, row.duration_s) == (2, 4, 90.5)
    files = [file for file in path.rglob("*") if file.is_file()]
    assert row.size == sum(file.stat().st_size for file in files)


def test_a_run_without_an_episode_has_no_success(tmp_path):
    save_run(tmp_path, [])
    (row,) = RunTable(str(tmp_path)).look()
    assert math.isnan(row.success)
    assert math.isnan(row.mean_return)
    assert math.isnan(row.duration_s)


def test_rows_come_the_last_changed_first(tmp_path):
    for number in (1, 3, 2):
        save_run(tmp_path, [1.0], run_id=f"run{number}", changed_s=1e9 + number)
    assert [row.run_id for row in RunTable(str(tmp_path)).look()] == ["run3", "run2", "run1"]


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
    returns = [float(number) for number in range(300)]
    path = save_run(tmp_path, returns)
    (first,) = RunTable(str(tmp_path)).look()
    (file,) = cache.iterdir()
    next_one = RunTable(str(tmp_path))
    monkeypatch.setitem(next_one.look.__globals__, "parse_line", lambda line: pytest.fail("read"))
    assert next_one.look() == (first,)
    monkeypatch.undo()
    for damage in (b"", b"[]", b'{"x": 1}', json.dumps({path.name: {"end": -5}}).encode()):
        file.write_bytes(damage)
        assert RunTable(str(tmp_path)).look()[0].episodes == 300


def test_a_run_whose_name_is_no_text_is_listed_and_kept_out_of_the_cache(tmp_path, cache):
    save_run(tmp_path, [1.0] * 500, run_id=os.fsdecode(b"caf\xe9"))
    save_run(tmp_path, [1.0] * 500, run_id="good")
    for _ in range(2):
        assert [row.episodes for row in RunTable(str(tmp_path)).look()] == [500, 500]
    (file,) = cache.iterdir()
    assert list(json.loads(file.read_bytes())) == ["good"]


def test_a_cache_that_cannot_be_written_is_done_without(tmp_path, cache):
    cache.parent.mkdir()
    cache.write_text("a file in the folder's place")
    save_run(tmp_path, [1.0] * 500)
    assert RunTable(str(tmp_path)).look()[0].episodes == 500


def test_looking_writes_nothing_in_the_run(tmp_path):
    path = save_run(tmp_path, [1.0] * 500, has_checkpoint=True)
    before = {file: file.stat().st_mtime_ns for file in (path, *path.rglob("*"))}
    RunTable(str(tmp_path)).look()
    assert {file: file.stat().st_mtime_ns for file in (path, *path.rglob("*"))} == before


def test_a_damaged_run_says_why(tmp_path):
    path = save_run(tmp_path, [1.0])
    (path / "config.json").write_text("[]")
    (row,) = RunTable(str(tmp_path)).look()
    assert (row.status, row.reason) == (RunStatus.DAMAGED, "config.json: it contains no keys")
    assert row.episodes == 1


def test_a_run_that_took_all_its_steps_is_finished(tmp_path):
    subject = session(tmp_path, total_steps=16)
    play(subject)
    (row,) = RunTable(str(tmp_path)).look()
    assert (row.status, row.reason) == (RunStatus.FINISHED, "took 16 steps")
    assert row.duration_s > 0


def test_a_run_is_running_then_stopped_by_a_person(tmp_path):
    subject = session(tmp_path)
    table = RunTable(str(tmp_path))
    assert table.look()[0].is_running
    subject.start()
    waits_for(subject, CheckpointSaved)
    subject.send(Stop("quit"))
    assert subject.join(300)
    (row,) = table.look()
    assert (row.status, row.reason) == (RunStatus.STOPPED, "quit")


def test_a_run_whose_process_is_gone_without_an_end_crashed(tmp_path):
    path = save_run(tmp_path, [1.0], status=RunStatus.RUNNING)
    assert read_status(path) == (RunStatus.CRASHED, "")
    folder = RunFolder(path)
    folder.lock()
    assert read_status(path) == (RunStatus.RUNNING, "")
    folder.unlock()


@pytest.mark.parametrize("content", [b"", b"[]", b'{"status": "flying"}', b'{"status": []}'])
def test_a_status_that_cannot_be_read_is_an_end_of_which_nothing_is_known(tmp_path, content):
    (tmp_path / "status.json").write_bytes(content)
    assert read_status(tmp_path) == (RunStatus.STOPPED, "")


def test_a_status_that_was_deleted_is_no_loss_to_a_run(tmp_path):
    folder = RunFolder(save_run(tmp_path, [], status=RunStatus.RUNNING))
    folder.lock()
    (folder.path / "status.json").unlink()
    assert folder.lost() == []
    folder.note_status(RunStatus.STOPPED, "quit")
    folder.unlock()
    assert read_status(folder.path) == (RunStatus.STOPPED, "quit")


def test_a_run_that_another_process_has_taken_notes_no_status(tmp_path):
    folder = RunFolder(save_run(tmp_path, []))
    folder.lock()
    (folder.path / "lock").unlink()
    folder.note_status(RunStatus.STOPPED)
    folder.unlock()
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
    def full(*_):
        raise OSError(28, os.strerror(28))

    monkeypatch.setattr(os, "write", full)
    write_status(tmp_path, RunStatus.STOPPED)
    monkeypatch.undo()
    assert not (tmp_path / "status.json").exists()


def test_a_cache_with_impossible_numbers_is_counted_anew(tmp_path, cache):
    save_run(tmp_path, [1.0] * 1000)
    (row,) = RunTable(str(tmp_path)).look()
    (file,) = cache.glob("*.json")
    kept = json.loads(file.read_text())
    for figures in kept.values():
        figures["recent"] = [[1.7e308, True]] * 2
    file.write_text(json.dumps(kept))
    assert RunTable(str(tmp_path)).look() == (row,)
