"""Foreign text of a million characters is read at once, whatever it is made of."""

import signal
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from engine.api.migrate import migrate
from engine.battles.learn.importing import read_battle_file
from engine.errors import PokeTUIError
from engine.ground.providers import backend_of
from engine.ground.text import one_line, printable
from engine.ground.trust import host_names
from engine.planning.models.backends.base import redacted, refusal, shown_address
from engine.planning.models.backends.dialect import Dialect
from engine.planning.models.fine_tuning import is_offered
from engine.planning.models.prompt import tokens
from engine.planning.models.reply import _read_confidence, read_object
from pokeTUI.dashboard.planner import readable
from pokeTUI.draw.units import seconds

SIZE = 1_000_000
HANG_S = 60
SCRIPT = 100_000
"""Of a Python script, which Python itself takes long to parse."""
PIECES = (
    " ", "(", "1", "a", "\\", "\\\n", '"', "{", "<think>", "</think>", "model ", "model not ",
    "sk-", "bearer ", "context ", '<script class="battle-log-data"', "<script ", "|tier|", "bo3 ",
    '"reasoning" :', "from ", "1.", "1h", "- x\n", "EVs: /", "a\n\n", "=== x ===\n", "a: b\n",
)  # fmt: skip


def dialect(text: str) -> None:
    Dialect(frozenset({"think"})).simpler(text)


def page(text: str) -> None:
    read_file(f'<script class="battle-log-data">{text}</script>', ".html")


def log(text: str) -> None:
    read_file(f"|player|p1|{text[:60_000]}\n|tier|{text[:60_000]} bo3 x\n|win|{text[:9]}", ".log")


def read_file(text: str, suffix: str) -> None:
    path = Path(f"foreign{suffix}")
    path.write_text(text)
    read_battle_file(path)


READERS: tuple[Callable[[str], Any], ...] = (
    dialect,
    page,
    log,
    lambda text: read_file(text, ".html"),
    lambda text: read_file(text, ".json"),
    read_object,
    tokens,
    redacted,
    lambda text: refusal("A server", 500, text),
    shown_address,
    lambda text: is_offered(text, text),
    _read_confidence,
    lambda text: migrate(text[:SCRIPT]),
    lambda text: migrate(f"from core.{text[:SCRIPT]} import a"),
    backend_of,
    host_names,
    readable,
    printable,
    lambda text: one_line(text, 200),
    lambda text: seconds(text, "--pause"),
)


@pytest.fixture(autouse=True)
def in_time(tmp_path, monkeypatch) -> Iterator[None]:
    """Raise in whatever hangs."""
    monkeypatch.chdir(tmp_path)

    def hang(*_: object) -> None:
        pytest.fail(f"not done in {HANG_S} s")

    before = signal.signal(signal.SIGALRM, hang)
    signal.alarm(HANG_S)
    yield
    signal.alarm(0)
    signal.signal(signal.SIGALRM, before)


@pytest.mark.slow
@pytest.mark.parametrize("piece", PIECES)
def test_a_flood_of_one_piece_is_read_in_linear_time(piece):
    text = piece * (SIZE // len(piece)) + "x"
    for read in READERS:
        with suppress(PokeTUIError, ValueError, SyntaxError, RecursionError, MemoryError):
            read(text)
