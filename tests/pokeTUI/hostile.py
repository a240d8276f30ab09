"""Make saves as somebody hostile would, run commands on them, and look at every byte printed."""

import os
import re

from tests.pokeTUI.in_process import Done, assert_refused

EVIL = "\x1b]0;owned\x07\x1b[2J\x9b31m\u202egnp.\u200b\x7f\r\nSaved at step 9."
"""Sets the title, clears the screen, colours, turns text round, hides, and forges a line."""
MARKUP = "[red]m[/] [@click=app.quit]x[/] [/b]"
NAME = EVIL + MARKUP.replace("/", "")
RAW_NAME = os.fsdecode(b"\xff\xfe\x1b[31mraw")
_OBEYED = re.compile("[\x00-\x09\x0b-\x1f\x7f-\x9f\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]")


def assert_tame(done: Done) -> None:
    """Check that nothing was printed that a terminal obeys, no forged line and no traceback."""
    for text in (done.stdout, done.stderr):
        assert not _OBEYED.search(text), text
        assert not re.search(r"(?m)^Saved at step 9", text), text
        assert "Traceback" not in text, text


def assert_tamely_refused(done: Done) -> None:
    """Check for one tame line, and exit code 2."""
    assert_tame(done)
    assert_refused(done)
