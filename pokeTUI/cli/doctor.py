"""Define `poketui doctor`: examine this machine, and say what to do."""

import shutil
import sys
import textwrap
from typing import TYPE_CHECKING, Annotated

import typer

from engine.ground.text import visible
from pokeTUI.cli import options
from pokeTUI.terminal.printing import say, say_json

if TYPE_CHECKING:
    from pokeTUI.app.doctor.machine import Finding


def doctor(
    given: Annotated[options.Given, "rom_path llm_model llm_backend save_dir set"],
    config: options.ConfigFile = None,
    json_: bool = False,
) -> None:
    """Check this machine (terminal, ROM, model, disk); exit code 1 if a run would fail.

    Args:
        llm_model: Language model to check. Default: none.
        json_: Print JSON.
    """
    from dataclasses import asdict

    from pokeTUI.app.doctor.examination import examine, look_around
    from pokeTUI.app.doctor.machine import Verdict

    findings = []
    for finding in examine(look_around(), config, given):
        findings.append(finding)
        if not json_:
            _print(finding)
    is_well = all(finding.verdict is not Verdict.BAD for finding in findings)
    if json_:
        rows = [{**asdict(finding), "verdict": finding.verdict.value} for finding in findings]
        say_json({"is_well": is_well, "findings": rows})
    raise typer.Exit(0 if is_well else 1)


def _print(finding: "Finding") -> None:
    from pokeTUI.app.doctor.machine import NAME_WIDTH

    head = f"{_sign(finding.verdict.sign)} {finding.name:<{NAME_WIDTH}} "
    lines = _wrap(head, visible(finding.text))
    if finding.remedy:
        lines += _wrap(" " * (NAME_WIDTH + 3), visible(finding.remedy))
    say(*lines)


def _wrap(head: str, text: str) -> list[str]:
    """Break text at the terminal's width, below itself; of no terminal nobody knows the width."""
    if not sys.stdout.isatty():
        return [head + text]
    width = max(40, shutil.get_terminal_size().columns)
    indent = " " * len(head)
    return textwrap.wrap(
        text, width, initial_indent=head, subsequent_indent=indent, break_on_hyphens=False
    )


def _sign(sign: str) -> str:
    """Return a sign, or letters where standard output cannot show it."""
    try:
        sign.encode(sys.stdout.encoding or "ascii")
    except UnicodeEncodeError:
        return {"✓": "+", "✗": "x"}.get(sign, sign)
    return sign
