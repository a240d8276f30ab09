from collections import OrderedDict
from pathlib import Path

import pytest

from engine.errors import ConfigurationError
from engine.ground.registry import resolve

GROUP = "poketui.tests"


@pytest.fixture
def installed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Install a package that announces an object under `GROUP`."""
    (tmp_path / "swimming.py").write_text("class Swim:\n    pass\n")
    (tmp_path / "broken.py").write_text("class Swim\n")
    facts = tmp_path / "swimming-1.0.dist-info"
    facts.mkdir()
    (facts / "METADATA").write_text("Metadata-Version: 2.1\nName: swimming\nVersion: 1.0\n")
    (facts / "entry_points.txt").write_text(
        f"[{GROUP}]\nswim = swimming:Swim [water]\ndive = swimming:Dive\n"
    )
    monkeypatch.syspath_prepend(str(tmp_path))


@pytest.mark.usefixtures("installed")
def test_entry_point_is_found_by_its_name() -> None:
    assert resolve("swim", GROUP).__name__ == "Swim"


def test_object_is_found_by_module_and_attribute() -> None:
    assert resolve("collections:OrderedDict", GROUP) is OrderedDict
    assert resolve("collections:OrderedDict.fromkeys", GROUP) == OrderedDict.fromkeys


@pytest.mark.usefixtures("installed")
@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("climb", "Available: dive, swim."),
        ("dive", "Cannot find 'dive': module 'swimming' has no attribute 'Dive'."),
        ("swimming:Dive", "Cannot find 'swimming:Dive'"),
        ("swimming:", "Cannot find 'swimming:'"),
        ("nowhere.at_all:Swim", "No module named 'nowhere'"),
        ("broken:Swim", "Cannot import the module of 'broken:Swim'"),
        (":Swim", "Cannot import the module of ':Swim'"),
        (".swimming:Swim", "Cannot import the module of '.swimming:Swim'"),
        ("", "No installed package announces ''"),
    ],
)
def test_wrong_name_is_one_clear_line(name: str, message: str) -> None:
    with pytest.raises(ConfigurationError) as raised:
        resolve(name, GROUP)
    assert message in str(raised.value)
    assert raised.value.hint
    assert "\n" not in str(raised.value)


def test_empty_group_says_so() -> None:
    with pytest.raises(ConfigurationError, match="Available: nothing"):
        resolve("climb", "poketui.nobody")
