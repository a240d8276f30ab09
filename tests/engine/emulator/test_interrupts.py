"""Stop emulators by real signals."""

import os
import signal
import subprocess
import threading

import pytest

from engine.emulator.core import Core
from engine.emulator.core_hooks import delayed_signals
from engine.ground.folders import CORE_VARIABLE
from engine.ground.processes import code_command, python_environment
from tests.engine.processes import HEAR_CTRL_C

_ROUNDS = 8

_PLAY = """
from engine.emulator.libretro import GameBoyAdvance
from tests.engine.emulator.advance_image import advance_image
machine = GameBoyAdvance(advance_image())
"""


def start(code: str, core: Core) -> "subprocess.Popen[str]":
    return subprocess.Popen(
        code_command(HEAR_CTRL_C + _PLAY + code),
        env=python_environment(**{CORE_VARIABLE: str(core.path)}),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


@pytest.mark.parametrize("tick", ["machine.tick(24, render=True)", "machine.tick(1 << 40)"])
def test_every_ctrl_c_reaches_a_program_that_plays(core: Core, tick: str) -> None:
    code = (
        f"for _ in range({_ROUNDS}):\n"
        "    try:\n"
        "        print('playing', flush=True)\n"
        f"        while True: {tick}\n"
        "    except KeyboardInterrupt:\n"
        "        machine.load_state(machine.save_state())\n"
    )
    with start(code, core) as process:
        for _ in range(_ROUNDS):
            assert process.stdout.readline() == "playing\n"
            process.send_signal(signal.SIGINT)
        _, errors = process.communicate(timeout=60)
    assert (process.returncode, errors) == (0, "")


IN_A_THREAD = """
import threading
def play():
    while True: machine.tick(8)
threading.Thread(target=play, daemon=True).start()
print('playing', flush=True)
threading.Event().wait()
"""


@pytest.mark.parametrize(
    "code",
    ["print('playing', flush=True)\nwhile True: machine.tick(1)", IN_A_THREAD],
    ids=["alone", "in a thread"],
)
def test_ctrl_c_ends_a_program_that_plays(core: Core, code: str) -> None:
    with start(code, core) as process:
        process.stdout.readline()
        process.send_signal(signal.SIGINT)
        _, errors = process.communicate(timeout=60)
    assert process.returncode == -signal.SIGINT
    assert errors.strip().endswith("KeyboardInterrupt")
    assert "ignored" not in errors


def test_signals_are_handled_after_the_block_by_what_handled_them_before() -> None:
    seen: list[int] = []
    before = signal.signal(signal.SIGINT, lambda number, _frame: seen.append(number))
    try:
        own = signal.getsignal(signal.SIGINT)
        with delayed_signals() as arrived:
            os.kill(os.getpid(), signal.SIGINT)
            assert (len(arrived), seen) == (1, [])
        assert seen == [signal.SIGINT]
        assert signal.getsignal(signal.SIGINT) is own
    finally:
        signal.signal(signal.SIGINT, before)


def test_keyboard_interrupt_is_raised_where_the_block_ends() -> None:
    done: list[str] = []

    def interrupt() -> None:
        with delayed_signals():
            os.kill(os.getpid(), signal.SIGINT)
            done.append("the block")
        done.append("what follows")

    with pytest.raises(KeyboardInterrupt):
        interrupt()
    assert done == ["the block"]
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


def test_a_block_within_another_leaves_signals_to_the_outer_one() -> None:
    done: list[str] = []

    def interrupt() -> None:
        with delayed_signals() as arrived:
            with delayed_signals() as inner:
                os.kill(os.getpid(), signal.SIGINT)
                assert len(inner) == 1
            done.append("the inner block")
            assert len(arrived) == 1

    for _ in range(2):  # what the first raised is over for the second
        with pytest.raises(KeyboardInterrupt):
            interrupt()
    assert done == ["the inner block"] * 2
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


def test_ignored_signals_stay_ignored() -> None:
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        with delayed_signals() as arrived:
            assert signal.getsignal(signal.SIGINT) is signal.SIG_IGN
            os.kill(os.getpid(), signal.SIGINT)
        assert not arrived
    finally:
        signal.signal(signal.SIGINT, before)


def test_other_threads_change_no_handler() -> None:
    seen = []

    def look() -> None:
        with delayed_signals():
            seen.append(signal.getsignal(signal.SIGINT))

    thread = threading.Thread(target=look)
    thread.start()
    thread.join()
    assert seen == [signal.getsignal(signal.SIGINT)]
