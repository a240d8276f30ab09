import json
from collections.abc import Iterator
from pathlib import Path
from shutil import copyfile

import pytest

from engine.config import RunConfig
from engine.demos.dataset import DemoSet, Wanted, write_split
from engine.demos.demonstration import Demonstration
from engine.demos.recorder import record_policy, rules_policy
from engine.errors import DemoError

Recorded = tuple[Path, Demonstration]


@pytest.fixture(scope="module")
def folder(
    demo_file: Recorded, demo_config: RunConfig, tmp_path_factory: pytest.TempPathFactory
) -> Path:
    """Return a folder with one random demonstration, two of the rules and a damaged one."""
    folder = tmp_path_factory.mktemp("set")
    copyfile(demo_file[0], folder / "random.demo")
    list(record_policy(rules_policy(0), demo_config, 2, folder, by="rules", max_steps=60))
    (folder / "zz-damaged.demo").write_bytes(demo_file[0].read_bytes()[:-1])
    return folder


@pytest.fixture
def readable(folder: Path) -> Iterator[DemoSet]:
    return DemoSet(folder).choose(Wanted())


def test_entries_of_damaged_files_name_the_reason(folder: Path) -> None:
    refused = [entry for entry in DemoSet(folder).entries() if entry.demo is None]
    assert [entry.path.name for entry in refused] == ["zz-damaged.demo"]
    assert "damaged" in refused[0].refusal


def test_statistics_count_all_readable_steps(folder: Path) -> None:
    found = DemoSet(folder).statistics()
    assert sorted(found.lengths) == [60, 60, 150]
    assert found.by == (("rules", 2), ("random", 1))
    assert sum(steps for _, steps in found.maps) == 270
    assert sum(steps for _, steps in found.actions) == 270


def test_choose_meets_every_wish_of_wanted(readable: DemoSet) -> None:
    assert len(readable.choose(Wanted(by="rules"))) == 2
    assert len(readable.choose(Wanted(by="rules", tags=frozenset({"b"})))) == 0
    assert len(readable.choose(Wanted(tags=frozenset({"b"})))) == 1
    assert len(readable.choose(Wanted(map="NOWHERE"))) == 0
    assert len(readable.choose(Wanted(is_success=True))) == 0


def test_write_split_divides_alike_for_a_seed(readable: DemoSet) -> None:
    path, *counts = write_split(readable, 0.2, 3)
    assert counts == [2, 1]
    written = path.read_bytes()
    facts = json.loads(written)
    assert {*facts["train"], *facts["valid"]} == {path.name for path in readable.paths}
    write_split(readable, 0.2, 3)
    assert path.read_bytes() == written
    with pytest.raises(DemoError):
        write_split(readable, 1.5, 0)


def test_merge_copies_each_demonstration_once(readable: DemoSet, tmp_path: Path) -> None:
    target = DemoSet(tmp_path)
    assert len(target.merge([readable])) == 3
    assert target.merge([readable, DemoSet(tmp_path)]) == []
    assert target.choose(Wanted(by="rules")).delete() == 2
    assert len(DemoSet(tmp_path)) == 1


def test_read_names_the_unreadable_file(folder: Path) -> None:
    with pytest.raises(DemoError, match=r"zz-damaged\.demo"):
        list(DemoSet(folder).read())
