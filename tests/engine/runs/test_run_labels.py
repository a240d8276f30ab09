import json

import pytest

from engine.errors import CheckpointError, ConfigurationError
from engine.runs.folder import RunFolder, find_run
from engine.runs.labels import MAX_TAGS, RunLabels, read_labels, write_labels
from tests.saved_runs import save_run


def test_labels_are_read_as_they_were_written(tmp_path):
    labels = RunLabels().changed(name=" baseline ", note="first try", add=["v2", "clip", "v2"])
    write_labels(tmp_path, labels)
    assert read_labels(tmp_path) == RunLabels("baseline", "first try", ("v2", "clip"))
    changed = labels.changed(name="", add=["x"], remove=["v2"])
    assert changed == RunLabels("", "first try", ("clip", "x"))


@pytest.mark.parametrize(
    "content",
    [b"[]", b"", b'{"name": 3, "tags": "x"}', b'{"name": "a\\u001b[2J", "tags": [1, "b"]}'],
)
def test_labels_from_elsewhere_are_shown_without_what_cannot_be(tmp_path, content):
    (tmp_path / "labels.json").write_bytes(content)
    labels = read_labels(tmp_path)
    assert labels.name.isprintable()
    assert all(isinstance(tag, str) for tag in labels.tags)


def test_no_more_of_a_label_is_read_than_may_be_written(tmp_path):
    values = {"name": "n" * 500, "note": "x" * 9000, "tags": ["t" * 99] * 99}
    (tmp_path / "labels.json").write_text(json.dumps(values))
    labels = read_labels(tmp_path)
    assert list(map(len, (labels.name, labels.note, labels.tags))) == [40, 400, MAX_TAGS]


@pytest.mark.parametrize(
    ("change", "text"),
    [
        ({"name": "latest"}, "named latest"),
        ({"name": "-x"}, "named -x"),
        ({"name": "x" * 41}, "cannot be a run's name"),
        ({"note": "a\nb"}, "cannot be a run's note"),
        ({"add": ["two words"]}, "a tag"),
        ({"add": [""]}, "a tag"),
        ({"add": [str(number) for number in range(17)]}, "at most 16 tags"),
    ],
)
def test_labels_that_cannot_be_used_are_refused(change, text):
    with pytest.raises(ConfigurationError, match=text):
        RunLabels().changed(**change)


def test_labels_of_a_run_that_is_in_use_can_be_changed(tmp_path):
    folder = RunFolder(save_run(tmp_path, [1.0]))
    folder.lock()
    write_labels(folder.path, RunLabels("mine"))
    assert folder.restore() == folder.lost() == []
    folder.unlock()
    assert read_labels(folder.path).name == "mine"


def test_a_run_is_found_by_a_name_that_it_alone_has(tmp_path):
    first, second = (save_run(tmp_path, [1.0]) for _ in range(2))
    write_labels(first, RunLabels("one"))
    write_labels(second, RunLabels(first.name))
    assert find_run(str(tmp_path), "one") == first
    assert find_run(str(tmp_path), first.name) == first  # an id goes before a name
    write_labels(second, RunLabels("one"))
    with pytest.raises(CheckpointError, match="2 runs are named 'one'") as error:
        find_run(str(tmp_path), "one")
    assert first.name in error.value.hint
    with pytest.raises(CheckpointError, match="no saved run ''"):
        find_run(str(tmp_path), "")
