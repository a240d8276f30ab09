"""Start a program in a pseudo-terminal of a given size."""

import fcntl
import os
import pty
import struct
import subprocess
import termios
from collections.abc import Mapping, Sequence


def start_program(
    command: Sequence[str], columns: int, rows: int, environment: Mapping[str, str]
) -> tuple[int, subprocess.Popen[bytes]]:
    """Return the terminal's far end and the program, in a session of its own as a login has.

    Args:
        command: The program.
        columns: The terminal's width.
        rows: Its height.
        environment: All of the program's.
    """
    far, near = pty.openpty()
    fcntl.ioctl(near, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))
    program = subprocess.Popen(
        list(command),
        stdin=near,
        stdout=near,
        stderr=near,
        start_new_session=True,
        env=dict(environment),
    )
    os.close(near)
    return far, program
