"""Drive `poketui demos` as a user would."""

import shutil
from pathlib import Path

import pytest

from engine.config import RunConfig
from engine.demos.demonstration import read_demo
from engine.demos.recorder import random_policy, record_policy
from engine.demos.writer import DemoWriter
from tests.pokeTUI.in_process import assert_refused, poketui, succeed


@pytest.fixture(scope="module")
def saves(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("saves")
    config = RunConfig(save_dir=str(folder))
    list(record_policy(random_policy(0), config, 2, folder / "demos", by="random", max_steps=30))
    return folder


def test_they_are_listed_counted_and_validated(saves: Path) -> None:
    first = sorted((saves / "demos").glob("*.demo"))[0].stem
    assert first in poketui("demos", "--save-dir", str(saves)).stdout
    assert "2, 0 reached" in poketui("demos", "stats", "--save-dir", str(saves)).stdout
    assert "30" in poketui("demos", "show", first, "--save-dir", str(saves)).stdout
    result = succeed("demos", "validate", "--save-dir", str(saves))
    assert result.stdout.count("exactly as recorded") == 2


@pytest.mark.slow
def test_damaged_files_are_one_line_and_exit_code_2(saves: Path, tmp_path: Path) -> None:
    bad = tmp_path / "bad.demo"
    bad.write_bytes(b"\x80\x04cos\nsystem\n")
    assert_refused(poketui("demos", "show", str(bad)), "bad.demo")
    for name in ("bad.npz", "bad.csv", "bad.demo", "bad.txt"):
        (tmp_path / name).write_bytes(b"PK\x03\x04 rubbish")
        result = poketui("demos", "import", str(tmp_path / name), "--save-dir", str(tmp_path))
        assert_refused(result, name)
    assert poketui("demos", "validate", str(bad), "--save-dir", str(saves)).returncode == 2
    assert_refused(poketui("demos", "export", "--format", "zip", "--save-dir", str(saves)), "zip")


def test_demos_delete_needs_a_yes(saves: Path, tmp_path: Path) -> None:
    assert poketui("demos", "merge", str(saves / "demos"), "--save-dir", str(tmp_path)).stdout
    name = sorted((tmp_path / "demos").glob("*.demo"))[0].name
    assert poketui("demos", "delete", name, "--save-dir", str(tmp_path)).returncode != 0
    assert (tmp_path / "demos" / name).exists()
    assert poketui("demos", "delete", name, "--yes", "--save-dir", str(tmp_path)).returncode == 0
    assert not (tmp_path / "demos" / name).exists()


@pytest.mark.slow
def test_a_table_goes_out_and_in_again(saves: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    where = ("--out", str(out), "--save-dir", str(saves))
    assert poketui("demos", "export", "--format", "csv", *where).returncode == 0
    assert_refused(poketui("demos", "export", "--format", "csv", *where), "already")
    tables = [str(path) for path in sorted(out.glob("*.csv"))]
    assert poketui("demos", "import", *tables, "--save-dir", str(tmp_path)).returncode == 0
    assert len(list((tmp_path / "demos").glob("*.demo"))) == 2


def test_sets_in_folders_are_listed_found_and_recovered(saves: Path, tmp_path: Path) -> None:
    first, second = sorted((saves / "demos").glob("*.demo"))
    own = tmp_path / "demos" / "interventions"
    own.mkdir(parents=True)
    shutil.copyfile(first, own / first.name)
    writer = DemoWriter(own / second.name, read_demo(second))
    writer.step(0, 0.0)
    writer.close()
    where = ("--save-dir", str(tmp_path))
    listed = poketui("demos", "list", *where).stdout
    assert listed.startswith("set interventions\n")
    assert first.stem in listed
    assert "left behind" in listed
    assert "30" in poketui("demos", "show", first.stem, *where).stdout
    assert ": 1 step\n" in poketui("demos", "recover", *where).stdout
    assert "2, 0 reached" in poketui("demos", "stats", "interventions", *where).stdout
    assert (own / second.name).exists()


@pytest.mark.slow
def test_where_none_is_named_all_are_meant_those_in_sets_too(saves: Path, tmp_path: Path) -> None:
    first, second = sorted((saves / "demos").glob("*.demo"))
    for name, path in (("", first), ("a", first), ("b", second)):
        (tmp_path / "demos" / name).mkdir(parents=True, exist_ok=True)
        shutil.copyfile(path, tmp_path / "demos" / name / path.name)
    where = ("--save-dir", str(tmp_path))
    validated = poketui("demos", "validate", *where).stdout
    assert validated.count("exactly as recorded") == 3
    assert f"a/{first.name}: " in validated
    assert "3, 0 reached" in poketui("demos", "stats", *where).stdout
    everything = poketui("demos", "filter", "--by", "random", *where).stdout.split()
    assert everything == [first.name, f"a/{first.name}", f"b/{second.name}"]
    assert poketui("demos", "filter", "b", *where).stdout.split() == [f"b/{second.name}"]
    assert poketui("demos", "filter", "b", "--by", "rules", *where).stdout == ""
    there = poketui("demos", "filter", "b", "--save-dir", ".", cwd=tmp_path).stdout.split()
    assert there == [f"b/{second.name}"]
    out = tmp_path / "out"
    succeed("demos", "export", "--format", "csv", "--out", str(out), *where)
    assert len(list(out.glob("*.csv"))) == 3


def test_a_name_in_several_sets_is_asked_for_with_its_set(saves: Path, tmp_path: Path) -> None:
    first = min((saves / "demos").glob("*.demo"))
    for name in ("a", "b"):
        (tmp_path / "demos" / name).mkdir(parents=True)
        shutil.copyfile(first, tmp_path / "demos" / name / first.name)
    where = ("--save-dir", str(tmp_path))
    assert_refused(poketui("demos", "show", first.stem, *where), f"a/{first.stem}", "a, b")
    assert_refused(poketui("demos", "delete", first.stem, "--yes", *where), "a, b")
    assert poketui("demos", "delete", f"b/{first.stem}", "--yes", *where).returncode == 0
    assert poketui("demos", "show", first.stem, *where).returncode == 0


def test_each_set_is_divided_by_itself_and_none_of_nothing(saves: Path, tmp_path: Path) -> None:
    for path in (saves / "demos").glob("*.demo"):
        (tmp_path / "demos" / "a").mkdir(parents=True, exist_ok=True)
        shutil.copyfile(path, tmp_path / "demos" / "a" / path.name)
    where = ("--save-dir", str(tmp_path))
    written = tmp_path / "demos" / "a" / "split.json"
    assert f"train 1, valid 1: {written}" in poketui("demos", "split", "a", *where).stdout
    first = written.read_text()
    assert poketui("demos", "split", "--seed", "0", *where).returncode == 0
    assert written.read_text() == first
    assert list(tmp_path.rglob("split.json")) == [written]
    (tmp_path / "empty").mkdir()
    assert_refused(
        poketui("demos", "split", "--save-dir", str(tmp_path / "empty")), "No demonstrations"
    )
    assert not list((tmp_path / "empty").rglob("split.json"))
