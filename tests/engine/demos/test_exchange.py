import io
import zipfile
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from engine.config import RunConfig
from engine.demos.demonstration import (
    NO_PROPOSAL,
    SUCCESS,
    DemoEvent,
    Demonstration,
    encode_demo,
    read_demo,
)
from engine.demos.minari_folder import read_minari_actions, to_minari
from engine.demos.npz import from_npz, to_npz
from engine.demos.recorder import import_actions, record_policy, rules_policy
from engine.demos.table import from_csv, read_table, to_csv
from engine.errors import DemoError

Recorded = tuple[Path, Demonstration]


@pytest.fixture(scope="module")
def exported(
    demo_file: Recorded, demo_config: RunConfig, tmp_path_factory: pytest.TempPathFactory
) -> Path:
    path = tmp_path_factory.mktemp("npz") / "x.npz"
    to_npz(demo_file[1], path, demo_config)
    return path


@pytest.fixture
def table(demo_file: Recorded, tmp_path: Path) -> Path:
    path = tmp_path / "x.csv"
    to_csv(demo_file[1], path)
    return path


def refusal_of(
    read: Callable[..., object], path: Path, config: RunConfig, words: str | None = None
) -> None:
    """Check that a file is refused in one line, and nothing is made of it."""
    made = path.parent / "made"
    with pytest.raises(DemoError, match=words) as refused:
        read(path, config, made)
    assert "\n" not in str(refused.value)
    assert not list(made.glob("*"))


class Bomb:
    """What unpickling would run."""

    def __reduce__(self) -> Any:
        return exec, ("raise SystemExit('it was executed')",)


def test_an_npz_has_the_documented_arrays(exported: Path, demo_file: Recorded) -> None:
    demo = demo_file[1]
    with np.load(exported, allow_pickle=False) as arrays:
        observations = arrays["observations"]
        assert (observations.shape, observations.dtype) == ((150, 144, 160, 3), np.uint8)
        kinds = {name: arrays[name].dtype for name in ("actions", "rewards", "dones")}
        assert kinds == {"actions": np.int32, "rewards": np.float32, "dones": np.bool_}
        assert np.array_equal(arrays["actions"], demo.actions)
        assert np.array_equal(arrays["rewards"], demo.rewards)
        assert arrays["infos"].shape == (150,)
        assert float(arrays["episode_return"]) == pytest.approx(demo.episode_return, abs=1e-4)
        assert int(arrays["episode_length"]) == 150


def test_our_own_npz_comes_back_exactly(
    exported: Path, demo_file: Recorded, demo_config: RunConfig, tmp_path: Path
) -> None:
    demo, made = from_npz(exported, demo_config, tmp_path)
    assert made is None
    assert encode_demo(demo) == encode_demo(demo_file[1])


def test_a_foreign_npz_is_played(exported: Path, demo_config: RunConfig, tmp_path: Path) -> None:
    with np.load(exported) as arrays:
        given = {name: arrays[name] for name in ("observations", "actions")}
    foreign = tmp_path / "foreign.npz"
    np.savez(foreign, **given)
    demo, made = from_npz(foreign, demo_config, tmp_path)
    assert made is not None
    assert np.array_equal(demo.actions, given["actions"])
    np.savez(foreign, observations=255 - given["observations"], actions=given["actions"])
    with pytest.raises(DemoError, match="do not match its actions"):
        from_npz(foreign, demo_config, tmp_path)
    assert len(list(tmp_path.glob("*.demo"))) == 1


@pytest.mark.parametrize(
    ("arrays", "words"),
    [
        ({"actions": np.array([Bomb()], object)}, "Python objects"),
        ({"demo": np.array([Bomb()], object)}, "demo"),
        ({"rewards": np.zeros(3)}, "has no 'actions'"),
        ({"actions": np.zeros(3)}, "not a row of integers"),
        ({"actions": np.zeros((3, 2), np.int32)}, "not a row of integers"),
        ({"actions": np.array([1, 9])}, "does not have"),
        ({"actions": np.array([1, -1])}, "does not have"),
        ({"actions": np.array([1 << 60])}, "out of range"),
        ({"actions": np.zeros(0, np.int32)}, "no actions"),
        (
            {"actions": np.zeros(2, np.int32), "observations": np.zeros((2, 96, 120, 3), "u1")},
            "96 x 120 x 3",
        ),
    ],
)
def test_npz_files_of_no_use_are_refused(
    arrays: dict[str, Any], words: str, demo_config: RunConfig, tmp_path: Path
) -> None:
    np.savez(tmp_path / "x.npz", **arrays)
    refusal_of(from_npz, tmp_path / "x.npz", demo_config, words)


@pytest.mark.parametrize(
    ("arrays", "words"),
    [
        ({"rewards": np.zeros(5, np.float32)}, "'rewards' .* not 150 numbers"),
        ({"rewards": np.full(150, np.nan, np.float32)}, "NaN"),
        ({"rewards": np.zeros((150, 1), np.float32)}, "'rewards'"),
        ({"dones": np.zeros(3, np.bool_)}, "'dones'"),
        ({"dones": np.ones(150, np.bool_)}, "more than one episode"),
        ({"infos": np.array([{}] * 150, object)}, "Python objects"),
        ({"infos": np.array(["{}"] * 3)}, "infos"),
        ({"episode_length": np.array(7)}, "episode_length is 7"),
        ({"episode_length": np.array([150, 150])}, "'episode_length'"),
        ({"episode_return": np.array(1e6)}, "1000000.00"),
        ({"anything": np.array([Bomb()], object)}, "Python objects"),
    ],
)
@pytest.mark.parametrize("is_ours", [False, True])
def test_arrays_that_cannot_be_of_the_actions_are_refused(
    arrays: dict[str, Any],
    words: str,
    is_ours: bool,
    exported: Path,
    demo_config: RunConfig,
    tmp_path: Path,
) -> None:
    left_out = {"observations"} if is_ours else {"observations", "demo"}
    with np.load(exported) as found:
        there = {name: found[name] for name in {*found.files} - left_out}
    np.savez(tmp_path / "x.npz", **(there | arrays))
    refusal_of(from_npz, tmp_path / "x.npz", demo_config, words)


def test_actions_that_were_changed_are_refused(
    exported: Path, demo_config: RunConfig, tmp_path: Path
) -> None:
    with np.load(exported) as found:
        there = {name: found[name] for name in found.files}
    there["actions"] = there["actions"].copy()
    there["actions"][::2] = 4
    path = tmp_path / "x.npz"
    np.savez(path, **there)
    with pytest.raises(DemoError, match="do not match its demonstration"):
        from_npz(path, demo_config, tmp_path)
    del there["demo"]
    np.savez(path, **there)
    with pytest.raises(DemoError, match="do not match its actions"):
        from_npz(path, demo_config, tmp_path)


@pytest.mark.parametrize("shape", ["(1000000000000,)", "(-1,)", "(1 << 40,)", "__import__('os')"])
def test_headers_that_lie_are_refused(shape: str, demo_config: RunConfig, tmp_path: Path) -> None:
    header = f"{{'descr': '<i4', 'fortran_order': False, 'shape': {shape}, }}\n".encode()
    data = b"\x93NUMPY\x01\x00" + len(header).to_bytes(2, "little") + header
    with zipfile.ZipFile(tmp_path / "x.npz", "w") as file:
        file.writestr("actions.npy", data)
    refusal_of(from_npz, tmp_path / "x.npz", demo_config)


def test_a_zip_bomb_is_refused(demo_config: RunConfig, tmp_path: Path) -> None:
    buffer = io.BytesIO()
    np.lib.format.write_array(buffer, np.zeros(1 << 25, np.int8))
    with zipfile.ZipFile(tmp_path / "x.npz", "w", zipfile.ZIP_DEFLATED) as file:
        file.writestr("actions.npy", buffer.getvalue())
    refusal_of(from_npz, tmp_path / "x.npz", demo_config, "too large")
    with zipfile.ZipFile(tmp_path / "x.npz", "w") as file:
        file.writestr("actions.npy", b"few bytes")
        file.filelist[0].file_size = 1 << 20  # more than these can unpack to
    refusal_of(from_npz, tmp_path / "x.npz", demo_config)


def test_a_table_of_actions_comes_back_as_the_same_inputs_whatever_the_limit_of_steps(
    table: Path, demo_file: Recorded, demo_config: RunConfig, tmp_path: Path
) -> None:
    short = demo_config.env.model_copy(update={"max_steps": 50})
    demo, made = from_csv(table, demo_config.model_copy(update={"env": short}), tmp_path)
    assert demo.recording == demo_file[1].recording
    assert np.array_equal(demo.rewards, demo_file[1].rewards)
    assert list(tmp_path.glob("*.demo")) == [made]


@pytest.mark.parametrize(
    ("column", "row", "cell", "words"),
    [
        ("rom", 0, "0" * 40, "a different ROM"),
        ("start", 0, "0" * 40, "--state"),
        ("reward", 7, "3.5", "at step 8 the reward is 3.500"),
        ("done", 9, "1", "at step 10 the episode ends there"),
        ("return", 0, "99.0", "the return is 99.00"),
        ("random", 0, "7 700", "not a table of actions"),
        ("action", slice(60), "A", "at step"),  # all the way along the first wall
        ("shown", 3, "maybe", "not a table of actions"),
    ],
)
def test_a_table_that_plays_otherwise_is_refused_in_a_line(
    column: str, row: int | slice, cell: str, words: str, table: Path, demo_config: RunConfig
) -> None:
    head, *rows = [line.split(",") for line in table.read_text().splitlines()]
    for each in rows[row] if isinstance(row, slice) else [rows[row]]:
        each[head.index(column)] = cell
    table.write_text("\n".join(",".join(each) for each in (head, *rows)) + "\n")
    refusal_of(from_csv, table, demo_config, words)


def test_a_table_keeps_where_it_begins_and_what_was_proposed(
    demo_file: Recorded, demo_config: RunConfig, tmp_path: Path
) -> None:
    taken = np.zeros(150, np.bool_)
    taken[100:120] = True
    proposals = np.full(150, NO_PROPOSAL, np.uint8)
    proposals[100:120] = 4
    rewards = demo_file[1].rewards.copy()
    rewards[:90] = 0.0
    demo = replace(
        demo_file[1],
        begins_at=90,
        rewards=rewards,
        proposals=proposals,
        is_intervention=taken,
        events=tuple(event for event in demo_file[1].events if event.step >= 90),
    )
    path = tmp_path / "x.csv"
    to_csv(demo, path)
    found, made = from_csv(path, demo_config, tmp_path)
    assert (found.begins_at, found.episode_return) == (90, demo.episode_return)
    assert np.array_equal(found.proposals, proposals)
    assert np.array_equal(found.is_intervention, taken)
    assert sum(steps for _, steps in found.maps()) == 60
    assert encode_demo(read_demo(made)) == encode_demo(found)


def test_to_csv_refuses_what_follows_on_from_another_episode(
    demo_file: Recorded, tmp_path: Path
) -> None:
    demo = demo_file[1]
    twice = replace(demo.recording, segments=demo.recording.segments * 2)
    with pytest.raises(DemoError, match="continuing another episode"):
        to_csv(replace(demo, recording=twice), tmp_path / "x.csv")


@pytest.mark.parametrize(
    "text",
    ["", "a,b\n1,2\n", "action\nJUMP\n", "action\n9\n", "action\n", "step,action\n1\n", "\0"],
)
def test_tables_of_no_use_are_refused(text: str, demo_config: RunConfig, tmp_path: Path) -> None:
    (tmp_path / "x.csv").write_text(text)
    refusal_of(from_csv, tmp_path / "x.csv", demo_config)


def test_numbers_and_names_of_buttons_are_both_read(demo_config: RunConfig, tmp_path: Path) -> None:
    path = tmp_path / "x.csv"
    path.write_text("Action\nright\n7\n UP \n")
    demo, _ = from_csv(path, demo_config, tmp_path)
    assert bytes(demo.actions) == bytes([7, 7, 4])


def test_only_the_goal_terminates_in_minari(demo_config: RunConfig, tmp_path: Path) -> None:
    pytest.importorskip("minari")
    h5py = pytest.importorskip("h5py")
    ((_, won),) = record_policy(rules_policy(0), demo_config, 1, tmp_path, by="rules")
    short, _ = import_actions([7, 7, 5], demo_config, tmp_path, origin=tmp_path)
    marked = replace(short, events=(*short.events, DemoEvent(3, SUCCESS)))
    to_minari([("a.demo", won), ("b.demo", marked)], tmp_path / "x-v0", demo_config)
    with h5py.File(tmp_path / "x-v0" / "data" / "main_data.hdf5") as file:
        ends = [
            [np.flatnonzero(file[name][kind]).tolist() for kind in ("terminations", "truncations")]
            for name in ("episode_0", "episode_1")
        ]
    assert ends == [[[won.episode_length - 1], []], [[], [2]]]


def test_minari_reads_what_was_exported(
    demo_config: RunConfig, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    minari = pytest.importorskip("minari")
    pytest.importorskip("h5py")
    demo, _ = import_actions([7, 7, 5, 0], demo_config, tmp_path, origin=tmp_path)
    to_minari([("x.demo", demo)], tmp_path / "walk-v0", demo_config)
    monkeypatch.setenv("MINARI_DATASETS_PATH", str(tmp_path))
    dataset = minari.load_dataset("walk-v0")
    assert (dataset.total_episodes, dataset.total_steps) == (1, 4)
    assert dataset[0].observations.shape == (5, 144, 160, 3)
    assert np.array_equal(dataset[0].actions, [7, 7, 5, 0])
    assert not dataset[0].terminations.any()
    assert dataset[0].truncations.tolist() == [False, False, False, True]
    env = dataset.recover_environment()
    try:
        picture, _ = env.reset(seed=demo_config.seed)
        assert env.observation_space == dataset.observation_space
        assert env.action_space == dataset.action_space
        assert np.array_equal(picture, dataset[0].observations[0])
        picture, *_ = env.step(7)
        assert np.array_equal(picture, dataset[0].observations[1])
    finally:
        env.close()
    assert [list(actions) for actions in read_minari_actions(tmp_path / "walk-v0")] == [
        [7, 7, 5, 0]
    ]
    (tmp_path / "walk-v0" / "data" / "main_data.hdf5").write_bytes(b"\x89HDF\r\n\x1a\nrubbish")
    with pytest.raises(DemoError, match="damaged"):
        list(read_minari_actions(tmp_path / "walk-v0"))


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16"])
@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_a_table_of_any_editor_is_read(tmp_path: Path, encoding: str, end: str) -> None:
    path = tmp_path / "x.csv"
    path.write_bytes(f"action,reward{end}A,1.5{end}1,{end}".encode(encoding))
    table = read_table(path, ("A", "B"))
    assert list(table.actions) == [0, 1]
    assert table.rewards[0] == 1.5


@pytest.mark.parametrize("cell", ["1.7e308", "nan", "inf", "1_0", "٣"])
def test_a_reward_that_is_no_number_is_refused(tmp_path: Path, cell: str) -> None:
    (tmp_path / "x.csv").write_text(f"action,reward\nA,{cell}\n")
    with pytest.raises(DemoError, match="not a table of actions"):
        read_table(tmp_path / "x.csv", ("A", "B"))
