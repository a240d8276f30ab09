import pytest

from engine.errors import CheckpointError, ConfigurationError
from engine.runs.folder import (
    RunFolder,
    delete_run,
    list_runs,
    restore_command,
    restore_run,
    trashed_runs,
)
from engine.runs.labels import RunLabels, write_labels
from tests.saved_runs import save_run


def test_a_deleted_run_is_in_the_trash_and_comes_back_as_it_was(tmp_path):
    path = save_run(tmp_path, [1.0], has_checkpoint=True)
    write_labels(path, RunLabels("mine"))
    before = sorted(file.relative_to(path) for file in path.rglob("*"))
    moved = delete_run(str(tmp_path), "mine")
    assert moved == tmp_path / "trash" / path.name
    assert list_runs(str(tmp_path)) == []
    assert trashed_runs(str(tmp_path)) == [path.name]
    assert restore_run(str(tmp_path), path.name) == path
    assert sorted(file.relative_to(path) for file in path.rglob("*")) == before
    assert [info.run_id for info in list_runs(str(tmp_path))] == [path.name]


def test_a_run_in_use_or_that_is_a_link_or_holds_one_is_not_deleted(tmp_path):
    real, path = save_run(tmp_path / "elsewhere"), save_run(tmp_path)
    folder = RunFolder(path)
    folder.lock()
    with pytest.raises(ConfigurationError, match="in use"):
        delete_run(str(tmp_path), folder.run_id)
    folder.unlock()
    (tmp_path / "runs" / "linked").symlink_to(real)
    (path / "odd").symlink_to(real)
    for name in ("linked", path.name):
        with pytest.raises(ConfigurationError, match="symbolic link"):
            delete_run(str(tmp_path), name)
    assert path.is_dir()
    assert real.is_dir()


def test_a_run_elsewhere_is_not_moved_into_this_trash(tmp_path):
    path = save_run(tmp_path / "other", [1.0])
    with pytest.raises(CheckpointError, match="is not in"):
        delete_run(str(tmp_path / "saves"), str(path))
    assert path.is_dir()


def test_what_is_in_the_way_stays(tmp_path):
    path = save_run(tmp_path, [1.0])
    (tmp_path / "trash" / path.name).mkdir(parents=True)
    for move in (delete_run, restore_run):
        with pytest.raises(ConfigurationError, match="already exists"):
            move(str(tmp_path), path.name)
    assert (path / "config.json").is_file()


@pytest.mark.parametrize("name", ["unknown", "..", ""])
def test_only_what_is_in_the_trash_is_restored(tmp_path, name):
    with pytest.raises(CheckpointError, match="It is empty"):
        restore_run(str(tmp_path), name)
    delete_run(str(tmp_path), save_run(tmp_path, [], run_id="mine").name)
    with pytest.raises(CheckpointError, match="It holds: mine"):
        restore_run(str(tmp_path), name)


def test_the_command_that_restores_names_a_save_folder_that_is_not_the_usual_one(
    tmp_path, monkeypatch
):
    monkeypatch.chdir(tmp_path)
    assert restore_command("saves", ["a", "b"]) == "poketui runs a b --restore"
    assert restore_command("my saves", ["a"]) == ("poketui runs a --restore --save-dir 'my saves'")
    monkeypatch.setenv("POKETUI_SAVE_DIR", "my saves")
    assert restore_command("my saves", ["a"]) == "poketui runs a --restore"
