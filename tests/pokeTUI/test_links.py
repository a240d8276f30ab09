"""A link in a saved run or a set of demonstrations harms nothing outside."""

import os
import shutil
import stat
from pathlib import Path

import pytest

from pokeTUI.preferences import PreferenceFile
from tests.pokeTUI.background import Background
from tests.pokeTUI.in_process import assert_refused, poketui, succeed

SMALL = ("--envs", "2", "--workers", "1", "--steps", "256")


@pytest.fixture(scope="module")
def saves(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a save folder with a run and a demonstration."""
    path = tmp_path_factory.mktemp("links") / "saves"
    succeed("run", "--headless", *SMALL, "--save-dir", str(path))
    return path


@pytest.mark.slow
@pytest.mark.parametrize("name", ["journal.jsonl", "engine.log", "checkpoints", "decisions.db-wal"])
def test_a_run_with_a_link_is_refused_untouched(saves: Path, tmp_path: Path, name: str) -> None:
    victim = tmp_path / "outside" / "victim"
    victim.parent.mkdir()
    victim.write_bytes(b"precious")
    os.utime(victim, (1e9, 1e9))
    shutil.copytree(saves, tmp_path / "saves")
    (run,) = (tmp_path / "saves" / "runs").iterdir()
    if (run / name).is_dir():
        shutil.rmtree(run / name)
        shutil.copytree(next((saves / "runs").iterdir()) / name, victim.parent, dirs_exist_ok=True)
        (run / name).symlink_to(victim.parent)
    else:
        (run / name).unlink(missing_ok=True)
        (run / name).symlink_to(victim)
    before = sorted(victim.parent.iterdir())
    for way in ("--headless", "--detach"):
        resumed = poketui("run", way, "--resume=latest", "--save-dir", str(tmp_path / "saves"))
        assert_refused(resumed, name, "it is a symbolic link. Remove the link.")
    assert (victim.read_bytes(), victim.stat().st_mtime) == (b"precious", 1e9)
    assert sorted(victim.parent.iterdir()) == before


def test_a_set_that_is_a_link_is_not_deleted_and_what_is_deleted_is_named(tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    inside = tmp_path / "saves" / "demos" / "mine"
    here = tmp_path / "here"
    for folder in (outside, inside, here / "mine"):
        folder.mkdir(parents=True)
        (folder / "x.demo").write_bytes(b"precious")
    (inside.parent / "theirs").symlink_to(outside)
    where = ("--yes", "--save-dir", str(tmp_path / "saves"))
    assert_refused(poketui("demos", "delete", "theirs", *where), "theirs is a symbolic link")
    assert_refused(poketui("demos", "delete", "theirs/x", *where), "theirs is a symbolic link")
    assert (outside / "x.demo").exists()
    # A folder of the same name where the command is given is not meant.
    found = succeed("demos", "delete", "mine", *where, cwd=here)
    assert found.stdout == f"{inside / 'x.demo'}\n1 deleted.\n"
    assert (here / "mine" / "x.demo").exists()
    assert list(inside.iterdir()) == []


@pytest.mark.slow
def test_all_that_is_saved_is_its_owners_alone(tmp_path: Path) -> None:
    background = Background(tmp_path)
    saves = background.saves
    former = os.umask(0)  # its children have it, too
    try:
        run = background.detach()
        assert background.run("stop").returncode == 0
        PreferenceFile(saves / "config").save({"theme": "daylight"})
        for arguments in (
            ("run", "--headless", f"--resume={run}", "--steps", "512"),
            ("run", "--headless", *SMALL),
            ("record", "--headless", "--player", "rules", "--episodes", "1"),
            ("bc", "--rules", "1", "--epochs", "1", "--hidden-size", "16", "--eval-episodes", "0"),
        ):
            found = background.run(*arguments, "--save-dir", str(saves))
            assert found.returncode == 0, found.stderr
    finally:
        os.umask(former)
        background.close()
    modes = {path: stat.S_IMODE(path.lstat().st_mode) for path in (saves, *saves.rglob("*"))}
    assert len(modes) > 25
    assert {str(path): oct(mode) for path, mode in modes.items() if mode & 0o077} == {}
