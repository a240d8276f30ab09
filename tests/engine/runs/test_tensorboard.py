import struct
from pathlib import Path

import pytest

from engine.events import PolicyUpdated
from engine.runs.folder import RunFolder
from engine.runs.tensorboard import HPARAMS_METRICS, TensorBoardFile, crc32c
from engine.training.build import open_figures
from tests.engine.training.helpers import PPO, Clock, Run


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "tensorboard"


def records(folder: Path) -> list[bytes]:
    """Read event files by the published form: length, checksum, data, checksum."""
    found = []
    for path in sorted(folder.iterdir()):
        content = path.read_bytes()
        while content:
            size, length_sum = struct.unpack_from("<QI", content)
            data = content[12 : 12 + size]
            (data_sum,) = struct.unpack_from("<I", content, 12 + size)
            assert unmasked(length_sum) == crc32c(content[:8])
            assert unmasked(data_sum) == crc32c(data)
            found.append(data)
            content = content[16 + size :]
    return found


def unmasked(value: int) -> int:
    value = (value - 0xA282EAD8) & 0xFFFFFFFF
    return (value >> 17 | value << 15) & 0xFFFFFFFF


def test_the_checksum_is_the_published_one():
    # RFC 3720, B.4
    assert crc32c(bytes(32)) == 0x8A9136AA
    assert crc32c(b"\xff" * 32) == 0x62A8AB43
    assert crc32c(bytes(range(32))) == 0x46DD794E


def test_an_event_file_is_what_tensorboard_itself_would_write(folder):
    """The bytes were made by the protocol buffers of tensorboard 2.21."""
    clock = Clock()
    clock.now_s = 1.6e9
    file = TensorBoardFile(folder, 500, clock)
    clock.now_s += 1
    file.write(600, {"episode/return": 2.5, "a": -1.0})
    file.close()
    version, start, values = records(folder)
    assert version.hex() == "090000000084d7d7411a0d627261696e2e4576656e743a32"
    assert start.hex() == "090000000084d7d74110f4033a020801"
    assert values.hex() == (
        "090000400084d7d74110d8042a210a150a0e657069736f64652f72657475726e"
        "15000020400a080a016115000080bf"
    )


def test_figures_reach_the_disk_within_seconds(folder):
    clock = Clock()
    file = TensorBoardFile(folder, 0, clock)
    file.write(1, {"a": 1.0})
    assert not folder.exists()
    clock.now_s += 2
    file.write(2, {"a": 2.0})
    assert len(records(folder)) == 4
    file.close()


@pytest.mark.parametrize("what", ["file", "folder", "run"])
def test_an_event_file_that_is_deleted_is_written_again(tmp_path, what):
    clock = Clock()
    run = tmp_path / "run"
    run.mkdir()
    file = TensorBoardFile(run / "tensorboard", 0, clock)
    for step in range(4):
        clock.now_s += 10
        file.write(step, {"loss": 0.5})
        if step == 1:
            (path,) = (run / "tensorboard").iterdir()
            path.unlink()
            for folder in {"file": [], "folder": [path.parent], "run": [path.parent, run]}[what]:
                folder.rmdir()
        if step == 2 and what == "run":
            assert not run.exists()  # whoever makes it first does so with the run's lock
            run.mkdir()
    file.close()
    assert path.read_bytes().count(b"loss") == 4


Fields = dict[int, list]


def fields(data: bytes) -> Fields:
    """Read a protocol buffer: numbers and bytes by field."""
    found: Fields = {}
    while data:
        key, data = varint(data)
        if key & 7 == 0:
            value, data = varint(data)
        elif key & 7 == 2:
            size, data = varint(data)
            value, data = data[:size], data[size:]
        else:
            size, code = {1: (8, "<d"), 5: (4, "<f")}[key & 7]
            (value,), data = struct.unpack(code, data[:size]), data[size:]
        found.setdefault(key >> 3, []).append(value)
    return found


def varint(data: bytes) -> tuple[int, bytes]:
    value = at = 0
    while True:
        value |= (data[at] & 0x7F) << 7 * at
        at += 1
        if data[at - 1] < 0x80:
            return value, data[at:]


def summaries(folder: Path) -> dict[str, Fields]:
    """Read the values of all summaries, by tag."""
    events = [fields(record) for record in records(folder)]
    lists = [fields(event[5][0]) for event in events if 5 in event]
    values = [fields(value) for each in lists for value in each[1]]
    return {value[1][0].decode(): value for value in values}


def plugin(value: Fields) -> tuple[bytes, Fields]:
    """Return the plugin that shows a summary, and what its metadata hold for it."""
    metadata = fields(value[9][0])
    assert metadata[4] == [2]  # a tensor
    data = fields(metadata[1][0])
    return data[1][0], fields(data.get(2, [b""])[0])


def text(value: Fields) -> str:
    assert plugin(value)[0] == b"text"
    tensor = fields(value[8][0])
    assert tensor[1] == [7]  # DT_STRING
    return tensor[8][0].decode()


SETTINGS = {
    "agent": "ppo",
    "tensorboard": True,
    "seed": 7,
    "ppo.learning_rate": 0.0003,
    "stages": [{"name": "a|b"}],
    "limit": None,
}


def test_settings_are_hparams_with_their_types(folder):
    defaults = SETTINGS | {"ppo.learning_rate": 0.001}
    TensorBoardFile(folder, 0, Clock(), SETTINGS, defaults).close()
    found = summaries(folder)
    name, data = plugin(found["_hparams_/experiment"])
    assert name == b"hparams"
    experiment = fields(data[2][0])
    infos = [fields(info) for info in experiment[4]]
    assert {info[1][0]: info[4][0] for info in infos} == {
        b"agent": 1, b"tensorboard": 2, b"seed": 3, b"ppo.learning_rate": 3,
    }  # fmt: skip
    first = {info[1][0] for info in infos if info[7][0]}
    assert first == {b"agent", b"seed", b"ppo.learning_rate"}
    tags = [fields(fields(metric)[1][0])[2][0].decode() for metric in experiment[5]]
    assert tags == list(HPARAMS_METRICS)
    start = fields(plugin(found["_hparams_/session_start_info"])[1][3][0])
    entries = [fields(entry) for entry in start[1]]
    assert {entry[1][0]: fields(entry[2][0]) for entry in entries} == {
        b"agent": {3: [b"ppo"]},
        b"tensorboard": {4: [1]},
        b"seed": {2: [7.0]},
        b"ppo.learning_rate": {2: [0.0003]},
    }


@pytest.mark.parametrize(("is_failed", "status"), [(False, 1), (True, 2)])
def test_the_end_of_a_run_is_noted_once(folder, is_failed, status):
    clock = Clock()
    file = TensorBoardFile(folder, 0, clock, SETTINGS)
    clock.now_s += 60
    file.close(is_failed=is_failed)
    file.close()
    assert sum(b"session_end_info" in one for one in records(folder)) == 1
    _, data = plugin(summaries(folder)["_hparams_/session_end_info"])
    assert fields(data[4][0]) == {1: [status], 2: [clock.now_s]}


def test_settings_and_texts_are_markdown(folder):
    file = TensorBoardFile(folder, 0, Clock(), SETTINGS)
    file.write(9, {"planner/goal": "**reach the gym**", "loss": 0.5})
    file.close()
    found = summaries(folder)
    assert text(found["planner/goal"]) == "**reach the gym**"
    assert found["loss"][2] == [0.5]
    rows = text(found["settings"]).splitlines()
    assert rows[:3] == ["| setting | value |", "|---|---|", "| agent | ppo |"]
    assert rows[-2:] == ['| stages | [{"name": "a\\|b"}] |', "| limit | null |"]


def test_a_run_writes_the_metrics_that_users_of_stable_baselines3_know(tmp_path):
    run = Run(tmp_path / "run", total_steps=400)
    figures = open_figures(run.trainer, RunFolder(run.folder), pytest.fail)
    run.trainer.log.figures = figures
    run.play()
    figures.close()
    found = summaries(run.folder / "tensorboard")
    train = (
        "policy_gradient_loss", "value_loss", "entropy_loss", "approx_kl", "clip_fraction",
        "explained_variance", "skipped_updates", "loss",
    )  # fmt: skip
    others = {"rollout/ep_rew_mean", "rollout/ep_len_mean", "time/fps"}
    assert others | {f"train/{name}" for name in train} <= set(found)
    assert found["train/entropy_loss"][2][0] < 0
    assert found["train/learning_rate"][2] == [pytest.approx(PPO.learning_rate)]
    updates = run.of(PolicyUpdated)[-1].update
    assert found["train/n_updates"][2] == [updates * PPO.epochs]
    _, data = plugin(found["_hparams_/session_end_info"])
    assert fields(data[4][0])[1] == [1]
