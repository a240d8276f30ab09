"""A demonstration says which actions and frames its game has, where they are no Game Boy's."""

import dataclasses
from pathlib import Path

import pytest

from engine.demos.dataset import DemoSet
from engine.demos.demonstration import Demonstration, decode_demo, encode_demo, read_demo
from engine.demos.layout import body_of_file, unpack_sections
from engine.demos.recording_log import log_path, read_log
from engine.demos.table import read_table, to_csv
from engine.demos.writer import DemoWriter
from engine.env.live import LivePad, LiveStretch
from engine.errors import DemoError, EnvironmentError
from tests.engine.demos.heads import make_head
from tests.engine.fakes import MemoryMachine

Recorded = tuple[Path, Demonstration]
NAMES = ("UP", "DOWN", "LEFT", "RIGHT", "DIG")
FRAME_SHAPE = (32, 48, 3)


@pytest.fixture
def head(demo_file: Recorded) -> Demonstration:
    demo = demo_file[1]
    return make_head(
        demo.start_state,
        demo.recording.rom,
        action_names=NAMES,
        frame_shape=FRAME_SHAPE,
        frames_per_s=25.0,
    )


def write(folder: Path, head: Demonstration) -> Path:
    path = folder / "x.demo"
    writer = DemoWriter(path, head)
    for action in (4, 0, 3, 4):
        writer.step(action, 1.0, proposal=2)
    writer.live(LiveStretch(4).then(frozenset({0}), 50))
    writer.finish("0" * 40)
    return path


def test_a_demonstration_of_five_named_actions_is_read_as_it_was_written(
    head: Demonstration, tmp_path: Path
) -> None:
    demo = read_demo(write(tmp_path, head))
    assert (demo.action_names, demo.frame_shape) == (NAMES, FRAME_SHAPE)
    assert demo.actions.tolist() == [4, 0, 3, 4]
    assert sum(each.action == NAMES.index("UP") for each in demo.shown if each.is_live) == 3
    counted = DemoSet(tmp_path).statistics().actions
    assert counted == (("UP", 4), ("DOWN", 0), ("LEFT", 0), ("RIGHT", 1), ("DIG", 2))
    assert (demo.frames_per_s, demo.live_s) == (25.0, 50 / 25.0)


def test_a_table_has_the_games_own_names(head: Demonstration, tmp_path: Path) -> None:
    demo = read_demo(write(tmp_path, head))
    segment = dataclasses.replace(demo.recording.segments[0], live=())
    recording = dataclasses.replace(demo.recording, segments=(segment,))
    path = tmp_path / "x.csv"
    to_csv(dataclasses.replace(demo, recording=recording), path)
    assert "DIG" in path.read_text()
    table = read_table(path, NAMES)
    assert list(table.actions) == [4, 0, 3, 4]
    assert set(table.proposals) == {2}
    with pytest.raises(DemoError, match="not a table of actions"):
        read_table(path, NAMES[:4])


def test_an_action_that_the_game_has_not_is_not_recorded(
    head: Demonstration, tmp_path: Path
) -> None:
    writer = DemoWriter(tmp_path / "x.demo", head)
    with pytest.raises(DemoError, match="invalid step"):
        writer.step(5, 0.0)
    with pytest.raises(DemoError, match="invalid proposal"):
        writer.step(4, 0.0, proposal=5)
    writer.close()
    assert read_log(log_path(tmp_path / "x.demo")).action_names == NAMES


def test_an_action_without_a_name_is_damage(head: Demonstration, tmp_path: Path) -> None:
    demo = read_demo(write(tmp_path, head))
    for change in ({"action_names": NAMES[:4]}, {"action_names": ("UP", "UP", "A", "B", "C")},
                   {"action_names": ()}, {"frame_shape": (0, 48, 3)},
                   {"frames_per_s": 0.0}):  # fmt: skip
        with pytest.raises(DemoError, match="not a valid demonstration"):
            decode_demo(encode_demo(dataclasses.replace(demo, **change)), "x")


def test_a_game_boys_demonstration_leaves_its_sizes_out(demo_file: Recorded) -> None:
    body = body_of_file(encode_demo(demo_file[1]), "x")
    facts, *_ = unpack_sections(body, (1 << 20,) * 3)
    assert b'"actions"' not in facts
    assert b'"frame' not in facts.replace(b'"frames":', b"")


def test_more_actions_than_a_byte_tells_are_refused(demo_file: Recorded) -> None:
    names = tuple(f"N{number}" for number in range(256))
    with pytest.raises(DemoError, match="256 actions cannot be recorded"):
        dataclasses.replace(demo_file[1], action_names=names)


def test_live_play_with_ten_buttons_is_read(tmp_path: Path, head: Demonstration) -> None:
    ten = dataclasses.replace(head, action_names=tuple("ABCDEFGHIJ"))
    stretch = LiveStretch(0).then(frozenset({0, 9}), 50).then(frozenset({8}), 1)
    writer = DemoWriter(tmp_path / "x.demo", ten)
    writer.live(stretch)
    demo = writer.finish("0" * 40)
    assert demo.recording.segments[-1].live == (stretch,)
    assert decode_demo(encode_demo(demo), "x").recording == demo.recording


def test_a_button_beyond_the_sixteenth_is_not_held() -> None:
    pad = LivePad(MemoryMachine(), idle=10)
    pad.begin()
    with pytest.raises(EnvironmentError, match="first 16 buttons"):
        pad.hold(frozenset({16}))
