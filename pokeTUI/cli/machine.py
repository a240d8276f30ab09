"""Define `poketui doctor` and `poketui trust`: what this machine can do, and what it may use."""

import shutil
import sys
import textwrap
from typing import TYPE_CHECKING, Annotated

import typer

from engine.errors import ConfigurationError
from engine.ground.files import os_errors_as
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
    """Wrap text to the terminal's width, indented behind `head`; without a terminal, do not."""
    if not sys.stdout.isatty():
        return [head + text]
    width = max(40, shutil.get_terminal_size().columns)
    indent = " " * len(head)
    return textwrap.wrap(
        text, width, initial_indent=head, subsequent_indent=indent, break_on_hyphens=False
    )


def _sign(sign: str) -> str:
    """Return a sign, or a letter where standard output cannot show it."""
    try:
        sign.encode(sys.stdout.encoding or "ascii")
    except UnicodeEncodeError:
        return {"✓": "+", "✗": "x"}.get(sign, sign)
    return sign


def trust(names: list[str] | None = None, /, remove: list[str] | None = None) -> None:
    """Trust hosts, code or paths named by runs and config files; without NAME, list them.

    A run or a config file may be from elsewhere. Hosts, code and places that only it names are
    used once you trust them; a language model's own provider and this machine are always allowed.

    Args:
        names ([NAME]...): Host, host:port, module:Class, path, or wandb. Default: list what is
            trusted.
        remove (NAME): Stop trusting it.
    """
    from engine.ground import trust as trusting

    for name in names or []:
        hint = "Use a host, module:Class, a path, or wandb."
        is_usable = name.strip() and name.isprintable()
        options.refuse_if(not is_usable, f"{name!r} cannot be trusted.", hint)
    hint = f"Set it in {trusting.VARIABLE}, or set POKETUI_CONFIG_DIR to a writable folder."
    with os_errors_as(ConfigurationError, f"Cannot write {trusting.trust_path()}", hint):
        if names:
            trusting.trust(names)
        for name in remove or []:
            was_trusted = trusting.distrust(name)
            message = f"{name} is not trusted in {trusting.trust_path()}."
            options.refuse_if(not was_trusted, message, "List: poketui trust")
    lines = list(trusting.trusted_names())
    lines += [f"{name} ({trusting.VARIABLE})" for name in trusting.names_in_environment()]
    say(*(lines or ["Nothing is trusted yet. Trust a host or code: poketui trust NAME"]))
