import os
import re
import sqlite3
import stat
import zlib
from pathlib import Path

import pytest

from engine.config import RunConfig
from engine.demos.dataset import DemoSet
from engine.demos.writer import is_being_written
from engine.errors import CheckpointError, ConfigurationError, DemoError, PokeTUIError
from engine.ground.files import (
    check_folder,
    decode_text,
    inflate,
    make_private,
    make_subfolder,
    open_file,
    parse_json,
    parse_toml,
    read_file,
    read_lines,
    read_object,
    read_text,
    read_toml,
    remove_folder,
    write_file,
)
from engine.planning.history.store import DecisionStore
from engine.planning.models.exchanges import ExchangeLog
from engine.runs.checkpoint import Checkpoint, CheckpointStore
from engine.runs.folder import RunFolder
from engine.runs.journal import Journal
from engine.runs.tensorboard import TensorBoardFile

WORDS = b"precious\n" * 100
APPEND = os.O_WRONLY | os.O_APPEND | os.O_CREAT


@pytest.fixture
def victim(tmp_path: Path) -> Path:
    path = tmp_path / "elsewhere" / "victim"
    path.parent.mkdir()
    path.write_bytes(WORDS)
    os.utime(path, (1e9, 1e9))
    return path


def assert_untouched(victim: Path) -> None:
    found = victim.stat()
    assert victim.read_bytes() == WORDS
    assert (found.st_mtime, stat.S_IMODE(found.st_mode)) == (1e9, 0o644)
    assert [path.name for path in victim.parent.iterdir()] == [victim.name]


def replace(path: Path, victim: Path, kind: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.unlink(missing_ok=True)
    if kind == "link":
        path.symlink_to(victim)
    elif kind == "hard link":
        path.hardlink_to(victim)
    else:
        os.mkfifo(path)


KINDS = ("link", "hard link", "pipe")
WRITERS = {
    "journal.jsonl": lambda path: Journal(path).cut(0),
    "exchanges.jsonl": lambda path: _flush(path),
    "decisions.db": lambda path: DecisionStore(path, 10, print).close(),
    "decisions.db-wal": lambda path: DecisionStore(path.with_name("decisions.db"), 10, print),
    "decisions.db-shm": lambda path: DecisionStore(path.with_name("decisions.db"), 10, print),
    "lock": lambda path: RunFolder(path.parent).lock(),
    "engine.log": lambda path: RunFolder(path.parent).lock(),
}


def _flush(path: Path) -> None:
    log = ExchangeLog(path)
    log._waiting.append({"a": 1})
    if warning := log.flush():
        raise ConfigurationError(warning)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("name", WRITERS)
def test_write_file_refuses_links_and_pipes(
    tmp_path: Path, victim: Path, name: str, kind: str
) -> None:
    path = tmp_path / "run" / name
    replace(path, victim, kind)
    with pytest.raises(PokeTUIError, match=name) as refused:
        WRITERS[name](path)
    text = str(refused.value)
    assert "\n" not in text
    assert {"link": "Remove the link.", "hard link": "Put a copy in its place.", "pipe": "Move it"}[
        kind
    ] in text
    assert_untouched(victim)


def test_a_run_with_a_link_in_it_is_not_opened(tmp_path: Path, victim: Path) -> None:
    config = RunConfig(save_dir=str(tmp_path / "saves"))
    folder = RunFolder.create(config)
    folder.unlock()
    CheckpointStore(folder.checkpoints_path, 1).save(Checkpoint({}), 10)
    for name in ("tensorboard", "journal.jsonl"):
        replace(folder.path / name, victim.parent if name == "tensorboard" else victim, "link")
        with pytest.raises(ConfigurationError, match=f"{name}: it is a symbolic link"):
            RunFolder.open(config, folder.run_id)
        (folder.path / name).unlink()
    RunFolder.open(config, folder.run_id).unlock()
    assert_untouched(victim)


def test_folders_inside_a_run_are_no_links(tmp_path: Path, victim: Path) -> None:
    (tmp_path / "inside").symlink_to(victim.parent)
    with pytest.raises(CheckpointError, match=r"inside: it is a symbolic link\. Remove the link"):
        CheckpointStore(tmp_path / "inside", 1).save(Checkpoint({}), 10)
    board = TensorBoardFile(tmp_path / "inside", 0)
    board.close()
    with pytest.raises(OSError, match="symbolic link"):
        remove_folder(tmp_path / "inside")
    with pytest.raises(OSError, match="symbolic link"):
        make_subfolder(tmp_path / "inside")
    assert_untouched(victim)


def test_saves_runs_and_a_run_may_be_links_to_another_disk(tmp_path: Path) -> None:
    disk = tmp_path / "disk"
    disk.mkdir()
    (tmp_path / "saves").mkdir()
    (tmp_path / "saves" / "runs").symlink_to(disk)
    config = RunConfig(save_dir=str(tmp_path / "saves"))
    folder = RunFolder.create(config)
    folder.unlock()
    CheckpointStore(folder.checkpoints_path, 1).save(Checkpoint({}), 10)
    (disk / folder.run_id).rename(tmp_path / "moved")
    (disk / "again").symlink_to(tmp_path / "moved")
    RunFolder.open(config, "again").unlock()
    assert (tmp_path / "moved" / "lock").is_file()


def test_a_folder_among_temporary_files_does_not_stop_saving(tmp_path: Path) -> None:
    (tmp_path / "odd.tmp").mkdir()
    (tmp_path / "step-000000000001.zip").mkdir()
    store = CheckpointStore(tmp_path, 1)
    store.save(Checkpoint({"a": 1}), 10)
    store.save(Checkpoint({"a": 2}), 20)
    assert [path.name for path in store.paths()] == ["step-000000000020.zip"]


def test_best_checkpoint_takes_the_place_of_a_link(tmp_path: Path, victim: Path) -> None:
    for name in ("best.zip", "best.zip.tmp"):
        replace(tmp_path / "checkpoints" / name, victim, "link")
    CheckpointStore(tmp_path / "checkpoints", 1).save(Checkpoint({"score": [1]}), 10)
    assert not (tmp_path / "checkpoints" / "best.zip").is_symlink()
    assert_untouched(victim)


def test_demonstrations_behind_a_link_are_not_deleted(tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "x.demo").write_bytes(WORDS)
    demos = tmp_path / "demos"
    demos.mkdir()
    (demos / "set").symlink_to(outside)
    with pytest.raises(DemoError, match="symbolic link: its target is not deleted"):
        DemoSet(demos, [demos / "set" / "x.demo"]).delete()
    assert (outside / "x.demo").read_bytes() == WORDS
    (demos / "y.demo").symlink_to(outside / "x.demo")
    assert DemoSet(demos).delete() == 1  # the link itself goes
    assert (outside / "x.demo").read_bytes() == WORDS


def test_a_pipe_in_place_of_a_recording_is_not_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "x.demo.part")
    assert not is_being_written(tmp_path / "x.demo.part")


def test_files_and_folders_are_their_owners_alone_whatever_the_umask(tmp_path: Path) -> None:
    former = os.umask(0)
    try:
        os.close(open_file(tmp_path / "a", APPEND))
        write_file(tmp_path / "b", b"")
        make_subfolder(tmp_path / "c" / "d")
    finally:
        os.umask(former)
    modes = {path.name: stat.S_IMODE(path.stat().st_mode) for path in tmp_path.rglob("*")}
    assert modes == {"a": 0o600, "b": 0o600, "c": 0o700, "d": 0o700}
    check_folder(tmp_path)  # files and folders, and nothing else, are taken
    tmp_path.chmod(0o755)  # as a run of an older version is
    make_private(tmp_path)
    assert stat.S_IMODE(tmp_path.stat().st_mode) == 0o700


def test_reading_has_a_limit(tmp_path: Path) -> None:
    path = tmp_path / "a"
    path.write_bytes(b"x" * 11)
    with pytest.raises(OSError, match="larger than 10 bytes"):
        read_file(path, 10)
    assert read_file(path, 11) == b"x" * 11
    path.write_bytes(b"1234567\nabcd\n12")
    assert list(read_lines(path, limit=6)) == [b"\n", b"abcd\n", b"12"]
    with pytest.raises(ValueError, match="more than 10 bytes"):
        inflate(zlib.compress(b"x" * 11), 10)
    for parse in (parse_json, parse_toml):
        with pytest.raises(ValueError, match="deeply"):
            parse("a = " * (parse is parse_toml) + "[" * 100_000 + "]" * 100_000)


def test_a_decision_history_with_views_or_a_huge_text_is_damaged(tmp_path: Path) -> None:
    path = tmp_path / "decisions.db"
    DecisionStore(path, 10, print).close()
    with sqlite3.connect(path) as database:
        database.execute("CREATE VIEW odd AS SELECT 1")
    database.close()
    with pytest.raises(CheckpointError, match="views or triggers"):
        DecisionStore(path, 10, print)


TEXT = 'a = 1\nb = "é"\n'


@pytest.mark.parametrize(
    "encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-16-be", "utf-16-le", "utf-32"]
)
@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_text_of_any_editor_is_read_alike(tmp_path: Path, encoding: str, end: str) -> None:
    mark = "\ufeff" if encoding.startswith("utf-16-") else ""
    (tmp_path / "a.toml").write_bytes((mark + TEXT.replace("\n", end)).encode(encoding))
    assert read_text(tmp_path / "a.toml") == TEXT
    assert read_toml(tmp_path / "a.toml") == {"a": 1, "b": "é"}


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (b"abc\xff", "it is not UTF-8 text: see byte 3"),
        (b"\xef\xbb\xbfab\xff", "it is not UTF-8 text: see byte 5"),
        (b"\xff\xfea", "it is not UTF-16 text: see byte 2"),
        (b"\xff\xfe\x00\xd8a\x00", "it is not UTF-16 text: see byte 2"),
        (b"a\0b", "it is not text: character 1 is a zero"),
    ],
)
def test_what_is_no_text_is_named_with_the_place(data: bytes, words: str) -> None:
    with pytest.raises(ValueError, match=f"^{re.escape(words)}$"):
        decode_text(data)


@pytest.mark.parametrize("number", ["1.7e308", "-1e16", "1e400", "NaN", "-Infinity", str(2**63)])
def test_numbers_that_nobody_can_add_up_are_refused(tmp_path: Path, number: str) -> None:
    (tmp_path / "a.json").write_text(f'{{"a": [{{"b": {number}}}]}}')
    with pytest.raises(ValueError, match="a number is too large, or none"):
        read_object(tmp_path / "a.json")
