import hashlib
from dataclasses import replace
from pathlib import Path

import pytest

from engine.config import RunConfig
from engine.demos.demonstration import Demonstration, write_demo
from engine.demos.recorder import random_policy, record_policy, rules_policy
from engine.demos.validation import validate
from tests.hostile_folder import HostileFolder

pytestmark = pytest.mark.slow

Recorded = tuple[Path, Demonstration]


def test_files_are_played_in_their_order_whatever_becomes_of_each(
    demo_file: Recorded, demo_config: RunConfig, tmp_path: Path
) -> None:
    path, demo = demo_file
    rewards = demo.rewards.copy()
    rewards[3] += 1
    write_demo(tmp_path / "other.demo", replace(demo, rewards=rewards))
    (tmp_path / "damaged.demo").write_bytes(b"x")
    paths = [path, tmp_path / "other.demo", tmp_path / "damaged.demo", path]
    found = list(validate(paths, demo_config))
    assert [each.path for each in found] == paths
    assert [bool(each.refusal) for each in found] == [False, True, True, False]
    assert "at step 4" in found[1].refusal


def test_validation_runs_no_module_of_the_current_folder(
    demo_file: Recorded, demo_config: RunConfig, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = HostileFolder(tmp_path)
    folder.enter(monkeypatch)
    (found,) = validate([demo_file[0]], demo_config)
    assert found.refusal == ""
    assert folder.imported == []


def test_a_state_that_is_none_is_refused(
    demo_file: Recorded, demo_config: RunConfig, tmp_path: Path
) -> None:
    demo = demo_file[1]
    state = bytes(len(demo.start_state) - 1)
    start = hashlib.sha1(state).hexdigest()
    recording = replace(demo.recording, start=start)
    write_demo(tmp_path / "x.demo", replace(demo, recording=recording, start_state=state))
    (found,) = validate([tmp_path / "x.demo"], demo_config)
    assert found.refusal


def test_random_demonstrations_play_alike_in_another_process(
    demo_config: RunConfig, tmp_path: Path
) -> None:
    """Lengths are 20 to 155 steps; the last group is played by the rules."""
    for group in range(10):
        is_ruled = group == 9
        config = demo_config.model_copy(update={"seed": group})
        policy = rules_policy(group) if is_ruled else random_policy(group)
        options = {"max_steps": 20 + 15 * group, "is_advised": is_ruled}
        played = record_policy(policy, config, 6, tmp_path, by=f"g{group}", **options)
        assert sum(1 for _ in played) == 6
    paths = sorted(tmp_path.glob("*.demo"))
    assert len(paths) == 60
    assert [found.refusal for found in validate(paths, demo_config)] == [""] * 60
