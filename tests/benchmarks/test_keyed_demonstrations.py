import pytest

from engine.demos.dataset import DemoSet
from tests.benchmarks.keyed_demonstrations import differences, record_by_keys


@pytest.mark.slow
def test_files_hold_what_was_pressed_in_the_real_application(tmp_path):
    keyed = record_by_keys(tmp_path, 2, seed=1, max_steps=12)
    assert [len(actions) for actions in keyed.pressed] == [12, 12]
    assert differences(keyed) == []
    assert [demo.by for _, demo in DemoSet(keyed.folder).read()] == ["human", "human"]
    assert "2 demonstrations saved in" in keyed.said
