"""README and guides: each command is run or parsed, each link and picture is there."""

import re
import shlex
from functools import cache
from pathlib import Path
from typing import Any, cast

import pytest
import typer

from pokeTUI.cli.main import _name_latest_run, _UsageError, app
from tests.pokeTUI.in_process import poketui

ROOT = Path(__file__).parents[1]
README = ROOT / "README.md"
PAGES = [*ROOT.glob("*.md"), *ROOT.glob("docs/*.md"), *ROOT.glob("roms/**/*.md")]
PAST = ("documents.md", "experiments.md", "CHANGELOG.md")
"""Pages with commands that are somebody else's, or of versions that have passed."""
GUIDES = [page for page in PAGES if page.name not in PAST]
RUN = ("runs", "demos", "trust", "rom --world", "rom --path FERNWICK GYM", "doctor")
"""Those that a test runs, with a save folder of its own."""
ONLY_PARSED = {
    "": "needs a terminal (tests/pokeTUI/test_start_terminal.py)",
    "--install-completion": "changes the user's shell (test_completion.py)",
    "attach": "needs a terminal and a run (test_attach.py)",
    "bc": "takes minutes (test_cli_bc.py)",
    "bench": "takes minutes (tests/engine/bench)",
    "demos": "needs demonstrations (test_demos.py)",
    "doctor": "depends on the machine (test_doctor.py)",
    "eval": "needs a trained run (test_cli.py)",
    "export": "needs a run (test_cli.py)",
    "llm": "needs an Ollama server, or a run (test_llm.py)",
    "record": "needs a terminal (test_record_terminal.py)",
    "replay": "needs a run (test_cli.py)",
    "rom": "needs a cartridge's file (test_roms.py)",
    "run": "needs a terminal, or trains for ever (test_cli.py, test_real_terminal.py)",
    "runs": "needs two runs (test_cli.py)",
    "serve": "needs a run and a browser (test_serve_browser.py)",
    "stop": "needs a run (test_attach.py)",
    "vgc": "needs Node, or trains for ever (tests/engine/battles, test_cli_vgc.py)",
    "trust": "changes what the user trusts (test_trust.py)",
}
"""Why the others are only parsed, and where they are run."""
OTHER_PROGRAMS = (
    *("python3 -m venv", "pip install", "export ANTHROPIC_API_KEY=", "curl"),
    *(".ci/run", ".ci/newest"),
)
LARGEST_README = 6_000
"""Characters: one screen of a browser, and a little more."""


def text_of(page: Path) -> str:
    return page.read_text(encoding="utf-8")


def blocks_of(page: Path) -> list[str]:
    """Return the lines of a page's shell blocks, continued ones joined."""
    blocks = re.findall(r"```sh\n(.*?)```", text_of(page), re.DOTALL)
    return [line for block in blocks for line in block.replace("\\\n", "").splitlines() if line]


def prose_of(page: Path) -> str:
    return re.sub(r"```.*?```", "", text_of(page), flags=re.DOTALL)


@cache
def commands() -> dict[str, bool]:
    """Return the arguments of each `poketui ...`, and whether only prose mentions it."""
    lines = [line.partition("  #")[0] for page in GUIDES for line in blocks_of(page)]
    typed = [part for line in lines for part in re.split(r" && ", line) if part[:7] == "poketui"]
    named = [
        " ".join(text.split())
        for page in GUIDES
        for text in re.findall(r"`(poketui(?:\s[^`]*)?)`", prose_of(page))
    ]
    found = [(part, False) for part in typed] + [(part, True) for part in named]
    ours = [(part.strip().removeprefix("poketui").strip(), is_prose) for part, is_prose in found]
    return {part: all(prose for same, prose in ours if same == part) for part, _ in sorted(ours)}


@cache
def command_line() -> Any:
    return cast(Any, typer.main.get_command(app))


def parse(command: str) -> None:
    """Find the command, and let it parse its arguments."""
    arguments = _name_latest_run(shlex.split(command))
    assert (arguments or [""])[0] in ONLY_PARSED
    found = command_line()
    while arguments and arguments[0] in getattr(found, "commands", ()):
        found = found.commands[arguments.pop(0)]
    if hasattr(found, "commands"):
        options = {name for option in found.params for name in option.opts}
        assert set(arguments) <= options, arguments
    elif arguments != ["--help"]:
        found.make_context(command, arguments)


def test_commands_of_the_guides_are_found() -> None:
    assert len(commands()) > 100
    assert set(RUN) <= set(commands())


@pytest.mark.parametrize("command", RUN)
def test_command_of_the_guides_runs(
    command: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("POKETUI_CONFIG_DIR", str(tmp_path))
    done = poketui(*shlex.split(command), cwd=tmp_path)
    assert done.returncode == 0 or (command == "doctor" and done.returncode == 1), done.stderr
    assert done.stdout


@pytest.mark.parametrize("page", GUIDES, ids=[str(page.relative_to(ROOT)) for page in GUIDES])
def test_every_other_program_of_a_guide_is_known(page: Path) -> None:
    others = [line for line in blocks_of(page) if not line.startswith("poketui")]
    assert [line for line in others if not line.startswith(OTHER_PROGRAMS)] == []


@pytest.mark.parametrize("command", [one for one in commands() if one not in RUN])
def test_command_of_the_guides_is_accepted_by_the_command_line(command: str) -> None:
    try:
        parse(command)
    except typer.BadParameter as error:  # in a sentence, a command may stand without its arguments
        if type(error).__name__ != "MissingParameter" or not commands()[command]:
            raise


@pytest.mark.parametrize("command", ["runs --no-such-option", "demos explored", "walk"])
def test_a_command_that_does_not_exist_is_found_out(command: str) -> None:
    with pytest.raises((_UsageError, AssertionError)):
        parse(command)


def anchors_of(page: Path) -> set[str]:
    heads = re.findall(r"^#+ (.+)$", prose_of(page), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", head.lower()).replace(" ", "-") for head in heads}


@pytest.mark.parametrize("page", PAGES, ids=[str(page.relative_to(ROOT)) for page in PAGES])
def test_every_link_leads_to_a_file_and_a_heading(page: Path) -> None:
    lost = []
    for link in re.findall(r"\]\((?!https?:)([^)\s]+)\)", prose_of(page)):
        name, _, anchor = link.partition("#")
        target = page.parent / name if name else page
        if not target.exists() or (anchor and anchor not in anchors_of(target)):
            lost.append(link)
    assert lost == []


def test_each_picture_is_referred_to() -> None:
    texts = "".join(map(text_of, PAGES))
    pictures = [path.name for path in (ROOT / "docs" / "images").iterdir()]
    assert [name for name in pictures if f"images/{name}" not in texts] == []


def test_the_readme_fits_one_screen_and_leads_to_every_page() -> None:
    text = text_of(README)
    assert len(text) <= LARGEST_README
    links = {README.parent / link.partition("#")[0] for link in re.findall(r"\]\(([^)]+)\)", text)}
    pages = {*ROOT.glob("*.md"), *ROOT.glob("docs/*.md")} - {README}
    assert sorted(page.name for page in pages - links) == []
