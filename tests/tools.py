"""Find the programs that some tests need, and that not everybody has.

`@pytest.mark.tool("ffmpeg")` skips a test where there is none; `pytest -m tool` runs those tests.
"""

import os
import shutil

PACKAGES = {
    "arm-none-eabi-gcc": "gcc-arm-none-eabi",
    "chromium": "chromium",
    "ffmpeg": "ffmpeg",
    "gcc": "gcc libc6-dev",
    "node": "nodejs npm",
    "sdcc": "sdcc",
    "sshd": "openssh-server",
    "tmux": "tmux",
}
"""Debian's, by program."""
_OTHER_NAMES = {"chromium": ("chromium-browser", "google-chrome")}
_ROOTS_PATH = "/usr/sbin:/usr/local/sbin"


def find_tool(program: str) -> str | None:
    """Return the path of a program, None if it is not installed."""
    path = f"{os.environ.get('PATH', '')}:{_ROOTS_PATH}"
    found = (shutil.which(name, path=path) for name in (program, *_OTHER_NAMES.get(program, ())))
    return next(filter(None, found), None)


def lack_of(program: str) -> str:
    """Return why a test that needs a program cannot run, "" if it can."""
    return "" if find_tool(program) else f"needs {program}: apt install {PACKAGES[program]}"
