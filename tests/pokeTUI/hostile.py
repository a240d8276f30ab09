"""Make saves as somebody hostile would, run commands on them, and look at every byte printed."""

import json
import os
import re
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest

from pokeTUI.cli.main import main

EVIL = "\x1b]0;owned\x07\x1b[2J\x9b31m\u202egnp.\u200b\x7f\r\nSaved at step 9."
"""Sets the title, clears the screen, colours, turns text round, hides, and forges a line."""
MARKUP = "[red]m[/] [@click=app.quit]x[/] [/b]"
NAME = EVIL + MARKUP.replace("/", "")
RAW_NAME = os.fsdecode(b"\xff\xfe\x1b[31mraw")
_OBEYED = re.compile("[\x00-\x09\x0b-\x1f\x7f-\x9f\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]")


@dataclass(frozen=True)
class Said:
    """What a command printed, and its exit code."""

    code: int
    out: bytes
    err: bytes


def poketui(capture: pytest.CaptureFixture[bytes], *arguments: str) -> Said:
    """Run a command in this process."""
    before = sys.argv
    sys.argv = ["poketui", *arguments]
    capture.readouterr()
    try:
        main()
        code = 0
    except SystemExit as end:
        code = end.code if isinstance(end.code, int) else int(bool(end.code))
    finally:
        sys.argv = before
    out, err = capture.readouterr()
    return Said(code, out, err)


def assert_tame(said: Said) -> None:
    """Check that nothing was printed that a terminal obeys, no forged line and no traceback."""
    for output in (said.out, said.err):
        text = output.decode()
        assert not _OBEYED.search(text), text
        assert not re.search(r"(?m)^Saved at step 9", text), text
        assert "Traceback" not in text, text


def hostile_config(path: Path, **more: object) -> None:
    """Write settings whose every text is hostile, as far as a schema lets it."""
    kept = json.loads(path.read_text()) if path.exists() else {}
    path.write_text(json.dumps(kept | more))
