"""Temporary folders go with the process that made them, killed or not."""

import signal
import subprocess
from pathlib import Path

import pytest

from engine.ground.processes import code_command, python_environment
from engine.ground.scratch import scratch_folder
from tests.engine.processes import HEAR_CTRL_C

HOLDER = """
from pokeTUI.terminal.signals import unwind_on_signals
unwind_on_signals()
from engine.ground.scratch import scratch_folder
with scratch_folder() as folder:
    (folder / "below").mkdir()
    (folder / "below" / "file").write_text("x")
    print(folder, flush=True)
    input()
"""


@pytest.fixture(autouse=True)
def _own_place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    monkeypatch.setattr("tempfile.tempdir", None)


def holder() -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        code_command(HEAR_CTRL_C + HOLDER),
        env=python_environment(),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
    )


def test_folder_is_its_owners_alone_and_gone_afterwards() -> None:
    with scratch_folder() as folder:
        (folder / "file").touch()
        assert folder.stat().st_mode & 0o077 == 0
    assert not folder.exists()


def test_folder_of_a_killed_process_is_removed_by_the_next_and_no_other(tmp_path: Path) -> None:
    (tmp_path / "poketui-notes").mkdir()
    with holder() as killed, holder() as living:
        assert killed.stdout is not None
        assert living.stdout is not None
        left, kept = (Path(one.stdout.readline().decode().strip()) for one in (killed, living))
        killed.kill()
        killed.wait()
        assert left.exists()
        with scratch_folder() as own:
            assert (left.exists(), kept.exists(), own.exists()) == (False, True, True)
        living.communicate(b"\n")
    assert [path.name for path in tmp_path.iterdir()] == ["poketui-notes"]


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_folder_goes_with_a_process_that_a_signal_ends(number: signal.Signals) -> None:
    with holder() as ended:
        folder = Path(ended.stdout.readline().decode().strip())
        ended.send_signal(number)
        ended.wait()
    assert not folder.exists()


def test_folder_that_is_a_link_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "poketui-scratch-x").symlink_to(tmp_path / "elsewhere")
    with scratch_folder():
        pass
    assert (tmp_path / "elsewhere").is_dir()
