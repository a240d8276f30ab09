import json
import math
import os
import tracemalloc
from random import Random

import pytest

from engine.errors import CheckpointError
from engine.events import (
    CurriculumChanged,
    EpisodeEnded,
    PolicyUpdated,
    ProgressReported,
    WarningRaised,
)
from engine.ground.files import MAX_LINE
from engine.runs.journal import Journal, read_journal
from engine.types import EpisodeSummary
from tests.engine.training.helpers import Run, played
from tests.saved_runs import append


def episode(number: int) -> EpisodeEnded:
    summary = EpisodeSummary(0, 1.5, 20, (("milestone", 2.0), ("step", -0.5)), {"badge": 7})
    return EpisodeEnded(number, number * 10, summary)


def moved(has_moved: bool) -> CurriculumChanged:
    return CurriculumChanged(
        5, 5, "Mastery", 0.3, 0.0, 3, 10, math.nan, math.nan, "", has_moved=has_moved
    )


@pytest.fixture
def path(tmp_path):
    return tmp_path / "journal.jsonl"


def episodes(path, **options) -> list[int]:
    return [event.episode for event in read_journal(path, **options)]


def test_journal_reads_back_what_was_written_with_moves_of_the_curriculum_alone(path):
    events = [episode(1), PolicyUpdated(1, 10, {"entropy": 1.5}), episode(2)]
    others = [ProgressReported("not for the journal"), moved(has_moved=False)]
    append(path.parent, [*events, *others])
    assert list(read_journal(path)) == events


def test_nan_is_written_as_plain_json(path):
    append(path.parent, [moved(has_moved=True)])
    json.loads(path.read_text(), parse_constant=lambda name: 1 / 0)
    (event,) = read_journal(path)
    assert math.isnan(event.threshold)


def test_a_cut_drops_what_came_after_and_later_lines_follow_on(path):
    journal = Journal(path)
    journal.take(episode(1))
    position = journal.position()
    journal.take(episode(2))
    journal.close()
    journal = Journal(path)
    journal.truncate(position)
    journal.take(episode(3))
    journal.close()
    assert episodes(path) == [1, 3]


def test_a_half_written_last_line_is_left_out_and_does_not_spoil_the_next_one(path):
    append(path.parent, [episode(1)])
    with path.open("ab") as file:
        file.write(b'{"event": "EpisodeEn')
    assert episodes(path) == [1]
    append(path.parent, [episode(2)])
    assert episodes(path) == [1, 2]


LINE = b'{"event": "PolicyUpdated", "update": 7, "total_steps": 70, "figures": {"loss": 0.5}}'
SUMMARY = b'{"env_index": 0, "total_reward": 1, "length": 3, "components": []}'
EPISODE = b'{"event": "EpisodeEnded", "episode": 3, "total_steps": 9, "summary": %s}'
DAMAGED = {
    "not UTF-8": LINE.replace(b"loss", b"lo\xffs"),
    "not JSON": LINE[:-1],
    "NULs": bytes(80),
    "empty": b"",
    "another shape": b"[1, 2]",
    "no object": b"null",
    "no kind": LINE.replace(b"event", b"evint"),
    "an unknown kind": LINE.replace(b"PolicyUpdated", b"PolicyUpdater"),
    "a kind that is none": LINE.replace(b'"PolicyUpdated"', b"[]"),
    "a number as text": LINE.replace(b"70", b'"70"'),
    "a broken number": LINE.replace(b"70", b"70.5"),
    "a huge number": LINE.replace(b"70", b"7" * 30),
    "a number without end": LINE.replace(b"70", b"7" * 10_000),
    "infinity": LINE.replace(b"0.5", b"1e400"),
    "no number": LINE.replace(b"0.5", b"NaN"),
    "a missing key": LINE.replace(b'"update": 7, ', b""),
    "nesting": LINE.replace(b"0.5", b"[" * 100_000 + b"]" * 100_000),
    "half a surrogate pair": LINE.replace(b"loss", rb"\ud800"),
    "an extra key": EPISODE % SUMMARY.replace(b"{", b'{"extra": 1, '),
    "components of another shape": EPISODE % SUMMARY.replace(b"[]", b'{"a": 1}'),
    "a truth in place of a number": EPISODE % SUMMARY.replace(b"3", b"true"),
}


@pytest.fixture(scope="module")
def real(tmp_path_factory) -> bytes:
    """The journal of a run, with lines of several kinds."""
    text = played(tmp_path_factory.mktemp("run"), total_steps=200).journal_text
    content = "".join(text.splitlines(keepends=True)[:40]).encode()
    kinds = {line.split(b'"')[3] for line in content.splitlines()}
    assert {b"EpisodeEnded", b"PolicyUpdated"} <= kinds
    return content


@pytest.mark.parametrize("damage", DAMAGED)
def test_a_damaged_line_is_skipped_and_counted(path, damage):
    path.write_bytes(b"\n".join([LINE, DAMAGED[damage], EPISODE % SUMMARY, b""]))
    warnings: list[str] = []
    kinds = [type(event) for event in read_journal(path, warn=warnings.append)]
    assert kinds == [PolicyUpdated, EpisodeEnded]
    assert warnings == [f"1 damaged line of {path} is skipped."]


def test_figures_that_could_not_be_read_again_are_written_as_null(path):
    append(path.parent, [PolicyUpdated(1, 10, {"kl": math.inf, "loss": 1e20, "entropy": -1e15})])
    (event,) = read_journal(path)
    assert math.isnan(event.figures["kl"])
    assert math.isnan(event.figures["loss"])
    assert event.figures["entropy"] == -1e15


def damage(content: bytearray, random: Random) -> None:
    """Change, add or take away bytes somewhere."""
    at = random.randrange(len(content))
    match random.choice(["flip", "insert", "delete", "truncate"]):
        case "flip":
            content[at] ^= random.randrange(1, 256)
        case "insert":
            content[at:at] = random.randbytes(random.randrange(1, 9))
        case "delete":
            del content[at : at + random.randrange(1, 300)]
        case "truncate":
            del content[max(1, at) :]


@pytest.mark.parametrize("seed", range(5))
def test_every_undamaged_line_is_read_however_bytes_change(real, path, seed):
    path.write_bytes(real)
    events = dict(zip(real.splitlines(), map(repr, read_journal(path)), strict=True))
    random = Random(seed)
    for _ in range(40):
        content = bytearray(real)
        for _ in range(random.randrange(1, 6)):
            damage(content, random)
        path.write_bytes(content)
        warnings: list[str] = []
        found = iter(list(map(repr, read_journal(path, warn=warnings.append))))
        whole = [events[line] for line in bytes(content).split(b"\n") if line in events]
        assert all(event in found for event in whole)  # and in this order
        assert all("damaged" in text for text in warnings)


def test_a_line_without_end_takes_no_memory_and_costs_no_other(path):
    with path.open("wb") as file:
        file.write(LINE + b"\n")
        for _ in range(12):
            file.write(b"x" * MAX_LINE)
        file.write(b"\n" + LINE + b"\n")
    warnings: list[str] = []
    tracemalloc.start()
    try:
        assert len(list(read_journal(path, warn=warnings.append))) == 2
        assert tracemalloc.get_traced_memory()[1] < 4 * MAX_LINE
    finally:
        tracemalloc.stop()
    assert len(warnings) == 1


@pytest.mark.parametrize("end", [b"\n", b""])
@pytest.mark.parametrize("count", [1, 3, 5, 9])
def test_the_newest_lines_are_found_from_the_end(path, count, end):
    lines = [LINE.replace(b"7,", b"%d, " % at + b" " * 40_000) for at in range(5)]
    path.write_bytes(b"\n".join(lines) + end)
    assert [event.update for event in read_journal(path, count)] == list(range(5))[-count:]


@pytest.mark.parametrize(
    ("plant", "is_said"),
    [(os.mkdir, True), (os.mkfifo, True), (lambda path: path.symlink_to("nowhere"), False)],
    ids=["a folder", "a named pipe", "a link to nowhere"],
)
def test_journal_that_is_no_file_is_reported_and_empty(path, plant, is_said):
    plant(path)
    warnings: list[str] = []
    assert not list(read_journal(path, warn=warnings.append))
    assert len(warnings) == is_said
    with pytest.raises(CheckpointError, match="Cannot write the journal"):
        Journal(path)


@pytest.mark.parametrize(
    ("content", "position", "lacks"),
    [
        (LINE + b"\n" + LINE[:30], 1000, 1000 - len(LINE) - 1 - 30),
        ((LINE + b"\n") * 3, len(LINE) + 10, 0),
    ],
    ids=["shorter than its checkpoint", "cut within a line"],
)
def test_a_journal_that_is_cut_is_not_padded_and_continues(path, content, position, lacks):
    path.write_bytes(content)
    journal = Journal(path)
    assert journal.truncate(position) == lacks
    journal.take(episode(1))
    journal.close()
    assert b"\0" not in path.read_bytes()
    assert len(list(read_journal(path))) == 2


@pytest.mark.parametrize("byte", [b"\xff", b"\n", b"7"])
def test_a_run_with_a_damaged_journal_goes_on(path, byte):
    played(path.parent, total_steps=200)
    content = path.read_bytes()
    at = content.index(b"EpisodeEnded", 500)
    path.write_bytes(content[:at] + byte + content[at:])
    again = Run(path.parent, total_steps=300).resume()
    assert again.play().total_steps == 300
    warnings: list[str] = []
    ended = [e for e in read_journal(path, warn=warnings.append) if isinstance(e, EpisodeEnded)]
    assert ended[-1].episode == again.trainer.state.metrics.episodes
    assert len(ended) >= again.trainer.state.metrics.episodes - 2
    assert len(warnings) == 1


def test_a_resumed_run_says_what_its_journal_lacks(path):
    played(path.parent, total_steps=400)
    path.unlink()
    (warning,) = Run(path.parent, total_steps=400).resume().of(WarningRaised)
    assert "lacks" in warning.message


@pytest.mark.parametrize("replacement", [None, b"", b"another one\n"])
def test_a_journal_that_was_deleted_is_written_again(tmp_path, replacement):
    path = tmp_path / "run" / "journal.jsonl"
    path.parent.mkdir()
    journal = Journal(path)
    journal.take(episode(1))
    position = journal.position()
    assert not journal.restore()
    path.unlink()
    if replacement is None:
        path.parent.rmdir()
    else:
        path.write_bytes(replacement)
    journal.take(episode(2))
    assert journal.restore()
    assert journal.position() == path.stat().st_size > position
    journal.take(episode(3))
    journal.close()
    assert episodes(path) == [1, 2, 3]
    assert [child.name for child in path.parent.iterdir()] == ["journal.jsonl"]


def test_a_journal_waits_while_it_may_not_write(path):
    may_write = False
    journal = Journal(path, lambda: may_write)
    journal.take(episode(1))
    journal.position()
    assert not path.read_bytes()
    may_write = True
    journal.position()
    assert path.read_bytes()
    journal.close()


def test_a_byte_order_mark_and_other_line_ends_damage_nothing(path):
    append(path.parent, [episode(1), episode(2)])
    path.write_bytes(b"\xef\xbb\xbf" + path.read_bytes().replace(b"\n", b"\r\n"))
    assert episodes(path) == [1, 2]
