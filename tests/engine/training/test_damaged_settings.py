"""A run or policy whose settings cannot be read is named, and keeps no other from being used."""

import json
import os
from pathlib import Path

import pytest

from engine.config import RunConfig, load_config
from engine.errors import CheckpointError, ConfigurationError
from engine.ground.files import MAX_SETTINGS
from engine.runs.checkpoint import Checkpoint, CheckpointStore
from engine.runs.folder import RunFolder, find_run, list_runs
from engine.runs.policy_folders import PolicyFolder, list_policies
from engine.runs.settings import load_settings
from engine.runs.table import digest_run

DAMAGED = {
    "a list": b"[]",
    "null": b"null",
    "a text": b'"run"',
    "nothing": b"",
    "a number as text": b'{"seed": "x"}',
    "a number without end": b'{"seed": 1e400}',
    "infinity in a section": b'{"planner": {"load_timeout_s": 1e400}}',
    "a huge number": b'{"total_steps": %s}' % (b"9" * 4000),
    "a number of too many digits": b'{"seed": %s}' % (b"9" * 5000),
    "nested lists": b"[" * 100_000,
    "a nested value": b'{"seed": %s1%s}' % (b"[" * 900, b"]" * 900),
    "a nested section": b'{"env": ' * 100_000,
    "not UTF-8": b'{"agent": "\xff"}',
    "half a surrogate pair": rb'{"llm_model": "\ud800"}',
    "an unknown key": rb'{"\ud800\u001b[2J": 1}',
    "a long text": b'{"agent": "%s"}' % (b"x" * 100_000),
    "NULs": bytes(1000),
    "a folder": None,
    "a named pipe": None,
    "a link to nowhere": None,
    "a huge file": None,
}
"""By name; None: what `plant` makes is no plain file."""
NOT_OF_POLICIES = {"an unknown key", "a long text", "infinity in a section"}


def plant(path: Path, name: str) -> None:
    """Put what is damaged in a file's place."""
    path.unlink(missing_ok=True)
    content = DAMAGED[name]
    if content is not None:
        path.write_bytes(content)
    elif name == "a folder":
        path.mkdir()
    elif name == "a named pipe":
        os.mkfifo(path)
    elif name == "a link to nowhere":
        path.symlink_to(path.parent / "nowhere")
    else:
        path.touch()
        os.truncate(path, 1 << 30)


def save_run(saves: Path, steps: int) -> Path:
    """Write a run that can be resumed."""
    folder = RunFolder.create(RunConfig(save_dir=str(saves)))
    folder.unlock()
    CheckpointStore(folder.checkpoints_path, keep=1).save(Checkpoint({}), steps)
    os.utime(folder.checkpoints_path / f"step-{steps:012d}.zip", (steps, steps))
    return folder.path


@pytest.fixture
def good(tmp_path: Path) -> Path:
    return save_run(tmp_path, 10)


@pytest.fixture
def bad(good: Path, tmp_path: Path) -> Path:
    """Return the latest run, which the test damages."""
    return save_run(tmp_path, 20)


@pytest.mark.parametrize("name", DAMAGED)
def test_a_run_whose_settings_are_damaged_is_a_row_that_says_so_and_not_the_latest(
    tmp_path, good, bad, name
):
    plant(bad / "config.json", name)
    first, second = list_runs(str(tmp_path))
    assert (first.run_id, first.total_steps, first.agent) == (bad.name, 20, "?")
    assert 0 < len(first.refusal) < 500
    assert "\n" not in first.refusal
    assert (second.run_id, second.refusal) == (good.name, "")
    warnings: list[str] = []
    assert find_run(str(tmp_path), "latest", warnings.append) == good
    (warning,) = warnings
    assert warning.startswith(f"The run {bad.name} cannot be used: ")
    assert warning.endswith(f" Taking {good.name}.")


@pytest.mark.parametrize("name", DAMAGED)
def test_a_run_whose_settings_are_damaged_is_refused_by_name(tmp_path, name):
    bad = save_run(tmp_path, 20)
    plant(bad / "config.json", name)
    with pytest.raises(CheckpointError, match=f"settings of run {bad.name} are unreadable"):
        load_settings(find_run(str(tmp_path), bad.name))
    with pytest.raises(CheckpointError, match="are unreadable"):
        digest_run(str(tmp_path), bad.name)
    with pytest.raises(CheckpointError, match=f"No saved run to resume .* {bad.name} cannot be"):
        find_run(str(tmp_path), "latest")


def test_a_run_without_settings_is_a_row_that_says_so(tmp_path, good):
    (good / "config.json").unlink()
    (info,) = list_runs(str(tmp_path))
    assert info.refusal == "config.json: No such file or directory"


def test_a_run_whose_checkpoints_are_damaged_is_not_the_latest(tmp_path, good, bad):
    (path,) = (bad / "checkpoints").glob("step*")
    content = bytearray(path.read_bytes())
    content[30] ^= 1
    path.write_bytes(content)
    os.utime(path, (20, 20))
    warnings: list[str] = []
    assert find_run(str(tmp_path), "latest", warnings.append) == good
    assert "its checkpoints are damaged" in warnings[0]


@pytest.mark.parametrize("name", sorted(DAMAGED.keys() - NOT_OF_POLICIES))
def test_a_policy_whose_settings_are_damaged_is_a_row_that_says_so(tmp_path, name):
    cloning = {"cloning": {"network": "ppo", "inputs": "features", "seed": 1}}
    good = PolicyFolder.create(str(tmp_path), cloning)
    bad = PolicyFolder.create(str(tmp_path), cloning)
    plant(bad.path / "config.json", name)
    refusals = {info.policy_id: info.refusal for info in list_policies(str(tmp_path))}
    assert refusals[bad.path.name]
    assert not refusals[good.path.name]
    assert PolicyFolder.find(str(tmp_path), "latest").path == good.path


@pytest.mark.parametrize("name", DAMAGED)
@pytest.mark.parametrize("ending", ["json", "toml"])
def test_a_damaged_config_file_is_one_line(tmp_path, name, ending):
    path = tmp_path / f"config.{ending}"
    plant(path, name)
    try:
        load_config(path, {"env.max_steps": 20})
    except ConfigurationError as error:
        text = str(error)
    else:
        assert (name, ending) == ("nothing", "toml")
        return
    assert len(text.splitlines()) == 1
    assert len(text) < 3000


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16"])
def test_a_config_file_with_a_byte_order_mark_is_read(tmp_path, encoding):
    for name, text in (("a.toml", "[ppo]\r\nepochs = 2\r\n"), ("a.json", '{"ppo":{"epochs":2}}')):
        (tmp_path / name).write_bytes(text.encode(encoding))
        assert load_config(tmp_path / name, {}).ppo.epochs == 2


def test_a_key_behind_a_byte_order_mark_is_named_as_it_is_spelt(tmp_path):
    (tmp_path / "bom.toml").write_bytes(b"\xef\xbb\xbf[ppo]\r\nepochz = 2\r\n")
    with pytest.raises(ConfigurationError, match=r"ppo\.epochz"):
        load_config(tmp_path / "bom.toml", {})


@pytest.mark.parametrize("value", ["1e300", 1e16, 2**63, "9" * 4000])
def test_a_number_that_a_file_could_not_hold_is_refused_in_an_option(value):
    key = "rewards.step" if "e" in str(value) else "save_interval"
    with pytest.raises(ConfigurationError, match="a number is too large"):
        load_config(None, {key: value})


@pytest.mark.parametrize(
    "content",
    [
        "a = " + "[" * 100_000,
        "seed = 0x" + "f" * 9000,
        "seed = 1979-05-27",
        "a = {a = " * 5000,
        "[planner]\nload_timeout_s = inf",
        "[planner]\nload_timeout_s = nan",
        "env = 3",
        "a." * 900 + "a = 1",
    ],
)
def test_a_hostile_toml_file_is_one_line(tmp_path, content):
    path = tmp_path / "config.toml"
    path.write_text(content)
    with pytest.raises(ConfigurationError) as caught:
        load_config(path, {"env.max_steps": 20})
    assert len(str(caught.value).splitlines()) == 1


def test_settings_are_read_up_to_their_limit(tmp_path):
    path = tmp_path / "config.json"
    path.write_text(json.dumps({"seed": 3}).ljust(MAX_SETTINGS))
    assert load_config(path).seed == 3
    path.write_text(json.dumps({"seed": 3}).ljust(MAX_SETTINGS + 1))
    with pytest.raises(ConfigurationError, match="it is larger than"):
        load_config(path)
