"""docs/rewards.md says what the code does."""

import re
from pathlib import Path

import pytest

from engine.config import RewardConfig, load_config
from engine.rewards.composer import RewardComposer
from engine.types import Bag
from tests.engine.rewards.helpers import WEIGHTS, Player
from tests.engine.states import make_state

TEXT = (Path(__file__).parents[3] / "docs" / "rewards.md").read_text(encoding="utf-8")


def block(language: str) -> str:
    found = re.search(rf"```{language}\n(.*?)```", TEXT, re.DOTALL)
    assert found
    return found[1]


def test_table_lists_every_component_with_its_weight() -> None:
    rows = re.findall(r"^\| `(\w+)` \| ([\d.]+) \|", TEXT, re.MULTILINE)
    defaults = RewardConfig()
    assert rows == [(name, str(getattr(defaults, name))) for name in RewardComposer(defaults).names]
    assert sorted(WEIGHTS) == sorted(name for name, _ in rows)


def test_example_component_pays_what_it_says(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "my_rewards.py").write_text(block("python"))
    (tmp_path / "run.toml").write_text(block("toml"))
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.setenv("POKETUI_TRUST", "my_rewards:WellStocked")
    player = Player(make_state(), load_config(tmp_path / "run.toml").rewards)
    paid = [
        player.go(make_state(bag=Bag(items=((18, count),))))["well_stocked"]
        for count in (2, 0, 2, 3)
    ]
    assert paid == pytest.approx([0.2, 0.0, 0.0, 0.1])
