"""What is imported is taken in once, by whichever way it comes."""

import shutil
from pathlib import Path

import numpy as np
import pytest

from engine.config import RunConfig
from engine.demos.demonstration import Demonstration
from engine.demos.importing import Importer
from engine.demos.npz import to_npz
from engine.demos.table import to_csv

pytestmark = pytest.mark.slow


@pytest.fixture
def config(tmp_path: Path) -> RunConfig:
    return RunConfig(save_dir=str(tmp_path / "saves"))


def take(config: RunConfig, *files: Path) -> list[bool]:
    """Import files; return of each whether it was there already."""
    importer = Importer(config)
    return [found.is_known for file in files for found in importer.take(file)]


def test_importer_keeps_the_same_play_once(
    demo_file: tuple[Path, Demonstration], config: RunConfig, tmp_path: Path
) -> None:
    own, table, renamed = tmp_path / "x.npz", tmp_path / "x.csv", tmp_path / "other.demo"
    foreign = tmp_path / "foreign.npz"
    to_npz(demo_file[1], own, config)
    to_csv(demo_file[1], table)
    shutil.copyfile(demo_file[0], renamed)
    np.savez(foreign, actions=demo_file[1].actions.astype(np.int32))
    assert take(config, table, demo_file[0], own, renamed) == [False, True, True, True]
    assert take(config, table, own, foreign) == [True, True, True]
    assert len(list((Path(config.save_dir) / "demos").iterdir())) == 1
