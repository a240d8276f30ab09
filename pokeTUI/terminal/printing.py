"""Print for a terminal: the only place of the command line that does.

Names of runs, files and keys may come from elsewhere, and a terminal obeys control characters; they
are shown, never sent. A question mark stands for what an output's encoding has no sign for.
"""

import io
import json
import os
import sys
import traceback
from collections.abc import Collection, Sequence
from typing import TextIO

from engine.errors import ConfigurationError, TerminalError
from engine.ground.text import printable, visible


def say(*lines: str) -> None:
    """Print lines to standard output; what is no printable character in them is escaped.

    So is a line break: a name from elsewhere makes no line of its own.

    Raises:
        TerminalError: They cannot be written, as to a full disk.
    """
    _write(sys.stdout, _text(lines))


def say_table(rows: Sequence[Sequence[str]], right: Collection[int] = ()) -> None:
    """Print rows in columns as wide as their longest text; those in `right` are right-aligned.

    Raises:
        TerminalError: They cannot be written.
    """
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    for row in rows:
        cells = (f"{c:{'>' if i in right else '<'}{widths[i]}}" for i, c in enumerate(row))
        say("  ".join(cells).rstrip())


def say_json(facts: object) -> None:
    """Print facts as JSON; escaped as JSON does what `say` would escape otherwise.

    Raises:
        TerminalError: It cannot be written.
    """
    say(*json.dumps(facts, indent=1).replace("\x7f", "\\u007f").split("\n"))


def say_part(text: str) -> None:
    """Print text that continues, such as a model's answer as it comes; its lines are kept.

    Raises:
        TerminalError: It cannot be written.
    """
    _write(sys.stdout, "\n".join(printable(line) for line in text.split("\n")))


def complain(*lines: str) -> None:
    """Print lines to standard error; if that is not possible, drop them."""
    try:
        _write(sys.stderr, _text(lines))
    except TerminalError:
        return


def warn(text: str) -> None:
    """Print a warning to standard error."""
    complain(f"warning: {text}")


def complain_of(error: BaseException) -> None:
    """Print the traceback of an error that is a bug of ours, not the user's."""
    complain(*"".join(traceback.format_exception(error)).rstrip().split("\n"))


def confirm(question: str) -> bool:
    """Ask, and return whether the answer is yes.

    Raises:
        ConfigurationError: Nobody is there to answer.
    """
    _write(sys.stdout, f"{visible(question)} [y/N]: ")
    answer = sys.stdin.readline()
    if not answer:
        raise ConfigurationError("Cannot ask: no terminal.", "Add --yes.")
    return answer.strip().lower() in ("y", "yes")


def open_streams() -> None:
    """Make standard streams of which any text can be printed, whatever this was started with.

    Streams that are closed lead nowhere: else the next files that are opened would get their
    numbers, and what is printed would go into those.
    """
    for number in range(3):
        try:
            os.fstat(number)
        except OSError:
            os.open(os.devnull, os.O_RDWR)  # gets the lowest number that is free
    sys.stdin = sys.stdin or os.fdopen(0)
    sys.stdout = sys.stdout or os.fdopen(1, "w")
    sys.stderr = sys.stderr or os.fdopen(2, "w")
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")


def _text(lines: tuple[str, ...]) -> str:
    return "".join(f"{visible(line)}\n" for line in lines)


def _write(stream: TextIO, text: str) -> None:
    try:
        stream.write(text)
        stream.flush()
    except BrokenPipeError:
        _lead_nowhere(stream)  # `| head` has seen enough; what is being done continues
    except OSError as error:
        _lead_nowhere(stream)
        raise TerminalError(
            f"Cannot write the output: {error.strerror}.",
            "Print to a terminal, or to a file on a disk with free space.",
        ) from None


def _lead_nowhere(stream: TextIO) -> None:
    """Lose also what is still in the stream's buffer, which Python writes when it ends."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, stream.fileno())
    os.close(nowhere)
