import json
import math

from engine.events import CurriculumChanged, EpisodeEnded, PolicyUpdated, ProgressReported
from engine.training.journal import Journal, read_journal
from engine.types import EpisodeSummary


def episode(number: int) -> EpisodeEnded:
    summary = EpisodeSummary(0, 1.5, 20, (("milestone", 2.0), ("step", -0.5)), {"badge": 7})
    return EpisodeEnded(number, number * 10, summary)


def moved(has_moved: bool) -> CurriculumChanged:
    return CurriculumChanged(
        5, 5, "Mastery", 0.3, 0.0, 3, 10, math.nan, math.nan, "", has_moved=has_moved
    )


def test_what_was_journalled_is_read_back(tmp_path):
    journal = Journal(tmp_path / "journal.jsonl")
    events = [episode(1), PolicyUpdated(1, 10, {"entropy": 1.5}), episode(2)]
    for event in events:
        journal.take(event)
    journal.take(ProgressReported("not for the journal"))
    journal.close()
    assert list(read_journal(tmp_path / "journal.jsonl")) == events


def test_nan_is_written_as_plain_json(tmp_path):
    journal = Journal(tmp_path / "journal.jsonl")
    journal.take(moved(has_moved=True))
    journal.close()
    line = (tmp_path / "journal.jsonl").read_text()
    json.loads(line, parse_constant=lambda name: 1 / 0)
    (event,) = read_journal(tmp_path / "journal.jsonl")
    assert math.isnan(event.threshold)


def test_only_moves_of_the_curriculum_are_kept(tmp_path):
    journal = Journal(tmp_path / "journal.jsonl")
    journal.take(moved(has_moved=False))
    journal.close()
    assert not list(read_journal(tmp_path / "journal.jsonl"))


def test_a_cut_drops_what_came_after_and_later_lines_follow_on(tmp_path):
    path = tmp_path / "journal.jsonl"
    journal = Journal(path)
    journal.take(episode(1))
    position = journal.position()
    journal.take(episode(2))
    journal.close()
    journal = Journal(path)
    journal.cut(position)
    journal.take(episode(3))
    journal.close()
    assert [event.episode for event in read_journal(path)] == [1, 3]


def test_a_half_written_last_line_is_left_out(tmp_path):
    path = tmp_path / "journal.jsonl"
    journal = Journal(path)
    journal.take(episode(1))
    journal.close()
    with path.open("ab") as file:
        file.write(b'{"event": "EpisodeEn')
    assert [event.episode for event in read_journal(path)] == [1]


def test_the_newest_lines_alone_can_be_read(tmp_path):
    journal = Journal(tmp_path / "journal.jsonl")
    for number in range(10):
        journal.take(episode(number))
    journal.close()
    newest = read_journal(tmp_path / "journal.jsonl", newest=3)
    assert [event.episode for event in newest] == [7, 8, 9]
